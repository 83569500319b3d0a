/* The join on the CPU. For each segment, vertices are partitioned by the hash of the words outside it. A thread
 * finds equal keys of a partition by hash chains in its cache, and compares the vertices a while after prefetching
 * them. Chains are followed in rounds without branches, as matches are unpredictable. */
#include <string.h>

#include "base/atomic.h"
#include "base/fault.h"
#include "cellgraph/cpu/cpu.h"
#include "cellgraph/cpu/radix_partition.h"

enum {
    PARTITION_CAPACITY = 8 * BI_CELLGRAPH_PARTITION,
    HEADS = 4 * BI_CELLGRAPH_PARTITION,
    QUEUE = BI_CELLGRAPH_QUEUE,
    MAX_FOLLOWED = 32, /* links followed for each entry; beyond, a few sorts cost less. The limit is not measured */
    NO_ENTRY = 0xffff
};

struct pair {
    uint32_t i, j;
};

/* Entry i of a partition, and an earlier entry k of its chain. */
struct link {
    uint16_t i, k;
};

/* A thread's workspace. */
struct workspace {
    uint16_t heads[HEADS], next[PARTITION_CAPACITY];
    struct link links[PARTITION_CAPACITY];
    struct pair queue[1 + QUEUE]; /* queue[0] is a dummy, so that queue[queued] exists */
    uint64_t edges[QUEUE];
    uint32_t positions[QUEUE];
    uint64_t compared;
    int queued;
    int32_t begin, end; /* words of their segment */
};

struct join {
    const struct bi_cellgraph_segments *all;
    struct bi_cellgraph_partitioning partitioning;
    struct bi_cellgraph_row_hash hashing;
    struct bi_cellgraph_complements complements;
    void (*hash_complements)(const struct bi_cellgraph_row_hash *, const struct bi_cellgraph_complements *,
                             const struct bi_cellgraph_view *, int64_t first, int64_t count, uint64_t *hashes);
    uint32_t differ; /* difference of the keys of vertices that may be joined */
    uint32_t next_partition;
    struct workspace *workspaces; /* (threads) */
};

/* The words of a segment: [*begin, *end). */
static void segment_words(const struct bi_cellgraph_segments *all, int32_t segment, int32_t *begin, int32_t *end)
{
    const int32_t words = all->view.shape.words;
    *begin = segment * all->span;
    *end = *begin + all->span < words ? *begin + all->span : words;
}

static void hash_complements(const void *user, int64_t first, int64_t count, bool again, uint64_t *hashes)
{
    const struct join *j = user;
    struct bi_cellgraph_complements complements = j->complements;
    complements.parity = again && j->differ; /* partitions do not depend on it */
    j->hash_complements(&j->hashing, &complements, &j->all->view, first, count, hashes);
}

/* As bi_cellgraph_single_difference, for a segment of one word, without a branch for each word. */
static int64_t match_word(const struct bi_letters *shape, const uint64_t *x, const uint64_t *y, int32_t word)
{
    const uint64_t bits = x[word] ^ y[word];
    uint64_t rest = bits == 0;
    for (int32_t s = 0; s < shape->words; s++) rest |= s == word ? 0 : x[s] ^ y[s];
    if (shape->letter_bits == 1) {
        rest |= bits & (bits - 1);
        return rest ? -1 : (int64_t)word * 64 + bi_lowest_bit(bits | 1ull << 63);
    }
    return rest || !bi_cellgraph_is_one_letter(bits, shape->letter_bits)
               ? -1
               : (int64_t)bi_cellgraph_position(shape, word, bits);
}

/* Compares the queued pairs, and appends their edges. */
static void compare_queued(const struct join *j, struct workspace *w)
{
    const int32_t begin = w->begin, end = w->end;
    const struct bi_cellgraph_view *v = &j->all->view;
    const struct bi_cellgraph_edge_list *to = &j->all->found;
    int found = 0;
    for (int q = 1; q <= w->queued; q++) {
        uint32_t x = w->queue[q].i, y = w->queue[q].j;
        const uint64_t *of_x = bi_cellgraph_row(v, x), *of_y = bi_cellgraph_row(v, y);
        const int64_t position = end - begin == 1 ? match_word(&v->shape, of_x, of_y, begin)
                                                  : bi_cellgraph_single_difference(&v->shape, of_x, of_y, begin, end);
        w->edges[found] = (uint64_t)(x < y ? x : y) << to->vertex_bits | (x < y ? y : x);
        w->positions[found] = (uint32_t)position;
        found += position >= 0;
    }
    w->compared += (uint64_t)w->queued;
    w->queued = 0;
    bi_cellgraph_cpu_append(to, w->edges, w->positions, (uint32_t)found);
}

/* Chains a partition's entries by key; returns the number of links to an earlier entry. */
static uint32_t build_chains(struct workspace *w, const struct bi_cellgraph_entry *entries, uint32_t size)
{
    uint32_t count = 0, mask = HEADS - 1;
    while (mask > 63 && mask / 4 > size) mask /= 2; /* small partitions clear fewer heads */
    memset(w->heads, 0xff, (mask + 1) * sizeof *w->heads);
    for (uint32_t i = 0; i < size; i++) {
        uint16_t *head = &w->heads[entries[i].key >> 1 & mask]; /* bit 0: parity */
        w->links[count] = (struct link){(uint16_t)i, *head};
        count += *head != NO_ENTRY;
        w->next[i] = *head;
        *head = (uint16_t)i;
    }
    return count;
}

/* Queues the pairs of a partition with matching keys; false if there are too many links. The vertices of the last
 * queued pair are prefetched repeatedly, which costs less than a branch. */
static bool pair_entries(const struct join *j, struct workspace *w, uint32_t partition)
{
    const struct bi_cellgraph_view *v = &j->all->view;
    uint32_t size, count, followed = 0;
    const struct bi_cellgraph_entry *entries = bi_cellgraph_partition_entries(&j->partitioning, partition, &size);
    if (size > PARTITION_CAPACITY) return false;
    for (count = build_chains(w, entries, size); count > 0;) {
        uint32_t left = 0;
        followed += count;
        if (followed > MAX_FOLLOWED * size) return false;
        /* One round: queue the pair of each link if its keys match, and advance the link. */
        for (uint32_t c = 0; c < count; c++) {
            const struct link at = w->links[c];
            const struct pair p = {entries[at.i].item, entries[at.k].item};
            const bool may = (entries[at.i].key ^ entries[at.k].key) == j->differ;
            w->links[left] = (struct link){at.i, w->next[at.k]};
            left += w->next[at.k] != NO_ENTRY;
            w->queue[w->queued + 1] = p;
            w->queued += may;
            __builtin_prefetch(bi_cellgraph_row(v, w->queue[w->queued].i));
            __builtin_prefetch(bi_cellgraph_row(v, w->queue[w->queued].j));
            if (w->queued == QUEUE) compare_queued(j, w);
        }
        count = left;
    }
    return true;
}

/* Processes partitions before `end`, which threads claim by an atomic counter. */
static void match_partitions(struct join *j, uint32_t end, int32_t thread)
{
    struct workspace *w = &j->workspaces[thread];
    uint32_t p;
    w->queue[0] = (struct pair){0, 0};
    w->queued = 0;
    w->compared = 0;
    w->begin = -1;
    while ((p = bi_atomic_fetch_add_u32(&j->next_partition, 1)) < end) {
        const int32_t segment = j->complements.first + (int32_t)(p >> j->partitioning.partition_bits);
        if (w->begin != segment * j->all->span) {
            compare_queued(j, w);
            segment_words(j->all, segment, &w->begin, &w->end);
        }
        if (pair_entries(j, w, p)) continue;
        bi_atomic_or_u32(&j->all->skewed[segment], 1);
        bi_atomic_or_u32(j->all->any_skewed, 1);
    }
    compare_queued(j, w);
    bi_atomic_fetch_add_u64(j->all->found.compared, w->compared);
}

static bosc_status match_all(bosc_ctx *ctx, struct join *j)
{
    enum { ITEMS = 4 }; /* cost of an entry in simple items, for progress; estimated */
    const int32_t threads = j->partitioning.threads;
    struct bi_batches p =
        bi_batches_of(ctx, bi_cellgraph_partition_count(&j->partitioning), (double)ITEMS * BI_CELLGRAPH_PARTITION);
    while (bi_next_batch(ctx, &p)) {
        j->next_partition = (uint32_t)p.begin;
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
        for (int32_t t = 0; t < threads; t++) match_partitions(j, (uint32_t)p.end, t);
    }
    return p.status;
}

/* Segments partitioned together: all, unless their entries exceed 1 GiB. */
static int32_t choose_lists(int64_t n, int32_t segments)
{
    const int64_t limit = (int64_t)1 << 30, one = n * (int64_t)sizeof(struct bi_cellgraph_entry);
    return one * segments <= limit ? segments : 1;
}

int64_t bi_cellgraph_cpu_join_bytes(int64_t n, int32_t segments, int32_t threads)
{
    return bi_cellgraph_partition_bytes(n, choose_lists(n, segments), threads) +
           threads * (int64_t)sizeof(struct workspace);
}

bosc_status bi_cellgraph_cpu_join(bosc_ctx *ctx, const struct bi_cellgraph_segments *all)
{
    struct join j = {.all = all};
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "join: injected fault");
    j.partitioning = (struct bi_cellgraph_partitioning){.n = all->view.count, .hash = hash_complements, .user = &j};
    j.partitioning.lists = choose_lists(j.partitioning.n, all->count);
    j.complements = (struct bi_cellgraph_complements){.span = all->span, .lists = j.partitioning.lists};
    j.hash_complements = BI_LEVEL_PICK(ctx->level, bi_cellgraph_hash_complements);
    j.differ = all->view.shape.letter_bits == 1; /* the parity of the segment */
    bi_cellgraph_row_hash_open(&j.hashing, &all->view.shape, all->view.seeds);
    BI_TRY(bi_cellgraph_partition_open(ctx, &j.partitioning));
    BI_TRY(bi_scratch_of(ctx, j.partitioning.threads, sizeof *j.workspaces, &j.workspaces));
    for (j.complements.first = 0; j.complements.first < all->count; j.complements.first += j.partitioning.lists) {
        BI_TRY(bi_cellgraph_partition(ctx, &j.partitioning));
        BI_TRY(match_all(ctx, &j));
    }
    return BOSC_OK;
}
