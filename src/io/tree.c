/* Saved k-d trees as files. */
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "io/io.h"

/* What a saved tree begins with. */
static const char magic[8] = {'B', 'O', 'S', 'C', 'K', 'D', 'T', '\n'};

/* Delivers a file's bytes to bosc_kdtree_read. */
struct cursor {
    const char *next, *end;
};

static int deliver(void *user, void *bytes, size_t count)
{
    struct cursor *c = user;
    if (bi_fault(BI_FAULT_READ) || (size_t)(c->end - c->next) < count) return 1;
    if (count) memcpy(bytes, c->next, count);
    c->next += count;
    return 0;
}

bool bi_tree_is(const struct bi_bytes *in)
{
    return in->size >= sizeof magic && memcmp(in->data, magic, sizeof magic) == 0;
}

bosc_status bi_tree_parse(bosc_ctx *ctx, const struct bi_bytes *in, bosc_kdtree **tree, bosc_io_error *error)
{
    struct cursor cursor = {in->data, in->data + in->size};
    bosc_kdtree *fresh = NULL;
    if (!bi_tree_is(in)) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no saved k-d tree", in->name);
    bosc_status status = bosc_kdtree_read(ctx, deliver, &cursor, &fresh);
    if (status != BOSC_OK) return bi_io_fail(error, status, "%s: %s", in->name, bosc_message(ctx));
    if (cursor.next != cursor.end) {
        bosc_kdtree_free(fresh);
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %zu bytes follow the tree", in->name,
                          (size_t)(cursor.end - cursor.next));
    }
    *tree = fresh;
    return BOSC_OK;
}

bosc_status bosc_kdtree_load(bosc_ctx *ctx, const char *path, bosc_kdtree **tree, bosc_io_error *error)
{
    struct bi_file file;
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!tree) return bi_io_fail(error, BOSC_ERR_ARG, "tree: NULL");
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return status;
    status = bi_tree_parse(ctx, &file.bytes, tree, error);
    bi_file_close(&file);
    return status;
}

bosc_status bosc_kdtree_or_points_read(bosc_ctx *ctx, const char *path, bosc_kdtree **tree, bosc_array *points,
                                       bosc_io_error *error)
{
    struct bi_file file;
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!tree) return bi_io_fail(error, BOSC_ERR_ARG, "tree: NULL");
    if (!points) return bi_io_fail(error, BOSC_ERR_ARG, "points: NULL");
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return status;
    if (bi_tree_is(&file.bytes))
        status = bi_tree_parse(ctx, &file.bytes, tree, error);
    else
        status = bi_points_parse(bi_points_format_of(path, &file.bytes), &file.bytes, points, error);
    bi_file_close(&file);
    return status;
}

bosc_status bosc_kdtree_save(bosc_ctx *ctx, const bosc_kdtree *tree, const char *path, bosc_io_error *error)
{
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!tree) return bi_io_fail(error, BOSC_ERR_ARG, "tree: NULL");
    struct bi_sink *sink = bi_io_alloc(sizeof *sink);
    if (!sink) return bi_io_fail(error, BOSC_ERR_NOMEM, "out of memory");
    bosc_status status = bi_sink_open(sink, path, error);
    if (status == BOSC_OK) {
        status = bosc_kdtree_write(ctx, tree, bi_sink_write, sink);
        if (status != BOSC_OK && !sink->error_number)
            status = bi_io_fail(error, status, "%s: %s", path, bosc_message(ctx));
        else /* the sink knows more of its own failures */
            status = bi_sink_finish(sink, error);
    }
    if (status == BOSC_OK) status = bi_sink_commit(sink, error);
    bi_sink_discard(sink);
    free(sink);
    return status;
}
