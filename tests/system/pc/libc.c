/*
 * The C library of a PC: text on the console, numbers, memory to the last page and back, errno of
 * each thread; and what it asks of a system that is not there.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include <takt/sem.h>
#include <takt/thread.h>

TAKT_TELLS_FATAL;

#define PIECES 64
#define PIECE  (4u << 20)

static struct takt_sem turn = TAKT_SEM_INIT(0);
long __isoc23_strtol(const char *text, char **end, int base);

/* How many pieces can be had; each is filled, looked at and given back. */
static unsigned all_memory(void)
{
    static unsigned char *pieces[PIECES];
    unsigned count = 0, spoilt = 0;
    errno = 0;
    while (count < PIECES && (pieces[count] = malloc(PIECE - count)) != NULL)
        memset(pieces[count], (int)count + 1, 1000), count++;
    printf("errno %d\n", errno == ENOMEM);
    for (unsigned n = 0; n < count; n++) {
        for (unsigned i = 0; i < 1000; i++)
            spoilt += pieces[n][i] != n + 1;
        free(pieces[n]);
    }
    return spoilt ? 0 : count;
}

static void first(void *arg)
{
    struct tm day = {.tm_year = 100, .tm_mday = 1, .tm_wday = 6};
    char text[32];
    (void)arg;
    errno = 77;
    unsigned once = all_memory(), again = all_memory();
    printf("memory %d\n", once > 10 && once < PIECES && once == again);
    char *zeroes = calloc(3, 4096), *more = realloc(zeroes, 5 * 4096);
    printf("calloc %d\n", more != NULL && more[0] == 0 && more[3 * 4096 - 1] == 0);
    free(more);
    strftime(text, sizeof text, "%A %Y", &day);
    printf("%.6f %Lg %g %ls %s\n", exp(1), sqrtl(2), strtod("-1e300", NULL), L"wide", text);
    FILE *file = fopen("file", "r");
    printf("file %d %s\n", file == NULL, strerror(errno));
    printf("C23 %ld\n", __isoc23_strtol("0b101", NULL, 0)); /* as C11 has it */
    errno = 78;
    takt_sem_signal(&turn);
}

static void second(void *arg)
{
    (void)arg;
    errno = 5;
    takt_sem_wait(&turn);
    fprintf(stderr, "errno of its own %d\n", errno);
    exit(0);
}

TAKT_THREAD(first, 1, first, 0, 8192)
TAKT_THREAD(second, 2, second, 0, 8192)

int main(void)
{
    takt_start();
}
