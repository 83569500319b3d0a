/* The lives of tables: the same bytes everywhere, memory that is kept, views, partitions without a good seed,
 * faults. */
#include "support/arrays.h"
#include "support/faults.h"
#include "cases/hash/hash_data.h"

static bosc_hash *build_table(bosc_ctx *ctx, bosc_hash_opts o, const struct hash_pairs *p)
{
    bosc_hash *table = NULL;
    o.size = sizeof o;
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    bosc_status status = bosc_hash_build(ctx, table, p->keys, p->values, p->n);
    CHECK(status == BOSC_OK || (status == BOSC_ERR_DATA && o.duplicates == BOSC_HASH_ERROR));
    return table;
}

/* A table is a function of its pairs and options: not of threads, levels, backends. */
static void same_bytes(bosc_ctx *ctx)
{
    bosc_ctx_opts plain = {.size = sizeof plain, .threads = 1, .cpu_level = BOSC_CPU_V1};
    bosc_ctx *other = NULL;
    CHECK_EQ(bosc_ctx_create(&plain, &other), BOSC_OK);
    for (int k = 0; k < 50; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = hash_options(k);
        int64_t n = suite_slow(ctx) ? 50 + 30 * k : 50 + 771 * k, count;
        enum hash_pattern pattern = (enum hash_pattern)(k % HASH_PATTERNS);
        if (pattern == HASH_ONE_FOLD) n = 100;
        struct hash_pairs p = hash_make(pattern, &o, (uint64_t)k, n);
        bosc_hash *a = build_table(ctx, o, &p), *b = build_table(other, o, &p);
        /* After the build, an erasure and an insertion the saved bytes are equal. */
        for (int change = 0; change < 3; change++) {
            if (change == 1) {
                CHECK_OK(ctx, bosc_hash_erase(ctx, a, p.keys, n / 3, &count));
                CHECK_OK(other, bosc_hash_erase(other, b, p.keys, n / 3, &count));
            } else if (change == 2) {
                bosc_status status = bosc_hash_insert(ctx, a, p.keys, p.values, n / 7);
                CHECK_STATUS(other, bosc_hash_insert(other, b, p.keys, p.values, n / 7), status);
            }
            struct saved f = hash_save(ctx, a), g = hash_save(other, b);
            CHECK(f.size == g.size && memcmp(f.bytes, g.bytes, f.size) == 0);
            free(f.bytes);
            free(g.bytes);
        }
        bosc_hash_free(a);
        bosc_hash_free(b);
        hash_free_pairs(&p);
    }
    bosc_ctx_free(other);
}

/* Parts of all sizes around the common ones, as full as may be. */
static void full_partitions(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {16383, 16384, 16385, 8191, 8193, 20000, 40000};
    for (int k = 0; k < 14; k++) {
        if (suite_slow(ctx) && k > 1) break;
        bosc_hash_opts o = {.layout = BOSC_HASH_BUCKETED,
                            .key_bits = k < 7 ? 32 : 64,
                            .value_size = 4,
                            .load_factor = k % 2 ? 0.97 : 0.95};
        int64_t n = suite_slow(ctx) ? 5000 : sizes[k % 7];
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, n);
        bosc_hash *table = build_table(ctx, o, &p);
        bosc_hash_info info = {.size = sizeof info};
        uint8_t *found = suite_alloc((size_t)n);
        CHECK_OK(ctx, bosc_hash_get_info(ctx, table, &info));
        CHECK_EQ(info.keys, n);
        CHECK_EQ(info.linear, 0);
        CHECK(info.load_factor > o.load_factor - 0.005 && info.load_factor <= o.load_factor && info.max_probes == 2);
        CHECK_OK(ctx, bosc_hash_find(ctx, table, p.keys, n, NULL, found));
        for (int64_t i = 0; i < n; i++) CHECK(found[i]);
        free(found);
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
}

/* Partitions whose keys no seed separates are searched from end to end; others are not. */
static void linear(bosc_ctx *ctx)
{
    for (int bits = 64; bits <= 128; bits *= 2) {
        bosc_hash_opts o = {.layout = BOSC_HASH_BUCKETED, .key_bits = bits, .value_size = 4, .seed = 99};
        struct hash_pairs p = hash_make(HASH_ONE_FOLD, &o, 1, 100);
        bosc_hash *table = build_table(ctx, o, &p);
        bosc_hash_info info = {.size = sizeof info};
        CHECK_OK(ctx, bosc_hash_get_info(ctx, table, &info));
        CHECK_EQ(info.linear, 1);
        CHECK_EQ(info.keys, 100);
        CHECK(info.max_probes >= 25);
        uint32_t values[100];
        uint8_t found[100];
        CHECK_OK(ctx, bosc_hash_find(ctx, table, p.keys, 100, values, found));
        CHECK(memcmp(values, p.values, sizeof values) == 0);
        int64_t erased;
        CHECK_OK(ctx, bosc_hash_erase(ctx, table, p.keys, 50, &erased));
        CHECK_EQ(erased, 50);
        CHECK_OK(ctx, bosc_hash_find(ctx, table, p.keys, 100, NULL, found));
        for (int i = 0; i < 100; i++) CHECK_EQ(found[i], i >= 50);
        CHECK_OK(ctx, bosc_hash_rehash(ctx, table, 0, 100));
        CHECK_OK(ctx, bosc_hash_find(ctx, table, p.keys, 100, NULL, found));
        for (int i = 0; i < 100; i++) CHECK_EQ(found[i], i >= 50);
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
}

/* Look-ups by a view, as in a user's own loop. */
static void views(bosc_ctx *ctx)
{
    if (has_device_memory(ctx)) return;
    /* 1. Maps: half of the looked-up keys are there. */
    for (int bits = 32; bits <= 128; bits *= 2) {
        bosc_hash_opts o = {
            .layout = BOSC_HASH_BUCKETED, .key_bits = bits, .value_size = 4, .load_factor = 0.9, .seed = 5};
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, 3000);
        bosc_hash *table = build_table(ctx, o, &p);
        bosc_hash_view view;
        CHECK_OK(ctx, bosc_hash_get_view(ctx, table, &view));
        CHECK(view.version == BOSC_HASH_VIEW_VERSION && view.key_bits == bits && view.value_size == 4 && !view.values);
        for (int64_t i = 0; i < 6000; i++) {
            int64_t slot = bosc_hash_look_up(&view, (bosc_hash_word){(uint64_t)i, 0});
            CHECK((slot >= 0) == (i < 3000));
            if (slot >= 0) CHECK(memcmp(bosc_hash_value_at(&view, slot), (char *)p.values + 4 * i, 4) == 0);
        }
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
    /* 2. A multimap: the slot gives the run of the values of a key. */
    bosc_hash_opts multi = {.layout = BOSC_HASH_BUCKETED, .kind = BOSC_HASH_MULTIMAP, .value_size = 1};
    struct hash_pairs p = hash_make(HASH_EQUAL, &multi, 1, 40);
    bosc_hash *table = build_table(ctx, multi, &p);
    bosc_hash_view view;
    CHECK_OK(ctx, bosc_hash_get_view(ctx, table, &view));
    int64_t slot = bosc_hash_look_up(&view, bosc_hash_word_at(p.keys, 0, 32));
    CHECK(slot >= 0);
    const uint32_t *run = bosc_hash_value_at(&view, slot);
    CHECK_EQ(run[1], 40);
    CHECK(memcmp(view.values + run[0], p.values, 40) == 0);
    bosc_hash_free(table);
    hash_free_pairs(&p);
}

/* A second build, of the same size or smaller, and queries allocate nothing; nor do first ones after a reserve. */
static void second_build(bosc_ctx *ctx)
{
    for (int k = 0; k < 12; k++) {
        int64_t live[2];
        bosc_ctx *counted = counted_context(ctx, live);
        bosc_hash_opts o = {
            .size = sizeof o, .key_bits = 32 << k % 3, .value_size = k % 6 < 3 ? 4 : 12, .counted = k % 6 == 4};
        o.layout = k < 6 ? BOSC_HASH_BUCKETED : BOSC_HASH_AUTO;
        if (k == 5) o.value_size = 64; /* staged values take more room than everything else */
        int64_t n = !suite_slow(ctx) ? 20000 : k == 5 ? 3000 : 500, m = k == 5 ? 1 : n;
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, n);
        uint8_t *found = suite_alloc((size_t)n);
        void *values = suite_alloc((size_t)(n * o.value_size));
        bosc_hash *table = NULL;
        CHECK_OK(counted, bosc_hash_create(counted, &o, &table));
        CHECK_OK(counted, bosc_hash_reserve(counted, table, n, m));
        int64_t before[2] = {live[0], live[1]};
        for (int i = 0; i < 3; i++) {
            CHECK_OK(counted, bosc_hash_build(counted, table, p.keys, p.values, i == 1 ? n / 2 : n));
            CHECK_OK(counted, bosc_hash_find(counted, table, p.keys, m, values, found));
            CHECK(live[0] == before[0] && live[1] == before[1]);
        }
        for (int i = 0; i < 3; i++) {
            int64_t allocations = counted_allocations();
            CHECK_OK(counted, bosc_hash_rehash(counted, table, 0, (uint64_t)i));
            CHECK_OK(counted, bosc_hash_find(counted, table, p.keys, n, values, found));
            CHECK(memcmp(values, p.values, (size_t)(n * o.value_size)) == 0);
            if (i > 0) CHECK_EQ(counted_allocations(), allocations);
        }
        CHECK_OK(counted, bosc_hash_reserve(counted, table, 2 * n, 1)); /* a reserve keeps the contents */
        CHECK_OK(counted, bosc_hash_find(counted, table, p.keys, n, values, found));
        CHECK(memcmp(values, p.values, (size_t)(n * o.value_size)) == 0);
        int64_t kept, scratch;
        bosc_hash_info info = {.size = sizeof info};
        CHECK_OK(counted, bosc_hash_bytes(counted, &o, 2 * n, &kept, &scratch));
        CHECK_OK(counted, bosc_hash_get_info(counted, table, &info));
        CHECK_EQ(info.bytes, kept);
        CHECK(scratch > 0);
        bosc_ctx_free(counted);
        bosc_hash_free(table);
        CHECK(live[0] == 0 && live[1] == 0);
        hash_free_pairs(&p);
        free(found);
        free(values);
    }
}

/* After a reserve builds of fewer pairs allocate nothing, whichever way they are made. */
static void smaller_builds(bosc_ctx *ctx)
{
    if (suite_slow(ctx)) return;
    for (int k = 0; k < 9; k++) {
        int64_t live[2], n = k % 2 ? 33000 : 140000;
        bosc_ctx *counted = counted_context(ctx, live);
        bosc_hash_opts o = {.size = sizeof o, .key_bits = 32 << k % 3, .value_size = 8};
        if (k < 6) o.layout = BOSC_HASH_BUCKETED;
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, n);
        bosc_hash *table = NULL;
        CHECK_OK(counted, bosc_hash_create(counted, &o, &table));
        CHECK_OK(counted, bosc_hash_reserve(counted, table, n, 1));
        int64_t before[2] = {live[0], live[1]};
        for (int64_t m = n; m > 500; m = m * 3 / 4) {
            CHECK_OK(counted, bosc_hash_build(counted, table, p.keys, p.values, m));
            CHECK(live[0] == before[0] && live[1] == before[1]);
        }
        bosc_ctx_free(counted);
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
}

/* A build with another seed takes no more memory than the one before. */
static void other_seeds(bosc_ctx *ctx)
{
    int64_t live[2], n = suite_slow(ctx) ? 500 : 100000, before = 0;
    bosc_ctx *counted = counted_context(ctx, live);
    bosc_hash_opts o = {.size = sizeof o, .value_size = 4};
    uint32_t *keys = suite_alloc((size_t)n * sizeof *keys);
    for (int64_t i = 0; i < n; i++) keys[i] = 7 * (uint32_t)i;
    bosc_hash *table = NULL;
    CHECK_OK(counted, bosc_hash_create(counted, &o, &table));
    CHECK_OK(counted, bosc_hash_build(counted, table, keys, keys, n));
    for (uint64_t seed = 5; seed < 11; seed++) {
        CHECK_OK(counted, bosc_hash_rehash(counted, table, 0, seed));
        if (seed > 5) CHECK_EQ(counted_allocations(), before);
        before = counted_allocations();
    }
    bosc_hash_free(table);
    bosc_ctx_free(counted);
    free(keys);
}

/* Faults in everything that a table does. */
struct faulty {
    bosc_hash_opts opts;
    struct hash_pairs first, more;
    struct saved file;
    uint32_t values[64];
    uint8_t found[64];
    int64_t erased, offsets[65], ids[64], count;
    bool kept, brief;
};

static bosc_status call_everything(bosc_ctx *ctx, void *user)
{
    /* Every call on tables; stops at the first failure. kept: a failed insertion left the number of keys. */
    struct faulty *f = user;
    bosc_hash *table = NULL, *back = NULL;
    bosc_hash_info info = {.size = sizeof info};
    f->file.size = f->file.at = 0;
    f->kept = true;
    bosc_status s = bosc_hash_create(ctx, &f->opts, &table);
    if (s == BOSC_OK) s = bosc_hash_build(ctx, table, f->first.keys, f->first.values, f->first.n);
    int64_t keys = s == BOSC_OK ? table->keys : 0;
    if (s == BOSC_OK) {
        s = bosc_hash_insert(ctx, table, f->more.keys, f->more.values, f->more.n);
        if (s == BOSC_ERR_NOMEM) f->kept = table->keys == keys;
    }
    if (s == BOSC_OK && f->brief) s = bosc_hash_find(ctx, table, f->first.keys, f->first.n, f->values, f->found);
    if (s != BOSC_OK || f->brief) {
        bosc_hash_free(table);
        return s;
    }
    s = bosc_hash_rehash(ctx, table, 0, 77);
    if (s == BOSC_OK) s = bosc_hash_write(ctx, table, saved_append, &f->file);
    if (s == BOSC_OK) s = bosc_hash_read(ctx, saved_deliver, &f->file, &back);
    if (s == BOSC_OK) s = bosc_hash_erase(ctx, back, f->more.keys, 3, &f->erased);
    if (s == BOSC_OK) s = bosc_hash_get_info(ctx, back, &info);
    if (s == BOSC_OK) s = bosc_hash_reserve(ctx, back, 1000, 100);
    if (s == BOSC_OK) s = bosc_hash_get_pairs(ctx, back, NULL, NULL, f->offsets);
    if (s == BOSC_OK) s = bosc_hash_unique(ctx, f->first.keys, f->first.n, f->opts.key_bits, f->ids, NULL, &f->count);
    if (s == BOSC_OK) s = bosc_hash_retrieve(ctx, back, f->first.keys, f->first.n, f->offsets, NULL, 0);
    if (s == BOSC_OK) s = bosc_hash_find(ctx, back, f->first.keys, f->first.n, f->values, f->found);
    bosc_hash_free(table);
    bosc_hash_free(back);
    return s;
}

static void prepare(void *user) { memset(((struct faulty *)user)->found, 0x77, 64); }

static bool untouched(void *user)
{
    struct faulty *f = user;
    for (int i = 0; i < 64; i++)
        if (f->found[i] != 0x77) return false;
    return f->kept;
}

static bool right(void *user)
{
    struct faulty *f = user;
    for (int i = 3; i < f->first.n; i++)
        if (f->found[i] != 1) return false;
    return f->brief || (f->file.at == f->file.size && f->erased == 3 && f->count == f->first.n);
}

static void faults(bosc_ctx *ctx)
{
    for (int k = 0; k < 2 + BOSC_HASH_ORDERED; k++) {
        if (suite_leaves_out()) continue;
        struct faulty f = {
            .opts = {.size = sizeof f.opts, .key_bits = 32 << k % 3, .value_size = 4, .counted = k == 1}};
        f.brief = has_device_memory(ctx) && suite_slow(ctx);
        if (f.brief && k) break;
        if (k == 2) f.opts.kind = BOSC_HASH_MULTIMAP;
        f.opts.layout = k > 2 ? (bosc_hash_layout)(BOSC_HASH_PERFECT + k - 3) : k ? BOSC_HASH_BUCKETED : BOSC_HASH_AUTO;
        f.first = hash_make(HASH_SEQUENCE, &f.opts, 1, 40);
        f.more = hash_make(HASH_SEQUENCE, &f.opts, 2, 9);
        struct fault_sweep sweep = {
            .call = call_everything, .prepare = prepare, .untouched = untouched, .right = right, .user = &f};
        CHECK(fault_sweep(ctx, &sweep) > 3);
        hash_free_pairs(&f.first);
        hash_free_pairs(&f.more);
        free(f.file.bytes);
    }
}

enum { ERASED = 9 };

/* A launch that lacks device memory, during an insertion or an erasure in place. The table is then the old one, or
 * empty if its buckets may be overwritten. */
struct change {
    bool erases; /* the first ERASED keys */
    bosc_hash_opts opts;
    struct hash_pairs first, more;
    bosc_ctx *ctx;
    bosc_hash *table;
    int64_t emptied;
};

static void open_change(bosc_ctx *ctx, void *user)
{
    struct change *f = user;
    f->ctx = ctx;
    CHECK_OK(ctx, bosc_hash_create(ctx, &f->opts, &f->table));
    CHECK_OK(ctx, bosc_hash_build(ctx, f->table, f->first.keys, f->first.values, f->first.n));
}

static void close_change(void *user) { bosc_hash_free(((struct change *)user)->table); }

static bosc_status change_in_place(bosc_ctx *ctx, void *user)
{
    struct change *f = user;
    if (f->erases) return bosc_hash_erase(ctx, f->table, f->first.keys, ERASED, NULL);
    return bosc_hash_insert(ctx, f->table, f->more.keys, f->more.values, f->more.n);
}

/* Returns the number of pairs that the table holds. */
static int64_t count_held(const struct change *f, const struct hash_pairs *p)
{
    uint8_t found[64];
    uint32_t values[64];
    int64_t held = 0;
    CHECK_OK(f->ctx, bosc_hash_find(f->ctx, f->table, p->keys, p->n, values, found));
    for (int64_t i = 0; i < p->n; i++) held += found[i] && values[i] == ((const uint32_t *)p->values)[i];
    return held;
}

static bool holds_old_pairs(void *user)
{
    struct change *f = user;
    f->emptied += f->table->keys == 0;
    return f->table->keys == 0 || (f->table->keys == f->first.n && count_held(f, &f->first) == f->first.n);
}

/* Earlier failures may have emptied the table. */
static bool is_changed(void *user)
{
    const struct change *f = user;
    const int64_t held = count_held(f, f->erases ? &f->first : &f->more);
    return f->erases ? held == f->table->keys && held <= f->first.n - ERASED : held == f->more.n;
}

static void changes_without_memory(bosc_ctx *ctx)
{
    for (int erases = 0; erases < 2; erases++) {
        struct change f = {
            .erases = erases != 0,
            .opts = {.size = sizeof f.opts, .layout = BOSC_HASH_BUCKETED, .key_bits = 32, .value_size = 4}};
        f.opts.load_factor = 0.5;
        f.first = hash_make(HASH_SEQUENCE, &f.opts, 1, 40);
        f.more = hash_make(HASH_SEQUENCE, &f.opts, 2, 9); /* the same keys, other values */
        struct fault_sweep sweep = {.kinds = BI_FAULT_LAUNCH_MEMORY,
                                    .open = open_change,
                                    .close = close_change,
                                    .call = change_in_place,
                                    .untouched = holds_old_pairs,
                                    .right = is_changed,
                                    .may_pass_none = true, /* on the CPU */
                                    .user = &f};
        fault_sweep(ctx, &sweep);
        CHECK(f.emptied == 0 || ctx->backend->id == BOSC_BACKEND_CUDA);
        hash_free_pairs(&f.first);
        hash_free_pairs(&f.more);
    }
}

/* Outputs of lists and look-ups are written completely, or not at all. */
struct listed {
    struct answers {
        uint64_t keys[64], values[64];
        int64_t ids[64], counts[65], count;
        uint8_t found[64];
    } out;
    bosc_hash_opts opts;
    struct hash_pairs pairs;
    bosc_hash *table;
    int64_t offsets[65];
    int which;
};

static void open_listed(bosc_ctx *ctx, void *user)
{
    struct listed *l = user;
    CHECK_OK(ctx, bosc_hash_create(ctx, &l->opts, &l->table));
    CHECK_OK(ctx, bosc_hash_build(ctx, l->table, l->pairs.keys, l->pairs.values, l->pairs.n));
    CHECK_OK(ctx, bosc_hash_retrieve(ctx, l->table, l->pairs.keys, 5, l->offsets, NULL, 0));
}

static void close_listed(void *user) { bosc_hash_free(((struct listed *)user)->table); }

static bosc_status list(bosc_ctx *ctx, void *user)
{
    struct listed *l = user;
    struct answers *o = &l->out;
    const struct hash_pairs *p = &l->pairs;
    switch (l->which) {
    case 0: return bosc_hash_unique(ctx, p->keys, p->n, l->opts.key_bits, o->ids, o->keys, &o->count);
    case 1: return bosc_hash_get_pairs(ctx, l->table, o->keys, o->values, o->counts);
    case 2: return bosc_hash_get_pairs(ctx, l->table, o->keys, o->values, NULL);
    case 3: return bosc_hash_find(ctx, l->table, p->keys, p->n, o->values, o->found);
    case 4: return bosc_hash_count(ctx, l->table, p->keys, p->n, o->counts);
    case 5: return bosc_hash_retrieve(ctx, l->table, p->keys, p->n, o->counts, NULL, 0);
    default: return bosc_hash_retrieve(ctx, l->table, p->keys, 5, l->offsets, o->values, 64);
    }
}

static void faults_of_lists(bosc_ctx *ctx)
{
    struct listed *l = suite_alloc(sizeof *l);
    for (int kind = 0; kind < 21; kind++) {
        if (suite_leaves_out()) continue;
        memset(l, 0, sizeof *l);
        l->which = kind % 7;
        l->opts = (bosc_hash_opts){.size = sizeof l->opts, .key_bits = 64, .value_size = 4, .counted = kind / 7 == 1};
        if (kind / 7 == 2) l->opts.kind = BOSC_HASH_MULTIMAP;
        l->pairs = hash_make(HASH_FEW, &l->opts, 1, 40);
        struct fault_sweep sweep = {.call = list,
                                    .open = open_listed,
                                    .close = close_listed,
                                    .user = l,
                                    .outputs = &l->out,
                                    .output_bytes = sizeof l->out};
        fault_sweep(ctx, &sweep);
        hash_free_pairs(&l->pairs);
    }
    free(l);
}

/* A build that fails for its data leaves an empty table, which can be queried and built again. */
static void failed_build(bosc_ctx *ctx)
{
    for (int layout = BOSC_HASH_AUTO; layout <= BOSC_HASH_ORDERED; layout++) {
        bosc_hash_opts o = {.layout = (bosc_hash_layout)layout, .value_size = 4, .duplicates = BOSC_HASH_ERROR};
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, 50), q = hash_make(HASH_EQUAL, &o, 1, 2);
        bosc_hash *table = build_table(ctx, o, &p);
        uint8_t found[50];
        /* 1. A refused insertion leaves the table. */
        CHECK_STATUS(ctx, bosc_hash_insert(ctx, table, p.keys, p.values, 1), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), "keys: row 0 "));
        CHECK_OK(ctx, bosc_hash_find(ctx, table, p.keys, 50, NULL, found));
        for (int i = 0; i < 50; i++) CHECK(found[i]);
        /* 2. A refused build leaves it empty. */
        CHECK_STATUS(ctx, bosc_hash_build(ctx, table, q.keys, q.values, 2), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), "keys: row 1 "));
        struct reference_hash empty = {.opts = table->opts};
        hash_check_pairs(ctx, table, &empty);
        hash_check_queries(ctx, table, &empty, p.keys, 50);
        /* 3. The empty table can be saved, read, inserted into and built. */
        struct saved f = hash_save(ctx, table);
        bosc_hash *back = hash_load(ctx, &f);
        hash_check_pairs(ctx, back, &empty);
        CHECK_OK(ctx, bosc_hash_insert(ctx, back, p.keys, p.values, 50));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, 50));
        CHECK_OK(ctx, bosc_hash_find(ctx, back, p.keys, 50, NULL, found));
        for (int i = 0; i < 50; i++) CHECK(found[i]);
        free(f.bytes);
        bosc_hash_free(back);
        bosc_hash_free(table);
        hash_free_pairs(&p);
        hash_free_pairs(&q);
    }
}

static const struct suite_case suite_cases_hash_life[] = {
    {"same bytes", same_bytes, NULL},
    {"full partitions", full_partitions, NULL},
    {"linear", linear, NULL},
    {"views", views, NULL},
    {"faults", faults, NULL},
    {"changes without memory", changes_without_memory, NULL},
    {"faults of lists", faults_of_lists, NULL},
    {"smaller builds", smaller_builds, NULL},
    {"second build", second_build, NULL},
    {"other seeds", other_seeds, NULL},
    {"failed build", failed_build, NULL},
};
SUITE(hash_life);
