#include "tool/commands/hash_ranks.h"

#include <stdlib.h>

#include "tool/clock.h"
#include "tool/job.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* ---- lookup, member ---- */

/* Builds a table of this rank's slice of the keys, and looks up its slice of the queries. */
static bosc_status look_up_slice(const struct rank *r, void *user)
{
    struct table_work *w = user;
    bosc_ranks_hash *table = NULL;
    bosc_ranks_hash_info info = {.size = sizeof info};
    int64_t k, q, n = rank_slice(r, w->keys.total, &k), m = rank_slice(r, w->queries.total, &q);
    bosc_status status = bosc_ranks_hash_create(r->ctx, r->comm, &w->opts, &table);
    if (status == BOSC_OK)
        status = bosc_ranks_hash_build(r->ctx, table, input_row(&w->keys, k), input_row(&w->values, k), n);
    if (status == BOSC_OK)
        status = bosc_ranks_hash_find(r->ctx, table, input_row(&w->queries, q), m, array_row(&w->out, q),
                                      (uint8_t *)array_row(&w->found, q));
    if (status == BOSC_OK) status = bosc_ranks_hash_get_info(r->ctx, table, &info);
    if (status == BOSC_OK && r->number == 0) w->info = info;
    bosc_ranks_hash_free(table);
    return status;
}

int lookup_over_ranks(struct job *job, const struct ranks *ranks, struct table_work *w)
{
    double start = job_now();
    int64_t hits = 0;
    int code = ranks_run(ranks, look_up_slice, w);
    job_add_seconds(job, "find", start);
    if (!code) code = ranks_gather_array(ranks, &w->out, bosc_dtype_size(w->out.dtype));
    if (!code) code = ranks_gather_array(ranks, &w->found, 1);
    if (code) return code;
    for (int64_t i = 0; i < w->queries.total; i++) hits += ((const uint8_t *)w->found.data)[i];
    job_set_integer(job, "n", w->keys.total);
    job_set_number(job, "load", w->info.load_factor);
    job_set_integer(job, "bytes", w->info.bytes);
    job_set_integer(job, "found", hits);
    return EXIT_DONE;
}

/* ---- unique ---- */

struct unique_work {
    const struct input_rows *keys;
    bosc_array *ids, *unique;
    int64_t *counts; /* (ranks): distinct keys with their first occurrence on each */
};

static bosc_status number_slice(const struct rank *r, void *user)
{
    const struct unique_work *w = user;
    int64_t at, n = rank_slice(r, w->keys->total, &at);
    return bosc_ranks_unique(r->ctx, r->comm, input_row(w->keys, at), n, w->keys->array.dtype == BOSC_U32 ? 32 : 64,
                             (int64_t *)array_row(w->ids, at), array_row(w->unique, at), &w->counts[r->number], NULL);
}

int unique_over_ranks(struct job *job, const struct ranks *ranks, const struct input_rows *keys, bosc_array *ids,
                      bosc_array *unique)
{
    struct unique_work w = {keys, ids, unique, job_alloc((size_t)ranks->count, sizeof *w.counts)};
    if (!w.counts) return EXIT_FAILED;
    double start = job_now();
    int code = ranks_run(ranks, number_slice, &w);
    job_add_seconds(job, "unique", start);
    if (!code) code = ranks_gather_array(ranks, ids, sizeof(int64_t));
    if (!code)
        code = ranks_gather_rows(ranks, keys->total, w.counts, unique->data, bosc_dtype_size(unique->dtype),
                                 &unique->shape[0]);
    free(w.counts);
    return code;
}
