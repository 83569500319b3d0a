/* boscage/base.h - what every header needs: version, status codes, element types.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Conventions of the whole API:
 *
 * Names: bosc_NOUN_verb, where the noun is the type of the handle; enumerators are BOSC_NOUN_....
 * Arguments: context, handle, input arrays, their counts (then stride), options, outputs, then the capacity of the
 * outputs. Arrays are dense and row by row; a stride counts elements from the start of a row to that of the next one.
 * Types: counts, offsets and ranks are int64_t. Ids of the caller's items have the `id_bits` of the structure's
 * options: 64 (int64_t, -1 means none) or 32 (uint32_t, all ones mean none).
 * Options: structs that begin with size_t size, which the caller sets to sizeof; zero bytes in the other fields mean
 * the defaults, and fields are only appended; `reserved` must be 0. A struct that a call fills has its size set in the
 * same way; of one that a later version made larger, what this version does not know becomes zero. Options of a later
 * version are refused, and so is a size that no struct can have.
 * Memory: arrays belong to the caller and lie in host memory or in that of the context's backend; a call copies host
 * arrays for a device and back. Structures belong to the caller too: bosc_NOUN_create makes one and bosc_NOUN_free
 * frees it, bosc_NOUN_bytes tells beforehand what it will take, and bosc_NOUN_reserve takes it. Scratch is the
 * context's; it is kept between calls, so that the second call of a shape allocates nothing.
 * Waiting: a call that gets host arrays returns when its answers are there. With device arrays alone it queues its work
 * on the context's stream, unless its comment says that it waits. "host" marks outputs that must be in host memory.
 * Errors: every call that can fail returns a bosc_status; bosc_ctx_message has the text, which begins with the name of
 * a
 * bad argument. A call that fails leaves its outputs as they were, unless its comment says otherwise; after
 * BOSC_ERR_DEVICE and BOSC_ERR_CANCELLED they are undefined. Any call may return BOSC_ERR_ARG, BOSC_ERR_NOMEM and
 * BOSC_ERR_DEVICE, and BOSC_ERR_CANCELLED if its context has a progress function.
 * Answers: the same bits on every backend, CPU level and number of threads.
 * Cost: work is the number of operations in all; threads share it. n and the other letters are counts of arguments. */
#ifndef BOSCAGE_BASE_H
#define BOSCAGE_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BOSC_API __attribute__((visibility("default")))
#else
#define BOSC_API
#endif

#ifdef __cplusplus
#define BOSC_BEGIN_DECLS extern "C" {
#define BOSC_END_DECLS }
#else
#define BOSC_BEGIN_DECLS
#define BOSC_END_DECLS
#endif

BOSC_BEGIN_DECLS

#define BOSC_VERSION_MAJOR 0
#define BOSC_VERSION_MINOR 1
#define BOSC_VERSION_PATCH 0
#define BOSC_VERSION_STRING "0.1.0"

/* Every status code: X(name, number, text). Numbers are never reused. */
#define BOSC_STATUS_LIST(X)                                    \
    X(OK, 0, "done")                                           \
    X(ERR_ARG, 1, "bad argument")                              \
    X(ERR_NOMEM, 2, "out of memory")                           \
    X(ERR_DEVICE, 3, "the device reported an error")           \
    X(ERR_BACKEND, 4, "no such backend or device here")        \
    X(ERR_DATA, 5, "bad data")                                 \
    X(ERR_IO, 6, "input or output failed")                     \
    X(ERR_FORMAT, 7, "malformed or damaged file")              \
    X(ERR_SPACE, 8, "the result does not fit the space given") \
    X(ERR_CANCELLED, 9, "cancelled by the caller")             \
    X(ERR_LIMIT, 10, "beyond a limit of this version")         \
    X(ERR_INTERNAL, 11, "internal error")                      \
    X(ERR_COMM, 12, "another rank was lost")

typedef enum bosc_status {
#define BOSC_STATUS_ENUM(name, number, text) BOSC_##name = number,
    BOSC_STATUS_LIST(BOSC_STATUS_ENUM)
#undef BOSC_STATUS_ENUM
} bosc_status;

/* Types of array elements. Numbers are part of the saved formats and never change. Elements of 8 and 16 bits are only
 * moved, never computed with, unless a call says so. */
typedef enum bosc_dtype {
    BOSC_F32 = 1,
    BOSC_F64 = 2,
    BOSC_I32 = 3,
    BOSC_I64 = 4,
    BOSC_U32 = 5,
    BOSC_U64 = 6,
    BOSC_U8 = 7,
    BOSC_I8 = 8,
    BOSC_I16 = 9,
    BOSC_U16 = 10
} bosc_dtype;

/* Names a status: "BOSC_ERR_ARG" for 1, and so on; "unknown status" for any other number. Never NULL. */
BOSC_API const char *bosc_status_name(bosc_status status);

/* Describes a status in one phrase, without the values of the case (see bosc_ctx_message). Never NULL. */
BOSC_API const char *bosc_status_text(bosc_status status);

/* Tells the version of the library that is running, "major.minor.patch". */
BOSC_API const char *bosc_version(void);

/* Tells the bytes of one element; 0 for a number that is no type. */
BOSC_API size_t bosc_dtype_size(bosc_dtype dtype);

/* Names a type: "f32", "i64", ...; "?" for a number that is no type. Never NULL. */
BOSC_API const char *bosc_dtype_name(bosc_dtype dtype);

/* Receives bytes of a structure being saved. Returns 0, or anything else to stop (BOSC_ERR_IO). */
typedef int (*bosc_write_fn)(void *user, const void *bytes, size_t count);

/* Delivers exactly `count` bytes of a saved structure. Returns 0, or anything else at the end or on an error. */
typedef int (*bosc_read_fn)(void *user, void *bytes, size_t count);

BOSC_END_DECLS
#endif
