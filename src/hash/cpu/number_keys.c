/* Numbers distinct keys by their first rows where few keys fill many rows: by a table that a core's caches hold, in
 * place of a sort. Threads number chunks of rows by tables of their own. The other chunks' keys are then added to the
 * first table in the order of the chunks, so that the numbers do not depend on the chunks. */
#include <string.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/bucketed.h"

enum {
    ROW_ITEMS = 2,      /* cost of a row, in simple items; estimated */
    MIN_SLOT_BITS = 9,  /* slots of a new table, 2^9: 2 KB to clear */
    MAX_SLOT_BITS = 17, /* slots of the largest one: they and 2^15 keys of 64 bits take 768 KB. Not measured */
    KEY_SHARE_BITS = 2, /* a table has at least 2^2 slots a key, so that runs of keys are short */
    /* Fewer rows may all have different keys, which the largest table holds. Estimated to cost less than a sort. */
    MAX_UNLIMITED_ROWS = 1 << 15,
    /* Tables for more rows have room for one key in 16 rows of a chunk, rounded up to a power of two, so that an
     * attempt in vain costs little; estimated. */
    ROWS_A_KEY = 16,
    MAX_PROBES = 64, /* slots between a new key and its home, above which keys collide by design, not by chance */
    BLOCK = 1 << 12  /* rows between two checks for another thread that has declined; not measured */
};

/* Distinct keys in the order of their insertion, and a hash table of their numbers. */
struct key_table {
    int32_t slot_bits, max_slot_bits;
    uint32_t count;
    uint32_t *slots; /* (2^max_slot_bits) 1 + the number of a key, or 0; 2^slot_bits are in use */
    void *keys;      /* this array and those of the requested result: (2^(max_slot_bits - KEY_SHARE_BITS)) */
    uint32_t *first_rows, *last_rows;
};

/* A call, shared by its threads. */
struct numbering_job {
    const void *keys;
    int64_t n;
    int32_t key_bits;
    enum bi_hash_numbered requested;
    int chunks;
    struct key_table *tables; /* (chunks) */
    uint32_t *numbers;        /* (n) or NULL */
    uint32_t **new_numbers;   /* (chunks) number in the first table of each key of a chunk's table */
    uint32_t declined;        /* by atomics */
};

/* Returns a key's home: the top bits of a product (Knuth, The Art of Computer Programming 3, section 6.4). */
BI_FN uint32_t home_of(const struct key_table *t, int32_t bits, bosc_hash_word key)
{
    if (bits == 128) key.low ^= key.high * 0xd1b54a32d192ed03u;
    return (uint32_t)(key.low * 0x9e3779b97f4a7c15u >> (64 - t->slot_bits));
}

/* Returns the slot of a key, or the empty one where its search ends. There always is an empty one. */
BI_FN uint32_t find_slot(const struct key_table *t, int32_t bits, bosc_hash_word key)
{
    const uint32_t mask = (1u << t->slot_bits) - 1;
    uint32_t at = home_of(t, bits, key);
    for (uint32_t number; (number = t->slots[at]) != 0; at = (at + 1) & mask)
        if (bi_hash_same(bosc_hash_word_at(t->keys, (int64_t)number - 1, bits), key)) break;
    return at;
}

/* Doubles the slots. Returns false, with nothing changed, if the table is at its limit. */
static bool grow_table(struct key_table *t, int32_t bits)
{
    if (t->slot_bits == t->max_slot_bits) return false;
    t->slot_bits++;
    memset(t->slots, 0, sizeof *t->slots << t->slot_bits);
    for (uint32_t k = 0; k < t->count; k++) t->slots[find_slot(t, bits, bosc_hash_word_at(t->keys, k, bits))] = k + 1;
    return true;
}

/* Adds a key whose search ended at `slot`. Returns 1 + its number. Returns 0, and the table is of no more use, if the
 * slot is too far from the key's home or the key is the last that the table has room for. */
static uint32_t add_key(struct key_table *t, int32_t bits, bosc_hash_word key, uint32_t slot, uint32_t row)
{
    const uint32_t mask = (1u << t->slot_bits) - 1, number = t->count++;
    if (((slot - home_of(t, bits, key)) & mask) > MAX_PROBES) return 0;
    bi_hash_store(t->keys, bits, number, key);
    t->first_rows[number] = row;
    t->slots[slot] = number + 1;
    const bool is_full = t->count == 1u << (t->slot_bits - KEY_SHARE_BITS);
    return is_full && !grow_table(t, bits) ? 0 : number + 1;
}

/* Numbers rows `begin` to `end` - 1. Returns false if the table declines. */
BI_FN bool number_rows(const struct numbering_job *j, struct key_table *t, int32_t bits,
                       enum bi_hash_numbered requested, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        const bosc_hash_word key = bosc_hash_word_at(j->keys, i, bits);
        const uint32_t slot = find_slot(t, bits, key);
        uint32_t number = t->slots[slot];
        if (!number && !(number = add_key(t, bits, key, slot, (uint32_t)i))) return false;
        if (requested == BI_HASH_LAST_ROWS) t->last_rows[number - 1] = (uint32_t)i;
        if (requested == BI_HASH_ROW_NUMBERS) j->numbers[i] = number - 1;
    }
    return true;
}

/* Calls number_rows with constants, so that each kind of key and of result has a loop of its own. */
static bool number_block(const struct numbering_job *j, struct key_table *t, int64_t begin, int64_t end)
{
#define BY_RESULT(bits)                                                                                  \
    return j->requested == BI_HASH_FIRST_ROWS  ? number_rows(j, t, bits, BI_HASH_FIRST_ROWS, begin, end) \
           : j->requested == BI_HASH_LAST_ROWS ? number_rows(j, t, bits, BI_HASH_LAST_ROWS, begin, end)  \
                                               : number_rows(j, t, bits, BI_HASH_ROW_NUMBERS, begin, end)
    if (j->key_bits == 32) BY_RESULT(32);
    if (j->key_bits == 64) BY_RESULT(64);
    BY_RESULT(128);
#undef BY_RESULT
}

/* Numbers some rows of chunk c, until any thread declines. */
static void number_chunk(struct numbering_job *j, int c, struct bi_span rows)
{
    for (int64_t at = rows.begin; at < rows.end && !bi_atomic_load_u32(&j->declined); at += BLOCK) {
        const int64_t end = rows.end - at < BLOCK ? rows.end : at + BLOCK;
        if (!number_block(j, &j->tables[c], at, end)) bi_atomic_or_u32(&j->declined, 1);
    }
}

/* Adds the keys of chunk c to the first table. Returns false if that declines. */
static bool merge_chunk(const struct numbering_job *j, int c)
{
    struct key_table *all = j->tables;
    const struct key_table *t = j->tables + c;
    for (uint32_t k = 0; k < t->count; k++) {
        const bosc_hash_word key = bosc_hash_word_at(t->keys, k, j->key_bits);
        const uint32_t slot = find_slot(all, j->key_bits, key);
        uint32_t number = all->slots[slot];
        if (!number && !(number = add_key(all, j->key_bits, key, slot, t->first_rows[k]))) return false;
        if (all->last_rows) all->last_rows[number - 1] = t->last_rows[k];
        if (j->numbers) j->new_numbers[c][k] = number - 1;
    }
    return true;
}

static void renumber_rows(const struct numbering_job *j, int c, struct bi_span rows)
{
    const uint32_t *new_numbers = j->new_numbers[c];
    for (int64_t i = rows.begin; c > 0 && i < rows.end; i++) j->numbers[i] = new_numbers[j->numbers[i]];
}

/* Allocates the tables and results. */
static bosc_status allocate_tables(bosc_ctx *ctx, struct numbering_job *j)
{
    const int64_t most = j->n < MAX_UNLIMITED_ROWS ? j->n : j->n / j->chunks / ROWS_A_KEY;
    const int bits = bi_bit_length((uint64_t)most) + KEY_SHARE_BITS;
    const int32_t max_bits = bits < MIN_SLOT_BITS ? MIN_SLOT_BITS : bits < MAX_SLOT_BITS ? bits : MAX_SLOT_BITS;
    const int64_t capacity = (int64_t)1 << (max_bits - KEY_SHARE_BITS);
    const bool numbers = j->requested == BI_HASH_ROW_NUMBERS;
    BI_TRY(bi_scratch_of(ctx, j->chunks, sizeof *j->tables, &j->tables));
    BI_TRY(bi_scratch_of(ctx, j->chunks, sizeof *j->new_numbers, &j->new_numbers));
    if (numbers) BI_TRY(bi_scratch_of(ctx, j->n, sizeof *j->numbers, &j->numbers));
    for (int c = 0; c < j->chunks; c++) {
        struct key_table *t = j->tables + c;
        *t = (struct key_table){.slot_bits = MIN_SLOT_BITS, .max_slot_bits = max_bits};
        BI_TRY(bi_scratch_of(ctx, (int64_t)1 << max_bits, sizeof *t->slots, &t->slots));
        BI_TRY(bi_scratch_of(ctx, capacity, j->key_bits / 8, &t->keys));
        BI_TRY(bi_scratch_of(ctx, capacity, sizeof *t->first_rows, &t->first_rows));
        if (j->requested == BI_HASH_LAST_ROWS)
            BI_TRY(bi_scratch_of(ctx, capacity, sizeof *t->last_rows, &t->last_rows));
        if (numbers) BI_TRY(bi_scratch_of(ctx, capacity, sizeof **j->new_numbers, &j->new_numbers[c]));
        memset(t->slots, 0, sizeof *t->slots << MIN_SLOT_BITS);
    }
    return BOSC_OK;
}

bosc_status bi_hash_number_keys_cpu(bosc_ctx *ctx, int32_t key_bits, const void *keys, int64_t n,
                                    enum bi_hash_numbered requested, struct bi_hash_numbering *found, bool *numbered)
{
    struct numbering_job j = {.keys = keys, .n = n, .key_bits = key_bits, .requested = requested};
    *numbered = false;
    if (n == 0) return BOSC_OK;
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash number keys: injected fault");
    /* 1. Number the rows of each chunk. */
    j.chunks = bi_thread_count(ctx, n, BI_HASH_GRAIN);
    BI_TRY(allocate_tables(ctx, &j));
    struct bi_batches p = bi_chunk_batches(ctx, n, j.chunks, ROW_ITEMS);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(j.chunks, (static), c, 0, j.chunks,
                        number_chunk(&j, (int)c, bi_batch_of_chunk(n, j.chunks, (int)c, &p)));
    }
    BI_TRY(p.status);
    /* 2. Number the keys of all chunks. */
    for (int c = 1; c < j.chunks && !j.declined; c++) j.declined = !merge_chunk(&j, c);
    if (j.declined) return BOSC_OK;
    /* 3. Renumber the rows. */
    p = bi_chunk_batches(ctx, j.numbers && j.chunks > 1 ? n : 0, j.chunks, 1);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(j.chunks, (static), c, 0, j.chunks,
                        renumber_rows(&j, (int)c, bi_batch_of_chunk(n, j.chunks, (int)c, &p)));
    }
    *numbered = true;
    *found = (struct bi_hash_numbering){.count = j.tables->count,
                                        .keys = j.tables->keys,
                                        .first_rows = j.tables->first_rows,
                                        .last_rows = j.tables->last_rows,
                                        .numbers = j.numbers};
    return p.status;
}
