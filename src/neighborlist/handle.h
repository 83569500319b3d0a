/* The foundation of neighbour lists: checks of options, handles and arguments, and the list's blocks. */
#ifndef BI_NEIGHBORLIST_HANDLE_H
#define BI_NEIGHBORLIST_HANDLE_H

#include "core/check.h"
#include "neighborlist/neighborlist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most pairs of a list or of its output, so that no count of bytes overflows. */
#define BI_NEIGHBORLIST_MAX_PAIRS (INT64_MAX / 64)

/* Checks that the context can reach the handle. */
bosc_status bi_neighborlist_check(bosc_ctx *ctx, const bosc_neighborlist *list);

/* Checks sizes and pointers of the caller's systems, but no contents, and describes them in *input. */
bosc_status bi_neighborlist_check_systems(bosc_ctx *ctx, const bosc_neighborlist *list,
                                          const bosc_neighborlist_systems *systems,
                                          struct bi_neighborlist_input *input);

/* Checks the rows of n positions; sets *stride to 3 if it is 0. */
bosc_status bi_neighborlist_check_positions(bosc_ctx *ctx, const bosc_neighborlist *list, const void *positions,
                                            int64_t n, int64_t *stride);

/* Makes room for n atoms and system_count systems, and for entries. The contents are lost if a block grows. */
bosc_status bi_neighborlist_reserve_atoms(bosc_ctx *ctx, bosc_neighborlist *list, int64_t n, int64_t system_count);
bosc_status bi_neighborlist_reserve_entries(bosc_ctx *ctx, bosc_neighborlist *list, int64_t pairs);

#ifdef __cplusplus
}
#endif
#endif
