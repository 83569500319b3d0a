/* Steps that search around atoms. A search covers the bins that any point within the cutoff may be in. Candidates
 * are first compared in float, with a margin; the distance in double, which the header defines, decides. */
#ifndef BI_NEIGHBORLIST_STEPS_SEARCH_H
#define BI_NEIGHBORLIST_STEPS_SEARCH_H

#include "base/radius.h"
#include "neighborlist/steps/frames.h"

/* ---- distances ---- */

/* Returns the largest square whose root is less than the cutoff, which is not 0. */
BI_FN double bi_neighborlist_square(double cutoff)
{
    return bi_largest_square(bi_f64_from_bits(bi_f64_bits(cutoff) - 1), false);
}

/* Returns an entry: neighbour j in an image relative to the cells of both atoms. */
BI_FN uint64_t bi_neighborlist_entry(uint32_t j, const int32_t *image)
{
    uint64_t entry = (uint64_t)j << 32;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++)
        entry |= (uint64_t)(image[c] + BI_NEIGHBORLIST_MAX_IMAGE) << (BI_NEIGHBORLIST_IMAGE_BITS * (2 - c));
    return entry;
}

BI_FN uint32_t bi_neighborlist_entry_atom(uint64_t entry) { return (uint32_t)(entry >> 32); }

/* Computes the shift S of an entry of atom i. */
BI_FN void bi_neighborlist_entry_shift(uint64_t entry, const struct bi_neighborlist_atom *i,
                                       const struct bi_neighborlist_atom *j, int32_t *shift)
{
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        const uint64_t field = entry >> (BI_NEIGHBORLIST_IMAGE_BITS * (2 - c));
        const int32_t image =
            (int32_t)(field & (((uint64_t)1 << BI_NEIGHBORLIST_IMAGE_BITS) - 1)) - BI_NEIGHBORLIST_MAX_IMAGE;
        shift[c] = image + bi_neighborlist_wrap(i, c) - bi_neighborlist_wrap(j, c);
    }
}

/* Computes the vector from i to the image of j, as the header defines it; returns its squared length. */
BI_FN double bi_neighborlist_vector(const struct bi_neighborlist_system *s, const struct bi_neighborlist_atom *i,
                                    const struct bi_neighborlist_atom *j, const int32_t *shift, double *vector)
{
    for (int d = 0; d < BI_NEIGHBORLIST_DIM; d++) {
        const double moved =
            ((double)shift[0] * s->axes[0][d] + (double)shift[1] * s->axes[1][d]) + (double)shift[2] * s->axes[2][d];
        vector[d] = (j->at[d] - i->at[d]) + moved;
    }
    return bi_neighborlist_dot(vector, vector);
}

/* ---- searches ---- */

struct bi_neighborlist_search {
    struct bi_neighborlist_view view;
    double square; /* largest squared distance of a neighbour */
    bool half;
    const uint32_t *first_bin, *ids, *starts; /* of the sorted order: see struct bi_neighborlist_bins */
    const float *x, *y, *z;
    const uint64_t *found; /* of struct bi_neighborlist_frames */
};

/* True if all systems and atoms are good. */
BI_FN bool bi_neighborlist_is_good(const uint64_t *found)
{
    return (found[BI_NEIGHBORLIST_BAD_SYSTEM] & found[BI_NEIGHBORLIST_BAD_ATOM] & found[BI_NEIGHBORLIST_BAD_IMAGES]) ==
           UINT64_MAX;
}

/* The bins of a search along an axis: `from` to `to`, unwrapped. */
struct bi_neighborlist_range {
    int64_t from, to;
};

BI_FN struct bi_neighborlist_range bi_neighborlist_range_of(const struct bi_neighborlist_system *s,
                                                            const struct bi_neighborlist_atom *atom, int c)
{
    const double x = bi_neighborlist_bin_coordinate(s, atom, c), low = x - s->reach[c], high = x + s->reach[c];
    if (!s->periodic[c])
        return (struct bi_neighborlist_range){bi_neighborlist_clamp_bin(low, s->bins[c]),
                                              bi_neighborlist_clamp_bin(high, s->bins[c])};
    return (struct bi_neighborlist_range){(int64_t)floor(low), (int64_t)floor(high)};
}

/* Returns the image that an unwrapped bin is in. */
BI_FN int32_t bi_neighborlist_image_of(int64_t bin, int32_t bins)
{
    return (int32_t)(bin >= 0 ? bin / bins : -((bins - 1 - bin) / bins));
}

/* True if entry (i, j, S) belongs to a half list; for i = j the shift is the image. */
BI_FN bool bi_neighborlist_in_half(uint32_t i, uint32_t j, const int32_t *image)
{
    if (i != j) return i < j;
    const int32_t first = image[0] ? image[0] : image[1] ? image[1] : image[2];
    return first > 0;
}

/* The atom that a search is around. */
struct bi_neighborlist_center {
    const struct bi_neighborlist_system *system;
    struct bi_neighborlist_atom atom;
    uint32_t id;
};

/* True if the atom at position t, in an image, is a neighbour; then *entry is its entry. */
BI_FN bool bi_neighborlist_is_near(const struct bi_neighborlist_search *a, const struct bi_neighborlist_center *center,
                                   const int32_t *image, int64_t t, uint64_t *entry)
{
    const uint32_t j = a->ids[t];
    if (j == center->id && (image[0] | image[1] | image[2]) == 0) return false;
    if (a->half && !bi_neighborlist_in_half(center->id, j, image)) return false;
    const struct bi_neighborlist_atom *atom = &a->view.atoms[j];
    int32_t shift[BI_NEIGHBORLIST_DIM];
    double vector[BI_NEIGHBORLIST_DIM];
    *entry = bi_neighborlist_entry(j, image);
    bi_neighborlist_entry_shift(*entry, &center->atom, atom, shift);
    return bi_neighborlist_vector(center->system, &center->atom, atom, shift, vector) <= a->square;
}

/* Finds neighbours among the sorted positions begin to end - 1, in one image. Writes entries unless out is NULL. */
BI_FN int64_t bi_neighborlist_search_span(const struct bi_neighborlist_search *a,
                                          const struct bi_neighborlist_center *center, const int32_t *image,
                                          int64_t begin, int64_t end, uint64_t *out)
{
    const struct bi_neighborlist_system *s = center->system;
    const float qx = (float)bi_neighborlist_wrapped(s, &center->atom, image, 0),
                qy = (float)bi_neighborlist_wrapped(s, &center->atom, image, 1),
                qz = (float)bi_neighborlist_wrapped(s, &center->atom, image, 2);
    int64_t count = 0;
    for (int64_t t = begin; t < end; t++) {
        const float dx = a->x[t] - qx, dy = a->y[t] - qy, dz = a->z[t] - qz;
        uint64_t entry;
        if (dx * dx + dy * dy + dz * dz > s->square_limit) continue; /* a NaN of infinities is compared in double */
        if (!bi_neighborlist_is_near(a, center, image, t, &entry)) continue;
        if (out) out[count] = entry;
        count++;
    }
    return count;
}

/* Searches a row of bins, `from` to `to` along the last axis: a span of sorted positions for each image. */
BI_FN int64_t bi_neighborlist_search_bins(const struct bi_neighborlist_search *a,
                                          const struct bi_neighborlist_center *center, int32_t *image, uint32_t row,
                                          struct bi_neighborlist_range last, uint64_t *out)
{
    const int32_t bins = center->system->bins[2];
    int64_t count = 0;
    for (int64_t bin = last.from, next; bin <= last.to; bin = next) {
        image[2] = bi_neighborlist_image_of(bin, bins);
        const int64_t first = (int64_t)image[2] * bins;
        next = first + bins <= last.to ? first + bins : last.to + 1;
        const int64_t begin = a->starts[row + (bin - first)], end = a->starts[row + (next - first)];
        if (begin < end) count += bi_neighborlist_search_span(a, center, image, begin, end, out ? out + count : NULL);
    }
    return count;
}

/* Searches around the atom at sorted position k. */
BI_FN int64_t bi_neighborlist_search_atom(const struct bi_neighborlist_search *a, int64_t k, uint64_t *out)
{
    struct bi_neighborlist_center center;
    struct bi_neighborlist_range range[BI_NEIGHBORLIST_DIM];
    int32_t image[BI_NEIGHBORLIST_DIM];
    int64_t count = 0;
    center.id = a->ids[k];
    const uint32_t system = a->view.system_of[center.id];
    center.system = &a->view.systems[system];
    center.atom = a->view.atoms[center.id];
    const int32_t *bins = center.system->bins;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) range[c] = bi_neighborlist_range_of(center.system, &center.atom, c);
    for (int64_t b0 = range[0].from; b0 <= range[0].to; b0++) {
        image[0] = bi_neighborlist_image_of(b0, bins[0]);
        for (int64_t b1 = range[1].from; b1 <= range[1].to; b1++) {
            image[1] = bi_neighborlist_image_of(b1, bins[1]);
            const int64_t local = (b0 - (int64_t)image[0] * bins[0]) * bins[1] + b1 - (int64_t)image[1] * bins[1];
            const uint32_t row = a->first_bin[system] + (uint32_t)(local * bins[2]);
            count += bi_neighborlist_search_bins(a, &center, image, row, range[2], out ? out + count : NULL);
        }
    }
    return count;
}

BI_FN void bi_step_count_row(const struct bi_neighborlist_search *a, int64_t k)
{
    a->view.offsets[a->ids[k]] = bi_neighborlist_is_good(a->found) ? bi_neighborlist_search_atom(a, k, NULL) : 0;
}

/* Sorts entries. Source: Shell, A High-Speed Sorting Procedure (1959), with Knuth's steps. */
BI_FN void bi_neighborlist_sort(uint64_t *entries, int64_t count)
{
    int64_t gap = 1;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int64_t i = gap; i < count; i++) {
            const uint64_t entry = entries[i];
            int64_t to = i;
            for (; to >= gap && entries[to - gap] > entry; to -= gap) entries[to] = entries[to - gap];
            entries[to] = entry;
        }
}

BI_FN void bi_step_fill_row(const struct bi_neighborlist_search *a, int64_t k)
{
    uint64_t *row = a->view.entries + a->view.offsets[a->ids[k]];
    bi_neighborlist_sort(row, bi_neighborlist_search_atom(a, k, row));
}

#endif
