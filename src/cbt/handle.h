/* The foundation of concurrent binary trees: handles, their memory, and the checks that calls share. */
#ifndef BI_CBT_HANDLE_H
#define BI_CBT_HANDLE_H

#include "cbt/cbt.h"
#include "core/call.h"

/* A copy of the options with the defaults filled in. */
bosc_status bi_cbt_check_opts(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt_opts *full);
bosc_status bi_cbt_check_depth(bosc_ctx *ctx, int32_t depth);
/* BOSC_ERR_ARG with the reason if the context cannot reach the tree. */
bosc_status bi_cbt_check(bosc_ctx *ctx, const bosc_cbt *tree);
/* Checks an array of n elements of `size` bytes: present, aligned, and no larger than memory. */
bosc_status bi_cbt_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                               size_t size);
static inline size_t bi_cbt_id_size(const bosc_cbt *tree) { return (size_t)tree->opts.id_bits / 8; }

static inline bool bi_cbt_is_published(const bosc_cbt *tree) { return tree->opts.layout == BOSC_CBT_PUBLISHED; }

/* Reads the number of leaves as of the last reduction. Waits. */
bosc_status bi_cbt_read_leaf_count(bosc_ctx *ctx, const bosc_cbt *tree, int64_t *leaves);

/* Allocates a tree with these (full) options. Its bits and ranks, or its heap, are not set. */
bosc_status bi_cbt_allocate(bosc_ctx *ctx, const bosc_cbt_opts *full, bosc_cbt **tree);
/* Allocates empty fields of commands, unless the tree has them; a PUBLISHED tree needs none. */
bosc_status bi_cbt_reserve_commands(bosc_ctx *ctx, bosc_cbt *tree);
/* Clears the recorded commands. */
bosc_status bi_cbt_clear_commands(bosc_ctx *ctx, bosc_cbt *tree);

#endif
