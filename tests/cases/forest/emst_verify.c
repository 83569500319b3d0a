/* The proof of Euclidean spanning trees accepts the minimum spanning tree, and no other edges. */
#include <stdlib.h>
#include <string.h>

#include "cases/forest/emst_data.h"

static bosc_status verify(bosc_ctx *ctx, const struct emst_trial *t, bosc_emst_fault *fault)
{
    const bosc_emst_opts o = emst_opts_of(t);
    const struct reference_points *p = &t->points;
    *fault = (bosc_emst_fault){.size = sizeof *fault, .row = 77};
    return bosc_emst_verify(ctx, p->data, p->n, p->stride, &o, t->min_samples, t->pairs, fault);
}

/* Computes the minimum tree, and shuffles its rows and their points. */
static struct emst_trial make_trial(bosc_ctx *ctx, struct suite_random *r, struct reference_points points,
                                    int64_t min_samples, int32_t id_bits)
{
    struct emst_trial t = emst_make_trial(ctx, points, min_samples, id_bits);
    for (int64_t e = 0; e < points.n - 1; e++) {
        const int64_t other = e + (int64_t)suite_below(r, (uint64_t)(points.n - 1 - e)), i = emst_end_of(&t, other, 0),
                      j = emst_end_of(&t, other, 1);
        const bool swapped = suite_below(r, 2);
        emst_set_pair(&t, other, emst_end_of(&t, e, 0), emst_end_of(&t, e, 1));
        emst_set_pair(&t, e, swapped ? j : i, swapped ? i : j);
    }
    return t;
}

/* --- A plain check of faults -------------------------------------------------------------------------------------- */

/* Fails unless the better edge is before the row by (squared length, i, j) and joins what the tree without the row
 * leaves apart. */
static void check_fault(const struct emst_trial *t, const bosc_emst_fault *f)
{
    uint8_t *side = suite_alloc((size_t)t->points.n);
    CHECK(f->row >= 0 && f->row < t->points.n - 1);
    const int64_t i = emst_end_of(t, f->row, 0), j = emst_end_of(t, f->row, 1), low = i < j ? i : j,
                  high = i < j ? j : i, x = f->better[0], y = f->better[1];
    CHECK(x >= 0 && x < y && y < t->points.n);
    CHECK(f->dist2 == emst_length_of(t, i, j));
    CHECK(f->better_dist2 == emst_length_of(t, x, y));
    CHECK(f->better_dist2 < f->dist2 || (f->better_dist2 == f->dist2 && (x < low || (x == low && y < high))));
    emst_find_side(t, f->row, x, side);
    CHECK(!side[y]);
    free(side);
}

/* --- Cases -------------------------------------------------------------------------------------------------------- */

/* Replaces a random edge by one that joins the same two components. */
static void replace_edge(const struct emst_trial *t, struct suite_random *r)
{
    const int64_t n = t->points.n, row = (int64_t)suite_below(r, (uint64_t)(n - 1)), i = emst_end_of(t, row, 0);
    uint8_t *side = suite_alloc((size_t)n);
    int64_t x, y;
    emst_find_side(t, row, i, side);
    do x = (int64_t)suite_below(r, (uint64_t)n);
    while (!side[x]);
    do y = (int64_t)suite_below(r, (uint64_t)n);
    while (side[y]);
    emst_set_pair(t, row, x, y);
    free(side);
}

/* True if the edges are those of `right`, in any order. */
static bool has_edges(const struct emst_trial *t, const struct emst_trial *right)
{
    const int64_t edges = t->points.n - 1;
    for (int64_t e = 0; e < edges; e++) {
        const int64_t i = emst_end_of(t, e, 0), j = emst_end_of(t, e, 1);
        int64_t at = 0;
        for (; at < edges; at++) {
            const int64_t x = emst_end_of(right, at, 0), y = emst_end_of(right, at, 1);
            if ((x == i && y == j) || (x == j && y == i)) break;
        }
        if (at == edges) return false;
    }
    return true;
}

/* Accepts the tree; then refuses it with one edge replaced, by the same fault as one thread of the CPU finds. */
static void check_trial(bosc_ctx *ctx, struct suite_random *r, const struct emst_trial *t)
{
    const size_t bytes = (size_t)(2 * t->points.n) * 8;
    struct emst_trial right = *t;
    bosc_emst_fault fault, other;
    CHECK_OK(ctx, verify(ctx, t, &fault));
    CHECK_EQ(fault.row, -1);
    right.pairs = suite_alloc(bytes);
    memcpy(right.pairs, t->pairs, bytes);
    for (int k = 0; k < 3 && t->points.n > 2; k++) {
        replace_edge(t, r);
        if (has_edges(t, &right)) continue;
        bosc_ctx *plain = km_plain_context();
        CHECK_STATUS(ctx, verify(ctx, t, &fault), BOSC_ERR_DATA);
        CHECK(strncmp(bosc_ctx_message(ctx), "pairs", 5) == 0);
        CHECK_STATUS(plain, verify(plain, t, &other), BOSC_ERR_DATA);
        bosc_ctx_free(plain);
        CHECK(memcmp(&fault, &other, sizeof fault) == 0);
        check_fault(t, &fault);
    }
    free(right.pairs);
}

static void every_shape(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    struct suite_random r = {21};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int k = 0; k < 8; k++) {
            if (suite_leaves_out()) continue;
            const int64_t n = 1 + (int64_t)suite_below(&r, suite_slow(ctx) ? 50 : 200);
            struct reference_points p =
                kd_ordinary_points(&r, dtypes[k % 4], 1 + (int32_t)suite_below(&r, 5), n, 5, (enum kd_shape)s);
            const int64_t min_samples = k < 4 ? 0 : 1 + (int64_t)suite_below(&r, (uint64_t)(n < 6 ? n : 6));
            struct emst_trial t = make_trial(ctx, &r, p, min_samples, k % 2 ? 32 : 64);
            check_trial(ctx, &r, &t);
            emst_free_trial(&t);
        }
}

/* All pairs that differ by ties alone: only the order by points decides. */
static void ties(bosc_ctx *ctx)
{
    enum { N = 25 };
    struct suite_random r = {22};
    for (int64_t min_samples = 0; min_samples <= 4; min_samples += 2) {
        int32_t *data = suite_alloc(2 * N * sizeof *data);
        for (int i = 0; i < N; i++) {
            data[2 * i] = i * 7 % N % 5;
            data[2 * i + 1] = i * 7 % N / 5;
        }
        struct emst_trial t = make_trial(ctx, &r, (struct reference_points){BOSC_I32, 2, N, 2, data}, min_samples, 64);
        check_trial(ctx, &r, &t);
        emst_free_trial(&t);
    }
}

/* Rows without two points, and edges without a tree. */
static void no_trees(bosc_ctx *ctx)
{
    static const float points[] = {0, 1, 3, 7, 15};
    static const struct {
        int64_t pairs[8], row;
    } wrong[] = {{{0, 1, 1, 2, 2, 3, 3, 5}, 3}, {{0, 1, -1, 2, 2, 3, 3, 4}, 1}, {{0, 1, 1, 2, 2, 2, 3, 4}, 2},
                 {{0, 1, 1, 2, 1, 0, 3, 4}, 2}, {{0, 1, 1, 2, 2, 0, 3, 4}, 2},  {{3, 4, 0, 1, 1, 2, 4, 3}, 3}};
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 1, 64};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        bosc_emst_fault f = {.size = sizeof f};
        CHECK_STATUS(ctx, bosc_emst_verify(ctx, points, 5, 0, &o, 0, wrong[k].pairs, &f), BOSC_ERR_DATA);
        CHECK_EQ(f.row, wrong[k].row);
        CHECK(f.better[0] == -1 && f.better[1] == -1);
    }
    bosc_emst_fault f = {.size = sizeof f};
    CHECK_OK(ctx, bosc_emst_verify(ctx, points, 5, 0, &o, 0, (int64_t[]){4, 3, 2, 1, 1, 0, 2, 3}, NULL));
    CHECK_OK(ctx, bosc_emst_verify(ctx, points, 0, 0, &o, 0, NULL, &f));
    CHECK_OK(ctx, bosc_emst_verify(ctx, points, 1, 0, &o, 1, NULL, &f));
    CHECK_EQ(f.row, -1);
}

/* Points with squares out of range: the tree, and the squared lengths of faults where they are in the range of double.
 */
static void magnitudes(bosc_ctx *ctx)
{
    const float scale = 0x1p70f;
    float points[] = {0, scale, 3 * scale, 7 * scale};
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 1, 64};
    bosc_emst_fault f = {.size = sizeof f};
    CHECK_OK(ctx, bosc_emst_verify(ctx, points, 4, 0, &o, 0, (int64_t[]){0, 1, 1, 2, 2, 3}, &f));
    CHECK_STATUS(ctx, bosc_emst_verify(ctx, points, 4, 0, &o, 0, (int64_t[]){0, 1, 0, 2, 2, 3}, &f), BOSC_ERR_DATA);
    CHECK(f.row == 1 && f.better[0] == 1 && f.better[1] == 2);
    CHECK(f.dist2 == 9 * 0x1p140 && f.better_dist2 == 4 * 0x1p140);
}

static void arguments(bosc_ctx *ctx)
{
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 1, 64};
    const float points[4] = {0, 1, 3, 7};
    const int64_t pairs[6] = {0, 1, 1, 2, 2, 3};
    bosc_emst_fault f = {.size = sizeof f, .row = 9}, short_one = {.size = 4};
    CHECK_ARG(ctx, bosc_emst_verify(ctx, points, -1, 0, &o, 0, pairs, &f), "n");
    CHECK_ARG(ctx, bosc_emst_verify(ctx, points, 4, 0, NULL, 0, pairs, &f), "opts");
    CHECK_ARG(ctx, bosc_emst_verify(ctx, points, 4, 0, &o, -1, pairs, &f), "min_samples");
    CHECK_ARG(ctx, bosc_emst_verify(ctx, points, 4, 0, &o, 5, pairs, &f), "min_samples");
    CHECK_ARG(ctx, bosc_emst_verify(ctx, points, 4, 0, &o, 0, NULL, &f), "pairs");
    CHECK_ARG(ctx, bosc_emst_verify(ctx, points, 4, 0, &o, 0, (const char *)pairs + 4, &f), "pairs");
    CHECK_ARG(ctx, bosc_emst_verify(ctx, points, 4, 0, &o, 0, pairs, &short_one), "fault");
    CHECK_ARG(ctx, bosc_emst_verify(ctx, NULL, 4, 0, &o, 0, pairs, &f), "points");
    CHECK_EQ(f.row, 9);
}

static const struct suite_case suite_cases_emst_verify[] = {
    {"every shape", every_shape, NULL}, {"ties", ties, NULL},           {"no trees", no_trees, NULL},
    {"magnitudes", magnitudes, NULL},   {"arguments", arguments, NULL},
};
SUITE(emst_verify);
