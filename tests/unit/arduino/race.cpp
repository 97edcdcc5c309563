/*
 * Channel and RingBuffer between two real threads, under ThreadSanitizer: every access that is not
 * ordered is an error, as are torn or unordered items.
 */
#include <Channel.h>
#include <gtest/gtest.h>

#include <thread>

namespace
{

constexpr int ITEMS = 200000;

struct Item {
    int a[6];
};

Item item_of(int n)
{
    return {{n, n, n, n, n, n}};
}

bool whole(const Item &item)
{
    for (int x : item.a)
        if (x != item.a[0])
            return false;
    return true;
}

} // namespace

TEST(Race, ChannelIsWholeAndNeverGoesBack)
{
    static takt::Channel<Item> channel;
    std::thread writer([] {
        for (int i = 1; i <= ITEMS; i++)
            channel.write(item_of(i));
    });
    int last = 0;
    while (last < ITEMS) {
        Item item = channel.read();
        ASSERT_TRUE(whole(item));
        ASSERT_GE(item.a[0], last);
        last = item.a[0];
    }
    writer.join();
}

TEST(Race, RingBufferLosesNothing)
{
    static takt::RingBuffer<Item, 7> ring;
    std::thread writer([] {
        for (int i = 0; i < ITEMS; i++)
            while (!ring.write(item_of(i)))
                std::this_thread::yield();
    });
    for (int i = 0; i < ITEMS; i++) {
        Item item;
        while (!ring.read(item))
            std::this_thread::yield();
        ASSERT_TRUE(whole(item));
        ASSERT_EQ(item.a[0], i);
    }
    writer.join();
}
