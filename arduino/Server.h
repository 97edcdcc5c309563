/*
 * What a server can do: what is printed on it goes to all its clients.
 */
#ifndef TAKT_SERVER_H
#define TAKT_SERVER_H

#include "Print.h"

class Server : public Print
{
  public:
    virtual void begin() = 0;
};

namespace arduino
{
using ::Server;
} // namespace arduino

#endif
