/* Builds a hash table of half a million numbers and their squares, and reads it in a loop of this program: a look-up
 * within other work needs no array of queries. (In CUDA kernels the same functions read a table on the device.) */
#include <boscage/boscage.h>
#include <boscage/device/hash.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 500000 };

int main(void)
{
    uint64_t *keys = malloc(sizeof *keys * N), *squares = malloc(sizeof *squares * N);
    bosc_ctx *ctx = NULL;
    bosc_hash *table = NULL;
    bosc_hash_view view;
    bosc_hash_opts what = {
        .size = sizeof what, .layout = BOSC_HASH_BUCKETED, .key_bits = 64, .value_size = sizeof *squares};

    bosc_status status = keys && squares ? bosc_ctx_create(NULL, &ctx) : BOSC_ERR_NOMEM;
    for (uint64_t i = 0; i < N && !status; i++) {
        keys[i] = 2 * i;
        squares[i] = 4 * i * i;
    }
    if (!status) status = bosc_hash_create(ctx, &what, &table);
    if (!status) status = bosc_hash_build(ctx, table, keys, squares, N);
    if (!status) status = bosc_hash_get_view(ctx, table, &view);
    if (status) fprintf(stderr, "lookup: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");

    /* Odd numbers are absent. */
    int found = 0;
    for (uint64_t x = 0; x < 2 * N && !status; x++) {
        const uint64_t *square = bosc_hash_look_up_value(&view, (bosc_hash_word){.low = x});
        if (square) found += *square == x * x;
    }
    if (!status) printf("%d of %d numbers are in the table\n", found, 2 * N);

    bosc_hash_free(table);
    bosc_ctx_free(ctx);
    free(keys);
    free(squares);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
