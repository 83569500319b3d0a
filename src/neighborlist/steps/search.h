/* Steps that search around atoms. A search covers the bins that any point within the cutoff may be in. Candidates are
 * first compared in float, with margins; near the cutoff the distance in double, which the header defines, decides. */
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

/* A build of small systems. */
struct bi_neighborlist_small {
    struct bi_neighborlist_frames frames;
    double square;    /* largest squared distance of a neighbour */
    int64_t capacity; /* entries that the list holds */
    bool half;
};

/* True if all systems and atoms are good. */
BI_FN bool bi_neighborlist_is_good(const uint64_t *found)
{
    return (found[BI_NEIGHBORLIST_BAD_SYSTEM] & found[BI_NEIGHBORLIST_BAD_ATOM] & found[BI_NEIGHBORLIST_BAD_IMAGES]) ==
           UINT64_MAX;
}

/* Bins of a search along an axis: `from` to `to`, unwrapped. */
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
    struct bi_neighborlist_range range[BI_NEIGHBORLIST_DIM]; /* of bins */
    int64_t position;                                        /* in the sorted order */
    uint32_t id, first_bin;
};

/* An image of bins, seen from a center: the center moved by minus the image, in float. */
struct bi_neighborlist_span {
    float x, y, z;
    uint64_t image_bits; /* of entries */
    int32_t image[BI_NEIGHBORLIST_DIM];
};

BI_FN struct bi_neighborlist_span bi_neighborlist_span_of(const struct bi_neighborlist_center *center,
                                                          const int32_t *image)
{
    struct bi_neighborlist_span span;
    span.x = (float)bi_neighborlist_wrapped(center->system, &center->atom, image, 0);
    span.y = (float)bi_neighborlist_wrapped(center->system, &center->atom, image, 1);
    span.z = (float)bi_neighborlist_wrapped(center->system, &center->atom, image, 2);
    span.image_bits = bi_neighborlist_entry(0, image);
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) span.image[c] = image[c];
    return span;
}

/* True if atom j of a span's image is a neighbour by the distance in double. */
BI_FN bool bi_neighborlist_is_near(const struct bi_neighborlist_search *a, const struct bi_neighborlist_center *center,
                                   const struct bi_neighborlist_span *span, uint32_t j)
{
    const struct bi_neighborlist_atom *atom = &a->view.atoms[j];
    int32_t shift[BI_NEIGHBORLIST_DIM];
    double vector[BI_NEIGHBORLIST_DIM];
    bi_neighborlist_entry_shift(span->image_bits, &center->atom, atom, shift);
    return bi_neighborlist_vector(center->system, &center->atom, atom, shift, vector) <= a->square;
}

/* True if the atom at sorted position t is a neighbour, given its squared distance in float. A NaN (of infinities) is
 * compared in double, as all distances near the cutoff. */
BI_FN bool bi_neighborlist_accept(const struct bi_neighborlist_search *a, const struct bi_neighborlist_center *center,
                                  const struct bi_neighborlist_span *span, float square, uint32_t j)
{
    if (square > center->system->square_limit) return false;
    if (j == center->id && (span->image[0] | span->image[1] | span->image[2]) == 0) return false;
    if (a->half && !bi_neighborlist_in_half(center->id, j, span->image)) return false;
    return square <= center->system->square_sure || bi_neighborlist_is_near(a, center, span, j);
}

BI_FN float bi_neighborlist_square_at(const struct bi_neighborlist_search *a, const struct bi_neighborlist_span *span,
                                      int64_t t)
{
    const float dx = a->x[t] - span->x, dy = a->y[t] - span->y, dz = a->z[t] - span->z;
    return dx * dx + dy * dy + dz * dz;
}

/* Finds neighbours among the sorted positions begin to end - 1 of a span's image. Writes entries unless out is NULL. */
BI_FN int64_t bi_neighborlist_scan_span(const struct bi_neighborlist_search *a,
                                        const struct bi_neighborlist_center *center,
                                        const struct bi_neighborlist_span *span, int64_t begin, int64_t end,
                                        uint64_t *out)
{
    int64_t count = 0;
    for (int64_t t = begin; t < end; t++) {
        if (!bi_neighborlist_accept(a, center, span, bi_neighborlist_square_at(a, span, t), a->ids[t])) continue;
        if (out) out[count] = (uint64_t)a->ids[t] << 32 | span->image_bits;
        count++;
    }
    return count;
}

typedef int64_t (*bi_neighborlist_scan_fn)(const struct bi_neighborlist_search *a,
                                           const struct bi_neighborlist_center *center,
                                           const struct bi_neighborlist_span *span, int64_t begin, int64_t end,
                                           uint64_t *out);

/* Returns the center at sorted position k. */
BI_FN struct bi_neighborlist_center bi_neighborlist_center_at(const struct bi_neighborlist_search *a, int64_t k)
{
    struct bi_neighborlist_center center;
    center.position = k;
    center.id = a->ids[k];
    const uint32_t system = a->view.system_of[center.id];
    center.system = &a->view.systems[system];
    center.atom = a->view.atoms[center.id];
    center.first_bin = a->first_bin[system];
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++)
        center.range[c] = bi_neighborlist_range_of(center.system, &center.atom, c);
    return center;
}

/* A bin along an axis, unwrapped, and the image it is in: the first bin of that image is `origin`. */
struct bi_neighborlist_step {
    int64_t bin, origin;
    int32_t image;
};

BI_FN struct bi_neighborlist_step bi_neighborlist_first_step(const struct bi_neighborlist_center *center, int c)
{
    const int32_t bins = center->system->bins[c];
    struct bi_neighborlist_step step;
    step.bin = center->range[c].from;
    step.image = bi_neighborlist_image_of(step.bin, bins);
    step.origin = (int64_t)step.image * bins;
    return step;
}

/* Advances to a bin that is at most one image further. */
BI_FN void bi_neighborlist_advance(struct bi_neighborlist_step *step, int64_t bin, int32_t bins)
{
    step->bin = bin;
    if (bin - step->origin < bins) return;
    step->image++;
    step->origin += bins;
}

/* Searches around the atom at sorted position k, and returns the number of neighbours. scan: compares the atoms of a
 * span, and writes their entries unless out is NULL. */
BI_FN int64_t bi_neighborlist_search_atom(const struct bi_neighborlist_search *a, int64_t k, uint64_t *out,
                                          bi_neighborlist_scan_fn scan)
{
    const struct bi_neighborlist_center center = bi_neighborlist_center_at(a, k);
    const struct bi_neighborlist_range *range = center.range;
    const int32_t *bins = center.system->bins, none[BI_NEIGHBORLIST_DIM] = {0, 0, 0};
    const struct bi_neighborlist_step first1 = bi_neighborlist_first_step(&center, 1),
                                      first2 = bi_neighborlist_first_step(&center, 2);
    struct bi_neighborlist_step s0 = bi_neighborlist_first_step(&center, 0), s1, s2;
    struct bi_neighborlist_span span = bi_neighborlist_span_of(&center, none);
    int64_t count = 0;
    /* Bins along axes 0 and 1; along axis 2 one span an image, as its bins are consecutive atoms. */
    for (; s0.bin <= range[0].to; bi_neighborlist_advance(&s0, s0.bin + 1, bins[0]))
        for (s1 = first1; s1.bin <= range[1].to; bi_neighborlist_advance(&s1, s1.bin + 1, bins[1])) {
            const int64_t line = (s0.bin - s0.origin) * bins[1] + s1.bin - s1.origin;
            const uint32_t *starts = a->starts + (center.first_bin + (uint32_t)(line * bins[2]));
            int64_t next;
            for (s2 = first2; s2.bin <= range[2].to; bi_neighborlist_advance(&s2, next, bins[2])) {
                next = s2.origin + bins[2] <= range[2].to ? s2.origin + bins[2] : range[2].to + 1;
                const int64_t begin = starts[s2.bin - s2.origin], end = starts[next - s2.origin];
                if (begin == end) continue;
                const int32_t image[BI_NEIGHBORLIST_DIM] = {s0.image, s1.image, s2.image};
                if ((image[0] ^ span.image[0]) | (image[1] ^ span.image[1]) | (image[2] ^ span.image[2]))
                    span = bi_neighborlist_span_of(&center, image);
                count += scan(a, &center, &span, begin, end, out ? out + count : NULL);
            }
        }
    return count;
}

BI_FN void bi_step_count_row(const struct bi_neighborlist_search *a, int64_t k)
{
    a->view.offsets[a->ids[k]] =
        bi_neighborlist_is_good(a->found) ? bi_neighborlist_search_atom(a, k, NULL, bi_neighborlist_scan_span) : 0;
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
    bi_neighborlist_sort(row, bi_neighborlist_search_atom(a, k, row, bi_neighborlist_scan_span));
}

#endif
