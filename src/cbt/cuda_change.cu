/* Changes trees on CUDA in one launch: each block of threads has a range of the bits. It changes them and counts their
 * leaves; the blocks meet; then it makes the ranks of its range anew. */
#include "cbt/cuda_change.cuh"
#include "core/cuda/together.cuh"

enum { NEAR = 2048 /* blocks of bits whose counts stay in shared memory */, TOUCHED = 1 << 15 };

struct change_args {
    bi_cbt_change a;
    const uint64_t *bits; /* to be taken over, in place of commands; or NULL */
    bool apply;           /* or else only the sources are wanted */
    unsigned long long *meeting;
    int64_t each;
    uint16_t *counts;  /* (blocks) where a range is longer than NEAR */
    uint64_t *changes; /* (as bits) and */
    int64_t *fresh;    /* (blocks) ranks, with sources */
};

template <int THREADS> struct change_shared {
    bi_cbt_meeting sum;
    unsigned long long leaves;
    unsigned changed;
    uint32_t warps[THREADS / 32];
    uint16_t counts[NEAR];
};

/* Changes a block, by a warp; returns its leaves, and TOUCHED if it has commands. */
static __device__ int change_block(const change_args &c, int64_t block, bool *changed)
{
    const int lane = (int)(threadIdx.x % 32);
    const bosc_cbt_view &v = c.a.view;
    const int64_t at = block * 32 + lane;
    bi_cbt_asked recorded = {0, 0};
    bi_cbt_lane b = {block, v.ranks[block], 0, ((const uint32_t *)v.bits)[at], 0};
    if (c.a.recorded) {
        recorded.split = ((const uint32_t *)v.splits)[at];
        recorded.merge = ((const uint32_t *)v.merges)[at];
    }
    const uint32_t ones = (uint32_t)__popc(b.word), upto = bi_warp_sum_upto(ones);
    b.before = upto - ones;
    b.n = (int)__shfl_sync(~0u, upto, 31);
    const uint32_t changes = bi_cbt_changes32(c.a, b, recorded), word = b.word ^ changes;
    const bool some = __any_sync(~0u, changes != 0), touched = __any_sync(~0u, (recorded.split | recorded.merge) != 0);
    if (c.a.sources)
        ((uint32_t *)c.changes)[at] = changes;
    else if (some && c.apply)
        ((uint32_t *)v.bits)[at] = word;
    *changed = some;
    return (some ? (int)bi_warp_sum((uint32_t)__popc(word)) : b.n) | (touched ? TOUCHED : 0);
}

/* Takes a block of the new bits over. */
static __device__ int take_block(const change_args &c, int64_t block)
{
    const int64_t at = block * 32 + threadIdx.x % 32;
    const uint32_t word = ((const uint32_t *)c.bits)[at];
    ((uint32_t *)c.a.view.bits)[at] = word;
    return (int)bi_warp_sum((uint32_t)__popc(word));
}

/* The ranks of a range from the counts of its blocks, to `ranks`. */
template <int THREADS>
static __device__ void make_ranks(change_shared<THREADS> *sh, const uint16_t *counts, int64_t begin, int64_t end,
                                  int64_t *ranks)
{
    int64_t before = (int64_t)sh->sum.before;
    for (int64_t i = begin; i < end; i += THREADS) {
        const int64_t block = i + threadIdx.x;
        uint32_t all;
        const uint32_t mine = block < end ? (uint32_t)counts[block - begin] % TOUCHED : 0;
        const uint32_t less = bi_block_sum_before<THREADS / 32>(mine, sh->warps, &all);
        if (block < end) ranks[block] = before + less;
        before += all;
        __syncthreads();
    }
}

/* Where the leaves of a block come from, by a warp; then its bits are changed. */
static __device__ void give_sources(const change_args &c, int64_t block)
{
    const bosc_cbt_view &v = c.a.view;
    const int64_t at = block * 32 + threadIdx.x % 32;
    const uint32_t was = ((const uint32_t *)v.bits)[at], is = was ^ ((const uint32_t *)c.changes)[at];
    const uint32_t old_ones = (uint32_t)__popc(was), ones = (uint32_t)__popc(is);
    int64_t old = v.ranks[block] + (bi_warp_sum_upto(old_ones) - old_ones) - 1;
    int64_t leaf = c.fresh[block] + (bi_warp_sum_upto(ones) - ones);
    for (uint32_t left = was | is; left; left &= left - 1) {
        const uint32_t bit = left & (0 - left);
        if (was & bit) old++;
        if (!(is & bit)) continue;
        if (leaf < c.a.room) c.a.sources[leaf] = old;
        leaf++;
    }
    if (c.apply && was != is) ((uint32_t *)v.bits)[at] = is;
}

/* After all have met. */
template <int THREADS>
static __device__ void finish(const change_args &c, change_shared<THREADS> *sh, const uint16_t *counts, int64_t begin,
                              int64_t end)
{
    const int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    const bosc_cbt_view &v = c.a.view;
    int64_t *ranks = (int64_t *)v.ranks;
    if (c.a.sources) {
        make_ranks<THREADS>(sh, counts, begin, end, c.fresh);
        for (int64_t block = begin + warp; block < end; block += THREADS / 32) give_sources(c, block);
        for (int64_t i = (int64_t)sh->sum.all + blockIdx.x * (int64_t)THREADS + threadIdx.x; i < c.a.room;
             i += gridDim.x * (int64_t)THREADS)
            c.a.sources[i] = -1;
        __syncthreads();
    }
    if (!c.apply) return;
    if (sh->sum.changed) {
        make_ranks<THREADS>(sh, counts, begin, end, ranks);
        if (begin < end && end == v.blocks && threadIdx.x == 0) ranks[end] = (int64_t)sh->sum.all;
    }
    if (!c.a.recorded) return;
    for (int64_t block = begin + warp; block < end; block += THREADS / 32) {
        if (!(counts[block - begin] & TOUCHED)) continue;
        ((uint32_t *)v.splits)[block * 32 + lane] = 0;
        ((uint32_t *)v.merges)[block * 32 + lane] = 0;
    }
}

template <int THREADS> static __global__ void __launch_bounds__(THREADS) kernel_change(const change_args c)
{
    BI_SHARED(change_shared<THREADS>, sh);
    const int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    const int64_t begin = min(blockIdx.x * c.each, c.a.view.blocks), end = min(begin + c.each, c.a.view.blocks);
    uint16_t *counts = c.counts ? c.counts + begin : sh.counts;
    const unsigned long long turn = bi_cbt_turn(c.meeting);
    if (threadIdx.x == 0) {
        sh.sum.before = sh.sum.all = sh.sum.changed = sh.leaves = 0;
        sh.changed = 0;
    }
    __syncthreads();
    unsigned long long leaves = 0;
    bool changed = false;
    for (int64_t block = begin + warp; block < end; block += THREADS / 32) {
        bool here = true;
        const int count = c.bits ? take_block(c, block) : change_block(c, block, &here);
        if (lane == 0) counts[block - begin] = (uint16_t)count;
        leaves += (unsigned)count % TOUCHED;
        changed |= here;
    }
    if (lane == 0 && leaves) atomicAdd(&sh.leaves, leaves);
    if (lane == 0 && changed) atomicOr(&sh.changed, 1u);
    __syncthreads();
    bi_cbt_meet(c.meeting, turn, sh.leaves, sh.changed, &sh.sum);
    finish<THREADS>(c, &sh, counts, begin, end);
}

template <int THREADS> static bosc_status run(bosc_ctx *ctx, change_args *c)
{
    const int64_t blocks = c->a.view.blocks;
    unsigned grid;
    BI_TRY(bi_blocks_together(ctx, kernel_change<THREADS>, THREADS, 1024 / THREADS, &grid));
    if (grid > BI_CBT_MEETING_MOST) grid = BI_CBT_MEETING_MOST;
    if (bi_div_up(blocks, THREADS / 32) < grid) grid = (unsigned)bi_div_up(blocks, THREADS / 32);
    c->each = bi_div_up(blocks, grid);
    c->counts = nullptr;
    if (c->each > NEAR) BI_TRY(bi_scratch(ctx, (size_t)blocks * sizeof *c->counts, (void **)&c->counts));
    return BI_RUN_TOGETHER(ctx, kernel_change<THREADS>, grid, THREADS, *c);
}

static bosc_status run_any(bosc_ctx *ctx, const bosc_cbt *tree, change_args *c)
{
    const int64_t blocks = c->a.view.blocks;
    c->meeting = (unsigned long long *)tree->meeting.data;
    c->changes = nullptr;
    c->fresh = nullptr;
    if (c->a.sources) {
        BI_TRY(bi_scratch(ctx, (size_t)blocks * (BI_CBT_BLOCK / 8), (void **)&c->changes));
        BI_TRY(bi_scratch(ctx, (size_t)blocks * sizeof *c->fresh, (void **)&c->fresh));
    }
    if (blocks <= 512) return run<128>(ctx, c);
    return run<512>(ctx, c);
}

/* Sources that go to host memory are made first, alone, and waited for: nothing may fail when the tree has changed. */
static bosc_status stage_sources(bosc_ctx *ctx, const bosc_cbt *tree, change_args *c)
{
    struct bi_out out;
    bool staged = false;
    if (!c->a.sources || c->a.room == 0) {
        c->a.sources = nullptr;
        return BOSC_OK;
    }
    BI_TRY(bi_stage_out(ctx, c->a.sources, (size_t)c->a.room * sizeof *c->a.sources, &out, &staged));
    c->a.sources = (int64_t *)out.reachable;
    if (!staged) return BOSC_OK;
    c->apply = false;
    BI_TRY(run_any(ctx, tree, c));
    BI_TRY(bi_stage_back(ctx, &out));
    BI_TRY(ctx->backend->sync(ctx));
    c->apply = true;
    c->a.sources = nullptr;
    return BOSC_OK;
}

bosc_status bi_cbt_cuda_change(bosc_ctx *ctx, bosc_cbt *tree, const bi_cbt_change *a, bool *)
{
    change_args c = {};
    c.a = *a;
    c.apply = true;
    BI_TRY(stage_sources(ctx, tree, &c));
    return run_any(ctx, tree, &c);
}

bosc_status bi_cbt_cuda_install(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    change_args c = {};
    c.a.view = tree->view;
    c.bits = bits;
    c.apply = true;
    return run_any(ctx, tree, &c);
}
