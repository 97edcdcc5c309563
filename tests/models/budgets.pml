/* Part of switch.pml: what is different in programs with budgets. */

/* Interrupts are off: the dispatcher begins its work, and lets them in; and ends it. */
inline begin_work()
{
    assert(msp == 0);
    msp = 1;
#ifndef NO_BUSY
    busy = true;
#endif
    off = false
}

inline end_work()
{
#ifndef KEEP_BUSY
    busy = false;
#endif
#ifndef LONG_STACK
    msp--
#endif
}

proctype T(byte me)
{
    byte next;
    atomic { cpu == me -> off = false };
    do
    /* A call: PendSV, if it was asked for, has come before. */
    :: atomic {
        cpu == me && !off && !pendsv ->
        assert(current == me && ready[me] && msp == 0);
        if
        :: ready[me] = false /* wait, blocking */
        :: me > 0 -> ready[me - 1] = true /* signal */
        fi;
        begin_work()
       };
       atomic {
        cpu == me ->
        if
        :: !ready[me] -> current = NOBODY /* all accounts closed */
        :: off = true /* or handed over */
        fi
       };
look:
       atomic {
        cpu == me ->
        off = true;
        pick(next);
        if
        :: next == NOBODY ->
            current = NOBODY;
            if
            :: wakes == 0 -> ready[2] = true /* or for ever */
            :: else
            fi;
            off = false;
            goto look
        :: else
        fi;
        end_work();
        current = me;
        if
        :: next != me -> switch_to(me, me, next)
        :: else
        fi
       };
       atomic { cpu == me -> off = false }
    od
}

/* Makes a thread ready. May come whenever interrupts are on and nothing as urgent is running. */
proctype Handler(byte level)
{
    byte who, was;
    do
    :: atomic {
        !off && wakes > 0 && cpu < IN_HANDLER + level ->
        wakes--;
        was = cpu;
        cpu = IN_HANDLER + level;
        msp++
       };
       atomic {
        cpu == IN_HANDLER + level ->
        select(who : 0 .. THREADS - 1);
        ready[who] = true;
        if
        :: who < current && !busy -> pendsv = true
        :: else
        fi;
        msp--;
        cpu = was;
        was = 0
       }
    od
}
