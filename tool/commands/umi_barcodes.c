/* Finds the distinct barcodes of sequences, their reads, and the pairs within a distance. Barcodes of different lengths
 * have no distance: each length has a cell graph of its own. Barcodes of different parts (keys and marks) share a
 * graph: letters behind those of the barcode write the number of the part, and one more is their sum without carries.
 * So two parts differ in at least two letters, and no edge joins them. */
#include <stdlib.h>
#include <string.h>

#include <boscage/cellgraph.h>

#include "tool/commands/umi.h"
#include "tool/commands/umi_letters.h"
#include "tool/commands/umi_wildcards.h"
#include "tool/job.h"
#include "tool/output/report.h"

int64_t umi_length(const bosc_sequences *sequences, const struct umi_opts *opts, int64_t sequence)
{
    const int64_t length = sequences->offsets[sequence + 1] - sequences->offsets[sequence];
    return opts->letters && length > opts->letters ? opts->letters : length;
}

/* ---- packed letters ---- */

enum { PART_LETTERS_MAX = 33 }; /* 64 bits in letters of 2 or more, and their check */

/* Returns the letters that write a part in a graph: those of its number, and their check. */
static int64_t count_part_letters(const struct umi_batch *b, int32_t bits)
{
    const int64_t count = umi_part_letters(b, bits);
    return count > 0 ? count + 1 : 0;
}

static int32_t graph_bits(const struct umi_batch *b)
{
    return b->has_codes ? b->letters->coded_bits : b->letters->plain_bits;
}

/* Returns the letters of a row in a graph. */
static int32_t row_letters(const struct umi_batch *b, int64_t removed_count)
{
    return (int32_t)(b->length - removed_count + count_part_letters(b, graph_bits(b)));
}

/* Packs the letters of each sequence, without the `removed_count` positions of `removed`, which ascend, and those of
 * its part. The caller frees *packed. */
static int pack_sequences(const struct umi_batch *b, const int64_t *rows, int64_t n, const int64_t *removed,
                          int64_t removed_count, uint64_t **packed)
{
    const int32_t bits = graph_bits(b);
    const uint64_t mask = (1u << bits) - 1;
    const uint8_t *values = b->has_codes ? b->letters->coded : b->letters->plain;
    const int64_t part_letters = umi_part_letters(b, bits);
    const int64_t words = bosc_cellgraph_words(row_letters(b, removed_count), bits);
    *packed = job_alloc((size_t)n * (size_t)words, sizeof **packed);
    if (!*packed) return EXIT_FAILED;
    memset(*packed, 0, (size_t)n * (size_t)words * sizeof **packed);
    for (int64_t i = 0; i < n; i++) {
        /* 1. The letters of the barcode. */
        const char *from = umi_batch_letters(b, rows[i]);
        uint64_t *row = *packed + i * words;
        int64_t at = 0, next = 0;
        for (int64_t k = 0; k < b->length; k++) {
            if (next < removed_count && removed[next] == k)
                next++;
            else
                umi_letter_set(row, at++, bits, values[(unsigned char)from[k]]);
        }
        /* 2. The letters of its part, and their check. */
        if (part_letters == 0) continue;
        uint64_t part = (uint64_t)umi_part(b, rows[i]), check = 0;
        for (int64_t k = 0; k < part_letters; k++, part >>= bits) {
            umi_letter_set(row, at++, bits, part & mask);
            check ^= part & mask;
        }
        umi_letter_set(row, at, bits, check);
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

static int build_graph(struct job *job, const struct umi_batch *b, const int64_t *rows, int64_t n,
                       const int64_t *removed, int64_t removed_count, struct graph *g)
{
    uint64_t *packed = NULL;
    const bosc_cellgraph_opts opts = {
        .size = sizeof opts, .length = row_letters(b, removed_count), .letter_bits = graph_bits(b)};
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
static bool differ_in_all(const struct umi_batch *b, int64_t x, int64_t y, const int64_t *removed,
                          int64_t removed_count)
{
    const char *p = umi_batch_letters(b, b->first[x]), *q = umi_batch_letters(b, b->first[y]);
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
static int pair_without(struct job *job, const struct umi_batch *b, const int64_t *removed, int64_t removed_count,
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
static int pair_at_distances(struct job *job, const struct umi_batch *b, int64_t distance, struct umi_barcodes *found)
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

/* ---- a length ---- */

/* Finds the distinct barcodes of a length and the pairs among them, and appends them. */
static int add_batch(struct job *job, struct umi_batch *b, int64_t distance, struct umi_barcodes *found)
{
    struct graph g = {.cells = NULL};
    int code = build_graph(job, b, b->rows, b->n, NULL, 0, &g);
    /* 1. Barcodes and their reads. */
    b->count = code ? 0 : g.info.vertices;
    b->first = code ? NULL : job_alloc((size_t)b->count, sizeof *b->first);
    b->reads = b->first ? job_alloc((size_t)b->count, sizeof *b->reads) : NULL;
    if (!code && !b->reads) code = EXIT_FAILED;
    for (int64_t v = 0; v < b->count && !code; v++) {
        b->first[v] = b->rows[g.representatives[v]];
        b->reads[v] = 0;
    }
    for (int64_t i = 0; i < b->n && !code; i++) b->reads[g.vertex_of[i]] += b->sequences->counts[b->rows[i]];
    if (!code && b->coded_n) code = umi_wildcards_match(job, b, &found->skipped);
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
    const int64_t parts = (s->key_count ? s->key_count : 1) * s->mark_count;
    const int64_t max = VECTOR_LENGTH_MAX - (parts > 1 ? PART_LETTERS_MAX : 0);
    /* 1. The longest. */
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t length = umi_length(s, opts, i);
        if (length > chosen->longest) chosen->longest = length;
        if (length > max)
            return report_error(EXIT_FAILED,
                                "%s: sequence %lld: %lld letters, more than %lld (--letters K reads the first K)",
                                job->operands[0], (long long)i, (long long)length, (long long)max);
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

/* Orders barcodes: by key, most reads first, then by the first sequence. */
struct ranked {
    struct umi_barcode barcode;
    int64_t key, number;
};

static int compare_barcodes(const void *a, const void *b)
{
    const struct ranked *p = a, *q = b;
    const struct umi_barcode *x = &p->barcode, *y = &q->barcode;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    if (x->reads != y->reads) return x->reads > y->reads ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Sorts the barcodes, and renumbers the pairs. */
static int sort_barcodes(const bosc_sequences *sequences, struct umi_barcodes *found)
{
    struct ranked *ranked = job_alloc((size_t)found->count, sizeof *ranked);
    int64_t *rank_of = ranked ? job_alloc((size_t)found->count, sizeof *rank_of) : NULL;
    for (int64_t v = 0; rank_of && v < found->count; v++)
        ranked[v] = (struct ranked){found->barcodes[v], umi_key(sequences, found->barcodes[v].first), v};
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
        struct umi_batch b = {.sequences = sequences,
                              .letters = &letters,
                              .rows = chosen.rows + begin,
                              .n = end - begin,
                              .coded = chosen.rows + end,
                              .coded_n = coded_end - end,
                              .length = length,
                              .parts = (sequences->key_count ? sequences->key_count : 1) * sequences->mark_count,
                              .has_codes = opts->codes == UMI_LETTER && found->ambiguous > 0};
        if (coded_end > begin) code = add_batch(job, &b, opts->method == UMI_UNIQUE ? 0 : opts->distance, found);
        begin = coded_end;
    }
    if (!code) code = sort_barcodes(sequences, found);
    free(chosen.rows);
    free(chosen.ends);
    return code;
}

void umi_barcodes_free(struct umi_barcodes *barcodes)
{
    free(barcodes->barcodes);
    free(barcodes->pairs);
}
