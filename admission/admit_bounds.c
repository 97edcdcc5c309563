/*
 * The two sufficient admission tests: Liu-Layland (1973) with the I/O term of Qduino's Equation 1,
 * and the hyperbolic bound (Bini/Buttazzo 2003). They are told to the user, never decide, and so
 * live apart from admit.c: firmware that checks itself does not link them.
 *
 * Comparisons are of exact fractions: numerator and denominator are unsigned integers of WORDS
 * 32-bit words, enough for 64 periods of 31 bits, 16 squared I/O denominators of 32 bits and the
 * 128 bits of BOUND. The Liu-Layland bound n (2^(1/n) - 1) is irrational for n > 1; BOUND has its
 * first 128 fractional bits, rounded down.
 */
#include <takt/admit.h>

#define WORDS 88u
#define PPM   1000000u

/* Least significant word first. */
struct big {
    uint32_t word[WORDS];
};

struct ratio {
    struct big num, den;
};

#define BOUND_WORDS 4u

/* floor(2^128 n (2^(1/n) - 1)), least significant word first, from n = 2. */
static const uint32_t BOUND[TAKT_ADMIT_THREADS - 1][BOUND_WORDS] = {
    {0xD52AFA7C, 0x65F626CD, 0xE7799211, 0xD413CCCF},
    {0x3A6F2724, 0xB9902541, 0x857A0A66, 0xC79E8ECA},
    {0x7217B7B2, 0x356918C1, 0x6DC54B7A, 0xC1BF828C},
    {0xE469CCFF, 0x9A974A24, 0x68046F13, 0xBE557A1A},
    {0x7DCFF6D5, 0x4AAD0BB0, 0xF087F087, 0xBC1A096A},
    {0x388BA8EE, 0x6743579D, 0x9956DBE6, 0xBA8745C7},
    {0x8A53C901, 0xBE462875, 0xA8BD6E6F, 0xB95C1E3E},
    {0xA1807DF6, 0x9C8D056A, 0x6B35B749, 0xB87527CA},
    {0xEBF24439, 0xA6FEB626, 0x23FE97DA, 0xB7BD74D7},
    {0xE7CA1490, 0x17AEBEAE, 0x7309137F, 0xB727DC78},
    {0x9EAD4A35, 0x7E694378, 0x1B0A18D8, 0xB6ABAE23},
    {0xDDC33171, 0x897D4404, 0x721F8931, 0xB642F1D4},
    {0x06C1EDAD, 0x3AC06CE2, 0xFC8DAD00, 0xB5E96B42},
    {0x78DCDCB2, 0x4DD7EE04, 0x1D2E25E7, 0xB59C03B6},
    {0x2A983642, 0xB92B7184, 0x890F6298, 0xB5586CF9},
    {0x56FD9972, 0x54CA1B4D, 0x7B6F5708, 0xB51CE598},
    {0x77713514, 0x88E10E11, 0xB6F7033E, 0xB4E81145},
    {0x9209A4CB, 0x8684493D, 0xC752477D, 0xB4B8DDEA},
    {0xE8599D56, 0xA83E2D95, 0xE497CFAB, 0xB48E70E3},
    {0x0326C479, 0x3046D648, 0x5ED3F0AC, 0xB46819A7},
    {0xFAC5A5E9, 0xF1B3829A, 0x832601A5, 0xB445481A},
    {0xA4041B9F, 0x944ED7B5, 0x9A6E53D6, 0xB4258572},
    {0x63DD84B3, 0xD7A76F05, 0x00B930FF, 0xB4086EE2},
    {0xCBDF6A77, 0xDB291BD0, 0x549983A3, 0xB3EDB18F},
    {0x3F195AA3, 0x84E762B7, 0x178F2943, 0xB3D5077D},
    {0xDBE1E6F9, 0xEFF84CF7, 0xE239A49C, 0xB3BE3522},
    {0xE4433567, 0xD8EC732B, 0x6A99B35D, 0xB3A9078B},
    {0x67AE5D54, 0x6460DF8F, 0x0C425638, 0xB39552D7},
    {0x344EC0C4, 0x634DBC55, 0x3108314D, 0xB382F10B},
    {0x7B50BD79, 0x19A3A66B, 0x1D636788, 0xB371C11D},
    {0x9482FFCA, 0x8A91D6D1, 0x0AE875CF, 0xB361A62B},
    {0x592B1A3B, 0x30C9FE89, 0xACE2E9E5, 0xB35286D9},
    {0xAD10DDA3, 0xAEA9A1C6, 0x92DF9AB1, 0xB3444CCE},
    {0xEF56CB6D, 0xF34EB97F, 0x997BF871, 0xB336E441},
    {0xF5F78DB9, 0x06F23A23, 0xE681901D, 0xB32A3BA0},
    {0xB0639076, 0xD8CE1F86, 0xE899955C, 0xB31E4343},
    {0xF084E4EE, 0x71B89ADE, 0x924A95E2, 0xB312ED2A},
    {0x9EF3B262, 0xF017BD34, 0x9AEB35B8, 0xB3082CC6},
    {0x24677D6F, 0xEC9A6144, 0x01EB9C35, 0xB2FDF6CD},
    {0xF33939B5, 0x2338478D, 0x69742F8A, 0xB2F4410E},
    {0x922A3801, 0x1EA7A94D, 0x22DDA875, 0xB2EB0255},
    {0xAB70B5B7, 0xE6D261CC, 0xFE6B1571, 0xB2E23247},
    {0xA72FF9D7, 0x6217F910, 0x1B499B95, 0xB2D9C951},
    {0xB1EC2984, 0xFC12E479, 0x17B0F993, 0xB2D1C088},
    {0xEF5244DE, 0x01E2EE26, 0x1CFD475D, 0xB2CA119F},
    {0x49A7D485, 0x1A1EB30E, 0x5A3516BC, 0xB2C2B6D2},
    {0xA6ACDE9F, 0x70FD7D02, 0x91C795C9, 0xB2BBAAD9},
    {0xDC1C0D38, 0x5A75EC32, 0x6E4428DC, 0xB2B4E8DB},
    {0x4E0A8F9C, 0xAEB58B77, 0x5E0E3EFF, 0xB2AE6C62},
    {0x3A58508D, 0x634AD4E7, 0xC0254FE4, 0xB2A83152},
    {0x6EA8B7E2, 0xF7E514AB, 0x346D6842, 0xB2A233E2},
    {0x7BB14CF2, 0x010AA1E9, 0xE8CD70C6, 0xB29C708F},
    {0x241EF1D9, 0xF63EA90E, 0xC239165B, 0xB296E41D},
    {0x92DC8862, 0x15D703C8, 0x458AF648, 0xB2918B8A},
    {0xE2AD1225, 0xEEE3447B, 0x281BD078, 0xB28C640B},
    {0x31C927A1, 0x69560AD4, 0x7368034C, 0xB2876B08},
    {0x38B628D9, 0x79265709, 0x29F1C785, 0xB2829E18},
    {0x51FC3464, 0x21041A19, 0x5DFB8F4D, 0xB27DFAFA},
    {0x1B7422FD, 0x10689CBD, 0xACC5588C, 0xB2797F95},
    {0x8424BB1B, 0xEDA01856, 0x12B91431, 0xB27529F4},
    {0x92BAEE0A, 0xD92DD495, 0x0E721E39, 0xB270F840},
    {0x520605CF, 0x2B9EDE45, 0x09D49343, 0xB26CE8C2},
    {0x8A6F7A4F, 0xF2B293DE, 0x0183B9BD, 0xB268F9DE},
};

static void big_set(struct big *a, uint32_t value)
{
    *a = (struct big){{value}};
}

/* a = a x factor. */
static void big_scale(struct big *a, uint32_t factor)
{
    uint64_t carry = 0;

    for (uint32_t i = 0; i < WORDS; i++) {
        carry += (uint64_t)a->word[i] * factor;
        a->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* a = a + b x factor x 2^(32 shift). */
static void big_add(struct big *a, const struct big *b, uint32_t factor, uint32_t shift)
{
    uint64_t carry = 0;

    for (uint32_t i = shift; i < WORDS; i++) {
        carry += (uint64_t)b->word[i - shift] * factor + a->word[i];
        a->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static bool big_at_most(const struct big *a, const struct big *b)
{
    uint32_t i = WORDS - 1;

    while (i > 0 && a->word[i] == b->word[i]) {
        i--;
    }
    return a->word[i] <= b->word[i];
}

static void ratio_set(struct ratio *r, uint32_t num, uint32_t den)
{
    big_set(&r->num, num);
    big_set(&r->den, den);
}

static void ratio_add(struct ratio *r, uint32_t num, uint32_t den)
{
    big_scale(&r->num, den);
    big_add(&r->num, &r->den, num, 0);
    big_scale(&r->den, den);
}

/* Adds (2 - U) U of every I/O VCPU. */
static void ratio_add_ios(struct ratio *r, const struct takt_admit_set *set)
{
    for (uint32_t j = 0; j < set->io_count; j++) {
        uint32_t n = set->ios[j].numerator, d = set->ios[j].denominator;

        ratio_add(r, (2 * d - n) * n, d * d);
    }
}

/* Least k with r <= k / 1000000, at most 2^32 - 1. */
static uint32_t ratio_ppm(const struct ratio *r)
{
    struct big scaled, trial;
    uint32_t ppm = 0;

    big_set(&scaled, 0);
    big_add(&scaled, &r->num, PPM, 0);
    for (uint32_t bit = (uint32_t)1 << 31; bit != 0; bit >>= 1) {
        big_set(&trial, 0);
        big_add(&trial, &r->den, (ppm | bit) - 1, 0);
        if (!big_at_most(&scaled, &trial)) {
            ppm |= bit;
        }
    }
    return ppm;
}

/* r <= BOUND of n threads, n > 1? */
static bool below_irrational(const struct ratio *r, uint32_t n)
{
    struct big left, right;

    big_set(&left, 0);
    big_set(&right, 0);
    big_add(&left, &r->num, 1, BOUND_WORDS);
    for (uint32_t i = 0; i < BOUND_WORDS; i++) {
        big_add(&right, &r->den, BOUND[n - 2][i], i);
    }
    return big_at_most(&left, &right);
}

static bool rate_monotonic(const struct takt_admit_set *set)
{
    bool sorted = true;

    for (uint32_t i = 1; i < set->thread_count; i++) {
        sorted = sorted && set->threads[i - 1].period_us <= set->threads[i].period_us;
    }
    return sorted;
}

struct takt_admit_bound takt_admit_eq1(const struct takt_admit_set *set)
{
    uint32_t n = set->thread_count;
    struct takt_admit_bound result = {0, PPM, false};
    struct ratio sum;

    ratio_set(&sum, 0, 1);
    for (uint32_t i = 0; i < n; i++) {
        ratio_add(&sum, set->threads[i].budget_us, set->threads[i].period_us);
    }
    ratio_add_ios(&sum, set);
    result.lhs_ppm = ratio_ppm(&sum);
    if (n == 1) {
        result.holds = big_at_most(&sum.num, &sum.den);
    } else {
        uint64_t top = BOUND[n - 2][BOUND_WORDS - 1];
        result.bound_ppm = (uint32_t)(top * PPM >> 32);
        result.holds = below_irrational(&sum, n) && rate_monotonic(set);
    }
    return result;
}

/* Place of the thread with the smallest C/T. */
static uint32_t smallest(const struct takt_admit_set *set)
{
    const struct takt_admit_thread *t = set->threads;
    uint32_t least = 0;

    for (uint32_t i = 1; i < set->thread_count; i++) {
        if ((uint64_t)t[i].budget_us * t[least].period_us <
            (uint64_t)t[least].budget_us * t[i].period_us) {
            least = i;
        }
    }
    return least;
}

struct takt_admit_bound takt_admit_hyperbolic(const struct takt_admit_set *set)
{
    const struct takt_admit_thread *t = set->threads;
    struct takt_admit_bound result = {0, 2 * PPM, false};
    uint32_t least = smallest(set);
    struct ratio product;
    struct big two;

    ratio_set(&product, t[least].budget_us + t[least].period_us, t[least].period_us);
    ratio_add_ios(&product, set);
    for (uint32_t i = 0; i < set->thread_count; i++) {
        if (i != least) {
            big_scale(&product.num, t[i].budget_us + t[i].period_us);
            big_scale(&product.den, t[i].period_us);
        }
    }
    big_set(&two, 0);
    big_add(&two, &product.den, 2, 0);
    result.lhs_ppm = ratio_ppm(&product);
    result.holds = big_at_most(&product.num, &two) && rate_monotonic(set);
    return result;
}
