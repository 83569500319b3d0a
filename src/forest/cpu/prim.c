/* Spanning trees of points in many dimensions by Prim's method: every pair of points is measured once. Searches of a
 * k-d tree measure most pairs there, once for each round or more. Source: Prim, Shortest Connection Networks and Some
 * Generalizations (1957). */
#include <math.h>

#include "base/bits.h"
#include "core/call.h"
#include "core/cpu/level.h"
#include "core/cpu/threads.h"
#include "forest/cpu/prim.h"
#include "forest/forest.h"

enum {
    LEAST_DIM = 17,        /* boxes of searches have 16 coordinates */
    MOST_POINTS = 1 << 15, /* work is quadratic: about 0.2 s for 10,000 points in 64-D on one thread */
    SAMPLES = 24,          /* points of the estimate */
    NEAR = 8,              /* its neighbours */
    MANY_SHARE = 64,       /* of n: this share of the points within twice their distance is many. Not measured */
    STEP_ITEMS = 350       /* progress weight of a step */
};

struct prim {
    bosc_ctx *ctx;
    const struct bi_emst_prim *args;
    struct bi_emst_outside outside;
    void *point; /* of the joined vertex */
    size_t size; /* of a coordinate */
};

/* --- Blocks ------------------------------------------------------------------------------------------------------- */

static double real_at(const struct prim *d, const void *reals, int64_t at)
{
    return d->size == 4 ? (double)((const float *)reals)[at] : ((const double *)reals)[at];
}

static void set_real(const struct prim *d, void *reals, int64_t at, double x)
{
    if (d->size == 4)
        ((float *)reals)[at] = (float)x;
    else
        ((double *)reals)[at] = x;
}

/* Returns the element of coordinate c in a lane. */
static int64_t element_of(const struct prim *d, int64_t lane, int32_t c)
{
    const int64_t block = lane / BI_EMST_LANES;
    return (block * d->outside.dim + c) * BI_EMST_LANES + lane % BI_EMST_LANES;
}

static int64_t blocks_of(const struct prim *d) { return (d->outside.count + BI_EMST_LANES - 1) / BI_EMST_LANES; }

static bosc_status allocate(struct prim *d)
{
    struct bi_emst_outside *o = &d->outside;
    const int64_t blocks = blocks_of(d), lanes = blocks * BI_EMST_LANES;
    BI_TRY(bi_scratch_of(d->ctx, lanes * o->dim, d->size, &o->points));
    BI_TRY(bi_scratch_of(d->ctx, lanes, d->size, &o->best));
    BI_TRY(bi_scratch_of(d->ctx, blocks, d->size, &o->least));
    BI_TRY(bi_scratch_of(d->ctx, lanes, sizeof *o->from, &o->from));
    BI_TRY(bi_scratch_of(d->ctx, lanes, sizeof *o->vertices, &o->vertices));
    BI_TRY(bi_scratch_of(d->ctx, o->dim, d->size, &d->point));
    return d->args->core ? bi_scratch_of(d->ctx, lanes, d->size, &o->cores) : BOSC_OK;
}

/* Makes a lane infinitely far. */
static void clear_lane(const struct prim *d, int64_t lane)
{
    set_real(d, d->outside.points, element_of(d, lane, 0), (double)NAN);
    set_real(d, d->outside.best, lane, (double)INFINITY);
}

/* Puts all points outside of the tree. */
static void fill_blocks(const struct prim *d)
{
    const struct bi_emst_outside *o = &d->outside;
    const int64_t lanes = blocks_of(d) * BI_EMST_LANES;
    for (int64_t lane = 0; lane < lanes; lane++) {
        const int64_t v = lane < o->count ? lane : o->count - 1;
        for (int32_t c = 0; c < o->dim; c++)
            set_real(d, o->points, element_of(d, lane, c), real_at(d, d->args->rows, v * o->dim + c));
        if (o->cores) set_real(d, o->cores, lane, real_at(d, d->args->core, v));
        set_real(d, o->best, lane, (double)INFINITY);
        o->from[lane] = UINT32_MAX;
        o->vertices[lane] = (uint32_t)v;
        if (lane >= o->count) clear_lane(d, lane);
    }
}

/* Lowers the best edges of all blocks by those to a vertex. */
static void lower_best(const struct prim *d, const struct bi_emst_joined *joined)
{
    const struct bi_emst_prim_hot *hot = BI_LEVEL_PICK(d->ctx->level, bi_emst_prim_hot);
    const int64_t blocks = blocks_of(d);
    const int threads = bi_thread_count_by_cost(d->ctx, blocks * BI_EMST_LANES, 1 + d->outside.dim / 16);
    BI_PARALLEL_FOR(threads, (static), chunk, 0, threads, {
        (d->size == 4 ? hot->lower_f32 : hot->lower_f64)(&d->outside, joined,
                                                         bi_chunk_begin(blocks, threads, (int)chunk),
                                                         bi_chunk_begin(blocks, threads, (int)chunk + 1));
    });
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

/* An edge to the tree. */
struct choice {
    int64_t lane;
    uint64_t pair; /* smaller vertex << 32 | greater vertex */
    double length;
};

/* Returns the first edge to the tree by (length, pair). */
static struct choice choose_edge(const struct prim *d)
{
    const struct bi_emst_outside *o = &d->outside;
    struct choice found = {-1, UINT64_MAX, (double)INFINITY};
    for (int64_t b = 0; b < blocks_of(d); b++) {
        const double length = real_at(d, o->least, b);
        found.length = length < found.length ? length : found.length;
    }
    for (int64_t b = 0; b < blocks_of(d); b++) {
        if (real_at(d, o->least, b) != found.length) continue;
        const int64_t begin = b * BI_EMST_LANES,
                      end = begin + BI_EMST_LANES < o->count ? begin + BI_EMST_LANES : o->count;
        for (int64_t lane = begin; lane < end; lane++) {
            const uint32_t u = o->from[lane], v = o->vertices[lane];
            const uint64_t pair = u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
            if (real_at(d, o->best, lane) != found.length || pair >= found.pair) continue;
            found.pair = pair;
            found.lane = lane;
        }
    }
    return found;
}

/* Moves the vertex of a lane to the tree: the last lane takes its position. */
static struct bi_emst_joined join_lane(struct prim *d, int64_t lane)
{
    struct bi_emst_outside *o = &d->outside;
    const int64_t last = --o->count;
    const struct bi_emst_joined joined = {d->point, o->cores ? real_at(d, o->cores, lane) : 0, o->vertices[lane]};
    for (int32_t c = 0; c < o->dim; c++) {
        set_real(d, d->point, c, real_at(d, o->points, element_of(d, lane, c)));
        set_real(d, o->points, element_of(d, lane, c), real_at(d, o->points, element_of(d, last, c)));
    }
    if (o->cores) set_real(d, o->cores, lane, real_at(d, o->cores, last));
    set_real(d, o->best, lane, real_at(d, o->best, last));
    o->from[lane] = o->from[last];
    o->vertices[lane] = o->vertices[last];
    clear_lane(d, last);
    return joined;
}

static uint64_t word_of(const struct prim *d, double length)
{
    return d->size == 4 ? bi_f32_bits((float)length) : bi_f64_bits(length);
}

/* Adds one vertex after the other. */
static bosc_status grow(struct prim *d)
{
    struct bi_emst_joined joined = join_lane(d, 0);
    for (int64_t edges = 0; d->outside.count > 0; edges++) {
        lower_best(d, &joined);
        const struct choice next = choose_edge(d);
        d->args->pairs[edges] = next.pair;
        d->args->words[edges] = word_of(d, next.length);
        joined = join_lane(d, next.lane);
        BI_TRY(bi_progress_advance(d->ctx, STEP_ITEMS));
    }
    return BOSC_OK;
}

/* --- The estimate ------------------------------------------------------------------------------------------------- */

/* True if many points are within twice the distance of a sample's NEAR-th neighbour. outside.best: the squared
 * distances to the sample. */
static bool has_many_near(const struct prim *d)
{
    double near[NEAR + 1]; /* ascending; the point itself is the first */
    int64_t within = 0;
    for (int k = 0; k <= NEAR; k++) near[k] = (double)INFINITY;
    for (int64_t lane = 0; lane < d->outside.count; lane++) {
        const double square = real_at(d, d->outside.best, lane);
        if (!(square < near[NEAR])) continue;
        int k = NEAR;
        for (; k > 0 && near[k - 1] > square; k--) near[k] = near[k - 1];
        near[k] = square;
    }
    for (int64_t lane = 0; lane < d->outside.count; lane++)
        within += real_at(d, d->outside.best, lane) <= 4 * near[NEAR];
    return within * MANY_SHARE >= d->outside.count;
}

/* True if searches of a tree would measure many pairs, by most of a sample. */
static bool is_unprunable(const struct prim *d)
{
    const struct bi_emst_outside *o = &d->outside;
    int many = 0;
    for (int64_t s = 0; s < SAMPLES; s++) {
        const int64_t v = s * o->count / SAMPLES;
        const struct bi_emst_joined sample = {(const char *)d->args->rows + (size_t)(v * o->dim) * d->size, 0, 0};
        for (int64_t lane = 0; lane < o->count; lane++) set_real(d, o->best, lane, (double)INFINITY);
        lower_best(d, &sample);
        many += has_many_near(d);
    }
    return 2 * many > SAMPLES;
}

/* --- The operation ------------------------------------------------------------------------------------------------ */

bool bi_emst_cpu_admits_prim(int64_t n, int32_t dim) { return dim >= LEAST_DIM && n >= 2 && n <= MOST_POINTS; }

/* Sets *d, with all points outside of the tree. */
static bosc_status init_prim(bosc_ctx *ctx, const struct bi_emst_prim *args, struct prim *d)
{
    *d = (struct prim){.ctx = ctx,
                       .args = args,
                       .outside = {.count = args->n, .dim = args->dim},
                       .size = args->is_64bit ? sizeof(double) : sizeof(float)};
    BI_TRY(allocate(d));
    fill_blocks(d);
    return BOSC_OK;
}

bosc_status bi_emst_cpu_prefers_prim(bosc_ctx *ctx, const struct bi_emst_prim *args, bool *is_preferred)
{
    struct prim d;
    BI_TRY(init_prim(ctx, args, &d));
    *is_preferred = is_unprunable(&d);
    return BOSC_OK;
}

bosc_status bi_emst_cpu_grow(bosc_ctx *ctx, const struct bi_emst_prim *args)
{
    struct prim d;
    BI_TRY(init_prim(ctx, args, &d));
    return grow(&d);
}
