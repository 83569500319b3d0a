/* CUDA's table of motion planning: steps, and kernels for the signs of all constraints and for sorting roots. */
#define BI_STEP_ROOM plan

#include "core/cuda/steps.cuh"
#include "plan/steps/steps.h"

#define STEP_LIST "plan/steps/steps.def"
#define STEP_TABLE static const bi_plan_steps cuda_steps
#include "core/step_table.inc"

enum { BLOCK = 256, EACH = 2 /* rotations of a thread, which share its reads of a form; not measured */ };

struct form_tile {
    float rows[64 * BI_PLAN_ROW];
};

/* Computes the signs of one word of constraints; rows: their forms, in shared memory. 32-bit halves keep the bits in
 * one register each. */
static __device__ __forceinline__ void
bi_plan_sign_word(const float *rows, const float (*products)[BI_PLAN_COEFFICIENTS], uint64_t *bits, uint32_t *unsure)
{
    for (int e = 0; e < EACH; e++) {
        bits[e] = 0;
        unsure[e] = 0;
    }
    for (int half = 0; half < 2; half++) {
        uint32_t found[EACH] = {0, 0};
#pragma unroll 8
        for (int k = 0; k < 32; k++, rows += BI_PLAN_ROW)
            for (int e = 0; e < EACH; e++) {
                float sum = rows[0] * products[e][0];
                for (int c = 1; c < BI_PLAN_COEFFICIENTS; c++) sum = sum + rows[c] * products[e][c];
                found[e] |= (uint32_t)(sum >= 0) << k;
                unsure[e] |= fabsf(sum) <= rows[BI_PLAN_COEFFICIENTS];
            }
        for (int e = 0; e < EACH; e++) bits[e] |= (uint64_t)found[e] << (32 * half);
    }
}

/* Computes the signs of all forms at the rotations of rows `begin` to `end` - 1, and flags words with a sum too near 0
 * in `doubts`, for an exact repeat. *bad becomes the least row that is no rotation; its words mean nothing. Bits beyond
 * the last form are 0. All threads of a block loop equally often, as the loop has barriers. */
static __global__ void __launch_bounds__(BLOCK) bi_plan_fast_signs(const bi_plan_signs a, int64_t begin, int64_t end)
{
    BI_SHARED(form_tile, tile);
    const int64_t words = a.forms.words;
    for (int64_t base = begin + (int64_t)blockIdx.x * BLOCK * EACH; base < end;
         base += (int64_t)gridDim.x * BLOCK * EACH) {
        /* 1. Compute the products of the thread's rotations; lanes without a valid row use the identity. */
        float products[EACH][BI_PLAN_COEFFICIENTS];
        for (int e = 0; e < EACH; e++) {
            const int64_t row = base + e * BLOCK + threadIdx.x;
            double q[4] = {1, 0, 0, 0};
            if (row < end && bi_plan_is_rotation(a.rotations + row * a.stride))
                for (int c = 0; c < 4; c++) q[c] = a.rotations[row * a.stride + c];
            else if (row < end)
                bi_atomic_min_i64(a.bad, row);
            bi_plan_fast_products(q, products[e]);
        }
        for (int64_t word = 0; word < words; word++) {
            const float *from = a.forms.fast_rows + 64 * BI_PLAN_ROW * word;
            uint64_t bits[EACH], mask = ~0ull;
            uint32_t unsure[EACH];
            /* 2. Load the forms of the word into shared memory. The first barrier waits for readers of the last word;
             * the second makes the forms visible to the block. */
            __syncthreads();
            for (int i = threadIdx.x; i < 64 * BI_PLAN_ROW; i += BLOCK) tile.rows[i] = from[i];
            __syncthreads();
            /* 3. Evaluate them and write the thread's words. */
            bi_plan_sign_word(tile.rows, products, bits, unsure);
            if (a.forms.constraints - 64 * word < 64) mask = (1ull << (a.forms.constraints - 64 * word)) - 1;
            for (int e = 0; e < EACH; e++) {
                const int64_t row = base + e * BLOCK + threadIdx.x;
                if (row >= end) continue;
                a.vectors[row * words + word] = bits[e] & mask;
                a.doubts[row * words + word] = (uint8_t)unsure[e];
            }
        }
    }
}

static bosc_status cuda_fast_signs(bosc_ctx *ctx, const bi_plan_signs *a)
{
    bi_batches p = bi_batches_of(ctx, a->n, 1);
    while (bi_next_batch(ctx, &p))
        BI_TRY(BI_RUN_BATCH(ctx, bi_plan_fast_signs, bi_grid_size(ctx, p.end - p.begin, BLOCK * EACH), BLOCK, 0, *a,
                            p.begin, p.end));
    return p.status;
}

/* Sorts the roots of each circle by rank: a thread counts the roots that precede its own. */
static __global__ void __launch_bounds__(BLOCK) bi_plan_rank_roots(const bi_plan_sampling a, int64_t begin, int64_t end)
{
    const int64_t stride = (int64_t)gridDim.x * BLOCK;
    for (int64_t row = begin + (int64_t)blockIdx.x * BLOCK + threadIdx.x; row < end; row += stride) {
        const int64_t first = a.offsets[a.circle_of[row]], last = a.offsets[a.circle_of[row] + 1];
        const double root = a.roots[row];
        int64_t rank = 0;
        for (int64_t k = first; k < row; k++) rank += a.roots[k] <= root;
        for (int64_t k = row + 1; k < last; k++) rank += a.roots[k] < root;
        a.ordered[first + rank] = root;
    }
}

static bosc_status cuda_order_roots(bosc_ctx *ctx, int64_t, int64_t rows, const bi_plan_sampling *a)
{
    bi_batches p = bi_batches_of(ctx, rows, 1);
    while (bi_next_batch(ctx, &p))
        BI_TRY(BI_RUN_BATCH(ctx, bi_plan_rank_roots, bi_grid_size(ctx, p.end - p.begin, BLOCK), BLOCK, 0, *a, p.begin,
                            p.end));
    return p.status;
}

extern "C" const bi_plan_ops bi_plan_ops_cuda = {&cuda_steps, cuda_fast_signs, cuda_order_roots};
