/*
 * The kernel's clock wraps while threads sleep, wait and use budgets; the uptime does not. Says how
 * many checks have failed, and where the first.
 */
#include <takt/console.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/uptime.h>
#include <takt/vcpu.h>

#include <clock/pc_clock.h>
#include <qemu/check.h>

#define BEFORE_US 50000u /* so long before the wrap the program starts */
#define NAPS      100u

volatile uint32_t naps, rounds;
static struct takt_sem never = TAKT_SEM_INIT(0);

static void put(const char *text)
{
    while (*text)
        board_console_put(*text++);
}

static void put_number(uint32_t n)
{
    if (n >= 10)
        put_number(n / 10);
    board_console_put((char)('0' + n % 10));
}

static void sleeper(void *arg)
{
    (void)arg;
    CHECK(takt_clock.hz == 1000000000u); /* QEMU's, which is rounded to 100 kHz */
    uint64_t started = takt_uptime_us();
    CHECK(takt_now() > 0u - BEFORE_US);
    for (naps = 0; naps < NAPS; naps++) {
        takt_time_t from = takt_now();
        uint64_t up = takt_uptime_us();
        if (naps % 2)
            CHECK(takt_sem_wait_for(&never, 1000) == TAKT_ETIMEOUT);
        else
            CHECK(takt_sleep(1000) == TAKT_OK);
        uint32_t took = takt_now() - from;
        CHECK(took >= 1000 && took < 1300);
        CHECK(takt_uptime_us() - up - took <= 1 || took - (takt_uptime_us() - up) <= 1);
    }
    CHECK(takt_now() < NAPS * 1300u);
    CHECK(takt_uptime_us() - started < NAPS * 1300u);
    CHECK(rounds > 0);
    put_number(checks);
    put(" checks, failed ");
    put_number(failures);
    put(", line ");
    put_number(first_failure);
    put(" end\r\n");
}

static void busy(void *arg)
{
    (void)arg;
    for (;;)
        rounds++;
}

TAKT_BUDGET_THREAD(sleeper, 500, 2000, sleeper, 0, 2048)
TAKT_BUDGET_THREAD(busy, 1000, 5000, busy, 0, 2048)

int main(void)
{
    takt_clock.start -= (0x100000000u - BEFORE_US) * (takt_clock.hz / 1000000u);
    takt_start();
}
