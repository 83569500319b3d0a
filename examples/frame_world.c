/* The world of frame_world.h: one frame of all structures. */
#include "frame_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <boscage/planet.h>
#include <boscage/planner.h>

enum { STATIONS = 16, DISTRICT_SAMPLES = 257, SPEEDS = 8, CORNERS = 8, FACETS = 6, SIDES = 4 };

static const double two_pi = 6.283185307179586;

const char *const world_stage_names[WORLD_STAGES] = {"planet", "objects", "tree", "contacts",
                                                     "forest", "routes",  "robot"};

/* ---- the robot's scene ---- */

/* A shaft along x with a blade; a wall with a slot stands in its way. */
const double world_key_boxes[WORLD_KEY_BOXES][2][3] = {{{0, -0.05, -0.04}, {1.7, 0.05, 0.04}},
                                                       {{0.7, -0.4, -0.04}, {1.3, 0.4, 0.04}}};

/* Boxes as convex solids. */
struct solids {
    int64_t count, offsets[WORLD_WALL_BOXES + 1], facet_offsets[WORLD_WALL_BOXES * FACETS + 1];
    int64_t facets[WORLD_WALL_BOXES * FACETS * SIDES];
    double vertices[WORLD_WALL_BOXES * CORNERS * 3];
};

/* Bits 0, 1, 2 of corner c choose the high x, y, z; facets are counterclockwise seen from outside. */
static void add_box(struct solids *s, const double box[2][3])
{
    static const int facets[FACETS][SIDES] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                              {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const int64_t b = s->count++;
    for (int c = 0; c < CORNERS; c++)
        for (int axis = 0; axis < 3; axis++) s->vertices[(b * CORNERS + c) * 3 + axis] = box[c >> axis & 1][axis];
    for (int f = 0; f < FACETS; f++)
        for (int side = 0; side < SIDES; side++)
            s->facets[(b * FACETS + f) * SIDES + side] = b * CORNERS + facets[f][side];
    for (int64_t f = 0; f <= s->count * FACETS; f++) s->facet_offsets[f] = f * SIDES;
    s->offsets[s->count] = s->count * FACETS;
}

static bosc_plan_bodies bodies_of(const struct solids *s)
{
    return (bosc_plan_bodies){.vertices = s->vertices,
                              .vertex_count = s->count * CORNERS,
                              .polytope_offsets = s->offsets,
                              .polytope_count = s->count,
                              .facet_offsets = s->facet_offsets,
                              .facet_vertices = s->facets};
}

/* The walls at a time: the slot moves sideways, and its width changes. */
static void move_walls(double t, double wall[WORLD_WALL_BOXES][2][3])
{
    static const double still[WORLD_WALL_BOXES][2][3] = {{{-1.1, 1.0, -0.12}, {1.1, 1.1, 0.12}},
                                                         {{-1.1, -1.1, -0.12}, {1.1, -1.0, 0.12}},
                                                         {{-1.1, -1.0, -0.12}, {-1.0, 1.0, 0.12}},
                                                         {{1.0, 0.3, -0.12}, {1.1, 1.0, 0.12}},
                                                         {{1.0, -1.0, -0.12}, {1.1, -0.3, 0.12}}};
    const double middle = 0.15 * sin(two_pi * t), half = 0.27 + 0.03 * cos(3 * two_pi * t);
    memcpy(wall, still, sizeof still);
    wall[3][0][1] = middle + half;
    wall[4][1][1] = middle - half;
}

/* ---- the world ---- */

struct robot {
    bosc_ctx *ctx;
    bosc_planner *planner;
    double wall[WORLD_WALL_BOXES][2][3], rotation[4];
    double *route; /* (rotations x 4) from the present rotation on; NULL: none */
    int64_t rotations;
    int32_t goal; /* of `goals` */
    int32_t planned, waited;
};

struct world {
    bosc_ctx *ctx;
    struct world_opts opts;
    int32_t frame; /* of the next step */
    bosc_planet *planet;
    bosc_planet_camera camera;
    bosc_kdtree *tree;
    bosc_voxelgrid *grid;
    bosc_hash *table;
    bosc_graph *roads;
    struct robot robot;
    /* Host: two orthogonal directions of each object's circle, its speed, and its direction in the frame. */
    double *from, *to, *direction;
    uint8_t *speed;
    /* In the backend's memory, by vertex, triangle, object, contact or edge of the forest. */
    float *vertex;
    uint32_t *triangle;
    double *position, *length2, *distance;
    uint32_t *self, *nearest, *predecessor, *edge;
    uint64_t *contact; /* twice: pairs of object numbers, as keys */
    uint32_t *age, *one;
    int64_t mesh_capacity, contact_capacity; /* triangles and contacts */
    int64_t mesh[2], contacts;
    double radius; /* of contacts */
    bosc_msf_info forest;
    bosc_paths_info paths;
    int32_t stops[WORLD_ROUTES_SHOWN];
    uint32_t route[WORLD_ROUTES_SHOWN][WORLD_ROUTE_STOPS];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Allocates an array in the backend's memory; after a failure it is NULL.
 * array: the address of the pointer to it, of any type. */
static bosc_status allocate_array(bosc_ctx *ctx, void *array, size_t bytes)
{
    void *memory = NULL;
    const bosc_status status = bosc_ctx_alloc(ctx, bytes, &memory);
    memcpy(array, &memory, sizeof memory);
    return status;
}

/* ---- stage 1: the planet ---- */

static void district_middle(int32_t d, double *latitude, double *longitude)
{
    *latitude = 24 * sin(two_pi * d / WORLD_DISTRICTS_MAX * 2) + 3;
    *longitude = -180 + 360.0 * (d + 0.5) / WORLD_DISTRICTS_MAX;
}

static bosc_status add_districts(struct world *w)
{
    float *heights = malloc(sizeof *heights * DISTRICT_SAMPLES * DISTRICT_SAMPLES);
    if (!heights) return BOSC_ERR_NOMEM;
    bosc_status status = BOSC_OK;
    for (int32_t d = 0; d < w->opts.districts && !status; d++) {
        double latitude, longitude;
        district_middle(d, &latitude, &longitude);
        const bosc_planet_inset inset = {.size = sizeof inset,
                                         .heights = heights,
                                         .width = DISTRICT_SAMPLES,
                                         .height = DISTRICT_SAMPLES,
                                         .border = DISTRICT_SAMPLES / 2,
                                         .scale = 3,
                                         .west = longitude - 4,
                                         .south = latitude - 4,
                                         .east = longitude + 4,
                                         .north = latitude + 4};
        status = bosc_random_heights(w->ctx, BOSC_RANDOM_HEIGHTS_MOUNTAINS, (uint64_t)d + 1, DISTRICT_SAMPLES,
                                     DISTRICT_SAMPLES, heights);
        if (!status) status = bosc_planet_add_inset(w->ctx, w->planet, &inset);
    }
    free(heights);
    return status;
}

/* Releases the arrays of the mesh: all of its capacity, or NULL. */
static void release_mesh(struct world *w)
{
    const size_t m = (size_t)w->mesh_capacity;
    bosc_ctx_release(w->ctx, w->vertex, (m / 2 + 2) * 12);
    bosc_ctx_release(w->ctx, w->triangle, m * 12);
    w->vertex = NULL;
    w->triangle = NULL;
    w->mesh_capacity = 0;
}

/* Replaces the arrays of the mesh by room for this many triangles. A closed mesh of t triangles has t / 2 + 2
 * vertices. */
static bosc_status reserve_mesh(struct world *w, int64_t triangles)
{
    const size_t m = (size_t)triangles;
    release_mesh(w);
    w->mesh_capacity = triangles;
    bosc_status status = allocate_array(w->ctx, &w->vertex, (m / 2 + 2) * 12);
    if (!status) status = allocate_array(w->ctx, &w->triangle, m * 12);
    if (status) release_mesh(w);
    return status;
}

static bosc_status open_planet(struct world *w)
{
    static const float sea = 0;
    const bosc_planet_opts opts = {.size = sizeof opts,
                                   .radius = WORLD_RADIUS,
                                   .detail_amplitude = 9000,
                                   .detail_wavelength = 150e3,
                                   .detail_octaves = 12,
                                   .detail_seed = 4};
    const bosc_planet_raster raster = {.size = sizeof raster, .heights = &sea, .width = 1, .height = 1};
    bosc_status status = bosc_planet_create(w->ctx, &opts, &w->planet);
    if (!status) status = bosc_planet_build(w->ctx, w->planet, &raster);
    if (!status) status = add_districts(w);
    return status ? status : reserve_mesh(w, 1 << 12);
}

static bosc_status get_mesh(struct world *w)
{
    return bosc_planet_get_mesh(w->ctx, w->planet, NULL, w->vertex, NULL, NULL, w->mesh_capacity / 2 + 2, w->triangle,
                                w->mesh_capacity, w->mesh);
}

/* Selects the triangles for the camera of the frame and writes the mesh. The flight passes over the districts, and
 * starts again after its last frame: longitudes stay below 180. */
static bosc_status step_planet(struct world *w)
{
    const double t = (double)(w->frame % w->opts.frames) / w->opts.frames;
    const bosc_planet_goal goal = {
        .size = sizeof goal, .camera = &w->camera, .hysteresis = 0.2, .passes = w->frame > 0};
    w->camera = (bosc_planet_camera){.fov = 1, .pixels = w->opts.pixels, .width = 1920, .height = 1080};
    bosc_status status = bosc_planet_place(w->ctx, w->planet, 24 * sin(2 * two_pi * t) + 3, -180 + 360 * t,
                                           WORLD_RADIUS * (0.35 + 0.3 * cos(two_pi * 2 * t)), 90, -55, &w->camera);
    if (!status) status = bosc_planet_select(w->ctx, w->planet, &goal);
    if (!status) status = get_mesh(w);
    if (status != BOSC_ERR_SPACE) return status;
    status = reserve_mesh(w, 2 * w->mesh[1]);
    return status ? status : get_mesh(w);
}

/* ---- stage 2: the objects ---- */

/* Each object travels on a great circle: directions `from` and `to` are a quarter of it apart. */
static bosc_status open_objects(struct world *w)
{
    const int64_t n = w->opts.objects;
    bosc_status status = bosc_random_points(w->ctx, BOSC_RANDOM_POINTS_SPHERE, 1, n, 3, BOSC_F64, w->from);
    if (!status) status = bosc_random_points(w->ctx, BOSC_RANDOM_POINTS_SPHERE, 2, n, 3, BOSC_F64, w->to);
    for (int64_t i = 0; i < n && !status; i++) {
        double *a = w->from + 3 * i, *b = w->to + 3 * i;
        const double aa = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int c = 0; c < 3; c++) a[c] /= aa;
        const double ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        for (int c = 0; c < 3; c++) b[c] -= ab * a[c];
        const double bb = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        for (int c = 0; c < 3; c++) b[c] /= bb;
        w->speed[i] = (uint8_t)(i % SPEEDS);
    }
    return status;
}

static bosc_status step_objects(struct world *w)
{
    double cosine[SPEEDS], sine[SPEEDS];
    for (int s = 0; s < SPEEDS; s++) { /* the fastest make a quarter of a circle in a flight */
        const double angle = two_pi / 4 * (s + 1) / SPEEDS * w->frame / w->opts.frames;
        cosine[s] = cos(angle);
        sine[s] = sin(angle);
    }
    for (int64_t i = 0; i < w->opts.objects; i++)
        for (int c = 0; c < 3; c++)
            w->direction[3 * i + c] = w->from[3 * i + c] * cosine[w->speed[i]] + w->to[3 * i + c] * sine[w->speed[i]];
    return bosc_planet_sample(w->ctx, w->planet, w->direction, w->opts.objects, NULL, w->position);
}

/* ---- stage 3: the tree ---- */

static bosc_status step_tree(struct world *w)
{
    bosc_status status = bosc_kdtree_build(w->ctx, w->tree, w->position, w->opts.objects, 0);
    return status ? status : bosc_kdtree_knn_self(w->ctx, w->tree, WORLD_NEIGHBOURS, w->nearest, w->length2);
}

/* ---- stage 4: the contacts ---- */

/* Releases the arrays of the contacts: all of their capacity, or NULL. */
static void release_contacts(struct world *w)
{
    const size_t p = (size_t)w->contact_capacity;
    bosc_ctx_release(w->ctx, w->contact, p * 16);
    bosc_ctx_release(w->ctx, w->age, p * 8);
    bosc_ctx_release(w->ctx, w->one, p * 4);
    w->contact = NULL;
    w->age = NULL;
    w->one = NULL;
    w->contact_capacity = 0;
}

/* Replaces the arrays of the contacts by room for this many, twice in `contact` and `age`: see step_contacts. */
static bosc_status reserve_contacts(struct world *w, int64_t capacity)
{
    const size_t p = (size_t)capacity;
    uint32_t *ones = malloc(4 * p);
    if (!ones) return BOSC_ERR_NOMEM;
    for (size_t i = 0; i < p; i++) ones[i] = 1;
    release_contacts(w);
    w->contact_capacity = capacity;
    bosc_status status = allocate_array(w->ctx, &w->contact, p * 16);
    if (!status) status = allocate_array(w->ctx, &w->age, p * 8);
    if (!status) status = allocate_array(w->ctx, &w->one, p * 4);
    if (!status) status = bosc_ctx_copy(w->ctx, w->one, ones, 4 * p);
    if (!status) status = bosc_ctx_sync(w->ctx);
    if (status) release_contacts(w);
    free(ones);
    return status;
}

/* A pair of ids of 32 bits is a key of 64 bits. Each contact is inserted twice, with the age of the frame before (0 for
 * a new one) and with 1; the table sums the two. */
static bosc_status step_contacts(struct world *w)
{
    bosc_status status = bosc_voxelgrid_build(w->ctx, w->grid, w->position, w->opts.objects, 0);
    /* 1. The pairs. */
    for (int call = 0; call < 2 && !status; call++) {
        status = bosc_voxelgrid_pairs(w->ctx, w->grid, w->radius, w->contact, NULL, w->contact_capacity, &w->contacts);
        if (status != BOSC_ERR_SPACE) break;
        status = reserve_contacts(w, w->contacts * 2);
    }
    /* 2. Their ages, and the new table. */
    const int64_t p = w->contacts;
    if (!status) status = bosc_ctx_copy(w->ctx, w->contact + p, w->contact, (size_t)p * 8);
    if (!status) status = bosc_ctx_copy(w->ctx, w->age, w->one, (size_t)p * 4);
    if (!status) status = bosc_hash_find(w->ctx, w->table, w->contact, p, w->age + p, NULL);
    if (!status) status = bosc_hash_build(w->ctx, w->table, w->contact, w->age, 2 * p);
    return status ? status : bosc_hash_find(w->ctx, w->table, w->contact, p, w->age, NULL);
}

/* ---- stages 5 and 6: the roads ---- */

static bosc_status step_forest(struct world *w)
{
    const int64_t n = w->opts.objects;
    w->forest = (bosc_msf_info){.size = sizeof w->forest};
    bosc_status status = bosc_graph_build(w->ctx, w->roads, w->self, w->nearest, w->length2, n, n * WORLD_NEIGHBOURS);
    return status ? status : bosc_msf_compute(w->ctx, w->roads, NULL, w->edge, NULL, &w->forest);
}

/* Lengths are squared distances, such as the energy of a message from one object to the next. */
static bosc_status step_routes(struct world *w)
{
    const int64_t n = w->opts.objects;
    uint32_t stations[STATIONS];
    w->paths = (bosc_paths_info){.size = sizeof w->paths};
    for (int s = 0; s < STATIONS; s++) stations[s] = (uint32_t)(n / STATIONS * s);
    bosc_status status = bosc_paths_compute(w->ctx, w->roads, stations, STATIONS, NULL, w->distance, w->predecessor,
                                            NULL, NULL, &w->paths);
    for (int r = 0; r < WORLD_ROUTES_SHOWN && !status; r++) {
        int64_t stops = 0;
        status = bosc_paths_route(w->ctx, w->predecessor, n, 32, n / WORLD_ROUTES_SHOWN * r + n / 33 + 1, w->route[r],
                                  WORLD_ROUTE_STOPS, &stops);
        w->stops[r] = (int32_t)stops;
        if (status == BOSC_ERR_SPACE) { /* too long to be shown */
            w->stops[r] = 0;
            status = BOSC_OK;
        }
    }
    return status;
}

/* ---- stage 7: the robot ---- */

static const double goals[2][4] = {{0.70710678118654752, 0, -0.70710678118654752, 0},
                                   {0.70710678118654752, 0, 0.70710678118654752, 0}};

/* Turns q toward r, the next rotation of the route, by at most `angle`; returns the angle left. Dot products of
 * neighbours are not negative. */
static double turn_rotation(double q[4], const double r[4], double angle)
{
    double dot = 0, rr = 0, length = 0;
    for (int c = 0; c < 4; c++) dot += q[c] * r[c];
    for (int c = 0; c < 4; c++) rr += r[c] * r[c];
    dot /= sqrt(rr);
    const double half = acos(dot < 1 ? dot : 1), part = half > angle / 2 ? angle / 2 / half : 1;
    if (part == 1) {
        for (int c = 0; c < 4; c++) q[c] = r[c] / sqrt(rr);
        return angle - 2 * half;
    }
    for (int c = 0; c < 4; c++) {
        q[c] = q[c] * sin((1 - part) * half) + r[c] / sqrt(rr) * sin(part * half);
        length += q[c] * q[c];
    }
    for (int c = 0; c < 4; c++) q[c] /= sqrt(length);
    return 0;
}

/* Returns in *certified if the rest of the route is still free of collision among the walls of the frame. */
static bosc_status check_route(struct robot *robot, int *certified)
{
    *certified = robot->rotations > 1;
    uint8_t *steps = malloc((size_t)robot->rotations + 1);
    if (!steps) return BOSC_ERR_NOMEM;
    bosc_status status = BOSC_OK;
    if (*certified)
        status = bosc_planner_certify(robot->ctx, robot->planner, robot->route, robot->rotations, steps, NULL);
    for (int64_t i = 0; i + 1 < robot->rotations && !status; i++) *certified &= steps[i];
    free(steps);
    return status;
}

static bosc_status plan_route(struct robot *robot)
{
    bosc_planner_route_info info = {.size = sizeof info};
    const bosc_planner_route_opts opts = {.size = sizeof opts, .max_boxes = -1};
    free(robot->route);
    robot->route = NULL;
    robot->rotations = 0;
    bosc_status status =
        bosc_planner_route(robot->ctx, robot->planner, robot->rotation, goals[robot->goal], &opts, &info);
    if (status || info.outcome != BOSC_PLANNER_CERTIFIED) return status;
    robot->route = malloc((size_t)info.rotations * 4 * sizeof *robot->route);
    if (!robot->route) return BOSC_ERR_NOMEM;
    robot->rotations = info.rotations;
    robot->planned++;
    return bosc_planner_get_route(robot->ctx, robot->planner, robot->route, NULL);
}

/* Turns the robot along its route. A route is planned anew only if the walls have moved into it. */
static bosc_status step_robot(struct world *w)
{
    struct robot *robot = &w->robot;
    struct solids key = {0}, walls = {0};
    int certified = 0;
    /* 1. The scene of the frame. */
    move_walls((double)w->frame / w->opts.frames, robot->wall);
    for (int i = 0; i < WORLD_KEY_BOXES; i++) add_box(&key, world_key_boxes[i]);
    for (int i = 0; i < WORLD_WALL_BOXES; i++) add_box(&walls, (const double(*)[3])robot->wall[i]);
    const bosc_plan_scene scene = {.size = sizeof scene, .robot = bodies_of(&key), .obstacle = bodies_of(&walls)};
    bosc_status status = bosc_planner_build(robot->ctx, robot->planner, &scene);
    /* 2. A certified route. */
    if (!status) status = check_route(robot, &certified);
    if (!status && !certified) status = plan_route(robot);
    if (status) return status;
    if (robot->rotations < 2) {
        robot->waited++;
        return BOSC_OK;
    }
    /* 3. The turn of the frame: 24 radians in a flight. */
    double angle = 24.0 / w->opts.frames;
    int64_t next = 1;
    while (next < robot->rotations) {
        const double left = turn_rotation(robot->rotation, robot->route + 4 * next, angle);
        if (left <= 0) break;
        angle = left;
        next++;
    }
    /* 4. The rest of the route begins at the present rotation. */
    if (next == robot->rotations) {
        robot->rotations = 0;
        robot->goal = 1 - robot->goal;
        return BOSC_OK;
    }
    robot->rotations -= next - 1;
    memmove(robot->route, robot->route + 4 * (next - 1), (size_t)robot->rotations * 4 * sizeof *robot->route);
    memcpy(robot->route, robot->rotation, sizeof robot->rotation);
    return BOSC_OK;
}

/* ---- frames ---- */

static bosc_status open_arrays(struct world *w)
{
    const size_t n = (size_t)w->opts.objects, k = WORLD_NEIGHBOURS;
    const struct array {
        void *memory;
        size_t bytes;
    } arrays[] = {{&w->position, n * 24},   {&w->length2, n * k * 8}, {&w->distance, n * 8}, {&w->self, n * k * 4},
                  {&w->nearest, n * k * 4}, {&w->predecessor, n * 4}, {&w->edge, n * 4}};
    bosc_status status = BOSC_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && !status; i++)
        status = allocate_array(w->ctx, arrays[i].memory, arrays[i].bytes);
    w->from = malloc(n * 24);
    w->to = malloc(n * 24);
    w->direction = malloc(n * 24);
    w->speed = malloc(n);
    uint32_t *self = malloc(n * k * 4);
    if (!w->from || !w->to || !w->direction || !w->speed || !self) status = BOSC_ERR_NOMEM;
    for (size_t i = 0; i < n * k && !status; i++) self[i] = (uint32_t)(i / k);
    if (!status) status = bosc_ctx_copy(w->ctx, w->self, self, n * k * 4);
    if (!status) status = bosc_ctx_sync(w->ctx);
    free(self);
    return status;
}

/* Contacts are within a third of the mean distance of objects. */
static bosc_status open_structures(struct world *w)
{
    w->radius = 0.35 * WORLD_RADIUS * sqrt(2 * two_pi / (double)w->opts.objects);
    const bosc_kdtree_opts tree = {.size = sizeof tree, .dtype = BOSC_F64, .dim = 3, .id_bits = 32, .assume_valid = 1};
    const bosc_voxelgrid_opts grid = {
        .size = sizeof grid, .dtype = BOSC_F64, .dim = 3, .cell = w->radius, .id_bits = 32, .assume_valid = 1};
    const bosc_hash_opts table = {
        .size = sizeof table, .key_bits = 64, .value_size = 4, .duplicates = BOSC_HASH_SUM, .value_dtype = BOSC_U32};
    const bosc_graph_opts roads = {
        .size = sizeof roads, .weight = BOSC_F64, .id_bits = 32, .drop_loops = 1, .assume_valid = 1};
    const bosc_planner_opts planner = {.size = sizeof planner, .lazy = 1, .max_rows = 4096};
    bosc_status status = bosc_kdtree_create(w->ctx, &tree, &w->tree);
    if (!status) status = bosc_voxelgrid_create(w->ctx, &grid, &w->grid);
    if (!status) status = bosc_hash_create(w->ctx, &table, &w->table);
    if (!status) status = bosc_graph_create(w->ctx, &roads, &w->roads);
    if (!status) status = bosc_planner_create(w->robot.ctx, &planner, &w->robot.planner);
    return status ? status : reserve_contacts(w, w->opts.objects);
}

bosc_status world_open(bosc_ctx *ctx, bosc_ctx *robot_ctx, const struct world_opts *opts, struct world **world)
{
    struct world *w = calloc(1, sizeof *w);
    if (!w) return BOSC_ERR_NOMEM;
    w->ctx = ctx;
    w->robot.ctx = robot_ctx;
    w->opts = *opts;
    memcpy(w->robot.rotation, goals[0], sizeof goals[0]);
    w->robot.goal = 1;
    bosc_status status = open_arrays(w);
    if (!status) status = open_planet(w);
    if (!status) status = open_objects(w);
    if (!status) status = open_structures(w);
    if (status)
        world_close(w);
    else
        *world = w;
    return status;
}

void world_close(struct world *w)
{
    if (!w) return;
    const size_t n = (size_t)w->opts.objects, k = WORLD_NEIGHBOURS;
    /* 1. Arrays in the backend's memory, by the sizes that were requested. */
    release_mesh(w);
    release_contacts(w);
    bosc_ctx_release(w->ctx, w->position, n * 24);
    bosc_ctx_release(w->ctx, w->length2, n * k * 8);
    bosc_ctx_release(w->ctx, w->distance, n * 8);
    bosc_ctx_release(w->ctx, w->self, n * k * 4);
    bosc_ctx_release(w->ctx, w->nearest, n * k * 4);
    bosc_ctx_release(w->ctx, w->predecessor, n * 4);
    bosc_ctx_release(w->ctx, w->edge, n * 4);
    /* 2. Structures, and host memory. */
    bosc_planner_free(w->robot.planner);
    bosc_graph_free(w->roads);
    bosc_hash_free(w->table);
    bosc_voxelgrid_free(w->grid);
    bosc_kdtree_free(w->tree);
    bosc_planet_free(w->planet);
    free(w->robot.route);
    free(w->from);
    free(w->to);
    free(w->direction);
    free(w->speed);
    free(w);
}

bosc_status world_step(struct world *w, double seconds[WORLD_STAGES])
{
    static bosc_status (*const steps[WORLD_STAGES])(struct world *) = {
        step_planet, step_objects, step_tree, step_contacts, step_forest, step_routes, step_robot};
    bosc_status status = BOSC_OK;
    for (int s = 0; s < WORLD_STAGES && !status; s++) {
        const double start = seconds ? now() : 0;
        status = steps[s](w);
        if (!status && seconds) status = bosc_ctx_sync(w->ctx);
        if (seconds) seconds[s] = now() - start;
    }
    if (!status) status = bosc_ctx_sync(w->ctx);
    if (!status) w->frame++;
    return status;
}

/* ---- copies ---- */

/* Replaces a host array by a copy of one in the backend's memory, and waits for it.
 * to: the address of the pointer to it, of any type. */
static bosc_status copy_out(bosc_ctx *ctx, void *to, const void *from, size_t bytes)
{
    void *memory;
    memcpy(&memory, to, sizeof memory);
    free(memory);
    memory = malloc(bytes + 1);
    memcpy(to, &memory, sizeof memory);
    if (!memory) return BOSC_ERR_NOMEM;
    return bytes ? bosc_ctx_copy(ctx, memory, from, bytes) : BOSC_OK;
}

/* Replaces numbers of edges by their ends. Edge e leads from object e / WORLD_NEIGHBOURS to nearest[e]. */
static bosc_status find_ends(struct world *w, struct world_frame *f)
{
    const size_t m = (size_t)w->opts.objects * WORLD_NEIGHBOURS;
    uint32_t *edge = NULL, *nearest = NULL;
    bosc_status status = copy_out(w->ctx, &edge, w->edge, (size_t)f->edges * 4);
    if (!status) status = copy_out(w->ctx, &nearest, w->nearest, m * 4);
    free(f->edge);
    f->edge = malloc((size_t)f->edges * 8 + 1);
    if (!f->edge) status = BOSC_ERR_NOMEM;
    for (int64_t i = 0; i < f->edges && !status; i++) {
        f->edge[2 * i] = edge[i] / WORLD_NEIGHBOURS;
        f->edge[2 * i + 1] = nearest[edge[i]];
    }
    free(edge);
    free(nearest);
    return status;
}

bosc_status world_fetch(struct world *w, struct world_frame *f)
{
    double *position = NULL;
    const struct robot *robot = &w->robot;
    /* 1. Numbers. */
    f->number = w->frame - 1;
    memcpy(f->camera, w->camera.position, sizeof f->camera);
    memcpy(f->direction, w->camera.direction, sizeof f->direction);
    memcpy(f->up, w->camera.up, sizeof f->up);
    f->fov = w->camera.fov;
    f->vertices = w->mesh[0];
    f->triangles = w->mesh[1];
    f->objects = w->opts.objects;
    f->contacts = w->contacts;
    f->edges = w->forest.edges;
    f->trees = w->forest.trees;
    f->weight = w->forest.weight;
    f->reached = w->paths.reached;
    memcpy(f->stops, w->stops, sizeof f->stops);
    memcpy(f->route, w->route, sizeof f->route);
    memcpy(f->rotation, robot->rotation, sizeof f->rotation);
    memcpy(f->wall, robot->wall, sizeof f->wall);
    f->planned = robot->planned;
    f->waited = robot->waited;
    /* 2. Arrays; positions are rounded to floats. */
    bosc_status status = copy_out(w->ctx, &f->vertex, w->vertex, (size_t)f->vertices * 12);
    if (!status) status = copy_out(w->ctx, &f->triangle, w->triangle, (size_t)f->triangles * 12);
    if (!status) status = copy_out(w->ctx, &position, w->position, (size_t)f->objects * 24);
    if (!status) status = copy_out(w->ctx, &f->contact, w->contact, (size_t)f->contacts * 8);
    if (!status) status = copy_out(w->ctx, &f->age, w->age, (size_t)f->contacts * 4);
    if (!status) status = find_ends(w, f);
    free(f->position);
    f->position = malloc((size_t)f->objects * 12);
    if (!f->position) status = BOSC_ERR_NOMEM;
    for (int64_t i = 0; i < 3 * f->objects && !status; i++) f->position[i] = (float)position[i];
    free(position);
    return status;
}

bosc_status world_fetch_globe(struct world *w, int64_t triangles, struct world_frame *f)
{
    const bosc_planet_goal goal = {.size = sizeof goal, .triangles = triangles};
    bosc_status status = bosc_planet_select(w->ctx, w->planet, &goal);
    if (!status) status = get_mesh(w);
    if (status == BOSC_ERR_SPACE) {
        status = reserve_mesh(w, w->mesh[1]);
        if (!status) status = get_mesh(w);
    }
    f->vertices = w->mesh[0];
    f->triangles = w->mesh[1];
    if (!status) status = copy_out(w->ctx, &f->vertex, w->vertex, (size_t)f->vertices * 12);
    if (!status) status = copy_out(w->ctx, &f->triangle, w->triangle, (size_t)f->triangles * 12);
    return status;
}

void world_frame_free(struct world_frame *f)
{
    free(f->vertex);
    free(f->triangle);
    free(f->position);
    free(f->contact);
    free(f->age);
    free(f->edge);
    *f = (struct world_frame){0};
}
