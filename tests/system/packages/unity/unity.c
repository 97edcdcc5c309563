#include "unity.h"

static const char *file;
static int tests, failures, failed_at;
static long wanted, got;

static void text(const char *s)
{
    while (*s != '\0') {
        UNITY_OUTPUT_CHAR((unsigned)*s++);
    }
}

static void number(long value)
{
    char digits[12];
    int count = 0;
    unsigned long rest = value < 0 ? 0ul - (unsigned long)value : (unsigned long)value;
    if (value < 0) {
        text("-");
    }
    do {
        digits[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    while (count > 0) {
        UNITY_OUTPUT_CHAR((unsigned)digits[--count]);
    }
}

void unity_begin(const char *name)
{
    UNITY_OUTPUT_START();
    file = name;
    tests = failures = 0;
}

void unity_equal(long expected, long actual, int line)
{
    if (failed_at == 0 && expected != actual) {
        failed_at = line;
        wanted = expected;
        got = actual;
    }
}

void unity_run(void (*test)(void), const char *name, int line)
{
    failed_at = 0;
    setUp();
    test();
    tearDown();
    tests++;
    failures += failed_at != 0;
    text(file);
    text(":");
    number(failed_at != 0 ? failed_at : line);
    text(":");
    text(name);
    text(failed_at != 0 ? ":FAIL: Expected " : ":PASS");
    if (failed_at != 0) {
        number(wanted);
        text(" Was ");
        number(got);
    }
    text("\n");
}

int unity_end(void)
{
    text("\n-----------------------\n");
    number(tests);
    text(" Tests ");
    number(failures);
    text(" Failures 0 Ignored \n");
    text(failures != 0 ? "FAIL\n" : "OK\n");
    UNITY_OUTPUT_FLUSH();
    UNITY_OUTPUT_COMPLETE();
    return failures;
}
