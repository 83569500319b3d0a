/* The saved form of a clustering, little-endian:
 *
 *   header (80 bytes, below) | points: n x dim elements by row | z: (n - 1) x 4 doubles
 *   | squared core distances: n floats for F32, else doubles | XXH3 64 of everything before
 *
 * The k-d tree and the condensed tree are functions of these, and are made again. */
#ifndef BI_CLUSTER_SAVE_H
#define BI_CLUSTER_SAVE_H

#include "cluster/model.h"
#include "core/save.h"

enum { BI_CLUSTERING_SAVE_VERSION = 1 };

#define BI_CLUSTERING_SAVE_MAGIC "BOSCHDB\n"

struct bi_clustering_header {
    char magic[8];
    uint32_t version, selection;
    uint32_t dtype, dim;
    uint32_t label_bits, allow_single_cluster;
    int64_t n, min_cluster_size, min_samples, max_cluster_size;
    double epsilon;
    uint64_t hash; /* of the bytes before */
};

_Static_assert(sizeof(struct bi_clustering_header) == 80, "the header is 80 bytes");

#endif
