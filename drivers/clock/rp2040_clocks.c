/*
 * Clock tree of the RP2040 (data sheet 2.15-2.18):
 *
 *   crystal 12 MHz -+-> clk_ref 12 MHz -> watchdog tick 1 MHz -> timer
 *                   +-> PLL_SYS 1500 / 6 / 2 = 125 MHz -> clk_sys, clk_peri
 *                   +-> PLL_USB 1200 / 5 / 5 =  48 MHz -> clk_usb, clk_adc
 *
 * The chip may arrive here from a debugger or a watchdog reset, so everything is first put on
 * the oscillators that always run and the PLLs are reset before they are set.
 */
#include "../rp2040/rp2040.h"

#define CRYSTAL_MHZ 12u

enum {
    PLL_POWER_DOWN = 1u << 0,
    PLL_POSTDIV_DOWN = 1u << 3,
    PLL_VCO_DOWN = 1u << 5,
    PLL_LOCKED = 1u << 31,
};

static void crystal_start(void)
{
    RP2040_XOSC->ctrl = 0xAA0u;                             /* 1 to 15 MHz */
    RP2040_XOSC->startup = CRYSTAL_MHZ * 1000u / 256u + 1u; /* 1 ms, in units of 256 cycles */
    RP2040_SET(RP2040_XOSC->ctrl) = 0xFABu << 12;
    while (!(RP2040_XOSC->status & 1u << 31)) {
    }
}

static void pll_start(struct rp2040_pll *pll, uint32_t multiplier, uint32_t div1, uint32_t div2)
{
    pll->cs = 1; /* reference divider */
    pll->fbdiv_int = multiplier;
    RP2040_CLR(pll->pwr) = PLL_POWER_DOWN | PLL_VCO_DOWN;
    while (!(pll->cs & PLL_LOCKED)) {
    }
    pll->prim = div1 << 16 | div2 << 12;
    RP2040_CLR(pll->pwr) = PLL_POSTDIV_DOWN;
}

/* Turns a glitchless multiplexer (clk_ref, clk_sys) and waits until it has turned. */
static void source_set(struct rp2040_clock *clock, uint32_t source)
{
    clock->ctrl = source; /* auxiliary source 0 in either case of ours */
    while (!(clock->selected & 1u << source)) {
    }
}

void rp2040_clocks_start(void)
{
    struct rp2040_clock *clk = RP2040_CLOCKS->clk;

    RP2040_CLOCKS->resus_ctrl = 0;
    crystal_start();
    RP2040_CLR(clk[RP2040_CLK_SYS].ctrl) = 1; /* off the PLL, keeping the auxiliary source */
    while (!(clk[RP2040_CLK_SYS].selected & 1u)) {
    }
    RP2040_CLR(clk[RP2040_CLK_REF].ctrl) = 3;
    while (!(clk[RP2040_CLK_REF].selected & 1u)) {
    }

    RP2040_SET(RP2040_RESETS->reset) = RP2040_RESET_PLL_SYS | RP2040_RESET_PLL_USB;
    rp2040_release(RP2040_RESET_PLL_SYS | RP2040_RESET_PLL_USB);
    pll_start(RP2040_PLL_SYS, 125, 6, 2);
    pll_start(RP2040_PLL_USB, 100, 5, 5);

    clk[RP2040_CLK_REF].div = 1u << 8;
    source_set(&clk[RP2040_CLK_REF], 2); /* the crystal */
    clk[RP2040_CLK_SYS].div = 1u << 8;
    source_set(&clk[RP2040_CLK_SYS], 1);             /* auxiliary: PLL_SYS */
    clk[RP2040_CLK_PERI].ctrl = RP2040_CLOCK_ENABLE; /* clk_sys */
    clk[RP2040_CLK_USB].ctrl = RP2040_CLOCK_ENABLE;  /* PLL_USB */
    clk[RP2040_CLK_ADC].ctrl = RP2040_CLOCK_ENABLE;  /* PLL_USB */
    RP2040_WATCHDOG->tick = CRYSTAL_MHZ | 1u << 9;
}
