/* Steps that read systems and atoms: axes, fractions, bins. */
#ifndef BI_NEIGHBORLIST_STEPS_FRAMES_H
#define BI_NEIGHBORLIST_STEPS_FRAMES_H

#include <math.h>

#include "base/atomic.h"
#include "base/elementary.h"
#include "base/search.h"
#include "neighborlist/neighborlist.h"

struct bi_neighborlist_frames {
    struct bi_neighborlist_view view;
    struct bi_neighborlist_input input;
    double cutoff; /* with the skin */
    int32_t bins_per_cutoff;
    uint64_t *found;     /* (FOUND) minima: see neighborlist.h */
    uint32_t *bin_count; /* (system_count + 1) */
};

BI_FN double bi_neighborlist_dot(const double *a, const double *b) { return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]; }

BI_FN void bi_neighborlist_cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

BI_FN double bi_neighborlist_norm(const double *a) { return bi_sqrt(bi_neighborlist_dot(a, a)); }

/* Sets out to a x b / |a x b|. The lengths are divided out first, so that squares of the product neither overflow nor
 * vanish. */
BI_FN void bi_neighborlist_unit_cross(const double *a, const double *b, double *out)
{
    const double length_a = bi_neighborlist_norm(a), length_b = bi_neighborlist_norm(b);
    double u[BI_NEIGHBORLIST_DIM], v[BI_NEIGHBORLIST_DIM];
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        u[c] = a[c] / length_a;
        v[c] = b[c] / length_b;
    }
    bi_neighborlist_cross(u, v, out);
    const double length = bi_neighborlist_norm(out);
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) out[c] /= length;
}

/* Completes the axes of a system by unit vectors along which it is open. */
BI_FN void bi_neighborlist_complete_axes(struct bi_neighborlist_system *s)
{
    int count = 0, one = 0, missing = 0;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        count += s->periodic[c];
        if (s->periodic[c]) one = c;
        if (!s->periodic[c]) missing = c;
    }
    if (count == 0)
        for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++)
            for (int d = 0; d < BI_NEIGHBORLIST_DIM; d++) s->axes[c][d] = c == d;
    if (count == 1) { /* orthogonal to the coordinate axis that is farthest from the vector */
        const double *a = s->axes[one];
        double e[BI_NEIGHBORLIST_DIM] = {0, 0, 0};
        int least = 0;
        for (int d = 1; d < BI_NEIGHBORLIST_DIM; d++)
            if (fabs(a[d]) < fabs(a[least])) least = d;
        e[least] = 1;
        double *u = s->axes[(one + 1) % 3], *v = s->axes[(one + 2) % 3];
        bi_neighborlist_unit_cross(a, e, u);
        bi_neighborlist_unit_cross(a, u, v);
    }
    if (count == 2)
        bi_neighborlist_unit_cross(s->axes[(missing + 1) % 3], s->axes[(missing + 2) % 3], s->axes[missing]);
}

/* Inverts the axes and bounds the errors of fractions. False for nearly dependent axes, and for too long or short ones.
 *
 * A fraction along axis c differs from the exact one by at most a few roundings of |p| |g_c| kappa, where g_c is the
 * row of the inverse and kappa = |a_0| |a_1| |a_2| / |det| bounds the cancellation in products and determinant. Atoms
 * are at most 2^20 cells away, so |p| |g_c| <= 2^20 * 3 * max |a| |g_c|. The margin is 2^6 roundings of that, for both
 * atoms. */
BI_FN bool bi_neighborlist_invert(struct bi_neighborlist_system *s)
{
    double length[BI_NEIGHBORLIST_DIM], normal[BI_NEIGHBORLIST_DIM][BI_NEIGHBORLIST_DIM], product = 1;
    /* 1. Lengths, normals, determinant. */
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        length[c] = bi_neighborlist_norm(s->axes[c]);
        if (!(length[c] >= 0x1p-300 && length[c] <= 0x1p300)) return false;
        product *= length[c];
        bi_neighborlist_cross(s->axes[(c + 1) % 3], s->axes[(c + 2) % 3], normal[c]);
    }
    const double determinant = bi_neighborlist_dot(s->axes[0], normal[0]), kappa = product / fabs(determinant);
    if (!(kappa <= 0x1p20)) return false;
    s->kappa = kappa;
    /* 2. Inverse and margins; shape_bins adds the extent of open axes. */
    double periodic_length = 0;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        for (int d = 0; d < BI_NEIGHBORLIST_DIM; d++) s->inverse[c][d] = normal[c][d] / determinant;
        if (s->periodic[c]) periodic_length += length[c];
    }
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        const double slant = length[c] * bi_neighborlist_norm(s->inverse[c]);
        s->margin[c] = s->periodic[c] ? 0x1p-26 * slant * kappa : 0x1p-26 * periodic_length * kappa;
        if (s->periodic[c] && !(s->margin[c] <= 0x1p-6)) return false;
    }
    return true;
}

/* Reads a system: its range of atoms, its axes and their inverse. A bad one becomes open, with unit axes. */
BI_FN void bi_step_frame(const struct bi_neighborlist_frames *a, int64_t i)
{
    const struct bi_neighborlist_input *in = &a->input;
    struct bi_neighborlist_system s;
    bool bad_offsets = false, bad_cell = false;
    if (in->offsets) {
        const int64_t begin = in->offsets[i], end = in->offsets[i + 1];
        bad_offsets = begin < 0 || end < begin || end > in->n || (i == 0 && begin != 0) ||
                      (i == in->system_count - 1 && end != in->n);
    }
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        s.periodic[c] = in->cells && (!in->periodic || in->periodic[3 * i + c]);
        s.low[c] = s.not_high[c] = UINT64_MAX;
        for (int d = 0; d < BI_NEIGHBORLIST_DIM; d++) s.axes[c][d] = s.periodic[c] ? in->cells[9 * i + 3 * c + d] : 0;
    }
    bi_neighborlist_complete_axes(&s);
    if (!bi_neighborlist_invert(&s)) {
        bad_cell = true;
        for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) s.periodic[c] = 0;
        bi_neighborlist_complete_axes(&s);
        (void)bi_neighborlist_invert(&s);
    }
    /* The first bad system, twice its number, and 1 if its offsets are good. */
    if (bad_offsets || bad_cell)
        bi_atomic_min_u64(&a->found[BI_NEIGHBORLIST_BAD_SYSTEM], 2 * (uint64_t)i + !bad_offsets);
    a->view.systems[i] = s;
}

/* Returns fraction c of a position. */
BI_FN double bi_neighborlist_fraction(const struct bi_neighborlist_system *s, const double *at, int c)
{
    return bi_neighborlist_dot(at, s->inverse[c]);
}

/* Returns the cell of an atom along a vector. */
BI_FN int32_t bi_neighborlist_wrap(const struct bi_neighborlist_atom *atom, int c)
{
    const int shift = BI_NEIGHBORLIST_WRAP_BITS * c;
    return (int32_t)(atom->cell >> shift & (2 * BI_NEIGHBORLIST_MAX_WRAP - 1)) - BI_NEIGHBORLIST_MAX_WRAP;
}

/* Returns the system of an atom. Offsets may be bad. */
BI_FN int64_t bi_neighborlist_find_system(const struct bi_neighborlist_input *in, int64_t i)
{
    if (!in->offsets || in->system_count == 1) return 0;
    const int64_t s = bi_upper_bound_i64(in->offsets, in->system_count + 1, i) - 1;
    return s < 0 ? 0 : s < in->system_count ? s : in->system_count - 1;
}

/* Reads the position of atom i as double. False if it is not finite or too large. */
BI_FN bool bi_neighborlist_read_position(const struct bi_neighborlist_input *in, int64_t i, double *at)
{
    bool good = true;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        const int64_t e = i * in->stride + c;
        at[c] = in->is_f64 ? ((const double *)in->positions)[e] : (double)((const float *)in->positions)[e];
        good &= fabs(at[c]) <= 0x1p300;
    }
    return good;
}

/* *to = min(*to, value); reads first, as most values are not less. */
BI_FN void bi_neighborlist_lower(uint64_t *to, uint64_t value)
{
    if (value < bi_atomic_load_u64(to)) bi_atomic_min_u64(to, value);
}

/* Reads atom i of a system, finds its cell, and extends the extremes of the system along open axes. */
BI_FN void bi_neighborlist_read_atom(const struct bi_neighborlist_frames *a, int64_t i, int64_t system)
{
    struct bi_neighborlist_system *s = &a->view.systems[system];
    struct bi_neighborlist_atom atom = {{0, 0, 0}, 0};
    bool good = bi_neighborlist_read_position(&a->input, i, atom.at);
    for (int c = 0; c < BI_NEIGHBORLIST_DIM && !good; c++) atom.at[c] = 0;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        const double f = bi_neighborlist_fraction(s, atom.at, c);
        double cell = 0;
        if (!s->periodic[c]) {
            bi_neighborlist_lower(&s->low[c], bi_key_u64_of_f64(f));
            bi_neighborlist_lower(&s->not_high[c], ~bi_key_u64_of_f64(f));
        } else if (fabs(f) < BI_NEIGHBORLIST_MAX_WRAP) {
            cell = floor(f);
        } else {
            good = false;
        }
        const uint64_t stored = (uint64_t)((int64_t)cell + BI_NEIGHBORLIST_MAX_WRAP);
        atom.cell |= stored << (BI_NEIGHBORLIST_WRAP_BITS * c);
    }
    if (!good) bi_neighborlist_lower(&a->found[BI_NEIGHBORLIST_BAD_ATOM], (uint64_t)i);
    a->view.atoms[i] = atom;
    a->view.system_of[i] = (uint32_t)system;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM && a->view.built_at; c++) a->view.built_at[3 * i + c] = atom.at[c];
}

BI_FN void bi_step_read_atom(const struct bi_neighborlist_frames *a, int64_t i)
{
    bi_neighborlist_read_atom(a, i, bi_neighborlist_find_system(&a->input, i));
}

/* Reduces the numbers of bins along the axes until their product is at most `most`. */
BI_FN void bi_neighborlist_limit_bins(int32_t *bins, double most)
{
    while ((double)bins[0] * (double)bins[1] * (double)bins[2] > most) {
        int widest = 0;
        for (int c = 1; c < BI_NEIGHBORLIST_DIM; c++)
            if (bins[c] > bins[widest]) widest = c;
        bins[widest] -= (bins[widest] + 3) / 4;
    }
}

enum { BI_NEIGHBORLIST_IMAGES = 500 }; /* most cells that a search reaches over */

/* Divides a system into bins, at most one an atom, and computes the reach of a search. */
BI_FN void bi_step_shape_bins(const struct bi_neighborlist_frames *a, int64_t i)
{
    struct bi_neighborlist_system *s = &a->view.systems[i];
    double extent[BI_NEIGHBORLIST_DIM], size = 0, open = 0, n = (double)a->input.n;
    if (a->input.offsets) n = (double)a->input.offsets[i + 1] - (double)a->input.offsets[i];
    const double most = n >= 1 && a->found[BI_NEIGHBORLIST_BAD_SYSTEM] == UINT64_MAX ? n : 1; /* n may be bad */
    /* 1. The extent along each axis as a fraction, and the numbers of bins. */
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        const bool empty = s->low[c] == UINT64_MAX;
        const double low = s->periodic[c] || empty ? 0 : bi_f64_of_key(s->low[c]);
        const double high = s->periodic[c] || empty ? s->periodic[c] : bi_f64_of_key(~s->not_high[c]);
        const double height = (high - low) / bi_neighborlist_norm(s->inverse[c]);
        const double needed = height * a->bins_per_cutoff / a->cutoff;
        const double limit = most < (double)(1 << 30) ? most : (double)(1 << 30);
        s->bins[c] = needed < 1 ? 1 : needed < limit ? (int32_t)needed : (int32_t)limit;
        s->begin[c] = low;
        extent[c] = high - low;
        size += extent[c] * bi_neighborlist_norm(s->axes[c]);
        if (!s->periodic[c]) open += fabs(low) > fabs(high) ? fabs(low) : fabs(high);
    }
    bi_neighborlist_limit_bins(s->bins, most);
    /* 2. Scale and reach, with margins for fractions, for the distance of open axes' atoms, and for bin coordinates. */
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        const double norm = bi_neighborlist_norm(s->inverse[c]),
                     margin = s->margin[c] + 0x1p-46 * s->kappa * open * norm;
        const double reach = a->cutoff * norm * (1 + 0x1p-40) + margin;
        s->scale[c] = extent[c] > 0 ? s->bins[c] / extent[c] : 0;
        s->reach[c] = reach * s->scale[c] * (1 + 0x1p-40) + (s->bins[c] + 1) * 0x1p-40;
        if (s->periodic[c] && !(s->reach[c] <= (double)BI_NEIGHBORLIST_IMAGES * s->bins[c])) {
            bi_atomic_min_u64(&a->found[BI_NEIGHBORLIST_BAD_IMAGES], (uint64_t)i);
            s->reach[c] = 0;
        }
    }
    /* 3. The origin of positions in float, and the squares in float that decide without the double. */
    for (int d = 0; d < BI_NEIGHBORLIST_DIM; d++)
        s->origin[d] = (s->begin[0] * s->axes[0][d] + s->begin[1] * s->axes[1][d]) + s->begin[2] * s->axes[2][d];
    const double error = (size + a->cutoff) * 0x1p-20 + s->kappa * open * 0x1p-48, beyond = a->cutoff + error;
    const double within = a->cutoff - error, far = beyond * beyond * (1 + 0x1p-20);
    const bool fits_float = far >= 0x1p-90 && far < 0x1p127; /* else squares in float vanish or overflow */
    s->square_limit = fits_float ? (float)far : (float)INFINITY;
    s->square_sure = fits_float && within > 0 ? (float)(within * within * (1 - 0x1p-20)) : -1;
    a->bin_count[i] = (uint32_t)(s->bins[0] * (int64_t)s->bins[1] * s->bins[2]);
}

/* ---- bins ---- */

struct bi_neighborlist_bins {
    struct bi_neighborlist_view view;
    const uint32_t *first_bin; /* (system_count) */
    uint32_t *keys, *ids;      /* (n) bins and numbers of atoms */
    uint32_t *starts;          /* (n + system_count + 1) first position of each bin, in the sorted order */
    float *x, *y, *z;          /* (n) wrapped positions in the sorted order, relative to the origin */
};

/* Returns the coordinate of an atom along an axis, in bins: 0 to the number of bins, but for rounding. */
BI_FN double bi_neighborlist_bin_coordinate(const struct bi_neighborlist_system *s,
                                            const struct bi_neighborlist_atom *atom, int c)
{
    const double f = bi_neighborlist_fraction(s, atom->at, c);
    return (f - (s->periodic[c] ? bi_neighborlist_wrap(atom, c) : s->begin[c])) * s->scale[c];
}

/* Rounds a bin coordinate down, within 0 and the number of bins. */
BI_FN int32_t bi_neighborlist_clamp_bin(double x, int32_t bins) { return x < 1 ? 0 : x < bins ? (int32_t)x : bins - 1; }

/* Writes the number of an atom, and the number of its bin as the key of the sort. */
BI_FN void bi_step_bin(const struct bi_neighborlist_bins *a, int64_t i)
{
    const struct bi_neighborlist_atom *atom = &a->view.atoms[i];
    const uint32_t system = a->view.system_of[i];
    const struct bi_neighborlist_system *s = &a->view.systems[system];
    int64_t bin = 0;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++)
        bin = bin * s->bins[c] + bi_neighborlist_clamp_bin(bi_neighborlist_bin_coordinate(s, atom, c), s->bins[c]);
    a->keys[i] = a->first_bin[system] + (uint32_t)bin;
    a->ids[i] = (uint32_t)i;
}

/* The last atom of a bin sets the start of the next one; a running maximum gives the others. */
BI_FN void bi_step_mark_bin_end(const struct bi_neighborlist_bins *a, int64_t k)
{
    if (k + 1 == a->view.n || a->keys[k] != a->keys[k + 1]) a->starts[a->keys[k] + 1] = (uint32_t)(k + 1);
}

/* Returns coordinate d of a wrapped atom moved by -m cells, relative to the origin. */
BI_FN double bi_neighborlist_wrapped(const struct bi_neighborlist_system *s, const struct bi_neighborlist_atom *atom,
                                     const int32_t *m, int d)
{
    double moved = atom->at[d] - s->origin[d];
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++)
        moved -= (double)(bi_neighborlist_wrap(atom, c) + m[c]) * s->axes[c][d];
    return moved;
}

/* Writes the wrapped position of the atom at sorted position k, in float. */
BI_FN void bi_step_gather(const struct bi_neighborlist_bins *a, int64_t k)
{
    const int32_t none[BI_NEIGHBORLIST_DIM] = {0, 0, 0};
    const struct bi_neighborlist_atom *atom = &a->view.atoms[a->ids[k]];
    const struct bi_neighborlist_system *s = &a->view.systems[a->view.system_of[a->ids[k]]];
    a->x[k] = (float)bi_neighborlist_wrapped(s, atom, none, 0);
    a->y[k] = (float)bi_neighborlist_wrapped(s, atom, none, 1);
    a->z[k] = (float)bi_neighborlist_wrapped(s, atom, none, 2);
}

#endif
