/*
 * What admission must know of the board when a budget is changed while the program runs: the same
 * figures as in board.toml, which says where they come from (a test compares them).
 */
#include <takt/admit.h>
#include <takt/flash.h>

/* By the assembler, since these are wider than pointers; from costs.ld, 0 unless the program links
 * the driver. */
__asm__(".pushsection .progmem.takt.admit_irqs,\"a\",@progbits\n"
        ".balign 2\n.global takt_admit_irqs\ntakt_admit_irqs:\n\t"
        ".long 17000, 65536, 0\n\t" /* the clock's counter comes round */
        ".long takt_sends_ns, 260, 0\n\t"
        ".long takt_sent_ns, 4160, 0\n\t"
        ".long takt_receives_ns, 4000, 0\n\t"
        ".long takt_pins_ns, 8000, 0\n\t"
        ".long takt_pulses_ns, 8000, 0\n\t"
        ".long takt_soft_ns, 833, 0\n\t"
        ".long takt_wire_ns, 500, 0\n\t"
        ".popsection");
extern const struct takt_admit_irq takt_admit_irqs[];

const struct takt_admit_set takt_admit_board TAKT_FLASH = {
    .irqs = takt_admit_irqs,
    .irq_count = 8,
    .costs = {.switch_ns = 590000, .alarm_ns = 225000, .margin_us = TAKT_BUDGET_MARGIN_US},
};
