/* boscage/base.h - version, status codes, element types and the conventions of the API.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_status_text
 *
 * Names: bosc_NOUN_verb, where the noun is the type of the handle. Enumerators are BOSC_NOUN_....
 * Arguments: context, handle, input arrays, their counts (then stride), options, outputs, capacity of the outputs.
 * Arrays are dense and row-major. A stride counts elements from the start of a row to the start of the next one.
 * Types: counts, offsets and ranks are int64_t. Ids of the caller's items have the `id_bits` of the structure's
 * options: 64 (int64_t, none: -1) or 32 (uint32_t, none: all ones).
 * Options: structs that begin with size_t size. "Set `size`" means: set it to sizeof of the struct. Zero bytes in the
 * other fields mean the defaults; fields are only appended; `reserved` must be 0. Options of a later version and
 * impossible sizes are refused. In a struct that a call fills, fields that this version does not know become zero.
 * Memory: arrays belong to the caller and lie in host memory or in the memory of the context's backend. A call copies
 * host arrays to a device and back. bosc_NOUN_create makes a structure, bosc_NOUN_free frees it, bosc_NOUN_bytes
 * computes its memory in advance, and bosc_NOUN_reserve allocates it. The context keeps its scratch between calls, so
 * the second call of a shape allocates nothing.
 * Comments: a line a parameter, `name (shape): meaning`. A shape without a type has the type of the declaration. "host"
 * marks arrays and results that must be in host memory.
 * Waiting: a call with a host array returns when its results are there. "Waits." marks calls that always do. "Queues."
 * marks calls that, with device arrays alone, return once their work is on the context's stream.
 * Errors: every call that can fail returns a bosc_status. bosc_ctx_message has the text, which begins with the name of
 *     a bad argument. On failure outputs are unchanged, unless the call's comment says otherwise; after BOSC_ERR_DEVICE
 *     and BOSC_ERR_CANCELLED they are undefined. Any call may return BOSC_ERR_ARG, BOSC_ERR_NOMEM and BOSC_ERR_DEVICE,
 *     and BOSC_ERR_CANCELLED if its context has a progress function.
 * Results: the same bits on every backend, CPU level and number of threads.
 * Cost: work is the total number of operations, which threads share. n and the other letters are counts of the
 *     arguments. Scratch is memory of the context, beside copies of host arrays on a device. */
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

/* Returns the name of a status: "BOSC_ERR_ARG" for 1; "unknown status" for any other number. Never NULL. */
BOSC_API const char *bosc_status_name(bosc_status status);

/* Returns a phrase that describes a status, without the values of the case (see bosc_ctx_message). Never NULL. */
BOSC_API const char *bosc_status_text(bosc_status status);

/* Returns the version of the running library, "major.minor.patch". */
BOSC_API const char *bosc_version(void);

/* Returns the bytes of one element; 0 for a number that is no type. */
BOSC_API size_t bosc_dtype_size(bosc_dtype dtype);

/* Returns the name of a type: "f32", "i64", ...; "?" for a number that is no type. Never NULL. */
BOSC_API const char *bosc_dtype_name(bosc_dtype dtype);

/* Receives bytes of a structure being saved.
 * Returns 0, or another value to stop (BOSC_ERR_IO). */
typedef int (*bosc_write_fn)(void *user, const void *bytes, size_t count);

/* Delivers exactly `count` bytes of a saved structure.
 * Returns 0, or another value at the end or on an error. */
typedef int (*bosc_read_fn)(void *user, void *bytes, size_t count);

BOSC_END_DECLS
#endif
