/* The choice of AUTO: the time of each method is estimated from the number of vertices, their words, and what is seen
 * of a sample of them: how many pairs the join would compare, and how many vectors would be looked up. The times of
 * single steps were measured (bench_cellgraph_auto); only the choice depends on them. */
#include "base/elementary.h"
#include "cellgraph/driver.h"

/* Nanoseconds, and numbers of vertices and pairs. */
struct times {
    double pair, pair_word;               /* HEURISTIC: a pair, and a word that both have; */
    double row, row_word;                 /* the same for a vertex, where threads wait rather than work */
    double dictionary, dictionary_vertex; /* ZOBRIST: once, of a vertex, */
    double look, vote;                    /* of a vector that is looked up, and of a letter for the common one, */
    double look_wait;                     /* and of a vector of each vertex, times vertices to the power of 3/8; */
    double hit, hit_word;                 /* of a vector that is there, and of its words, if no cache holds them; */
    double cached;                        /* half of so many vertices are in one; */
    double join, join_vertex, join_word;  /* JOIN: once, of a vertex in a segment, of a word, */
    double join_pair, join_pair_word;     /* of a pair, and of a word of it; */
    double skewed, skewed_vertex;         /* and, of each level of halves, once and of a vertex; */
    double skewed_letter, skewed_look;    /* of a value of a letter, which takes the place of those that vary: once and
                                             of a vertex */
    double doubt;                         /* how likely a crowd hides behind a pair, where a sample may miss it */
    double mates;                         /* so many that agree outside a segment make it go on in halves, */
    double skew;                          /* or so many pairs for each vertex */
    double crowd;                         /* fewer pairs for each vertex: JOIN is faster than ZOBRIST anyway */
    double ask;                           /* how many vectors ZOBRIST would look up, once */
    int64_t blind;                        /* so few vertices of several words are joined without a look */
    int64_t few;                          /* vertices for which a look at them costs more than all pairs */
};

static const struct times cpu_times = {.pair = 1.5,
                                       .pair_word = 1.0,
                                       .row = 12,
                                       .dictionary = 1000,
                                       .dictionary_vertex = 25,
                                       .look = 2.6,
                                       .vote = 1.0,
                                       .hit = 45,
                                       .hit_word = 3.7,
                                       .cached = 8192,
                                       .join = 800,
                                       .join_vertex = 4.5,
                                       .join_word = 1.6,
                                       .join_pair = 3.5,
                                       .join_pair_word = 0.4,
                                       .skewed = 10000,
                                       .skewed_vertex = 200,
                                       .skewed_look = 4,
                                       .mates = 1e30,
                                       .skew = 24,
                                       .crowd = 3,
                                       .few = 32};

static const struct times cuda_times = {
    .pair = 0.001,
    .row = 450,
    .row_word = 170,
    .dictionary = 36000,
    .dictionary_vertex = 0.15,
    .look_wait = 115,
    .vote = 0.0005,
    .join = 10000,
    .join_vertex = 0.035,
    .join_word = 0.012,
    .join_pair = 0.02,
    .skewed = 120000,
    .skewed_vertex = 0.5,
    .skewed_letter = 4000,
    .doubt = 0.5,
    .mates = 1.25 * BI_CELL_MATES, /* samples show crowds too large rather than too small */
    .skew = 64,
    .crowd = 3,
    .ask = 10000,
    .few = 16,
    .blind = 200};

/* Of a segment that goes on in halves. */
static double halves_time(const struct times *t, const struct bi_cell_sample *sample)
{
    double time = 0;
    for (int32_t span = bi_cell_span(sample->view.shape.words); span > 0; span /= 2)
        time += t->skewed + (double)sample->view.count * t->skewed_vertex;
    return time;
}

/* What the join would do. */
struct prospect {
    double time, pairs; /* that it would compare */
    bool plain;
};

/* plain: no segment has so many pairs, or such a crowd, that ZOBRIST might be faster. A crowd is told from what
 * happens to agree in the sample by more than three members; but a pair may be all that shows of one where vertices are
 * many for each of the sample. */
static struct prospect join_prospect(const struct times *t, const struct bi_cell_sample *sample,
                                     const struct bi_cell_seen *seen)
{
    enum { CHANCE = 3 };
    const double vertices = (double)sample->view.count, each = vertices / (double)sample->count;
    const double values = (double)((1 << sample->view.shape.letter_bits) - 2);
    struct prospect join = {.time = t->join + vertices * sample->view.shape.words * t->join_word, .plain = true};
    for (int32_t g = 0; g < bi_cell_segment_count(sample->view.shape.words); g++) {
        const double pairs = seen->pairs[g] * each * each;
        const double crowd = seen->largest[g] > CHANCE ? seen->largest[g] * each : 0;
        const bool skewed = pairs >= vertices * t->skew || crowd > t->mates;
        const bool doubtful = seen->pairs[g] > 0 && each > t->mates;
        join.time += vertices * t->join_vertex;
        join.pairs += pairs;
        if (skewed) {
            join.time += halves_time(t, sample) + values * (t->skewed_letter + vertices * t->skewed_look);
        } else {
            join.time += pairs * (t->join_pair + sample->view.shape.words * t->join_pair_word);
            if (doubtful) join.time += t->doubt * halves_time(t, sample);
        }
        if (skewed || doubtful || pairs >= vertices * t->crowd) join.plain = false;
    }
    return join;
}

/* The mean of the vectors that ZOBRIST looks up for a vertex; the common letters are found for that. */
static bosc_status looks_of(bosc_ctx *ctx, struct bi_cell_sample *sample, double *looks)
{
    uint32_t sum;
    BI_TRY(bi_cell_common_of(ctx, &sample->view, &sample->common));
    BI_TRY(bi_cell_scratch(ctx, 1, sizeof sum, &sample->looks));
    BI_TRY(ctx->backend->fill(ctx, sample->looks, 0, sizeof sum));
    BI_TRY(BI_CELL_STEP(ctx, cell_looks, sample->count, sample));
    BI_TRY(bi_read_back(ctx, &sum, sample->looks, sizeof sum));
    *looks = sum / (double)sample->count;
    return BOSC_OK;
}

/* Of ZOBRIST with so many looks for each vertex. Vectors that are there are as many as the pairs of the join at most,
 * and hardly more than half of the looks; but pairs are mostly of other kinds, and few vertices have many neighbours.
 */
static double lookups_time(const struct times *t, const struct bi_cell_view *v, double looks, double pairs)
{
    const double vertices = (double)v->count, most = vertices * (looks < 4 ? looks / 2 : 2);
    const double hit = (t->hit + v->shape.words * t->hit_word) * vertices / (vertices + t->cached);
    return looks * (vertices * t->look + t->look_wait * bi_sqrt(bi_sqrt(vertices * bi_sqrt(vertices)))) +
           hit * (pairs < most ? pairs : most);
}

/* The most that there can be. */
static double most_looks(const struct bi_cell_shape *s)
{
    return (double)s->length * (double)((1 << s->letter_bits) - 1);
}

static const struct times *times_of(const bosc_ctx *ctx)
{
    return ctx->backend->id == BOSC_BACKEND_CPU ? &cpu_times : &cuda_times;
}

bool bi_cell_wants_look(const bosc_ctx *ctx, const struct bi_cell_shape *shape, int64_t rows)
{
    const struct times *t = times_of(ctx);
    return shape->words > 1 && rows > t->few && rows > t->blind;
}

bosc_status bi_cell_choose(bosc_ctx *ctx, const struct bi_cell_view *view, const struct bi_cell_seen *seen,
                           bosc_cell_method *method, const uint32_t **common)
{
    const struct times *t = times_of(ctx);
    const int64_t most = ctx->backend->id == BOSC_BACKEND_CPU ? BI_CELL_SAMPLES : BI_CELL_DEVICE_SAMPLES;
    const double n = (double)view->count;
    const double votes = (double)(bi_cell_voters(view->count) * view->shape.length) * t->vote;
    const double dictionary = t->dictionary + n * t->dictionary_vertex + votes;
    struct bi_cell_sample sample = bi_cell_sample_of(view, most);
    double looks = most_looks(&view->shape), best;
    struct prospect join = {.plain = false};
    *method = BOSC_CELL_HEURISTIC;
    *common = NULL;
    if (view->count <= t->few) return BOSC_OK;
    if (view->shape.words > 1 && view->count <= t->blind) {
        *method = BOSC_CELL_JOIN;
        return BOSC_OK;
    }
    const double leading = seen->leading / (double)sample.count;
    best = n * n / 2 * (t->pair + leading * t->pair_word) + n * (t->row + leading * t->row_word);
    if (view->shape.words > 1) {
        join = join_prospect(t, &sample, seen);
        if (join.time < best) {
            *method = BOSC_CELL_JOIN;
            best = join.time;
        }
        if (join.plain) return BOSC_OK;
    }
    if (dictionary + lookups_time(t, view, looks, join.pairs) > best) {
        if (dictionary + votes + t->ask > best) return BOSC_OK; /* the vote may be in vain */
        BI_TRY(looks_of(ctx, &sample, &looks));
        *common = sample.common;
    }
    if (dictionary + lookups_time(t, view, looks, join.pairs) < best) *method = BOSC_CELL_ZOBRIST;
    return BOSC_OK;
}
