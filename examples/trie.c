/* A dictionary of words: exact look-up, completion, wildcards and words one letter apart. */
#include <stdio.h>
#include <stdlib.h>

#include <boscage/trie.h>

enum { LETTERS = 12, BITS = 5, COUNT = 8 }; /* 12 letters of 5 bits fill one word of 64 bits */

static void check(const bosc_ctx *ctx, bosc_status status)
{
    if (status == BOSC_OK) return;
    fprintf(stderr, "%s: %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "no context");
    exit(1);
}

/* a to z are 1 to 26; words are padded with zeros, so that a word sorts before its extensions. */
static uint64_t pack(const char *text)
{
    uint64_t word = 0;
    for (int shift = 0; *text && shift < LETTERS * BITS; shift += BITS) word |= (uint64_t)(*text++ - 'a' + 1) << shift;
    return word;
}

int main(void)
{
    static const char *const words[COUNT] = {"tree", "trie", "trip", "tread", "forest", "branch", "leaf", "free"};
    const bosc_trie_opts opts = {.size = sizeof opts, .length = LETTERS, .letter_bits = BITS};
    uint64_t keys[COUNT], query = pack("trie"), start = pack("tre"), mask = ~0ull;
    int64_t rank, value, begin, end, offsets[2], ranks[COUNT];
    const int32_t length = 3;
    bosc_ctx *ctx = NULL;
    bosc_trie *trie = NULL;
    for (int k = 0; k < COUNT; k++) keys[k] = pack(words[k]);
    check(ctx, bosc_ctx_create(NULL, &ctx));
    check(ctx, bosc_trie_create(ctx, &opts, &trie));
    check(ctx, bosc_trie_build(ctx, trie, keys, NULL, COUNT, 0)); /* values: the numbers of the words */

    check(ctx, bosc_trie_find(ctx, trie, &query, 1, 0, &rank, &value, NULL));
    printf("%s is word %lld, and has rank %lld\n", words[value], (long long)value, (long long)rank);

    check(ctx, bosc_trie_prefix(ctx, trie, &start, &length, 1, 0, &begin, &end));
    printf("%lld words begin with tre:", (long long)(end - begin));
    for (rank = begin; rank < end; rank++) {
        check(ctx, bosc_trie_get_values(ctx, trie, &rank, 1, &value));
        printf(" %s", words[value]);
    }

    /* Two calls: offsets first, then the rows. */
    check(ctx, bosc_trie_neighbours(ctx, trie, &query, 1, 0, offsets, NULL, NULL, 0));
    check(ctx, bosc_trie_neighbours(ctx, trie, &query, 1, 0, offsets, ranks, NULL, COUNT));
    printf("\n%lld words are one letter from trie\n", (long long)offsets[1]);

    mask &= ~(31ull << 3 * BITS); /* tri?: any fourth letter */
    check(ctx, bosc_trie_matches(ctx, trie, &query, &mask, 1, 0, offsets, NULL, 0));
    check(ctx, bosc_trie_matches(ctx, trie, &query, &mask, 1, 0, offsets, ranks, COUNT));
    printf("%lld words match tri?\n", (long long)offsets[1]);
    bosc_trie_free(trie);
    bosc_ctx_free(ctx);
    return 0;
}
