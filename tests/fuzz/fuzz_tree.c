/* Saved k-d trees, also with corrected checksums. A tree that was read must support verification and searches. */
#include "fuzz.h"
#include "io/file/structure.h"
#include "kdtree/save.h"

static void exercise(bosc_ctx *ctx, bosc_kdtree *tree)
{
    bosc_kdtree_info info = {.size = sizeof info};
    uint64_t query[1024] = {0};
    int64_t ids[3], offsets[2], node;
    if (bosc_kdtree_get_info(ctx, tree, &info) != BOSC_OK || info.nodes > info.n) abort();
    bosc_status status = bosc_kdtree_verify(ctx, tree, &node);
    if (status != BOSC_OK && status != BOSC_ERR_DATA) abort();
    if (bosc_kdtree_knn(ctx, tree, query, 1, 0, 3, ids, NULL) != BOSC_OK) abort();
    if (bosc_kdtree_radius(ctx, tree, query, 1, 0, 1.5, offsets, NULL, NULL, 0) != BOSC_OK) abort();
    if (offsets[1] < 0 || offsets[1] > info.nodes) abort();
}

static void parse(const uint8_t *data, size_t size)
{
    struct bi_bytes in = {.name = "F", .data = (const char *)data, .size = size};
    bosc_io_error error = {""};
    void *read = NULL;
    bosc_status status = bi_structure_parse(BI_STRUCTURE_kdtree, fuzz_context(), &in, &read, &error);
    bosc_kdtree *tree = read;
    if ((status == BOSC_OK) != (tree != NULL) || (!tree && error.text[0] != 'F')) abort();
    if (tree) exercise(fuzz_context(), tree);
    bosc_kdtree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_saved(parse, offsetof(struct bi_kdtree_header, hash), data, size);
}
