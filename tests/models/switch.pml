/*
 * The switch of threads on a Cortex-M0 (port/armv6m/switch.S, sem.S): which contexts there are, who
 * runs, and what an interrupt may do between any two steps.
 *
 * Thread i has two contexts: T(i), its own code, and P(i), the call of takt_preempt() that PendSV
 * makes it do, on the same stack, above T(i). `cpu` says which context runs. What is done with
 * interrupts off is atomic; an interrupt, which wakes a thread, and PendSV come wherever they may.
 *
 *   T(i)  wait, signal: switch by themselves
 *   P(i)  takt_preempt: picks, perhaps switches; then back to T(i) by SVC
 *
 * Both enable interrupts as soon as the stack has been changed, in whatever context they switch to.
 *
 * Checked: nobody switches to himself; who runs is ready; while nothing is pending, the most urgent
 * one runs (no switch is lost); no stack holds more than one frame of a preemption.
 *
 *   -DNO_AGAIN      PendSV makes a frame although one is there
 *   -DKEEP_AGAIN    the note that one would have been made is not cleared
 *   -DNO_RECHECK    the preemption switches to who was most urgent when it was asked for
 */
#define THREADS 3
#define NOBODY  7

byte cpu = 0;             /* i: T(i); THREADS + i: P(i) */
byte current = 0;
bool ready[THREADS] = true;
byte resume[THREADS];     /* context of a thread that does not run */
byte frames[THREADS];     /* made by PendSV on its stack */
bool off;                 /* interrupts */
bool pendsv, again;
byte asked = NOBODY;      /* who was most urgent when PendSV was asked for */
byte wakes = 6;           /* interrupts to come */
byte rounds;              /* of takt_preempt in a row */

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
    resume[from] = here;
    current = to;
    off = false;
    cpu = resume[to]
}

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

proctype P(byte me)
{
    byte next;
start:
    atomic { /* PendSV has just made the frame; interrupts are off from its last instruction on */
        cpu == THREADS + me -> rounds = 0
    };
check:
    atomic {
        cpu == THREADS + me ->
        rounds++;
        assert(rounds < 8);
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
    /* Here again, interrupts on. */
    atomic { cpu == THREADS + me -> skip };
    atomic {
        cpu == THREADS + me ->
        off = true;
        if
        :: again ->
#ifndef KEEP_AGAIN
            again = false;
#endif
            goto check
        :: else
        fi
    };
    /* off = false; svc: an interrupt between the two finds the frame as PendSV would make it */
    atomic {
        cpu == THREADS + me ->
        off = false;
        frames[me]--;
        cpu = me
    };
    goto start
}

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
        :: who < current -> pendsv = true; asked = who
        :: else
        fi
       }
    od
}

/* Taken when nothing else is, and interrupts are on. */
active proctype PendSV()
{
    do
    :: atomic {
        pendsv && !off ->
        pendsv = false;
#ifndef NO_AGAIN
        if
        :: frames[current] > 0 -> again = true
        :: else ->
#endif
            frames[current]++;
            assert(frames[current] == 1);
            off = true;
            cpu = THREADS + current
#ifndef NO_AGAIN
        fi
#endif
       }
    od
}

/* While nothing is pending and a thread's own code runs, it is the most urgent one. */
active proctype Observer()
{
    byte first;
    do
    :: atomic {
        cpu < THREADS && !off && !pendsv && frames[current] == 0 ->
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
    }
}
