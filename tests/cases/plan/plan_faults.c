/* Each allocation, copy and launch of motion planning fails in turn. */
#include "cases/plan/plan_data.h"
#include "support/faults.h"

enum { ROWS = 120, CALLS = 9, WORDS = 2 };

struct subject {
    struct plan_scene scene;
    bosc_plan *plan;
    bosc_roadmap *roadmap;
    int which;
    double q[4 * ROWS];
    struct outputs {
        double q[4 * ROWS];
        uint64_t vectors[WORDS * ROWS], kept[WORDS * ROWS];
        int64_t offsets[ROWS + 1], next[ROWS], count;
        uint8_t labels[ROWS];
    } out;
};

static const bosc_roadmap_explore_opts explore = {
    .size = sizeof explore, .batch = 40, .max_rows = ROWS, .new_rate = -1};

static void open_subject(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    s->plan = plan_build(ctx, &s->scene.scene, NULL);
    CHECK(plan_info(ctx, s->plan).words <= WORDS);
    CHECK_OK(ctx, bosc_roadmap_create(ctx, s->plan, &s->roadmap));
    CHECK_OK(ctx, bosc_roadmap_add(ctx, s->roadmap, s->plan, s->q, ROWS / 2, 0));
}

static void close_subject(void *user)
{
    bosc_roadmap_free(((struct subject *)user)->roadmap);
    bosc_plan_free(((struct subject *)user)->plan);
}

/* Explores a new roadmap; after a failure it must be consistent. */
static bosc_status explore_fresh(bosc_ctx *ctx, const struct subject *s, struct outputs *o)
{
    bosc_roadmap *fresh = NULL;
    bosc_roadmap_info info = {.size = sizeof info};
    bosc_status status = bosc_roadmap_create(ctx, s->plan, &fresh);
    if (status == BOSC_OK) status = bosc_roadmap_explore(ctx, fresh, s->plan, &explore);
    if (status == BOSC_OK) status = bosc_roadmap_get_info(ctx, fresh, &info);
    if (status == BOSC_OK) o->count = info.cells * 1000 + info.witnessed;
    bosc_roadmap_free(fresh);
    return status;
}

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    struct outputs *o = &s->out;
    switch (s->which) {
    case 0: {
        bosc_plan *fresh = NULL;
        bosc_status status = bosc_plan_create(ctx, NULL, &fresh);
        if (status == BOSC_OK) status = bosc_plan_build(ctx, fresh, &s->scene.scene);
        if (status == BOSC_OK) status = bosc_plan_build(ctx, fresh, &s->scene.scene);
        if (status == BOSC_OK) status = bosc_plan_signs(ctx, fresh, s->q, ROWS, 0, o->vectors);
        bosc_plan_free(fresh);
        return status;
    }
    case 1: return bosc_plan_signs(ctx, s->plan, s->q, ROWS, 0, o->vectors);
    case 2: return bosc_plan_collides(ctx, s->plan, s->q, ROWS, 0, o->labels);
    case 3: return bosc_plan_arcs(ctx, s->plan, s->q, s->q + 4, ROWS - 1, NULL, o->kept);
    case 4: return bosc_plan_crossings(ctx, s->plan, s->q, s->q + 4, ROWS - 1, o->offsets, NULL, NULL, NULL, 0);
    case 5: {
        static struct outputs made; /* arrays are undefined on failure */
        int64_t rows;
        bosc_status status = bosc_plan_sample(ctx, s->plan, NULL, ROWS, made.q, made.vectors, made.next, &rows, NULL);
        if (status == BOSC_OK) memcpy(o->q, made.q, (size_t)rows * 32);
        if (status == BOSC_OK) memcpy(o->next, made.next, (size_t)rows * 8);
        return status;
    }
    case 6: return explore_fresh(ctx, s, o);
    case 7: { /* the handles keep their contents whatever fails */
        bosc_status status = bosc_plan_reserve(ctx, s->plan, &s->scene.scene, 0, 2 * ROWS);
        if (status == BOSC_OK) status = bosc_roadmap_reserve(ctx, s->roadmap, 1, 2 * ROWS, 0);
        if (status == BOSC_OK) status = bosc_plan_signs(ctx, s->plan, s->q, ROWS, 0, o->vectors);
        return status;
    }
    default: return bosc_roadmap_get_rows(ctx, s->roadmap, 0, ROWS / 2, o->q, o->next);
    }
}

static void faults(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    for (int which = 0; which < CALLS; which++) {
        struct suite_random r = {(uint64_t)which};
        memset(s, 0, sizeof *s);
        plan_random_triangles(&s->scene, &r, 1, 2);
        s->which = which;
        for (int k = 0; k < 4 * ROWS; k++) s->q[k] = suite_unit(&r) - 0.5;
        struct fault_sweep sweep = {.call = call,
                                    .open = open_subject,
                                    .close = close_subject,
                                    .user = s,
                                    .outputs = &s->out,
                                    .output_bytes = sizeof s->out};
        if (!suite_leaves_out()) fault_sweep(ctx, &sweep);
    }
    free(s);
}

static const struct suite_case suite_cases_plan_faults[] = {{"faults", faults, NULL}};
SUITE(plan_faults);
