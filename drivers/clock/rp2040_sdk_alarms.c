/*
 * Alarms by the names of the pico's SDK: each is a function of the timer (rp2040_repeating.c) that
 * says when it wants to be called again. A number is never given twice in 2^27 alarms.
 */
#include <pico/time.h>
#include <takt/port.h>

#define ALARMS 16u
#define NONE   ((alarm_id_t)0)

static struct alarm {
    struct repeating_timer timer;
    alarm_callback_t callback;
    void *user_data;
    alarm_id_t id; /* NONE: free */
} alarms[ALARMS];

static bool ring(struct repeating_timer *timer)
{
    struct alarm *alarm = (struct alarm *)timer->user_data;
    int64_t again = alarm->callback(alarm->id, alarm->user_data);
    if (again == 0)
        alarm->id = NONE;
    else
        timer->delay_us = again;
    return again != 0;
}

/* Interrupts off. */
static struct alarm *take(void)
{
    static uint32_t given;
    for (uint32_t n = 0; n < ALARMS; n++) {
        if (alarms[n].id != NONE)
            continue;
        given = given % (INT32_MAX / ALARMS - 1u) + 1u;
        alarms[n].id = (alarm_id_t)(given * ALARMS + n);
        return &alarms[n];
    }
    return NULL;
}

alarm_id_t add_alarm_in_us(uint64_t us, alarm_callback_t callback, void *user_data,
                           bool fire_if_past)
{
    if (us == 0 && !fire_if_past)
        return 0;
    port_irq_t irq = port_irq_save();
    struct alarm *alarm = us <= INT32_MAX ? take() : NULL;
    alarm_id_t id = alarm != NULL ? alarm->id : -1;
    if (alarm != NULL) {
        alarm->callback = callback;
        alarm->user_data = user_data;
        (void)add_repeating_timer_us(us != 0 ? (int64_t)us : 1, ring, alarm, &alarm->timer);
    }
    port_irq_restore(irq);
    return id;
}

bool cancel_alarm(alarm_id_t id)
{
    port_irq_t irq = port_irq_save();
    struct alarm *alarm = &alarms[(uint32_t)id % ALARMS];
    bool was = id > 0 && alarm->id == id;
    if (was) {
        alarm->id = NONE;
        (void)cancel_repeating_timer(&alarm->timer);
    }
    port_irq_restore(irq);
    return was;
}
