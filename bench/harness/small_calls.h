/* Calls on a few thousand items or one, and their input: bench_small times them, bench_busy runs them beside other
 * processes. */
#ifndef BENCH_HARNESS_SMALL_CALLS_H
#define BENCH_HARNESS_SMALL_CALLS_H

#include <stdint.h>

#include <boscage/boscage.h>

enum { SMALL_K = 8 /* neighbours */ };

/* Of bench.ctx: a program that measures several contexts exchanges both. */
struct small_handles {
    bosc_kdtree *tree;
    bosc_hash *table;
    bosc_graph *graph;
    bosc_voxelgrid *grid;
    bosc_cbt *cbt;
    bosc_cellgraph *cells;
};

extern struct small {
    int64_t many;  /* items of the handles */
    int64_t n;     /* items of a call, at most many */
    float *points; /* (many x 3) */
    uint32_t *keys, *values, *u, *v, *weights, *bins, *out32, *edges;
    uint64_t *words;
    uint8_t *flags;
    int64_t *out64, *offsets;
    double *out_double;
    struct small_handles handles;
} small;

struct small_call {
    const char *name;
    void (*prepare)(void); /* builds the handle that the call reads; NULL: none */
    void (*run)(void);
};
extern const struct small_call small_calls[];
extern const int small_call_count;

void small_make_input(int64_t many);
void small_free_input(void);

/* Opens bench.ctx, and creates empty handles; frees both. */
void small_create_handles(void);
void small_free_handles(void);

void small_build_whole_tree(void); /* of all items, as other calls read it */
void small_build_whole_table(void);
double small_radius(void); /* of about seven neighbours */

#endif
