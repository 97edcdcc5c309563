/*
 * The switch of threads on ARMv6-M in programs of threads, semaphores and mutexes (port/armv6m:
 * sem.S, preempt.S), where PendSV itself takes what a thread has in its registers and lets another
 * one come; switch.pml has the other programs.
 *
 * A thread that leaves, by itself or not, has its registers on its stack; one that comes takes them in
 * steps, with interrupts on, and one that was preempted then makes an svc:
 *
 *   AT_S     nothing taken yet
 *   TAKEN    r8-r11 are; the next interrupt's frame lies where they were; it may abandon the pop of
 *            r4-r7, through which r8-r11 came, and then these hold anything
 *   AT_SVC   all are; the next interrupt's frame lies where they were
 *   CODE     its own code, any kernel call included
 *
 * Whom PendSV has made leave is marked until the svc is done. What is done with interrupts off is
 * atomic, as is what nobody else can see.
 *
 * Checked: who takes something finds it; no stack holds more than one frame of a preemption; who runs
 * is ready; while nothing is pending, the most urgent one runs (no switch is lost); PendSV comes to
 * nobody while the CPU idles.
 *
 *   -DNO_MARK       PendSV saves whomever it finds
 *   -DKEEP_MARK     the mark outlives the svc
 *   -DNO_PUT_BACK   what has been taken is not put back
 *   -DWRONG_BACK    r4-r7 are
 *   -DNO_DROP       PendSV does not know AT_SVC
 *   -DNO_RECHECK    the preemption switches to who was most urgent when it was asked for
 *
 *   -DMUTEX         the last thread locks one that keeps the last but one away; interrupts come
 *                   between its unlocking and its looking what that has kept
 *   -DBLIND         PendSV does not see what it keeps away
 *   -DNO_LOOK       unlocking does not look
 */
#define THREADS 3
#define NOBODY  7

mtype = { CODE, AT_S, TAKEN, AT_SVC };

byte current = 0;       /* takt_core.current */
byte last = 0;          /* on whose stack the CPU idles */
bool ready[THREADS] = true;
mtype at[THREADS] = AT_S;
mtype inside[THREADS] = CODE; /* where a preempted thread was */
bool marked[THREADS];
byte frames[THREADS];   /* made by PendSV on its stack */
bool low[THREADS] = true;  /* r8-r11 on its stack are good */
bool high[THREADS] = true; /* the others are */
bool through = true;    /* r4-r7 are what r8-r11 are, of who is at TAKEN and runs */
bool handling;          /* PendSV runs */
bool pendsv;
byte asked = NOBODY;    /* who was most urgent when PendSV was asked for */
byte wakes = 20;        /* interrupts to come */
bool held;              /* the mutex, by thread 2 */
bool looks;             /* 2 has unlocked it, and is about to look who is ready */

#define KEPT(who) (held && (who) == 1)

#define RUNS(me) (!handling && !pendsv && current == me)
#define MAY_CALL(me) (RUNS(me) && at[me] == CODE && !(looks && (me) == 2))

inline pick(who)
{
    who = 0;
    do
    :: who < THREADS && (!ready[who] || KEPT(who)) -> who++
    :: else -> break
    od;
    if
    :: who == THREADS -> who = NOBODY
    :: else
    fi
}

/* An exception's frame is put below what the thread that runs has not taken. */
inline frame_on(who)
{
    if
    :: who != NOBODY && at[who] == TAKEN -> low[who] = false
    :: who != NOBODY && at[who] == TAKEN -> low[who] = false; through = false
    :: who != NOBODY && at[who] == AT_SVC -> low[who] = false; high[who] = false
    :: else
    fi
}

inline saved(who)
{
    low[who] = true;
    high[who] = true
}

inline leave(who, to)
{
    assert(ready[to]);
    saved(who);
    marked[who] = false;
    at[who] = AT_S;
    current = to
}

proctype T(byte me)
{
    byte next;
    do
    /* wait, blocking */
    :: atomic {
        MAY_CALL(me) && !(held && me == 2) ->
        assert(ready[me] && !marked[me]);
        ready[me] = false;
        pick(next);
        if
        :: next == NOBODY -> current = NOBODY; last = me
        :: else -> leave(me, next)
        fi;
        next = 0
       }
    /* nobody is ready: until somebody is */
    :: atomic {
        RUNS(NOBODY) && last == me ->
        pick(next);
        if
        :: next == NOBODY && wakes == 0 -> ready[2] = true /* or for ever */
        :: next == NOBODY && wakes > 0
        :: else -> leave(me, next)
        fi;
        next = 0
       }
    /* signal a more urgent one that waits */
    :: atomic {
        MAY_CALL(me) && me > 0 && !ready[me - 1] ->
        ready[me - 1] = true;
        if
        :: KEPT(me - 1)
        :: else -> leave(me, me - 1)
        fi
       }
#ifdef MUTEX
    :: atomic { MAY_CALL(me) && me == 2 && !held -> held = true }
    :: atomic {
        MAY_CALL(me) && me == 2 && held ->
        held = false;
#ifndef NO_LOOK
        looks = true
#endif
       }
    :: atomic {
        RUNS(me) && at[me] == CODE && me == 2 && looks ->
        looks = false;
        pick(next);
        if
        :: next != me -> leave(me, next)
        :: else
        fi;
        next = 0
       }
#endif
    /* come back */
    :: atomic {
        RUNS(me) && at[me] == AT_S ->
        assert(low[me] && high[me]);
        through = true;
        at[me] = TAKEN
       }
    :: atomic {
        RUNS(me) && at[me] == TAKEN ->
        assert(high[me]);
        if
        :: marked[me] -> at[me] = AT_SVC
        :: else -> at[me] = CODE
        fi
       }
    :: atomic {
        RUNS(me) && at[me] == AT_SVC ->
        frames[me]--;
        at[me] = inside[me];
        saved(me); /* of a switch it was at the end of: that lies above */
#ifndef KEEP_MARK
        marked[me] = false
#endif
       }
    od
}

/* Makes a thread ready, whenever interrupts are on. */
active proctype Interrupt()
{
    byte who;
    do
    :: atomic {
        wakes > 0 ->
        wakes--;
        if
        :: !handling -> frame_on(current)
        :: else
        fi;
        select(who : 0 .. THREADS - 1);
        ready[who] = true;
        if
        :: current != NOBODY && who < current -> pendsv = true; asked = who
        :: else
        fi;
        who = 0
       }
    od
}

/* Taken when no other handler is; others may come until it ends. */
active proctype PendSV()
{
    byte next;
    do
    :: atomic {
        pendsv && !handling ->
        pendsv = false;
        handling = true;
        assert(current != NOBODY);
        frame_on(current)
       };
       atomic {
        if
#ifndef NO_MARK
        :: marked[current] ->
            if
            :: at[current] == AT_S
            :: at[current] == TAKEN ->
#ifdef WRONG_BACK
                low[current] = through
#elif !defined(NO_PUT_BACK)
                low[current] = true
#endif
#ifndef NO_DROP
            :: at[current] == AT_SVC -> saved(current)
#else
            :: at[current] == AT_SVC -> saved(current); frames[current]++
#endif
            :: else -> assert(false) /* the stack pointer says nothing */
            fi
#endif
        :: else ->
            inside[current] = at[current];
            frames[current]++;
            marked[current] = true;
            saved(current)
        fi;
        assert(frames[current] == 1);
        at[current] = AT_S
       };
       atomic {
#ifdef NO_RECHECK
        next = asked
#elif defined(BLIND)
        next = (ready[0] -> 0 : (ready[1] -> 1 : 2))
#else
        pick(next)
#endif
       };
       atomic {
        assert(ready[next]);
        current = next;
        next = 0
       };
       handling = false
    od
}

/* While nothing is pending and a thread runs, it is the most urgent one. */
active proctype Observer()
{
    byte first;
    do
    :: atomic {
        !handling && !pendsv && current != NOBODY && !(looks && current == 2) ->
        pick(first);
        assert(first == current);
        first = 0
       }
    od
}

init
{
    byte i;
    atomic {
        for (i : 0 .. THREADS - 1) {
            run T(i)
        }
    }
}
