/* A robot that moves without turning, among convex obstacles in the plane: a route, or the proof that there is none.
 * The robot touches an obstacle where its centre is on an edge of a larger polygon (their Minkowski difference), so the
 * lines of these edges divide the plane into free cells and others. All cells are known, not sampled: without a
 * chain of free cells from start to goal there is no route. */
#include <stdio.h>
#include <stdlib.h>

#include <boscage/arrangement.h>

enum { OBSTACLES = 5, SIDES = 8, LINES = OBSTACLES * SIDES, MAX_CELLS = 1 + LINES + LINES * (LINES - 1) / 2 };

static void check(const bosc_ctx *ctx, bosc_status status)
{
    if (status == BOSC_OK) return;
    fprintf(stderr, "%s: %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "no context");
    exit(1);
}

/* The lines of a box that grows by a diamond of this radius: four sides, four corners. A centre inside collides. */
static void add_obstacle(const double box[4], double radius, double *lines)
{
    for (int side = 0; side < SIDES; side++) {
        const int x = (side == 0 || side == 1 || side == 7) - (side >= 3 && side <= 5), /* the normal, outwards */
            y = (side >= 1 && side <= 3) - (side >= 5);
        const double far_x = x > 0 ? box[2] : box[0], far_y = y > 0 ? box[3] : box[1];
        lines[3 * side] = x;
        lines[3 * side + 1] = y;
        lines[3 * side + 2] = -(x * far_x + y * far_y + radius);
    }
}

/* Returns the cell of a point on no line. */
static int64_t find_cell(const double *lines, const uint64_t *cells, int64_t count, double x, double y)
{
    uint64_t vector = 0;
    int64_t v = 0;
    for (int k = 0; k < LINES; k++)
        vector |= (uint64_t)(lines[3 * k] * x + lines[3 * k + 1] * y + lines[3 * k + 2] > 0) << k;
    while (v < count && cells[v] != vector) v++;
    return v;
}

/* Four walls around a room, with a gap in one; a pillar stands in the room. */
static void plan(bosc_ctx *ctx, bosc_cellgraph *graph, double gap)
{
    const double boxes[OBSTACLES][4] = {
        {0, 0, 100, 4}, {1, 96, 99, 101}, {-1, 1.5, 3, 100.5}, {95, -1.25, 98, 97 - gap}, {40, 40, 61, 59}};
    static uint64_t cells[MAX_CELLS];
    static uint8_t free_cells[MAX_CELLS];
    static int64_t route[MAX_CELLS];
    double lines[3 * LINES];
    int64_t length;
    bosc_arrangement_info info = {.size = sizeof info};
    /* 1. All cells. */
    for (int o = 0; o < OBSTACLES; o++) add_obstacle(boxes[o], 5, lines + 3 * SIDES * o);
    check(ctx, bosc_arrangement_build(ctx, lines, LINES, 2, graph, &info));
    check(ctx, bosc_cellgraph_get_vertices(ctx, graph, cells, NULL, NULL, NULL));
    check(ctx, bosc_ctx_sync(ctx));
    /* 2. Free ones: outside at least one side of each obstacle. */
    for (int64_t v = 0; v < info.cells; v++) {
        free_cells[v] = 1;
        for (int o = 0; o < OBSTACLES; o++)
            if (!(cells[v] >> (SIDES * o) & ((1u << SIDES) - 1))) free_cells[v] = 0;
    }
    /* 3. From the room to the outside. */
    const int64_t from = find_cell(lines, cells, info.cells, 20.5, 20.25),
                  to = find_cell(lines, cells, info.cells, 150.5, 50.25);
    check(ctx, bosc_cellgraph_path_masked(ctx, graph, from, to, free_cells, route, MAX_CELLS, &length));
    if (length > 0)
        printf("gap of %g: a route through %lld of %lld cells\n", gap, (long long)length, (long long)info.cells);
    else
        printf("gap of %g: no route, proved by all %lld cells\n", gap, (long long)info.cells);
}

int main(void)
{
    const bosc_cellgraph_opts opts = {.size = sizeof opts, .length = LINES};
    bosc_ctx *ctx = NULL;
    bosc_cellgraph *graph = NULL;
    check(ctx, bosc_ctx_create(NULL, &ctx));
    check(ctx, bosc_cellgraph_create(ctx, &opts, &graph));
    plan(ctx, graph, 14.5);
    plan(ctx, graph, 9.5);
    bosc_cellgraph_free(graph);
    bosc_ctx_free(ctx);
    return 0;
}
