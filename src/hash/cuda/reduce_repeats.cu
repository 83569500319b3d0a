/* Reduction of pairs with repeated keys as the room's table has it: scratch, types and the launch (reduce_repeats.cuh).
 */
#include "hash/cuda/reduce_repeats.cuh"

static_assert(sizeof(reduce_shared) <= ORDERED_STATIC_SHARED, "it has");

/* Returns the entries for pairs with this many keys at most, whole groups. Few keys get more: the longest search of a
 * block is then most of its time, while many keys read more entries. Measured on an H200: 65,536 rows of 26,654 keys
 * take 31 us with four times as many entries, 35 with twice; 2^18 rows of 81,143 keys 41 and 45. */
static int64_t capacity_for(int64_t keys)
{
    const int64_t least = 64, few_keys = 1 << 17, entries = (keys <= few_keys ? 4 : 2) * keys;
    return entries > least ? bi_div_up(entries, 4) * 4 : least;
}

/* Returns the dynamic shared memory: of the insertion, or of the largest range, whichever is more. */
template <class K, class P> static size_t shared_bytes(const reduce_args<K, P> &a)
{
    const double list_or_table = a.load_factor > REDUCE_LIST_LOAD ? a.load_factor : REDUCE_LIST_LOAD;
    ordered_args<K, P> t = {};
    t.range_homes = REDUCE_RANGE_HOMES;
    t.beyond = (uint32_t)bi_hash_slots_behind(list_or_table, a.table.n) + 2;
    const size_t inserting = reduce_memory<K>::bytes(), range = ordered_memory<K, P>::bytes(t);
    return inserting > range ? inserting : range;
}

/* Launches the kernel, unless the device has too little shared memory. *launched: it has. */
template <class K, class P>
static bosc_status launch_reduction(bosc_ctx *ctx, reduce_args<K, P> a, struct bi_hash_completion *completion,
                                    bool *launched)
{
    const auto kernel = bi_hash_reduce_repeats<K, P>;
    const size_t bytes = shared_bytes(a);
    const unsigned blocks = bi_launch_cooperative_limit(
        REDUCE_THREADS, (unsigned)min((int64_t)REDUCE_BLOCKS, (int64_t)ctx->multiprocessors));
    BI_TRY(ordered_allow_shared(ctx, kernel, bytes, launched));
    if (!*launched) return BOSC_OK;
    const uint32_t even = (uint32_t)bi_div_up(a.table.n, blocks);
    a.tile = min(even, (uint32_t)REDUCE_THREADS);
    a.tiles = (uint32_t)bi_div_up(a.table.n, a.tile);
    BI_TRY(bi_scratch_of(ctx, (int64_t)a.capacity + REDUCE_PROBES, sizeof *a.entries, &a.entries));
    clear_host_words(ctx, completion, min(blocks, a.tiles));
    return BI_RUN_COOPERATIVE_SHARED(ctx, kernel, min(blocks, a.tiles), REDUCE_THREADS, bytes, a);
}

/* Waits for the kernel and reads its result. *fits: it has succeeded. */
static bosc_status await_reduction(bosc_ctx *ctx, const struct bi_hash_completion *completion,
                                   struct bi_hash_reduction *r, bool *fits)
{
    const unsigned long long *words = (const unsigned long long *)completion->words;
    BI_TRY(bi_cuda_await(ctx, &words[HOST_BUCKETS], 1));
    BI_TRY(bi_cuda_await(ctx, &words[HOST_COUNTS], completion->reports));
    r->keys = (int64_t)(words[HOST_KEYS] & ~HOST_VALID);
    r->listed = r->keys > r->max_ordered;
    r->found = {};
    r->found.buckets = 1;
    *fits = true;
    for (uint32_t b = 0; b < completion->reports; b++) {
        const unsigned long long word = words[HOST_COUNTS + b] & ~HOST_VALID;
        if (word >> REDUCE_FAILED_SHIFT) *fits = false;
        r->found.extra_probes += word & ((1ull << REDUCE_FAILED_SHIFT) - 1);
    }
    return BOSC_OK;
}

/* Gets the words of the table, or zeroed ones in scratch where it has none. */
static bosc_status locate_words(bosc_ctx *ctx, const bosc_hash *h, struct reduction_words **words)
{
    *words = bi_hash_reduction_words(h);
    if (*words) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof **words, words));
    return ctx->backend->fill(ctx, *words, 0, sizeof **words);
}

/* Runs the kernel with entries for a number of keys. *fits: false if keys are too many or too few for that, or too many
 * of them share the top bits of their hashes. */
template <class K, class P>
static bosc_status reduce_once(bosc_ctx *ctx, const bosc_hash *h, reduce_args<K, P> a, int64_t expected,
                               struct bi_hash_reduction *r, bool *fits)
{
    struct bi_hash_completion completion = {ctx->pinned, ctx->stream, 0};
    bool launched;
    const int64_t capacity = capacity_for(expected < a.table.n ? expected : a.table.n);
    *fits = false;
    if (capacity > (int64_t)REDUCE_MAX_RANGES * (REDUCE_RANGE_SLOTS / 2)) return BOSC_OK;
    a.capacity = (uint32_t)capacity;
    BI_TRY(locate_words(ctx, h, &a.words));
    BI_TRY(launch_reduction(ctx, a, &completion, &launched));
    return launched ? await_reduction(ctx, &completion, r, fits) : BOSC_OK;
}

template <class K, class P>
static bosc_status reduce_typed(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, int64_t n,
                                bool rows, struct bi_hash_reduction *r, bool *fits)
{
    reduce_args<K, P> a = {};
    /* 1. Pack the arguments, and allocate the list where the table may get too many keys. */
    a.table = ordered_args_of<K, P>(h, keys, values, rows, n);
    a.load_factor = h->shape.load_factor;
    a.last = h->opts.duplicates == BOSC_HASH_LAST;
    a.max_ordered = r->max_ordered > 0 ? (uint64_t)r->max_ordered : 0;
    a.host_words = (unsigned long long *)ctx->pinned;
    if (n > r->max_ordered) {
        BI_TRY(bi_scratch_of(ctx, n, sizeof(K), &a.list_keys));
        BI_TRY(bi_scratch_of(ctx, n, bi_hash_payload_bytes<P>, &a.list_payload));
    }
    /* 2. Run the kernel; once more, with more entries or fewer, where it shows that there were too few or too many. */
    const int64_t expected = r->expected > 0 ? r->expected : n;
    r->keys = 0;
    BI_TRY_WITH_SCRATCH(ctx, reduce_once(ctx, h, a, expected, r, fits));
    const int64_t again = r->keys == 0 && expected < n ? n : r->keys < expected / 2 ? r->keys : 0;
    if (!*fits && again > 0) BI_TRY_WITH_SCRATCH(ctx, reduce_once(ctx, h, a, again, r, fits));
    r->list_keys = a.list_keys;
    r->list_payload = a.list_payload;
    r->rows = rows;
    return BOSC_OK;
}

/* Builds an ORDERED table of few rows without entries in device memory. *fits: false if it declines. */
static bosc_status reduce_in_cells(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, int64_t n,
                                   struct bi_hash_reduction *r, bool *fits)
{
    /* Rows of a key on average, if the last build knows: accesses to the word of a key that fills more take turns.
     * Measured on an H200: 65,536 rows of one key take 34 us in cells, 21 without. The limit is an estimate. */
    enum { MOST_ROWS = 16 };
    struct bi_hash_completion completion = {ctx->pinned, ctx->stream, 0};
    bool launched;
    *fits = false;
    if (n > r->max_ordered || (r->expected > 0 && r->expected < n / MOST_ROWS)) return BOSC_OK;
    BI_TRY(bi_hash_launch_cells_cuda(ctx, h, keys, values, n, &completion, &launched));
    return launched ? await_reduction(ctx, &completion, r, fits) : BOSC_OK;
}

bosc_status bi_hash_reduce_repeats_cuda(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values,
                                        int64_t n, struct bi_hash_reduction *r, bool *fits)
{
    const struct bi_hash_shape *s = &h->shape;
    const bool valued = s->value_bytes > 0, rows = valued && s->value_bytes != 4 && s->value_bytes != 8;
    const int32_t payload_bytes = !valued ? 0 : s->value_bytes == 8 ? 8 : 4;
    *fits = false;
    if (n == 0 || s->key_bits == 128) return BOSC_OK;
    BI_TRY(reduce_in_cells(ctx, h, keys, values, n, r, fits));
    if (*fits) return BOSC_OK;
    const auto run_typed = [&](auto k, auto p) {
        return reduce_typed<decltype(k), decltype(p)>(ctx, h, keys, values, n, rows, r, fits);
    };
    if (s->key_bits == 32) return bi_hash_with_payload<uint32_t>(payload_bytes, run_typed);
    return bi_hash_with_payload<uint64_t>(payload_bytes, run_typed);
}
