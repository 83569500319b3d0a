/* Reads and writes gzip, by zlib. Source: Deutsch, GZIP file format specification (RFC 1952, 1996). */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#define ZLIB_CONST /* declares input pointers const */
#include <zlib.h>

#include "io/file/gzip.h"
#include "io/file/bytes.h"
#include "io/file/file.h"

enum {
    GZIP_FORMAT = 15 + 16 /* zlib's code for the largest window (2^15) in gzip's frame */,
    STEP_BYTES = 1 << 22 /* bytes between two progress reports; chosen, below zlib's 32-bit counts */
};

static bool ends_in_gz(const char *path)
{
    size_t length = strlen(path);
    return length >= 3 && strcasecmp(path + length - 3, ".gz") == 0;
}

static bool begins_member(const char *bytes, size_t size) { return size >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0; }

bool bi_gzip_is(const struct bi_bytes *in)
{
    if (strcmp(in->name, "-") == 0) return begins_member(in->data, in->size);
    return ends_in_gz(in->name);
}

static void *allocate_memory(void *user, unsigned count, unsigned size)
{
    (void)user;
    return bi_io_alloc((size_t)count * size);
}

static void free_memory(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* ---- reading ---- */

bool bi_growing_bytes_reserve(struct bi_growing_bytes *out)
{
    if (out->size < out->capacity) return true;
    size_t capacity = out->capacity ? out->capacity * 2 : (size_t)1 << 16;
    char *larger = bi_io_realloc(out->data, capacity);
    if (!larger) return false;
    out->data = larger;
    out->capacity = capacity;
    return true;
}

/* Unpacks bytes until the memory is full; *left: number of packed bytes that remain. */
static int decompress_some(z_stream *z, struct bi_growing_bytes *out, size_t *left)
{
    size_t room = out->capacity - out->size, in = *left < STEP_BYTES ? *left : STEP_BYTES;
    z->avail_in = (uInt)in;
    z->avail_out = (uInt)(room < STEP_BYTES ? room : STEP_BYTES);
    z->next_out = (Bytef *)out->data + out->size;
    uInt room_before = z->avail_out;
    int code = inflate(z, Z_NO_FLUSH);
    *left -= in - z->avail_in;
    out->size += room_before - z->avail_out;
    return code;
}

static bosc_status refuse(const struct bi_bytes *in, int code, const char *message, bosc_io_error *error)
{
    if (code == Z_MEM_ERROR) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged gzip: %s", in->name,
                      code == Z_BUF_ERROR ? "truncated"
                      : message           ? message
                                          : "a dictionary is needed");
}

/* Unpacks all members of the file, one after the other. */
static bosc_status decompress_all(const struct bi_bytes *in, size_t most, z_stream *z, struct bi_growing_bytes *out,
                                  bosc_io_error *error)
{
    size_t left = in->size;
    z->next_in = (const Bytef *)in->data;
    bi_io_phase(0.5, (double)in->size);
    for (;;) {
        if (!bi_growing_bytes_reserve(out)) return refuse(in, Z_MEM_ERROR, NULL, error);
        int code = decompress_some(z, out, &left);
        if (!bi_io_set_done((double)(in->size - left))) return BOSC_ERR_CANCELLED;
        if (out->size > most)
            return bi_io_fail(error, BOSC_ERR_LIMIT, "%s: unpacks to more than %zu bytes", in->name, most);
        if (code == Z_STREAM_END) {
            if (left == 0) return BOSC_OK;
            if (!begins_member((const char *)z->next_in, left))
                return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %zu bytes follow what gzip has packed", in->name, left);
            code = inflateReset(z);
        }
        if (code != Z_OK) return refuse(in, code, z->msg, error);
    }
}

bosc_status bi_gzip_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error)
{
    struct bi_growing_bytes out = {0};
    z_stream z = {.zalloc = allocate_memory, .zfree = free_memory};
    if (inflateInit2(&z, GZIP_FORMAT) != Z_OK) return refuse(in, Z_MEM_ERROR, NULL, error);
    bosc_status status = decompress_all(in, most, &z, &out, error);
    inflateEnd(&z);
    if (status == BOSC_OK)
        *file = (struct bi_file){.bytes = {.name = in->name, .data = out.data, .size = out.size}, .memory = out.data};
    else
        free(out.data);
    return status;
}

/* ---- writing ---- */

struct bi_gzip {
    z_stream z;
    unsigned char packed[1 << 16];
};

bool bi_gzip_is_named(const char *path) { return ends_in_gz(path); }

struct bi_gzip *bi_gzip_new(void)
{
    struct bi_gzip *gzip = bi_io_alloc(sizeof *gzip);
    if (!gzip) return NULL;
    gzip->z = (z_stream){.zalloc = allocate_memory, .zfree = free_memory};
    if (deflateInit2(&gzip->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_FORMAT, 8, Z_DEFAULT_STRATEGY) == Z_OK)
        return gzip;
    free(gzip);
    return NULL;
}

int bi_gzip_compress(struct bi_gzip *gzip, const void *bytes, size_t count, bool last, bosc_write_fn write, void *user)
{
    z_stream *z = &gzip->z;
    const Bytef *next = bytes;
    do {
        size_t step = count < STEP_BYTES ? count : STEP_BYTES;
        z->next_in = next;
        z->avail_in = (uInt)step;
        next += step;
        count -= step;
        do { /* a full output buffer means that zlib holds more bytes */
            z->next_out = gzip->packed;
            z->avail_out = sizeof gzip->packed;
            deflate(z, last && count == 0 ? Z_FINISH : Z_NO_FLUSH);
            if (write(user, gzip->packed, sizeof gzip->packed - z->avail_out)) return 1;
        } while (z->avail_out == 0);
    } while (count);
    return 0;
}

void bi_gzip_free(struct bi_gzip *gzip)
{
    if (!gzip) return;
    deflateEnd(&gzip->z);
    free(gzip);
}
