/* The fast builder, an exact k-d tree by sampled pivots: passes of up to 4 levels through global memory
 * (multilevel_pass.cuh), then a block for each small subtree (subtree_block.cuh). */
#include <cmath>

#include "core/call.h"
#include "core/carve.h"
#include "kdtree/cuda/sampled/keys.cuh"
#include "kdtree/cuda/sampled/multilevel_pass.cuh"
#include "kdtree/cuda/sampled/subtree.cuh"

/* --- Ends of coordinates ------------------------------------------------------------------------------------------ */

/* TESTED_ROWS: of doubles that most likely are no floats, as those of the build before were not. Chosen. */
enum { ENDS_THREADS = 256, TESTED_ROWS = 8192 };

/* Raises *ends, 0 at first, to the ends of all rows, as ordered keys; `least` holds their complements. Marks the
 * coordinates whose doubles are rounded there and in *rounded_doubles, 0 at first. */
template <int DIM>
static __global__ void __launch_bounds__(ENDS_THREADS)
    bi_kdtree_find_ends(const bi_kdtree_rounded_keys keys, bi_kdtree_ends *ends, uint32_t *rounded_doubles)
{
    struct ends_shared {
        bi_kdtree_ends of_block;
        uint32_t rounded;
    };
    BI_SHARED(ends_shared, sh);
    /* 1. Each thread finds the ends of its rows. */
    unsigned long long least[DIM], greatest[DIM]; /* least: complements */
    uint32_t rounded = 0;
    const int64_t step = (int64_t)gridDim.x * ENDS_THREADS;
#pragma unroll
    for (int c = 0; c < DIM; c++) least[c] = greatest[c] = 0;
    for (int64_t i = (int64_t)blockIdx.x * ENDS_THREADS + threadIdx.x; i < keys.rows.n; i += step)
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            const unsigned long long key = keys.key((uint32_t)i, c);
            least[c] = max(least[c], ~key);
            greatest[c] = max(greatest[c], key);
            rounded |= (uint32_t)keys.rounds((uint32_t)i, c) << c;
        }
    /* 2. Reduce over the warp, then over the block. The barriers make the zeros visible, then the maxima. */
    if (threadIdx.x < 4) sh.of_block.least[threadIdx.x] = sh.of_block.greatest[threadIdx.x] = 0;
    if (threadIdx.x == 0) sh.rounded = 0;
    __syncthreads();
    if (rounded) atomicOr(&sh.rounded, rounded);
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        for (int o = 16; o > 0; o >>= 1) {
            least[c] = max(least[c], __shfl_xor_sync(~0u, least[c], o));
            greatest[c] = max(greatest[c], __shfl_xor_sync(~0u, greatest[c], o));
        }
        if (threadIdx.x % 32 == 0) {
            atomicMax(&sh.of_block.least[c], least[c]);
            atomicMax(&sh.of_block.greatest[c], greatest[c]);
        }
    }
    __syncthreads();
    /* 3. Reduce over blocks. */
    if (threadIdx.x == 0 && sh.rounded) {
        atomicOr(&ends->rounded, sh.rounded);
        atomicOr(rounded_doubles, sh.rounded);
    }
    if (threadIdx.x >= DIM) return;
    atomicMax(&ends->least[threadIdx.x], sh.of_block.least[threadIdx.x]);
    atomicMax(&ends->greatest[threadIdx.x], sh.of_block.greatest[threadIdx.x]);
}

/* Finds the ends of the coordinates of `keys.rows`, which is not empty. */
static bosc_status run_find_ends(bosc_ctx *ctx, const bi_kdtree_rounded_keys &keys, int dim, bi_kdtree_ends *ends,
                                 uint32_t *rounded_doubles)
{
    auto kernel = dim == 2 ? bi_kdtree_find_ends<2> : dim == 3 ? bi_kdtree_find_ends<3> : bi_kdtree_find_ends<4>;
    /* 8 rows a thread, so that its loads overlap; 4 blocks a multiprocessor, beyond which threads loop. Not
     * measured. */
    const unsigned blocks = (unsigned)bi_div_up(keys.rows.n, 8 * ENDS_THREADS),
                   most = 4u * (unsigned)ctx->multiprocessors;
    BI_TRY(ctx->backend->fill(ctx, ends, 0, sizeof *ends));
    return BI_RUN(ctx, kernel, blocks < most ? blocks : most, ENDS_THREADS, 0, keys, ends, rounded_doubles);
}

/* --- The build ---------------------------------------------------------------------------------------------------- */

template <int DIM, int LOG> using largest_shared = bi_kdtree_block_shared<DIM, LOG, bi_kdtree_rounded_keys>;

int bi_kdtree_block_log(const bosc_ctx *ctx, int32_t dim)
{
    int most = 0;
    size_t need =
        dim == 4 ? sizeof(largest_shared<4, BI_KDTREE_BLOCK_LOG>) : sizeof(largest_shared<3, BI_KDTREE_BLOCK_LOG>);
    size_t largest_need = dim == 4 ? sizeof(largest_shared<4, BI_KDTREE_MOST_BLOCK_LOG>)
                                   : sizeof(largest_shared<3, BI_KDTREE_MOST_BLOCK_LOG>);
    if (cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, ctx->memory.device) != cudaSuccess)
        (void)cudaGetLastError();
    return (size_t)most >= largest_need ? BI_KDTREE_MOST_BLOCK_LOG
           : (size_t)most >= need       ? BI_KDTREE_BLOCK_LOG
                                        : BI_KDTREE_BLOCK_LOG - 1;
}

enum { MOST_PASSES = 8 };

struct plan {
    int32_t levels, passes; /* levels above the subtrees of blocks; passes that make them */
    int32_t first;          /* coordinate of the root's superkey */
    int block_log;
    bool by_superkey;
    bi_kdtree_pass pass[MOST_PASSES];
    /* Largest need of any pass, in elements. */
    size_t segments, bins, list_bins, kept, side;
};

/* Returns the number of nodes of the largest subtree of a level: sizes plus one halve, rounded up. */
static int64_t largest_subtree(int64_t n, int level) { return bi_div_up(n + 1, (int64_t)1 << level) - 1; }

/* Points of a segment, or of a build, from which on samples by superkey are large. Measured on an H200, before short
 * runs of samples were compared. Builds of 2^22 points: scans 1.45 ms, without 1.49; in the second pass too 1.49. Large
 * samples in builds of 2^20 points: lattices .632 ms, without .616; scans .663, without .580. */
#ifdef BI_EMULATE
enum { LARGE_SEGMENT = 140000, LARGE_BUILD = 1 << 23 };
#else
enum { LARGE_SEGMENT = 1 << 21, LARGE_BUILD = 1 << 23 };
#endif

/* Returns the sample size of a segment. If many segments keep the device busy, or points are few, a segment has only
 * the samples that one block holds: fewer launches gain more than narrow brackets. Measured, a pass of 2^24 points:
 * 8,192 samples in one launch take 64 us, 16,384 in five 171; then lists take 80 us more. 128
 * segments are about a block for each of the 132 multiprocessors of an H200. The other sizes are not measured. */
static uint32_t sample_size(int64_t points, uint32_t segments, int64_t n, bool by_superkey, int block_log)
{
    const bool small = segments >= 128 || n < 1 << 21, large = points >= LARGE_SEGMENT || (!small && n >= LARGE_BUILD);
    uint32_t most = small ? (uint32_t)BI_KDTREE_SMALL_SAMPLE : points >= 1 << 22 ? 1 << 17 : 1 << 16;
    if (by_superkey)
        most = large && block_log >= BI_KDTREE_BLOCK_LOG ? BI_KDTREE_LARGE_SORTED_SAMPLE : BI_KDTREE_SORTED_SAMPLE;
    while (most > points) most /= 2;
    return most;
}

/* Plans the capacity of side lists. A bracket is expected to hold deviations / sqrt(sample of the node) of a node's
 * points. Added are 6.5 standard deviations of that number, a fraction for the bins at both ends, and a few points for
 * small nodes: 96 of the thousands of a subtree. The fraction, 0.008, is for the two bins, which may hold LARGEST_BIN
 * of the points each (sample_pivots.cu), 0.01 together; more would be seldom used memory. So if both are that full, a
 * list may be full without a missed bracket, and the build starts again as after one. */
static void plan_side(bi_kdtree_pass *pass)
{
    double unsampled = 1 - (double)pass->samples / pass->largest;
    uint32_t first = 0;
    for (int j = 0; j < pass->levels; j++) {
        double points = (double)pass->largest / (1 << j), sample = (double)pass->samples / (1 << j);
        double inside = pass->deviations * sqrt(sample * (unsampled > 0 ? unsampled : 0)) + 4;
        double limit = points * (inside * (1 + 6.5 / sqrt(inside)) / sample + 0.008) + 96;
        pass->side_limit[j] = (uint32_t)fmin(limit, points + 1);
        pass->side_first[j] = first;
        first += pass->side_limit[j] << j;
    }
    pass->side_capacity = first;
}

/* Plans how lists are resolved: long ones by several blocks, with more bins. */
static void plan_lists(bi_kdtree_pass *pass, bool by_superkey)
{
    pass->counted = pass->side_limit[0] > BI_KDTREE_LONG_LIST;
    pass->list_log = by_superkey ? (int32_t)BI_KDTREE_MARK_BINS_LOG : pass->counted ? 11 : 9;
    for (int j = 0; j < pass->levels; j++) {
        uint32_t limit = pass->side_limit[j], each = (uint32_t)bi_div_up(limit, BI_KDTREE_MOST_CHUNKS);
        each = limit <= BI_KDTREE_LONG_LIST  ? limit
               : each < BI_KDTREE_LIST_CHUNK ? (uint32_t)BI_KDTREE_LIST_CHUNK
                                             : each;
        pass->chunk_size[j] = each;
        pass->chunks[j] = (uint32_t)bi_div_up(limit, each);
    }
}

static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

/* Half the width of a bracket, in standard deviations of a sampled median. In clusters the points on the wrong side of
 * a pivot may all lie on one side of the next median, so errors add up over the levels of a pass. On a line they do: at
 * the fourth level the effective width is 5 deviations for wide brackets, 2.5 for narrow ones. */
static const float narrow_brackets = 6.5f, superkey_brackets = 5.5f, wide_brackets = 14;

/* The ways to make brackets, by increasing cost. */
enum brackets { NARROW, BY_SUPERKEY, WIDE, WIDE_BY_SUPERKEY, NO_BRACKETS };

static bool are_by_superkey(enum brackets brackets) { return brackets == BY_SUPERKEY || brackets == WIDE_BY_SUPERKEY; }

/* Returns the brackets to try after a failure (work.failed). Equal coordinates fill lists. In clusters, errors of
 * pivots add up until a bracket misses. */
static enum brackets brackets_after(enum brackets failed_ones, uint32_t failure)
{
    if (failed_ones == NARROW) return failure & 1 ? BY_SUPERKEY : WIDE;
    return failed_ones == WIDE_BY_SUPERKEY ? NO_BRACKETS : WIDE_BY_SUPERKEY;
}

/* Plans the passes for n > 0 points; none if a block makes the whole tree. block_log: log2 of the largest subtree that
 * a block can make on the device. */
static void plan_build(struct plan *plan, int64_t n, int block_log, enum brackets brackets)
{
    *plan = {};
    plan->by_superkey = are_by_superkey(brackets);
    /* 1. Number of levels above the subtrees; one less if larger blocks save a pass. */
    plan->block_log = block_log < BI_KDTREE_BLOCK_LOG ? block_log : BI_KDTREE_BLOCK_LOG;
    while (largest_subtree(n, plan->levels) > (int64_t)1 << plan->block_log) plan->levels++;
    if (plan->levels % BI_KDTREE_PASS_LEVELS == 1 && block_log > plan->block_log &&
        largest_subtree(n, plan->levels - 1) <= (int64_t)2 << plan->block_log) {
        plan->levels--;
        plan->block_log++;
    }
    /* 2. Distribute the levels evenly over the passes. */
    plan->passes = (int32_t)bi_div_up(plan->levels, BI_KDTREE_PASS_LEVELS);
    int32_t level = 0;
    for (int q = 0; q < plan->passes; q++) {
        bi_kdtree_pass *pass = &plan->pass[q];
        pass->n = n;
        pass->level = level;
        pass->levels = (int32_t)bi_div_up(plan->levels - level, plan->passes - q);
        pass->segments = 1u << level;
        pass->largest = (uint32_t)largest_subtree(n, level);
        pass->samples = sample_size(pass->largest - 1, pass->segments, n, plan->by_superkey, block_log);
        pass->sample_chunk = 8192;
        pass->sample_blocks = (uint32_t)bi_div_up(pass->samples, pass->sample_chunk);
        pass->deviations = brackets == NARROW        ? narrow_brackets
                           : brackets == BY_SUPERKEY ? superkey_brackets
                                                     : wide_brackets;
        plan_side(pass);
        plan_lists(pass, plan->by_superkey);
        /* Memory: the largest need of any pass. Samples share the memory of side lists, whose elements have 8 bytes in
         * 2 dimensions and 16 in others: samples have 16, by superkey at most 20 and 36 (allocate_samples). */
        const size_t segments = pass->segments;
        plan->segments = segments;
        if (pass->sample_blocks > 1) plan->bins = segments * 8 * BI_KDTREE_BINS;
        if (pass->counted) plan->list_bins = max_size(plan->list_bins, (segments * BI_KDTREE_CELLS) << pass->list_log);
        for (int j = 0; j < pass->levels; j++)
            if (pass->chunks[j] > 1) plan->kept = max_size(plan->kept, (segments << j) * pass->chunks[j]);
        plan->side = max_size(plan->side, segments * pass->side_capacity);
        plan->side = max_size(plan->side, segments * pass->samples * (plan->by_superkey ? 4 : 16 / 8));
        level += pass->levels;
    }
}

/* The words that a build reads back: work.failed, work.tied, two counts of narrow splits, and the coordinates, as bits,
 * whose doubles are rounded. */
enum { NARROW_SPLITS = 2, ROUNDED_DOUBLES = 4, RESULTS = 5 };
static constexpr unsigned long long RESULT_BIT = 1ull << 63; /* of a published word */

enum { ALIGN = 256 }; /* bytes: allocations of the device begin at multiples of it, and so do the arrays */

/* Returns the next array of a block of scratch memory. */
template <class T> static T *carve(struct bi_carver *c, size_t count)
{
    return static_cast<T *>(bi_carve(c, (int64_t)bi_div_up((int64_t)(count * sizeof(T)), ALIGN), ALIGN));
}

struct build_memory {
    bi_kdtree_pass_memory work;
    bi_kdtree_array other; /* points between passes; alternates with `last` */
    bi_kdtree_array last;  /* points after the last pass, unless the tree's array serves */
    bi_kdtree_ends *ends;
    size_t zeroed; /* bytes from work.cursors */
};

static size_t bytes_of_point(int dim) { return (size_t)dim * sizeof(float) + sizeof(uint32_t); }

/* Divides the memory of side lists into the arrays of a sample by superkey; the largest pass has the most samples. */
static void allocate_samples(const struct plan *plan, int dim, bi_kdtree_pass_memory *work)
{
    size_t samples = 0;
    for (int q = 0; q < plan->passes; q++)
        samples = max_size(samples, (size_t)plan->pass[q].segments * plan->pass[q].samples);
    work->sampled_points = work->side.points;
    work->orders = reinterpret_cast<uint16_t *>(static_cast<char *>(work->side.points) + samples * bytes_of_point(dim));
    work->positions = work->orders + samples * (size_t)dim;
}

/* Divides the scratch of a build into its arrays. Without a base, the carver only counts bytes, and pointers are
 * NULL. */
static void allocate_arrays(struct bi_carver *carver, const struct plan *plan, const bosc_kdtree_opts *opts, int64_t n,
                            struct build_memory *m)
{
    const int dim = opts->dim;
    const size_t points = plan->passes > 1 ? (size_t)n : 0;
    const size_t last = plan->passes > 0 && !bi_kdtree_keeps_vectors(opts) ? (size_t)n : 0;
    /* 1. The results, then the arrays that each pass zeroes. */
    *m = {};
    m->work.failed = carve<uint32_t>(carver, RESULTS);
    m->work.tied = m->work.failed + 1;
    size_t begin = carver->used;
    m->work.cursors = carve<uint32_t>(carver, plan->segments * BI_KDTREE_DESTINATIONS);
    m->work.boxes = carve<uint32_t>(carver, plan->segments * 8);
    m->work.tickets = carve<uint32_t>(carver, plan->segments);
    m->work.bins = carve<uint32_t>(carver, plan->bins);
    m->work.arrivals = carve<uint32_t>(carver, plan->segments * BI_KDTREE_PASS_LEVELS * BI_KDTREE_DESTINATIONS);
    m->work.list_tickets = carve<uint32_t>(carver, plan->segments * BI_KDTREE_CELLS);
    m->work.list_bins = carve<uint32_t>(carver, plan->list_bins);
    m->zeroed = carver->used - begin;
    /* 2. Arrays that the kernels of a pass write. 3-D records hold their ids. */
    m->work.segments = carve<uint2>(carver, plan->segments);
    m->work.destinations = carve<uint2>(carver, plan->segments * BI_KDTREE_DESTINATIONS);
    m->work.brackets = carve<float2>(carver, plan->segments * BI_KDTREE_CELLS);
    m->work.pivots = carve<float>(carver, plan->segments * BI_KDTREE_CELLS);
    m->work.kept = carve<uint32_t>(carver, plan->kept);
    m->work.side.points = carve<char>(carver, plan->side * bi_kdtree_point_bytes(dim));
    m->work.side.ids = carve<uint32_t>(carver, dim == 3 ? 0 : plan->side);
    m->work.samples = static_cast<float4 *>(m->work.side.points);
    if (plan->by_superkey) {
        m->work.marks = carve<char>(carver, plan->segments * BI_KDTREE_CELLS * BI_KDTREE_MARKS * bytes_of_point(dim));
        if (m->work.side.points) allocate_samples(plan, dim, &m->work);
    }
    /* 3. Points between passes. */
    m->other.points = carve<char>(carver, points * bi_kdtree_point_bytes(dim));
    m->other.ids = carve<uint32_t>(carver, dim == 3 ? 0 : points);
    m->last.points = carve<char>(carver, last * bi_kdtree_point_bytes(dim));
    m->last.ids = carve<uint32_t>(carver, dim == 3 ? 0 : last);
    m->ends = carve<bi_kdtree_ends>(carver, 1);
}

int64_t bi_kdtree_cuda_build_scratch(const bosc_kdtree_opts *opts, int64_t n)
{
    size_t most = 0;
    for (int log = BI_KDTREE_BLOCK_LOG - 1; log <= BI_KDTREE_MOST_BLOCK_LOG; log++) {
        struct plan plan;
        struct build_memory memory;
        struct bi_carver carver;
        for (int brackets = NARROW; brackets < NO_BRACKETS; brackets++) {
            carver = {nullptr, 0};
            plan_build(&plan, n, log, (enum brackets)brackets);
            allocate_arrays(&carver, &plan, opts, n, &memory);
            most = max_size(most, carver.used);
        }
    }
    return (int64_t)most;
}

/* Runs the passes, then the blocks of subtrees. Passes alternate between m->other and `last`, the final one. */
template <int DIM, class KEYS>
static bosc_status run_passes(bosc_ctx *ctx, const struct plan *plan, const struct build_memory *m, const KEYS &keys,
                              bi_kdtree_source from, const bi_kdtree_array &last, const bi_kdtree_array &nodes,
                              int64_t n)
{
    for (int q = 0; q < plan->passes; q++) {
        const bi_kdtree_array to = (plan->passes - q) % 2 ? last : m->other;
        BI_TRY(ctx->backend->fill(ctx, m->work.cursors, 0, m->zeroed));
        if constexpr (KEYS::BY_SUPERKEY)
            BI_TRY((bi_kdtree_run_sample_superkeys<DIM, typename KEYS::base>(ctx, plan->pass[q], keys, from, m->work)));
        else
            BI_TRY(bi_kdtree_run_sample_pivots<DIM>(ctx, plan->pass[q], keys, from, m->work));
        BI_TRY(bi_kdtree_run_partition_points<DIM>(ctx, plan->pass[q], keys, from, to, m->work));
        BI_TRY(bi_kdtree_run_resolve_medians<DIM>(ctx, plan->pass[q], keys, to, nodes, m->work));
        from = {nullptr, 0, to};
    }
    return bi_kdtree_run_subtree_blocks<DIM, typename KEYS::of_blocks>(
        ctx, n, plan->levels, (plan->levels + plan->first) % DIM, plan->block_log, keys, from, nodes, m->work.failed);
}

/* The same with brackets as planned. */
template <int DIM, class KEYS>
static bosc_status run_planned(bosc_ctx *ctx, const struct plan *plan, const struct build_memory *m, const KEYS &keys,
                               const bi_kdtree_source &from, const bi_kdtree_array &last, const bi_kdtree_array &nodes,
                               int64_t n)
{
    if (plan->by_superkey) return run_passes<DIM>(ctx, plan, m, bi_kdtree_superkeys<KEYS>{keys}, from, last, nodes, n);
    return run_passes<DIM>(ctx, plan, m, keys, from, last, nodes, n);
}

template <int DIM>
static bosc_status build_dim(bosc_ctx *ctx, const bosc_kdtree *tree, const struct plan *plan,
                             const struct build_memory *m, const struct bi_kdtree_rows *rows)
{
    const bi_kdtree_array nodes = bi_kdtree_array_of(tree);
    uint32_t *rounded_doubles = m->work.failed + ROUNDED_DOUBLES;
    BI_TRY(ctx->backend->fill(ctx, m->work.failed, 0, RESULTS * sizeof *m->work.failed)); /* all of them */
    /* Float trees keep vectors: the last pass writes to the tree's array, and blocks work in place. */
    if (bi_kdtree_keeps_vectors(&tree->opts))
        return run_planned<DIM>(ctx, plan, m, bi_kdtree_float_keys{},
                                {static_cast<const float *>(rows->data), rows->stride, {}}, nodes, nodes, rows->n);
    const bi_kdtree_rounded_keys keys = {*rows, tree->opts.dtype, !tree->rounds_doubles, m->ends};
    bi_kdtree_rounded_keys scanned = keys; /* no ends of doubles are read where none is tested */
    if (keys.dtype == BOSC_F64 && tree->rounds_doubles && rows->n > TESTED_ROWS) scanned.rows.n = TESTED_ROWS;
    BI_TRY(run_find_ends(ctx, scanned, DIM, m->ends, rounded_doubles));
    return run_planned<DIM>(ctx, plan, m, keys, {}, m->last, nodes, rows->n);
}

/* Publishes the results of a build to the host, each with a bit that is never 0. */
static __global__ void bi_kdtree_publish_results(const uint32_t *results, unsigned long long *words)
{
    if (threadIdx.x < RESULTS) bi_notify_host(&words[threadIdx.x], RESULT_BIT | results[threadIdx.x]);
}

/* Launches kernels that publish the results `at`, and that make the index meanwhile, unless duplicates are removed: ids
 * change then. */
static bosc_status launch_results(bosc_ctx *ctx, bosc_kdtree *tree, const uint32_t *at)
{
    unsigned long long *words = static_cast<unsigned long long *>(ctx->pinned);
    for (int r = 0; r < RESULTS; r++) words[r] = 0;
    BI_TRY(BI_RUN(ctx, bi_kdtree_publish_results, 1, 32, 0, at, words));
    if (tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) return BOSC_OK;
    BI_TRY(bi_kdtree_cuda_launch_index(ctx, tree));
    tree->indexed = true;
    return BOSC_OK;
}

/* Reads the results of a build. The index of a tree whose build has failed is made again. */
static bosc_status read_results(bosc_ctx *ctx, bosc_kdtree *tree, const uint32_t *at, uint32_t results[RESULTS])
{
    const unsigned long long *words = static_cast<const unsigned long long *>(ctx->pinned);
    BI_TRY(bi_kdtree_cuda_drain_if_failed(ctx, launch_results(ctx, tree, at)));
    BI_TRY(bi_cuda_await(ctx, words, RESULTS));
    for (int r = 0; r < RESULTS; r++) results[r] = (uint32_t)words[r];
    tree->indexed = tree->indexed && !results[0];
    return BOSC_OK;
}

/* Builds with the given brackets, and replaces them by the ones to try next. After a success these are the
 * same, or NARROW if no marks were tied. The first call of allocate_arrays only counts bytes. With scratch
 * allocated, the tree counts as overwritten. */
static bosc_status build_with_brackets(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                       enum brackets *brackets, enum bi_kdtree_outcome *outcome)
{
    struct plan plan;
    struct build_memory memory;
    struct bi_carver carver = {nullptr, 0};
    const int32_t dim = tree->opts.dim;
    void *scratch;
    plan_build(&plan, rows->n, bi_kdtree_block_log(ctx, dim), *brackets);
    plan.first = tree->first;
    for (int q = 0; q < plan.passes; q++) plan.pass[q].first = (plan.pass[q].level + plan.first) % dim;
    allocate_arrays(&carver, &plan, &tree->opts, rows->n, &memory);
    BI_TRY(bi_scratch(ctx, carver.used, &scratch));
    carver = {static_cast<char *>(scratch), 0};
    allocate_arrays(&carver, &plan, &tree->opts, rows->n, &memory);
    tree->overwritten = true;
    bosc_status status = dim == 2   ? build_dim<2>(ctx, tree, &plan, &memory, rows)
                         : dim == 3 ? build_dim<3>(ctx, tree, &plan, &memory, rows)
                                    : build_dim<4>(ctx, tree, &plan, &memory, rows);
    /* The wait for the results serves the samples of the order too (search/select_order.cu). */
    const bool samples = plan.passes > 0 && bi_kdtree_cuda_samples_order(ctx, &tree->opts, rows->n);
    uint32_t results[RESULTS] = {0};
    if (status == BOSC_OK && samples)
        status = bi_kdtree_cuda_count_narrow(ctx, tree, memory.work.failed + NARROW_SPLITS);
    if (status == BOSC_OK && plan.passes > 0) status = read_results(ctx, tree, memory.work.failed, results);
    *outcome = results[0] ? BI_KDTREE_NEEDS_LISTS : BI_KDTREE_BUILT;
    if (results[0])
        *brackets = brackets_after(*brackets, results[0]);
    else if (*brackets == BY_SUPERKEY && !results[1])
        *brackets = NARROW;
    if (plan.passes > 0) tree->rounds_doubles = results[ROUNDED_DOUBLES] == (1u << dim) - 1;
    if (samples && !results[0]) tree->mixing = bi_kdtree_cuda_mixing_of(results + NARROW_SPLITS);
    return status;
}

/* Builds between two tries of narrow brackets: at first, and at most. A failure may be chance, since the order of
 * points within a segment, and so a sample, differs from build to build. Each further failure doubles the number.
 * Chosen. */
enum { FIRST_INTERVAL = 4, MOST_INTERVAL = 1024 };

/* Sets the brackets of the next build, after one that began with `first` and ended with `last`. */
static void remember_brackets(bosc_kdtree *tree, enum brackets first, enum brackets last)
{
    const bool retried = first == NARROW && tree->brackets != NARROW;
    tree->brackets = last == NO_BRACKETS ? NARROW : last;
    if (first != NARROW || tree->brackets == NARROW) return;
    tree->narrow_interval = !retried                                    ? FIRST_INTERVAL
                            : tree->narrow_interval < MOST_INTERVAL / 2 ? 2 * tree->narrow_interval
                                                                        : MOST_INTERVAL;
    tree->builds_until_narrow = tree->narrow_interval;
}

bosc_status bi_kdtree_cuda_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                 enum bi_kdtree_outcome *outcome)
{
    *outcome = BI_KDTREE_BUILT;
    if (rows->n == 0) return BOSC_OK;
    /* Begin with the brackets that served last, now and then with narrow ones, and try the next ones until they
     * serve. */
    const enum brackets first = tree->builds_until_narrow > 0 ? (enum brackets)tree->brackets : NARROW;
    if (tree->builds_until_narrow > 0) tree->builds_until_narrow--;
    enum brackets brackets = first;
    do BI_TRY_WITH_SCRATCH(ctx, build_with_brackets(ctx, tree, rows, &brackets, outcome));
    while (*outcome == BI_KDTREE_NEEDS_LISTS && brackets != NO_BRACKETS);
    remember_brackets(tree, first, brackets);
    return BOSC_OK;
}
