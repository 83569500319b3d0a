/* Counts how often each word of a long list occurs, with primitives alone: sort, mark where runs begin, compact
 * the marks, and take differences. The words are numbers here; any sortable keys will do. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1000000, WORDS = 5000 };

struct arrays {
    uint32_t *words, *sorted;
    uint8_t *heads;
    int64_t *positions, *begins;
};

static bosc_status count(bosc_ctx *ctx, const struct arrays *a, int64_t *distinct)
{
    bosc_status status = bosc_sort_keys(ctx, BOSC_U32, a->words, N, a->sorted);
    for (int64_t i = 0; i < N && !status; i++) {
        a->heads[i] = i == 0 || a->sorted[i] != a->sorted[i - 1];
        a->positions[i] = i;
    }
    if (!status) status = bosc_compact(ctx, sizeof *a->positions, a->positions, a->heads, N, a->begins, distinct);
    return status;
}

int main(void)
{
    struct arrays a = {malloc(sizeof *a.words * N), malloc(sizeof *a.sorted * N), malloc(N),
                       malloc(sizeof *a.positions * N), malloc(sizeof *a.begins * N)};
    bosc_ctx *ctx = NULL;
    int64_t distinct = 0, most = 0, at = 0, sum = 0;

    bosc_status status = BOSC_ERR_NOMEM;
    if (a.words && a.sorted && a.heads && a.positions && a.begins) status = bosc_ctx_create(NULL, &ctx);
    if (!status) status = bosc_random_bits(ctx, 1, 0, N, a.words);
    for (int64_t i = 0; i < N && !status; i++) a.words[i] %= WORDS;
    if (!status) status = count(ctx, &a, &distinct);
    /* A word's count is the length of its run. */
    for (int64_t k = 0; k < distinct && !status; k++) {
        int64_t times = (k + 1 < distinct ? a.begins[k + 1] : N) - a.begins[k];
        if (times > most) {
            most = times;
            at = a.begins[k];
        }
        a.positions[k] = times;
    }
    if (!status) status = bosc_reduce(ctx, BOSC_SUM, BOSC_I64, a.positions, distinct, &sum);
    if (status)
        fprintf(stderr, "prims: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");
    else
        printf("%lld different words, the most frequent is %u with %lld of %lld\n", (long long)distinct, a.sorted[at],
               (long long)most, (long long)sum);

    bosc_ctx_free(ctx);
    free(a.words);
    free(a.sorted);
    free(a.heads);
    free(a.positions);
    free(a.begins);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
