/*
 * Several CPUs (include/takt/kernel_lock.h, kernel/core/cpus.h, cross_call.c, mutex.c, dispatch.c): the ticket
 * lock, waking a thread of another CPU while that CPU runs, dispatches or goes to sleep, cross-calls in both
 * directions, and the section of mutexes.
 *
 *   CPU 1   thread R, the more urgent, waits for SIGNALS units; thread L below it is in a mutex's
 *           section, sends CPU 0 a cross-call, and computes
 *   CPU 0   thread S signals half of them, is in the section, sends CPU 1 a cross-call
 *   CPU 2   thread S2, or an interrupt's handler, signals the others
 *
 * An interrupt is taken where the CPU has them on, if it pleases: poll(). Defined: what is left out.
 */
#define CPUS    3
#define SIGNALS 1 /* by S; as many by S2 */
#define NOBODY  255

#define R 1
#define L 2
#define S 1

byte next, serving;  /* the kernel's lock */
byte holders;
byte owner = NOBODY;
bool ipi[CPUS];
bool busy[CPUS];     /* in the dispatcher */
byte ready[CPUS], woken[CPUS], cur[CPUS];
bool held[CPUS];     /* a thread of it is in the section, or waits for it: nobody else runs there */
byte taker[CPUS];    /* who of it has a ticket for the section */
bool call[CPUS], done[CPUS];

byte count;          /* the semaphore R waits for */
bool waiter;
byte got;

byte turn_next, turn, inside, sections;
bool ended[CPUS];
byte gone;

#ifdef NO_TICKETS    /* whoever comes first after a release, and two may */
#define take_lock(c) (holders == 0)
#else
#define take_lock(c) atomic { ticket = next; next = (next + 1) % 4 }; (serving == ticket)
#endif

inline take(c)
{
    assert(owner != c); /* a CPU that has it does not take it again */
    take_lock(c);
    holders++;
    assert(holders == 1);
    owner = c
}

inline give(c)
{
    assert(owner == c);
    owner = NOBODY;
    holders--;
    serving = (serving + 1) % 4
}

inline kick(c)
{
#ifndef NO_KICK
    ipi[c] = true
#else
    skip
#endif
}

/* With interrupts on, in the dispatcher: whoever asks for a preemption is not heard, for the
 * dispatcher looks for itself. */
inline poll_busy(c)
{
    if
    :: ipi[c] -> ipi[c] = false
    :: true
    fi
}

inline catch_up(c)
{
    do
    :: woken[c] != 0 || call[c] ->
        take(c);
        if
        :: call[c] -> call[c] = false; done[c] = true
        :: else
        fi;
        give(c);
#ifdef GRAB_UNLOCKED
        joining = woken[c];
        woken[c] = 0;
#else
        take(c);
        joining = woken[c];
        woken[c] = 0;
        give(c);
#endif
        poll_busy(c);
        ready[c] = ready[c] | joining;
        joining = 0
    :: else -> break
    od
}

/* Until an interrupt has been taken. */
inline idle(c)
{
    cur[c] = 0;
    take(c);
#ifdef IDLE_KEEPS_LOCK
    (ipi[c]);
    ipi[c] = false;
#else
    give(c);
#ifdef IDLE_OPEN /* interrupts on, and only then to sleep */
    poll_busy(c);
#endif
    (ipi[c]);
    ipi[c] = false;
    take(c);
#endif
    give(c)
}

/* The lock is held, and given away meanwhile. */
inline dispatch(c)
{
    busy[c] = true;
    give(c);
    do
    :: true ->
        catch_up(c);
        if
        :: held[c] -> chosen = cur[c]
        :: !held[c] && (ready[c] & 1) -> chosen = 1
        :: !held[c] && !(ready[c] & 1) && (ready[c] & 2) -> chosen = 2
        :: else -> chosen = 0
        fi;
        if
        :: chosen == 0 -> idle(c)
        :: else ->
            poll_busy(c);
#ifdef NO_RECHECK
            break
#else
            if
            :: woken[c] == 0 && !call[c] -> break
            :: else
            fi
#endif
        fi
    od;
    cur[c] = chosen;
    assert(taker[c] == 0 || chosen == taker[c]); /* or other CPUs would wait for who runs instead */
    chosen = 0;
    busy[c] = false;
    take(c)
}

/* A thread, interrupts on: the handler of a kick has the thread dispatch when it is done. */
inline poll(c)
{
    if
    :: ipi[c] ->
        ipi[c] = false;
        take(c);
        dispatch(c);
        give(c)
    :: true
    fi
}

/* The same for who waits with interrupts on. */
inline await(c, condition)
{
    do
    :: condition -> break
#ifndef WAIT_WITH_INTERRUPTS_OFF
    :: !(condition) && ipi[c] ->
        ipi[c] = false;
        take(c);
        dispatch(c);
        give(c)
#endif
    od
}

inline signal(c)
{
#ifndef SIGNAL_UNLOCKED
    take(c);
#endif
    if
    :: waiter ->
        waiter = false;
        got++;
        if
        :: ready[1] & R /* it has not waited yet */
        :: else ->
            seen = woken[1]; woken[1] = seen | R; seen = 0;
            kick(1)
        fi
    :: else -> seen = count; count = seen + 1; seen = 0
    fi;
#ifndef SIGNAL_UNLOCKED
    give(c);
#endif
    poll(c)
}

inline send_call(c, to)
{
    take(c);
    call[to] = true;
    kick(to);
    give(c);
    await(c, done[to])
}

/* As the outermost mutex is locked and unlocked: in turn, at the highest ceiling from the ticket on. */
inline section(c)
{
    take(c);
#ifndef TURN_PREEMPTED
    held[c] = true;
#endif
    taker[c] = cur[c];
    turn_ticket = turn_next;
    turn_next = (turn_next + 1) % 4;
    give(c);
    await(c, turn == turn_ticket);
    take(c);
    held[c] = true;
    inside++;
    assert(inside == 1);
    give(c);
    poll(c);
    take(c);
    inside--;
    sections++;
    turn = (turn + 1) % 4;
    held[c] = false;
    taker[c] = 0;
    dispatch(c);
    give(c)
}

inline leave(c, thread)
{
    take(c);
    ended[c] = true;
    gone++;
    ready[c] = ready[c] & ~thread;
    dispatch(c);
    give(c)
}

/* Of CPU 1: R waits unless it has had all; the rest of its time is L's. */
inline wait_for_unit()
{
    take(1);
    if
    :: count > 0 -> seen = count; count = seen - 1; seen = 0; got++
    :: else ->
        waiter = true;
#ifdef STOP_UNLOCKED
        give(1);
        ready[1] = ready[1] & ~R;
        take(1);
#else
        ready[1] = ready[1] & ~R;
#endif
        dispatch(1)
    fi;
    give(1)
}

proctype cpu1()
{
    byte ticket, joining, chosen, seen, turn_ticket, step;
    cur[1] = R;
    do
    :: cur[1] == R && got < 2 * SIGNALS -> wait_for_unit()
    :: cur[1] == R && got == 2 * SIGNALS -> leave(1, R)
    :: cur[1] == L && step == 0 -> step = 1; section(1)
    :: cur[1] == L && step == 1 -> step = 2; send_call(1, 0)
    :: cur[1] == L && step >= 2 ->
        /* It computes. Somebody more urgent waits only for a kick that is on its way. */
        atomic { assert(woken[1] == 0 || ipi[1] || holders > 0) };
        if
        :: ipi[1] -> poll(1)
        :: !ipi[1] && got == 2 * SIGNALS && ready[1] == L && !call[1] && woken[1] == 0 ->
            leave(1, L)
        fi
    od
}

proctype cpu0()
{
    byte ticket, joining, chosen, seen, turn_ticket, i;
    cur[0] = S;
    for (i : 1 .. SIGNALS) {
        signal(0)
    }
    section(0);
    send_call(0, 1);
    leave(0, S)
}

proctype cpu2()
{
    byte ticket, seen, joining, chosen, i;
    for (i : 1 .. SIGNALS) {
        signal(2)
    }
}

/* When nothing moves any more, everything must have happened. */
active proctype nothing_is_left()
{
    timeout;
    assert(got == 2 * SIGNALS);
    assert(count == 0 && !waiter);
    assert(sections == 2 && done[0] && done[1]);
    assert(!woken[1] && !call[0] && !call[1]);
    assert(gone == 3)
}

init
{
    ready[0] = S;
    ready[1] = R | L;
    ready[2] = S;
    atomic { run cpu0(); run cpu1(); run cpu2() }
}
