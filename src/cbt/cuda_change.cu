/* Changes trees on CUDA in one launch: each block of threads has a range of the bits. It changes them and counts their
 * leaves; the blocks meet; then it makes the ranks of its range anew. */
#include "cbt/cuda_change.cuh"
#include "cbt/cuda_meeting.cuh"
#include "core/cuda/together.cuh"

enum {
    NEAR = 2048, /* blocks of bits whose counts stay in shared memory */
    TAKEN = 4,   /* blocks of bits that a warp loads at once */
    /* Of counts: */
    TOUCHED = 1 << 15, /* the block had commands that were recorded */
    CHANGED = 1 << 14, /* it has changed */
    LEAVES = CHANGED - 1
};

struct change_args {
    bi_cbt_change a;
    const uint64_t *bits; /* to be taken over, in place of commands; or NULL */
    bool apply;           /* or else only the sources are wanted */
    unsigned long long *meeting;
    int64_t each;      /* blocks of bits for a block of threads */
    int group;         /* and for a warp at once, up to 32 */
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

/* Changes a block with `rank` leaves before it, by a warp; returns its count. */
static __device__ int change_block(const change_args &c, int64_t block, int64_t rank, uint32_t word, bool touched)
{
    const int lane = (int)(threadIdx.x % 32);
    const bosc_cbt_view &v = c.a.view;
    const int64_t at = block * 32 + lane;
    bi_cbt_asked recorded = {0, 0};
    bi_cbt_lane b = {block, rank, 0, word, 0};
    if (touched) {
        recorded.split = ((const uint32_t *)v.splits)[at];
        recorded.merge = ((const uint32_t *)v.merges)[at];
    }
    const uint32_t ones = (uint32_t)__popc(word), upto = bi_warp_sum_upto(ones);
    b.before = upto - ones;
    b.n = (int)__shfl_sync(~0u, upto, 31);
    const uint32_t changes = bi_cbt_changes32(c.a, b, recorded);
    const int flags = touched ? TOUCHED : 0;
    if (!__any_sync(~0u, changes != 0)) return b.n | flags;
    if (c.a.sources)
        ((uint32_t *)c.changes)[at] = changes;
    else if (c.apply)
        ((uint32_t *)v.bits)[at] = word ^ changes;
    return (int)bi_warp_sum((uint32_t)__popc(word ^ changes)) | flags | CHANGED;
}

/* Whether anything may change in a block without commands of its own: the leaves in it have commands; or the one that
 * covers it is to be split, and in its middle. */
static __device__ bool is_asked(const bi_cbt_change &a, int64_t block, int64_t rank, int64_t n)
{
    if (n > 0) return rank < a.count || rank - 1 < a.count;
    const int64_t lowest = block & -block;
    return bi_cbt_command_of(a, rank - 1) == BOSC_CBT_SPLIT &&
           a.view.ranks[block + lowest] - a.view.ranks[block - lowest] == 1;
}

/* Changes `group` blocks, up to 32, by a warp: a lane has the block of its number. Returns its count, with flags. */
static __device__ int change_group(const change_args &c, int64_t first, int64_t end, int group)
{
    const int lane = (int)(threadIdx.x % 32);
    const bosc_cbt_view &v = c.a.view;
    const int64_t block = first + lane;
    const uint32_t *bits = (const uint32_t *)v.bits;
    int64_t rank = 0, n = 0;
    bool touched = false, visited = false;
    if (lane < group && block < end) {
        rank = v.ranks[block];
        n = v.ranks[block + 1] - rank;
        touched = c.a.recorded && v.touched[block];
        visited = touched || (c.a.count && is_asked(c.a, block, rank, n));
    }
    int count = (int)n;
    const unsigned all_touched = __ballot_sync(~0u, touched);
    unsigned left = __ballot_sync(~0u, visited);
    uint32_t word = left ? bits[(first + __ffs((int)left) - 1) * 32 + lane] : 0;
    for (; left; left &= left - 1) {
        const int at = __ffs((int)left) - 1, next = __ffs((int)(left & (left - 1))) - 1;
        const uint32_t ahead = next >= 0 ? bits[(first + next) * 32 + lane] : 0;
        const int made = change_block(c, first + at, __shfl_sync(~0u, rank, at), word, all_touched >> at & 1);
        if (lane == at) count = made;
        word = ahead;
    }
    return count;
}

/* Takes blocks of the new bits over, by a warp. A lane returns the count of the block of its number. */
static __device__ int take_group(const change_args &c, int64_t first, int64_t end, int group)
{
    const int lane = (int)(threadIdx.x % 32);
    int count = 0;
    for (int i = 0; i < group && first + i < end; i += TAKEN) {
        uint32_t words[TAKEN];
#pragma unroll
        for (int k = 0; k < TAKEN; k++) {
            const bool there = i + k < group && first + i + k < end;
            words[k] = there ? ((const uint32_t *)c.bits)[(first + i + k) * 32 + lane] : 0;
        }
#pragma unroll
        for (int k = 0; k < TAKEN; k++) {
            const int ones = (int)bi_warp_sum((uint32_t)__popc(words[k]));
            if (i + k >= group || first + i + k >= end) continue;
            ((uint32_t *)c.a.view.bits)[(first + i + k) * 32 + lane] = words[k];
            if (lane == i + k) count = ones | CHANGED;
        }
    }
    return count;
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
        const uint32_t mine = block < end ? (uint32_t)counts[block - begin] & LEAVES : 0;
        const uint32_t less = bi_block_sum_before<THREADS / 32>(mine, sh->warps, &all);
        if (block < end) ranks[block] = before + less;
        before += all;
        __syncthreads();
    }
}

/* Where the leaves of a block come from, by a warp; then its bits are changed. */
static __device__ void give_sources(const change_args &c, int64_t block, bool changed)
{
    const bosc_cbt_view &v = c.a.view;
    const int64_t at = block * 32 + threadIdx.x % 32;
    const uint32_t was = ((const uint32_t *)v.bits)[at], is = changed ? was ^ ((const uint32_t *)c.changes)[at] : was;
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
    if (c.apply && changed) ((uint32_t *)v.bits)[at] = is;
}

static __device__ void give_all_sources(const change_args &c, const uint16_t *counts, int64_t begin, int64_t end,
                                        int64_t leaves)
{
    const int lane = (int)(threadIdx.x % 32);
    for (int64_t first = begin + threadIdx.x / 32 * 32; first < end; first += blockDim.x) {
        const int count = first + lane < end ? counts[first + lane - begin] : 0;
        const unsigned changed = __ballot_sync(~0u, (count & CHANGED) != 0);
        for (unsigned left = __ballot_sync(~0u, (count & (CHANGED | LEAVES)) != 0); left; left &= left - 1) {
            const int at = __ffs((int)left) - 1;
            give_sources(c, first + at, changed >> at & 1);
        }
    }
    for (int64_t i = leaves + blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < c.a.room;
         i += gridDim.x * (int64_t)blockDim.x)
        c.a.sources[i] = -1;
}

/* The commands that were recorded are forgotten. */
static __device__ void forget(const bosc_cbt_view &v, const uint16_t *counts, int64_t begin, int64_t end)
{
    const int lane = (int)(threadIdx.x % 32);
    for (int64_t first = begin + threadIdx.x / 32 * 32; first < end; first += blockDim.x) {
        const bool touched = first + lane < end && counts[first + lane - begin] & TOUCHED;
        if (touched) v.touched[first + lane] = 0;
        for (unsigned left = __ballot_sync(~0u, touched); left; left &= left - 1) {
            const int64_t at = (first + __ffs((int)left) - 1) * 32 + lane;
            ((uint32_t *)v.splits)[at] = 0;
            ((uint32_t *)v.merges)[at] = 0;
        }
    }
}

/* After all have met. */
template <int THREADS>
static __device__ void finish(const change_args &c, change_shared<THREADS> *sh, const uint16_t *counts, int64_t begin,
                              int64_t end)
{
    const bosc_cbt_view &v = c.a.view;
    int64_t *ranks = (int64_t *)v.ranks;
    if (c.a.sources) {
        make_ranks<THREADS>(sh, counts, begin, end, c.fresh);
        give_all_sources(c, counts, begin, end, (int64_t)sh->sum.all);
        __syncthreads();
    }
    if (!c.apply) return;
    if (sh->sum.changed) {
        make_ranks<THREADS>(sh, counts, begin, end, ranks);
        if (begin < end && end == v.blocks && threadIdx.x == 0) ranks[end] = (int64_t)sh->sum.all;
    }
    if (c.a.recorded) forget(v, counts, begin, end);
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
    unsigned leaves = 0;
    bool changed = false;
    for (int64_t first = begin + warp * c.group; first < end; first += THREADS / 32 * c.group) {
        const int count = c.bits ? take_group(c, first, end, c.group) : change_group(c, first, end, c.group);
        if (lane < c.group && first + lane < end) counts[first + lane - begin] = (uint16_t)count;
        leaves += count & LEAVES;
        changed |= (count & CHANGED) != 0;
    }
    leaves = bi_warp_sum(leaves);
    changed = __any_sync(~0u, changed);
    if (lane == 0 && leaves) atomicAdd(&sh.leaves, (unsigned long long)leaves);
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
    c->group = 1;
    while (c->group < 32 && c->group * (THREADS / 32) < c->each) c->group *= 2;
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
