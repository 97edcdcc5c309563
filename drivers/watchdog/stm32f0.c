/*
 * The independent watchdog of the STM32F0 (RM0091 23), which counts down at LSI / 4, / 8, ...,
 * / 256. LSI has 30 to 50 kHz (data sheet, LSI oscillator), and HSI, which is behind the kernel's
 * clock, may be 4 % slow: a cycle of LSI is 19 us at least. At 40 kHz the time is a third longer.
 *
 * What is written to PR and RLR is in force a few cycles of LSI later, while LSI runs. So LSI runs
 * from the reset on, and the watchdog is started when it is fed for the first time.
 */
#include "../stm32f0/start.h"
#include "chip_watchdog.h"

#define LSI_CYCLE_US 19u
#define COUNTS_MAX   4096u

enum { KEY_START = 0xCCCC, KEY_OPEN = 0x5555, KEY_FEED = 0xAAAA };

STM32F0_START_ADD(lsi, 15, STM32F0_RCC->csr, STM32F0_CSR_LSI_ON);

void chip_watchdog_start(uint32_t us)
{
    uint32_t prescaler = 0, counts = us / (4 * LSI_CYCLE_US) + 1;
    while (counts > COUNTS_MAX) {
        prescaler++;
        counts = counts / 2 + 1;
    }
    STM32F0_IWDG->kr = KEY_OPEN;
    STM32F0_IWDG->pr = prescaler;
    STM32F0_IWDG->rlr = counts - 1;
}

void chip_watchdog_feed(void)
{
    STM32F0_IWDG->kr = KEY_START;
    STM32F0_IWDG->kr = KEY_FEED;
}

bool chip_watchdog_has_reset(void)
{
    bool has = (STM32F0_RCC->csr & STM32F0_CSR_IWDG_RESET) != 0;
    STM32F0_RCC->csr |= STM32F0_CSR_FORGET;
    return has;
}
