/* Input of each shape, by the library's generators: the data that `boscage generate` writes. A name that is no shape
 * ends the program. All arrays are the host's; free() them. */
#ifndef BENCH_HARNESS_SHAPES_H
#define BENCH_HARNESS_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include <boscage/graph.h>
#include <boscage/random.h>

#include "tool/options/shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

bosc_random_points_kind bench_points_kind(const char *shape);

/* n points of dim floats. */
float *bench_points(const char *shape, int64_t n, int dim, uint64_t seed);

/* n points, and m queries of the same clusters or rooms: every (n + m) / m-th of n + m points in their order is a
 * query. */
float *bench_points_and_queries(const char *shape, int64_t n, int64_t m, int dim, float **queries);

/* Number of sets of n points or queries, 1 to 16, that repeated calls take in turn. Else branch predictors of CPUs
 * adapt to a small set. */
int bench_sets(int64_t n);

/* bench_points_and_queries with several sets of m queries, one after the other, all of the same draw. */
float *bench_points_and_query_sets(const char *shape, int64_t n, int64_t m, int sets, int dim, float **queries);

/* The radius within which a point has at most `neighbours` others in the mean, by a sample; 0 if equal points are
 * more. */
double bench_radius(const float *points, int64_t n, int dim, double neighbours);

/* The radius of searches for about 8 points: of uniform ones in 3-D by their density, of others by bench_radius. */
double bench_usual_radius(const char *shape, const float *points, int64_t n, int dim);

bosc_graph_kind bench_graph_kind(const char *shape);

/* Edges for n vertices: 6 n of the kinds that have an average degree; 0 where the kind chooses. */
int64_t bench_graph_edges(const char *shape, int64_t n);

/* A list of edges as the generators write it. free() the arrays. */
struct bench_edges {
    int64_t n, m;
    uint32_t *u, *v;
    int64_t *weights;
};

/* The edges of a graph with 32-bit ids. */
struct bench_edges bench_graph_list(const bosc_graph_generate_opts *opts);

/* The type of weights with a name: u32, i32, f32, u64, i64 or f64. */
bosc_dtype bench_weight_type(const char *name);

/* Integers as weights of a type. */
void *bench_weights(const int64_t *integers, int64_t count, bosc_dtype type);

/* n keys of key_bits bits, 32 or 64, and n others, absent from them. */
void *bench_keys(const char *shape, int64_t n, int key_bits, void **absent);

/* Returns true, and the length and the bits of a letter, if the name is a shape of words: words-4 and words-20 of 20
 * letters, as proteins have (words-20: every second word is the one before it with one letter replaced), dna-12. */
bool bench_word_shape(const char *name, int32_t *length, int32_t *letter_bits);

/* n words of a shape, packed as boscage/cellgraph.h has them. */
uint64_t *bench_words(const char *name, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
