/* The table of graphs and spanning forests on the CPU. */
#include "forest/cpu_msf.h"
#include "forest/label_steps.h"

/* Row by row: threads share the vertices, and whole rows are left out. */
static bosc_status cpu_join_rest(bosc_ctx *ctx, const struct bi_join_rest *a)
{
    const struct bi_msf_rows *r = &a->rows;
    uint32_t most = (uint32_t)*a->most;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(bi_parts(ctx, r->n, 1 << 12))
    for (int64_t u = 0; u < r->n; u++) {
        int64_t end = (int64_t)bi_word(r->offsets, r->wide, u + 1);
        for (int64_t place = (int64_t)bi_word(r->offsets, r->wide, u); place < end; place++) {
            if (bi_peek(&a->parent[u]) == most) break;
            if (bi_msf_there(r, (uint32_t)u, place)) bi_join(a->parent, (uint32_t)u, r->neighbours[place]);
        }
    }
    return BOSC_OK;
}

const struct bi_forest_ops bi_forest_ops_cpu = {
    .msf = bi_cpu_msf, .join_rest = cpu_join_rest, .back = bi_cpu_graph_back};
