/* Neighbour lists: refused arguments and data, rebuilds without allocation, moves, graph capture. */
#include <stdio.h>

#include "cases/neighborlist/neighborlist_data.h"
#include "neighborlist/neighborlist.h"
#include "support/capture.h"
#include "support/faults.h"

static void refuses_bad_options(bosc_ctx *ctx)
{
    const bosc_neighborlist_opts o = {.size = sizeof o, .cutoff = 1};
    bosc_neighborlist *list = NULL;
    static const double cutoffs[] = {0, -1, NAN, INFINITY, 1e-300}, skins[] = {-1, NAN, INFINITY, -INFINITY, 1e300};
    static const int types[] = {BOSC_I32, BOSC_I64, BOSC_U8, -1, 99}, bits[] = {1, 16, 33, 128, -64};
    CHECK_EQ(bosc_neighborlist_create(NULL, &o, &list), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_neighborlist_create(ctx, NULL, &list), "opts: NULL");
    CHECK_ARG(ctx, bosc_neighborlist_create(ctx, &o, NULL), "list: NULL");
    /* One bad member each. */
    for (int i = 0; i < 5; i++) {
        bosc_neighborlist_opts cutoff = o, skin = o, dtype = o, id = o, reserved = o;
        int64_t kept = 7, scratch = 7;
        cutoff.cutoff = cutoffs[i];
        skin.skin = skins[i];
        dtype.dtype = (bosc_dtype)types[i];
        id.id_bits = bits[i];
        reserved.reserved = i + 1;
        CHECK_ARG(ctx, bosc_neighborlist_create(ctx, &cutoff, &list), "opts: cutoff");
        CHECK_ARG(ctx, bosc_neighborlist_create(ctx, &skin, &list), "opts: skin");
        CHECK_ARG(ctx, bosc_neighborlist_create(ctx, &dtype, &list), "opts: dtype");
        CHECK_ARG(ctx, bosc_neighborlist_create(ctx, &id, &list), "opts: id_bits");
        CHECK_ARG(ctx, bosc_neighborlist_create(ctx, &reserved, &list), "opts: reserved");
        CHECK_ARG(ctx, bosc_neighborlist_bytes(ctx, &cutoff, 1, 1, 1, &kept, &scratch), "opts: cutoff");
        CHECK(kept == 7 && scratch == 7);
    }
    CHECK(list == NULL);
    bosc_neighborlist_free(NULL);
}

/* Two atoms at distance 1 in a cell of edge 4. */
static float pair[6] = {0, 0, 0, 1, 0, 0};
static double cube[9] = {4, 0, 0, 0, 4, 0, 0, 0, 4};
static const uint8_t everywhere[3] = {1, 1, 1};
static int64_t one_system[2] = {0, 2};

static bosc_neighborlist_systems two_atoms(void)
{
    return (bosc_neighborlist_systems){.size = sizeof(bosc_neighborlist_systems),
                                       .positions = pair,
                                       .n = 2,
                                       .offsets = one_system,
                                       .system_count = 1,
                                       .cells = cube,
                                       .periodic = everywhere};
}

static bosc_neighborlist *make_list(bosc_ctx *ctx, double skin)
{
    const bosc_neighborlist_opts o = {.size = sizeof o, .cutoff = 1.5, .skin = skin};
    const bosc_neighborlist_systems systems = two_atoms();
    bosc_neighborlist *list = NULL;
    CHECK_OK(ctx, bosc_neighborlist_create(ctx, &o, &list));
    CHECK_OK(ctx, bosc_neighborlist_build(ctx, list, &systems));
    return list;
}

static int64_t count_pairs(bosc_ctx *ctx, const bosc_neighborlist *list)
{
    int64_t count = -1;
    CHECK_OK(ctx, bosc_neighborlist_pairs(ctx, list, 0, NULL, &count));
    return count;
}

static void refuses_bad_systems(bosc_ctx *ctx)
{
    bosc_neighborlist *list = make_list(ctx, 0);
    const bosc_neighborlist_systems good = two_atoms();
    bosc_neighborlist_systems s;
    CHECK_EQ(bosc_neighborlist_build(NULL, list, &good), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_neighborlist_build(ctx, NULL, &good), "list: NULL");
    CHECK_ARG(ctx, bosc_neighborlist_build(ctx, list, NULL), "systems: NULL");
    /* A refused call leaves the list as it was. */
#define REFUSE(field, value, status, text)                                                                           \
    do {                                                                                                             \
        s = good;                                                                                                    \
        s.field = (value);                                                                                           \
        CHECK_STATUS(ctx, bosc_neighborlist_build(ctx, list, &s), (status));                                         \
        if (!suite_begins(bosc_ctx_message(ctx), text)) suite_fail(__FILE__, __LINE__, "%s", bosc_ctx_message(ctx)); \
        CHECK_EQ(count_pairs(ctx, list), 2);                                                                         \
    } while (0)
    REFUSE(size, 0, BOSC_ERR_ARG, "systems: size");
    REFUSE(size, sizeof s + 8, BOSC_ERR_ARG, "systems: size");
    REFUSE(n, -1, BOSC_ERR_ARG, "n: ");
    REFUSE(n, UINT32_MAX, BOSC_ERR_LIMIT, "n: ");
    REFUSE(n, (int64_t)UINT32_MAX - 1, BOSC_ERR_LIMIT, "n: ");
    REFUSE(system_count, -1, BOSC_ERR_ARG, "system_count: ");
    REFUSE(system_count, INT64_MAX, BOSC_ERR_LIMIT, "n: ");
    REFUSE(positions, NULL, BOSC_ERR_ARG, "positions: NULL");
    REFUSE(positions, (const char *)pair + 2, BOSC_ERR_ARG, "positions: ");
    REFUSE(stride, 2, BOSC_ERR_ARG, "stride: ");
    REFUSE(stride, -3, BOSC_ERR_ARG, "stride: ");
    REFUSE(stride, INT64_MAX / 2, BOSC_ERR_ARG, "stride: ");
    REFUSE(offsets, (const int64_t *)(const void *)((const char *)one_system + 4), BOSC_ERR_ARG, "offsets: ");
    REFUSE(cells, (const double *)(const void *)((const char *)cube + 4), BOSC_ERR_ARG, "cells: ");
    REFUSE(cells, NULL, BOSC_ERR_ARG, "periodic: without cells");
    s = good;
    s.offsets = NULL;
    s.system_count = 2;
    CHECK_ARG(ctx, bosc_neighborlist_build(ctx, list, &s), "offsets: NULL");
    list->memory.device++;
    CHECK_ARG(ctx, bosc_neighborlist_build(ctx, list, &good), "list: it is on device");
    list->memory.device--;
    bosc_neighborlist_free(list);
}

/* Bad data empties the list; a good build follows. */
static void refuse_data(bosc_ctx *ctx, bosc_neighborlist *list, const bosc_neighborlist_systems *s, bosc_status status,
                        const char *text)
{
    const bosc_neighborlist_systems good = two_atoms();
    const float kept = pair[3];
    pair[3] = 1;
    CHECK_OK(ctx, bosc_neighborlist_build(ctx, list, &good));
    CHECK_EQ(count_pairs(ctx, list), 2);
    pair[3] = kept;
    CHECK_STATUS(ctx, bosc_neighborlist_build(ctx, list, s), status);
    if (!suite_begins(bosc_ctx_message(ctx), text)) suite_fail(__FILE__, __LINE__, "%s", bosc_ctx_message(ctx));
    CHECK_EQ(count_pairs(ctx, list), 0);
}

static void refuses_bad_data(bosc_ctx *ctx)
{
    bosc_neighborlist *list = make_list(ctx, 0);
    bosc_neighborlist_systems s = two_atoms();
    /* 1. Positions. */
    static const float bad[] = {NAN, INFINITY, -INFINITY, 5e6F};
    for (int k = 0; k < 4; k++) {
        pair[3] = bad[k];
        refuse_data(ctx, list, &s, BOSC_ERR_DATA, "positions: row 1 ");
    }
    pair[3] = 1;
    /* 2. Offsets. */
    static const int64_t offsets[][2] = {{1, 2}, {0, 1}, {0, 3}, {-1, 2}, {2, 0}};
    for (int k = 0; k < 5; k++) {
        s.offsets = offsets[k];
        refuse_data(ctx, list, &s, BOSC_ERR_DATA, "systems: ");
    }
    static const int64_t three[][4] = {{0, 2, 1, 2}, {0, INT64_MAX, INT64_MIN, 2}, {0, -5, 7, 2}};
    for (int k = 0; k < 3; k++) {
        static double cells[27];
        for (int c = 0; c < 27; c++) cells[c] = cube[c % 9];
        bosc_neighborlist_systems many = {
            .size = sizeof many, .positions = pair, .n = 2, .offsets = three[k], .system_count = 3, .cells = cells};
        refuse_data(ctx, list, &many, BOSC_ERR_DATA, "systems: ");
    }
    /* 3. Cells. */
    s.offsets = NULL;
    static const double cells[][9] = {{0},
                                      {4, 0, 0, 0, 4, 0, 0, 0, 0},
                                      {4, 0, 0, 8, 0, 0, 0, 0, 4},
                                      {4, 0, 0, 0, NAN, 0, 0, 0, 4},
                                      {INFINITY, 0, 0, 0, 4, 0, 0, 0, 4},
                                      {4, 0, 0, 4, 1e-6, 0, 0, 0, 4},
                                      {1e200, 0, 0, 0, 4, 0, 0, 0, 4},
                                      {1e-200, 0, 0, 0, 4, 0, 0, 0, 4}};
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        s.cells = cells[k];
        refuse_data(ctx, list, &s, BOSC_ERR_DATA, "systems: ");
    }
    static const double thin[9] = {0.001, 0, 0, 0, 4, 0, 0, 0, 4};
    static const uint8_t first[3] = {1, 0, 0};
    s.cells = thin;
    s.periodic = first;
    refuse_data(ctx, list, &s, BOSC_ERR_LIMIT, "cutoff: ");
    bosc_neighborlist_free(list);
}

static void refuses_bad_outputs(bosc_ctx *ctx)
{
    bosc_neighborlist *list = make_list(ctx, 0);
    int64_t count = 7, ids[4] = {7, 7, 7, 7}, offsets[3] = {7, 7, 7};
    int32_t needs = 7;
    const bosc_neighborlist_arrays good = {.size = sizeof good, .capacity = 2, .centers = ids};
    bosc_neighborlist_arrays a = good;
    void *odd = (char *)ids + 2;
    bosc_neighborlist_info info = {.size = sizeof info};
    CHECK_EQ(bosc_neighborlist_pairs(NULL, list, 0, &good, &count), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_neighborlist_pairs(ctx, NULL, 0, &good, &count), "list");
    CHECK_ARG(ctx, bosc_neighborlist_pairs(ctx, list, -1, &good, &count), "cutoff");
    CHECK_ARG(ctx, bosc_neighborlist_pairs(ctx, list, NAN, &good, &count), "cutoff");
    CHECK_ARG(ctx, bosc_neighborlist_pairs(ctx, list, 1.6, &good, &count), "cutoff");
    CHECK_ARG(ctx, bosc_neighborlist_pairs(ctx, list, 0, NULL, NULL), "count: NULL");
    /* 1. Arrays. */
#define REFUSE_ARRAY(field, value, text)                                           \
    do {                                                                           \
        a = good;                                                                  \
        a.field = (value);                                                         \
        CHECK_ARG(ctx, bosc_neighborlist_pairs(ctx, list, 0, &a, &count), text);   \
        CHECK_ARG(ctx, bosc_neighborlist_padded(ctx, list, 0, 1, NULL, &a), text); \
    } while (0)
    REFUSE_ARRAY(size, 4, "arrays: size");
    REFUSE_ARRAY(capacity, -1, "arrays: capacity");
    REFUSE_ARRAY(centers, odd, "arrays: centers");
    REFUSE_ARRAY(neighbors, odd, "arrays: neighbors");
    REFUSE_ARRAY(shifts, odd, "arrays: shifts");
    REFUSE_ARRAY(distances, odd, "arrays: distances");
    REFUSE_ARRAY(vectors, odd, "arrays: vectors");
    CHECK_EQ(count, 7);
    /* 2. Sizes, cutoffs, handles. */
    a = good;
    a.capacity = 1;
    CHECK_STATUS(ctx, bosc_neighborlist_pairs(ctx, list, 0, &a, &count), BOSC_ERR_SPACE);
    CHECK_EQ(count, 2);
    CHECK_STATUS(ctx, bosc_neighborlist_padded(ctx, list, 0, 1, NULL, &a), BOSC_ERR_SPACE);
    CHECK_ARG(ctx, bosc_neighborlist_padded(ctx, list, 0, -1, NULL, &good), "width");
    CHECK_ARG(ctx, bosc_neighborlist_padded(ctx, list, 0, 1, (int64_t *)odd, &good), "counts");
    a.capacity = INT64_MAX;
    CHECK_ARG(ctx, bosc_neighborlist_padded(ctx, list, 0, INT64_MAX / 64, NULL, &a), "width");
    CHECK_ARG(ctx, bosc_neighborlist_padded(ctx, list, 0, 1, NULL, NULL), "arrays: NULL");
    CHECK_ARG(ctx, bosc_neighborlist_padded(ctx, list, 2, 1, NULL, &good), "cutoff");
    CHECK_ARG(ctx, bosc_neighborlist_padded(ctx, NULL, 0, 1, NULL, &good), "list");
    CHECK_ARG(ctx, bosc_neighborlist_rows(ctx, NULL, 0, offsets), "list");
    CHECK_ARG(ctx, bosc_neighborlist_rows(ctx, list, 0, NULL), "offsets: NULL");
    CHECK_ARG(ctx, bosc_neighborlist_rows(ctx, list, 0, (int64_t *)odd), "offsets");
    CHECK_ARG(ctx, bosc_neighborlist_rows(ctx, list, 2, offsets), "cutoff");
    CHECK_ARG(ctx, bosc_neighborlist_move(ctx, NULL, pair, 0, &needs), "list");
    CHECK_ARG(ctx, bosc_neighborlist_move(ctx, list, NULL, 0, &needs), "positions: NULL");
    CHECK_ARG(ctx, bosc_neighborlist_move(ctx, list, pair, 2, &needs), "stride");
    CHECK_ARG(ctx, bosc_neighborlist_move(ctx, list, pair, 0, NULL), "needs_build: NULL");
    CHECK_ARG(ctx, bosc_neighborlist_get_info(ctx, NULL, &info), "list");
    CHECK_ARG(ctx, bosc_neighborlist_get_info(ctx, list, NULL), "info: NULL");
    for (int k = 0; k < 4; k++) CHECK_EQ(ids[k], 7);
    for (int k = 0; k < 3; k++) CHECK_EQ(offsets[k], 7);
    CHECK_EQ(needs, 7);
    bosc_neighborlist_free(list);
}

static void refuses_bad_sizes(bosc_ctx *ctx)
{
    bosc_neighborlist *list = make_list(ctx, 0);
    const bosc_neighborlist_opts o = {.size = sizeof o, .cutoff = 1, .skin = 1};
    static const int64_t bad[][3] = {{-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {1, 1, INT64_MAX}};
    int64_t kept = 7, scratch = 7;
    for (int k = 0; k < 4; k++) {
        CHECK_EQ(bosc_neighborlist_reserve(ctx, list, bad[k][0], bad[k][1], bad[k][2]), BOSC_ERR_ARG);
        CHECK_EQ(bosc_neighborlist_bytes(ctx, &o, bad[k][0], bad[k][1], bad[k][2], &kept, &scratch), BOSC_ERR_ARG);
    }
    CHECK_STATUS(ctx, bosc_neighborlist_reserve(ctx, list, UINT32_MAX, 1, 1), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_neighborlist_bytes(ctx, &o, 1, UINT32_MAX, 1, &kept, &scratch), BOSC_ERR_LIMIT);
    CHECK(kept == 7 && scratch == 7);
    CHECK_EQ(bosc_neighborlist_reserve(NULL, list, 1, 1, 1), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_neighborlist_reserve(ctx, NULL, 1, 1, 1), "list: NULL");
    CHECK_OK(ctx, bosc_neighborlist_bytes(ctx, &o, 1000, 1, 5000, NULL, NULL));
    CHECK_OK(ctx, bosc_neighborlist_bytes(ctx, &o, 1000, 1, 5000, &kept, &scratch));
    CHECK(kept >= 1000 * 68 + 5000 * 8 && kept <= 1000 * 70 + 5000 * 8 && scratch > 0);
    CHECK_EQ(count_pairs(ctx, list), 2);
    bosc_neighborlist_free(list);
}

/* A reserve keeps the list, and builds and outputs of these sizes allocate nothing. */
static void reserve(bosc_ctx *ctx)
{
    int64_t live[2], before[2], kept, scratch, count;
    bosc_ctx *own = counted_context(ctx, live);
    struct suite_random r = {9};
    struct atoms a = make_atoms(&r, BOSC_F32, 3, 60, false);
    const bosc_neighborlist_systems systems = systems_of(&a);
    const bosc_neighborlist_opts o = {.size = sizeof o, .cutoff = 1.2, .skin = 0.1};
    bosc_neighborlist *list = NULL;
    bosc_neighborlist_info info = {.size = sizeof info};
    CHECK_OK(own, bosc_neighborlist_create(own, &o, &list));
    CHECK_OK(own, bosc_neighborlist_build(own, list, &systems));
    CHECK_OK(own, bosc_neighborlist_pairs(own, list, 0, NULL, &count));
    CHECK_OK(own, bosc_neighborlist_get_info(own, list, &info));
    CHECK(count > 100 && info.pairs > count);
    CHECK_OK(own, bosc_neighborlist_reserve(own, list, 3 * info.n, 9, 2 * info.pairs));
    CHECK_EQ(count_pairs(own, list), count);
    CHECK_OK(own, bosc_neighborlist_bytes(own, &o, 3 * info.n, 9, 2 * info.pairs, &kept, &scratch));
    CHECK_OK(own, bosc_neighborlist_get_info(own, list, &info));
    CHECK_EQ(info.bytes, kept);
    memcpy(before, live, sizeof live);
    for (int frame = 0; frame < 3; frame++) {
        CHECK_OK(own, bosc_neighborlist_build(own, list, &systems));
        CHECK_EQ(count_pairs(own, list), count);
        CHECK(live[0] == before[0] && live[1] == before[1]);
    }
    bosc_ctx_free(own);
    bosc_neighborlist_free(list); /* it outlives its context */
    CHECK(live[0] == 0 && live[1] == 0);
    free_atoms(&a);
}

/* The answers after moves equal those of a list that is built at the new positions. */
static void moves(bosc_ctx *ctx)
{
    struct suite_random r = {31};
    struct atoms a = make_atoms(&r, BOSC_F64, 2, 40, false);
    const bosc_neighborlist_systems systems = systems_of(&a);
    const bosc_neighborlist_opts o = {.size = sizeof o, .dtype = BOSC_F64, .cutoff = 1, .skin = 0.5};
    const bosc_neighborlist_opts exact = {.size = sizeof o, .dtype = BOSC_F64, .cutoff = 1};
    bosc_neighborlist *list = NULL, *fresh = NULL;
    double *const typed = a.typed;
    int32_t needs = -1;
    CHECK_OK(ctx, bosc_neighborlist_create(ctx, &o, &list));
    CHECK_OK(ctx, bosc_neighborlist_create(ctx, &exact, &fresh));
    CHECK_OK(ctx, bosc_neighborlist_move(ctx, list, NULL, 0, &needs)); /* without atoms */
    CHECK_EQ(needs, 0);
    CHECK_OK(ctx, bosc_neighborlist_build(ctx, list, &systems));
    for (int step = 0; step < 8; step++) {
        for (int64_t e = 0; e < a.stride * a.reference.n; e++) typed[e] += (suite_unit(&r) - 0.5) * 0.03;
        CHECK_OK(ctx, bosc_neighborlist_move(ctx, list, typed, a.stride, &needs));
        CHECK_EQ(needs, 0);
        CHECK_OK(ctx, bosc_neighborlist_build(ctx, fresh, &systems));
        const int64_t count = count_pairs(ctx, fresh);
        CHECK_EQ(count_pairs(ctx, list), count);
        double *d[2];
        for (int k = 0; k < 2; k++) {
            d[k] = suite_alloc((size_t)(count + 1) * sizeof(double));
            bosc_neighborlist_arrays arrays = {.size = sizeof arrays, .capacity = count, .distances = d[k]};
            CHECK_OK(ctx, bosc_neighborlist_pairs(ctx, k ? fresh : list, 0, &arrays, NULL));
        }
        CHECK(memcmp(d[0], d[1], (size_t)count * sizeof(double)) == 0);
        free(d[0]);
        free(d[1]);
    }
    typed[1] += 1;
    CHECK_OK(ctx, bosc_neighborlist_move(ctx, list, typed, a.stride, &needs));
    CHECK_EQ(needs, 1);
    typed[1] = NAN;
    CHECK_OK(ctx, bosc_neighborlist_move(ctx, list, typed, a.stride, &needs));
    CHECK_EQ(needs, 1);
    CHECK_EQ(count_pairs(ctx, list), count_pairs(ctx, fresh)); /* the positions before */
    bosc_neighborlist_free(list);
    bosc_neighborlist_free(fresh);
    free_atoms(&a);
}

/* Half the skin is the most that an atom may move; without a skin, nothing may. */
static void move_limits(bosc_ctx *ctx)
{
    int32_t needs = -1;
    float moved[6];
    for (int k = 0; k < 4; k++) {
        bosc_neighborlist *list = make_list(ctx, k < 2 ? 0.5 : 0);
        memcpy(moved, pair, sizeof moved);
        moved[5] += k == 0 ? 0.2499F : k == 1 ? 0.25F : k == 3 ? 1e-30F : 0;
        CHECK_OK(ctx, bosc_neighborlist_move(ctx, list, moved, 0, &needs));
        CHECK_EQ(needs, k % 2);
        bosc_neighborlist_free(list);
    }
}

/* The second atom is 2^19 cells away, where distances are multiples of h. Moves of 256.0 h and 256.2 h, less than half
 * the skin, bring a pair from 513 h beyond 1 to 1, as rounding adds almost h. Either the list finds it, or it must be
 * built again; so must one whose skin is less than these roundings, while larger skins allow moves. */
static void moves_far_away(bosc_ctx *ctx)
{
    const double h = 0x1p-29, cell[9] = {16, 0, 0, 0, 16, 0, 0, 0, 16};
    const double before[6] = {0.4 * h, 0, 0, 0x1p23 + 1 + 513 * h, 0, 0};
    const double after[6] = {256.6 * h, 0, 0, 0x1p23 + 1 + 257 * h, 0, 0};
    bosc_neighborlist_systems systems = {.size = sizeof systems, .n = 2, .cells = cell};
    const double skins[3] = {512.8 * h, h, 0x1p-10};
    for (int k = 0; k < 3; k++) {
        const bosc_neighborlist_opts o = {.size = sizeof o, .dtype = BOSC_F64, .cutoff = 1 + 0.1 * h, .skin = skins[k]};
        bosc_neighborlist *list = NULL;
        int32_t needs = -1;
        systems.positions = before;
        CHECK_OK(ctx, bosc_neighborlist_create(ctx, &o, &list));
        CHECK_OK(ctx, bosc_neighborlist_build(ctx, list, &systems));
        CHECK_EQ(count_pairs(ctx, list), 0);
        CHECK_OK(ctx, bosc_neighborlist_move(ctx, list, k == 1 ? before : after, 0, &needs));
        CHECK_EQ(needs, k < 2);
        CHECK_EQ(count_pairs(ctx, list), k < 2 ? 0 : 2);
        systems.positions = after;
        CHECK_OK(ctx, bosc_neighborlist_build(ctx, list, &systems));
        CHECK_EQ(count_pairs(ctx, list), 2);
        bosc_neighborlist_free(list);
    }
}

/* Counts without arrays cost nothing for the width. */
static void counts_of_huge_width(bosc_ctx *ctx)
{
    bosc_neighborlist *list = make_list(ctx, 0);
    const bosc_neighborlist_arrays none = {.size = sizeof none, .capacity = INT64_MAX};
    int64_t counts[2] = {7, 7};
    CHECK_OK(ctx, bosc_neighborlist_padded(ctx, list, 0, INT64_MAX / 128, counts, &none));
    CHECK(counts[0] == 1 && counts[1] == 1);
    bosc_neighborlist_free(list);
}

/* Recorded calls write the pairs of the list at each replay. */
struct recorded {
    bosc_neighborlist *list;
    bosc_neighborlist_arrays arrays;
    int64_t *counts;
};

static void record(bosc_ctx *ctx, void *user)
{
    const struct recorded *s = user;
    CHECK_OK(ctx, bosc_neighborlist_pairs(ctx, s->list, 0, &s->arrays, NULL));
    CHECK_OK(ctx, bosc_neighborlist_padded(ctx, s->list, 1.2, 1, s->counts,
                                           &(bosc_neighborlist_arrays){.size = sizeof s->arrays, .capacity = 2}));
}

static void recorded_outputs(bosc_ctx *ctx)
{
    struct capture c;
    const bool on_device = has_device_memory(ctx);
    struct recorded s = {.list = make_list(ctx, 0)};
    struct array ids = array_make(ctx, NULL, 2 * sizeof(int64_t), on_device);
    struct array counts = array_make(ctx, NULL, 2 * sizeof(int64_t), on_device);
    s.arrays = (bosc_neighborlist_arrays){.size = sizeof s.arrays, .capacity = 2, .neighbors = ids.p};
    s.counts = counts.p;
    capture_open(&c, ctx, record, &s);
    CHECK_OK(ctx, bosc_ctx_copy(ctx, ids.p, (int64_t[]){9, 9}, 2 * sizeof(int64_t)));
    capture_replay(&c);
    const int64_t *found = array_get(ctx, &ids);
    CHECK(found[0] == 1 && found[1] == 0);
    found = array_get(ctx, &counts);
    CHECK(found[0] == 1 && found[1] == 1);
    capture_close(&c);
    array_free(ctx, &ids);
    array_free(ctx, &counts);
    bosc_neighborlist_free(s.list);
}

static const struct suite_case suite_cases_neighborlist_args[] = {
    {"refuses bad options", refuses_bad_options, NULL},
    {"refuses bad systems", refuses_bad_systems, NULL},
    {"refuses bad data", refuses_bad_data, NULL},
    {"refuses bad outputs", refuses_bad_outputs, NULL},
    {"refuses bad sizes", refuses_bad_sizes, NULL},
    {"reserve", reserve, NULL},
    {"moves", moves, NULL},
    {"move limits", move_limits, NULL},
    {"moves far away", moves_far_away, NULL},
    {"counts of huge width", counts_of_huge_width, NULL},
    {"recorded outputs", recorded_outputs, NULL},
};
SUITE(neighborlist_args);
