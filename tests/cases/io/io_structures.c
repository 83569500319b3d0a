/* Hash tables, tries, concurrent binary trees, bisector pools, planets and clusterings as files: round trips, damage,
 * faults. The cases of the structures test the contents; trees and graphs have their own cases. */
#include "support/saved.h"
#include "support/saved_files.h"
#include "io/file/file.h"

enum { N = 9 };

static bosc_hash *make_hash(bosc_ctx *ctx, int64_t n)
{
    static const uint32_t keys[N] = {7, 0, 4000000000u, 12, 13, 14, 99, 1, 5};
    static const float values[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    bosc_hash_opts opts = {.size = sizeof opts, .key_bits = 32, .value_size = sizeof *values};
    bosc_hash *table = NULL;
    CHECK_OK(ctx, bosc_hash_create(ctx, &opts, &table));
    CHECK_OK(ctx, bosc_hash_build(ctx, table, keys, values, n));
    return table;
}

static bosc_trie *make_trie(bosc_ctx *ctx, int64_t n)
{
    static const uint64_t rows[N] = {0x1ff, 0x0, 0x101, 0x33, 0x34, 0x1fe, 0x80, 0x3, 0x22};
    bosc_trie_opts opts = {.size = sizeof opts, .length = 9};
    bosc_trie *trie = NULL;
    CHECK_OK(ctx, bosc_trie_create(ctx, &opts, &trie));
    CHECK_OK(ctx, bosc_trie_build(ctx, trie, rows, NULL, n, 0));
    return trie;
}

/* Leaves of a level, `n` of them split. */
static bosc_cbt *make_cbt(bosc_ctx *ctx, int64_t n)
{
    static const uint64_t nodes[N] = {8, 9, 10, 11, 12, 13, 14, 15, 0};
    bosc_cbt_opts opts = {.size = sizeof opts, .depth = 7, .level = 3};
    bosc_cbt *tree = NULL;
    CHECK_OK(ctx, bosc_cbt_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_cbt_split(ctx, tree, nodes, n));
    CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
    return tree;
}

/* Leaves of a level, `n` of them split. */
static bosc_bisectors *make_bisectors(bosc_ctx *ctx, int64_t n)
{
    static const uint64_t nodes[N] = {8, 9, 10, 11, 12, 13, 14, 15, 0};
    const bosc_bisectors_opts opts = {.size = sizeof opts, .depth = 7, .level = 3};
    bosc_bisectors *bisectors = NULL;
    CHECK_OK(ctx, bosc_bisectors_create(ctx, &opts, &bisectors));
    CHECK_OK(ctx, bosc_bisectors_split(ctx, bisectors, nodes, n));
    CHECK_OK(ctx, bosc_bisectors_update(ctx, bisectors, NULL, 0, NULL, 0));
    return bisectors;
}

/* An octahedron with `n` of its faces split. */
static bosc_planet *make_planet(bosc_ctx *ctx, int64_t n)
{
    static const float heights[6] = {1, -2, 3, 0, 50, 6};
    static const uint8_t commands[N] = {1, 0, 1, 1, 0, 1, 0, 0, 0};
    const bosc_planet_opts opts = {.size = sizeof opts, .depth = 9, .detail_amplitude = 2};
    const bosc_planet_raster raster = {.size = sizeof raster, .heights = heights, .width = 3, .height = 2};
    bosc_planet *planet = NULL;
    CHECK_OK(ctx, bosc_planet_create(ctx, &opts, &planet));
    CHECK_OK(ctx, bosc_planet_build(ctx, planet, &raster));
    CHECK_OK(ctx, bosc_planet_update(ctx, planet, commands, n));
    return planet;
}

/* Clusters of at least 2 of n points. */
static bosc_hdbscan *make_hdbscan(bosc_ctx *ctx, int64_t n)
{
    static const float points[N] = {0, 1, 2, 30, 31, 32, 60, 61, 9};
    const bosc_hdbscan_opts opts = {.size = sizeof opts, .dim = 1, .min_cluster_size = 2};
    bosc_hdbscan *clustering = NULL;
    CHECK_OK(ctx, bosc_hdbscan_create(ctx, points, n, 0, &opts, &clustering));
    return clustering;
}

/* The file has the structure's bytes, also after it was loaded and saved again; readers of other structures refuse it.
 * */
static void round_trip(bosc_ctx *ctx, const struct saved_file_kind *kind, const char *path, const void *handle,
                       const struct saved *bytes)
{
    bosc_io_error error;
    void *back = NULL;
    struct bi_file file;
    for (int time = 0; time < 2; time++) {
        CHECK_OK(ctx, kind->save(ctx, time ? back : handle, path, &error));
        kind->free(back);
        back = NULL;
        CHECK_EQ(bi_file_open(path, &file, &error), BOSC_OK);
        CHECK(file.bytes.size == bytes->size && memcmp(file.bytes.data, bytes->bytes, bytes->size) == 0);
        bi_file_close(&file);
        CHECK_OK(ctx, kind->load(ctx, path, &back, &error));
        kind->check_equal(ctx, handle, back);
    }
    kind->free(back);
    bosc_kdtree *tree = NULL;
    CHECK_EQ(bosc_kdtree_load(ctx, path, &tree, &error), BOSC_ERR_FORMAT);
    CHECK(!tree && suite_begins(error.text, path) && strstr(error.text, ": not a saved k-d tree"));
}

static void refuse(bosc_ctx *ctx, const struct saved_file_kind *kind, const void *handle, const char *name)
{
    bosc_io_error failure;
    void *fresh = NULL;
    CHECK_TEXT(kind->save(NULL, handle, "none", error), "ctx: NULL");
    CHECK_TEXT(kind->save(ctx, NULL, "none", error), name);
    CHECK_TEXT(kind->save(ctx, handle, NULL, error), "path: NULL");
    CHECK_TEXT(kind->load(NULL, "none", &fresh, error), "ctx: NULL");
    CHECK_TEXT(kind->load(ctx, NULL, &fresh, error), "path: NULL");
    CHECK_EQ(kind->save(ctx, handle, "/nowhere/s.bosc", &failure), BOSC_ERR_IO);
    CHECK(suite_begins(failure.text, "/nowhere/s.bosc: cannot create: "));
    CHECK_EQ(kind->load(ctx, "/nowhere/s.bosc", &fresh, &failure), BOSC_ERR_IO);
    CHECK(suite_begins(failure.text, "/nowhere/s.bosc: cannot open: "));
    if (access("/dev/full", W_OK) == 0) {
        CHECK_EQ(kind->save(ctx, handle, "/dev/full", &failure), BOSC_ERR_IO);
        CHECK(strcmp(failure.text, "/dev/full: cannot write: No space left on device") == 0);
    }
    CHECK(!fresh);
}

/* Compares structures by the bytes of bosc_X_write, which are also those of the file. */
#define STRUCTURE_CASES(type, name)                                                           \
    static struct saved bytes_of_##type(bosc_ctx *ctx, const bosc_##type *handle)             \
    {                                                                                         \
        struct saved s = {0};                                                                 \
        CHECK_OK(ctx, bosc_##type##_write(ctx, handle, saved_append, &s));                    \
        return s;                                                                             \
    }                                                                                         \
    static void check_equal_##type(bosc_ctx *ctx, const bosc_##type *a, const bosc_##type *b) \
    {                                                                                         \
        struct saved x = bytes_of_##type(ctx, a), y = bytes_of_##type(ctx, b);                \
        CHECK(x.size == y.size && memcmp(x.bytes, y.bytes, x.size) == 0);                     \
        free(x.bytes);                                                                        \
        free(y.bytes);                                                                        \
    }                                                                                         \
    SAVED_FILE_KIND(type, check_equal_##type);                                                \
    static void round_trips_##type(bosc_ctx *ctx)                                             \
    {                                                                                         \
        char path[PATH_ROOM];                                                                 \
        fresh_path(path, ".bosc");                                                            \
        for (int64_t n = 0; n <= N; n += N) {                                                 \
            bosc_##type *handle = make_##type(ctx, n);                                        \
            struct saved bytes = bytes_of_##type(ctx, handle);                                \
            round_trip(ctx, &saved_file_##type, path, handle, &bytes);                        \
            free(bytes.bytes);                                                                \
            bosc_##type##_free(handle);                                                       \
        }                                                                                     \
        unlink(path);                                                                         \
    }                                                                                         \
    static void bad_arguments_##type(bosc_ctx *ctx)                                           \
    {                                                                                         \
        bosc_##type *handle = make_##type(ctx, N);                                            \
        refuse(ctx, &saved_file_##type, handle, name);                                        \
        CHECK_TEXT(bosc_##type##_load(ctx, "none", NULL, error), name);                       \
        bosc_##type##_free(handle);                                                           \
    }                                                                                         \
    static void damage_##type(bosc_ctx *ctx)                                                  \
    {                                                                                         \
        bosc_##type *handle = make_##type(ctx, N);                                            \
        saved_file_damage(ctx, &saved_file_##type, handle, 64);                               \
        bosc_##type##_free(handle);                                                           \
    }

STRUCTURE_CASES(hash, "table: NULL")
STRUCTURE_CASES(trie, "trie: NULL")
STRUCTURE_CASES(cbt, "tree: NULL")
STRUCTURE_CASES(bisectors, "bisectors: NULL")
STRUCTURE_CASES(planet, "planet: NULL")
STRUCTURE_CASES(hdbscan, "clustering: NULL")

#ifdef BOSC_FAULTS
#define FAULTS(type)                                                         \
    static void faults_##type(bosc_ctx *ctx)                                 \
    {                                                                        \
        bosc_##type *next = make_##type(ctx, N), *old = make_##type(ctx, 3); \
        saved_file_faults(ctx, &saved_file_##type, next, old);               \
        bosc_##type##_free(next);                                            \
        bosc_##type##_free(old);                                             \
    }
FAULTS(hash)
FAULTS(trie)
FAULTS(cbt)
FAULTS(bisectors)
FAULTS(planet)
FAULTS(hdbscan)
#endif

static const struct suite_case suite_cases_io_structures[] = {
    {"hash tables: round trips", round_trips_hash, NULL},
    {"tries: round trips", round_trips_trie, NULL},
    {"binary trees: round trips", round_trips_cbt, NULL},
    {"pools of bisectors: round trips", round_trips_bisectors, NULL},
    {"planets: round trips", round_trips_planet, NULL},
    {"clusterings: round trips", round_trips_hdbscan, NULL},
    {"hash tables: damage", damage_hash, NULL},
    {"tries: damage", damage_trie, NULL},
    {"binary trees: damage", damage_cbt, NULL},
    {"pools of bisectors: damage", damage_bisectors, NULL},
    {"planets: damage", damage_planet, NULL},
    {"clusterings: damage", damage_hdbscan, NULL},
    {"hash tables: bad arguments", bad_arguments_hash, NULL},
    {"tries: bad arguments", bad_arguments_trie, NULL},
    {"binary trees: bad arguments", bad_arguments_cbt, NULL},
    {"pools of bisectors: bad arguments", bad_arguments_bisectors, NULL},
    {"planets: bad arguments", bad_arguments_planet, NULL},
    {"clusterings: bad arguments", bad_arguments_hdbscan, NULL},
#ifdef BOSC_FAULTS
    {"hash tables: saving and loading fail at every passage", faults_hash, NULL},
    {"tries: saving and loading fail at every passage", faults_trie, NULL},
    {"binary trees: saving and loading fail at every passage", faults_cbt, NULL},
    {"pools of bisectors: saving and loading fail at every passage", faults_bisectors, NULL},
    {"planets: saving and loading fail at every passage", faults_planet, NULL},
    {"clusterings: saving and loading fail at every passage", faults_hdbscan, NULL},
#endif
};
SUITE(io_structures);
