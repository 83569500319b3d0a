/* Each allocation, copy and launch of voxel grids fails in turn. */
#include <stdlib.h>
#include <string.h>

#include "support/faults.h"
#include "cases/kdtree/kdtree_data.h"

enum { POINTS = 130, ROOM = POINTS * POINTS, CALLS = 11 };

/* The part of a query's outputs. */
struct outputs {
    int64_t offsets[POINTS + 1], ids[ROOM], count;
    double dist2[ROOM];
};

struct subject {
    struct reference_points points;
    bosc_voxelgrid *grid;
    int which;
    bool huge;
    int64_t offsets[POINTS + 1];
    struct outputs out;
};

static bosc_voxelgrid_opts options(const struct subject *s)
{
    return (bosc_voxelgrid_opts){.size = sizeof(bosc_voxelgrid_opts),
                                 .dtype = s->points.dtype,
                                 .dim = 3,
                                 .cell = s->huge ? 1e-3 : 1,
                                 .id_bits = s->points.dtype == BOSC_F32 ? 32 : 64};
}

static void open_grid(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    bosc_voxelgrid_opts o = options(s);
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &o, &s->grid));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, s->grid, s->points.data, POINTS, s->points.stride));
}

static void close_grid(void *user) { bosc_voxelgrid_free(((struct subject *)user)->grid); }

/* Creates a grid, builds it twice and lists its pairs; or one of the queries on an existing grid. */
static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const void *points = s->points.data;
    int64_t stride = s->points.stride;
    struct outputs *o = &s->out;
    bosc_voxelgrid *grid = NULL;
    bosc_voxelgrid_opts opts = options(s);
    /* 0 makes a grid; 1 to 7 query the existing one; 8 reserves; 9 and 10 search around its own points. */
    switch (s->which) {
    case 0: {
        bosc_status status = bosc_voxelgrid_create(ctx, &opts, &grid);
        if (status == BOSC_OK) status = bosc_voxelgrid_build(ctx, grid, points, POINTS / 2, stride);
        if (status == BOSC_OK) status = bosc_voxelgrid_build(ctx, grid, points, POINTS, stride);
        if (status == BOSC_OK) status = bosc_voxelgrid_pairs(ctx, grid, 1, o->ids, NULL, ROOM / 2, &o->count);
        bosc_voxelgrid_free(grid);
        return status;
    }
    case 1: return bosc_voxelgrid_radius(ctx, s->grid, points, POINTS, stride, 1, o->offsets, NULL, NULL, 0);
    case 2: return bosc_voxelgrid_radius(ctx, s->grid, points, POINTS, stride, 1, s->offsets, o->ids, o->dist2, ROOM);
    case 3: return bosc_voxelgrid_pairs(ctx, s->grid, 1, o->ids, o->dist2, ROOM / 2, &o->count);
    case 4: return bosc_voxelgrid_components(ctx, s->grid, 1, o->ids, &o->count);
    case 5: return bosc_voxelgrid_voxels(ctx, s->grid, o->ids, o->offsets, POINTS, &o->count);
    case 8: {
        bosc_status status = bosc_voxelgrid_reserve(ctx, s->grid, 4 * POINTS, 10);
        return status ? status : bosc_voxelgrid_pairs(ctx, s->grid, 1, o->ids, NULL, ROOM / 2, &o->count);
    }
    case 6: return bosc_voxelgrid_radius_count(ctx, s->grid, points, POINTS, stride, 1, o->ids);
    case 9: return bosc_voxelgrid_radius_count(ctx, s->grid, NULL, POINTS, 0, 1, o->ids);
    case 10: return bosc_voxelgrid_radius(ctx, s->grid, NULL, POINTS, 0, 1, s->offsets, o->ids, o->dist2, ROOM);
    default: return bosc_voxelgrid_voxel_count(ctx, s->grid, points, POINTS, stride, o->ids);
    }
}

static void faults(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    for (int kind = 0; kind < 3 * CALLS; kind++) {
        struct suite_random r = {(uint64_t)kind};
        memset(s, 0, sizeof *s);
        s->which = kind % CALLS;
        s->huge = kind / CALLS == 2; /* no keys */
        s->points = kd_points(&r, kind / CALLS == 1 ? BOSC_F64 : BOSC_F32, 3, POINTS, 3, s->huge ? KD_HUGE : KD_GRID);
        struct fault_sweep sweep = {.call = call,
                                    .open = open_grid,
                                    .close = close_grid,
                                    .user = s,
                                    .outputs = &s->out,
                                    .output_bytes = sizeof s->out};
        open_grid(ctx, s);
        CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, s->grid, s->points.data, POINTS, 3, 1, s->offsets, NULL, NULL, 0));
        close_grid(s);
        if (!suite_leaves_out()) fault_sweep(ctx, &sweep);
        free((void *)s->points.data);
    }
    free(s);
}

/* Equal points, which components join first. */
enum { COPIES = 900 };

struct crowd {
    struct reference_points points;
    bosc_voxelgrid *grid;
    struct {
        int64_t labels[COPIES], count;
    } out;
};

static void open_crowd(bosc_ctx *ctx, void *user)
{
    struct crowd *s = user;
    const bosc_voxelgrid_opts o = {.size = sizeof o, .dtype = s->points.dtype, .dim = 3, .cell = 1e-3};
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &o, &s->grid));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, s->grid, s->points.data, COPIES, 0));
}

static void close_crowd(void *user) { bosc_voxelgrid_free(((struct crowd *)user)->grid); }

static bosc_status call_crowd(bosc_ctx *ctx, void *user)
{
    struct crowd *s = user;
    return bosc_voxelgrid_components(ctx, s->grid, 1, s->out.labels, &s->out.count);
}

static void copies(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64};
    struct crowd *s = suite_alloc(sizeof *s);
    for (int t = 0; t < 2; t++) {
        struct suite_random r = {7};
        memset(s, 0, sizeof *s);
        s->points = kd_points(&r, dtypes[t], 3, COPIES, 3, KD_EQUAL);
        struct fault_sweep sweep = {.call = call_crowd,
                                    .open = open_crowd,
                                    .close = close_crowd,
                                    .user = s,
                                    .outputs = &s->out,
                                    .output_bytes = sizeof s->out};
        const int64_t passages = fault_sweep(ctx, &sweep);
#ifdef BOSC_FAULTS
        CHECK(passages > 3);
#else
        (void)passages; /* the context's memory may suffice for all */
#endif
        free((void *)s->points.data);
    }
    free(s);
}

static const struct suite_case suite_cases_voxelgrid_faults[] = {{"faults", faults, NULL}, {"copies", copies, NULL}};
SUITE(voxelgrid_faults);
