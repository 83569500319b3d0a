/* The layouts that find a key by places: how runs are filled, and what each backend gives for it.
 *
 * Keys are ordered by run. A run has so many places as its number of keys tells, and is then filled by a team; what it
 * becomes depends on the keys and, in HYBRID, on their order in the list. Where too many keys choose a run, another
 * hash chooses runs (HYBRID, FKS); if the last one does not serve either, all runs are linear, of as many places as
 * keys. Before a run is made linear the lists are sorted by hash (see bi_hash_layout: this is what `any` tells). */
#ifndef BI_HASH_SLOTS_H
#define BI_HASH_SLOTS_H

#include <stdbool.h>

#include <boscage/device/hash_slots.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "hash/hash.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_PERFECT_KEYS = 2048, /* of a run, at most on average */
    BI_PERFECT_BITS = 20,   /* of the number of runs, at most: with more than 2^31 keys runs get crowded, and linear */
    BI_PERFECT_CROWD = 2048 + 8 * 45, /* and at most: eight standard deviations more */
    BI_PERFECT_GROUP = 3,             /* keys of a group on average */
    BI_PERFECT_GROUPS = (BI_PERFECT_KEYS + BI_PERFECT_GROUP - 1) / BI_PERFECT_GROUP, /* of a run, at most */
    BI_PERFECT_PILOTS = 1 << 16,
    BI_HYBRID_KEYS = 409, /* of a run on average, and at most */
    BI_HYBRID_CROWD = 512,
    BI_HYBRID_PLACES = 576,
    BI_HYBRID_OFFERS = 64, /* that a key may make; 13 were the most in 20,000 runs of 512 keys */
    BI_FKS_KEYS = 3,       /* of a run on average: the load is then 1/4 */
    BI_FKS_CROWD = 32,
    BI_PLACES_HASHES = 5, /* that are tried to choose runs */
    /* A build that is not sure that keys differ tries so many seeds of a run before it takes the trouble to find out.
     */
    BI_PLACES_DOUBT = 3
};

/* What a team needs to know. */
struct bi_hash_placing {
    bosc_hash_places_view view; /* of the table in the making */
    uint64_t *parts;
    uint16_t *pilots;
    unsigned char *places;
    struct bi_hash_lists lists;
    double load;           /* PERFECT */
    const uint32_t *order; /* the rows of the lists by run; NULL: they are so already */
    const int64_t *starts; /* (runs + 1) in the order; NULL: those of the lists */
    uint64_t *firsts;      /* (runs + 1) places of a run, then by a scan its first one */
    uint32_t *bins;        /* (n) the run of each row */
    const int64_t *counts; /* (runs) */
    uint32_t *crowded;     /* not 0: too many keys chose a run */
    bool any, linear;      /* linear: all runs are */
    struct bi_hash_report *report;
};

struct bi_hash_places_find {
    bosc_hash_places_view view;
    const void *queries;
    void *values;
    uint8_t *found;
};

struct bi_hash_places_out {
    bosc_hash_places_view view;
    uint8_t *taken;    /* by place */
    const void *pairs; /* the places that are taken */
    void *hashes, *values;
};

struct bi_hash_run_lengths {
    bosc_hash_places_view view;
    uint32_t *lengths;
};

struct bi_hash_places_ops {
    bosc_status (*bins)(bosc_ctx *, int64_t n, const void *placing);
    bosc_status (*sizes)(bosc_ctx *, int64_t runs, const void *placing);
    bosc_status (*rows)(bosc_ctx *, int64_t n, const void *rows);
    bosc_status (*taken)(bosc_ctx *, int64_t places, const void *out);
    bosc_status (*pairs)(bosc_ctx *, int64_t places, const void *out);
    bosc_status (*lengths)(bosc_ctx *, int64_t runs, const void *lengths);
    bosc_status (*disorder)(bosc_ctx *, int64_t runs, const void *check);
    bosc_status (*fill)(bosc_ctx *, const struct bi_hash_placing *);
    bosc_status (*find)(bosc_ctx *, const struct bi_hash_places_find *, int64_t m);
};

extern const struct bi_hash_places_ops bi_hash_places_ops_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_hash_places_ops bi_hash_places_ops_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
