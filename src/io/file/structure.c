/* Saves structures to files and loads them, by the read and write functions of each structure; over ranks too. */
#include "io/file/structure.h"

#include <boscage/ranks/prims.h>
#include <string.h>

#include "base/fault.h"
#include "io/file/file.h"
#include "io/file/sink.h"

#define STRUCTURE(type, argument, magic, name)                                                          \
    static bosc_status write_##type(bosc_ctx *ctx, const void *handle, bosc_write_fn write, void *user) \
    {                                                                                                   \
        return bosc_##type##_write(ctx, handle, write, user);                                           \
    }                                                                                                   \
    static bosc_status read_##type(bosc_ctx *ctx, bosc_read_fn read, void *user, void **handle)         \
    {                                                                                                   \
        bosc_##type *fresh = NULL;                                                                      \
        bosc_status status = bosc_##type##_read(ctx, read, user, &fresh);                               \
        *handle = fresh;                                                                                \
        return status;                                                                                  \
    }                                                                                                   \
    static void free_##type(void *handle) { bosc_##type##_free(handle); }
#include "io/file/structures.def"
#undef STRUCTURE

enum { MAGIC = 8 }; /* bytes of the magic number of a saved structure */

static const struct kind {
    const char *argument, *magic, *name;
    bosc_status (*write)(bosc_ctx *ctx, const void *handle, bosc_write_fn write, void *user);
    bosc_status (*read)(bosc_ctx *ctx, bosc_read_fn read, void *user, void **handle);
    void (*free)(void *handle);
} kinds[BI_STRUCTURES] = {
#define STRUCTURE(type, argument, magic, name) {#argument, magic, name, write_##type, read_##type, free_##type},
#include "io/file/structures.def"
#undef STRUCTURE
};

/* ---- loading ---- */

/* Position of a structure's reader in the bytes of a file. */
struct cursor {
    const struct bi_bytes *in;
    size_t at;
    bosc_io_error error; /* of a failed read of the file */
};

/* A bosc_read_fn, with a cursor. */
static int copy_bytes(void *cursor, void *bytes, size_t count)
{
    struct cursor *c = cursor;
    if (bi_fault(BI_FAULT_READ) || bi_bytes_total(c->in) - c->at < count) return 1;
    if (bi_bytes_read(c->in, c->at, bytes, count, &c->error) != BOSC_OK) return 1;
    c->at += count;
    return 0;
}

bool bi_structure_is(enum bi_structure structure, const struct bi_bytes *in)
{
    return bi_bytes_begin(in, kinds[structure].magic, MAGIC);
}

const char *bi_structure_name(const struct bi_bytes *in)
{
    for (int k = 0; k < BI_STRUCTURES; k++)
        if (bi_structure_is(k, in)) return kinds[k].name;
    return NULL;
}

/* Returns the status of a finished read, with its message; fails if bytes follow the structure. */
static bosc_status check_end(const struct cursor *cursor, enum bi_structure structure, bosc_ctx *ctx,
                             bosc_status status, bosc_io_error *error)
{
    const struct bi_bytes *in = cursor->in;
    if (status != BOSC_OK && cursor->error.text[0]) return bi_io_fail(error, BOSC_ERR_IO, "%s", cursor->error.text);
    if (status != BOSC_OK) return bi_io_fail(error, status, "%s: %s", in->name, bosc_ctx_message(ctx));
    if (cursor->at != bi_bytes_total(in))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %zu bytes follow the %s", in->name,
                          bi_bytes_total(in) - cursor->at, kinds[structure].argument);
    return bi_bytes_unchanged(in, error);
}

bosc_status bi_structure_parse(enum bi_structure structure, bosc_ctx *ctx, const struct bi_bytes *in, void **handle,
                               bosc_io_error *error)
{
    const struct kind *kind = &kinds[structure];
    struct cursor cursor = {.in = in};
    void *fresh = NULL;
    if (!bi_structure_is(structure, in))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a saved %s", in->name, kind->name);
    bi_io_pause_progress();
    bosc_status status = kind->read(ctx, copy_bytes, &cursor, &fresh);
    bi_io_resume_progress();
    status = check_end(&cursor, structure, ctx, status, error);
    if (status == BOSC_OK)
        *handle = fresh;
    else
        kind->free(fresh);
    return status;
}

/* Implements bosc_X_load. has_output: the caller's pointer is not NULL. */
static bosc_status load_structure(enum bi_structure structure, bosc_ctx *ctx, const char *path, bool has_output,
                                  void **handle, bosc_io_error *error)
{
    struct bi_file file;
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!has_output) return bi_io_fail(error, BOSC_ERR_ARG, "%s: NULL", kinds[structure].argument);
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    status = bi_structure_parse(structure, ctx, &file.bytes, handle, error);
    bi_file_close(&file);
    return bi_io_end(status, error);
}

/* ---- saving ---- */

struct saving {
    const struct kind *kind;
    bosc_ctx *ctx;
    const void *handle;
};

/* Returns the status of a finished write; a failure of the sink is left to bi_sink_finish, which has the better
 * message. */
static bosc_status finish_write(const struct bi_sink *sink, bosc_ctx *ctx, bosc_status status, bosc_io_error *error)
{
    if (status == BOSC_OK || sink->error_number) return BOSC_OK;
    return bi_io_fail(error, status, "%s: %s", sink->name, bosc_ctx_message(ctx));
}

/* Writes the structure to a sink. */
static bosc_status fill_structure(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const struct saving *s = what;
    bi_io_pause_progress();
    bosc_status status = s->kind->write(s->ctx, s->handle, bi_sink_write, sink);
    bi_io_resume_progress();
    return finish_write(sink, s->ctx, status, error);
}

/* Implements bosc_X_save. */
static bosc_status save_structure(enum bi_structure structure, bosc_ctx *ctx, const void *handle, const char *path,
                                  bosc_io_error *error)
{
    const struct saving saving = {&kinds[structure], ctx, handle};
    const struct bi_output output = {path, fill_structure, &saving, 0};
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!handle) return bi_io_fail(error, BOSC_ERR_ARG, "%s: NULL", saving.kind->argument);
    return bi_outputs_write(&output, 1, error);
}

#define STRUCTURE(type, argument, magic, name)                                                                         \
    bosc_status bosc_##type##_save(bosc_ctx *ctx, const bosc_##type *argument, const char *path, bosc_io_error *error) \
    {                                                                                                                  \
        BI_IO_ENTER;                                                                                                   \
        return save_structure(BI_STRUCTURE_##type, ctx, argument, path, error);                                        \
    }                                                                                                                  \
    bosc_status bosc_##type##_load(bosc_ctx *ctx, const char *path, bosc_##type **argument, bosc_io_error *error)      \
    {                                                                                                                  \
        BI_IO_ENTER;                                                                                                   \
        void *fresh = NULL;                                                                                            \
        bosc_status status = load_structure(BI_STRUCTURE_##type, ctx, path, argument != NULL, &fresh, error);          \
        if (status == BOSC_OK) *argument = fresh;                                                                      \
        return status;                                                                                                 \
    }
#include "io/file/structures.def"
#undef STRUCTURE

/* ---- over ranks ----
 *
 * A rank whose file failed still makes the collective call, with a function that fails, since the other ranks wait for
 * it. Afterwards the ranks agree on the status. Trees: rank 0 has the file. Graphs: every rank opens it. */

static int refuse_write(void *user, const void *bytes, size_t count)
{
    (void)user, (void)bytes, (void)count;
    return 1;
}

static int refuse_read(void *user, void *bytes, size_t count)
{
    (void)user, (void)bytes, (void)count;
    return 1;
}

/* Returns the worst status of all ranks. If only another rank failed, the message names `other`. */
static bosc_status agree(bosc_ctx *ctx, bosc_comm *comm, const char *path, const char *other, bosc_status local_status,
                         bosc_io_error *error)
{
    const int32_t code = (int32_t)local_status;
    int32_t worst = code;
    const bosc_status reduced = bosc_ranks_reduce(ctx, comm, BOSC_MAX, BOSC_I32, &code, 1, &worst);
    if (local_status != BOSC_OK) return local_status;
    if (reduced != BOSC_OK) return bi_io_fail(error, reduced, "%s: %s", path, bosc_ctx_message(ctx));
    if (worst == BOSC_OK) return BOSC_OK;
    return bi_io_fail(error, (bosc_status)worst, "%s: %s failed", path, other);
}

/* Checks arguments, before any communication, and sets *first on rank 0. */
static bosc_status check_arguments(bosc_ctx *ctx, const bosc_comm *comm, const char *path, bool *first,
                                   bosc_io_error *error)
{
    bosc_comm_info info = {.size = sizeof info};
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    const bosc_status status = bosc_comm_get_info(ctx, comm, &info);
    if (status != BOSC_OK) return bi_io_fail(error, status, "%s", bosc_ctx_message(ctx));
    *first = info.rank == 0;
    return BOSC_OK;
}

/* ---- saving over ranks ---- */

struct ranks_saving {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    bool called; /* the collective write was called */
};

/* Writes the tree to a sink. */
static bosc_status fill_tree(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    struct ranks_saving *s = *(struct ranks_saving *const *)what;
    s->called = true;
    bi_io_pause_progress();
    const bosc_status status = bosc_ranks_kdtree_write(s->ctx, s->tree, bi_sink_write, sink);
    bi_io_resume_progress();
    return finish_write(sink, s->ctx, status, error);
}

bosc_status bosc_ranks_kdtree_save(bosc_ctx *ctx, bosc_comm *comm, const bosc_ranks_kdtree *tree, const char *path,
                                   bosc_io_error *error)
{
    BI_IO_ENTER;
    struct ranks_saving saving = {ctx, tree, false}, *s = &saving;
    const struct bi_output output = {path, fill_tree, &s, 0};
    bool first;
    bosc_status status = check_arguments(ctx, comm, path, &first, error);
    if (status != BOSC_OK) return status;
    if (!tree) return bi_io_fail(error, BOSC_ERR_ARG, "tree: NULL");
    if (first) {
        status = bi_outputs_write(&output, 1, error);
        if (!saving.called) (void)bosc_ranks_kdtree_write(ctx, tree, refuse_write, NULL);
    } else {
        status = bosc_ranks_kdtree_write(ctx, tree, NULL, NULL);
        if (status != BOSC_OK) bi_io_fail(error, status, "%s: %s", path, bosc_ctx_message(ctx));
    }
    return agree(ctx, comm, path, "rank 0", status, error);
}

/* ---- loading over ranks: trees ---- */

/* Reads the tree on rank 0. */
static bosc_status read_on_rank_0(bosc_ctx *ctx, bosc_comm *comm, const char *path, bosc_ranks_kdtree **tree,
                                  bosc_io_error *error)
{
    struct bi_file file;
    bosc_status status = bi_file_open_head(path, &file, error);
    const bool opened = status == BOSC_OK;
    if (opened && !bi_structure_is(BI_STRUCTURE_kdtree, &file.bytes))
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a saved k-d tree", path);
    if (status != BOSC_OK) {
        (void)bosc_ranks_kdtree_read(ctx, comm, refuse_read, NULL, tree);
    } else {
        struct cursor cursor = {.in = &file.bytes};
        bi_io_pause_progress();
        status = bosc_ranks_kdtree_read(ctx, comm, copy_bytes, &cursor, tree);
        bi_io_resume_progress();
        status = check_end(&cursor, BI_STRUCTURE_kdtree, ctx, status, error);
    }
    if (opened) bi_file_close(&file);
    return bi_io_end(status, error);
}

bosc_status bosc_ranks_kdtree_load(bosc_ctx *ctx, bosc_comm *comm, const char *path, bosc_ranks_kdtree **tree,
                                   bosc_io_error *error)
{
    BI_IO_ENTER;
    bosc_ranks_kdtree *fresh = NULL;
    bool first;
    bosc_status status = check_arguments(ctx, comm, path, &first, error);
    if (status != BOSC_OK) return status;
    if (!tree) return bi_io_fail(error, BOSC_ERR_ARG, "tree: NULL");
    if (first) {
        status = read_on_rank_0(ctx, comm, path, &fresh, error);
    } else {
        status = bosc_ranks_kdtree_read(ctx, comm, NULL, NULL, &fresh);
        if (status != BOSC_OK) bi_io_fail(error, status, "%s: %s", path, bosc_ctx_message(ctx));
    }
    status = agree(ctx, comm, path, "rank 0", status, error);
    if (status == BOSC_OK)
        *tree = fresh;
    else
        bosc_ranks_kdtree_free(fresh);
    return status;
}

/* ---- loading over ranks: graphs, a slice a rank ---- */

static int refuse_read_at(void *user, int64_t offset, void *bytes, size_t count)
{
    (void)user, (void)offset, (void)bytes, (void)count;
    return 1;
}

/* A bosc_read_at_fn; cursor->at becomes the largest offset that was read. */
static int copy_bytes_at(void *user, int64_t offset, void *bytes, size_t count)
{
    struct cursor *c = user;
    const size_t total = bi_bytes_total(c->in), at = (size_t)offset;
    if (bi_fault(BI_FAULT_READ) || offset < 0 || at > total || total - at < count) return 1;
    if (bi_bytes_read(c->in, at, bytes, count, &c->error) != BOSC_OK) return 1;
    if (c->at < at + count) c->at = at + count;
    return 0;
}

/* Reads the slice of this rank. Rank 0 also reads the end of the graph, and fails if bytes follow. */
static bosc_status read_slice(bosc_ctx *ctx, bosc_comm *comm, const char *path, bool first, bosc_graph **graph,
                              bosc_ranks_graph_info *info, bosc_io_error *error)
{
    struct bi_file file;
    bosc_status status = bi_file_open_head(path, &file, error);
    const bool opened = status == BOSC_OK;
    if (opened && !bi_structure_is(BI_STRUCTURE_graph, &file.bytes))
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a saved graph", path);
    if (status != BOSC_OK) {
        (void)bosc_ranks_graph_read(ctx, comm, refuse_read_at, NULL, graph, info);
    } else {
        struct cursor cursor = {.in = &file.bytes};
        bi_io_pause_progress();
        status = bosc_ranks_graph_read(ctx, comm, copy_bytes_at, &cursor, graph, info);
        bi_io_resume_progress();
        if (!first) cursor.at = bi_bytes_total(&file.bytes);
        status = check_end(&cursor, BI_STRUCTURE_graph, ctx, status, error);
    }
    if (opened) bi_file_close(&file);
    return bi_io_end(status, error);
}

/* As bi_copy_info of core/check.h, which libboscage does not export. */
static void copy_info(bosc_ranks_graph_info *info, bosc_ranks_graph_info found)
{
    found.size = info->size;
    if (found.size > sizeof found) memset(info + 1, 0, found.size - sizeof found);
    memcpy(info, &found, found.size < sizeof found ? found.size : sizeof found);
}

bosc_status bosc_ranks_graph_load(bosc_ctx *ctx, bosc_comm *comm, const char *path, bosc_graph **graph,
                                  bosc_ranks_graph_info *info, bosc_io_error *error)
{
    BI_IO_ENTER;
    bosc_ranks_graph_info found = {.size = sizeof found};
    bosc_graph *fresh = NULL;
    bool first;
    bosc_status status = check_arguments(ctx, comm, path, &first, error);
    if (status != BOSC_OK) return status;
    if (!graph) return bi_io_fail(error, BOSC_ERR_ARG, "graph: NULL");
    if (info && !bi_io_is_struct_size(info->size, sizeof *info))
        return bi_io_fail(error, BOSC_ERR_ARG, "info: size %zu is not that of bosc_ranks_graph_info", info->size);
    status = read_slice(ctx, comm, path, first, &fresh, &found, error);
    status = agree(ctx, comm, path, "another rank", status, error);
    if (status == BOSC_OK) {
        *graph = fresh;
        if (info) copy_info(info, found);
    } else {
        bosc_graph_free(fresh);
    }
    return status;
}
