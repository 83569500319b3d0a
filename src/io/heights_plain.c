/* Heights of .pgm, .hgt and .npy files. Sources: Poskanzer, pgm(5); NASA, SRTM Topography (the format of .hgt). */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/heights.h"
#include "io/number.h"

/* ---- .pgm ---- */

struct pgm {
    const struct bi_bytes *in;
    const char *p, *end;
    int64_t line; /* of p, from 1 */
};

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Blanks, and comments from # to the end of the line. */
static void skip_space(struct pgm *pgm)
{
    for (bool comment = false; pgm->p < pgm->end; pgm->p++) {
        if (*pgm->p == '\n') {
            pgm->line++;
            comment = false;
        } else if (*pgm->p == '#') {
            comment = true;
        } else if (!comment && !is_space(*pgm->p)) {
            return;
        }
    }
}

/* The next number; false where there is none, or one above `most`. */
static bool take_number(struct pgm *pgm, int64_t most, int64_t *value)
{
    skip_space(pgm);
    const char *begin = pgm->p;
    for (*value = 0; pgm->p < pgm->end && *pgm->p >= '0' && *pgm->p <= '9' && *value <= most; pgm->p++)
        *value = *value * 10 + (*pgm->p - '0');
    bool ends = pgm->p == pgm->end || is_space(*pgm->p) || *pgm->p == '#';
    return pgm->p > begin && *value <= most && ends;
}

static bosc_status fail_pgm(const struct pgm *pgm, const char *reason, bosc_io_error *error)
{
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s:%lld: %s", pgm->in->name, (long long)pgm->line, reason);
}

static bosc_status read_p5(const struct pgm *pgm, int64_t most, bosc_heights *h, bosc_io_error *error)
{
    int64_t bytes = most > 255 ? 2 : 1, all = h->width * h->height;
    const unsigned char *from = (const unsigned char *)pgm->p;
    if (pgm->end - pgm->p > all * bytes)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %lld bytes follow the picture", pgm->in->name,
                          (long long)(pgm->end - pgm->p - all * bytes));
    for (int64_t i = 0; i < all; i++) {
        int64_t x = bytes == 2 ? from[2 * i] << 8 | from[2 * i + 1] : from[i];
        if (x > most)
            return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: row %lld: %lld is more than the maximum, %lld",
                              pgm->in->name, (long long)(i / h->width), (long long)x, (long long)most);
        h->data[i] = (float)x;
    }
    return BOSC_OK;
}

enum { SEEN = 1 << 14 }; /* samples between two looks at progress */

static bosc_status read_p2(struct pgm *pgm, int64_t most, bosc_heights *h, bosc_io_error *error)
{
    bi_io_phase(0.9, (double)h->width * (double)h->height);
    for (int64_t i = 0; i < h->width * h->height; i++) {
        int64_t x;
        if (i % SEEN == 0 && !bi_io_reach((double)i)) return BOSC_ERR_CANCELLED;
        skip_space(pgm);
        if (pgm->p == pgm->end) return fail_pgm(pgm, "truncated", error);
        if (!take_number(pgm, most, &x)) return fail_pgm(pgm, "no number from 0 to the maximum", error);
        h->data[i] = (float)x;
    }
    skip_space(pgm);
    return pgm->p == pgm->end ? BOSC_OK : fail_pgm(pgm, "text after the picture", error);
}

bosc_status bi_heights_pgm(const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error)
{
    struct pgm pgm = {.in = in, .p = in->data, .end = in->data + in->size, .line = 1};
    bool plain = in->size >= 2 && memcmp(in->data, "P2", 2) == 0;
    int64_t width, height, most;
    if (!plain && (in->size < 2 || memcmp(in->data, "P5", 2) != 0))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a .pgm file (P2 or P5)", in->name);
    pgm.p += 2;
    if (!take_number(&pgm, INT32_MAX, &width)) return fail_pgm(&pgm, "the width is malformed", error);
    if (!take_number(&pgm, INT32_MAX, &height)) return fail_pgm(&pgm, "the height is malformed", error);
    if (!take_number(&pgm, 65535, &most) || most < 1)
        return fail_pgm(&pgm, "the maximum is not a number from 1 to 65535", error);
    pgm.p += !plain && pgm.p < pgm.end; /* one blank, which take_number has seen */
    size_t left = (size_t)(pgm.end - pgm.p);
    /* A number and a blank each; the last blank may be missing, as the first stands before it. */
    bosc_status status = bi_heights_fit(in, width, height, plain || most > 255 ? 2 : 1, left, error);
    if (status == BOSC_OK) status = bi_heights_new(in->name, width, height, heights, error);
    if (status != BOSC_OK) return status;
    return plain ? read_p2(&pgm, most, heights, error) : read_p5(&pgm, most, heights, error);
}

/* ---- .hgt ---- */

enum { NO_HEIGHT = -32768 };

/* Of the middle of a file called .../N45E006.hgt, which begins at that latitude; 0 for other names. */
static double latitude_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool south = name[0] == 'S' || name[0] == 's', north = name[0] == 'N' || name[0] == 'n';
    if (!(south || north) || !isdigit((unsigned char)name[1]) || !isdigit((unsigned char)name[2])) return 0;
    if (!name[3] || !strchr("EWew", name[3])) return 0;
    int degrees = (name[1] - '0') * 10 + name[2] - '0';
    return degrees > 89 ? 0 : (south ? -degrees : degrees) + 0.5;
}

bosc_status bi_heights_hgt(const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error)
{
    const unsigned char *from = (const unsigned char *)in->data;
    int64_t count = (int64_t)(in->size / 2), side = (int64_t)sqrt((double)count);
    while (side * side > count) side--;
    while ((side + 1) * (side + 1) <= count) side++;
    if (in->size % 2 || side * side != count || side < 2)
        return bi_io_fail(error, BOSC_ERR_FORMAT,
                          "%s: %zu bytes are not a square of 16-bit samples, such as 1201 x 1201 or 3601 x 3601",
                          in->name, in->size);
    bosc_status status = bi_heights_new(in->name, side, side, heights, error);
    if (status != BOSC_OK) return status;
    heights->degrees = 1;
    heights->latitude = latitude_of(in->name);
    heights->spacing_y = BI_METRES_A_DEGREE / (double)(side - 1);
    heights->spacing = heights->spacing_y * bi_heights_shrink(heights->latitude);
    for (int64_t i = 0; i < count; i++) {
        int16_t x = (int16_t)(from[2 * i] << 8 | from[2 * i + 1]);
        heights->data[i] = x == NO_HEIGHT ? NAN : (float)x;
    }
    return BOSC_OK;
}

/* ---- .npy ---- */

bosc_status bi_heights_npy(const struct bi_bytes *in, bosc_heights *heights, bosc_io_error *error)
{
    struct bi_npy npy;
    bosc_status status = bi_npy_open(in, &npy, error);
    if (status != BOSC_OK) return status;
    if (npy.rank != 2)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: heights have two dimensions, but this array has %d", in->name,
                          npy.rank);
    status = bi_heights_fit(in, npy.shape[1], npy.shape[0], npy.width, npy.bytes, error);
    if (status == BOSC_OK) status = bi_heights_new(in->name, npy.shape[1], npy.shape[0], heights, error);
    bosc_array array = {0};
    if (status == BOSC_OK && !bi_npy_is_plain(&npy)) status = bi_npy_parse(in, &array, error);
    if (status != BOSC_OK) return status;
    struct bi_sample_type type = {npy.kind, (int)bosc_dtype_size(npy.dtype)};
    bi_samples_read(type, array.data ? array.data : in->data + npy.at, npy.shape[0] * npy.shape[1], heights->data);
    bosc_array_free(&array);
    return BOSC_OK;
}
