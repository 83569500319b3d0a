/* The choice of AUTO: the time of each method is estimated from the number of vertices, their words, and what is seen
 * of a sample of them: how many pairs the join would compare, and how many vectors would be looked up. The times of
 * single steps were measured (bench_cellgraph_auto); only the choice depends on them. */
#include "cellgraph/driver.h"

/* Nanoseconds, and numbers of vertices and pairs. */
struct times {
    double pair, pair_word;               /* HEURISTIC: a pair, and a word that both have; */
    double row, row_word;                 /* the same for a vertex, where threads wait rather than work */
    double dictionary, dictionary_vertex; /* ZOBRIST: once, of a vertex, */
    double look_wait;                     /* of one that a thread waits for, */
    double look, vote;                    /* of a vector that is looked up, and of a letter for the common one */
    double join, join_vertex, join_word;  /* JOIN: once, of a vertex in a segment, of a word, */
    double join_pair;                     /* of a pair, */
    double skewed, skewed_vertex;         /* and, of each level of halves, once and of a vertex */
    double mates;                         /* so many that agree outside a segment make it go on in halves, */
    double skew;                          /* or so many pairs for each vertex */
    double crowd;                         /* fewer pairs for each vertex: JOIN is faster than ZOBRIST anyway */
    int64_t blind;                        /* so few vertices of several words are joined without a look */
    int64_t few;                          /* vertices for which a look at them costs more than all pairs */
};

static const struct times cpu_times = {.pair = 1.5,
                                       .pair_word = 1.0,
                                       .dictionary = 1000,
                                       .dictionary_vertex = 25,
                                       .look = 2.6,
                                       .vote = 1.0,
                                       .join = 800,
                                       .join_vertex = 6,
                                       .join_word = 1.5,
                                       .join_pair = 7,
                                       .skewed = 4000,
                                       .skewed_vertex = 60,
                                       .mates = 1e30,
                                       .skew = 24,
                                       .crowd = 3,
                                       .few = 32};

static const struct times cuda_times = {.pair = 0.001,
                                        .row = 450,
                                        .row_word = 170,
                                        .dictionary = 40000,
                                        .dictionary_vertex = 0.15,
                                        .look = 0.012,
                                        .look_wait = 6000,
                                        .vote = 0.0005,
                                        .join = 10000,
                                        .join_vertex = 0.035,
                                        .join_word = 0.012,
                                        .join_pair = 0.02,
                                        .skewed = 120000,
                                        .skewed_vertex = 0.5,
                                        .mates = BI_CELL_MATES,
                                        .skew = 64,
                                        .crowd = 3,
                                        .few = 16,
                                        .blind = 200};

/* *most gets the most pairs of a segment that would be compared, for each vertex. */
static double join_time(const struct times *t, const struct bi_cell_sample *sample, const struct bi_cell_seen *seen,
                        double *most)
{
    const double vertices = (double)sample->view.count, each = vertices / (double)sample->count;
    double time = t->join + vertices * sample->view.shape.words * t->join_word;
    *most = 0;
    for (int32_t g = 0; g < sample->segments; g++) {
        const double pairs = seen->pairs[g] * each * each;
        time += vertices * t->join_vertex;
        if (pairs > *most * vertices) *most = pairs / vertices;
        const bool crowd = seen->largest[g] > 2 && seen->largest[g] * each > t->mates;
        if (pairs < vertices * t->skew && !crowd)
            time += pairs * t->join_pair;
        else
            for (int32_t span = sample->span; span > 0; span /= 2) time += t->skewed + vertices * t->skewed_vertex;
    }
    return time;
}

/* Makes the sample, and looks at what the join would do. */
static bosc_status look(bosc_ctx *ctx, struct bi_cell_sample *sample, struct bi_cell_seen *seen)
{
    enum { PART = 16, LEAST = 24 };
    const struct bi_cell_view *v = &sample->view;
    const int64_t most = ctx->backend->id == BOSC_BACKEND_CPU ? BI_CELL_SAMPLES : BI_CELL_DEVICE_SAMPLES;
    sample->count = v->count / PART < LEAST ? LEAST : v->count / PART;
    if (sample->count > v->count) sample->count = v->count;
    if (sample->count > most) sample->count = most;
    sample->span = bi_cell_span(v->shape.words);
    sample->segments = (v->shape.words + sample->span - 1) / sample->span;
    BI_TRY(bi_cell_scratch(ctx, 1, sizeof *seen, &sample->seen));
    if (v->shape.words == 1) /* all vertices agree outside the only segment */
        return ctx->backend->fill(ctx, sample->seen, 0, sizeof *seen);
    BI_TRY(bi_cell_team_of(ctx)->look(ctx, sample));
    return bi_read_back(ctx, seen, sample->seen, sizeof *seen);
}

/* The mean of the vectors that ZOBRIST looks up for a vertex; the common letters are found for that. */
static bosc_status looks_of(bosc_ctx *ctx, struct bi_cell_sample *sample, double *looks)
{
    struct bi_cell_seen seen;
    BI_TRY(bi_cell_common_of(ctx, &sample->view, &sample->common));
    BI_TRY(BI_CELL_STEP(ctx, cell_looks, sample->count, sample));
    BI_TRY(bi_read_back(ctx, &seen, sample->seen, sizeof seen));
    *looks = seen.looks / (double)sample->count;
    return BOSC_OK;
}

/* The most that there can be. */
static double most_looks(const struct bi_cell_shape *s)
{
    return (double)s->length * (double)((1 << s->letter_bits) - 1);
}

bosc_status bi_cell_choose(bosc_ctx *ctx, const struct bi_cell_view *view, bosc_cell_method *method,
                           const uint32_t **common)
{
    const struct times *t = ctx->backend->id == BOSC_BACKEND_CPU ? &cpu_times : &cuda_times;
    const double n = (double)view->count, votes = (double)(bi_cell_voters(view->count) * view->shape.length);
    const double dictionary = t->dictionary + n * t->dictionary_vertex + votes * t->vote;
    struct bi_cell_sample sample = {.view = *view};
    struct bi_cell_seen seen = {.leading = 0};
    double looks = most_looks(&view->shape), most, join, best;
    *method = BOSC_CELL_HEURISTIC;
    *common = NULL;
    if (view->count <= t->few) return BOSC_OK;
    if (view->shape.words > 1 && view->count <= t->blind) {
        *method = BOSC_CELL_JOIN;
        return BOSC_OK;
    }
    BI_TRY(look(ctx, &sample, &seen));
    const double leading = seen.leading / (double)sample.count;
    best = n * n / 2 * (t->pair + leading * t->pair_word) + n * (t->row + leading * t->row_word);
    if (view->shape.words > 1) {
        join = join_time(t, &sample, &seen, &most);
        if (join < best) {
            *method = BOSC_CELL_JOIN;
            best = join;
        }
        if (most < t->crowd) return BOSC_OK;
    }
    if (dictionary > best) return BOSC_OK;
    if (dictionary + looks * (n * t->look + t->look_wait) > best) {
        BI_TRY(looks_of(ctx, &sample, &looks));
        *common = sample.common;
    }
    if (dictionary + looks * (n * t->look + t->look_wait) < best) *method = BOSC_CELL_ZOBRIST;
    return BOSC_OK;
}
