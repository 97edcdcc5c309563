/*
 * An output's pipe (kernel/pipe/pipe.c) between two CPUs whose stores others see later than their own next
 * loads (x86's TSO, and weaker): the writer puts packets there and kicks the driver if there is but one;
 * the driver takes packets until it finds none, and looks again when it is kicked.
 *
 * Each has one store on its way, of its own index: `seen` is memory's, `own` what it itself has stored. It
 * arrives at any time, at a fence at the latest. NO_WRITER_FENCE, NO_DRIVER_FENCE: what is left out.
 */
#define PACKETS 4

byte seen_head, seen_tail; /* as the other one sees them */
byte own_head, own_tail;   /* as they have been stored */
bool kicked;

active proctype stores()
{
end:
    do
    :: seen_head != own_head -> seen_head = own_head
    :: seen_tail != own_tail -> seen_tail = own_tail
    od
}

active proctype writer()
{
    byte i;
    for (i : 1 .. PACKETS) {
        (seen_head == own_head);
        own_head++;
#ifndef NO_WRITER_FENCE
        (seen_head == own_head);
#endif
        if
        :: own_head - seen_tail == 1 -> kicked = true
        :: else
        fi
    }
}

active proctype driver()
{
end:
    do
    :: kicked ->
        kicked = false;
        do
        :: seen_head != own_tail ->
            (seen_tail == own_tail);
            own_tail++;
#ifndef NO_DRIVER_FENCE
            (seen_tail == own_tail)
#endif
        :: seen_head == own_tail -> break
        od
    od
}

active proctype nothing_is_left()
{
    timeout;
    assert(own_head == PACKETS && own_tail == PACKETS)
}
