/* Each allocation, copy and launch of batches of clouds fails in turn. */
#include "cases/clouds/clouds_data.h"
#include "support/faults.h"

enum { ROOM = 20000, CALLS = 10 };

struct outputs {
    int64_t rows[401], ids[ROOM];
    double dist2[ROOM];
};

struct subject {
    struct clouds_batch b;
    bosc_clouds *clouds;
    int which;
    int64_t rows[401], samples[CLOUDS_MOST + 1], numbers[401];
    struct outputs out;
};

static bosc_clouds_opts options(const struct subject *s)
{
    const bool is_f32 = s->b.points.dtype == BOSC_F32;
    return (bosc_clouds_opts){
        .size = sizeof(bosc_clouds_opts), .dtype = s->b.points.dtype, .dim = 3, .id_bits = is_f32 ? 32 : 64};
}

static bosc_clouds_queries queries(const struct subject *s)
{
    return (bosc_clouds_queries){.size = sizeof(bosc_clouds_queries),
                                 .points = s->b.points.data,
                                 .count = s->b.points.n,
                                 .stride = s->b.points.stride,
                                 .offsets = s->b.offsets};
}

static void open_batch(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_clouds_opts o = options(s);
    s->clouds = clouds_build(ctx, &s->b, &o);
}

static void close_batch(void *user) { bosc_clouds_free(((struct subject *)user)->clouds); }

/* Creates a batch, builds it twice and searches; or one call on an existing batch. */
static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const struct clouds_batch *b = &s->b;
    struct outputs *o = &s->out;
    const bosc_clouds_opts opts = options(s);
    const bosc_clouds_queries q = queries(s);
    bosc_clouds *clouds = NULL;
    /* 0 and 5 make a batch; 1 to 4 and 6 to 8 search and sample the existing one; the last reserves. */
    switch (s->which) {
    case 0: {
        bosc_status status = bosc_clouds_create(ctx, &opts, &clouds);
        if (status == BOSC_OK)
            status = bosc_clouds_build(ctx, clouds, b->points.data, b->offsets[2], b->points.stride, b->offsets, 2);
        if (status == BOSC_OK)
            status =
                bosc_clouds_build(ctx, clouds, b->points.data, b->points.n, b->points.stride, b->offsets, b->count);
        if (status == BOSC_OK) status = bosc_clouds_knn(ctx, clouds, NULL, 3, (double)INFINITY, o->ids, NULL);
        bosc_clouds_free(clouds);
        return status;
    }
    case 1: return bosc_clouds_knn(ctx, s->clouds, &q, 40, 300, o->ids, NULL);
    case 2: return bosc_clouds_radius(ctx, s->clouds, &q, 300, o->rows, NULL, NULL, 0);
    case 3: return bosc_clouds_radius(ctx, s->clouds, &q, 300, s->rows, o->ids, o->dist2, ROOM);
    case 4: return bosc_clouds_sample_farthest(ctx, s->clouds, s->samples, s->samples[b->count], NULL, o->ids);
    case 5: {
        bosc_status status = bosc_clouds_create(ctx, &opts, &clouds);
        if (status == BOSC_OK)
            status = bosc_clouds_build_from_batch(ctx, clouds, b->points.data, b->points.n, b->points.stride,
                                                  s->numbers, -1);
        bosc_clouds_queries of_numbers = q;
        of_numbers.offsets = NULL;
        of_numbers.batch = s->numbers;
        if (status == BOSC_OK) status = bosc_clouds_radius_count(ctx, clouds, &of_numbers, 300, o->ids);
        bosc_clouds_free(clouds);
        return status;
    }
    case 6:
        return bosc_clouds_sample_ratio(ctx, s->clouds, 0.5, (const double[CLOUDS_MOST]){0.5}, o->rows, o->ids, ROOM,
                                        NULL);
    case 7: {
        bosc_clouds_edges edges = {.size = sizeof edges, .edges = o->ids, .capacity = ROOM / 2, .max_edges = ROOM};
        return bosc_clouds_radius_edges(ctx, s->clouds, &q, 150, &edges);
    }
    case 8: return bosc_clouds_knn_edges(ctx, s->clouds, &q, 2, 300, o->ids, 1);
    default: {
        bosc_status status = bosc_clouds_reserve(ctx, s->clouds, 4000, 30, 10);
        return status ? status : bosc_clouds_radius_count(ctx, s->clouds, NULL, 300, o->ids);
    }
    }
}

static void faults(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    /* Each call on a batch of floats and one of doubles. */
    for (int kind = 0; kind < 2 * CALLS; kind++) {
        struct suite_random r = {(uint64_t)kind + 1};
        memset(s, 0, sizeof *s);
        s->which = kind % CALLS;
        s->b = clouds_make(&r, kind < CALLS ? BOSC_F32 : BOSC_F64, 3, CLOUDS_UNEVEN, 90, KD_RANDOM);
        CHECK(s->b.points.n <= 400);
        for (int64_t c = 0; c < s->b.count; c++) {
            for (int64_t i = s->b.offsets[c]; i < s->b.offsets[c + 1]; i++) s->numbers[i] = c;
            s->samples[c + 1] = s->samples[c] + (s->b.offsets[c + 1] - s->b.offsets[c]) / 2;
        }
        struct fault_sweep sweep = {.call = call,
                                    .open = open_batch,
                                    .close = close_batch,
                                    .user = s,
                                    .outputs = &s->out,
                                    .output_bytes = sizeof s->out};
        const bosc_clouds_queries q = queries(s);
        open_batch(ctx, s);
        CHECK_OK(ctx, bosc_clouds_radius(ctx, s->clouds, &q, 300, s->rows, NULL, NULL, 0));
        CHECK(s->rows[s->b.points.n] <= ROOM);
        close_batch(s);
        if (!suite_leaves_out()) fault_sweep(ctx, &sweep);
        clouds_release(&s->b);
    }
    free(s);
}

static const struct suite_case suite_cases_clouds_faults[] = {{"faults", faults, NULL}};
SUITE(clouds_faults);
