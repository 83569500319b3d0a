/* What AUTO knows of a backend: the measured times of single steps (bench/cellgraph_auto), from which it estimates the
 * time of each method, and the numbers by which it decides. Answers do not depend on any of them. */
#ifndef BI_CELLGRAPH_COSTS_H
#define BI_CELLGRAPH_COSTS_H

#include "cellgraph/cellgraph.h"

/* Times are nanoseconds; 0 where a backend has none worth counting. */
struct bi_cellgraph_costs {
    /* HEURISTIC */
    double pair;      /* a pair of vertices */
    double pair_word; /* a word that both begin with */
    double row;       /* a vertex, where threads wait rather than work */
    double row_word;  /* a word that it and the next one begin with */
    /* ZOBRIST */
    double dictionary;        /* the dictionary of hashes, once */
    double dictionary_vertex; /* and for each vertex */
    double probe;             /* a vector that is looked up */
    double probe_wait;        /* a vector of each vertex, times vertices to the power of 3/8: memory answers later */
    double vote;              /* a letter in the vote for the common ones */
    double hit;               /* a vector that is there, if no cache holds it */
    double hit_word;          /* and each of its words */
    double cached_vertices;   /* of this many vertices a cache holds half */
    /* JOIN */
    double join;           /* once */
    double join_vertex;    /* a vertex in a segment */
    double join_word;      /* a word of a vertex */
    double join_pair;      /* a pair that is compared */
    double join_pair_word; /* and each of its words */
    double halves;         /* a level of halves of a skewed segment, once */
    double halves_vertex;  /* and for each vertex */
    double halves_letter;  /* a value of a letter that replaces those that vary, once */
    double halves_probe;   /* and for each vertex */
    /* Decisions */
    double hidden_group; /* how likely a pair of a thin sample is all that shows of an oversized group */
    double max_group;    /* vertices that agree outside a segment: from there on it goes on in halves */
    double max_pairs;    /* pairs for each vertex: the same */
    double plain_pairs;  /* with fewer for each vertex JOIN is faster than ZOBRIST anyway */
    double count_probes; /* finding out how many vectors ZOBRIST would look up, once */
    int64_t join_unseen; /* up to this many vertices, of several words, are joined without a sample */
    int64_t compare_all; /* up to this many are compared pair by pair: a sample costs more */
    int64_t max_sample;  /* vertices of a sample at most */
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct bi_cellgraph_costs bi_cellgraph_costs_cpu, bi_cellgraph_costs_cuda;

#ifdef __cplusplus
}
#endif
#endif
