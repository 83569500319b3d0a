/* Partition, fill and find on the CPU: threads share pairs, parts, queries. */
#include <string.h>

#include "base/bits.h"
#include "base/fault.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/bucketed.h"
#include "hash/drivers.h"

#if defined(__x86_64__)
#define PICK(ctx, name) ((ctx)->level == BOSC_CPU_V4 ? name##_v4 : (ctx)->level == BOSC_CPU_V3 ? name##_v3 : name##_v1)
#else
#define PICK(ctx, name) ((void)(ctx), name##_v1)
#endif

enum {
    GRAIN = 1 << 14,       /* pairs, or queries, that are worth a thread */
    STREAMED = 8 << 20,    /* bytes of lists or tables that are written past the caches */
    LEAST_FOR_A_PART = 16, /* pairs of a thread's share for each part */
    MOST_THREADS = 256     /* that an estimate of memory allows for */
};

static size_t count_of_parts(const struct bi_hash_shape *s) { return (size_t)1 << s->part_bits; }

/* Counts of each thread and part become places, in the order (part, thread). */
static void place(const struct bi_hash_scatter *shares, int threads, size_t parts, uint32_t *starts)
{
    uint32_t at = 0;
    for (size_t p = 0; p < parts; p++) {
        starts[p] = at;
        for (int t = 0; t < threads; t++) {
            uint32_t count = shares[t].places[p];
            shares[t].places[p] = shares[t].begins[p] = at;
            at += count;
        }
    }
    starts[parts] = at;
}

/* Memory of the threads: places and begins, and lines where the output streams. */
static bosc_status take_shares(bosc_ctx *ctx, const struct bi_hash_scatter *whole, int threads,
                               struct bi_hash_scatter **shares)
{
    size_t parts = count_of_parts(whole->shape), lines = whole->streams ? parts * 2 * BI_HASH_LINE : 0;
    void *memory, *words, *line_memory;
    BI_TRY(bi_scratch(ctx, (size_t)threads * sizeof **shares, &memory));
    BI_TRY(bi_scratch(ctx, (size_t)threads * parts * 2 * sizeof(uint32_t), &words));
    BI_TRY(bi_scratch(ctx, (size_t)threads * lines, &line_memory));
    *shares = memory;
    for (int t = 0; t < threads; t++) {
        struct bi_hash_scatter *s = *shares + t;
        *s = *whole;
        s->begin = bi_chunk_begin(whole->end, threads, t);
        s->end = bi_chunk_begin(whole->end, threads, t + 1);
        s->places = (uint32_t *)words + (size_t)t * 2 * parts;
        s->begins = s->places + parts;
        s->lines = lines ? (char *)line_memory + (size_t)t * lines : NULL;
    }
    return BOSC_OK;
}

static bool is_payload(int32_t value_bytes) { return value_bytes == 0 || value_bytes == 4 || value_bytes == 8; }

static bosc_status cpu_partition(bosc_ctx *ctx, const struct bi_hash_shape *shape, const void *keys, const void *values,
                                 int64_t n, struct bi_hash_lists *lists)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash partition: injected fault");
    size_t parts = count_of_parts(shape);
    bool rows = !is_payload(shape->value_bytes);
    int32_t payload_bytes = rows ? 4 : shape->value_bytes;
    void *hashes, *payload, *starts;
    BI_TRY(bi_hash_scratch(ctx, n, shape->key_bytes, &hashes));
    BI_TRY(bi_hash_scratch(ctx, n, payload_bytes, &payload));
    BI_TRY(bi_scratch(ctx, (parts + 1) * sizeof(uint32_t), &starts));
    int64_t grain = (int64_t)parts * LEAST_FOR_A_PART;
    int threads = bi_thread_count(ctx, n, grain > GRAIN ? grain : GRAIN);
    struct bi_hash_scatter *shares, whole = {.shape = shape,
                                             .keys = keys,
                                             .values = values,
                                             .end = n,
                                             .payload_bytes = payload_bytes,
                                             .rows = rows,
                                             .streams = n * (shape->key_bytes + payload_bytes) > STREAMED,
                                             .hashes = hashes,
                                             .payload = payload};
    *lists = (struct bi_hash_lists){n, hashes, payload, payload_bytes, rows ? values : NULL, starts, false};
    BI_TRY(take_shares(ctx, &whole, threads, &shares));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++) {
        memset(shares[t].places, 0, parts * sizeof(uint32_t));
        PICK(ctx, bi_hash_count)(&shares[t]);
    }
    place(shares, threads, parts, starts);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++) PICK(ctx, bi_hash_scatter)(&shares[t]);
    return BOSC_OK;
}

/* A fill that threads share: the sizes of all parts, and what was found. */
struct filling {
    const bosc_hash *table;
    const struct bi_hash_lists *lists;
    bosc_hash_part *parts;
    bool any;
    uint32_t most_keys, most_buckets; /* of a part that is filled */
    struct bi_hash_report *report;
    int64_t next; /* part */
};

static bool is_filled(const struct filling *f, size_t part)
{
    uint32_t keys = f->lists->starts[part + 1] - f->lists->starts[part];
    if (f->lists->in_place && keys == 0) return false;
    return f->any || keys <= bi_hash_crowd(f->table->shape.key_bits);
}

/* Where each part begins. */
static void size_parts(struct filling *f)
{
    uint32_t at = 0;
    for (size_t p = 0; p < count_of_parts(&f->table->shape); p++) {
        uint32_t keys = f->lists->starts[p + 1] - f->lists->starts[p];
        uint32_t buckets = f->lists->in_place ? f->parts[p].buckets_seed >> BOSC_HASH_SEED_BITS
                                              : bi_hash_part_buckets(f->table->shape.load, keys);
        if (bi_hash_beyond(buckets)) f->report->beyond = 1;
        if (!f->lists->in_place) f->parts[p] = (bosc_hash_part){at, buckets << BOSC_HASH_SEED_BITS};
        at += buckets;
        if (!is_filled(f, p)) {
            if (keys) f->report->crowded = 1;
            continue;
        }
        if (keys > f->most_keys) f->most_keys = keys;
        if (buckets > f->most_buckets) f->most_buckets = buckets;
    }
    f->report->buckets = at;
}

/* One thread's parts: the next one that nobody has, until a repeated key makes all of it useless. */
static void fill_parts(bosc_ctx *ctx, struct filling *f, char *scratch)
{
    struct bi_hash_fill job = {.table = f->table, .lists = f->lists, .any = f->any};
    struct bi_hash_report *r = f->report;
    job.codes = (uint32_t *)(void *)scratch;
    job.firsts = job.codes + (size_t)f->most_buckets * BOSC_HASH_WIDTH;
    job.room = f->most_keys + 1;
    job.marks = (uint8_t *)(job.firsts + (size_t)job.room * BI_HASH_FILL_WORDS);
    for (;;) {
        int64_t part = __atomic_fetch_add(&f->next, 1, __ATOMIC_RELAXED);
        if (part >> f->table->shape.part_bits || bi_atomic_load_u32(&r->repeats)) return;
        if (!is_filled(f, (size_t)part)) continue;
        job.part = (uint32_t)part;
        job.begin = f->lists->starts[part];
        job.keys = f->lists->starts[part + 1] - f->lists->starts[part];
        job.descriptor = f->parts + part;
        job.repeats = false;
        job.second = 0;
        PICK(ctx, bi_hash_fill)(&job);
        uint32_t seed = job.descriptor->buckets_seed & BOSC_HASH_LINEAR;
        if (job.repeats) bi_atomic_or_u32(&r->repeats, 1);
        if (seed && seed != BOSC_HASH_LINEAR) __atomic_fetch_add(&r->reseeded, 1, __ATOMIC_RELAXED);
        if (seed == BOSC_HASH_LINEAR) __atomic_fetch_add(&r->linear, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&r->second, job.second, __ATOMIC_RELAXED);
    }
}

static bosc_status cpu_fill(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists, bool any,
                            struct bi_hash_report *report)
{
    struct filling f = {
        .table = table, .lists = lists, .parts = table->blocks[BI_HASH_PARTS].data, .any = any, .report = report};
    size_parts(&f);
    if (report->beyond || (report->crowded && !any)) return BOSC_OK;
    size_t each = (size_t)f.most_buckets * (BOSC_HASH_WIDTH * sizeof(uint32_t) + 1) +
                  ((size_t)f.most_keys + 1) * BI_HASH_FILL_WORDS * sizeof(uint32_t);
    each = bi_round_up(each, 256);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash fill: injected fault");
    int threads = bi_thread_count(ctx, lists->n, GRAIN);
    struct bi_mark mark = bi_arena_mark(ctx);
    void *scratch;
    BI_TRY(bi_scratch(ctx, each * (size_t)threads, &scratch));
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++) fill_parts(ctx, &f, (char *)scratch + each * (size_t)t);
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

static bosc_status cpu_find(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, void *values,
                            uint8_t *found)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash find: injected fault");
    int threads = bi_thread_count(ctx, m, GRAIN);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++) PICK(ctx, bi_hash_find)
    (table, queries, bi_chunk_begin(m, threads, t), bi_chunk_begin(m, threads, t + 1), values, found);
    return BOSC_OK;
}

/* An upper bound whatever the number of threads; parts of at most a crowd. */
static size_t cpu_build_bytes(const bosc_ctx *ctx, const struct bi_hash_shape *s, int64_t n)
{
    (void)ctx;
    size_t parts = count_of_parts(s), payload = is_payload(s->value_bytes) ? (size_t)s->value_bytes : 4;
    size_t threads = (size_t)n / GRAIN + 1, crowd = bi_hash_crowd(s->key_bits);
    size_t a_part = (crowd + 1) * BI_HASH_FILL_WORDS * sizeof(uint32_t) +
                    (bi_hash_part_buckets(s->load, (uint32_t)crowd) + 1) * (BOSC_HASH_WIDTH * sizeof(uint32_t) + 1);
    size_t a_share = sizeof(struct bi_hash_scatter) + parts * (2 * sizeof(uint32_t) + 2 * BI_HASH_LINE);
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    return (size_t)n * ((size_t)s->key_bytes + payload) + parts * sizeof(uint32_t) +
           threads * (a_part + a_share + 1024) + 4096;
}

const struct bi_hash_ops bi_hash_ops_cpu = {
    .steps = &bi_hash_steps_cpu,
    .partition = cpu_partition,
    .fill = cpu_fill,
    .find = cpu_find,
    .build_bytes = cpu_build_bytes,
};
