/* Output of neighbour lists: consecutive lanes write the pairs of a row, so that their stores are consecutive too, and
 * read its atom and system once. */
#include "neighborlist/cuda/write.cuh"

#include "core/cuda/launch.cuh"
#include "neighborlist/steps/output.h"

enum { THREADS = 128 };

/* LANES: of a row. */
template <int LANES>
static __global__ void __launch_bounds__(THREADS)
    bi_neighborlist_write_rows(const bi_neighborlist_output a, int64_t begin, int64_t end)
{
    const unsigned group = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    for (int64_t i = begin + blockIdx.x * (int64_t)(THREADS / LANES) + group; i < end;
         i += gridDim.x * (int64_t)(THREADS / LANES)) {
        const bi_neighborlist_atom from = a.view.atoms[i];
        const bi_neighborlist_system system = a.view.systems[a.view.system_of[i]];
        const int64_t last = a.view.offsets[i + 1];
        bi_neighborlist_pair pair;
        for (int64_t e = a.view.offsets[i] + lane; e < last; e += LANES) {
            bi_neighborlist_decode_pair(&a, &system, &from, (uint32_t)i, e, &pair);
            bi_neighborlist_write(&a, &pair, e);
        }
    }
}

#define LAUNCH_WRITE(ctx, lanes, n, output)                                                                            \
    struct bi_batches p = bi_batches_of((ctx), (n), 1);                                                                \
    while (bi_next_batch((ctx), &p))                                                                                   \
        BI_TRY(BI_RUN_BATCH((ctx), bi_neighborlist_write_rows<lanes>,                                                  \
                            bi_grid_size((ctx), (p.end - p.begin) * (lanes), THREADS), THREADS, 0, *(output), p.begin, \
                            p.end));                                                                                   \
    return p.status

static bosc_status write_short_rows(bosc_ctx *ctx, const bi_neighborlist_output *output)
{
    LAUNCH_WRITE(ctx, 8, output->view.n, output);
}

static bosc_status write_long_rows(bosc_ctx *ctx, const bi_neighborlist_output *output)
{
    LAUNCH_WRITE(ctx, 32, output->view.n, output);
}

bosc_status bi_neighborlist_cuda_write(bosc_ctx *ctx, const bi_neighborlist_output *output)
{
    const bi_neighborlist_view *v = &output->view;
    /* 16: a mean row of fewer pairs would leave more than half of the lanes of a warp idle. */
    return v->pairs / 16 < v->n ? write_short_rows(ctx, output) : write_long_rows(ctx, output);
}
