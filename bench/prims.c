/* Times the primitives on the CPU beside other libraries: bench_prims [-n items] [-f part of a name]. Without -n: 1 Mi
 * and 16 Mi; without -t: 1 and 2. Answers are checked against the peers'. Contexts and scratch are warm; peers that
 * sort in place get a fresh copy, untimed. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "peers/prims.h"

enum { BINS = 256, MOST_SIZE = 8, DIM = 3, ARRAY = 2 * MOST_SIZE /* bytes an item of the arrays */ };

struct subject {
    const struct entry *entry;
    int64_t n;
    int threads;
    char *in, *more, *out, *more_out, *want;
    uint8_t *flags;
    const struct peer *peer;
    bosc_status status;
};

struct entry {
    const char *name;
    bosc_dtype dtype;
    double bytes; /* read and written for each item */
    bosc_status (*run)(struct subject *b);
    bool exact;      /* peers give the same bytes in `out` */
    int64_t buckets; /* of a split, or 0 */
    size_t width;    /* bytes of a record (then n is limited by the arrays); 0: the type's size */
};

static bosc_status reduce_sum(struct subject *b)
{
    return bosc_reduce(bench.ctx, BOSC_SUM, b->entry->dtype, b->in, b->n, b->out);
}
static bosc_status reduce_max(struct subject *b)
{
    return bosc_reduce(bench.ctx, BOSC_MAX, b->entry->dtype, b->in, b->n, b->out);
}
static bosc_status scan(struct subject *b)
{
    return bosc_scan(bench.ctx, BOSC_SUM, BOSC_INCLUSIVE, b->entry->dtype, b->in, b->n, b->out);
}
static bosc_status scan_segmented(struct subject *b)
{
    return bosc_scan_segmented(bench.ctx, BOSC_SUM, BOSC_INCLUSIVE, b->entry->dtype, b->in, b->flags, b->n, b->out);
}
static bosc_status compact(struct subject *b)
{
    int64_t count;
    return bosc_compact(bench.ctx, bosc_dtype_size(b->entry->dtype), b->in, b->flags, b->n, b->out, &count);
}
static bosc_status histogram(struct subject *b)
{
    return bosc_histogram(bench.ctx, (uint32_t *)(void *)b->more, b->n, BINS, (int64_t *)(void *)b->out);
}
static bosc_status split(struct subject *b)
{
    const size_t width = b->entry->width ? b->entry->width : 4;
    return bosc_split(bench.ctx, width, b->in, (uint32_t *)(void *)b->more, b->n, b->entry->buckets, b->out,
                      (int64_t *)(void *)b->more_out);
}
static bosc_status sort_keys(struct subject *b)
{
    return bosc_sort_keys(bench.ctx, b->entry->dtype, b->in, b->n, b->out);
}
static bosc_status sort_pairs(struct subject *b)
{
    size_t size = b->entry->width ? b->entry->width : bosc_dtype_size(b->entry->dtype);
    return bosc_sort_pairs(bench.ctx, b->entry->dtype, b->in, size, b->more, b->n, b->out, b->more_out);
}
static bosc_status merge(struct subject *b)
{
    int64_t half = b->n / 2;
    return bosc_merge(bench.ctx, b->entry->dtype, b->more, half, b->more + half * 4, b->n - half, b->out);
}
static bosc_status sort_superkey(struct subject *b)
{
    return bosc_sort_superkey(bench.ctx, b->entry->dtype, b->in, b->n / DIM, DIM, 0, (uint32_t *)(void *)b->out);
}
static bosc_status random_normal(struct subject *b)
{
    return bosc_random_points(bench.ctx, BOSC_RANDOM_POINTS_NORMAL, 1, b->n / DIM, DIM, b->entry->dtype, b->out);
}

static const struct entry entries[] = {
    {"reduce sum", BOSC_F32, 4, reduce_sum, false, 0, 0},
    {"reduce sum", BOSC_F64, 8, reduce_sum, false, 0, 0},
    {"reduce sum", BOSC_I32, 4, reduce_sum, true, 0, 0},
    {"reduce max", BOSC_F32, 4, reduce_max, true, 0, 0},
    {"scan sum", BOSC_F32, 8, scan, false, 0, 0},
    {"scan sum", BOSC_F64, 16, scan, false, 0, 0},
    {"scan sum", BOSC_I32, 8, scan, true, 0, 0},
    {"scan sum", BOSC_I64, 16, scan, true, 0, 0},
    {"scan segmented sum", BOSC_F32, 9, scan_segmented, false, 0, 0},
    {"scan segmented sum", BOSC_I32, 9, scan_segmented, true, 0, 0},
    {"compact half", BOSC_U32, 7, compact, true, 0, 0},
    {"histogram 256 bins", BOSC_U32, 4, histogram, true, 0, 0},
    {"split 256 buckets", BOSC_U32, 12, split, true, BINS, 0},
    {"split 65,536 buckets, 8 bytes", BOSC_U32, 20, split, false, 1 << 16, 8},
    {"split 65,536 buckets, 32 bytes", BOSC_U32, 68, split, false, 1 << 16, 32},
    {"split 65,536 buckets, 128 bytes", BOSC_U32, 260, split, false, 1 << 16, 128},
    {"split 1,048,576 buckets, 8 bytes", BOSC_U32, 20, split, false, 1 << 20, 8},
    {"split 1,048,576 buckets, 32 bytes", BOSC_U32, 68, split, false, 1 << 20, 32},
    {"split 1,048,576 buckets, 128 bytes", BOSC_U32, 260, split, false, 1 << 20, 128},
    {"sort keys", BOSC_U32, 8, sort_keys, true, 0, 0},
    {"sort keys", BOSC_F32, 8, sort_keys, true, 0, 0},
    {"sort keys", BOSC_U64, 16, sort_keys, true, 0, 0},
    {"sort keys", BOSC_F64, 16, sort_keys, true, 0, 0},
    {"sort pairs", BOSC_U32, 16, sort_pairs, false, 0, 0},
    {"sort pairs", BOSC_U64, 32, sort_pairs, false, 0, 0},
    {"sort records of 2 bytes", BOSC_U32, 12, sort_pairs, false, 0, 2},
    {"sort records of 16 bytes", BOSC_U32, 40, sort_pairs, false, 0, 16},
    {"sort records of 64 bytes", BOSC_U32, 136, sort_pairs, false, 0, 64},
    {"sort records of 256 bytes", BOSC_U32, 520, sort_pairs, false, 0, 256},
    {"sort records of 2 bytes", BOSC_U64, 20, sort_pairs, false, 0, 2},
    {"sort records of 16 bytes", BOSC_U64, 48, sort_pairs, false, 0, 16},
    {"sort records of 64 bytes", BOSC_U64, 144, sort_pairs, false, 0, 64},
    {"sort records of 256 bytes", BOSC_U64, 528, sort_pairs, false, 0, 256},
    {"merge", BOSC_U32, 8, merge, true, 0, 0},
    {"sort superkey 3-D", BOSC_F32, 16.0 / DIM, sort_superkey, true, 0, 0},
    {"random normal 3-D", BOSC_F32, 4, random_normal, false, 0, 0},
};

static void run_ours(void *user)
{
    struct subject *b = user;
    bosc_status status = b->entry->run(b);
    if (status != BOSC_OK) b->status = status;
}

static struct peer_job job_of(struct subject *b)
{
    bool flags = strstr(b->entry->name, "segmented") || strstr(b->entry->name, "compact");
    return (struct peer_job){b->in, flags ? (const void *)b->flags : b->more, b->n, b->out, b->more_out, b->threads};
}

static void prepare_peer(void *user)
{
    struct subject *b = user;
    struct peer_job job = job_of(b);
    if (b->peer->prepare) b->peer->prepare(&job);
}

static void run_peer(void *user)
{
    struct subject *b = user;
    struct peer_job job = job_of(b);
    b->peer->run(&job);
}

static void fail(const struct subject *b, const char *what)
{
    bench_fail("%s, %s: %s %s", b->entry->name, bosc_dtype_name(b->entry->dtype), what, bench_message());
}

/* Compares exact entries only: peers add floats in another order and lay out pairs differently. */
static void check_answer(const struct subject *b)
{
    bool one = strstr(b->entry->name, "reduce") != NULL, bins = strstr(b->entry->name, "histogram") != NULL;
    bool half = strstr(b->entry->name, "compact") != NULL;
    size_t bytes = (size_t)b->n * bosc_dtype_size(b->entry->dtype);
    if (strstr(b->entry->name, "superkey")) bytes /= DIM;
    if (one) bytes = bosc_dtype_size(b->entry->dtype);
    if (bins) bytes = BINS * sizeof(int64_t);
    if (half) bytes = bytes / 2 / 16; /* certainly less than the items kept */
    if (b->entry->exact && memcmp(b->out, b->want, bytes) != 0) fail(b, "a peer's answer differs");
}

/* Random inputs of the entry; floats are finite and of both signs. */
static void make_input(struct subject *b)
{
    size_t size = bosc_dtype_size(b->entry->dtype);
    bool real = b->entry->dtype == BOSC_F32 || b->entry->dtype == BOSC_F64;
    bosc_status status = BOSC_OK;
    /* 1. Items. */
    if (real)
        status = bosc_random_points(bench.ctx, BOSC_RANDOM_POINTS_NORMAL, 1, b->n, 1, b->entry->dtype, b->in);
    else
        status = bosc_random_bits(bench.ctx, 1, 0, b->n * (int64_t)(size / 4), (uint32_t *)(void *)b->in);
    if (status != BOSC_OK) fail(b, "input");
    /* 2. The second input: bins or values; for merges two sorted halves. */
    uint32_t *more = (uint32_t *)(void *)b->more;
    const uint32_t bins = b->entry->buckets ? (uint32_t)b->entry->buckets : BINS;
    if (bosc_random_bits(bench.ctx, 3, 0, b->n * (int64_t)(size / 4), more) != BOSC_OK) fail(b, "input");
    for (int64_t i = 0; i < b->n * (int64_t)(size / 4); i++) more[i] %= bins; /* bins, and values */
    if (b->entry->run == merge) {
        memcpy(b->more, b->in, (size_t)b->n * 4);
        int64_t half = b->n / 2;
        if (bosc_sort_keys(bench.ctx, BOSC_U32, more, half, more) != BOSC_OK ||
            bosc_sort_keys(bench.ctx, BOSC_U32, more + half, b->n - half, more + half) != BOSC_OK)
            fail(b, "input");
    }
    /* 3. Flags: half of them set, for segments one in 256. */
    if (bosc_random_bits(bench.ctx, 2, 0, b->n / 4, (uint32_t *)(void *)b->flags) != BOSC_OK) fail(b, "input");
    bool sparse = b->entry->run == scan_segmented;
    for (int64_t i = 0; i < b->n; i++) b->flags[i] = sparse ? b->flags[i] == 0 : b->flags[i] & 1;
}

static void time_entry(struct subject *b)
{
    const int64_t n = b->n, held = b->entry->width ? n * ARRAY / (int64_t)b->entry->width : n;
    if (b->entry->buckets > n) return; /* no room for offsets */
    b->n = held < n ? held : n;
    make_input(b);
    struct bench_row row = {.name = b->entry->name,
                            .data = bosc_dtype_name(b->entry->dtype),
                            .n = b->n,
                            .bytes = b->entry->bytes * (double)b->n};
    row.ours = bench_time(NULL, run_ours, b, bench.repeats);
    if (b->status != BOSC_OK) fail(b, "failed:");
    memcpy(b->want, b->out, (size_t)b->n * bosc_dtype_size(b->entry->dtype));
    for (b->peer = bench_peers; b->peer->primitive; b->peer++) {
        if (strcmp(b->peer->primitive, b->entry->name) != 0 || b->peer->dtype != b->entry->dtype ||
            (b->threads > 1) != (b->peer->parallel != 0))
            continue;
        row.peer = b->peer->name;
        row.theirs = bench_time(prepare_peer, run_peer, b, bench.repeats);
        check_answer(b);
        bench_print(&row);
    }
    if (!row.peer) bench_print(&row);
    b->n = n;
}

static void *zeros(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) bench_fail("out of memory");
    return memset(p, 0, bytes);
}

static void time_entries(int64_t n, int32_t threads, const char *filter)
{
    struct subject b = {.n = n, .threads = threads};
    bench.opts.threads = threads;
    bench_open();
    char **arrays[] = {&b.in, &b.more, &b.out, &b.more_out, &b.want};
    for (int i = 0; i < 5; i++) *arrays[i] = zeros((size_t)(n + 1) * ARRAY);
    b.flags = zeros((size_t)n);
    for (size_t e = 0; e < sizeof entries / sizeof entries[0]; e++) {
        b.entry = &entries[e];
        if (strstr(b.entry->name, filter)) time_entry(&b);
    }
    for (int i = 0; i < 5; i++) free(*arrays[i]);
    free(b.flags);
    bench_close();
}

int main(int argc, char **argv)
{
    const char *filter = "";
    const struct bench_option own[] = {{'f', BENCH_TEXT, &filter, "a part of the names"}};
    bench.repeats = 11;
    bench_options(argc, argv, "items", own, 1);
    if (bench.n != 0 && bench.n < 1024) bench_fail("-n: %" PRId64 " is less than 1024", bench.n);
    const int64_t sizes[] = {bench.n ? bench.n : 1 << 20, 1 << 24};
    const int32_t threads[] = {bench.opts.threads ? bench.opts.threads : 1, 2};
    const int last_size = bench.n ? 0 : 1, last_threads = bench.opts.threads ? 0 : 1;
    for (int s = 0; s <= last_size; s++)
        for (int t = 0; t <= last_threads; t++) time_entries(sizes[s], threads[t], filter);
    return bench.wrong;
}
