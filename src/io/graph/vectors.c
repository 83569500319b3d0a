/* Parses vectors of bits, bases and amino acids, as lines, FASTA or FASTQ, and packed bits in .npy. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/array.h"
#include "io/file/file.h"
#include "io/graph/sequences.h"
#include "io/graph/vectors.h"
#include "io/npy/npy.h"

void bosc_vectors_free(bosc_vectors *vectors)
{
    if (!vectors) return;
    free(vectors->rows);
    free(vectors->file_rows);
    *vectors = (bosc_vectors){0};
}

static int64_t words_of(const bosc_vectors *v)
{
    int64_t per_word = 64 / v->letter_bits;
    return (v->length + per_word - 1) / per_word;
}

/* Vectors being read. */
struct growing {
    bosc_vectors v;
    struct bi_alphabet alphabet;
    int64_t capacity; /* number of allocated rows */
    bool skips;       /* vectors with ambiguity codes */
};

static bosc_status out_of_memory(struct bi_reason *reason, int64_t vectors)
{
    bi_sequences_refuse(reason, "out of memory for %lld vectors", (long long)vectors);
    return BOSC_ERR_NOMEM;
}

static bosc_status reserve_row(struct growing *g, struct bi_reason *reason)
{
    if (g->v.n < g->capacity) return BOSC_OK;
    const int64_t capacity = g->capacity ? 2 * g->capacity : BI_IO_MIN_CAPACITY;
    uint64_t *rows = bi_io_realloc(g->v.rows, (size_t)(capacity * words_of(&g->v)) * 8);
    if (!rows) return out_of_memory(reason, capacity);
    g->v.rows = rows;
    if (g->skips) {
        int64_t *file_rows = bi_io_realloc(g->v.file_rows, (size_t)capacity * sizeof *file_rows);
        if (!file_rows) return out_of_memory(reason, capacity);
        g->v.file_rows = file_rows;
    }
    g->capacity = capacity;
    return BOSC_OK;
}

/* True for a vector without letters, or with an ambiguity code. */
static bool must_skip(const struct growing *g, struct bi_line letters)
{
    for (const char *p = letters.begin; p < letters.end; p++)
        if (bi_letter_value(&g->alphabet, *p) < 0) return true;
    return letters.begin == letters.end;
}

/* Packs the checked letters of a vector. The first vector sets the length of all. */
static bosc_status add_vector(void *to, struct bi_line name, struct bi_line letters, int64_t count,
                              struct bi_reason *reason)
{
    struct growing *g = to;
    const int64_t length = letters.end - letters.begin, row_of_file = g->v.file_n++;
    (void)name;
    (void)count;
    if (g->skips && must_skip(g, letters)) return BOSC_OK;
    /* 1. The length. */
    if (length > BI_SEQUENCE_LETTERS_MAX)
        return bi_sequences_refuse(reason, "%lld letters, more than %d", (long long)length, BI_SEQUENCE_LETTERS_MAX);
    if (g->v.length > 0 && length != g->v.length)
        return bi_sequences_refuse(reason, "%lld letters where the first vector has %d", (long long)length,
                                   (int)g->v.length);
    g->v.length = (int32_t)length;
    bosc_status status = reserve_row(g, reason);
    if (status != BOSC_OK) return status;
    /* 2. The letters. */
    const int64_t words = words_of(&g->v), per_word = 64 / g->v.letter_bits;
    uint64_t *row = g->v.rows + g->v.n * words;
    memset(row, 0, (size_t)words * 8);
    for (int64_t k = 0; k < length; k++)
        row[k / per_word] |= (uint64_t)bi_letter_value(&g->alphabet, letters.begin[k])
                             << k % per_word * g->v.letter_bits;
    if (g->skips) g->v.file_rows[g->v.n] = row_of_file;
    g->v.n++;
    return BOSC_OK;
}

/* Chooses an alphabet by the first character: bits or bases. */
static bosc_status choose_alphabet(const struct bi_bytes *in, const struct bi_sequence_start *start,
                                   bosc_alphabet *alphabet, bosc_io_error *error)
{
    struct bi_alphabet bases, bits;
    struct bi_reason reason;
    bi_alphabet_set(&bases, BOSC_ALPHABET_BASES, true);
    bi_alphabet_set(&bits, BOSC_ALPHABET_BITS, false);
    *alphabet = BOSC_ALPHABET_BASES;
    if (start->format != BI_SEQUENCE_LINES || bi_letter_value(&bases, start->first) >= 0) return BOSC_OK;
    *alphabet = BOSC_ALPHABET_BITS;
    if (bi_letter_value(&bits, start->first) >= 0) return BOSC_OK;
    bosc_status status =
        bi_sequences_refuse(&reason, "%s begins neither bits (0, 1) nor bases (A, C, G, T) nor FASTA (>) nor FASTQ (@)",
                            bi_quote(&start->first, &start->first + 1).text);
    return bi_sequences_fail(in, start->line, status, &reason, error);
}

/* Drops the numbers of rows if no vector was skipped. */
static bosc_status finish_vectors(const struct bi_bytes *in, struct growing *g, bosc_io_error *error)
{
    if (g->v.n == 0) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no vectors without ambiguity codes", in->name);
    if (g->v.n == g->v.file_n) {
        free(g->v.file_rows);
        g->v.file_rows = NULL;
    }
    return BOSC_OK;
}

bosc_status bi_vectors_text_parse(const struct bi_bytes *in, const bosc_vectors_opts *opts, bosc_vectors *vectors,
                                  bosc_io_error *error)
{
    struct growing g = {.capacity = 0};
    bosc_alphabet alphabet = opts->alphabet;
    bosc_status status = BOSC_OK;
    /* 1. Format and alphabet. */
    const struct bi_sequence_start start = bi_sequences_begin(in);
    if (!start.line) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no vectors", in->name);
    if (alphabet == BOSC_ALPHABET_AUTO) status = choose_alphabet(in, &start, &alphabet, error);
    if (status != BOSC_OK) return status;
    bi_alphabet_set(&g.alphabet, alphabet, opts->ambiguity == BOSC_AMBIGUITY_LETTER);
    g.v.letter_bits = g.alphabet.letter_bits;
    g.skips = opts->ambiguity == BOSC_AMBIGUITY_SKIP && alphabet != BOSC_ALPHABET_BITS; /* bits have no codes */
    /* 2. The vectors. */
    const struct bi_sequence_receiver receiver = {.alphabet = &g.alphabet,
                                                  .has_codes = g.skips,
                                                  .has_counts = alphabet != BOSC_ALPHABET_BITS,
                                                  .has_empty = g.skips,
                                                  .max_letters = BI_SEQUENCE_LETTERS_MAX,
                                                  .add = add_vector,
                                                  .to = &g};
    status = bi_sequences_receive(in, start.format, &receiver, error);
    if (status == BOSC_OK) status = finish_vectors(in, &g, error);
    if (status == BOSC_OK)
        *vectors = g.v;
    else
        bosc_vectors_free(&g.v);
    return status;
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
    v.n = v.file_n = npy.shape[0];
    if (v.n > 0 && !(v.rows = bi_io_alloc((size_t)(v.n * words_of(&v)) * 8)))
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory for %lld vectors", in->name, (long long)v.n);
    if (v.n > 0) status = bi_npy_is_plain(&npy) ? read_rows(in, &npy, &v, error) : read_columns(in, &v, error);
    if (status == BOSC_OK)
        *vectors = v;
    else
        bosc_vectors_free(&v);
    return status;
}

static bosc_status parse_file(struct bi_file *file, const bosc_vectors_opts *opts, bosc_vectors *vectors,
                              bosc_io_error *error)
{
    const char *name = file->bytes.name;
    if (!bi_npy_is(&file->bytes)) {
        bosc_status status = bi_file_load(file, error);
        return status == BOSC_OK ? bi_vectors_text_parse(&file->bytes, opts, vectors, error) : status;
    }
    if (opts->bits == 0)
        return bi_io_fail(error, BOSC_ERR_ARG, "bits: 0, but %s is packed and does not say how many bits a vector has",
                          name);
    if (opts->alphabet > BOSC_ALPHABET_BITS)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: packed bits, but another alphabet is required", name);
    return bi_vectors_npy_parse(&file->bytes, opts->bits, vectors, error);
}

/* Copies the caller's options, with defaults in the fields that it does not have, and checks them. */
static bosc_status check_opts(const bosc_vectors_opts *callers, bosc_vectors_opts *opts, bosc_io_error *error)
{
    const bosc_status status = bi_io_read_opts("bosc_vectors_opts", callers, opts, sizeof *opts, error);
    if (status != BOSC_OK) return status;
    if (opts->bits < 0 || opts->bits > BI_SEQUENCE_LETTERS_MAX)
        return bi_io_fail(error, BOSC_ERR_ARG, "bits: %d is not in 0 to %d", (int)opts->bits, BI_SEQUENCE_LETTERS_MAX);
    if ((unsigned)opts->alphabet > BOSC_ALPHABET_AMINO_ACIDS)
        return bi_io_fail(error, BOSC_ERR_ARG, "alphabet: %d is no alphabet", (int)opts->alphabet);
    if ((unsigned)opts->ambiguity > BOSC_AMBIGUITY_LETTER)
        return bi_io_fail(error, BOSC_ERR_ARG, "ambiguity: %d is not in 0 to %d", (int)opts->ambiguity,
                          BOSC_AMBIGUITY_LETTER);
    return BOSC_OK;
}

bosc_status bosc_vectors_read(const char *path, const bosc_vectors_opts *opts, bosc_vectors *vectors,
                              bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_vectors v = {0};
    bosc_vectors_opts o;
    /* 1. Arguments. */
    if (!vectors) return bi_io_fail(error, BOSC_ERR_ARG, "vectors: NULL");
    bosc_status status = check_opts(opts, &o, error);
    if (status == BOSC_OK) status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    /* 2. The file: its head, and again the whole one if the parser needed that. */
    do status = parse_file(&file, &o, &v, error);
    while (bi_file_reload(&file, &status, error));
    if (status == BOSC_OK && o.bits > 0 && (v.length != o.bits || v.letter_bits != 1))
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: vectors of %d %s, not %d bits", file.bytes.name, (int)v.length,
                            v.letter_bits == 1   ? "bits"
                            : v.letter_bits == 5 ? "amino acids"
                                                 : "bases",
                            (int)o.bits);
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *vectors = v;
    else
        bosc_vectors_free(&v);
    return status;
}
