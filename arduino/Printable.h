/*
 * Things that know how to print themselves.
 */
#ifndef Printable_h
#define Printable_h

#include <stddef.h>

class Print;

class Printable
{
  public:
    /* Prints itself on p; returns the number of characters. */
    virtual size_t printTo(Print &p) const = 0;
};

namespace arduino
{
using ::Printable;
} // namespace arduino

#endif
