/* The published method, step by step. Source: Vineet, Harish, Patidar, Narayanan, Fast Minimum Spanning Tree for Large
 * Graphs on the GPU (HPG 2009), section 3:
 * 1. each vertex's lightest edge, by a segmented minimum scan of {weight, edge id};
 * 2. of the two vertices of a 2-cycle the smaller gives its edge up and represents its component;
 * 3. representatives by pointer doubling;
 * 4. vertices sorted by representative, a scan of flags numbers the supervertices;
 * 5. edges inside a supervertex removed; in early rounds duplicate edges removed by a sort;
 * 6. edges sorted by supervertex; a scan of flags makes the new list of vertices.
 * Supervertices without edges are finished and get no number in the next round, so that forests need no more. */
#include "forest/boruvka.h"

#include "base/bits.h"

enum { ROUNDS_WITHOUT_DUPLICATES = 4 };

/* Scratch of the rounds: arrays over arcs, and over supervertices (numbers or labels). */
struct scratch {
    uint32_t *numbers;
    uint64_t *words;
    uint8_t *heads, *keep;
    uint64_t *least, *least_id;
    void *chosen;
    uint32_t *number_of, *label_of, *next, *root[2], *order[2], *label, *vertex_of[2];
    uint32_t *changed;
    void *count;
};

struct run {
    bosc_ctx *ctx;
    const struct bi_forest_steps *steps;
    const struct bi_core_ops *core;
    struct bi_msf_rounds *r;
    struct scratch m;
    int now;          /* which of ends and places is in use */
    int vertices_now; /* which of vertex_of */
    int64_t vertices; /* numbers of this round */
    int64_t labels;   /* of this round */
    int64_t new_labels;
};

static size_t place_size(const struct run *s) { return s->r->list.wide_places ? 8 : 4; }

static bosc_status take_arc_room(struct run *s)
{
    struct scratch *m = &s->m;
    int64_t arcs = s->r->list.count;
    BI_TRY(bi_scratch_of(s->ctx, arcs, sizeof *m->numbers, &m->numbers));
    BI_TRY(bi_scratch_of(s->ctx, arcs, 1, &m->heads));
    BI_TRY(bi_scratch_of(s->ctx, arcs, 1, &m->keep));
    if (!s->r->atomic) BI_TRY(bi_scratch_of(s->ctx, arcs, sizeof *m->words, &m->words));
    return BOSC_OK;
}

static bosc_status take_vertex_room(struct run *s)
{
    struct scratch *m = &s->m;
    int64_t n = s->r->n;
    int64_t most = n < s->r->list.count ? n : s->r->list.count; /* every number has arcs */
    uint32_t **over_numbers[] = {&m->label_of, &m->next,     &m->root[0], &m->root[1],
                                 &m->order[0], &m->order[1], &m->label,   &m->vertex_of[1]};
    int64_t words = s->r->keep_parallel ? most : s->r->list.count; /* pairs of supervertices have words too */
    for (size_t i = 0; i < sizeof over_numbers / sizeof over_numbers[0]; i++)
        BI_TRY(bi_scratch_of(s->ctx, most, sizeof(uint32_t), over_numbers[i]));
    BI_TRY(bi_scratch_of(s->ctx, n, sizeof(uint32_t), &m->number_of));
    BI_TRY(bi_scratch_of(s->ctx, n, sizeof(uint32_t), &m->vertex_of[0]));
    BI_TRY(bi_scratch_of(s->ctx, words, sizeof *m->least, &m->least));
    if (!bi_msf_one_word(&s->r->list)) BI_TRY(bi_scratch_of(s->ctx, words, sizeof *m->least_id, &m->least_id));
    BI_TRY(bi_scratch_of(s->ctx, most, place_size(s), &m->chosen));
    BI_TRY(bi_scratch_of(s->ctx, 1, sizeof(uint32_t), &m->changed));
    return bi_scratch_of(s->ctx, 1, sizeof(int64_t), &m->count);
}

/* Numbers the segments of equal ends >> shift; *count gets how many there are. */
static bosc_status number_segments(struct run *s, int shift, int64_t *count)
{
    int64_t arcs = s->r->list.count;
    uint32_t last = 0;
    struct bi_msf_heads heads = {s->r->list.ends, shift, s->m.heads, s->m.numbers};
    BI_TRY(s->steps->msf_heads(s->ctx, arcs, &heads));
    BI_TRY(s->core->scan(s->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, s->m.numbers, arcs, s->m.numbers));
    BI_TRY(bi_read_back(s->ctx, &last, s->m.numbers + arcs - 1, sizeof last));
    *count = last;
    return BOSC_OK;
}

/* out[number] = the least word of each segment; `least` as bi_msf_arc_word takes it. */
static bosc_status least_words(struct run *s, const uint64_t *least, int64_t segments, uint64_t *out)
{
    int64_t arcs = s->r->list.count;
    if (s->r->atomic) {
        struct bi_msf_lower lower = {s->r->list, s->m.numbers, least, out};
        BI_TRY(s->ctx->backend->fill(s->ctx, out, 0xff, (size_t)segments * sizeof *out));
        return s->steps->msf_lower(s->ctx, arcs, &lower);
    }
    struct bi_msf_weigh weigh = {s->r->list, s->m.numbers, least, s->m.words};
    struct bi_msf_take_last last = {s->m.words, s->m.heads, s->m.numbers, arcs, out};
    BI_TRY(s->steps->msf_weigh(s->ctx, arcs, &weigh));
    BI_TRY(
        s->core->scan_segmented(s->ctx, BOSC_MIN, BOSC_INCLUSIVE, BOSC_U64, s->m.words, s->m.heads, arcs, s->m.words));
    return s->steps->msf_take_last(s->ctx, arcs, &last);
}

static bosc_status find_least(struct run *s, int64_t segments)
{
    BI_TRY(least_words(s, NULL, segments, s->m.least));
    return s->m.least_id ? least_words(s, s->m.least, segments, s->m.least_id) : BOSC_OK;
}

/* The list of vertices: labels that have arcs get numbers. */
static bosc_status open_round(struct run *s)
{
    struct bi_msf_list *list = &s->r->list;
    BI_TRY(number_segments(s, list->shift, &s->vertices));
    BI_TRY(s->ctx->backend->fill(s->ctx, s->m.number_of, 0xff, (size_t)s->labels * sizeof(uint32_t)));
    struct bi_msf_open open = {*list, s->m.heads, s->m.numbers, s->m.number_of, s->m.label_of};
    BI_TRY(s->steps->msf_open(s->ctx, list->count, &open));
    if (s->r->count < BI_MSF_MAX_ROUNDS) s->r->told[s->r->count] = (bosc_msf_round){s->vertices, list->count};
    return BOSC_OK;
}

/* Gives the supervertices of the last round their parents. */
static bosc_status give_parents(struct run *s, const uint32_t *number_of, int64_t numbers)
{
    struct bi_msf_tree *t = s->r->tree;
    if (t->levels == 0) return BOSC_OK;
    int64_t begin = t->begin[t->levels - 1];
    struct bi_msf_parents up = {s->m.label, number_of, (uint32_t)numbers, t->parent + begin};
    return s->steps->msf_parents(s->ctx, t->begin[t->levels] - begin, &up);
}

/* Enters the supervertices of this round into the tree. */
static bosc_status grow_tree(struct run *s)
{
    struct bi_msf_tree *t = s->r->tree;
    if (t->levels == 0)
        BI_TRY(s->ctx->backend->copy(s->ctx, t->leaf, s->m.number_of, (size_t)s->r->n * sizeof(uint32_t)));
    BI_TRY(give_parents(s, s->m.number_of, s->vertices));
    t->begin[t->levels + 1] = t->begin[t->levels] + s->vertices;
    t->levels++;
    return BOSC_OK;
}

/* Lightest edges without their cycles; those of all but the roots join the forest. */
static bosc_status choose_edges(struct run *s)
{
    struct scratch *m = &s->m;
    struct bi_msf_choose choose = {s->r->list, m->numbers, m->number_of, m->least, m->least_id, m->next, m->chosen};
    struct bi_msf_cut cut = {m->next, m->root[0], m->keep};
    char *out = (char *)s->r->chosen + (size_t)s->r->found * place_size(s);
    int64_t chosen;
    BI_TRY(find_least(s, s->vertices));
    BI_TRY(s->steps->msf_choose(s->ctx, s->r->list.count, &choose));
    if (s->r->tree)
        BI_TRY(s->ctx->backend->copy(s->ctx, s->r->tree->rank + s->r->tree->begin[s->r->count], m->chosen,
                                     (size_t)s->vertices * sizeof(uint32_t)));
    BI_TRY(s->steps->msf_cut(s->ctx, s->vertices, &cut));
    BI_TRY(s->core->compact(s->ctx, place_size(s), m->chosen, m->keep, s->vertices, out, m->count));
    BI_TRY(bi_read_back(s->ctx, &chosen, m->count, sizeof chosen));
    s->r->found += chosen;
    s->new_labels = s->vertices - chosen;
    return BOSC_OK;
}

/* root[0] becomes each number's representative, by pointer doubling. */
static bosc_status find_roots(struct run *s)
{
    for (uint32_t changed = 1; changed;) {
        struct bi_msf_jump jump = {s->m.root[0], s->m.root[1], s->m.changed};
        BI_TRY(s->ctx->backend->fill(s->ctx, s->m.changed, 0, sizeof changed));
        BI_TRY(s->steps->msf_jump(s->ctx, s->vertices, &jump));
        BI_TRY(bi_read_back(s->ctx, &changed, s->m.changed, sizeof changed));
        s->m.root[0] = jump.out;
        s->m.root[1] = (uint32_t *)jump.in;
    }
    return BOSC_OK;
}

/* New labels: numbers sorted by representative, runs counted. */
static bosc_status name_supervertices(struct run *s)
{
    struct scratch *m = &s->m;
    int bits = bi_bit_length((uint64_t)s->vertices);
    struct bi_msf_iota iota = {m->order[0]};
    uint32_t *sorted = m->next; /* not needed any more */
    struct bi_msf_runs runs = {sorted, m->root[1]};
    struct bi_msf_rename rename = {sorted,
                                   m->order[1],
                                   m->root[1],
                                   m->label_of,
                                   m->vertex_of[s->vertices_now],
                                   m->label,
                                   m->vertex_of[!s->vertices_now]};
    if (s->r->parent) {
        struct bi_msf_adopt adopt = {m->root[0], m->label_of, m->vertex_of[s->vertices_now], s->r->parent};
        BI_TRY(s->steps->msf_adopt(s->ctx, s->vertices, &adopt));
    }
    BI_TRY(s->steps->msf_iota(s->ctx, s->vertices, &iota));
    BI_TRY(s->core->sort_pairs(s->ctx, BOSC_U32, m->root[0], sizeof(uint32_t), m->order[0], s->vertices, sorted,
                               m->order[1], 0, bits));
    BI_TRY(s->steps->msf_runs(s->ctx, s->vertices, &runs));
    BI_TRY(s->core->scan(s->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, m->root[1], s->vertices, m->root[1]));
    s->vertices_now = !s->vertices_now;
    return s->steps->msf_rename(s->ctx, s->vertices, &rename);
}

/* Drops the arcs without keep[i] from the array in use; `from` has their ends. */
static bosc_status drop_arcs(struct run *s, const uint64_t *from)
{
    struct bi_msf_rounds *r = s->r;
    int other = !s->now;
    int64_t count;
    uint64_t *to = from == r->ends[other] ? r->ends[s->now] : r->ends[other];
    BI_TRY(s->core->compact(s->ctx, sizeof *to, from, s->m.keep, r->list.count, to, s->m.count));
    BI_TRY(s->core->compact(s->ctx, place_size(s), r->places[s->now], s->m.keep, r->list.count, r->places[other],
                            s->m.count));
    BI_TRY(bi_read_back(s->ctx, &count, s->m.count, sizeof count));
    if (to == r->ends[s->now]) { /* the places went to the other array, the ends did not: swap the ends */
        r->ends[s->now] = r->ends[other];
        r->ends[other] = to;
    }
    s->now = other;
    r->list.ends = r->ends[other];
    r->list.places = r->places[other];
    r->list.count = count;
    return BOSC_OK;
}

/* Sorts the arcs by their ends from bit `first` up. */
static bosc_status sort_arcs(struct run *s, int first)
{
    struct bi_msf_rounds *r = s->r;
    int other = !s->now;
    BI_TRY(s->core->sort_pairs(s->ctx, BOSC_U64, r->ends[s->now], place_size(s), r->places[s->now], r->list.count,
                               r->ends[other], r->places[other], first, 2 * r->list.shift));
    s->now = other;
    r->list.ends = r->ends[other];
    r->list.places = r->places[other];
    return BOSC_OK;
}

/* Of edges between the same two supervertices all but the lightest go. */
static bosc_status drop_duplicates(struct run *s)
{
    int64_t pairs;
    BI_TRY(number_segments(s, 0, &pairs));
    BI_TRY(find_least(s, pairs));
    struct bi_msf_keep_least least = {s->r->list, s->m.numbers, s->m.least, s->m.least_id, s->m.keep};
    BI_TRY(s->steps->msf_keep_least(s->ctx, s->r->list.count, &least));
    return drop_arcs(s, s->r->list.ends);
}

/* The list of arcs of the next round. */
static bosc_status close_round(struct run *s)
{
    struct bi_msf_rounds *r = s->r;
    bool drop = !r->keep_parallel && r->count < ROUNDS_WITHOUT_DUPLICATES;
    int shift = bi_bit_length((uint64_t)s->new_labels);
    struct bi_msf_relabel relabel = {r->list, s->m.numbers,     s->m.number_of, s->m.label,
                                     shift,   r->ends[!s->now], s->m.keep};
    BI_TRY(s->steps->msf_relabel(s->ctx, r->list.count, &relabel));
    BI_TRY(drop_arcs(s, relabel.ends));
    r->list.shift = shift;
    s->labels = s->new_labels;
    r->count++;
    if (r->list.count == 0) return BOSC_OK;
    BI_TRY(sort_arcs(s, drop ? 0 : shift));
    return drop ? drop_duplicates(s) : BOSC_OK;
}

static bosc_status run_round(struct run *s)
{
    BI_TRY(open_round(s));
    if (s->r->tree) BI_TRY(grow_tree(s));
    BI_TRY(choose_edges(s));
    BI_TRY(find_roots(s));
    BI_TRY(name_supervertices(s));
    return close_round(s);
}

bosc_status bi_msf_run_rounds(bosc_ctx *ctx, struct bi_msf_rounds *rounds)
{
    struct run s = {
        .ctx = ctx, .steps = ctx->ops->forest->steps, .core = ctx->backend->core, .r = rounds, .labels = rounds->n};
    rounds->found = 0;
    rounds->count = 0;
    rounds->list.ends = rounds->ends[0];
    rounds->list.places = rounds->places[0];
    BI_TRY(take_arc_room(&s));
    BI_TRY(take_vertex_room(&s));
    struct bi_msf_iota vertices = {s.m.vertex_of[0]}, parents = {rounds->parent};
    BI_TRY(s.steps->msf_iota(ctx, rounds->n, &vertices));
    if (rounds->parent) BI_TRY(s.steps->msf_iota(ctx, rounds->n, &parents));
    while (rounds->list.count > 0) BI_TRY(run_round(&s));
    return rounds->tree ? give_parents(&s, NULL, 0) : BOSC_OK;
}
