/* Handles of hash tables: options, blocks, sizes, info and views. */
#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "core/arena.h"
#include "hash/handle.h"

int64_t bi_hash_key_alignment(int32_t key_bits) { return key_bits == 32 ? 4 : 8; }

int64_t bi_hash_alignment(int64_t bytes) { return bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1; }

bosc_status bi_hash_check_table(bosc_ctx *ctx, const bosc_hash *table)
{
    BI_TRY(bi_check_handle(ctx, "table", table ? &table->memory : NULL));
    return bi_hash_wait_pending(ctx, table);
}

bosc_status bi_hash_check_n(bosc_ctx *ctx, const char *name, int64_t n)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", name, (long long)n);
    if (n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %lld pairs; a table holds less than 2^32 - 1", name, (long long)n);
    return BOSC_OK;
}

bosc_status bi_hash_check_array(bosc_ctx *ctx, const char *name, const void *array, int64_t n, int64_t bytes,
                                int64_t alignment)
{
    if (n > 0 && bytes > 0 && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    if (bytes > 0 && n > INT64_MAX / 4 / bytes)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld of %lld bytes are more than memory can hold", name, (long long)n,
                       (long long)bytes);
    if ((uintptr_t)array % (uintptr_t)alignment != 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: not aligned to %lld bytes", name, (long long)alignment);
    return BOSC_OK;
}

bosc_status bi_hash_check_pairs(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, int64_t n)
{
    const bosc_hash_opts *o = &table->opts;
    BI_TRY(bi_hash_check_n(ctx, "n", n));
    BI_TRY(bi_hash_check_array(ctx, "keys", keys, n, table->shape.key_bytes, bi_hash_key_alignment(o->key_bits)));
    return bi_hash_check_array(ctx, "values", values, n, o->value_size, bi_hash_alignment(o->value_size));
}

static bosc_status check_values(bosc_ctx *ctx, const bosc_hash_opts *o)
{
    if (o->value_size < 0 || o->value_size > 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: value_size %d is not in 0 to 64", (int)o->value_size);
    if (o->duplicates < BOSC_HASH_LAST || o->duplicates > BOSC_HASH_ERROR)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: duplicates %d is none of them", (int)o->duplicates);
    if (o->kind == BOSC_HASH_MULTIMAP && o->duplicates != BOSC_HASH_LAST)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: duplicates %d for a multimap, which keeps all", (int)o->duplicates);
    if (o->kind == BOSC_HASH_MULTIMAP && o->counted)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: counted is for maps; a multimap counts as it is");
    if (o->duplicates != BOSC_HASH_SUM && o->duplicates != BOSC_HASH_MIN) return BOSC_OK;
    if (o->value_dtype < BOSC_F32 || o->value_dtype > BOSC_U64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: value_dtype %d is none that can be added and compared",
                       (int)o->value_dtype);
    if (bosc_dtype_size(o->value_dtype) != (size_t)o->value_size)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: value_size %d is not that of %s", (int)o->value_size,
                       bosc_dtype_name(o->value_dtype));
    return BOSC_OK;
}

/* Range of load factors of a layout, and the default. */
struct load_limits {
    double least, most, usual;
};

/* CUCKOO: below the published thresholds of cuckoo hashing (Dietzfelbinger et al. 2010: 0.5, 0.918, 0.977). */
static struct load_limits load_limits_of(const bosc_hash_opts *o)
{
    static const struct load_limits cuckoo[] = {{0.25, 0.5, 0.45}, {0.5, 0.91, 0.8}, {0.5, 0.97, 0.8}};
    switch (o->layout) {
    case BOSC_HASH_HYBRID: return (struct load_limits){0.71, 0.71, 0.71};
    case BOSC_HASH_FKS: return (struct load_limits){0.25, 0.25, 0.25};
    case BOSC_HASH_CHAINED: return (struct load_limits){1, 1, 1};
    case BOSC_HASH_CUCKOO: return cuckoo[o->functions - 2];
    default: return (struct load_limits){0.5, 0.97, 0.8};
    }
}

static bosc_status check_layout(bosc_ctx *ctx, bosc_hash_opts *o)
{
    if (o->layout < BOSC_HASH_AUTO || o->layout > BOSC_HASH_ORDERED)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: layout %d is none", (int)o->layout);
    const bool is_chained = o->layout == BOSC_HASH_CHAINED, has_functions = o->layout == BOSC_HASH_CUCKOO || is_chained;
    if (!has_functions && o->functions)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: functions %d, which are for CUCKOO and CHAINED", (int)o->functions);
    if (!is_chained && o->go_left)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: go_left %d, which is for CHAINED", (int)o->go_left);
    o->go_left = o->go_left != 0;
    if (o->layout == BOSC_HASH_CUCKOO && o->functions == 0) o->functions = BOSC_HASH_FUNCTIONS;
    if (is_chained && o->functions == 0) o->functions = BI_HASH_CHAINED_FUNCTIONS;
    if (has_functions && (o->functions < 2 || o->functions > BOSC_HASH_FUNCTIONS))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: functions %d is not in 2 to 4", (int)o->functions);
    struct load_limits limits = load_limits_of(o);
    if (o->load_factor == 0) o->load_factor = limits.usual;
    if (o->load_factor >= limits.least && o->load_factor <= limits.most) return BOSC_OK;
    if (limits.least == limits.most)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: load_factor %g, but this layout has its own, %g", o->load_factor,
                       limits.usual);
    return bi_fail(ctx, BOSC_ERR_ARG, "opts: load_factor %g is not in %g to %g", o->load_factor, limits.least,
                   limits.most);
}

bosc_status bi_hash_check_opts(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_hash_opts", opts, full, sizeof *full));
    full->counted = full->counted != 0;
    full->no_wait = full->no_wait != 0;
    if (full->key_bits == 0) full->key_bits = 32;
    if (full->key_bits != 32 && full->key_bits != 64 && full->key_bits != 128)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: key_bits %d is none of 32, 64, 128", (int)full->key_bits);
    if (full->kind != BOSC_HASH_MAP && full->kind != BOSC_HASH_MULTIMAP)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: kind %d is neither MAP nor MULTIMAP", (int)full->kind);
    BI_TRY(check_layout(ctx, full));
    return check_values(ctx, full);
}

struct bi_hash_shape bi_hash_shape_of(const bosc_hash_opts *o)
{
    struct bi_hash_shape s = {.key_bits = o->key_bits,
                              .key_bytes = o->key_bits / 8,
                              .partition_bits = 1,
                              .load_factor = o->load_factor,
                              .seed = o->seed};
    s.value_bytes = o->kind == BOSC_HASH_MULTIMAP ? 8 : o->value_size + (o->counted ? 4 : 0);
    uint64_t pair = (uint64_t)s.key_bytes + (uint64_t)s.value_bytes;
    s.stride = (int32_t)bi_round_up(BOSC_HASH_WIDTH * pair, o->key_bits == 32 ? 4 : 8);
    return s;
}

/* True if an AUTO table of such pairs is ORDERED at some size and load factor. */
static bool may_be_ordered(const bosc_hash_opts *o)
{
    return o->kind == BOSC_HASH_MAP && o->key_bits != 128 && bi_hash_fits_payload(bi_hash_shape_of(o).value_bytes);
}

/* The limits are those of ORDERED's builds in one pass (docs/design/hash.md); tests lower them by cache_shift. The
 * backend and the threads have no part in the choice, so that the bytes of a table do not depend on them. */
int64_t bi_hash_max_ordered_pairs(const bosc_ctx *ctx, const bosc_hash_opts *o)
{
    enum { PAIRS = 1 << 18, SMALL_PAIRS = 1 << 19, SMALL_PAIR_BYTES = 8 };
    const double max_load_factor = 0.9; /* above, homes overflow their entries in the CPU's directory too often */
    const struct bi_hash_shape s = bi_hash_shape_of(o);
    if (!may_be_ordered(o) || o->load_factor > max_load_factor) return -1;
    return (s.key_bytes + s.value_bytes <= SMALL_PAIR_BYTES ? SMALL_PAIRS : PAIRS) >> ctx->cache_shift;
}

static const struct bi_hash_layout *layout_operations(bosc_hash_layout layout)
{
    return layout == BOSC_HASH_BUCKETED  ? &bi_hash_bucketed_layout
           : layout == BOSC_HASH_ORDERED ? &bi_hash_ordered_layout
                                         : &bi_hash_slots_layout;
}

void bi_hash_choose_layout(const bosc_ctx *ctx, bosc_hash *table, int64_t n)
{
    if (!table->automatic) return;
    table->opts.layout = n <= bi_hash_max_ordered_pairs(ctx, &table->opts) ? BOSC_HASH_ORDERED : BOSC_HASH_BUCKETED;
    table->layout = layout_operations(table->opts.layout);
}

/* Sets options, shape and operations of an empty table. */
static void describe_table(const bosc_ctx *ctx, const bosc_hash_opts *full, bosc_hash *table)
{
    table->ops = ctx->ops->hash;
    table->opts = *full;
    table->shape = bi_hash_shape_of(full);
    table->automatic = full->layout == BOSC_HASH_AUTO;
    table->layout = layout_operations(full->layout);
    bi_hash_choose_layout(ctx, table, 0);
}

/* Returns the bytes of the words for all builds of the table. A rehash may lower the load factor of an AUTO table, so
 * the present one does not decide whether there are words for ORDERED. */
static size_t words_bytes(const bosc_hash *table)
{
    bosc_hash_opts o = table->opts;
    if (table->automatic && may_be_ordered(&o)) o.layout = BOSC_HASH_ORDERED;
    return table->ops->words_bytes ? table->ops->words_bytes(&o) : 0;
}

static bosc_status open_words(bosc_ctx *ctx, bosc_hash *fresh)
{
    const size_t bytes = words_bytes(fresh);
    if (bytes == 0) return BOSC_OK;
    BI_TRY(bi_block_reserve(ctx, &fresh->memory, &fresh->words, bytes));
    BI_TRY(ctx->backend->fill(ctx, fresh->words.data, 0, bytes));
    return ctx->backend->sync(ctx); /* another context may build first, on another stream */
}

bosc_status bi_hash_new(bosc_ctx *ctx, const bosc_hash_opts *full, bosc_hash **table)
{
    bosc_hash *fresh;
    BI_TRY(BI_NEW_HANDLE(ctx, &fresh, .opts = *full));
    describe_table(ctx, full, fresh);
    bosc_status status = open_words(ctx, fresh);
    if (status == BOSC_OK && full->no_wait && fresh->layout->launches && fresh->ops->open_completion)
        status = fresh->ops->open_completion(ctx, &fresh->pending.completion);
    if (status == BOSC_OK)
        *table = fresh;
    else
        bosc_hash_free(fresh);
    return status;
}

void bi_hash_replace(bosc_hash *table, const bosc_hash *next) { memcpy(table, next, offsetof(bosc_hash, pending)); }

void bi_hash_drop_blocks(const bosc_hash *keep, bosc_hash *drop)
{
    for (int b = 0; b < BI_HASH_BLOCKS; b++)
        if (drop->blocks[b].data != keep->blocks[b].data) bi_block_free(&drop->memory, &drop->blocks[b]);
}

bosc_status bi_hash_reserve_blocks(bosc_ctx *ctx, const bosc_hash *table, const size_t bytes[BI_HASH_BLOCKS],
                                   bosc_hash *next)
{
    for (int b = 0; b < BI_HASH_BLOCKS; b++) {
        if (bytes[b] <= next->blocks[b].bytes) continue;
        if (next->blocks[b].data == table->blocks[b].data) next->blocks[b] = (struct bi_block){0};
        bosc_status status = bi_block_reserve(ctx, &table->memory, &next->blocks[b], bytes[b]);
        if (status == BOSC_OK) continue;
        bi_hash_drop_blocks(table, next);
        return status;
    }
    return BOSC_OK;
}

void bi_hash_plan(const bosc_hash *table, int64_t n, struct bi_hash_shape *shape, size_t bytes[BI_HASH_BLOCKS])
{
    table->layout->plan(&table->opts, n, shape, bytes);
    bytes[BI_HASH_DIRECTORY] = table->ops->directory_bytes ? table->ops->directory_bytes(&table->opts, n) : 0;
}

void bi_hash_used_bytes(const bosc_hash *table, size_t bytes[BI_HASH_BLOCKS])
{
    struct bi_hash_shape shape = table->shape;
    memset(bytes, 0, BI_HASH_BLOCKS * sizeof bytes[0]);
    if (table->buckets == 0) return;
    if (table->layout == &bi_hash_bucketed_layout) { /* may have been planned for more keys */
        bytes[BI_HASH_DESCRIPTORS] = ((size_t)1 << shape.partition_bits) * sizeof(bosc_hash_partition);
        bytes[BI_HASH_TABLE] = (size_t)table->buckets * (size_t)shape.stride;
    } else {
        bi_hash_plan(table, table->keys, &shape, bytes);
        if (table->linear) bytes[BI_HASH_DIRECTORY] = 0; /* no search uses one; a table read from a file has none */
    }
    if (table->opts.kind == BOSC_HASH_MULTIMAP)
        bytes[BI_HASH_VALUES] = (size_t)table->pairs * (size_t)table->opts.value_size;
}

bosc_status bosc_hash_create(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash **table)
{
    bosc_hash_opts full;
    bosc_hash *fresh;
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_opts(ctx, opts, &full));
    if (!table) return bi_fail(ctx, BOSC_ERR_ARG, "table: NULL");
    BI_TRY(bi_hash_new(ctx, &full, &fresh));
    *table = fresh;
    return BOSC_OK;
}

void bosc_hash_free(bosc_hash *table)
{
    if (!table) return;
    bosc_hash no_blocks = {0};
    if (table->pending.completion.words) table->ops->close_completion(table);
    bi_block_free(&table->memory, &table->words);
    bi_hash_drop_blocks(&no_blocks, table);
    bi_memory_release(&table->host, table, sizeof *table);
}

bosc_status bosc_hash_wait(bosc_ctx *ctx, const bosc_hash *table)
{
    BI_ENTER(ctx);
    return bi_hash_check_table(ctx, table);
}

bosc_status bosc_hash_get_view(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_view *view)
{
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    if (table->layout != &bi_hash_bucketed_layout)
        return bi_fail(ctx, BOSC_ERR_ARG, "table: of layout %d, but views are of BUCKETED tables",
                       (int)table->opts.layout);
    if (!view) return bi_fail(ctx, BOSC_ERR_ARG, "view: NULL");
    if (table->buckets == 0) return bi_fail(ctx, BOSC_ERR_DATA, "table: nothing has been built in it");
    *view = bi_hash_view_of(table);
    return BOSC_OK;
}

bosc_status bosc_hash_get_slots_view(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_slots_view *view)
{
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    if (!view) return bi_fail(ctx, BOSC_ERR_ARG, "view: NULL");
    if (table->opts.layout == BOSC_HASH_BUCKETED)
        return bi_fail(ctx, BOSC_ERR_ARG, "table: BUCKETED, whose view is that of bosc_hash_get_view");
    if (!table->buckets) return bi_fail(ctx, BOSC_ERR_DATA, "table: nothing has been built in it");
    *view = bi_hash_slots_view_of(table, table->keys);
    return BOSC_OK;
}

bosc_status bosc_hash_get_info(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_hash_info));
    bosc_hash_info full;
    memset(&full, 0, sizeof full); /* the padding too, which is copied */
    full.pairs = table->pairs;
    full.keys = table->keys;
    full.reseeded = table->reseeded;
    full.rounds = table->rounds;
    full.linear = table->linear;
    full.layout = table->opts.layout;
    full.key_bits = table->opts.key_bits;
    full.value_size = table->opts.value_size;
    full.kind = table->opts.kind;
    full.value_dtype = table->opts.value_dtype;
    full.counted = table->opts.counted != 0;
    full.bytes = (int64_t)table->words.bytes;
    for (int b = 0; b < BI_HASH_BLOCKS; b++) full.bytes += (int64_t)table->blocks[b].bytes;
    if (table->buckets) {
        BI_TRY_WITH_SCRATCH(ctx, table->layout->info(ctx, table, &full));
    }
    full.load_factor = full.slots ? (double)full.keys / (double)full.slots : 0;
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

/* Raises the bytes of the blocks to those of n distinct keys in the table's layout. Returns the scratch to build from n
 * pairs in reach. */
static int64_t size_layout(const bosc_ctx *ctx, const bosc_hash *sized, int64_t n, size_t most[BI_HASH_BLOCKS])
{
    bosc_hash table = *sized;
    const bosc_hash_opts *o = &table.opts;
    size_t bytes[BI_HASH_BLOCKS] = {0};
    bi_hash_plan(&table, n, &table.shape, bytes);
    int64_t scratch = (int64_t)table.layout->fill_bytes(&table, n) +
                      (1 << 16); /* 64 KiB for small arrays: 256 of the arena's alignment */
    int64_t key_bytes = table.shape.key_bytes, value_bytes = table.shape.value_bytes;
    if (o->counted) scratch += n * value_bytes;
    if (o->kind == BOSC_HASH_MULTIMAP) bytes[BI_HASH_VALUES] = (size_t)n * (size_t)o->value_size;
    if (o->kind == BOSC_HASH_MULTIMAP || o->layout == BOSC_HASH_ORDERED) /* rows, heads, hashes, a sort, lists */
        scratch += n * (5 * key_bytes + value_bytes + 40);
    for (int b = 0; b < BI_HASH_BLOCKS; b++)
        if (bytes[b] > most[b]) most[b] = bytes[b];
    return scratch + (int64_t)table.ops->build_bytes(ctx, &table.shape, n);
}

/* Computes the bytes of the blocks for up to n distinct keys; returns the scratch. An AUTO table may be built in either
 * layout. */
static int64_t size_build(const bosc_ctx *ctx, const bosc_hash *sized, int64_t n, size_t bytes[BI_HASH_BLOCKS])
{
    bosc_hash table = *sized;
    memset(bytes, 0, BI_HASH_BLOCKS * sizeof bytes[0]);
    bi_hash_choose_layout(ctx, &table, n);
    const int64_t scratch = size_layout(ctx, &table, n, bytes);
    const int64_t max_ordered = table.automatic ? bi_hash_max_ordered_pairs(ctx, &table.opts) : n;
    if (n <= max_ordered || max_ordered < 0) return scratch;
    bi_hash_choose_layout(ctx, &table, max_ordered); /* the largest ORDERED table of fewer pairs */
    const int64_t ordered = size_layout(ctx, &table, max_ordered, bytes);
    return ordered > scratch ? ordered : scratch;
}

bosc_status bosc_hash_bytes(const bosc_ctx *ctx, const bosc_hash_opts *opts, int64_t n, int64_t *kept, int64_t *scratch)
{
    bosc_hash table = {0};
    bosc_hash_opts full;
    size_t bytes[BI_HASH_BLOCKS];
    bosc_ctx *to_message = (bosc_ctx *)(uintptr_t)ctx; /* nothing else is written */
    BI_ENTER(to_message);
    BI_TRY(bi_hash_check_opts(to_message, opts, &full));
    BI_TRY(bi_hash_check_n(to_message, "n", n));
    describe_table(ctx, &full, &table);
    int64_t sum = (int64_t)words_bytes(&table), needed = size_build(ctx, &table, n, bytes);
    for (int b = 0; b < BI_HASH_BLOCKS; b++) sum += (int64_t)bytes[b];
    if (kept) *kept = sum;
    if (scratch) *scratch = needed;
    return BOSC_OK;
}

/* Grows the blocks, keeping their contents. */
static bosc_status grow_blocks(bosc_ctx *ctx, bosc_hash *table, const size_t bytes[BI_HASH_BLOCKS])
{
    struct bi_block *blocks[BI_HASH_BLOCKS];
    size_t used[BI_HASH_BLOCKS];
    bi_hash_used_bytes(table, used);
    for (int b = 0; b < BI_HASH_BLOCKS; b++) blocks[b] = &table->blocks[b];
    return bi_blocks_grow(ctx, &table->memory, blocks, BI_HASH_BLOCKS, bytes, used);
}

bosc_status bosc_hash_reserve(bosc_ctx *ctx, bosc_hash *table, int64_t n, int64_t query_count)
{
    size_t bytes[BI_HASH_BLOCKS];
    BI_ENTER(ctx);
    BI_TRY(bi_hash_check_table(ctx, table));
    BI_TRY(bi_hash_check_n(ctx, "n", n));
    if (query_count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld is less than 0", (long long)query_count);
    int64_t pair = table->shape.key_bytes + table->opts.value_size;
    int64_t query = 2 * pair + table->shape.value_bytes + 3 * (int64_t)sizeof(int64_t); /* staged, and retrieve */
    if (query_count > INT64_MAX / 4 / query)
        return bi_fail(ctx, BOSC_ERR_ARG, "query_count: %lld queries are more than memory can hold",
                       (long long)query_count);
    int64_t scratch = size_build(ctx, table, n, bytes) + n * pair, queries = query_count * query + (1 << 16);
    void *unused;
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)(scratch > queries ? scratch : queries), &unused));
    return grow_blocks(ctx, table, bytes);
}
