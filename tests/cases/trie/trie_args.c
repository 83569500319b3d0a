/* Tries refuse bad arguments; they can be reserved, rebuilt without allocating, and outlive contexts. */
#include "support/faults.h"
#include "cases/trie/trie_data.h"

static const bosc_trie_opts good = {.size = sizeof good, .length = 100};
static const int64_t bad_counts[] = {-1, -2, INT64_MIN}, bad_strides[] = {1, -1, -2, INT64_MIN};

static void check_refused_opts(bosc_ctx *ctx, const bosc_trie_opts *o, const char *argument)
{
    bosc_trie *trie = NULL;
    int64_t kept = 7;
    CHECK_ARG(ctx, bosc_trie_create(ctx, o, &trie), argument);
    CHECK_ARG(ctx, bosc_trie_bytes(ctx, o, 10, &kept, &kept), argument);
    CHECK(trie == NULL && kept == 7);
}

static void create(bosc_ctx *ctx)
{
    /* Each bad option is refused by its name. */
    static const int32_t lengths[] = {0, -1, 65537, INT32_MAX, INT32_MIN};
    static const int32_t letters[] = {-1, 9, 64, INT32_MAX, INT32_MIN}, bits[] = {1, 16, 33, 128, -64};
    static const int others[] = {-1, 2, 5, 99, INT32_MIN};
    bosc_trie *trie = NULL;
    bosc_trie_opts o = good;
    CHECK_EQ(bosc_trie_create(NULL, &o, &trie), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_trie_create(ctx, &o, NULL), "trie");
    check_refused_opts(ctx, NULL, "opts");
    for (int i = 0; i < 5; i++) {
        bosc_trie_opts list[8] = {good, good, good, good, good, good, good, good};
        list[0].length = lengths[i];
        list[1].letter_bits = letters[i];
        list[2].value_bits = bits[i];
        list[3].layout = (bosc_trie_layout)others[i];
        list[4].duplicates = (bosc_trie_duplicates)others[i];
        list[5].digit_bits = others[i] == 2 ? 9 : others[i] == 5 ? 6 : others[i];
        list[5].letter_bits = 4;
        list[6].blocks = -1 - i;
        list[7].threads = i % 2 ? -1 : 1025 + i;
        bosc_trie_opts compact = good;
        compact.layout = BOSC_TRIE_COMPACT;
        compact.by_values = i ? i : -1;
        check_refused_opts(ctx, &compact, "opts: by_values");
        check_refused_opts(ctx, &list[6], "opts: blocks");
        check_refused_opts(ctx, &list[7], "opts: threads");
        check_refused_opts(ctx, &list[0], "opts: length");
        check_refused_opts(ctx, &list[1], "opts: letter_bits");
        check_refused_opts(ctx, &list[2], "opts: value_bits");
        check_refused_opts(ctx, &list[3], "opts: layout");
        check_refused_opts(ctx, &list[4], "opts: duplicates");
        check_refused_opts(ctx, &list[5], "opts: digit_bits");
        CHECK_EQ(bosc_trie_words(lengths[i], 1), 0);
        CHECK_EQ(bosc_trie_words(1, letters[i]), 0);
    }
    for (size_t size = 0; size < 3 * sizeof o; size += size < sizeof o ? 7 : sizeof o) {
        o.size = size;
        if (size < sizeof(size_t) || size > sizeof o) check_refused_opts(ctx, &o, "opts: size");
    }
    bosc_trie_free(NULL);
    /* Words of a row: letters do not cross words. */
    CHECK_EQ(bosc_trie_words(64, 1), 1);
    CHECK_EQ(bosc_trie_words(65, 1), 2);
    CHECK_EQ(bosc_trie_words(22, 3), 2);
    CHECK_EQ(bosc_trie_words(65536, 8), bosc_cellgraph_words(65536, 8));
}

/* A trie of 10 rows of one key. */
static bosc_trie *ten(bosc_ctx *ctx, const uint64_t *rows)
{
    bosc_trie *trie = trie_create(ctx, &good);
    CHECK_OK(ctx, bosc_trie_build(ctx, trie, rows, NULL, 10, 0));
    return trie;
}

static void check_ten(bosc_ctx *ctx, bosc_trie *trie)
{
    bosc_trie_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_trie_get_info(ctx, trie, &info));
    CHECK(info.rows == 10 && info.keys == 1 && info.nodes == 0 && info.depth == 0);
    bosc_trie_free(trie);
}

/* Bad arguments of both building and inserting. */
static void check_rows_refused(bosc_ctx *ctx, bosc_trie *trie, uint64_t *rows,
                               bosc_status (*put)(bosc_ctx *, bosc_trie *, const uint64_t *, const void *, int64_t,
                                                  int64_t))
{
    CHECK_EQ(put(NULL, trie, rows, NULL, 10, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, put(ctx, NULL, rows, NULL, 10, 0), "trie");
    CHECK_ARG(ctx, put(ctx, trie, NULL, NULL, 10, 0), "keys");
    CHECK_ARG(ctx, put(ctx, trie, NULL, rows, 1, 2), "keys");
    for (int off = 1; off < 8; off++) {
        CHECK_ARG(ctx, put(ctx, trie, (void *)((char *)rows + off), NULL, 9, 0), "keys: not aligned");
        CHECK_ARG(ctx, put(ctx, trie, rows, (char *)rows + off, 9, 0), "values: not aligned");
    }
    for (int i = 0; i < 3; i++) CHECK_ARG(ctx, put(ctx, trie, rows, NULL, bad_counts[i], 0), "n");
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, put(ctx, trie, rows, NULL, 10, bad_strides[i]), "stride");
    CHECK_ARG(ctx, put(ctx, trie, rows, NULL, 10, INT64_MAX / 8), "n: 10 rows");
    CHECK_ARG(ctx, put(ctx, trie, rows, NULL, 2, INT64_MAX), "n: 2 rows");
    CHECK_ARG(ctx, put(ctx, trie, rows, NULL, INT64_MAX, 0), "n: ");
    CHECK_STATUS(ctx, put(ctx, trie, rows, NULL, (int64_t)1 << 31, 0), BOSC_ERR_LIMIT);
}

static void builds(bosc_ctx *ctx)
{
    uint64_t rows[21] = {0};
    bosc_trie *trie = ten(ctx, rows);
    check_rows_refused(ctx, trie, rows, bosc_trie_build);
    check_ten(ctx, trie);
}

static void insert(bosc_ctx *ctx)
{
    uint64_t rows[21] = {0};
    bosc_trie *trie = ten(ctx, rows);
    check_rows_refused(ctx, trie, rows, bosc_trie_insert);
    CHECK_STATUS(ctx, bosc_trie_insert(ctx, trie, rows, NULL, (int64_t)UINT32_MAX - 10, 0), BOSC_ERR_LIMIT);
    CHECK_OK(ctx, bosc_trie_insert(ctx, trie, NULL, NULL, 0, 0));
    check_ten(ctx, trie);
}

static void erase(bosc_ctx *ctx)
{
    uint64_t rows[21] = {0};
    int64_t erased = 7;
    bosc_trie *trie = ten(ctx, rows);
    CHECK_EQ(bosc_trie_erase(NULL, trie, rows, 10, 0, &erased), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_trie_erase(ctx, NULL, rows, 10, 0, &erased), "trie");
    CHECK_ARG(ctx, bosc_trie_erase(ctx, trie, NULL, 10, 0, &erased), "keys");
    for (int off = 1; off < 8; off++)
        CHECK_ARG(ctx, bosc_trie_erase(ctx, trie, (void *)((char *)rows + off), 9, 0, &erased), "keys: not aligned");
    for (int i = 0; i < 3; i++) CHECK_ARG(ctx, bosc_trie_erase(ctx, trie, rows, bad_counts[i], 0, &erased), "n");
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, bosc_trie_erase(ctx, trie, rows, 10, bad_strides[i], NULL), "stride");
    CHECK_ARG(ctx, bosc_trie_erase(ctx, trie, rows, 10, INT64_MAX / 8, &erased), "n: 10 rows");
    CHECK_ARG(ctx, bosc_trie_erase(ctx, trie, rows, INT64_MAX, 0, &erased), "n: ");
    CHECK_EQ(erased, 7);
    CHECK_OK(ctx, bosc_trie_erase(ctx, trie, NULL, 0, 0, &erased));
    CHECK_EQ(erased, 0);
    check_ten(ctx, trie);
}

/* Bad rows of any query. `call` passes q, m, stride to the function. */
#define CHECK_QUERIES(ctx, trie, rows, call, function, ...)                                                          \
    do {                                                                                                             \
        CHECK_EQ(function(NULL, trie, __VA_ARGS__), BOSC_ERR_ARG);                                                   \
        CHECK_ARG(ctx, function(ctx, NULL, __VA_ARGS__), "trie");                                                    \
        for (int off_ = 1; off_ < 8; off_++) CHECK_ARG(ctx, call((void *)((char *)(rows) + off_), 9, 0), "queries"); \
        for (int i_ = 0; i_ < 3; i_++) CHECK_ARG(ctx, call(rows, bad_counts[i_], 0), "query_count");                 \
        for (int i_ = 0; i_ < 4; i_++) CHECK_ARG(ctx, call(rows, 9, bad_strides[i_]), "stride");                     \
        CHECK_ARG(ctx, call(NULL, 1, 0), "queries");                                                                 \
        CHECK_ARG(ctx, call(rows, INT64_MAX, 0), "query_count: ");                                                   \
        CHECK_ARG(ctx, call(rows, 3, INT64_MAX / 8), "query_count: 3 rows");                                         \
    } while (0)

static void queries(bosc_ctx *ctx)
{
    uint64_t rows[21] = {0};
    int64_t to[40];
    bosc_trie *trie = ten(ctx, rows);
    memset(to, 0x55, sizeof to);
#define FIND(q, m, stride) bosc_trie_find(ctx, trie, q, m, stride, to, to + 20, NULL)
    CHECK_QUERIES(ctx, trie, rows, FIND, bosc_trie_find, rows, 9, 0, to, NULL, NULL);
#define PREFIX(q, m, stride) bosc_trie_prefix(ctx, trie, q, NULL, m, stride, to, to + 20)
    CHECK_QUERIES(ctx, trie, rows, PREFIX, bosc_trie_prefix, rows, NULL, 9, 0, to, to + 20);
#define LONGEST(q, m, stride) bosc_trie_longest(ctx, trie, q, m, stride, NULL, to, to + 20)
    CHECK_QUERIES(ctx, trie, rows, LONGEST, bosc_trie_longest, rows, 9, 0, NULL, to, to + 20);
#define MATCHES(q, m, stride) bosc_trie_matches(ctx, trie, q, rows, m, stride, to, NULL, 0)
    CHECK_QUERIES(ctx, trie, rows, MATCHES, bosc_trie_matches, rows, rows, 9, 0, to, NULL, 0);
#define NEIGHBOURS(q, m, stride) bosc_trie_neighbours(ctx, trie, q, m, stride, to, NULL, NULL, 0)
    CHECK_QUERIES(ctx, trie, rows, NEIGHBOURS, bosc_trie_neighbours, rows, 9, 0, to, NULL, NULL, 0);
    for (int off = 1; off < 8; off++) {
        void *bad = (char *)to + off;
        CHECK_ARG(ctx, bosc_trie_find(ctx, trie, rows, 9, 0, bad, NULL, NULL), "ranks: not aligned");
        CHECK_ARG(ctx, bosc_trie_find(ctx, trie, rows, 9, 0, to, bad, NULL), "values: not aligned");
        CHECK_ARG(ctx, bosc_trie_prefix(ctx, trie, rows, NULL, 9, 0, bad, to), "begins: not aligned");
        CHECK_ARG(ctx, bosc_trie_prefix(ctx, trie, rows, NULL, 9, 0, to, bad), "ends: not aligned");
        CHECK_ARG(ctx, bosc_trie_longest(ctx, trie, rows, 9, 0, NULL, bad, to), "begins: not aligned");
        CHECK_ARG(ctx, bosc_trie_longest(ctx, trie, rows, 9, 0, NULL, to, bad), "ends: not aligned");
        CHECK_ARG(ctx, bosc_trie_matches(ctx, trie, rows, bad, 3, 0, to, NULL, 0), "masks: not aligned");
        CHECK_ARG(ctx, bosc_trie_matches(ctx, trie, rows, rows, 9, 0, bad, NULL, 0), "offsets: not aligned");
        CHECK_ARG(ctx, bosc_trie_matches(ctx, trie, rows, rows, 9, 0, to, bad, 3), "ranks: not aligned");
        CHECK_ARG(ctx, bosc_trie_neighbours(ctx, trie, rows, 9, 0, bad, NULL, NULL, 0), "offsets: not aligned");
        CHECK_ARG(ctx, bosc_trie_neighbours(ctx, trie, rows, 9, 0, to, bad, NULL, 3), "ranks: not aligned");
        if (off % 4 == 0) continue;
        CHECK_ARG(ctx, bosc_trie_neighbours(ctx, trie, rows, 9, 0, to, NULL, bad, 3), "positions: not aligned");
        CHECK_ARG(ctx, bosc_trie_prefix(ctx, trie, rows, bad, 9, 0, to, to), "lengths: not aligned");
        CHECK_ARG(ctx, bosc_trie_longest(ctx, trie, rows, 9, 0, bad, to, to), "lengths: not aligned");
    }
    CHECK_ARG(ctx, bosc_trie_matches(ctx, trie, rows, NULL, 9, 0, to, NULL, 0), "masks");
    CHECK_ARG(ctx, bosc_trie_matches(ctx, trie, rows, rows, 9, 0, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_trie_neighbours(ctx, trie, rows, 9, 0, NULL, NULL, NULL, 0), "offsets");
    for (int i = 0; i < 3; i++) {
        CHECK_ARG(ctx, bosc_trie_matches(ctx, trie, rows, rows, 9, 0, to, to, bad_counts[i]), "capacity");
        CHECK_ARG(ctx, bosc_trie_neighbours(ctx, trie, rows, 9, 0, to, to, NULL, bad_counts[i]), "capacity");
    }
    for (int i = 0; i < 40; i++) CHECK_EQ(to[i], 0x5555555555555555);
    for (int i = 0; i < 10; i++) to[i] = 0; /* offsets other than those of the answers */
    CHECK_ARG(ctx, bosc_trie_matches(ctx, trie, rows, rows, 9, 0, to, to + 20, 9), "offsets: the row of query 0");
    to[9] = -1;
    CHECK_ARG(ctx, bosc_trie_matches(ctx, trie, rows, rows, 9, 0, to, to + 20, 9), "offsets: not ascending");
    CHECK_ARG(ctx, bosc_trie_neighbours(ctx, trie, rows, 9, 0, to, to + 20, NULL, 9), "offsets: not ascending");
    to[9] = 1;
    CHECK_ARG(ctx, bosc_trie_neighbours(ctx, trie, rows, 9, 0, to, to + 20, NULL, 9), "offsets: the row of query 8");
    check_ten(ctx, trie);
}

static void all_pairs(bosc_ctx *ctx)
{
    uint64_t rows[21] = {0};
    int64_t to[8] = {0}, count = 7;
    bosc_trie *trie = ten(ctx, rows);
    CHECK_EQ(bosc_trie_pairs(NULL, trie, to, NULL, 4, &count), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_trie_pairs(ctx, NULL, to, NULL, 4, &count), "trie");
    CHECK_ARG(ctx, bosc_trie_pairs(ctx, trie, to, NULL, 4, NULL), "count");
    for (int off = 1; off < 8; off++) {
        void *bad = (char *)to + off;
        CHECK_ARG(ctx, bosc_trie_pairs(ctx, trie, bad, NULL, 3, &count), "pairs: not aligned");
        if (off != 4) CHECK_ARG(ctx, bosc_trie_pairs(ctx, trie, NULL, bad, 3, &count), "positions: not aligned");
    }
    for (int i = 0; i < 3; i++) CHECK_ARG(ctx, bosc_trie_pairs(ctx, trie, to, NULL, bad_counts[i], &count), "capacity");
    CHECK_EQ(count, 7);
    CHECK_OK(ctx, bosc_trie_pairs(ctx, trie, NULL, NULL, 0, &count));
    CHECK_EQ(count, 0);
    check_ten(ctx, trie);
}

static void outputs(bosc_ctx *ctx)
{
    static const int64_t bad_ends[] = {-1, 2, INT64_MAX, INT64_MIN};
    uint64_t rows[21] = {0}, to[8] = {0};
    bosc_trie *trie = ten(ctx, rows);
    bosc_trie_info info = {.size = sizeof info};
    CHECK_EQ(bosc_trie_get_keys(NULL, trie, 0, 1, to, NULL, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_trie_get_keys(ctx, NULL, 0, 1, to, NULL, NULL), "trie");
    /* 1. Keys of a range, and values of ranks. */
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_trie_get_keys(ctx, trie, bad_ends[i], 1, to, NULL, NULL), "begin");
        CHECK_ARG(ctx, bosc_trie_get_keys(ctx, trie, 0, bad_ends[i], to, NULL, NULL), "end");
    }
    CHECK_ARG(ctx, bosc_trie_get_keys(ctx, trie, 1, 0, to, NULL, NULL), "end");
    for (int off = 1; off < 8; off++) {
        void *bad = (char *)to + off;
        CHECK_ARG(ctx, bosc_trie_get_keys(ctx, trie, 0, 1, bad, NULL, NULL), "keys: not aligned");
        CHECK_ARG(ctx, bosc_trie_get_keys(ctx, trie, 0, 1, NULL, bad, NULL), "values: not aligned");
        CHECK_ARG(ctx, bosc_trie_get_keys(ctx, trie, 0, 1, NULL, NULL, bad), "counts: not aligned");
        CHECK_ARG(ctx, bosc_trie_get_values(ctx, trie, bad, 1, to), "ranks: not aligned");
        CHECK_ARG(ctx, bosc_trie_get_values(ctx, trie, (int64_t *)rows, 1, bad), "values: not aligned");
    }
    CHECK_EQ(bosc_trie_get_values(NULL, trie, (int64_t *)rows, 1, to), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_trie_get_values(ctx, NULL, (int64_t *)rows, 1, to), "trie");
    CHECK_ARG(ctx, bosc_trie_get_values(ctx, trie, NULL, 1, to), "ranks");
    CHECK_ARG(ctx, bosc_trie_get_values(ctx, trie, (int64_t *)rows, 1, NULL), "values");
    for (int i = 0; i < 3; i++)
        CHECK_ARG(ctx, bosc_trie_get_values(ctx, trie, (int64_t *)rows, bad_counts[i], to), "rank_count");
    CHECK_ARG(ctx, bosc_trie_get_values(ctx, trie, (int64_t *)rows, INT64_MAX, to), "rank_count");
    CHECK_OK(ctx, bosc_trie_get_values(ctx, trie, NULL, 0, NULL));
    CHECK_OK(ctx, bosc_trie_get_keys(ctx, trie, 1, 1, to, NULL, NULL));
    /* 2. Information and times. */
    CHECK_EQ(bosc_trie_get_info(NULL, trie, &info), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_trie_get_info(ctx, NULL, &info), "trie");
    CHECK_ARG(ctx, bosc_trie_get_info(ctx, trie, NULL), "info");
    for (size_t size = 0; size < 8; size++) {
        info.size = size;
        CHECK_ARG(ctx, bosc_trie_get_info(ctx, trie, &info), "info: size");
    }
    info.size = sizeof info + 1;
    CHECK_ARG(ctx, bosc_trie_get_info(ctx, trie, &info), "info: size");
    bosc_trie_times times = {.size = sizeof times};
    CHECK_EQ(bosc_trie_get_times(NULL, trie, &times), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_trie_get_times(ctx, NULL, &times), "trie");
    CHECK_ARG(ctx, bosc_trie_get_times(ctx, trie, NULL), "times");
    CHECK_OK(ctx, bosc_trie_get_times(ctx, trie, &times));
    CHECK(times.sort > 0 && times.build > 0);
    check_ten(ctx, trie);
}

static void sizes(bosc_ctx *ctx)
{
    int64_t kept = 7, scratch = 7, more;
    bosc_trie *trie = trie_create(ctx, &good);
    CHECK_EQ(bosc_trie_bytes(NULL, &good, 10, &kept, &scratch), BOSC_ERR_ARG);
    CHECK_EQ(bosc_trie_reserve(NULL, trie, 10), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_trie_reserve(ctx, NULL, 10), "trie");
    for (int i = 0; i < 3; i++) {
        CHECK_ARG(ctx, bosc_trie_reserve(ctx, trie, bad_counts[i]), "n");
        CHECK_ARG(ctx, bosc_trie_bytes(ctx, &good, bad_counts[i], &kept, &scratch), "n");
    }
    CHECK_STATUS(ctx, bosc_trie_reserve(ctx, trie, INT64_MAX), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_trie_bytes(ctx, &good, (int64_t)1 << 31, &kept, &scratch), BOSC_ERR_LIMIT);
    CHECK(kept == 7 && scratch == 7);
    CHECK_OK(ctx, bosc_trie_bytes(ctx, &good, 0, &kept, &scratch));
    CHECK_EQ(kept, 0);
    CHECK_OK(ctx, bosc_trie_bytes(ctx, &good, 1000, &kept, NULL));
    CHECK_OK(ctx, bosc_trie_bytes(ctx, &good, INT32_MAX, &more, &scratch));
    CHECK(kept >= 1000 * (16 + 8 + 4 + 48) && more > kept && scratch > more / 4);
    bosc_trie_free(trie);
}

/* Builds after a reservation, and second builds, take no memory; the trie outlives its context. */
static void life(bosc_ctx *ctx)
{
    struct suite_random r = {81};
    for (int k = 0; k < 6; k++) {
        if (suite_leaves_out()) continue;
        int64_t live[2] = {0, 0}, n = suite_slow(ctx) ? 60 : 3000, before, rank = 7;
        bosc_trie_opts o = trie_options(k, 100, 1 + k % 2);
        struct reference_cells c = cells_make(&r, k % 2 ? CELLS_RANDOM : CELLS_WALK, 100, o.letter_bits, n, 0);
        bosc_ctx *own = counted_context(ctx, live);
        bosc_trie *trie = trie_create(own, &o);
        CHECK_OK(own, bosc_trie_reserve(own, trie, n));
        if (o.layout == BOSC_TRIE_PUBLISHED) CHECK_OK(own, bosc_trie_build(own, trie, c.rows, NULL, n, 0));
        before = live[0] + live[1];
        CHECK_OK(own, bosc_trie_build(own, trie, c.rows, NULL, n, 0));
        CHECK_OK(own, bosc_trie_build(own, trie, c.rows, NULL, n / 2, 0));
        CHECK_OK(own, bosc_trie_build(own, trie, c.rows, NULL, n, 0));
        CHECK_EQ(live[0] + live[1], before);
        CHECK_OK(own, bosc_trie_reserve(own, trie, 2 * n)); /* the trie keeps its keys */
        bosc_ctx_free(own);
        CHECK_OK(ctx, bosc_trie_find(ctx, trie, c.rows + c.stride, 1, 0, &rank, NULL, NULL));
        CHECK(rank >= 0 && rank < n);
        bosc_trie_free(trie);
        CHECK(live[0] == 0 && live[1] == 0);
        free(c.rows);
    }
}

static const struct suite_case suite_cases_trie_args[] = {
    {"create", create, NULL},       {"build", builds, NULL},    {"insert", insert, NULL},
    {"erase", erase, NULL},         {"queries", queries, NULL}, {"outputs", outputs, NULL},
    {"all_pairs", all_pairs, NULL}, {"sizes", sizes, NULL},     {"life", life, NULL},
};
SUITE(trie_args);
