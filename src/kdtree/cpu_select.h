/* Exact selection among keys. Included once for each type of key, with KEY and NAMED() set.
 *
 * Two keys of a sample bracket the rank that is sought; one pass counts what is below and packs what is inside, which
 * is searched in turn (Floyd and Rivest, Expected time bounds for selection, 1975). Where samples do not help, because
 * of equal keys or bad luck, the interval of keys is tried at one value and halved by turns, so there are at most as
 * many passes as a key has bits, and the interval always holds the rank. */

enum { NAMED(SMALL) = 32, NAMED(LARGE_SAMPLE) = 128 };

struct NAMED(selected) {
    KEY key;
    int64_t less, equal; /* keys below and equal to it */
};

/* below[j] = number of the `count` keys that are less than keys[j], for j < room (a multiple of 16). */
static inline void NAMED(count_below)(const KEY *keys, int count, int room, KEY *below)
{
    for (int j = 0; j < room; j++) below[j] = 0;
    for (int i = 0; i < count; i++) {
        KEY k = keys[i];
        for (int j = 0; j < room; j++) below[j] += (KEY)(k < keys[j]);
    }
}

/* The key of a rank, given how many keys are below each. */
static inline KEY NAMED(key_of_rank)(const KEY *keys, const KEY *below, int count, int64_t rank)
{
    int best = -1;
    for (int j = 0; j < count; j++)
        if (below[j] <= (KEY)rank && (best < 0 || below[j] > below[best])) best = j;
    return keys[best];
}

static struct NAMED(selected) NAMED(select_small)(const KEY *keys, int count, int64_t rank)
{
    KEY k[NAMED(SMALL)], below[NAMED(SMALL)];
    struct NAMED(selected) s = {0, 0, 0};
    for (int j = 0; j < count; j++) k[j] = keys[j];
    for (int j = count; j < NAMED(SMALL); j++) k[j] = (KEY)-1;
    NAMED(count_below)(k, count, count <= 16 ? 16 : NAMED(SMALL), below);
    s.key = NAMED(key_of_rank)(k, below, count, rank);
    for (int j = 0; j < count; j++) {
        s.less += k[j] < s.key;
        s.equal += k[j] == s.key;
    }
    return s;
}

struct NAMED(interval) {
    KEY lo, hi;
};

/* A bracket of the rank among m keys, all of them in `all`; `single`: only the sample's guess of the key itself. */
static inline struct NAMED(interval)
    NAMED(bracket)(const KEY *keys, int64_t m, int64_t rank, struct NAMED(interval) all, int round, bool single)
{
    KEY sample[NAMED(LARGE_SAMPLE)], below[NAMED(LARGE_SAMPLE)];
    int size = m >= 4096 ? NAMED(LARGE_SAMPLE) : NAMED(SMALL), half = single ? 0 : size == NAMED(SMALL) ? 5 : 14;
    uint64_t step = (uint64_t)m / (uint64_t)size, seed = (uint64_t)(round + 1) * 0x9e3779b97f4a7c15u + (uint64_t)m;
    for (int j = 0; j < size; j++) {
        seed = seed * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du;
        sample[j] = keys[(uint64_t)j * step + (((seed >> 32) * step) >> 32)];
    }
    NAMED(count_below)(sample, size, size, below);
    int64_t guess = (int64_t)((double)rank * size / (double)m);
    struct NAMED(interval) b = all;
    if (guess - half >= 0) b.lo = NAMED(key_of_rank)(sample, below, size, guess - half);
    if (guess + half < size) b.hi = NAMED(key_of_rank)(sample, below, size, guess + half);
    return b;
}

/* The key of rank `rank` (from 0) among m keys; buf has room for m keys and is not `keys`. */
static struct NAMED(selected) NAMED(select)(const KEY *keys, int64_t m, int64_t rank, KEY *buf)
{
    struct NAMED(interval) all = {0, (KEY)-1};
    const KEY *left = keys;
    int64_t count = m, less = 0; /* left: `count` keys, those of `all`; `less` keys are below */
    bool stuck = false;
    for (int round = 0; count > NAMED(SMALL) && all.lo < all.hi; round++) {
        struct NAMED(interval) b = {all.lo, (KEY)(all.lo + (all.hi - all.lo) / 2)};
        if (!stuck || round % 2 == 0) b = NAMED(bracket)(left, count, rank - less, all, round, stuck);
        struct sifted s = NAMED(sift)(left, count, b.lo, b.hi, buf);
        if (rank - less >= s.less && rank - less < s.less + s.inside) {
            stuck = s.inside > count / 4 * 3;
            all = b;
            less += s.less;
            count = s.inside;
        } else {
            if (rank - less < s.less)
                all.hi = b.lo - 1;
            else
                all.lo = b.hi + 1;
            s = NAMED(sift)(keys, m, all.lo, all.hi, buf);
            less = s.less;
            count = s.inside;
        }
        stuck |= round >= 4;
        left = buf;
    }
    if (all.lo == all.hi) return (struct NAMED(selected)){all.lo, less, count};
    struct NAMED(selected) found = NAMED(select_small)(left, (int)count, rank - less);
    found.less += less;
    return found;
}
