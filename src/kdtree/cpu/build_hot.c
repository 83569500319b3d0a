/* The hot loops of the CPU's builder, for keys of 4 and of 8 bytes. */
#include "kdtree/cpu/cpu.h"
#include "kdtree/cpu/lanes.h"

#define BUILD_KEY uint32_t
#define BUILD_NAME(name) name##32
#include "kdtree/cpu/build.inc"

#define BUILD_KEY uint64_t
#define BUILD_NAME(name) name##64
#include "kdtree/cpu/build.inc"

/* Return true if an element is NaN, by loops of 16, which become vectors. BITS: an integer of the size of T. */
#define HAS_NAN(T, BITS, suffix)                                                  \
    static bool has_nan##suffix(const void *elements, int64_t count)              \
    {                                                                             \
        const T *x = elements;                                                    \
        BITS any = 0, each[16] = {0};                                             \
        int64_t i = 0;                                                            \
        for (; i + 16 <= count; i += 16)                                          \
            for (int j = 0; j < 16; j++) each[j] |= (BITS)(x[i + j] != x[i + j]); \
        for (int j = 0; j < 16; j++) any |= each[j];                              \
        for (; i < count; i++) any |= (BITS)(x[i] != x[i]);                       \
        return any != 0;                                                          \
    }
HAS_NAN(float, int32_t, 32)
HAS_NAN(double, int64_t, 64)

#define HOT_TABLE(bits)                                                                   \
    const struct bi_kdtree_build_hot BI_LEVEL_NAME(bi_kdtree_build_hot##bits) = {         \
        load_rows##bits,      is_flat##bits,       flatten##bits,    choose_median##bits, \
        scatter_column##bits, build_subtree##bits, write_node##bits, has_nan##bits};
HOT_TABLE(32)
HOT_TABLE(64)
