/* Searches of neighbour lists by warps. A warp searches around one atom: each lane first owns a segment, the bins of
 * one row and image, and then the lanes share the candidates of 32 segments, so that short segments cost no idle lanes.
 * Rows are sorted in shared memory, and by the same network in global memory if they are long. */
#include "neighborlist/cuda/search.cuh"

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "neighborlist/steps/search.h"

/* WARPS: of a block; they share nothing. ROW: longest row sorted in shared memory; RANKED: by ranks; the emulator's
 * rows are short, so that small tests cover long rows. Not measured. */
#ifdef BI_EMULATE
enum { WARPS = 2, ROW = 32, RANKED = 8 };
#else
enum { WARPS = 4, ROW = 256, RANKED = 64 };
#endif

/* The segments of 32 lanes. */
struct segment_shared {
    bi_neighborlist_span span[32];
    uint32_t begin[32]; /* first position, minus the candidates of earlier lanes */
};

struct search_shared {
    segment_shared segments[WARPS];
    unsigned long long rows[WARPS][ROW];
};

/* a / b and a % b for numbers that mostly have 32 bits, which are divided several times as fast. */
static __device__ int64_t divide(int64_t a, int64_t b, int64_t *remainder)
{
    if (((uint64_t)a | (uint64_t)b) >> 32 == 0) {
        *remainder = (uint32_t)a % (uint32_t)b;
        return (uint32_t)a / (uint32_t)b;
    }
    *remainder = a % b;
    return a / b;
}

/* Image of a bin: that of the first bin of the range, or some more. */
static __device__ int32_t image_after(int64_t bin, int32_t first_image, int32_t bins)
{
    int64_t remainder;
    return first_image + (int32_t)divide(bin - (int64_t)first_image * bins, bins, &remainder);
}

/* Finds segment g of a search: its positions begin to end - 1 and its image. */
static __device__ void find_segment(const bi_neighborlist_search &a, const bi_neighborlist_center &center, int64_t g,
                                    int64_t images, const int32_t *first_image, int32_t *image, uint32_t *begin,
                                    uint32_t *end)
{
    const bi_neighborlist_range *range = center.range;
    const int32_t *bins = center.system->bins;
    int64_t b0, b1, image2;
    const int64_t row = divide(g, images, &image2);
    b0 = range[0].from + divide(row, range[1].to - range[1].from + 1, &b1);
    b1 += range[1].from;
    image[0] = image_after(b0, first_image[0], bins[0]);
    image[1] = image_after(b1, first_image[1], bins[1]);
    image[2] = first_image[2] + (int32_t)image2;
    const int64_t origin = (int64_t)image[2] * bins[2];
    const int64_t from = range[2].from > origin ? range[2].from - origin : 0;
    const int64_t to = range[2].to - origin < bins[2] - 1 ? range[2].to - origin : bins[2] - 1;
    const int64_t line = (b0 - (int64_t)image[0] * bins[0]) * bins[1] + b1 - (int64_t)image[1] * bins[1];
    const uint32_t *starts = a.starts + (center.first_bin + (uint32_t)(line * bins[2]));
    *begin = starts[from];
    *end = starts[to + 1];
}

/* Searches around the atom at sorted position k and returns the number of neighbours. FILL: appends entries to out. The
 * whole warp calls it. */
template <bool FILL>
static __device__ int64_t search_atom(const bi_neighborlist_search &a, segment_shared *sh, int64_t k,
                                      unsigned long long *out)
{
    const bi_neighborlist_center center = bi_neighborlist_center_at(&a, k);
    const bi_neighborlist_range *range = center.range;
    const unsigned lane = threadIdx.x % 32;
    int32_t first_image[BI_NEIGHBORLIST_DIM];
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++)
        first_image[c] = bi_neighborlist_image_of(range[c].from, center.system->bins[c]);
    const int64_t images = image_after(range[2].to, first_image[2], center.system->bins[2]) - first_image[2] + 1;
    const int64_t segments = (range[0].to - range[0].from + 1) * (range[1].to - range[1].from + 1) * images;
    int64_t count = 0;
    for (int64_t base = 0; base < segments; base += 32) {
        /* 1. A segment a lane. */
        uint32_t begin = 0, end = 0;
        if (base + lane < segments) {
            int32_t image[BI_NEIGHBORLIST_DIM];
            find_segment(a, center, base + lane, images, first_image, image, &begin, &end);
            if (begin < end) sh->span[lane] = bi_neighborlist_span_of(&center, image);
        }
        const uint32_t inclusive = bi_warp_inclusive_sum(end - begin);
        const uint32_t total = __shfl_sync(~0u, inclusive, 31);
        sh->begin[lane] = begin - (inclusive - (end - begin));
        __syncwarp(); /* the segments of all lanes */
        /* 2. The candidates of all segments, a lane each. */
        for (uint32_t first = 0; first < total; first += 32) {
            const uint32_t candidate = first + lane;
            const unsigned owner = bi_find_entry_lane(inclusive, candidate);
            const uint32_t t = sh->begin[owner] + candidate;
            uint32_t j = 0;
            bool near = false;
            if (candidate < total) {
                const bi_neighborlist_span *span = &sh->span[owner];
                j = a.ids[t];
                near = bi_neighborlist_accept(&a, &center, span, bi_neighborlist_square_at(&a, span, t), j);
            }
            const unsigned lanes = __ballot_sync(~0u, near);
            if (FILL && near)
                out[count + __popc(lanes & bi_lanes_below())] = (uint64_t)j << 32 | sh->span[owner].image_bits;
            count += __popc(lanes);
        }
        __syncwarp(); /* reads of the segments, before the next ones are written; entries are visible to all lanes */
    }
    return count;
}

/* Sorts entries by a bitonic network. All comparisons put the smaller entry first, so entries beyond the end, which
 * would be the largest, need not exist. Source: Batcher, Sorting Networks and their Applications (1968). The whole
 * warp calls it. */
static __device__ void sort_entries(unsigned long long *entries, uint32_t count)
{
    for (uint32_t size = 2; size / 2 < count; size *= 2)
        for (uint32_t stride = size / 2; stride > 0; stride /= 2) {
            for (uint32_t pair = threadIdx.x % 32; pair < count / 2 + size / 2; pair += 32) {
                const uint32_t at = pair & (stride - 1), block = 2 * (pair - at), i = block + at;
                const uint32_t other = stride == size / 2 ? block + 2 * stride - 1 - at : i + stride;
                if (other >= count) continue;
                const unsigned long long x = entries[i], y = entries[other];
                if (x <= y) continue;
                entries[i] = y;
                entries[other] = x;
            }
            __syncwarp(); /* the exchanges of all lanes */
        }
}

/* Sorts up to 64 entries, two a lane: each is written at the number of smaller ones. Entries differ. The whole warp
 * calls it. */
static __device__ void write_ranked(const unsigned long long *entries, uint32_t count, unsigned long long *to)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned long long x = lane < count ? entries[lane] : 0, y = lane + 32 < count ? entries[lane + 32] : 0;
    uint32_t below_x = 0, below_y = 0;
    for (uint32_t e = 0; e < count; e++) {
        const unsigned long long other = entries[e];
        below_x += other < x;
        below_y += other < y;
    }
    if (lane < count) to[below_x] = x;
    if (lane + 32 < count) to[below_y] = y;
}

static __global__ void __launch_bounds__(WARPS * 32)
    bi_neighborlist_count_rows(const bi_neighborlist_search a, int64_t begin, int64_t end)
{
    BI_SHARED(search_shared, sh);
    const unsigned warp = threadIdx.x / 32;
    const bool good = bi_neighborlist_is_good(a.found);
    for (int64_t k = begin + blockIdx.x * (int64_t)WARPS + warp; k < end; k += gridDim.x * (int64_t)WARPS) {
        const int64_t count = good ? search_atom<false>(a, &sh.segments[warp], k, NULL) : 0;
        if (threadIdx.x % 32 == 0) a.view.offsets[a.ids[k]] = count;
    }
}

/* Fills and sorts a row; one that fits in shared memory is written once it is sorted. */
static __global__ void __launch_bounds__(WARPS * 32)
    bi_neighborlist_fill_rows(const bi_neighborlist_search a, int64_t begin, int64_t end)
{
    BI_SHARED(search_shared, sh);
    const unsigned warp = threadIdx.x / 32;
    for (int64_t k = begin + blockIdx.x * (int64_t)WARPS + warp; k < end; k += gridDim.x * (int64_t)WARPS) {
        const int64_t *row = a.view.offsets + a.ids[k];
        const int64_t at = row[0], count = row[1] - at;
        unsigned long long *to = (unsigned long long *)a.view.entries + at;
        unsigned long long *entries = count <= ROW ? sh.rows[warp] : to;
        if (count == 0) continue;
        search_atom<true>(a, &sh.segments[warp], k, entries);
        if (count <= RANKED) {
            write_ranked(entries, (uint32_t)count, to);
        } else {
            sort_entries(entries, (uint32_t)count);
            for (int64_t e = threadIdx.x % 32; e < count && entries != to; e += 32) to[e] = entries[e];
        }
        __syncwarp(); /* reads of the sorted row, before the next one is written */
    }
}

/* Launches warps for n atoms. */
#define LAUNCH_SEARCH(ctx, kernel, n, args)                                                                        \
    struct bi_batches p = bi_batches_of((ctx), (n), 1);                                                            \
    while (bi_next_batch((ctx), &p))                                                                               \
        BI_TRY(BI_RUN_BATCH((ctx), kernel, bi_grid_size((ctx), (p.end - p.begin) * 32, WARPS * 32), WARPS * 32, 0, \
                            *(const bi_neighborlist_search *)(args), p.begin, p.end));                             \
    return p.status

bosc_status bi_neighborlist_cuda_count_rows(bosc_ctx *ctx, int64_t n, const void *args)
{
    LAUNCH_SEARCH(ctx, bi_neighborlist_count_rows, n, args);
}

bosc_status bi_neighborlist_cuda_fill_rows(bosc_ctx *ctx, int64_t n, const void *args)
{
    LAUNCH_SEARCH(ctx, bi_neighborlist_fill_rows, n, args);
}
