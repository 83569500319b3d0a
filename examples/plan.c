/* A key must pass a slot: its blade is wider than the slot, so it has to roll on its way. */
#include <stdio.h>
#include <stdlib.h>

#include <boscage/planner.h>

enum { BOXES_MAX = 5, CORNERS = 8, FACETS = 6, SIDES = 4 };

/* Boxes as convex solids. */
struct boxes {
    int64_t count, offsets[BOXES_MAX + 1], facet_offsets[BOXES_MAX * FACETS + 1];
    int64_t facets[BOXES_MAX * FACETS * SIDES];
    double vertices[BOXES_MAX * CORNERS * 3];
};

/* Corner c has the higher x, y, z where bits 0, 1, 2 of c are 1; facets go counterclockwise as seen from outside. */
static void add_box(struct boxes *b, const double low[3], const double high[3])
{
    static const int facets[FACETS][SIDES] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                              {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    int64_t box = b->count++;
    for (int c = 0; c < CORNERS; c++)
        for (int axis = 0; axis < 3; axis++)
            b->vertices[(box * CORNERS + c) * 3 + axis] = (c >> axis & 1 ? high : low)[axis];
    for (int f = 0; f < FACETS; f++)
        for (int s = 0; s < SIDES; s++) b->facets[(box * FACETS + f) * SIDES + s] = box * CORNERS + facets[f][s];
    for (int64_t f = 0; f <= b->count * FACETS; f++) b->facet_offsets[f] = f * SIDES;
    b->offsets[b->count] = b->count * FACETS;
}

static bosc_plan_bodies bodies_of(const struct boxes *b)
{
    return (bosc_plan_bodies){.vertices = b->vertices,
                              .vertex_count = b->count * CORNERS,
                              .polytope_offsets = b->offsets,
                              .polytope_count = b->count,
                              .facet_offsets = b->facet_offsets,
                              .facet_vertices = b->facets};
}

static void check(const bosc_ctx *ctx, bosc_status status)
{
    if (status == BOSC_OK) return;
    fprintf(stderr, "%s: %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "no context");
    exit(1);
}

/* A shaft along x with a blade; around it four walls, one with a slot. */
static bosc_plan_scene make_scene(struct boxes *key, struct boxes *walls)
{
    static const double shaft[2][3] = {{0, -0.05, -0.04}, {1.7, 0.05, 0.04}};
    static const double blade[2][3] = {{0.7, -0.4, -0.04}, {1.3, 0.4, 0.04}};
    static const double wall[BOXES_MAX][2][3] = {{{-1.1, 1.0, -0.12}, {1.1, 1.1, 0.12}},
                                                 {{-1.1, -1.1, -0.12}, {1.1, -1.0, 0.12}},
                                                 {{-1.1, -1.0, -0.12}, {-1.0, 1.0, 0.12}},
                                                 {{1.0, 0.3, -0.12}, {1.1, 1.0, 0.12}},
                                                 {{1.0, -1.0, -0.12}, {1.1, -0.3, 0.12}}};
    add_box(key, shaft[0], shaft[1]);
    add_box(key, blade[0], blade[1]);
    for (int i = 0; i < BOXES_MAX; i++) add_box(walls, wall[i][0], wall[i][1]);
    return (bosc_plan_scene){.size = sizeof(bosc_plan_scene), .robot = bodies_of(key), .obstacle = bodies_of(walls)};
}

int main(void)
{
    static struct boxes key, walls;
    static const double up[4] = {1, 0, -1, 0}, down[4] = {1, 0, 1, 0}; /* of any length */
    const bosc_plan_scene scene = make_scene(&key, &walls);
    const bosc_planner_opts opts = {.size = sizeof opts, .max_rows = 16384};
    bosc_planner_info info = {.size = sizeof info};
    bosc_planner_route_info route = {.size = sizeof route};
    bosc_ctx *ctx = NULL;
    bosc_planner *planner = NULL;
    check(ctx, bosc_ctx_create(NULL, &ctx));
    check(ctx, bosc_planner_create(ctx, &opts, &planner));
    check(ctx, bosc_planner_build(ctx, planner, &scene));
    check(ctx, bosc_planner_get_info(ctx, planner, &info));
    printf("%lld constraints, %lld cells, %lld of them free, in %lld components\n", (long long)info.constraints,
           (long long)info.cells, (long long)info.free_cells, (long long)info.components);

    check(ctx, bosc_planner_route(ctx, planner, up, down, NULL, &route));
    if (route.outcome != BOSC_PLANNER_CERTIFIED) {
        printf("no certified path: outcome %d\n", (int)route.outcome);
        return 1;
    }
    double *rotations = malloc((size_t)route.rotations * 4 * sizeof *rotations);
    if (!rotations) return 1;
    check(ctx, bosc_planner_get_route(ctx, planner, rotations, NULL));
    printf("a certified path of %lld steps\n", (long long)route.rotations - 1);
    for (int64_t i = 0; i < route.rotations; i++) {
        const double *q = rotations + 4 * i;
        printf("%9.6f %9.6f %9.6f %9.6f\n", q[0], q[1], q[2], q[3]);
    }
    free(rotations);
    bosc_planner_free(planner);
    bosc_ctx_free(ctx);
    return 0;
}
