/* boscage/base.h - what every header needs: version, status codes, element types.
 * SPDX-License-Identifier: Apache-2.0 */
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
    X(ERR_INTERNAL, 11, "internal error")

typedef enum bosc_status {
#define BOSC_STATUS_ENUM(name, number, text) BOSC_##name = number,
    BOSC_STATUS_LIST(BOSC_STATUS_ENUM)
#undef BOSC_STATUS_ENUM
} bosc_status;

/* Types of array elements. Numbers are part of the saved formats and never change. Those of 8 and 16 bits serve as
 * elements that are moved as they are; no call computes with them. */
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

/* "BOSC_ERR_ARG" for 1, and so on; "unknown status" for a number that is no status. Never NULL. */
BOSC_API const char *bosc_status_name(bosc_status status);

/* One English phrase for a status, without the values of the case (see bosc_message). Never NULL. */
BOSC_API const char *bosc_status_text(bosc_status status);

/* The version of the library that is running, "major.minor.patch". */
BOSC_API const char *bosc_version(void);

/* Bytes of one element, 0 for a number that is no type. */
BOSC_API size_t bosc_dtype_size(bosc_dtype dtype);

/* "f32", "i64", ...; "?" for a number that is no type. Never NULL. */
BOSC_API const char *bosc_dtype_name(bosc_dtype dtype);

/* Receives the bytes of a structure being saved; returns 0, or anything else to stop (BOSC_ERR_IO). */
typedef int (*bosc_write_fn)(void *user, const void *bytes, size_t count);

/* Delivers exactly `count` bytes of a saved structure; returns 0, or anything else at the end or on an error. */
typedef int (*bosc_read_fn)(void *user, void *bytes, size_t count);

BOSC_END_DECLS
#endif
