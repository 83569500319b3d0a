/* The hot loops of the CPU's builder, for keys of 4 and of 8 bytes. */
#include "kdtree/cpu/cpu.h"
#include "kdtree/steps/rows.h"
#include "kdtree/cpu/lanes.h"

#define BUILD_KEY uint32_t
#define BUILD_NAME(name) name##32
#include "kdtree/cpu/build.inc"

#define BUILD_KEY uint64_t
#define BUILD_NAME(name) name##64
#include "kdtree/cpu/build.inc"

/* Classify elements, by loops of 16, which become vectors. BITS: an integer of the size of T; BUILTIN_ABS: clears the
 * sign. */
#define CLASSIFY(T, BITS, BUILTIN_ABS, suffix)                                                   \
    static int classify##suffix(const void *elements, int64_t count, double limit, double least) \
    {                                                                                            \
        const T *x = elements;                                                                   \
        const T most = (T)limit, small = (T)least;                                               \
        BITS any_beyond = 0, any_tiny = 0, beyond[16] = {0}, tiny[16] = {0};                     \
        int64_t i = 0;                                                                           \
        for (; i + 16 <= count; i += 16)                                                         \
            for (int j = 0; j < 16; j++) {                                                       \
                const T magnitude = BUILTIN_ABS(x[i + j]);                                       \
                beyond[j] |= -(BITS) !(magnitude <= most);                                       \
                tiny[j] |= -(BITS)((magnitude <= small) & (magnitude > 0));                      \
            }                                                                                    \
        for (int j = 0; j < 16 && i > 0; j++) {                                                  \
            any_beyond |= beyond[j];                                                             \
            any_tiny |= tiny[j];                                                                 \
        }                                                                                        \
        for (; i < count; i++) {                                                                 \
            const T magnitude = BUILTIN_ABS(x[i]);                                               \
            any_beyond |= (BITS) !(magnitude <= most);                                           \
            any_tiny |= (BITS)((magnitude <= small) & (magnitude > 0));                          \
        }                                                                                        \
        return (any_beyond ? BI_KDTREE_IS_BEYOND : 0) | (any_tiny ? BI_KDTREE_IS_TINY : 0);      \
    }
CLASSIFY(float, int32_t, __builtin_fabsf, 32)
CLASSIFY(double, int64_t, __builtin_fabs, 64)

#define HOT_TABLE(bits)                                                                                  \
    const struct bi_kdtree_build_hot BI_LEVEL_NAME(bi_kdtree_build_hot##bits) = {                        \
        load_rows##bits,      load_nodes##bits,    is_flat##bits,    flatten##bits, choose_median##bits, \
        scatter_column##bits, build_subtree##bits, write_node##bits, classify##bits};
HOT_TABLE(32)
HOT_TABLE(64)
