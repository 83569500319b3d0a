/* The CPU's table of motion planning, for each level. Signs are its hot loop. */
#include <string.h>

#include "base/atomic.h"
#include "base/fault.h"
#include "core/cpu/level.h"
#include "core/cpu/threads.h"
#include "core/steps.h"
#include "plan/steps/circles.h"
#include "plan/steps/forms.h"
#include "plan/steps/steps.h"

/* ---- signs ---- */

#if BI_LEVEL == 4
enum { VECTOR_BYTES = 64 };
#elif BI_LEVEL == 3
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif
/* Four vectors of rotations share each coefficient that is loaded. Not measured. */
enum { VECTORS = 4, WIDTH = VECTOR_BYTES / 4, TILE = VECTORS * WIDTH };
typedef float floats __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t masks __attribute__((vector_size(VECTOR_BYTES)));

/* Products of a tile's rotations, each in a lane of its own. */
struct tile {
    floats products[BI_PLAN_COEFFICIENTS][VECTORS];
};

/* Unrolled loops over vectors and coefficients keep their arrays in registers. */
#define UNROLLED _Pragma("GCC unroll 16")

/* Computes bits and doubts of 32 constraints at a tile's rotations, one lane per rotation. */
static inline void sign_half_word(const float *rows, const struct tile *t, masks *bits, masks *doubts)
{
    const masks none = {0}, magnitude = none + 0x7fffffff;
    const floats zero = {0};
    masks found[VECTORS], unsure[VECTORS];
    UNROLLED for (int j = 0; j < VECTORS; j++) found[j] = unsure[j] = none;
    for (int k = 0; k < 32; k++, rows += BI_PLAN_ROW) {
        floats sum[VECTORS];
        const masks bit = none + (int32_t)(1u << k);
        const floats bound = zero + rows[BI_PLAN_COEFFICIENTS];
        UNROLLED for (int j = 0; j < VECTORS; j++) sum[j] = t->products[0][j] * rows[0];
        UNROLLED for (int c = 1; c < BI_PLAN_COEFFICIENTS; c++)
        {
            UNROLLED for (int j = 0; j < VECTORS; j++) sum[j] = sum[j] + t->products[c][j] * rows[c];
        }
        UNROLLED for (int j = 0; j < VECTORS; j++)
        {
            found[j] |= (sum[j] >= zero) & bit;
            unsure[j] |= (floats)((masks)sum[j] & magnitude) <= bound;
        }
    }
    UNROLLED for (int j = 0; j < VECTORS; j++)
    {
        bits[j] = found[j];
        doubts[j] = unsure[j];
    }
}

/* Loads the products of a tile; bad rows, and lanes beyond the last, get those of the identity. */
static void load_tile(const struct bi_plan_signs *a, int64_t first, int64_t count, struct tile *t)
{
    static const double identity[4] = {1, 0, 0, 0};
    for (int64_t lane = 0; lane < TILE; lane++) {
        const double *q = lane < count ? a->rotations + (first + lane) * a->stride : identity;
        float products[BI_PLAN_COEFFICIENTS];
        if (!bi_plan_is_rotation(q)) {
            bi_atomic_min_i64(a->bad, first + lane);
            q = identity;
        }
        bi_plan_fast_products(q, products);
        for (int c = 0; c < BI_PLAN_COEFFICIENTS; c++) t->products[c][lane / WIDTH][lane % WIDTH] = products[c];
    }
}

/* Computes the words of a tile, one lane per rotation, and writes each lane to the row of its rotation. */
static void sign_tile(const struct bi_plan_signs *a, int64_t first, int64_t count)
{
    const int64_t n_words = a->forms.words;
    struct tile t;
    load_tile(a, first, count, &t);
    for (int64_t word = 0; word < n_words; word++) {
        masks bits[2][VECTORS], doubts[2][VECTORS];
        const int64_t left = a->forms.constraints - 64 * word;
        const uint64_t mask = left < 64 ? (1ull << left) - 1 : ~0ull;
        for (int half = 0; half < 2; half++)
            sign_half_word(a->forms.fast_rows + BI_PLAN_ROW * (64 * word + 32 * half), &t, bits[half], doubts[half]);
        for (int64_t lane = 0; lane < count; lane++) {
            const int64_t at = (first + lane) * n_words + word, v = lane / WIDTH, l = lane % WIDTH;
            a->vectors[at] = ((uint64_t)(uint32_t)bits[1][v][l] << 32 | (uint32_t)bits[0][v][l]) & mask;
            a->doubts[at] = (doubts[0][v][l] | doubts[1][v][l]) != 0;
        }
    }
}

static bosc_status fast_signs(bosc_ctx *ctx, const struct bi_plan_signs *a)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "fast_signs: injected fault");
    struct bi_batches p = bi_batches_of(ctx, bi_div_up(a->n, TILE), TILE * (double)(1 + a->forms.words));
    while (bi_next_batch(ctx, &p)) {
        const int64_t begin = p.begin, end = p.end;
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(ctx, end - begin, 4))
        for (int64_t i = begin; i < end; i++) sign_tile(a, TILE * i, a->n - TILE * i < TILE ? a->n - TILE * i : TILE);
    }
    return p.status;
}

/* ---- roots of circles ---- */

enum { RUN = 8 }; /* roots that insertion sorts before runs are merged; not measured */

static inline void sort_run(double *roots, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const double root = roots[i];
        int64_t at = i;
        for (; at > 0 && roots[at - 1] > root; at--) roots[at] = roots[at - 1];
        roots[at] = root;
    }
}

/* Branchless on the comparison, which is unpredictable for random roots. */
static inline void merge_runs(const double *from, int64_t middle, int64_t n, double *to)
{
    int64_t left = 0, right = middle, at = 0;
    while (left < middle && right < n) {
        const double x = from[left], y = from[right];
        const int64_t take_right = y < x;
        to[at++] = take_right ? y : x;
        right += take_right;
        left += 1 - take_right;
    }
    memcpy(to + at, from + left, (size_t)(middle - left) * sizeof *to);
    memcpy(to + at + (middle - left), from + right, (size_t)(n - right) * sizeof *to);
}

/* Sorts the roots of a circle into `ordered`; overwrites both arrays. */
static void order_circle(double *roots, double *ordered, int64_t n)
{
    double *from = roots, *to = ordered;
    for (int64_t i = 0; i < n; i += RUN) sort_run(roots + i, n - i < RUN ? n - i : RUN);
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t i = 0; i < n; i += 2 * width) {
            const int64_t left = n - i < 2 * width ? n - i : 2 * width;
            merge_runs(from + i, left < width ? left : width, left, to + i);
        }
        double *other = from;
        from = to;
        to = other;
    }
    if (from != ordered) memcpy(ordered, from, (size_t)n * sizeof *ordered);
}

static bosc_status order_roots(bosc_ctx *ctx, int64_t circles, int64_t rows, const struct bi_plan_sampling *a)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "order_roots: injected fault");
    struct bi_batches p = bi_batches_of(ctx, circles, circles > 0 ? (double)rows / (double)circles : 1);
    while (bi_next_batch(ctx, &p)) {
        const int64_t begin = p.begin, end = p.end;
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(ctx, end - begin, 4))
        for (int64_t i = begin; i < end; i++)
            order_circle(a->roots + a->offsets[i], a->ordered + a->offsets[i], a->offsets[i + 1] - a->offsets[i]);
    }
    return p.status;
}

/* ---- the table ---- */

#undef BI_STEP_COST
#define BI_STEP_COST 1024 /* an item is a row of signs, or more */

#define STEP_LIST "plan/steps/steps.def"
#define STEP_TABLE static const struct bi_plan_steps cpu_steps
#include "core/step_table.inc"

const struct bi_plan_ops BI_LEVEL_NAME(bi_plan_ops_cpu) = {
    .steps = &cpu_steps, .fast_signs = fast_signs, .order_roots = order_roots};
