/* Barcodes of 16 bases are read with errors: those at distance 1 belong together. */
#include <stdio.h>
#include <stdlib.h>

#include <boscage/cellgraph.h>

enum { BASES = 16, MOLECULES = 1000, READS = 50000 };

static uint64_t state = 1;
static uint64_t next(void) /* xorshift64 */
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void check(const bosc_ctx *ctx, bosc_status status)
{
    if (status == BOSC_OK) return;
    fprintf(stderr, "%s: %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "no context");
    exit(1);
}

/* A word of 64 bits holds 32 letters of 2 bits, so a barcode is one word. */
static void make_reads(uint64_t *reads)
{
    uint64_t molecules[MOLECULES];
    for (int k = 0; k < MOLECULES; k++) molecules[k] = next() >> 32;
    for (int i = 0; i < READS; i++) {
        reads[i] = molecules[next() % MOLECULES];
        if (next() % 100 == 0) reads[i] ^= (1 + next() % 3) << 2 * (next() % BASES); /* one base is misread */
    }
}

int main(void)
{
    const bosc_cellgraph_opts opts = {.size = sizeof opts, .length = BASES, .letter_bits = 2, .id_bits = 32};
    bosc_cellgraph_info info = {.size = sizeof info};
    bosc_ctx *ctx = NULL;
    bosc_cellgraph *graph = NULL;
    uint64_t *reads = malloc(READS * sizeof *reads);
    int64_t count;
    if (!reads) return 1;
    make_reads(reads);
    check(ctx, bosc_ctx_create(NULL, &ctx));
    check(ctx, bosc_cellgraph_create(ctx, &opts, &graph));
    check(ctx, bosc_cellgraph_build(ctx, graph, reads, READS, 0));
    check(ctx, bosc_cellgraph_get_info(ctx, graph, &info));
    check(ctx, bosc_cellgraph_components(ctx, graph, NULL, &count));
    printf("%d reads, %lld distinct barcodes, %lld pairs at distance 1\n", READS, (long long)info.vertices,
           (long long)info.edges);

    /* The first pairs: rows of the input, and the base in which they differ. */
    uint32_t *pairs = malloc((size_t)info.edges * 2 * sizeof *pairs);
    uint32_t *positions = malloc((size_t)info.edges * sizeof *positions);
    if (!pairs || !positions) return 1;
    check(ctx, bosc_cellgraph_get_pairs(ctx, graph, pairs, positions));
    for (int64_t e = 0; e < 3 && e < info.edges; e++)
        printf("reads %u and %u differ in base %u\n", pairs[2 * e], pairs[2 * e + 1], positions[e]);
    printf("%lld groups of barcodes\n", (long long)count);
    free(positions);
    free(pairs);
    free(reads);
    bosc_cellgraph_free(graph);
    bosc_ctx_free(ctx);
    return 0;
}
