/*
 * See trb.h. The controller reads a block when it finds the cycle bit it looks for, so that bit is
 * stored last; of several blocks that belong together, that of the first.
 */
#include "../io.h"
#include "trb.h"

#include <string.h>

void xhci_ring_start(struct xhci_ring *ring)
{
    struct xhci_trb *link = &ring->trbs[XHCI_RING_ROOM];
    memset(ring->trbs, 0, XHCI_RING * sizeof ring->trbs[0]);
    link->parameter = usb_dma_address(ring->trbs);
    link->control = TRB_TYPE(TRB_LINK) | TRB_TOGGLE;
    ring->enqueue = 0;
    ring->cycle = true;
}

static void give(struct xhci_trb *trb, uint32_t control)
{
    __atomic_store_n(&trb->control, control, __ATOMIC_RELEASE);
}

/* A link is part of the chain that it lies in. */
static void pass_link(struct xhci_ring *ring, uint32_t chain)
{
    give(&ring->trbs[XHCI_RING_ROOM], TRB_TYPE(TRB_LINK) | TRB_TOGGLE | chain | ring->cycle);
    ring->enqueue = 0;
    ring->cycle = !ring->cycle;
}

uint8_t xhci_ring_put(struct xhci_ring *ring, const struct xhci_trb *trb, bool withheld)
{
    uint8_t place = ring->enqueue++;
    struct xhci_trb *at = &ring->trbs[place];
    at->parameter = trb->parameter;
    at->status = trb->status;
    give(at, trb->control | (uint32_t)(ring->cycle != withheld));
    if (ring->enqueue == XHCI_RING_ROOM)
        pass_link(ring, trb->control & TRB_CHAIN);
    return place;
}

void xhci_ring_release(struct xhci_ring *ring, uint8_t place)
{
    give(&ring->trbs[place], ring->trbs[place].control ^ TRB_CYCLE);
}

uint64_t xhci_ring_address(const struct xhci_ring *ring)
{
    return usb_dma_address(&ring->trbs[ring->enqueue]) | ring->cycle;
}

int xhci_ring_place(const struct xhci_ring *ring, uint64_t address)
{
    uint64_t offset = address - usb_dma_address(ring->trbs);
    if (offset % sizeof(struct xhci_trb) || offset / sizeof(struct xhci_trb) >= XHCI_RING)
        return TAKT_EINVAL;
    return (int)(offset / sizeof(struct xhci_trb) % XHCI_RING_ROOM); /* the link leads to 0 */
}
