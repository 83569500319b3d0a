/* Answers in a periodic box from plain Euclidean searches around the images of a query. An image is the query moved by
 * a period along some coordinates, to where it is nearer to points across a border. */
#ifndef BI_KDTREE_STEPS_IMAGES_H
#define BI_KDTREE_STEPS_IMAGES_H

#include "kdtree/steps/inside.h"

/* Borders within the k-th distance of a query, and its images across all sets of them. Beyond these it has none. */
enum { BI_KDTREE_MOST_BORDERS = 3, BI_KDTREE_MOST_IMAGES = (1 << BI_KDTREE_MOST_BORDERS) - 1 };

struct bi_kdtree_images {
    struct bi_kdtree_inside inside; /* the search of the remaining queries, and the plain answers of all */
    double shift_error;             /* the error of a distance by the rounding of images */
    int64_t *starts;                /* of the images of each query: numbers, then offsets */
    void *rows;                     /* images, of the tree's type */
    double *limits;                 /* the largest square around each image that counts */
    const void *ids, *squares;      /* the `found` nearest points around each image, if within its limit */
};

/* The images of a query: axes and shifts of borders, and the sets of borders as bits. */
struct bi_kdtree_image_list {
    int32_t borders, count;
    int32_t axis[BI_KDTREE_MOST_BORDERS];
    double shift[BI_KDTREE_MOST_BORDERS];
    uint8_t sets[BI_KDTREE_MOST_IMAGES];
};

/* Adds the images across set `set` of borders, unless it has both borders of an axis, or is beyond the limit. */
BI_FN void bi_kdtree_add_image(struct bi_kdtree_image_list *l, const double *squares, uint32_t set, double limit)
{
    double square = 0;
    uint32_t axes = 0;
    for (int32_t b = 0; b < l->borders; b++) {
        if (!(set >> b & 1)) continue;
        if (axes >> l->axis[b] & 1) return;
        axes |= 1u << l->axis[b];
        square += squares[b];
    }
    if (square * (1 - 0x1p-40) <= limit) l->sets[l->count++] = (uint8_t)set;
}

/* Lists the images of query i, whose limit is the first distance in its row. */
BI_FN void bi_kdtree_list_images(const struct bi_kdtree_images *a, int64_t i, struct bi_kdtree_image_list *l)
{
    const struct bi_kdtree_metric_search *s = &a->inside.search;
    const int64_t number = bi_kdtree_query_number(s, i);
    const double *q = s->queries + i * s->view.dim, limit = s->distances[number * s->k];
    double squares[BI_KDTREE_MOST_BORDERS];
    l->borders = l->count = 0;
    if (!(limit < BI_INFINITY) || bi_kdtree_is_moved(&a->inside, number, q)) return;
    /* 1. Borders within the limit; their distances are lowered by more than rounding. */
    for (int32_t c = 0; c < s->view.dim; c++) {
        const double period = s->metric.periods[c];
        for (int32_t upper = 0; upper < 2 && period > 0; upper++) {
            const double gap = (upper ? period - q[c] : q[c]) - 0x1p-50 * period, square = gap > 0 ? gap * gap : 0;
            if (square * (1 - 0x1p-40) > limit) continue;
            if (l->borders == BI_KDTREE_MOST_BORDERS) return;
            l->axis[l->borders] = c;
            l->shift[l->borders] = upper ? -period : period;
            squares[l->borders++] = square;
        }
    }
    /* 2. Sets of them. */
    for (uint32_t set = 1; set < 1u << l->borders; set++) bi_kdtree_add_image(l, squares, set, limit);
}

BI_FN void bi_step_count_images(const struct bi_kdtree_images *a, int64_t i)
{
    struct bi_kdtree_image_list l;
    bi_kdtree_list_images(a, i, &l);
    a->starts[i] = l.count;
}

/* Returns a lower bound of the true squares of points beyond a plain square. Squares of floats may underflow. */
BI_FN double bi_kdtree_least_square(const struct bi_kdtree_images *a, double square, double shift_error)
{
    const bool single = a->inside.error > 0;
    const double root = bi_sqrt(square * (1 - (single ? a->inside.error : 0x1p-40))) - shift_error;
    return root > 0 && !(single && square < 0x1p-100) ? root * root * (1 - 0x1p-40) : 0;
}

BI_FN void bi_step_make_images(const struct bi_kdtree_images *a, int64_t i)
{
    const struct bi_kdtree_metric_search *s = &a->inside.search;
    const double *q = s->queries + i * s->view.dim;
    const double reach = bi_sqrt(s->distances[bi_kdtree_query_number(s, i) * s->k]) + a->shift_error,
                 error = a->inside.error > 0 ? a->inside.error : 0x1p-40;
    struct bi_kdtree_image_list l;
    bi_kdtree_list_images(a, i, &l);
    for (int32_t m = 0; m < l.count; m++) {
        const int64_t image = a->starts[i] + m;
        double x[BI_KDTREE_INSIDE_DIM];
        for (int32_t c = 0; c < s->view.dim; c++) x[c] = q[c];
        for (int32_t b = 0; b < l.borders; b++)
            if (l.sets[m] >> b & 1) x[l.axis[b]] += l.shift[b];
        for (int32_t c = 0; c < s->view.dim; c++) {
            if (a->inside.error > 0)
                ((float *)a->rows)[image * s->view.dim + c] = (float)x[c];
            else
                ((double *)a->rows)[image * s->view.dim + c] = x[c];
        }
        a->limits[image] = reach * reach * (1 + 4 * error); /* bi_kdtree_least_square of it is above the limit */
    }
}

/* Inserts the new points of a plain answer. Returns a lower bound of the plain squares of all other points: infinity if
 * the answer has all points within the limit. */
BI_FN double bi_kdtree_insert_answer(const struct bi_kdtree_images *a, int64_t number, const double *q,
                                     const struct bi_row_out *plain, struct bi_kdtree_nearest_row *nearest)
{
    double last = 0;
    for (int64_t e = 0; e < a->inside.found; e++) {
        const uint32_t id = bi_row_id(plain, e);
        if (id == BI_KDTREE_NONE) return BI_INFINITY;
        last = bi_row_dist2(plain, e);
        bool found = !bi_kdtree_query_admits(&a->inside.search, number, id);
        for (int32_t f = 0; f < nearest->count && !found; f++) found = nearest->ids[f] == id;
        if (!found) bi_kdtree_insert_nearest(nearest, bi_kdtree_square_in_box(&a->inside, id, q), id);
    }
    return last;
}

/* Writes the k nearest of query i among the plain answers around it and its images, and marks it in `rest` unless they
 * are certainly the k nearest in the periodic box. */
BI_FN void bi_step_merge_images(const struct bi_kdtree_images *a, int64_t i)
{
    const struct bi_kdtree_inside *p = &a->inside;
    const struct bi_kdtree_metric_search *s = &p->search;
    const int64_t number = bi_kdtree_query_number(s, i);
    const double *q = s->queries + i * s->view.dim;
    struct bi_row_out plain = {
        (void *)(uintptr_t)p->ids, (void *)(uintptr_t)p->squares, number * p->found, s->wide_ids, p->error > 0, false};
    struct bi_kdtree_nearest_row nearest;
    nearest.count = 0;
    nearest.k = (int32_t)s->k;
    p->rest[i] = a->starts[i] == a->starts[i + 1];
    if (p->rest[i]) return;
    /* 1. Points around the query. Those left out are not nearer than the k-th of them, in doubles by the same bits. */
    double least = bi_kdtree_insert_answer(a, number, q, &plain, &nearest);
    least = p->error > 0 ? bi_kdtree_least_square(a, least, 0) : BI_INFINITY;
    /* 2. Points around its images. */
    plain.ids = (void *)(uintptr_t)a->ids;
    plain.dist2 = (void *)(uintptr_t)a->squares;
    for (int64_t image = a->starts[i]; image < a->starts[i + 1]; image++) {
        plain.at = image * p->found;
        const double last = bi_kdtree_insert_answer(a, number, q, &plain, &nearest),
                     bound = bi_kdtree_least_square(a, last, a->shift_error);
        if (bound < least) least = bound;
    }
    /* 3. Keep them if no other point is as near as the k-th. */
    const bool decided = nearest.count == s->k && nearest.measures[s->k - 1] < least;
    p->rest[i] = !decided;
    bi_kdtree_write_nearest(s, number, decided, &nearest);
}

#endif
