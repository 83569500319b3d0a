/* Each allocation, copy and launch of neighbour lists fails in turn. */
#include "cases/neighborlist/neighborlist_data.h"
#include "support/faults.h"

enum { ROOM = 4000, ATOMS = 64 };

struct subject {
    bosc_neighborlist_opts opts;
    bosc_neighborlist_systems systems;
    bosc_neighborlist *list;
    double cutoff;
    int which;
    struct outputs {
        int64_t offsets[ATOMS + 1], centers[ROOM], neighbors[ROOM], count;
        int32_t shifts[3 * ROOM], needs_build;
        double distances[ROOM], vectors[3 * ROOM];
    } out;
};

static bosc_neighborlist_arrays arrays_of(struct outputs *o)
{
    return (bosc_neighborlist_arrays){.size = sizeof(bosc_neighborlist_arrays),
                                      .capacity = ROOM,
                                      .centers = o->centers,
                                      .neighbors = o->neighbors,
                                      .shifts = o->shifts,
                                      .distances = o->distances,
                                      .vectors = o->vectors};
}

static void open_list(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    CHECK_OK(ctx, bosc_neighborlist_create(ctx, &s->opts, &s->list));
    CHECK_OK(ctx, bosc_neighborlist_build(ctx, s->list, &s->systems));
}

static void close_list(void *user) { bosc_neighborlist_free(((struct subject *)user)->list); }

/* Creates a list and builds twice, or calls the existing one. */
static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    struct outputs *o = &s->out;
    const bosc_neighborlist_arrays arrays = arrays_of(o);
    bosc_neighborlist *list = NULL;
    switch (s->which) {
    case 0: {
        bosc_status status = bosc_neighborlist_create(ctx, &s->opts, &list);
        if (status == BOSC_OK) status = bosc_neighborlist_build(ctx, list, &s->systems);
        if (status == BOSC_OK) status = bosc_neighborlist_build(ctx, list, &s->systems);
        if (status == BOSC_OK) status = bosc_neighborlist_pairs(ctx, list, 0, &arrays, &o->count);
        bosc_neighborlist_free(list);
        return status;
    }
    case 1: return bosc_neighborlist_pairs(ctx, s->list, s->cutoff, &arrays, &o->count);
    case 2: return bosc_neighborlist_rows(ctx, s->list, s->cutoff, o->offsets);
    case 3: return bosc_neighborlist_padded(ctx, s->list, s->cutoff, 20, o->offsets, &arrays);
    case 4: return bosc_neighborlist_move(ctx, s->list, s->systems.positions, s->systems.stride, &o->needs_build);
    default: { /* the list keeps its pairs, whatever fails */
        bosc_status status = bosc_neighborlist_reserve(ctx, s->list, 10000, 10, 100000);
        return status ? status : bosc_neighborlist_pairs(ctx, s->list, 0, &arrays, &o->count);
    }
    }
}

static void faults_of_every_call(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    for (int kind = 0; kind < 12; kind++) { /* six calls, with and without a skin */
        struct suite_random r = {(uint64_t)kind};
        struct atoms a = make_atoms(&r, BOSC_F64, 2, ATOMS / 4, false);
        memset(s, 0, sizeof *s);
        s->which = kind % 6;
        s->opts = (bosc_neighborlist_opts){
            .size = sizeof s->opts, .dtype = BOSC_F64, .cutoff = 0.8, .skin = kind / 6 ? 0.1 : 0};
        s->systems = systems_of(&a);
        struct fault_sweep sweep = {.call = call,
                                    .open = open_list,
                                    .close = close_list,
                                    .user = s,
                                    .outputs = &s->out,
                                    .output_bytes = sizeof s->out,
                                    .may_pass_none = true};
        if (!suite_leaves_out()) fault_sweep(ctx, &sweep);
        free_atoms(&a);
    }
    free(s);
}

static const struct suite_case suite_cases_neighborlist_faults[] = {
    {"faults of every call", faults_of_every_call, NULL},
};
SUITE(neighborlist_faults);
