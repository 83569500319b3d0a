/* Saved k-d trees over ranks: the bytes of one tree, read by any number of ranks; every damage is found. */
#include "cases/ranks/ranks_kdtree_data.h"

#include "comm/comm.h"
#include "kdtree/save.h"
#include "support/saved.h"

SAVED_KIND(kdtree, "saved tree: ", bi_kdtree_header)

struct saving {
    struct ranks_trial t;
    struct saved whole; /* the bytes of one tree */
};

static int refuse(void *user, const void *bytes, size_t count)
{
    (void)bytes, (void)count;
    return --*(int *)user < 0;
}

/* ---- written and read ---- */

static void check_written(struct rank *r, const struct saving *s, const bosc_ranks_kdtree *tree)
{
    struct saved f = {NULL, 0, 0, 0};
    const bool writes = r->rank == 0;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_write(r->ctx, tree, writes ? saved_append : NULL, writes ? &f : NULL));
    if (writes) CHECK(f.size == s->whole.size && memcmp(f.bytes, s->whole.bytes, f.size) == 0);
    free(f.bytes);
    for (int pieces = 0; pieces < 2; pieces++) {
        int left = pieces;
        CHECK_STATUS(r->ctx, bosc_ranks_kdtree_write(r->ctx, tree, refuse, &left), BOSC_ERR_IO);
        CHECK(suite_begins(bosc_ctx_message(r->ctx), writes ? "write: " : "rank 0: write: "));
    }
}

static void check_read(struct rank *r, const struct saving *s)
{
    struct saved f = s->whole;
    bosc_ranks_kdtree *tree = NULL;
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    const size_t row = (size_t)s->t.opts.dim * ranks_element(&s->t), id_size = s->t.opts.id_bits == 32 ? 4 : 8;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_read(r->ctx, r->comm, r->rank ? NULL : saved_deliver, &f, &tree));
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, tree, &info));
    CHECK_EQ(info.n, s->t.points.n);
    CHECK_EQ(info.id_bits, 8 * (int)id_size);
    const size_t count = (size_t)(info.end - info.begin);
    char *nodes = suite_alloc(count * row), *ids = suite_alloc(count * id_size);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_nodes(r->ctx, tree, nodes, ids));
    CHECK(memcmp(nodes, (char *)s->t.nodes + (size_t)info.begin * row, count * row) == 0);
    CHECK(memcmp(ids, (char *)s->t.ids + (size_t)info.begin * id_size, count * id_size) == 0);
    ranks_check_duplicates(r, &s->t, tree);
    check_written(r, s, tree);
    bosc_ranks_kdtree_free(tree);
    free(nodes);
    free(ids);
}

static void round_trip_rank(struct rank *r)
{
    const struct saving *s = r->user;
    bosc_ranks_kdtree *tree = ranks_build(r, &s->t);
    check_written(r, s, tree);
    check_read(r, s);
    bosc_ranks_kdtree_free(tree);
}

static void begin_saving(bosc_ctx *ctx, struct saving *s, bosc_dtype dtype, int64_t n, int32_t dim, int32_t id_bits,
                         int removed)
{
    struct suite_random r = {(uint64_t)n + 1};
    *s = (struct saving){.t = {.seed = (uint64_t)n % 3, .opts = {.size = sizeof s->t.opts}}};
    s->t.opts.dtype = dtype;
    s->t.opts.dim = dim;
    s->t.opts.id_bits = id_bits;
    s->t.opts.duplicates = (bosc_kdtree_duplicates)removed;
    s->t.points = kd_points(&r, dtype, dim, n, dim, n % 2 ? KD_GRID : removed ? KD_LINE : KD_SPECIAL);
    ranks_begin(ctx, &s->t);
    s->whole = kdtree_save(ctx, s->t.tree);
}

static void end_saving(struct saving *s)
{
    ranks_end(&s->t);
    free(s->whole.bytes);
}

static void round_trip(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    static const int64_t sizes[] = {0, 1, 7, 100, 333};
    for (int kind = 0; kind < 20; kind++) {
        struct saving s;
        if (suite_leaves_out()) continue;
        begin_saving(ctx, &s, dtypes[kind % 4], sizes[kind % 5], kind % 10 > 4 ? 3 : 1, kind % 3 ? 64 : 32, kind / 10);
        EACH_RANK_COUNT((uint64_t)kind, ranks) ranks_run(ctx, ranks, 0, round_trip_rank, &s);
        end_saving(&s);
    }
}

/* Arrays written in several chunks. */
static void arrays_of_several_chunks(bosc_ctx *ctx)
{
    struct saving s;
    for (int removed = 0; removed < 2; removed++) {
        begin_saving(ctx, &s, BOSC_F32, suite_slow(ctx) ? 2700 : 20000, removed ? 2 : 100, 64, removed);
        ranks_run(ctx, 3, 0, round_trip_rank, &s);
        end_saving(&s);
    }
}

/* ---- damage ---- */

/* All ranks refuse the file; rank 0 names the reason. */
static void check_refused(struct rank *r, struct saved *f, bosc_status expected, const char *reason)
{
    bosc_ranks_kdtree *tree = NULL;
    f->at = 0;
    CHECK_STATUS(r->ctx, bosc_ranks_kdtree_read(r->ctx, r->comm, saved_deliver, f, &tree), expected);
    CHECK(!tree && strstr(bosc_ctx_message(r->ctx), "saved tree: "));
    if (reason && !strstr(bosc_ctx_message(r->ctx), reason))
        suite_fail(__FILE__, __LINE__, "\"%s\" is not for \"%s\"", bosc_ctx_message(r->ctx), reason);
}

static void damage_rank(struct rank *r)
{
    const struct saving *s = r->user;
    struct saved f = {.bytes = suite_alloc(s->whole.size)};
    memcpy(f.bytes, s->whole.bytes, s->whole.size);
    for (f.size = 0; f.size < s->whole.size; f.size++) check_refused(r, &f, BOSC_ERR_FORMAT, "it ends within its");
    for (size_t at = 0; at < f.size; at++) {
        f.bytes[at] ^= (char)(1 << at % 8);
        check_refused(r, &f, BOSC_ERR_FORMAT, NULL);
        f.bytes[at] ^= (char)(1 << at % 8);
    }
    free(f.bytes);
}

/* Files with the right checksums that no writer writes, of 10 points. NULL: there are no more. */
static const char *change(struct bi_kdtree_header *h, uint32_t *ids, int which)
{
    switch (which) {
    case 0: h->magic[0] = 'X'; return "these are not the bytes of one";
    case 1: h->version = 2; return "version 2, but";
    case 2: h->flags = 2; return "unknown flags";
    case 3: h->reserved = 1; return "unknown flags";
    case 4: h->dtype = BOSC_U32; return "type of its elements";
    case 5: h->dim = 0; return "dimension";
    case 6: h->dim = UINT32_MAX; return "dimension";
    case 7: h->id_bits = 48; return "32 nor 64";
    case 8: h->n = -1; return "size is out of range";
    case 9: h->n = UINT32_MAX; return "size is out of range";
    case 10: h->n = 11; return "lacks nodes";
    case 11: h->n = h->nodes = UINT32_MAX - 1; return "within its points";
    case 12: h->n = h->nodes = 0; return "checksum";
    case 13: ids[1] = ids[0]; return "an id is repeated";
    case 14: ids[9] = 10; return "an id is out of range";
    case 15: ids[0] = UINT32_MAX; return "an id is out of range";
    default: return NULL;
    }
}

/* The same for a tree without duplicates: 6 of 10 points are in it. */
static const char *change_rows(struct bi_kdtree_header *h, uint32_t *ids, int which)
{
    uint32_t *inverse = ids + 6, *counts = inverse + 10, named = 0;
    while (named < 10 && named != ids[inverse[named]]) named++; /* a row that names its node */
    switch (which) {
    case 0: h->nodes = 0; return "size is out of range";
    case 1: h->nodes = 11; return "size is out of range";
    case 2: h->nodes = -1; return "size is out of range";
    case 3: h->flags = 0; return "lacks nodes";
    case 4: ids[5] = ids[0]; return "an id is repeated";
    case 5: ids[2] = 10; return "an id is out of range";
    case 6: inverse[9] = 6; return "a row stands for no node";
    case 7: inverse[0] = UINT32_MAX; return "a row stands for no node";
    case 8: counts[0]--; return "a count is wrong";
    case 9: counts[5] = UINT32_MAX; return "a count is wrong";
    case 10: inverse[named] = inverse[named] ? 0 : 1; return "a node is named for another's row";
    case 11: h->nodes = 5; return "";
    case 12: h->n = 11; return "";
    default: return NULL;
    }
}

static void hostile_rank(struct rank *r)
{
    const struct saving *s = r->user;
    struct saved f = {.bytes = suite_alloc(s->whole.size), .size = s->whole.size};
    const char *reason;
    const size_t ids = sizeof(struct bi_kdtree_header) + (size_t)s->t.count * 2 * 4;
    for (int which = 0;; which++) {
        memcpy(f.bytes, s->whole.bytes, f.size);
        reason = (s->t.opts.duplicates ? change_rows : change)((struct bi_kdtree_header *)(void *)f.bytes,
                                                               (uint32_t *)(void *)(f.bytes + ids), which);
        if (!reason) break;
        saved_seal(f.bytes, f.size, saved_kdtree.header);
        check_refused(r, &f, BOSC_ERR_FORMAT, reason);
    }
    free(f.bytes);
}

static void check_damage(bosc_ctx *ctx, struct saving *s)
{
    ranks_run(ctx, 1, 0, damage_rank, s);
    ranks_run(ctx, 3, 0, damage_rank, s);
    ranks_run(ctx, 1, 0, hostile_rank, s);
    ranks_run(ctx, 4, 0, hostile_rank, s);
    end_saving(s);
}

static void damage(bosc_ctx *ctx)
{
    struct saving s;
    begin_saving(ctx, &s, BOSC_F32, 10, 2, 64, 0);
    check_damage(ctx, &s);
}

static void damage_of_rows(bosc_ctx *ctx)
{
    static const float rows[10][2] = {{3, 1}, {1, 1}, {3, 1}, {2, 5}, {0, 2}, {2, 5}, {3, 1}, {4, 4}, {1, 1}, {9, 0}};
    struct saving s = {.t = {.opts = {.size = sizeof s.t.opts, .dim = 2, .id_bits = 64}}};
    s.t.opts.duplicates = BOSC_KDTREE_DUPLICATES_REMOVE;
    s.t.points = (struct reference_points){.dtype = BOSC_F32, .dim = 2, .n = 10, .stride = 2};
    s.t.points.data = memcpy(suite_alloc(sizeof rows), rows, sizeof rows);
    ranks_begin(ctx, &s.t);
    CHECK_EQ(s.t.count, 6);
    s.whole = kdtree_save(ctx, s.t.tree);
    check_damage(ctx, &s);
}

/* A NaN that no build lets in. */
static void nan_rank(struct rank *r)
{
    const struct saving *s = r->user;
    struct saved f = {.bytes = suite_alloc(s->whole.size), .size = s->whole.size};
    memcpy(f.bytes, s->whole.bytes, f.size);
    memset(f.bytes + sizeof(struct bi_kdtree_header) + 7 * 2 * 4, 0xff, 4);
    saved_seal(f.bytes, f.size, saved_kdtree.header);
    check_refused(r, &f, BOSC_ERR_DATA, "node 7 holds a NaN");
    free(f.bytes);
}

static void nan_in_file(bosc_ctx *ctx)
{
    struct saving s;
    begin_saving(ctx, &s, BOSC_F32, 10, 2, 64, 0);
    ranks_run(ctx, 1, 0, nan_rank, &s);
    ranks_run(ctx, 3, 0, nan_rank, &s);
    end_saving(&s);
}

/* ---- what cannot be saved, and bad arguments ---- */

static void refused_rank(struct rank *r)
{
    const bosc_kdtree_opts opts = {.size = sizeof opts,
                                   .dim = 1,
                                   .duplicates = BOSC_KDTREE_DUPLICATES_REMOVE,
                                   .builder = BOSC_KDTREE_BROWN,
                                   .sort_halves = 1};
    struct saved f = {NULL, 0, 0, 0};
    bosc_ranks_kdtree *tree, *other = NULL;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, &tree));
    CHECK_STATUS(r->ctx, bosc_ranks_kdtree_write(r->ctx, tree, saved_append, &f), BOSC_ERR_LIMIT);
    CHECK(f.size == 0);
    CHECK_ARG(r->ctx, bosc_ranks_kdtree_write(r->ctx, NULL, saved_append, &f), "tree");
    CHECK_ARG(r->ctx, bosc_ranks_kdtree_read(r->ctx, NULL, saved_deliver, &f, &other), "comm");
    CHECK_STATUS(r->ctx, bosc_ranks_kdtree_read(r->ctx, r->comm, NULL, &f, &other), BOSC_ERR_ARG);
    CHECK(strstr(bosc_ctx_message(r->ctx), "read: NULL"));
    CHECK_STATUS(r->ctx, bosc_ranks_kdtree_read(r->ctx, r->comm, saved_deliver, &f, r->rank ? &other : NULL),
                 BOSC_ERR_ARG);
    CHECK(!other);
    bosc_ranks_kdtree_free(tree);
    const bosc_kdtree_opts kept = {.size = sizeof kept, .dim = 1};
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &kept, &tree));
    CHECK_STATUS(r->ctx, bosc_ranks_kdtree_write(r->ctx, tree, NULL, NULL), BOSC_ERR_ARG);
    CHECK(strstr(bosc_ctx_message(r->ctx), "write: NULL"));
    bosc_ranks_kdtree_free(tree);
}

static void refused(bosc_ctx *ctx) { ranks_run(ctx, 2, 0, refused_rank, NULL); }

static const struct suite_case suite_cases_ranks_kdtree_save[] = {
    {"round_trip", round_trip, NULL}, {"large", arrays_of_several_chunks, NULL},
    {"damage", damage, NULL},         {"damage_of_rows", damage_of_rows, NULL},
    {"nan", nan_in_file, NULL},       {"refused", refused, NULL},
};
SUITE(ranks_kdtree_save);
