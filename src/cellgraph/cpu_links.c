/* Dobrowolski's sequential search, in O(n length) steps, on the CPU: a walk down the tree of all prefixes that carries
 * an auxiliary structure along, the links between nodes of one level whose prefixes differ in one letter. The links of
 * the next level follow from those of this one: the children of linked nodes by the same letter are linked, and so are
 * the children of one node. At the leaves the links are the edges. Binary prefixes that differ pairwise have no more
 * than n log2(n) / 2 links, so a level takes no more steps. The tree is never there as a whole: a level of it is the
 * runs of sorted vectors that agree in so many letters.
 * Source: Dobrowolski, An Efficient Method of Constructing Cell Graph (SII 2013). */
#include <boscage/trie.h>

#include "cellgraph/driver.h"

struct link {
    uint32_t low, high; /* nodes */
    uint32_t position;  /* the letter */
};

struct level {
    uint32_t *firsts; /* (nodes + 1) the first vector of each node */
    uint32_t *kids;   /* (nodes + 1) the first child of each, in the next level */
    int64_t nodes;
};

struct walk {
    struct bi_cell_shape shape;
    const uint64_t *rows;     /* in order, (count x words) */
    const uint32_t *vertices; /* of each row */
    int64_t count;
    struct level now, next;
    struct bi_block links[2];
    int64_t link_count;
};

static uint32_t letter_of(const struct walk *w, int64_t row, int32_t k)
{
    const struct bi_cell_shape *s = &w->shape;
    uint64_t word = w->rows[row * s->words + k / s->per_word];
    return (uint32_t)(word >> (k % s->per_word * s->letter_bits)) & ((1u << s->letter_bits) - 1);
}

/* The children of the level's nodes, by letter k. */
static void branch(struct walk *w, int32_t k)
{
    int64_t kids = 0;
    for (int64_t v = 0; v < w->now.nodes; v++) {
        w->now.kids[v] = (uint32_t)kids;
        uint32_t before = 0;
        for (uint32_t i = w->now.firsts[v]; i < w->now.firsts[v + 1]; i++) {
            uint32_t letter = letter_of(w, i, k);
            if (i == w->now.firsts[v] || letter != before) w->next.firsts[kids++] = i;
            before = letter;
        }
    }
    w->now.kids[w->now.nodes] = (uint32_t)kids;
    w->next.firsts[kids] = (uint32_t)w->count;
    w->next.nodes = kids;
}

/* The links of the children of linked nodes, and of one node's among themselves; counted, or written if `to` is not
 * NULL. */
static int64_t link_kids(const struct walk *w, int32_t k, struct link *to)
{
    const struct link *links = w->links[0].data;
    int64_t count = 0;
    for (int64_t e = 0; e < w->link_count; e++) {
        uint32_t a = w->now.kids[links[e].low], a_end = w->now.kids[links[e].low + 1];
        uint32_t b = w->now.kids[links[e].high], b_end = w->now.kids[links[e].high + 1];
        while (a < a_end && b < b_end) { /* both ascend by their letters */
            uint32_t x = letter_of(w, w->next.firsts[a], k), y = letter_of(w, w->next.firsts[b], k);
            if (x == y && to) to[count] = (struct link){a, b, links[e].position};
            count += x == y;
            a += x <= y;
            b += y <= x;
        }
    }
    for (int64_t v = 0; v < w->now.nodes; v++)
        for (uint32_t a = w->now.kids[v]; a < w->now.kids[v + 1]; a++)
            for (uint32_t b = a + 1; b < w->now.kids[v + 1]; b++, count++)
                if (to) to[count] = (struct link){a, b, (uint32_t)k};
    return count;
}

static bosc_status go_down(bosc_ctx *ctx, struct walk *w)
{
    for (int32_t k = 0; k < w->shape.length; k++) {
        branch(w, k);
        int64_t count = link_kids(w, k, NULL);
        BI_TRY(bi_block_reserve(ctx, &ctx->memory, &w->links[1], (size_t)count * sizeof(struct link)));
        link_kids(w, k, w->links[1].data);
        struct bi_block links = w->links[0];
        struct level level = w->now;
        w->links[0] = w->links[1];
        w->links[1] = links;
        w->link_count = count;
        w->now = w->next;
        w->next = level;
        BI_TRY(bi_progress(ctx, "links", (double)(k + 1) / w->shape.length));
    }
    return BOSC_OK;
}

/* The sorted vectors, and the nodes of level 0. */
static bosc_status begin(bosc_ctx *ctx, const bosc_trie *trie, struct walk *w)
{
    uint64_t *rows;
    uint32_t *vertices;
    int64_t n = w->count;
    BI_TRY(bi_cell_scratch(ctx, n, (size_t)w->shape.words * 8, &rows));
    BI_TRY(bi_cell_scratch(ctx, n, 4, &vertices));
    BI_TRY(bosc_trie_get_keys(ctx, trie, 0, n, rows, vertices, NULL));
    BI_TRY(bi_cell_scratch(ctx, n + 1, 4, &w->now.firsts));
    BI_TRY(bi_cell_scratch(ctx, n + 1, 4, &w->now.kids));
    BI_TRY(bi_cell_scratch(ctx, n + 1, 4, &w->next.firsts));
    BI_TRY(bi_cell_scratch(ctx, n + 1, 4, &w->next.kids));
    w->rows = rows;
    w->vertices = vertices;
    w->now.firsts[0] = 0;
    w->now.firsts[1] = (uint32_t)n;
    w->now.nodes = 1;
    return BOSC_OK;
}

bosc_status bi_cell_cpu_links(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_cell_view *view,
                              const struct bi_cell_found *found)
{
    struct walk w = {.shape = view->shape, .count = view->count};
    if (w.count == 0) return BOSC_OK;
    BI_TRY(begin(ctx, trie, &w));
    bosc_status status = go_down(ctx, &w);
    const struct link *links = w.links[0].data;
    for (int64_t e = 0; e < w.link_count && status == BOSC_OK; e++)
        bi_cell_emit(found, w.vertices[links[e].low], w.vertices[links[e].high], links[e].position);
    for (int b = 0; b < 2; b++) bi_block_free(&ctx->memory, &w.links[b]);
    return status;
}
