/* Parses vectors over a small alphabet: lines of 0 and 1, barcodes of A, C, G and T, FASTA, and packed bits in .npy. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/graph/vectors.h"
#include "io/file/array.h"
#include "io/file/file.h"
#include "io/npy/npy.h"
#include "io/text/row.h"

enum {
    LENGTH_MAX = 65536, /* as boscage/io.h says */
    BARCODE_BITS = 2    /* bits of a base */
};

void bosc_vectors_free(bosc_vectors *vectors)
{
    if (!vectors) return;
    free(vectors->rows);
    *vectors = (bosc_vectors){0};
}

static int64_t words_of(const bosc_vectors *v)
{
    int64_t per_word = 64 / v->letter_bits;
    return (v->length + per_word - 1) / per_word;
}

/* Vectors being read. The letters of a FASTA sequence are gathered from its lines. */
struct growing {
    bosc_vectors v;
    int64_t capacity; /* number of allocated rows */
    bool fasta;
    char *sequence;           /* (LENGTH_MAX) */
    int64_t gathered, header; /* number of letters gathered; line of the sequence's header, 0 before the first */
    int64_t line;             /* of a failure */
    struct bi_reason reason;
};

/* Returns the value of a letter, or -1. */
static int value_of(char c, int32_t letter_bits)
{
    if (letter_bits == 1) return c == '0' ? 0 : c == '1' ? 1 : -1;
    switch (c) {
    case 'A':
    case 'a': return 0;
    case 'C':
    case 'c': return 1;
    case 'G':
    case 'g': return 2;
    case 'T':
    case 't':
    case 'U':
    case 'u': return 3;
    default: return -1;
    }
}

__attribute__((format(printf, 2, 3))) static bosc_status refuse(struct growing *g, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(g->reason.text, sizeof g->reason.text, format, values);
    va_end(values);
    return BOSC_ERR_FORMAT;
}

static bosc_status out_of_memory(struct growing *g, int64_t vectors)
{
    refuse(g, "out of memory for %lld vectors", (long long)vectors);
    return BOSC_ERR_NOMEM;
}

static bosc_status reserve_row(struct growing *g)
{
    if (g->v.n < g->capacity) return BOSC_OK;
    int64_t capacity = g->capacity ? 2 * g->capacity : BI_IO_MIN_CAPACITY;
    uint64_t *rows = bi_io_realloc(g->v.rows, (size_t)(capacity * words_of(&g->v)) * 8);
    if (!rows) return out_of_memory(g, capacity);
    g->v.rows = rows;
    g->capacity = capacity;
    return BOSC_OK;
}

static bosc_status check_letters(struct growing *g, struct bi_line word)
{
    for (const char *p = word.begin; p < word.end; p++)
        if (value_of(*p, g->v.letter_bits) < 0)
            return refuse(g, "%s is not one of %s", bi_quote(p, p + 1).text,
                          g->v.letter_bits == 1 ? "0, 1" : "A, C, G, T");
    return BOSC_OK;
}

/* Packs the checked letters of a vector. The first vector sets the length of all. */
static bosc_status add_vector(struct growing *g, struct bi_line word)
{
    int64_t length = word.end - word.begin;
    if (length > LENGTH_MAX) return refuse(g, "%lld letters, more than %d", (long long)length, LENGTH_MAX);
    if (g->v.length > 0 && length != g->v.length)
        return refuse(g, "%lld letters where the first vector has %d", (long long)length, (int)g->v.length);
    g->v.length = (int32_t)length;
    bosc_status status = reserve_row(g);
    if (status != BOSC_OK) return status;
    int64_t words = words_of(&g->v), per_word = 64 / g->v.letter_bits;
    uint64_t *row = g->v.rows + g->v.n * words;
    memset(row, 0, (size_t)words * 8);
    for (int64_t k = 0; k < length; k++)
        row[k / per_word] |= (uint64_t)value_of(word.begin[k], g->v.letter_bits) << k % per_word * g->v.letter_bits;
    g->v.n++;
    return BOSC_OK;
}

/* Reads a line of letters. Behind bases a count of occurrences may follow, which is ignored. */
static bosc_status read_line(struct growing *g, struct bi_line line)
{
    struct bi_line word, count;
    int64_t seen;
    bool counted = g->v.letter_bits == BARCODE_BITS;
    bosc_status status;
    if (!bi_line_word(&line, &word)) return BOSC_OK;
    if ((status = check_letters(g, word)) != BOSC_OK) return status;
    if (bi_line_word(&line, &count) && (!counted || !bi_word_count(&count, &seen) || bi_line_word(&line, &count)))
        return refuse(g, "%s where %s should end", bi_quote(count.begin, count.end).text,
                      counted ? "a count" : "the line");
    return add_vector(g, word);
}

/* Adds the gathered sequence, if there is one. */
static bosc_status finish_sequence(struct growing *g)
{
    if (g->header == 0) return BOSC_OK;
    g->line = g->header;
    if (g->gathered == 0) return refuse(g, "no letters follow this header");
    return add_vector(g, (struct bi_line){g->sequence, g->sequence + g->gathered});
}

static bosc_status read_fasta_line(struct growing *g, struct bi_line line)
{
    struct bi_line word, more;
    bosc_status status;
    if (!bi_line_word(&line, &word)) return BOSC_OK;
    if (*word.begin == '>') {
        int64_t header = g->line;
        status = finish_sequence(g);
        g->header = header;
        g->gathered = 0;
        return status;
    }
    if ((status = check_letters(g, word)) != BOSC_OK) return status;
    if (bi_line_word(&line, &more))
        return refuse(g, "%s where the line should end", bi_quote(more.begin, more.end).text);
    int64_t length = word.end - word.begin;
    if (g->gathered + length > LENGTH_MAX) return refuse(g, "a sequence of more than %d letters", LENGTH_MAX);
    if (!g->sequence && !(g->sequence = bi_io_alloc(LENGTH_MAX))) return out_of_memory(g, 1);
    memcpy(g->sequence + g->gathered, word.begin, (size_t)length);
    g->gathered += length;
    return BOSC_OK;
}

/* Chooses the alphabet by the first character that is not blank. */
static bosc_status choose_alphabet(struct growing *g, struct bi_lines lines)
{
    struct bi_line line, word;
    if (!bi_lines_next_content(&lines, &line) || !bi_line_word(&line, &word)) return refuse(g, "no vectors");
    g->line = lines.number;
    g->fasta = *word.begin == '>';
    g->v.letter_bits = g->fasta || value_of(*word.begin, BARCODE_BITS) >= 0 ? BARCODE_BITS : 1;
    if (g->fasta || value_of(*word.begin, g->v.letter_bits) >= 0) return BOSC_OK;
    return refuse(g, "%s begins neither bits (0, 1) nor bases (A, C, G, T) nor FASTA (>)",
                  bi_quote(word.begin, word.begin + 1).text);
}

bosc_status bi_vectors_text_parse(const struct bi_bytes *in, bosc_vectors *vectors, bosc_io_error *error)
{
    struct growing g = {.reason = {""}};
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line line;
    bosc_status status = choose_alphabet(&g, lines);
    bi_lines_report_progress(&lines);
    while (status == BOSC_OK && bi_lines_next_content(&lines, &line)) {
        g.line = lines.number;
        status = g.fasta ? read_fasta_line(&g, line) : read_line(&g, line);
    }
    if (status == BOSC_OK && g.fasta) status = finish_sequence(&g);
    free(g.sequence);
    if (status == BOSC_OK) {
        *vectors = g.v;
        return BOSC_OK;
    }
    bosc_vectors_free(&g.v);
    if (g.line == 0) return bi_io_fail(error, status, "%s: %s", in->name, g.reason.text);
    return bi_fail_at(in, g.line, status, error, "%s", g.reason.text);
}

/* Converts rows of bytes, most significant bit first, to rows of words, least significant bit first. */
static void reverse_bits(const uint8_t *from, int64_t row_bytes, const bosc_vectors *v, int64_t begin, int64_t end)
{
    int64_t words = words_of(v);
    for (int64_t i = begin; i < end; i++, from += row_bytes) {
        uint64_t *row = v->rows + i * words;
        memset(row, 0, (size_t)words * 8);
        for (int64_t b = 0; b < row_bytes; b++) {
            uint32_t x = from[b];
            if (b == row_bytes - 1)
                x &= 0xff00u >> ((v->length - 1) % 8 + 1); /* clear the bits behind the last letter */
            /* Reverse the byte by swapping halves, pairs and neighbours. */
            x = (x >> 4 & 0x0f) | (x << 4 & 0xf0);
            x = (x >> 2 & 0x33) | (x << 2 & 0xcc);
            x = (x >> 1 & 0x55) | (x << 1 & 0xaa);
            row[b / 8] |= (uint64_t)x << b % 8 * 8;
        }
    }
}

/* Reads the rows in parallel, a block at a time. */
static bosc_status read_rows(const struct bi_bytes *in, const struct bi_npy *npy, const bosc_vectors *v,
                             bosc_io_error *error)
{
    /* Bytes of a turn: fit a cache of the second level, and a read costs far more than its system call. Not
     * measured. */
    enum { BLOCK = 1 << 18 };
    int64_t row_bytes = npy->shape[1], each = row_bytes < BLOCK ? BLOCK / row_bytes : 1;
    int64_t blocks = (v->n + each - 1) / each;
    int number = 0;
    int64_t done = 0;
    bi_io_phase(0.9, (double)v->n);
#pragma omp parallel num_threads(bi_io_threads((size_t)blocks)) reduction(max : number)
    {
        uint8_t *bytes = bi_io_alloc((size_t)(each < v->n ? each : v->n) * (size_t)row_bytes);
        if (!bytes) number = ENOMEM;
#pragma omp for schedule(dynamic) nowait
        for (int64_t b = 0; b < blocks; b++) {
            int64_t begin = b * each, end = v->n - begin < each ? v->n : begin + each;
            size_t at = npy->at + (size_t)(begin * row_bytes), count = (size_t)((end - begin) * row_bytes);
            int failed = bytes ? bi_bytes_copy(in, at, bytes, count) : ENOMEM;
            if (!failed) reverse_bits(bytes, row_bytes, v, begin, end);
            int64_t all = __atomic_add_fetch(&done, end - begin, __ATOMIC_RELAXED);
            if (!failed && !bi_io_set_done((double)all)) failed = ECANCELED;
            number = failed > number ? failed : number;
        }
        free(bytes);
    }
    return number ? bi_bytes_fail(in, number, error) : bi_bytes_unchanged(in, error);
}

/* Reads an array in Fortran order, all at once. */
static bosc_status read_columns(const struct bi_bytes *in, const bosc_vectors *v, bosc_io_error *error)
{
    bosc_array array = {0};
    bosc_status status = bi_npy_parse(in, &array, error);
    if (status == BOSC_OK) reverse_bits(array.data, array.shape[1], v, 0, v->n);
    bosc_array_free(&array);
    return status;
}

bosc_status bi_vectors_npy_parse(const struct bi_bytes *in, int32_t bits, bosc_vectors *vectors, bosc_io_error *error)
{
    struct bi_npy npy;
    bosc_vectors v = {.length = bits, .letter_bits = 1};
    bosc_status status = bi_npy_open(in, &npy, error);
    if (status != BOSC_OK) return status;
    if (npy.rank != 2 || npy.dtype != BOSC_U8)
        return bi_io_fail(error, BOSC_ERR_FORMAT,
                          "%s: packed vectors are u1 of two dimensions, but this array is %s of %d", in->name,
                          bi_dtype_code(npy.dtype), (int)npy.rank);
    if (npy.shape[1] != (bits + 7) / 8)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: rows of %lld bytes, but %d bits take %d", in->name,
                          (long long)npy.shape[1], (int)bits, (int)(bits + 7) / 8);
    v.n = npy.shape[0];
    if (v.n > 0 && !(v.rows = bi_io_alloc((size_t)(v.n * words_of(&v)) * 8)))
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory for %lld vectors", in->name, (long long)v.n);
    if (v.n > 0) status = bi_npy_is_plain(&npy) ? read_rows(in, &npy, &v, error) : read_columns(in, &v, error);
    if (status == BOSC_OK)
        *vectors = v;
    else
        bosc_vectors_free(&v);
    return status;
}

static bosc_status parse_file(struct bi_file *file, int32_t bits, bosc_vectors *vectors, bosc_io_error *error)
{
    if (bi_npy_is(&file->bytes) && bits > 0) return bi_vectors_npy_parse(&file->bytes, bits, vectors, error);
    if (bi_npy_is(&file->bytes))
        return bi_io_fail(error, BOSC_ERR_ARG, "bits: 0, but %s is packed and does not say how many bits a vector has",
                          file->bytes.name);
    bosc_status status = bi_file_load(file, error);
    return status == BOSC_OK ? bi_vectors_text_parse(&file->bytes, vectors, error) : status;
}

bosc_status bosc_vectors_read(const char *path, int32_t bits, bosc_vectors *vectors, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_vectors v = {0};
    if (!vectors) return bi_io_fail(error, BOSC_ERR_ARG, "vectors: NULL");
    if (bits < 0 || bits > LENGTH_MAX)
        return bi_io_fail(error, BOSC_ERR_ARG, "bits: %d is not in 0 to %d", (int)bits, LENGTH_MAX);
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    do status = parse_file(&file, bits, &v, error);
    while (bi_file_reload(&file, &status, error));
    if (status == BOSC_OK && bits > 0 && (v.length != bits || v.letter_bits != 1))
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: vectors of %d %s, not %d bits", file.bytes.name, (int)v.length,
                            v.letter_bits == 1 ? "bits" : "bases", (int)bits);
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *vectors = v;
    else
        bosc_vectors_free(&v);
    return status;
}
