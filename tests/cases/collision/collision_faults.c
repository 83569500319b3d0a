/* Each allocation, copy and launch of collisions fails in turn. */
#include <stdlib.h>
#include <string.h>

#include "collision/collision.h"
#include "support/faults.h"
#include "cases/collision/collision_data.h"

enum { TRIANGLES = 24, ROOM = 2 * TRIANGLES * TRIANGLES };

struct subject {
    bosc_collision_opts opts;
    bosc_collision_mesh a, b;
    bosc_collision *collision;
    int which;
    int64_t offsets[TRIANGLES + 1];
    struct outputs {
        int64_t offsets[TRIANGLES + 1], ids[ROOM], count;
    } out;
};

static void open_collision(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    CHECK_OK(ctx, bosc_collision_create(ctx, &s->opts, &s->collision));
    CHECK_OK(ctx, bosc_collision_build(ctx, s->collision, &s->a, &s->b));
}

static void close_collision(void *user) { bosc_collision_free(((struct subject *)user)->collision); }

/* Creates a handle and builds twice, or queries the existing handle. */
static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    struct outputs *o = &s->out;
    bosc_collision *collision = NULL;
    switch (s->which) {
    case 0: {
        bosc_status status = bosc_collision_create(ctx, &s->opts, &collision);
        if (status == BOSC_OK) status = bosc_collision_build(ctx, collision, &s->a, &s->a);
        if (status == BOSC_OK) status = bosc_collision_build(ctx, collision, &s->b, &s->a);
        if (status == BOSC_OK) status = bosc_collision_pairs(ctx, collision, o->ids, ROOM / 2, &o->count);
        bosc_collision_free(collision);
        return status;
    }
    case 1: return bosc_collision_pairs(ctx, s->collision, o->ids, ROOM / 2, &o->count);
    case 2: return bosc_collision_rows(ctx, s->collision, o->offsets, NULL, 0);
    case 3: return bosc_collision_rows(ctx, s->collision, s->offsets, o->ids, ROOM);
    default: { /* the handle keeps its frame, whatever fails */
        const int64_t many = 100000;
        const bosc_collision_sizes sizes = {
            .size = sizeof sizes, .triangles = many, .near_count = many, .candidates = many, .pairs = many};
        bosc_status status = bosc_collision_reserve(ctx, s->collision, &sizes);
        CHECK_EQ(s->collision->info.pairs, s->offsets[TRIANGLES]);
        return status ? status : bosc_collision_pairs(ctx, s->collision, o->ids, ROOM / 2, &o->count);
    }
    }
}

static void faults_of_every_call(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    /* Five calls, each with both widths of ids, indices and coordinates. */
    for (int kind = 0; kind < 10; kind++) {
        struct suite_random r = {(uint64_t)kind};
        int64_t map[3][3];
        memset(s, 0, sizeof *s);
        s->which = kind % 5;
        s->opts = (bosc_collision_opts){.size = sizeof s->opts,
                                        .dtype = kind / 5 ? BOSC_F64 : BOSC_F32,
                                        .index_bits = kind / 5 ? 64 : 32,
                                        .id_bits = kind / 5 ? 32 : 64};
        collide_unimodular(&r, 0, 0, map);
        struct reference_mesh a = collide_mesh(&r, COLLIDE_DEGENERATE, TRIANGLES, false);
        struct reference_mesh b = collide_mesh(&r, COLLIDE_RANDOM, TRIANGLES, true);
        s->a = collide_arrays(&a, &s->opts, map, 0, 3);
        s->b = collide_arrays(&b, &s->opts, map, -4, 3);
        /* The meshes must collide, or the sweep proves nothing. */
        open_collision(ctx, s);
        CHECK_OK(ctx, bosc_collision_rows(ctx, s->collision, s->offsets, NULL, 0));
        CHECK(s->offsets[TRIANGLES] > 0);
        close_collision(s);
        struct fault_sweep sweep = {.call = call,
                                    .open = open_collision,
                                    .close = close_collision,
                                    .user = s,
                                    .outputs = &s->out,
                                    .output_bytes = sizeof s->out};
        if (!suite_leaves_out()) fault_sweep(ctx, &sweep);
        collide_free_arrays(&s->a);
        collide_free_arrays(&s->b);
        collide_free(&a);
        collide_free(&b);
    }
    free(s);
}

static const struct suite_case suite_cases_collision_faults[] = {{"faults", faults_of_every_call, NULL}};
SUITE(collision_faults);
