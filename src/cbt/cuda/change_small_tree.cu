/* Changes small trees on CUDA, of up to 1,024 blocks of bits, and decodes them in the same launch. Each block of bits
 * has a warp, which holds the bits in registers. The warps exchange counts, and each derives the ranks that it needs.
 * They form one cluster if the device has clusters and the tree fits (the exchange by shared memory is faster), else a
 * cooperative grid that exchanges by global memory (change.cuh). */
#include "cbt/cuda/change.cuh"
#include "cbt/cuda/decode_warp.cuh"
#include "core/cuda/cluster.cuh"
#include "core/cuda/cooperative.cuh"

enum {
    CLUSTER_WARPS = 8,                   /* of a block: its counts are one 16-byte store */
    CLUSTER_BLOCKS = 16 * CLUSTER_WARPS, /* blocks of bits of a cluster; 16 blocks is the largest cluster of an H100 */
    /* The word that a warp publishes: a flag (the block has changed), and up to 2^10 leaves. */
    CHANGED = 1 << 15,
    LEAVES = CHANGED - 1
};

struct small_args {
    bi_cbt_change a;
    bool apply; /* false: writes the sources alone. The source of a new leaf is the index of the old leaf that it equals
                 * or descends from, or of the first of the two that it merges */
    unsigned long long *exchange;
};

template <int WARPS, int MAX_BLOCKS> struct small_shared {
    bi_cbt_marks marks[WARPS];
    bi_cbt_starts starts[WARPS];
    int64_t ranks[MAX_BLOCKS + 1];
    bi_cluster_inbox inbox;
    __align__(16) uint16_t sent[CLUSTER_WARPS];   /* by the warps of this block: sent to all blocks at once */
    __align__(16) uint16_t published[MAX_BLOCKS]; /* by all warps, in the order of blocks of bits */
};

/* A warp's block of bits. */
struct small_block {
    int64_t block;
    uint32_t old_word, new_word;
    int64_t rank; /* leaves before it, before the change */
    bool touched; /* commands are recorded for it */
    int n;        /* leaves, after the change */
};

/* Sums over the published counts. */
struct exchanged_totals {
    int64_t rank, leaves; /* leaves before the block, and in total */
    bool changed;
};

/* Computes the new bits of a warp's block, without storing them; returns the word to publish. */
static __device__ int change_block(const bi_cbt_change &a, small_block *b, bi_cbt_marks *marks)
{
    bi_cbt_commands recorded = {0, 0};
    if (b->touched) recorded = bi_cbt_recorded(a.view, b->block);
    const bi_cbt_lane lane = bi_cbt_lane_of(b->block, b->rank, b->old_word);
    const uint32_t changes = bi_cbt_changes32(a, lane, recorded, marks);
    b->new_word = b->old_word ^ changes;
    b->n = lane.n;
    if (!__any_sync(~0u, changes != 0)) return b->n;
    b->n = (int)bi_warp_sum((uint32_t)__popc(b->new_word));
    return b->n | CHANGED;
}

static __device__ exchanged_totals sum_published(const uint16_t *published, int blocks, int block)
{
    uint32_t exclusive_prefix = 0, total = 0, changed = 0;
    for (int i = (int)(threadIdx.x % 32); i < blocks; i += 32) {
        const uint32_t leaves = published[i] & LEAVES;
        changed |= published[i];
        total += leaves;
        exclusive_prefix += i < block ? leaves : 0;
    }
    const exchanged_totals exchanged = {bi_warp_sum(exclusive_prefix), bi_warp_sum(total),
                                        __any_sync(~0u, changed & CHANGED) != 0};
    return exchanged;
}

/* log2 of the bits of a leaf that is alone in its block: it extends to the next block with leaves. */
static __device__ int32_t single_leaf_size(const uint16_t *published, int32_t depth, int blocks, int block)
{
    uint32_t next = (uint32_t)blocks;
    for (int i = block + 1 + (int)(threadIdx.x % 32); i < blocks && next == (uint32_t)blocks; i += 32)
        if (published[i] & LEAVES) next = (uint32_t)i;
    next = bi_warp_min(next);
    return depth <= BOSC_CBT_BLOCK_BITS ? depth : BOSC_CBT_BLOCK_BITS + __ffs((int)next - block) - 1;
}

/* Writes the nodes of the warp's block. All warps share in clearing the array beyond the last leaf. */
template <class N>
static __device__ void write_nodes(const bi_cbt_change &a, const uint16_t *published, const small_block &b,
                                   const exchanged_totals &exchanged, const bi_cbt_starts *starts)
{
    const int32_t depth = a.view.depth;
    const int high = (int)min((int64_t)b.n, a.node_capacity - exchanged.rank);
    N *nodes = (N *)a.nodes;
    for (int64_t i = exchanged.leaves + b.block * 32 + threadIdx.x % 32; i < a.node_capacity; i += a.view.blocks * 32)
        nodes[i] = 0;
    if (high <= 0) return;
    nodes += exchanged.rank;
    if (b.n == BI_CBT_BLOCK) {
        bi_cbt_decode_full(depth, b.block, nodes, 0, high);
    } else if (b.n > 1) {
        bi_cbt_decode_mixed(depth, b.block, nodes, 0, high, starts);
    } else {
        const int32_t size = single_leaf_size(published, depth, (int)a.view.blocks, (int)b.block);
        if (threadIdx.x % 32 == 0) nodes[0] = (N)bosc_cbt_node((uint64_t)b.block << BOSC_CBT_BLOCK_BITS, size, depth);
    }
}

/* Writes nodes, sources, bits, ranks and cleared commands of the warp's block, after the exchange; only sources without
 * `apply`. NULL nodes or sources are skipped. Ranks stay if no block has changed. */
static __device__ void finish_block(const small_args &c, const uint16_t *published, const small_block &b,
                                    const bi_cbt_starts *starts)
{
    const bosc_cbt_view &v = c.a.view;
    const int lane = (int)(threadIdx.x % 32);
    const int64_t at = b.block * 32 + lane;
    const exchanged_totals exchanged = sum_published(published, (int)v.blocks, (int)b.block);
    /* 1. Nodes and sources. */
    if (c.apply && c.a.nodes) {
        if (c.a.is_64bit)
            write_nodes<unsigned long long>(c.a, published, b, exchanged, starts);
        else
            write_nodes<uint32_t>(c.a, published, b, exchanged, starts);
    }
    if (c.a.sources) {
        bi_cbt_write_sources(c.a, b.old_word, b.new_word,
                             b.rank + bi_cbt_lane_of(b.block, 0, b.old_word).exclusive_prefix,
                             exchanged.rank + bi_cbt_lane_of(b.block, 0, b.new_word).exclusive_prefix);
        for (int64_t i = exchanged.leaves + at; i < c.a.capacity; i += v.blocks * 32) c.a.sources[i] = -1;
    }
    /* 2. The tree itself. */
    if (!c.apply) return;
    int64_t *ranks = (int64_t *)v.ranks;
    if (b.old_word != b.new_word) ((uint32_t *)v.bits)[at] = b.new_word;
    if (exchanged.changed && lane == 0) ranks[b.block] = exchanged.rank;
    if (exchanged.changed && lane == 0 && b.block == v.blocks - 1) ranks[v.blocks] = exchanged.leaves;
    if (b.touched) {
        ((uint32_t *)v.splits)[at] = 0;
        ((uint32_t *)v.merges)[at] = 0;
        if (lane == 0) v.touched[b.block] = 0;
    }
}

/* Receives the counts by the exchange words of the tree, without a cluster. */
template <int WARPS>
static __device__ void await_all_counts(const small_args &c, unsigned long long epoch, uint16_t *published)
{
    for (int i = (int)threadIdx.x; i < c.a.view.blocks; i += WARPS * 32) {
        const unsigned long long word = bi_cbt_await_word(c.exchange, epoch, i);
        published[i] = (uint16_t)((word & LEAVES) | (word >= BI_CBT_CHANGED ? CHANGED : 0));
    }
    __syncthreads(); /* published[] is complete, and the block has received all words */
    bi_cbt_finish_epoch(c.exchange, epoch);
}

/* Sends the counts of the block's warps to the shared memory of all blocks of the cluster. */
static __device__ void send_counts(bi_cluster_inbox *inbox, const uint16_t *sent, uint16_t *published)
{
    bi_cluster_wait(); /* all blocks of the cluster run and expect data */
    __syncthreads();   /* the counts of all warps are in sent[] */
    if (threadIdx.x < gridDim.x)
        bi_cluster_send(inbox, published + blockIdx.x * CLUSTER_WARPS, threadIdx.x, *(const uint4 *)sent);
}

/* The grid is one cluster, or cooperative; it has a warp for each block of bits, and the tree MAX_BLOCKS at most. Warps
 * beyond the tree only wait at barriers. Old ranks are copied to shared memory and read there: the ranks in memory may
 * change as soon as all warps have published. */
template <int WARPS, int MAX_BLOCKS, bool CLUSTER>
static __global__ void __launch_bounds__(WARPS * 32) bi_cbt_update_small(const small_args c)
{
    typedef small_shared<WARPS, MAX_BLOCKS> shared;
    BI_SHARED(shared, sh);
    const int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    const unsigned long long epoch = CLUSTER ? 0 : bi_cbt_next_epoch(c.exchange);
    bi_cbt_change a = c.a;
    small_block b = {blockIdx.x * (int64_t)WARPS + warp, 0, 0, 0, false, 0};
    const bool own = b.block < a.view.blocks;
    /* 1. Load the bits of the warp's block, and all ranks. */
    if (CLUSTER) {
        if (threadIdx.x == 0) bi_cluster_expect(&sh.inbox, gridDim.x * sizeof(uint4));
        bi_cluster_arrive();
    }
    if (own) {
        b.old_word = ((const uint32_t *)a.view.bits)[b.block * 32 + lane];
        b.touched = a.recorded && a.view.touched[b.block];
    }
    for (int i = (int)threadIdx.x; i <= a.view.blocks; i += WARPS * 32) sh.ranks[i] = a.view.ranks[i];
    __syncthreads(); /* the copy of the ranks is complete */
    a.view.ranks = sh.ranks;
    /* 2. New bits and their count. */
    int publishes = 0;
    if (own) {
        b.rank = sh.ranks[b.block];
        publishes = change_block(a, &b, &sh.marks[warp]);
        __syncwarp(); /* all lanes have read commands that other warps clear once this one has published */
    }
    /* 3. Publish the count; find where leaves begin while the others do. */
    if (CLUSTER) {
        if (lane == 0) sh.sent[warp % CLUSTER_WARPS] = (uint16_t)publishes;
        send_counts(&sh.inbox, sh.sent, sh.published);
    } else if (own && lane == 0) {
        bi_cbt_publish(c.exchange, epoch, b.block, (publishes & LEAVES) | (publishes & CHANGED ? BI_CBT_CHANGED : 0));
    }
    if (own && a.nodes && b.n > 1 && b.n < BI_CBT_BLOCK)
        bi_cbt_find_starts(a.view.depth, b.new_word, b.n, &sh.starts[warp]);
    /* 4. Receive all counts, and write the results. */
    if (CLUSTER)
        bi_cluster_receive(&sh.inbox);
    else
        await_all_counts<WARPS>(c, epoch, sh.published);
    if (own) finish_block(c, sh.published, b, &sh.starts[warp]);
}

/* Launches one cluster, if the device has clusters of the size. */
static bosc_status launch_cluster(bosc_ctx *ctx, const small_args *c, bi_cbt_launch *launch)
{
    const unsigned need = (unsigned)bi_div_up(c->a.view.blocks, CLUSTER_WARPS), threads = CLUSTER_WARPS * 32;
    const unsigned grid = need < 2 ? 2 : need; /* compute-sanitizer does not treat one block as a cluster */
    void (*const kernel)(small_args) = bi_cbt_update_small<CLUSTER_WARPS, CLUSTER_BLOCKS, true>;
    if (!bi_cluster_fits(kernel, grid, threads)) return BOSC_OK;
    *launch = BI_CBT_LAUNCHED;
    BI_CUDA_TRY(ctx, bi_launch_cluster(kernel, grid, threads, ctx->stream, *c));
    return bi_finish_launch(ctx, "bi_cbt_update_small");
}

/* Launches a cooperative grid, if all its blocks can run at once. */
template <int WARPS> static bosc_status launch_grid(bosc_ctx *ctx, const small_args *c, bi_cbt_launch *launch)
{
    const unsigned grid = (unsigned)bi_div_up(c->a.view.blocks, WARPS);
    unsigned max_grid;
    BI_TRY(bi_cooperative_grid(ctx, bi_cbt_update_small<WARPS, BI_CBT_EXCHANGE_WORDS, false>, WARPS * 32,
                               1024 / (WARPS * 32), &max_grid));
    if (grid > max_grid) return BOSC_OK;
    *launch = BI_CBT_LAUNCHED;
    return BI_RUN_COOPERATIVE(ctx, (bi_cbt_update_small<WARPS, BI_CBT_EXCHANGE_WORDS, false>), grid, WARPS * 32, *c);
}

bosc_status bi_cbt_cuda_change_small(bosc_ctx *ctx, const bosc_cbt *tree, const bi_cbt_change *a, bool apply,
                                     bi_cbt_launch *launch)
{
    const small_args c = {*a, apply, (unsigned long long *)tree->exchange.data + 1 + BI_CBT_EXCHANGE_WORDS};
    if (a->view.blocks > BI_CBT_EXCHANGE_WORDS) return BOSC_OK;
    if (a->view.blocks <= CLUSTER_BLOCKS) BI_TRY(launch_cluster(ctx, &c, launch));
    if (*launch == BI_CBT_LAUNCHED) return BOSC_OK;
    /* 4 warps a block up to 256 blocks of bits, so that more multiprocessors work; then 8, so that fewer blocks wait at
     * the barriers. The limit is not measured. */
    if (a->view.blocks <= 256) return launch_grid<4>(ctx, &c, launch);
    return launch_grid<8>(ctx, &c, launch);
}
