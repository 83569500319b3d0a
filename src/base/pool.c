#include "base/pool.h"

#if BI_POOL
#include <limits.h>
#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/threads.h"

/* Times in nanoseconds. Shorter spins cost an idle machine the wake-up of a sleeping thread, 5 to 50 us, more often;
 * longer ones cost a busy machine's other processes. None is measured beside others yet but SPIN, which keeps workers
 * awake between the calls of a benchmark. */
enum {
    SPIN = 1000000,       /* a worker without a task spins so long, then sleeps */
    WAIT_SPIN = 100000,   /* the caller without a task spins so long for a worker's task, then sleeps */
    CHECK = 500000,       /* a worker compares processor time with time passed once in so long */
    LEAST_LOST = 600000,  /* less than a time slice of Linux, 0.7 to 4 ms; a hypervisor takes shorter ones */
    MIN_REST = 20000000,  /* a worker that did not get its processor is left out so long; twice as long each time */
    MAX_REST = 320000000, /* up to this */
    /* Workers that rest join a region that runs so long: two time slices, so that a slice lost then adds a half at
     * most. A rest is often wrong: threads of another OpenMP library spin up to 5 ms after their work. Not measured. */
    LATE = 8000000
};

/* States of a worker's task. */
enum { DONE, READY, CLAIMED, AWAITED /* claimed, and the caller sleeps until it is done */, EXIT };

/* States of a worker. A scout rests, and wakes when the region has run for LATE. */
enum { AWAKE, ASLEEP, SCOUT };

struct region {
    void (*body)(void *data);
    void *data;
    int tasks;
    struct {
        _Atomic int state; /* 0; 1: a thread sets the bounds; 2: set */
        long end, step, stride;
        _Atomic long next;
    } loop;
};

/* A line of the cache each: a worker spins on its own. */
struct worker {
    _Alignas(64) _Atomic uint32_t task;
    _Atomic uint32_t state;          /* other than AWAKE: in a wait for this word */
    _Atomic int64_t resting_until;   /* before, it joins late regions only */
    bool calls_others;               /* it was a scout, and wakes the workers that rest; its own */
    int64_t rest;                    /* length of the last rest; 0 after a check that found nothing */
    int64_t checked_at, checked_cpu; /* of the last check */
    struct team *team;
    int number; /* of its task */
    pthread_t thread;
};

struct team {
    struct region region;
    _Atomic uint32_t regions; /* so far */
    int count, capacity;      /* workers started */
    struct worker **workers;
};

/* The region and task of this thread. */
static _Thread_local struct {
    struct region *region;
    int task;
} current;
static _Thread_local struct team *own_team;
static pthread_key_t team_key;
static bool has_key;

/* Workers of all teams that do not sleep, and the number up to which threads spin: one fewer than the processors, since
 * a caller has one too; 0 if OMP_WAIT_POLICY is passive. More would take processors from threads with work: ranks have
 * a team each. */
static _Atomic int awake;
static int most_awake;

static int64_t read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void sleep_while(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void sleep_while_for(_Atomic uint32_t *word, uint32_t value, int64_t time)
{
    const struct timespec t = {.tv_nsec = (long)time}; /* below a second */
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &t, NULL, 0);
}

static void wake_sleepers(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void wake_worker(struct worker *w)
{
    atomic_store_explicit(&w->state, AWAKE, memory_order_relaxed);
    wake_sleepers(&w->state);
}

/* --- Tasks -------------------------------------------------------------------------------------------------------- */

static void run_task(struct region *region, int task)
{
    current.region = region;
    current.task = task;
    region->body(region->data);
    current.region = NULL;
    current.task = 0;
}

/* Wakes the workers that rest. The caller of the region waits for this thread's task, so their array stays. */
static void call_others(struct team *team, const struct worker *w)
{
    for (int i = 0; i < team->count; i++)
        if (team->workers[i] != w && atomic_load_explicit(&team->workers[i]->task, memory_order_relaxed) == READY)
            wake_worker(team->workers[i]);
}

/* Runs the task of worker w if nobody has started it, and calls the others before. The exchange makes its writes
 * visible to the caller, which loads DONE. */
static void run_if_ready(struct team *team, struct worker *w, bool calls_others)
{
    uint32_t ready = READY;
    if (atomic_load_explicit(&w->task, memory_order_relaxed) != READY ||
        !atomic_compare_exchange_strong_explicit(&w->task, &ready, CLAIMED, memory_order_acquire, memory_order_relaxed))
        return;
    if (calls_others) call_others(team, w);
    run_task(&team->region, w->number);
    if (atomic_exchange_explicit(&w->task, DONE, memory_order_acq_rel) == AWAITED) wake_sleepers(&w->task);
}

/* --- Workers ------------------------------------------------------------------------------------------------------ */

/* Leaves the worker out for a while if, since the last check, it lost a fifth of the time and about a time slice; ends
 * its rest if it did not. */
static void check_contention(struct worker *w, int64_t now)
{
    if (now - w->checked_at < CHECK) return;
    const int64_t cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
    const int64_t passed = now - w->checked_at, lost = passed - (cpu - w->checked_cpu);
    w->checked_at = now;
    w->checked_cpu = cpu;
    if (lost < passed / 5 || lost < LEAST_LOST) {
        w->rest = 0;
        atomic_store_explicit(&w->resting_until, 0, memory_order_relaxed);
        return;
    }
    w->rest = w->rest == 0 ? MIN_REST : w->rest < MAX_REST ? 2 * w->rest : MAX_REST;
    atomic_store_explicit(&w->resting_until, now + w->rest, memory_order_relaxed);
}

static void change_state(struct worker *w, uint32_t from, uint32_t to)
{
    atomic_compare_exchange_strong_explicit(&w->state, &from, to, memory_order_relaxed, memory_order_relaxed);
}

/* Sleeps until this worker is woken, ends, or may begin its task. A scout's task can be gone: the caller runs tasks
 * too. */
static void sleep_for_task(struct worker *w)
{
    uint32_t region = 0;
    int64_t seen_at = 0;     /* the region */
    w->calls_others = false; /* of an earlier sleep, after which the task was not there any more */
    atomic_fetch_sub_explicit(&awake, 1, memory_order_relaxed);
    atomic_store_explicit(&w->state, ASLEEP, memory_order_relaxed);
    for (;;) {
        /* The fences order `state` and `task` against publish_tasks(): either this thread sees the task, or the caller
         * sees that it sleeps. */
        atomic_thread_fence(memory_order_seq_cst);
        const uint32_t state = atomic_load_explicit(&w->state, memory_order_relaxed);
        const uint32_t task = atomic_load_explicit(&w->task, memory_order_relaxed);
        if (state == AWAKE || task == EXIT) break;
        /* 1. Without a task. */
        if (task != READY && state == SCOUT) {
            change_state(w, SCOUT, ASLEEP);
            continue;
        }
        if (task != READY) {
            sleep_while(&w->state, ASLEEP);
            continue;
        }
        /* 2. A worker that rests is a scout, until the region is late. */
        const int64_t now = read_clock(CLOCK_MONOTONIC);
        if (now >= atomic_load_explicit(&w->resting_until, memory_order_relaxed)) break;
        const uint32_t latest = atomic_load_explicit(&w->team->regions, memory_order_relaxed);
        if (seen_at == 0 || latest != region) seen_at = now;
        region = latest;
        w->calls_others = now - seen_at >= LATE;
        if (w->calls_others) break;
        change_state(w, ASLEEP, SCOUT);
        sleep_while_for(&w->state, SCOUT, seen_at + LATE - now);
    }
    atomic_store_explicit(&w->state, AWAKE, memory_order_relaxed);
    atomic_fetch_add_explicit(&awake, 1, memory_order_relaxed);
    w->checked_at = read_clock(CLOCK_MONOTONIC);
    w->checked_cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static bool may_spin(void) { return atomic_load_explicit(&awake, memory_order_relaxed) <= most_awake; }

static void wait_for_task(struct worker *w)
{
    int64_t begin = 0;
    for (unsigned i = 1;; i++) {
        const uint32_t task = atomic_load_explicit(&w->task, memory_order_relaxed);
        if (task == READY || task == EXIT) return;
        bi_pause();
        if (i % BI_PAUSES_PER_CLOCK) continue;
        const int64_t now = read_clock(CLOCK_MONOTONIC);
        if (begin == 0) begin = now;
        check_contention(w, now);
        if (now - begin > SPIN || now < w->resting_until || !may_spin()) {
            sleep_for_task(w);
            return;
        }
    }
}

static void *run_worker(void *user)
{
    struct worker *w = user;
    bi_set_default_fp();
    atomic_fetch_add_explicit(&awake, 1, memory_order_relaxed);
    w->checked_at = read_clock(CLOCK_MONOTONIC);
    w->checked_cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
    while (wait_for_task(w), atomic_load_explicit(&w->task, memory_order_relaxed) != EXIT) {
        run_if_ready(w->team, w, w->calls_others);
        w->calls_others = false;
        const int64_t now = read_clock(CLOCK_MONOTONIC);
        check_contention(w, now);
        if (now < w->resting_until) sleep_for_task(w);
    }
    atomic_fetch_sub_explicit(&awake, 1, memory_order_relaxed);
    return NULL;
}

static bool start_worker(struct team *team)
{
    if (team->count == team->capacity) return false;
    struct worker *w = aligned_alloc(64, sizeof *w);
    if (!w) return false;
    *w = (struct worker){.team = team, .number = team->count + 1};
    sigset_t all, saved; /* signals are the caller's */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
    const int failed = pthread_create(&w->thread, NULL, run_worker, w);
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
    if (failed) {
        free(w);
        return false;
    }
    team->workers[team->count++] = w;
    return true;
}

/* --- Teams -------------------------------------------------------------------------------------------------------- */

/* At the end of the thread that owns the team. */
static void free_team(void *user)
{
    struct team *team = user;
    for (int i = 0; i < team->count; i++) {
        struct worker *w = team->workers[i];
        atomic_store_explicit(&w->task, EXIT, memory_order_relaxed);
        /* A worker that overwrites AWAKE, since it goes to sleep now, sees EXIT after its fence. */
        atomic_thread_fence(memory_order_seq_cst);
        wake_worker(w);
    }
    for (int i = 0; i < team->count; i++) {
        pthread_join(team->workers[i]->thread, NULL);
        free(team->workers[i]);
    }
    free(team->workers);
    free(team);
    own_team = NULL;
}

/* Workers are not in the child: it starts others. */
static void forget_team(void)
{
    own_team = NULL;
    current.region = NULL;
    atomic_store(&awake, 0);
    if (has_key) pthread_setspecific(team_key, NULL);
}

__attribute__((constructor)) static void prepare_teams(void)
{
    const int most = bi_threads_that_spin();
    most_awake = most > 0 ? most - 1 : 0;
    has_key = pthread_key_create(&team_key, free_team) == 0;
    pthread_atfork(NULL, NULL, forget_team);
}

/* This thread's team, with workers for `tasks` tasks if they can be started; NULL without memory. */
static struct team *get_team(int tasks)
{
    struct team *team = own_team;
    if (!team) {
        if (!has_key || !(team = calloc(1, sizeof *team))) return NULL;
        if (pthread_setspecific(team_key, team)) {
            free(team);
            return NULL;
        }
        own_team = team;
    }
    if (team->capacity < tasks - 1) {
        struct worker **workers = realloc(team->workers, (size_t)(tasks - 1) * sizeof *workers);
        if (!workers) return team;
        team->workers = workers;
        team->capacity = tasks - 1;
    }
    while (team->count < tasks - 1 && start_worker(team)) {
    }
    return team;
}

/* --- Regions ------------------------------------------------------------------------------------------------------ */

/* Makes the region's data visible to whoever claims a task, and wakes the workers that sleep and do not rest. One that
 * rests becomes a scout: the last, since the caller begins its task last. */
static void publish_tasks(struct team *team, int count)
{
    atomic_fetch_add_explicit(&team->regions, 1, memory_order_relaxed);
    for (int i = 0; i < count; i++) atomic_store_explicit(&team->workers[i]->task, READY, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    int64_t now = 0;
    bool has_scout = false;
    for (int i = count - 1; i >= 0; i--) {
        struct worker *w = team->workers[i];
        const uint32_t state = atomic_load_explicit(&w->state, memory_order_relaxed);
        if (state == AWAKE) continue;
        if (now == 0) now = read_clock(CLOCK_MONOTONIC);
        if (now >= atomic_load_explicit(&w->resting_until, memory_order_relaxed)) {
            wake_worker(w);
            continue;
        }
        if (!has_scout && state == ASLEEP) {
            change_state(w, ASLEEP, SCOUT);
            wake_sleepers(&w->state);
        }
        has_scout = true;
    }
}

/* Waits until the worker's task is done: spins first, then sleeps, so that the worker can have this processor. */
static void wait_until_done(struct worker *w)
{
    int64_t begin = 0;
    for (unsigned i = 1; atomic_load_explicit(&w->task, memory_order_acquire) != DONE; i++) {
        bi_pause();
        if (i % BI_PAUSES_PER_CLOCK) continue;
        const int64_t now = read_clock(CLOCK_MONOTONIC);
        if (begin == 0) begin = now;
        if (now - begin < WAIT_SPIN && may_spin()) continue;
        uint32_t claimed = CLAIMED;
        if (atomic_compare_exchange_strong(&w->task, &claimed, AWAITED) || claimed == AWAITED)
            sleep_while(&w->task, AWAITED);
    }
}

static void run_alone(void (*body)(void *), void *data)
{
    struct region region = {.body = body, .data = data, .tasks = 1};
    struct region *outer = current.region;
    const int outer_task = current.task;
    run_task(&region, 0);
    current.region = outer;
    current.task = outer_task;
}

void bi_pool_run(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    int tasks = threads ? (int)threads : bi_threads_default();
    struct team *team = tasks > 1 && !current.region && !omp_in_parallel() ? get_team(tasks) : NULL;
    if (!team) {
        run_alone(body, data);
        return;
    }
    const int workers = tasks - 1 < team->count ? tasks - 1 : team->count;
    team->region = (struct region){.body = body, .data = data, .tasks = tasks};
    publish_tasks(team, workers);
    /* 1. The calling thread runs task 0 and the tasks without a worker. */
    run_task(&team->region, 0);
    for (int t = workers + 1; t < tasks; t++) run_task(&team->region, t);
    /* 2. Tasks that nobody has started: their workers sleep, rest or wait for a processor. */
    for (int i = 0; i < workers; i++) run_if_ready(team, team->workers[i], false);
    /* 3. Tasks that workers run. */
    for (int i = 0; i < workers; i++) wait_until_done(team->workers[i]);
}

int bi_pool_task(void) { return current.task; }

int bi_pool_tasks(void) { return current.region ? current.region->tasks : 1; }

/* --- Loops -------------------------------------------------------------------------------------------------------- */

bool bi_pool_loop_start(long start, long end, long step, long chunk, long *from, long *to)
{
    struct region *r = current.region;
    int state = 0;
    if (atomic_compare_exchange_strong_explicit(&r->loop.state, &state, 1, memory_order_relaxed,
                                                memory_order_relaxed)) {
        r->loop.end = end;
        r->loop.step = step;
        r->loop.stride = chunk * step;
        atomic_store_explicit(&r->loop.next, start, memory_order_relaxed);
        atomic_store_explicit(&r->loop.state, 2, memory_order_release); /* bounds for the threads that load 2 */
    }
    while (atomic_load_explicit(&r->loop.state, memory_order_acquire) != 2) bi_pause();
    return bi_pool_loop_next(from, to);
}

bool bi_pool_loop_next(long *from, long *to)
{
    struct region *r = current.region;
    const long first = atomic_fetch_add_explicit(&r->loop.next, r->loop.stride, memory_order_relaxed);
    const bool ascending = r->loop.step > 0;
    if (ascending ? first >= r->loop.end : first <= r->loop.end) return false;
    const long last = first + r->loop.stride;
    *from = first;
    *to = (ascending ? last < r->loop.end : last > r->loop.end) ? last : r->loop.end;
    return true;
}

void bi_pool_loop_end(void) {}
#endif
