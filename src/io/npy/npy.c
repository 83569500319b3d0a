/* Reads and writes .npy files: a magic number, a header in the form of a Python dictionary, and the elements. Source:
 * NEP 1, A Simple File Format for NumPy Arrays. Versions 2 and 3 have a longer length field. */
#include "io/npy/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/array.h"
#include "io/file/file.h"
#include "io/file/sink.h"

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

enum { RANK_MAX = 4 }; /* as boscage/io.h says */

/* ---- header ---- */

/* Parser of a header; `reason` is set on failure. */
struct header {
    const char *p, *end;
    const char *reason;
    bool has_type, has_order, has_shape;
    bool big, fortran;
    bosc_dtype dtype; /* of the resulting array */
    char kind;        /* as in struct bi_npy */
    int width;        /* bytes of an element in the file */
    int32_t rank;
    int64_t shape[RANK_MAX];
};

static bool fail_header(struct header *h, const char *reason)
{
    h->reason = reason;
    return false;
}

static void skip_blanks(struct header *h)
{
    while (h->p < h->end && (*h->p == ' ' || *h->p == '\t' || *h->p == '\n' || *h->p == '\r')) h->p++;
}

/* Skips blanks, then the character c; false if another one follows. */
static bool accept_char(struct header *h, char c)
{
    skip_blanks(h);
    if (h->p == h->end || *h->p != c) return false;
    h->p++;
    return true;
}

static bool parse_string(struct header *h, char *text, size_t capacity)
{
    skip_blanks(h);
    char quote = h->p < h->end ? *h->p : 0;
    if (quote != '\'' && quote != '"') return false;
    const char *begin = ++h->p;
    while (h->p < h->end && *h->p != quote) h->p++;
    size_t length = (size_t)(h->p - begin);
    if (h->p == h->end || length >= capacity) return false;
    memcpy(text, begin, length);
    text[length] = 0;
    h->p++;
    return true;
}

static bool parse_type(struct header *h)
{
    char text[16] = "";
    skip_blanks(h);
    if (h->p < h->end && *h->p == '[') return fail_header(h, "structured arrays are not read");
    if (!parse_string(h, text, sizeof text)) return fail_header(h, "the header's descr is malformed");
    h->has_type = true;
    h->big = text[0] == '>';
    bool prefix = h->big || text[0] == '<' || text[0] == '|' || text[0] == '=';
    const char *code = text + prefix;
    if (code[0] == 'O') return fail_header(h, "arrays of Python objects are not read");
    if (strncmp(code, "M8", 2) == 0 || strncmp(code, "m8", 2) == 0)
        return fail_header(h, "the element type is a date or time; in NumPy x.view('i8') makes it i8");
    const bool half = strcmp(code, "f2") == 0, boolean = strcmp(code, "b1") == 0;
    if (half || boolean)
        h->dtype = half ? BOSC_F32 : BOSC_U8;
    else if (!bi_dtype_of_code(code, &h->dtype))
        return fail_header(h, "the element type is not one of f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, b1");
    h->kind = boolean ? 'u' : code[0];
    h->width = code[1] - '0';
    return true;
}

static bool parse_order(struct header *h)
{
    skip_blanks(h);
    size_t left = (size_t)(h->end - h->p);
    h->has_order = true;
    h->fortran = left >= 4 && memcmp(h->p, "True", 4) == 0;
    if (!h->fortran && (left < 5 || memcmp(h->p, "False", 5) != 0))
        return fail_header(h, "the header's fortran_order is malformed");
    h->p += h->fortran ? 4 : 5;
    return true;
}

static bool parse_size(struct header *h, int64_t *size)
{
    skip_blanks(h);
    const char *begin = h->p;
    *size = 0;
    for (; h->p < h->end && *h->p >= '0' && *h->p <= '9'; h->p++)
        if (__builtin_mul_overflow(*size, 10, size) || __builtin_add_overflow(*size, *h->p - '0', size))
            return fail_header(h, "the shape is too large");
    if (h->p == begin) return fail_header(h, "the header's shape is malformed");
    if (h->p < h->end && *h->p == 'L') h->p++; /* a long integer of Python 2 */
    return true;
}

static bool parse_shape(struct header *h)
{
    if (!accept_char(h, '(')) return fail_header(h, "the header's shape is malformed");
    h->has_shape = true;
    while (!accept_char(h, ')')) {
        if (h->rank == RANK_MAX) return fail_header(h, "the array has more than 4 dimensions");
        if (!parse_size(h, &h->shape[h->rank])) return false;
        h->rank++;
        if (accept_char(h, ',')) continue;
        if (h->rank == 1 || !accept_char(h, ')')) return fail_header(h, "the header's shape is malformed");
        break;
    }
    return h->rank > 0 || fail_header(h, "the array has no dimensions");
}

static bool parse_header(struct header *h)
{
    char key[24]; /* longer than "fortran_order" */
    if (!accept_char(h, '{')) return fail_header(h, "the header is not a dictionary");
    while (!accept_char(h, '}')) {
        if (!parse_string(h, key, sizeof key) || !accept_char(h, ':')) return fail_header(h, "the header is malformed");
        bool type = strcmp(key, "descr") == 0, order = strcmp(key, "fortran_order") == 0;
        bool shape = strcmp(key, "shape") == 0;
        if ((type && h->has_type) || (order && h->has_order) || (shape && h->has_shape))
            return fail_header(h, "the header gives a key twice");
        if (!type && !order && !shape) return fail_header(h, "the header has an unknown key");
        if (!(type ? parse_type(h) : order ? parse_order(h) : parse_shape(h))) return false;
        if (accept_char(h, ',')) continue;
        if (!accept_char(h, '}')) return fail_header(h, "the header is malformed");
        break;
    }
    skip_blanks(h);
    if (h->p != h->end) return fail_header(h, "the header is malformed");
    if (!h->has_type || !h->has_order || !h->has_shape)
        return fail_header(h, "the header lacks descr, fortran_order or shape");
    return true;
}

bool bi_npy_is(const struct bi_bytes *in) { return bi_bytes_begin(in, magic, sizeof magic); }

/* Finds the header's text by its version and length. */
static bool find_header(const struct bi_bytes *in, struct header *h)
{
    const unsigned char *b = (const unsigned char *)in->data;
    if (in->backing && in->size < 12) in->backing->whole_needed = true;
    if (!bi_npy_is(in)) return fail_header(h, "no .npy file");
    if (in->size < 8) return fail_header(h, "truncated in the header");
    if (b[6] < 1 || b[6] > 3) return fail_header(h, "the version of the format is not 1, 2 or 3");
    size_t text_begin = b[6] == 1 ? 10 : 12;
    if (in->size < text_begin) return fail_header(h, "truncated in the header");
    size_t length = (size_t)b[8] | (size_t)b[9] << 8;
    if (b[6] > 1) length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (in->size - text_begin < length) {
        if (in->backing) in->backing->whole_needed = true;
        return fail_header(h, "truncated in the header");
    }
    h->p = in->data + text_begin;
    h->end = h->p + length;
    return true;
}

bosc_status bi_npy_open(const struct bi_bytes *in, struct bi_npy *npy, bosc_io_error *error)
{
    struct header h = {0};
    /* 1. Parse the header. */
    if (!find_header(in, &h) || !parse_header(&h))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %s", in->name, h.reason);
    struct bi_npy fresh = {
        .dtype = h.dtype, .kind = h.kind, .width = h.width, .big = h.big, .fortran = h.fortran, .rank = h.rank};
    for (int i = 0; i < RANK_MAX; i++) fresh.shape[i] = i < h.rank ? h.shape[i] : 1;
    /* 2. Compute the size in bytes as an array of u1 with one more dimension, and compare it with the file. */
    int64_t shape[RANK_MAX + 1] = {fresh.width, fresh.shape[0], fresh.shape[1], fresh.shape[2], fresh.shape[3]};
    if (!bi_array_bytes(BOSC_U8, RANK_MAX + 1, shape, &fresh.bytes))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the shape is too large", in->name);
    fresh.at = (size_t)(h.end - in->data);
    size_t available = bi_bytes_total(in) - fresh.at;
    if (available < fresh.bytes)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: truncated: the array takes %zu bytes, the file has %zu",
                          in->name, fresh.bytes, available);
    if (available > fresh.bytes)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %zu bytes follow the array", in->name, available - fresh.bytes);
    *npy = fresh;
    return BOSC_OK;
}

/* ---- conversion of elements: big-endian, Fortran order, half floats ---- */

bool bi_npy_is_plain(const struct bi_npy *npy)
{
    bool swapped = npy->big && npy->width > 1, half = npy->kind == 'f' && npy->width == 2;
    return !swapped && !npy->fortran && !half;
}

uint32_t bi_npy_convert_half(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023, bits;
    float subnormal = (float)fraction * 0x1p-24f;
    memcpy(&bits, &subnormal, sizeof bits);
    if (exponent == 31) bits = 0x7f800000 | fraction << 13;
    /* 112: the difference of the biases, 127 - 15. */
    if (exponent > 0 && exponent < 31) bits = (exponent + 112) << 23 | fraction << 13;
    return sign | bits;
}

/* Converts one element of the file to `size` bytes at `to`. */
static void convert_element(const struct bi_npy *npy, const unsigned char *from, char *to, size_t size)
{
    uint64_t bits = 0;
    for (int i = 0; i < npy->width; i++) bits |= (uint64_t)from[npy->big ? npy->width - 1 - i : i] << 8 * i;
    if (npy->kind == 'f' && npy->width == 2) bits = bi_npy_convert_half((uint32_t)bits);
    memcpy(to, &bits, size);
}

/* False if the caller's progress function cancels; the array is then incomplete. Missing dimensions have length 1. */
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
        if ((unreported += row) >= BI_IO_REPORT_BYTES) {
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

/* ---- reading ---- */

/* Converts elements unless bi_npy_is_plain. Elements in a backing file are all read first. */
static bosc_status read_and_gather(const struct bi_bytes *in, const struct bi_npy *npy, void *array,
                                   bosc_io_error *error)
{
    if (!in->backing) return bi_npy_gather(npy, in->data + npy->at, array) ? BOSC_OK : BOSC_ERR_CANCELLED;
    void *elements = bi_io_alloc(npy->bytes);
    if (!elements) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory for %zu bytes", in->name, npy->bytes);
    bi_io_phase(0.5, (double)npy->bytes);
    bosc_status status = bi_bytes_read(in, npy->at, elements, npy->bytes, error);
    if (status == BOSC_OK && !bi_npy_gather(npy, elements, array)) status = BOSC_ERR_CANCELLED;
    free(elements);
    return status;
}

/* Restricts the array to the rows of the slice, which are contiguous in C order. */
static void restrict_to_slice(struct bi_npy *npy, bosc_slice *slice)
{
    const int64_t n = npy->shape[0];
    const size_t row = n ? npy->bytes / (size_t)n : 0;
    if (npy->fortran) return;
    npy->shape[0] = bi_slice_set_range(slice, n);
    npy->at += (size_t)slice->begin * row;
    npy->bytes = (size_t)npy->shape[0] * row;
}

bosc_status bi_npy_parse_slice(const struct bi_bytes *in, bosc_slice *slice, bosc_array *array, bosc_io_error *error)
{
    struct bi_npy npy;
    bosc_array fresh;
    bosc_status status = bi_npy_open(in, &npy, error);
    if (status == BOSC_OK && slice) restrict_to_slice(&npy, slice);
    if (status == BOSC_OK) status = bi_array_new(in->name, npy.dtype, npy.rank, npy.shape, &fresh, error);
    if (status != BOSC_OK) return status;
    bi_io_phase(0.9, (double)npy.bytes);
    if (npy.bytes && bi_npy_is_plain(&npy)) status = bi_bytes_read(in, npy.at, fresh.data, npy.bytes, error);
    if (npy.bytes && !bi_npy_is_plain(&npy)) status = read_and_gather(in, &npy, fresh.data, error);
    if (status == BOSC_OK) status = bi_bytes_unchanged(in, error);
    if (status == BOSC_OK && slice && npy.fortran) bi_array_trim_to_slice(&fresh, slice);
    if (status == BOSC_OK)
        *array = fresh;
    else
        bosc_array_free(&fresh);
    return status;
}

bosc_status bi_npy_parse(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return bi_npy_parse_slice(in, NULL, array, error);
}

static bosc_status read_slice(const char *path, bosc_slice *slice, bosc_array *array, bosc_io_error *error)
{
    struct bi_file file;
    bosc_array fresh = {0};
    if (!array) return bi_io_fail(error, BOSC_ERR_ARG, "array: NULL");
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    do status = bi_npy_parse_slice(&file.bytes, slice, &fresh, error);
    while (bi_file_reload(&file, &status, error));
    bi_file_close(&file);
    return bi_array_end(status, &fresh, array, error);
}

bosc_status bosc_npy_read(const char *path, bosc_array *array, bosc_io_error *error)
{
    BI_IO_ENTER;
    return read_slice(path, NULL, array, error);
}

bosc_status bosc_npy_read_slice(const char *path, bosc_slice *slice, bosc_array *array, bosc_io_error *error)
{
    BI_IO_ENTER;
    bosc_status status = bi_slice_check(slice, error);
    return status == BOSC_OK ? read_slice(path, slice, array, error) : status;
}

/* ---- writing ---- */

/* `what`: a checked bosc_array, of rank 1 to 4, so `text` has room for the header. The host is little-endian. Always
 * BOSC_OK: the sink keeps its own errors, which bi_sink_finish reports. */
bosc_status bi_npy_fill(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const bosc_array *array = what;
    size_t bytes = 0;
    char text[192];
    (void)error;
    bi_array_bytes(array->dtype, array->rank, array->shape, &bytes);
    const char *code = bi_dtype_code(array->dtype);
    /* 1. The dictionary, behind ten bytes of magic number, version and length. */
    int used = 10;
    used += snprintf(text + used, sizeof text - (size_t)used, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                     code[1] == '1' ? '|' : '<', code);
    for (int32_t i = 0; i < array->rank; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, i ? " %lld%s" : "%lld%s", (long long)array->shape[i],
                         i + 1 < array->rank || array->rank == 1 ? "," : "");
    used += snprintf(text + used, sizeof text - (size_t)used, "), }");
    /* 2. Padding, so that the elements begin at a multiple of 64, and the ten bytes. */
    int total = (used + 1 + 63) / 64 * 64;
    memset(text + used, ' ', (size_t)(total - used));
    text[total - 1] = '\n';
    memcpy(text, magic, sizeof magic);
    text[6] = 1;
    text[7] = 0;
    text[8] = (char)((total - 10) & 255);
    text[9] = (char)((total - 10) >> 8);
    /* 3. Header and elements. */
    bi_sink_write(sink, text, (size_t)total);
    bi_sink_write_array(sink, array->data, bytes);
    return BOSC_OK;
}
