/*
 * Memory as the CPU sees it: every address is what it is on the bus. Nothing is at the first page,
 * and at the pages that are guards.
 */
#ifndef TAKT_X86_64_PAGE_H
#define TAKT_X86_64_PAGE_H

#include <takt/types.h>

/* From now on an access to the page that starts here faults; on another CPU, which may remember
 * the page, when that has forgotten it (port_thread_entry). False, and nothing is done: no memory
 * for another table (each holds the guards of 2 MB). Interrupts off, or before the start. */
bool page_guard(const void *page);

/* Is the address in a page that is not there? */
bool page_is_guard(uint64_t address);

/* Makes physical addresses of a device usable, uncached; those below 4 GB are usable from the
 * start. False: beyond what the CPU reaches (or 128 TB), or no memory for the tables (each holds
 * 1 GB, or 512 of these). Thread, or before the start. */
bool page_map(uint64_t from, uint64_t bytes);

#endif
