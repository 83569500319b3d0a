/* Sorts over ranks. Each rank sorts its slice; exact splitters are found by distributed selection; each rank merges
 * its runs, one in the sorted slice of each rank, from where they lie. Runs ascend by rank, so merging neighbours is
 * stable. */
#include "ranks/prims/sort.h"

#include <string.h>

#include <boscage/ranks/prims.h>

#include "base/bits.h"
#include "base/search.h"
#include "core/call.h"
#include "prims/check.h"
#include "ranks/prims/splitter.h"

/* ---- splitters of ranks that share no memory ----
 *
 * The key of the item at each splitter is found from its highest bits down, some bits a round: each round counts the
 * keys of all ranks below every candidate. Among equal keys, those of lower ranks come first. Keys are unsigned
 * integers here, ordered as the originals (base/bits.h). */

/* Counts of a round, and bits found in one (docs/design/ranks.md, Sorts). More counts: fewer rounds, more bytes in
 * each. Not measured. */
enum { MAX_COUNTS = 1 << 17, TARGET_COUNTS = 1 << 13, MAX_BITS = 10, MIN_BITS = 5 };

struct splitter_search {
    const struct bi_ranks_slices *slices;
    bosc_dtype dtype;
    size_t size;        /* of a key */
    const void *sorted; /* (n): this rank's keys */
    int64_t n;
    uint64_t *keys;  /* (ranks): known high bits of each splitter's key, the others 0 */
    int unknown;     /* number of unknown low bits */
    int bits;        /* bits found in a round, at most */
    void *queries;   /* (ranks << bits, at least 2 * ranks) */
    int64_t *counts; /* by query: number of keys below it */
};

/* ---- keys as integers ---- */

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
    uint64_t range[2] = {UINT64_MAX, 0} /* of no keys */, first = 0, last = 0, lowest = UINT64_MAX, highest = 0;
    const uint64_t *all = comm->gather;
    if (b->n) {
        local_status = bi_read_back(ctx, &first, b->sorted, b->size);
        BI_IF_OK(local_status,
                 bi_read_back(ctx, &last, (const char *)b->sorted + (b->n - 1) * (int64_t)b->size, b->size));
        range[0] = bi_ranks_key_at(b->dtype, &first, 0);
        range[1] = bi_ranks_key_at(b->dtype, &last, 0);
    }
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, comm, range, sizeof range, comm->gather));
    for (int32_t r = 0; r < comm->rank_count; r++) {
        if (all[2 * r] < lowest) lowest = all[2 * r];
        if (all[2 * r + 1] > highest) highest = all[2 * r + 1];
    }
    b->unknown = bi_bit_length(lowest ^ highest);
    for (int32_t r = 0; r < comm->rank_count; r++)
        b->keys[r] = b->unknown == 64 ? 0 : highest >> b->unknown << b->unknown; /* a shift by 64 is undefined */
    return BOSC_OK;
}

/* Finds the next bits of every splitter's key: the greatest candidate with at most offsets[r] keys below it. */
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

/* Counts this rank's keys below and equal to each splitter's key. The greatest key has no successor to query. */
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

static bosc_status find_splitters_by_rounds(bosc_ctx *ctx, bosc_comm *comm, const struct bi_ranks_slices *slices,
                                            bosc_dtype dtype, const void *sorted, int64_t n, int64_t *splitters)
{
    const int64_t ranks = comm->rank_count;
    struct splitter_search b = {.slices = slices,
                                .dtype = dtype,
                                .size = bosc_dtype_size(dtype),
                                .sorted = sorted,
                                .n = n,
                                .bits = bits_per_round(ranks)};
    /* Host memory: queries, counts, keys, and that of exchange_splitters. */
    const int64_t queries = ranks << b.bits, words = 2 * queries + ranks + 7 * ranks + 1;
    int64_t *memory = bi_host_alloc(ctx, (size_t)words * sizeof *memory);
    bosc_status status = bi_comm_agree(ctx, comm, memory ? BOSC_OK : BOSC_ERR_NOMEM);
    if (status == BOSC_OK) {
        b.queries = memory;
        b.counts = memory + queries;
        b.keys = (uint64_t *)(memory + 2 * queries);
        status = find_common_prefix(ctx, comm, &b);
    }
    while (status == BOSC_OK && b.unknown > 0) status = refine_keys(ctx, comm, &b);
    BI_IF_OK(status, exchange_splitters(ctx, comm, &b, memory + 2 * queries + ranks, splitters));
    bi_memory_release(&ctx->host, memory, (size_t)words * sizeof *memory);
    return status;
}

/* ---- splitters of ranks that share memory ---- */

/* Finds the splitter before this rank's items in the slices of all, which lie at blocks. lists: (2, ranks), host: the
 * lengths of the slices, and the answer. */
static bosc_status find_own_splitter(bosc_ctx *ctx, const struct bi_ranks_slices *slices, bosc_dtype dtype,
                                     char *const *blocks, int64_t *lists)
{
    const struct bi_ranks_splitter splitter = {
        dtype, slices->rank_count, blocks, lists, slices->offsets[slices->rank], lists + slices->rank_count};
    BI_RETURN_WITH_SCRATCH(ctx, ctx->ops->ranks->find_splitter(ctx, &splitter));
}

/* Each rank finds the splitter before its items, and sends its position in every slice. lists: (4 * ranks + 1) words,
 * host. *is_found: false if the ranks share no memory. */
static bosc_status find_splitters_in_windows(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                             const struct bi_ranks_slices *slices, bosc_dtype dtype, const void *sorted,
                                             int64_t n, int64_t *lists, int64_t *splitters, bool *is_found)
{
    const int32_t ranks = comm->rank_count;
    int64_t *positions = lists ? lists + ranks : NULL, *offsets = lists ? lists + 2 * ranks : NULL;
    const struct bi_exchange x = {.rank_count = ranks, .blocks = lists ? (char **)(offsets + ranks + 1) : NULL};
    struct bi_windows windows = {
        .access = BI_WINDOW_READ_WHOLE,
        .count = 1,
        .of = {{.item_size = bosc_dtype_size(dtype), .items = (void *)(uintptr_t)sorted /* is only read */}}};
    *is_found = false;
    BI_TRY(bi_exchange_open_windows(ctx, comm, &local_status, &x, &windows));
    if (!windows.are_shared) return bi_exchange_close_windows(ctx, comm, local_status, &x, &windows);
    BI_TRY(bi_comm_all_gather(ctx, comm, &n, sizeof n, lists));
    BI_IF_OK(local_status, find_own_splitter(ctx, slices, dtype, windows.of[0].blocks, lists));
    BI_TRY(bi_exchange_close_windows(ctx, comm, local_status, &x, &windows));
    set_offsets(offsets, ranks, sizeof *positions);
    BI_TRY(bi_comm_all_to_all(ctx, comm, true, positions, offsets, splitters, offsets));
    splitters[ranks] = n;
    *is_found = true;
    return BOSC_OK;
}

bosc_status bi_ranks_find_splitters(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                    const struct bi_ranks_slices *slices, bosc_dtype dtype, const void *sorted,
                                    int64_t n, int64_t *splitters)
{
    const size_t bytes = (4 * (size_t)comm->rank_count + 1) * sizeof(int64_t);
    bool is_found;
    int64_t *lists = local_status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (local_status == BOSC_OK && !lists) local_status = BOSC_ERR_NOMEM;
    const bosc_status status =
        find_splitters_in_windows(ctx, comm, local_status, slices, dtype, sorted, n, lists, splitters, &is_found);
    bi_memory_release(&ctx->host, lists, bytes);
    if (status != BOSC_OK || is_found) return status;
    return find_splitters_by_rounds(ctx, comm, slices, dtype, sorted, n, splitters);
}

/* ---- sorts ---- */

struct pairs {
    void *keys, *values; /* values: NULL if value_size is 0 */
};

struct input {
    const void *keys, *values;
};

struct sort_call {
    bosc_dtype dtype;
    size_t key_size, value_size;
    int64_t n;
    struct pairs sorted;  /* scratch: this rank's slice */
    struct bi_out out[2]; /* the caller's keys and values */
};

static bosc_status allocate_pairs(bosc_ctx *ctx, const struct sort_call *s, struct pairs *pairs)
{
    BI_TRY(bi_scratch_of(ctx, s->n, s->key_size, &pairs->keys));
    return bi_scratch_of(ctx, s->n, s->value_size, &pairs->values);
}

static bosc_status sort_pairs(bosc_ctx *ctx, const struct sort_call *s, const void *keys, const void *values,
                              struct pairs out)
{
    const int bits = (int)s->key_size * 8;
    if (s->n == 0) return BOSC_OK;
    if (s->value_size == 0) return ctx->backend->core->sort_keys(ctx, s->dtype, keys, s->n, out.keys, 0, bits);
    return ctx->backend->core->sort_pairs(ctx, s->dtype, keys, s->value_size, values, s->n, out.keys, out.values, 0,
                                          bits);
}

/* ---- runs ---- */

struct run {
    struct pairs at; /* its first key and value, in the slice of a rank or in a buffer */
    int64_t n;
};

static struct pairs pairs_at(const struct sort_call *s, struct pairs p, int64_t i)
{
    p.keys = (char *)p.keys + i * (int64_t)s->key_size;
    if (p.values) p.values = (char *)p.values + i * (int64_t)s->value_size;
    return p;
}

/* Copies the runs one after the other. */
static bosc_status copy_runs(bosc_ctx *ctx, const struct sort_call *s, const struct run *runs, int32_t count,
                             struct pairs to)
{
    for (int32_t i = 0; i < count; i++) {
        BI_TRY(ctx->backend->copy(ctx, to.keys, runs[i].at.keys, (size_t)runs[i].n * s->key_size));
        if (s->value_size)
            BI_TRY(ctx->backend->copy(ctx, to.values, runs[i].at.values, (size_t)runs[i].n * s->value_size));
        to = pairs_at(s, to, runs[i].n);
    }
    return BOSC_OK;
}

static bosc_status merge_two(bosc_ctx *ctx, const struct sort_call *s, struct run a, struct run b, struct pairs to)
{
    BI_RETURN_WITH_SCRATCH(ctx, ctx->backend->core->merge_pairs(ctx, s->dtype, s->value_size, a.at.keys, a.at.values,
                                                                a.n, b.at.keys, b.at.values, b.n, to.keys, to.values));
}

/* Merges runs pairwise into `to`; copies the last of an odd number. runs: then the merged ones. */
static bosc_status merge_pass(bosc_ctx *ctx, const struct sort_call *s, struct run *runs, int32_t count,
                              struct pairs to)
{
    for (int32_t i = 0; i < count; i += 2) {
        const bool pair = i + 1 < count;
        const int64_t n = runs[i].n + (pair ? runs[i + 1].n : 0);
        BI_TRY(pair ? merge_two(ctx, s, runs[i], runs[i + 1], to) : copy_runs(ctx, s, &runs[i], 1, to));
        runs[i / 2] = (struct run){to, n};
        to = pairs_at(s, to, n);
    }
    return BOSC_OK;
}

/* The method for a number of runs, chosen by the passes over the data: a merge takes log2(runs), a radix sort one for
 * each byte of the keys. */
enum method { COPY, MERGE, SORT };

static enum method choose_method(const struct sort_call *s, int32_t runs)
{
    const bool mergeable = s->value_size == 0 || s->value_size == 4 || s->value_size == 8; /* for merge_pairs */
    if (runs <= 1) return COPY;
    return mergeable && runs <= 1 << s->key_size ? MERGE : SORT;
}

/* Moves the runs out of the ranks' slices, by a first pass into `to`. */
static bosc_status read_runs(bosc_ctx *ctx, const struct sort_call *s, struct run *runs, int32_t count, struct pairs to)
{
    return choose_method(s, count) == MERGE ? merge_pass(ctx, s, runs, count, to) : copy_runs(ctx, s, runs, count, to);
}

/* Further passes, into buffers in turn, the last one into `out`. The sorted slice is one of them:
 * the windows are closed, so that no rank reads it. */
static bosc_status finish_runs(bosc_ctx *ctx, const struct sort_call *s, struct run *runs, int32_t count,
                               struct pairs first, struct pairs out)
{
    struct pairs to = s->sorted, next = first;
    if (choose_method(s, count) == SORT) BI_RETURN_WITH_SCRATCH(ctx, sort_pairs(ctx, s, first.keys, first.values, out));
    for (count = (count + 1) / 2; count > 1; count = (count + 1) / 2) {
        const struct pairs swapped = to;
        BI_TRY(merge_pass(ctx, s, runs, count, count == 2 ? out : to));
        to = next, next = swapped;
    }
    return BOSC_OK;
}

/* Lists the non-empty runs of the ranks. */
static int32_t list_runs(const struct bi_exchange *x, const struct bi_windows *windows, struct run *runs)
{
    int32_t count = 0;
    for (int32_t r = 0; r < x->rank_count; r++) {
        const int64_t n = x->received_offsets[r + 1] - x->received_offsets[r];
        const struct pairs at = {windows->of[0].blocks[r], windows->count > 1 ? windows->of[1].blocks[r] : NULL};
        if (n) runs[count++] = (struct run){at, n};
    }
    return count;
}

/* ---- the call ---- */

/* Merges this rank's runs of the sorted slices. runs: (ranks). */
static bosc_status merge_slices(bosc_ctx *ctx, bosc_comm *comm, const struct sort_call *s, const struct bi_exchange *x,
                                struct run *runs)
{
    struct bi_windows windows = {.access = BI_WINDOW_READ_SENT,
                                 .count = s->value_size ? 2 : 1,
                                 .of = {{.item_size = s->key_size, .items = s->sorted.keys},
                                        {.item_size = s->value_size, .items = s->sorted.values}}};
    const struct pairs out = {s->out[0].reachable, s->out[1].reachable};
    struct pairs first = out; /* output of the first pass: a buffer if more passes follow */
    bosc_status local_status = BOSC_OK;
    int32_t count = 0;
    for (int32_t r = 0; r < x->rank_count; r++) count += x->received_offsets[r + 1] > x->received_offsets[r];
    if (count > 2 || choose_method(s, count) == SORT) local_status = allocate_pairs(ctx, s, &first);
    BI_TRY(bi_exchange_open_windows(ctx, comm, &local_status, x, &windows));
    if (local_status == BOSC_OK) {
        count = list_runs(x, &windows, runs);
        local_status = read_runs(ctx, s, runs, count, first);
    }
    if (first.keys == out.keys) local_status = bi_ranks_status_of_outputs(local_status);
    BI_TRY(bi_exchange_close_windows(ctx, comm, local_status, x, &windows));
    local_status = finish_runs(ctx, s, runs, count, first, out);
    for (int i = 0; i < 2; i++)
        if (s->out[i].bytes) BI_IF_OK(local_status, bi_stage_back(ctx, &s->out[i]));
    BI_IF_OK(local_status, ctx->backend->sync(ctx));
    return bi_comm_agree(ctx, comm, bi_ranks_status_of_outputs(local_status));
}

/* Sends counts[r] items of the sorted slice to each rank r. */
static bosc_status exchange_runs(bosc_ctx *ctx, bosc_comm *comm, const struct sort_call *s, const int64_t *counts)
{
    const size_t bytes = (size_t)comm->rank_count * sizeof(struct run);
    struct bi_exchange x;
    struct run *runs = bi_host_alloc(ctx, bytes);
    bosc_status status = bi_exchange_begin(ctx, comm, runs ? BOSC_OK : BOSC_ERR_NOMEM, counts, &x);
    if (status == BOSC_OK) BI_WITH_SCRATCH(ctx, status = merge_slices(ctx, comm, s, &x, runs));
    bi_exchange_end(ctx, &x);
    bi_memory_release(&ctx->host, runs, bytes);
    return status;
}

static bosc_status sort_slice(bosc_ctx *ctx, const struct sort_call *s, struct input in)
{
    bool staged = false;
    const void *keys, *values;
    BI_TRY(bi_stage_in(ctx, in.keys, (size_t)s->n * s->key_size, &keys, &staged));
    BI_TRY(bi_stage_in(ctx, in.values, (size_t)s->n * s->value_size, &values, &staged));
    return sort_pairs(ctx, s, keys, values, s->sorted);
}

static bosc_status stage_outputs(bosc_ctx *ctx, struct sort_call *s, struct pairs out)
{
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, out.keys, (size_t)s->n * s->key_size, &s->out[0], &staged));
    return bi_stage_out(ctx, out.values, (size_t)s->n * s->value_size, &s->out[1], &staged);
}

static bosc_status sort_slices(bosc_ctx *ctx, bosc_comm *comm, struct sort_call *s, struct input in, struct pairs out,
                               const struct bi_ranks_slices *slices)
{
    const int32_t ranks = comm->rank_count;
    const size_t bytes = ((size_t)ranks + 1) * sizeof(int64_t);
    int64_t *splitters = bi_host_alloc(ctx, bytes);
    bosc_status local_status = splitters ? BOSC_OK : BOSC_ERR_NOMEM;
    BI_IF_OK(local_status, allocate_pairs(ctx, s, &s->sorted));
    BI_IF_OK(local_status, stage_outputs(ctx, s, out));
    if (local_status == BOSC_OK) BI_WITH_SCRATCH(ctx, local_status = sort_slice(ctx, s, in));
    bosc_status status =
        bi_ranks_find_splitters(ctx, comm, local_status, slices, s->dtype, s->sorted.keys, s->n, splitters);
    if (status == BOSC_OK) {
        for (int32_t r = 0; r < ranks; r++) slices->counts[r] = splitters[r + 1] - splitters[r];
        status = exchange_runs(ctx, comm, s, slices->counts);
    }
    bi_memory_release(&ctx->host, splitters, bytes);
    return status;
}

static bosc_status sort_over_ranks(bosc_ctx *ctx, bosc_comm *comm, struct sort_call *s, struct input in,
                                   struct pairs out)
{
    struct bi_ranks_slices slices;
    bosc_status status = bi_ranks_slices_begin(ctx, comm, BOSC_OK, s->n, &slices);
    if (status == BOSC_OK && slices.total > 0) status = sort_slices(ctx, comm, s, in, out, &slices);
    bi_ranks_slices_end(ctx, &slices);
    return status;
}

static bosc_status check_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out)
{
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    const size_t size = bosc_dtype_size(dtype), bytes = (size_t)n * size;
    BI_TRY(bi_check_count(ctx, "n", n, size));
    BI_TRY(bi_check_array(ctx, "keys", keys, n, size));
    BI_TRY(bi_check_array(ctx, "out", out, n, size));
    return bi_check_disjoint(ctx, "out", out, bytes, "keys", keys, bytes, true);
}

bosc_status bosc_ranks_sort_keys(bosc_ctx *ctx, bosc_comm *comm, bosc_dtype dtype, const void *keys, int64_t n,
                                 void *out)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const struct bi_ranks_argument shared[] = {{"dtype", dtype}};
    BI_TRY(bi_ranks_check_same(ctx, comm, check_keys(ctx, dtype, keys, n, out), shared, 1));
    if (comm->rank_count == 1) return bosc_sort_keys(ctx, dtype, keys, n, out);
    bi_progress_set_total(ctx, 8 * (double)n);
    struct sort_call s = {.dtype = dtype, .key_size = bosc_dtype_size(dtype), .n = n};
    BI_RETURN_WITH_SCRATCH(ctx, sort_over_ranks(ctx, comm, &s, (struct input){keys, NULL}, (struct pairs){out, NULL}));
}

static bosc_status check_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size, const void *values,
                               int64_t n, void *keys_out, void *values_out)
{
    const size_t alignment = value_size == 4 || value_size == 8 ? value_size : 1;
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    BI_TRY(bi_check_record_size(ctx, "value_size", value_size));
    BI_TRY(bi_check_count(ctx, "n", n, value_size > 8 ? value_size : 8));
    const size_t size = bosc_dtype_size(dtype), key_bytes = (size_t)n * size, value_bytes = (size_t)n * value_size;
    BI_TRY(bi_check_array(ctx, "keys", keys, n, size));
    BI_TRY(bi_check_array(ctx, "values", values, n, alignment));
    BI_TRY(bi_check_array(ctx, "keys_out", keys_out, n, size));
    BI_TRY(bi_check_array(ctx, "values_out", values_out, n, alignment));
    BI_TRY(bi_check_disjoint(ctx, "keys_out", keys_out, key_bytes, "keys", keys, key_bytes, true));
    BI_TRY(bi_check_disjoint(ctx, "keys_out", keys_out, key_bytes, "values", values, value_bytes, false));
    BI_TRY(bi_check_disjoint(ctx, "values_out", values_out, value_bytes, "values", values, value_bytes, true));
    BI_TRY(bi_check_disjoint(ctx, "values_out", values_out, value_bytes, "keys", keys, key_bytes, false));
    return bi_check_disjoint(ctx, "values_out", values_out, value_bytes, "keys_out", keys_out, key_bytes, false);
}

bosc_status bosc_ranks_sort_pairs(bosc_ctx *ctx, bosc_comm *comm, bosc_dtype dtype, const void *keys, size_t value_size,
                                  const void *values, int64_t n, void *keys_out, void *values_out)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const struct bi_ranks_argument shared[] = {{"dtype", dtype}, {"value_size", (int64_t)value_size}};
    BI_TRY(bi_ranks_check_same(ctx, comm, check_pairs(ctx, dtype, keys, value_size, values, n, keys_out, values_out),
                               shared, 2));
    if (comm->rank_count == 1) return bosc_sort_pairs(ctx, dtype, keys, value_size, values, n, keys_out, values_out);
    bi_progress_set_total(ctx, 12 * (double)n);
    struct sort_call s = {.dtype = dtype, .key_size = bosc_dtype_size(dtype), .value_size = value_size, .n = n};
    BI_RETURN_WITH_SCRATCH(
        ctx, sort_over_ranks(ctx, comm, &s, (struct input){keys, values}, (struct pairs){keys_out, values_out}));
}
