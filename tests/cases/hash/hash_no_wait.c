/* Builds that return before they are finished: the next call on the table, whichever it is, finds the table of a build
 * that waits, or reports its failure, once. On the CPU, which ignores the option, builds report it themselves. */
#include <pthread.h>

#include "support/arrays.h"
#include "support/capture.h"
#include "support/faults.h"
#include "hash/handle.h"
#include "cases/hash/hash_data.h"

/* Pairs in the backend's memory, and a table of opts.no_wait. */
struct scene {
    bosc_hash_opts opts;
    struct hash_pairs pairs;
    struct array keys, values;
    bosc_hash *table;
};

static struct scene open_scene(bosc_ctx *ctx, bosc_hash_opts o, enum hash_pattern pattern, int64_t n)
{
    const bool device = has_device_memory(ctx);
    struct scene s = {.opts = o};
    s.opts.size = sizeof o;
    s.opts.no_wait = 1;
    s.pairs = hash_make(pattern, &s.opts, (uint64_t)n + 3, n);
    s.keys = array_make(ctx, s.pairs.keys, (size_t)n * (size_t)s.pairs.key_bits / 8, device);
    s.values = array_make(ctx, s.pairs.values, (size_t)n * (size_t)o.value_size, device);
    CHECK_OK(ctx, bosc_hash_create(ctx, &s.opts, &s.table));
    return s;
}

static void close_scene(bosc_ctx *ctx, struct scene *s)
{
    array_free(ctx, &s->keys);
    array_free(ctx, &s->values);
    bosc_hash_free(s->table);
    hash_free_pairs(&s->pairs);
}

static bosc_status build_scene(bosc_ctx *ctx, struct scene *s, int64_t n)
{
    return bosc_hash_build(ctx, s->table, s->keys.p, s->opts.value_size ? s->values.p : NULL, n);
}

static bool is_pending(const bosc_hash *table) { return table->pending.state == BI_HASH_LAUNCHED; }

/* Builds, which is pending where arrays are on a device, unless keys repeated in the last build. */
static void launch(bosc_ctx *ctx, struct scene *s, int64_t n)
{
    const bool unknown = is_pending(s->table), repeats = s->table->reduced_keys > 0;
    CHECK_OK(ctx, build_scene(ctx, s, n));
    if (unknown) return; /* the build has first completed the last one, in which keys may have repeated */
    CHECK_EQ(is_pending(s->table), has_device_memory(ctx) && n > 0 && s->opts.kind == BOSC_HASH_MAP && !repeats);
}

/* The bytes of a table of these pairs whose build waits. */
static struct saved waited(bosc_ctx *ctx, const struct scene *s, int64_t n)
{
    bosc_hash_opts o = s->opts;
    bosc_hash *table = NULL;
    o.no_wait = 0;
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    CHECK_OK(ctx, bosc_hash_build(ctx, table, s->keys.p, o.value_size ? s->values.p : NULL, n));
    CHECK(!is_pending(table));
    struct saved bytes = hash_save(ctx, table);
    bosc_hash_free(table);
    return bytes;
}

static void check_bytes(bosc_ctx *ctx, const struct scene *s, int64_t n)
{
    struct saved a = hash_save(ctx, s->table), b = waited(ctx, s, n);
    CHECK(!is_pending(s->table));
    CHECK(a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0);
    free(a.bytes);
    free(b.bytes);
}

static void check_message(bosc_ctx *ctx)
{
    CHECK(strncmp(bosc_ctx_message(ctx), "table: its build failed: ", 25) == 0);
}

/* Widths, counts, repeated keys, crowded partitions, growing and shrinking: the bytes are those of builds that wait. */
static void same_bytes(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {1, 300, 5000, 0, 4097, 17000, 40};
    static const int32_t values[] = {4, 0, 8, 12};
    static const enum hash_pattern patterns[] = {HASH_SEQUENCE, HASH_RANDOM, HASH_FEW, HASH_EQUAL, HASH_ONE_PARTITION};
    for (int k = 0; k < 90; k++) {
        if (suite_leaves_out()) continue;
        bosc_hash_opts o = {.key_bits = 32 << k % 3, .value_size = values[k % 4], .load_factor = k % 2 ? 0.7 : 0.95};
        o.layout = k >= 60 ? BOSC_HASH_ORDERED : k % 4 == 3 ? BOSC_HASH_AUTO : BOSC_HASH_BUCKETED;
        o.counted = k % 5 == 1;
        if (k % 7 == 3) o.duplicates = BOSC_HASH_FIRST;
        if (k % 11 == 4) o.kind = BOSC_HASH_MULTIMAP, o.counted = 0, o.duplicates = BOSC_HASH_LAST;
        const int64_t most = suite_slow(ctx) ? 5000 : 17000;
        struct scene s = open_scene(ctx, o, patterns[k / 3 % 5], most);
        for (int b = 0; b < 4; b++) {
            const int64_t n = sizes[(k + b) % 7] < most ? sizes[(k + b) % 7] : most;
            launch(ctx, &s, n);
            if (b % 2) CHECK_OK(ctx, bosc_hash_wait(ctx, s.table));
            CHECK(b % 2 == 0 || !is_pending(s.table));
            if (b < 3) check_bytes(ctx, &s, n);
        }
        close_scene(ctx, &s); /* the last one is waited for, no more */
    }
}

/* A launched build in which keys repeat goes on with the reduction: it makes no more launches than one that waits. */
static void launches_once(bosc_ctx *ctx)
{
#ifdef BOSC_FAULTS
    enum { N = 9000 };
    /* Counts the launches of a build that waits, then of a launched one. */
    for (int k = 0; k < 4; k++) {
        const bosc_hash_opts o = {
            .key_bits = 32, .value_size = 4, .layout = k % 2 ? BOSC_HASH_ORDERED : BOSC_HASH_BUCKETED};
        struct scene s = open_scene(ctx, o, k < 2 ? HASH_FEW : HASH_EQUAL, N);
        bosc_hash_opts waits = s.opts;
        bosc_hash *table = NULL;
        waits.no_wait = 0;
        CHECK_OK(ctx, bosc_hash_create(ctx, &waits, &table));
        bi_fault_arm(BI_FAULT_LAUNCH, INT64_MAX, false);
        CHECK_OK(ctx, bosc_hash_build(ctx, table, s.keys.p, s.values.p, N));
        const int64_t once = bi_fault_passages();
        bi_fault_arm(BI_FAULT_LAUNCH, INT64_MAX, false);
        launch(ctx, &s, N);
        CHECK_OK(ctx, bosc_hash_wait(ctx, s.table));
        const int64_t launches = bi_fault_passages();
        bi_fault_disarm();
        if (launches > once)
            suite_fail(__FILE__, __LINE__, "%lld launches, not %lld", (long long)launches, (long long)once);
        check_bytes(ctx, &s, N);
        bosc_hash_free(table);
        close_scene(ctx, &s);
    }
#else
    (void)ctx;
#endif
}

/* Calls on a table. Each returns what its function returns. */
struct call {
    const char *name;
    bosc_status (*make)(bosc_ctx *ctx, struct scene *s);
};

static bosc_status call_wait(bosc_ctx *ctx, struct scene *s) { return bosc_hash_wait(ctx, s->table); }
static bosc_status call_build(bosc_ctx *ctx, struct scene *s) { return build_scene(ctx, s, 20); }
static bosc_status call_build_nothing(bosc_ctx *ctx, struct scene *s) { return build_scene(ctx, s, 0); }
static bosc_status call_reserve(bosc_ctx *ctx, struct scene *s) { return bosc_hash_reserve(ctx, s->table, 9000, 10); }
static bosc_status call_find(bosc_ctx *ctx, struct scene *s)
{
    uint8_t found[8];
    return bosc_hash_find(ctx, s->table, s->pairs.keys, 8, NULL, found);
}
static bosc_status call_find_nothing(bosc_ctx *ctx, struct scene *s)
{
    return bosc_hash_find(ctx, s->table, NULL, 0, NULL, NULL);
}
static bosc_status call_count(bosc_ctx *ctx, struct scene *s)
{
    int64_t counts[8];
    return bosc_hash_count(ctx, s->table, s->pairs.keys, 8, counts);
}
static bosc_status call_retrieve(bosc_ctx *ctx, struct scene *s)
{
    int64_t offsets[9];
    return bosc_hash_retrieve(ctx, s->table, s->pairs.keys, 8, offsets, NULL, 0);
}
static bosc_status call_insert(bosc_ctx *ctx, struct scene *s)
{
    return bosc_hash_insert(ctx, s->table, s->keys.p, s->values.p, 3);
}
static bosc_status call_erase(bosc_ctx *ctx, struct scene *s)
{
    return bosc_hash_erase(ctx, s->table, s->keys.p, 3, NULL);
}
static bosc_status call_rehash(bosc_ctx *ctx, struct scene *s) { return bosc_hash_rehash(ctx, s->table, 0.6, 5); }
static bosc_status call_get_pairs(bosc_ctx *ctx, struct scene *s)
{
    return bosc_hash_get_pairs(ctx, s->table, NULL, NULL, NULL);
}
static bosc_status call_get_info(bosc_ctx *ctx, struct scene *s)
{
    bosc_hash_info info = {.size = sizeof info};
    return bosc_hash_get_info(ctx, s->table, &info);
}
static bosc_status call_get_view(bosc_ctx *ctx, struct scene *s)
{
    bosc_hash_view view;
    return bosc_hash_get_view(ctx, s->table, &view);
}
static bosc_status call_write(bosc_ctx *ctx, struct scene *s)
{
    struct saved bytes = {0};
    const bosc_status status = bosc_hash_write(ctx, s->table, saved_append, &bytes);
    free(bytes.bytes);
    return status;
}

static const struct call calls[] = {
    {"wait", call_wait},         {"build", call_build},       {"build nothing", call_build_nothing},
    {"reserve", call_reserve},   {"find", call_find},         {"find nothing", call_find_nothing},
    {"count", call_count},       {"retrieve", call_retrieve}, {"insert", call_insert},
    {"erase", call_erase},       {"rehash", call_rehash},     {"get_pairs", call_get_pairs},
    {"get_info", call_get_info}, {"get_view", call_get_view}, {"write", call_write},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* After a good build, each call acts on the table as on one whose build was waited for. */
static void next_calls(bosc_ctx *ctx)
{
    const bosc_hash_opts o = {.layout = BOSC_HASH_BUCKETED, .value_size = 4, .load_factor = 0.8};
    for (int c = 0; c < CALLS; c++)
        for (int repeats = 0; repeats < 2; repeats++) {
            struct scene a = open_scene(ctx, o, repeats ? HASH_FEW : HASH_SEQUENCE, 900);
            struct scene b = open_scene(ctx, o, repeats ? HASH_FEW : HASH_SEQUENCE, 900);
            launch(ctx, &a, 900);
            launch(ctx, &b, 900);
            CHECK_OK(ctx, bosc_hash_wait(ctx, b.table));
            CHECK_OK(ctx, calls[c].make(ctx, &a));
            CHECK_OK(ctx, calls[c].make(ctx, &b));
            struct saved f = hash_save(ctx, a.table), g = hash_save(ctx, b.table);
            CHECK(f.size == g.size && memcmp(f.bytes, g.bytes, f.size) == 0);
            free(f.bytes);
            free(g.bytes);
            close_scene(ctx, &a);
            close_scene(ctx, &b);
        }
}

/* A repeated key is found after the build has returned. Each next call reports it and does nothing; the call after
 * that finds an empty table, and a new build works. */
static void late_failures(bosc_ctx *ctx)
{
    const bosc_hash_opts o = {.layout = BOSC_HASH_BUCKETED, .value_size = 4, .duplicates = BOSC_HASH_ERROR};
    const bool device = has_device_memory(ctx);
    for (int c = 0; c < CALLS; c++) {
        struct scene s = open_scene(ctx, o, HASH_FEW, 900);
        bosc_hash_info info = {.size = sizeof info};
        if (device) {
            launch(ctx, &s, 900);
            CHECK_STATUS(ctx, calls[c].make(ctx, &s), BOSC_ERR_DATA);
            check_message(ctx);
        } else {
            CHECK_STATUS(ctx, build_scene(ctx, &s, 900), BOSC_ERR_DATA);
        }
        CHECK_OK(ctx, bosc_hash_wait(ctx, s.table));
        CHECK_OK(ctx, bosc_hash_get_info(ctx, s.table, &info));
        CHECK(info.keys == 0 && info.pairs == 0);
        launch(ctx, &s, 1);
        CHECK_OK(ctx, bosc_hash_get_info(ctx, s.table, &info));
        CHECK(info.keys == 1 && info.pairs == 1);
        launch(ctx, &s, 1);
        close_scene(ctx, &s);
    }
}

/* While the stream records a graph, calls on a table whose build is pending are refused, and builds are always: nothing
 * is recorded, and the table stays as it is. */
static void recorded(bosc_ctx *ctx)
{
    static const char about[] = "table: its build is not waited for yet",
                      builds[] = "table: its builds report to the host";
    struct scene s = open_scene(ctx, (bosc_hash_opts){.value_size = 4}, HASH_FEW, 900);
    struct capture graph = {.ctx = ctx};
    launch(ctx, &s, 900);
    if (capture_begin(ctx)) {
        for (int c = 0; c < CALLS; c++) {
            CHECK_STATUS(ctx, calls[c].make(ctx, &s), BOSC_ERR_ARG);
            CHECK(strncmp(bosc_ctx_message(ctx), about, sizeof about - 1) == 0);
            CHECK(is_pending(s.table));
        }
        graph.graph = capture_end(ctx);
        capture_close(&graph);
    }
    check_bytes(ctx, &s, 900);
    if (capture_begin(ctx)) {
        CHECK_STATUS(ctx, build_scene(ctx, &s, 20), BOSC_ERR_ARG);
        CHECK(strncmp(bosc_ctx_message(ctx), builds, sizeof builds - 1) == 0);
        graph.graph = capture_end(ctx);
        capture_close(&graph);
    }
    check_bytes(ctx, &s, 900);
    close_scene(ctx, &s);
}

/* A bad argument of the next call is reported after the build is finished. */
static void bad_arguments(bosc_ctx *ctx)
{
    struct scene s = open_scene(ctx, (bosc_hash_opts){.value_size = 4}, HASH_SEQUENCE, 300);
    launch(ctx, &s, 300);
    CHECK_STATUS(ctx, bosc_hash_wait(ctx, NULL), BOSC_ERR_ARG);
    CHECK(strncmp(bosc_ctx_message(ctx), "table", 5) == 0);
    CHECK_EQ(is_pending(s.table), has_device_memory(ctx));
    CHECK_STATUS(ctx, bosc_hash_reserve(ctx, s.table, -1, 0), BOSC_ERR_ARG);
    CHECK(strncmp(bosc_ctx_message(ctx), "n: ", 3) == 0);
    CHECK(!is_pending(s.table));
    check_bytes(ctx, &s, 300);
    close_scene(ctx, &s);
}

/* Host arrays are staged, so their builds wait. */
static void host_arrays(bosc_ctx *ctx)
{
    struct scene s = open_scene(ctx, (bosc_hash_opts){.value_size = 4}, HASH_SEQUENCE, 300);
    CHECK_OK(ctx, bosc_hash_build(ctx, s.table, s.pairs.keys, s.pairs.values, 300));
    CHECK(!is_pending(s.table));
    check_bytes(ctx, &s, 300);
    close_scene(ctx, &s);
}

static bosc_ctx *another(const bosc_ctx *ctx)
{
    bosc_ctx *other = NULL;
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_EQ(bosc_ctx_get_info(ctx, &info), BOSC_OK);
    const bosc_ctx_opts o = {
        .size = sizeof o, .backend = info.backend, .device = info.device < 0 ? 0 : info.device, .threads = 1};
    CHECK_EQ(bosc_ctx_create(&o, &other), BOSC_OK);
    return other;
}

/* A call on another context finishes a build whose own context may be gone. */
static void other_contexts(bosc_ctx *ctx)
{
    for (int k = 0; k < 8; k++) {
        bosc_ctx *builder = another(ctx);
        struct scene s = open_scene(ctx, (bosc_hash_opts){.value_size = 4}, k & 1 ? HASH_FEW : HASH_SEQUENCE, 2000);
        CHECK_OK(ctx, bosc_ctx_sync(ctx));
        launch(builder, &s, 2000);
        if (k & 2) bosc_ctx_free(builder);
        if (k & 4) CHECK_OK(ctx, call_find(ctx, &s));
        check_bytes(ctx, &s, 2000);
        if (!(k & 2)) bosc_ctx_free(builder);
        close_scene(ctx, &s);
    }
}

/* Threads with a context each, which look up at once. */
enum { THREADS = 4 };
struct asker {
    bosc_ctx *ctx;
    struct scene *scene;
    bosc_status status;
    int32_t found;
};

static void *find_eight(void *user)
{
    struct asker *a = user;
    uint8_t found[8] = {0};
    a->status = bosc_hash_find(a->ctx, a->scene->table, a->scene->pairs.keys, 8, NULL, found);
    for (int i = 0; i < 8; i++) a->found += found[i];
    return NULL;
}

static void threads(bosc_ctx *ctx)
{
    for (int k = 0; k < 6; k++) {
        bosc_hash_opts o = {.value_size = 4};
        if (k % 3 == 2) o.duplicates = BOSC_HASH_ERROR;
        struct scene s = open_scene(ctx, o, k % 3 ? HASH_FEW : HASH_SEQUENCE, 1000);
        struct asker askers[THREADS];
        pthread_t ids[THREADS];
        int failed = 0;
        const bosc_status built = build_scene(ctx, &s, 1000);
        for (int t = 0; t < THREADS; t++) askers[t] = (struct asker){.ctx = another(ctx), .scene = &s};
        for (int t = 0; t < THREADS; t++) CHECK(pthread_create(&ids[t], NULL, find_eight, &askers[t]) == 0);
        for (int t = 0; t < THREADS; t++) CHECK(pthread_join(ids[t], NULL) == 0);
        for (int t = 0; t < THREADS; t++) {
            failed += askers[t].status != BOSC_OK;
            CHECK(askers[t].status == BOSC_OK || askers[t].status == BOSC_ERR_DATA);
            CHECK_EQ(askers[t].found, k % 3 == 2 ? 0 : 8);
            bosc_ctx_free(askers[t].ctx);
        }
        CHECK_EQ(failed + (built != BOSC_OK), k % 3 == 2);
        close_scene(ctx, &s);
    }
}

/* Every passage of a build and of the call that finishes it fails in turn: one of the two reports it, and the table is
 * empty or whole. */
static struct scene *faulty;

static bosc_status build_and_wait(bosc_ctx *ctx, void *user)
{
    (void)user;
    bosc_hash *table = NULL;
    bosc_status status = bosc_hash_create(ctx, &faulty->opts, &table);
    if (status == BOSC_OK) status = bosc_hash_build(ctx, table, faulty->keys.p, faulty->values.p, 500);
    const bool launched = status == BOSC_OK && is_pending(table);
    if (launched) status = bosc_hash_wait(ctx, table);
    if (launched && status != BOSC_OK) {
        check_message(ctx);
        CHECK(!is_pending(table) && table->keys == 0);
    }
    CHECK(status != BOSC_OK || table->keys > 0);
    bosc_hash_free(table);
    return status;
}

static void nothing(void *user) { (void)user; }
static bool always(void *user) { return user == NULL; }

static void faults(bosc_ctx *ctx)
{
    if (ctx->threads > 2) return;
    for (int k = 0; k < 4; k++) {
        const bosc_hash_opts o = {.layout = k / 2 ? BOSC_HASH_ORDERED : BOSC_HASH_BUCKETED, .value_size = 4};
        struct scene s = open_scene(ctx, o, k % 2 ? HASH_FEW : HASH_SEQUENCE, 500);
        faulty = &s;
        struct fault_sweep sweep = {.call = build_and_wait, .prepare = nothing, .untouched = always, .right = always};
        (void)fault_sweep(ctx, &sweep);
        close_scene(ctx, &s);
    }
}

static const struct suite_case suite_cases_hash_no_wait[] = {
    {"same bytes", same_bytes, NULL},   {"launches once", launches_once, NULL},
    {"next calls", next_calls, NULL},   {"late failures", late_failures, NULL},
    {"recorded", recorded, NULL},       {"bad arguments", bad_arguments, NULL},
    {"host arrays", host_arrays, NULL}, {"other contexts", other_contexts, NULL},
    {"threads", threads, NULL},         {"faults", faults, NULL}};
SUITE(hash_no_wait);
