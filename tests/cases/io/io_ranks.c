/* Trees and graphs over ranks as files: the same bytes as the file of one structure, readable by any number of ranks;
 * a failure to open, write or read reaches all ranks. */
#include "cases/ranks/ranks_kdtree_data.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "io/io.h"
#include "support/counted.h"
#include "support/paths.h"

struct files {
    struct ranks_trial t;
    char one[PATH_ROOM], many[PATH_ROOM]; /* of one context, and of the ranks */
};

/* The bytes of a file. */
static char *read_bytes(const char *path, size_t *size)
{
    struct stat is;
    FILE *f = fopen(path, "rb");
    CHECK(f && fstat(fileno(f), &is) == 0);
    char *bytes = suite_alloc((size_t)is.st_size);
    *size = (size_t)is.st_size;
    CHECK(fread(bytes, 1, *size, f) == *size && fclose(f) == 0);
    return bytes;
}

static void check_same_file(const char *a, const char *b)
{
    size_t m, n;
    char *x = read_bytes(a, &m), *y = read_bytes(b, &n);
    CHECK(m == n && memcmp(x, y, n) == 0);
    free(x);
    free(y);
}

/* The nodes of this rank equal those of the whole tree. */
static void check_nodes(struct rank *r, const struct ranks_trial *t, const bosc_ranks_kdtree *tree)
{
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, tree, &info));
    const size_t row = (size_t)t->opts.dim * ranks_element(t), count = (size_t)(info.end - info.begin);
    char *nodes = suite_alloc(count * row);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_nodes(r->ctx, tree, nodes, NULL));
    CHECK(memcmp(nodes, (char *)t->nodes + (size_t)info.begin * row, count * row) == 0);
    free(nodes);
}

static void round_trip_rank(struct rank *r)
{
    const struct files *f = r->user;
    bosc_ranks_kdtree *tree = ranks_build(r, &f->t), *back = NULL;
    bosc_io_error error;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_save(r->ctx, r->comm, tree, f->many, &error));
    if (r->rank == 0) check_same_file(f->one, f->many);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_load(r->ctx, r->comm, f->many, &back, &error));
    check_nodes(r, &f->t, back);
    bosc_ranks_kdtree_free(tree);
    bosc_ranks_kdtree_free(back);
}

static void begin_files(bosc_ctx *ctx, struct files *f, int64_t n)
{
    struct suite_random r = {(uint64_t)n + 3};
    *f = (struct files){.t = {.seed = (uint64_t)n, .opts = {.size = sizeof f->t.opts, .dim = 2, .id_bits = 64}}};
    f->t.points = kd_points(&r, BOSC_F32, 2, n, 2, KD_GRID);
    ranks_begin(ctx, &f->t);
    fresh_path(f->one, ".bosc");
    fresh_path(f->many, ".bosc");
    CHECK_OK(ctx, bosc_kdtree_save(ctx, f->t.tree, f->one, NULL));
}

static void end_files(struct files *f)
{
    unlink(f->one);
    unlink(f->many);
    ranks_end(&f->t);
}

static void round_trips(bosc_ctx *ctx)
{
    for (int64_t n = 0; n < 200; n += 66) {
        struct files f;
        begin_files(ctx, &f, n);
        EACH_RANK_COUNT((uint64_t)n, ranks) ranks_run(ctx, ranks, 0, round_trip_rank, &f);
        end_files(&f);
    }
}

/* ---- failures ---- */

/* Rank 0 reports the reason, the others report that rank 0 failed or their own error; all ranks continue. */
static void check_reason(const struct rank *r, const bosc_io_error *error, const char *path, const char *reason)
{
    CHECK(suite_begins(error->text, path));
    if (r->rank == 0 && !strstr(error->text, reason))
        suite_fail(__FILE__, __LINE__, "\"%s\" is not for \"%s\"", error->text, reason);
    if (r->rank != 0) CHECK(strstr(error->text, "rank 0"));
}

static void refuse_load(struct rank *r, const char *path, bosc_status expected, const char *reason)
{
    bosc_io_error error = {""};
    bosc_ranks_kdtree *tree = NULL;
    const bosc_status status = bosc_ranks_kdtree_load(r->ctx, r->comm, path, &tree, &error);
    CHECK(!tree && status != BOSC_OK);
    if (r->rank == 0) CHECK_EQ(status, expected);
    check_reason(r, &error, path, reason);
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

static void fail_rank(struct rank *r)
{
    struct files *f = r->user;
    bosc_io_error error = {""};
    bosc_ranks_kdtree *tree = ranks_build(r, &f->t);
    static const char nowhere[] = "no/such/folder/t.bosc";
    CHECK_EQ(bosc_ranks_kdtree_save(r->ctx, r->comm, tree, nowhere, &error), BOSC_ERR_IO);
    check_reason(r, &error, nowhere, strerror(ENOENT));
    bosc_ranks_kdtree_free(tree);
    refuse_load(r, nowhere, BOSC_ERR_IO, strerror(ENOENT));
    if (r->rank == 0) { /* one byte more, one less, and no tree */
        size_t size;
        char *bytes = read_bytes(f->one, &size), *more = suite_alloc(size + 1);
        memcpy(more, bytes, size);
        more[size] = 0;
        write_bytes(f->many, more, size + 1);
        refuse_load(r, f->many, BOSC_ERR_FORMAT, "1 bytes follow the tree");
        write_bytes(f->many, bytes, size - 1);
        refuse_load(r, f->many, BOSC_ERR_FORMAT, "it ends within its");
        write_bytes(f->many, "x,y\n1,2\n", 8);
        refuse_load(r, f->many, BOSC_ERR_FORMAT, "not a saved k-d tree");
        free(bytes);
        free(more);
    } else {
        for (int i = 0; i < 3; i++) refuse_load(r, f->many, BOSC_ERR_FORMAT, "");
    }
}

static void failures(bosc_ctx *ctx)
{
    struct files f;
    begin_files(ctx, &f, 40);
    ranks_run(ctx, 1, 0, fail_rank, &f);
    ranks_run(ctx, 3, 0, fail_rank, &f);
    end_files(&f);
}

/* Rank 0 finds its file wrong at the start, in the middle or behind the tree: no rank keeps memory. */
static void leak_rank(struct rank *r)
{
    const struct files *f = r->user;
    static const int64_t ends[] = {0, 1, 40, 100, 200};
    size_t size;
    char *bytes = read_bytes(f->one, &size), *more = suite_alloc(size + 1);
    memcpy(more, bytes, size);
    more[size] = 0;
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        struct counted c;
        bosc_io_error error;
        bosc_ranks_kdtree *tree = NULL;
        if (r->rank == 0) write_bytes(f->many, more, size + 1 - (size_t)ends[k]);
        counted_open(&c, r->ctx, 1);
        const bosc_status status = bosc_ranks_kdtree_load(c.ctx, r->comm, f->many, &tree, &error);
        CHECK_EQ(status == BOSC_OK, ends[k] == 1);
        bosc_ranks_kdtree_free(tree);
        counted_close(&c);
        CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
    }
    free(bytes);
    free(more);
}

static void leaks(bosc_ctx *ctx)
{
    struct files f;
    begin_files(ctx, &f, 40);
    EACH_RANK_COUNT(1, ranks) ranks_run(ctx, ranks, 0, leak_rank, &f);
    end_files(&f);
}

#ifdef BOSC_FAULTS
static bool fault_hit; /* rank 0 has hit the fault */

/* Any failed write, e.g. on a full disk, is reported on all ranks, and no file appears. */
static void full_rank(struct rank *r)
{
    const struct files *f = r->user;
    bosc_io_error error = {""};
    bosc_ranks_kdtree *tree = ranks_build(r, &f->t);
    for (int64_t k = 0;; k++) {
        if (r->rank == 0) bi_fault_arm(BI_FAULT_WRITE, k, false);
        CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
        const bosc_status status = bosc_ranks_kdtree_save(r->ctx, r->comm, tree, f->many, &error);
        if (r->rank == 0) {
            fault_hit = bi_fault_passages() > k;
            bi_fault_disarm();
        }
        CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
        CHECK_EQ(status, fault_hit ? BOSC_ERR_IO : BOSC_OK);
        if (!fault_hit) break;
        CHECK(access(f->many, F_OK) != 0);
        CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
    }
    bosc_ranks_kdtree_free(tree);
}

static void full_disk(bosc_ctx *ctx)
{
    struct files f;
    begin_files(ctx, &f, 40);
    ranks_run(ctx, 3, 0, full_rank, &f);
    end_files(&f);
}
#endif

static void refused_rank(struct rank *r)
{
    bosc_io_error error = {""};
    bosc_ranks_kdtree *tree = NULL;
    CHECK_EQ(bosc_ranks_kdtree_load(NULL, r->comm, "t.bosc", &tree, &error), BOSC_ERR_ARG);
    CHECK(suite_begins(error.text, "ctx"));
    CHECK_EQ(bosc_ranks_kdtree_load(r->ctx, NULL, "t.bosc", &tree, &error), BOSC_ERR_ARG);
    CHECK(suite_begins(error.text, "comm"));
    CHECK_EQ(bosc_ranks_kdtree_load(r->ctx, r->comm, NULL, &tree, &error), BOSC_ERR_ARG);
    CHECK(suite_begins(error.text, "path"));
    CHECK_EQ(bosc_ranks_kdtree_load(r->ctx, r->comm, "t.bosc", NULL, &error), BOSC_ERR_ARG);
    CHECK(suite_begins(error.text, "tree"));
    CHECK_EQ(bosc_ranks_kdtree_save(r->ctx, r->comm, NULL, "t.bosc", &error), BOSC_ERR_ARG);
    CHECK(suite_begins(error.text, "tree"));
}

static void arguments(bosc_ctx *ctx) { ranks_run(ctx, 2, 0, refused_rank, NULL); }

/* ---- graphs ---- */

struct graph_file {
    char path[PATH_ROOM];
    int64_t n, m;
};

static void refuse_graph(struct rank *r, const char *path, bosc_status expected, const char *reason)
{
    bosc_io_error error = {""};
    bosc_graph *graph = NULL;
    const bosc_status status = bosc_ranks_graph_load(r->ctx, r->comm, path, &graph, NULL, &error);
    CHECK(!graph && suite_begins(error.text, path));
    if (r->rank == 0) CHECK_EQ(status, expected);
    CHECK(status != BOSC_OK);
    if (r->rank == 0 && !strstr(error.text, reason))
        suite_fail(__FILE__, __LINE__, "\"%s\" is not for \"%s\"", error.text, reason);
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
}

static void graph_rank(struct rank *r)
{
    const struct graph_file *f = r->user;
    bosc_io_error error = {""};
    bosc_graph *graph = NULL;
    bosc_ranks_graph_info info = {.size = sizeof info};
    bosc_graph_info own = {.size = sizeof own};
    CHECK_OK(r->ctx, bosc_ranks_graph_load(r->ctx, r->comm, f->path, &graph, &info, &error));
    CHECK_OK(r->ctx, bosc_graph_get_info(r->ctx, graph, &own));
    CHECK(info.n == f->n && info.m == f->m && own.entries == info.own_entries);
    /* The struct of a later version, and sizes of none. */
    struct {
        bosc_ranks_graph_info info;
        int64_t added;
    } later = {{.size = sizeof later}, 7};
    bosc_graph_free(graph);
    CHECK_OK(r->ctx, bosc_ranks_graph_load(r->ctx, r->comm, f->path, &graph, &later.info, &error));
    CHECK(later.info.size == sizeof later && later.info.m == f->m && later.added == 0);
    const size_t sizes[] = {0, sizeof info + 4, sizeof info + 4104};
    for (int i = 0; i < 3; i++) {
        info.size = sizes[i];
        CHECK_EQ(bosc_ranks_graph_load(r->ctx, r->comm, f->path, &graph, &info, &error), BOSC_ERR_ARG);
        CHECK(strstr(error.text, "info: size"));
    }
    int64_t all;
    CHECK_OK(r->ctx, bosc_ranks_reduce(r->ctx, r->comm, BOSC_SUM, BOSC_I64, &own.m, 1, &all));
    CHECK_EQ(all, f->m);
    bosc_graph_free(graph);
    refuse_graph(r, "no/such/folder/g.bosc", BOSC_ERR_IO, strerror(ENOENT));
    CHECK_EQ(bosc_ranks_graph_load(r->ctx, r->comm, NULL, &graph, NULL, &error), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_graph_load(r->ctx, r->comm, f->path, NULL, NULL, &error), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_graph_load(r->ctx, NULL, f->path, &graph, NULL, &error), BOSC_ERR_ARG);
}

/* A file with one byte more, one byte less, and of another structure. */
static void bad_graph_rank(struct rank *r)
{
    const struct graph_file *f = r->user;
    static const char *const reasons[] = {"1 bytes follow the graph", "it ends within its", "not a saved graph"};
    char path[PATH_ROOM + 4];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s.%d", f->path, i);
        refuse_graph(r, path, BOSC_ERR_FORMAT, reasons[i]);
    }
}

static void graphs(bosc_ctx *ctx)
{
    struct graph_file f = {.n = 50, .m = 200};
    char path[PATH_ROOM + 4];
    bosc_graph *graph = NULL;
    const bosc_graph_opts opts = {.size = sizeof opts, .weight = BOSC_F32, .id_bits = 32};
    uint32_t u[200], v[200];
    size_t size;
    /* 1. A saved graph, and three bad files: a byte more, a byte less, another format. */
    for (uint32_t i = 0; i < 200; i++) u[i] = i * 7 % 50, v[i] = i * i % 50;
    fresh_path(f.path, ".bosc");
    CHECK_OK(ctx, bosc_graph_create(ctx, &opts, &graph));
    CHECK_OK(ctx, bosc_graph_build(ctx, graph, u, v, NULL, f.n, f.m));
    CHECK_OK(ctx, bosc_graph_save(ctx, graph, f.path, NULL));
    char *bytes = read_bytes(f.path, &size), *more = suite_alloc(size + 1);
    memcpy(more, bytes, size);
    more[size] = 0;
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s.%d", f.path, i);
        write_bytes(path, i == 2 ? "p sp 1 0\n" : more, i == 2 ? 9 : size + 1 - 2 * (size_t)i);
    }
    /* 2. Read by 1 to 8 ranks. */
    for (int32_t ranks = 1; ranks < 9; ranks *= 2) {
        ranks_run(ctx, ranks, 0, graph_rank, &f);
        ranks_run(ctx, ranks, 0, bad_graph_rank, &f);
    }
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s.%d", f.path, i);
        unlink(path);
    }
    unlink(f.path);
    bosc_graph_free(graph);
    free(bytes);
    free(more);
}

static const struct suite_case suite_cases_io_ranks[] = {
    {"round trips", round_trips, NULL}, {"failures", failures, NULL}, {"leaks", leaks, NULL}, {"graphs", graphs, NULL},
#ifdef BOSC_FAULTS
    {"full disk", full_disk, NULL},
#endif
    {"arguments", arguments, NULL},
};
SUITE(io_ranks);
