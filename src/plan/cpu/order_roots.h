/* Sorts the roots of each circle: insertion sort of short runs, then merge sort between two arrays. */
#ifndef BI_PLAN_CPU_ORDER_ROOTS_H
#define BI_PLAN_CPU_ORDER_ROOTS_H

#include <string.h>

#include "base/fault.h"
#include "core/cpu/threads.h"
#include "plan/steps/circles.h"

enum { RUN = 8 }; /* roots; chosen */

static inline void sort_run(double *roots, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const double root = roots[i];
        int64_t at = i;
        for (; at > 0 && roots[at - 1] > root; at--) roots[at] = roots[at - 1];
        roots[at] = root;
    }
}

/* Branchless on the comparison, which is unpredictable for random roots. */
static inline void merge_runs(const double *from, int64_t middle, int64_t n, double *to)
{
    int64_t left = 0, right = middle, at = 0;
    while (left < middle && right < n) {
        const double x = from[left], y = from[right];
        const int64_t take_right = y < x;
        to[at++] = take_right ? y : x;
        right += take_right;
        left += 1 - take_right;
    }
    memcpy(to + at, from + left, (size_t)(middle - left) * sizeof *to);
    memcpy(to + at + (middle - left), from + right, (size_t)(n - right) * sizeof *to);
}

static void order_circle(double *roots, double *ordered, int64_t n)
{
    double *from = roots, *to = ordered;
    for (int64_t i = 0; i < n; i += RUN) sort_run(roots + i, n - i < RUN ? n - i : RUN);
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t i = 0; i < n; i += 2 * width) {
            const int64_t left = n - i < 2 * width ? n - i : 2 * width;
            merge_runs(from + i, left < width ? left : width, left, to + i);
        }
        double *other = from;
        from = to;
        to = other;
    }
    if (from != ordered) memcpy(ordered, from, (size_t)n * sizeof *ordered);
}

static bosc_status order_roots(bosc_ctx *ctx, int64_t circles, int64_t rows, const struct bi_plan_sampling *a)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "order_roots: injected fault");
    struct bi_batches p = bi_batches_of(ctx, circles, circles > 0 ? (double)rows / (double)circles : 1);
    while (bi_next_batch(ctx, &p)) {
        const int64_t begin = p.begin, end = p.end;
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(ctx, end - begin, 4))
        for (int64_t i = begin; i < end; i++)
            order_circle(a->roots + a->offsets[i], a->ordered + a->offsets[i], a->offsets[i + 1] - a->offsets[i]);
    }
    return p.status;
}

#endif
