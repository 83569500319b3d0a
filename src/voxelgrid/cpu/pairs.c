/* Pairs of points on the CPU: one search counts the rows and collects them in scratch; after a scan of the counts they
 * are sorted and written. So no point is searched twice, unless the list is too small. */
#include "voxelgrid/cpu/pairs.h"

#include "base/bits.h"

/* COST: of a search, in simple items. TURN: positions of a thread at once, since rows differ in cost. MAX_ENTRIES: of
 * the list, a point: 256 bytes; measured, 16 are slower from 60 neighbours on. BLOCKS: further entries for each thread,
 * for the ends of blocks. The others are not measured. */
enum { COST = 128, TURN = 1 << 10, MAX_ENTRIES = 64, BLOCKS = 1 << 16 };

/* Allocates the list for at most `capacity` pairs. */
static bosc_status allocate_list(bosc_ctx *ctx, const struct bi_voxelgrid_pairs *a, int64_t capacity, int threads,
                                 struct bi_voxelgrid_collection *rows)
{
    const int64_t n = a->view.n, most = MAX_ENTRIES * n, entries = capacity < most ? capacity : most;
    *rows = (struct bi_voxelgrid_collection){.capacity = entries + entries / 8 + (int64_t)threads * BLOCKS};
    BI_TRY(bi_scratch_of(ctx, rows->capacity, sizeof *rows->ids, &rows->ids));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *rows->starts, &rows->starts));
    if (!a->dist2) return BOSC_OK;
    return bi_scratch_of(ctx, rows->capacity, a->view.is_f64 ? sizeof(double) : sizeof(float), &rows->dist2);
}

/* Searches the turns of a batch; blocks stay with the threads. */
static void collect_turns(const struct bi_voxelgrid_pairs *a, struct bi_voxelgrid_collection *rows,
                          struct bi_voxelgrid_block *blocks, int threads, const struct bi_batches *turns, int level)
{
    const struct bi_voxelgrid_pair_kernels *kernels = BI_LEVEL_PICK(level, bi_voxelgrid_pair_kernels);
#pragma omp parallel num_threads(threads)
    {
        struct bi_voxelgrid_block block = blocks[bi_thread_number()];
#pragma omp for schedule(dynamic, 1) nowait
        for (int64_t t = turns->begin; t < turns->end; t++) {
            const int64_t begin = t * TURN, end = begin + TURN < a->view.n ? begin + TURN : a->view.n;
            kernels->collect(a, rows, &block, (struct bi_span){begin, end});
        }
        blocks[bi_thread_number()] = block;
    }
}

static bosc_status collect_rows(bosc_ctx *ctx, const struct bi_voxelgrid_pairs *a, struct bi_voxelgrid_collection *rows,
                                int threads)
{
    struct bi_voxelgrid_block *blocks;
    BI_TRY(bi_scratch_of(ctx, threads, sizeof *blocks, &blocks));
    for (int t = 0; t < threads; t++) blocks[t] = (struct bi_voxelgrid_block){0, 0};
    struct bi_batches turns = bi_batches_of(ctx, bi_div_up(a->view.n, TURN), TURN);
    while (bi_next_batch(ctx, &turns)) collect_turns(a, rows, blocks, threads, &turns, (int)ctx->level);
    return turns.status;
}

static bosc_status write_rows(bosc_ctx *ctx, const struct bi_voxelgrid_pairs *a,
                              const struct bi_voxelgrid_collection *rows, int threads)
{
    const int64_t n = a->view.n;
    struct bi_batches parts = bi_chunk_batches(ctx, n, threads, 1);
    while (bi_next_batch(ctx, &parts))
        BI_PARALLEL_FOR(threads, (static), c, 0, threads,
                        BI_LEVEL_PICK(ctx->level, bi_voxelgrid_pair_kernels)
                            ->write(a, rows, bi_batch_of_chunk(n, threads, (int)c, &parts)));
    return parts.status;
}

bosc_status bi_voxelgrid_cpu_collect_pairs(bosc_ctx *ctx, struct bi_voxelgrid_pairs *a, int64_t capacity,
                                           int64_t totals[2])
{
    const int64_t n = a->view.n;
    const int threads = bi_thread_count_by_cost(ctx, n, COST);
    const bool collects = a->pairs && capacity > 0;
    struct bi_voxelgrid_collection rows;
    /* 1. Search. */
    if (collects) BI_TRY(allocate_list(ctx, a, capacity, threads, &rows));
    BI_TRY(collect_rows(ctx, a, collects ? &rows : NULL, threads));
    /* 2. Offsets of the rows, in the order of ids. */
    a->counts[n] = 0;
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, a->counts, n + 1, a->counts));
    totals[0] = a->counts[n];
    /* 3. Write, unless the arrays or the list are too small. */
    totals[1] = collects && rows.reserved <= rows.capacity ? 0 : n;
    return totals[1] == 0 && totals[0] <= capacity ? write_rows(ctx, a, &rows, threads) : BOSC_OK;
}
