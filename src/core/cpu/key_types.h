/* Macros that define a function for each type of keys, stored as words of the same size, and each size of values. */
#ifndef BI_CORE_CPU_KEY_TYPES_H
#define BI_CORE_CPU_KEY_TYPES_H

#include "base/bits.h"

/* Maps a key's word to an unsigned word that orders as the key does. */
#define ORDERED_u32(k) (k)
#define ORDERED_u64(k) (k)
#define ORDERED_i32(k) ((k) ^ 0x80000000u)
#define ORDERED_i64(k) ((k) ^ 0x8000000000000000u)
#define ORDERED_f32(k) bi_key_u32_of_f32(bi_f32_from_bits(k))
#define ORDERED_f64(k) bi_key_u64_of_f64(bi_f64_from_bits(k))

#define EACH_KEY(WRITE)  \
    WRITE(f32, uint32_t) \
    WRITE(f64, uint64_t) \
    WRITE(i32, uint32_t) \
    WRITE(i64, uint64_t) \
    WRITE(u32, uint32_t) \
    WRITE(u64, uint64_t)

/* EACH_VALUE passes one of these as VALUES: it expands to its arguments, or to nothing if there are no values. */
#define WITH_VALUES(...) __VA_ARGS__
#define WITHOUT_VALUES(...)
#define EACH_VALUE(WRITE, kind, key_t)              \
    WRITE(kind, key_t, 0, uint32_t, WITHOUT_VALUES) \
    WRITE(kind, key_t, 4, uint32_t, WITH_VALUES)    \
    WRITE(kind, key_t, 8, uint64_t, WITH_VALUES)

#endif
