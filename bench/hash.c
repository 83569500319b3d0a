/* Times hash tables on the CPU beside other libraries: bench_hash [-n keys] [-l load factor] [-k key bits]
 * [-y layout] [-s shape] [-a] [-p]. Keys and values of 32 bits (-k 64: of 64, without peers); every key is looked up
 * once in another order, then n absent keys. Calls take several sets of few keys in turn (bench_sets). The value of a
 * key follows from it, so repeated keys have one value. -y: the layout, in place of auto. -a: all layouts, CUCKOO with
 * each number of functions, and a sort with binary searches. -p: without peers. Times of one thread are processor time,
 * so that other programs on the machine disturb them less; answers are checked. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/shapes.h"
#include "peers/hash.h"

static struct {
    int64_t n;
    int bytes; /* of a key, and of a value */
    const char *shape;
    int sets, calls; /* sets of n keys, each array has all of them; calls that have taken one */
    void *keys, *values, *present, *absent, *got;
} in = {.shape = "distinct"};

/* A table under test. */
struct subject {
    const char *name, *note; /* of the layout or library */
    int builders;            /* threads that build */
    void (*build)(struct subject *s);
    int64_t (*find)(struct subject *s, const void *queries); /* into in.got; returns their number, or -1 */
    const void *queries;
    int64_t found;
    bosc_hash *ours;
    void *sorted_keys, *sorted_values;
    const struct hash_peer *peer;
    void *peers;
};

static void write_item(void *array, int64_t i, uint64_t x)
{
    memcpy((char *)array + i * in.bytes, &x, (size_t)in.bytes);
}

static uint64_t read_item(const void *array, int64_t i)
{
    uint64_t x = 0;
    memcpy(&x, (const char *)array + i * in.bytes, (size_t)in.bytes);
    return x;
}

/* Set `call` of an array of sets. */
static const void *set_of(const void *all, int call)
{
    return (const char *)all + (size_t)(call % in.sets) * (size_t)in.n * (size_t)in.bytes;
}

/* Makes the sets of keys, and sets of queries in other orders: those of the first set of keys. */
static void make_input(void)
{
    in.sets = bench_sets(in.n);
    const int64_t all = in.n * in.sets;
    const size_t size = (size_t)in.n * (size_t)in.bytes;
    uint64_t state = 88172645463325252u;
    in.keys = bench_keys(in.shape, all, 8 * in.bytes, &in.absent);
    in.values = bench_host(size * (size_t)in.sets);
    in.present = bench_host(size * (size_t)in.sets);
    in.got = bench_host(size);
    for (int64_t i = 0; i < all; i++) write_item(in.values, i, read_item(in.keys, i) * 3 + 1);
    for (int s = 0; s < in.sets; s++) {
        char *queries = (char *)in.present + (size_t)s * size;
        memcpy(queries, in.keys, size);
        for (int64_t i = in.n - 1; i > 0; i--) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            int64_t j = (int64_t)(state % (uint64_t)(i + 1));
            uint64_t a = read_item(queries, i), b = read_item(queries, j);
            write_item(queries, i, b);
            write_item(queries, j, a);
        }
    }
}

/* --- Ours, by layout ---------------------------------------------------------------------------------------------- */

static void build_ours(struct subject *s)
{
    BENCH(bosc_hash_build(bench.ctx, s->ours, set_of(in.keys, in.calls), set_of(in.values, in.calls), in.n));
}

static int64_t find_ours(struct subject *s, const void *queries)
{
    BENCH(bosc_hash_find(bench.ctx, s->ours, queries, in.n, in.got, NULL));
    return -1;
}

/* --- A sort, and binary searches: the baseline -------------------------------------------------------------------- */

static void build_sorted(struct subject *s)
{
    BENCH(bosc_sort_pairs(bench.ctx, in.bytes == 8 ? BOSC_U64 : BOSC_U32, set_of(in.keys, in.calls), (size_t)in.bytes,
                          set_of(in.values, in.calls), in.n, s->sorted_keys, s->sorted_values));
}

static int64_t find_sorted(struct subject *s, const void *queries)
{
#pragma omp parallel for schedule(static) num_threads(bench.opts.threads)
    for (int64_t i = 0; i < in.n; i++) {
        uint64_t query = read_item(queries, i);
        int64_t low = 0;
        for (int64_t count = in.n; count > 1; count -= count / 2)
            if (read_item(s->sorted_keys, low + count / 2) <= query) low += count / 2;
        write_item(in.got, i, read_item(s->sorted_keys, low) == query ? read_item(s->sorted_values, low) : 0);
    }
    return -1;
}

/* --- Peers -------------------------------------------------------------------------------------------------------- */

static void build_peer(struct subject *s)
{
    s->peers = s->peer->build(set_of(in.keys, in.calls), set_of(in.values, in.calls), in.n, s->builders);
}

static int64_t find_peer(struct subject *s, const void *queries)
{
    return s->peer->find(s->peers, queries, in.n, in.got, bench.opts.threads);
}

static void free_peer(void *user)
{
    struct subject *s = user;
    if (s->peers) s->peer->drop(s->peers);
    s->peers = NULL;
}

/* --- Measurements ------------------------------------------------------------------------------------------------- */

static void call_build(void *user)
{
    struct subject *s = user;
    s->build(s);
}

static void call_find(void *user)
{
    struct subject *s = user;
    s->found = s->find(s, set_of(s->queries, in.calls));
}

/* Frees the peer's map, and takes the next set. */
static void prepare_build(void *user)
{
    free_peer(user);
    in.calls++;
}

static void prepare_find(void *user)
{
    (void)user;
    in.calls++;
}

static void print_row(const struct subject *s, const char *what, struct bench_times t)
{
    /* A look-up reads a key and writes a value, a build reads both and writes them. */
    const double pairs = 2.0 * in.bytes * (double)in.n;
    struct bench_row row = {.name = what, .n = in.n, .note = s->note};
    if (s->ours) {
        row.data = s->name;
        row.bytes = strcmp(what, "build") == 0 ? 2 * pairs : pairs;
    } else {
        row.library = s->name;
    }
    row.ours = t;
    bench_print(&row);
}

static void time_lookups(struct subject *s, bool present, int repeats)
{
    uint64_t mask = in.bytes == 8 ? UINT64_MAX : UINT32_MAX;
    int64_t bad = 0;
    s->queries = present ? in.present : in.absent;
    print_row(s, present ? "hits" : "misses", bench_time(prepare_find, call_find, s, repeats));
    const void *queries = set_of(s->queries, in.calls);
    for (int64_t i = 0; i < in.n; i++)
        bad += read_item(in.got, i) != (present ? (read_item(queries, i) * 3 + 1) & mask : 0);
    bench_check(bad == 0 && (s->found < 0 || s->found == (present ? in.n : 0)), "%s: %" PRId64 " answers", s->name,
                bad);
}

static void time_table(struct subject *s, int repeats)
{
    in.calls = 0;
    print_row(s, "build", bench_time(prepare_build, call_build, s, repeats));
    free_peer(s);
    in.calls = 0;
    s->build(s); /* of the first set, which all queries look up */
    time_lookups(s, true, repeats);
    time_lookups(s, false, repeats);
    if (s->peer) free_peer(s);
}

/* functions: of CUCKOO, else 0. */
static void time_layout(const char *name, bosc_hash_layout layout, int functions, double load)
{
    struct subject s = {.name = name, .builders = bench.opts.threads, .build = build_ours, .find = find_ours};
    bosc_hash_opts o = {.size = sizeof o,
                        .layout = layout,
                        .key_bits = 8 * in.bytes,
                        .value_size = in.bytes,
                        .load_factor = load,
                        .seed = 1,
                        .functions = functions};
    bosc_hash_info info = {.size = sizeof info};
    BENCH(bosc_hash_create(bench.ctx, &o, &s.ours));
    build_ours(&s);
    BENCH(bosc_hash_get_info(bench.ctx, s.ours, &info));
    s.note = bench_text("%.2f x the pairs", (double)info.bytes / (double)(2 * in.bytes * in.n));
    time_table(&s, bench.repeats);
    bosc_hash_free(s.ours);
}

/* most_load: the greatest load factor that the layout accepts; 0: its load factor is fixed. */
static const struct named_layout {
    const char *name, *title;
    bosc_hash_layout layout;
    int functions;
    double most_load;
} layouts[] = {{"auto", "auto", BOSC_HASH_AUTO, 0, 1},
               {"bucketed", "bucketed", BOSC_HASH_BUCKETED, 0, 1},
               {"ordered", "ordered", BOSC_HASH_ORDERED, 0, 1},
               {"perfect", "perfect", BOSC_HASH_PERFECT, 0, 1},
               {"hybrid", "hybrid", BOSC_HASH_HYBRID, 0, 0},
               {"fks", "FKS", BOSC_HASH_FKS, 0, 0},
               {"cuckoo2", "cuckoo, 2 functions", BOSC_HASH_CUCKOO, 2, 0},
               {"cuckoo3", "cuckoo, 3 functions", BOSC_HASH_CUCKOO, 3, 0.91},
               {"cuckoo4", "cuckoo, 4 functions", BOSC_HASH_CUCKOO, 4, 1},
               {"chained", "chained", BOSC_HASH_CHAINED, 0, 0}};

/* Times the layouts of this name, or all. */
static void time_layouts(const char *name, bool all, double load)
{
    bool any = false;
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
        const struct named_layout *l = &layouts[k];
        if (!all && strcmp(name, l->name) != 0) continue;
        time_layout(l->title, l->layout, l->functions, load < l->most_load ? load : l->most_load);
        any = true;
    }
    if (!any)
        bench_fail("-y: '%s' is none of auto, bucketed, ordered, perfect, hybrid, fks, cuckoo2 to 4, chained", name);
}

static void time_sorted(void)
{
    struct subject s = {
        .name = "sort and binary search", .builders = bench.opts.threads, .build = build_sorted, .find = find_sorted};
    s.sorted_keys = bench_host((size_t)in.n * (size_t)in.bytes);
    s.sorted_values = bench_host((size_t)in.n * (size_t)in.bytes);
    time_table(&s, bench.repeats);
    free(s.sorted_keys);
    free(s.sorted_values);
}

int main(int argc, char **argv)
{
    int64_t bits = 32;
    const char *layout = "auto";
    double load = 0;
    bool alone = false, all = false;
    const struct bench_option own[] = {{'l', BENCH_NUMBER, &load, "load factor"},
                                       {'k', BENCH_INTEGER, &bits, "bits of a key: 32 or 64"},
                                       {'y', BENCH_TEXT, &layout, "layout: auto, bucketed, ... cuckoo4, chained"},
                                       {'s', BENCH_TEXT, &in.shape, SHAPE_TEXT(KEY_SHAPES)},
                                       {'a', BENCH_FLAG, &all, "all layouts, and a sort"},
                                       {'p', BENCH_FLAG, &alone, "without peers"}};
    bench.n = 5000000;
    bench.repeats = 5;
    bench.opts.threads = 2;
    bench_options(argc, argv, "keys", own, sizeof own / sizeof own[0]);
    if (bits != 32 && bits != 64) bench_fail("-k: %" PRId64 " is neither 32 nor 64", bits);
    in.n = bench.n;
    in.bytes = (int)bits / 8;
    /* 1. Ours. */
    bench_open();
    bench_time_one_thread();
    make_input();
    time_layouts(layout, all, load);
    if (all) time_sorted();
    /* 2. Other libraries, which have 32-bit keys here. */
    for (const struct hash_peer *p = bench_hash_peers; p->name && !alone && in.bytes == 4; p++) {
        struct subject s = {.name = p->name,
                            .builders = p->parallel ? bench.opts.threads : 1,
                            .build = build_peer,
                            .find = find_peer,
                            .peer = p};
        time_table(&s, bench.repeats);
    }
    return bench_close();
}
