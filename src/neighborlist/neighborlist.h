/* Inside a neighbour list: the handle, the part of it that steps read, and the room's table. */
#ifndef BI_NEIGHBORLIST_NEIGHBORLIST_H
#define BI_NEIGHBORLIST_NEIGHBORLIST_H

#include <boscage/neighborlist.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_NEIGHBORLIST_DIM = 3,
    BI_NEIGHBORLIST_IMAGE_BITS = 10,   /* of an image along a vector, in an entry */
    BI_NEIGHBORLIST_MAX_IMAGE = 511,   /* which these bits hold, of either sign */
    BI_NEIGHBORLIST_PADDING = 16,      /* positions behind the sorted ones, which vectors of the CPU may read */
    BI_NEIGHBORLIST_WRAP_BITS = 21,    /* of the cell of an atom along a vector */
    BI_NEIGHBORLIST_MAX_WRAP = 1 << 20 /* cells are -MAX_WRAP to MAX_WRAP - 1 */
};

/* An atom: its position, and its cell along each vector (0 if not periodic), 21 bits each. */
struct bi_neighborlist_atom {
    double at[BI_NEIGHBORLIST_DIM];
    uint64_t cell;
};

/* The geometry of a system. A fraction is the coordinate of a position along an axis. Axes are the periodic vectors,
 * and unit vectors orthogonal to all others. */
struct bi_neighborlist_system {
    double axes[BI_NEIGHBORLIST_DIM][BI_NEIGHBORLIST_DIM];
    double inverse[BI_NEIGHBORLIST_DIM][BI_NEIGHBORLIST_DIM]; /* row c: its dot product with a position is fraction c */
    uint64_t low[BI_NEIGHBORLIST_DIM], not_high[BI_NEIGHBORLIST_DIM]; /* keys of the extremes of open fractions */
    double margin[BI_NEIGHBORLIST_DIM];                               /* bound of the errors of fractions */
    double kappa;                                                     /* condition of the axes */
    double origin[BI_NEIGHBORLIST_DIM];                               /* of positions in float */
    double begin[BI_NEIGHBORLIST_DIM], scale[BI_NEIGHBORLIST_DIM];    /* bin coordinate = (fraction - begin) * scale */
    double reach[BI_NEIGHBORLIST_DIM];                                /* of a search, in bins */
    float square_limit, square_sure; /* squared distances in float above or up to it are beyond or within the cutoff */
    int32_t bins[BI_NEIGHBORLIST_DIM];
    uint8_t periodic[BI_NEIGHBORLIST_DIM];
};

/* Words of a build behind the offsets: the first bad system (bi_step_frame), the first bad atom, the first system with
 * too many images, and the first one too large for count_systems. All bits are set if there is none. */
enum {
    BI_NEIGHBORLIST_BAD_SYSTEM,
    BI_NEIGHBORLIST_BAD_ATOM,
    BI_NEIGHBORLIST_BAD_IMAGES,
    BI_NEIGHBORLIST_TOO_LARGE,
    BI_NEIGHBORLIST_FOUND
};

/* The part of a list that steps read. An entry is a neighbour's number, then its image relative to the atoms' cells:
 * three fields of IMAGE_BITS bits. Entries of a row ascend, so they ascend in (j, S). */
struct bi_neighborlist_view {
    struct bi_neighborlist_system *systems; /* (system_count) */
    struct bi_neighborlist_atom *atoms;     /* (n) */
    uint32_t *system_of;                    /* (n) */
    double *built_at;                       /* (n x 3) positions at the build; NULL without a skin */
    int64_t *offsets;                       /* (n + 1) of the rows; then FOUND words */
    uint64_t *entries;                      /* (pairs) */
    int64_t n, system_count, pairs;
};

/* The caller's systems, reachable. */
struct bi_neighborlist_input {
    const void *positions;
    const int64_t *offsets; /* NULL: one system */
    const double *cells;
    const uint8_t *periodic;
    int64_t n, stride, system_count;
    bool is_f64;
};

struct bosc_neighborlist {
    struct bi_memory memory, host;
    bosc_neighborlist_opts opts; /* every field set */
    struct bi_neighborlist_view view;
    struct bi_block systems, atoms, system_of, built_at, offsets, entries;
    bool moved; /* positions are not those of the build */
};

struct bi_neighborlist_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */
struct bi_neighborlist_output;
struct bi_neighborlist_small;

/* The room's table. */
struct bi_neighborlist_ops {
    const struct bi_neighborlist_steps *steps;
    /* Bins along a cutoff: with 1 a search covers 3 cutoffs along each axis, with 2 it covers 2.5. So 2 gives fewer
     * candidates, but more spans. */
    int32_t bins_per_cutoff;
    bi_step_fn count_rows, fill_rows; /* of n atoms: arguments and results as of the steps count_row and fill_row */
    /* Small systems without bins; NULL if there are no such operations. count_systems reads the systems and counts
     * their rows, or sets the word TOO_LARGE; fill_systems then writes the entries, unless words report bad input or
     * they are more than the capacity. */
    int64_t small_system; /* most atoms of a small system */
    bosc_status (*count_systems)(bosc_ctx *ctx, const struct bi_neighborlist_small *small);
    bosc_status (*fill_systems)(bosc_ctx *ctx, const struct bi_neighborlist_small *small);
    /* Writes all pairs of the build to the caller's arrays. */
    bosc_status (*write)(bosc_ctx *ctx, const struct bi_neighborlist_output *output);
};

#ifdef __cplusplus
}
#endif
#endif
