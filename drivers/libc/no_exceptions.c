/*
 * libstdc++ throws exceptions, which it is built to, where a program that is built without them has
 * made a mistake (vector::at). Nothing could catch one, so there is nothing to unwind.
 */
#include <takt/thread.h>

void _Unwind_RaiseException(void) __attribute__((noreturn));
void _Unwind_RaiseException(void)
{
    takt_fatal(TAKT_FATAL_EXIT, takt_self(), "C++ exception thrown by a library");
}

/* What else it names, and never comes to. */
#define NEVER(name)                                                                                \
    void name(void) __attribute__((noreturn, alias("_Unwind_RaiseException")))
NEVER(_Unwind_Resume);
NEVER(_Unwind_Resume_or_Rethrow);
NEVER(_Unwind_DeleteException);
NEVER(_Unwind_GetDataRelBase);
NEVER(_Unwind_GetTextRelBase);
NEVER(_Unwind_GetIPInfo);
NEVER(_Unwind_GetLanguageSpecificData);
NEVER(_Unwind_GetRegionStart);
NEVER(_Unwind_SetGR);
NEVER(_Unwind_SetIP);
