/* Candidates of searches for pairs of doubles, gathered once a voxel and compared by vectors of AVX-512. */
#ifndef BI_VOXELGRID_CPU_NEARBY_H
#define BI_VOXELGRID_CPU_NEARBY_H

#include <immintrin.h>

#include "voxelgrid/steps/walk.h"

/* LANES: doubles of a vector. NEARBY: candidates gathered at most, 14 KB. Not measured. */
enum { LANES = 8, NEARBY = 512 };

/* The candidates of a small box of voxels, gathered once for the points whose searches have this box: mostly those of a
 * voxel. Padded by id 0, which is larger than no id. */
struct nearby {
    /* The box, as in struct bi_voxelgrid_walk; length 0: none. In another order than there, so that compilers compare
     * member by member: a vector load of two just stored members waits for the stores. */
    uint64_t row;
    int32_t planes; /* rows[0] */
    int64_t count;  /* of candidates; more than NEARBY: not gathered */
    uint64_t length;
    int32_t rows; /* rows[1] */
    double at[BI_VOXELGRID_DIM][NEARBY + LANES];
    uint32_t ids[NEARBY + LANES];
};

BI_FN bool has_box(const struct nearby *near, const struct bi_voxelgrid_walk *walk)
{
    return near->length == walk->length && near->row == walk->row && near->planes == walk->rows[0] &&
           near->rows == walk->rows[1];
}

/* Returns elements of an array, one for each set bit. */
BI_FN __m512d load_doubles(const double *from, unsigned bits) { return _mm512_maskz_loadu_pd((__mmask8)bits, from); }

/* Gathers the candidates at `count` positions, at most LANES, from entry `at` on; pads to LANES entries. Rows of
 * coordinates are permuted to vectors. */
BI_FN void gather_lanes(const struct bi_voxelgrid_view *v, int64_t position, int64_t count, struct nearby *near,
                        int64_t at)
{
    /* 1. Read the rows, and permute them. */
    const double *p = (const double *)v->points + position * v->dim;
    const unsigned bits = (1u << (count * v->dim)) - 1;
    const __m512d a = load_doubles(p, bits), b = load_doubles(p + LANES, bits >> LANES),
                  c = load_doubles(p + 2 * LANES, bits >> 2 * LANES);
    __m512d x = a, y = b, z = c;
    if (v->dim == 2) {
        x = _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
        y = _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
    }
    if (v->dim == 3) { /* elements of a and b; then those of c, numbered from 8 on, beside them */
        x = _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 3, 6, 9, 12, 15, 0, 0), b);
        y = _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 4, 7, 10, 13, 0, 0, 0), b);
        z = _mm512_permutex2var_pd(a, _mm512_setr_epi64(2, 5, 8, 11, 14, 0, 0, 0), b);
        x = _mm512_permutex2var_pd(x, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 10, 13), c);
        y = _mm512_permutex2var_pd(y, _mm512_setr_epi64(0, 1, 2, 3, 4, 8, 11, 14), c);
        z = _mm512_permutex2var_pd(z, _mm512_setr_epi64(0, 1, 2, 3, 4, 9, 12, 15), c);
    }
    /* 2. Store vectors. */
    _mm256_storeu_si256((__m256i *)(void *)(near->ids + at),
                        _mm256_maskz_loadu_epi32((__mmask8)((1u << count) - 1), v->ids + position));
    _mm512_storeu_pd(near->at[0] + at, x);
    if (v->dim > 1) _mm512_storeu_pd(near->at[1] + at, y);
    if (v->dim > 2) _mm512_storeu_pd(near->at[2] + at, z);
}

BI_FN __m512d square_difference(const double *x, double q)
{
    const __m512d difference = _mm512_sub_pd(_mm512_loadu_pd(x), _mm512_set1_pd(q));
    return _mm512_mul_pd(difference, difference);
}

/* Appends the candidates [t, t + LANES) within r2 of q with larger ids than `id`, from entry `at` on. Returns the next
 * entry. Stores LANES entries. */
BI_FN int64_t append_lanes(const struct nearby *near, int32_t dim, const double *q, double r2, uint32_t id, int64_t t,
                           uint32_t *ids, int64_t at)
{
    const __m256i candidates = _mm256_loadu_si256((const __m256i *)(const void *)(near->ids + t));
    __m512d squares = square_difference(near->at[0] + t, q[0]);
    if (dim > 1) squares = _mm512_add_pd(squares, square_difference(near->at[1] + t, q[1]));
    if (dim > 2) squares = _mm512_add_pd(squares, square_difference(near->at[2] + t, q[2]));
    const __mmask8 later = _mm256_cmpgt_epu32_mask(candidates, _mm256_set1_epi32((int)id)),
                   within = _mm512_mask_cmp_pd_mask(later, squares, _mm512_set1_pd(r2), _CMP_LE_OQ);
    _mm256_storeu_si256((__m256i *)(void *)(ids + at), _mm256_maskz_compress_epi32(within, candidates));
    return at + __builtin_popcount(within);
}

/* Gathers the candidates of a walk over a small box, from its first step on. */
BI_FN void gather_nearby(const struct bi_voxelgrid_view *v, struct bi_voxelgrid_walk *walk, struct nearby *near)
{
    int64_t begin, end, count = 0;
    near->row = walk->row;
    near->planes = walk->rows[0];
    near->length = walk->length;
    near->rows = walk->rows[1];
    while (bi_voxelgrid_walk_next(v, walk, &begin, &end)) {
        near->count = count + end - begin;
        if (near->count > NEARBY) return;
        for (int64_t left = end - begin; left > 0; left -= LANES)
            gather_lanes(v, end - left, left < LANES ? left : LANES, near, near->count - left);
        count = near->count;
    }
    near->count = count;
    gather_lanes(v, 0, 0, near, count);
}

#endif
