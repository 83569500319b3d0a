/* The search tree of figure 2 of Kaczmarski, Rzazewski, Wolant (PPAM 2015): its six binary vectors, and digits of r = 2
 * bits, so that a node has up to four children. Prints the nodes of each level, the path of each vector (021 is that of
 * 001001), and the pairs of the cell graph, found by looking up each vector with one bit replaced. */
#include <stdio.h>
#include <stdlib.h>

#include <boscage/boscage.h>

enum { LENGTH = 6, COUNT = 6, DIGIT = 2 };

static void check(const bosc_ctx *ctx, bosc_status status)
{
    if (status == BOSC_OK) return;
    fprintf(stderr, "%s: %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "no context");
    exit(1);
}

/* Letter k is bit k. */
static uint64_t pack(const char *text)
{
    uint64_t word = 0;
    for (int k = 0; k < LENGTH; k++) word |= (uint64_t)(text[k] - '0') << k;
    return word;
}

/* The digits of a vector are the children on its path. The first letter of a digit counts most. */
static void print_path(const char *vector)
{
    printf("%s: path ", vector);
    for (int k = 0; k < LENGTH; k += DIGIT) printf("%d", 2 * (vector[k] - '0') + (vector[k + 1] - '0'));
    printf("\n");
}

/* A node of level d is a prefix of d digits: its keys are a range of ranks. */
static void print_level(bosc_ctx *ctx, const bosc_trie *trie, const char *const *vectors, int level)
{
    const int32_t length = level * DIGIT;
    printf("level %d:", level);
    for (int64_t rank = 0, begin, end; rank < COUNT; rank = end) {
        const uint64_t key = pack(vectors[rank]);
        check(ctx, bosc_trie_prefix(ctx, trie, &key, &length, 1, 0, &begin, &end));
        printf(" %.*s (%lld)", length ? (int)length : 4, length ? vectors[rank] : "root", (long long)(end - begin));
    }
    printf("\n");
}

int main(void)
{
    static const char *const vectors[COUNT] = {"000000", "001001", "011011",
                                               "110100", "110110", "110111"}; /* in order */
    const bosc_trie_opts opts = {
        .size = sizeof opts, .length = LENGTH, .layout = BOSC_TRIE_PUBLISHED, .digit_bits = DIGIT};
    bosc_trie_info info = {.size = sizeof info};
    uint64_t keys[COUNT];
    int64_t pairs[COUNT][2], count;
    uint32_t positions[COUNT];
    bosc_ctx *ctx = NULL;
    bosc_trie *trie = NULL;
    for (int k = 0; k < COUNT; k++) keys[k] = pack(vectors[k]);
    check(ctx, bosc_ctx_create(NULL, &ctx));
    check(ctx, bosc_trie_create(ctx, &opts, &trie));
    check(ctx, bosc_trie_build(ctx, trie, keys, NULL, COUNT, 0));
    check(ctx, bosc_trie_get_info(ctx, trie, &info));
    printf("%lld nodes of %d children, leaves %lld levels down\n", (long long)info.nodes, 1 << info.digit_bits,
           (long long)info.depth_most);
    for (int level = 0; level <= LENGTH / DIGIT; level++) print_level(ctx, trie, vectors, level);
    for (int k = 0; k < COUNT; k++) print_path(vectors[k]);

    check(ctx, bosc_trie_pairs(ctx, trie, &pairs[0][0], positions, COUNT, &count));
    for (int64_t e = 0; e < count; e++)
        printf("%s - %s: bit %u\n", vectors[pairs[e][0]], vectors[pairs[e][1]], (unsigned)positions[e]);
    bosc_trie_free(trie);
    bosc_ctx_free(ctx);
    return 0;
}
