/* Times the primitives on the CPU beside other libraries: bench_prims [-n items] [-t threads] [-r repeats]
 * [-f part of a name] [-j]. Without -n: 1 Mi and 16 Mi; without -t: 1 and 2. -j: one JSON object a line. Answers are
 * checked against the peers'. Contexts and scratch are warm; peers that sort in place get a fresh copy, untimed. */
#include <math.h>
#include <string.h>

#include <boscage/boscage.h>

#include "peers/prims.h"
#include "harness/timing.h"

enum { SIZES = 2, BINS = 256, MANY_BINS = 1 << 20, MOST_SIZE = 8, DIM = 3 };

struct bench {
    const struct entry *entry;
    bosc_ctx *ctx;
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
    double bytes; /* an item, read and written */
    bosc_status (*run)(struct bench *b);
    bool exact; /* peers give the same bytes in `out` */
};

static bosc_status reduce_sum(struct bench *b)
{
    return bosc_reduce(b->ctx, BOSC_SUM, b->entry->dtype, b->in, b->n, b->out);
}
static bosc_status reduce_max(struct bench *b)
{
    return bosc_reduce(b->ctx, BOSC_MAX, b->entry->dtype, b->in, b->n, b->out);
}
static bosc_status scan(struct bench *b)
{
    return bosc_scan(b->ctx, BOSC_SUM, BOSC_INCLUSIVE, b->entry->dtype, b->in, b->n, b->out);
}
static bosc_status scan_segmented(struct bench *b)
{
    return bosc_scan_segmented(b->ctx, BOSC_SUM, BOSC_INCLUSIVE, b->entry->dtype, b->in, b->flags, b->n, b->out);
}
static bosc_status compact(struct bench *b)
{
    int64_t count;
    return bosc_compact(b->ctx, bosc_dtype_size(b->entry->dtype), b->in, b->flags, b->n, b->out, &count);
}
static bosc_status histogram(struct bench *b)
{
    return bosc_histogram(b->ctx, (uint32_t *)(void *)b->more, b->n, BINS, (int64_t *)(void *)b->out);
}
static bosc_status split(struct bench *b)
{
    return bosc_split(b->ctx, 4, b->in, (uint32_t *)(void *)b->more, b->n, BINS, b->out,
                      (int64_t *)(void *)b->more_out);
}
static bosc_status sort_keys(struct bench *b) { return bosc_sort_keys(b->ctx, b->entry->dtype, b->in, b->n, b->out); }
static bosc_status sort_pairs(struct bench *b)
{
    size_t size = bosc_dtype_size(b->entry->dtype);
    return bosc_sort_pairs(b->ctx, b->entry->dtype, b->in, size, b->more, b->n, b->out, b->more_out);
}
static bosc_status merge(struct bench *b)
{
    int64_t half = b->n / 2;
    return bosc_merge(b->ctx, b->entry->dtype, b->more, half, b->more + half * 4, b->n - half, b->out);
}
static bosc_status sort_superkey(struct bench *b)
{
    return bosc_sort_superkey(b->ctx, b->entry->dtype, b->in, b->n / DIM, DIM, 0, (uint32_t *)(void *)b->out);
}
static bosc_status random_normal(struct bench *b)
{
    return bosc_random_points(b->ctx, BOSC_POINTS_NORMAL, 1, b->n / DIM, DIM, b->entry->dtype, b->out);
}

static const struct entry entries[] = {
    {"reduce sum", BOSC_F32, 4, reduce_sum, false},
    {"reduce sum", BOSC_F64, 8, reduce_sum, false},
    {"reduce sum", BOSC_I32, 4, reduce_sum, true},
    {"reduce max", BOSC_F32, 4, reduce_max, true},
    {"scan sum", BOSC_F32, 8, scan, false},
    {"scan sum", BOSC_F64, 16, scan, false},
    {"scan sum", BOSC_I32, 8, scan, true},
    {"scan sum", BOSC_I64, 16, scan, true},
    {"scan segmented sum", BOSC_F32, 9, scan_segmented, false},
    {"scan segmented sum", BOSC_I32, 9, scan_segmented, true},
    {"compact half", BOSC_U32, 7, compact, true},
    {"histogram 256 bins", BOSC_U32, 4, histogram, true},
    {"split 256 buckets", BOSC_U32, 12, split, true},
    {"sort keys", BOSC_U32, 8, sort_keys, true},
    {"sort keys", BOSC_F32, 8, sort_keys, true},
    {"sort keys", BOSC_U64, 16, sort_keys, true},
    {"sort keys", BOSC_F64, 16, sort_keys, true},
    {"sort pairs", BOSC_U32, 16, sort_pairs, false},
    {"sort pairs", BOSC_U64, 32, sort_pairs, false},
    {"merge", BOSC_U32, 8, merge, true},
    {"sort superkey 3-D", BOSC_F32, 16.0 / DIM, sort_superkey, true},
    {"random normal 3-D", BOSC_F32, 4, random_normal, false},
};

static void run_ours(void *user)
{
    struct bench *b = user;
    bosc_status status = b->entry->run(b);
    if (status != BOSC_OK) b->status = status;
}

static struct peer_job job_of(struct bench *b)
{
    bool flags = strstr(b->entry->name, "segmented") || strstr(b->entry->name, "compact");
    return (struct peer_job){b->in, flags ? (const void *)b->flags : b->more, b->n, b->out, b->more_out, b->threads};
}

static void prepare_peer(void *user)
{
    struct bench *b = user;
    struct peer_job job = job_of(b);
    if (b->peer->prepare) b->peer->prepare(&job);
}

static void run_peer(void *user)
{
    struct bench *b = user;
    struct peer_job job = job_of(b);
    b->peer->run(&job);
}

static void stop(const struct bench *b, const char *what)
{
    fprintf(stderr, "bench_prims: %s, %s: %s %s\n", b->entry->name, bosc_dtype_name(b->entry->dtype), what,
            b->ctx ? bosc_message(b->ctx) : "");
    exit(1);
}

/* Results of floats are added in other orders elsewhere, and pairs of peers lie otherwise: they are not compared. */
static void check(const struct bench *b)
{
    bool one = strstr(b->entry->name, "reduce") != NULL, bins = strstr(b->entry->name, "histogram") != NULL;
    bool half = strstr(b->entry->name, "compact") != NULL;
    size_t bytes = (size_t)b->n * bosc_dtype_size(b->entry->dtype);
    if (strstr(b->entry->name, "superkey")) bytes /= DIM;
    if (one) bytes = bosc_dtype_size(b->entry->dtype);
    if (bins) bytes = BINS * sizeof(int64_t);
    if (half) bytes = bytes / 2 / 16; /* more are kept */
    if (b->entry->exact && memcmp(b->out, b->want, bytes) != 0) stop(b, "a peer's answer differs");
}

/* Numbers of every entry's inputs; floats are finite and of both signs. */
static void fill(struct bench *b)
{
    size_t size = bosc_dtype_size(b->entry->dtype);
    bool real = b->entry->dtype == BOSC_F32 || b->entry->dtype == BOSC_F64;
    bosc_status status = BOSC_OK;
    if (real)
        status = bosc_random_points(b->ctx, BOSC_POINTS_NORMAL, 1, b->n, 1, b->entry->dtype, b->in);
    else
        status = bosc_random_bits(b->ctx, 1, 0, b->n * (int64_t)(size / 4), (uint32_t *)(void *)b->in);
    if (status != BOSC_OK) stop(b, "input");
    uint32_t *more = (uint32_t *)(void *)b->more;
    if (bosc_random_bits(b->ctx, 3, 0, b->n * (int64_t)(size / 4), more) != BOSC_OK) stop(b, "input");
    for (int64_t i = 0; i < b->n * (int64_t)(size / 4); i++) more[i] %= BINS; /* bins, and values */
    if (b->entry->run == merge) {
        memcpy(b->more, b->in, (size_t)b->n * 4);
        int64_t half = b->n / 2;
        if (bosc_sort_keys(b->ctx, BOSC_U32, more, half, more) != BOSC_OK ||
            bosc_sort_keys(b->ctx, BOSC_U32, more + half, b->n - half, more + half) != BOSC_OK)
            stop(b, "input");
    }
    if (bosc_random_bits(b->ctx, 2, 0, b->n / 4, (uint32_t *)(void *)b->flags) != BOSC_OK) stop(b, "input");
    bool sparse = b->entry->run == scan_segmented;
    for (int64_t i = 0; i < b->n; i++) b->flags[i] = sparse ? b->flags[i] == 0 : b->flags[i] & 1;
}

static void measure(struct bench *b, int repeats, bool json)
{
    fill(b);
    struct timing_row row = {.name = b->entry->name,
                             .type = bosc_dtype_name(b->entry->dtype),
                             .peer = "",
                             .n = b->n,
                             .threads = b->threads,
                             .bytes = b->entry->bytes * (double)b->n};
    row.ours = timing_of(NULL, run_ours, b, repeats);
    if (b->status != BOSC_OK) stop(b, "failed:");
    memcpy(b->want, b->out, (size_t)b->n * bosc_dtype_size(b->entry->dtype));
    bool any = false;
    for (b->peer = bench_peers; b->peer->primitive; b->peer++) {
        if (strcmp(b->peer->primitive, b->entry->name) != 0 || b->peer->dtype != b->entry->dtype ||
            (b->threads > 1) != (b->peer->parallel != 0))
            continue;
        row.peer = b->peer->name;
        row.theirs = timing_of(prepare_peer, run_peer, b, repeats);
        check(b);
        timing_print(&row, json);
        any = true;
    }
    if (!any) timing_print(&row, json);
}

static void *take(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) {
        fprintf(stderr, "bench_prims: out of memory\n");
        exit(1);
    }
    memset(p, 0, bytes);
    return p;
}

static void measure_all(int64_t n, int threads, int repeats, const char *filter, bool json)
{
    bosc_ctx_opts opts = {.size = sizeof opts, .threads = threads};
    struct bench b = {.n = n, .threads = threads};
    if (bosc_ctx_create(&opts, &b.ctx) != BOSC_OK) exit(1);
    size_t room = (size_t)n * 2 * MOST_SIZE;
    char **arrays[] = {&b.in, &b.more, &b.out, &b.more_out, &b.want};
    for (int i = 0; i < 5; i++) *arrays[i] = take(room);
    b.flags = take((size_t)n);
    for (size_t e = 0; e < sizeof entries / sizeof entries[0]; e++) {
        b.entry = &entries[e];
        if (strstr(b.entry->name, filter)) measure(&b, repeats, json);
    }
    for (int i = 0; i < 5; i++) free(*arrays[i]);
    free(b.flags);
    bosc_ctx_free(b.ctx);
}

int main(int argc, char **argv)
{
    int64_t sizes[SIZES] = {1 << 20, 1 << 24};
    int threads[SIZES] = {1, 2}, repeats = 11, n_sizes = SIZES, n_threads = SIZES;
    const char *filter = "";
    bool json = false;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "-j") == 0) {
            json = true;
            continue;
        }
        if (strcmp(argv[i], "-n") == 0) sizes[0] = atoll(value), n_sizes = 1;
        if (strcmp(argv[i], "-t") == 0) threads[0] = atoi(value), n_threads = 1;
        if (strcmp(argv[i], "-r") == 0) repeats = atoi(value);
        if (strcmp(argv[i], "-f") == 0) filter = value;
        i++;
    }
    if (sizes[0] < 1024 || threads[0] < 1 || repeats < 1) {
        fprintf(stderr, "bench_prims: -n is at least 1024, -t and -r at least 1\n");
        return 2;
    }
    timing_head(json);
    for (int s = 0; s < n_sizes; s++)
        for (int t = 0; t < n_threads; t++) measure_all(sizes[s], threads[t], repeats, filter, json);
    return 0;
}
