/* Changes trees on CUDA in one cooperative launch. Each block of threads has a range of the bit field: it changes the
 * bits and counts leaves, exchanges counts with all others, and then writes the ranks of its range. */
#include "cbt/cuda/change.cuh"
#include "core/cuda/cooperative.cuh"

enum {
    SHARED_COUNTS = 8192, /* longest range whose counts fit in shared memory: 16 KB of 2 bytes each */
    /* Bits of a count: */
    TOUCHED = 1 << 15, /* commands were recorded for the block */
    CHANGED = 1 << 14, /* its bits change */
    LEAVES = CHANGED - 1
};

struct change_args {
    bi_cbt_change a;
    bool apply; /* false: write only the sources */
    unsigned long long *exchange;
    int64_t range_blocks; /* blocks of bits of a block of threads */
    int group;            /* blocks of bits of a warp at once, up to 32 */
    uint16_t *counts;     /* (blocks) if a range is longer than SHARED_COUNTS */
    uint64_t *changes;    /* (words of the bit field) bits that change, with sources */
    int64_t *new_ranks;   /* (blocks) ranks after the change, with sources */
};

template <int WARPS> struct change_shared {
    unsigned long long slots[3 * WARPS];
    uint32_t warps[WARPS];
    bi_cbt_marks marks[WARPS];
    uint16_t counts[SHARED_COUNTS];
};

/* Changes a block of bits by a warp; returns its new count with flags. rank: leaves before it. With sources the bits
 * still have to be read, so only their changes are stored. */
static __device__ int change_block(const change_args &c, int64_t block, int64_t rank, uint32_t word, bool touched,
                                   bi_cbt_marks *marks)
{
    const int64_t at = block * 32 + threadIdx.x % 32;
    bi_cbt_commands recorded = {0, 0};
    if (touched) recorded = bi_cbt_recorded(c.a.view, block);
    const bi_cbt_lane b = bi_cbt_lane_of(block, rank, word);
    const uint32_t changes = bi_cbt_changes32(c.a, b, recorded, marks);
    const int flags = touched ? TOUCHED : 0;
    if (!__any_sync(~0u, changes != 0)) return b.n | flags;
    if (c.a.sources)
        ((uint32_t *)c.changes)[at] = changes;
    else if (c.apply)
        ((uint32_t *)c.a.view.bits)[at] = word ^ changes;
    return (int)bi_warp_sum((uint32_t)__popc(word ^ changes)) | flags | CHANGED;
}

/* True if commands by leaf may change a block: those of its leaves; or, if no leaf begins in it, a split of the leaf
 * that covers it, at its first bit. */
static __device__ bool may_change(const bi_cbt_change &a, int64_t block, int64_t rank, int64_t n)
{
    if (n > 0) return rank - 1 < a.count;
    const int64_t lowest = block & -block;
    return bi_cbt_command_of(a, rank - 1) == BOSC_CBT_SPLIT &&
           a.view.ranks[block + lowest] - a.view.ranks[block - lowest] == 1;
}

/* Changes the blocks from `first` on, `group` of them (up to 32), but none from `end` on, by a warp. Returns to lane i
 * the count of block first + i, with flags; 0 to lanes without a block. */
static __device__ int change_group(const change_args &c, int64_t first, int64_t end, int group, bi_cbt_marks *marks)
{
    const int lane = (int)(threadIdx.x % 32);
    const bosc_cbt_view &v = c.a.view;
    const int64_t block = first + lane;
    const uint32_t *bits = (const uint32_t *)v.bits;
    /* 1. A lane a block: does it need a visit? */
    int64_t rank = 0, n = 0;
    bool touched = false, visited = false;
    if (lane < group && block < end) {
        rank = v.ranks[block];
        n = v.ranks[block + 1] - rank;
        touched = c.a.recorded && v.touched[block];
        visited = touched || (c.a.count && may_change(c.a, block, rank, n));
    }
    int count = (int)n;
    const unsigned all_touched = __ballot_sync(~0u, touched);
    /* 2. Visit these blocks one after another; the words of the next one are loaded ahead. */
    unsigned left = __ballot_sync(~0u, visited);
    uint32_t word = left ? bits[(first + __ffs((int)left) - 1) * 32 + lane] : 0;
    for (; left; left &= left - 1) {
        const int at = __ffs((int)left) - 1, next = __ffs((int)(left & (left - 1))) - 1;
        const uint32_t ahead = next >= 0 ? bits[(first + next) * 32 + lane] : 0;
        const int new_count =
            change_block(c, first + at, __shfl_sync(~0u, rank, at), word, all_touched >> at & 1, marks);
        if (lane == at) count = new_count;
        word = ahead;
    }
    return count;
}

/* Writes the ranks of a range from the counts of its blocks. exclusive_prefix: leaves before the range. */
template <int WARPS>
static __device__ void write_ranks(change_shared<WARPS> *sh, int64_t exclusive_prefix, const uint16_t *counts,
                                   int64_t begin, int64_t end, int64_t *ranks)
{
    for (int64_t i = begin; i < end; i += WARPS * 32) {
        const int64_t block = i + threadIdx.x;
        uint32_t total;
        const uint32_t own = block < end ? (uint32_t)counts[block - begin] & LEAVES : 0;
        const uint32_t less = bi_block_exclusive_sum<WARPS>(own, sh->warps, &total);
        if (block < end) ranks[block] = exclusive_prefix + less;
        exclusive_prefix += total;
        __syncthreads(); /* sh->warps is reused by the next sum */
    }
}

/* Writes the sources of a block's leaves by a warp, then changes its bits. */
static __device__ void write_block_sources(const change_args &c, int64_t block, bool changed)
{
    const bosc_cbt_view &v = c.a.view;
    const int64_t at = block * 32 + threadIdx.x % 32;
    const uint32_t old_word = ((const uint32_t *)v.bits)[at],
                   new_word = changed ? old_word ^ ((const uint32_t *)c.changes)[at] : old_word;
    const int64_t old = v.ranks[block] + bi_cbt_lane_of(block, 0, old_word).exclusive_prefix;
    bi_cbt_write_sources(c.a, old_word, new_word, old,
                         c.new_ranks[block] + bi_cbt_lane_of(block, 0, new_word).exclusive_prefix);
    if (c.apply && changed) ((uint32_t *)v.bits)[at] = new_word;
}

/* Writes the sources of a range, and -1 beyond the last leaf. */
static __device__ void write_sources(const change_args &c, const uint16_t *counts, int64_t begin, int64_t end,
                                     int64_t leaves)
{
    const int lane = (int)(threadIdx.x % 32);
    for (int64_t first = begin + threadIdx.x / 32 * 32; first < end; first += blockDim.x) {
        const int count = first + lane < end ? counts[first + lane - begin] : 0;
        const unsigned changed = __ballot_sync(~0u, (count & CHANGED) != 0);
        for (unsigned left = __ballot_sync(~0u, (count & (CHANGED | LEAVES)) != 0); left; left &= left - 1) {
            const int at = __ffs((int)left) - 1;
            write_block_sources(c, first + at, changed >> at & 1);
        }
    }
    for (int64_t i = leaves + blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < c.a.capacity;
         i += gridDim.x * (int64_t)blockDim.x)
        c.a.sources[i] = -1;
}

/* Clears the recorded commands of a range. */
static __device__ void clear_commands(const bosc_cbt_view &v, const uint16_t *counts, int64_t begin, int64_t end)
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

/* Writes sources, ranks and cleared commands of a range, after the exchange. */
template <int WARPS>
static __device__ void finish_range(const change_args &c, change_shared<WARPS> *sh, const uint16_t *counts,
                                    int64_t begin, int64_t end, bi_cbt_exchanged exchanged)
{
    const bosc_cbt_view &v = c.a.view;
    int64_t *ranks = (int64_t *)v.ranks;
    const int64_t exclusive_prefix = (int64_t)(exchanged.exclusive_prefix & (BI_CBT_CHANGED - 1)),
                  total = (int64_t)(exchanged.total & (BI_CBT_CHANGED - 1));
    if (c.a.sources) {
        write_ranks<WARPS>(sh, exclusive_prefix, counts, begin, end, c.new_ranks);
        write_sources(c, counts, begin, end, total);
        __syncthreads(); /* the old ranks are read by other warps before they are overwritten */
    }
    if (!c.apply) return;
    if (exchanged.total >= BI_CBT_CHANGED) {
        write_ranks<WARPS>(sh, exclusive_prefix, counts, begin, end, ranks);
        if (begin < end && end == v.blocks && threadIdx.x == 0) ranks[end] = total;
    }
    if (c.a.recorded) clear_commands(v, counts, begin, end);
}

template <int WARPS> static __global__ void __launch_bounds__(WARPS * 32) bi_cbt_update_large(const change_args c)
{
    BI_SHARED(change_shared<WARPS>, sh);
    const int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    const int64_t begin = min(blockIdx.x * c.range_blocks, c.a.view.blocks),
                  end = min(begin + c.range_blocks, c.a.view.blocks);
    uint16_t *counts = c.counts ? c.counts + begin : sh.counts;
    const unsigned long long epoch = bi_cbt_next_epoch(c.exchange);
    /* 1. Change the bits of the range, and count leaves. */
    unsigned leaves = 0;
    bool changed = false;
    for (int64_t first = begin + warp * c.group; first < end; first += WARPS * c.group) {
        const int count = change_group(c, first, end, c.group, &sh.marks[warp]);
        if (lane < c.group && first + lane < end) counts[first + lane - begin] = (uint16_t)count;
        leaves += count & LEAVES;
        changed |= (count & CHANGED) != 0;
    }
    /* 2. Exchange counts with all blocks. */
    unsigned long long published = bi_warp_sum(leaves);
    if (__any_sync(~0u, changed)) published |= BI_CBT_CHANGED;
    const bi_cbt_exchanged exchanged = bi_cbt_grid_exchange<WARPS>(c.exchange, epoch, published, sh.slots);
    /* 3. No block reads the old ranks any more: write the new ones. */
    finish_range<WARPS>(c, &sh, counts, begin, end, exchanged);
}

/* Upper bound: with sources, changes, ranks and counts of all blocks, and alignment. */
int64_t bi_cbt_cuda_change_scratch(int64_t blocks)
{
    return blocks * (int64_t)(BI_CBT_BLOCK / 8 + sizeof(int64_t) + sizeof(uint16_t)) + 1024;
}

/* One range a multiprocessor: the cost of the exchange grows with the number of blocks. */
static bosc_status launch_update(bosc_ctx *ctx, change_args *c)
{
    enum { WARPS = 32 };
    const int64_t blocks = c->a.view.blocks;
    unsigned grid;
    BI_TRY(bi_cooperative_grid(ctx, bi_cbt_update_large<WARPS>, WARPS * 32, 1, &grid));
    if (grid > BI_CBT_EXCHANGE_WORDS) grid = BI_CBT_EXCHANGE_WORDS;
    if (bi_div_up(blocks, WARPS) < grid) grid = (unsigned)bi_div_up(blocks, WARPS);
    c->range_blocks = bi_div_up(blocks, grid);
    c->group = 1;
    while (c->group < 32 && c->group * WARPS < c->range_blocks) c->group *= 2;
    c->counts = nullptr;
    if (c->range_blocks > SHARED_COUNTS)
        BI_TRY(bi_scratch(ctx, (size_t)blocks * sizeof *c->counts, (void **)&c->counts));
    return BI_RUN_COOPERATIVE(ctx, bi_cbt_update_large<WARPS>, grid, WARPS * 32, *c);
}

/* Updates by the kernel for small trees if it applies, else by the one above. */
static bosc_status update_tree(bosc_ctx *ctx, const bosc_cbt *tree, change_args *c, bi_cbt_outcome *outcome)
{
    const int64_t blocks = c->a.view.blocks;
    bi_cbt_launch launch = BI_CBT_DOES_NOT_FIT;
    BI_TRY(bi_cbt_cuda_change_small(ctx, tree, &c->a, c->apply, &launch));
    if (launch == BI_CBT_LAUNCHED) {
        if (c->apply && c->a.nodes) *outcome = BI_CBT_NODES_DECODED;
        return BOSC_OK;
    }
    c->exchange = (unsigned long long *)tree->exchange.data;
    c->changes = nullptr;
    c->new_ranks = nullptr;
    if (c->a.sources) {
        BI_TRY(bi_scratch(ctx, (size_t)blocks * (BI_CBT_BLOCK / 8), (void **)&c->changes));
        BI_TRY(bi_scratch(ctx, (size_t)blocks * sizeof *c->new_ranks, (void **)&c->new_ranks));
    }
    return launch_update(ctx, c);
}

/* Sources for host memory take a launch of their own before the tree changes, and the call waits for them: nothing may
 * fail once the tree has changed. */
static bosc_status stage_sources(bosc_ctx *ctx, const bosc_cbt *tree, change_args *c, bi_cbt_outcome *outcome)
{
    struct bi_out out;
    bool staged = false;
    if (!c->a.sources || c->a.capacity == 0) {
        c->a.sources = nullptr;
        return BOSC_OK;
    }
    BI_TRY(bi_stage_out(ctx, c->a.sources, (size_t)c->a.capacity * sizeof *c->a.sources, &out, &staged));
    c->a.sources = (int64_t *)out.reachable;
    if (!staged) return BOSC_OK;
    c->apply = false;
    BI_TRY(update_tree(ctx, tree, c, outcome));
    BI_TRY(bi_stage_back(ctx, &out));
    BI_TRY(ctx->backend->sync(ctx));
    c->apply = true;
    c->a.sources = nullptr;
    return BOSC_OK;
}

bosc_status bi_cbt_cuda_change(bosc_ctx *ctx, bosc_cbt *tree, const bi_cbt_change *a, bi_cbt_outcome *outcome)
{
    change_args c = {};
    c.a = *a;
    c.apply = true;
    BI_TRY(stage_sources(ctx, tree, &c, outcome));
    return update_tree(ctx, tree, &c, outcome);
}
