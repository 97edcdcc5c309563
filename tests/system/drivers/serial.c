/*
 * Serial ports: two writers, a reader that answers, one that comes too late, and a thread whose
 * rhythm must not suffer.
 */
#include <takt/gpio.h>
#include <takt/mutex.h>
#include <takt/sem.h>
#include <takt/time.h>

#include "say.h"

enum { CLOCK = 15, LINE = 600, DEAF_MS = 60 };

static void clock_thread(void *arg)
{
    (void)arg;
    takt_gpio_mode(CLOCK, TAKT_GPIO_OUTPUT);
    takt_time_t next = takt_now();
    for (bool level = true;; level = !level) {
        takt_gpio_write(CLOCK, level);
        takt_sleep_until(next += 1000);
    }
}

static void echo_thread(void *arg)
{
    char line[64] = "got ";
    (void)arg;
    say("nothing", takt_uart_wait(0, 5000));
    for (;;) {
        size_t n = 4;
        takt_uart_wait(0, 1000000);
        takt_sleep(5000); /* let the rest come in */
        say("peek", takt_uart_peek(0));
        for (int c; (c = takt_uart_read(0)) >= 0 && n < sizeof line - 1;)
            line[n++] = (char)c;
        line[n++] = '\n';
        takt_uart_write(0, line, n);
    }
}

static void long_thread(void *arg)
{
    static char line[LINE];
    char letter = *(const char *)arg;
    memset(line, letter, sizeof line);
    line[LINE - 1] = '\n';
    for (int i = 0; i < 3; i++)
        takt_uart_write(0, line, LINE);
    takt_thread_exit();
}

static void other_thread(void *arg)
{
    static char line[300];
    char letter = *(const char *)arg;
    memset(line, letter, sizeof line);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 3; i++)
        takt_uart_write(0, line, sizeof line);
    takt_time_t before = takt_now();
    takt_uart_flush(0);
    say("free", takt_uart_free(0));
    say("flush_waited", (int32_t)(takt_now() - before) > 0);
    takt_thread_exit();
}

/* Reads port 1 too late, and writes it while holding a mutex: polled, but whole. */
static void late_thread(void *arg)
{
    static struct takt_mutex mutex = TAKT_MUTEX_INIT(0);
    static char text[400];
    int read = 0, wrong = 0;
    (void)arg;
    say("port1", takt_uart_open(1, 115200, 8, TAKT_PARITY_EVEN, 2));
    say("port2", takt_uart_open(2, 115200, 8, TAKT_PARITY_NONE, 1));
    say("bits9", takt_uart_open(1, 115200, 9, TAKT_PARITY_NONE, 1));
    takt_sleep_ms(DEAF_MS);
    for (int c; (c = takt_uart_read(1)) >= 0; read++)
        wrong += c != read % 256;
    say("read", read);
    say("wrong", wrong);
    say("lost", takt_uart_lost(1));
    takt_sleep_ms(150);
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    takt_mutex_lock(&mutex);
    say("locked_write", takt_uart_write(1, text, sizeof text));
    takt_mutex_unlock(&mutex);
    say("closed", takt_uart_close(1));
    say("write_closed", takt_uart_write(1, text, 1));
    takt_thread_exit();
}

TAKT_THREAD(clock, 1, clock_thread, 0, STACK)
TAKT_THREAD(echo, 2, echo_thread, 0, STACK)
TAKT_THREAD(late, 3, late_thread, 0, STACK)
TAKT_THREAD(longer, 4, long_thread, "x", STACK)
TAKT_THREAD(other, 5, other_thread, "y", STACK)

int main(void)
{
    static const char polled[] =
        "before the start: more than a ring and a FIFO hold. 456789 123456789 123456789 123456789\n"
        "123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 12345678\n"
        "123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 12345678\n"
        "123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 1234567\n";
    takt_uart_open(0, 115200, 8, TAKT_PARITY_NONE, 1);
    takt_uart_write(0, polled, sizeof polled - 1);
    takt_start();
}
