/* Queries in the order of their owners, on the CPU (ranks/exchange/queries.h). */
#ifndef BI_RANKS_CPU_QUERIES_H
#define BI_RANKS_CPU_QUERIES_H

#include "ranks/exchange/queries.h"

/* Orders the keys of a block. */
bosc_status bi_ranks_cpu_order_queries(bosc_ctx *ctx, const struct bi_ranks_queries *queries);

/* rows (n) = the answers, of item_size bytes each, which are in the order of the keys. */
bosc_status bi_ranks_cpu_return_answers(bosc_ctx *ctx, const struct bi_ranks_queries *queries, int64_t item_size,
                                        const void *answers, void *rows);

#endif
