/* The foundation of tries: options, handles, blocks, views, checks of arguments, info, and memory. */
#include "core/call.h"
#include "trie/drivers.h"

bosc_status bi_trie_check(bosc_ctx *ctx, const bosc_trie *trie)
{
    return bi_check_handle(ctx, "trie", trie ? &trie->memory : NULL);
}

bosc_status bi_trie_check_opts(bosc_ctx *ctx, const bosc_trie_opts *opts, bosc_trie_opts *full)
{
    if (!opts) return bi_fail(ctx, BOSC_ERR_ARG, "opts: NULL, but length has no default");
    /* 1. Defaults. 2. Ranges. */
    BI_TRY(bi_read_opts(ctx, "bosc_trie_opts", opts, full, sizeof *full));
    if (full->letter_bits == 0) full->letter_bits = 1;
    if (full->value_bits == 0) full->value_bits = 64;
    if (full->length < 1 || full->length > BI_LETTERS_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: length %d is not in 1 to %d", (int)full->length, BI_LETTERS_MAX);
    if (full->letter_bits < 1 || full->letter_bits > 8)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: letter_bits %d is not in 1 to 8", (int)full->letter_bits);
    if (full->layout != BOSC_TRIE_COMPACT && full->layout != BOSC_TRIE_PUBLISHED)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: layout %d is none", (int)full->layout);
    if (full->duplicates != BOSC_TRIE_FIRST && full->duplicates != BOSC_TRIE_LAST)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: duplicates %d is none of them", (int)full->duplicates);
    if (full->value_bits != 32 && full->value_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: value_bits %d is neither 32 nor 64", (int)full->value_bits);
    if (full->digit_bits == 0) full->digit_bits = bi_trie_widest_digit(full->letter_bits);
    if (full->digit_bits < 1 || full->digit_bits > BI_TRIE_DIGIT || full->digit_bits % full->letter_bits)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: digit_bits %d is not in 1 to %d, or no multiple of letter_bits %d",
                       (int)full->digit_bits, BI_TRIE_DIGIT, (int)full->letter_bits);
    full->by_values = full->by_values != 0;
    if (full->by_values && full->layout != BOSC_TRIE_PUBLISHED)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: by_values %d, which is for PUBLISHED", (int)opts->by_values);
    if (full->blocks < 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: blocks %d is less than 0", (int)full->blocks);
    if (full->threads < 0 || full->threads > BI_TRIE_THREADS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: threads %d is not in 0 to %d", (int)full->threads, BI_TRIE_THREADS);
    return BOSC_OK;
}

struct bi_trie_shape bi_trie_shape_of(const bosc_trie_opts *o)
{
    const int32_t letters = o->digit_bits / o->letter_bits; /* of a digit */
    struct bi_trie_shape s = {.letters = bi_letters_of(o->length, o->letter_bits)};
    const int32_t per_word = s.letters.per_word, last = s.letters.length - (s.letters.words - 1) * per_word;
    s.digit_bits = o->digit_bits;
    s.digits = (per_word + letters - 1) / letters;
    s.levels = (s.letters.words - 1) * s.digits + (last + letters - 1) / letters;
    for (int32_t j = 1; j <= per_word; j++) s.reversed_lows |= 1ull << (64 - j * o->letter_bits);
    return s;
}

int64_t bosc_trie_words(int32_t length, int32_t letter_bits) { return bi_letters_words(length, letter_bits); }

bosc_status bi_trie_new(bosc_ctx *ctx, const bosc_trie_opts *full, bosc_trie **trie)
{
    return BI_NEW_HANDLE(ctx, trie, .opts = *full, .shape = bi_trie_shape_of(full));
}

bosc_status bosc_trie_create(bosc_ctx *ctx, const bosc_trie_opts *opts, bosc_trie **trie)
{
    bosc_trie_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check_opts(ctx, opts, &full));
    if (!trie) return bi_fail(ctx, BOSC_ERR_ARG, "trie: NULL");
    return bi_trie_new(ctx, &full, trie);
}

void bi_trie_free_blocks(bosc_trie *trie)
{
    for (int b = 0; b < BI_TRIE_BLOCKS; b++) bi_block_free(&trie->memory, &trie->blocks[b]);
}

void bosc_trie_free(bosc_trie *trie)
{
    if (!trie) return;
    bi_trie_free_blocks(trie);
    bi_memory_release(&trie->host, trie, sizeof *trie);
}

bosc_status bi_trie_check_array(bosc_ctx *ctx, const char *name, const void *array, bool needed, size_t size)
{
    if (needed && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    return bi_check_aligned(ctx, name, array, size);
}

bosc_status bi_trie_check_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const char *name, const uint64_t *data,
                               const char *count, int64_t n, int64_t stride, struct bi_trie_rows *rows)
{
    int64_t words = shape->letters.words;
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", count, (long long)n);
    BI_TRY(bi_trie_check_array(ctx, name, data, n > 0, sizeof *data));
    if (stride < 0 || (stride > 0 && stride < words))
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than the %lld words of a row", (long long)stride,
                       (long long)words);
    *rows = (struct bi_trie_rows){data, n, stride ? stride : words};
    if (n > 0 && rows->stride > (INT64_MAX / 64 - words) / n)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld rows of %lld words are more than memory can hold", count,
                       (long long)n, (long long)rows->stride);
    return BOSC_OK;
}

bosc_status bi_trie_stage_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, struct bi_trie_rows *rows,
                               bool *staged)
{
    if (rows->n == 0) return BOSC_OK;
    size_t bytes = (size_t)((rows->n - 1) * rows->stride + shape->letters.words) * 8;
    return bi_stage_in(ctx, rows->data, bytes, (const void **)&rows->data, staged);
}

uint32_t bi_trie_buckets(const bosc_trie_opts *full, const struct bi_trie_shape *shape, int64_t keys)
{
    bool has = full->layout == BOSC_TRIE_COMPACT && shape->letters.words <= BI_TRIE_TABLE_WORDS;
    return has ? (uint32_t)bi_div_up(keys, BI_TRIE_BUCKET / 2) : 0;
}

struct bi_trie_view bi_trie_view_of(const bosc_trie *trie)
{
    uint32_t buckets = bi_trie_buckets(&trie->opts, &trie->shape, trie->keys);
    return (struct bi_trie_view){
        trie->shape,
        trie->opts.layout == BOSC_TRIE_PUBLISHED,
        trie->keys,
        trie->blocks[BI_TRIE_KEYS].data,
        trie->blocks[BI_TRIE_NODES].data,
        trie->blocks[BI_TRIE_CHILDREN].data,
        trie->blocks[BI_TRIE_LEVELS].data,
        {buckets ? trie->blocks[BI_TRIE_TABLE].data : NULL, buckets, bi_bit_length((uint64_t)trie->keys)}};
}

struct bi_trie_sorted bi_trie_sorted_of(const bosc_trie *trie)
{
    return (struct bi_trie_sorted){trie->blocks[BI_TRIE_KEYS].data, trie->blocks[BI_TRIE_VALUES].data,
                                   trie->blocks[BI_TRIE_COUNTS].data, trie->keys};
}

bosc_status bi_trie_reserve_block(bosc_ctx *ctx, bosc_trie *trie, int block, int64_t count, size_t size)
{
    if (count > 0 && (size_t)count > (size_t)PTRDIFF_MAX / size)
        return bi_fail(ctx, BOSC_ERR_NOMEM, "out of %s memory: %lld elements of %zu bytes", ctx->backend->name,
                       (long long)count, size);
    return bi_block_reserve(ctx, &trie->memory, &trie->blocks[block], (size_t)count * size);
}

bosc_status bi_trie_reserve_keys(bosc_ctx *ctx, bosc_trie *trie, int64_t count, struct bi_trie_sorted *keys)
{
    BI_TRY(bi_trie_reserve_block(ctx, trie, BI_TRIE_KEYS, count, (size_t)trie->shape.letters.words * 8));
    BI_TRY(bi_trie_reserve_block(ctx, trie, BI_TRIE_VALUES, count, (size_t)trie->opts.value_bits / 8));
    BI_TRY(bi_trie_reserve_block(ctx, trie, BI_TRIE_COUNTS, count, 4));
    *keys = bi_trie_sorted_of(trie);
    keys->count = count;
    return BOSC_OK;
}

bosc_status bi_trie_check_input(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *keys, const void *values,
                                int64_t n, int64_t stride, struct bi_trie_input *input)
{
    BI_TRY(bi_trie_check(ctx, trie));
    BI_TRY(bi_trie_check_rows(ctx, &trie->shape, "keys", keys, "n", n, stride, &input->rows));
    input->values = values;
    return bi_trie_check_array(ctx, "values", values, false, (size_t)trie->opts.value_bits / 8);
}

bosc_status bi_trie_stage_input(bosc_ctx *ctx, const bosc_trie *trie, struct bi_trie_input *input)
{
    bool staged = false;
    size_t bytes = input->values ? (size_t)input->rows.n * (size_t)trie->opts.value_bits / 8 : 0;
    BI_TRY(bi_trie_stage_rows(ctx, &trie->shape, &input->rows, &staged));
    return bi_stage_in(ctx, input->values, bytes, &input->values, &staged);
}

static bosc_status find_depths(bosc_ctx *ctx, const bosc_trie *trie, bosc_trie_info *info)
{
    const struct bi_core_ops *core = ctx->backend->core;
    struct bi_trie_depths d = {.view = bi_trie_view_of(trie)};
    int64_t *results, found[2];
    if (trie->keys == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, trie->keys, 8, &d.depths));
    BI_TRY(bi_scratch_of(ctx, 2, 8, &results));
    BI_TRY(ctx->ops->trie->steps->trie_depth(ctx, trie->keys, &d));
    BI_TRY(core->reduce(ctx, BOSC_MAX, BOSC_I64, d.depths, trie->keys, results));
    BI_TRY(core->reduce(ctx, BOSC_SUM, BOSC_I64, d.depths, trie->keys, results + 1));
    BI_TRY(bi_read_back(ctx, found, results, sizeof found));
    info->depth_most = found[0];
    info->depth = (double)found[1] / (double)trie->keys;
    return BOSC_OK;
}

bosc_status bosc_trie_get_times(bosc_ctx *ctx, const bosc_trie *trie, bosc_trie_times *times)
{
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    if (!times) return bi_fail(ctx, BOSC_ERR_ARG, "times: NULL");
    BI_TRY(bi_check_info(ctx, "times", "bosc_trie_times", times->size, sizeof *times));
    const bosc_trie_times full = trie->times;
    bi_copy_info(times, &full, sizeof full);
    return BOSC_OK;
}

bosc_status bosc_trie_get_info(bosc_ctx *ctx, const bosc_trie *trie, bosc_trie_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_trie_info));
    bosc_trie_info full = {.rows = trie->rows,
                           .keys = trie->keys,
                           .words = trie->shape.letters.words,
                           .length = trie->opts.length,
                           .letter_bits = trie->opts.letter_bits,
                           .value_bits = trie->opts.value_bits,
                           .layout = trie->opts.layout,
                           .digit_bits = trie->opts.digit_bits,
                           .nodes = trie->nodes};
    for (int b = 0; b < BI_TRIE_BLOCKS; b++) full.bytes += (int64_t)trie->blocks[b].bytes;
    for (int b = BI_TRIE_NODES; b < BI_TRIE_BLOCKS; b++) full.node_bytes += (int64_t)trie->blocks[b].bytes;
    BI_TRY_WITH_SCRATCH(ctx, find_depths(ctx, trie, &full));
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

/* ---- memory ---- */

static int64_t choose_slots(int64_t words)
{
    return words / 4 + 1 < BI_TRIE_DICTIONARY_SLOTS ? words / 4 + 1 : BI_TRIE_DICTIONARY_SLOTS;
}

int64_t bi_trie_dictionary_slots(const bosc_ctx *ctx, const struct bi_trie_shape *shape, int64_t n)
{
    bool worth =
        shape->letters.words >= 2 && shape->letters.words <= BI_TRIE_COLUMNS && n >= ctx->ops->trie->dictionary_rows;
    return worth ? choose_slots(n * shape->letters.words) : 0;
}

/* Upper bounds of the bytes of the blocks for n keys, without published nodes. */
static void size_blocks(const bosc_trie_opts *o, const struct bi_trie_shape *s, int64_t n, size_t bytes[BI_TRIE_BLOCKS])
{
    size_t nodes = n > 1 ? (size_t)n - 1 : 0;
    bool compact = o->layout == BOSC_TRIE_COMPACT;
    bytes[BI_TRIE_KEYS] = (size_t)n * (size_t)s->letters.words * 8;
    bytes[BI_TRIE_VALUES] = (size_t)n * (size_t)o->value_bits / 8;
    bytes[BI_TRIE_COUNTS] = (size_t)n * 4;
    bytes[BI_TRIE_TABLE] = (size_t)bi_trie_buckets(o, s, n) * BI_TRIE_BUCKET * 4;
    bytes[BI_TRIE_NODES] = compact ? nodes * sizeof(struct bi_trie_node) : 0;
    bytes[BI_TRIE_CHILDREN] = compact ? 2 * nodes * 4 : 0;
    bytes[BI_TRIE_LEVELS] = !compact && n > 0 ? (size_t)(s->levels + 1) * 8 : 0;
}

/* Scratch of a build from reachable rows: reversed rows, or a dictionary of their words, a slot for each and the
 * numbers; copies of keys and entries for sorting; order, starts, heads, indices. Building nodes takes less: splits,
 * minima, and four numbers a key. The levels of `by_values` are not counted: their number of nodes depends on the keys.
 */
static size_t size_scratch(const bosc_ctx *ctx, const struct bi_trie_shape *s, int64_t n)
{
    size_t slots = (size_t)bi_trie_dictionary_slots(ctx, s, n);
    return (size_t)n * ((size_t)s->letters.words * (slots ? 12 : 8) + 72) + slots * 48 + (size_t)s->levels * 16 +
           (1 << 17);
}

static bosc_status check_n(bosc_ctx *ctx, int64_t n)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n > INT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows, but a trie is built from less than 2^31", (long long)n);
    return BOSC_OK;
}

bosc_status bosc_trie_bytes(const bosc_ctx *ctx, const bosc_trie_opts *opts, int64_t n, int64_t *kept, int64_t *scratch)
{
    bosc_trie_opts full;
    size_t bytes[BI_TRIE_BLOCKS];
    int64_t sum = 0;
    bosc_ctx *writable = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(writable);
    BI_TRY(bi_trie_check_opts(writable, opts, &full));
    struct bi_trie_shape shape = bi_trie_shape_of(&full);
    BI_TRY(check_n(writable, n));
    size_blocks(&full, &shape, n, bytes);
    for (int b = 0; b < BI_TRIE_BLOCKS; b++) sum += (int64_t)bytes[b];
    if (kept) *kept = sum;
    if (scratch) *scratch = (int64_t)size_scratch(ctx, &shape, n);
    return BOSC_OK;
}

/* Bytes of the blocks in use. In a compact trie each node and leaf but the root is one child. */
static void size_used(const bosc_trie *trie, size_t used[BI_TRIE_BLOCKS])
{
    size_blocks(&trie->opts, &trie->shape, trie->keys, used);
    if (trie->opts.layout != BOSC_TRIE_COMPACT) return;
    used[BI_TRIE_NODES] = (size_t)trie->nodes * sizeof(struct bi_trie_node);
    used[BI_TRIE_CHILDREN] = trie->nodes ? (size_t)(trie->keys + trie->nodes - 1) * 4 : 0;
}

/* Grows blocks, keeping their contents. */
static bosc_status grow_blocks(bosc_ctx *ctx, bosc_trie *trie, const size_t bytes[BI_TRIE_BLOCKS])
{
    struct bi_block *blocks[BI_TRIE_BLOCKS];
    size_t used[BI_TRIE_BLOCKS];
    size_used(trie, used);
    for (int b = 0; b < BI_TRIE_BLOCKS; b++) blocks[b] = &trie->blocks[b];
    return bi_blocks_grow(ctx, &trie->memory, blocks, BI_TRIE_BLOCKS, bytes, used);
}

bosc_status bosc_trie_reserve(bosc_ctx *ctx, bosc_trie *trie, int64_t n)
{
    size_t bytes[BI_TRIE_BLOCKS];
    void *unused;
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    BI_TRY(check_n(ctx, n));
    size_blocks(&trie->opts, &trie->shape, n, bytes);
    /* the rows and values may have to be staged */
    const size_t scratch = size_scratch(ctx, &trie->shape, n) + bytes[BI_TRIE_KEYS] + bytes[BI_TRIE_VALUES];
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, scratch, &unused));
    return grow_blocks(ctx, trie, bytes);
}
