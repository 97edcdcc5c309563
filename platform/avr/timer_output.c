/* Outputs of the timers: compare outputs on pins, PWM as seen from outside. */
#include "avr.h"

/* The level PWM gives at the present count. */
bool timer_output(const struct takt_machine *m, const struct timer *t, unsigned n, unsigned k)
{
    uint16_t ocr = t->ocr[k];
    bool high = t->count <= ocr;
    if (timer_is_dual(m, n))
        high = ocr != 0 && (ocr >= timer_top(m, t, n) || (t->down ? t->count < ocr : high));
    unsigned com = timer_com(m, n, k);
    return com == 1 ? t->out[k] : high != (com == 3);
}

/* Toggling under PWM is for channel A and modes that count to OCRA only. */
static bool connected(const struct takt_machine *m, unsigned n, unsigned k)
{
    unsigned com = timer_com(m, n, k);
    if (com != 1 || !timer_is_pwm(m, n))
        return com != 0;
    unsigned wgm = timer_wgm(m, n);
    return k == 0 && (n == 1 ? wgm == 9 || wgm == 11 || wgm == 14 || wgm == 15 : wgm >= 5);
}

bool timer_drives(const struct takt_machine *m, unsigned n, unsigned k)
{
    return m->mega->chip->oc[n][k] != NO_PIN && connected(m, n, k);
}

/* An output that toggles whenever the counter is at its top: a square wave. */
static bool is_square(const struct takt_machine *m, unsigned n, unsigned k)
{
    return timer_com(m, n, k) == 1 && !timer_is_pwm(m, n);
}

int32_t timer_pin_pwm(struct takt_machine *m, uint32_t pin, double *frequency, double *duty)
{
    for (unsigned n = 0; n < TIMERS; n++) {
        const struct timer *t = &m->mega->timer[n];
        for (unsigned k = 0; k < 2; k++) {
            bool here = m->mega->chip->oc[n][k] == pin, square = is_square(m, n, k);
            bool pwm = timer_com(m, n, k) >= 2 && timer_is_pwm(m, n);
            if (!here || t->div == 0 || !(pwm || square) || (m->pins[0].driven >> pin & 1) == 0)
                continue;
            if (square) {
                *frequency = m->chip->hz(m) / (2.0 * (timer_top(m, t, n) + 1.0) * t->div);
                *duty = 0.5;
                return 1;
            }
            double top = timer_top(m, t, n), high = t->written[k], length = top;
            if (!timer_is_dual(m, n)) {
                length = top + 1;
                high++;
            }
            high = high > length ? length : high;
            double cycles = length * t->div * (timer_is_dual(m, n) ? 2 : 1);
            *frequency = m->chip->hz(m) / cycles;
            *duty = timer_com(m, n, k) == 3 ? 1 - high / length : high / length;
            return 1;
        }
    }
    return 0;
}
