/* Arcs, samples and roadmaps. */
#include <math.h>

#include "cases/plan/plan_data.h"

/* The context that computes the expected bits: one baseline thread. */
static bosc_ctx *plain_context(void)
{
    const bosc_ctx_opts opts = {.size = sizeof opts, .threads = 1, .cpu_level = BOSC_CPU_V1};
    return suite_open(&opts);
}

static void unit_rotations(struct suite_random *r, int64_t n, double *q)
{
    for (int64_t i = 0; i < n; i++) {
        double size = 0;
        for (int c = 0; c < 4; c++) {
            q[4 * i + c] = suite_unit(r) - 0.5;
            size += q[4 * i + c] * q[4 * i + c];
        }
        for (int c = 0; c < 4; c++) q[4 * i + c] /= sqrt(size);
    }
}

/* ---- arcs ---- */

struct arcs {
    int64_t n, words, total;
    double *from, *to, *lower, *upper;
    uint64_t *vectors, *kept;
    int64_t *offsets, *constraints;
};

enum { STEPS = 64 };

/* Signs at points of arc i: unchanged constraints keep their sign, and signs are known outside of enclosures. */
static void check_arc(bosc_ctx *ctx, const bosc_plan *plan, int64_t l, const struct arcs *a, int64_t i)
{
    double q[4 * (STEPS + 1)];
    uint64_t *signs = suite_alloc((size_t)((STEPS + 1) * a->words) * sizeof *signs);
    for (int k = 0; k <= STEPS; k++)
        for (int c = 0; c < 4; c++) {
            double u = (double)k / STEPS;
            q[4 * k + c] = (1 - u) * a->from[4 * i + c] + u * a->to[4 * i + c];
        }
    CHECK_OK(ctx, bosc_plan_signs(ctx, plan, q, STEPS + 1, 0, signs));
    for (int64_t k = 0; k < l; k++) {
        bool kept = plan_bit(a->kept, a->words, i, k), enclosed = false, before = plan_bit(signs, a->words, 0, k);
        int64_t count = 0;
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) count += a->constraints[e] == k;
        CHECK(count <= 2);
        CHECK(kept || count > 0); /* the same bounds, and wider ones */
        for (int step = 0; step <= STEPS; step++) {
            bool sign = plan_bit(signs, a->words, step, k);
            double u = (double)step / STEPS;
            bool inside = false;
            if (kept) CHECK_EQ(sign, plan_bit(a->vectors, a->words, i, k));
            for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) {
                if (a->constraints[e] != k) continue;
                inside = inside || (a->lower[e] <= u && u <= a->upper[e]);
                /* an enclosure between this step and the last one explains a change */
                enclosed = enclosed || (a->upper[e] >= u - 1.0 / STEPS && a->lower[e] <= u);
            }
            if (sign != before && !inside) CHECK(enclosed);
            before = sign;
            enclosed = false;
        }
    }
    free(signs);
}

static void arcs(bosc_ctx *ctx)
{
    struct plan_scene s;
    for (int trial = 0; trial < (suite_slow(ctx) ? 4 : 16); trial++) {
        struct suite_random r = {70 + (uint64_t)trial};
        struct arcs a = {.n = 24};
        plan_random_triangles(&s, &r, 2, 2 + trial % 3);
        bosc_plan *plan = plan_build(ctx, &s.scene, NULL);
        bosc_plan_info info = plan_info(ctx, plan);
        int64_t kept = 0;
        a.words = info.words;
        a.from = suite_alloc((size_t)a.n * 32);
        a.to = suite_alloc((size_t)a.n * 32);
        a.vectors = suite_alloc((size_t)(a.n * a.words) * 8);
        a.kept = suite_alloc((size_t)(a.n * a.words) * 8);
        a.offsets = suite_alloc((size_t)(a.n + 1) * 8);
        unit_rotations(&r, a.n, a.from);
        unit_rotations(&r, a.n, a.to);
        for (int64_t k = 0; k < 4 * 8; k++) a.to[k] = a.from[k] + 1e-3 * a.to[k]; /* short arcs */
        for (int64_t k = 0; k < 4; k++) a.to[k] = a.from[k];                      /* arcs of length 0 */
        CHECK_OK(ctx, bosc_plan_arcs(ctx, plan, a.from, a.to, a.n, a.vectors, a.kept));
        CHECK_OK(ctx, bosc_plan_crossings(ctx, plan, a.from, a.to, a.n, a.offsets, NULL, NULL, NULL, 0));
        a.total = a.offsets[a.n];
        a.lower = suite_alloc((size_t)a.total * 8);
        a.upper = suite_alloc((size_t)a.total * 8);
        a.constraints = suite_alloc((size_t)a.total * 8);
        CHECK(a.total > 0);
        CHECK_STATUS(
            ctx,
            bosc_plan_crossings(ctx, plan, a.from, a.to, a.n, a.offsets, a.lower, a.upper, a.constraints, a.total - 1),
            BOSC_ERR_SPACE);
        CHECK_OK(ctx, bosc_plan_crossings(ctx, plan, a.from, a.to, a.n, a.offsets, a.lower, a.upper, a.constraints,
                                          a.total));
        for (int64_t e = 0; e < a.total; e++) CHECK(a.lower[e] >= 0 && a.lower[e] < a.upper[e] && a.upper[e] <= 1);
        for (int64_t i = 0; i < a.n; i++) {
            for (int64_t e = a.offsets[i]; e + 1 < a.offsets[i + 1]; e++) CHECK(a.lower[e] <= a.lower[e + 1]);
            for (int64_t k = 0; k < info.constraints; k++) kept += plan_bit(a.kept, a.words, i, k);
            check_arc(ctx, plan, info.constraints, &a, i);
        }
        CHECK(kept * 4 > a.n * info.constraints); /* most forms do not change on most arcs */
        bosc_plan_free(plan);
        free(a.from);
        free(a.to);
        free(a.vectors);
        free(a.kept);
        free(a.offsets);
        free(a.lower);
        free(a.upper);
        free(a.constraints);
    }
}

/* ---- samples ---- */

struct rows {
    int64_t capacity, rows, last;
    double *q;
    uint64_t *vectors;
    int64_t *next;
};

static struct rows sample(bosc_ctx *ctx, const bosc_plan *plan, const bosc_plan_sample_opts *o, int64_t capacity)
{
    struct rows r = {.capacity = capacity};
    int64_t words = plan_info(ctx, plan).words;
    r.q = suite_alloc((size_t)capacity * 32);
    r.vectors = suite_alloc((size_t)(capacity * words) * 8);
    r.next = suite_alloc((size_t)capacity * 8);
    CHECK_OK(ctx, bosc_plan_sample(ctx, plan, o, capacity, r.q, r.vectors, r.next, &r.rows, &r.last));
    return r;
}

static void free_rows(struct rows *r)
{
    free(r->q);
    free(r->vectors);
    free(r->next);
}

static int64_t distance(const struct rows *r, int64_t words, int64_t i, int64_t j)
{
    int64_t d = 0;
    for (int64_t k = 0; k < words; k++)
        d += __builtin_popcountll(r->vectors[i * words + k] ^ r->vectors[j * words + k]);
    return d;
}

/* Vectors equal those of the rotations, and a witnessed crossing changes one bit. Returns the number of witnessed
 * crossings. */
static int64_t check_rows(bosc_ctx *ctx, const bosc_plan *plan, const struct rows *r)
{
    int64_t words = plan_info(ctx, plan).words, witnessed = 0;
    uint64_t *signs = suite_alloc((size_t)(r->rows * words) * 8);
    CHECK_OK(ctx, bosc_plan_signs(ctx, plan, r->q, r->rows, 0, signs));
    CHECK(memcmp(signs, r->vectors, (size_t)(r->rows * words) * 8) == 0);
    for (int64_t i = 0; i < r->rows; i++) {
        double size = 0;
        for (int c = 0; c < 4; c++) size += r->q[4 * i + c] * r->q[4 * i + c];
        CHECK(fabs(size - 1) < 1e-14);
        CHECK(r->next[i] >= -1 && r->next[i] < r->rows);
        if (r->next[i] < 0) continue;
        CHECK(r->next[i] == i + 1 || r->next[i] < i || r->rows == 1);
        CHECK_EQ(distance(r, words, i, r->next[i]), 1);
        witnessed++;
    }
    free(signs);
    return witnessed;
}

static void same_rows(const struct rows *a, int64_t at, const struct rows *b, int64_t words)
{
    CHECK(memcmp(a->q + 4 * at, b->q, (size_t)b->rows * 32) == 0);
    CHECK(memcmp(a->vectors + at * words, b->vectors, (size_t)(b->rows * words) * 8) == 0);
    for (int64_t i = 0; i < b->rows; i++) CHECK_EQ(a->next[at + i], b->next[i] < 0 ? -1 : b->next[i] + at);
}

static void sampling(bosc_ctx *ctx)
{
    const int64_t capacity = suite_slow(ctx) ? 700 : 20000;
    bosc_ctx *plain = plain_context();
    struct plan_scene s;
    for (int trial = 0; trial < 4; trial++) {
        struct suite_random r = {40 + (uint64_t)trial};
        bosc_plan_sample_opts o = {
            .size = sizeof o, .seed = (uint64_t)trial << 33, .first = trial == 3 ? 1000000007 : 0};
        if (suite_leaves_out()) continue;
        plan_random_triangles(&s, &r, 1 + trial, 3);
        bosc_plan *plan = plan_build(ctx, &s.scene, NULL), *other = plan_build(plain, &s.scene, NULL);
        int64_t words = plan_info(ctx, plan).words, l = plan_info(ctx, plan).constraints;
        struct rows all = sample(ctx, plan, &o, capacity), same = sample(plain, other, &o, capacity);
        CHECK(all.rows > capacity - 2 * l && all.rows <= capacity && all.rows == same.rows && all.last == same.last);
        same_rows(&all, 0, &same, words);
        CHECK(check_rows(ctx, plan, &all) * 100 >= 99 * all.rows);
        free_rows(&same);
        /* sampling in several calls gives the same rows */
        o.limit = (all.last - o.first) / 2;
        struct rows first = sample(ctx, plan, &o, capacity);
        CHECK_EQ(first.last, o.first + o.limit);
        same_rows(&all, 0, &first, words);
        o.first = first.last;
        o.limit = all.last - o.first;
        struct rows second = sample(ctx, plan, &o, capacity);
        CHECK_EQ(first.rows + second.rows, all.rows);
        same_rows(&all, first.rows, &second, words);
        free_rows(&first);
        free_rows(&second);
        free_rows(&all);
        o = (bosc_plan_sample_opts){.size = sizeof o, .sampling = BOSC_PLAN_UNIFORM, .seed = 5, .first = trial};
        all = sample(ctx, plan, &o, capacity / 4);
        same = sample(plain, other, &o, capacity / 4);
        CHECK(all.rows == capacity / 4 && same.rows == all.rows && all.last == trial + all.rows);
        same_rows(&all, 0, &same, words);
        CHECK_EQ(check_rows(ctx, plan, &all), 0);
        free_rows(&all);
        free_rows(&same);
        bosc_plan_free(plan);
        bosc_plan_free(other);
    }
    bosc_ctx_free(plain);
}

/* Means of the components and of their squares, for uniform rows and for circles: 0 and 1/4. */
static void uniform(bosc_ctx *ctx)
{
    const int64_t n = suite_slow(ctx) ? 2000 : 40000;
    struct suite_random r = {3};
    struct plan_scene s;
    plan_random_triangles(&s, &r, 2, 2);
    bosc_plan *plan = plan_build(ctx, &s.scene, NULL);
    bosc_plan_sample_opts o = {.size = sizeof o, .sampling = BOSC_PLAN_UNIFORM};
    struct rows rows = sample(ctx, plan, &o, n);
    for (int c = 0; c < 4; c++) {
        double mean = 0, square = 0;
        for (int64_t i = 0; i < n; i++) {
            mean += rows.q[4 * i + c] / (double)n;
            square += rows.q[4 * i + c] * rows.q[4 * i + c] / (double)n;
        }
        CHECK(fabs(mean) < 4 * 0.5 / sqrt((double)n) && fabs(square - 0.25) < 4 * 0.25 / sqrt((double)n));
    }
    free_rows(&rows);
    bosc_plan_free(plan);
}

/* A space without a crossing, and one whose circles all have two. */
static void few_constraints(bosc_ctx *ctx)
{
    const double form[10] = {1, 0, 0, 0, -1, 0, 0, -1, 0, -1}, definite[10] = {1, 0, 0, 0, 1, 0, 0, 1, 0, 1};
    bosc_plan_scene scene = {.size = sizeof scene, .forms = definite, .form_count = 1};
    bosc_plan_sample_opts o = {.size = sizeof o, .limit = 50};
    bosc_plan *plan = plan_build(ctx, &scene, NULL);
    struct rows rows = sample(ctx, plan, &o, 60);
    CHECK(rows.rows == 50 && rows.last == 50 && plan_info(ctx, plan).always == 1);
    for (int i = 0; i < 50; i++) CHECK_EQ(rows.next[i], -1);
    free_rows(&rows);
    scene.forms = form;
    CHECK_OK(ctx, bosc_plan_build(ctx, plan, &scene));
    rows = sample(ctx, plan, &o, 100);
    CHECK(rows.rows >= 50 && check_rows(ctx, plan, &rows) > 10);
    for (int i = 0; i < rows.rows; i++)
        if (rows.next[i] >= 0) CHECK_EQ(rows.next[rows.next[i]], i);
    free_rows(&rows);
    o.limit = 0;
    double q[4];
    int64_t n = -1, last = -1;
    bosc_status status = bosc_plan_sample(ctx, plan, &o, 1, q, NULL, NULL, &n, &last);
    CHECK(status == BOSC_ERR_SPACE ? n == -1 && last == -1 : n == 1);
    bosc_plan_free(plan);
}

/* Forms that share roots on every circle: the rows are those of one thread. */
static void shared_roots(bosc_ctx *ctx)
{
    /* q0 q1, q0 q2, q0 q3 and q1 q2: each is 0 where another one is. */
    const double forms[4][10] = {{[1] = 1}, {[2] = 1}, {[3] = 1}, {[5] = 1}};
    const bosc_plan_scene scene = {.size = sizeof scene, .forms = forms[0], .form_count = 4};
    const bosc_plan_sample_opts o = {.size = sizeof o, .seed = 9};
    bosc_ctx *plain = plain_context();
    bosc_plan *plan = plan_build(ctx, &scene, NULL), *other = plan_build(plain, &scene, NULL);
    struct rows all = sample(ctx, plan, &o, 1000), same = sample(plain, other, &o, 1000);
    CHECK_EQ(all.rows, same.rows);
    same_rows(&all, 0, &same, plan_info(ctx, plan).words);
    free_rows(&all);
    free_rows(&same);
    bosc_plan_free(plan);
    bosc_plan_free(other);
    bosc_ctx_free(plain);
}

/* ---- roadmaps ---- */

static bosc_roadmap_info roadmap_info(bosc_ctx *ctx, const bosc_roadmap *roadmap)
{
    bosc_roadmap_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_roadmap_get_info(ctx, roadmap, &info));
    return info;
}

static void check_cells(bosc_ctx *ctx, const bosc_plan *plan, const bosc_roadmap *roadmap)
{
    bosc_roadmap_info info = roadmap_info(ctx, roadmap);
    double *cells = suite_alloc((size_t)info.cells * 32), *rows = suite_alloc((size_t)info.rows * 32);
    uint64_t *vectors = suite_alloc((size_t)(info.cells * info.words) * 8);
    uint64_t *signs = suite_alloc((size_t)(info.cells * info.words) * 8);
    int64_t *next = suite_alloc((size_t)info.rows * 8), *first = suite_alloc((size_t)info.cells * 8), witnessed = 0;
    CHECK_OK(ctx, bosc_roadmap_get_cells(ctx, roadmap, cells));
    CHECK_OK(ctx, bosc_roadmap_get_rows(ctx, roadmap, 0, info.rows, rows, next));
    CHECK_OK(ctx, bosc_cellgraph_get_vertices(ctx, bosc_roadmap_graph(roadmap), vectors, first, NULL, NULL));
    CHECK_OK(ctx, bosc_plan_signs(ctx, plan, cells, info.cells, 0, signs));
    CHECK(memcmp(vectors, signs, (size_t)(info.cells * info.words) * 8) == 0);
    for (int64_t v = 0; v < info.cells; v++) CHECK(memcmp(cells + 4 * v, rows + 4 * first[v], 32) == 0);
    for (int64_t i = 0; i < info.rows; i++) witnessed += next[i] >= 0;
    CHECK_EQ(witnessed, info.witnessed);
    free(cells);
    free(rows);
    free(vectors);
    free(signs);
    free(next);
    free(first);
}

static void roadmaps(bosc_ctx *ctx)
{
    const int64_t most = suite_slow(ctx) ? 1500 : 30000;
    struct suite_random r = {12};
    struct plan_scene s;
    plan_random_triangles(&s, &r, 1, 2);
    bosc_plan *plan = plan_build(ctx, &s.scene, NULL);
    bosc_roadmap *roadmap = NULL, *parts = NULL;
    double ends[8];
    int64_t components = 0;
    bosc_roadmap_explore_opts o = {.size = sizeof o, .batch = most / 5, .max_rows = most, .new_rate = -1};
    unit_rotations(&r, 2, ends);
    CHECK_OK(ctx, bosc_roadmap_create(ctx, plan, &roadmap));
    CHECK_OK(ctx, bosc_roadmap_create(ctx, plan, &parts));
    CHECK_OK(ctx, bosc_roadmap_add(ctx, roadmap, plan, ends, 2, 0));
    CHECK_EQ(roadmap_info(ctx, roadmap).rows, 2);
    CHECK_OK(ctx, bosc_roadmap_explore(ctx, roadmap, plan, &o));
    check_cells(ctx, plan, roadmap);
    bosc_roadmap_info info = roadmap_info(ctx, roadmap);
    CHECK(info.rows <= most && info.rows > most - 2 * info.constraints && info.batches >= 5 && !info.saturated);
    CHECK(info.witnessed * 100 > 98 * info.rows);
    /* circles are connected: only the rows that were added may be apart */
    CHECK_OK(ctx, bosc_cellgraph_components(ctx, bosc_roadmap_graph(roadmap), NULL, &components));
    CHECK(components <= 3);
    /* two explorations, and then the ends: the same cells */
    o.max_rows = most / 2;
    CHECK_OK(ctx, bosc_roadmap_explore(ctx, parts, plan, &o));
    o.max_rows = most - 2;
    CHECK_OK(ctx, bosc_roadmap_explore(ctx, parts, plan, &o));
    CHECK_OK(ctx, bosc_roadmap_add(ctx, parts, plan, ends, 2, 0));
    check_cells(ctx, plan, parts);
    bosc_roadmap_info other = roadmap_info(ctx, parts);
    if (other.rows == info.rows) CHECK(other.cells == info.cells && other.edges == info.edges);
    /* until new cells are rare */
    o.max_rows = 0;
    o.new_rate = 0.5;
    CHECK_OK(ctx, bosc_roadmap_explore(ctx, parts, plan, &o));
    CHECK(roadmap_info(ctx, parts).saturated == 1 && roadmap_info(ctx, parts).new_rate < 0.5);
    bosc_roadmap_free(roadmap);
    bosc_roadmap_free(parts);
    bosc_plan_free(plan);
}

static const struct suite_case suite_cases_plan_sample[] = {
    {"arcs", arcs, NULL},         {"sampling", sampling, NULL},
    {"uniform", uniform, NULL},   {"few constraints", few_constraints, NULL},
    {"roadmaps", roadmaps, NULL}, {"shared roots", shared_roots, NULL},
};
SUITE(plan_sample);
