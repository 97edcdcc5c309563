/*
 * Channel and RingBuffer.
 *
 * The four-slot code itself is run in every interleaving of two writes and two reads: each access
 * to shared memory, and each half of an item, is one step of one of two coroutines. A model of it
 * with more items, and with stores that other CPUs see late, is in four_slot_model_test.cpp.
 */
static void step();
#define TAKT_CHANNEL_STEP() step()

#include <Channel.h>
#include <gtest/gtest.h>
#include <ucontext.h>

#include <algorithm>
#include <vector>

namespace
{

/* Two coroutines; a schedule says who goes on at each step. */
class Pair
{
  public:
    using Body = void (*)();

    Pair() : stacks_{std::vector<char>(65536), std::vector<char>(65536)} {}

    /* Runs both to their ends; a schedule that is too short favours the first. Returns how many
     * turns each took. */
    std::vector<size_t> run(Body first, Body second, const std::vector<char> &schedule)
    {
        self = this;
        begin(0, first);
        begin(1, second);
        for (running_ = 0; running_ < 2; running_++) /* up to the first step */
            swapcontext(&main_, &side_[running_]);
        std::vector<size_t> turns(2);
        for (size_t i = 0; !done_[0] || !done_[1]; i++) {
            running_ = i < schedule.size() ? schedule[i] : done_[0];
            turns[static_cast<size_t>(running_)]++;
            swapcontext(&main_, &side_[running_]);
        }
        self = nullptr;
        return turns;
    }

    void pause() { swapcontext(&side_[running_], &main_); }

    static Pair *self;

  private:
    void begin(int i, Body body)
    {
        bodies_[i] = body;
        done_[i] = false;
        getcontext(&side_[i]);
        side_[i].uc_stack.ss_sp = stacks_[i].data();
        side_[i].uc_stack.ss_size = stacks_[i].size();
        side_[i].uc_link = &main_;
        makecontext(&side_[i], reinterpret_cast<void (*)()>(start), 1, i);
    }

    static void start(int i)
    {
        self->bodies_[i]();
        self->done_[i] = true;
    }

    ucontext_t main_, side_[2];
    std::vector<char> stacks_[2];
    Body bodies_[2];
    bool done_[2];
    int running_ = 0;
};

Pair *Pair::self;

struct Item {
    int left, right;
};

struct World {
    struct takt_four_slot control;
    Item items[4];
    int written; /* writes complete */
    bool torn, stale, backwards;
} world;

constexpr int WRITES = 2, READS = 2;

void writer()
{
    for (int i = 1; i <= WRITES; i++) {
        uint8_t n = takt_four_slot_begin_write(&world.control);
        step();
        world.items[n].left = i;
        step();
        world.items[n].right = i;
        takt_four_slot_end_write(&world.control, n);
        world.written = i;
    }
}

void reader()
{
    int last = 0;
    for (int i = 0; i < READS; i++) {
        int complete = world.written;
        uint8_t n = takt_four_slot_read(&world.control);
        step();
        int left = world.items[n].left;
        step();
        int right = world.items[n].right;
        world.torn |= left != right;
        world.stale |= left < complete;
        world.backwards |= left < last;
        last = left;
    }
}

} // namespace

static void step()
{
    if (Pair::self)
        Pair::self->pause();
}

TEST(FourSlot, EveryInterleaving)
{
    Pair pair;
    world = {};
    std::vector<size_t> turns = pair.run(writer, reader, {});
    std::vector<char> schedule(turns[0], 0);
    schedule.resize(turns[0] + turns[1], 1);
    size_t runs = 0;
    do {
        world = {};
        pair.run(writer, reader, schedule);
        ASSERT_FALSE(world.torn || world.stale || world.backwards)
            << world.torn << world.stale << world.backwards << " in run " << runs;
        runs++;
    } while (std::next_permutation(schedule.begin(), schedule.end()));
    EXPECT_EQ(turns[0], 5u * WRITES);
    EXPECT_EQ(turns[1], 5u * READS);
    EXPECT_EQ(runs, 184756u); /* 20 over 10 */
}

TEST(Channel, StartsWithItsFirstItem)
{
    takt::Channel<long> zero;
    EXPECT_EQ(zero.read(), 0);
    takt::Channel<Item> given(Item{3, 4});
    EXPECT_EQ(given.read().left, 3);
    EXPECT_EQ(given.read().right, 4);
}

TEST(Channel, ReadsWhatWasWrittenLast)
{
    takt::Channel<int> c;
    for (int i = 1; i < 50; i++) {
        for (int j = 0; j < i % 4; j++)
            c.write(100 * i + j);
        if (i % 4) {
            EXPECT_EQ(c.read(), 100 * i + i % 4 - 1);
        }
        EXPECT_EQ(c.read(), c.read());
    }
}

TAKT_CHANNEL(c_channel, Item);
TAKT_RINGBUF(c_ring, Item, 3);

TEST(Channel, ForC)
{
    Item item = {9, 9};
    takt_channel_read(&c_channel, &item);
    EXPECT_EQ(item.left, 0);
    item = {1, 2};
    takt_channel_write(&c_channel, &item);
    item = {};
    takt_channel_read(&c_channel, &item);
    EXPECT_EQ(item.right, 2);
}

TEST(RingBuffer, KeepsOrderAndRefusesWhatDoesNotFit)
{
    takt::RingBuffer<int, 3> ring;
    int x = -1, put = 0, got = 0;
    EXPECT_FALSE(ring.read(x));
    EXPECT_EQ(ring.capacity(), 3);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i <= round % 4; i++)
            if (ring.write(put))
                put++;
            else
                EXPECT_EQ(ring.available(), 3);
        EXPECT_EQ(ring.available() + ring.free(), 3);
        EXPECT_EQ(ring.available(), put - got);
        for (int i = 0; i <= (round + 2) % 3 && ring.read(x); i++)
            EXPECT_EQ(x, got++);
    }
    EXPECT_GT(got, 20);
}

TEST(RingBuffer, ForC)
{
    Item item = {1, 1};
    EXPECT_EQ(takt_ringbuf_read(&c_ring, &item), TAKT_EAGAIN);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(takt_ringbuf_write(&c_ring, &item), TAKT_OK);
    EXPECT_EQ(takt_ringbuf_write(&c_ring, &item), TAKT_EOVERFLOW);
    EXPECT_EQ(takt_ringbuf_read(&c_ring, &item), TAKT_OK);
    EXPECT_EQ(takt_ring_count(&c_ring.ring), 2);
}
