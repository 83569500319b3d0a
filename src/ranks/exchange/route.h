/* Routes items to the owners of their keys. All items of equal keys reach one rank, ordered by sending rank and row.
 * The owners' answers return to the items' rows.
 * `local_status`: this rank's own status, which is exchanged at the next agreement. */
#ifndef BI_RANKS_EXCHANGE_ROUTE_H
#define BI_RANKS_EXCHANGE_ROUTE_H

#include "ranks/exchange/slices.h"

struct bi_ranks_route {
    struct bi_exchange x; /* x.received: number of items received */
    int64_t *rows;        /* (x.sent), scratch: the row of each item in sending order */
};

/* Begins a route by keys (n), in reach. bi_ranks_route_end ends it, after a failure too. */
bosc_status bi_ranks_route_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const void *keys,
                                 int32_t key_bits, int64_t n, struct bi_ranks_route *route);

/* Begins a route by known owners (n), in reach. */
bosc_status bi_ranks_route_to_owners(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const uint32_t *owners,
                                     int64_t n, struct bi_ranks_route *route);

/* Sends one item per row. items: (n), in reach. received: set to scratch of x.received items. */
bosc_status bi_ranks_route_items(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                 const struct bi_ranks_route *route, size_t item_size, const void *items,
                                 void **received);

/* As bi_ranks_route_items, but without the final agreement: a failure of this rank alone is left in *local_status for
 * the next one. */
bosc_status bi_ranks_route_move(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                const struct bi_ranks_route *route, size_t item_size, const void *items,
                                void **received);

/* Returns an answer for each received item. answers: (x.received), in reach. out: (n), in reach; written after all
 * answers have arrived. */
bosc_status bi_ranks_route_answers(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                   const struct bi_ranks_route *route, size_t item_size, const void *answers,
                                   void *out);

/* As bi_ranks_route_answers, but without the final agreement. */
bosc_status bi_ranks_route_move_back(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                     const struct bi_ranks_route *route, size_t item_size, const void *answers,
                                     void *out);

void bi_ranks_route_end(bosc_ctx *ctx, struct bi_ranks_route *route);

#endif
