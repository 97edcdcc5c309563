// What tests of PlatformIO call here: the lines are those of ThrowTheSwitch's Unity, which is not at
// hand without a network, and go where its unity_config.h says.
#ifndef UNITY_H
#define UNITY_H

#ifdef UNITY_INCLUDE_CONFIG_H
#include "unity_config.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

void unity_begin(const char *file);
int unity_end(void);
void unity_run(void (*test)(void), const char *name, int line);
void unity_equal(long expected, long actual, int line);
void setUp(void);
void tearDown(void);

#ifdef __cplusplus
}
#endif

#define UNITY_BEGIN() unity_begin(__FILE__)
#define UNITY_END() unity_end()
#define RUN_TEST(test) unity_run(test, #test, __LINE__)
#define TEST_ASSERT_EQUAL(expected, actual) unity_equal((expected), (actual), __LINE__)

#endif
