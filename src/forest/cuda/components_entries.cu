/* Connected components of an edge list without a graph. A sample of the entries, from all parts of the list, hooks
 * trees; then most entries have both ends below one root and cost two reads. The others unite their ends. */
#include "core/call.h"
#include "forest/cuda/components.cuh"
#include "forest/forest.h"
#include "forest/steps/entries.h"

enum {
    THREADS = BI_COMPONENTS_THREADS,
    RUN = 128,       /* consecutive entries of the sample, for coalesced reads; chosen */
    SAMPLE_EACH = 2, /* sampled entries per vertex; one takes twice as long, measured, git log bench/results */
    HOOKS = 3        /* after two passes 0.75 ms of unions remain, after three 26 us; measured, same page */
};

struct components_state {
    struct bi_msf_entries entries;
    bool weighed;       /* weights matter */
    int64_t run_stride; /* distance between runs of the sample, in runs */
    uint32_t *parent;
};

static __global__ void __launch_bounds__(THREADS) bi_components_init_parents(uint32_t *parent, int64_t n)
{
    int64_t v = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (v < n) parent[v] = (uint32_t)v;
}

/* Reads the ends of entry i; false if it does not count. */
__device__ __forceinline__ bool read_entry(const struct components_state &s, int64_t i, uint32_t *u, uint32_t *v)
{
    const struct bi_graph_entries *e = &s.entries.list;
    if (i >= e->m) return false;
    *u = (uint32_t)bi_word(e->u, e->u_is_64bit, i);
    *v = (uint32_t)bi_word(e->v, e->v_is_64bit, i);
    const uint64_t key = s.weighed ? bi_graph_entry_weight(e, i) : 0;
    return bi_msf_entry_is_edge(&s.entries, i, key, *u, *v);
}

/* Hooks trees by the sampled entries. */
static __global__ void __launch_bounds__(THREADS) bi_components_hook_sample(struct components_state s)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    uint32_t u, v;
    /* run number item / RUN of the sample, and the entry in it */
    if (read_entry(s, item / RUN * s.run_stride * RUN + item % RUN, &u, &v)) bi_components_hook(s.parent, u, v);
}

/* Unites the ends of all entries. */
static __global__ void __launch_bounds__(THREADS) bi_components_join_entries(struct components_state s)
{
    enum { EACH = 4 /* entries a thread: loads in flight */ };
    const int64_t first = (int64_t)blockIdx.x * (THREADS * EACH) + threadIdx.x;
    uint32_t u[EACH], v[EACH], a[EACH], b[EACH];
    bool is_edge[EACH];
    /* Read the ends of all entries, then their parents, so that the loads overlap; unite ends below different parents.
     */
#pragma unroll
    for (int k = 0; k < EACH; k++) is_edge[k] = read_entry(s, first + k * THREADS, &u[k], &v[k]);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (!is_edge[k]) continue;
        a[k] = bi_load_hint(&s.parent[u[k]]);
        b[k] = bi_load_hint(&s.parent[v[k]]);
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (is_edge[k] && a[k] != b[k]) bi_components_join(s.parent, u[k], v[k]);
}

extern "C" bosc_status bi_components_cuda_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                                  uint32_t *labels, int64_t *count)
{
    const int64_t n = entries->list.n, m = entries->list.m, sample = m < SAMPLE_EACH * n ? m : SAMPLE_EACH * n;
    struct components_state s = {*entries, weighed, sample > 0 ? m / sample : 1, labels};
    struct bi_components_control result, *control;
    void *memory;
    *count = 0;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch(ctx, sizeof *control, &memory));
    control = static_cast<struct bi_components_control *>(memory);
    BI_TRY(ctx->backend->fill(ctx, control, 0, sizeof *control));
    BI_TRY(BI_RUN(ctx, bi_components_init_parents, (unsigned)bi_div_up(n, THREADS), THREADS, 0, labels, n));
    for (int k = 0; k < HOOKS && m > 0; k++) {
        BI_TRY(BI_RUN(ctx, bi_components_hook_sample, (unsigned)bi_div_up(sample, THREADS), THREADS, 0, s));
        BI_TRY(bi_components_flatten(ctx, labels, n));
    }
    if (m > 0) BI_TRY(BI_RUN(ctx, bi_components_join_entries, (unsigned)bi_div_up(m, THREADS * 4), THREADS, 0, s));
    BI_TRY(bi_components_label(ctx, labels, n, entries->order.vertex_mask, control));
    BI_TRY(bi_read_back(ctx, &result, control, sizeof result));
    *count = result.roots;
    return BOSC_OK;
}
