/* boscage cellgraph */
#include <boscage/cellgraph.h>

#include "tool/commands/commands.h"
#include "tool/commands/over_ranks.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/options/option_table.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

static int read_options(const struct job *job, bosc_cellgraph_opts *opts)
{
    int64_t pivots = 3, digit = 0;
    int method = 0, search = 0, heuristic = 0, code;
    if ((code = option_choice(job, OPT_METHOD, &method)) || (code = option_integer(job, OPT_PIVOTS, 0, 16, &pivots)) ||
        (code = option_choice(job, OPT_HEURISTIC_SEARCH, &heuristic)) ||
        (code = option_choice(job, OPT_TRIE_SEARCH, &search)) ||
        (code = option_integer(job, OPT_DIGIT, 1, 8, &digit)) ||
        (code = option_launch(job, OPT_LAUNCH, &opts->blocks, &opts->threads)))
        return code;
    /* Options of a method that is not chosen are refused. */
    const bool is_heuristic = job->value[OPT_PIVOTS] || job->value[OPT_HEURISTIC_SEARCH];
    if (is_heuristic && !job->value[OPT_METHOD]) method = BOSC_CELLGRAPH_HEURISTIC;
    if (job->value[OPT_HEURISTIC_SEARCH] && method != BOSC_CELLGRAPH_HEURISTIC)
        return report_error(EXIT_USAGE, "--heuristic-search: needs --method heuristic");
    if (job->value[OPT_PIVOTS] && method != BOSC_CELLGRAPH_HEURISTIC)
        return report_error(EXIT_USAGE, "--pivots: needs --method heuristic");
    if (job->value[OPT_TRIE_SEARCH] && method != BOSC_CELLGRAPH_TRIE)
        return report_error(EXIT_USAGE, "--trie-search: needs --method trie");
    if (job->value[OPT_LAUNCH] && heuristic == BOSC_CELLGRAPH_HEURISTIC_ROWS && search != BOSC_CELLGRAPH_TRIE_BLOCKS)
        return report_error(EXIT_USAGE,
                            "--launch: needs --heuristic-search published or blocks, or --trie-search blocks");
    if (job->value[OPT_BY_VALUES] && search != BOSC_CELLGRAPH_TRIE_BLOCKS && search != BOSC_CELLGRAPH_TRIE_LOOKUP)
        return report_error(EXIT_USAGE, "--by-values: needs --trie-search lookup or blocks");
    if (job->value[OPT_DIGIT] && method != BOSC_CELLGRAPH_TRIE)
        return report_error(EXIT_USAGE, "--digit: needs --method trie");
    opts->trie_by_values = job->value[OPT_BY_VALUES] != NULL;
    opts->digit_bits = (int32_t)digit;
    opts->method = (bosc_cellgraph_method)method;
    opts->pivots = (int32_t)pivots;
    opts->heuristic_search = (bosc_cellgraph_heuristic_search)heuristic;
    opts->trie_search = (bosc_cellgraph_trie_search)search;
    return EXIT_DONE;
}

int cellgraph_check_method(const bosc_vectors *vectors, int method)
{
    const int64_t bits = (int64_t)vectors->length * vectors->letter_bits;
    if (method != BOSC_CELLGRAPH_TABLE || bits <= BOSC_CELLGRAPH_TABLE_BITS) return EXIT_DONE;
    return report_error(EXIT_USAGE, "--method: table needs vectors of at most %d bits, not %lld",
                        BOSC_CELLGRAPH_TABLE_BITS, (long long)bits);
}

/* Sets length and letter size of the vectors; --digit must be whole letters. */
static int set_letters(const bosc_vectors *vectors, bosc_cellgraph_opts *opts)
{
    if (opts->digit_bits % vectors->letter_bits)
        return report_error(EXIT_USAGE, "--digit: %d is no multiple of the %d bits of a letter", (int)opts->digit_bits,
                            vectors->letter_bits);
    opts->length = vectors->length;
    opts->letter_bits = vectors->letter_bits;
    return cellgraph_check_method(vectors, opts->method);
}

/* Builds the graph, reports it, and lists its pairs if they are written. */
static int build_pairs(struct job *job, const bosc_vectors *vectors, const bosc_cellgraph_opts *opts,
                       bosc_cellgraph **graph, bosc_array *pairs)
{
    bosc_cellgraph_info info = {.size = sizeof info};
    double start = job_now();
    bosc_status status = bosc_cellgraph_create(job->ctx, opts, graph);
    if (status == BOSC_OK) status = bosc_cellgraph_build(job->ctx, *graph, vectors->rows, vectors->n, 0);
    job_add_seconds(job, "build", start);
    if (status == BOSC_OK) status = bosc_cellgraph_get_info(job->ctx, *graph, &info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    *pairs = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {info.edges, 2, 1, 1}};
    job_set_integer(job, "n", info.n);
    job_set_integer(job, "unique", info.vertices);
    job_set_integer(job, "edges", info.edges);
    job_set_text(job, "method", option_choice_name(job, OPT_METHOD, info.method));
    if (!job->value[OPT_OUTPUT]) return EXIT_DONE;
    pairs->data = job_alloc((size_t)info.edges, 2 * sizeof(int64_t));
    if (!pairs->data) return EXIT_FAILED;
    start = job_now();
    status = bosc_cellgraph_get_pairs(job->ctx, *graph, pairs->data, NULL);
    job_add_seconds(job, "pairs", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
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
    if (!code) code = set_letters(&vectors, &opts);
    if (!code)
        code = ranks.count ? cellgraph_pairs_over_ranks(job, &ranks, &vectors, &opts, &pairs)
                           : build_pairs(job, &vectors, &opts, &graph, &pairs);
    if (!code) job_set_integer(job, "n", vectors.file_n);
    if (!code && pairs.data && !job->silent) vectors_to_rows(&vectors, pairs.data, 2 * pairs.shape[0]);
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &pairs, 1);
    ranks_close(&ranks, code);
    bosc_cellgraph_free(graph);
    bosc_vectors_free(&vectors);
    bosc_array_free(&pairs);
    return code;
}
