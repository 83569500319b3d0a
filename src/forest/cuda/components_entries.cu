/* Connected components of entries that are in no graph. A few entries a vertex, from all parts of the list, hook trees;
 * after that most entries find both ends below one root, which is all that is read of them. The others join theirs. */
#include "core/call.h"
#include "forest/cuda/components.cuh"
#include "forest/forest.h"
#include "forest/steps/entries.h"

enum {
    THREADS = BI_COMPONENTS_THREADS,
    RUN = 128,       /* entries of the sample that stand together */
    SAMPLE_EACH = 2, /* entries of the sample a vertex */
    HOOKS = 3
};

struct state {
    struct bi_msf_entries entries;
    bool weighed;  /* weights matter */
    int64_t apart; /* runs of the sample begin so many runs apart */
    uint32_t *parent;
};

static __global__ void __launch_bounds__(THREADS) bi_components_begin(uint32_t *parent, int64_t n)
{
    int64_t v = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (v < n) parent[v] = (uint32_t)v;
}

/* Whether entry i counts; its ends. */
__device__ __forceinline__ bool read_entry(const struct state &s, int64_t i, uint32_t *u, uint32_t *v)
{
    const struct bi_graph_entries *e = &s.entries.of;
    if (i >= e->m) return false;
    *u = (uint32_t)bi_word(e->u, e->wide_u, i);
    *v = (uint32_t)bi_word(e->v, e->wide_v, i);
    const uint64_t key = s.weighed ? bi_graph_entry_weight(e, i) : 0;
    return bi_msf_entry_there(&s.entries, i, key, *u, *v);
}

static __global__ void __launch_bounds__(THREADS) bi_components_hook_sample(struct state s)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    uint32_t u, v;
    if (read_entry(s, item / RUN * s.apart * RUN + item % RUN, &u, &v)) bi_components_hook(s.parent, u, v);
}

static __global__ void __launch_bounds__(THREADS) bi_components_join_entries(struct state s)
{
    enum { EACH = 4 };
    const int64_t first = (int64_t)blockIdx.x * (THREADS * EACH) + threadIdx.x;
    uint32_t u[EACH], v[EACH], a[EACH], b[EACH];
    bool there[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) there[k] = read_entry(s, first + k * THREADS, &u[k], &v[k]);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (!there[k]) continue;
        a[k] = bi_load_hint(&s.parent[u[k]]);
        b[k] = bi_load_hint(&s.parent[v[k]]);
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (there[k] && a[k] != b[k]) bi_components_join(s.parent, u[k], v[k]);
}

extern "C" bosc_status bi_components_cuda_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                                  uint32_t *labels, int64_t *count)
{
    const int64_t n = entries->of.n, m = entries->of.m, sample = m < SAMPLE_EACH * n ? m : SAMPLE_EACH * n;
    struct state s = {*entries, weighed, sample > 0 ? m / sample : 1, labels};
    struct bi_components_control told, *control;
    void *memory;
    *count = 0;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch(ctx, sizeof *control, &memory));
    control = static_cast<struct bi_components_control *>(memory);
    BI_TRY(ctx->backend->fill(ctx, control, 0, sizeof *control));
    BI_TRY(BI_RUN(ctx, bi_components_begin, (unsigned)bi_div_up(n, THREADS), THREADS, 0, labels, n));
    for (int k = 0; k < HOOKS && m > 0; k++) {
        BI_TRY(BI_RUN(ctx, bi_components_hook_sample, (unsigned)bi_div_up(sample, THREADS), THREADS, 0, s));
        BI_TRY(bi_components_flatten(ctx, labels, n));
    }
    if (m > 0) BI_TRY(BI_RUN(ctx, bi_components_join_entries, (unsigned)bi_div_up(m, THREADS * 4), THREADS, 0, s));
    BI_TRY(bi_components_label(ctx, labels, n, entries->order.vertex_mask, control));
    BI_TRY(bi_read_back(ctx, &told, control, sizeof told));
    *count = told.roots;
    return BOSC_OK;
}
