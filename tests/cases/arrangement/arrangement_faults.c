/* Each allocation, copy and launch of an arrangement fails in turn. */
#include "support/faults.h"
#include "support/suite.h"

enum { PLANES = 6, MOST = 42 /* cells of 6 planes in space */ };

struct subject {
    double planes[PLANES * 4];
    uint64_t cells[MOST];
};

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_cellgraph_opts o = {.size = sizeof o, .length = PLANES};
    bosc_arrangement_info info = {.size = sizeof info};
    bosc_cellgraph *graph = NULL;
    bosc_status status = bosc_cellgraph_create(ctx, &o, &graph);
    if (status == BOSC_OK) status = bosc_arrangement_build(ctx, s->planes, PLANES, 3, graph, &info);
    if (status == BOSC_OK) status = bosc_cellgraph_get_vertices(ctx, graph, s->cells, NULL, NULL, NULL);
    if (status == BOSC_OK) status = bosc_ctx_sync(ctx);
    bosc_cellgraph_free(graph);
    return status;
}

static void faults(bosc_ctx *ctx)
{
    struct suite_random r = {7};
    struct subject s;
    for (int i = 0; i < PLANES * 4; i++) s.planes[i] = suite_unit(&r) - 0.5;
    const struct fault_sweep sweep = {.call = call, .user = &s, .outputs = s.cells, .output_bytes = sizeof s.cells};
    fault_sweep(ctx, &sweep);
}

static const struct suite_case suite_cases_arrangement_faults[] = {{"faults", faults, NULL}};
SUITE(arrangement_faults);
