/* The inner loops of the radix sort, for each type of key and size of value. Large scatters to 256 buckets go through a
 * buffer of one cache line a bucket, from which whole lines are stored past the caches (software write-combining:
 * Satish et al., Fast Sort on CPUs and GPUs, SIGMOD 2010). */
#include "core/cpu/sort_kernels.h"

#include <stdalign.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/cpu/key_types.h"
#include "core/cpu/level.h"

enum { LINE = 64 /* bytes of a cache line */, BLOCK = 32 /* keys whose order is checked between branches */ };

/* Stores a full, aligned line past the caches. */
BI_FN void stream_line(void *to, const void *line)
{
#ifdef __SSE2__
    for (int i = 0; i < LINE / 16; i++) _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)line + i));
#else
    memcpy(to, line, LINE);
#endif
}

/* Orders the streaming stores before later ones, so that other threads see them after the next barrier. */
static void fence_streams(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* Offset of the output in its cache line, in items: item p has index (p + phase) % items a line in its line. */
BI_FN int64_t line_phase(const void *out, size_t size) { return (int64_t)((uintptr_t)out % LINE / size); }

/* Stores the partly filled lines at the end of a scatter. */
static void flush_lines(const char *lines, char *out, size_t size, const int64_t *begins, const int64_t *ends)
{
    int64_t per = LINE / (int64_t)size, phase = line_phase(out, size);
    for (int d = 0; d < BI_RADIX; d++) {
        int64_t begin = ends[d] - ((ends[d] + phase) & (per - 1));
        if (begin < begins[d]) begin = begins[d];
        memcpy(out + begin * (int64_t)size, lines + d * LINE + ((begin + phase) & (per - 1)) * (int64_t)size,
               (size_t)(ends[d] - begin) * size);
    }
}

/* Stores x at index p through the line of its digit; `begin`: the digit's first index, which may lie inside a line. */
#define BUFFERED_STORE(lines, out, type, phase, begin, p, x)                       \
    do {                                                                           \
        enum { PER = LINE / sizeof(type) };                                        \
        type *line_ = (type *)(lines);                                             \
        int64_t slot_ = ((p) + (phase)) & (PER - 1);                               \
        line_[slot_] = (x);                                                        \
        if (slot_ == PER - 1) {                                                    \
            int64_t first_ = (p) - (PER - 1);                                      \
            if (first_ >= (begin))                                                 \
                stream_line((out) + first_, line_);                                \
            else                                                                   \
                memcpy((out) + (begin), line_ + (((begin) + (phase)) & (PER - 1)), \
                       (size_t)((p) + 1 - (begin)) * sizeof(type));                \
        }                                                                          \
    } while (0)

/* Counts `some` digits of each key: a constant, except in the last case. */
#define COUNT_DIGITS(kind, key_t, some)                                                                               \
    for (int64_t i = 0; i < n; i++) {                                                                                 \
        const key_t key = ORDERED_##kind(k[i]);                                                                       \
        for (int d = 0; d < (some); d++) counts[d * stride + (int64_t)((key >> digits[d].shift) & digits[d].mask)]++; \
    }
#define COUNT(kind, key_t)                                                                                          \
    static void count_##kind(const void *keys, int64_t n, const struct bi_radix_digit *digits, int n_digits,        \
                             int64_t *counts, int64_t stride)                                                       \
    {                                                                                                               \
        const key_t *k = keys;                                                                                      \
        switch (n_digits) {                                                                                         \
        case 1: COUNT_DIGITS(kind, key_t, 1) break;                                                                 \
        case 2: COUNT_DIGITS(kind, key_t, 2) break;                                                                 \
        case 3: COUNT_DIGITS(kind, key_t, 3) break;                                                                 \
        case 4: COUNT_DIGITS(kind, key_t, 4) break;                                                                 \
        default: COUNT_DIGITS(kind, key_t, n_digits) break;                                                         \
        }                                                                                                           \
    }                                                                                                               \
    static void count_top_##kind(const void *keys, int64_t n, struct bi_radix_digit digit, int64_t *counts)         \
    {                                                                                                               \
        const key_t *k = keys;                                                                                      \
        for (int64_t i = 0; i < n; i++) counts[(ORDERED_##kind(k[i]) >> digit.shift) & digit.mask]++;               \
    }                                                                                                               \
    static uint64_t varying_##kind(const void *keys, int64_t n, const void *reference)                              \
    {                                                                                                               \
        const key_t *k = keys, first = ORDERED_##kind(*(const key_t *)reference);                                   \
        key_t bits = 0;                                                                                             \
        for (int64_t i = 0; i < n; i++) bits |= ORDERED_##kind(k[i]) ^ first;                                       \
        return bits;                                                                                                \
    }                                                                                                               \
    /* True if each of BLOCK keys is not below the one before it. */                                                \
    static bool in_order_##kind(const key_t *k, key_t mask)                                                         \
    {                                                                                                               \
        key_t wrong = 0;                                                                                            \
        for (int i = 0; i < BLOCK; i++) wrong |= (ORDERED_##kind(k[i - 1]) & mask) > (ORDERED_##kind(k[i]) & mask); \
        return !wrong;                                                                                              \
    }
EACH_KEY(COUNT)

#define SCATTER(kind, key_t, bytes, value_t, VALUES)                                                           \
    static void scatter_##kind##_##bytes(const struct bi_radix_scatter *m)                                     \
    {                                                                                                          \
        const key_t *k = m->keys;                                                                              \
        key_t *k_out = m->keys_out;                                                                            \
        VALUES(const value_t *v = m->values; value_t *v_out = m->values_out;)                                  \
        int64_t *offsets = m->offsets;                                                                         \
        const int shift = m->digit.shift;                                                                      \
        const uint32_t mask = m->digit.mask;                                                                   \
        for (int64_t i = 0; i < m->n; i++) {                                                                   \
            int64_t p = offsets[(ORDERED_##kind(k[i]) >> shift) & mask]++;                                     \
            k_out[p] = k[i];                                                                                   \
            VALUES(v_out[p] = v[i];)                                                                           \
        }                                                                                                      \
    }                                                                                                          \
    static void scatter_by_map_##kind##_##bytes(const struct bi_radix_scatter *m)                              \
    {                                                                                                          \
        const key_t *k = m->keys;                                                                              \
        key_t *k_out = m->keys_out;                                                                            \
        VALUES(const value_t *v = m->values; value_t *v_out = m->values_out;)                                  \
        int64_t *offsets = m->offsets;                                                                         \
        const uint8_t *map = m->map;                                                                           \
        const int shift = m->digit.shift;                                                                      \
        const uint32_t mask = m->digit.mask;                                                                   \
        for (int64_t i = 0; i < m->n; i++) {                                                                   \
            int64_t p = offsets[map[(ORDERED_##kind(k[i]) >> shift) & mask]]++;                                \
            k_out[p] = k[i];                                                                                   \
            VALUES(v_out[p] = v[i];)                                                                           \
        }                                                                                                      \
    }                                                                                                          \
    BI_FN void scatter_lines_##kind##_##bytes(const struct bi_radix_scatter *m, const uint8_t *map)            \
    {                                                                                                          \
        alignas(LINE) char key_lines[BI_RADIX * LINE];                                                         \
        VALUES(alignas(LINE) char value_lines[BI_RADIX * LINE];)                                               \
        int64_t begins[BI_RADIX], *offsets = m->offsets;                                                       \
        const key_t *k = m->keys;                                                                              \
        key_t *k_out = m->keys_out;                                                                            \
        const int shift = m->digit.shift;                                                                      \
        const uint32_t mask = m->digit.mask;                                                                   \
        const int64_t k_phase = line_phase(k_out, sizeof(key_t));                                              \
        VALUES(const value_t *v = m->values; value_t *v_out = m->values_out;)                                  \
        VALUES(const int64_t v_phase = line_phase(v_out, sizeof(value_t));)                                    \
        /* Each key goes to the line of its digit; a full line is stored. */                                   \
        memcpy(begins, offsets, sizeof begins);                                                                \
        for (int64_t i = 0; i < m->n; i++) {                                                                   \
            uint32_t d = (uint32_t)(ORDERED_##kind(k[i]) >> shift) & mask;                                     \
            if (map) d = map[d];                                                                               \
            int64_t p = offsets[d]++;                                                                          \
            BUFFERED_STORE(key_lines + d * LINE, k_out, key_t, k_phase, begins[d], p, k[i]);                   \
            VALUES(BUFFERED_STORE(value_lines + d * LINE, v_out, value_t, v_phase, begins[d], p, v[i]);)       \
        }                                                                                                      \
        flush_lines(key_lines, m->keys_out, sizeof(key_t), begins, offsets);                                   \
        VALUES(flush_lines(value_lines, m->values_out, sizeof(value_t), begins, offsets);)                     \
        fence_streams();                                                                                       \
    }                                                                                                          \
    static void choose_scatter_##kind##_##bytes(const struct bi_radix_scatter *m)                              \
    {                                                                                                          \
        if (m->map && m->streams)                                                                              \
            scatter_lines_##kind##_##bytes(m, m->map);                                                         \
        else if (m->streams)                                                                                   \
            scatter_lines_##kind##_##bytes(m, NULL);                                                           \
        else if (m->map)                                                                                       \
            scatter_by_map_##kind##_##bytes(m);                                                                \
        else                                                                                                   \
            scatter_##kind##_##bytes(m);                                                                       \
    }                                                                                                          \
    static bool insert_##kind##_##bytes(void *keys, void *values, int64_t n, uint64_t bits, int64_t max_moves) \
    {                                                                                                          \
        key_t *k = keys, mask = (key_t)bits;                                                                   \
        VALUES(value_t *v = values;)                                                                           \
        (void)values;                                                                                          \
        for (int64_t i = 1, end; i < n; i = end) {                                                             \
            end = n - i < BLOCK ? n : i + BLOCK;                                                               \
            /* Skip blocks already in order; insert the other keys one by one. */                              \
            if (end - i == BLOCK && in_order_##kind(k + i, mask)) continue;                                    \
            for (int64_t at = i; i < end; at = ++i) {                                                          \
                key_t x = k[i], rank = ORDERED_##kind(x) & mask;                                               \
                VALUES(value_t y = v[i];)                                                                      \
                for (; at > 0 && (ORDERED_##kind(k[at - 1]) & mask) > rank; at--) {                            \
                    k[at] = k[at - 1];                                                                         \
                    VALUES(v[at] = v[at - 1];)                                                                 \
                }                                                                                              \
                k[at] = x;                                                                                     \
                VALUES(v[at] = y;)                                                                             \
                max_moves -= i - at;                                                                           \
                if (max_moves < 0) return false;                                                               \
            }                                                                                                  \
        }                                                                                                      \
        return true;                                                                                           \
    }                                                                                                          \
    static void gather_##kind##_##bytes(const void *keys, const void *values, const uint32_t *rows, int64_t n, \
                                        void *keys_out, void *values_out)                                      \
    {                                                                                                          \
        const key_t *k = keys;                                                                                 \
        key_t *k_out = keys_out;                                                                               \
        VALUES(const value_t *v = values; value_t *v_out = values_out;)                                        \
        (void)values, (void)values_out;                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                                      \
            k_out[i] = k[rows[i]];                                                                             \
            VALUES(v_out[i] = v[rows[i]];)                                                                     \
        }                                                                                                      \
    }
#define SCATTERS(kind, key_t) EACH_VALUE(SCATTER, kind, key_t)
EACH_KEY(SCATTERS)

#define KERNEL(kind, key_t, bytes)                                                                             \
    {                                                                                                          \
        sizeof(key_t), bytes, count_##kind, count_top_##kind, choose_scatter_##kind##_##bytes, varying_##kind, \
            insert_##kind##_##bytes, gather_##kind##_##bytes                                                   \
    }
#define KERNELS(kind, key_t)                                                   \
    {                                                                          \
        KERNEL(kind, key_t, 0), KERNEL(kind, key_t, 4), KERNEL(kind, key_t, 8) \
    }
const struct bi_radix_table BI_LEVEL_NAME(bi_radix_table) = {{KERNELS(f32, uint32_t), KERNELS(f64, uint64_t),
                                                              KERNELS(i32, uint32_t), KERNELS(i64, uint64_t),
                                                              KERNELS(u32, uint32_t), KERNELS(u64, uint64_t)}};
