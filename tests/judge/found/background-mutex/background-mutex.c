/* hi never touches the mutex; its ceiling is lo's place. Does hi wake while lo holds it? Pin 2 is
 * high from when hi asks for 1 ms of sleep until it goes on. */
#include <takt/gpio.h>
#include <takt/mutex.h>
#include <takt/section.h>
#include <takt/sem.h>
#include <takt/time.h>
#include <takt/vcpu.h>

static struct takt_mutex m = TAKT_MUTEX_COMPUTED(0);
static struct takt_sem go = TAKT_SEM_INIT(0);

static void hi(void *unused)
{
    (void)unused;
    (void)takt_gpio_mode(2, TAKT_GPIO_OUTPUT);
    for (;;) {
        takt_sem_wait(&go);
        (void)takt_gpio_write(2, true);
        takt_sleep(1000);
        (void)takt_gpio_write(2, false);
    }
}

static void lo(void *unused)
{
    (void)unused;
    takt_sleep(2000);
    takt_sem_signal(&go);
    (void)takt_mutex_lock(&m);
    TAKT_SECTION_US(51000);
    for (takt_time_t since = takt_now(); takt_now() - since < 50000;) {
    }
    (void)takt_mutex_unlock(&m);
    for (;;)
        takt_sleep(1000000);
}

#ifdef BUDGET
static void other(void *unused)
{
    (void)unused;
    for (;;)
        takt_sleep(500000);
}
TAKT_BUDGET_THREAD(other, 1000, 10000, other, 0, 640);
#endif
TAKT_THREAD(hi, 1, hi, 0, 640);
TAKT_THREAD(lo, 2, lo, 0, 640);

int main(void)
{
    takt_start();
}
