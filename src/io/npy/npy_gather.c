/* Converts elements of .npy files: big-endian, Fortran order, half floats. */
#include <string.h>

#include "io/npy/npy.h"

bool bi_npy_is_plain(const struct bi_npy *npy)
{
    bool swapped = npy->big && npy->width > 1, half = npy->kind == 'f' && npy->width == 2;
    return !swapped && !npy->fortran && !half;
}

/* Converts IEEE 754 binary16 to binary32, exactly. */
static uint32_t convert_half(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023, bits;
    float subnormal = (float)fraction * 0x1p-24f;
    memcpy(&bits, &subnormal, sizeof bits);
    if (exponent == 31) bits = 0x7f800000 | fraction << 13;
    if (exponent > 0 && exponent < 31) bits = (exponent + 112) << 23 | fraction << 13;
    return sign | bits;
}

/* Converts one element of the file to `size` bytes at `to`. */
static void convert_element(const struct bi_npy *npy, const unsigned char *from, char *to, size_t size)
{
    uint64_t bits = 0;
    for (int i = 0; i < npy->width; i++) bits |= (uint64_t)from[npy->big ? npy->width - 1 - i : i] << 8 * i;
    if (npy->kind == 'f' && npy->width == 2) bits = convert_half((uint32_t)bits);
    memcpy(to, &bits, size);
}

enum { PROGRESS_INTERVAL = 1 << 20 }; /* least bytes between two progress reports; chosen */

bool bi_npy_gather(const struct bi_npy *npy, const void *elements, void *array)
{
    int64_t step[4] = {0}, bytes = npy->width; /* step: stride in bytes of each index in the file */
    const int64_t *shape = npy->shape;
    size_t size = bosc_dtype_size(npy->dtype);
    char *to = array;
    /* 1. The strides of the file. */
    for (int i = 0; i < 4; i++) {
        int at = npy->fortran ? i : 3 - i;
        step[at] = bytes;
        bytes *= shape[at];
    }
    int64_t row = npy->bytes && shape[0] ? (int64_t)npy->bytes / shape[0] : 0, unreported = 0;
    bi_io_phase(0.9, (double)npy->bytes);
    /* 2. The elements, in C order. */
    for (int64_t a = 0; a < shape[0]; a++) {
        if ((unreported += row) >= PROGRESS_INTERVAL) {
            if (!bi_io_advance((double)unreported)) return false;
            unreported = 0;
        }
        for (int64_t b = 0; b < shape[1]; b++)
            for (int64_t c = 0; c < shape[2]; c++)
                for (int64_t d = 0; d < shape[3]; d++, to += size) {
                    int64_t at = a * step[0] + b * step[1] + c * step[2] + d * step[3];
                    convert_element(npy, (const unsigned char *)elements + at, to, size);
                }
    }
    return true;
}
