/*
 * The four-slot algorithm as a state machine, every reachable state visited: three writes against
 * three reads, with memory that keeps stores in a buffer per CPU (as x86 does) and shows them to
 * the other at any later time, in order. With the stores of takt/channel.h, which are seen before
 * the CPU goes on, nothing is ever wrong; with plain stores the check finds torn items, which shows
 * that it can.
 */
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <set>
#include <vector>

namespace
{

constexpr int WRITES = 3, READS = 3;

/* Memory: latest, reading, slot[2], then left and right halves of four items. */
enum : uint8_t { LATEST, READING, SLOT, LEFT = SLOT + 2, RIGHT = LEFT + 4, CELLS = RIGHT + 4 };

struct Store {
    uint8_t cell, value;
};

struct Cpu {
    uint8_t pc, turn; /* step within an operation, and operations done */
    uint8_t pair, index, left;
    uint8_t held; /* stores in the buffer */
    Store buffer[6];
};

struct State {
    uint8_t memory[CELLS];
    Cpu writer, reader;
    uint8_t written;  /* writes whose last store is seen */
    uint8_t complete; /* written, when the read under way began */
    uint8_t last;     /* what the last read gave */
};

struct Verdict {
    bool torn = false, stale = false, backwards = false;
    size_t states = 0;
};

class Model
{
  public:
    explicit Model(bool ordered) : ordered_(ordered) {}

    Verdict explore()
    {
        State start;
        memset(&start, 0, sizeof start);
        add(start);
        while (!open_.empty()) {
            State s = open_.front();
            open_.pop_front();
            State next = s;
            if (s.writer.turn < WRITES) {
                write_step(next);
                add(next);
            }
            next = s;
            if (s.reader.turn < READS) {
                read_step(next);
                add(next);
            }
            drain(s, s.writer, &State::writer);
            drain(s, s.reader, &State::reader);
        }
        verdict_.states = seen_.size();
        return verdict_;
    }

  private:
    void add(const State &s)
    {
        std::vector<uint8_t> key(sizeof s);
        memcpy(key.data(), &s, sizeof s);
        if (seen_.insert(key).second)
            open_.push_back(s);
    }

    static uint8_t load(const State &s, const Cpu &cpu, uint8_t cell)
    {
        for (int i = cpu.held; i-- > 0;)
            if (cpu.buffer[i].cell == cell)
                return cpu.buffer[i].value;
        return s.memory[cell];
    }

    static void take_oldest(State &s, Cpu &cpu)
    {
        s.memory[cpu.buffer[0].cell] = cpu.buffer[0].value;
        if (&cpu == &s.writer && cpu.buffer[0].cell == LATEST)
            s.written++;
        memmove(cpu.buffer, cpu.buffer + 1, sizeof cpu.buffer - sizeof(Store));
        cpu.buffer[sizeof cpu.buffer / sizeof(Store) - 1] = {};
        cpu.held--;
    }

    static void store(State &s, Cpu &cpu, uint8_t cell, uint8_t value)
    {
        if (cpu.held == sizeof cpu.buffer / sizeof(Store))
            take_oldest(s, cpu);
        cpu.buffer[cpu.held++] = {cell, value};
    }

    /* A control variable: with order, the store is seen before the CPU goes on. */
    void control(State &s, Cpu &cpu, uint8_t cell, uint8_t value) const
    {
        store(s, cpu, cell, value);
        while (ordered_ && cpu.held)
            take_oldest(s, cpu);
    }

    void drain(const State &s, const Cpu &cpu, Cpu State::*which)
    {
        if (!cpu.held)
            return;
        State next = s;
        take_oldest(next, next.*which);
        add(next);
    }

    void write_step(State &s) const
    {
        Cpu &w = s.writer;
        uint8_t item = static_cast<uint8_t>(2 * w.pair + w.index);
        uint8_t value = static_cast<uint8_t>(w.turn + 1);
        switch (w.pc++) {
        case 0:
            w.pair = !load(s, w, READING);
            w.index = !load(s, w, static_cast<uint8_t>(SLOT + w.pair));
            break;
        case 1:
            store(s, w, static_cast<uint8_t>(LEFT + item), value);
            break;
        case 2:
            store(s, w, static_cast<uint8_t>(RIGHT + item), value);
            break;
        case 3:
            control(s, w, static_cast<uint8_t>(SLOT + w.pair), w.index);
            break;
        case 4:
            control(s, w, LATEST, w.pair);
            w.pc = 0;
            w.turn++;
            break;
        }
    }

    void read_step(State &s)
    {
        Cpu &r = s.reader;
        switch (r.pc++) {
        case 0:
            s.complete = s.written;
            r.pair = load(s, r, LATEST);
            break;
        case 1:
            control(s, r, READING, r.pair);
            break;
        case 2:
            r.index = load(s, r, static_cast<uint8_t>(SLOT + r.pair));
            break;
        case 3:
            r.left = load(s, r, static_cast<uint8_t>(LEFT + 2 * r.pair + r.index));
            break;
        case 4:
            judge(s, load(s, r, static_cast<uint8_t>(RIGHT + 2 * r.pair + r.index)));
            r.pc = 0;
            r.turn++;
            break;
        }
    }

    void judge(State &s, uint8_t right)
    {
        uint8_t left = s.reader.left;
        verdict_.torn |= left != right;
        verdict_.stale |= left < s.complete;
        verdict_.backwards |= left < s.last;
        s.last = left;
    }

    bool ordered_;
    Verdict verdict_;
    std::set<std::vector<uint8_t>> seen_;
    std::deque<State> open_;
};

} // namespace

TEST(FourSlotModel, OrderedStoresAreSound)
{
    Verdict v = Model(true).explore();
    EXPECT_FALSE(v.torn);
    EXPECT_FALSE(v.stale);
    EXPECT_FALSE(v.backwards);
    EXPECT_GT(v.states, 1000u);
    RecordProperty("states", static_cast<int>(v.states));
}

TEST(FourSlotModel, PlainStoresAreNot)
{
    Verdict v = Model(false).explore();
    EXPECT_TRUE(v.torn);
}
