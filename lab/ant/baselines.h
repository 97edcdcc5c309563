/*
 * What Takt's releases are compared with, each as short as it can be written: the paper's two and
 * the best of those that were tried (docs/decisions.md has all).
 */
#ifndef TAKT_LAB_ANT_BASELINES_H
#define TAKT_LAB_ANT_BASELINES_H

/* Lists of tasks through an array. */
static inline void push(task_t *next_of, task_t *head, uint32_t i)
{
    next_of[i + 1] = *head;
    *head = (task_t)(i + 1);
}

/* ART-Linux: waiting tasks in order of time, each with its distance from the one before. */
static struct {
    task_t head, *next;
    uint32_t *distance, *due;
} queue;

static void queue_insert(uint32_t i, uint32_t after)
{
    task_t *link = &queue.head;
    while (*link && queue.distance[*link] <= after) {
        after -= queue.distance[*link];
        link = &queue.next[*link];
    }
    if (*link)
        queue.distance[*link] -= after;
    queue.next[i + 1] = *link;
    queue.distance[i + 1] = after;
    *link = (task_t)(i + 1);
}

static bool queue_init(const struct workload *l)
{
    size_t n = l->n + 1;
    queue.next = take(n * sizeof *queue.next);
    queue.distance = take(n * sizeof *queue.distance);
    queue.due = take(n * sizeof *queue.due);
    queue.head = 0;
    if (!queue.next || !queue.distance || !queue.due)
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
        queue.head = queue.next[queue.head];
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
    task_t *slot[3], *next;
    uint32_t *due;
} levels;

static void levels_insert(uint32_t i)
{
    uint32_t due = levels.due[i], ahead = due - now;
    uint32_t level = ahead < 32 ? 0 : ahead < 1024 ? 1 : 2;
    push(levels.next, &levels.slot[level][due >> 5 * level & 31], i);
}

static bool levels_init(const struct workload *l)
{
    levels.next = take((l->n + 1) * sizeof *levels.next);
    levels.due = take(l->n * sizeof *levels.due);
    for (int k = 0; k < 3; k++)
        if (!(levels.slot[k] = take(32 * sizeof(task_t))))
            return false;
    if (!levels.next || !levels.due)
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
        task_t after = levels.next[i];
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
    for (task_t i = *slot; i; i = levels.next[i]) {
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

/* Periodic wheel: one circle as long as the longest period; who is released moves on in it by its
 * period. */
static struct {
    uint32_t size, at;
    task_t *slots, *next;
} wheel;

static bool wheel_make(uint32_t entries)
{
    wheel.size = 1;
    for (uint32_t i = 0; i < load->n; i++)
        wheel.size = load->period[i] > wheel.size ? load->period[i] : wheel.size;
    wheel.at = wheel.size - 1;
    wheel.slots = take(wheel.size * sizeof *wheel.slots);
    wheel.next = take((entries + 1) * sizeof *wheel.next);
    return wheel.slots && wheel.next;
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
    task_t after = wheel.next[i];
    push(wheel.next, &wheel.slots[to >= wheel.size ? to - wheel.size : to], i - 1u);
    return after;
}

static bool wheel_init(const struct workload *l)
{
    if (!wheel_make(l->n))
        return false;
    for (uint32_t i = l->n; i-- > 0;)
        push(wheel.next, &wheel.slots[l->first[i]], i);
    return true;
}

static void wheel_tick(void)
{
    for (task_t i = wheel_turn(); i;) {
        set_add(i - 1u);
        i = wheel_move(i, load->period[i - 1]);
    }
}

/* Bitmap rows: per distinct period a circle of sets, one for each tick. */
static struct circle {
    uint32_t period, at;
    takt_set_t *rows;
} *circles;
static uint32_t circle_count;

static struct circle *circle_of(uint32_t period)
{
    uint32_t k = 0;
    while (k < circle_count && circles[k].period != period)
        k++;
    return &circles[k];
}

static bool rows_init(const struct workload *l)
{
    circle_count = 0;
    if (!(circles = take(l->n * sizeof *circles)))
        return false;
    for (uint32_t i = 0; i < l->n; i++) {
        struct circle *c = circle_of(l->period[i]);
        if (c == &circles[circle_count]) {
            circle_count++;
            *c = (struct circle){l->period[i], l->period[i] - 1, NULL};
            if (!(c->rows = take(c->period * sizeof *c->rows)))
                return false;
        }
        takt_set_t own = takt_set_of((PLACE)i);
        takt_set_join(&c->rows[l->first[i]], &own);
    }
    return true;
}

static void rows_tick(void)
{
    for (struct circle *c = circles; c < circles + circle_count; c++) {
        c->at = c->at + 1 == c->period ? 0 : c->at + 1;
        takt_set_join(&ready, &c->rows[c->at]);
    }
}

#endif
