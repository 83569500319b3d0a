/* Exact distributed selection: the key of the item at each border is found bit by bit from the top, some bits a round,
 * by how many keys of all ranks are less than each key that it may be; where keys equal it, lower ranks' come first.
 * Keys are unsigned integers here, which order as they do (base/bits.h). */
#include "ranks/prims/splitters.h"

#include <string.h>

#include "base/bits.h"
#include "base/search.h"
#include "base/words.h"
#include "core/call.h"

enum { MOST_COUNTS = 1 << 17, FEW_COUNTS = 1 << 13, MOST_BITS = 10, FEW_BITS = 5 };

struct borders {
    const struct bi_ranks_slices *slices;
    bosc_dtype dtype;
    size_t size;
    const void *sorted;
    int64_t n;
    uint64_t *keys;  /* (ranks) of the item at each border, as far as it is known; less than it or equal */
    int unknown;     /* bits of them, the lowest ones */
    int bits;        /* of them that a round finds at most */
    void *queries;   /* (ranks << bits, at least 2 * ranks) */
    int64_t *counts; /* as many: keys that are less */
};

/* ---- keys as integers ---- */

static uint64_t ordered(bosc_dtype dtype, const void *key)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;
    if (bosc_dtype_size(dtype) == 4)
        memcpy(&narrow, key, sizeof narrow);
    else
        memcpy(&wide, key, sizeof wide);
    switch (dtype) {
    case BOSC_F32: return bi_key_u32_of_f32(bi_f32_from_bits(narrow));
    case BOSC_F64: return bi_key_u64_of_f64(bi_f64_from_bits(wide));
    case BOSC_I32: return bi_key_u32_of_i32((int32_t)narrow);
    case BOSC_I64: return bi_key_u64_of_i64((int64_t)wide);
    default: return narrow | wide;
    }
}

static void set_key(bosc_dtype dtype, void *keys, int64_t i, uint64_t key)
{
    if (dtype == BOSC_F32) key = bi_f32_bits(bi_f32_of_key((uint32_t)key));
    if (dtype == BOSC_F64) key = bi_f64_bits(bi_f64_of_key(key));
    if (dtype == BOSC_I32) key ^= 0x80000000u;
    if (dtype == BOSC_I64) key ^= 0x8000000000000000u;
    bi_set_word(keys, bosc_dtype_size(dtype) == 8, i, key);
}

/* ---- rounds ---- */

/* The bits that all keys of all ranks share. */
static bosc_status find_range(bosc_ctx *ctx, bosc_comm *comm, struct borders *b)
{
    bosc_status local_status = BOSC_OK;
    uint64_t ends[2] = {UINT64_MAX, 0}, first = 0, last = 0, least = UINT64_MAX, most = 0;
    const uint64_t *all = comm->gather;
    if (b->n) {
        local_status = bi_read_back(ctx, &first, b->sorted, b->size);
        if (local_status == BOSC_OK)
            local_status = bi_read_back(ctx, &last, (const char *)b->sorted + (b->n - 1) * (int64_t)b->size, b->size);
        ends[0] = ordered(b->dtype, &first);
        ends[1] = ordered(b->dtype, &last);
    }
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, comm, ends, sizeof ends, comm->gather));
    for (int32_t r = 0; r < comm->rank_count; r++) {
        if (all[2 * r] < least) least = all[2 * r];
        if (all[2 * r + 1] > most) most = all[2 * r + 1];
    }
    b->unknown = bi_bit_length(least ^ most);
    for (int32_t r = 0; r < comm->rank_count; r++) b->keys[r] = b->unknown == 64 ? 0 : most >> b->unknown << b->unknown;
    return BOSC_OK;
}

/* The next bits of every border's key. */
static bosc_status find_bits(bosc_ctx *ctx, bosc_comm *comm, struct borders *b)
{
    const int bits = b->bits < b->unknown ? b->bits : b->unknown, shift = b->unknown - bits;
    const int64_t each = (int64_t)1 << bits, count = comm->rank_count * each;
    for (int64_t q = 0; q < count; q++)
        set_key(b->dtype, b->queries, q, b->keys[q >> bits] + ((uint64_t)(q & (each - 1)) << shift));
    BI_TRY(bi_comm_sum(ctx, comm, bosc_search_sorted(ctx, b->dtype, b->sorted, b->n, b->queries, count, b->counts),
                       b->counts, count));
    for (int32_t r = 0; r < comm->rank_count; r++) {
        const int64_t at = bi_upper_bound_i64(b->counts + r * each, each, b->slices->offsets[r]) - 1;
        b->keys[r] += (uint64_t)at << shift;
    }
    b->unknown = shift;
    return BOSC_OK;
}

/* ---- cuts ---- */

/* Of this rank's keys, those less than each border's, and those equal to it. */
struct tally {
    int64_t less, equal;
};

static bosc_status count_keys(bosc_ctx *ctx, const struct borders *b, struct tally *tallies)
{
    const int32_t ranks = b->slices->rank_count;
    const uint64_t highest = b->size == 4 ? UINT32_MAX : UINT64_MAX;
    for (int32_t r = 0; r < ranks; r++) {
        set_key(b->dtype, b->queries, 2 * r, b->keys[r]);
        set_key(b->dtype, b->queries, 2 * r + 1, b->keys[r] + (b->keys[r] < highest));
    }
    BI_TRY(bosc_search_sorted(ctx, b->dtype, b->sorted, b->n, b->queries, 2 * ranks, b->counts));
    for (int32_t r = 0; r < ranks; r++) {
        tallies[r].less = b->counts[2 * r];
        tallies[r].equal = (b->keys[r] < highest ? b->counts[2 * r + 1] : b->n) - b->counts[2 * r];
    }
    return BOSC_OK;
}

/* Rank r deals the items at its border to all ranks: told by each what it has, it tells each where to cut. */
static void deal(const struct bi_ranks_slices *slices, const struct tally *tallies, int64_t *cuts)
{
    int64_t left = slices->offsets[slices->rank];
    for (int32_t r = 0; r < slices->rank_count; r++) left -= tallies[r].less;
    for (int32_t r = 0; r < slices->rank_count; r++) {
        const int64_t taken = left < tallies[r].equal ? left : tallies[r].equal;
        cuts[r] = tallies[r].less + taken;
        left -= taken;
    }
}

static void set_offsets(int64_t *offsets, int32_t ranks, size_t bytes)
{
    for (int32_t r = 0; r <= ranks; r++) offsets[r] = r * (int64_t)bytes;
}

/* `memory`: (7 * ranks + 1) words. */
static bosc_status find_cuts(bosc_ctx *ctx, bosc_comm *comm, const struct borders *b, int64_t *memory, int64_t *cuts)
{
    const int32_t ranks = comm->rank_count;
    struct tally *local_status = (struct tally *)(void *)memory, *theirs = local_status + ranks;
    int64_t *dealt = memory + 4 * ranks, *offsets = dealt + ranks;
    BI_TRY(bi_comm_agree(ctx, comm, count_keys(ctx, b, local_status)));
    set_offsets(offsets, ranks, sizeof *local_status);
    BI_TRY(bi_comm_all_to_all(ctx, comm, true, local_status, offsets, theirs, offsets));
    deal(b->slices, theirs, dealt);
    set_offsets(offsets, ranks, sizeof *dealt);
    BI_TRY(bi_comm_all_to_all(ctx, comm, true, dealt, offsets, cuts, offsets));
    cuts[ranks] = b->n;
    return BOSC_OK;
}

/* As many bits a round as make few counts, each of which is a search in all keys; of many ranks more counts, since a
 * round takes exchanges too. */
static int bits_of_round(int64_t ranks)
{
    int bits = MOST_BITS;
    while (bits > FEW_BITS && ranks << bits > FEW_COUNTS) bits--;
    while (bits > 1 && ranks << bits > MOST_COUNTS) bits--;
    return bits;
}

bosc_status bi_ranks_find_cuts(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                               const struct bi_ranks_slices *slices, bosc_dtype dtype, const void *sorted, int64_t n,
                               int64_t *cuts)
{
    const int64_t ranks = comm->rank_count;
    struct borders b = {.slices = slices,
                        .dtype = dtype,
                        .size = bosc_dtype_size(dtype),
                        .sorted = sorted,
                        .n = n,
                        .bits = bits_of_round(ranks)};
    const int64_t queries = ranks << b.bits, words = 2 * queries + ranks + 7 * ranks + 1;
    int64_t *memory = local_status == BOSC_OK ? bi_host_alloc(ctx, (size_t)words * sizeof *memory) : NULL;
    if (local_status == BOSC_OK && !memory) local_status = BOSC_ERR_NOMEM;
    bosc_status status = bi_comm_agree(ctx, comm, local_status);
    if (status == BOSC_OK) {
        b.queries = memory;
        b.counts = memory + queries;
        b.keys = (uint64_t *)(memory + 2 * queries);
        status = find_range(ctx, comm, &b);
    }
    while (status == BOSC_OK && b.unknown > 0) status = find_bits(ctx, comm, &b);
    if (status == BOSC_OK) status = find_cuts(ctx, comm, &b, memory + 2 * queries + ranks, cuts);
    bi_memory_release(&ctx->host, memory, (size_t)words * sizeof *memory);
    return status;
}
