/*
 * A PCI device that QEMU has for those who learn (edu): found, its registers read, its interrupt
 * (MSI) taken. Says which line was wrong, or how often the interrupt has come. Then registers that
 * lie where firmware puts them on CPUs with many address lines (the bridge's, moved there).
 */
#include <pci/pci.h>
#include <takt/console.h>
#include <takt/isr.h>
#include <takt/sem.h>
#include <takt/thread.h>
#include <takt/time.h>

TAKT_TELLS_FATAL;

#define CLASS     0x00FF00u
#define EDU       0x11E81234u
#define ID        0x010000EDu
#define AT_STATUS 9 /* registers, in words */
#define AT_RAISE  24
#define AT_DONE   25
#define TIMES     20u

#define CLASS_XHCI 0x0C0330u
#define REGION     0x10 /* the register with where its memory is, and the upper half behind it */
#define FLAGS      0xFu

static struct pci_function edu;
static struct pci_interrupt interrupt;
static struct takt_sem came = TAKT_SEM_INIT(0);
static volatile uint32_t *registers, seen;
static int vector;

static void put(const char *text)
{
    while (*text)
        board_console_put(*text++);
}

static void put_number(uint32_t n)
{
    if (n >= 10)
        put_number(n / 10);
    board_console_put((char)('0' + n % 10));
}

#define NEED(condition)                                                                            \
    if (!(condition)) {                                                                            \
        put("line ");                                                                              \
        put_number(__LINE__);                                                                      \
        put(" end\r\n");                                                                           \
        takt_thread_exit();                                                                        \
    }

static void raised(void *arg)
{
    takt_isr_enter();
    seen = registers[AT_STATUS];
    registers[AT_DONE] = seen;
    if (arg == &edu)
        takt_sem_signal_isr(&came);
    takt_isr_exit((uint8_t)vector);
}

/* Does a controller answer there as it did? It has regions of 64 bits. */
static bool answers_at(struct pci_function f, uint64_t to, uint32_t expected)
{
    pci_enable(f, false);
    pci_write(f, REGION, (uint32_t)to | (pci_read(f, REGION) & FLAGS));
    pci_write(f, REGION + 4, (uint32_t)(to >> 32));
    pci_enable(f, true);
    volatile uint32_t *at = (volatile uint32_t *)(uintptr_t)pci_memory(f, 0);
    return (uintptr_t)at == to && *at == expected;
}

static void move_registers(void)
{
    struct pci_function f;
    NEED(pci_find(CLASS_XHCI, 0, &f));
    pci_enable(f, true);
    uint32_t head = *(volatile uint32_t *)(uintptr_t)pci_memory(f, 0);
    NEED((head & 0xFFu) >= 0x20);
    NEED(answers_at(f, 0x2000000000u, head));  /* 128 GB */
    NEED(answers_at(f, 0x8000000000u, head));  /* 512 GB */
    NEED(answers_at(f, 0xFFFFE00000u, head));  /* the last that 40 address lines reach */
    NEED(answers_at(f, 0xC0FFE04000u, head));  /* in the middle of a page */
    pci_enable(f, false);
    pci_write(f, REGION + 4, 0x40000000u); /* 2^62 */
    NEED(pci_memory(f, 0) == 0);
}

static void thread(void *arg)
{
    struct pci_function none;
    (void)arg;
    NEED(pci_find(CLASS, 0, &edu) && !pci_find(CLASS, 1, &none) && !pci_find(0xABCDEF, 0, &none));
    NEED(pci_id(edu) == EDU && pci_capability(edu, 5) != 0 && pci_capability(edu, 0x11) == 0);
    registers = (volatile uint32_t *)(uintptr_t)pci_memory(edu, 0);
    NEED(registers && pci_memory(edu, 6) == 0);
    pci_enable(edu, true);
    NEED(registers[0] == ID);
    NEED(pci_interrupt_open(&interrupt, edu, 1, 0, raised, &edu) == TAKT_EINVAL);
    NEED(pci_interrupt_open(&interrupt, edu, 0, 99, raised, &edu) == TAKT_EINVAL);
    vector = pci_interrupt_open(&interrupt, edu, 0, 0, raised, &edu);
    NEED(vector > 0);
    for (uint32_t n = 1; n <= TIMES; n++) {
        registers[AT_RAISE] = n;
        NEED(takt_sem_wait_for(&came, 1000000) == TAKT_OK && seen == n);
    }
    move_registers();
    put("interrupts ");
    put_number(TIMES);
    put(" end\r\n");
}

TAKT_THREAD(tester, 1, thread, 0, 2048)

int main(void)
{
    takt_start();
}
