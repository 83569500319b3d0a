/* Lines of edges, parsed by all threads: each takes a piece of the text and reads its edges into memory of its own;
 * when those before have been counted, they are put where they belong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/graph/parse_edge.h"
#include "io/file/pieces.h"

/* What is read of a piece. */
struct batch {
    bosc_edges edges; /* no counts */
    int64_t capacity, count;
    int64_t lines; /* that were read; the last one may have failed */
    int64_t most;  /* the largest vertex; -1: no edge */
    int64_t place; /* of its edges among all */
    bool wider;    /* a weight needs a later kind */
    bosc_status status;
    struct bi_reason reason;
};

/* What all have read. */
struct reading {
    const struct bi_bytes *in;
    const struct bi_edge_form *form;
    const struct bi_pieces *pieces;
    bosc_edges edges; /* m: those of the pieces that were joined */
    int64_t capacity;
    bool grows; /* else there is room for all that the header declares, and nothing moves */
    bool wider;
    int64_t lines, most;
};

/* Reads a piece's lines, the `limit`-th edge the last. With the kind of form known, the loop is compiled for it. */
BI_INLINE void parse_as(struct batch *batch, const struct bi_edge_form *form, const struct bi_piece *piece, bool tagged,
                        enum bi_weights weights, int64_t limit)
{
    const char *next = piece->begin, *end = piece->end;
    const uint64_t first = (uint64_t)form->first;
    /* Numbers to be passed over are the slow reader's: the fast one declines every vertex. */
    const uint64_t below = form->ignored ? 0 : (uint64_t)(form->n < 0 ? BI_EDGES_LIMIT : form->n);
    const char separator = form->separator;
    int64_t lines = 0, count = 0, most = -1;
    uint32_t *u = batch->edges.u, *v = batch->edges.v;
    void *w = batch->edges.weights;
    bool wider = false;
    while (next < end && count < limit) {
        struct bi_edge edge;
        lines++;
        if (!bi_edge_line_fast(&next, end, tagged, weights, separator, first, below, &edge)) {
            struct bi_lines rest = {.next = next, .end = end};
            struct bi_line text;
            bi_lines_next(&rest, &text);
            enum bi_line_kind kind = bi_edge_line_read(form, text, &edge, &batch->status, &batch->reason);
            next = rest.next;
            if (kind == BI_LINE_EMPTY) continue;
            wider = kind == BI_LINE_WIDER;
            if (kind != BI_LINE_EDGE) break;
        }
        u[count] = (uint32_t)edge.u;
        v[count] = (uint32_t)edge.v;
        if (weights == BI_WEIGHTS_I32) ((int32_t *)w)[count] = (int32_t)edge.weight.integer;
        if (weights == BI_WEIGHTS_I64) ((int64_t *)w)[count] = edge.weight.integer;
        if (weights == BI_WEIGHTS_F64) ((double *)w)[count] = edge.weight.real;
        if (edge.u > most) most = edge.u;
        if (edge.v > most) most = edge.v;
        count++;
    }
    batch->lines = lines;
    batch->wider = wider;
    batch->count = count;
    batch->most = most;
}

static void parse(struct batch *batch, const struct bi_edge_form *form, const struct bi_piece *piece, int64_t limit)
{
    if (form->tagged) {
        switch (form->weights) {
        case BI_WEIGHTS_NONE: return; /* unreached: such lines have weights */
        case BI_WEIGHTS_I32: parse_as(batch, form, piece, true, BI_WEIGHTS_I32, limit); return;
        case BI_WEIGHTS_I64: parse_as(batch, form, piece, true, BI_WEIGHTS_I64, limit); return;
        case BI_WEIGHTS_F64: parse_as(batch, form, piece, true, BI_WEIGHTS_F64, limit); return;
        }
    }
    switch (form->weights) {
    case BI_WEIGHTS_NONE: parse_as(batch, form, piece, false, BI_WEIGHTS_NONE, limit); return;
    case BI_WEIGHTS_I32: parse_as(batch, form, piece, false, BI_WEIGHTS_I32, limit); return;
    case BI_WEIGHTS_I64: parse_as(batch, form, piece, false, BI_WEIGHTS_I64, limit); return;
    case BI_WEIGHTS_F64: parse_as(batch, form, piece, false, BI_WEIGHTS_F64, limit); return;
    }
}

static size_t weight_size(const struct bi_edge_form *form)
{
    return form->weights == BI_WEIGHTS_NONE ? 0 : form->weights == BI_WEIGHTS_I32 ? 4 : 8;
}

static void parse_piece(void *own, const void *all, const struct bi_piece *piece)
{
    struct batch *batch = own;
    const struct reading *r = all;
    int64_t capacity = (piece->end - piece->begin + 1) / 4; /* "1 2\n" */
    batch->status = BOSC_OK;
    batch->count = 0;
    if (!bi_edges_reserve(&batch->edges, weight_size(r->form), &batch->capacity, capacity))
        batch->status = bi_numbers_refuse(&batch->reason);
    else
        parse(batch, r->form, piece, INT64_MAX);
}

static void put(void *own, void *all)
{
    const struct batch *batch = own;
    const struct reading *r = all;
    size_t each = weight_size(r->form), place = (size_t)batch->place, n = (size_t)batch->count;
    if (n == 0) return;
    memcpy(r->edges.u + place, batch->edges.u, n * sizeof *r->edges.u);
    memcpy(r->edges.v + place, batch->edges.v, n * sizeof *r->edges.v);
    if (each) memcpy((char *)r->edges.weights + place * each, batch->edges.weights, n * each);
}

/* "NAME:LINE: reason", of a line that was read here. */
static bosc_status fail_at(const struct reading *r, int64_t line, bosc_status status, const char *reason,
                           bosc_io_error *error)
{
    const int number = bi_pieces_count_before(r->pieces, &line);
    return number ? bi_bytes_fail(r->in, number, error) : bi_fail_at(r->in, line, status, error, "%s", reason);
}

/* Fails at the first fault in the order of the lines, be it a bad line or one edge more than the header declares. */
static bosc_status join(void *own, void *all, const struct bi_piece *piece, bosc_io_error *error)
{
    struct batch *batch = own;
    struct reading *r = all;
    const int64_t m = r->form->m, after = r->edges.m + batch->count;
    if (m >= 0 && after > m) {
        parse(batch, r->form, piece, m - r->edges.m + 1); /* again, up to that edge */
        snprintf(batch->reason.text, sizeof batch->reason.text, "more than the %lld edges that the header declares",
                 (long long)m);
        return fail_at(r, r->lines + batch->lines, BOSC_ERR_FORMAT, batch->reason.text, error);
    }
    if (batch->status != BOSC_OK) return fail_at(r, r->lines + batch->lines, batch->status, batch->reason.text, error);
    r->wider = batch->wider;
    if (r->wider) return BOSC_ERR_FORMAT; /* all is read again */
    if (r->grows && !bi_edges_reserve(&r->edges, weight_size(r->form), &r->capacity, after))
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory for %lld edges", r->in->name, (long long)after);
    batch->place = r->edges.m;
    r->edges.m = after;
    r->lines += batch->lines;
    if (batch->most > r->most) r->most = batch->most;
    if (r->grows) put(own, all);
    return BOSC_OK;
}

static void free_batch(void *own) { bosc_edges_free(&((struct batch *)own)->edges); }

static bosc_status read_all(const struct bi_pieces *pieces, struct reading *r, bosc_io_error *error)
{
    const int64_t room = (int64_t)((pieces->end - pieces->begin + 1) / 4), m = r->form->m;
    r->grows = m < 0 || m > room || r->in->slice;
    bosc_status status = bi_edges_new(r->in->name, r->form->weights, r->grows ? 0 : m, &r->edges, error);
    if (status != BOSC_OK) return status;
    const struct bi_piece_parser parser = {sizeof(struct batch), parse_piece, join, r->grows ? NULL : put, free_batch};
    status = bi_pieces_parse(pieces, &parser, r, error);
    if (status != BOSC_OK) return status;
    if (r->edges.m < m && !r->in->slice)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: ends after %lld of %lld edges", r->in->name,
                          (long long)r->edges.m, (long long)m);
    if (r->edges.m > BI_EDGES_LIMIT)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: too many edges", r->in->name); /* unreached: 16 GB of text */
    return bi_bytes_unchanged(r->in, error);
}

bosc_status bi_edge_lines_parse(const struct bi_bytes *in, const struct bi_lines *lines,
                                const struct bi_edge_form *form, bosc_edges *edges, bosc_io_error *error)
{
    const struct bi_pieces pieces = bi_pieces_of(in, lines);
    struct bi_edge_form trial = *form;
    if (bi_bytes_missed(in)) return BOSC_ERR_FORMAT; /* the first lines are not known */
    for (;; trial.weights++) {
        struct reading r = {.in = in, .form = &trial, .pieces = &pieces, .lines = lines->number, .most = -1};
        bosc_status status = read_all(&pieces, &r, error);
        if (status == BOSC_OK) {
            r.edges.n = trial.n < 0 ? r.most + 1 : trial.n;
            bi_edges_shrink(&r.edges);
            if (in->slice) in->slice->begin = -1, in->slice->rows = form->m;
            *edges = r.edges;
            return BOSC_OK;
        }
        bosc_edges_free(&r.edges);
        if (!r.wider) return status;
    }
}
