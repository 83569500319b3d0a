/* Sequences of operations on a trie, beside an oracle. The first bytes choose the options; each operation takes one,
 * one for its number of rows, and a row three: which it resembles, and where it differs. */
#include "reference/trie.c"
#include "fuzz.h"

enum { MOST = 24, LETTERS = 90, WORDS = 12 };

static bosc_trie_opts take_options(struct input *in)
{
    uint32_t kind = take(in), most = kind / 8 % 2 ? 12 : LETTERS; /* published neighbours take length^2 2^r steps */
    return (bosc_trie_opts){.size = sizeof(bosc_trie_opts),
                            .length = 1 + (int32_t)(take(in) % most),
                            .letter_bits = 1 + (int32_t)(kind % 8),
                            .layout = (bosc_trie_layout)(kind / 8 % 2),
                            .duplicates = (bosc_trie_duplicates)(kind / 16 % 2)};
}

/* Rows of letters that share long prefixes. */
static int64_t take_rows(struct input *in, const struct reference_trie *t, uint8_t *letters, uint64_t *rows)
{
    int64_t n = take(in) % MOST, length = t->length, words = bosc_trie_words(t->length, t->letter_bits);
    for (int64_t i = 0; i < n; i++) {
        uint32_t from = take(in), at = take(in), letter = take(in);
        for (int64_t k = 0; k < length; k++) {
            uint8_t as = i > 0 ? letters[(int64_t)from % i * length + k] : 0;
            if (t->count > 0 && from & 128) as = reference_trie_key(t, from % t->count)[k];
            letters[i * length + k] = as;
        }
        letters[i * length + at % length] = (uint8_t)(letter & ((1u << t->letter_bits) - 1));
        reference_trie_pack(t, letters + i * length, rows + i * words);
    }
    return n;
}

static int64_t lower(const struct reference_trie *t, const uint8_t *letters, int32_t length)
{
    int64_t rank = 0;
    while (rank < t->count && memcmp(reference_trie_key(t, rank), letters, (size_t)length) < 0) rank++;
    return rank;
}

/* Every query of each row. */
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
        const uint8_t *own = letters + q * t->length;
        int64_t rank = reference_trie_rank(t, own);
        int32_t longest = 0;
        bool is = rank < t->count && memcmp(reference_trie_key(t, rank), own, (size_t)t->length) == 0;
        if (ranks[q] != (is ? rank : -1) || values[q] != (is ? t->values[rank] : 0)) abort();
        for (int64_t k = 0; k < t->count; k++) {
            int32_t common = reference_trie_common(t, reference_trie_key(t, k), own);
            if (common > longest) longest = common;
            near += reference_trie_differ(t, reference_trie_key(t, k), own, &position) == 1;
        }
        if (lengths[q] != longest || begins[q] != lower(t, own, longest) || offsets[q + 1] != near) abort();
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
    bosc_trie_opts o = take_options(&in);
    struct reference_trie t = {
        .length = o.length, .letter_bits = o.letter_bits, .last = o.duplicates == BOSC_TRIE_LAST};
    bosc_trie *trie = NULL;
    uint64_t given = 0;
    if (bosc_trie_create(ctx, &o, &trie) != BOSC_OK) abort();
    while (in.size) {
        uint32_t what = take(&in);
        int64_t n = take_rows(&in, &t, letters, rows), erased, expected = 0;
        if (what % 4 == 1) {
            for (int64_t i = 0; i < n; i++) expected += reference_trie_erase(&t, letters + i * t.length);
            if (bosc_trie_erase(ctx, trie, rows, n, 0, &erased) != BOSC_OK || erased != expected) abort();
        } else {
            if (what % 4 == 0) reference_trie_clear(&t);
            if (what % 4 == 0) given = 0;
            for (int64_t i = 0; i < n; i++) reference_trie_insert(&t, letters + i * t.length, given++);
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
