/* The cuts of a k-d tree over ranks: the medians above the subtrees of its partition, level by level.
 *
 * A sample of all points, the same on all ranks, gives a bracket for the median of each segment. One pass counts the
 * points below the brackets and lists those inside, the candidates. Among these, the median's digits are selected: a
 * round counts the next digit of the remaining candidates on all ranks, and chooses the digit at which the median lies.
 * The digits are those of the superkey that begins at the level's coordinate, then of the id. Where one point is left,
 * it is the median. If a median is outside its bracket, all points of its segment become candidates.
 *
 * Sources: Floyd and Rivest, Expected Time Bounds for Selection (1975), for the sample; Alabi et al., Fast k-Selection
 * Algorithms for Graphics Processing Units (2012), for the digits. */
#include <math.h>
#include <string.h>

#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* Counters of a round over all segments: half a megabyte, summed over the ranks, unless there are very many
 * segments. */
enum { MAX_COUNTERS = 1 << 16, MAX_BITS = 11, MIN_BITS = 4 }; /* fewer bits: more rounds */

/* Sampled points, of all subtrees. 4,096 for a segment of the last level (BI_RANKS_KDTREE_SAMPLES for each subtree): a
 * bracket then has 8 % of its segment's points, and the host selects its ends in about 50 us. */
enum { MAX_SAMPLES = 1 << 16 };

/* Half the width of a bracket, in standard deviations of a sampled median: a chance of 6e-7 that it misses. */
static const double deviations = 5;

#define NO_SAMPLE UINT32_MAX

/* Host arrays of the selection. */
struct host_arrays {
    int64_t *sums;          /* counters of a round, or of the filter */
    uint64_t *cuts;         /* (2^levels, words) */
    uint64_t *brackets;     /* (2^levels / 2, 2) */
    int64_t *median_ranks;  /* by segment: the median's rank among the candidates; -1: found, or no points */
    uint32_t *digits;       /* by segment */
    uint32_t *rank_of;      /* by subtree */
    uint64_t *sample;       /* (samples, words) */
    uint64_t *gathered;     /* those of this rank, then of all, (ranks + 1) x capacity */
    uint64_t *keys;         /* (samples): of a segment */
    uint32_t *nodes;        /* (samples): the segment of each as a heap index; 0: it is a cut */
    uint32_t *heads, *next; /* by segment, by sample: lists of the samples of a segment; NO_SAMPLE ends them */
};

struct selection {
    bosc_ctx *ctx;
    bosc_comm *comm;
    const struct bi_ranks_steps *steps;
    bosc_status local_status;
    struct bi_ranks_kdtree_cuts points; /* of this rank; the cuts are in reach */
    struct bi_ranks_kdtree_partition partition;
    uint32_t *owners;          /* (n), in reach */
    int64_t words;             /* of a cut: dim keys and an id */
    int64_t samples, capacity; /* of all ranks; greatest number of one rank */
    int64_t *offsets;          /* host (ranks + 1): of the ranks' points among all */
    struct host_arrays host;
    size_t host_bytes;
    int level;
    bool checks_nan;
    int id_width; /* bits of an id */
    struct bi_ranks_kdtree_filter filter;
    struct bi_ranks_kdtree_digit digit;
    int64_t *counters;  /* in reach: those of a round and one more */
    int64_t open_count; /* segments whose median is not yet found */
};

static int bits_per_round(int level)
{
    int bits = MAX_BITS;
    while (bits > MIN_BITS && (int64_t)1 << (level + bits) > MAX_COUNTERS) bits--;
    return bits;
}

int64_t bi_ranks_kdtree_max_counters(int levels)
{
    int64_t most = 0;
    for (int level = 0; level < levels; level++) {
        const int64_t counters = (int64_t)1 << (level + bits_per_round(level));
        if (counters > most) most = counters;
    }
    return most;
}

static int64_t segments_of(const struct selection *s) { return (int64_t)1 << s->level; }

/* ---- the sample ---- */

/* Returns the number of the first sample in rows `row` and later. */
static int64_t first_sample(const struct selection *s, int64_t row)
{
    const int64_t total = s->partition.nodes;
    if (s->samples == 0) return 0;
    const int64_t stratum = ((row + 1) * s->samples - 1) / total; /* of the row */
    if (row >= total) return s->samples;
    return bi_ranks_kdtree_sampled_row(stratum, s->samples, total) >= row ? stratum : stratum + 1;
}

static bosc_status write_own_sample(struct selection *s)
{
    const int32_t rank = s->comm->rank;
    const int64_t first = first_sample(s, s->offsets[rank]), count = first_sample(s, s->offsets[rank + 1]) - first;
    struct bi_ranks_kdtree_sample step = {.points = s->points,
                                          .first = first,
                                          .begin = s->offsets[rank],
                                          .samples = s->samples,
                                          .total = s->partition.nodes};
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(s->ctx, count * s->words, sizeof *step.words, &step.words));
    BI_TRY(s->steps->kdtree_sample(s->ctx, count, &step));
    BI_TRY(
        s->ctx->backend->copy(s->ctx, s->host.gathered, step.words, (size_t)(count * s->words) * sizeof *step.words));
    return s->ctx->backend->sync(s->ctx);
}

/* Gathers the samples of all ranks in s->host.sample. */
static bosc_status gather_sample(struct selection *s)
{
    const int64_t block = s->capacity * s->words;
    if (s->local_status == BOSC_OK) BI_WITH_SCRATCH(s->ctx, s->local_status = write_own_sample(s));
    BI_TRY(bi_comm_agree(s->ctx, s->comm, s->local_status)); /* after a failure there may be no arrays */
    uint64_t *all = s->host.gathered + block;
    BI_TRY(bi_comm_all_gather(s->ctx, s->comm, s->host.gathered, (size_t)block * sizeof *all, all));
    for (int32_t r = 0; r < s->comm->rank_count; r++) {
        const int64_t first = first_sample(s, s->offsets[r]), next = first_sample(s, s->offsets[r + 1]);
        memcpy(s->host.sample + first * s->words, all + r * block, (size_t)((next - first) * s->words) * sizeof *all);
    }
    for (int64_t j = 0; j < s->samples; j++) s->host.nodes[j] = 1;
    return BOSC_OK;
}

/* Moves the samples from the segments of this level to those of the next one. */
static void descend_sample(struct selection *s)
{
    const int32_t dim = s->points.dim;
    for (int64_t j = 0; j < s->samples; j++) {
        const uint32_t node = s->host.nodes[j];
        const uint64_t *sample = s->host.sample + j * s->words, *cut = s->host.cuts + node * s->words;
        int32_t t = 0, c = s->level % dim;
        while (t < dim && sample[c] == cut[c]) t++, c = bi_kdtree_cycle(c, dim);
        if (t == dim) c = dim; /* equal points differ by id */
        s->host.nodes[j] = node == 0 || sample[c] == cut[c] ? 0 : 2 * node + (sample[c] > cut[c]);
    }
}

/* ---- brackets ---- */

/* Returns the key that would be at `position` if the keys were sorted (Hoare, Find, 1961). Reorders them. */
static uint64_t select_key(uint64_t *keys, int64_t n, int64_t position)
{
    int64_t low = 0, high = n - 1;
    while (low < high) {
        const uint64_t pivot = keys[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (keys[i] < pivot) i++;
            while (keys[j] > pivot) j--;
            if (i > j) break;
            const uint64_t key = keys[i];
            keys[i++] = keys[j];
            keys[j--] = key;
        }
        if (position <= j)
            high = j;
        else if (position >= i)
            low = i;
        else
            break;
    }
    return keys[position];
}

/* Opens the bracket of a segment: all keys are inside. */
static void open_bracket(struct selection *s, int64_t segment)
{
    s->host.brackets[2 * segment] = 0;
    s->host.brackets[2 * segment + 1] = bosc_dtype_size(s->points.dtype) == 4 ? UINT32_MAX : UINT64_MAX;
}

/* Sets the bracket of a segment from its `count` sampled keys. */
static void set_bracket(struct selection *s, int64_t segment, uint64_t *keys, int64_t count)
{
    const struct bi_kdtree_range r = bi_ranks_kdtree_subtree_range(s->partition.nodes, s->level, segment);
    open_bracket(s, segment);
    if (count == 0) return;
    /* The median's expected position in the sorted sample; its deviation is sqrt(count) / 2 at most. */
    const double at = ((double)(bi_kdtree_mid(r) - r.begin) + 0.5) / (double)(r.end - r.begin) * (double)count,
                 margin = deviations / 2 * sqrt((double)count) + 2;
    const int64_t low = (int64_t)(at - margin), high = (int64_t)(at + margin);
    if (at > margin) s->host.brackets[2 * segment] = select_key(keys, count, low);
    if (high < count) s->host.brackets[2 * segment + 1] = select_key(keys, count, high);
}

static void set_brackets(struct selection *s)
{
    const struct host_arrays *h = &s->host;
    /* 1. List the samples of each segment. 2. Set its bracket from their keys. */
    for (int64_t segment = 0; segment < segments_of(s); segment++) h->heads[segment] = NO_SAMPLE;
    for (int64_t j = 0; j < s->samples; j++) {
        if (h->nodes[j] == 0) continue;
        uint32_t *head = &h->heads[h->nodes[j] - segments_of(s)];
        h->next[j] = *head;
        *head = (uint32_t)j;
    }
    for (int64_t segment = 0; segment < segments_of(s); segment++) {
        int64_t count = 0;
        for (uint32_t j = h->heads[segment]; j != NO_SAMPLE; j = h->next[j])
            h->keys[count++] = h->sample[j * s->words + s->level % s->points.dim];
        set_bracket(s, segment, h->keys, count);
    }
}

/* ---- candidates ---- */

/* s->host.sums: this rank's points below each bracket and inside. Results of the filter: the counts, the number of
 * candidates, the first NaN. */
static bosc_status filter_points(struct selection *s, int64_t *candidates)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t counts = 2 * segments_of(s), first_nan = INT64_MAX;
    const size_t bytes = (size_t)(counts + 2) * sizeof *s->host.sums;
    memset(s->host.sums, 0, bytes);
    *candidates = 0;
    if (s->points.rows.n == 0) return BOSC_OK;
    /* 1. The arguments of this level. The last level sets the owners too. */
    s->filter.points = s->points;
    s->filter.level = s->level;
    s->filter.checks_nan = s->checks_nan;
    s->filter.owners = s->level + 1 == s->partition.level ? s->owners : NULL;
    s->filter.candidate_count = s->filter.counts + counts;
    s->filter.nan = s->filter.counts + counts + 1;
    /* 2. Copy the brackets and the initial results, and filter. */
    BI_TRY(ctx->backend->copy(ctx, (void *)(uintptr_t)s->filter.brackets, s->host.brackets,
                              (size_t)counts * sizeof *s->host.brackets));
    s->host.sums[counts + 1] = first_nan;
    BI_TRY(ctx->backend->copy(ctx, s->filter.counts, s->host.sums, bytes));
    BI_TRY(ctx->ops->ranks->filter_points(ctx, &s->filter));
    /* 3. Read the results. The host may then change its arrays. */
    BI_TRY(ctx->backend->copy(ctx, s->host.sums, s->filter.counts, bytes));
    BI_TRY(ctx->backend->sync(ctx));
    *candidates = s->host.sums[counts];
    const int64_t nan = s->host.sums[counts + 1];
    if (nan == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "points: row %lld holds a NaN",
                   (long long)bi_ranks_kdtree_id_of(&(struct bi_ranks_kdtree_cuts){.first = s->points.first}, nan));
}

/* Finds the median's rank among the candidates of each segment. False: it is outside a bracket, which is opened. */
static bool rank_medians(struct selection *s)
{
    bool is_inside = true;
    s->open_count = 0;
    for (int64_t segment = 0; segment < segments_of(s); segment++) {
        const struct bi_kdtree_range r = bi_ranks_kdtree_subtree_range(s->partition.nodes, s->level, segment);
        const int64_t rank = bi_kdtree_mid(r) - r.begin - s->host.sums[2 * segment];
        s->host.median_ranks[segment] = r.begin < r.end ? rank : -1;
        s->open_count += r.begin < r.end;
        if (r.begin == r.end || (rank >= 0 && rank < s->host.sums[2 * segment + 1])) continue;
        open_bracket(s, segment);
        is_inside = false;
    }
    return is_inside;
}

/* Lists the candidates of all segments. *count: those of this rank. */
static bosc_status find_candidates(struct selection *s, int64_t *count)
{
    set_brackets(s);
    do {
        BI_IF_OK(s->local_status, filter_points(s, count));
        BI_TRY(bi_comm_sum(s->ctx, s->comm, s->local_status, s->host.sums, 2 * segments_of(s)));
        s->checks_nan = false;
    } while (!rank_medians(s));
    return BOSC_OK;
}

/* Gathers the rows and ids of the candidates. */
static bosc_status gather_candidates(struct selection *s, int64_t count)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t dim = s->points.dim, segments = segments_of(s);
    const size_t size = bosc_dtype_size(s->points.dtype);
    void *rows;
    int64_t *ids;
    BI_TRY(bi_scratch_of(ctx, count * dim, size, &rows));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *s->digit.state, &s->digit.state));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *s->digit.bins, &s->digit.bins));
    const struct bi_ranks_kdtree_rows gather = {
        s->points.rows.data, rows, s->filter.candidates, dim, s->points.rows.stride, 0, size == 8};
    const struct bi_ranks_kdtree_candidates step = {s->points, s->level, s->filter.candidates, s->digit.state, ids};
    s->digit.points = s->points;
    s->digit.points.rows = (struct bi_kdtree_rows){rows, count, dim};
    s->digit.points.ids = ids;
    BI_TRY(ctx->backend->fill(ctx, s->digit.medians, 0, (size_t)(segments * s->words) * sizeof *s->digit.medians));
    if (count) BI_TRY(s->steps->kdtree_gather(ctx, count * dim, &gather));
    return count ? s->steps->kdtree_candidates(ctx, count, &step) : BOSC_OK;
}

/* ---- digits ---- */

/* s->host.sums = this rank's candidates by segment and digit; other points have the last bin. */
static bosc_status count_digits(struct selection *s, int64_t counters)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = s->digit.points.rows.n;
    uint32_t *bad;
    memset(s->host.sums, 0, (size_t)counters * sizeof *s->host.sums);
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bad, &bad));
    BI_TRY(ctx->backend->fill(ctx, bad, 0, sizeof *bad));
    BI_TRY(s->steps->kdtree_digit_bins(ctx, n, &s->digit));
    BI_TRY(ctx->backend->core->histogram(ctx, s->digit.bins, n, counters + 1, s->counters, bad));
    BI_TRY(ctx->backend->copy(ctx, s->host.sums, s->counters, (size_t)counters * sizeof *s->host.sums));
    return ctx->backend->sync(ctx);
}

/* Chooses the median's digit in each segment from the summed counters. */
static void choose_median_digits(struct selection *s)
{
    const int64_t digits = (int64_t)1 << s->digit.bits;
    for (int64_t segment = 0; segment < segments_of(s); segment++) {
        const int64_t *counts = s->host.sums + segment * digits;
        int64_t median_rank = s->host.median_ranks[segment], digit = 0;
        s->host.digits[segment] = 0;
        if (median_rank < 0) continue;
        while (median_rank >= counts[digit]) median_rank -= counts[digit++];
        const bool is_alone = counts[digit] == 1;
        s->host.digits[segment] = (uint32_t)digit | (is_alone ? BI_RANKS_ALONE : 0);
        s->host.median_ranks[segment] = is_alone ? -1 : median_rank;
        s->open_count -= is_alone;
    }
}

/* The next round's copies wait for the step, before s->host.digits changes. */
static bosc_status compare_digits(struct selection *s)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t n = s->digit.points.rows.n;
    if (n == 0) return BOSC_OK;
    BI_TRY(ctx->backend->copy(ctx, (void *)(uintptr_t)s->digit.median_digits, s->host.digits,
                              (size_t)segments_of(s) * sizeof *s->host.digits));
    return s->steps->kdtree_compare_digits(ctx, n, &s->digit);
}

/* Selects one digit. A local failure is reported in the next round. */
static bosc_status select_digit(struct selection *s)
{
    const int64_t counters = segments_of(s) << s->digit.bits;
    if (s->local_status == BOSC_OK) BI_WITH_SCRATCH(s->ctx, s->local_status = count_digits(s, counters));
    BI_TRY(bi_comm_sum(s->ctx, s->comm, s->local_status, s->host.sums, counters));
    choose_median_digits(s);
    s->local_status = compare_digits(s);
    return BOSC_OK;
}

/* Selects by all digits of a coordinate, or of the id, of `width` bits. */
static bosc_status select_by(struct selection *s, int32_t coordinate, const uint64_t *brackets, int width)
{
    const int most = bits_per_round(s->level);
    s->digit.coordinate = coordinate;
    s->digit.brackets = brackets;
    for (int remaining = width; remaining > 0 && s->open_count > 0;) {
        s->digit.bits = remaining < most ? remaining : most;
        remaining -= s->digit.bits;
        s->digit.shift = remaining;
        BI_TRY(select_digit(s));
    }
    return BOSC_OK;
}

/* Selects the medians among the candidates. Keys within a bracket differ from its lowest key in few bits. */
static bosc_status select_medians(struct selection *s)
{
    const int32_t dim = s->points.dim;
    const int width = 8 * (int)bosc_dtype_size(s->points.dtype);
    uint64_t widest = 0;
    for (int64_t segment = 0; segment < segments_of(s); segment++) {
        const uint64_t extent = s->host.brackets[2 * segment + 1] - s->host.brackets[2 * segment];
        if (extent > widest) widest = extent;
    }
    s->digit.level = s->level;
    BI_TRY(select_by(s, s->level % dim, s->filter.brackets, bi_bit_length(widest)));
    for (int32_t t = 1; t < dim; t++) BI_TRY(select_by(s, (s->level + t) % dim, NULL, width));
    return select_by(s, dim, NULL, s->id_width); /* equal points differ by id */
}

/* ---- levels ---- */

/* Sums the words of the medians: those of each are on the rank that has it, and 0 on others. */
static bosc_status share_medians(struct selection *s)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t words = segments_of(s) * s->words;
    uint64_t *medians = s->host.cuts + words, *to = (uint64_t *)(uintptr_t)s->points.cuts + words;
    const size_t bytes = (size_t)words * sizeof *medians;
    BI_IF_OK(s->local_status, ctx->backend->copy(ctx, medians, s->digit.medians, bytes));
    BI_IF_OK(s->local_status, ctx->backend->sync(ctx));
    BI_TRY(bi_comm_sum(ctx, s->comm, s->local_status, (int64_t *)medians, words));
    s->local_status = ctx->backend->copy(ctx, to, medians, bytes);
    return BOSC_OK;
}

static bosc_status select_in_scratch(struct selection *s)
{
    int64_t count = 0;
    BI_TRY(find_candidates(s, &count));
    s->local_status = gather_candidates(s, count);
    BI_TRY(select_medians(s));
    BI_TRY(share_medians(s));
    if (s->filter.owners && count)
        BI_IF_OK(s->local_status, s->steps->kdtree_candidate_owner(s->ctx, count, &s->filter));
    return BOSC_OK;
}

/* A failure of this rank alone is in s->local_status, which joins the next exchange. */
static bosc_status select_levels(struct selection *s)
{
    BI_TRY(gather_sample(s));
    for (s->level = 0; s->level < s->partition.level; s->level++) {
        BI_TRY_WITH_SCRATCH(s->ctx, select_in_scratch(s));
        descend_sample(s);
    }
    BI_IF_OK(s->local_status, s->ctx->backend->sync(s->ctx)); /* before the host's arrays are freed */
    return bi_comm_agree(s->ctx, s->comm, s->local_status);
}

/* ---- memory ---- */

/* Host arrays, in one block. */
static bosc_status allocate_host(struct selection *s)
{
    const int64_t segments = (int64_t)1 << s->partition.level, ranks = s->comm->rank_count;
    const int64_t sums = bi_max_i64(bi_ranks_kdtree_max_counters(s->partition.level), segments + 2);
    struct host_arrays *h = &s->host;
    s->host_bytes = (size_t)(sums + segments * s->words + segments + segments + s->samples * s->words +
                             (ranks + 1) * s->capacity * s->words + s->samples) *
                        sizeof(uint64_t) +
                    (size_t)(3 * segments + 2 * s->samples) * sizeof(uint32_t);
    h->sums = bi_host_alloc(s->ctx, s->host_bytes);
    if (!h->sums) return BOSC_ERR_NOMEM;
    memset(h->sums, 0, s->host_bytes); /* samples are padded to equal numbers */
    h->cuts = (uint64_t *)(h->sums + sums);
    h->brackets = h->cuts + segments * s->words;
    h->median_ranks = (int64_t *)(h->brackets + segments);
    h->sample = (uint64_t *)(h->median_ranks + segments);
    h->gathered = h->sample + s->samples * s->words;
    h->keys = h->gathered + (ranks + 1) * s->capacity * s->words;
    h->digits = (uint32_t *)(h->keys + s->samples);
    h->nodes = h->digits + segments;
    h->heads = h->nodes + s->samples;
    h->next = h->heads + segments;
    h->rank_of = h->next + s->samples;
    for (int64_t r = 0, j = 0; r < ranks; r++)
        while (j < bi_ranks_kdtree_first_subtree(&s->partition, r + 1)) h->rank_of[j++] = (uint32_t)r;
    return BOSC_OK;
}

static bosc_status allocate_arrays(struct selection *s)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t segments = (int64_t)1 << s->partition.level;
    uint32_t *digits, *rank_of;
    uint64_t *brackets;
    BI_TRY(allocate_host(s));
    BI_TRY(bi_scratch_of(ctx, segments, sizeof *rank_of, &rank_of));
    BI_TRY(ctx->backend->copy(ctx, rank_of, s->host.rank_of, (size_t)segments * sizeof *rank_of));
    BI_TRY(bi_scratch_of(ctx, bi_ranks_kdtree_max_counters(s->partition.level) + 1, sizeof *s->counters, &s->counters));
    BI_TRY(bi_scratch_of(ctx, segments, sizeof *digits, &digits));
    BI_TRY(bi_scratch_of(ctx, segments, sizeof *brackets, &brackets));
    BI_TRY(bi_scratch_of(ctx, segments + 2, sizeof *s->filter.counts, &s->filter.counts));
    BI_TRY(bi_scratch_of(ctx, segments * s->words, sizeof *s->digit.medians, &s->digit.medians));
    BI_TRY(bi_scratch_of(ctx, s->points.rows.n, sizeof *s->filter.candidates, &s->filter.candidates));
    s->digit.median_digits = digits;
    s->filter.brackets = brackets;
    s->filter.rank_of = rank_of;
    s->filter.levels = s->partition.level;
    return BOSC_OK;
}

/* ---- the call ---- */

/* Gathers the numbers of points of all ranks, and sizes the sample. */
static bosc_status gather_counts(struct selection *s)
{
    const int32_t ranks = s->comm->rank_count;
    const int64_t own = s->points.rows.n, *all = s->comm->gather, nodes = s->partition.nodes;
    BI_TRY(bi_comm_agree(s->ctx, s->comm, s->local_status));
    BI_TRY(bi_comm_all_gather(s->ctx, s->comm, &own, sizeof own, s->comm->gather));
    s->samples = (int64_t)BI_RANKS_KDTREE_SAMPLES << s->partition.level;
    if (s->samples > MAX_SAMPLES) s->samples = MAX_SAMPLES;
    if (s->samples > nodes) s->samples = nodes;
    s->offsets[0] = 0;
    for (int32_t r = 0; r < ranks; r++) s->offsets[r + 1] = s->offsets[r] + all[r];
    for (int32_t r = 0; r < ranks; r++)
        s->capacity = bi_max_i64(s->capacity, first_sample(s, s->offsets[r + 1]) - first_sample(s, s->offsets[r]));
    return BOSC_OK;
}

static bosc_status select_cuts(struct selection *s)
{
    BI_TRY(gather_counts(s));
    if (s->partition.level == 0 || s->partition.nodes == 0) return BOSC_OK;
    s->local_status = allocate_arrays(s);
    const bosc_status status = select_levels(s);
    if (status != BOSC_OK) (void)s->ctx->backend->sync(s->ctx); /* queued copies of the host's arrays */
    bi_memory_release(&s->ctx->host, s->host.sums, s->host_bytes);
    return status;
}

bosc_status bi_ranks_kdtree_select_cuts(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                        const struct bi_ranks_points *points, int64_t nodes, uint64_t *cuts,
                                        uint32_t *owners, int64_t *offsets)
{
    struct selection s = {.ctx = ctx,
                          .comm = tree->comm,
                          .steps = ctx->ops->ranks->steps,
                          .local_status = local_status,
                          .points = bi_ranks_kdtree_points_of(tree, points, cuts),
                          .partition = bi_ranks_kdtree_make_partition(nodes, tree->comm->rank_count),
                          .owners = owners,
                          .offsets = offsets,
                          .words = tree->opts.dim + 1,
                          .checks_nan = points->checks_nan,
                          .id_width = bi_bit_length((uint64_t)points->total)};
    BI_RETURN_WITH_SCRATCH(ctx, select_cuts(&s));
}
