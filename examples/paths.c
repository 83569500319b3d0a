/* A town of streets on a grid, some of them closed, with three fire stations. The example finds the station nearest to
 * each crossing and the way to the farthest one, and proves the distances. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 400, N = SIDE * SIDE };

/* Lists the streets: lengths of 80 to 119 metres, and a fifth of them closed. Returns their number. */
static int64_t make_streets(int64_t *u, int64_t *v, uint32_t *lengths)
{
    int64_t m = 0;
    uint32_t random = 1;
    for (int64_t i = 0; i < N; i++)
        for (int right = 0; right < 2; right++) {
            random = random * 1664525u + 1013904223u; /* Numerical Recipes' generator */
            if ((random >> 8) % 5 == 0 || (right ? i % SIDE == SIDE - 1 : i >= N - SIDE)) continue;
            u[m] = i;
            v[m] = i + (right ? 1 : SIDE);
            lengths[m++] = 80 + (random >> 16) % 40;
        }
    return m;
}

int main(void)
{
    static const int64_t stations[] = {SIDE * 50 + 60, SIDE * 200 + 320, SIDE * 350 + 100};
    int64_t *u = malloc(sizeof *u * 2 * N), *v = malloc(sizeof *v * 2 * N), m = 0, length = 0, far = 0;
    uint32_t *lengths = malloc(sizeof *lengths * 2 * N);
    uint64_t *distances = malloc(sizeof *distances * N);
    int64_t *predecessors = malloc(sizeof *predecessors * N), *nearest = malloc(sizeof *nearest * N);
    bosc_ctx *ctx = NULL;
    bosc_graph *graph = NULL;
    bosc_paths_info info = {.size = sizeof info};

    bosc_status status =
        u && v && lengths && distances && predecessors && nearest ? bosc_ctx_create(NULL, &ctx) : BOSC_ERR_NOMEM;
    /* 1. The graph, and all paths. */
    if (!status) status = bosc_graph_create(ctx, NULL, &graph);
    if (!status) m = make_streets(u, v, lengths);
    if (!status) status = bosc_graph_build(ctx, graph, u, v, lengths, N, m);
    if (!status)
        status = bosc_paths_compute(ctx, graph, stations, 3, NULL, distances, predecessors, NULL, nearest, &info);
    if (!status) status = bosc_paths_verify(ctx, graph, stations, 3, NULL, distances, predecessors, NULL);
    /* 2. The farthest crossing, and the way to it. */
    for (int64_t i = 0; i < N && !status; i++)
        if (distances[i] != UINT64_MAX && distances[i] > distances[far]) far = i;
    if (!status) status = bosc_paths_route(ctx, predecessors, N, 64, far, NULL, 0, &length);
    if (!status)
        printf("%lld of %d crossings are reached; the farthest, %llu m, is %lld crossings from station %lld\n",
               (long long)info.reached, N, (unsigned long long)distances[far], (long long)length - 1,
               (long long)nearest[far]);
    else
        fprintf(stderr, "%s: %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");

    bosc_graph_free(graph);
    bosc_ctx_free(ctx);
    free(u), free(v), free(lengths), free(distances), free(predecessors), free(nearest);
    return status != BOSC_OK;
}
