/* The join on the CPU. Vertices are dealt to parts by the top bits of the hash of their words outside a segment; a
 * thread brings the equal hashes of a part together by chains in its cache, and compares the vertices some time after
 * it asked for them. Source of the dealing: Manegold, Boncz, Kersten, Optimizing Main-Memory Join on Modern Hardware
 * (2002). */
#include <string.h>

#include "base/atomic.h"
#include "base/fault.h"
#include "cellgraph/cpu.h"

enum {
    PART = 2048, /* vertices of a part, on average at most */
    PART_ROOM = 8 * PART,
    HEADS = 2 * PART,
    QUEUE = 512, /* pairs that were asked for */
    NOTHING = 0xffff
};

struct entry {
    uint32_t key, vertex;
};

struct pair {
    uint32_t i, j;
};

/* What a thread needs. */
struct bench {
    uint16_t heads[HEADS], next[PART_ROOM];
    struct pair queue[QUEUE];
    uint64_t edges[QUEUE];
    uint32_t positions[QUEUE];
    int queued;
};

struct join {
    const struct bi_cell_segments *all;
    int32_t segment, begin, end; /* its words */
    int32_t threads, part_bits;
    uint64_t *keys;        /* (vertices) */
    struct entry *entries; /* (vertices) by part */
    uint32_t *places;      /* (threads x parts) counts, then where each thread's vertices of a part go */
    uint32_t *starts;      /* (parts + 1) */
    uint32_t next_part;
    struct bench *benches; /* (threads) */
};

static uint32_t part_of(const struct join *j, uint64_t key)
{
    return j->part_bits == 0 ? 0 : (uint32_t)(key >> (64 - j->part_bits));
}

static int64_t share(const struct join *j, int32_t thread) { return j->all->view.count * thread / j->threads; }

static void count(const struct join *j, int32_t thread)
{
    uint32_t *counts = j->places + ((size_t)thread << j->part_bits);
    memset(counts, 0, sizeof *counts << j->part_bits);
    for (int64_t i = share(j, thread), end = share(j, thread + 1); i < end; i++) {
        j->keys[i] = bi_cell_outside(&j->all->view, i, j->begin, j->end);
        counts[part_of(j, j->keys[i])]++;
    }
}

static void sum_up(struct join *j)
{
    uint32_t sum = 0, parts = 1u << j->part_bits;
    for (uint32_t p = 0; p < parts; p++) {
        j->starts[p] = sum;
        for (int32_t t = 0; t < j->threads; t++) {
            uint32_t *place = &j->places[((size_t)t << j->part_bits) + p], here = *place;
            *place = sum;
            sum += here;
        }
    }
    j->starts[parts] = sum;
}

static void deal(const struct join *j, int32_t thread)
{
    uint32_t *places = j->places + ((size_t)thread << j->part_bits);
    for (int64_t i = share(j, thread), end = share(j, thread + 1); i < end; i++)
        j->entries[places[part_of(j, j->keys[i])]++] = (struct entry){(uint32_t)j->keys[i], (uint32_t)i};
}

/* Compares the pairs that wait and appends their edges. */
static void flush(const struct join *j, struct bench *b)
{
    const struct bi_cell_view *v = &j->all->view;
    const struct bi_cell_found *to = &j->all->found;
    int found = 0;
    for (int q = 0; q < b->queued; q++) {
        uint32_t x = b->queue[q].i, y = b->queue[q].j;
        int64_t position = bi_cell_match(&v->shape, bi_cell_row(v, x), bi_cell_row(v, y), j->begin, j->end);
        b->edges[found] = (uint64_t)(x < y ? x : y) << to->vertex_bits | (x < y ? y : x);
        b->positions[found] = (uint32_t)position;
        found += position >= 0;
    }
    b->queued = 0;
    if (found == 0) return;
    uint64_t at = bi_take(to->count, (uint64_t)found), left = at < (uint64_t)to->room ? (uint64_t)to->room - at : 0;
    size_t kept = left < (uint64_t)found ? (size_t)left : (size_t)found;
    if (kept == 0) return;
    memcpy(to->edges + at, b->edges, kept * sizeof *b->edges);
    memcpy(to->positions + at, b->positions, kept * sizeof *b->positions);
}

static void push(const struct join *j, struct bench *b, uint32_t x, uint32_t y)
{
    const struct bi_cell_view *v = &j->all->view;
    __builtin_prefetch(bi_cell_row(v, x));
    __builtin_prefetch(bi_cell_row(v, y));
    b->queue[b->queued++] = (struct pair){x, y};
    if (b->queued == QUEUE) flush(j, b);
}

/* Pairs up the entries of a part whose keys are equal; false if too many are. */
static bool match(const struct join *j, struct bench *b, const struct entry *entries, uint32_t size)
{
    if (size > PART_ROOM) return false;
    memset(b->heads, 0xff, sizeof b->heads);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t key = entries[i].key;
        uint16_t *head = &b->heads[key % HEADS];
        int mates = 0;
        for (uint32_t k = *head; k != NOTHING; k = b->next[k]) {
            if (entries[k].key != key) continue;
            if (++mates > BI_CELL_MATES) return false;
            push(j, b, entries[i].vertex, entries[k].vertex);
        }
        b->next[i] = *head;
        *head = (uint16_t)i;
    }
    return true;
}

static void match_parts(struct join *j, int32_t thread)
{
    struct bench *b = &j->benches[thread];
    uint32_t parts = 1u << j->part_bits, p;
    b->queued = 0;
    while ((p = __atomic_fetch_add(&j->next_part, 1, __ATOMIC_RELAXED)) < parts) {
        if (match(j, b, j->entries + j->starts[p], j->starts[p + 1] - j->starts[p])) continue;
        bi_raise(&j->all->skewed[j->segment], 1);
        bi_raise(j->all->any_skewed, 1);
    }
    flush(j, b);
}

static void join_segment(const bosc_ctx *ctx, struct join *j)
{
    int32_t threads = j->threads;
#pragma omp parallel for schedule(static, 1) num_threads(ctx->threads) if (threads > 1)
    for (int32_t t = 0; t < threads; t++) count(j, t);
    sum_up(j);
#pragma omp parallel for schedule(static, 1) num_threads(ctx->threads) if (threads > 1)
    for (int32_t t = 0; t < threads; t++) deal(j, t);
    j->next_part = 0;
#pragma omp parallel for schedule(static, 1) num_threads(ctx->threads) if (threads > 1)
    for (int32_t t = 0; t < threads; t++) match_parts(j, t);
    (void)ctx;
}

bosc_status bi_cell_cpu_join(bosc_ctx *ctx, const struct bi_cell_segments *all)
{
    int64_t n = all->view.count, parts;
    struct join j = {.all = all, .threads = n > 4 * PART ? ctx->threads : 1};
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "join: injected fault");
    while (n >> j.part_bits > PART) j.part_bits++;
    parts = (int64_t)1 << j.part_bits;
    BI_TRY(bi_cell_scratch(ctx, n, sizeof *j.keys, &j.keys));
    BI_TRY(bi_cell_scratch(ctx, n, sizeof *j.entries, &j.entries));
    BI_TRY(bi_cell_scratch(ctx, parts * j.threads, sizeof *j.places, &j.places));
    BI_TRY(bi_cell_scratch(ctx, parts + 1, sizeof *j.starts, &j.starts));
    BI_TRY(bi_cell_scratch(ctx, j.threads, sizeof *j.benches, &j.benches));
    for (j.segment = 0; j.segment < all->count; j.segment++) {
        BI_TRY(bi_progress(ctx, "join", (double)j.segment / all->count));
        j.begin = j.segment * all->span;
        j.end = j.begin + all->span < all->view.shape.words ? j.begin + all->span : all->view.shape.words;
        join_segment(ctx, &j);
    }
    return BOSC_OK;
}
