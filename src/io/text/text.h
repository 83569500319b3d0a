/* Points as text. */
#ifndef BI_IO_TEXT_TEXT_H
#define BI_IO_TEXT_TEXT_H

#include "io/file/file.h"

/* All zeros: read everything. */
struct bi_text_opts {
    const char *columns; /* names or numbers from 1, separated by commas; NULL: all */
    int64_t most;        /* keep only the first `most` numbers of a row; 0: all */
};
bosc_status bi_text_parse(const struct bi_bytes *in, const struct bi_text_opts *opts, bosc_array *points,
                          bosc_io_error *error);
/* Lists the distinct names of the columns behind numbers of the rows; none if the text has no names. */
bosc_status bi_text_names(const struct bi_bytes *in, bosc_names *names, bosc_io_error *error);
/* Reads Lattice= and pbc= of a molecule's comment. Sets *found to 0 if there is no Lattice=. */
bosc_status bi_lattice_parse(const struct bi_bytes *in, double vectors[9], uint8_t periodic[3], int32_t *found,
                             bosc_io_error *error);
/* True if a text begins as a molecule of a .xyz does: a count, a comment, and a line of a symbol and three numbers. */
bool bi_xyz_is_molecule(const struct bi_bytes *in);
bosc_status bi_xyz_parse(const struct bi_bytes *in, const char *columns, bosc_array *points, bosc_io_error *error);

#endif
