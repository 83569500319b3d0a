/* Compares sequences of operations on a trie with a plain version. The first bytes choose the options. Each
 * operation reads a byte, one for the number of rows, and three per row: the row it resembles, and where it differs. */
#include "reference/trie.c"
#include "fuzz.h"

enum { MOST = 24, LETTERS = 90, WORDS = 12 };

static bosc_trie_opts read_options(struct input *in)
{
    uint32_t kind = next_byte(in),
             most = kind / 8 % 2 ? 12 : LETTERS; /* neighbours of the published layout take length^2 2^r steps */
    return (bosc_trie_opts){.size = sizeof(bosc_trie_opts),
                            .length = 1 + (int32_t)(next_byte(in) % most),
                            .letter_bits = 1 + (int32_t)(kind % 8),
                            .layout = (bosc_trie_layout)(kind / 8 % 2),
                            .duplicates = (bosc_trie_duplicates)(kind / 16 % 2)};
}

/* Reads rows of letters that share long prefixes. */
static int64_t read_rows(struct input *in, const struct reference_trie *t, uint8_t *letters, uint64_t *rows)
{
    int64_t n = next_byte(in) % MOST, length = t->length, words = bosc_trie_words(t->length, t->letter_bits);
    for (int64_t i = 0; i < n; i++) {
        uint32_t source = next_byte(in), at = next_byte(in), letter = next_byte(in);
        for (int64_t k = 0; k < length; k++) {
            uint8_t copied = i > 0 ? letters[(int64_t)source % i * length + k] : 0;
            if (t->count > 0 && source & 128) copied = reference_trie_key(t, source % t->count)[k];
            letters[i * length + k] = copied;
        }
        letters[i * length + at % length] = (uint8_t)(letter & ((1u << t->letter_bits) - 1));
        reference_trie_pack(t, letters + i * length, rows + i * words);
    }
    return n;
}

static int64_t lower_bound(const struct reference_trie *t, const uint8_t *letters, int32_t length)
{
    int64_t rank = 0;
    while (rank < t->count && memcmp(reference_trie_key(t, rank), letters, (size_t)length) < 0) rank++;
    return rank;
}

/* Compares every query of each row. */
static void compare(bosc_ctx *ctx, const bosc_trie *trie, const struct reference_trie *t, const uint8_t *letters,
                    const uint64_t *rows, int64_t n)
{
    int64_t ranks[MOST], begins[MOST], ends[MOST], offsets[MOST + 1], near = 0;
    uint64_t values[MOST];
    int32_t lengths[MOST], position;
    if (bosc_trie_find(ctx, trie, rows, n, 0, ranks, values, NULL) != BOSC_OK) abort();
    if (bosc_trie_longest(ctx, trie, rows, n, 0, lengths, begins, ends) != BOSC_OK) abort();
    if (bosc_trie_neighbours(ctx, trie, rows, n, 0, offsets, NULL, NULL, 0) != BOSC_OK) abort();
    for (int64_t q = 0; q < n; q++) {
        const uint8_t *key = letters + q * t->length;
        int64_t rank = reference_trie_rank(t, key);
        int32_t longest = 0;
        bool is = rank < t->count && memcmp(reference_trie_key(t, rank), key, (size_t)t->length) == 0;
        if (ranks[q] != (is ? rank : -1) || values[q] != (is ? t->values[rank] : 0)) abort();
        for (int64_t k = 0; k < t->count; k++) {
            int32_t common = reference_trie_common(t, reference_trie_key(t, k), key);
            if (common > longest) longest = common;
            near += reference_trie_differ(t, reference_trie_key(t, k), key, &position) == 1;
        }
        if (lengths[q] != longest || begins[q] != lower_bound(t, key, longest) || offsets[q + 1] != near) abort();
    }
    bosc_trie_info info = {.size = sizeof info};
    if (bosc_trie_get_info(ctx, trie, &info) != BOSC_OK || info.keys != t->count) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t letters[MOST * LETTERS];
    static uint64_t rows[MOST * WORDS];
    bosc_ctx *ctx = fuzz_context();
    struct input in = {data, size};
    bosc_trie_opts o = read_options(&in);
    struct reference_trie t = {
        .length = o.length, .letter_bits = o.letter_bits, .last = o.duplicates == BOSC_TRIE_LAST};
    bosc_trie *trie = NULL;
    uint64_t next_value = 0; /* default values are running numbers */
    if (bosc_trie_create(ctx, &o, &trie) != BOSC_OK) abort();
    /* Each byte is an operation: erase, build or insert. */
    while (in.size) {
        uint32_t what = next_byte(&in);
        int64_t n = read_rows(&in, &t, letters, rows), erased, expected = 0;
        if (what % 4 == 1) {
            for (int64_t i = 0; i < n; i++) expected += reference_trie_erase(&t, letters + i * t.length);
            if (bosc_trie_erase(ctx, trie, rows, n, 0, &erased) != BOSC_OK || erased != expected) abort();
        } else {
            if (what % 4 == 0) reference_trie_clear(&t);
            if (what % 4 == 0) next_value = 0;
            for (int64_t i = 0; i < n; i++) reference_trie_insert(&t, letters + i * t.length, next_value++);
            bosc_status status = what % 4 == 0 ? bosc_trie_build(ctx, trie, rows, NULL, n, 0)
                                               : bosc_trie_insert(ctx, trie, rows, NULL, n, 0);
            if (status != BOSC_OK) abort();
        }
        compare(ctx, trie, &t, letters, rows, n);
    }
    reference_trie_clear(&t);
    bosc_trie_free(trie);
    return 0;
}
