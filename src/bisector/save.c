/* Saves pools, and reads saved ones. Input is untrusted: memory grows with the bytes read, the checksum must match,
 * roots must be glued in pairs, and nodes must be the leaves of a conforming bisection. */
#include "bisector/save.h"

static bosc_status write_bisectors(struct bi_saver *s, const void *structure)
{
    const bosc_bisectors *b = structure;
    struct bi_bisector_header h = {
        .depth = (uint32_t)b->view.depth, .root_count = b->view.root_count, .leaves = b->view.leaves};
    const size_t roots = (size_t)h.root_count * 3 * sizeof *b->view.roots;
    const size_t leaves = (size_t)h.leaves * sizeof *b->view.nodes;
    bi_progress_set_total(s->ctx, bi_save_items(roots + leaves));
    BI_TRY(bi_save_header(s, &h, sizeof h, BI_BISECTOR_SAVE_MAGIC, BI_BISECTOR_SAVE_VERSION));
    BI_TRY(bi_save_array(s, b->view.roots, roots));
    return bi_save_array(s, b->view.nodes, leaves);
}

bosc_status bosc_bisectors_write(bosc_ctx *ctx, const bosc_bisectors *bisectors, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    return bi_save(ctx, write, user, write_bisectors, bisectors);
}

/* ---- reading ---- */

enum { ROOTS, NODES, ARRAYS };

struct reader {
    struct bi_loader loader; /* first: see struct bi_load_kind */
    struct bi_bisector_header header;
    bosc_bisectors_opts opts;
    struct bi_loaded arrays[ARRAYS];
};

static bosc_status get_header(struct reader *r)
{
    struct bi_bisector_header *h = &r->header;
    BI_TRY(bi_load_header(&r->loader, h, sizeof *h, BI_BISECTOR_SAVE_MAGIC, BI_BISECTOR_SAVE_VERSION));
    if (h->unused[0] | h->unused[1] | h->unused[2])
        return bi_load_malformed(&r->loader, "the header has unknown fields");
    const bosc_bisectors_opts opts = {.size = sizeof opts, .depth = (int32_t)h->depth, .root_count = h->root_count};
    if (h->root_count < 1 || bi_bisector_check_opts(r->loader.ctx, &opts, &r->opts) != BOSC_OK)
        return bi_load_malformed(&r->loader, "its depth or number of roots is out of range");
    if (h->leaves < h->root_count || h->leaves > BI_BISECTOR_MAX_LEAVES)
        return bi_load_malformed(&r->loader, "its number of leaves is out of range");
    return BOSC_OK;
}

/* True if each glued edge is glued back, and bases only to bases. */
static bool is_symmetric(const uint32_t *glued, int64_t root_count)
{
    for (int64_t r = 0; r < root_count; r++)
        for (uint32_t e = 0; e < 3; e++) {
            const uint32_t to = glued[3 * r + e], self = (uint32_t)(4 * r) + e;
            if (to == BI_BISECTOR_BORDER) continue;
            if ((int64_t)(to >> 2) >= root_count || (to & 3) == 3 || ((to & 3) == 0) != (e == 0) || to == self)
                return false;
            if (glued[3 * (int64_t)(to >> 2) + (to & 3)] != self) return false;
        }
    return true;
}

static bosc_status parse(void *state)
{
    struct reader *r = state;
    BI_TRY(get_header(r));
    const size_t roots = (size_t)r->header.root_count * 12, leaves = (size_t)r->header.leaves * 8;
    bi_progress_set_total(r->loader.ctx, bi_save_items(roots + leaves) + 3 * (double)r->header.leaves);
    BI_TRY(bi_load_array(&r->loader, &r->arrays[ROOTS], roots, "roots"));
    BI_TRY(bi_load_array(&r->loader, &r->arrays[NODES], leaves, "nodes"));
    BI_TRY(bi_load_hash(&r->loader));
    if (is_symmetric((const uint32_t *)(const void *)r->arrays[ROOTS].data, r->header.root_count)) return BOSC_OK;
    return bi_load_malformed(&r->loader, "its roots are not glued in pairs");
}

static bosc_status create(void *state, void **fresh)
{
    struct reader *r = state;
    bosc_bisectors *bisectors;
    BI_TRY(bi_bisector_allocate(r->loader.ctx, &r->opts, (const uint32_t *)(const void *)r->arrays[ROOTS].data,
                                &bisectors));
    *fresh = bisectors;
    return BOSC_OK;
}

static bosc_status fill(void *state, void *fresh)
{
    struct reader *r = state;
    bosc_ctx *ctx = r->loader.ctx;
    const void *nodes;
    bool staged = false;
    int64_t bad;
    BI_TRY(bi_stage_in(ctx, r->arrays[NODES].data, r->arrays[NODES].bytes, &nodes, &staged));
    BI_TRY(bi_bisector_install(ctx, fresh, nodes, r->header.leaves, &bad));
    return bad == INT64_MAX ? BOSC_OK
                            : bi_load_malformed(&r->loader, "its nodes are not the leaves of a conforming bisection");
}

static void release(void *fresh) { bosc_bisectors_free(fresh); }

bosc_status bosc_bisectors_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_bisectors **bisectors)
{
    static const struct bi_load_kind kind = {"bisectors", "saved pool of bisectors", parse, create, fill, release};
    struct reader r = {.header = {.version = 0}};
    BI_ENTER(ctx);
    return bi_load_structure(ctx, read, user, &kind, &r, r.arrays, ARRAYS, bisectors);
}
