/* The log is read before any constructor of a sketch runs. A write has the chip for itself until
 * its bytes are in flash. */
#ifdef ARDUINO_ARCH_RP2040
#include "EEPROM.h"

#include <takt/job.h>
#include <takt/port.h>
#include <takt/sem.h>

#include "byte_log.h"

namespace
{

takt_byte_log kept;
takt_sem idle = TAKT_SEM_BINARY_INIT(1);
volatile bool failed;

__attribute__((constructor(101))) void read_all()
{
    takt_byte_log_read(&kept);
}

/* Has the chip, if it may. In main nothing else wants it. A job is not ended meanwhile, and no task
 * comes on top. */
class Turn
{
  public:
    Turn() : waited_(wait()) {}
    ~Turn()
    {
        if (!waited_)
            return;
        takt_sem_signal(&idle);
        takt_end_whole_call();
    }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;
    bool is_had() const { return waited_ || (takt_self() == TAKT_NOBODY && !port_in_isr()); }

  private:
    static bool wait()
    {
        if (port_in_isr() || takt_self() == TAKT_NOBODY)
            return false;
        takt_begin_whole_call();
        if (takt_sem_wait(&idle) == TAKT_OK)
            return true;
        takt_end_whole_call();
        return false;
    }

    const bool waited_;
};

} // namespace

uint8_t EERef::operator*() const
{
    return kept.bytes[static_cast<unsigned>(index) % TAKT_EEPROM_BYTES];
}

void EEPROMClass::write(int at, uint8_t value) const
{
    Turn turn;
    if (!turn.is_had() || takt_byte_log_write(&kept, static_cast<unsigned>(at), value) != TAKT_OK)
        failed = true;
}

bool EEPROMClass::commit() const
{
    bool all = !failed;
    failed = false;
    return all;
}

#endif
