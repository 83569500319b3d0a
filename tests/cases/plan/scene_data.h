/* Scenes as Qt streams, made by hand. */
#ifndef TESTS_CASES_PLAN_SCENE_DATA_H
#define TESTS_CASES_PLAN_SCENE_DATA_H

#include <stdint.h>
#include <string.h>

#include "support/suite.h"

struct stream {
    char bytes[2048];
    size_t size, flags; /* flags: where those of the first object are */
};

static inline void stream_put(struct stream *s, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++) s->bytes[at + (size_t)i] = (char)(value >> (24 - 8 * i));
}

static inline void stream_int(struct stream *s, uint32_t value)
{
    stream_put(s, s->size, value);
    s->size += 4;
}

static inline struct stream stream_begin(uint32_t objects)
{
    struct stream s = {.size = 0};
    stream_int(&s, objects);
    return s;
}

static inline void stream_string(struct stream *s, const char *text)
{
    size_t length = strlen(text);
    CHECK(s->size + 4 + 2 * length < sizeof s->bytes);
    stream_int(s, (uint32_t)(2 * length));
    for (size_t i = 0; i < length; i++) {
        s->bytes[s->size++] = 0;
        s->bytes[s->size++] = text[i];
    }
}

/* Flags and a colour: red. */
static inline void stream_flags(struct stream *s, int rotating)
{
    static const char colour[11] = "\1\xff\xff\xff\xff\0\0\0\0\0";
    if (!s->flags) s->flags = s->size;
    s->bytes[s->size++] = (char)rotating;
    s->bytes[s->size++] = 1;
    memcpy(s->bytes + s->size, colour, sizeof colour);
    s->size += sizeof colour;
}

static inline void stream_balls(struct stream *s, uint32_t count, const char *const *numbers, int rotating)
{
    stream_int(s, 0);
    stream_int(s, count);
    for (uint32_t i = 0; i < 4 * count; i++) stream_string(s, numbers[i]);
    stream_flags(s, rotating);
}

static inline void stream_triangle(struct stream *s, int rotating)
{
    stream_int(s, 1);
    stream_int(s, 1);
    for (int i = 0; i < 9; i++) stream_string(s, i % 4 == 0 ? "1.5" : "0");
    stream_flags(s, rotating);
}

/* A motion from the identity to a rotation by an angle about y. */
static inline void stream_motion(struct stream *s, double yaw)
{
    uint64_t bits;
    memcpy(&bits, &yaw, sizeof bits);
    memset(s->bytes + s->size, 0, 48);
    for (int i = 0; i < 8; i++) s->bytes[s->size + 24 + (size_t)i] = (char)(bits >> (56 - 8 * i));
    s->size += 48;
}

/* A ball that rotates, and a triangle. */
static inline struct stream stream_scene(void)
{
    struct stream s = stream_begin(2);
    stream_balls(&s, 1, (const char *const[]){"-0.25", "0", "1E-7", "1"}, 1);
    stream_triangle(&s, 0);
    stream_motion(&s, 0);
    return s;
}

#endif
