/* The number of slots of a table, by layout: all fills compute it. */
#include "hash/handle.h"
#include "hash/slots.h"

uint32_t bi_hash_homes(double load_factor, int64_t n)
{
    return n >> 31 ? 0 : (uint32_t)bi_hash_slots_for(load_factor, (uint64_t)n);
}

/* ORDERED: homes, slots behind them, and two more (device/hash_slots.h). */
static uint64_t ordered_slots(double load_factor, int64_t n)
{
    const uint64_t keys = (uint64_t)n;
    if (n == 0) return 0;
    return n >> 31 ? keys : bi_hash_homes(load_factor, n) + bi_hash_slots_behind(load_factor, keys) + 2;
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
