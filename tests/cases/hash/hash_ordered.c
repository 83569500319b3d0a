/* Tables of the layout ORDERED equal, byte for byte, tables made by inserting pairs one by one; look-ups find all
 * keys, and no key with a neighbouring hash. */
#include "cases/hash/hash_data.h"
#include "core/cpu/level.h"
#include "hash/slots.h"
#include "reference/hash_ordered.h"
#include "support/arrays.h"
#include "support/slots_view.h"

/* A list of hashes; keys are made of them. */
struct hashes {
    int64_t n, room;
    bosc_hash_word *words;
};

static void add(struct hashes *h, bosc_hash_word word)
{
    if (h->n == h->room) {
        struct hashes larger = {h->n, 2 * h->room + 100, suite_alloc((size_t)(2 * h->room + 100) * sizeof word)};
        if (h->n) memcpy(larger.words, h->words, (size_t)h->n * sizeof word);
        free(h->words);
        *h = larger;
    }
    h->words[h->n++] = word;
}

/* The first hash of these top bits, or if all are 1 the last one; and `number` more. */
static bosc_hash_word hash_at(int32_t bits, uint32_t top, int64_t number)
{
    const uint64_t rest = top == UINT32_MAX ? UINT64_MAX : 0;
    if (bits == 32) return (bosc_hash_word){(uint32_t)(top + (uint64_t)number), 0};
    const uint64_t high = (uint64_t)top << 32 | rest >> 32;
    if (bits == 64) return (bosc_hash_word){high + (uint64_t)number, 0};
    return (bosc_hash_word){rest + (uint64_t)number, high};
}

static bosc_hash_word greatest(int32_t bits) { return hash_at(bits, UINT32_MAX, 0); }

static void add_random(struct hashes *h, int32_t bits, int64_t n, uint64_t seed)
{
    struct suite_random r = {seed};
    for (int64_t i = 0; i < n; i++) {
        bosc_hash_word word = {suite_next(&r), bits == 128 ? suite_next(&r) : 0};
        if (bits == 32) word.low &= UINT32_MAX;
        add(h, word);
    }
}

/* The pairs of these hashes, in an order of their own, and random values. */
static struct hash_pairs pairs_of(const struct hashes *h, const bosc_hash_opts *o)
{
    struct hash_pairs p = {.n = h->n, .key_bits = o->key_bits, .value_size = o->value_size};
    struct suite_random r = {(uint64_t)h->n};
    p.keys = suite_alloc((size_t)p.n * (size_t)p.key_bits / 8 + 16);
    p.values = suite_alloc((size_t)p.n * (size_t)p.value_size + 16);
    for (int64_t i = 0; i < h->n; i++) {
        const int64_t at = (int64_t)suite_below(&r, (uint64_t)(h->n - i)) + i;
        const bosc_hash_word word = h->words[at];
        h->words[at] = h->words[i];
        h->words[i] = word;
        bi_hash_store(p.keys, p.key_bits, i, bi_hash_key_of(word, p.key_bits, o->seed));
    }
    for (int64_t i = 0; i < p.n * p.value_size; i++) ((unsigned char *)p.values)[i] = (unsigned char)suite_next(&r);
    return p;
}

/* The bytes of a table's block. */
static unsigned char *bytes_of(bosc_ctx *ctx, const bosc_hash *table, int block, int64_t bytes)
{
    unsigned char *copy = suite_alloc((size_t)bytes + 1);
    if (bytes) CHECK_OK(ctx, ctx->backend->copy(ctx, copy, table->blocks[block].data, (size_t)bytes));
    CHECK_OK(ctx, ctx->backend->sync(ctx));
    return copy;
}

static void check_bytes(bosc_ctx *ctx, const bosc_hash *table, const struct reference_ordered *r)
{
    struct bi_hash_shape shape = table->shape;
    size_t bytes[BI_HASH_BLOCKS] = {0};
    table->layout->plan(&table->opts, table->keys, &shape, bytes);
    CHECK_EQ(bytes[BI_HASH_TABLE], r->bytes);
    CHECK_EQ(bytes[BI_HASH_DESCRIPTORS], 3 * sizeof(uint64_t));
    unsigned char *slots = bytes_of(ctx, table, BI_HASH_TABLE, r->bytes);
    uint64_t *descriptors = (uint64_t *)(void *)bytes_of(ctx, table, BI_HASH_DESCRIPTORS, 3 * sizeof(uint64_t));
    CHECK(memcmp(slots, r->slots, (size_t)r->bytes) == 0);
    CHECK_EQ(descriptors[0], 0);
    CHECK_EQ(descriptors[1], r->linear ? BOSC_HASH_LINEAR : 0);
    CHECK_EQ(descriptors[2], (uint64_t)r->size << BOSC_HASH_SEED_BITS);
    free(slots);
    free(descriptors);
}

/* True if a directory is that of the reference; positions of homes without a pair may differ. */
static bool is_directory(const uint32_t *directory, const struct reference_ordered *r)
{
    const uint32_t ranges = (1u << BOSC_HASH_HOME_RANGES) - 1;
    bool same = true;
    for (int64_t h = 0; h < r->homes; h++) {
        const uint32_t wanted = r->directory[h], apart = directory[h] ^ wanted;
        same = same && (wanted & (ranges >> 1) ? apart : apart & ranges) == 0;
    }
    return same;
}

/* Tables of the CPU have one, and the same where a table is read again. */
static void check_directory(bosc_ctx *ctx, const bosc_hash *table, const struct reference_ordered *r)
{
    bosc_hash_slots_view view;
    CHECK_OK(ctx, bosc_hash_get_slots_view(ctx, table, &view));
    CHECK((view.directory != NULL) == (r->directory && !has_device_memory(ctx)));
    if (!view.directory) return;
    CHECK(is_directory(view.directory, r));
    if (table->keys % 4) return; /* reading takes long */
    bosc_hash *again = saved_again(ctx, &saved_hash, table, 0);
    CHECK_OK(ctx, bosc_hash_get_slots_view(ctx, again, &view));
    CHECK(is_directory(view.directory, r));
    bosc_hash_free(again);
}

static void check_figures(bosc_ctx *ctx, const bosc_hash *table, const struct reference_ordered *r)
{
    bosc_hash_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_hash_get_info(ctx, table, &info));
    CHECK_EQ(table->extra_probes, r->extra);
    CHECK_EQ(info.slots, r->size);
    CHECK_EQ(info.linear, r->linear);
    CHECK_EQ(info.partitions, 1);
    CHECK_EQ(info.reseeded, 0);
    if (table->keys) CHECK_EQ(info.max_probes, r->linear ? (int32_t)r->size : (int32_t)r->length);
}

/* Looks each key up, and those whose hashes are one more, one less and, of 64 bits, the same but for the upper half; in
 * batches and, on the host, one by one. */
static void check_look_ups(bosc_ctx *ctx, const bosc_hash *table, const struct hash_pairs *p,
                           const struct reference_hash *oracle)
{
    const int32_t bits = p->key_bits;
    const int64_t step = p->n < 100000 ? 1 : 8, m = p->n / step * 4;
    void *queries = suite_alloc((size_t)m * (size_t)bits / 8 + 16);
    unsigned char *found = suite_alloc((size_t)m + 1);
    /* 1. Queries: each key with its hash, and with the hashes 1 below, 1 above and 2^32 above. */
    for (int64_t i = 0; i < m; i++) {
        bosc_hash_word key = bosc_hash_word_at(p->keys, i / 4 * step, bits);
        bosc_hash_word hash = bosc_hash_of(key, bits, table->shape.seed);
        hash.low += i % 4 == 3 ? 1ull << 32 : (uint64_t)(i % 4) - 1;
        if (bits == 32) hash.low &= UINT32_MAX;
        bi_hash_store(queries, bits, i, bi_hash_key_of(hash, bits, table->shape.seed));
    }
    /* 2. The calls agree with the oracle. */
    hash_check_queries(ctx, table, oracle, queries, m);
    CHECK_OK(ctx, bosc_hash_find(ctx, table, queries, m, NULL, found));
    /* 3. Look-ups by the view agree with the calls, at every level of the CPU. */
    bosc_hash_slots_view view;
    CHECK_OK(ctx, bosc_hash_get_slots_view(ctx, table, &view));
    for (int64_t i = 0; i < m && !has_device_memory(ctx); i++) {
        const bosc_hash_word key = bosc_hash_word_at(queries, i, bits);
        const int64_t slot = bosc_hash_slots_look_up(&view, key);
        const void *value = bosc_hash_slots_look_up_value(&view, key);
        const struct viewed by_level = BI_LEVEL_PICK(ctx->level, look_up_by_view)(&view, key);
        CHECK(by_level.slot == slot && by_level.value == value && by_level.typed == value);
        CHECK_EQ(slot >= 0, found[i]);
        CHECK((value == NULL) == (slot < 0));
        if (slot < 0) continue;
        CHECK(value == bosc_hash_slots_value_at(&view, slot));
        CHECK(bi_hash_same(bosc_hash_at_slot(&view, (uint64_t)slot), bosc_hash_of(key, bits, view.seed)));
    }
    free(queries);
    free(found);
}

/* By how much caches are made smaller: for groups of 2^6 homes or more, and of 2^11. */
enum { TINY_CACHES = 12, SMALL_CACHES = 2, SMALL_PAIRS = 1 << 15 };

/* Builds the table again, in memory that has no slots yet and with small caches assumed, so that pairs are partitioned
 * into groups of homes. The table must be the same. */
static void build_in_groups(bosc_ctx *ctx, const bosc_hash_opts *o, const struct hash_pairs *p,
                            const struct reference_ordered *r, int shift)
{
    bosc_hash *table = NULL;
    CHECK_OK(ctx, bosc_hash_create(ctx, o, &table));
    ctx->cache_shift = shift;
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p->keys, p->values, p->n));
    ctx->cache_shift = 0;
    check_figures(ctx, table, r);
    check_bytes(ctx, table, r);
    if (r->homes) check_directory(ctx, table, r);
    bosc_hash_free(table);
}

/* A table that is read again has memory for its slots only; it can grow and be built again. */
static void change_after_reading(bosc_ctx *ctx, const bosc_hash *table, const struct reference_hash *oracle)
{
    bosc_hash *again = saved_again(ctx, &saved_hash, table, 0);
    CHECK_OK(ctx, bosc_hash_rehash(ctx, again, 0, table->opts.seed));
    hash_check_pairs(ctx, again, oracle);
    bosc_hash_free(again);
    again = saved_again(ctx, &saved_hash, table, 0);
    CHECK_OK(ctx, bosc_hash_reserve(ctx, again, 4 * table->keys, 1));
    hash_check_pairs(ctx, again, oracle);
    bosc_hash_free(again);
}

/* Builds a table and compares it with the reference. Every second call prefetches lines. Returns true if the table is
 * linear. */
static bool compare_pairs(bosc_ctx *ctx, bosc_hash_opts o, const struct hash_pairs *p, bool look_ups)
{
    ctx->stores_wait = !ctx->stores_wait;
    bosc_hash *table = NULL;
    struct reference_hash oracle = {.opts = o};
    int64_t bad = -1;
    o.size = sizeof o;
    o.layout = BOSC_HASH_ORDERED;
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    oracle.opts = table->opts;
    /* The oracle says if the keys are allowed; a refused build must name the same row. */
    const bool fine = reference_hash_insert(&oracle, p->keys, p->values, p->n, &bad);
    bool linear = false;
    if (fine) {
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p->keys, p->values, p->n));
        struct reference_ordered r = reference_ordered_of(&oracle, bi_hash_slots_view_of(table, 0).stride);
        check_figures(ctx, table, &r);
        check_bytes(ctx, table, &r);
        if (r.homes) check_directory(ctx, table, &r);
        if (!has_device_memory(ctx) && p->n >= 100) build_in_groups(ctx, &o, p, &r, TINY_CACHES);
        if (!has_device_memory(ctx) && p->n > SMALL_PAIRS) build_in_groups(ctx, &o, p, &r, SMALL_CACHES);
        linear = r.linear;
        reference_ordered_free(&r);
        hash_check_pairs(ctx, table, &oracle);
        if (linear) change_after_reading(ctx, table, &oracle);
        if (look_ups) check_look_ups(ctx, table, p, &oracle);
    } else {
        char message[80];
        snprintf(message, sizeof message, "keys: row %lld is a key that came before", (long long)bad);
        CHECK_STATUS(ctx, bosc_hash_build(ctx, table, p->keys, p->values, p->n), BOSC_ERR_DATA);
        CHECK(strcmp(bosc_ctx_message(ctx), message) == 0);
    }
    reference_hash_clear(&oracle);
    bosc_hash_free(table);
    return linear;
}

static bool compare(bosc_ctx *ctx, bosc_hash_opts o, const struct hashes *h)
{
    struct hash_pairs p = pairs_of(h, &o);
    const bool linear = compare_pairs(ctx, o, &p, true);
    hash_free_pairs(&p);
    return linear;
}

static bosc_hash_opts options_of(int k)
{
    static const int32_t bits[] = {32, 64, 32, 64, 128}, value_sizes[] = {4, 8, 0, 8, 4, 3, 16};
    static const double loads[] = {0.8, 0.5, 0.7, 0.97, 0.9, 0};
    static const bosc_hash_duplicates treatments[] = {BOSC_HASH_LAST, BOSC_HASH_FIRST, BOSC_HASH_ERROR};
    bosc_hash_opts o = {.key_bits = bits[k % 5],
                        .value_size = value_sizes[k % 7],
                        .load_factor = loads[k % 6],
                        .seed = k % 4 ? (uint64_t)k * 0x123456789abcdefull : 0,
                        .counted = k % 11 == 3,
                        .duplicates = treatments[k % 3]};
    if (k % 13 == 5) {
        o.kind = BOSC_HASH_MULTIMAP;
        o.counted = 0;
        o.duplicates = BOSC_HASH_LAST;
    }
    return o;
}

/* Random pairs: all small sizes, under all kinds of options. */
static void every_small_size(bosc_ctx *ctx)
{
    for (int k = 0; k < 71 * 12; k++) {
        if (suite_leaves_out()) continue;
        struct hashes h = {0};
        const bosc_hash_opts o = options_of(k);
        add_random(&h, o.key_bits, k % 71, (uint64_t)k);
        compare(ctx, o, &h);
        free(h.words);
    }
}

static void sizes_around_powers_of_two(bosc_ctx *ctx)
{
    static const int64_t many[] = {127, 128, 129, 1000, 1023, 1024, 1025, 4095, 4096, 4099, 10000, 1 << 14, 40000};
    enum { SIZES = sizeof many / sizeof *many };
    for (int k = 0; k < 5 * SIZES; k++) {
        if (suite_leaves_out() || (suite_slow(ctx) && many[k % SIZES] > 4099)) continue;
        struct hashes h = {0};
        const bosc_hash_opts o = options_of(k);
        add_random(&h, o.key_bits, many[k % SIZES], (uint64_t)k);
        compare(ctx, o, &h);
        free(h.words);
    }
}

/* Tables larger than the caches of a core. */
static void larger_than_caches(bosc_ctx *ctx)
{
    for (int k = 0; k < 3; k++) {
        if (suite_leaves_out() || suite_slow(ctx)) continue;
        struct hashes h = {0};
        bosc_hash_opts o = {.key_bits = k == 1 ? 64 : 32, .value_size = k ? 8 : 4, .load_factor = k == 2 ? 0.97 : 0.8};
        add_random(&h, o.key_bits, 1 << 18, (uint64_t)k + 1);
        struct hash_pairs p = pairs_of(&h, &o);
        compare_pairs(ctx, o, &p, k == 1);
        hash_free_pairs(&p);
        free(h.words);
    }
}

/* The greatest hash has a slot of its own, and 0 stands there without it. */
static void greatest_hash(bosc_ctx *ctx)
{
    for (int k = 0; k < 120; k++) {
        if (suite_leaves_out()) continue;
        struct hashes h = {0};
        const bosc_hash_opts o = options_of(k);
        add_random(&h, o.key_bits, k % 40 * (k % 40), (uint64_t)k);
        if (k % 2) add(&h, (bosc_hash_word){0, 0});
        add(&h, greatest(o.key_bits));
        if (k % 5 == 4) add(&h, greatest(o.key_bits));
        if (k % 3 == 1) add(&h, hash_at(o.key_bits, UINT32_MAX, -1));
        compare(ctx, o, &h);
        free(h.words);
    }
}

/* Two pairs in one range of a home of the smallest table, the first with hash 0: the zeroed last slot, which one vector
 * holds with all others, is no pair with that hash, so the build needs no sort. */
static void hash_of_zero(bosc_ctx *ctx)
{
    for (int k = 0; k < 2 && ctx->backend->id == BOSC_BACKEND_CPU; k++) {
        const bosc_hash_opts o = {.size = sizeof o,
                                  .layout = BOSC_HASH_ORDERED,
                                  .key_bits = 32 << k,
                                  .value_size = 4 << k,
                                  .load_factor = 0.5};
        bosc_hash *table = NULL;
        uint64_t keys[2] = {0}, values[2] = {3, 5};
        struct bi_hash_report found;
        enum bi_hash_outcome outcome;
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        for (int i = 0; i < 2; i++)
            bi_hash_store(keys, o.key_bits, i, bi_hash_key_of((bosc_hash_word){(uint64_t)i, 0}, o.key_bits, 0));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, keys, values, 2));
        CHECK_EQ(table->shape.seed, 0);
        CHECK_OK(ctx, table->ops->build(ctx, table, keys, values, 2, &found, &outcome));
        CHECK(outcome == BI_HASH_BUILT && !found.repeats);
        bosc_hash_free(table);
    }
}

/* Hashes near the end push pairs beyond the last home, until there are more of them than slots. */
static void hashes_near_the_end(bosc_ctx *ctx)
{
    int64_t linear = 0, trials = 0;
    for (int k = 0; k < 240; k++) {
        if (suite_leaves_out()) continue;
        struct hashes h = {0};
        bosc_hash_opts o = options_of(k);
        o.load_factor = k % 2 ? 0.8 : 0.5; /* 90 and 36 slots behind the last home */
        const int64_t crowd = (k % 2 ? 90 : 36) - 4 + k / 2 % 9, others = k / 18 % 3 * 100 + 10;
        add_random(&h, o.key_bits, others, (uint64_t)k);
        for (int64_t i = 1; i <= crowd; i++) add(&h, hash_at(o.key_bits, UINT32_MAX, -i));
        if (k / 54 % 2) add(&h, greatest(o.key_bits));
        linear += compare(ctx, o, &h);
        trials++;
        free(h.words);
    }
    CHECK(trials < 20 || (linear > trials / 5 && linear < trials * 4 / 5));
}

/* The least hash of a home, of 32 or 64 bits. */
static uint64_t least_of_home(int32_t bits, uint64_t home, uint64_t homes)
{
    const unsigned __int128 product = (unsigned __int128)home << bits;
    return (uint64_t)((product + homes - 1) / homes);
}

/* Hashes at the borders of homes, many of them empty. For 64-bit hashes, a home computed from the top bits may be one
 * too low. In the larger tables the hashes lie where a thread's share of the directory ends (2^14 homes). With a
 * repeated key, the directory is made from sorted pairs. */
static void hashes_at_home_borders(bosc_ctx *ctx)
{
    enum { FEW = 400, MANY = 8300, PART = 1 << 14 };
    for (int k = 0; k < 48; k++) {
        if (suite_leaves_out()) continue;
        struct hashes h = {0};
        const bool at_chunk_end = k >= 40;
        const int64_t pairs = at_chunk_end ? MANY : FEW;
        const bosc_hash_opts o = {
            .key_bits = k % 2 ? 64 : 32, .value_size = k % 4 < 2 ? k % 2 * 4 + 4 : 4, .load_factor = 0.5};
        const uint64_t homes = 2 * (uint64_t)pairs, end = at_chunk_end ? PART + 16 : homes,
                       step = at_chunk_end ? 1 : 2 + (uint64_t)k % 5;
        for (uint64_t home = at_chunk_end ? PART - 4 : 1; home < end && h.n < FEW; home += step) {
            const uint64_t least = least_of_home(o.key_bits, home, homes);
            for (uint64_t i = 0; i < step / 2 + 1 && h.n < FEW; i++)
                add(&h, (bosc_hash_word){least + 3 * i - (k % 3 == 2 ? 3 : 0), 0});
        }
        if (h.n < pairs) add_random(&h, o.key_bits, pairs - h.n, (uint64_t)k);
        if (k % 8 >= 4) add(&h, h.words[0]);
        compare(ctx, o, &h);
        free(h.words);
    }
}

/* Many keys of one home. */
static void crowded(bosc_ctx *ctx)
{
    static const int64_t crowds[] = {2, 3, 7, 8, 9, 20, 100, 253, 254, 255, 256, 257, 258, 300, 600};
    enum { CROWDS = sizeof crowds / sizeof *crowds };
    for (int k = 0; k < 6 * CROWDS; k++) {
        if (suite_leaves_out()) continue;
        struct hashes h = {0};
        const bosc_hash_opts o = options_of(k);
        const uint32_t top = k % 3 == 0 ? 0 : k % 3 == 1 ? 0x80000000u : 0xc1234567u;
        add_random(&h, o.key_bits, k / CROWDS % 2 ? 500 : 3000, (uint64_t)k);
        for (int64_t i = 0; i < crowds[k % CROWDS]; i++) add(&h, hash_at(o.key_bits, top, i));
        compare(ctx, o, &h);
        free(h.words);
    }
}

/* The last home of a group has more pairs than its counter holds and than there are empty slots before the next group
 * is built. The first homes of that group are empty, so that all pairs fit. */
static void crowded_group(bosc_ctx *ctx)
{
    enum { PAIRS = 40000, HOMES = PAIRS * 5 / 4, GROUP = 1 << 11, NONE = GROUP / 8 };
    for (int k = 0; k < 4; k++) {
        if (suite_leaves_out() || suite_emulated(ctx)) continue;
        struct hashes h = {0};
        const bosc_hash_opts o = {.key_bits = k % 2 ? 64 : 32, .value_size = k % 2 ? 8 : 4};
        const uint64_t least = least_of_home(o.key_bits, GROUP - 1, HOMES);
        struct suite_random r = {(uint64_t)k};
        for (uint64_t i = 0; i < 258 + 10 * (uint64_t)k; i++) add(&h, (bosc_hash_word){least + i, 0});
        while (h.n < PAIRS) {
            const bosc_hash_word word = {suite_next(&r) >> (64 - o.key_bits), 0};
            if (word.low >= least_of_home(o.key_bits, NONE, HOMES)) add(&h, word);
        }
        compare(ctx, o, &h);
        free(h.words);
    }
}

/* Far more pairs belong to the last group than it has room for. */
static void full_group(bosc_ctx *ctx)
{
    enum { OTHERS = 1000, CROWD = 3000, CROWDED = 100, HOMES = (OTHERS + CROWD) * 5 / 4 };
    for (int k = 0; k < 4; k++) {
        if (suite_leaves_out()) continue;
        struct hashes h = {0};
        const bosc_hash_opts o = {.key_bits = k % 2 ? 64 : 32, .value_size = k / 2 ? 8 : 4};
        add_random(&h, o.key_bits, OTHERS, (uint64_t)k);
        for (int i = 0; i < CROWD; i++) {
            const uint64_t least = least_of_home(o.key_bits, HOMES - 1 - i % CROWDED, HOMES);
            add(&h, (bosc_hash_word){least + (uint64_t)(i / CROWDED), 0});
        }
        compare(ctx, o, &h);
        free(h.words);
    }
}

/* One key comes twice, or some often. */
static void repeats(bosc_ctx *ctx)
{
    for (int k = 0; k < 180; k++) {
        if (suite_leaves_out()) continue;
        struct hashes h = {0};
        const bosc_hash_opts o = options_of(k);
        add_random(&h, o.key_bits, 2 + k * k / 20, (uint64_t)k);
        const int64_t times = k % 4 == 3 ? 1 + k % 300 : 1;
        for (int64_t i = 0, from = k % h.n; i < times; i++) add(&h, h.words[from]);
        compare(ctx, o, &h);
        free(h.words);
    }
}

/* Tables of the CPU are built without a sort where nothing is in the way, at once or in groups: a sort, which makes the
 * same bytes, takes longer. */
static void at_once(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    for (int k = 0; k < 12 && info.backend == BOSC_BACKEND_CPU; k++) {
        struct hashes h = {0};
        struct bi_hash_report found;
        bosc_hash *table = NULL;
        enum bi_hash_outcome outcome = BI_HASH_UNTOUCHED;
        bosc_hash_opts o = {
            .size = sizeof o, .layout = BOSC_HASH_ORDERED, .key_bits = k % 2 ? 64 : 32, .value_size = k / 2 % 3 * 4};
        add_random(&h, o.key_bits, 3000 + k, (uint64_t)k + 1);
        add(&h, greatest(o.key_bits));
        struct hash_pairs p = pairs_of(&h, &o);
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, p.n));
        ctx->cache_shift = k / 6 * TINY_CACHES;
        CHECK_OK(ctx, table->ops->build(ctx, table, p.keys, p.values, p.n, &found, &outcome));
        ctx->cache_shift = 0;
        CHECK(outcome == BI_HASH_BUILT && !found.repeats);
        CHECK_EQ(found.extra_probes, table->extra_probes);
        bosc_hash_free(table);
        hash_free_pairs(&p);
        free(h.words);
    }
}

static const struct suite_case suite_cases_hash_ordered[] = {
    {"small", every_small_size, NULL},
    {"sizes", sizes_around_powers_of_two, NULL},
    {"large", larger_than_caches, NULL},
    {"greatest hash", greatest_hash, NULL},
    {"hash of zero", hash_of_zero, NULL},
    {"ends", hashes_near_the_end, NULL},
    {"crowded", crowded, NULL},
    {"repeats", repeats, NULL},
    {"at once", at_once, NULL},
    {"edges", hashes_at_home_borders, NULL},
    {"crowded group", crowded_group, NULL},
    {"full group", full_group, NULL},
};
SUITE(hash_ordered);
