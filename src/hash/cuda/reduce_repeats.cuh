/* Pairs with repeated keys reduced to one pair a key on CUDA, in one cooperative launch.
 * 1. A block combines the equal keys of its first tile in shared memory. Of later tiles it leaves out the pairs whose
 *    keys a filter in shared memory holds. So a frequent key costs few accesses a block.
 * 2. The other pairs are inserted into entries in device memory by linear probing over groups of 32 bytes. A home there
 *    is the hash scaled to the number of groups, so entries are in the order of the hashes but for short displacements.
 * 3. Once all pairs are inserted, their number gives the table. A block counts the pairs of each home of its range, and
 *    writes its part of the ORDERED table (ordered.cuh), or its part of a list by ascending hash.
 * Of equal keys the pair of the greatest code wins, a function of its row, so the result does not depend on the order
 * of threads. Source, for linear probing in the order of hashes: Amble and Knuth, Ordered Hash Tables (1974). */
#ifndef BI_HASH_CUDA_REDUCE_REPEATS_CUH
#define BI_HASH_CUDA_REDUCE_REPEATS_CUH

#include "core/cuda/cooperative.cuh"
#include "core/cuda/shared.cuh"
#include "hash/cuda/ordered.cuh"
#include "hash/cuda/reduction_words.cuh"
#include "hash/steps/slots.h"

#ifdef BI_EMULATE /* the emulator runs few threads at once */
enum { REDUCE_THREADS = 64, REDUCE_BLOCKS = 8, REDUCE_SLOTS = 12, REDUCE_PROBES = 64, REDUCE_FILTER_WORDS = 32 };
#else
/* SLOTS: maximum of entries that a thread reads in a range. Not measured. */
enum { REDUCE_THREADS = 1024, REDUCE_BLOCKS = MAX_REPORTS, REDUCE_SLOTS = 9 };
/* Maximum of entries that an insertion reads. At half load chance displaces the keys of 2^23 by 82 at most on average
 * (Knuth, The Art of Computer Programming, 6.4: linear probing); keys chosen for it fail. */
enum { REDUCE_PROBES = 256 };
/* A power of two. Measured, keys of 32 bits: 2^15 are 2 % faster, but then need more memory than ranges do. */
enum { REDUCE_FILTER_WORDS = 1 << 14 };
#endif
enum {
    REDUCE_CHAMPIONS = 2 * REDUCE_THREADS, /* words of a tile that combine equal keys: a power of two */
    REDUCE_TILES = 2,                      /* tiles whose pairs a thread reads at once; measured: 4 are as fast */
    /* Pairs that the queue of a warp holds: less than one a lane, and those of the tiles read at once. */
    REDUCE_QUEUE = 32 * (1 + REDUCE_TILES),
    /* Maximum of entries of a range, and of its homes: one range a block reads at once. */
    REDUCE_RANGE_SLOTS = REDUCE_THREADS * REDUCE_SLOTS - REDUCE_PROBES - 2,
    REDUCE_RANGE_HOMES = REDUCE_THREADS * (REDUCE_SLOTS - 1),
    REDUCE_LEAST_HOMES = 64 /* of a range, so that few pairs make few ranges; not measured */
};
static_assert((int)REDUCE_BLOCKS <= (int)MAX_REPORTS, "a word of each block");
/* The load factor of the homes by which a list is ordered; lists have no other use for it. Not measured. */
static constexpr double REDUCE_LIST_LOAD = 0.8;
/* Fields of the sum over the blocks: the number of keys, and of failed blocks above it. */
enum { REDUCE_KEYS_BITS = 40 };

/* Entries for keys of 32 bits: hash << 32 | code in one word; 0: empty. No code is 0. */
template <class K> struct reduce_entries;
template <> struct reduce_entries<uint32_t> {
    typedef unsigned long long entry;
    typedef unsigned filter_word;
    enum { GROUP = 4 };
    struct seen { /* an entry as it was read */
        unsigned long long word;
    };
    struct group { /* entries read at once: 32 bytes */
        unsigned long long words[GROUP];
    };
    struct choice { /* the first entry of a group that is empty or has the key; GROUP: none */
        uint32_t index;
        unsigned long long word;
    };

    static __device__ __forceinline__ void clear(entry *e) { bi_store_relaxed(e, 0ull); }
    static __device__ __forceinline__ seen read(const entry *e) { return {bi_load_relaxed(e)}; }
    static __device__ __forceinline__ bool is_empty(const entry *, seen s, bool) { return s.word == 0; }
    static __device__ __forceinline__ uint32_t hash(seen s) { return (uint32_t)(s.word >> 32); }
    static __device__ __forceinline__ uint32_t code(const entry *, seen s) { return (uint32_t)s.word; }

    static __device__ __forceinline__ group read_group(const entry *e)
    {
        group g;
#pragma unroll
        for (int i = 0; i < GROUP; i += 2) bi_load_relaxed_pair(e + i, &g.words[i]);
        return g;
    }
    static __device__ __forceinline__ choice choose(const group &g, uint32_t hash)
    {
        choice c = {GROUP, 0};
#pragma unroll
        for (int i = GROUP - 1; i >= 0; i--)
            if (g.words[i] == 0 || g.words[i] >> 32 == hash) c = {(uint32_t)i, g.words[i]};
        return c;
    }
    static __device__ __forceinline__ bool is_free(choice c) { return c.index < GROUP && c.word == 0; }
    static __device__ __forceinline__ bool has_key(choice c, uint32_t hash)
    {
        return c.index < GROUP && c.word >> 32 == hash;
    }
    /* Tries to write a pair to an empty entry. On failure the choice gets the word of another pair. */
    static __device__ __forceinline__ void claim(entry *e, choice *c, uint32_t hash, uint32_t code)
    {
        c->word = atomicCAS(e, 0ull, (unsigned long long)hash << 32 | code);
    }
    static __device__ __forceinline__ void complete(entry *, uint32_t) {}
    /* Raises the code of an entry that has the key. */
    static __device__ __forceinline__ void raise(entry *e, choice c, uint32_t code)
    {
        if ((uint32_t)c.word < code) atomicMax(e, (c.word >> 32) << 32 | code);
    }
    /* No hash needs an entry of its own. */
    static __device__ __forceinline__ bool is_apart(uint32_t) { return false; }
    static __device__ __forceinline__ bool insert_apart(entry *, uint32_t) { return false; }
};
/* The same for 64 bits: the complement of the hash, 0 while the entry is empty, and the code beside it. The greatest
 * hash has an entry of its own, which holds a code alone. */
struct alignas(16) reduce_entry_64 {
    unsigned long long words[2]; /* the complement, the code */
};
template <> struct reduce_entries<uint64_t> {
    typedef reduce_entry_64 entry;
    typedef unsigned long long filter_word;
    enum { GROUP = 2 };
    struct seen {
        unsigned long long stored;
    };
    struct group {
        unsigned long long stored[GROUP];
        uint32_t codes[GROUP];
    };
    struct choice {
        uint32_t index, code;
        unsigned long long stored;
    };

    static __device__ __forceinline__ void clear(entry *e) { *e = {{0, 0}}; }
    static __device__ __forceinline__ seen read(const entry *e) { return {bi_load_relaxed(&e->words[0])}; }
    static __device__ __forceinline__ bool is_empty(const entry *e, seen s, bool apart)
    {
        return s.stored == 0 && !(apart && bi_load_relaxed(&e->words[1]) != 0);
    }
    static __device__ __forceinline__ uint64_t hash(seen s) { return ~s.stored; }
    static __device__ __forceinline__ uint32_t code(const entry *e, seen)
    {
        return (uint32_t)bi_load_relaxed(&e->words[1]);
    }

    static __device__ __forceinline__ group read_group(const entry *e)
    {
        group g;
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            unsigned long long words[2];
            bi_load_relaxed_pair(e[i].words, words);
            g.stored[i] = words[0];
            g.codes[i] = (uint32_t)words[1];
        }
        return g;
    }
    static __device__ __forceinline__ choice choose(const group &g, uint64_t hash)
    {
        choice c = {GROUP, 0, 0};
#pragma unroll
        for (int i = GROUP - 1; i >= 0; i--)
            if (g.stored[i] == 0 || g.stored[i] == ~hash) c = {(uint32_t)i, g.codes[i], g.stored[i]};
        return c;
    }
    static __device__ __forceinline__ bool is_free(choice c) { return c.index < GROUP && c.stored == 0; }
    static __device__ __forceinline__ bool has_key(choice c, uint64_t hash)
    {
        return c.index < GROUP && c.stored == ~hash;
    }
    static __device__ __forceinline__ void claim(entry *e, choice *c, uint64_t hash, uint32_t)
    {
        c->stored = atomicCAS(&e->words[0], 0ull, (unsigned long long)~hash);
        c->code = 0; /* unknown */
    }
    static __device__ __forceinline__ void complete(entry *e, uint32_t code)
    {
        atomicMax(&e->words[1], (unsigned long long)code);
    }
    static __device__ __forceinline__ void raise(entry *e, choice c, uint32_t code)
    {
        if (c.code < code) atomicMax(&e->words[1], (unsigned long long)code);
    }
    static __device__ __forceinline__ bool is_apart(uint64_t hash) { return hash == ~0ull; }
    /* Returns true if the key was not there. */
    static __device__ __forceinline__ bool insert_apart(entry *e, uint32_t code)
    {
        return !atomicMax(&e->words[1], (unsigned long long)code);
    }
};

template <class K, class P> struct reduce_args {
    typedef typename reduce_entries<K>::entry entry;
    ordered_args<K, P> table; /* the kernel sets its homes and ranges */
    double load_factor;
    entry *entries;       /* (capacity + REDUCE_PROBES), the last one for a hash apart */
    uint32_t capacity;    /* entries in homes, which are groups */
    uint32_t tile, tiles; /* pairs of a tile; number of tiles */
    bool last;            /* of equal keys the last pair wins, else the first */
    uint64_t max_ordered; /* up to this many keys the table is written, else the list */
    K *list_keys;         /* by ascending hash */
    P *list_payload;
    struct reduction_words *words;
    unsigned long long *host_words;
};

/* A range of homes, and the entries that may hold its pairs. */
struct reduce_range {
    uint32_t first_home, homes;
    uint32_t from, count; /* entries; the last range reads the one for a hash apart too */
};

/* Homes, slots and ranges of the table or list. ranges 0: they would be too many, or have too many entries. */
struct reduce_plan {
    uint32_t homes, beyond, range_homes, ranges;
};

struct reduce_shared : ordered_shared<REDUCE_THREADS> {
    unsigned long long total; /* the sum of the blocks */
    unsigned found;           /* keys that the block was the first to insert */
    unsigned failed;          /* not 0: a pair of the block found no entry */
    unsigned turn;            /* index of the words of this launch */
    uint32_t sums[REDUCE_THREADS / 32];
};

/* Waits for all blocks and sums up a number of each. Writes of all blocks are visible after it. */
template <class S>
static __device__ __forceinline__ void reduce_grid_sum(bi_grid_sum *grid, S &sh, unsigned long long own)
{
    __syncthreads(); /* all writes of the block precede its arrival */
    if (threadIdx.x == 0) {
        sh.total = bi_grid_barrier_sum(grid, own, true);
        __threadfence(); /* later reads of the block see the writes of all others */
    }
    __syncthreads(); /* the sum is there */
}

/* The parts of a block's shared memory while it inserts pairs. Queues are in the memory of the first tile. */
template <class K> struct reduce_memory {
    typedef typename reduce_entries<K>::filter_word filter_word;
    enum { QUEUES = REDUCE_THREADS / 32 };
    filter_word *filter;   /* (REDUCE_FILTER_WORDS) see passes_filter */
    K *hashes;             /* (REDUCE_THREADS) of the first tile */
    uint32_t *champions;   /* (REDUCE_CHAMPIONS) */
    K *queued_hashes;      /* (REDUCE_QUEUE) of the warp's queue */
    uint32_t *queued_rows; /* the same */

    __device__ __forceinline__ explicit reduce_memory(unsigned char *memory)
    {
        filter = reinterpret_cast<filter_word *>(memory);
        hashes = reinterpret_cast<K *>(filter + REDUCE_FILTER_WORDS);
        champions = reinterpret_cast<uint32_t *>(hashes + REDUCE_THREADS);
        const uint32_t warp = threadIdx.x / 32;
        queued_hashes = hashes + warp * REDUCE_QUEUE;
        queued_rows = reinterpret_cast<uint32_t *>(hashes + QUEUES * REDUCE_QUEUE) + warp * REDUCE_QUEUE;
    }
    static size_t bytes()
    {
        const size_t tile = REDUCE_THREADS * sizeof(K) + REDUCE_CHAMPIONS * 4,
                     queues = (size_t)QUEUES * REDUCE_QUEUE * (sizeof(K) + 4);
        return REDUCE_FILTER_WORDS * sizeof(filter_word) + (tile > queues ? tile : queues);
    }
};

/* Returns the row of the thread's pair in the block's tile of this order, ~0 if it has none. For the last pairs to win,
 * the last tiles come first: a pair's code is less than those of all tiles before. */
template <class A> static __device__ __forceinline__ uint32_t row_in_tile(const A &a, uint32_t order)
{
    const uint32_t t = blockIdx.x + order * gridDim.x;
    if (t >= a.tiles || threadIdx.x >= a.tile) return ~0u;
    const uint32_t row = (a.last ? a.tiles - 1 - t : t) * a.tile + threadIdx.x;
    return row < a.table.n ? row : ~0u;
}

/* Returns the code of a row: the pair of the greatest one wins. Keys of a set are all the same. */
template <class K, class P>
static __device__ __forceinline__ uint32_t code_of_row(const reduce_args<K, P> &a, uint32_t row)
{
    return !bi_hash_has_value<P> ? 1 : a.last ? row + 1 : ~row;
}

/* Reads and hashes the pairs of the block's first tile, and combines equal keys: the code that is greatest in a word of
 * the champions survives, and so do pairs with another hash than that one's. Empties the filter, and adds the survivors
 * to it. Returns true if the thread's pair survives. */
template <class K, class P>
static __device__ __forceinline__ bool combine_tile(const reduce_args<K, P> &a, const reduce_memory<K> &m, K *own)
{
    typedef typename reduce_memory<K>::filter_word filter_word;
    const filter_word mask = REDUCE_FILTER_WORDS - 1;
    const uint32_t row = row_in_tile(a, 0), rank = threadIdx.x;
    const uint32_t code = a.last ? rank + 1 : REDUCE_THREADS - rank;
    const bool filters = a.tiles > gridDim.x;
    K hash = 0;
    /* 1. Read and hash the pairs; clear the words. */
    if (row != ~0u) hash = a.table.keys[row];
    for (uint32_t i = rank; i < REDUCE_CHAMPIONS; i += REDUCE_THREADS) m.champions[i] = 0;
    for (uint32_t i = rank; filters && i < REDUCE_FILTER_WORDS; i += REDUCE_THREADS)
        m.filter[i] = ~(filter_word)0; /* of the last order: holds no key */
    hash = bi_hash_key_hash(hash, a.table.seed);
    m.hashes[rank] = *own = hash;
    __syncthreads(); /* the words are clear, and the hashes are there */
    /* 2. Find the greatest code of each word. */
    uint32_t *champion = &m.champions[(uint32_t)hash & (REDUCE_CHAMPIONS - 1)];
    if (row != ~0u && bi_load_shared_relaxed(champion) < code) atomicMax(champion, code);
    __syncthreads(); /* the words are complete */
    /* 3. Leave out pairs whose key the word's champion has too. */
    if (row == ~0u) return false;
    const uint32_t other = a.last ? *champion - 1 : REDUCE_THREADS - *champion;
    if (other != rank && m.hashes[other] == hash) return false;
    if (filters) bi_store_shared_relaxed(&m.filter[hash & mask], (filter_word)(hash & ~mask));
    return true;
}

/* Returns false if the filter holds the key of a pair, from an earlier tile, whose pair wins; else adds the pair to it.
 * A word has the bits of a hash that do not choose the word, and the order of a tile in place of the others. So a word
 * states that the block inserts a pair of that key and order, whoever overwrites it. */
template <class K>
static __device__ __forceinline__ bool passes_filter(const reduce_memory<K> &m, K hash, uint32_t order)
{
    typedef typename reduce_memory<K>::filter_word filter_word;
    const filter_word mask = REDUCE_FILTER_WORDS - 1;
    const filter_word own = order < mask ? (filter_word)order : mask; /* orders beyond are equal */
    filter_word *word = &m.filter[hash & mask];
    const filter_word seen = bi_load_shared_relaxed(word);
    if (((seen ^ (filter_word)hash) & ~mask) == 0 && (seen & mask) < own) return false;
    bi_store_shared_relaxed(word, ((filter_word)hash & ~mask) | own);
    return true;
}

/* Returns the first entry of a hash's home. */
template <class K, class P> static __device__ __forceinline__ uint32_t first_entry(const reduce_args<K, P> &a, K hash)
{
    enum { GROUP = reduce_entries<K>::GROUP };
    return ordered_home(hash, a.capacity / GROUP) * GROUP;
}

/* A pair on its way to an entry. */
template <class K> struct reduce_search {
    K hash;
    uint32_t row, at; /* at: the first entry of the group that is read next */
    bool pending;     /* false: there is none, or it is inserted */
};

/* Starts the search for a pair whose hash and row are set. Returns 1 if it is inserted at once, as a new key. */
template <class K, class P>
static __device__ __forceinline__ uint32_t start_search(const reduce_args<K, P> &a, reduce_search<K> &own)
{
    typedef reduce_entries<K> E;
    if (E::is_apart(own.hash))
        return E::insert_apart(&a.entries[a.capacity + REDUCE_PROBES - 1], code_of_row(a, own.row));
    own.at = first_entry(a, own.hash);
    own.pending = true;
    return 0;
}

/* The thread's keys in REDUCE_TILES tiles, loaded before they are needed. */
template <class K> struct reduce_keys {
    K key[REDUCE_TILES];
};

/* Loads the thread's keys in the tiles from this order on. */
template <class K, class P>
static __device__ __forceinline__ void load_keys(const reduce_args<K, P> &a, uint32_t order, reduce_keys<K> &next)
{
#pragma unroll
    for (int k = 0; k < REDUCE_TILES; k++) {
        const uint32_t row = row_in_tile(a, order + (uint32_t)k);
        if (row != ~0u) next.key[k] = a.table.keys[row];
    }
}

/* Hashes the warp's keys of REDUCE_TILES tiles from this order on, which are in `next`, and loads those of the tiles
 * after them. Appends pairs that pass the filter to the warp's queue, which has `queued` pairs. Returns its new number
 * of pairs. */
template <class K, class P>
static __device__ __forceinline__ uint32_t queue_tiles(const reduce_args<K, P> &a, const reduce_memory<K> &m,
                                                       uint32_t order, uint32_t queued, reduce_keys<K> &next)
{
    const unsigned lower_lanes = (1u << threadIdx.x % 32) - 1;
    const reduce_keys<K> own = next;
    load_keys(a, order + REDUCE_TILES, next);
#pragma unroll
    for (int k = 0; k < REDUCE_TILES; k++) {
        const uint32_t row = row_in_tile(a, order + (uint32_t)k);
        bool passes = row != ~0u;
        K hash = 0;
        if (passes) {
            hash = bi_hash_key_hash(own.key[k], a.table.seed);
            passes = passes_filter(m, hash, order + (uint32_t)k);
        }
        const unsigned lanes = __ballot_sync(~0u, passes);
        if (passes) {
            const uint32_t to = queued + (uint32_t)__popc(lanes & lower_lanes);
            m.queued_hashes[to] = hash;
            m.queued_rows[to] = row;
        }
        queued += (uint32_t)__popc(lanes);
    }
    return queued;
}

/* Advances a search by a group of entries. *failed: the pair found no entry. Returns 1 if it is a new key. */
template <class K, class P>
static __device__ __forceinline__ uint32_t advance_search(const reduce_args<K, P> &a, reduce_search<K> &own,
                                                          bool *failed)
{
    typedef reduce_entries<K> E;
    const uint32_t code = code_of_row(a, own.row);
    /* 1. Choose an entry; try to write to it if it is empty. */
    typename E::choice choice = E::choose(E::read_group(&a.entries[own.at]), own.hash);
    typename E::entry *e = &a.entries[own.at + choice.index];
    const bool claims = E::is_free(choice);
    if (claims) E::claim(e, &choice, own.hash, code);
    /* 2. Complete a new key, raise the code of a known one, or leave a group of other keys. If another key has claimed
     * the entry meanwhile, the next call reads the group again. */
    const bool fresh = claims && E::is_free(choice);
    if (fresh) {
        E::complete(e, code);
    } else if (E::has_key(choice, own.hash)) {
        E::raise(e, choice, code);
    } else {
        if (choice.index < E::GROUP) return 0;
        own.at += E::GROUP;
        if (own.at < first_entry(a, own.hash) + REDUCE_PROBES - E::GROUP) return 0;
        *failed = true;
    }
    own.pending = false;
    return fresh;
}

/* Inserts the pairs of the block: `own` is one of the first tile, `next` are keys of later tiles, which follow. A lane
 * that has inserted a pair goes on to the next one of its queue, so that no lane waits for the longest search of the
 * warp. Returns the number of new keys. */
template <class K, class P>
static __device__ __forceinline__ uint32_t insert_pairs(const reduce_args<K, P> &a, reduce_shared &sh,
                                                        const reduce_memory<K> &m, reduce_search<K> own,
                                                        reduce_keys<K> next)
{
    const unsigned lower_lanes = (1u << threadIdx.x % 32) - 1;
    const auto has_tiles = [&](uint32_t order) { return blockIdx.x + order * gridDim.x < a.tiles; };
    uint32_t queued = 0, order = 1, found = 0;
    bool failed = false;
    while (!__any_sync(~0u, failed || bi_load_shared_relaxed(&sh.failed))) {
        /* 1. Queue pairs until there is one for each lane. */
        for (; queued < 32 && has_tiles(order); order += REDUCE_TILES) queued = queue_tiles(a, m, order, queued, next);
        __syncwarp(); /* the queue is visible to the warp */
        /* 2. Idle lanes start the searches for its last pairs. */
        const unsigned idle = __ballot_sync(~0u, !own.pending);
        const uint32_t rank = (uint32_t)__popc(idle & lower_lanes);
        if (!own.pending && rank < queued) {
            own.hash = m.queued_hashes[queued - 1 - rank];
            own.row = m.queued_rows[queued - 1 - rank];
            found += start_search(a, own);
        }
        queued -= min((uint32_t)__popc(idle), queued);
        __syncwarp(); /* all lanes have read the queue, before it grows */
        if (!__any_sync(~0u, own.pending) && queued == 0 && !has_tiles(order)) break;
        /* 3. Advance all searches. */
        if (own.pending) found += advance_search(a, own, &failed);
    }
    if (failed) bi_store_shared_relaxed(&sh.failed, 1u);
    return found;
}

/* Zeroes the words of the next launch, all blocks together. */
static __device__ __forceinline__ void zero_words(struct reduction_set *words)
{
    const unsigned first = blockIdx.x * REDUCE_THREADS + threadIdx.x, step = gridDim.x * REDUCE_THREADS;
    for (unsigned i = first; i < REDUCE_MAX_RANGES; i += step) bi_store_relaxed(&words->reached[i], 0ull);
    if (first < 2) bi_store_relaxed(&words->sums[first], 0ull);
}

/* Empties the entries, inserts all pairs, and sums up the keys of all blocks in sh.total. The entries of all blocks are
 * visible after it. */
template <class K, class P>
static __device__ __forceinline__ void insert_all(const reduce_args<K, P> &a, reduce_shared &sh, unsigned char *memory)
{
    const reduce_memory<K> m(memory);
    reduce_search<K> own = {};
    reduce_keys<K> next = {};
    /* 1. Empty the entries; other blocks do so while this one combines its first tile. */
    const uint32_t step = gridDim.x * REDUCE_THREADS;
    for (uint32_t i = blockIdx.x * REDUCE_THREADS + threadIdx.x; i < a.capacity + REDUCE_PROBES; i += step)
        reduce_entries<K>::clear(&a.entries[i]);
    if (threadIdx.x == 0) {
        sh.found = sh.failed = 0;
        sh.turn = bi_load_relaxed(&a.words->turn);
    }
    const bool survives = combine_tile(a, m, &own.hash); /* its barriers make sh.turn visible */
    load_keys(a, 1, next);                               /* of the next tiles: the barrier hides the latency */
    zero_words(&a.words->sets[sh.turn ^ 1]);
    bi_grid_sum grid = {a.words->sets[sh.turn].sums, 0, 0, 0};
    reduce_grid_sum(&grid, sh, 0); /* all entries are empty, and all blocks have their turn */
    if (blockIdx.x == 0 && threadIdx.x == 0) bi_store_relaxed(&a.words->turn, sh.turn ^ 1);
    /* 2. Insert the pairs. */
    uint32_t found = 0;
    own.row = row_in_tile(a, 0);
    if (survives) found = start_search(a, own);
    found += insert_pairs(a, sh, m, own, next);
    /* 3. Sum up the keys. */
    found = bi_warp_sum(found);
    if (threadIdx.x % 32 == 0) atomicAdd(&sh.found, found);
    __syncthreads(); /* the block's sums are there */
    reduce_grid_sum(&grid, sh, sh.found + ((unsigned long long)(sh.failed != 0) << REDUCE_KEYS_BITS));
}

template <class K, class P>
static __device__ __forceinline__ reduce_range locate_range(const reduce_args<K, P> &a, const ordered_args<K, P> &t,
                                                            unsigned number)
{
    reduce_range r;
    r.first_home = number * t.range_homes;
    r.homes = min(t.range_homes, t.homes - r.first_home);
    /* A hash of home h is at least h / homes of all hashes, which bounds its group of entries. */
    enum { GROUP = reduce_entries<K>::GROUP };
    const uint64_t groups = a.capacity / GROUP, end = (uint64_t)r.first_home + r.homes;
    r.from = (uint32_t)(r.first_home * groups / t.homes) * GROUP;
    const uint32_t to = (uint32_t)((end * groups + t.homes - 1) / t.homes) * GROUP;
    r.count = to - r.from + REDUCE_PROBES - (end < t.homes);
    return r;
}

/* Returns the pair of an entry, with its value or the number of its row. */
template <class K, class P>
static __device__ __forceinline__ ordered_pair<K, P> pair_of_entry(const reduce_args<K, P> &a,
                                                                   const typename reduce_args<K, P>::entry *e,
                                                                   typename reduce_entries<K>::seen seen)
{
    ordered_pair<K, P> pair;
    pair.hash = reduce_entries<K>::hash(seen);
    if constexpr (bi_hash_has_value<P>) {
        const uint32_t code = reduce_entries<K>::code(e, seen), row = a.last ? code - 1 : ~code;
        pair.payload = a.table.payload ? a.table.payload[row] : (P)row;
    }
    return pair;
}

/* True if values are read before the scan of the homes. Measured: this slows pairs of 16 bytes down by 4 %. */
template <class K, class P> constexpr bool reads_early = sizeof(ordered_pair<K, P>) <= 8;

/* Counts the pairs of each home of the range, and gets the thread's pairs with their ranks: at[k] is a home, from the
 * range's first one on, | rank << 16, or NO_PAIR. Values are loaded here, so that the scan of the homes hides their
 * latency, if registers suffice (reads_early). In a table the pair of the greatest hash goes to the last slot. */
template <class K, class P>
static __device__ __forceinline__ void
count_entries(const reduce_args<K, P> &a, const ordered_args<K, P> &t, const ordered_memory<K, P> &m, reduce_shared &sh,
              const reduce_range &r, bool listed, ordered_pairs<K, P, REDUCE_SLOTS> &own)
{
    typedef reduce_entries<K> E;
    typename E::seen seen[REDUCE_SLOTS];
    const auto entry = [&](int k) { return r.from + (uint32_t)k * REDUCE_THREADS + threadIdx.x; };
#pragma unroll
    for (int k = 0; k < REDUCE_SLOTS; k++)
        if (entry(k) < r.from + r.count) seen[k] = E::read(&a.entries[entry(k)]);
#pragma unroll
    for (int k = 0; k < REDUCE_SLOTS; k++) {
        own.at[k] = own.NO_PAIR;
        if (entry(k) >= r.from + r.count) continue;
        const bool apart = entry(k) == a.capacity + REDUCE_PROBES - 1;
        if (E::is_empty(&a.entries[entry(k)], seen[k], apart)) continue;
        const K hash = E::hash(seen[k]);
        const uint32_t home = ordered_home(hash, t.homes) - r.first_home;
        if (home >= r.homes) continue; /* of another range */
        if (!listed && ordered_is_greatest(hash)) {
            sh.greatest = 1; /* keys are distinct: no other thread has it */
            ordered_write(t, t.slots - 1, pair_of_entry(a, &a.entries[entry(k)], seen[k]), false);
            continue;
        }
        if constexpr (reads_early<K, P>) own.pair[k] = pair_of_entry(a, &a.entries[entry(k)], seen[k]);
        own.at[k] = home | atomicAdd(&m.homes[home], 1u) << 16;
    }
}

/* Moves the thread's pairs to slots of their homes. Adds the sum of their distances from their homes to sh.extra. */
template <class K, class P>
static __device__ __forceinline__ void move_entries(const reduce_args<K, P> &a, const ordered_memory<K, P> &m,
                                                    reduce_shared &sh, const reduce_range &r,
                                                    const ordered_pairs<K, P, REDUCE_SLOTS> &own)
{
    uint32_t extra = 0;
#pragma unroll
    for (int k = 0; k < REDUCE_SLOTS; k++) {
        if (own.at[k] == own.NO_PAIR) continue;
        const uint32_t home = own.at[k] & 0xffff, slot = (m.homes[home] & 0xffff) + (own.at[k] >> 16);
        const typename reduce_args<K, P>::entry *e = &a.entries[r.from + (uint32_t)k * REDUCE_THREADS + threadIdx.x];
        if constexpr (reads_early<K, P>)
            m.pairs[slot] = own.pair[k];
        else
            m.pairs[slot] = pair_of_entry(a, e, reduce_entries<K>::read(e));
        extra += slot - home;
    }
    extra = bi_warp_sum(extra);
    if (threadIdx.x % 32 == 0) atomicAdd(&sh.extra, extra);
}

/* As ordered_find_begins, for a list: the pairs of the range are contiguous. *preceding: number of pairs of earlier
 * ranges. */
template <class K, class P>
static __device__ __forceinline__ uint32_t find_list_begins(const ordered_args<K, P> &t, const ordered_memory<K, P> &m,
                                                            reduce_shared &sh, uint32_t homes, uint32_t *preceding)
{
    constexpr int WARPS = REDUCE_THREADS / 32;
    const uint32_t each = (t.range_homes + REDUCE_THREADS - 1) / REDUCE_THREADS | 1; /* odd: different banks */
    const uint32_t from = min(threadIdx.x * each, homes), to = min(from + each, homes);
    uint32_t pairs = 0, all;
    /* 1. Scan the counts and publish their sum. */
    for (uint32_t i = from; i < to; i++) pairs += m.homes[i];
    uint32_t next = bi_block_exclusive_sum<WARPS>(pairs, sh.sums, &all);
    if (threadIdx.x == 0) bi_store_relaxed(&t.reached[m.range], 1ull << 63 | all);
    for (uint32_t i = from; i < to; i++) {
        const uint32_t count = m.homes[i];
        m.homes[i] = next | count << 16;
        next += count;
    }
    /* 2. Add up the sums of earlier ranges. */
    uint32_t own = 0;
    for (unsigned range = threadIdx.x; range < m.range; range += REDUCE_THREADS) {
        unsigned long long word;
        while (!(word = bi_load_relaxed(&t.reached[range]))) __nanosleep(20);
        own += (uint32_t)word;
    }
    __syncthreads(); /* sh.sums is free, and all homes have their first slot */
    bi_block_exclusive_sum<WARPS>(own, sh.sums, preceding);
    return all;
}

/* Writes the range's part of the list, behind `preceding` pairs. */
template <class K, class P>
static __device__ __forceinline__ void write_list(const reduce_args<K, P> &a, const ordered_args<K, P> &t,
                                                  const ordered_memory<K, P> &m, uint32_t preceding, uint32_t pairs)
{
    bool repeats = false; /* it stays false */
    for (uint32_t i = threadIdx.x; i < pairs; i += REDUCE_THREADS) {
        const ordered_pair<K, P> pair = m.pairs[i];
        const uint32_t to = preceding + ordered_slot_of(t, m, i, pair.hash, &repeats);
        a.list_keys[to] =
            bi_hash_key_from<K>::word(bi_hash_key_of(bi_hash_key_word(pair.hash), bi_hash_key_bits<K>, a.table.seed));
        if constexpr (bi_hash_has_value<P>) a.list_payload[to] = pair.payload;
    }
}

/* Lays out one range, of the table or of the list. Returns true if that failed. sh.extra: as ordered_lay_out. All
 * threads call it; a barrier comes last. */
template <class K, class P>
static __device__ __forceinline__ bool lay_out_range(const reduce_args<K, P> &a, const ordered_args<K, P> &t,
                                                     const ordered_memory<K, P> &m, reduce_shared &sh, bool listed)
{
    ordered_pairs<K, P, REDUCE_SLOTS> own;
    uint32_t preceding = 0;
    /* 1. Count the pairs of each home. */
    ordered_clear(t, m, sh);
    __syncthreads(); /* slots and homes are empty */
    const reduce_range r = locate_range(a, t, m.range);
    count_entries(a, t, m, sh, r, listed, own);
    __syncthreads(); /* the counts of all homes are complete */
    /* 2. Find the first slot of each home. */
    const uint32_t end = listed ? find_list_begins(t, m, sh, r.homes, &preceding) : ordered_find_begins(t, m, sh);
    const uint32_t room = listed ? t.range_homes + t.beyond : min(t.range_homes + t.beyond, t.slots - 2 - r.first_home);
    /* As in ordered_lay_out: the pair of the greatest hash counts as pushed on, and a failed block writes nothing. */
    const bool fits = listed ? end <= room : sh.begin <= t.beyond && end + (sh.greatest != 0) <= room;
    /* 3. Move the pairs there, and write the slots. */
    if (fits) move_entries(a, m, sh, r, own);
    __syncthreads(); /* all pairs of the range are in its slots */
    if (fits && listed) write_list(a, t, m, preceding, end);
    if (fits && !listed) ordered_write_slots(t, m, sh, end);
    __syncthreads(); /* the memory is free for the next range */
    return !fits;
}

/* Plans the table or the list for the number of keys. Few keys in entries for many give too many ranges: 0. */
template <class K, class P>
static __device__ __forceinline__ reduce_plan plan_ranges(const reduce_args<K, P> &a, uint32_t keys, bool listed)
{
    const double load_factor = listed ? REDUCE_LIST_LOAD : a.load_factor;
    reduce_plan plan;
    plan.homes = (uint32_t)bi_hash_slots_for(load_factor, keys);
    plan.beyond = (uint32_t)bi_hash_slots_behind(load_factor, keys) + 2;
    /* 24 entries less: a range ends with a whole home, of at most 4 entries unless far fewer keys came than expected,
     * and has whole groups. */
    enum { GROUP = reduce_entries<K>::GROUP };
    const uint32_t at_once = gridDim.x * REDUCE_RANGE_HOMES, read_at_once = gridDim.x * (REDUCE_RANGE_SLOTS - 24);
    const uint32_t rounds = max((plan.homes + at_once - 1) / at_once, (a.capacity + read_at_once - 1) / read_at_once);
    const uint32_t most = rounds * gridDim.x, even = (plan.homes + most - 1) / most;
    plan.range_homes = max(even, min((uint32_t)REDUCE_LEAST_HOMES, plan.homes));
    const uint32_t ranges = (plan.homes + plan.range_homes - 1) / plan.range_homes;
    const uint64_t entries =
        (((uint64_t)plan.range_homes * (a.capacity / GROUP) + plan.homes - 1) / plan.homes + 1) * GROUP;
    plan.ranges = ranges <= REDUCE_MAX_RANGES && entries <= REDUCE_RANGE_SLOTS ? ranges : 0;
    return plan;
}

/* Reduces the pairs and writes the table or the list. The grid has at most one block a tile. */
template <class K, class P>
static __global__ void __launch_bounds__(REDUCE_THREADS, 1) bi_hash_reduce_repeats(const reduce_args<K, P> a)
{
    BI_SHARED(reduce_shared, sh);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    /* 1. Insert the pairs; all blocks get the number of keys. */
    insert_all(a, sh, memory);
    const uint64_t keys = sh.total & ((1ull << REDUCE_KEYS_BITS) - 1);
    const bool listed = keys > a.max_ordered;
    /* 2. Lay out the block's ranges. */
    /* All threads plan: by one, with the plan and ranges in shared memory, 2^22 rows take 12 us more. */
    const reduce_plan plan = plan_ranges(a, (uint32_t)keys, listed);
    ordered_args<K, P> t = a.table;
    t.homes = plan.homes;
    t.beyond = plan.beyond;
    t.slots = t.homes + t.beyond;
    t.range_homes = plan.range_homes;
    t.reached = a.words->sets[sh.turn].reached;
    const unsigned ranges = plan.ranges;
    bool failed = sh.total >> REDUCE_KEYS_BITS || !ranges;
    unsigned long long extra = 0;
    for (unsigned range = blockIdx.x; range < ranges && !(sh.total >> REDUCE_KEYS_BITS); range += gridDim.x) {
        const ordered_memory<K, P> m(t, memory, range, ranges);
        failed |= lay_out_range(a, t, m, sh, listed);
        extra += sh.extra;
        __syncthreads(); /* sh.extra is read */
    }
    /* 3. Publish the result, after a barrier of the block. */
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0 && !listed) { /* the only run, as in publish_result of ordered.cu */
            t.descriptors[0] = t.descriptors[1] = 0;
            t.descriptors[2] = (uint64_t)t.slots << BOSC_HASH_SEED_BITS;
        }
        publish_reduction(a, sh.total >> REDUCE_KEYS_BITS ? 0 : keys, extra, failed);
    }
}

#endif
