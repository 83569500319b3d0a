/* Each allocation, copy and launch of voxelisations fails in turn. */
#include "cases/voxels/voxels_data.h"
#include "support/faults.h"

enum { ROOM = 4000, VOXELS = 140, CALLS = 10, WIDTH = 3, ROWS = 2 };

struct outputs {
    int64_t offsets[ROOM], ids[ROOM];
    double values[ROOM];
};

struct subject {
    struct voxels_batch b;
    bosc_voxels *voxels;
    int which;
    bool has_failed; /* the last call */
    struct outputs out;
};

static void open_voxels(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    s->has_failed = false;
    if (s->which == CALLS - 1)
        CHECK_OK(ctx, bosc_voxels_create(ctx, &s->b.opts, &s->voxels));
    else
        s->voxels = voxels_build(ctx, &s->b);
}

static void close_voxels(void *user) { bosc_voxels_free(((struct subject *)user)->voxels); }

/* Creates a voxelisation, builds it twice and lists; or one call on an existing one. */
static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const struct voxels_batch *b = &s->b;
    struct outputs *o = &s->out;
    const bosc_voxels *v = s->voxels;
    const bosc_dtype dtype = b->opts.dtype == BOSC_F64 ? BOSC_F64 : BOSC_F32;
    bosc_voxels *voxels = NULL;
    /* 0 makes a voxelisation; 8 reserves; 9 builds the first time, after a failure with a reserve: some blocks may be
     * missing; others query the existing one. */
    switch (s->which) {
    case 0: {
        bosc_status status = bosc_voxels_create(ctx, &b->opts, &voxels);
        if (status == BOSC_OK)
            status = bosc_voxels_build(ctx, voxels, b->points, b->offsets[2], b->stride, b->offsets, 2);
        if (status == BOSC_OK)
            status = bosc_voxels_build(ctx, voxels, b->points, b->n, b->stride, b->offsets, b->count);
        if (status == BOSC_OK) status = bosc_voxels_list(ctx, voxels, NULL, o->ids, NULL, o->offsets, VOXELS);
        bosc_voxels_free(voxels);
        return status;
    }
    case 1: return bosc_voxels_list(ctx, v, (int32_t *)(void *)o->values, o->ids, NULL, o->offsets, VOXELS);
    case 2: return bosc_voxels_inverse(ctx, v, o->ids);
    case 3: return bosc_voxels_members(ctx, v, o->offsets, o->ids, VOXELS);
    case 4: return bosc_voxels_mean(ctx, v, dtype, b->points, WIDTH, b->stride, o->values, VOXELS);
    case 5: return bosc_voxels_mean_gradient(ctx, v, dtype, b->points, WIDTH, o->values, VOXELS);
    case 6: return bosc_voxels_nearest(ctx, v, b->points, b->stride, o->ids, VOXELS);
    case 7: return bosc_voxels_pad(ctx, v, dtype, b->points, WIDTH, b->stride, ROWS, o->values, VOXELS);
    case 8: {
        bosc_status status = bosc_voxels_reserve(ctx, s->voxels, 4000, 30);
        return status ? status : bosc_voxels_kernel_map(ctx, v, v, NULL, o->ids, VOXELS);
    }
    default: {
        bosc_status status = s->has_failed ? bosc_voxels_reserve(ctx, s->voxels, ROOM, 30) : BOSC_OK;
        if (status == BOSC_OK)
            status = bosc_voxels_build(ctx, s->voxels, b->points, b->n, b->stride, b->offsets, b->count);
        s->has_failed = status != BOSC_OK;
        return status ? status : bosc_voxels_inverse(ctx, v, o->ids);
    }
    }
}

static void faults(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    for (int kind = 0; kind < 2 * CALLS; kind++) {
        struct suite_random r = {(uint64_t)kind + 1};
        memset(s, 0, sizeof *s);
        s->which = kind % CALLS;
        s->b = voxels_make(&r, kind < CALLS ? BOSC_F32 : BOSC_F64, WIDTH, 100, 3, VOXELS_UNIFORM);
        CHECK(s->b.n <= VOXELS);
        if (kind % 2) s->b.opts.max_voxels = 20;
        struct fault_sweep sweep = {.call = call,
                                    .open = open_voxels,
                                    .close = close_voxels,
                                    .user = s,
                                    .outputs = &s->out,
                                    .output_bytes = sizeof s->out};
        if (!suite_leaves_out()) fault_sweep(ctx, &sweep);
        voxels_release(&s->b);
    }
    free(s);
}

static const struct suite_case suite_cases_voxels_faults[] = {{"faults", faults, NULL}};
SUITE(voxels_faults);
