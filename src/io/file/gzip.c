/* What gzip packs, in and out. Source: Deutsch, GZIP file format specification (RFC 1952, 1996), by zlib. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#define ZLIB_CONST /* input is not written to */
#include <zlib.h>

#include "io/file/gzip.h"

enum {
    GZIP_FORMAT = 15 + 16 /* the largest window, and gzip's frame */,
    PIECE = 1 << 22 /* bytes between two looks at progress; zlib counts in 32 bits */
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

static void *take_memory(void *user, unsigned count, unsigned size)
{
    (void)user;
    return bi_io_alloc((size_t)count * size);
}

static void give_memory(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* ---- in ---- */

bool bi_unpacked_grow(struct bi_unpacked *out)
{
    if (out->size < out->capacity) return true;
    size_t capacity = out->capacity ? out->capacity * 2 : (size_t)1 << 16;
    char *larger = bi_io_realloc(out->data, capacity);
    if (!larger) return false;
    out->data = larger;
    out->capacity = capacity;
    return true;
}

/* Unpacks as much as there is room for; *left is what remains of the packed bytes. */
static int unpack_some(z_stream *z, struct bi_unpacked *out, size_t *left)
{
    size_t room = out->capacity - out->size, in = *left < PIECE ? *left : PIECE;
    z->avail_in = (uInt)in;
    z->avail_out = (uInt)(room < PIECE ? room : PIECE);
    z->next_out = (Bytef *)out->data + out->size;
    uInt asked = z->avail_out;
    int code = inflate(z, Z_NO_FLUSH);
    *left -= in - z->avail_in;
    out->size += asked - z->avail_out;
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

/* Members follow one another, and are unpacked one behind the other. */
static bosc_status unpack(const struct bi_bytes *in, size_t most, z_stream *z, struct bi_unpacked *out,
                          bosc_io_error *error)
{
    size_t left = in->size;
    z->next_in = (const Bytef *)in->data;
    bi_io_phase(0.5, (double)in->size);
    for (;;) {
        if (!bi_unpacked_grow(out)) return refuse(in, Z_MEM_ERROR, NULL, error);
        int code = unpack_some(z, out, &left);
        if (!bi_io_reach((double)(in->size - left))) return BOSC_ERR_CANCELLED;
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

bosc_status bi_gzip_unpack(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error)
{
    struct bi_unpacked out = {0};
    z_stream z = {.zalloc = take_memory, .zfree = give_memory};
    if (inflateInit2(&z, GZIP_FORMAT) != Z_OK) return refuse(in, Z_MEM_ERROR, NULL, error);
    bosc_status status = unpack(in, most, &z, &out, error);
    inflateEnd(&z);
    if (status == BOSC_OK)
        *file = (struct bi_file){.bytes = {.name = in->name, .data = out.data, .size = out.size}, .memory = out.data};
    else
        free(out.data);
    return status;
}

/* ---- out ---- */

struct bi_gzip {
    z_stream z;
    unsigned char packed[1 << 16];
};

bool bi_gzip_is_named(const char *path) { return ends_in_gz(path); }

struct bi_gzip *bi_gzip_new(void)
{
    struct bi_gzip *gzip = bi_io_alloc(sizeof *gzip);
    if (!gzip) return NULL;
    gzip->z = (z_stream){.zalloc = take_memory, .zfree = give_memory};
    if (deflateInit2(&gzip->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_FORMAT, 8, Z_DEFAULT_STRATEGY) == Z_OK)
        return gzip;
    free(gzip);
    return NULL;
}

int bi_gzip_put(struct bi_gzip *gzip, const void *bytes, size_t count, bool last, bosc_write_fn write, void *user)
{
    z_stream *z = &gzip->z;
    const Bytef *next = bytes;
    do {
        size_t piece = count < PIECE ? count : PIECE;
        z->next_in = next;
        z->avail_in = (uInt)piece;
        next += piece;
        count -= piece;
        do { /* until zlib has no more to say of this piece */
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
