/* boscage cellgraph, generate vectors */
#include <stdlib.h>
#include <string.h>

#include <boscage/cellgraph.h>

#include "tool/ranks.h"

enum { WALK = 64 /* generated vectors of a walk */ };

static int read_options(const struct job *job, bosc_cellgraph_opts *opts)
{
    int64_t pivots = 3, digit = 0;
    int method = 0, search = 0, heuristic = 0, code;
    if ((code = option_choice(job, OPT_METHOD, &method)) || (code = option_integer(job, OPT_PIVOTS, 0, 16, &pivots)) ||
        (code = option_choice(job, OPT_HEURISTIC_SEARCH, &heuristic)) ||
        (code = option_choice(job, OPT_TRIE_SEARCH, &search)) || (code = option_integer(job, OPT_DIGIT, 1, 8, &digit)))
        return code;
    const bool pairs = job->value[OPT_PIVOTS] || job->value[OPT_HEURISTIC_SEARCH];
    if (pairs && !job->value[OPT_METHOD]) method = BOSC_CELLGRAPH_HEURISTIC;
    if (job->value[OPT_HEURISTIC_SEARCH] && method != BOSC_CELLGRAPH_HEURISTIC)
        return say(EXIT_USAGE, "--heuristic-search: needs --method heuristic");
    if (job->value[OPT_PIVOTS] && method != BOSC_CELLGRAPH_HEURISTIC)
        return say(EXIT_USAGE, "--pivots: needs --method heuristic");
    if (job->value[OPT_TRIE_SEARCH] && method != BOSC_CELLGRAPH_TRIE)
        return say(EXIT_USAGE, "--trie-search: needs --method trie");
    if (job->value[OPT_DIGIT] && method != BOSC_CELLGRAPH_TRIE) return say(EXIT_USAGE, "--digit: needs --method trie");
    opts->digit_bits = (int32_t)digit;
    opts->method = (bosc_cellgraph_method)method;
    opts->pivots = (int32_t)pivots;
    opts->heuristic_search = (bosc_cellgraph_heuristic_search)heuristic;
    opts->trie_search = (bosc_cellgraph_trie_search)search;
    return EXIT_DONE;
}

static int take_letters(const bosc_vectors *vectors, bosc_cellgraph_opts *opts)
{
    if (opts->digit_bits % vectors->letter_bits)
        return say(EXIT_USAGE, "--digit: %d is no multiple of the %d bits of a letter", (int)opts->digit_bits,
                   vectors->letter_bits);
    opts->length = vectors->length;
    opts->letter_bits = vectors->letter_bits;
    return EXIT_DONE;
}

static int build(struct job *job, const bosc_vectors *vectors, const bosc_cellgraph_opts *opts, bosc_cellgraph **graph,
                 bosc_array *pairs)
{
    bosc_cellgraph_info info = {.size = sizeof info};
    double start = job_now();
    bosc_status status = bosc_cellgraph_create(job->ctx, opts, graph);
    if (status == BOSC_OK) status = bosc_cellgraph_build(job->ctx, *graph, vectors->rows, vectors->n, 0);
    job_seconds(job, "build", start);
    if (status == BOSC_OK) status = bosc_cellgraph_get_info(job->ctx, *graph, &info);
    if (status != BOSC_OK) return say_ctx(job, status);
    *pairs = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {info.edges, 2, 1, 1}};
    job_integer(job, "n", info.n);
    job_integer(job, "unique", info.vertices);
    job_integer(job, "edges", info.edges);
    job_text(job, "method", option_word(job, OPT_METHOD, info.method));
    if (!job->value[OPT_OUTPUT]) return EXIT_DONE;
    pairs->data = job_alloc((size_t)info.edges, 2 * sizeof(int64_t));
    if (!pairs->data) return EXIT_FAILED;
    start = job_now();
    status = bosc_cellgraph_get_pairs(job->ctx, *graph, pairs->data, NULL);
    job_seconds(job, "pairs", start);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

int run_cellgraph(struct job *job)
{
    bosc_vectors vectors = {0};
    bosc_array pairs = {0};
    bosc_cellgraph *graph = NULL;
    bosc_cellgraph_opts opts = {.size = sizeof opts};
    struct ranks ranks = {0};
    int64_t bits = 0;
    int code;
    if ((code = read_options(job, &opts)) || (code = option_integer(job, OPT_BITS, 1, VECTOR_LENGTH_MAX, &bits)) ||
        (code = job_open(job)))
        return code;
    code = ranks_open(job, &ranks);
    if (!code) code = vectors_read(job, job->operands[0], bits, &vectors);
    if (!code) code = take_letters(&vectors, &opts);
    if (!code)
        code = ranks.count ? cellgraph_over_ranks(job, &ranks, &vectors, NULL, &opts, false, &pairs)
                           : build(job, &vectors, &opts, &graph, &pairs);
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &pairs, 1);
    ranks_close(&ranks, code);
    bosc_cellgraph_free(graph);
    bosc_vectors_free(&vectors);
    bosc_array_free(&pairs);
    return code;
}

/* Vector i: a walk begins anew every WALK vectors, at random signs; each step changes one of them, as the signs of
 * constraints change along a way through their cells. */
static void make_vectors(const uint32_t *random, int64_t n, int64_t bits, uint8_t *rows)
{
    int64_t bytes = (bits + 7) / 8, per_walk = WALK + (bits + 31) / 32;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t *own = random + i / WALK * per_walk;
        uint8_t *row = rows + i * bytes;
        if (i % WALK == 0) {
            for (int64_t k = 0; k < bits; k++)
                row[k / 8] |= (uint8_t)((own[WALK + k / 32] >> k % 32 & 1) << (7 - k % 8));
            continue;
        }
        int64_t changed = (int64_t)((uint64_t)own[i % WALK] * (uint64_t)bits >> 32);
        memcpy(row, row - bytes, (size_t)bytes);
        row[changed / 8] ^= (uint8_t)(1 << (7 - changed % 8));
    }
}

int run_generate_vectors(struct job *job)
{
    int64_t n = 0, bits = 0;
    uint64_t seed = 0;
    int code;
    if ((code = option_ending(job, OPT_OUTPUT, (const char *const[]){".npy", NULL})) ||
        (code = option_integer(job, OPT_N, 0, UINT32_MAX - 2, &n)) ||
        (code = option_integer(job, OPT_BITS, 1, VECTOR_LENGTH_MAX, &bits)) || (code = option_seed(job, &seed)) ||
        (code = job_open(job)))
        return code;
    int64_t bytes = (bits + 7) / 8, count = (n + WALK - 1) / WALK * (WALK + (bits + 31) / 32);
    bosc_array rows = {.dtype = BOSC_U8, .rank = 2, .shape = {n, bytes, 1, 1}};
    uint32_t *random = job_alloc((size_t)count, sizeof *random);
    rows.data = random ? job_alloc((size_t)n, (size_t)bytes) : NULL;
    code = rows.data ? EXIT_DONE : EXIT_FAILED;
    double start = job_now();
    if (!code) {
        bosc_status status = bosc_random_bits(job->ctx, seed, 0x63656c6c /* a stream of their own */, count, random);
        memset(rows.data, 0, (size_t)(n * bytes));
        if (status == BOSC_OK)
            make_vectors(random, n, bits, rows.data);
        else
            code = say_ctx(job, status);
    }
    job_seconds(job, "generate", start);
    free(random);
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &rows, 1);
    job_integer(job, "n", n);
    bosc_array_free(&rows);
    return code;
}
