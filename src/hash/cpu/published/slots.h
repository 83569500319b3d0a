/* The slots layouts on the CPU: entries of bi_hash_ops_cpu. */
#ifndef BI_HASH_CPU_PUBLISHED_SLOTS_H
#define BI_HASH_CPU_PUBLISHED_SLOTS_H

#include "hash/slots.h"

bosc_status bi_hash_fill_slots_cpu(bosc_ctx *, const struct bi_hash_slots_fill *);
bosc_status bi_hash_find_slots_cpu(bosc_ctx *, const struct bi_hash_slots_find *, int64_t query_count);

#endif
