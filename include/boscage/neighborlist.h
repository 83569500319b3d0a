/* boscage/neighborlist.h - neighbour lists of atoms: all pairs nearer than a cutoff, in periodic cells of any shape.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_neighborlist_build, _pairs
 *
 * A system has atoms and a cell of three vectors a_0, a_1, a_2. Space is periodic along any subset of them, so atom j
 * has the images p_j + S_0 a_0 + S_1 a_1 + S_2 a_2 for all integer shifts S, with 0 along the other vectors. The
 * list holds every (i, j, S) with distance < cutoff, ascending in (i, j, S), except an atom with itself at S = 0. Cells
 * may be thin or sheared, cutoffs beyond half the cell give several images of a pair, and atoms may lie outside the
 * cell. One call builds the lists of many systems, whose atoms follow each other in one array.
 *
 * All arithmetic is in double, for both types of coordinates:
 * shift_c = (S_0 a_0c + S_1 a_1c) + S_2 a_2c, d_c = (p_jc - p_ic) + shift_c, distance = sqrt((d_0^2 + d_1^2) + d_2^2)
 * This distance decides, so no rounding of the search loses or adds a pair, and (j, i, -S) is listed if (i, j, S) is.
 *
 * With a skin, the list holds pairs nearer than cutoff + skin and stays valid while no atom moves by more than half
 * the skin, less the rounding of its distances (bosc_neighborlist_move). Results are filtered to the requested cutoff
 * at the present positions.
 * Sources: Verlet, Computer "Experiments" on Classical Fluids (1967), for skins; Quentrec and Brot, New Method for
 *     Searching for Neighbors in Molecular Dynamics Computations (1973), for linked cells. */
#ifndef BOSCAGE_NEIGHBORLIST_H
#define BOSCAGE_NEIGHBORLIST_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A neighbour list in the memory of one backend and device. Any number of contexts of that device may read it at once,
 * while none builds it or moves its atoms. It may outlive the context that made it. */
typedef struct bosc_neighborlist bosc_neighborlist;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_neighborlist_opts {
    size_t size;
    bosc_dtype dtype; /* type of positions, distances and vectors: F32 (default) or F64 */
    int32_t half;     /* not 0: only one of (i, j, S) and (j, i, -S): i < j, or i = j and the first S_c != 0 is > 0 */
    double cutoff;    /* from 2^-300 to 2^300; required */
    double skin;      /* 0 or more */
    int32_t id_bits;  /* atom numbers in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    int32_t reserved; /* 0 */
} bosc_neighborlist_opts;

/* Systems of atoms in the caller's memory. Set `size`. */
typedef struct bosc_neighborlist_systems {
    size_t size;
    const void *positions;   /* (n x 3) of the dtype, rows `stride` elements apart; finite, up to 2^300 in size */
    int64_t n;               /* atoms of all systems; n + system_count < 2^32 - 1 */
    int64_t stride;          /* 0: 3 */
    int64_t system_count;    /* 0: one system */
    const int64_t *offsets;  /* (system_count + 1) first atom of each system, then n; may be NULL for one system */
    const double *cells;     /* (system_count x 3 x 3) rows are the vectors; NULL: not periodic */
    const uint8_t *periodic; /* (system_count x 3) not 0: periodic along the vector; NULL: along all, with cells */
} bosc_neighborlist_systems;

/* Makes a list without atoms.
 * opts: required, as cutoff has no default.
 * list: set on success. */
BOSC_API bosc_status bosc_neighborlist_create(bosc_ctx *ctx, const bosc_neighborlist_opts *opts,
                                              bosc_neighborlist **list);

/* Frees the list once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_neighborlist_free(bosc_neighborlist *list);

/* Reserves memory so that builds of up to n atoms in up to system_count systems with up to `pairs` pairs allocate
 * nothing, if rows of host arrays are 3 elements apart. The list keeps its pairs.
 * Cost: copies the list's arrays if they grow.
 * Waits. */
BOSC_API bosc_status bosc_neighborlist_reserve(bosc_ctx *ctx, bosc_neighborlist *list, int64_t n, int64_t system_count,
                                               int64_t pairs);

/* Computes the backend memory, in bytes, of a build of these sizes. Needs no device.
 * kept: held by the list; may be NULL.
 * scratch: of the context while building, with copies of host arrays of stride 3; may be NULL. */
BOSC_API bosc_status bosc_neighborlist_bytes(bosc_ctx *ctx, const bosc_neighborlist_opts *opts, int64_t n,
                                             int64_t system_count, int64_t pairs, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the list.
 * systems: required. Vectors along which a system is not periodic are ignored, and may be 0.
 * Errors: BOSC_ERR_ARG leaves the list unchanged, and so does BOSC_ERR_LIMIT for n; any other failure empties it.
 *     BOSC_ERR_DATA: offsets that do not ascend from 0 to n; a position that is not finite, larger than 2^300 or 2^20
 *     cells away; a cell whose periodic vectors are not finite, not from 2^-300 to 2^300 long, or nearly dependent.
 *     BOSC_ERR_LIMIT also for a cutoff of more than 500 times the height of a cell.
 * Cost: O(n) work by a sort of the atoms by bin, if they spread evenly over the box of their system, which has at most
 *     as many bins as atoms. Two searches around every atom and a sort of each row.
 * Waits. */
BOSC_API bosc_status bosc_neighborlist_build(bosc_ctx *ctx, bosc_neighborlist *list,
                                             const bosc_neighborlist_systems *systems);

/* Replaces the positions, unless an atom has moved so far since the build that a pair may be missing.
 * positions (n x 3): in the order of the build, rows `stride` elements apart (0: 3), not wrapped back into the cell.
 * needs_build: host; set to 1 if an atom at p has moved to a NaN, or by more than
 *     skin / 2 - 2^-48 kappa (|p| + cutoff + skin); else to 0. At 1, the list is unchanged and must be built again.
 *     kappa is |a_0| |a_1| |a_2| / volume: 1 in cells with right angles. Without a skin, any move needs a build.
 * Cost: O(n) work; 24 bytes of scratch an atom for positions in host memory.
 * Waits. */
BOSC_API bosc_status bosc_neighborlist_move(bosc_ctx *ctx, bosc_neighborlist *list, const void *positions,
                                            int64_t stride, int32_t *needs_build);

typedef struct bosc_neighborlist_info {
    size_t size;
    int64_t n;
    int64_t system_count;
    int64_t pairs; /* nearer than cutoff + skin at the build */
    double cutoff, skin;
    bosc_dtype dtype;
    int32_t id_bits;
    int32_t half;
    int32_t reserved; /* 0 */
    int64_t bytes;    /* backend memory held by the list */
} bosc_neighborlist_info;

/* Describes the list. Set `size`. */
BOSC_API bosc_status bosc_neighborlist_get_info(bosc_ctx *ctx, const bosc_neighborlist *list,
                                                bosc_neighborlist_info *info);

/* The caller's arrays for pairs; NULL: not wanted. Set `size`. */
typedef struct bosc_neighborlist_arrays {
    size_t size;
    int64_t capacity; /* pairs that each array holds */
    void *centers;    /* (capacity) of id_bits: i, in the numbering of all systems */
    void *neighbors;  /* (capacity) of id_bits: j */
    int32_t *shifts;  /* (capacity x 3) S */
    void *distances;  /* (capacity) of the dtype */
    void *vectors;    /* (capacity x 3) of the dtype: d, from i to the image of j */
} bosc_neighborlist_arrays;

/* Returns the pairs nearer than a cutoff, ascending in (i, j, S), as a list (COO).
 * cutoff: at most that of the options; 0: that of the options. A smaller one gives a second list from the same search.
 * arrays: NULL to count only. BOSC_ERR_SPACE if its capacity is less than the number of pairs.
 * count: host; receives the number of pairs, also on BOSC_ERR_SPACE; may be NULL.
 * Cost: O(pairs) work. A smaller cutoff, a skin or moved atoms take a pass that counts, and 8 n bytes of scratch.
 * Waits, unless the pairs are those of the build and all arrays are in reach. */
BOSC_API bosc_status bosc_neighborlist_pairs(bosc_ctx *ctx, const bosc_neighborlist *list, double cutoff,
                                             const bosc_neighborlist_arrays *arrays, int64_t *count);

/* Returns the offsets of the rows of bosc_neighborlist_pairs: its pairs of atom i are offsets[i] to offsets[i + 1] - 1.
 * With them, `neighbors` and the other arrays are CSR rows.
 * offsets (n + 1).
 * Cost: a copy, or as that of bosc_neighborlist_pairs.
 * Waits, unless the pairs are those of the build and the array is in reach. */
BOSC_API bosc_status bosc_neighborlist_rows(bosc_ctx *ctx, const bosc_neighborlist *list, double cutoff,
                                            int64_t *offsets);

/* Returns the pairs as rows of equal width, for arrays of a fixed shape.
 * width: entries of each row; arrays->capacity must be at least n * width. A row with more pairs keeps the first ones.
 * counts (n): pairs of each atom, also beyond the width; may be NULL. If all arrays are NULL, only counts are written.
 * arrays: entry e of atom i is at i * width + e. Absent entries have neighbour -1 (32 bits: 2^32 - 1), center i,
 *     shift 0, an infinite distance and vector 0.
 * Cost: O(pairs + n * width) work; no scratch.
 * Queues if all arrays are in reach. */
BOSC_API bosc_status bosc_neighborlist_padded(bosc_ctx *ctx, const bosc_neighborlist *list, double cutoff,
                                              int64_t width, int64_t *counts, const bosc_neighborlist_arrays *arrays);

BOSC_END_DECLS
#endif
