/* Times hash tables on the CPU beside other libraries: bench_hash [-n keys] [-t threads] [-r repeats] [-l load]
 * [-b key bits] [-a] [-p] [-j]. Keys and values of 32 bits (-b 64: of 64, without peers); every key is asked for once
 * in another order, and as many that are absent. -a: all layouts, and a sort with binary searches. -p: without peers.
 * Times are processor time over the number of threads, the least of the repeats, so that other programs on the machine
 * disturb them less; answers are checked. */
#include <string.h>

#include <boscage/boscage.h>

#include "peers/hash.h"
#include "harness/timing.h"

struct data {
    int64_t n;
    int key_bytes;
    void *keys, *values, *present, *absent, *got;
    uint8_t *found;
};

static uint64_t mixed(uint64_t i, int bytes) /* one to one */
{
    if (bytes == 8) return (i + 1) * 0x9e3779b97f4a7c15u;
    uint32_t h = (uint32_t)i * 0x9e3779b1u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ h >> 12;
}

static void put(void *array, int64_t i, int bytes, uint64_t x) { memcpy((char *)array + i * bytes, &x, (size_t)bytes); }

static uint64_t get(const void *array, int64_t i, int bytes)
{
    uint64_t x = 0;
    memcpy(&x, (const char *)array + i * bytes, (size_t)bytes);
    return x;
}

static struct data make(int64_t n, int bytes)
{
    size_t size = (size_t)n * (size_t)bytes;
    struct data d = {n, bytes, malloc(size), malloc(size), malloc(size), malloc(size), malloc(size), malloc((size_t)n)};
    uint64_t state = 88172645463325252u;
    if (!d.keys || !d.values || !d.present || !d.absent || !d.got || !d.found) exit(1);
    for (int64_t i = 0; i < n; i++) {
        put(d.keys, i, bytes, mixed((uint64_t)i, bytes));
        put(d.values, i, bytes, mixed((uint64_t)i, bytes) * 3 + 1);
        put(d.absent, i, bytes, mixed((uint64_t)(n + i), bytes));
    }
    memcpy(d.present, d.keys, size);
    for (int64_t i = n - 1; i > 0; i--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        int64_t j = (int64_t)(state % (uint64_t)(i + 1));
        uint64_t a = get(d.present, i, bytes), b = get(d.present, j, bytes);
        put(d.present, i, bytes, b);
        put(d.present, j, bytes, a);
    }
    return d;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct times {
    double build, hits, misses, wall; /* seconds */
    bool wrong;
};

static void lower(double *to, double since, int threads)
{
    double t = (now() - since) / threads;
    if (t < *to) *to = t;
}

static bool right(const struct data *d, bool present)
{
    uint64_t mask = d->key_bytes == 8 ? UINT64_MAX : UINT32_MAX;
    for (int64_t i = 0; i < d->n; i++) {
        uint64_t want = present ? (get(d->present, i, d->key_bytes) * 3 + 1) & mask : 0;
        if (get(d->got, i, d->key_bytes) != want) return false;
    }
    return true;
}

static struct times time_ours(bosc_ctx *ctx, const struct data *d, int threads, int repeats, bosc_hash_layout layout,
                              double load, double *keeps)
{
    struct times t = {1e9, 1e9, 1e9, 1e9, false};
    bosc_hash_opts o = {.size = sizeof o,
                        .layout = layout,
                        .key_bits = 8 * d->key_bytes,
                        .value_size = d->key_bytes,
                        .load = load,
                        .seed = 1};
    bosc_hash_info info = {.size = sizeof info};
    bosc_hash *table = NULL;
    t.wrong = bosc_hash_create(ctx, &o, &table) != BOSC_OK;
    for (int r = -1; r < repeats && !t.wrong; r++) {
        double begin = now(), wall = timing_now();
        t.wrong |= bosc_hash_build(ctx, table, d->keys, d->values, d->n) != BOSC_OK;
        if (r < 0) continue;
        lower(&t.build, begin, threads);
        if (timing_now() - wall < t.wall) t.wall = timing_now() - wall;
        begin = now();
        t.wrong |= bosc_hash_find(ctx, table, d->present, d->n, d->got, NULL) != BOSC_OK;
        lower(&t.hits, begin, threads);
        t.wrong |= r == 0 && !right(d, true);
        begin = now();
        t.wrong |= bosc_hash_find(ctx, table, d->absent, d->n, d->got, NULL) != BOSC_OK;
        lower(&t.misses, begin, threads);
        t.wrong |= r == 0 && !right(d, false);
    }
    t.wrong |= bosc_hash_get_info(ctx, table, &info) != BOSC_OK;
    *keeps = (double)info.bytes / (double)(2 * d->key_bytes * d->n);
    bosc_hash_free(table);
    return t;
}

static void search(const struct data *d, const void *keys, const void *values, const void *queries, int threads)
{
    int bytes = d->key_bytes;
    (void)threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < d->n; i++) {
        uint64_t query = get(queries, i, bytes);
        int64_t low = 0;
        for (int64_t count = d->n; count > 1; count -= count / 2)
            if (get(keys, low + count / 2, bytes) <= query) low += count / 2;
        put(d->got, i, bytes, get(keys, low, bytes) == query ? get(values, low, bytes) : 0);
    }
}

/* What a table is to beat: the keys sorted by radix, and searched. */
static struct times time_sorted(bosc_ctx *ctx, const struct data *d, int threads, int repeats)
{
    struct times t = {1e9, 1e9, 1e9, 0, false};
    size_t size = (size_t)d->n * (size_t)d->key_bytes;
    void *keys = malloc(size), *values = malloc(size);
    if (!keys || !values) exit(1);
    for (int r = 0; r < repeats; r++) {
        double begin = now();
        t.wrong |= bosc_sort_pairs(ctx, d->key_bytes == 8 ? BOSC_U64 : BOSC_U32, d->keys, (size_t)d->key_bytes,
                                   d->values, d->n, keys, values) != BOSC_OK;
        lower(&t.build, begin, threads);
        begin = now();
        search(d, keys, values, d->present, threads);
        lower(&t.hits, begin, threads);
        t.wrong |= r == 0 && !right(d, true);
        begin = now();
        search(d, keys, values, d->absent, threads);
        lower(&t.misses, begin, threads);
        t.wrong |= r == 0 && !right(d, false);
    }
    free(keys);
    free(values);
    return t;
}

static struct times time_peer(const struct hash_peer *p, const struct data *d, int threads, int repeats)
{
    struct times t = {1e9, 1e9, 1e9, 0, false};
    int team = p->parallel ? threads : 1;
    for (int r = 0; r < repeats; r++) {
        double begin = now();
        void *table = p->build(d->keys, d->values, d->n, team);
        lower(&t.build, begin, team);
        begin = now();
        t.wrong |= p->find(table, d->present, d->n, d->got, threads) != d->n;
        lower(&t.hits, begin, threads);
        t.wrong |= r == 0 && !right(d, true);
        begin = now();
        t.wrong |= p->find(table, d->absent, d->n, d->got, threads) != 0;
        lower(&t.misses, begin, threads);
        p->drop(table);
    }
    return t;
}

static void show(const char *name, const struct data *d, int threads, struct times t, bool json)
{
    double rate = 1e-6 * (double)d->n;
    const char *format = json ? "{\"name\":\"%s\",\"n\":%lld,\"threads\":%d,\"build\":%.4g,\"hits\":%.4g,"
                                "\"misses\":%.4g,\"right\":%s}\n"
                              : "%-40s %10lld %3d %9.1f %9.1f %9.1f  %s\n";
    printf(format, name, (long long)d->n, threads, rate / t.build, rate / t.hits, rate / t.misses,
           json ? (t.wrong ? "false" : "true") : (t.wrong ? "WRONG" : ""));
    fflush(stdout);
}

/* Ours, by layout; whether an answer was wrong. */
static bool compare_layouts(bosc_ctx *ctx, const struct data *d, int threads, int repeats, double load, bool all,
                            bool json)
{
    static const char *const names[] = {"bucketed", "perfect", "hybrid", "FKS"};
    bool wrong = false;
    struct times t;
    for (int layout = 0; layout < (all ? 4 : 1); layout++) {
        char name[64];
        double keeps, own = layout < BOSC_HASH_HYBRID ? load : 0;
        t = time_ours(ctx, d, threads, repeats, (bosc_hash_layout)layout, own, &keeps);
        snprintf(name, sizeof name, "boscage %s (%.2f x the pairs)", names[layout], keeps);
        show(name, d, threads, t, json);
        wrong |= t.wrong;
    }
    if (!all) return wrong;
    t = time_sorted(ctx, d, threads, repeats);
    show("sort and binary search", d, threads, t, json);
    return wrong || t.wrong;
}

int main(int argc, char **argv)
{
    int64_t n = 5000000;
    int threads = 2, repeats = 5, bytes = 4;
    double load = 0;
    bool peers = true, json = false, all = false, wrong;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "-p"))
            peers = false;
        else if (!strcmp(argv[i], "-j"))
            json = true;
        else if (!strcmp(argv[i], "-a"))
            all = true;
        else if (!strcmp(argv[i], "-n") && i++)
            n = atoll(value);
        else if (!strcmp(argv[i], "-t") && i++)
            threads = atoi(value);
        else if (!strcmp(argv[i], "-r") && i++)
            repeats = atoi(value);
        else if (!strcmp(argv[i], "-l") && i++)
            load = atof(value);
        else if (!strcmp(argv[i], "-b") && i++)
            bytes = atoi(value) / 8;
    }
    bosc_ctx_opts where = {.size = sizeof where, .threads = threads};
    bosc_ctx *ctx = NULL;
    if (bosc_ctx_create(&where, &ctx) != BOSC_OK) return 1;
    struct data d = make(n, bytes);
    if (!json) printf("%-40s %10s %3s %9s %9s %9s  million a second\n", "table", "n", "thr", "build", "hits", "misses");
    wrong = compare_layouts(ctx, &d, threads, repeats, load, all, json);
    for (const struct hash_peer *p = bench_hash_peers; p->name && peers && bytes == 4; p++) {
        struct times t = time_peer(p, &d, threads, repeats < 3 ? repeats : 3);
        show(p->name, &d, threads, t, json);
        wrong |= t.wrong;
    }
    bosc_ctx_free(ctx);
    return wrong;
}
