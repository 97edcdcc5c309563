/*
 * The release structures that were compared, each as short as it can be written: who is released at a
 * tick, and what waiting for the next release takes. All put tasks into the same set of ready tasks,
 * a set of words with a summary above it, and all are given the same first releases.
 *
 * Included by bench.c (host) and board/board.c (stm32f051), which define WORD, BITS, TASKS, ARENA.
 */
#ifndef TAKT_LAB_ANT_STRUCTURES_H
#define TAKT_LAB_ANT_STRUCTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint16_t task_t; /* 1.. where 0 is none */

#define LEAVES  ((TASKS + BITS - 1) / BITS)
#define SUMMARY (LEAVES > 1 ? (LEAVES + BITS - 1) / BITS : 0)
#define WORDS   (SUMMARY + LEAVES)

struct workload {
    uint32_t n;
    uint32_t period[TASKS]; /* ticks */
    uint32_t first[TASKS];  /* release, below the period */
};

struct structure {
    const char *name;
    bool (*init)(const struct workload *load);
    void (*tick)(void);        /* one tick passes: who is due becomes ready */
    void (*wait)(uint32_t i);  /* task i, ready, waits for its next release */
};

static WORD ready[WORDS];
static const struct workload *load;
static uint32_t now;

#define SAMPLES_LCM(i)    ((const uint16_t[]){2,  4,  5,   8,   10,  20,  25, 40,                  \
                                              50, 100, 125, 200, 250, 500, 1000}[(i) % 15])
#define SAMPLES_PRIMES(i) ((const uint16_t[]){7, 11, 13, 17, 19, 23, 29, 31, 37, 41}[(i) % 10])

static struct workload given;

/* N tasks of one period, all released at the same tick. */
static void all_at_once(uint32_t n, uint32_t period)
{
    given.n = n;
    for (uint32_t i = 0; i < n; i++) {
        given.period[i] = period;
        given.first[i] = 0;
    }
}

/* N tasks with periods of a set, 'l'cm 1000, 'p'rimes or 'r'andom, first releases spread over them. */
static void mixture(uint32_t n, char set)
{
    uint32_t seed = 1;
    given.n = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before_me = 0;
        seed = seed * 1103515245 + 12345;
        uint32_t p = given.period[i] = set == 'l'   ? SAMPLES_LCM(i)
                                       : set == 'p' ? SAMPLES_PRIMES(i)
                                                    : 10 + (seed >> 8) % 991;
        for (uint32_t j = 0; j < i; j++)
            before_me += given.period[j] == p;
        given.first[i] = (before_me * (p - p / 3 - p / 21) + i) % p;
    }
}

/* Storage of one structure at a time. */
static char arena[ARENA] __attribute__((aligned(64)));
static size_t taken;

static void *take(size_t bytes)
{
    size_t at = taken;
    bytes = (bytes + sizeof(WORD) - 1) & ~(sizeof(WORD) - 1);
    if (bytes > ARENA || at + bytes > ARENA)
        return NULL;
    taken += bytes;
    memset(arena + at, 0, bytes);
    return arena + at;
}

static inline void set_add(uint32_t i)
{
    ready[SUMMARY + i / BITS] |= (WORD)1 << i % BITS;
    if (SUMMARY)
        ready[i / BITS / BITS] |= (WORD)1 << i / BITS % BITS;
}

static inline void set_remove(uint32_t i)
{
    WORD rest = ready[SUMMARY + i / BITS] &= ~((WORD)1 << i % BITS);
    if (SUMMARY && rest == 0)
        ready[i / BITS / BITS] &= ~((WORD)1 << i / BITS % BITS);
}

/* Waiting, for all that leave the release entry where it is (AnT, section 3.1). */
static void leave_ready(uint32_t i)
{
    set_remove(i);
}

/* Periods that occur, and per period a circle of instants: for rings and rows. */
struct circle {
    uint32_t period, at;
    void *slots;
};
static struct circle *circles;
static uint32_t circle_count;

static bool make_circles(size_t slot_bytes)
{
    circle_count = 0;
    circles = take(0);
    for (uint32_t i = 0; i < load->n; i++) {
        uint32_t k = 0;
        while (k < circle_count && circles[k].period != load->period[i])
            k++;
        if (k < circle_count)
            continue;
        struct circle *c = take(sizeof *c);
        if (!c)
            return false;
        *c = (struct circle){load->period[i], load->period[i] - 1, NULL};
        circle_count++;
    }
    for (uint32_t k = 0; k < circle_count; k++)
        if (!(circles[k].slots = take(slot_bytes * circles[k].period)))
            return false;
    return true;
}

static struct circle *circle_of(uint32_t period)
{
    uint32_t k = 0;
    while (circles[k].period != period)
        k++;
    return &circles[k];
}

static inline uint32_t turn(struct circle *c)
{
    c->at = c->at + 1 == c->period ? 0 : c->at + 1;
    return c->at;
}

/* Lists of tasks through one array. */
static task_t *next_of;

static inline void push(task_t *head, uint32_t i)
{
    next_of[i + 1] = *head;
    *head = (task_t)(i + 1);
}

/* ART-Linux: waiting tasks in order of time, each with its distance from the one before. */
static struct {
    task_t head;
    uint32_t *distance, *due;
} queue;

static void queue_insert(uint32_t i, uint32_t after)
{
    task_t *link = &queue.head;
    while (*link && queue.distance[*link] <= after) {
        after -= queue.distance[*link];
        link = &next_of[*link];
    }
    if (*link)
        queue.distance[*link] -= after;
    next_of[i + 1] = *link;
    queue.distance[i + 1] = after;
    *link = (task_t)(i + 1);
}

static bool queue_init(const struct workload *l)
{
    size_t n = l->n + 1;
    next_of = take(n * sizeof *next_of);
    queue.distance = take(n * sizeof *queue.distance);
    queue.due = take(n * sizeof *queue.due);
    queue.head = 0;
    if (!next_of || !queue.distance || !queue.due)
        return false;
    for (uint32_t i = l->n; i-- > 0;) {
        queue.due[i] = l->first[i];
        queue_insert(i, l->first[i] + 1);
    }
    return true;
}

static void queue_tick(void)
{
    if (queue.head)
        queue.distance[queue.head]--;
    while (queue.head && queue.distance[queue.head] == 0) {
        uint32_t i = queue.head - 1u;
        queue.head = next_of[queue.head];
        set_add(i);
        queue.due[i] += load->period[i];
    }
}

static void queue_wait(uint32_t i)
{
    set_remove(i);
    queue_insert(i, queue.due[i] - now);
}

/* AnT: an entry per tick of the least common multiple, with a list of release elements. */
struct element {
    struct element *next;
    uint32_t task;
};
static struct {
    uint32_t entries, at;
    struct element **table;
} ant;

static uint32_t divisor(uint32_t a, uint32_t b)
{
    return b ? divisor(b, a % b) : a;
}

static bool ant_init(const struct workload *l)
{
    uint64_t all = 1;
    for (uint32_t i = 0; i < l->n && all < ARENA; i++)
        all = all / divisor((uint32_t)all, l->period[i]) * l->period[i];
    if (all >= ARENA || !(ant.table = take((size_t)all * sizeof *ant.table)))
        return false;
    ant.entries = (uint32_t)all;
    ant.at = ant.entries - 1;
    for (uint32_t t = 0; t < ant.entries; t++) /* elements of an entry side by side (Figure 7) */
        for (uint32_t i = l->n; i-- > 0;) {
            if (t % l->period[i] != l->first[i])
                continue;
            struct element *e = take(sizeof *e);
            if (!e)
                return false;
            *e = (struct element){ant.table[t], i};
            ant.table[t] = e;
        }
    return true;
}

static void ant_tick(void)
{
    ant.at = ant.at + 1 == ant.entries ? 0 : ant.at + 1;
    for (const struct element *e = ant.table[ant.at]; e; e = e->next)
        set_add(e->task);
}

/* Hierarchical wheel (Varghese and Lauck 1987), three levels of 32. */
static struct {
    task_t *slot[3];
    uint32_t *due;
} levels;

static void levels_insert(uint32_t i)
{
    uint32_t due = levels.due[i], ahead = due - now;
    uint32_t level = ahead < 32 ? 0 : ahead < 1024 ? 1 : 2;
    push(&levels.slot[level][due >> 5 * level & 31], i);
}

static bool levels_init(const struct workload *l)
{
    next_of = take((l->n + 1) * sizeof *next_of);
    levels.due = take(l->n * sizeof *levels.due);
    for (int k = 0; k < 3; k++)
        if (!(levels.slot[k] = take(32 * sizeof(task_t))))
            return false;
    if (!next_of || !levels.due)
        return false;
    for (uint32_t i = l->n; i-- > 0;) {
        levels.due[i] = l->first[i];
        levels_insert(i);
    }
    return true;
}

static void levels_cascade(uint32_t level)
{
    task_t *slot = &levels.slot[level][now >> 5 * level & 31], i = *slot;
    *slot = 0;
    while (i) {
        task_t after = next_of[i];
        levels_insert(i - 1u);
        i = after;
    }
}

static void levels_tick(void)
{
    if ((now & 1023) == 0)
        levels_cascade(2);
    if ((now & 31) == 0)
        levels_cascade(1);
    task_t *slot = &levels.slot[0][now & 31];
    for (task_t i = *slot; i; i = next_of[i]) {
        set_add(i - 1u);
        levels.due[i - 1] += load->period[i - 1];
    }
    *slot = 0;
}

static void levels_wait(uint32_t i)
{
    set_remove(i);
    levels_insert(i);
}

/* Binary heap of due times. */
static struct {
    uint32_t count, *due;
    task_t *at; /* 1..count */
} heap;

static void heap_push(uint32_t i)
{
    uint32_t k = ++heap.count;
    for (; k > 1 && heap.due[heap.at[k / 2]] > heap.due[i]; k /= 2)
        heap.at[k] = heap.at[k / 2];
    heap.at[k] = (task_t)i;
}

static void heap_pop(void)
{
    task_t last = heap.at[heap.count--];
    uint32_t k = 1, child;
    for (; (child = 2 * k) <= heap.count; k = child) {
        if (child < heap.count && heap.due[heap.at[child + 1]] < heap.due[heap.at[child]])
            child++;
        if (heap.due[last] <= heap.due[heap.at[child]])
            break;
        heap.at[k] = heap.at[child];
    }
    heap.at[k] = last;
}

static bool heap_init(const struct workload *l)
{
    heap.count = 0;
    heap.at = take((l->n + 2) * sizeof *heap.at);
    heap.due = take(l->n * sizeof *heap.due);
    if (!heap.at || !heap.due)
        return false;
    for (uint32_t i = 0; i < l->n; i++) {
        heap.due[i] = l->first[i];
        heap_push(i);
    }
    return true;
}

static void heap_tick(void)
{
    while (heap.count && heap.due[heap.at[1]] <= now) {
        uint32_t i = heap.at[1];
        heap_pop();
        set_add(i);
        heap.due[i] += load->period[i];
    }
}

static void heap_wait(uint32_t i)
{
    set_remove(i);
    heap_push(i);
}

/* Period rings: per distinct period a circle of lists. */
static bool rings_init(const struct workload *l)
{
    if (!make_circles(sizeof(task_t)) || !(next_of = take((l->n + 1) * sizeof *next_of)))
        return false;
    for (uint32_t i = l->n; i-- > 0;)
        push(&((task_t *)circle_of(l->period[i])->slots)[l->first[i]], i);
    return true;
}

static void rings_tick(void)
{
    for (struct circle *c = circles; c < circles + circle_count; c++) {
        const task_t *slots = c->slots;
        for (task_t i = slots[turn(c)]; i; i = next_of[i])
            set_add(i - 1u);
    }
}

/* Bitmap rows: per distinct period a circle of sets. */
static uint32_t row_words;

static void row_add(WORD *row, uint32_t i)
{
    row[SUMMARY + i / BITS] |= (WORD)1 << i % BITS;
    if (SUMMARY)
        row[i / BITS / BITS] |= (WORD)1 << i / BITS % BITS;
}

static bool rows_init(const struct workload *l)
{
    row_words = SUMMARY + (l->n + BITS - 1) / BITS;
    if (!make_circles(row_words * sizeof(WORD)))
        return false;
    for (uint32_t i = 0; i < l->n; i++)
        row_add((WORD *)circle_of(l->period[i])->slots + l->first[i] * row_words, i);
    return true;
}

static void rows_tick(void)
{
    for (struct circle *c = circles; c < circles + circle_count; c++) {
        const WORD *row = (const WORD *)c->slots + turn(c) * row_words;
        for (uint32_t k = 0; k < row_words; k++)
            ready[k] |= row[k];
    }
}

/* Periodic wheel: one circle as long as the longest period; who is released moves on in it by its
 * period. */
static struct {
    uint32_t size, at;
    task_t *slots;
} wheel;

static bool wheel_make(uint32_t entries)
{
    wheel.size = 1;
    for (uint32_t i = 0; i < load->n; i++)
        wheel.size = load->period[i] > wheel.size ? load->period[i] : wheel.size;
    wheel.at = wheel.size - 1;
    wheel.slots = take(wheel.size * sizeof *wheel.slots);
    next_of = take((entries + 1) * sizeof *next_of);
    return wheel.slots && next_of;
}

static inline task_t wheel_turn(void)
{
    wheel.at = wheel.at + 1 == wheel.size ? 0 : wheel.at + 1;
    task_t first = wheel.slots[wheel.at];
    wheel.slots[wheel.at] = 0;
    return first;
}

static inline task_t wheel_move(task_t i, uint32_t period)
{
    uint32_t to = wheel.at + period;
    task_t after = next_of[i];
    push(&wheel.slots[to >= wheel.size ? to - wheel.size : to], i - 1u);
    return after;
}

static bool wheel_init(const struct workload *l)
{
    if (!wheel_make(l->n))
        return false;
    for (uint32_t i = l->n; i-- > 0;)
        push(&wheel.slots[l->first[i]], i);
    return true;
}

static void wheel_tick(void)
{
    for (task_t i = wheel_turn(); i;) {
        set_add(i - 1u);
        i = wheel_move(i, load->period[i - 1]);
    }
}

/* Wheel of sets: the same, but what moves is all that have a period and an instant in common, as a
 * run of words: bitmap speed where many are released together, a few instructions where one is. */
struct group {
    uint32_t period;
    uint16_t first, words;
    WORD one;                    /* of a group of one word: this, and where its summary is */
    WORD *summary_word, summary;
    WORD *mask; /* of others */
};
static struct group *groups;
static uint32_t group_count;

static struct group *group_at(uint32_t period, uint32_t first, const uint32_t *firsts)
{
    for (uint32_t g = 0; g < group_count; g++)
        if (groups[g].period == period && firsts[g] == first)
            return &groups[g];
    return NULL;
}

static bool sets_init(const struct workload *l)
{
    static uint32_t firsts[TASKS];
    group_count = 0;
    groups = take(l->n * sizeof *groups);
    if (!groups || !wheel_make(l->n))
        return false;
    for (uint32_t i = 0; i < l->n; i++) { /* in order of tasks: the last is the last word */
        struct group *g = group_at(l->period[i], l->first[i], firsts);
        if (!g) {
            firsts[group_count] = l->first[i];
            g = &groups[group_count++];
            *g = (struct group){l->period[i], (uint16_t)(SUMMARY + i / BITS), 0, 0, ready, 0, NULL};
        }
        g->words = (uint16_t)(SUMMARY + i / BITS - g->first + 1);
    }
    for (uint32_t k = 0; k < group_count; k++) {
        struct group *g = &groups[k];
        if (SUMMARY && g->words > 1) { /* the summary lies before the words: one run */
            g->words = (uint16_t)(g->words + g->first);
            g->first = 0;
        }
        g->mask = &g->one;
        if (g->words > 1 && !(g->mask = take(g->words * sizeof(WORD))))
            return false;
        push(&wheel.slots[firsts[k]], k);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        struct group *g = group_at(l->period[i], l->first[i], firsts);
        g->mask[SUMMARY + i / BITS - g->first] |= (WORD)1 << i % BITS;
        if (SUMMARY && g->words > 1) {
            g->mask[i / BITS / BITS] |= (WORD)1 << i / BITS % BITS;
        } else if (SUMMARY) {
            g->summary_word = &ready[i / BITS / BITS];
            g->summary = (WORD)1 << i / BITS % BITS;
        }
    }
    return true;
}

static void sets_tick(void)
{
    for (task_t i = wheel_turn(); i;) {
        const struct group *g = &groups[i - 1];
        WORD *to = &ready[g->first];
        if (g->words == 1) {
            *to |= g->one;
            if (SUMMARY)
                *g->summary_word |= g->summary;
        } else {
            const WORD *mask = g->mask;
            for (uint32_t k = 0; k < g->words; k++)
                to[k] |= mask[k];
        }
        i = wheel_move(i, g->period);
    }
}

/* The kernel's: rings of sets, of up to 32 tasks (kernel/releases.c). Dates in ticks. Where it says
 * that nothing is due, no alarm rings. */
#include "../../kernel/releases.h"

static struct takt_release_ring *kernel_rings;
static takt_time_t kernel_alarm;

static bool kernel_init(const struct workload *l)
{
    struct takt_release_ring *ring = take(l->n * sizeof *ring);
    struct takt_slot *slot = take(l->n * sizeof *slot);
    kernel_rings = NULL;
    kernel_alarm = 0;
    if (l->n > 32 || !ring || !slot)
        return false;
    for (uint32_t i = 0; i < l->n; i++)
        takt_rings_add(&kernel_rings, ring + i, slot + i, (takt_set_t)1 << i, l->first[i],
                       l->period[i]);
    return true;
}

static void kernel_tick(void)
{
    takt_set_t who = 0;
    if (now != kernel_alarm)
        return;
    kernel_alarm = takt_rings_take(&kernel_rings, now, &who);
    ready[SUMMARY] |= who;
    if (SUMMARY)
        ready[0] |= ready[SUMMARY] != 0;
}

static const struct structure structures[] = {
    {"art-linux-queue", queue_init, queue_tick, queue_wait},
    {"ant-table", ant_init, ant_tick, leave_ready},
    {"hierarchical-wheel", levels_init, levels_tick, levels_wait},
    {"binary-heap", heap_init, heap_tick, heap_wait},
    {"period-rings", rings_init, rings_tick, leave_ready},
    {"bitmap-rows", rows_init, rows_tick, leave_ready},
    {"periodic-wheel", wheel_init, wheel_tick, leave_ready},
    {"takt-sets", sets_init, sets_tick, leave_ready},
    {"takt-kernel", kernel_init, kernel_tick, leave_ready},
};
#define STRUCTURES (sizeof structures / sizeof structures[0])

/* Sets a structure up; false: not for this workload, or it does not fit. */
static bool start(const struct structure *s, const struct workload *l)
{
    memset(ready, 0, sizeof ready);
    taken = 0;
    now = 0;
    load = l;
    return s->init(l);
}

/* The most urgent ready task, or UINT32_MAX. */
static inline uint32_t first_ready(void)
{
    if (!SUMMARY)
        return ready[0] ? FIRST_BIT(ready[0]) : UINT32_MAX;
    for (uint32_t s = 0; s < SUMMARY; s++) {
        if (!ready[s])
            continue;
        uint32_t leaf = s * BITS + FIRST_BIT(ready[s]);
        return leaf * BITS + FIRST_BIT(ready[SUMMARY + leaf]);
    }
    return UINT32_MAX;
}

#endif
