/* Finds the distinct barcodes of sequences, their reads, and the pairs within a distance. Barcodes of different lengths
 * have no distance: each length has a cell graph of its own. */
#include <stdlib.h>
#include <string.h>

#include <boscage/cellgraph.h>

#include "tool/commands/umi.h"
#include "tool/commands/umi_letters.h"
#include "tool/job.h"
#include "tool/output/report.h"

/* The sequences of one length, and their distinct barcodes. */
struct batch {
    const bosc_sequences *sequences;
    const struct umi_letters *letters;
    const int64_t *rows; /* (n) sequences without ambiguity codes, unless codes are letters, ascending */
    int64_t n;
    const int64_t *coded; /* (coded_n) sequences with ambiguity codes to match */
    int64_t coded_n, length;
    bool has_codes; /* ambiguity codes are letters of the barcodes */
    /* Found: */
    int64_t count;
    int64_t *first; /* (count) first sequence */
    int64_t *reads; /* (count) */
};

int64_t umi_length(const bosc_sequences *sequences, const struct umi_opts *opts, int64_t sequence)
{
    const int64_t length = sequences->offsets[sequence + 1] - sequences->offsets[sequence];
    return opts->letters && length > opts->letters ? opts->letters : length;
}

static const char *letters_of(const struct batch *b, int64_t sequence)
{
    return b->sequences->letters + b->sequences->offsets[sequence];
}

/* ---- packed letters ---- */

/* Packs `length` letters of each sequence, without the `removed_count` positions of `removed`, which ascend. The caller
 * frees *packed. */
static int pack_sequences(const struct batch *b, const int64_t *rows, int64_t n, const int64_t *removed,
                          int64_t removed_count, uint64_t **packed)
{
    const int32_t bits = b->has_codes ? b->letters->coded_bits : b->letters->plain_bits;
    const uint8_t *values = b->has_codes ? b->letters->coded : b->letters->plain;
    const int64_t words = bosc_cellgraph_words((int32_t)(b->length - removed_count), bits);
    *packed = job_alloc((size_t)n * (size_t)words, sizeof **packed);
    if (!*packed) return EXIT_FAILED;
    memset(*packed, 0, (size_t)n * (size_t)words * sizeof **packed);
    for (int64_t i = 0; i < n; i++) {
        const char *from = letters_of(b, rows[i]);
        uint64_t *row = *packed + i * words;
        int64_t at = 0, next = 0;
        for (int64_t k = 0; k < b->length; k++) {
            if (next < removed_count && removed[next] == k)
                next++;
            else
                umi_letter_set(row, at++, bits, values[(unsigned char)from[k]]);
        }
    }
    return EXIT_DONE;
}

/* A cell graph of sequences, with all letters or without some. */
struct graph {
    bosc_cellgraph *cells;
    bosc_cellgraph_info info;
    int64_t *vertex_of;       /* (n) of each sequence */
    int64_t *representatives; /* (vertices) first sequence's number among the n */
    int64_t *pairs;           /* (edges x 2) numbers among the n */
    uint32_t *positions;      /* (edges) letter in which they differ */
};

static void free_graph(struct graph *g)
{
    bosc_cellgraph_free(g->cells);
    free(g->vertex_of);
    free(g->representatives);
    free(g->pairs);
    free(g->positions);
}

static int build_graph(struct job *job, const struct batch *b, const int64_t *rows, int64_t n, const int64_t *removed,
                       int64_t removed_count, struct graph *g)
{
    uint64_t *packed = NULL;
    const bosc_cellgraph_opts opts = {.size = sizeof opts,
                                      .length = (int32_t)(b->length - removed_count),
                                      .letter_bits = b->has_codes ? b->letters->coded_bits : b->letters->plain_bits};
    *g = (struct graph){.info.size = sizeof g->info};
    /* 1. Build. */
    int code = pack_sequences(b, rows, n, removed, removed_count, &packed);
    if (code) return code;
    bosc_status status = bosc_cellgraph_create(job->ctx, &opts, &g->cells);
    if (status == BOSC_OK) status = bosc_cellgraph_build(job->ctx, g->cells, packed, n, 0);
    if (status == BOSC_OK) status = bosc_cellgraph_get_info(job->ctx, g->cells, &g->info);
    free(packed);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    /* 2. Copy the vertices and edges. */
    const size_t vertices = (size_t)g->info.vertices, edges = (size_t)g->info.edges;
    g->vertex_of = job_alloc((size_t)n, sizeof *g->vertex_of);
    g->representatives = g->vertex_of ? job_alloc(vertices, sizeof *g->representatives) : NULL;
    g->pairs = g->representatives ? job_alloc(2 * edges, sizeof *g->pairs) : NULL;
    g->positions = g->pairs ? job_alloc(edges, sizeof *g->positions) : NULL;
    if (!g->positions) return EXIT_FAILED;
    status = bosc_cellgraph_get_vertices(job->ctx, g->cells, NULL, g->representatives, NULL, g->vertex_of);
    if (status == BOSC_OK) status = bosc_cellgraph_get_pairs(job->ctx, g->cells, g->pairs, g->positions);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* ---- pairs ---- */

static int add_pair(struct umi_barcodes *found, int64_t a, int64_t b)
{
    if (found->pair_count == found->pair_capacity) {
        const int64_t capacity = 2 * found->pair_capacity + 1024; /* fewer reallocations of small results */
        struct umi_pair *grown = job_alloc((size_t)capacity, sizeof *grown);
        if (!grown) return EXIT_FAILED;
        if (found->pair_count) memcpy(grown, found->pairs, (size_t)found->pair_count * sizeof *grown);
        free(found->pairs);
        found->pairs = grown;
        found->pair_capacity = capacity;
    }
    found->pairs[found->pair_count++] = (struct umi_pair){found->count + a, found->count + b};
    return EXIT_DONE;
}

/* True if two barcodes differ in every removed letter. */
static bool differ_in_all(const struct batch *b, int64_t x, int64_t y, const int64_t *removed, int64_t removed_count)
{
    const char *p = letters_of(b, b->first[x]), *q = letters_of(b, b->first[y]);
    const uint8_t *values = b->has_codes ? b->letters->coded : b->letters->plain;
    for (int64_t k = 0; k < removed_count; k++)
        if (values[(unsigned char)p[removed[k]]] == values[(unsigned char)q[removed[k]]]) return false;
    return true;
}

/* The barcodes of each vertex of a graph without some letters: members[begins[v]] to members[begins[v + 1] - 1]. */
static int list_members(const struct graph *g, int64_t n, int64_t **begins, int64_t **members)
{
    *begins = job_alloc((size_t)g->info.vertices + 2, sizeof **begins);
    *members = *begins ? job_alloc((size_t)n, sizeof **members) : NULL;
    if (!*members) return EXIT_FAILED;
    memset(*begins, 0, ((size_t)g->info.vertices + 2) * sizeof **begins);
    for (int64_t i = 0; i < n; i++) (*begins)[g->vertex_of[i] + 2]++;
    for (int64_t v = 2; v <= g->info.vertices + 1; v++) (*begins)[v] += (*begins)[v - 1];
    for (int64_t i = 0; i < n; i++) (*members)[(*begins)[g->vertex_of[i] + 1]++] = i;
    return EXIT_DONE;
}

/* Adds the pairs of barcodes that differ in the removed letters and in one behind the last of these: each pair at this
 * distance is found once, with all its letters but the last one removed. */
static int pair_without(struct job *job, const struct batch *b, const int64_t *removed, int64_t removed_count,
                        struct umi_barcodes *found)
{
    struct graph g;
    int64_t *begins = NULL, *members = NULL;
    int code = build_graph(job, b, b->first, b->count, removed, removed_count, &g);
    if (!code) code = list_members(&g, b->count, &begins, &members);
    for (int64_t e = 0; e < g.info.edges && !code; e++) {
        /* A letter behind the last removed one has all of them before it. */
        if (g.positions[e] + removed_count <= removed[removed_count - 1]) continue;
        const int64_t v = g.vertex_of[g.pairs[2 * e]], w = g.vertex_of[g.pairs[2 * e + 1]];
        for (int64_t i = begins[v]; i < begins[v + 1] && !code; i++)
            for (int64_t j = begins[w]; j < begins[w + 1] && !code; j++)
                if (differ_in_all(b, members[i], members[j], removed, removed_count))
                    code = add_pair(found, members[i], members[j]);
    }
    free(begins);
    free(members);
    free_graph(&g);
    return code;
}

/* Adds the pairs at distances 2 to `distance`: removes each choice of letters, in all numbers up to distance - 1. */
static int pair_at_distances(struct job *job, const struct batch *b, int64_t distance, struct umi_barcodes *found)
{
    int64_t removed[UMI_DISTANCE_MAX];
    for (int64_t count = 1; count < distance && count < b->length; count++) {
        for (int64_t k = 0; k < count; k++) removed[k] = k;
        for (;;) {
            int code = pair_without(job, b, removed, count, found);
            if (code) return code;
            /* The next choice: advance the last position that can, and set those behind it to the next ones. */
            int64_t k = count - 1;
            while (k >= 0 && removed[k] == b->length - count + k) k--;
            if (k < 0) break;
            removed[k]++;
            for (int64_t m = k + 1; m < count; m++) removed[m] = removed[m - 1] + 1;
        }
    }
    return EXIT_DONE;
}

/* ---- ambiguity codes ---- */

/* Queries to a trie of the barcodes: the letters of distinct sequences with codes, and masks of the known letters. */
struct wildcards {
    int64_t count, words, capacity; /* capacity: of `ranks` */
    uint64_t *queries, *masks;
    int64_t *offsets, *ranks, *barcode_of; /* matches of queries; barcodes by rank */
    int64_t *reads;                        /* (count) */
};

static void free_wildcards(struct wildcards *w)
{
    free(w->queries);
    free(w->masks);
    free(w->offsets);
    free(w->ranks);
    free(w->barcode_of);
    free(w->reads);
}

/* Packs letters by the values, and by the masks unless NULL, of `match_bits`. */
static void pack_for_matching(const struct batch *b, int64_t sequence, uint64_t *query, uint64_t *mask)
{
    const unsigned char *from = (const unsigned char *)letters_of(b, sequence);
    for (int64_t k = 0; k < b->length; k++) {
        umi_letter_set(query, k, b->letters->match_bits, b->letters->match[from[k]]);
        if (mask) umi_letter_set(mask, k, b->letters->match_bits, b->letters->mask[from[k]]);
    }
}

/* Adds the reads of a query to the barcode with the most reads that it matches, before any are added; of equals to the
 * first. added: (barcodes). Returns false without a match. */
static bool add_to_best(const struct batch *b, const struct wildcards *w, int64_t query, int64_t *added)
{
    int64_t best = -1;
    for (int64_t k = w->offsets[query]; k < w->offsets[query + 1]; k++) {
        const int64_t v = w->barcode_of[w->ranks[k]];
        if (best < 0 || b->reads[v] > b->reads[best] || (b->reads[v] == b->reads[best] && b->first[v] < b->first[best]))
            best = v;
    }
    if (best >= 0) added[best] += w->reads[query];
    return best >= 0;
}

/* Finds the matches of all queries, a bounded number at a time, and adds their reads. */
static int match_queries(struct job *job, const struct batch *b, const bosc_trie *trie, struct wildcards *w,
                         int64_t *added, struct umi_barcodes *found)
{
    int64_t step = w->count;
    for (int64_t begin = 0; begin < w->count; begin += step) {
        bosc_status status;
        const uint64_t *queries = w->queries + begin * w->words, *masks = w->masks + begin * w->words;
        int64_t *offsets = w->offsets + begin;
        /* 1. Queries with no more matches than there is room for; one has at most all barcodes. */
        for (step = begin ? 2 * step : step;; step = (step + 1) / 2) {
            if (step > w->count - begin) step = w->count - begin;
            status = bosc_trie_matches(job->ctx, trie, queries, masks, step, 0, offsets, NULL, 0);
            if (status != BOSC_OK || step == 1 || offsets[step] <= w->capacity) break;
        }
        /* 2. The matches. */
        if (status == BOSC_OK)
            status = bosc_trie_matches(job->ctx, trie, queries, masks, step, 0, offsets, w->ranks, offsets[step]);
        if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
        for (int64_t q = begin; q < begin + step; q++)
            if (!add_to_best(b, w, q, added)) found->skipped += w->reads[q];
    }
    return EXIT_DONE;
}

/* Builds the trie of the barcodes. */
static int build_trie(struct job *job, const struct batch *b, struct wildcards *w, bosc_trie **trie)
{
    enum { MATCHES = 1 << 20 }; /* at a time: 8 MB, so that a call costs little beside its work; not measured */
    const bosc_trie_opts opts = {
        .size = sizeof opts, .length = (int32_t)b->length, .letter_bits = b->letters->match_bits};
    uint64_t *keys = job_alloc((size_t)b->count * (size_t)w->words, sizeof *keys);
    w->barcode_of = keys ? job_alloc((size_t)b->count, sizeof *w->barcode_of) : NULL;
    w->capacity = b->count > MATCHES ? b->count : MATCHES;
    w->ranks = w->barcode_of ? job_alloc((size_t)w->capacity, sizeof *w->ranks) : NULL;
    if (!w->ranks) {
        free(keys);
        return EXIT_FAILED;
    }
    memset(keys, 0, (size_t)b->count * (size_t)w->words * sizeof *keys);
    for (int64_t v = 0; v < b->count; v++) pack_for_matching(b, b->first[v], keys + v * w->words, NULL);
    bosc_status status = bosc_trie_create(job->ctx, &opts, trie);
    if (status == BOSC_OK) status = bosc_trie_build(job->ctx, *trie, keys, NULL, b->count, 0);
    if (status == BOSC_OK) status = bosc_trie_get_keys(job->ctx, *trie, 0, b->count, NULL, w->barcode_of, NULL);
    free(keys);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Makes a query of each distinct sequence with codes. Sequences without a known letter match nothing. */
static int make_queries(struct job *job, const struct batch *b, struct wildcards *w, struct umi_barcodes *found)
{
    struct graph g;
    struct batch with_codes = *b;
    with_codes.has_codes = true;
    /* 1. The distinct sequences. */
    int code = build_graph(job, &with_codes, b->coded, b->coded_n, NULL, 0, &g);
    const size_t count = code ? 0 : (size_t)g.info.vertices, words = (size_t)w->words;
    if (!code) {
        w->queries = job_alloc(count * words, sizeof *w->queries);
        w->masks = w->queries ? job_alloc(count * words, sizeof *w->masks) : NULL;
        w->reads = w->masks ? job_alloc(count, sizeof *w->reads) : NULL;
        w->offsets = w->reads ? job_alloc(count + 1, sizeof *w->offsets) : NULL;
        code = w->offsets ? EXIT_DONE : EXIT_FAILED;
    }
    /* 2. Their reads. */
    if (!code) {
        memset(w->reads, 0, count * sizeof *w->reads);
        for (int64_t i = 0; i < b->coded_n; i++) w->reads[g.vertex_of[i]] += b->sequences->counts[b->coded[i]];
    }
    /* 3. Their letters and masks. */
    for (int64_t v = 0; v < (int64_t)count && !code; v++) {
        const int64_t sequence = b->coded[g.representatives[v]], at = w->count * w->words;
        memset(w->queries + at, 0, words * sizeof *w->queries);
        memset(w->masks + at, 0, words * sizeof *w->masks);
        pack_for_matching(b, sequence, w->queries + at, w->masks + at);
        bool known = false;
        for (size_t k = 0; k < words; k++) known |= w->masks[at + (int64_t)k] != 0;
        if (known)
            w->reads[w->count++] = w->reads[v];
        else
            found->skipped += w->reads[v];
    }
    free_graph(&g);
    return code;
}

/* Counts the sequences with codes for barcodes that they match. */
static int match_codes(struct job *job, struct batch *b, struct umi_barcodes *found)
{
    struct wildcards w = {.words = bosc_trie_words((int32_t)b->length, b->letters->match_bits)};
    bosc_trie *trie = NULL;
    int64_t *added = job_alloc((size_t)b->count, sizeof *added);
    if (!added) return EXIT_FAILED;
    memset(added, 0, (size_t)b->count * sizeof *added);
    int code = make_queries(job, b, &w, found);
    if (!code) code = build_trie(job, b, &w, &trie);
    if (!code) code = match_queries(job, b, trie, &w, added, found);
    for (int64_t v = 0; v < b->count && !code; v++) b->reads[v] += added[v];
    bosc_trie_free(trie);
    free(added);
    free_wildcards(&w);
    return code;
}

/* ---- a length ---- */

/* Finds the distinct barcodes of a length and the pairs among them, and appends them. */
static int add_batch(struct job *job, struct batch *b, int64_t distance, struct umi_barcodes *found)
{
    struct graph g = {.cells = NULL};
    int code = build_graph(job, b, b->rows, b->n, NULL, 0, &g);
    /* 1. Barcodes and their reads. */
    b->count = code ? 0 : g.info.vertices;
    b->first = code ? NULL : job_alloc((size_t)b->count, sizeof *b->first);
    b->reads = b->first ? job_alloc((size_t)b->count, sizeof *b->reads) : NULL;
    if (!b->reads) code = EXIT_FAILED;
    for (int64_t v = 0; v < b->count && !code; v++) {
        b->first[v] = b->rows[g.representatives[v]];
        b->reads[v] = 0;
    }
    for (int64_t i = 0; i < b->n && !code; i++) b->reads[g.vertex_of[i]] += b->sequences->counts[b->rows[i]];
    if (!code && b->coded_n) code = match_codes(job, b, found);
    /* 2. Pairs. */
    if (distance > 0)
        for (int64_t e = 0; e < g.info.edges && !code; e++)
            code = add_pair(found, g.vertex_of[g.pairs[2 * e]], g.vertex_of[g.pairs[2 * e + 1]]);
    free_graph(&g);
    if (!code) code = pair_at_distances(job, b, distance, found);
    /* 3. Append. */
    for (int64_t v = 0; v < b->count && !code; v++)
        found->barcodes[found->count + v] = (struct umi_barcode){b->first[v], b->reads[v]};
    if (!code) found->count += b->count;
    free(b->first);
    free(b->reads);
    return code;
}

/* ---- all lengths ---- */

/* The sequences to group, by length; within a length those without ambiguity codes to match come first. */
struct selection {
    int64_t *rows; /* (count) */
    int64_t count;
    int64_t *ends; /* (2 x (longest + 1)) of the sequences of a length, without and with codes */
    int64_t longest;
};

/* True if a barcode of this length has an ambiguity code. */
static bool has_code(const bosc_sequences *s, const struct umi_letters *letters, int64_t sequence, int64_t length)
{
    const unsigned char *from = (const unsigned char *)s->letters + s->offsets[sequence];
    bool coded = false;
    for (int64_t k = 0; k < length; k++) coded |= letters->is_code[from[k]];
    return coded;
}

/* Returns the index of a sequence in `ends`; -1: it is left out. */
static int64_t classify(const bosc_sequences *s, const struct umi_opts *opts, const struct umi_letters *letters,
                        int64_t sequence)
{
    const int64_t length = umi_length(s, opts, sequence);
    const bool coded = has_code(s, letters, sequence, length);
    if (length == 0 || s->counts[sequence] == 0 || (coded && opts->codes == UMI_SKIP)) return -1;
    return 2 * length + (coded && opts->codes == UMI_WILDCARD);
}

/* Counts all reads, those with ambiguity codes, and those left out so far. */
static int count_reads(const struct job *job, const bosc_sequences *s, const struct umi_opts *opts,
                       const struct umi_letters *letters, struct umi_barcodes *found)
{
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t length = umi_length(s, opts, i);
        const bool coded = has_code(s, letters, i, length);
        if (s->counts[i] > INT64_MAX / 4 - found->reads)
            return report_error(EXIT_FAILED, "%s: the counts add up to 2^61 or more", job->operands[0]);
        found->reads += s->counts[i];
        if (coded) found->ambiguous += s->counts[i];
        if (length == 0 || (coded && opts->codes == UMI_SKIP)) found->skipped += s->counts[i];
    }
    return EXIT_DONE;
}

/* Sorts the sequences by length and codes, in the order of the file. */
static int select_sequences(const struct job *job, const bosc_sequences *s, const struct umi_opts *opts,
                            const struct umi_letters *letters, struct selection *chosen)
{
    /* 1. The longest. */
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t length = umi_length(s, opts, i);
        if (length > chosen->longest) chosen->longest = length;
        if (length > VECTOR_LENGTH_MAX)
            return report_error(EXIT_FAILED,
                                "%s: sequence %lld: %lld letters, more than %d (--letters K reads the first K)",
                                job->operands[0], (long long)i, (long long)length, VECTOR_LENGTH_MAX);
    }
    chosen->rows = job_alloc((size_t)s->n, sizeof *chosen->rows);
    chosen->ends = chosen->rows ? job_alloc(2 * (size_t)chosen->longest + 3, sizeof *chosen->ends) : NULL;
    if (!chosen->ends) return EXIT_FAILED;
    /* 2. Count. */
    memset(chosen->ends, 0, (2 * (size_t)chosen->longest + 3) * sizeof *chosen->ends);
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t at = classify(s, opts, letters, i);
        if (at < 0) continue;
        chosen->ends[at + 1]++;
        chosen->count++;
    }
    for (int64_t at = 0; at < 2 * chosen->longest + 2; at++) chosen->ends[at + 1] += chosen->ends[at];
    /* 3. Fill: each begin advances to its end. */
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t at = classify(s, opts, letters, i);
        if (at >= 0) chosen->rows[chosen->ends[at]++] = i;
    }
    return EXIT_DONE;
}

/* Orders barcodes: most reads first, then by the first sequence. */
struct ranked {
    struct umi_barcode barcode;
    int64_t number;
};

static int compare_barcodes(const void *a, const void *b)
{
    const struct umi_barcode *x = &((const struct ranked *)a)->barcode, *y = &((const struct ranked *)b)->barcode;
    if (x->reads != y->reads) return x->reads > y->reads ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Sorts the barcodes, and renumbers the pairs. */
static int sort_barcodes(struct umi_barcodes *found)
{
    struct ranked *ranked = job_alloc((size_t)found->count, sizeof *ranked);
    int64_t *rank_of = ranked ? job_alloc((size_t)found->count, sizeof *rank_of) : NULL;
    for (int64_t v = 0; rank_of && v < found->count; v++) ranked[v] = (struct ranked){found->barcodes[v], v};
    if (rank_of) qsort(ranked, (size_t)found->count, sizeof *ranked, compare_barcodes);
    for (int64_t r = 0; rank_of && r < found->count; r++) {
        found->barcodes[r] = ranked[r].barcode;
        rank_of[ranked[r].number] = r;
    }
    for (int64_t i = 0; rank_of && i < found->pair_count; i++)
        found->pairs[i] = (struct umi_pair){rank_of[found->pairs[i].a], rank_of[found->pairs[i].b]};
    const bool done = rank_of != NULL;
    free(ranked);
    free(rank_of);
    return done ? EXIT_DONE : EXIT_FAILED;
}

int umi_barcodes_find(struct job *job, const bosc_sequences *sequences, const struct umi_opts *opts,
                      struct umi_barcodes *found)
{
    struct umi_letters letters;
    struct selection chosen = {.rows = NULL};
    umi_letters_init(&letters, opts->amino_acids);
    int code = count_reads(job, sequences, opts, &letters, found);
    if (!code) code = select_sequences(job, sequences, opts, &letters, &chosen);
    if (!code && !(found->barcodes = job_alloc((size_t)chosen.count, sizeof *found->barcodes))) code = EXIT_FAILED;
    for (int64_t length = 1, begin = 0; length <= chosen.longest && !code; length++) {
        const int64_t end = chosen.ends[2 * length], coded_end = chosen.ends[2 * length + 1];
        struct batch b = {.sequences = sequences,
                          .letters = &letters,
                          .rows = chosen.rows + begin,
                          .n = end - begin,
                          .coded = chosen.rows + end,
                          .coded_n = coded_end - end,
                          .length = length,
                          .has_codes = opts->codes == UMI_LETTER && found->ambiguous > 0};
        if (coded_end > begin) code = add_batch(job, &b, opts->method == UMI_UNIQUE ? 0 : opts->distance, found);
        begin = coded_end;
    }
    if (!code) code = sort_barcodes(found);
    free(chosen.rows);
    free(chosen.ends);
    return code;
}

void umi_barcodes_free(struct umi_barcodes *barcodes)
{
    free(barcodes->barcodes);
    free(barcodes->pairs);
}
