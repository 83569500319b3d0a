/* Parses scenes in Qt's data stream (.arr), big-endian. Each object has a type (0 balls, 1 triangles), a count,
 * numbers as UTF-16 strings, two flags (rotates, is shown) and a colour. Yaw, pitch and roll of the first and last
 * rotation follow the objects. Source: Qt, Serializing Qt Data Types. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/array.h"
#include "io/file/file.h"
#include "io/scene/scene.h"
#include "io/text/number.h"
#include "io/text/row.h"

enum { BALLS, TRIANGLES }; /* types of objects */
enum {
    DIGITS_MAX =
        1024,    /* characters of a number: a double has at most 767 significant digits; sizes an array on the stack */
    COLOUR = 11, /* bytes of a QColor */
    ANGLES = 48  /* bytes of six doubles */
};

/* The stream, and the numbers read so far: balls and corners of triangles of the robot [0] and the obstacle [1]. */
struct stream {
    const struct bi_bytes *in;
    size_t at;
    struct bi_numbers balls[2], corners[2];
    bosc_io_error *error;
};

static bosc_status fail_at(struct stream *s, bosc_status status, const char *reason)
{
    return bi_io_fail(s->error, status, "%s: byte %zu: %s", s->in->name, s->at, reason);
}

/* Fails unless `count` bytes are left. */
static bosc_status require_bytes(struct stream *s, size_t count)
{
    return s->in->size - s->at >= count ? BOSC_OK : fail_at(s, BOSC_ERR_FORMAT, "truncated");
}

static uint64_t read_big_endian(const char *p, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | (unsigned char)p[i];
    return value;
}

static bosc_status read_int(struct stream *s, uint32_t *value)
{
    bosc_status status = require_bytes(s, 4);
    if (status != BOSC_OK) return status;
    *value = (uint32_t)read_big_endian(s->in->data + s->at, 4);
    s->at += 4;
    return BOSC_OK;
}

/* Reads a string that is a finite number. On failure s->at stays at its beginning, for the message. */
static bosc_status read_number(struct stream *s, double *value)
{
    char digits[DIGITS_MAX];
    bosc_status status = require_bytes(s, 4);
    if (status != BOSC_OK) return status;
    size_t bytes = (size_t)read_big_endian(s->in->data + s->at, 4), length = bytes / 2;
    if (bytes % 2 || bytes == 0 || length > DIGITS_MAX)
        return fail_at(s, BOSC_ERR_FORMAT, "a string that is no number by its length");
    if (s->in->size - s->at - 4 < bytes) return fail_at(s, BOSC_ERR_FORMAT, "truncated in a string");
    /* 1. Convert UTF-16 to ASCII; other characters become '?'. */
    for (size_t i = 0; i < length; i++) {
        uint64_t unit = read_big_endian(s->in->data + s->at + 4 + 2 * i, 2);
        digits[i] = (char)(unit < 128 ? unit : '?');
    }
    /* 2. Parse the number. */
    if (bi_number_read(digits, digits + length, value) != digits + length) {
        struct bi_reason reason;
        snprintf(reason.text, sizeof reason.text, "%s is not a number", bi_quote(digits, digits + length).text);
        return fail_at(s, BOSC_ERR_FORMAT, reason.text);
    }
    if (!isfinite(*value)) return fail_at(s, BOSC_ERR_DATA, isnan(*value) ? "NaN" : "a number is not finite");
    s->at += 4 + bytes;
    return BOSC_OK;
}

/* Reads the numbers of an object. The flag that assigns it to a body follows. */
static bosc_status read_numbers(struct stream *s, uint32_t type, uint32_t count, struct bi_numbers *numbers)
{
    size_t each = type == BALLS ? 4 : 9, left = s->in->size - s->at;
    /* A number takes at least 6 bytes: its size and one character of UTF-16. */
    if (count > left / (each * 6)) return fail_at(s, BOSC_ERR_FORMAT, "truncated: the object does not fit");
    if (!bi_numbers_reserve(numbers, numbers->count + each * count)) return fail_at(s, BOSC_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < each * count; i++) {
        bosc_status status = read_number(s, &numbers->data[numbers->count]);
        if (status != BOSC_OK) return status;
        numbers->count++;
        bool filler = type == BALLS && i % 4 == 3 && !(numbers->data[numbers->count - 1] > 0);
        if (filler) numbers->count -= 4; /* an absent node of a sphere tree */
    }
    return BOSC_OK;
}

static bool append_numbers(struct bi_numbers *to, const struct bi_numbers *from)
{
    if (!bi_numbers_reserve(to, to->count + from->count)) return false;
    if (from->count) memcpy(to->data + to->count, from->data, from->count * sizeof *from->data);
    to->count += from->count;
    return true;
}

/* Reads two flags and a colour behind an object's numbers. */
static bosc_status read_flags(struct stream *s, bool *rotating)
{
    bosc_status status = require_bytes(s, 2 + COLOUR);
    if (status != BOSC_OK) return status;
    const unsigned char *p = (const unsigned char *)s->in->data + s->at;
    if (p[0] > 1 || p[1] > 1) return fail_at(s, BOSC_ERR_FORMAT, "a flag is neither 0 nor 1");
    if (p[2] > 5) return fail_at(s, BOSC_ERR_FORMAT, "the colour is none of Qt's kinds");
    *rotating = p[0] != 0;
    s->at += 2 + COLOUR;
    return BOSC_OK;
}

static bosc_status read_object(struct stream *s)
{
    uint32_t type = 0, count = 0;
    bool rotating = false;
    struct bi_numbers own = {0};
    bosc_status status = read_int(s, &type);
    if (status == BOSC_OK && type > TRIANGLES) {
        s->at -= 4;
        status = fail_at(s, BOSC_ERR_FORMAT, "the object's type is neither 0 (balls) nor 1 (triangles)");
    }
    if (status == BOSC_OK) status = read_int(s, &count);
    if (status == BOSC_OK) status = read_numbers(s, type, count, &own);
    if (status == BOSC_OK) status = read_flags(s, &rotating);
    int owner = rotating ? 0 : 1;
    if (status == BOSC_OK && !append_numbers(type == BALLS ? &s->balls[owner] : &s->corners[owner], &own))
        status = fail_at(s, BOSC_ERR_NOMEM, "out of memory");
    bi_numbers_free(&own);
    return status;
}

/* Converts heading about y, attitude about z and bank about x, in radians, to a quaternion. The program that writes
 * these files passes its matrix to OpenGL by rows instead of columns, which transposes it, so the result is the
 * conjugate. Source: Baker, Euler to Quaternion. */
static void angles_to_rotation(const double angles[3], double q[4])
{
    double c1 = cos(angles[0] / 2), s1 = sin(angles[0] / 2), c2 = cos(angles[1] / 2), s2 = sin(angles[1] / 2);
    double c3 = cos(angles[2] / 2), s3 = sin(angles[2] / 2);
    q[0] = c1 * c2 * c3 - s1 * s2 * s3;
    q[1] = -(c1 * c2 * s3 + s1 * s2 * c3);
    q[2] = -(s1 * c2 * c3 + c1 * s2 * s3);
    q[3] = -(c1 * s2 * c3 - s1 * c2 * s3);
}

/* Reads the first and the last rotation, which end the stream. */
static bosc_status read_motion(struct stream *s, struct bi_scene *scene)
{
    double angles[6];
    bosc_status status = require_bytes(s, ANGLES);
    if (status != BOSC_OK) return status;
    for (int i = 0; i < 6; i++) {
        uint64_t bits = read_big_endian(s->in->data + s->at, 8);
        memcpy(&angles[i], &bits, sizeof bits);
        if (!isfinite(angles[i])) return fail_at(s, BOSC_ERR_DATA, "an angle is not finite");
        s->at += 8;
    }
    if (s->at < s->in->size) return fail_at(s, BOSC_ERR_FORMAT, "bytes after the end");
    scene->has_from = scene->has_to = true;
    angles_to_rotation(angles, scene->from);
    angles_to_rotation(angles + 3, scene->to);
    return BOSC_OK;
}

/* Builds a body. Every triangle gets its own three vertices. */
static bosc_status build_body(struct stream *s, int owner, struct bi_body *body)
{
    int64_t balls = (int64_t)s->balls[owner].count / 4, triangles = (int64_t)s->corners[owner].count / 9;
    if (3 * triangles > (int64_t)UINT32_MAX) return fail_at(s, BOSC_ERR_LIMIT, "the vertices are not below 2^32");
    if (triangles) {
        bosc_status status =
            bi_array_new(s->in->name, BOSC_U32, 2, (const int64_t[]){triangles, 3}, &body->triangles, s->error);
        if (status != BOSC_OK) return status;
        for (int64_t i = 0; i < 3 * triangles; i++) ((uint32_t *)body->triangles.data)[i] = (uint32_t)i;
        body->vertices = bi_numbers_to_array(&s->corners[owner], 3 * triangles, 3);
    }
    if (balls) body->balls = bi_numbers_to_array(&s->balls[owner], balls, 4);
    return BOSC_OK;
}

static bool is_empty(const struct bi_body *body) { return !body->balls.data && !body->triangles.data; }

static bosc_status check_bodies(const char *name, const struct bi_scene *scene, bosc_io_error *error)
{
    if (is_empty(&scene->robot)) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: nothing rotates", name);
    if (is_empty(&scene->obstacle)) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no obstacle", name);
    return BOSC_OK;
}

bosc_status bi_arr_parse(const struct bi_bytes *in, struct bi_scene *scene, bosc_io_error *error)
{
    struct stream s = {.in = in, .error = error};
    struct bi_scene fresh = {.has_from = false};
    uint32_t objects = 0;
    bosc_status status = read_int(&s, &objects);
    /* The shortest object has type, count, flags and colour. */
    if (status == BOSC_OK && objects > in->size / (8 + 2 + COLOUR)) {
        s.at = 0;
        status = fail_at(&s, BOSC_ERR_FORMAT, "more objects than the file can hold; is this an .arr scene?");
    }
    for (uint32_t i = 0; i < objects && status == BOSC_OK; i++) status = read_object(&s);
    if (status == BOSC_OK) status = read_motion(&s, &fresh);
    if (status == BOSC_OK) status = build_body(&s, 0, &fresh.robot);
    if (status == BOSC_OK) status = build_body(&s, 1, &fresh.obstacle);
    if (status == BOSC_OK) status = check_bodies(in->name, &fresh, error);
    for (int i = 0; i < 2; i++) {
        bi_numbers_free(&s.balls[i]);
        bi_numbers_free(&s.corners[i]);
    }
    if (status == BOSC_OK)
        *scene = fresh;
    else
        bi_scene_free(&fresh);
    return status;
}
