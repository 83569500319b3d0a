/* Loads saved trees. Rank 0 reads the file and sends each rank its share of the arrays. Nothing is trusted: arrays
 * grow by chunks actually read, and the checksum decides. */
#include <string.h>

#include "ranks/kdtree/load.h"

enum { CHUNK_BYTES = 1 << 20 }; /* chosen: memory of rank 0 stays small */

static bosc_status malformed(struct bi_ranks_kdtree_loader *r, const char *reason)
{
    return bi_load_malformed(&r->loader, reason);
}

static bosc_status read_header(struct bi_ranks_kdtree_loader *r)
{
    struct bi_kdtree_header *h = &r->header;
    BI_TRY(bi_load_header(&r->loader, h, sizeof *h, BI_KDTREE_SAVE_MAGIC, BI_KDTREE_SAVE_VERSION));
    if (h->flags > BI_KDTREE_SAVE_DUPLICATES_REMOVED || h->reserved || h->unused)
        return malformed(r, "the header has unknown flags");
    if (h->dtype < BOSC_F32 || h->dtype > BOSC_I64) return malformed(r, "the type of its elements is unknown");
    if (h->dim < 1 || h->dim > 1024) return malformed(r, "its dimension is not in 1 to 1024");
    if (h->id_bits != 32 && h->id_bits != 64) return malformed(r, "its ids have neither 32 nor 64 bits");
    if (h->n < 0 || h->n >= (int64_t)UINT32_MAX || h->nodes < 0 || h->nodes > h->n || (h->n > 0 && h->nodes == 0))
        return malformed(r, "its size is out of range");
    return h->flags || h->nodes == h->n ? BOSC_OK : malformed(r, "it lacks nodes");
}

/* ---- arrays ---- */

/* Reserves `more` bytes, of `most` in all. */
static bosc_status grow_array(struct bi_ranks_kdtree_loader *r, struct bi_loaded *a, size_t more, size_t most)
{
    size_t need = a->bytes + more;
    if (need <= a->capacity) return BOSC_OK;
    return bi_load_reserve(&r->loader, a, need > most / 2 ? most : 2 * need);
}

/* Rank 0 reads a chunk and sends it to rank `to`. */
static bosc_status read_chunk(struct bi_ranks_kdtree_loader *r, int32_t to, int which, size_t bytes, size_t most)
{
    static const char *const names[BI_RANKS_ARRAYS] = {"points", "ids", "inverse", "counts"};
    const int32_t ranks = r->comm->rank_count, rank = r->comm->rank;
    struct bi_loaded *a = &r->arrays[which];
    int64_t *sent = r->at, *received = r->at + ranks + 1;
    bosc_status local_status = rank == 0 ? bi_load_bytes(&r->loader, r->chunk, bytes, names[which]) : BOSC_OK;
    if (local_status == BOSC_OK && rank == to) local_status = grow_array(r, a, bytes, most);
    BI_TRY(bi_comm_agree(r->ctx, r->comm, local_status));
    for (int32_t i = 0; i <= ranks; i++) {
        sent[i] = rank == 0 && i > to ? (int64_t)bytes : 0;
        received[i] = rank == to && i > 0 ? (int64_t)bytes : 0;
    }
    BI_TRY(bi_comm_all_to_all(r->ctx, r->comm, true, r->chunk, sent, a->data ? a->data + a->bytes : NULL, received));
    if (rank == to) a->bytes += bytes;
    return BOSC_OK;
}

/* Reads an array of `count` items; each rank receives its share. */
static bosc_status read_array(struct bi_ranks_kdtree_loader *r, int which, int64_t count, size_t size)
{
    for (int32_t to = 0; to < r->comm->rank_count; to++) {
        const int64_t begin = bi_ranks_kdtree_chunk_begin(r, to, count),
                      end = bi_ranks_kdtree_chunk_begin(r, to + 1, count);
        const size_t bytes = (size_t)(end - begin) * size;
        for (size_t at = 0; at < bytes; at += CHUNK_BYTES)
            BI_TRY(read_chunk(r, to, which, bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES, bytes));
    }
    return BOSC_OK;
}

static bosc_status read_arrays(struct bi_ranks_kdtree_loader *r)
{
    const struct bi_kdtree_header *h = &r->header;
    BI_TRY(read_array(r, BI_RANKS_POINTS, h->nodes, (size_t)h->dim * bosc_dtype_size((bosc_dtype)h->dtype)));
    BI_TRY(read_array(r, BI_RANKS_IDS, h->nodes, sizeof(uint32_t)));
    if (bi_ranks_kdtree_is_deduplicated(r)) {
        BI_TRY(read_array(r, BI_RANKS_INVERSE, h->n, sizeof(uint32_t)));
        BI_TRY(read_array(r, BI_RANKS_COUNTS, h->nodes, sizeof(uint32_t)));
    }
    return bi_comm_agree(r->ctx, r->comm, r->comm->rank == 0 ? bi_load_hash(&r->loader) : BOSC_OK);
}

/* ---- the call ---- */

static bosc_status begin_load(struct bi_ranks_kdtree_loader *r, bosc_read_fn read, void *user, bosc_ranks_kdtree **tree)
{
    const bool reads = r->comm->rank == 0;
    const size_t lists = 2 * (size_t)(r->comm->rank_count + 1) * sizeof *r->at;
    if (!tree) return bi_fail(r->ctx, BOSC_ERR_ARG, "tree: NULL");
    if (reads && !read) return bi_fail(r->ctx, BOSC_ERR_ARG, "read: NULL");
    r->host_bytes = lists + (reads ? CHUNK_BYTES : 0);
    r->at = bi_host_alloc(r->ctx, r->host_bytes);
    if (!r->at) return BOSC_ERR_NOMEM;
    r->chunk = reads ? (char *)r->at + lists : NULL;
    if (!reads) return BOSC_OK;
    BI_TRY(bi_load_begin(r->ctx, read, user, "saved tree", &r->loader));
    return read_header(r);
}

/* Broadcasts the header; all ranks create a tree of its options. */
static bosc_status broadcast_header(struct bi_ranks_kdtree_loader *r, bosc_ranks_kdtree **fresh)
{
    struct bi_kdtree_header *all = r->comm->gather;
    BI_TRY(bi_comm_all_gather(r->ctx, r->comm, &r->header, sizeof r->header, all));
    r->header = all[0];
    const bosc_kdtree_opts opts = {.size = sizeof opts,
                                   .dtype = (bosc_dtype)r->header.dtype,
                                   .dim = (int32_t)r->header.dim,
                                   .duplicates = bi_ranks_kdtree_is_deduplicated(r) ? BOSC_KDTREE_DUPLICATES_REMOVE
                                                                                    : BOSC_KDTREE_DUPLICATES_KEEP,
                                   .id_bits = (int32_t)r->header.id_bits};
    return bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, fresh);
}

static bosc_status read_tree(struct bi_ranks_kdtree_loader *r, bosc_status local_status, bosc_ranks_kdtree **fresh)
{
    BI_TRY(bi_comm_agree(r->ctx, r->comm, local_status));
    BI_TRY(broadcast_header(r, fresh));
    BI_TRY(read_arrays(r));
    BI_RETURN_WITH_SCRATCH(r->ctx, bi_ranks_kdtree_build_loaded(r, *fresh));
}

bosc_status bosc_ranks_kdtree_read(bosc_ctx *ctx, bosc_comm *comm, bosc_read_fn read, void *user,
                                   bosc_ranks_kdtree **tree)
{
    struct bi_ranks_kdtree_loader r = {.ctx = ctx, .comm = comm, .loader = {.ctx = ctx, .what = "saved tree"}};
    bosc_ranks_kdtree *fresh = NULL;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status status = read_tree(&r, begin_load(&r, read, user, tree), &fresh);
    for (int a = 0; a < BI_RANKS_ARRAYS; a++) bi_load_release(&r.loader, &r.arrays[a]);
    if (r.loader.memory) bi_load_end(&r.loader);
    bi_memory_release(&ctx->host, r.at, r.host_bytes);
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_ranks_kdtree_free(fresh);
    return status;
}
