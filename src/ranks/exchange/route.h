/* Routes items to the owners of their keys. All items of equal keys reach one rank, ordered by sending rank and row.
 * The owners' answers return to the items' rows. Items go straight to the owners' memory where ranks share it
 * (comm/comm.h, windows).
 * `local_status`: this rank's own status, on which all ranks agree in the call. */
#ifndef BI_RANKS_EXCHANGE_ROUTE_H
#define BI_RANKS_EXCHANGE_ROUTE_H

#include "ranks/exchange/owned.h"
#include "ranks/exchange/slices.h"

struct bi_ranks_route {
    struct bi_exchange x;        /* x.received: number of items received */
    struct bi_ranks_owned items; /* the keys or owners of the caller, and positions in scratch */
};

/* Begins a route by keys (n), in reach, which stay until its end. bi_ranks_route_end ends it, after a failure too. */
bosc_status bi_ranks_route_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const void *keys,
                                 int32_t key_bits, int64_t n, struct bi_ranks_route *route);

/* Begins a route by known owners (n), in reach, which stay until its end. Each is below the number of ranks. */
bosc_status bi_ranks_route_to_owners(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const uint32_t *owners,
                                     int64_t n, struct bi_ranks_route *route);

/* A column of items or answers, in reach. */
struct bi_ranks_column {
    size_t item_size;
    void *rows;     /* (n), of this rank's items; NULL: row numbers are sent; where answers return: none are needed */
    void *received; /* (x.received): items from all ranks, or this rank's answers to them */
};

/* Sends one item per row in each of up to BI_MAX_WINDOWS columns. columns[c].received: set to scratch; of one rank to
 * the rows, which receivers only read. */
bosc_status bi_ranks_route_columns(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                   const struct bi_ranks_route *route, struct bi_ranks_column *columns, int count);

/* The same for one column. items: (n), in reach. received: set to x.received items. */
bosc_status bi_ranks_route_items(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                 const struct bi_ranks_route *route, size_t item_size, const void *items,
                                 void **received);

/* Returns an answer for each received item in each column, to the rows, which may be outputs of the call. */
bosc_status bi_ranks_route_answer_columns(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                          const struct bi_ranks_route *route, struct bi_ranks_column *columns,
                                          int count);

/* The same for one column. answers: (x.received), in reach. out: (n), in reach. */
bosc_status bi_ranks_route_answers(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                   const struct bi_ranks_route *route, size_t item_size, const void *answers,
                                   void *out);

/* Moves columns between the rows and `received`, here arrays of this rank in sending order: x.sent items. to_rows: to
 * the rows, which may be NULL. Exchanges nothing; no windows of x are open. */
bosc_status bi_ranks_route_order(bosc_ctx *ctx, const struct bi_ranks_route *route, bool to_rows,
                                 const struct bi_ranks_column *columns, int count);

/* Lists the rows in sending order. *rows: set to scratch of x.sent row numbers. Exchanges nothing. */
bosc_status bi_ranks_route_list_rows(bosc_ctx *ctx, const struct bi_ranks_route *route, int64_t **rows);

void bi_ranks_route_end(bosc_ctx *ctx, struct bi_ranks_route *route);

/* A query of the owner of each item. All arrays are in reach. */
struct bi_ranks_owner_query {
    int64_t n;
    const uint32_t *owners; /* (n) */
    const void *items;      /* (n): sent to the owners */
    size_t item_size, answer_size;
    /* On every rank: writes the answers to `count` received items, which may be 0. */
    bosc_status (*answer)(bosc_ctx *ctx, const void *user, const void *received, int64_t count, void *answers);
    const void *user;
    void *out; /* (n) */
};

/* Sends the items, and returns the answers to the items' rows. */
bosc_status bi_ranks_query_owners(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                  const struct bi_ranks_owner_query *query);

#endif
