/* Alternate functions of pins (datasheet, tables 12-14, and port C, D, F, which have but one). */
#include "stm32f0.h"

#define A(bit) (bit)
#define B(bit) (16 + (bit))
#define C(bit) (32 + (bit))
#define F(bit) (80 + (bit))
#define ANY    16 /* the pin has one function only */

/* Units are indices: USART1 is 0; timers as in tim.c: TIM1, 2, 3, 6, 14, 15, 16, 17. */
static const struct {
    uint8_t pin, number;
    struct function is;
} table[] = {
    {A(0), 2, {FN_TIM, 1, 0}},           {A(1), 2, {FN_TIM, 1, 1}},
    {A(2), 0, {FN_TIM, 5, 0}},           {A(2), 1, {FN_USART, 1, USART_TX}},
    {A(2), 2, {FN_TIM, 1, 2}},           {A(3), 0, {FN_TIM, 5, 1}},
    {A(3), 1, {FN_USART, 1, USART_RX}},  {A(3), 2, {FN_TIM, 1, 3}},
    {A(4), 0, {FN_SPI, 0, SPI_NSS}},     {A(4), 4, {FN_TIM, 4, 0}},
    {A(5), 0, {FN_SPI, 0, SPI_SCK}},     {A(5), 2, {FN_TIM, 1, 0}},
    {A(6), 0, {FN_SPI, 0, SPI_MISO}},    {A(6), 1, {FN_TIM, 2, 0}},
    {A(6), 5, {FN_TIM, 6, 0}},           {A(7), 0, {FN_SPI, 0, SPI_MOSI}},
    {A(7), 1, {FN_TIM, 2, 1}},           {A(7), 2, {FN_TIM_N, 0, 0}},
    {A(7), 4, {FN_TIM, 4, 0}},           {A(7), 5, {FN_TIM, 7, 0}},
    {A(8), 2, {FN_TIM, 0, 0}},           {A(9), 1, {FN_USART, 0, USART_TX}},
    {A(9), 2, {FN_TIM, 0, 1}},           {A(10), 1, {FN_USART, 0, USART_RX}},
    {A(10), 2, {FN_TIM, 0, 2}},          {A(11), 2, {FN_TIM, 0, 3}},
    {A(14), 1, {FN_USART, 1, USART_TX}}, {A(15), 0, {FN_SPI, 0, SPI_NSS}},
    {A(15), 1, {FN_USART, 1, USART_RX}}, {A(15), 2, {FN_TIM, 1, 0}},
    {B(0), 1, {FN_TIM, 2, 2}},           {B(0), 2, {FN_TIM_N, 0, 1}},
    {B(1), 0, {FN_TIM, 4, 0}},           {B(1), 1, {FN_TIM, 2, 3}},
    {B(1), 2, {FN_TIM_N, 0, 2}},         {B(3), 0, {FN_SPI, 0, SPI_SCK}},
    {B(3), 2, {FN_TIM, 1, 1}},           {B(4), 0, {FN_SPI, 0, SPI_MISO}},
    {B(4), 1, {FN_TIM, 2, 0}},           {B(5), 0, {FN_SPI, 0, SPI_MOSI}},
    {B(5), 1, {FN_TIM, 2, 1}},           {B(6), 0, {FN_USART, 0, USART_TX}},
    {B(6), 1, {FN_I2C, 0, I2C_SCL}},     {B(6), 2, {FN_TIM_N, 6, 0}},
    {B(7), 0, {FN_USART, 0, USART_RX}},  {B(7), 1, {FN_I2C, 0, I2C_SDA}},
    {B(7), 2, {FN_TIM_N, 7, 0}},         {B(8), 1, {FN_I2C, 0, I2C_SCL}},
    {B(8), 2, {FN_TIM, 6, 0}},           {B(9), 1, {FN_I2C, 0, I2C_SDA}},
    {B(9), 2, {FN_TIM, 7, 0}},           {B(10), 1, {FN_I2C, 1, I2C_SCL}},
    {B(10), 2, {FN_TIM, 1, 2}},          {B(11), 1, {FN_I2C, 1, I2C_SDA}},
    {B(11), 2, {FN_TIM, 1, 3}},          {B(12), 0, {FN_SPI, 1, SPI_NSS}},
    {B(13), 0, {FN_SPI, 1, SPI_SCK}},    {B(13), 2, {FN_TIM_N, 0, 0}},
    {B(14), 0, {FN_SPI, 1, SPI_MISO}},   {B(14), 1, {FN_TIM, 5, 0}},
    {B(14), 2, {FN_TIM_N, 0, 1}},        {B(15), 0, {FN_SPI, 1, SPI_MOSI}},
    {B(15), 1, {FN_TIM, 5, 1}},          {B(15), 2, {FN_TIM_N, 0, 2}},
    {B(15), 3, {FN_TIM_N, 5, 0}},        {C(6), ANY, {FN_TIM, 2, 0}},
    {C(7), ANY, {FN_TIM, 2, 1}},         {C(8), ANY, {FN_TIM, 2, 2}},
    {C(9), ANY, {FN_TIM, 2, 3}},         {F(6), ANY, {FN_I2C, 1, I2C_SCL}},
    {F(7), ANY, {FN_I2C, 1, I2C_SDA}},
};

struct function function_of(uint32_t pin, uint32_t number)
{
    for (unsigned k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (table[k].pin == pin && (table[k].number == number || table[k].number == ANY))
            return table[k].is;
    }
    return (struct function){FN_NONE, 0, 0};
}

static bool same(struct function a, struct function b)
{
    return a.kind == b.kind && a.unit == b.unit && a.role == b.role;
}

struct wire function_pins(const struct takt_machine *m, struct function f)
{
    struct wire found = {0, 0};
    for (unsigned k = 0; k < sizeof table / sizeof table[0]; k++) {
        uint32_t pin = table[k].pin;
        if (!same(table[k].is, f) || !same(m->f0->function[pin], f))
            continue;
        if (found.pins == 0 || found.bank == pin / 32)
            found = (struct wire){pin / 32, found.pins | 1u << pin % 32};
    }
    return found;
}

/* High when all its pins are; without pins high as well. */
bool function_level(struct takt_machine *m, struct function f)
{
    struct wire w = function_pins(m, f);
    return (m->pins[w.bank].wire & w.pins) == w.pins;
}

/* Bit 0 level, bit 1 output enable. Bits of UART and SPI words are not drawn. */
uint32_t function_output(const struct takt_machine *m, uint32_t pin, uint64_t when)
{
    struct function f = m->f0->function[pin];
    (void)when;
    switch ((enum function_kind)f.kind) {
    case FN_NONE:
        return 0;
    case FN_TIM:
    case FN_TIM_N:
        return tim_output(m, f);
    case FN_USART:
        return f.role == USART_TX ? 3 : 0;
    case FN_SPI:
        return f0_spi_output(m, f);
    case FN_I2C:
        return f0_i2c_output(m, f);
    }
    return 0;
}

void functions_wired(struct takt_machine *m)
{
    for (uint32_t bank = 0; bank < PIN_BANKS; bank++)
        m->f0->tim_pins[bank] = 0;
    for (uint32_t pin = 0; pin < PIN_MAX; pin++) {
        uint8_t kind = m->f0->function[pin].kind;
        bool tim = kind == FN_TIM || kind == FN_TIM_N;
        m->f0->tim_pins[pin / 32] |= (uint32_t)tim << pin % 32;
    }
    f0_i2c_wired(m);
}
