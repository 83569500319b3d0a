/* Changes small trees on CUDA, and decodes them in passing: each block of 1,024 bits has a warp, which keeps its bits;
 * the warps meet, and every block of threads makes all ranks for itself. */
#include "cbt/cuda_change.cuh"
#include "cbt/cuda_decode.cuh"
#include "cbt/cuda_meeting.cuh"
#include "core/cuda/together.cuh"

struct small_args {
    bi_cbt_change a;
    bool apply; /* or else only the sources are wanted */
    unsigned long long *meeting;
};

template <int WARPS> struct small_shared {
    uint32_t warps[WARPS];
    unsigned changed;
    bi_cbt_marks marks[WARPS];
    bi_cbt_begins begins[WARPS];
    uint32_t ranks[BI_CBT_MEETING_MOST + 1];
};

/* Hears all warps and makes the ranks. */
template <int WARPS>
static __device__ void hear_all(const small_args &c, unsigned long long turn, small_shared<WARPS> *sh)
{
    const int blocks = (int)c.a.view.blocks, each = (int)bi_div_up(blocks, WARPS * 32), begin = (int)threadIdx.x * each;
    uint32_t mine = 0, all;
    bool changed = false;
    for (int i = begin; i < begin + each && i < blocks; i++) {
        const unsigned long long word = bi_cbt_hear(c.meeting, turn, i);
        changed |= word >= BI_CBT_CHANGED;
        sh->ranks[i] = (uint32_t)word;
        mine += (uint32_t)word;
    }
    if (changed) atomicOr(&sh->changed, 1u);
    __syncwarp();
    uint32_t before = bi_block_sum_before<WARPS>(mine, sh->warps, &all);
    for (int i = begin; i < begin + each && i < blocks; i++) {
        const uint32_t count = sh->ranks[i];
        sh->ranks[i] = before;
        before += count;
    }
    if (threadIdx.x == 0) sh->ranks[blocks] = all;
    __syncthreads();
    bi_cbt_end_turn(c.meeting, turn);
}

/* The nodes of the warp's block, with `word` a lane; all share the places beyond the last leaf. */
template <class N>
static __device__ void give_nodes(const bi_cbt_change &a, const uint32_t *ranks, int64_t block, uint32_t word,
                                  bi_cbt_begins *begins)
{
    const int64_t at = ranks[block], leaves = ranks[a.view.blocks];
    const int n = (int)(ranks[block + 1] - ranks[block]), high = (int)min((int64_t)n, a.nodes_room - at);
    const int32_t depth = a.view.depth;
    N *nodes = (N *)a.nodes;
    for (int64_t i = leaves + block * 32 + threadIdx.x % 32; i < a.nodes_room; i += a.view.blocks * 32) nodes[i] = 0;
    if (high <= 0) return;
    if (n == BI_CBT_BLOCK)
        bi_cbt_decode_full(depth, block, nodes + at, 0, high);
    else if (n > 1)
        bi_cbt_decode_mixed(depth, block, word, nodes + at, n, 0, high, begins);
    else if (threadIdx.x % 32 == 0)
        nodes[at] =
            (N)bosc_cbt_node((uint64_t)block << BOSC_CBT_BLOCK_BITS, bi_cbt_lone_size(ranks, depth, block), depth);
}

/* After all have met. */
static __device__ void finish(const small_args &c, const uint32_t *ranks, int64_t block, uint32_t was, uint32_t is,
                              int64_t rank, bool changed, bool touched, bi_cbt_begins *begins)
{
    const bosc_cbt_view &v = c.a.view;
    const int lane = (int)(threadIdx.x % 32);
    const int64_t at = block * 32 + lane;
    if (c.a.sources) {
        bi_cbt_give_sources(c.a, was, is, rank + bi_cbt_lane_of(block, 0, was).before,
                            ranks[block] + bi_cbt_lane_of(block, 0, is).before);
        for (int64_t i = ranks[v.blocks] + at; i < c.a.room; i += v.blocks * 32) c.a.sources[i] = -1;
    }
    if (!c.apply) return;
    if (was != is) ((uint32_t *)v.bits)[at] = is;
    if (changed && lane == 0) ((int64_t *)v.ranks)[block] = ranks[block];
    if (changed && lane == 0 && block == v.blocks - 1) ((int64_t *)v.ranks)[v.blocks] = ranks[v.blocks];
    if (touched) {
        ((uint32_t *)v.splits)[at] = 0;
        ((uint32_t *)v.merges)[at] = 0;
        if (lane == 0) v.touched[block] = 0;
    }
    if (!c.a.nodes) return;
    if (c.a.wide)
        give_nodes<unsigned long long>(c.a, ranks, block, is, begins);
    else
        give_nodes<uint32_t>(c.a, ranks, block, is, begins);
}

template <int WARPS> static __global__ void __launch_bounds__(WARPS * 32) kernel_change_small(const small_args c)
{
    BI_SHARED(small_shared<WARPS>, sh);
    const int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    const int64_t block = blockIdx.x * (int64_t)WARPS + warp;
    const bosc_cbt_view &v = c.a.view;
    const unsigned long long turn = bi_cbt_turn(c.meeting);
    uint32_t was = 0, is = 0;
    int64_t rank = 0;
    bool touched = false;
    if (threadIdx.x == 0) sh.changed = 0;
    if (block < v.blocks) {
        was = ((const uint32_t *)v.bits)[block * 32 + lane];
        rank = v.ranks[block];
        touched = c.a.recorded && v.touched[block];
        bi_cbt_asked recorded = {0, 0};
        if (touched) recorded = bi_cbt_recorded(v, block);
        const bi_cbt_lane b = bi_cbt_lane_of(block, rank, was);
        is = was ^ bi_cbt_changes32(c.a, b, recorded, &sh.marks[warp]);
        const bool changed = __any_sync(~0u, was != is);
        const unsigned leaves = changed ? bi_warp_sum((uint32_t)__popc(is)) : (unsigned)b.n;
        __syncwarp(); /* all lanes have read what others may write once they hear */
        if (lane == 0) bi_cbt_tell(c.meeting, turn, block, leaves | (changed ? BI_CBT_CHANGED : 0));
    }
    __syncthreads();
    hear_all<WARPS>(c, turn, &sh);
    if (block < v.blocks) finish(c, sh.ranks, block, was, is, rank, sh.changed, touched, &sh.begins[warp]);
}

template <int WARPS> static bosc_status run(bosc_ctx *ctx, const small_args *c, bool *done)
{
    const unsigned grid = (unsigned)bi_div_up(c->a.view.blocks, WARPS);
    unsigned most;
    BI_TRY(bi_blocks_together(ctx, kernel_change_small<WARPS>, WARPS * 32, 1024 / (WARPS * 32), &most));
    if (grid > most) return BOSC_OK;
    *done = true;
    return BI_RUN_TOGETHER(ctx, kernel_change_small<WARPS>, grid, WARPS * 32, *c);
}

bosc_status bi_cbt_cuda_change_small(bosc_ctx *ctx, const bosc_cbt *tree, const bi_cbt_change *a, bool apply,
                                     bool *done)
{
    const small_args c = {*a, apply, (unsigned long long *)tree->meeting.data + 1 + BI_CBT_MEETING_MOST};
    if (a->view.blocks > BI_CBT_MEETING_MOST) return BOSC_OK;
    if (a->view.blocks <= 256) return run<4>(ctx, &c, done);
    return run<8>(ctx, &c, done);
}
