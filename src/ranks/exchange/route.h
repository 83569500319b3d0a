/* Items that go to the owners of their keys: all items of equal keys to one rank, in the order of ranks and rows. Their
 * owners' answers come back to the items' rows. */
#ifndef BI_RANKS_EXCHANGE_ROUTE_H
#define BI_RANKS_EXCHANGE_ROUTE_H

#include "ranks/exchange/slices.h"

struct bi_ranks_route {
    struct bi_exchange x; /* x.received items came */
    int64_t *rows;        /* (x.sent), scratch: of the items as they are sent */
};

/* keys: (n), in reach. Ended by bi_ranks_route_end, on a failure too. */
bosc_status bi_ranks_route_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const void *keys,
                                 int32_t key_bits, int64_t n, struct bi_ranks_route *route);

/* The same, where the owner of each row is known. owners: (n), in reach. */
bosc_status bi_ranks_route_to_owners(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const uint32_t *owners,
                                     int64_t n, struct bi_ranks_route *route);

/* Sends an item of each row. items: (n), in reach. received: set to scratch of x.received items. */
bosc_status bi_ranks_route_items(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                 const struct bi_ranks_route *route, size_t item_size, const void *items,
                                 void **received);

/* The same, but that a failure which is this rank's alone is told in the next exchange. *local_status: as
 * `local_status`, and then how
 * this rank is. */
bosc_status bi_ranks_route_move(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                const struct bi_ranks_route *route, size_t item_size, const void *items,
                                void **received);

/* Sends an answer to each item that came. answers: (x.received), in reach. out: (n), in reach; written once the
 * answers have come. */
bosc_status bi_ranks_route_answers(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                   const struct bi_ranks_route *route, size_t item_size, const void *answers,
                                   void *out);

bosc_status bi_ranks_route_move_back(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                     const struct bi_ranks_route *route, size_t item_size, const void *answers,
                                     void *out);

void bi_ranks_route_end(bosc_ctx *ctx, struct bi_ranks_route *route);

#endif
