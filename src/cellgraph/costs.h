/* Costs of a backend, from which AUTO estimates the time of each method. Measured by bench/cellgraph_auto; answers
 * do not depend on them. */
#ifndef BI_CELLGRAPH_COSTS_H
#define BI_CELLGRAPH_COSTS_H

#include "cellgraph/cellgraph.h"

/* Times are nanoseconds; 0 where negligible. */
struct bi_cellgraph_costs {
    /* HEURISTIC */
    double pair;      /* a pair of vertices */
    double pair_word; /* each word that both begin with */
    double row;       /* a vertex, where latency counts rather than throughput */
    double row_word;  /* each word that it and the next one begin with */
    /* ZOBRIST */
    double dictionary;        /* the dictionary of hashes, once */
    double dictionary_vertex; /* each vertex in it */
    double probe;             /* a lookup of a vector */
    double probe_wait;        /* a lookup for each vertex, times vertices^(3/8): memory latency grows */
    double vote;              /* a letter in the vote for the common ones */
    double hit;               /* a successful lookup, not cached */
    double hit_word;          /* each of its words */
    double cached_vertices;   /* a cache holds half of this many vertices */
    /* JOIN */
    double join;           /* once */
    double join_vertex;    /* a vertex in a segment */
    double join_word;      /* a word of a vertex */
    double join_pair;      /* a compared pair */
    double join_pair_word; /* each of its words */
    double halves;         /* a level of halves of a skewed segment, once */
    double halves_vertex;  /* each of its vertices */
    double halves_letter;  /* a replaced letter value, once */
    double halves_probe;   /* each vertex looked up with it */
    /* Decisions */
    double hidden_group; /* probability that one pair in a thin sample belongs to an oversized group */
    double max_group;    /* vertices equal outside a segment from which on it is split into halves */
    double max_pairs;    /* the same in pairs a vertex */
    double plain_pairs;  /* pairs a vertex below which JOIN always beats ZOBRIST */
    double count_probes; /* counting the lookups that ZOBRIST would make, once */
    int64_t join_unseen; /* up to this many vertices of several words JOIN is used without a sample */
    int64_t compare_all; /* up to this many vertices HEURISTIC is used without a sample */
    int64_t max_sample;  /* vertices of a sample */
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct bi_cellgraph_costs bi_cellgraph_costs_cpu, bi_cellgraph_costs_cuda;

#ifdef __cplusplus
}
#endif
#endif
