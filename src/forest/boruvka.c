/* Boruvka's rounds by parallel primitives. Source: Vineet, Harish, Patidar, Narayanan, Fast Minimum Spanning Tree for
 * Large Graphs on the GPU (HPG 2009), section 3:
 * 1. find each vertex's lightest edge by a segmented minimum scan of {weight, edge id};
 * 2. of the two vertices of a 2-cycle the smaller drops its edge and represents its component;
 * 3. find representatives by pointer doubling;
 * 4. sort vertices by representative; a scan of flags numbers the supervertices;
 * 5. remove edges inside a supervertex; in early rounds also duplicate edges, by a sort of their ends and a segmented
 *    minimum, or as published by a sort of {ends, weight};
 * 6. sort edges by supervertex; a scan of flags makes the new list of vertices.
 * Supervertices without edges are finished and get no number in the next round; so forests need no special case.
 * Terms: a label names a supervertex in the arcs' ends; a number counts only labels that have arcs in this round. */
#include "base/bits.h"
#include "forest/drivers.h"

/* The first rounds remove duplicate edges, which costs a sort each. After four, at most n / 16 supervertices remain and
 * the list is short. More rounds: more sorts, shorter lists; not measured. */
enum { ROUNDS_WITHOUT_DUPLICATES = 4 };

/* Scratch of the rounds. By arc: numbers, words, heads, keep. The others are by number or by label of a supervertex.
 * least, least_id: the least word of each segment, and the least id of its arcs (NULL: the word has it). */
struct scratch {
    uint32_t *numbers;
    uint64_t *words, *sorted_words; /* sorted_words: for the split of duplicates */
    uint8_t *heads, *keep;
    uint64_t *least, *least_id;
    void *chosen;
    uint32_t *number_of, *label_of, *next, *root[2], *order[2], *label, *vertex_of[2];
    uint32_t *changed;
    void *count;
};

/* The state of the rounds. `now` and `vertices_now` select the halves of double buffers. */
struct boruvka {
    bosc_ctx *ctx;
    const struct bi_forest_steps *steps;
    const struct bi_core_ops *core;
    struct bi_msf_rounds *r;
    struct scratch m;
    int now;          /* half of ends and positions in use */
    int vertices_now; /* half of vertex_of in use */
    int64_t vertices; /* numbers of this round: supervertices with arcs */
    int64_t labels;   /* labels of this round */
    int64_t new_labels;
};

static size_t position_size(const struct boruvka *s) { return s->r->list.positions_64bit ? 8 : 4; }

static bosc_status allocate_arc_scratch(struct boruvka *s)
{
    struct scratch *m = &s->m;
    int64_t arcs = s->r->list.count;
    BI_TRY(bi_scratch_of(s->ctx, arcs, sizeof *m->numbers, &m->numbers));
    BI_TRY(bi_scratch_of(s->ctx, arcs, 1, &m->heads));
    BI_TRY(bi_scratch_of(s->ctx, arcs, 1, &m->keep));
    const bool split = s->r->split_duplicates;
    if (!s->r->atomic || split) BI_TRY(bi_scratch_of(s->ctx, arcs, sizeof *m->words, &m->words));
    if (split) BI_TRY(bi_scratch_of(s->ctx, arcs, sizeof *m->sorted_words, &m->sorted_words));
    return BOSC_OK;
}

static bosc_status allocate_vertex_scratch(struct boruvka *s)
{
    struct scratch *m = &s->m;
    int64_t n = s->r->n;
    int64_t most = n < s->r->list.count ? n : s->r->list.count; /* every number has an arc */
    uint32_t **over_numbers[] = {&m->label_of, &m->next,     &m->root[0], &m->root[1],
                                 &m->order[0], &m->order[1], &m->label,   &m->vertex_of[1]};
    /* drop_duplicates() has a word for each pair of supervertices, at most one an arc. */
    int64_t words = s->r->keep_parallel ? most : s->r->list.count;
    for (size_t i = 0; i < sizeof over_numbers / sizeof over_numbers[0]; i++)
        BI_TRY(bi_scratch_of(s->ctx, most, sizeof(uint32_t), over_numbers[i]));
    BI_TRY(bi_scratch_of(s->ctx, n, sizeof(uint32_t), &m->number_of));
    BI_TRY(bi_scratch_of(s->ctx, n, sizeof(uint32_t), &m->vertex_of[0]));
    BI_TRY(bi_scratch_of(s->ctx, words, sizeof *m->least, &m->least));
    if (!bi_msf_one_word(&s->r->list)) BI_TRY(bi_scratch_of(s->ctx, words, sizeof *m->least_id, &m->least_id));
    BI_TRY(bi_scratch_of(s->ctx, most, position_size(s), &m->chosen));
    BI_TRY(bi_scratch_of(s->ctx, 1, sizeof(uint32_t), &m->changed));
    return bi_scratch_of(s->ctx, 1, sizeof(int64_t), &m->count);
}

/* Numbers the segments of equal ends >> shift; *count = their number. */
static bosc_status number_segments(struct boruvka *s, int shift, int64_t *count)
{
    int64_t arcs = s->r->list.count;
    uint32_t last = 0;
    struct bi_msf_mark_heads heads = {s->r->list.ends, shift, s->m.heads, s->m.numbers};
    BI_TRY(s->steps->msf_mark_heads(s->ctx, arcs, &heads));
    BI_TRY(s->core->scan(s->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, s->m.numbers, arcs, s->m.numbers));
    BI_TRY(bi_read_back(s->ctx, &last, s->m.numbers + arcs - 1, sizeof last));
    *count = last;
    return BOSC_OK;
}

/* out[number] = the least word of each segment; `least` is the argument of bi_msf_arc_word. */
static bosc_status least_words(struct boruvka *s, const uint64_t *least, int64_t segments, uint64_t *out)
{
    int64_t arcs = s->r->list.count;
    if (s->r->atomic) {
        struct bi_msf_atomic_minima lower = {s->r->list, s->m.numbers, least, out};
        BI_TRY(s->ctx->backend->fill(s->ctx, out, 0xff, (size_t)segments * sizeof *out));
        return s->steps->msf_atomic_minima(s->ctx, arcs, &lower);
    }
    struct bi_msf_arc_words weigh = {s->r->list, s->m.numbers, least, s->m.words};
    struct bi_msf_segment_minima last = {s->m.words, s->m.heads, s->m.numbers, arcs, out};
    BI_TRY(s->steps->msf_arc_words(s->ctx, arcs, &weigh));
    BI_TRY(
        s->core->scan_segmented(s->ctx, BOSC_MIN, BOSC_INCLUSIVE, BOSC_U64, s->m.words, s->m.heads, arcs, s->m.words));
    return s->steps->msf_segment_minima(s->ctx, arcs, &last);
}

/* The lightest arc of each segment: by one word, or by the rank first and then by the id. */
static bosc_status find_least(struct boruvka *s, int64_t segments)
{
    BI_TRY(least_words(s, NULL, segments, s->m.least));
    return s->m.least_id ? least_words(s, s->m.least, segments, s->m.least_id) : BOSC_OK;
}

/* Opens a round: gives numbers to the labels that have arcs, and records the sizes. */
static bosc_status open_round(struct boruvka *s)
{
    struct bi_msf_list *list = &s->r->list;
    BI_TRY(number_segments(s, list->shift, &s->vertices));
    BI_TRY(s->ctx->backend->fill(s->ctx, s->m.number_of, 0xff, (size_t)s->labels * sizeof(uint32_t)));
    struct bi_msf_number_labels open = {*list, s->m.heads, s->m.numbers, s->m.number_of, s->m.label_of};
    BI_TRY(s->steps->msf_number_labels(s->ctx, list->count, &open));
    if (s->r->count < BI_MSF_MAX_ROUNDS) s->r->recorded[s->r->count] = (bosc_msf_round){s->vertices, list->count};
    return BOSC_OK;
}

/* Writes the parents of the last round's supervertices into the tree. */
static bosc_status write_parents(struct boruvka *s, const uint32_t *number_of, int64_t numbers)
{
    struct bi_msf_tree *t = s->r->tree;
    if (t->levels == 0) return BOSC_OK;
    int64_t begin = t->begin[t->levels - 1];
    struct bi_msf_tree_parents up = {s->m.label, number_of, (uint32_t)numbers, t->parent + begin};
    return s->steps->msf_tree_parents(s->ctx, t->begin[t->levels] - begin, &up);
}

/* Appends the supervertices of this round to the tree. */
static bosc_status grow_tree(struct boruvka *s)
{
    struct bi_msf_tree *t = s->r->tree;
    if (t->levels == 0)
        BI_TRY(s->ctx->backend->copy(s->ctx, t->leaf, s->m.number_of, (size_t)s->r->n * sizeof(uint32_t)));
    BI_TRY(write_parents(s, s->m.number_of, s->vertices));
    t->begin[t->levels + 1] = t->begin[t->levels] + s->vertices;
    t->levels++;
    return BOSC_OK;
}

/* Chooses each supervertex's lightest edge and breaks 2-cycles; the edges of all but the roots join the forest. */
static bosc_status choose_edges(struct boruvka *s)
{
    struct scratch *m = &s->m;
    struct bi_msf_choose_edges choose = {s->r->list,  m->numbers, m->number_of, m->least,
                                         m->least_id, m->next,    m->chosen};
    struct bi_msf_break_cycles cut = {m->next, m->root[0], m->keep};
    char *out = (char *)s->r->chosen + (size_t)s->r->found * position_size(s);
    int64_t chosen;
    BI_TRY(find_least(s, s->vertices));
    BI_TRY(s->steps->msf_choose_edges(s->ctx, s->r->list.count, &choose));
    if (s->r->tree)
        BI_TRY(s->ctx->backend->copy(s->ctx, s->r->tree->rank + s->r->tree->begin[s->r->count], m->chosen,
                                     (size_t)s->vertices * sizeof(uint32_t)));
    BI_TRY(s->steps->msf_break_cycles(s->ctx, s->vertices, &cut));
    BI_TRY(s->core->compact(s->ctx, position_size(s), m->chosen, m->keep, s->vertices, out, m->count));
    BI_TRY(bi_read_back(s->ctx, &chosen, m->count, sizeof chosen));
    s->r->found += chosen;
    s->new_labels = s->vertices - chosen;
    return BOSC_OK;
}

/* Pointer doubling until no pointer changes: root[0] becomes each number's representative. */
static bosc_status find_roots(struct boruvka *s)
{
    for (uint32_t changed = 1; changed;) {
        struct bi_msf_double_pointers jump = {s->m.root[0], s->m.root[1], s->m.changed};
        BI_TRY(s->ctx->backend->fill(s->ctx, s->m.changed, 0, sizeof changed));
        BI_TRY(s->steps->msf_double_pointers(s->ctx, s->vertices, &jump));
        BI_TRY(bi_read_back(s->ctx, &changed, s->m.changed, sizeof changed));
        s->m.root[0] = jump.out;
        s->m.root[1] = (uint32_t *)jump.in;
    }
    return BOSC_OK;
}

/* Numbers the supervertices of the next round: sorts by representative and counts runs. */
static bosc_status number_supervertices(struct boruvka *s)
{
    struct scratch *m = &s->m;
    int bits = bi_bit_length((uint64_t)s->vertices);
    uint32_t *sorted = m->next; /* free by now */
    struct bi_msf_mark_runs runs = {sorted, m->root[1]};
    struct bi_msf_rename_labels rename = {sorted,
                                          m->order[1],
                                          m->root[1],
                                          m->label_of,
                                          m->vertex_of[s->vertices_now],
                                          m->label,
                                          m->vertex_of[!s->vertices_now]};
    /* Record the merge in the caller's forest of vertices. */
    if (s->r->parent) {
        struct bi_msf_set_parents adopt = {m->root[0], m->label_of, m->vertex_of[s->vertices_now], s->r->parent};
        BI_TRY(s->steps->msf_set_parents(s->ctx, s->vertices, &adopt));
    }
    /* Sort numbers by root; each run of equal roots is one new label. */
    BI_TRY(s->core->iota(s->ctx, 4, m->order[0], s->vertices));
    BI_TRY(s->core->sort_pairs(s->ctx, BOSC_U32, m->root[0], sizeof(uint32_t), m->order[0], s->vertices, sorted,
                               m->order[1], 0, bits));
    BI_TRY(s->steps->msf_mark_runs(s->ctx, s->vertices, &runs));
    BI_TRY(s->core->scan(s->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, m->root[1], s->vertices, m->root[1]));
    s->vertices_now = !s->vertices_now;
    return s->steps->msf_rename_labels(s->ctx, s->vertices, &rename);
}

/* Removes the arcs without keep[i] from the buffer in use; `from` has their ends. Compaction needs another array: the
 * ends go to the buffer that is not `from`, the positions to the other half. */
static bosc_status drop_arcs(struct boruvka *s, const uint64_t *from, const uint8_t *keep)
{
    struct bi_msf_rounds *r = s->r;
    int other = !s->now;
    int64_t count;
    uint64_t *to = from == r->ends[other] ? r->ends[s->now] : r->ends[other];
    BI_TRY(s->core->compact(s->ctx, sizeof *to, from, keep, r->list.count, to, s->m.count));
    BI_TRY(s->core->compact(s->ctx, position_size(s), r->positions[s->now], keep, r->list.count, r->positions[other],
                            s->m.count));
    BI_TRY(bi_read_back(s->ctx, &count, s->m.count, sizeof count));
    if (to == r->ends[s->now]) { /* the positions moved to the other buffer, the ends did not: swap the ends */
        r->ends[s->now] = r->ends[other];
        r->ends[other] = to;
    }
    s->now = other;
    r->list.ends = r->ends[other];
    r->list.positions = r->positions[other];
    r->list.count = count;
    return BOSC_OK;
}

/* Sorts the arcs by their ends from bit `first` up. */
static bosc_status sort_arcs(struct boruvka *s, int first)
{
    struct bi_msf_rounds *r = s->r;
    int other = !s->now;
    BI_TRY(s->core->sort_pairs(s->ctx, BOSC_U64, r->ends[s->now], position_size(s), r->positions[s->now], r->list.count,
                               r->ends[other], r->positions[other], first, 2 * r->list.shift));
    s->now = other;
    r->list.ends = r->ends[other];
    r->list.positions = r->positions[other];
    return BOSC_OK;
}

/* Removes all but the lightest of the edges between two supervertices. */
static bosc_status drop_duplicates(struct boruvka *s)
{
    int64_t pairs;
    BI_TRY(number_segments(s, 0, &pairs));
    BI_TRY(find_least(s, pairs));
    struct bi_msf_select_least least = {s->r->list, s->m.numbers, s->m.least, s->m.least_id, s->m.keep};
    BI_TRY(s->steps->msf_select_least(s->ctx, s->r->list.count, &least));
    return drop_arcs(s, s->r->list.ends, s->m.keep);
}

/* The same as published, by a split of {u, v, weight}: arcs are sorted by {weight, id}, then by their ends, in stable
 * sorts; the first arc between two supervertices is the lightest. */
static bosc_status split_duplicates(struct boruvka *s)
{
    struct bi_msf_rounds *r = s->r;
    const int other = !s->now;
    const int64_t arcs = r->list.count;
    const struct bi_msf_arc_words weigh = {r->list, s->m.numbers, NULL, s->m.words};
    int64_t pairs;
    /* 1. Ends and positions by {weight, id}: two sorts with one key. */
    BI_TRY(s->steps->msf_arc_words(s->ctx, arcs, &weigh));
    BI_TRY(s->core->sort_pairs(s->ctx, BOSC_U64, s->m.words, sizeof(uint64_t), r->ends[s->now], arcs, s->m.sorted_words,
                               r->ends[other], 0, 64));
    BI_TRY(s->core->sort_pairs(s->ctx, BOSC_U64, s->m.words, position_size(s), r->positions[s->now], arcs,
                               s->m.sorted_words, r->positions[other], 0, 64));
    s->now = other;
    /* 2. By the ends; keep the first arc of each segment. */
    BI_TRY(sort_arcs(s, 0));
    BI_TRY(number_segments(s, 0, &pairs));
    return drop_arcs(s, r->list.ends, s->m.heads);
}

/* Closes a round: relabels the arcs, removes those inside a supervertex, sorts for the next round. */
static bosc_status close_round(struct boruvka *s)
{
    struct bi_msf_rounds *r = s->r;
    bool drop = !r->keep_parallel && r->count < ROUNDS_WITHOUT_DUPLICATES;
    int shift = bi_bit_length((uint64_t)s->new_labels);
    struct bi_msf_relabel_arcs relabel = {r->list, s->m.numbers,     s->m.number_of, s->m.label,
                                          shift,   r->ends[!s->now], s->m.keep};
    BI_TRY(s->steps->msf_relabel_arcs(s->ctx, r->list.count, &relabel));
    BI_TRY(drop_arcs(s, relabel.ends, s->m.keep));
    r->list.shift = shift;
    s->labels = s->new_labels;
    r->count++;
    if (r->list.count == 0) return BOSC_OK;
    if (drop && r->split_duplicates) return split_duplicates(s);
    BI_TRY(sort_arcs(s, drop ? 0 : shift));
    return drop ? drop_duplicates(s) : BOSC_OK;
}

static bosc_status run_round(struct boruvka *s)
{
    BI_TRY(open_round(s));
    if (s->r->tree) BI_TRY(grow_tree(s));
    BI_TRY(choose_edges(s));
    BI_TRY(find_roots(s));
    BI_TRY(number_supervertices(s));
    return close_round(s);
}

bosc_status bi_msf_run_rounds(bosc_ctx *ctx, struct bi_msf_rounds *rounds)
{
    struct boruvka s = {
        .ctx = ctx, .steps = ctx->ops->forest->steps, .core = ctx->backend->core, .r = rounds, .labels = rounds->n};
    rounds->found = 0;
    rounds->count = 0;
    rounds->list.ends = rounds->ends[0];
    rounds->list.positions = rounds->positions[0];
    BI_TRY(allocate_arc_scratch(&s));
    BI_TRY(allocate_vertex_scratch(&s));
    BI_TRY(s.core->iota(ctx, 4, s.m.vertex_of[0], rounds->n));
    if (rounds->parent) BI_TRY(s.core->iota(ctx, 4, rounds->parent, rounds->n));
    while (rounds->list.count > 0) BI_TRY(run_round(&s));
    return rounds->tree ? write_parents(&s, NULL, 0) : BOSC_OK;
}
