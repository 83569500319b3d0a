/* Vectors over a small alphabet: lines of 0 and 1, barcodes of A, C, G and T, FASTA, and packed bits in .npy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/number.h"
#include "io/vectors.h"

enum { LENGTH_MAX = 65536, BARCODE_BITS = 2 };

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

/* Vectors as they are read: `room` rows are allocated. */
struct growing {
    bosc_vectors v;
    int64_t room;
    bool fasta;
};

/* The value of a letter of the alphabet, or -1. */
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

static bosc_status grow(struct growing *g, struct bi_reason *reason)
{
    if (g->v.n < g->room) return BOSC_OK;
    int64_t room = g->room ? 2 * g->room : 1024;
    uint64_t *rows = bi_io_realloc(g->v.rows, (size_t)(room * words_of(&g->v)) * 8);
    if (!rows) {
        snprintf(reason->text, sizeof reason->text, "out of memory for %lld vectors", (long long)room);
        return BOSC_ERR_NOMEM;
    }
    g->v.rows = rows;
    g->room = room;
    return BOSC_OK;
}

/* Packs the letters of a word; the first vector says how long all are. */
static bosc_status add(struct growing *g, struct bi_line word, struct bi_reason *reason)
{
    int64_t length = word.end - word.begin;
    if (g->v.length == 0 && length > LENGTH_MAX)
        snprintf(reason->text, sizeof reason->text, "%lld letters, more than %d", (long long)length, LENGTH_MAX);
    else if (g->v.length > 0 && length != g->v.length)
        snprintf(reason->text, sizeof reason->text, "%lld letters where the first vector has %d", (long long)length,
                 (int)g->v.length);
    else {
        g->v.length = (int32_t)length;
        bosc_status status = grow(g, reason);
        if (status != BOSC_OK) return status;
        int64_t words = words_of(&g->v), per_word = 64 / g->v.letter_bits;
        uint64_t *row = g->v.rows + g->v.n * words;
        memset(row, 0, (size_t)words * 8);
        for (int64_t k = 0; k < length; k++) {
            int value = value_of(word.begin[k], g->v.letter_bits);
            if (value < 0) {
                snprintf(reason->text, sizeof reason->text, "%s is none of %s",
                         bi_quote(word.begin + k, word.begin + k + 1).text,
                         g->v.letter_bits == 1 ? "0, 1" : "A, C, G, T");
                return BOSC_ERR_FORMAT;
            }
            row[k / per_word] |= (uint64_t)value << k % per_word * g->v.letter_bits;
        }
        g->v.n++;
        return BOSC_OK;
    }
    return BOSC_ERR_FORMAT;
}

/* A line of letters, and a count of how often it was seen, which the answer does not depend on. */
static bosc_status read_line(struct growing *g, struct bi_line line, struct bi_reason *reason)
{
    struct bi_line word, count;
    int64_t seen;
    if (!bi_line_word(&line, &word)) return BOSC_OK;
    if (bi_line_word(&line, &count) && (g->fasta || !bi_word_count(&count, &seen) || bi_line_word(&line, &count))) {
        snprintf(reason->text, sizeof reason->text, "%s where %s should end", bi_quote(count.begin, count.end).text,
                 g->fasta ? "the line" : "a count");
        return BOSC_ERR_FORMAT;
    }
    return add(g, word, reason);
}

/* The alphabet, by the first letter of the first line that has one. */
static void choose_alphabet(struct growing *g, struct bi_lines lines)
{
    struct bi_line line, word;
    if (!bi_lines_next_content(&lines, &line) || !bi_line_word(&line, &word)) return;
    g->fasta = *word.begin == '>';
    g->v.letter_bits = g->fasta || value_of(*word.begin, BARCODE_BITS) >= 0 ? BARCODE_BITS : 1;
}

bosc_status bi_vectors_text_parse(const struct bi_bytes *in, bosc_vectors *vectors, bosc_io_error *error)
{
    struct growing g = {0};
    struct bi_reason reason = {""};
    struct bi_lines lines = bi_lines_of(in);
    struct bi_line line;
    bosc_status status = BOSC_OK;
    choose_alphabet(&g, lines);
    while (status == BOSC_OK && bi_lines_next_content(&lines, &line)) {
        const char *p = line.begin;
        while (p < line.end && (*p == ' ' || *p == '\t')) p++;
        if (!g.fasta || *p != '>') status = read_line(&g, line, &reason);
    }
    if (status == BOSC_OK && g.v.n == 0) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no vectors", in->name);
    if (status == BOSC_OK) {
        *vectors = g.v;
        return BOSC_OK;
    }
    bosc_vectors_free(&g.v);
    return bi_io_fail(error, status, "%s:%lld: %s", in->name, (long long)lines.number, reason.text);
}

/* Bytes whose most significant bit is the first letter. */
static void unpack(const bosc_array *bytes, bosc_vectors *v)
{
    int64_t words = words_of(v), row_bytes = bytes->shape[1];
    const uint8_t *from = bytes->data;
    memset(v->rows, 0, (size_t)(v->n * words) * 8);
    for (int64_t i = 0; i < v->n; i++)
        for (int64_t k = 0; k < v->length; k++)
            v->rows[i * words + k / 64] |= (uint64_t)(from[i * row_bytes + k / 8] >> (7 - k % 8) & 1) << k % 64;
}

bosc_status bi_vectors_npy_parse(const struct bi_bytes *in, int32_t bits, bosc_vectors *vectors, bosc_io_error *error)
{
    bosc_array array = {0};
    bosc_vectors v = {.length = bits, .letter_bits = 1};
    bosc_status status = bi_npy_parse(in, &array, error);
    if (status != BOSC_OK) return status;
    if (array.rank != 2 || array.dtype != BOSC_U8)
        status =
            bi_io_fail(error, BOSC_ERR_FORMAT, "%s: packed vectors are u1 of two dimensions, and this array %s of %d",
                       in->name, bi_npy_code(array.dtype), (int)array.rank);
    else if (array.shape[1] != (bits + 7) / 8)
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: rows of %lld bytes, but %d bits take %d", in->name,
                            (long long)array.shape[1], (int)bits, (int)(bits + 7) / 8);
    v.n = array.shape[0];
    if (status == BOSC_OK && v.n > 0 && !(v.rows = bi_io_alloc((size_t)(v.n * words_of(&v)) * 8)))
        status = bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory for %lld vectors", in->name, (long long)v.n);
    if (status == BOSC_OK) {
        if (v.n > 0) unpack(&array, &v);
        *vectors = v;
    }
    bosc_array_free(&array);
    return status;
}

bosc_status bosc_vectors_read(const char *path, int32_t bits, bosc_vectors *vectors, bosc_io_error *error)
{
    struct bi_file file;
    if (!vectors) return bi_io_fail(error, BOSC_ERR_ARG, "vectors: NULL");
    if (bits < 0 || bits > LENGTH_MAX)
        return bi_io_fail(error, BOSC_ERR_ARG, "bits: %d is not in 0 to %d", (int)bits, LENGTH_MAX);
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return status;
    bosc_vectors v = {0};
    if (!bi_npy_is(&file.bytes))
        status = bi_vectors_text_parse(&file.bytes, &v, error);
    else if (bits == 0)
        status = bi_io_fail(error, BOSC_ERR_ARG, "bits: 0, but %s is packed: how many bits a vector has must be said",
                            file.bytes.name);
    else
        status = bi_vectors_npy_parse(&file.bytes, bits, &v, error);
    if (status == BOSC_OK && bits > 0 && (v.length != bits || v.letter_bits != 1))
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: vectors of %d %s, not %d bits", file.bytes.name, (int)v.length,
                            v.letter_bits == 1 ? "bits" : "bases", (int)bits);
    if (status == BOSC_OK)
        *vectors = v;
    else
        bosc_vectors_free(&v);
    bi_file_close(&file);
    return status;
}
