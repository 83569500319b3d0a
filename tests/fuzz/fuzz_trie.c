/* Saved tries. A trie that was read must support queries, and be written back unchanged. */
#include "fuzz.h"
#include "trie/save.h"

enum { WORDS = 8192 };

static void parse(const uint8_t *data, size_t size)
{
    static uint64_t row[WORDS];
    bosc_ctx *ctx = fuzz_context();
    struct saved f = {.bytes = (char *)(uintptr_t)data, .size = size}, g = {0};
    bosc_trie *trie = NULL;
    int64_t begin, end;
    if (bosc_trie_read(ctx, saved_deliver, &f, &trie) != BOSC_OK) {
        if (trie || bosc_ctx_message(ctx)[0] == 0) abort();
        return;
    }
    memcpy(row, data, size < sizeof row ? size : sizeof row);
    if (bosc_trie_longest(ctx, trie, row, 1, 0, NULL, &begin, &end) != BOSC_OK || begin > end) abort();
    if (bosc_trie_write(ctx, trie, saved_append, &g) != BOSC_OK) abort();
    if (g.size != f.at || memcmp(g.bytes, data, g.size) != 0) abort();
    bosc_trie_free(trie);
    free(g.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_saved(parse, offsetof(struct bi_trie_header, hash), data, size);
}
