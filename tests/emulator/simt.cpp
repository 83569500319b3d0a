/* The scheduler of the emulator: blocks, fibers, barriers, collectives of warps. */
#include "simt.hpp"

#include <cstdarg>
#include <cstdio>
#include <memory>
#include <vector>

#include "cluster.hpp"
#include "emulator.hpp"
#include "fiber.hpp"

namespace emulator
{

enum { MOST_BLOCKS = 8, MOST_THREADS = 1024, WINDOW = 16 };
#ifdef EMULATOR_TSAN
enum { RESIDENT_THREADS = 512 };
#else
enum { RESIDENT_THREADS = 2048 };
#endif

enum { MOST_SITES = 8 };

struct worker : thread {
    struct fiber own;
    unsigned number; /* in its block */
    bool waits, done;
    enum collective_kind kind;
    unsigned mask, source;
    uint64_t value, result;
    unsigned cluster_turn; /* how often it has arrived at the barrier of its cluster */
};

struct warp {
    unsigned lanes, alive, waiting;
    /* Tokens of __syncwarp. A whole warp uses the first two in turn, so that the next release of a fast lane does not
     * reach a slow lane; partial masks share the third. */
    char order[3];
    unsigned turn;
};

/* One BI_SHARED of the running block. */
struct shared_site {
    const void *site;
    char *memory;
    size_t bytes;
    char order;
};

struct block {
    uint3 index;
    bool live;
    unsigned alive, arrived, turn;
    int line;
    const char *file;
    unsigned votes, yes; /* votes of the barrier that fills, and of the last one */
    bool all;
    char order[2], fence_order, slot_order;
    void *dynamic;
    struct shared_site sites[MOST_SITES];
    unsigned site_count;
    std::vector<worker *> threads;
    struct warp warps[32];
};

struct thread *self;
struct place launch_place;

static uint64_t random_state;
static struct fiber home;
static struct block blocks[MOST_BLOCKS];
/* All fibers, and the ready ones. They are allocated for good, to outlive the program's destructors, as the emulator
 * does. */
static std::vector<worker *> &pool = *new std::vector<worker *>;
static std::vector<worker *> &ready = *new std::vector<worker *>;
static const struct bound_kernel *running;
static size_t running_shared_bytes;
static bool favour_recent; /* the policy of this launch */
/* With seeds divisible by four a warp runs alone from barrier to barrier, far ahead of the others. Behind a barrier the
 * first warp runs first if in_order, else the last one. */
static bool warps_alone, in_order;
static uint64_t idle_switches;
static char launch_order, join_order, device_order, cluster_order;
static uint64_t cluster_threads, cluster_awaited; /* of the launch; threads that have not arrived at its barrier */
static unsigned cluster_turns;                    /* how often all have */

static uint32_t draw()
{
    if (!random_state) {
        const char *text = getenv("BI_EMULATOR_SEED");
        bi_emulator_seed(text ? strtoull(text, nullptr, 10) : 1);
    }
    random_state ^= random_state << 13; /* Marsaglia, Xorshift RNGs (2003) */
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32);
}

static uint32_t draw_below(size_t bound) { return (uint32_t)(((uint64_t)draw() * bound) >> 32); }

static worker *me() { return static_cast<worker *>(self); }

const uint3 &block_index() { return self->of->index; }

[[noreturn]] static void die(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "emulator: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    for (struct block &b : blocks) {
        if (!b.live) continue;
        fprintf(stderr, "  block (%u, %u, %u): %u threads left, %u at a barrier", b.index.x, b.index.y, b.index.z,
                b.alive, b.arrived);
        if (b.arrived) fprintf(stderr, " (%s:%d)", b.file, b.line);
        for (unsigned w = 0; w < 32; w++)
            if (b.warps[w].waiting) fprintf(stderr, ", warp %u: lanes %08x in a collective", w, b.warps[w].waiting);
        fprintf(stderr, "\n");
    }
    abort();
}

/* Takes one of the ready threads; they are known to be there. */
static worker *take_ready(bool any)
{
    size_t last = ready.size() - 1, pick = last;
    if (any || (!warps_alone && (!favour_recent || (draw() & 7) == 0))) pick = draw_below(last + 1);
    worker *t = ready[pick];
    ready[pick] = ready[last];
    ready.pop_back();
    return t;
}

static void switch_to(worker *t)
{
    worker *from = me();
    if (t == from) return;
    self = t;
    fiber_switch(&from->own, &t->own, false);
}

/* Runs others until somebody makes this thread ready and it is picked. */
static void wait()
{
    worker *t = me();
    t->waits = true;
    if (ready.empty()) {
        self = nullptr;
        fiber_switch(&t->own, &home, false); /* to start more blocks, or to report the deadlock */
    } else {
        switch_to(take_ready(false));
    }
}

static void wake(worker *t)
{
    t->waits = false;
    ready.push_back(t);
}

void yield()
{
    if (++idle_switches > 50000000)
        die("no block makes progress: it waits for what no running thread will do (CUDA promises no order of blocks)");
    ready.push_back(me());
    switch_to(take_ready(true));
}

void perhaps_yield()
{
    if ((draw() & 3) == 0) yield();
}

/* ---- barriers ---- */

static void open_barrier(struct block *b, worker *last)
{
    b->yes = b->votes;
    b->all = b->votes == b->alive;
    b->votes = 0;
    b->arrived = 0;
    b->turn ^= 1;
    b->file = nullptr;
    idle_switches = 0;
    const size_t count = b->threads.size();
    for (size_t i = 0; i < count; i++) { /* the last one is the first to run, if the policy is so */
        worker *t = b->threads[in_order ? count - 1 - i : i];
        if (t != last && t->waits && !t->done) wake(t);
    }
}

int barrier(enum barrier_kind kind, int predicate, const char *file, int line)
{
    worker *t = me();
    struct block *b = t->of;
    char *token = &b->order[b->turn];
    order_release(token);
    if (b->arrived && (b->line != line || strcmp(b->file, file) != 0))
        die("threads of a block meet in different barriers: %s:%d and %s:%d", b->file, b->line, file, line);
    b->file = file;
    b->line = line;
    b->votes += predicate != 0;
    if (++b->arrived == b->alive)
        open_barrier(b, t);
    else
        wait();
    order_acquire(token);
    /* The outcome stands until every thread has come to the next barrier, which is after all have read it. */
    return kind == BARRIER_COUNT ? (int)b->yes : kind == BARRIER_OR ? b->yes > 0 : b->all;
}

void fence(bool whole_device)
{
    perhaps_yield();
    char *token = whole_device ? &device_order : &me()->of->fence_order;
    order_acquire(token);
    order_release(token);
}

/* ---- clusters ---- */

void cluster_arrive()
{
    perhaps_yield();
    if (me()->cluster_turn++ != cluster_turns) die("a thread arrives twice at the barrier of its cluster");
    order_release(&cluster_order);
    idle_switches = 0;
    if (--cluster_awaited) return;
    cluster_awaited = cluster_threads;
    cluster_turns++;
}

void cluster_wait()
{
    while (cluster_turns < me()->cluster_turn) yield();
    order_acquire(&cluster_order);
}

void *cluster_address(const void *p, unsigned number)
{
    const char *at = static_cast<const char *>(p);
    const struct block *own = me()->of;
    if (!cluster_turns) die("a thread reaches for a block of its cluster that may not have begun");
    const char *dynamic = static_cast<const char *>(own->dynamic);
    if (at >= dynamic && at < dynamic + running_shared_bytes)
        for (const struct block &b : blocks)
            if (b.live && b.alive && b.index.x == number) return static_cast<char *>(b.dynamic) + (at - dynamic);
    for (unsigned i = 0; i < own->site_count; i++) {
        const struct shared_site *s = &own->sites[i];
        if (at < s->memory || at >= s->memory + s->bytes) continue;
        for (const struct block &b : blocks)
            if (b.live && b.alive && b.index.x == number)
                for (unsigned k = 0; k < b.site_count; k++)
                    if (b.sites[k].site == s->site) return b.sites[k].memory + (at - s->memory);
    }
    die("a thread reaches for shared memory that block %u of its cluster does not have (or no more)", number);
}

/* ---- collectives ---- */

static uint64_t combine(enum collective_kind kind, uint64_t a, uint64_t b)
{
    switch (kind) {
    case BALLOT:
    case OR: return a | b;
    case ADD: return a + b;
    case AND: return a & b;
    case XOR: return a ^ b;
    case MIN_U: return b < a ? b : a;
    case MAX_U: return b > a ? b : a;
    case MIN_S: return (int64_t)b < (int64_t)a ? b : a;
    case MAX_S: return (int64_t)b > (int64_t)a ? b : a;
    default: return 0;
    }
}

/* Results of all the lanes in `lanes`, whose threads start at `first`. */
static void decide(enum collective_kind kind, worker **first, unsigned lanes)
{
    uint64_t all = 0;
    bool begun = false;
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t v = kind == BALLOT ? first[lane]->value << lane : first[lane]->value;
        all = begun ? combine(kind, all, v) : v;
        begun = true;
    }
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        worker *t = first[__builtin_ctz(rest)];
        t->result = all;
        if (kind == SHUFFLE) /* a lane that takes no part gives what no program expects */
            t->result = (lanes >> t->source) & 1 ? first[t->source]->value : 0xa5a5a5a5a5a5a5a5u;
        if (kind == MATCH) {
            t->result = 0;
            for (unsigned other = lanes; other; other &= other - 1) {
                unsigned lane = (unsigned)__builtin_ctz(other);
                if (first[lane]->value == t->value) t->result |= 1u << lane;
            }
        }
    }
}

/* If every lane of the mask that still lives waits for the same, they go on. `by` is the running one, or NULL. */
static void try_collective(struct block *b, unsigned w, unsigned mask, enum collective_kind kind, worker *by)
{
    struct warp *warp = &b->warps[w];
    unsigned lanes = mask & warp->alive;
    if (!lanes || (warp->waiting & lanes) != lanes) return;
    worker **first = &b->threads[w * 32];
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        worker *t = first[__builtin_ctz(rest)];
        if (t->mask != mask) return;
        if (t->kind != kind) die("lanes of a warp meet in different collectives with one mask, %08x", mask);
    }
    decide(kind, first, lanes);
    warp->waiting &= ~lanes;
    if (kind == SYNC && (mask & warp->lanes) == warp->lanes) warp->turn ^= 1;
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
        worker *t = first[__builtin_ctz(rest)];
        if (t != by) wake(t);
    }
}

uint64_t collective(enum collective_kind kind, unsigned mask, uint64_t value, unsigned source)
{
    worker *t = me();
    struct block *b = t->of;
    struct warp *warp = &b->warps[t->number / 32];
    if (!((mask >> t->lane) & 1)) die("lane %u calls a collective whose mask %08x leaves it out", t->lane, mask);
    t->kind = kind;
    t->mask = mask;
    t->value = value;
    t->source = source & 31;
    char *token = &warp->order[(mask & warp->lanes) == warp->lanes ? warp->turn : 2];
    if (kind == SYNC) order_release(token);
    warp->waiting |= 1u << t->lane;
    try_collective(b, t->number / 32, mask, kind, t);
    if ((warp->waiting >> t->lane) & 1) wait();
    if (kind == SYNC) order_acquire(token);
    return t->result;
}

/* ---- blocks and threads ---- */

static void thread_exits(worker *t)
{
    struct block *b = t->of;
    unsigned w = t->number / 32;
    struct warp *warp = &b->warps[w];
    order_release(&b->slot_order);
    order_release(&join_order);
    t->done = true;
    idle_switches = 0;
    warp->alive &= ~(1u << t->lane);
    b->alive--;
    if (b->alive && b->arrived == b->alive) open_barrier(b, nullptr);
    for (unsigned rest = warp->waiting; rest; rest &= rest - 1) {
        worker *other = b->threads[w * 32 + (unsigned)__builtin_ctz(rest)];
        if (other->waits) try_collective(b, w, other->mask, other->kind, nullptr);
    }
}

static void thread_entry()
{
    fiber_entered();
    worker *t = me();
    order_acquire(&launch_order);
    order_acquire(&t->of->slot_order);
    running->run();
    t = me();
    thread_exits(t);
    self = nullptr;
    fiber_switch(&t->own, &home, true);
    abort(); /* a finished thread is not switched to again */
}

static void start_block(struct block *b, uint64_t number, size_t dynamic_bytes)
{
    dim3 grid = launch_place.grid, size = launch_place.block;
    unsigned count = size.x * size.y * size.z;
    /* 1. The block and its warps; lanes beyond the last thread count as gone. */
    b->index =
        uint3{(unsigned)(number % grid.x), (unsigned)(number / grid.x % grid.y), (unsigned)(number / grid.x / grid.y)};
    b->live = true;
    b->alive = count;
    b->arrived = b->turn = 0;
    b->votes = 0;
    b->file = nullptr;
    b->dynamic = dynamic_bytes ? poisoned(dynamic_bytes) : nullptr;
    for (unsigned w = 0; w < 32; w++) {
        unsigned from = w * 32, lanes = from >= count ? 0 : count - from;
        b->warps[w].alive = b->warps[w].lanes = lanes >= 32 ? ~0u : (1u << lanes) - 1;
        b->warps[w].waiting = b->warps[w].turn = 0;
    }
    /* 2. Its threads, ready to run from their first instruction. */
    order_release(&b->slot_order);
    for (unsigned i = 0; i < count; i++) {
        worker *t = b->threads[i];
        t->index = uint3{i % size.x, i / size.x % size.y, i / size.x / size.y};
        t->lane = i % 32;
        t->number = i;
        t->of = b;
        t->waits = t->done = false;
        t->cluster_turn = 0;
        fiber_start(&t->own, thread_entry);
        ready.push_back(t);
    }
}

static void end_block(struct block *b)
{
    order_acquire(&b->slot_order); /* the memory goes back: its users come before */
    for (unsigned i = 0; i < b->site_count; i++) free(b->sites[i].memory);
    b->site_count = 0;
    free(b->dynamic);
    b->dynamic = nullptr;
    b->live = false;
}

void *shared(const void *site, size_t bytes)
{
    struct block *b = self->of;
    unsigned i = 0;
    while (i < b->site_count && b->sites[i].site != site) i++;
    struct shared_site *s = &b->sites[i];
    if (i == b->site_count) {
        if (i == MOST_SITES) die("a kernel has more than %d places of shared memory", MOST_SITES);
        s->site = site;
        s->bytes = bytes;
        s->memory = static_cast<char *>(poisoned(bytes));
        b->site_count++;
        order_release(&s->order);
    }
    order_acquire(&s->order); /* the pattern was written before */
    return s->memory;
}

void *shared_dynamic() { return self->of->dynamic; }

/* Blocks of `count` threads that run at once. */
static unsigned resident_blocks(unsigned count)
{
    unsigned most = RESIDENT_THREADS / count;
    if (most > MOST_BLOCKS) return MOST_BLOCKS;
    return most < 2 ? 2 : most;
}

/* Hands fibers to the blocks that run at once. */
static unsigned prepare(unsigned count)
{
    unsigned most = resident_blocks(count);
    while (pool.size() < (size_t)most * count) {
        worker *t = new worker();
        fiber_make(&t->own);
        pool.push_back(t);
    }
    for (unsigned b = 0; b < most; b++)
        blocks[b].threads.assign(pool.begin() + (long)(b * count), pool.begin() + (long)((b + 1) * count));
    ready.reserve((size_t)most * count);
    return most;
}

/* The blocks that have not started; the next one is drawn among the first few. */
struct queue {
    uint64_t next, count;
    uint64_t window[WINDOW];
    unsigned held;
};

static bool take_block(struct queue *q, uint64_t *number)
{
    while (q->held < WINDOW && q->next < q->count) q->window[q->held++] = q->next++;
    if (!q->held) return false;
    unsigned pick = draw_below(q->held);
    *number = q->window[pick];
    q->window[pick] = q->window[--q->held];
    return true;
}

static void run_blocks(unsigned resident, uint64_t count, size_t dynamic_bytes)
{
    struct queue q = {0, count, {0}, 0};
    uint64_t number, live = 0;
    do {
        for (unsigned i = 0; i < resident; i++) {
            struct block *b = &blocks[i];
            if (b->live && !b->alive) {
                end_block(b);
                live--;
            }
            if (!b->live && take_block(&q, &number)) {
                start_block(b, number, dynamic_bytes);
                live++;
            }
        }
        if (!live) break;
        if (ready.empty()) die("deadlock: every thread of the running blocks waits");
        worker *t = take_ready(true);
        self = t;
        fiber_switch(&home, &t->own, false);
    } while (true);
}

static void run_launch(const bound_kernel &body, dim3 grid, dim3 block, size_t shared_bytes)
{
    unsigned threads = block.x * block.y * block.z;
    draw();
    favour_recent = draw() & 1;
    in_order = warps_alone && favour_recent;
    launch_place = {grid, block};
    running = &body;
    running_shared_bytes = shared_bytes;
    cluster_threads = cluster_awaited = (uint64_t)grid.x * grid.y * grid.z * threads;
    cluster_turns = 0;
    idle_switches = 0;
    fiber_adopt(&home);
    unsigned resident = prepare(threads);
    order_release(&launch_order);
    run_blocks(resident, (uint64_t)grid.x * grid.y * grid.z, shared_bytes);
    order_acquire(&join_order);
    self = nullptr;
}

void launch(const void *kernel, cudaStream_t stream, bound_kernel *body, dim3 grid, dim3 block, size_t shared_bytes)
{
    const std::shared_ptr<const bound_kernel> owned(body); /* recorded launches run several times */
    if (!launch_allowed(kernel, grid, block, shared_bytes, stream)) return;
    queue(stream, [=] { run_launch(*owned, grid, block, shared_bytes); });
}

} // namespace emulator

unsigned bi_launch_cooperative_limit(int threads, unsigned blocks)
{
    unsigned most = emulator::resident_blocks((unsigned)threads);
    return blocks < most ? blocks : most;
}

extern "C" void bi_emulator_seed(uint64_t seed)
{
    emulator::random_state = (seed + 1) * 0x9e3779b97f4a7c15u;
    if (!emulator::random_state) emulator::random_state = 1;
    emulator::warps_alone = seed % 4 == 0;
}
