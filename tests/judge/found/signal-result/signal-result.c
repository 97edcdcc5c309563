/* What takt_sem_signal() returns when it wakes a less urgent thread. */
#include <takt/console.h>
#include <takt/sem.h>
#include <takt/thread.h>
#include <takt/time.h>

static struct takt_sem s = TAKT_SEM_INIT(0);

static void hi(void *unused)
{
    (void)unused;
    for (;;) {
        takt_sleep(100000);
        const char *t = takt_sem_signal(&s) == TAKT_OK ? "ok\n" : "signal failed\n";
        while (*t)
            board_console_put(*t++);
    }
}

static void lo(void *unused)
{
    (void)unused;
    for (;;)
        takt_sem_wait(&s);
}

TAKT_THREAD(hi, 1, hi, 0, 640);
TAKT_THREAD(lo, 2, lo, 0, 640);

int main(void)
{
    takt_start();
}
