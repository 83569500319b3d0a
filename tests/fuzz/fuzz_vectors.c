/* Vectors as text. After a first byte of 200 or more, which gives the number of bits, vectors as .npy. */
#include "fuzz.h"
#include "io/graph/vectors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bosc_io_error error = {""};
    bosc_vectors v = {0};
    bool packed = size > 0 && data[0] >= 200;
    struct bi_bytes in = {.name = "F", .data = (const char *)data + packed, .size = size - packed};
    bosc_status status =
        packed ? bi_vectors_npy_parse(&in, data[0] - 199, &v, &error) : bi_vectors_text_parse(&in, &v, &error);
    if (status != BOSC_OK) {
        if (v.rows || error.text[0] != 'F') abort();
        return 0;
    }
    if (v.length < 1 || v.n < 0 || (v.letter_bits != 1 && v.letter_bits != 2)) abort();
    int64_t words = v.n * ((v.length + 64 / v.letter_bits - 1) / (64 / v.letter_bits));
    if (words > (int64_t)size) abort();
    volatile uint64_t sum = 0;
    for (int64_t i = 0; i < words; i++) sum = sum + v.rows[i];
    bosc_vectors_free(&v);
    return 0;
}
