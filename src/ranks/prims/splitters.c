/* Exact splitters by distributed selection. The key of the item at each splitter is found from its highest bits down,
 * some bits a round: each round counts the keys of all ranks below every candidate. Among equal keys, those of lower
 * ranks come first. Keys are unsigned integers here, ordered as the originals (base/bits.h). */
#include "ranks/prims/splitters.h"

#include <string.h>

#include "base/bits.h"
#include "base/search.h"
#include "base/words.h"
#include "core/call.h"

/* Counts of a round, and bits found in one. TARGET_COUNTS follows a measurement: 2^16 counts a splitter took as long as
 * the sorts of two slices of 500,000 keys (docs/design/ranks.md, Sorts). */
enum { MAX_COUNTS = 1 << 17, TARGET_COUNTS = 1 << 13, MAX_BITS = 10, MIN_BITS = 5 };

struct splitter_search {
    const struct bi_ranks_slices *slices;
    bosc_dtype dtype;
    size_t size;
    const void *sorted;
    int64_t n;
    uint64_t *keys;  /* (ranks): known high bits of each splitter's key, the others 0 */
    int unknown;     /* number of unknown low bits */
    int bits;        /* bits found in a round, at most */
    void *queries;   /* (ranks << bits, at least 2 * ranks) */
    int64_t *counts; /* by query: number of keys below it */
};

/* ---- keys as integers ---- */

static uint64_t key_at(bosc_dtype dtype, const void *key)
{
    uint32_t key32 = 0;
    uint64_t key64 = 0;
    if (bosc_dtype_size(dtype) == 4)
        memcpy(&key32, key, sizeof key32);
    else
        memcpy(&key64, key, sizeof key64);
    switch (dtype) {
    case BOSC_F32: return bi_key_u32_of_f32(bi_f32_from_bits(key32));
    case BOSC_F64: return bi_key_u64_of_f64(bi_f64_from_bits(key64));
    case BOSC_I32: return bi_key_u32_of_i32((int32_t)key32);
    case BOSC_I64: return bi_key_u64_of_i64((int64_t)key64);
    default: return key32 | key64;
    }
}

static void write_key(bosc_dtype dtype, void *keys, int64_t i, uint64_t key)
{
    if (dtype == BOSC_F32) key = bi_f32_bits(bi_f32_of_key((uint32_t)key));
    if (dtype == BOSC_F64) key = bi_f64_bits(bi_f64_of_key(key));
    if (dtype == BOSC_I32) key ^= 0x80000000u;
    if (dtype == BOSC_I64) key ^= 0x8000000000000000u;
    bi_set_word(keys, bosc_dtype_size(dtype) == 8, i, key);
}

/* ---- rounds ---- */

/* Finds the high bits that all keys of all ranks share. */
static bosc_status find_common_prefix(bosc_ctx *ctx, bosc_comm *comm, struct splitter_search *b)
{
    bosc_status local_status = BOSC_OK;
    uint64_t range[2] = {UINT64_MAX, 0}, first = 0, last = 0, lowest = UINT64_MAX, highest = 0;
    const uint64_t *all = comm->gather;
    if (b->n) {
        local_status = bi_read_back(ctx, &first, b->sorted, b->size);
        if (local_status == BOSC_OK)
            local_status = bi_read_back(ctx, &last, (const char *)b->sorted + (b->n - 1) * (int64_t)b->size, b->size);
        range[0] = key_at(b->dtype, &first);
        range[1] = key_at(b->dtype, &last);
    }
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, comm, range, sizeof range, comm->gather));
    for (int32_t r = 0; r < comm->rank_count; r++) {
        if (all[2 * r] < lowest) lowest = all[2 * r];
        if (all[2 * r + 1] > highest) highest = all[2 * r + 1];
    }
    b->unknown = bi_bit_length(lowest ^ highest);
    for (int32_t r = 0; r < comm->rank_count; r++)
        b->keys[r] = b->unknown == 64 ? 0 : highest >> b->unknown << b->unknown;
    return BOSC_OK;
}

/* Finds the next bits of every splitter's key. */
static bosc_status refine_keys(bosc_ctx *ctx, bosc_comm *comm, struct splitter_search *b)
{
    const int bits = b->bits < b->unknown ? b->bits : b->unknown, shift = b->unknown - bits;
    const int64_t each = (int64_t)1 << bits, count = comm->rank_count * each;
    for (int64_t q = 0; q < count; q++)
        write_key(b->dtype, b->queries, q, b->keys[q >> bits] + ((uint64_t)(q & (each - 1)) << shift));
    BI_TRY(bi_comm_sum(ctx, comm, bosc_search_sorted(ctx, b->dtype, b->sorted, b->n, b->queries, count, b->counts),
                       b->counts, count));
    for (int32_t r = 0; r < comm->rank_count; r++) {
        const int64_t at = bi_upper_bound_i64(b->counts + r * each, each, b->slices->offsets[r]) - 1;
        b->keys[r] += (uint64_t)at << shift;
    }
    b->unknown = shift;
    return BOSC_OK;
}

/* ---- positions ---- */

/* Numbers of this rank's keys below a splitter's key, and equal to it. */
struct key_counts {
    int64_t less, equal;
};

static bosc_status count_keys(bosc_ctx *ctx, const struct splitter_search *b, struct key_counts *tallies)
{
    const int32_t ranks = b->slices->rank_count;
    const uint64_t highest = b->size == 4 ? UINT32_MAX : UINT64_MAX;
    for (int32_t r = 0; r < ranks; r++) {
        write_key(b->dtype, b->queries, 2 * r, b->keys[r]);
        write_key(b->dtype, b->queries, 2 * r + 1, b->keys[r] + (b->keys[r] < highest));
    }
    BI_TRY(bosc_search_sorted(ctx, b->dtype, b->sorted, b->n, b->queries, 2 * ranks, b->counts));
    for (int32_t r = 0; r < ranks; r++) {
        tallies[r].less = b->counts[2 * r];
        tallies[r].equal = (b->keys[r] < highest ? b->counts[2 * r + 1] : b->n) - b->counts[2 * r];
    }
    return BOSC_OK;
}

/* Rank r assigns the items equal to its splitter's key in rank order: from the counts of all ranks it computes each
 * rank's splitter position. */
static void assign_equal_keys(const struct bi_ranks_slices *slices, const struct key_counts *tallies,
                              int64_t *splitters)
{
    int64_t remaining = slices->offsets[slices->rank];
    for (int32_t r = 0; r < slices->rank_count; r++) remaining -= tallies[r].less;
    for (int32_t r = 0; r < slices->rank_count; r++) {
        const int64_t assigned = remaining < tallies[r].equal ? remaining : tallies[r].equal;
        splitters[r] = tallies[r].less + assigned;
        remaining -= assigned;
    }
}

static void set_offsets(int64_t *offsets, int32_t ranks, size_t bytes)
{
    for (int32_t r = 0; r <= ranks; r++) offsets[r] = r * (int64_t)bytes;
}

/* Finds the positions of the splitters in the local slice. Rank r resolves ties at splitter r. memory: (7 * ranks + 1)
 * words. */
static bosc_status exchange_splitters(bosc_ctx *ctx, bosc_comm *comm, const struct splitter_search *b, int64_t *memory,
                                      int64_t *splitters)
{
    const int32_t ranks = comm->rank_count;
    struct key_counts *own_counts = (struct key_counts *)(void *)memory, *received_counts = own_counts + ranks;
    int64_t *answers = memory + 4 * ranks, *offsets = answers + ranks;
    BI_TRY(bi_comm_agree(ctx, comm, count_keys(ctx, b, own_counts)));
    set_offsets(offsets, ranks, sizeof *own_counts);
    BI_TRY(bi_comm_all_to_all(ctx, comm, true, own_counts, offsets, received_counts, offsets));
    assign_equal_keys(b->slices, received_counts, answers);
    set_offsets(offsets, ranks, sizeof *answers);
    BI_TRY(bi_comm_all_to_all(ctx, comm, true, answers, offsets, splitters, offsets));
    splitters[ranks] = b->n;
    return BOSC_OK;
}

/* Returns the bits found in a round. A count is a search in all keys and a round takes exchanges, so counts stay near
 * TARGET_COUNTS while each round finds MIN_BITS or more. */
static int bits_per_round(int64_t ranks)
{
    int bits = MAX_BITS;
    while (bits > MIN_BITS && ranks << bits > TARGET_COUNTS) bits--;
    while (bits > 1 && ranks << bits > MAX_COUNTS) bits--;
    return bits;
}

bosc_status bi_ranks_find_splitters(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                    const struct bi_ranks_slices *slices, bosc_dtype dtype, const void *sorted,
                                    int64_t n, int64_t *splitters)
{
    const int64_t ranks = comm->rank_count;
    struct splitter_search b = {.slices = slices,
                                .dtype = dtype,
                                .size = bosc_dtype_size(dtype),
                                .sorted = sorted,
                                .n = n,
                                .bits = bits_per_round(ranks)};
    const int64_t queries = ranks << b.bits, words = 2 * queries + ranks + 7 * ranks + 1;
    int64_t *memory = local_status == BOSC_OK ? bi_host_alloc(ctx, (size_t)words * sizeof *memory) : NULL;
    if (local_status == BOSC_OK && !memory) local_status = BOSC_ERR_NOMEM;
    bosc_status status = bi_comm_agree(ctx, comm, local_status);
    if (status == BOSC_OK) {
        b.queries = memory;
        b.counts = memory + queries;
        b.keys = (uint64_t *)(memory + 2 * queries);
        status = find_common_prefix(ctx, comm, &b);
    }
    while (status == BOSC_OK && b.unknown > 0) status = refine_keys(ctx, comm, &b);
    if (status == BOSC_OK) status = exchange_splitters(ctx, comm, &b, memory + 2 * queries + ranks, splitters);
    bi_memory_release(&ctx->host, memory, (size_t)words * sizeof *memory);
    return status;
}
