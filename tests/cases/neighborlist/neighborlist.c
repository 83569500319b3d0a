/* Neighbour lists against all images of all atoms, in every form of output. */
#include "cases/neighborlist/neighborlist_data.h"

/* Arrays of one call, in host memory or in the context's, and their contents as wide types. */
struct answer {
    struct array centers, neighbors, shifts, distances, vectors, offsets;
};

static bosc_neighborlist_arrays make_answer(bosc_ctx *ctx, const bosc_neighborlist_opts *o, int64_t n, int64_t capacity,
                                            bool on_device, struct answer *answer)
{
    const size_t id = (size_t)o->id_bits / 8, real = bosc_dtype_size(o->dtype), count = (size_t)capacity;
    answer->centers = array_make(ctx, NULL, count * id, on_device);
    answer->neighbors = array_make(ctx, NULL, count * id, on_device);
    answer->shifts = array_make(ctx, NULL, count * 3 * sizeof(int32_t), on_device);
    answer->distances = array_make(ctx, NULL, count * real, on_device);
    answer->vectors = array_make(ctx, NULL, count * 3 * real, on_device);
    answer->offsets = array_make(ctx, NULL, (size_t)(n + 1) * sizeof(int64_t), on_device);
    return (bosc_neighborlist_arrays){.size = sizeof(bosc_neighborlist_arrays),
                                      .capacity = capacity,
                                      .centers = answer->centers.p,
                                      .neighbors = answer->neighbors.p,
                                      .shifts = answer->shifts.p,
                                      .distances = answer->distances.p,
                                      .vectors = answer->vectors.p};
}

static void get_answer(bosc_ctx *ctx, struct answer *answer)
{
    struct array *const arrays[] = {&answer->centers,   &answer->neighbors, &answer->shifts,
                                    &answer->distances, &answer->vectors,   &answer->offsets};
    for (int k = 0; k < 6; k++) (void)array_get(ctx, arrays[k]);
}

static void free_answer(bosc_ctx *ctx, struct answer *answer)
{
    struct array *const arrays[] = {&answer->centers,   &answer->neighbors, &answer->shifts,
                                    &answer->distances, &answer->vectors,   &answer->offsets};
    for (int k = 0; k < 6; k++) array_free(ctx, arrays[k]);
}

static int64_t id_at(const bosc_neighborlist_opts *o, const struct array *ids, int64_t e)
{
    if (o->id_bits == 64) return ((const int64_t *)(const void *)ids->host)[e];
    const uint32_t id = ((const uint32_t *)(const void *)ids->host)[e];
    return id == UINT32_MAX ? -1 : (int64_t)id;
}

static double real_at(const bosc_neighborlist_opts *o, const struct array *reals, int64_t e)
{
    return o->dtype == BOSC_F64 ? ((const double *)(const void *)reals->host)[e]
                                : (double)((const float *)(const void *)reals->host)[e];
}

static double rounded(const bosc_neighborlist_opts *o, double x) { return o->dtype == BOSC_F64 ? x : (double)(float)x; }

static void check_entry(const bosc_neighborlist_opts *o, const struct answer *answer, int64_t e,
                        const struct reference_neighbor *expected)
{
    CHECK_EQ(id_at(o, &answer->centers, e), expected->i);
    CHECK_EQ(id_at(o, &answer->neighbors, e), expected->j);
    CHECK(real_at(o, &answer->distances, e) == rounded(o, expected->distance));
    for (int c = 0; c < 3; c++) {
        CHECK_EQ(((const int32_t *)(const void *)answer->shifts.host)[3 * e + c], expected->shift[c]);
        CHECK(real_at(o, &answer->vectors, 3 * e + c) == rounded(o, expected->vector[c]));
    }
}

/* The pairs and rows at a cutoff equal the expected ones. */
static void check_pairs(bosc_ctx *ctx, const bosc_neighborlist *list, const bosc_neighborlist_opts *o, double cutoff,
                        const struct reference_atoms *atoms, bool on_device)
{
    const double used = cutoff ? cutoff : o->cutoff;
    const int64_t count = reference_neighbors(atoms, used, o->half, NULL), n = atoms->n;
    struct reference_neighbor *expected = suite_alloc((size_t)(count + 1) * sizeof *expected);
    struct answer answer;
    int64_t found = -1, at = 0;
    reference_neighbors(atoms, used, o->half, expected);
    bosc_neighborlist_arrays arrays = make_answer(ctx, o, n, count + 3, on_device, &answer);
    CHECK_OK(ctx, bosc_neighborlist_pairs(ctx, list, cutoff, NULL, &found));
    CHECK_EQ(found, count);
    CHECK_OK(ctx, bosc_neighborlist_pairs(ctx, list, cutoff, &arrays, &found));
    CHECK_EQ(found, count);
    CHECK_OK(ctx, bosc_neighborlist_rows(ctx, list, cutoff, answer.offsets.p));
    get_answer(ctx, &answer);
    const int64_t *offsets = (const int64_t *)(const void *)answer.offsets.host;
    for (int64_t e = 0; e < count; e++) check_entry(o, &answer, e, &expected[e]);
    for (int64_t i = 0; i <= n; i++) {
        while (at < count && expected[at].i < i) at++;
        CHECK_EQ(offsets[i], at);
    }
    free_answer(ctx, &answer);
    free(expected);
}

/* Rows of a width keep the first pairs of each atom. */
static void check_padded(bosc_ctx *ctx, const bosc_neighborlist *list, const bosc_neighborlist_opts *o, double cutoff,
                         int64_t width, const struct reference_atoms *atoms, bool on_device)
{
    const double used = cutoff ? cutoff : o->cutoff;
    const int64_t count = reference_neighbors(atoms, used, o->half, NULL), n = atoms->n;
    struct reference_neighbor *expected = suite_alloc((size_t)(count + 1) * sizeof *expected);
    struct answer answer;
    int64_t at = 0;
    reference_neighbors(atoms, used, o->half, expected);
    bosc_neighborlist_arrays arrays = make_answer(ctx, o, n, n * width, on_device, &answer);
    CHECK_OK(ctx, bosc_neighborlist_padded(ctx, list, cutoff, width, answer.offsets.p, &arrays));
    get_answer(ctx, &answer);
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = at;
        for (; at < count && expected[at].i == i; at++)
            if (at - first < width) check_entry(o, &answer, i * width + at - first, &expected[at]);
        CHECK_EQ(((const int64_t *)(const void *)answer.offsets.host)[i], at - first);
        const struct reference_neighbor absent = {i, -1, {0, 0, 0}, {0, 0, 0}, (double)INFINITY};
        for (int64_t e = at - first; e < width; e++) check_entry(o, &answer, i * width + e, &absent);
    }
    free_answer(ctx, &answer);
    free(expected);
}

static bosc_neighborlist_opts options(struct suite_random *r, const struct atoms *a)
{
    return (bosc_neighborlist_opts){.size = sizeof(bosc_neighborlist_opts),
                                    .dtype = a->dtype,
                                    .half = (int32_t)suite_below(r, 2),
                                    .cutoff = a->cutoff,
                                    .id_bits = suite_below(r, 2) ? 32 : 64};
}

static void check_system(bosc_ctx *ctx, struct suite_random *r, const struct atoms *a)
{
    const bosc_neighborlist_opts o = options(r, a);
    const bosc_neighborlist_systems systems = systems_of(a);
    bosc_neighborlist *list = NULL;
    bosc_neighborlist_info info = {.size = sizeof info};
    const bool on_device = has_device_memory(ctx) && suite_below(r, 2);
    CHECK_OK(ctx, bosc_neighborlist_create(ctx, &o, &list));
    CHECK_OK(ctx, bosc_neighborlist_build(ctx, list, &systems));
    CHECK_OK(ctx, bosc_neighborlist_get_info(ctx, list, &info));
    CHECK(info.n == a->reference.n && info.system_count == a->reference.system_count && info.half == o.half);
    CHECK_EQ(info.pairs, reference_neighbors(&a->reference, o.cutoff, o.half, NULL));
    check_pairs(ctx, list, &o, 0, &a->reference, on_device);
    check_pairs(ctx, list, &o, o.cutoff * 0.75, &a->reference, on_device);
    check_padded(ctx, list, &o, 0, 5, &a->reference, on_device);
    check_padded(ctx, list, &o, o.cutoff * 0.5, 40, &a->reference, on_device);
    bosc_neighborlist_free(list);
}

static void against_reference(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {0, 1, 2, 7, 20, 48};
    suite_share_few(ctx);
    for (int trial = 0; trial < 180; trial++) {
        struct suite_random r = {(uint64_t)trial};
        const bosc_dtype dtype = trial % 2 ? BOSC_F64 : BOSC_F32;
        if (suite_leaves_out()) continue;
        struct atoms a = make_atoms(&r, dtype, trial % 5 == 4 ? 6 : 1, sizes[trial / 2 % 6] / (trial % 5 == 4 ? 3 : 1),
                                    trial % 7 == 6);
        check_system(ctx, &r, &a);
        free_atoms(&a);
    }
}

/* A crystal of many bins, so that searches wrap around all faces. */
static void crystal(bosc_ctx *ctx)
{
    enum { SIDE = 7, N = SIDE * SIDE * SIDE };
    static double positions[N][3];
    static const double cell[9] = {SIDE, 0, 0, 0.5, SIDE, 0, 0, -0.25, SIDE};
    static const int64_t offsets[2] = {0, N};
    static const int strides[3] = {SIDE * SIDE, SIDE, 1};
    struct suite_random r = {3};
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++)
            positions[i][c] = (double)(i / strides[c] % SIDE) + (double)suite_below(&r, 3) * SIDE - 3;
    const struct reference_atoms atoms = {N, 1, positions[0], offsets, cell, NULL};
    const bosc_neighborlist_opts o = {.size = sizeof o, .dtype = BOSC_F64, .cutoff = sqrt(2), .id_bits = 64};
    const bosc_neighborlist_systems systems = {.size = sizeof systems, .positions = positions, .n = N, .cells = cell};
    bosc_neighborlist *list = NULL;
    CHECK_OK(ctx, bosc_neighborlist_create(ctx, &o, &list));
    CHECK_OK(ctx, bosc_neighborlist_build(ctx, list, &systems));
    check_pairs(ctx, list, &o, 0, &atoms, false);
    bosc_neighborlist_free(list);
}

/* Pairs one step of double below the cutoff, at it and above it, far from the origin of the floats: margins of float
 * decide nothing. */
static void at_the_cutoff(bosc_ctx *ctx)
{
    enum { PAIRS = 120, N = 2 * PAIRS };
    static double positions[N][3];
    static const int64_t offsets[2] = {0, N};
    struct suite_random r = {5};
    /* 1. Pairs in random directions. */
    for (int i = 0; i < PAIRS; i++) {
        double direction[3], length = 0;
        for (int c = 0; c < 3; c++) {
            positions[2 * i][c] = 60 * suite_unit(&r);
            direction[c] = suite_unit(&r) - 0.5;
            length += direction[c] * direction[c];
        }
        for (int c = 0; c < 3; c++)
            positions[2 * i + 1][c] =
                positions[2 * i][c] + direction[c] * (1.5 / sqrt(length) * (1 + (i % 3 - 1) * 1e-14));
    }
    const struct reference_atoms atoms = {N, 1, positions[0], offsets, NULL, NULL};
    const bosc_neighborlist_systems systems = {.size = sizeof systems, .positions = positions, .n = N};
    /* 2. Lists. */
    for (int half = 0; half < 2; half++) {
        const bosc_neighborlist_opts o = {
            .size = sizeof o, .dtype = BOSC_F64, .half = half, .cutoff = 1.5, .id_bits = 64};
        bosc_neighborlist *list = NULL;
        CHECK_OK(ctx, bosc_neighborlist_create(ctx, &o, &list));
        CHECK_OK(ctx, bosc_neighborlist_build(ctx, list, &systems));
        check_pairs(ctx, list, &o, 0, &atoms, false);
        bosc_neighborlist_free(list);
    }
}

/* Slabs near both ends of the range of lengths: the axis normal to them is found without overflow. */
static void extreme_slabs(bosc_ctx *ctx)
{
    static const int64_t offsets[2] = {0, 2};
    static const uint8_t periodic[3] = {1, 1, 0};
    for (int exponent = -280; exponent <= 260; exponent += 540) {
        const double edge = ldexp(1, exponent), cell[9] = {edge, 0, 0, edge / 4, edge, 0, 0, 0, 0};
        const double positions[6] = {0, 0, 0, 0.75 * edge, 0, edge / 8};
        const struct reference_atoms atoms = {2, 1, positions, offsets, cell, periodic};
        const bosc_neighborlist_opts o = {.size = sizeof o, .dtype = BOSC_F64, .cutoff = edge / 2, .id_bits = 64};
        const bosc_neighborlist_systems systems = {
            .size = sizeof systems, .positions = positions, .n = 2, .cells = cell, .periodic = periodic};
        bosc_neighborlist *list = NULL;
        CHECK_OK(ctx, bosc_neighborlist_create(ctx, &o, &list));
        CHECK_OK(ctx, bosc_neighborlist_build(ctx, list, &systems));
        CHECK_EQ(reference_neighbors(&atoms, o.cutoff, false, NULL), 2);
        check_pairs(ctx, list, &o, 0, &atoms, false);
        bosc_neighborlist_free(list);
    }
}

/* Gives the first system all atoms but one for each other system, in a cubic cell. */
static void enlarge_first_system(struct atoms *a)
{
    const int64_t count = a->reference.system_count, n = a->reference.n;
    for (int64_t s = 1; s < count; s++) a->offsets[s] = n - (count - s);
    for (int k = 0; k < 9; k++) a->cells[k] = k % 4 == 0 ? 4 : 0;
    for (int c = 0; c < 3; c++) a->periodic[c] = 1;
}

/* One list is built of small systems again and again: of more and larger ones, of fewer, with one too large for a
 * block. */
static void rebuilt_systems(bosc_ctx *ctx)
{
    static const struct {
        int64_t count, each;
        bool large;
    } shapes[] = {{6, 3, false}, {12, 14, false}, {5, 12, false}, {24, 16, true}, {9, 18, false}, {1, 40, false}};
    suite_share_few(ctx);
    for (int trial = 0; trial < 6; trial++) {
        struct suite_random r = {(uint64_t)(trial + 900)};
        const bosc_neighborlist_opts o = {.size = sizeof o,
                                          .dtype = trial % 2 ? BOSC_F64 : BOSC_F32,
                                          .half = trial % 3 == 2,
                                          .cutoff = 0.8,
                                          .id_bits = 32};
        bosc_neighborlist *list = NULL;
        if (suite_leaves_out()) continue;
        /* 1. A list. */
        CHECK_OK(ctx, bosc_neighborlist_create(ctx, &o, &list));
        /* 2. Builds, each compared with the reference. */
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            struct atoms a = make_atoms(&r, o.dtype, shapes[k].count, shapes[k].each, false);
            if (shapes[k].large) enlarge_first_system(&a);
            const bosc_neighborlist_systems systems = systems_of(&a);
            CHECK_OK(ctx, bosc_neighborlist_build(ctx, list, &systems));
            check_pairs(ctx, list, &o, 0, &a.reference, has_device_memory(ctx));
            free_atoms(&a);
        }
        bosc_neighborlist_free(list);
    }
}

static const struct suite_case suite_cases_neighborlist[] = {
    {"against the reference", against_reference, NULL},
    {"crystal", crystal, NULL},
    {"at the cutoff", at_the_cutoff, NULL},
    {"extreme slabs", extreme_slabs, NULL},
    {"rebuilt systems", rebuilt_systems, NULL},
};
SUITE(neighborlist);
