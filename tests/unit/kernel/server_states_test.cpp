// The server's invariants hold by induction: from every sound state of a small list, each operation
// leads to a sound one, and nothing becomes usable earlier than it may. All states of three
// replenishments with small numbers are gone through, at three places of the wrapping clock. What is
// sound, and what may be usable, is said here, not by the server.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

extern "C" {
#include "budget/server.h"
#include <takt/port.h>

port_irq_t port_irq_save() // of servers of bottom halves, which have no interrupts here
{
    return 0;
}

void port_irq_restore(port_irq_t) {}
}

namespace {

static_assert(TAKT_REPLENISHMENTS == 3 && TAKT_BUDGET_MORE_US == 1 && TAKT_PIECE_US == 2);

constexpr int MOST = 3;    // of an amount
constexpr int LONGEST = 3; // of a period
constexpr uint32_t USED = 3 * MOST + 3;

// What a server without a bounded list would hold: each us by itself, with the date from which it is
// usable. The earliest is used first, and comes back a period after its date.
class Ideal {
  public:
    explicit Ideal(const takt_vcpu &v) : origin(v.list[0].at), period(int(v.period))
    {
        for (int i = 0; i < v.count; i++)
            add(v.list[i].at, v.list[i].amount);
        add(v.list[0].at + v.period, v.open);
    }

    void use()
    {
        int back = dates[0] + period;
        std::copy(dates.begin() + 1, dates.begin() + count--, dates.begin());
        insert(back);
    }

    void add(takt_time_t at, uint32_t amount)
    {
        for (; amount > 0; amount--)
            insert(int32_t(at - origin));
    }

    uint32_t usable_by(takt_time_t at) const
    {
        auto end = dates.begin() + count;
        return uint32_t(std::upper_bound(dates.begin(), end, int32_t(at - origin)) - dates.begin());
    }

  private:
    void insert(int date)
    {
        int i = count++;
        for (; i > 0 && dates[size_t(i - 1)] > date; i--)
            dates[size_t(i)] = dates[size_t(i - 1)];
        dates[size_t(i)] = date;
    }

    takt_time_t origin;
    int period, count = 0;
    std::array<int, 8 * MOST> dates; // ascending
};

uint32_t held(const takt_vcpu &v)
{
    uint32_t sum = v.open;
    for (int i = 0; i < v.count; i++)
        sum += v.list[i].amount;
    return sum;
}

const char *unsound(const takt_vcpu &v)
{
    if (v.count < 1 || v.count > TAKT_REPLENISHMENTS)
        return "count";
    for (int i = 0; i < v.count; i++)
        if (v.list[i].amount == 0)
            return "an amount of 0";
    for (int i = 1; i < v.count; i++)
        if (int32_t(v.list[i].at - v.list[i - 1].at) < 0)
            return "dates go back";
    return held(v) == v.budget + TAKT_BUDGET_MORE_US ? nullptr : "not all is held";
}

// At one of its dates, and so anywhere, more is usable than may be.
bool too_early(const takt_vcpu &v, const Ideal &ideal)
{
    auto usable_by = [&v](takt_time_t at) {
        uint32_t sum = takt_before(at, v.list[0].at + v.period) ? 0 : v.open;
        for (int i = 0; i < v.count; i++)
            sum += takt_before(at, v.list[i].at) ? 0 : v.list[i].amount;
        return sum;
    };
    auto exceeds = [&](takt_time_t at) { return usable_by(at) > ideal.usable_by(at); };
    bool found = exceeds(v.list[0].at + v.period);
    for (int i = 0; i < v.count; i++)
        found |= exceeds(v.list[i].at);
    return found;
}

std::string told(const takt_vcpu &v, takt_time_t base)
{
    std::string text = "T=" + std::to_string(v.period) + " open=" + std::to_string(v.open);
    for (int i = 0; i < v.count; i++)
        text += " {" + std::to_string(int32_t(v.list[i].at - base)) + ", " +
                std::to_string(v.list[i].amount) + "}";
    return text;
}

class ServerStates : public testing::TestWithParam<takt_time_t> {
  protected:
    // Each state with the head's date at the parameter, and each instant around that.
    template <typename Look> void each_state(Look look)
    {
        int seen = 0;
        for (uint32_t period = 1; period <= LONGEST; period++)
            for (uint8_t count = 1; count <= TAKT_REPLENISHMENTS; count++)
                for (uint32_t code = 0; code < combinations(count); code++) {
                    takt_vcpu v = state(period, count, code);
                    for (int later = -LONGEST; later <= 2 * LONGEST + 1 && v.budget > 0; later++) {
                        seen++;
                        look(v, base + uint32_t(later));
                        if (HasFailure())
                            return;
                    }
                }
        EXPECT_GT(seen, 50'000);
    }

    // One step, of which `used` are used.
    template <typename Step>
    void holds(const takt_vcpu &before, takt_time_t now, uint32_t used, const Ideal &ideal, Step step)
    {
        takt_vcpu v = before;
        step(v);
        const char *wrong = unsound(v);
        if (!wrong && too_early(v, ideal))
            wrong = "too early";
        if (wrong)
            ADD_FAILURE() << wrong << ": " << told(before, base) << " at "
                          << int32_t(now - base) << ", used " << used << ": " << told(v, base);
    }

    const takt_time_t base = GetParam();

  private:
    static constexpr uint32_t GAPS = LONGEST + 3;

    static uint32_t combinations(uint8_t count)
    {
        uint32_t n = MOST; // open
        for (int i = 0; i < count; i++)
            n *= MOST * (i > 0 ? GAPS : 1);
        return n;
    }

    takt_vcpu state(uint32_t period, uint8_t count, uint32_t code) const
    {
        takt_vcpu v{};
        v.period = period;
        v.count = count;
        v.open = code % MOST;
        code /= MOST;
        takt_time_t at = base;
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                at += code % GAPS;
                code /= GAPS;
            }
            v.list[i] = {at, 1 + code % MOST};
            code /= MOST;
        }
        v.budget = held(v) - TAKT_BUDGET_MORE_US;
        v.next_start = base;
        return v;
    }
};

TEST_P(ServerStates, WakeDispatchAge)
{
    each_state([this](takt_vcpu before, takt_time_t now) {
        Ideal ideal(before);
        for (before.jitter = 0; before.jitter <= 1; before.jitter++) {
            holds(before, now, 0, ideal, [now](takt_vcpu &v) { takt_server_wake(&v, now); });
            holds(before, now, 0, ideal, [now](takt_vcpu &v) { takt_server_dispatch(&v, now); });
        }
        holds(before, now, 0, ideal, [now](takt_vcpu &v) { takt_server_age(&v, now); });
    });
}

TEST_P(ServerStates, Gather)
{
    each_state([this](takt_vcpu before, takt_time_t now) {
        Ideal ideal(before);
        for (int next = -1; next <= LONGEST; next++) {
            before.next_start = base + uint32_t(next);
            holds(before, now, 0, ideal, [now](takt_vcpu &v) { takt_server_gather(&v, now); });
        }
    });
}

TEST_P(ServerStates, Consume)
{
    each_state([this](const takt_vcpu &before, takt_time_t now) {
        Ideal ideal(before);
        for (uint32_t us = 0; us <= USED; us++) {
            auto consume = [us, now](takt_vcpu &v) { takt_server_consume(&v, us, now); };
            auto begin = [us, now](takt_vcpu &v) { takt_server_begin(&v, us, now); };
            holds(before, now, us, ideal, consume);
            if (!takt_before(now, before.list[0].at))
                holds(before, now, us, ideal, begin);
            ideal.use();
        }
    });
}

TEST_P(ServerStates, SetBudget)
{
    each_state([this](const takt_vcpu &before, takt_time_t from) {
        for (uint32_t c = 1; c <= 2 * MOST; c++) {
            Ideal ideal(before);
            ideal.add(from, c > before.budget ? c - before.budget : 0);
            holds(before, from, 0, ideal,
                  [c, from](takt_vcpu &v) { takt_server_set_budget(&v, c, from); });
        }
    });
}

// Where the clock begins, wraps, and changes its sign.
INSTANTIATE_TEST_SUITE_P(Clock, ServerStates, testing::Values(1000u, 0xFFFFFFFEu, 0x7FFFFFFEu));

} // namespace
