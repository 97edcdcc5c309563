/*
 * The switch of threads on a Cortex-M (port/armv6m: preempt.S, switch.S; port/armv7m: switch.S):
 * which contexts there are, who runs, and what an interrupt may do between any two steps. direct.pml
 * has programs of threads and semaphores on armv6m.
 *
 * Thread i has two contexts: T(i), its own code, and P(i), the call of takt_preempt() that PendSV
 * makes it do, on the same stack, above T(i). `cpu` says which context runs. What is done with
 * interrupts off is atomic; an interrupt, which wakes a thread, and PendSV come wherever they may.
 *
 *   T(i)  wait, signal: switch by themselves
 *   P(i)  takt_preempt: works on budgets with interrupts on, picks, perhaps switches; then back to
 *         T(i) by SVC
 *
 * Whoever switched has interrupts off when he comes back. In programs with budgets (-DBUDGETS) T(i) and P(i) leave the work before a switch to
 * budget/dispatch.c's dispatcher on the interrupts' stack, with interrupts on, whose handlers nest there;
 * `busy` keeps PendSV away, which would look for a frame on the thread's stack that is not there; so
 * does the stack its own frame is on.
 * armv7m (-DARMV7M): P(i) begins by taking back a PendSV that was asked for while PendSV made its
 * frame.
 *
 * Checked: nobody switches to himself; who runs is ready; while nothing is pending, the most urgent
 * one runs (no switch is lost); no stack holds more than one frame of a preemption; the interrupts'
 * stack is empty whenever a thread's own code runs or is switched to, and PendSV comes to a dispatcher
 * there only to keep its hands off.
 *
 *   -DKEEP_STALE    armv7m: the other PendSV is not taken back
 *   -DOPEN_SWITCH   a switch enables interrupts
 *   -DOPEN_PICK     armv6m: so does P(i) before it picks, on the thread's stack
 *   -DNO_RECHECK    the preemption switches to who was most urgent when it was asked for
 *   -DNO_BUSY       with budgets: handlers do not know that the dispatcher is at work; no harm alone
 *   -DBLIND         with budgets: PendSV does not look on which stack its own frame is; no harm alone
 *   -DKEEP_BUSY     with budgets: nor that it is not any more
 *   -DLONG_STACK    with budgets: a switch from the interrupts' stack
 *   -DNO_RESUME     PendSV does not know the instruction between enabling interrupts and the svc
 */
#define THREADS    3
#define NOBODY     7
#define IN_PENDSV  (2 * THREADS)
#define IN_HANDLER (IN_PENDSV + 1) /* with budgets; and the more urgent one */
#define HANDLERS   2

byte cpu = 0;             /* i: T(i); THREADS + i: P(i); or the handler */
byte current = 0;
bool ready[THREADS] = true;
byte resume[THREADS];     /* context of a thread that does not run */
byte frames[THREADS];     /* made by PendSV on its stack */
bool off;                 /* interrupts */
bool busy;                /* interrupts need not ask for PendSV: takt_cpu.busy */
byte msp;                 /* on the interrupts' stack, with budgets: the dispatcher, handlers */
bool pendsv;
bool at_resume;           /* P(current) is between enabling interrupts and the svc ... */
bool redirected;          /* ... and has been sent back to its beginning */
byte asked = NOBODY;      /* who was most urgent when PendSV was asked for */
#ifdef BUDGETS
byte wakes = 4;           /* interrupts to come */
#else
byte wakes = 6;
#endif

inline pick(who)
{
    who = 0;
    do
    :: who < THREADS && !ready[who] -> who++
    :: else -> break
    od;
    if
    :: who == THREADS -> who = NOBODY
    :: else
    fi
}

inline switch_to(from, here, to)
{
    assert(to != from);
    assert(ready[to]);
    assert(msp == 0);
    resume[from] = here;
    current = to;
#ifdef OPEN_SWITCH
    off = false;
#else
    off = true;
#endif
    cpu = resume[to]
}

#ifdef BUDGETS
#include "budgets.pml"
#else
/* Interrupts are off and nobody is ready: they are let in, one after the other, until somebody is. */
inline idle(who)
{
    do
    :: who != NOBODY -> break
    :: else ->
        if
        :: wakes > 0 -> wakes--; ready[0] = true
        :: wakes > 0 -> wakes--; ready[1] = true
        :: else -> ready[2] = true /* or for ever */
        fi;
        pick(who)
    od
}

proctype T(byte me)
{
    byte next;
    atomic { cpu == me -> off = false };
    do
    /* wait, blocking */
    :: atomic {
        cpu == me && !off ->
        assert(current == me && ready[me]);
        ready[me] = false;
        pick(next);
        idle(next);
        if
        :: next != me -> switch_to(me, me, next)
        :: else
        fi
       };
       atomic { cpu == me -> off = false } /* on at once; this is where its tail begins */
    /* signal a more urgent one that waits */
    :: atomic {
        cpu == me && !off && me > 0 && !ready[me - 1] ->
        next = me - 1;
        ready[next] = true;
        pick(next);
        if
        :: next < me -> switch_to(me, me, next)
        :: else
        fi
       };
       atomic { cpu == me -> off = false }
    od
}

#endif

proctype P(byte me)
{
    byte next;
start:
    /* PendSV has just made the frame; interrupts are off from its last instruction on */
    atomic {
        cpu == THREADS + me ->
begin:
#if defined(ARMV7M) && !defined(KEEP_STALE)
        pendsv = false
#else
        skip
#endif
    };
    atomic {
        cpu == THREADS + me ->
#ifdef BUDGETS
        begin_work()
#elif defined(ARMV7M) || defined(OPEN_PICK)
        busy = true;
        off = false
#else
        skip
#endif
    };
    atomic {
        cpu == THREADS + me ->
        off = true;
#ifdef BUDGETS
        end_work();
#else
        busy = false;
#endif
#ifdef NO_RECHECK
        next = asked;
#else
        pick(next);
#endif
        if
        :: next != me -> switch_to(me, THREADS + me, next)
        :: else
        fi
    };
    /* Here again. */
    atomic { cpu == THREADS + me -> skip };
    atomic {
        cpu == THREADS + me ->
        off = false;
        at_resume = true
    };
    atomic { /* svc */
        cpu == THREADS + me ->
        at_resume = false;
        if
        :: redirected -> redirected = false; goto begin
        :: else -> frames[me]--; cpu = me
        fi
    };
    goto start
}

#ifndef BUDGETS
/* Makes a thread ready, at any moment at which interrupts are on. */
active proctype Interrupt()
{
    byte who;
    do
    :: atomic {
        !off && wakes > 0 ->
        wakes--;
        select(who : 0 .. THREADS - 1);
        ready[who] = true;
        if
        :: who < current && !busy -> pendsv = true; asked = who
        :: else
        fi
       }
    od
}

#endif

/* Taken when no other handler is, and interrupts are on; others may come until it ends. */
active proctype PendSV()
{
    byte was;
    do
    :: atomic {
        pendsv && !off && cpu < IN_PENDSV ->
        pendsv = false;
        was = cpu;
        cpu = IN_PENDSV
       };
       atomic {
        cpu == IN_PENDSV ->
        if
#ifndef BLIND
        :: msp > 0 -> goto ended
#endif
        :: current == NOBODY -> goto ended
        :: else -> assert(msp == 0)
        fi;
        if
#ifndef NO_RESUME
        :: at_resume ->
            redirected = true;
            off = true
#endif
        :: else ->
            frames[current]++;
            assert(frames[current] == 1);
            off = true;
            was = THREADS + current
        fi;
ended:
        cpu = was
       }
    od
}

/* While nothing is pending and a thread's own code runs, it is the most urgent one. */
active proctype Observer()
{
    byte first;
    do
    :: atomic {
        cpu < THREADS && !off && !pendsv && msp == 0 && frames[current] == 0 ->
        pick(first);
        assert(first == current || first == NOBODY)
       }
    od
}

init
{
    byte i;
    atomic {
        for (i : 0 .. THREADS - 1) {
            resume[i] = i;
            run T(i);
            run P(i)
        }
#ifdef BUDGETS
        for (i : 0 .. HANDLERS - 1) {
            run Handler(i)
        }
#endif
    }
}
