/* Queries of arrays that kernels of the context access, wherever they lie: ranks query with arrays in the memory of
 * other devices, which public calls would copy. The arrays have been checked. */
#ifndef BI_HASH_QUERY_H
#define BI_HASH_QUERY_H

#include <boscage/hash.h>

#include "core/check.h"

/* As bosc_hash_find. The table may be empty, and a build of it pending. */
bosc_status bi_hash_find_reached(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                 void *values, uint8_t *found);

/* As bosc_hash_count. */
bosc_status bi_hash_count_reached(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                                  int64_t *counts);

#endif
