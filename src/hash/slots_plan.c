/* Plans tables of the slots layouts, and makes their view. */
#include "hash/drivers.h"
#include "hash/slots.h"

static int64_t at_least(int64_t a, int64_t least) { return a < least ? least : a; }

/* Returns the number of runs: at least two where a filler is a hash of another run. */
static int64_t runs_of(bosc_hash_layout layout, int32_t partition_bits, int64_t n)
{
    switch (layout) {
    case BOSC_HASH_PERFECT: return (int64_t)1 << partition_bits;
    case BOSC_HASH_CUCKOO: return 2; /* the table and the stash */
    case BOSC_HASH_ORDERED: return 1;
    case BOSC_HASH_HYBRID: return at_least(bi_div_up(n, BI_HASH_HYBRID_KEYS), 2);
    case BOSC_HASH_CHAINED: return at_least(bi_div_up(n, BI_HASH_CHAINED_KEYS), 2);
    default: return at_least(bi_div_up(n, BI_HASH_FKS_KEYS), 2);
    }
}

static int64_t groups_of(int32_t partition_bits, int64_t n)
{
    int64_t groups = bi_div_up(bi_div_up(n, (int64_t)1 << partition_bits), BI_HASH_PERFECT_GROUP);
    return groups > BI_HASH_PERFECT_GROUPS ? BI_HASH_PERFECT_GROUPS : at_least(groups, 1);
}

uint32_t bi_hash_homes(double load_factor, int64_t n)
{
    return n >> 31 ? 0 : (uint32_t)bi_hash_slots_for(load_factor, (uint64_t)n);
}

/* ORDERED: homes, slots for pairs pushed beyond the last home, and two more (device/hash_slots.h). The probability that
 * more than k pairs are pushed beyond is at most exp(-2 (1 - load_factor) k), as for a queue of k customers (Kingman,
 * Inequalities in the Theory of Queues (1970)): 1e-15 for k = 18 / (1 - load_factor). */
static uint64_t ordered_slots(double load_factor, int64_t n)
{
    const uint64_t behind = (uint64_t)(18 / (1 - load_factor)), keys = (uint64_t)n;
    if (n == 0) return 0;
    return n >> 31 ? keys : bi_hash_homes(load_factor, n) + (behind < keys ? behind : keys) + 2;
}

/* FKS: the sum of squares has the mean 4 n and the standard deviation sqrt(55 n); a hash with a larger sum is replaced
 * by the next one. */
uint64_t bi_hash_max_slots(bosc_hash_layout layout, double load_factor, int64_t n, int64_t runs)
{
    if (layout == BOSC_HASH_CUCKOO) return n ? bi_hash_slots_for(load_factor, (uint64_t)n) + BOSC_HASH_STASH : 0;
    if (layout == BOSC_HASH_CHAINED) return (uint64_t)n;
    if (layout == BOSC_HASH_ORDERED) return ordered_slots(load_factor, n);
    if (layout == BOSC_HASH_HYBRID) return (uint64_t)runs * BI_HASH_HYBRID_SLOTS;
    if (layout == BOSC_HASH_PERFECT) return bi_hash_slots_for(load_factor, (uint64_t)n) + 2 * (uint64_t)runs;
    uint64_t root = 1;
    while (root * root < (uint64_t)n) root *= 2;
    return 4 * (uint64_t)n + 30 * root + 64;
}

static int32_t stride_of(const struct bi_hash_shape *shape)
{
    return (int32_t)bi_round_up((uint64_t)shape->key_bytes + (uint64_t)shape->value_bytes,
                                shape->key_bits == 32 ? 4 : 8);
}

void bi_hash_slots_plan(const bosc_hash_opts *opts, int64_t n, struct bi_hash_shape *shape,
                        size_t bytes[BI_HASH_BLOCKS])
{
    int64_t runs;
    shape->partition_bits = bi_hash_partition_bits(opts->key_bits, n);
    if (opts->layout == BOSC_HASH_PERFECT)
        for (shape->partition_bits = 1;
             n >> shape->partition_bits > BI_HASH_PERFECT_KEYS && shape->partition_bits < BI_HASH_PERFECT_BITS;)
            shape->partition_bits++;
    runs = runs_of(opts->layout, shape->partition_bits, n);
    bytes[BI_HASH_DESCRIPTORS] = (size_t)(runs + 2) * sizeof(uint64_t);
    bytes[BI_HASH_TABLE] = bi_hash_max_slots(opts->layout, opts->load_factor, n, runs) * (size_t)stride_of(shape);
    bytes[BI_HASH_PILOTS] = 0;
    if (opts->layout == BOSC_HASH_PERFECT)
        bytes[BI_HASH_PILOTS] = (size_t)(runs * groups_of(shape->partition_bits, n)) * sizeof(uint16_t);
}

bosc_hash_slots_view bi_hash_slots_view_of(const bosc_hash *table, int64_t n)
{
    const struct bi_hash_shape *shape = &table->shape;
    const bool ordered = table->opts.layout == BOSC_HASH_ORDERED && !table->linear;
    const uint32_t homes = ordered ? bi_hash_homes(shape->load_factor, n) : 0;
    const uint32_t *directory = homes && homes <= BOSC_HASH_INDEXED ? table->blocks[BI_HASH_DIRECTORY].data : NULL;
    const bool pairs = directory && stride_of(shape) == shape->key_bits / 4;
    return (bosc_hash_slots_view){.version = BOSC_HASH_SLOTS_VERSION,
                                  .layout = table->opts.layout,
                                  .key_bits = shape->key_bits,
                                  .value_size = shape->value_bytes,
                                  .stride = stride_of(shape),
                                  .partition_bits = shape->partition_bits,
                                  .runs = (uint32_t)runs_of(table->opts.layout, shape->partition_bits, n),
                                  .groups = (uint32_t)groups_of(shape->partition_bits, n),
                                  .functions = (uint32_t)table->opts.functions,
                                  .seed = shape->seed,
                                  .descriptors = table->blocks[BI_HASH_DESCRIPTORS].data,
                                  .pilots = table->blocks[BI_HASH_PILOTS].data,
                                  .slots = table->blocks[BI_HASH_TABLE].data,
                                  .values = table->blocks[BI_HASH_VALUES].data,
                                  .homes = homes,
                                  .pair_bits = pairs ? shape->key_bits : 0,
                                  .directory = directory};
}
