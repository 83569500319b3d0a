/* Loads saved trees over ranks. 1. Rank 0 reads the file and sends each rank its share of the arrays. 2. Each point
 * goes to the owner of its id, so that ranks have rows in the order of ids. 3. The tree is built from these rows.
 * Nothing is trusted: arrays grow by chunks actually read, the checksum decides, ids must be distinct. */
#include "core/call.h"
#include "kdtree/save.h"
#include "ranks/exchange/route.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

enum { POINTS, IDS, INVERSE, COUNTS, ARRAYS };

struct tree_loader {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_loader loader; /* rank 0: the reader; other ranks: only its context */
    struct bi_kdtree_header header;
    struct bi_loaded arrays[ARRAYS]; /* this rank's share of the nodes, and of the rows */
    char *chunk;                     /* rank 0: the chunk being read */
    int64_t *at;                     /* host, (ranks + 1) twice: offsets of sent bytes, and of received bytes */
    size_t host_bytes;               /* of `at` and `chunk` */
};

/* True if duplicates were removed, so that the file has an inverse and counts. */
static inline bool is_deduplicated(const struct tree_loader *r)
{
    return r->header.flags & BI_KDTREE_SAVE_DUPLICATES_REMOVED;
}

/* Returns the first of `count` nodes or rows of a rank: item i belongs to rank i x ranks / count. */
static inline int64_t chunk_begin(const struct tree_loader *r, int64_t rank, int64_t count)
{
    const int64_t ranks = r->comm->rank_count;
    return (rank * count + ranks - 1) / ranks;
}

enum { CHUNK_BYTES = BI_RANKS_CHUNK_BYTES };

static bosc_status malformed(struct tree_loader *r, const char *reason)
{
    return bi_load_malformed(&r->loader, reason);
}

/* Reads the header, and checks that it describes a possible tree. */
static bosc_status read_header(struct tree_loader *r)
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

/* Reserves `more` bytes, of `most` in all. Memory doubles, so a false size in the header allocates little. */
static bosc_status grow_array(struct tree_loader *r, struct bi_loaded *a, size_t more, size_t most)
{
    size_t need = a->bytes + more;
    if (need <= a->capacity) return BOSC_OK;
    return bi_load_reserve(&r->loader, a, need > most / 2 ? most : 2 * need);
}

/* Rank 0 reads a chunk and sends it to rank `to`. */
static bosc_status read_chunk(struct tree_loader *r, int32_t to, int which, size_t bytes, size_t most)
{
    static const char *const names[ARRAYS] = {"points", "ids", "inverse", "counts"};
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
static bosc_status read_array(struct tree_loader *r, int which, int64_t count, size_t size)
{
    for (int32_t to = 0; to < r->comm->rank_count; to++) {
        const int64_t begin = chunk_begin(r, to, count), end = chunk_begin(r, to + 1, count);
        const size_t bytes = (size_t)(end - begin) * size;
        for (size_t at = 0; at < bytes; at += CHUNK_BYTES)
            BI_TRY(read_chunk(r, to, which, bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES, bytes));
    }
    return BOSC_OK;
}

static bosc_status read_arrays(struct tree_loader *r)
{
    const struct bi_kdtree_header *h = &r->header;
    BI_TRY(read_array(r, POINTS, h->nodes, (size_t)h->dim * bosc_dtype_size((bosc_dtype)h->dtype)));
    BI_TRY(read_array(r, IDS, h->nodes, sizeof(uint32_t)));
    if (is_deduplicated(r)) {
        BI_TRY(read_array(r, INVERSE, h->n, sizeof(uint32_t)));
        BI_TRY(read_array(r, COUNTS, h->nodes, sizeof(uint32_t)));
    }
    return bi_comm_agree(r->ctx, r->comm, r->comm->rank == 0 ? bi_load_hash(&r->loader) : BOSC_OK);
}

/* ---- rows of the arrays read ----
 *
 * With duplicates removed, each row queries the rank that has its node for the id of its representative; that rank
 * checks the number of such rows against the node's count. */

enum { OUT_OF_RANGE, REPEATED, NO_NODE, FOREIGN_ROW, COUNT, FAULTS }; /* faults of a file */

struct row_load {
    struct tree_loader *r;
    bosc_ctx *ctx;
    const struct bi_ranks_steps *steps;
    int64_t nodes, first_node; /* of this rank, as read */
    int64_t first, row_count;  /* rows of this rank */
    void *points;              /* of the nodes read; backend memory, as all below */
    uint32_t *ids, *positions; /* of these nodes; positions: among all nodes */
    uint32_t *inverse;         /* (row_count): the node of each row, if duplicates were removed */
    int64_t *faults;           /* (FAULTS): the first item with each fault; none: INT64_MAX */
};

/* Reports the first fault, in the order of the enum. */
static bosc_status check_faults(const struct row_load *load)
{
    static const char *const reasons[FAULTS] = {
        [OUT_OF_RANGE] = "an id is out of range",
        [REPEATED] = "an id is repeated",
        [NO_NODE] = "a row stands for no node",
        [FOREIGN_ROW] = "a node is named for another's row",
        [COUNT] = "a count is wrong",
    };
    int64_t found[FAULTS];
    BI_TRY(bi_read_back(load->ctx, found, load->faults, sizeof found));
    for (int k = 0; k < FAULTS; k++)
        if (found[k] != INT64_MAX) return bi_load_malformed(&load->r->loader, reasons[k]);
    return BOSC_OK;
}

static bosc_status move_to_backend(bosc_ctx *ctx, const struct bi_loaded *a, void **to)
{
    BI_TRY(bi_scratch(ctx, a->bytes, to));
    return a->bytes ? ctx->backend->copy(ctx, *to, a->data, a->bytes) : BOSC_OK;
}

static bosc_status check_points(const struct row_load *load)
{
    const struct bi_kdtree_header *h = &load->r->header;
    const struct bi_kdtree_rows points = {load->points, load->nodes, h->dim};
    struct bi_kdtree_findings found;
    if (load->nodes == 0 || h->dtype == BOSC_I32 || h->dtype == BOSC_I64) return BOSC_OK;
    BI_TRY(load->ctx->ops->kdtree->find_beyond(load->ctx, (bosc_dtype)h->dtype, (int32_t)h->dim, &points,
                                               (double)INFINITY, &found));
    if (found.beyond == INT64_MAX) return BOSC_OK;
    return bi_fail(load->ctx, BOSC_ERR_DATA, "saved tree: node %lld holds a NaN",
                   (long long)(load->first_node + found.beyond));
}

/* Copies the arrays read to the backend, and numbers the nodes. */
static bosc_status stage_arrays(struct row_load *load)
{
    static const int64_t none[FAULTS] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    struct bi_loaded *arrays = load->r->arrays;
    void *ids, *inverse;
    BI_TRY(bi_scratch(load->ctx, sizeof none, (void **)&load->faults));
    BI_TRY(load->ctx->backend->copy(load->ctx, load->faults, none, sizeof none));
    BI_TRY(move_to_backend(load->ctx, &arrays[POINTS], &load->points));
    BI_TRY(move_to_backend(load->ctx, &arrays[IDS], &ids));
    BI_TRY(move_to_backend(load->ctx, &arrays[INVERSE], &inverse));
    BI_TRY(bi_scratch_of(load->ctx, load->nodes, sizeof *load->positions, &load->positions));
    load->ids = ids;
    load->inverse = inverse;
    const struct bi_ranks_number_from number = {(uint32_t)load->first_node, load->positions};
    if (load->nodes) BI_TRY(load->steps->number_from(load->ctx, load->nodes, &number));
    return check_points(load);
}

/* Finds the owner of each item by its number among `count`. */
static bosc_status find_owners(const struct row_load *load, const uint32_t *numbers, int64_t n, int64_t count,
                               uint32_t **owners)
{
    BI_TRY(bi_scratch_of(load->ctx, n, sizeof **owners, owners));
    const struct bi_ranks_kdtree_owner_of_id owner = {numbers, count, (uint32_t)load->r->comm->rank_count, *owners};
    return n ? load->steps->kdtree_owner_of_id(load->ctx, n, &owner) : BOSC_OK;
}

/* Looks up the ids of requested nodes. Each must be requested as often as its count says. */
static bosc_status look_up_ids(bosc_ctx *ctx, const void *user, const void *requested, int64_t count, void *answers)
{
    const struct row_load *load = user;
    uint64_t *tally;
    void *counts;
    if (load->nodes == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, load->nodes, sizeof *tally, &tally));
    BI_TRY(move_to_backend(ctx, &load->r->arrays[COUNTS], &counts));
    BI_TRY(ctx->backend->fill(ctx, tally, 0, (size_t)load->nodes * sizeof *tally));
    const struct bi_ranks_kdtree_look_up look_up = {requested, false, 1,     load->first_node,
                                                    load->ids, false, tally, answers};
    const struct bi_ranks_kdtree_check_counts compare = {tally, counts, load->faults + COUNT};
    if (count) BI_TRY(load->steps->kdtree_look_up(ctx, count, &look_up));
    BI_TRY(load->steps->kdtree_check_counts(ctx, load->nodes, &compare));
    return check_faults(load);
}

/* representative_ids: (row_count): by row of this rank. */
static bosc_status find_representatives(const struct row_load *load, bosc_status local_status,
                                        int64_t *representative_ids)
{
    uint32_t *owners = NULL;
    BI_IF_OK(local_status, find_owners(load, load->inverse, load->row_count, load->r->header.nodes, &owners));
    const struct bi_ranks_owner_query query = {.n = load->row_count,
                                               .owners = owners,
                                               .items = load->inverse,
                                               .item_size = sizeof *load->inverse,
                                               .answer_size = sizeof *representative_ids,
                                               .answer = look_up_ids,
                                               .user = load,
                                               .out = representative_ids};
    return bi_ranks_query_owners(load->ctx, load->r->comm, local_status, &query);
}

/* Nodes received for this rank's rows, or the same sorted by id. */
struct nodes {
    int64_t n;
    void *points;
    uint32_t *ids, *positions;
};

static bosc_status allocate_nodes(const struct row_load *load, struct nodes *nodes)
{
    const struct bi_kdtree_header *h = &load->r->header;
    BI_TRY(bi_scratch_of(load->ctx, nodes->n * (int64_t)h->dim, bosc_dtype_size((bosc_dtype)h->dtype), &nodes->points));
    BI_TRY(bi_scratch_of(load->ctx, nodes->n, sizeof *nodes->ids, &nodes->ids));
    return bi_scratch_of(load->ctx, nodes->n, sizeof *nodes->positions, &nodes->positions);
}

/* Ids must be those of this rank's rows, each once; each row's node must exist, and a node's own row must belong to
 * it. */
static bosc_status check_rows(struct row_load *load, const struct nodes *sorted)
{
    const struct bi_ranks_kdtree_check_ids ids = {sorted->ids, load->first, load->first + load->row_count,
                                                  load->faults + OUT_OF_RANGE, load->faults + REPEATED};
    const struct bi_ranks_kdtree_check_nodes runs = {sorted->ids,
                                                     sorted->positions,
                                                     load->inverse,
                                                     load->first,
                                                     (uint64_t)load->r->header.nodes,
                                                     load->faults + NO_NODE,
                                                     load->faults + FOREIGN_ROW};
    if (sorted->n) BI_TRY(load->steps->kdtree_check_ids(load->ctx, sorted->n, &ids));
    BI_TRY(check_faults(load));
    if (!load->inverse) return BOSC_OK;
    BI_TRY(load->steps->kdtree_check_inverse(load->ctx, load->row_count, &runs));
    if (sorted->n) BI_TRY(load->steps->kdtree_check_nodes(load->ctx, sorted->n, &runs));
    return check_faults(load);
}

/* *sorted: the nodes in the order of their ids, which must be this rank's rows. */
static bosc_status sort_rows(struct row_load *load, const struct nodes *received, struct nodes *sorted)
{
    const struct bi_kdtree_header *h = &load->r->header;
    bosc_ctx *ctx = load->ctx;
    const bool is_64bit = bosc_dtype_size((bosc_dtype)h->dtype) == 8;
    const int64_t n = received->n, dim = h->dim;
    uint32_t *numbers, *order;
    sorted->n = n;
    if (n == 0) return check_rows(load, sorted);
    BI_TRY(allocate_nodes(load, sorted));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *numbers, &numbers));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *order, &order));
    const struct bi_ranks_kdtree_rows points = {received->points, sorted->points, order, dim, dim, 0, is_64bit},
                                      positions = {received->positions, sorted->positions, order, 1, 1, 0, false};
    BI_TRY(ctx->backend->core->iota(ctx, 4, numbers, n));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U32, received->ids, sizeof *order, numbers, n, sorted->ids, order,
                                          0, 32));
    BI_TRY(load->steps->kdtree_gather(ctx, n * dim, &points));
    BI_TRY(load->steps->kdtree_gather(ctx, n, &positions));
    return check_rows(load, sorted);
}

static bosc_status widen_ids(const struct row_load *load, const struct nodes *nodes, int64_t **ids)
{
    BI_TRY(bi_scratch_of(load->ctx, nodes->n, sizeof **ids, ids));
    const struct bi_ranks_offset_ids step = {nodes->ids, 0, *ids};
    return nodes->n ? load->steps->offset_ids(load->ctx, nodes->n, &step) : BOSC_OK;
}

/* Receives the nodes whose ids are this rank's rows. */
static bosc_status receive_nodes(struct row_load *load, const struct bi_ranks_scatter *scatter, struct nodes *received)
{
    const struct bi_kdtree_header *h = &load->r->header;
    bosc_comm *comm = load->r->comm;
    const int64_t dim = h->dim;
    const size_t size = bosc_dtype_size((bosc_dtype)h->dtype);
    const struct bi_kdtree_rows points = {load->points, scatter->x.sent, dim}, ids = {load->ids, scatter->x.sent, 1},
                                positions = {load->positions, scatter->x.sent, 1};
    received->n = scatter->x.received;
    const bosc_status local_status = allocate_nodes(load, received);
    BI_TRY(bi_ranks_kdtree_scatter_rows(load->ctx, comm, local_status, scatter, &points, dim, size, received->points));
    BI_TRY(
        bi_ranks_kdtree_scatter_rows(load->ctx, comm, BOSC_OK, scatter, &ids, 1, sizeof *received->ids, received->ids));
    return bi_ranks_kdtree_scatter_rows(load->ctx, comm, BOSC_OK, scatter, &positions, 1, sizeof *received->positions,
                                        received->positions);
}

static bosc_status build_tree(struct row_load *load, const struct bi_ranks_scatter *scatter, bosc_ranks_kdtree *tree)
{
    const struct bi_kdtree_header *h = &load->r->header;
    struct bi_ranks_points points = {
        .first = load->first, .has_ids = true, .input_count = load->row_count, .total = h->n};
    struct nodes received, sorted = {0};
    int64_t *ids = NULL;
    /* 1. Receive this rank's rows and sort them by id. */
    BI_TRY(receive_nodes(load, scatter, &received));
    bosc_status local_status = sort_rows(load, &received, &sorted);
    BI_IF_OK(local_status, widen_ids(load, &sorted, &ids));
    points.ids = ids;
    points.rows = (struct bi_kdtree_rows){sorted.points, sorted.n, h->dim};
    /* 2. Find the representative of each row, if duplicates were removed. */
    if (is_deduplicated(load->r)) {
        BI_IF_OK(local_status, bi_scratch_of(load->ctx, load->row_count, sizeof *points.representative_ids,
                                             &points.representative_ids));
        BI_TRY_WITH_SCRATCH(load->ctx, find_representatives(load, local_status, points.representative_ids));
        local_status = BOSC_OK;
    }
    return bi_ranks_kdtree_build_distinct(load->ctx, tree, local_status, &points, h->nodes);
}

static bosc_status build_loaded(struct tree_loader *r, bosc_ranks_kdtree *tree)
{
    const int64_t rank = r->comm->rank;
    struct row_load load = {.r = r,
                            .ctx = r->ctx,
                            .steps = r->ctx->ops->ranks->steps,
                            .nodes = (int64_t)(r->arrays[IDS].bytes / sizeof(uint32_t)),
                            .first_node = chunk_begin(r, rank, r->header.nodes),
                            .first = chunk_begin(r, rank, r->header.n),
                            .row_count = chunk_begin(r, rank + 1, r->header.n)};
    struct bi_ranks_scatter scatter;
    uint32_t *owners = NULL;
    load.row_count -= load.first;
    bosc_status local_status = stage_arrays(&load);
    BI_IF_OK(local_status, find_owners(&load, load.ids, load.nodes, r->header.n, &owners));
    bosc_status status =
        bi_ranks_kdtree_begin_scatter(r->ctx, r->comm, local_status, owners, NULL, load.nodes, &scatter);
    BI_IF_OK(status, build_tree(&load, &scatter, tree));
    bi_exchange_end(r->ctx, &scatter.x);
    return status;
}

/* ---- the call ---- */

/* Checks the arguments, allocates the lists; rank 0 reads the header. */
static bosc_status begin_load(struct tree_loader *r, bosc_read_fn read, void *user, bosc_ranks_kdtree **tree)
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
static bosc_status broadcast_header(struct tree_loader *r, bosc_ranks_kdtree **fresh)
{
    struct bi_kdtree_header *all = r->comm->gather;
    BI_TRY(bi_comm_all_gather(r->ctx, r->comm, &r->header, sizeof r->header, all));
    r->header = all[0];
    const bosc_kdtree_opts opts = {.size = sizeof opts,
                                   .dtype = (bosc_dtype)r->header.dtype,
                                   .dim = (int32_t)r->header.dim,
                                   .duplicates =
                                       is_deduplicated(r) ? BOSC_KDTREE_DUPLICATES_REMOVE : BOSC_KDTREE_DUPLICATES_KEEP,
                                   .id_bits = (int32_t)r->header.id_bits};
    return bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, fresh);
}

static bosc_status read_tree(struct tree_loader *r, bosc_status local_status, bosc_ranks_kdtree **fresh)
{
    BI_TRY(bi_comm_agree(r->ctx, r->comm, local_status));
    BI_TRY(broadcast_header(r, fresh));
    BI_TRY(read_arrays(r));
    BI_RETURN_WITH_SCRATCH(r->ctx, build_loaded(r, *fresh));
}

bosc_status bosc_ranks_kdtree_read(bosc_ctx *ctx, bosc_comm *comm, bosc_read_fn read, void *user,
                                   bosc_ranks_kdtree **tree)
{
    struct tree_loader r = {.ctx = ctx, .comm = comm, .loader = {.ctx = ctx, .what = "saved tree"}};
    bosc_ranks_kdtree *fresh = NULL;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status status = read_tree(&r, begin_load(&r, read, user, tree), &fresh);
    for (int a = 0; a < ARRAYS; a++) bi_load_release(&r.loader, &r.arrays[a]);
    if (r.loader.memory) bi_load_end(&r.loader);
    bi_memory_release(&ctx->host, r.at, r.host_bytes);
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_ranks_kdtree_free(fresh);
    return status;
}
