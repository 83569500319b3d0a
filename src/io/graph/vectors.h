/* Parsers of vectors over a small alphabet. */
#ifndef BI_IO_GRAPH_VECTORS_H
#define BI_IO_GRAPH_VECTORS_H

#include "io/file/file.h"

/* opts: all fields are read. */
bosc_status bi_vectors_text_parse(const struct bi_bytes *in, const bosc_vectors_opts *opts, bosc_vectors *vectors,
                                  bosc_io_error *error);
bosc_status bi_vectors_npy_parse(const struct bi_bytes *in, int32_t bits, bosc_vectors *vectors, bosc_io_error *error);

#endif
