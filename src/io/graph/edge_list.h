/* Graph files: formats, the description of their lines of edges, and the parsers. */
#ifndef BI_IO_GRAPH_EDGE_LIST_H
#define BI_IO_GRAPH_EDGE_LIST_H

#include "io/file/file.h"
#include "io/text/row.h"

/* Vertices and edges have numbers below this. */
#define BI_EDGES_LIMIT (INT64_C(0xffffffff) - 1)

enum bi_edges_format {
    BI_EDGES_UNKNOWN,
    BI_EDGES_GR,
    BI_EDGES_MTX,
    BI_EDGES_LIST,
    BI_EDGES_METIS,
    BI_EDGES_NPY,
    BI_EDGES_SAVED /* a graph in our own format */
};
/* Returns the format, by the ending of the path; for "-" and unknown endings by the first bytes; a list if columns
 * are chosen. in: NULL: none. */
enum bi_edges_format bi_edges_format_of(const char *path, const struct bi_bytes *in);

bosc_status bi_edges_parse(enum bi_edges_format format, const struct bi_bytes *in, bosc_edges *edges,
                           bosc_io_error *error);
bosc_status bi_gr_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error);
bosc_status bi_mtx_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error);
bosc_status bi_edge_list_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error);
/* The same for vertices with names. in: one chunk. */
struct bi_edge_names;
bosc_status bi_edge_names_parse(const struct bi_bytes *in, struct bi_edge_names *names, bosc_edges *edges,
                                bosc_io_error *error);
bosc_status bi_metis_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error);

/* Types of weights, ascending. A file that needs a wider type is parsed again with that. */
enum bi_weights { BI_WEIGHTS_NONE, BI_WEIGHTS_I32, BI_WEIGHTS_I64, BI_WEIGHTS_F64 };

/* Description of the lines of edges. */
struct bi_edge_form {
    char tag;           /* each begins with this word: 'a' or 'e'; 0: with none */
    char comments[4];   /* first characters of comment lines */
    char separator;     /* between fields: ',' or ';'; '\t' or ' ', quotes count; 0: blanks, quotes are letters */
    int index;          /* count of fields to skip before the vertices */
    int64_t columns[3]; /* numbers from 1 of the fields of both vertices and the weight; 0: in order, or no weight */
    int ignored;        /* count of numbers to skip behind the vertices */
    bool has_data;      /* lines may end in the data of networkx, {...} */
    bool data_weight;   /* the data holds the weight; else it is empty */
    bool named_weight;  /* under the name `weight`; edges without it have weight 1 */
    struct bi_edge_names *names; /* not NULL: vertices are names */
    int64_t first;               /* number of the first vertex: 0 or 1 */
    int64_t n;                   /* number of vertices; -1: the largest + 1 */
    int64_t m;                   /* number of edges in the header; -1: not declared */
    enum bi_weights weights;     /* type to begin with */
    enum bi_weights widest;      /* widest type allowed */
    bool widened;                /* reals, as a weight of an edge list is no integer of 64 bits */
};

/* Allocates arrays for m edges, and sets dtype. The caller sets the counts. */
bosc_status bi_edges_new(const char *name, enum bi_weights weights, int64_t m, bosc_edges *edges, bosc_io_error *error);
/* Grows the arrays if `needed` edges exceed *capacity; they are NULL and 0 at first. False: out of memory. */
bool bi_edges_reserve(bosc_edges *edges, size_t weight_size, int64_t *capacity, int64_t needed);
void bi_edges_shrink(bosc_edges *edges); /* releases memory behind the m edges */

/* Reads a number of vertices or edges of a header. */
bosc_status bi_edges_count(const struct bi_bytes *in, const struct bi_lines *lines, struct bi_line *line,
                           const char *what, int64_t *count, bosc_io_error *error);
/* Refuses further words in the header's line. */
bosc_status bi_edges_line_end(const struct bi_bytes *in, const struct bi_lines *lines, struct bi_line *line,
                              bosc_io_error *error);

#endif
