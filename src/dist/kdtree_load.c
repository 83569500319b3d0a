/* Reads saved trees. Rank 0 reads, and deals points and ids to all by their places; then each point goes to the rank of
 * its id, so that the ranks have the rows of the build again, from which the tree is built. Nothing is believed: arrays
 * grow by slices that were really read, the checksum decides, and ids must be a permutation. */
#include <string.h>

#include "dist/kdtree.h"
#include "dist/steps/steps.h"
#include "kdtree/save.h"

enum { SLICE = 1 << 20, POINTS = 0, IDS = 1, ARRAYS = 2 };

struct reading {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_loader loader; /* of rank 0; of the others its context alone */
    struct bi_kdtree_header header;
    struct bi_loaded arrays[ARRAYS]; /* this rank's places */
    char *slice;                     /* of rank 0 */
    int64_t *at;                     /* host, (ranks + 1) twice: offsets of what rank 0 sends, and of what comes */
    size_t host_bytes;               /* of both */
};

static bosc_status malformed(struct reading *r, const char *reason) { return bi_load_malformed(&r->loader, reason); }

static bosc_status get_header(struct reading *r)
{
    struct bi_kdtree_header *h = &r->header;
    BI_TRY(bi_load_header(&r->loader, h, sizeof *h, BI_KDTREE_SAVE_MAGIC, BI_KDTREE_SAVE_VERSION));
    if (h->flags > BI_KDTREE_SAVE_DUPLICATES_REMOVED || h->reserved || h->unused)
        return malformed(r, "the header has unknown flags");
    if (h->flags)
        return bi_fail(r->ctx, BOSC_ERR_LIMIT, "saved tree: without duplicates; it can be read by one context only");
    if (h->dtype < BOSC_F32 || h->dtype > BOSC_I64) return malformed(r, "the type of its elements is unknown");
    if (h->dim < 1 || h->dim > 1024) return malformed(r, "its dimension is not in 1 to 1024");
    if (h->id_bits != 32 && h->id_bits != 64) return malformed(r, "its ids have neither 32 nor 64 bits");
    if (h->n < 0 || h->n >= (int64_t)UINT32_MAX) return malformed(r, "its size is out of range");
    return h->nodes == h->n ? BOSC_OK : malformed(r, "it lacks nodes");
}

/* ---- arrays ---- */

/* The first place, or id, of rank r: those of a rank are id x ranks / n == r. */
static int64_t first_of(const struct reading *r, int64_t rank)
{
    const int64_t ranks = r->comm->rank_count;
    return (rank * r->header.n + ranks - 1) / ranks;
}

/* Room for some bytes more, of `most` in all. */
static bosc_status grow(struct reading *r, struct bi_loaded *a, size_t more, size_t most)
{
    size_t need = a->bytes + more;
    if (need <= a->capacity) return BOSC_OK;
    return bi_load_reserve(&r->loader, a, need > most / 2 ? most : 2 * need);
}

static bosc_status get_slice(struct reading *r, int32_t to, int which, size_t bytes, size_t most)
{
    static const char *const names[ARRAYS] = {"points", "ids"};
    const int32_t ranks = r->comm->rank_count, rank = r->comm->rank;
    struct bi_loaded *a = &r->arrays[which];
    int64_t *sent = r->at, *received = r->at + ranks + 1;
    bosc_status mine = rank == 0 ? bi_load_get(&r->loader, r->slice, bytes, names[which]) : BOSC_OK;
    if (mine == BOSC_OK && rank == to) mine = grow(r, a, bytes, most);
    BI_TRY(bi_comm_agree(r->ctx, r->comm, mine));
    for (int32_t i = 0; i <= ranks; i++) {
        sent[i] = rank == 0 && i > to ? (int64_t)bytes : 0;
        received[i] = rank == to && i > 0 ? (int64_t)bytes : 0;
    }
    BI_TRY(bi_comm_all_to_all(r->ctx, r->comm, true, r->slice, sent, a->data ? a->data + a->bytes : NULL, received));
    if (rank == to) a->bytes += bytes;
    return BOSC_OK;
}

static bosc_status get_array(struct reading *r, int which, size_t size)
{
    for (int32_t to = 0; to < r->comm->rank_count; to++) {
        const size_t bytes = (size_t)(first_of(r, to + 1) - first_of(r, to)) * size;
        for (size_t at = 0; at < bytes; at += SLICE)
            BI_TRY(get_slice(r, to, which, bytes - at < SLICE ? bytes - at : SLICE, bytes));
    }
    return BOSC_OK;
}

static bosc_status get_arrays(struct reading *r)
{
    BI_TRY(get_array(r, POINTS, (size_t)r->header.dim * bosc_dtype_size((bosc_dtype)r->header.dtype)));
    BI_TRY(get_array(r, IDS, sizeof(uint32_t)));
    return bi_comm_agree(r->ctx, r->comm, r->comm->rank == 0 ? bi_load_hash(&r->loader) : BOSC_OK);
}

/* ---- rows ---- */

static bosc_status move_to_backend(bosc_ctx *ctx, const struct bi_loaded *a, void **place)
{
    BI_TRY(bi_scratch(ctx, a->bytes, place));
    return a->bytes ? ctx->backend->copy(ctx, *place, a->data, a->bytes) : BOSC_OK;
}

/* What was read here, in reach, and whom it goes to. */
static bosc_status find_owners(struct reading *r, void **points, uint32_t **ids, uint32_t **bucket)
{
    bosc_ctx *ctx = r->ctx;
    const int64_t n = (int64_t)(r->arrays[IDS].bytes / sizeof **ids);
    void *all;
    BI_TRY(move_to_backend(ctx, &r->arrays[POINTS], points));
    BI_TRY(move_to_backend(ctx, &r->arrays[IDS], &all));
    BI_TRY(bi_scratch_of(ctx, n, sizeof **bucket, bucket));
    *ids = all;
    const struct bi_dist_kdtree_owner_of_id owner = {*ids, r->header.n, (uint32_t)r->comm->rank_count, *bucket};
    return n ? ctx->ops->dist->steps->kdtree_owner_of_id(ctx, n, &owner) : BOSC_OK;
}

/* *sorted = the rows in the order of their ids, which must be all of this rank's. */
static bosc_status sort_rows(struct reading *r, const void *rows, const uint32_t *ids, int64_t n, void **sorted)
{
    bosc_ctx *ctx = r->ctx;
    const struct bi_dist_steps *steps = ctx->ops->dist->steps;
    const int64_t first = first_of(r, r->comm->rank), none = INT64_MAX, dim = r->header.dim;
    const size_t size = bosc_dtype_size((bosc_dtype)r->header.dtype);
    int64_t *bad, found;
    uint32_t *numbers, *order, *keys;
    if (n != first_of(r, r->comm->rank + 1) - first) return malformed(r, "its ids are not those of its points");
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n * dim, size, sorted));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *numbers, &numbers));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *order, &order));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *keys, &keys));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bad, &bad));
    BI_TRY(ctx->backend->copy(ctx, bad, &none, sizeof none));
    const struct bi_dist_kdtree_iota iota = {numbers};
    const struct bi_dist_kdtree_check_ids check = {keys, first, bad};
    const struct bi_dist_kdtree_rows gather = {rows, *sorted, order, dim, dim, 0, size == 8};
    BI_TRY(steps->kdtree_iota(ctx, n, &iota));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U32, ids, sizeof *order, numbers, n, keys, order, 0, 32));
    BI_TRY(steps->kdtree_check_ids(ctx, n, &check));
    BI_TRY(bi_read_back(ctx, &found, bad, sizeof found));
    if (found != none) return malformed(r, "its ids are not those of its points");
    return steps->kdtree_gather(ctx, n * dim, &gather);
}

static bosc_status build_dealt(struct reading *r, const struct bi_dist_deal *deal, const void *points,
                               const uint32_t *ids, bosc_dist_kdtree *tree)
{
    bosc_ctx *ctx = r->ctx;
    const int64_t dim = r->header.dim, received = deal->x.received;
    const size_t size = bosc_dtype_size((bosc_dtype)r->header.dtype);
    const struct bi_kdtree_rows point_rows = {points, deal->x.sent, dim}, id_rows = {ids, deal->x.sent, 1};
    void *rows = NULL, *sorted = NULL;
    uint32_t *names = NULL;
    bosc_status mine = bi_scratch_of(ctx, received * dim, size, &rows);
    if (mine == BOSC_OK) mine = bi_scratch_of(ctx, received, sizeof *names, &names);
    BI_TRY(bi_dist_kdtree_send(ctx, r->comm, mine, deal, &point_rows, dim, size, rows));
    BI_TRY(bi_dist_kdtree_send(ctx, r->comm, BOSC_OK, deal, &id_rows, 1, sizeof *names, names));
    BI_TRY(bi_comm_agree(ctx, r->comm, sort_rows(r, rows, names, received, &sorted)));
    return bosc_dist_kdtree_build(ctx, tree, sorted, received, 0);
}

static bosc_status build_rows(struct reading *r, bosc_dist_kdtree *tree)
{
    struct bi_dist_deal deal;
    void *points = NULL;
    uint32_t *ids = NULL, *bucket = NULL;
    const bosc_status mine = find_owners(r, &points, &ids, &bucket);
    const int64_t n = (int64_t)(r->arrays[IDS].bytes / sizeof *ids);
    bosc_status status = bi_dist_kdtree_deal(r->ctx, r->comm, mine, bucket, NULL, n, &deal);
    if (status == BOSC_OK) status = build_dealt(r, &deal, points, ids, tree);
    bi_exchange_end(r->ctx, &deal.x);
    return status;
}

/* ---- the call ---- */

static bosc_status begin(struct reading *r, bosc_read_fn read, void *user, bosc_dist_kdtree **tree)
{
    const bool reads = r->comm->rank == 0;
    const size_t lists = 2 * (size_t)(r->comm->rank_count + 1) * sizeof *r->at;
    if (!tree) return bi_fail(r->ctx, BOSC_ERR_ARG, "tree: NULL");
    if (reads && !read) return bi_fail(r->ctx, BOSC_ERR_ARG, "read: NULL");
    r->host_bytes = lists + (reads ? SLICE : 0);
    r->at = bi_host_alloc(r->ctx, r->host_bytes);
    if (!r->at) return BOSC_ERR_NOMEM;
    r->slice = reads ? (char *)r->at + lists : NULL;
    if (!reads) return BOSC_OK;
    BI_TRY(bi_load_begin(r->ctx, read, user, "saved tree", &r->loader));
    return get_header(r);
}

/* All ranks get the header, and make a tree as it says. */
static bosc_status share_header(struct reading *r, bosc_dist_kdtree **fresh)
{
    struct bi_kdtree_header *all = r->comm->gather;
    BI_TRY(bi_comm_all_gather(r->ctx, r->comm, &r->header, sizeof r->header, all));
    r->header = all[0];
    const bosc_kdtree_opts opts = {.size = sizeof opts,
                                   .dtype = (bosc_dtype)r->header.dtype,
                                   .dim = (int32_t)r->header.dim,
                                   .id_bits = (int32_t)r->header.id_bits};
    return bosc_dist_kdtree_create(r->ctx, r->comm, &opts, fresh);
}

static bosc_status read_tree(struct reading *r, bosc_status mine, bosc_dist_kdtree **fresh)
{
    BI_TRY(bi_comm_agree(r->ctx, r->comm, mine));
    BI_TRY(share_header(r, fresh));
    BI_TRY(get_arrays(r));
    BI_RETURN_WITH_SCRATCH(r->ctx, build_rows(r, *fresh));
}

bosc_status bosc_dist_kdtree_read(bosc_ctx *ctx, bosc_comm *comm, bosc_read_fn read, void *user,
                                  bosc_dist_kdtree **tree)
{
    struct reading r = {.ctx = ctx, .comm = comm, .loader = {.ctx = ctx, .what = "saved tree"}};
    bosc_dist_kdtree *fresh = NULL;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status status = read_tree(&r, begin(&r, read, user, tree), &fresh);
    for (int a = 0; a < ARRAYS; a++) bi_load_release(&r.loader, &r.arrays[a]);
    if (r.loader.memory) bi_load_end(&r.loader);
    bi_memory_release(&ctx->host, r.at, r.host_bytes);
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_dist_kdtree_free(fresh);
    return status;
}
