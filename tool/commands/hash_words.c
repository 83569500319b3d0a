/* Words as keys of hash tables: 128 bits hold the bytes of a word of up to 16, and zeros behind them. */
#include <stdlib.h>
#include <string.h>

#include "tool/commands/hash_keys.h"
#include "tool/job.h"
#include "tool/options/option_table.h"
#include "tool/output/arrays.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"

enum { WORD_BYTES = 16 };

/* Copies the words to the keys. Longer ones are refused, or marked as absent if absent is not NULL. */
static int pack_words(const char *path, const bosc_names *words, char *keys, uint8_t **absent)
{
    for (int64_t i = 0; i < words->n; i++) {
        const char *word = words->text + words->begins[i];
        const size_t size = strlen(word);
        if (size <= WORD_BYTES) {
            memcpy(keys + WORD_BYTES * i, word, size);
        } else if (!absent) {
            return report_error(EXIT_FAILED,
                                "%s: row %lld: a word of %zu bytes; keys are words of up to %d (boscage.hashing in "
                                "Python takes longer ones)",
                                path, (long long)i, size, WORD_BYTES);
        } else {
            if (!*absent && !(*absent = calloc((size_t)words->n, 1))) return report_error(EXIT_FAILED, "out of memory");
            (*absent)[i] = 1;
        }
    }
    return EXIT_DONE;
}

int hash_read_words(struct job *job, const char *path, struct input_rows *rows, uint8_t **absent, bosc_names *words)
{
    bosc_io_error error;
    bosc_names own = {0}, *read = words ? words : &own;
    const double start = job_now();
    const bosc_status status = bosc_names_read(path, job->value[OPT_COLUMNS], read, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    rows->array = (bosc_array){.dtype = BOSC_U64, .rank = 2, .shape = {read->n, WORD_BYTES / 8, 1, 1}};
    rows->array.data = job_alloc((size_t)read->n, WORD_BYTES);
    rows->total = read->n;
    int code = rows->array.data ? EXIT_DONE : EXIT_FAILED;
    if (!code) memset(rows->array.data, 0, (size_t)read->n * WORD_BYTES);
    if (!code) code = pack_words(path, read, rows->array.data, absent);
    bosc_names_free(&own);
    return code;
}

int32_t hash_key_bits(const bosc_array *keys)
{
    return keys->rank == 2 ? 8 * WORD_BYTES : 8 * (int32_t)bosc_dtype_size(keys->dtype);
}

int hash_read_keys(struct job *job, const struct ranks *ranks, const char *path, struct input_rows *rows,
                   bosc_dtype *type)
{
    if (path_is_text(path)) return hash_read_words(job, path, rows, NULL, NULL);
    if (job->value[OPT_COLUMNS]) return report_error(EXIT_USAGE, "--columns: %s is no text", path);
    const int code = hash_read_column(job, ranks, path, rows);
    return code ? code : hash_convert_keys(path, rows, type);
}

int hash_read_queries(struct job *job, const struct ranks *ranks, const char *path, int32_t key_bits,
                      const bosc_dtype *type, struct input_rows *rows, uint8_t **absent, bosc_names *words)
{
    if (path_is_text(path) != (key_bits == 8 * WORD_BYTES))
        return report_error(EXIT_FAILED, "%s: %s", path,
                            path_is_text(path) ? "words, but the keys of the table are numbers (.npy)"
                                               : "numbers, but the keys of the table are words (.txt, .csv, .tsv)");
    if (path_is_text(path)) return hash_read_words(job, path, rows, absent, words);
    if (job->value[OPT_COLUMNS]) return report_error(EXIT_USAGE, "--columns: %s is no text", path);
    const int code = hash_read_column(job, ranks, path, rows);
    if (code) return code;
    return hash_convert_queries(path, rows, type ? *type : hash_key_type(rows->array.dtype, key_bits), absent);
}
