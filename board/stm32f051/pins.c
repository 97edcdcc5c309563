/*
 * The board's pins, as [pins] and [chip_pins] in board.toml say (a test compares them).
 */
#include "../../drivers/gpio/stm32f0_pins.h"

const uint8_t stm32f0_pins[] = {
    STM32F0_PIN('A', 10), STM32F0_PIN('A', 9),  STM32F0_PIN('A', 8),  STM32F0_PIN('B', 1),
    STM32F0_PIN('A', 2),  STM32F0_PIN('A', 3),  STM32F0_PIN('B', 0),  STM32F0_PIN('A', 12),
    STM32F0_PIN('A', 15), STM32F0_PIN('A', 11), STM32F0_PIN('A', 4),  STM32F0_PIN('A', 7),
    STM32F0_PIN('A', 6),  STM32F0_PIN('A', 5),  STM32F0_PIN('C', 0),  STM32F0_PIN('C', 1),
    STM32F0_PIN('C', 2),  STM32F0_PIN('C', 3),  STM32F0_PIN('C', 4),  STM32F0_PIN('C', 5),
    STM32F0_PIN('B', 7),  STM32F0_PIN('B', 6),  STM32F0_PIN('B', 11), STM32F0_PIN('B', 10),
    STM32F0_PIN('B', 14), STM32F0_PIN('B', 13), STM32F0_PIN('B', 15), STM32F0_PIN('B', 12),
    STM32F0_PIN('A', 0),  STM32F0_PIN('A', 1),  STM32F0_PIN('C', 8),  STM32F0_PIN('C', 9),
};

const uint8_t stm32f0_pin_count = sizeof stm32f0_pins;
