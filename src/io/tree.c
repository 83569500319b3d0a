/* Saved k-d trees as files. */
#include "io/saved.h"

static bosc_status write_tree(bosc_ctx *ctx, const void *tree, bosc_write_fn write, void *user)
{
    return bosc_kdtree_write(ctx, tree, write, user);
}

static bosc_status read_tree(bosc_ctx *ctx, bosc_read_fn read, void *user, void **structure)
{
    bosc_kdtree *tree = NULL;
    bosc_status status = bosc_kdtree_read(ctx, read, user, &tree);
    *structure = tree;
    return status;
}

static void free_tree(void *tree) { bosc_kdtree_free(tree); }

static const struct bi_saved kind = {.magic = {'B', 'O', 'S', 'C', 'K', 'D', 'T', '\n'},
                                     .name = "k-d tree",
                                     .short_name = "tree",
                                     .write = write_tree,
                                     .read = read_tree,
                                     .free = free_tree};

bool bi_tree_is(const struct bi_bytes *in) { return bi_saved_is(&kind, in); }

bosc_status bi_tree_parse(bosc_ctx *ctx, const struct bi_bytes *in, bosc_kdtree **tree, bosc_io_error *error)
{
    void *fresh = NULL;
    bosc_status status = bi_saved_parse(&kind, ctx, in, &fresh, error);
    if (status == BOSC_OK) *tree = fresh;
    return status;
}

bosc_status bosc_kdtree_load(bosc_ctx *ctx, const char *path, bosc_kdtree **tree, bosc_io_error *error)
{
    void *fresh = NULL;
    bosc_status status = bi_saved_load(&kind, ctx, path, tree ? &fresh : NULL, error);
    if (fresh) *tree = fresh;
    return status;
}

bosc_status bosc_kdtree_save(bosc_ctx *ctx, const bosc_kdtree *tree, const char *path, bosc_io_error *error)
{
    return bi_saved_save(&kind, ctx, tree, path, error);
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
