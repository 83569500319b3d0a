/* The choice of AUTO. Estimates the time of each method from the number of vertices, their words, and a sample:
 * pairs that the join would compare, and vectors that would be looked up. Costs were measured
 * (bench_cellgraph_auto); only the choice depends on them. */
#include "base/elementary.h"
#include "cellgraph/cellgraph.h"
#include "cellgraph/drivers.h"

/* Time of a segment that is split into halves. */
static double halves_time(const struct bi_cellgraph_costs *t, const struct bi_cellgraph_sample *sample)
{
    double time = 0;
    for (int32_t span = bi_cellgraph_span(sample->view.shape.words); span > 0; span /= 2)
        time += t->halves + (double)sample->view.count * t->halves_vertex;
    return time;
}

/* Estimate of a join. */
struct join_estimate {
    double time, pairs; /* compared pairs */
    bool plain;         /* ZOBRIST cannot be faster */
};

/* plain: no segment has enough pairs, or a large enough group, for ZOBRIST to be faster. More than CHANCE members of a
 * sample with equal hashes indicate a large group; in a thin sample even one pair may. */
static struct join_estimate estimate_join(const struct bi_cellgraph_costs *t, const struct bi_cellgraph_sample *sample,
                                          const struct bi_cellgraph_sample_stats *stats)
{
    enum { CHANCE = 3 }; /* less: pairs that agree by chance count as groups; more: large groups are overlooked */
    const double vertices = (double)sample->view.count, each = vertices / (double)sample->count;
    const double values = (double)((1 << sample->view.shape.letter_bits) - 2); /* beyond the two of binary letters */
    struct join_estimate join = {.time = t->join + vertices * sample->view.shape.words * t->join_word, .plain = true};
    for (int32_t g = 0; g < bi_cellgraph_segment_count(sample->view.shape.words); g++) {
        const double pairs = stats->pairs[g] * each * each;
        const double group = stats->largest[g] > CHANCE ? stats->largest[g] * each : 0;
        const bool skewed = pairs >= vertices * t->max_pairs || group > t->max_group;
        const bool doubtful = stats->pairs[g] > 0 && each > t->max_group;
        join.time += vertices * t->join_vertex;
        join.pairs += pairs;
        if (skewed) {
            join.time += halves_time(t, sample) + values * (t->halves_letter + vertices * t->halves_probe);
        } else {
            join.time += pairs * (t->join_pair + sample->view.shape.words * t->join_pair_word);
            if (doubtful) join.time += t->hidden_group * halves_time(t, sample);
        }
        if (skewed || doubtful || pairs >= vertices * t->plain_pairs) join.plain = false;
    }
    return join;
}

/* Mean number of vectors that ZOBRIST looks up for a vertex. Finds the common letters for it. */
static bosc_status count_lookups(bosc_ctx *ctx, struct bi_cellgraph_sample *sample, double *probes)
{
    uint32_t sum;
    BI_TRY(bi_cellgraph_find_common_letters(ctx, &sample->view, &sample->common));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof sum, &sample->probes));
    BI_TRY(ctx->backend->fill(ctx, sample->probes, 0, sizeof sum));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_count_probes, sample->count, sample));
    BI_TRY(bi_read_back(ctx, &sum, sample->probes, sizeof sum));
    *probes = sum / (double)sample->count;
    return BOSC_OK;
}

/* Time of ZOBRIST with this many lookups a vertex. Successful ones are at most the pairs of the join, and hardly
 * more than half of the lookups; few vertices have many neighbours. */
static double lookups_time(const struct bi_cellgraph_costs *t, const struct bi_cellgraph_view *v, double probes,
                           double pairs)
{
    const double vertices = (double)v->count, most = vertices * (probes < 4 ? probes / 2 : 2);
    const double hit = (t->hit + v->shape.words * t->hit_word) * vertices / (vertices + t->cached_vertices);
    return probes * (vertices * t->probe + t->probe_wait * bi_sqrt(bi_sqrt(vertices * bi_sqrt(vertices)))) +
           hit * (pairs < most ? pairs : most);
}

/* Upper bound of lookups a vertex. */
static double max_lookups(const struct bi_letters *s)
{
    return (double)s->length * (double)((1 << s->letter_bits) - 1);
}

bool bi_cellgraph_needs_sample(const bosc_ctx *ctx, const struct bi_letters *shape, int64_t rows)
{
    const struct bi_cellgraph_costs *t = ctx->ops->cellgraph->costs;
    return shape->words > 1 && rows > t->compare_all && rows > t->join_unseen;
}

/* stats: 0 in all fields if no sample was drawn; see bi_cellgraph_needs_sample. *common: letters that the estimate has
 * found, in scratch, for ZOBRIST to reuse; NULL: not found yet. */
bosc_status bi_cellgraph_choose_method(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                       const struct bi_cellgraph_sample_stats *stats, bosc_cellgraph_method *method,
                                       const uint32_t **common)
{
    const struct bi_cellgraph_costs *t = ctx->ops->cellgraph->costs;
    const double n = (double)view->count;
    const double votes = (double)(bi_cellgraph_vote_sample_size(view->count) * view->shape.length) * t->vote;
    const double dictionary = t->dictionary + n * t->dictionary_vertex + votes;
    struct bi_cellgraph_sample sample = bi_cellgraph_sample_of(view, t->max_sample);
    double probes = max_lookups(&view->shape), best;
    struct join_estimate join = {.plain = false};
    *method = BOSC_CELLGRAPH_HEURISTIC;
    *common = NULL;
    /* 1. Few vertices: no sample was drawn. */
    if (view->count <= t->compare_all) return BOSC_OK;
    if (view->shape.words > 1 && view->count <= t->join_unseen) {
        *method = BOSC_CELLGRAPH_JOIN;
        return BOSC_OK;
    }
    /* 2. HEURISTIC against JOIN. */
    const double leading = stats->leading / (double)sample.count;
    best = n * n / 2 * (t->pair + leading * t->pair_word) + n * (t->row + leading * t->row_word);
    if (view->shape.words > 1) {
        join = estimate_join(t, &sample, stats);
        if (join.time < best) {
            *method = BOSC_CELLGRAPH_JOIN;
            best = join.time;
        }
        if (join.plain) return BOSC_OK;
    }
    /* 3. ZOBRIST: with the most lookups; if too slow, with the number in the sample. */
    if (dictionary + lookups_time(t, view, probes, join.pairs) > best) {
        if (dictionary + votes + t->count_probes > best) return BOSC_OK; /* the vote may be in vain */
        BI_TRY(count_lookups(ctx, &sample, &probes));
        *common = sample.common;
    }
    if (dictionary + lookups_time(t, view, probes, join.pairs) < best) *method = BOSC_CELLGRAPH_ZOBRIST;
    return BOSC_OK;
}
