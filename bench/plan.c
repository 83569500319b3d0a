/* Times motion planning: bench_plan [-n rotations] [-l constraints]. Signs of screws of random edges at uniform
 * rotations, samples along great circles, a roadmap of them, and all of it with a path in memory of the run before;
 * then the cells of two random sets of triangles. Arrays are in the backend's memory. Signs are checked against sums in
 * double, samples against the signs of their rotations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/random.h"

enum { TRIANGLES = 4, CHECKED = 4096, PATH = 4096 };

struct subject {
    int64_t l, words, rows, last;
    double *forms; /* the host's */
    bosc_plan *plan, *bodies;
    double *rotations, *made;
    uint64_t *vectors, *of_made, *of_bodies;
    uint32_t *next;
    uint8_t *labels;
    bosc_roadmap *roadmap;
    uint32_t path[PATH];
    int64_t steps; /* cells on the path */
};

static double unit(uint64_t *state) { return (double)(bench_next(state) >> 11) * 0x1p-53; }

/* The screw of two edges, as boscage/plan.h defines it. */
static void make_form(uint64_t *state, double *form)
{
    double p[4][3], g[3][3], cross[2][3];
    for (int i = 0; i < 12; i++) p[i / 3][i % 3] = 2 * unit(state) - 1;
    for (int e = 0; e < 2; e++)
        for (int c = 0; c < 3; c++)
            cross[e][c] =
                p[2 * e][(c + 1) % 3] * p[2 * e + 1][(c + 2) % 3] - p[2 * e][(c + 2) % 3] * p[2 * e + 1][(c + 1) % 3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) g[i][j] = cross[0][i] * (p[2][j] - p[3][j]) + (p[0][i] - p[1][i]) * cross[1][j];
    const double made[10] = {g[0][0] + g[1][1] + g[2][2], 2 * (g[2][1] - g[1][2]),     2 * (g[0][2] - g[2][0]),
                             2 * (g[1][0] - g[0][1]),     g[0][0] - g[1][1] - g[2][2], 2 * (g[0][1] + g[1][0]),
                             2 * (g[0][2] + g[2][0]),     g[1][1] - g[0][0] - g[2][2], 2 * (g[1][2] + g[2][1]),
                             g[2][2] - g[0][0] - g[1][1]};
    memcpy(form, made, sizeof made);
}

static bosc_plan *make_plan(const bosc_plan_scene *scene)
{
    const bosc_plan_opts opts = {.size = sizeof opts, .id_bits = 32};
    bosc_plan *plan = NULL;
    BENCH(bosc_plan_create(bench.ctx, &opts, &plan));
    BENCH(bosc_plan_build(bench.ctx, plan, scene));
    return plan;
}

static void make_forms(struct subject *b, uint64_t *state)
{
    b->forms = bench_host((size_t)b->l * 10 * sizeof *b->forms);
    for (int64_t k = 0; k < b->l; k++) make_form(state, b->forms + 10 * k);
    const bosc_plan_scene scene = {.size = sizeof scene, .forms = b->forms, .form_count = b->l};
    b->plan = make_plan(&scene);
}

static void make_bodies(struct subject *b, uint64_t *state)
{
    double vertices[2][9 * TRIANGLES];
    int64_t triangles[3 * TRIANGLES];
    for (int i = 0; i < 3 * TRIANGLES; i++) triangles[i] = i;
    for (int i = 0; i < 18 * TRIANGLES; i++) vertices[i / (9 * TRIANGLES)][i % (9 * TRIANGLES)] = 2 * unit(state) - 1;
    bosc_plan_scene scene = {.size = sizeof scene};
    for (int side = 0; side < 2; side++)
        *(side ? &scene.obstacle : &scene.robot) = (bosc_plan_bodies){.vertices = vertices[side],
                                                                      .vertex_count = 3 * TRIANGLES,
                                                                      .triangles = triangles,
                                                                      .triangle_count = TRIANGLES};
    b->bodies = make_plan(&scene);
}

static void compute_signs(void *user)
{
    struct subject *b = user;
    BENCH(bosc_plan_signs(bench.ctx, b->plan, b->rotations, bench.n, 0, b->vectors));
}

static void sample_uniform(void *user)
{
    struct subject *b = user;
    const bosc_plan_sample_opts opts = {.size = sizeof opts, .sampling = BOSC_PLAN_UNIFORM};
    BENCH(bosc_plan_sample(bench.ctx, b->plan, &opts, bench.n, b->rotations, b->vectors, NULL, &b->rows, &b->last));
}

static void sample_circles(void *user)
{
    struct subject *b = user;
    BENCH(bosc_plan_sample(bench.ctx, b->plan, NULL, bench.n, b->made, b->of_made, b->next, &b->rows, &b->last));
}

static void explore_roadmap(void *user)
{
    struct subject *b = user;
    const bosc_roadmap_explore_opts opts = {.size = sizeof opts, .batch = bench.n, .max_rows = bench.n, .new_rate = -1};
    bosc_roadmap_free(b->roadmap);
    BENCH(bosc_roadmap_create(bench.ctx, b->plan, &b->roadmap));
    BENCH(bosc_roadmap_explore(bench.ctx, b->roadmap, b->plan, &opts));
}

/* All steps of planning with cells, in the memory of the run before: samples, signs, the cell graph, and a shortest
 * path between the first cell and the last one. */
static void explore_and_path(void *user)
{
    struct subject *b = user;
    const bosc_roadmap_explore_opts opts = {.size = sizeof opts, .batch = bench.n, .max_rows = bench.n, .new_rate = -1};
    bosc_roadmap_info info = {.size = sizeof info};
    BENCH(bosc_roadmap_reset(bench.ctx, b->roadmap, b->plan));
    BENCH(bosc_roadmap_explore(bench.ctx, b->roadmap, b->plan, &opts));
    BENCH(bosc_roadmap_get_info(bench.ctx, b->roadmap, &info));
    BENCH(bosc_cellgraph_path(bench.ctx, bosc_roadmap_graph(b->roadmap), 0, info.cells - 1, b->path, PATH, &b->steps));
}

static void compute_labels(void *user)
{
    struct subject *b = user;
    BENCH(bosc_plan_labels(bench.ctx, b->bodies, b->of_bodies, bench.n, 0, b->labels));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void test_collisions(void *user)
{
    struct subject *b = user;
    BENCH(bosc_plan_collides(bench.ctx, b->bodies, b->rotations, bench.n, 0, b->labels));
}

/* ---- checks ---- */

static double value_of(const double *form, const double *q)
{
    double sum = 0;
    for (int i = 0, k = 0; i < 4; i++)
        for (int j = i; j < 4; j++) sum += form[k++] * q[i] * q[j];
    return sum;
}

static void check_signs(const struct subject *b)
{
    const int64_t n = bench.n < CHECKED ? bench.n : CHECKED;
    double *q = bench_host((size_t)n * 32);
    uint64_t *v = bench_host((size_t)(n * b->words) * 8);
    int64_t wrong = 0;
    BENCH(bosc_ctx_copy(bench.ctx, q, b->rotations, (size_t)n * 32));
    BENCH(bosc_ctx_copy(bench.ctx, v, b->vectors, (size_t)(n * b->words) * 8));
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < b->l; k++) {
            double value = value_of(b->forms + 10 * k, q + 4 * i);
            if (fabs(value) > 1e-12) wrong += (v[i * b->words + k / 64] >> (k % 64) & 1) != (value > 0);
        }
    bench_check(wrong == 0, "%" PRId64 " signs are wrong", wrong);
    free(q);
    free(v);
}

static void check_samples(struct subject *b)
{
    const size_t bytes = (size_t)(b->rows * b->words) * 8;
    uint64_t *one = bench_host(bytes), *other = bench_host(bytes);
    BENCH(bosc_plan_signs(bench.ctx, b->plan, b->made, b->rows, 0, b->vectors));
    BENCH(bosc_ctx_copy(bench.ctx, one, b->vectors, bytes));
    BENCH(bosc_ctx_copy(bench.ctx, other, b->of_made, bytes));
    bench_check(memcmp(one, other, bytes) == 0, "samples have other signs than their rotations");
    free(one);
    free(other);
}

static void print_sign_row(const char *name, struct bench_times times, int64_t l)
{
    struct bench_row row = {.name = name, .n = bench.n, .ours = times};
    row.note = bench_text("%.2f G signs a second", 1e-9 * (double)bench.n * (double)l / times.median);
    bench_print(&row);
}

static void time_cases(struct subject *b)
{
    bosc_roadmap_info info = {.size = sizeof info};
    bosc_plan_info bodies = {.size = sizeof bodies};
    int64_t components;
    /* 1. Samples and signs. */
    print_sign_row("uniform samples and signs", bench_time(NULL, sample_uniform, b, bench.repeats), b->l);
    print_sign_row("signs", bench_time(NULL, compute_signs, b, bench.repeats), b->l);
    check_signs(b);
    print_sign_row("circles: samples and signs", bench_time(NULL, sample_circles, b, bench.repeats), b->l);
    check_samples(b);
    /* 2. Roadmaps and a path. */
    bench_row("circles: samples and cell graph", bench.n, bench_time(NULL, explore_roadmap, b, bench.repeats));
    BENCH(bosc_roadmap_get_info(bench.ctx, b->roadmap, &info));
    BENCH(bosc_cellgraph_components(bench.ctx, bosc_roadmap_graph(b->roadmap), NULL, &components));
    bench_say("%" PRId64 " rows of %" PRId64 " circles, %" PRId64 " cells, %" PRId64 " edges, %" PRId64
              " witnessed crossings, %" PRId64 " components",
              info.rows, b->last, info.cells, info.edges, info.witnessed, components);
    bench_check(components == 1, "%" PRId64 " components of circles that are connected", components);
    bench_row("samples, signs, cell graph and a path", bench.n, bench_time(NULL, explore_and_path, b, bench.repeats));
    bench_check(b->steps > 0, "no path, though all cells are connected");
    bench_say("a path through %" PRId64 " cells", b->steps);
    /* 3. Bodies: labels of vectors, collisions of rotations. */
    BENCH(bosc_plan_get_info(bench.ctx, b->bodies, &bodies));
    b->of_bodies = bench_array(NULL, (size_t)(bench.n * bodies.words) * 8);
    BENCH(bosc_plan_signs(bench.ctx, b->bodies, b->rotations, bench.n, 0, b->of_bodies));
    bench_say("two sets of %d triangles: %" PRId64 " constraints", TRIANGLES, bodies.constraints);
    bench_row("labels of vectors", bench.n, bench_time(NULL, compute_labels, b, bench.repeats));
    print_sign_row("collisions of rotations", bench_time(NULL, test_collisions, b, bench.repeats), bodies.constraints);
}

int main(int argc, char **argv)
{
    struct subject b = {.l = 256};
    const struct bench_option own[] = {{'l', BENCH_INTEGER, &b.l, "constraints"}};
    uint64_t state = 1;
    bench.n = 1 << 20;
    bench.repeats = 5;
    bench_options(argc, argv, "rotations", own, 1);
    bench_open();
    bench_time_one_thread();
    make_forms(&b, &state);
    make_bodies(&b, &state);
    b.words = (b.l + 63) / 64;
    b.rotations = bench_array(NULL, (size_t)bench.n * 32);
    b.made = bench_array(NULL, (size_t)bench.n * 32);
    b.vectors = bench_array(NULL, (size_t)(bench.n * b.words) * 8);
    b.of_made = bench_array(NULL, (size_t)(bench.n * b.words) * 8);
    b.next = bench_array(NULL, (size_t)bench.n * 4);
    b.labels = bench_array(NULL, (size_t)bench.n);
    bench_say("%s: %" PRId64 " rotations, %" PRId64 " constraints", bench_device(), bench.n, b.l);
    time_cases(&b);
    bosc_roadmap_free(b.roadmap);
    bosc_plan_free(b.plan);
    bosc_plan_free(b.bodies);
    free(b.forms);
    return bench_close();
}
