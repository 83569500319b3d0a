/* Graph files whose lines are edges: what a header says of them, and the parser that all of them share. */
#ifndef BI_IO_GRAPH_EDGE_LIST_H
#define BI_IO_GRAPH_EDGE_LIST_H

#include "io/text/number.h"

/* Vertices are numbered below this; so are edges. */
#define BI_EDGES_LIMIT (INT64_C(0xffffffff) - 1)

enum bi_edges_format {
    BI_EDGES_UNKNOWN,
    BI_EDGES_GR,
    BI_EDGES_MTX,
    BI_EDGES_LIST,
    BI_EDGES_METIS,
    BI_EDGES_SAVED /* a graph in our own format */
};
/* By the path's ending; "-" and unknown endings by the first bytes (in may be NULL: there are none). */
enum bi_edges_format bi_edges_format_of(const char *path, const struct bi_bytes *in);

bosc_status bi_edges_parse(enum bi_edges_format format, const struct bi_bytes *in, bosc_edges *edges,
                           bosc_io_error *error);
bosc_status bi_gr_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error);
bosc_status bi_mtx_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error);
bosc_status bi_edge_list_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error);
bosc_status bi_metis_parse(const struct bi_bytes *in, bosc_edges *edges, bosc_io_error *error);

/* What weights are read as. A file that proves to need a later kind is read again as that. */
enum bi_weights { BI_WEIGHTS_NONE, BI_WEIGHTS_I32, BI_WEIGHTS_I64, BI_WEIGHTS_F64 };

/* The lines of edges of a file. */
struct bi_edge_form {
    bool tagged;             /* each begins with the word "a" */
    char comments[4];        /* characters that begin lines without an edge */
    char separator;          /* between numbers: ',' or ';'; 0: blanks */
    int ignored;             /* numbers behind the vertices that are no weights */
    int64_t first;           /* the first vertex: 0 or 1 */
    int64_t n;               /* vertices; -1: the largest and those before it */
    int64_t m;               /* edges that the header declares; -1: any number */
    enum bi_weights weights; /* the kind to begin with */
    enum bi_weights widest;  /* the last kind it may become */
};

/* Parses the lines from `lines` on. */
bosc_status bi_edge_lines_parse(const struct bi_bytes *in, const struct bi_lines *lines,
                                const struct bi_edge_form *form, bosc_edges *edges, bosc_io_error *error);

/* Arrays for m edges. The counts and the type are the caller's to set. */
bosc_status bi_edges_new(const char *name, enum bi_weights weights, int64_t m, bosc_edges *edges, bosc_io_error *error);
/* Makes the arrays longer than *capacity where more edges are needed; all are NULL at first, with a capacity of 0.
 * False: no memory. */
bool bi_edges_reserve(bosc_edges *edges, size_t weight_size, int64_t *capacity, int64_t needed);
void bi_edges_shrink(bosc_edges *edges); /* gives back what lies behind the m edges */

/* The next run of characters other than blanks; false at the end. */
bool bi_word_next(struct bi_line *line, struct bi_line *word);
bool bi_word_integer(const struct bi_line *word, int64_t *value); /* false: no integer of 64 bits */

/* "NAME:LINE: reason". */
bosc_status bi_fail_at(const struct bi_bytes *in, int64_t line, bosc_status status, bosc_io_error *error,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A number of vertices or edges in a header. */
bosc_status bi_edges_count(const struct bi_bytes *in, const struct bi_lines *lines, struct bi_line *line,
                           const char *what, int64_t *count, bosc_io_error *error);
/* Nothing more stands in the header's line. */
bosc_status bi_edges_line_end(const struct bi_bytes *in, const struct bi_lines *lines, struct bi_line *line,
                              bosc_io_error *error);

#endif
