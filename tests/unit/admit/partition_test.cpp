// admission/partition.c: where first-fit finds no place, and nothing beside the results is written.
// Random sets are compared with an oracle in tests/property.
#include <gtest/gtest.h>

#include <vector>

#include <takt/partition.h>

namespace
{

constexpr uint8_t untouched = 0xAA;

struct Program {
    std::vector<takt_admit_thread> threads = {};
    std::vector<takt_admit_io> ios = {};
    std::vector<uint8_t> pins = {}, io_pins = {}; // of the first ones
    std::vector<uint8_t> cpu = {}, io_cpu = {};   // one more of each, which stays as it is

    int place(uint8_t cpus, uint8_t &in_use)
    {
        takt_admit_set set = {threads.data(), nullptr, ios.data(), uint32_t(threads.size()), 0,
                              uint32_t(ios.size()), {0, 0, 0}, nullptr, 0};
        pins.resize(threads.size(), TAKT_NO_CPU);
        io_pins.resize(ios.size(), TAKT_NO_CPU);
        cpu.assign(threads.size() + 1, untouched);
        io_cpu.assign(ios.size() + 1, untouched);
        struct takt_partition asked = {&set,        cpus, pins.data(), io_pins.data(), cpu.data(),
                                io_cpu.data(), 0};
        int result = takt_partition(&asked, &in_use, nullptr);
        EXPECT_EQ(untouched, cpu.back());
        EXPECT_EQ(untouched, io_cpu.back());
        return result;
    }
    uint32_t load(uint8_t on) const
    {
        uint32_t sum = 0;
        for (size_t i = 0; i < threads.size(); i++)
            sum += cpu[i] == on ? threads[i].budget_us : 0;
        return sum;
    }
    void add(uint32_t c) { threads.push_back({c, 8, 0, 0, 0}); }
};

// Largest first they leave 1 and a thread of 2.
void add_what_first_fit_does_not_find(Program &p)
{
    for (uint32_t c : {4, 3, 3, 2, 2, 2})
        p.add(c);
}

TEST(Partition, SearchesWhereFirstFitFindsNoPlace)
{
    Program p;
    uint8_t used = 0;
    add_what_first_fit_does_not_find(p);
    EXPECT_EQ(TAKT_OK, p.place(2, used));
    EXPECT_EQ(2u, used);
    EXPECT_EQ(8u, p.load(0));
    EXPECT_EQ(8u, p.load(1));
}

TEST(Partition, SearchesAmongAsManyAsThereMayBe)
{
    Program p;
    uint8_t used = 0;
    for (uint8_t cpu = 2; cpu < TAKT_PARTITION_CPUS; cpu++)
        for (int i = 0; i < 4; i++) {
            p.add(2);
            p.pins.push_back(cpu);
        }
    add_what_first_fit_does_not_find(p);
    p.ios.assign(TAKT_ADMIT_IO, {0, 1, 0, 0});
    p.io_pins.assign(TAKT_ADMIT_IO, 15);
    EXPECT_EQ(TAKT_OK, p.place(TAKT_PARTITION_CPUS, used));
    EXPECT_EQ(TAKT_PARTITION_CPUS, used);
    for (uint8_t cpu = 0; cpu < TAKT_PARTITION_CPUS; cpu++)
        EXPECT_EQ(8u, p.load(cpu));
}

} // namespace
