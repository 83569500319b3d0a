/* Matches sequences with ambiguity codes: by a trie of the barcodes, or by a pass over them for all sequences that have
 * their codes at the same letters. */
#include "tool/commands/umi_wildcards.h"

#include <stdlib.h>
#include <string.h>

#include <boscage/trie.h>

#include "tool/job.h"
#include "tool/output/report.h"

/* Distinct queries, and the barcodes as keys. A row has `words` words of letters of `match_bits`: `part_letters` of the
 * part's number, then those of the barcode, `length` in all. */
struct matching {
    const struct umi_batch *batch;
    int64_t part_letters, length, words, count;
    uint64_t *masks;     /* (count) rows of queries, ascending by mask, then by letters */
    uint64_t *letters;   /* (count) rows of queries: letters, 0 outside the mask */
    int64_t *reads;      /* (count) */
    uint64_t *keys;      /* (barcodes) rows */
    int64_t *barcode_of; /* (barcodes) by rank in the trie, which is the order of keys */
    double *branches;    /* (length) mean number of letters k behind the same k letters of a barcode */
    int64_t *added;      /* (barcodes) reads of queries */
    bosc_trie *trie;
};

static void free_matching(struct matching *m)
{
    free(m->masks);
    free(m->letters);
    free(m->reads);
    free(m->keys);
    free(m->barcode_of);
    free(m->branches);
    free(m->added);
    bosc_trie_free(m->trie);
}

static int compare_words(const uint64_t *x, const uint64_t *y, int64_t words)
{
    for (int64_t k = 0; k < words; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

/* Sets the letters of a sequence's part in a row, and all their bits in the row of a mask; NULL: none. */
static void set_part(const struct matching *m, uint64_t *mask, uint64_t *row, int64_t sequence)
{
    const int32_t bits = m->batch->letters->match_bits;
    const uint64_t all = (1u << bits) - 1;
    uint64_t part = (uint64_t)umi_part(m->batch, sequence);
    for (int64_t k = 0; k < m->part_letters; k++, part >>= bits) {
        umi_letter_set(row, k, bits, part & all);
        if (mask) umi_letter_set(mask, k, bits, all);
    }
}

/* ---- queries ---- */

/* A sequence with codes: the row of its mask and the row of its letters behind it. */
struct query {
    const uint64_t *rows;
    int64_t words; /* of both rows */
    int64_t reads;
    bool known; /* a letter is no N */
};

static int compare_queries(const void *a, const void *b)
{
    const struct query *x = a, *y = b;
    return compare_words(x->rows, y->rows, x->words);
}

/* Writes the sorted queries without duplicates. Queries without a known letter match nothing. */
static void merge_queries(struct matching *m, const struct query *queries, int64_t n, int64_t *skipped)
{
    const size_t row = (size_t)m->words * sizeof(uint64_t);
    for (int64_t i = 0; i < n; i++) {
        if (!queries[i].known)
            *skipped += queries[i].reads;
        else if (m->count > 0 && compare_queries(&queries[i], &queries[i - 1]) == 0)
            m->reads[m->count - 1] += queries[i].reads;
        else {
            memcpy(m->masks + m->count * m->words, queries[i].rows, row);
            memcpy(m->letters + m->count * m->words, queries[i].rows + m->words, row);
            m->reads[m->count++] = queries[i].reads;
        }
    }
}

static int make_queries(struct matching *m, int64_t *skipped)
{
    const struct umi_batch *b = m->batch;
    const struct umi_letters *letters = b->letters;
    const size_t n = (size_t)b->coded_n, words = (size_t)m->words;
    uint64_t *rows = job_alloc(2 * n * words, sizeof *rows);
    struct query *queries = rows ? job_alloc(n, sizeof *queries) : NULL;
    m->masks = queries ? job_alloc(n * words, sizeof *m->masks) : NULL;
    m->letters = m->masks ? job_alloc(n * words, sizeof *m->letters) : NULL;
    m->reads = m->letters ? job_alloc(n, sizeof *m->reads) : NULL;
    if (m->reads) {
        /* 1. A row of masks and a row of letters for each sequence. */
        memset(rows, 0, 2 * n * words * sizeof *rows);
        for (int64_t i = 0; i < b->coded_n; i++) {
            uint64_t *mask = rows + 2 * i * m->words;
            const unsigned char *from = (const unsigned char *)umi_batch_letters(b, b->coded[i]);
            bool known = false;
            set_part(m, mask, mask + m->words, b->coded[i]);
            for (int64_t k = 0; k < b->length; k++) {
                umi_letter_set(mask, m->part_letters + k, letters->match_bits, letters->mask[from[k]]);
                umi_letter_set(mask + m->words, m->part_letters + k, letters->match_bits, letters->match[from[k]]);
                known |= letters->mask[from[k]] != 0;
            }
            queries[i] = (struct query){mask, 2 * m->words, b->sequences->counts[b->coded[i]], known};
        }
        /* 2. Sort by masks, then by letters. */
        qsort(queries, n, sizeof *queries, compare_queries);
        merge_queries(m, queries, b->coded_n, skipped);
    }
    free(rows);
    free(queries);
    return m->reads ? EXIT_DONE : EXIT_FAILED;
}

/* ---- barcodes ---- */

static int build_trie(struct job *job, struct matching *m)
{
    const struct umi_batch *b = m->batch;
    const struct umi_letters *letters = b->letters;
    const size_t count = (size_t)b->count;
    const bosc_trie_opts opts = {.size = sizeof opts, .length = (int32_t)m->length, .letter_bits = letters->match_bits};
    m->keys = job_alloc(count * (size_t)m->words, sizeof *m->keys);
    m->barcode_of = m->keys ? job_alloc(count, sizeof *m->barcode_of) : NULL;
    m->added = m->barcode_of ? job_alloc(count, sizeof *m->added) : NULL;
    if (!m->added) return EXIT_FAILED;
    memset(m->added, 0, count * sizeof *m->added);
    memset(m->keys, 0, count * (size_t)m->words * sizeof *m->keys);
    for (int64_t v = 0; v < b->count; v++) {
        const unsigned char *from = (const unsigned char *)umi_batch_letters(b, b->first[v]);
        set_part(m, NULL, m->keys + v * m->words, b->first[v]);
        for (int64_t k = 0; k < b->length; k++)
            umi_letter_set(m->keys + v * m->words, m->part_letters + k, letters->match_bits, letters->match[from[k]]);
    }
    bosc_status status = bosc_trie_create(job->ctx, &opts, &m->trie);
    if (status == BOSC_OK) status = bosc_trie_build(job->ctx, m->trie, m->keys, NULL, b->count, 0);
    if (status == BOSC_OK) status = bosc_trie_get_keys(job->ctx, m->trie, 0, b->count, NULL, m->barcode_of, NULL);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Returns the first letter in which two keys differ. */
static int64_t find_difference(const struct matching *m, const uint64_t *x, const uint64_t *y)
{
    const int32_t bits = m->batch->letters->match_bits;
    int64_t k = 0;
    while (x[k] == y[k]) k++; /* keys differ */
    return k * (64 / bits) + __builtin_ctzll(x[k] ^ y[k]) / bits;
}

/* Computes `branches`: the number of distinct prefixes of k + 1 letters is one more than that of keys that differ from
 * the one before in one of these letters first. */
static int measure_branches(struct matching *m)
{
    const int64_t length = m->length;
    double prefixes = 1;
    m->branches = job_alloc((size_t)length, sizeof *m->branches);
    if (!m->branches) return EXIT_FAILED;
    for (int64_t k = 0; k < length; k++) m->branches[k] = 0;
    for (int64_t r = 1; r < m->batch->count; r++)
        m->branches[find_difference(m, m->keys + m->barcode_of[r - 1] * m->words,
                                    m->keys + m->barcode_of[r] * m->words)]++;
    for (int64_t k = 0; k < length; k++) {
        const double longer = prefixes + m->branches[k];
        m->branches[k] = longer / prefixes;
        prefixes = longer;
    }
    return EXIT_DONE;
}

/* ---- matches ---- */

/* True if a query counts for barcode v rather than for `other`; -1: none. */
static bool is_better(const struct umi_batch *b, int64_t v, int64_t other)
{
    if (other < 0 || b->reads[v] != b->reads[other]) return other < 0 || b->reads[v] > b->reads[other];
    return b->first[v] < b->first[other];
}

static void count_query(struct matching *m, int64_t query, int64_t best, int64_t *skipped)
{
    *(best < 0 ? skipped : &m->added[best]) += m->reads[query];
}

/* True if a pass over the barcodes is estimated to cost less than `count` searches of the trie with this mask. At an
 * unknown letter a search visits all branches. */
static bool is_scan_cheaper(const struct matching *m, const uint64_t *mask, int64_t count)
{
    enum { VISIT_COST = 8 }; /* of a visit, in barcodes of a pass; an estimate, not measured */
    const struct umi_letters *letters = m->batch->letters;
    const int32_t bits = letters->match_bits, per_word = 64 / bits;
    const uint64_t all = letters->mask['A']; /* of any letter that is no code */
    double visits = 1;
    for (int64_t k = 0; k < m->length; k++)
        if ((mask[k / per_word] >> k % per_word * bits & all) != all) visits *= m->branches[k];
    return visits * (double)count * VISIT_COST >= (double)m->batch->count;
}

/* Matches the queries from begin to end - 1, which have one mask, by a pass over the barcodes: searches the queries for
 * the letters of each barcode. known: a row; best: a number for each of the queries. */
static void scan_barcodes(struct matching *m, int64_t begin, int64_t end, uint64_t *known, int64_t *best,
                          int64_t *skipped)
{
    const uint64_t *mask = m->masks + begin * m->words;
    for (int64_t q = begin; q < end; q++) best[q - begin] = -1;
    for (int64_t v = 0; v < m->batch->count; v++) {
        int64_t low = begin, high = end;
        for (int64_t k = 0; k < m->words; k++) known[k] = m->keys[v * m->words + k] & mask[k];
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (compare_words(m->letters + middle * m->words, known, m->words) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < end && compare_words(m->letters + low * m->words, known, m->words) == 0 &&
            is_better(m->batch, v, best[low - begin]))
            best[low - begin] = v;
    }
    for (int64_t q = begin; q < end; q++) count_query(m, q, best[q - begin], skipped);
}

/* Matches by passes, where these cost less, and removes those queries. */
static int match_by_scans(const struct job *job, struct matching *m, int64_t *skipped)
{
    const size_t row = (size_t)m->words * sizeof(uint64_t);
    int64_t kept = 0;
    uint64_t *known = job_alloc((size_t)m->words, sizeof *known);
    int64_t *best = known ? job_alloc((size_t)m->count, sizeof *best) : NULL;
    for (int64_t begin = 0, end; best && begin < m->count; begin = end) {
        const uint64_t *mask = m->masks + begin * m->words;
        for (end = begin + 1; end < m->count && memcmp(m->masks + end * m->words, mask, row) == 0;) end++;
        progress_step(job, "match", (double)begin / (double)m->count);
        if (is_scan_cheaper(m, mask, end - begin)) {
            scan_barcodes(m, begin, end, known, best, skipped);
            continue;
        }
        memmove(m->masks + kept * m->words, mask, (size_t)(end - begin) * row);
        memmove(m->letters + kept * m->words, m->letters + begin * m->words, (size_t)(end - begin) * row);
        memmove(m->reads + kept, m->reads + begin, (size_t)(end - begin) * sizeof *m->reads);
        kept += end - begin;
    }
    const bool done = best != NULL;
    m->count = kept;
    free(known);
    free(best);
    return done ? EXIT_DONE : EXIT_FAILED;
}

/* Matches by searches of the trie, a bounded number of matches at a time. */
static int match_by_trie(struct job *job, struct matching *m, int64_t *skipped)
{
    enum { MATCHES = 1 << 20 }; /* at a time: 8 MB, so that a call costs little beside its work; not measured */
    const int64_t capacity = m->batch->count > MATCHES ? m->batch->count : MATCHES;
    int64_t step = m->count;
    int64_t *offsets = job_alloc((size_t)m->count + 1, sizeof *offsets);
    int64_t *ranks = offsets ? job_alloc((size_t)capacity, sizeof *ranks) : NULL;
    bosc_status status = BOSC_OK;
    for (int64_t begin = 0; ranks && begin < m->count && status == BOSC_OK; begin += step) {
        const uint64_t *queries = m->letters + begin * m->words, *masks = m->masks + begin * m->words;
        /* 1. As many queries as have room for their matches; one query has at most all barcodes. */
        for (step = begin ? 2 * step : step;; step = (step + 1) / 2) {
            if (step > m->count - begin) step = m->count - begin;
            status = bosc_trie_matches(job->ctx, m->trie, queries, masks, step, 0, offsets, NULL, 0);
            if (status != BOSC_OK || step == 1 || offsets[step] <= capacity) break;
        }
        /* 2. The matches. */
        if (status == BOSC_OK)
            status = bosc_trie_matches(job->ctx, m->trie, queries, masks, step, 0, offsets, ranks, offsets[step]);
        for (int64_t q = 0; q < step && status == BOSC_OK; q++) {
            int64_t best = -1;
            for (int64_t k = offsets[q]; k < offsets[q + 1]; k++)
                if (is_better(m->batch, m->barcode_of[ranks[k]], best)) best = m->barcode_of[ranks[k]];
            count_query(m, begin + q, best, skipped);
        }
    }
    const bool done = ranks != NULL;
    free(offsets);
    free(ranks);
    return status != BOSC_OK ? report_ctx_error(job->ctx, status) : done ? EXIT_DONE : EXIT_FAILED;
}

int umi_wildcards_match(struct job *job, struct umi_batch *b, int64_t *skipped)
{
    const int64_t part_letters = umi_part_letters(b, b->letters->match_bits), length = part_letters + b->length;
    struct matching m = {.batch = b,
                         .part_letters = part_letters,
                         .length = length,
                         .words = bosc_trie_words((int32_t)length, b->letters->match_bits)};
    int code = make_queries(&m, skipped);
    if (!code) code = build_trie(job, &m);
    if (!code) code = measure_branches(&m);
    if (!code) code = match_by_scans(job, &m, skipped);
    if (!code) code = match_by_trie(job, &m, skipped);
    for (int64_t v = 0; v < b->count && !code; v++) b->reads[v] += m.added[v];
    free_matching(&m);
    return code;
}
