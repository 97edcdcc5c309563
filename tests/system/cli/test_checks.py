"""takt run --checks: the kernel looks where it is called from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

PROGRAM = """
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/thread.h>

#define NVIC_ISER ((volatile uint32_t *)0xE000E100u)
#define NVIC_ISPR ((volatile uint32_t *)0xE000E200u)
#define NVIC_IPR  ((volatile uint8_t *)0xE000E400u)

static struct takt_sem event = TAKT_SEM_INIT(0);

void isr_timer1a(void) /* interrupt 21 */
{
    takt_sem_signal_isr(&event);
}

static void first(void *arg)
{
    (void)arg;
    NVIC_IPR[21] = PRIORITY;
    NVIC_ISER[0] = 1u << 21;
    for (;;) {
        NVIC_ISPR[0] = 1u << 21;
        takt_sem_wait(&event);
        takt_sleep(1000);
    }
}

TAKT_THREAD(first, 1, first, 0, 512);

int main(void)
{
    takt_start();
}
"""


def test_a_handler_above_the_border_that_calls_the_kernel_is_named(
    takt: Callable, tmp_path: Path
) -> None:
    folder = tmp_path / "urgent"
    folder.mkdir()
    how = ("run", folder, "--board", "lm3s6965evb", "--seconds", "0.1", "--checks", "--json")
    (folder / "urgent.c").write_text(PROGRAM.replace("PRIORITY", "0x20"))
    ran = takt(*how)
    assert ran.code == 1
    told = "kernel called above TAKT_IRQ_PRIORITY by exception 37"
    assert ran.json["error"]["what"].endswith(f"{told} (isr_timer1a)"), ran.out
    (folder / "urgent.c").write_text(PROGRAM.replace("PRIORITY", "0x40"))
    assert takt(*how).code == 0
