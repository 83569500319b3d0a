/* The lightest edge of all ranks at each component, from the records of each. The components are divided among the
 * ranks; each reads the records of its own from the memory of all, and writes the results to all. */
#include <string.h>

#include "core/call.h"
#include "ranks/forest/forest.h"

static int32_t rank_count(const struct bi_ranks_forest_reduction *s) { return s->comm ? s->comm->rank_count : 1; }

/* Number of components that rank r reduces. */
static int64_t slice_size(const struct bi_ranks_forest_reduction *s, int64_t r)
{
    const int64_t ranks = rank_count(s);
    return s->components * (r + 1) / ranks - s->components * r / ranks;
}

/* Reduces `count` components: from the records of all ranks to the results on all, each by the list of its blocks. */
static bosc_status reduce_blocks(const struct bi_ranks_forest_reduction *s, int64_t count)
{
    const size_t ranks = (size_t)rank_count(s), bytes = 3 * ranks * sizeof *s->blocks;
    void **table;
    if (count == 0) return BOSC_OK;
    BI_TRY(bi_scratch(s->ctx, bytes, (void **)&table));
    BI_TRY(s->ctx->backend->copy(s->ctx, table, s->blocks, bytes));
    const struct bi_ranks_forest_reduce reduce = {.records = (const uint64_t *const *)table,
                                                  .others = (uint32_t *const *)(table + ranks),
                                                  .is_own = (uint8_t *const *)(table + 2 * ranks),
                                                  .rank_count = (int32_t)ranks,
                                                  .is_64bit = s->is_64bit};
    return s->ctx->ops->ranks->steps->forest_reduce(s->ctx, count, &reduce);
}

/* Opens the records of all ranks and their results as windows, and reduces this rank's components. to_owners: the
 * exchange of records; from_owners: of results. */
static bosc_status reduce_in_windows(const struct bi_ranks_forest_reduction *s, const struct bi_exchange *to_owners,
                                     const struct bi_exchange *from_owners)
{
    const size_t record = (size_t)bi_ranks_record_words(s->is_64bit) * sizeof *s->records;
    struct bi_windows records = {.access = BI_WINDOW_READ_SENT, .count = 1, .of = {{record, s->records, NULL, NULL}}};
    struct bi_windows results = {
        .access = BI_WINDOW_WRITE,
        .count = 2,
        .of = {{sizeof *s->others, s->others, NULL, NULL}, {sizeof *s->is_own, s->is_own, NULL, NULL}}};
    const size_t ranks = (size_t)rank_count(s), bytes = ranks * sizeof(void *);
    bosc_status local_status = BOSC_OK;
    BI_TRY(bi_exchange_open_windows(s->ctx, s->comm, &local_status, to_owners, &records));
    bosc_status status = bi_exchange_open_windows(s->ctx, s->comm, &local_status, from_owners, &results);
    if (status == BOSC_OK) {
        if (local_status == BOSC_OK) {
            memcpy(s->blocks, records.of[0].blocks, bytes);
            memcpy(s->blocks + ranks, results.of[0].blocks, bytes);
            memcpy(s->blocks + 2 * ranks, results.of[1].blocks, bytes);
            local_status = reduce_blocks(s, slice_size(s, s->comm->rank));
        }
        status = bi_exchange_close_windows(s->ctx, s->comm, local_status, from_owners, &results);
    }
    return bi_exchange_close_windows(s->ctx, s->comm, status, to_owners, &records);
}

static bosc_status reduce_over_ranks(const struct bi_ranks_forest_reduction *s)
{
    struct bi_exchange to_owners, from_owners = {0};
    const int32_t ranks = rank_count(s);
    for (int32_t r = 0; r < ranks; r++) s->counts[r] = slice_size(s, r);
    bosc_status status = bi_exchange_begin(s->ctx, s->comm, BOSC_OK, s->counts, &to_owners);
    for (int32_t r = 0; r < ranks; r++) s->counts[r] = slice_size(s, s->comm->rank);
    BI_IF_OK(status, bi_exchange_begin(s->ctx, s->comm, BOSC_OK, s->counts, &from_owners));
    if (status == BOSC_OK) BI_WITH_SCRATCH(s->ctx, status = reduce_in_windows(s, &to_owners, &from_owners));
    bi_exchange_end(s->ctx, &from_owners);
    bi_exchange_end(s->ctx, &to_owners);
    return status;
}

bosc_status bi_ranks_forest_reduce_records(const struct bi_ranks_forest_reduction *s)
{
    void *const blocks[3] = {s->records, s->others, s->is_own};
    if (rank_count(s) > 1) return reduce_over_ranks(s);
    memcpy(s->blocks, blocks, sizeof blocks);
    BI_RETURN_WITH_SCRATCH(s->ctx, reduce_blocks(s, s->components));
}
