/* CSR rows of answers, ids and distances, in the caller's arrays; and the list of long rows, which kernels of the
 * device sort afterwards. */
#ifndef BI_CORE_CSR_ROW_OUT_H
#define BI_CORE_CSR_ROW_OUT_H

#include <stdbool.h>

#include "base/atomic.h"

/* Entry e of a row is at `at` + e: its id of 32 or 64 bits (UINT32_MAX: none, -1 of 64), its distance in float or
 * double. In arrays of pairs it is the second of a pair. */
struct bi_row_out {
    void *ids, *dist2; /* dist2 may be NULL */
    int64_t at;
    bool ids_64bit, dist2_f32, pairs;
};

/* The array index of entry e's id: at + e, or the odd one of a pair. */
BI_FN int64_t bi_row_slot(const struct bi_row_out *o, int64_t e) { return (o->at + e) << o->pairs | o->pairs; }

BI_FN uint32_t bi_row_id(const struct bi_row_out *o, int64_t e)
{
    int64_t at = bi_row_slot(o, e);
    return o->ids_64bit ? (uint32_t)((const int64_t *)o->ids)[at] : ((const uint32_t *)o->ids)[at];
}

/* Returns 0 for rows without distances. */
BI_FN double bi_row_dist2(const struct bi_row_out *o, int64_t e)
{
    if (!o->dist2) return 0;
    return o->dist2_f32 ? (double)((const float *)o->dist2)[o->at + e] : ((const double *)o->dist2)[o->at + e];
}

BI_FN void bi_row_set(const struct bi_row_out *o, int64_t e, double dist2, uint32_t id)
{
    int64_t at = bi_row_slot(o, e);
    if (o->ids_64bit)
        ((int64_t *)o->ids)[at] = id == UINT32_MAX ? -1 : (int64_t)id;
    else
        ((uint32_t *)o->ids)[at] = id;
    if (!o->dist2) return;
    if (o->dist2_f32)
        ((float *)o->dist2)[o->at + e] = (float)dist2;
    else
        ((double *)o->dist2)[o->at + e] = dist2;
}

/* Sorts a row by id. Source: Shell, A High-Speed Sorting Procedure (1959), with Knuth's steps. */
BI_FN void bi_row_sort(const struct bi_row_out *o, int64_t count)
{
    int64_t gap = 1;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int64_t i = gap; i < count; i++) {
            uint32_t id = bi_row_id(o, i), other;
            double dist2 = bi_row_dist2(o, i);
            int64_t to = i;
            for (; to >= gap && (other = bi_row_id(o, to - gap)) > id; to -= gap)
                bi_row_set(o, to, bi_row_dist2(o, to - gap), other);
            if (to != i) bi_row_set(o, to, dist2, id);
        }
}

/* Longer rows are sorted by a device's blocks (core/cuda/sort_rows.cuh). */
enum { BI_LONG_ROW = 32 }; /* less: more rows for blocks; more: a warp waits longer for one lane. Not measured */

/* Lists a row with a number below 2^32 - 1 for later sorting if it is long: list[0] counts the listed rows, their
 * numbers follow. Returns false if it was not listed, or list is NULL: the caller then sorts it. */
BI_FN bool bi_row_list_long(uint32_t *list, int64_t row, int64_t count)
{
    if (!list || count <= BI_LONG_ROW || row >= (int64_t)UINT32_MAX) return false;
    list[1 + bi_atomic_fetch_add_u32(list, 1)] = (uint32_t)row;
    return true;
}

#endif
