/* Vectors as text. After a first byte of 200 or more, which gives the number of bits, vectors as .npy; after one of 128
 * to 199, which gives the options, vectors as text, and sequences. */
#include "fuzz.h"
#include "io/graph/sequences.h"
#include "io/graph/vectors.h"

static void parse_sequences(const struct bi_bytes *in, bosc_sequences_opts opts)
{
    bosc_io_error error = {""};
    bosc_sequences s = {0};
    if (bi_sequences_parse(in, &opts, &s, &error) != BOSC_OK) {
        if (s.letters || error.text[0] != 'F') abort();
        return;
    }
    if (s.n < 1 || s.offsets[0] != 0 || s.offsets[s.n] > (int64_t)in->size) abort();
    for (int64_t i = 0; i < s.n; i++)
        if (s.offsets[i + 1] < s.offsets[i] || s.counts[i] < 0 || (s.keys && s.keys[i] >= s.key_count) ||
            (s.marks && s.marks[i] >= s.mark_count))
            abort();
    bosc_sequences_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bosc_io_error error = {""};
    bosc_vectors v = {0};
    bosc_vectors_opts opts = {.size = sizeof opts};
    /* 1. The first byte. */
    bool packed = size > 0 && data[0] >= 200, has_opts = size > 0 && data[0] >= 128 && !packed;
    struct bi_bytes in = {
        .name = "F", .data = (const char *)data + (packed || has_opts), .size = size - (packed || has_opts)};
    if (has_opts) {
        opts.alphabet = (bosc_alphabet)(data[0] % 4);
        opts.ambiguity = (bosc_ambiguity)(data[0] / 4 % 3);
        parse_sequences(&in, (bosc_sequences_opts){.alphabet = opts.alphabet});
        parse_sequences(&in, (bosc_sequences_opts){.pattern = "XCNCN"});
        parse_sequences(&in, (bosc_sequences_opts){.name_separator = '_', .keys_in_names = 1});
        parse_sequences(&in, (bosc_sequences_opts){.column = "2", .key_columns = "1,3"});
    }
    /* 2. The vectors, which must be valid if they are read. */
    bosc_status status =
        packed ? bi_vectors_npy_parse(&in, data[0] - 199, &v, &error) : bi_vectors_text_parse(&in, &opts, &v, &error);
    if (status != BOSC_OK) {
        if (v.rows || error.text[0] != 'F') abort();
        return 0;
    }
    if (v.length < 1 || v.n < 0 || v.letter_bits < 1 || v.letter_bits > 5 || v.letter_bits == 3) abort();
    if (v.file_rows ? v.n >= v.file_n || v.file_rows[v.n - 1] >= v.file_n : v.n != v.file_n) abort();
    int64_t words = v.n * ((v.length + 64 / v.letter_bits - 1) / (64 / v.letter_bits));
    if (words > (int64_t)size) abort();
    volatile uint64_t sum = 0;
    for (int64_t i = 0; i < words; i++) sum = sum + v.rows[i];
    bosc_vectors_free(&v);
    return 0;
}
