/* The hot loops of the CPU's builder, for keys of 4 and of 8 bytes. */
#include "kdtree/cpu/build.h"
#include "kdtree/cpu/lanes.h"
#include "kdtree/cpu/leaf_masks.h"
#include "kdtree/cpu/leaf_store.h"

#define KEY uint32_t
#define NAMED(name) name##32
#include "kdtree/cpu/select.inc"
#include "kdtree/cpu/split.inc"
#include "kdtree/cpu/leaf.inc"
#undef KEY
#undef NAMED

#define KEY uint64_t
#define NAMED(name) name##64
#include "kdtree/cpu/select.inc"
#include "kdtree/cpu/split.inc"
#include "kdtree/cpu/leaf.inc"
#undef KEY
#undef NAMED

#define HOT_TABLE(bits)                                                           \
    const struct bi_kdtree_build_hot BI_LEVEL_NAME(bi_kdtree_build_hot##bits) = { \
        load##bits, is_flat##bits, flatten##bits, choose##bits, spread_column##bits, finish##bits, emit##bits};
HOT_TABLE(32)
HOT_TABLE(64)
