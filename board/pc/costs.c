/*
 * What admission must know of the board when a budget is changed while the program runs, and when
 * threads are placed on several CPUs: the same figures as in board.toml, which says where they come
 * from (a test compares them).
 */
#include <takt/admit.h>

/* By the assembler, since addresses are wider; from pc.ld, 0 unless the program links the
 * driver. */
__asm__(".pushsection .rodata.takt_admit_irqs,\"a\",@progbits\n"
        ".balign 4\n.global takt_admit_irqs\ntakt_admit_irqs:\n\t"
        ".long takt_sends_ns, 1380, 0\n\t"
        ".long takt_receives_ns, 270, 0\n\t"
        ".long takt_pins_ns, 500, 0\n\t"
        ".long takt_pulses_ns, 1000, 0\n\t"
        ".popsection");
extern const struct takt_admit_irq takt_admit_irqs[];

const struct takt_admit_set takt_admit_board = {
    .irqs = takt_admit_irqs,
    .irq_count = 4,
    .costs = {.switch_ns = 2800, .alarm_ns = 1200, .margin_us = TAKT_BUDGET_MARGIN_US},
};

/* With several CPUs: how long another one may have the kernel's lock. */
extern const uint32_t takt_admit_lock_ns;
const uint32_t takt_admit_lock_ns = 5000;
