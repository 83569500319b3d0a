/* Parallel regions on the library's own threads: each task runs once, each iteration of a loop once, with any number
 * of callers. Builds with another OpenMP runtime have no pool, and nothing to test here. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "support/suite.h"

#if BI_POOL

enum { TASKS = 9, ITEMS = 1000 };

struct counts {
    _Atomic int task[TASKS], item[ITEMS], bad;
    long start, end, step, chunk;
    int tasks;
};

static void count_task(void *user)
{
    struct counts *c = user;
    const int task = bi_pool_task();
    if (task < 0 || task >= c->tasks || bi_pool_tasks() != c->tasks) {
        atomic_fetch_add(&c->bad, 1);
        return;
    }
    atomic_fetch_add(&c->task[task], 1);
}

static void runs_each_task_once(void)
{
    for (int round = 0; round < 300; round++) {
        struct counts c;
        memset(&c, 0, sizeof c);
        c.tasks = 1 + round % TASKS;
        bi_pool_run(count_task, &c, (unsigned)c.tasks, 0);
        CHECK_EQ(c.bad, 0);
        for (int t = 0; t < TASKS; t++) CHECK_EQ(c.task[t], t < c.tasks);
        CHECK_EQ(bi_pool_task(), 0);
        CHECK_EQ(bi_pool_tasks(), 1);
        if (round % 100 == 0) usleep(3000); /* the workers sleep now */
    }
}

static void count_items(void *user)
{
    struct counts *c = user;
    long from, to;
    if (bi_pool_loop_start(c->start, c->end, c->step, c->chunk, &from, &to)) do {
            for (long i = from; c->step > 0 ? i < to : i > to; i += c->step) atomic_fetch_add(&c->item[i], 1);
        } while (bi_pool_loop_next(&from, &to));
    bi_pool_loop_end();
}

static void loops_run_each_item_once(void)
{
    static const struct {
        long start, end, step, chunk;
    } loops[] = {{0, ITEMS, 1, 1},  {0, ITEMS, 1, 7},       {3, 4, 1, 100},        {5, 5, 1, 1},          {7, 3, 1, 1},
                 {0, ITEMS, 3, 10}, {ITEMS - 1, -1, -1, 4}, {ITEMS - 2, 5, -4, 3}, {ITEMS - 2, 99, -1, 7}};
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++)
        for (unsigned tasks = 1; tasks <= TASKS; tasks += 4) {
            struct counts c;
            memset(&c, 0, sizeof c);
            c.start = loops[k].start, c.end = loops[k].end, c.step = loops[k].step, c.chunk = loops[k].chunk;
            bi_pool_run(count_items, &c, tasks, 0);
            for (long i = c.start; c.step > 0 ? i < c.end : i > c.end; i += c.step)
                if (i >= 0 && i < ITEMS) CHECK_EQ(atomic_exchange(&c.item[i], 0), 1);
            for (long i = 0; i < ITEMS; i++) CHECK_EQ(c.item[i], 0);
        }
}

static void run_inner_region(void *user)
{
    struct counts *c = user, inner;
    memset(&inner, 0, sizeof inner);
    inner.tasks = 1;
    bi_pool_run(count_task, &inner, TASKS, 0);
    if (inner.bad || inner.task[0] != 1) atomic_fetch_add(&c->bad, 1);
    count_task(user); /* the outer region's task again */
}

static void nested_regions_have_one_task(void)
{
    struct counts c;
    memset(&c, 0, sizeof c);
    c.tasks = TASKS;
    bi_pool_run(run_inner_region, &c, TASKS, 0);
    CHECK_EQ(c.bad, 0);
    for (int t = 0; t < TASKS; t++) CHECK_EQ(c.task[t], 1);
}

static void *call_often(void *user)
{
    for (int round = 0; round < 200; round++) {
        struct counts c;
        memset(&c, 0, sizeof c);
        c.tasks = 3;
        bi_pool_run(count_task, &c, 3, 0);
        if (c.bad || c.task[0] != 1 || c.task[1] != 1 || c.task[2] != 1) atomic_fetch_add((_Atomic int *)user, 1);
    }
    return NULL;
}

/* Each thread has a team, whose workers end with it. */
static void several_threads_call(void)
{
    pthread_t threads[8];
    _Atomic int bad = 0;
    for (int t = 0; t < 8; t++) CHECK_EQ(pthread_create(&threads[t], NULL, call_often, &bad), 0);
    for (int t = 0; t < 8; t++) CHECK_EQ(pthread_join(threads[t], NULL), 0);
    CHECK_EQ(bad, 0);
}

static void works_in_a_child(void)
{
    _Atomic int bad = 0;
    call_often(&bad);
    const pid_t child = fork();
    if (child == 0) {
        call_often(&bad);
        _exit(bad != 0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_EQ(status, 0);
    call_often(&bad);
    CHECK_EQ(bad, 0);
}

static int64_t read_microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static void spin_for(int64_t microseconds)
{
    const int64_t begin = read_microseconds();
    while (read_microseconds() - begin < microseconds) {
    }
}

static void *keep_busy(void *stop)
{
    while (!atomic_load((_Atomic int *)stop)) spin_for(100);
    return NULL;
}

static void spin_and_count_items(void *user)
{
    struct counts *c = user;
    long from, to;
    if (bi_pool_loop_start(c->start, c->end, c->step, c->chunk, &from, &to)) do {
            spin_for(300);
            for (long i = from; i < to; i++) atomic_fetch_add(&c->item[i], 1);
        } while (bi_pool_loop_next(&from, &to));
    bi_pool_loop_end();
}

/* Workers that rest join long regions; short regions between them begin and end while a scout sleeps. */
static void busy_machine_runs_each_item_once(void)
{
    pthread_t busy[16];
    _Atomic int stop = 0;
    for (int t = 0; t < 16; t++) CHECK_EQ(pthread_create(&busy[t], NULL, keep_busy, &stop), 0);
    for (int round = 0; round < 30; round++) {
        struct counts c;
        memset(&c, 0, sizeof c);
        c.step = 1;
        c.end = ITEMS;
        c.chunk = round % 3 == 0 ? 10 : ITEMS / 2;
        bi_pool_run(spin_and_count_items, &c, 4, 0);
        for (long i = 0; i < ITEMS; i++) CHECK_EQ(c.item[i], 1);
        if (round == 20) atomic_store(&stop, 1); /* rests outlast the busy threads */
    }
    for (int t = 0; t < 16; t++) CHECK_EQ(pthread_join(busy[t], NULL), 0);
}

#else
static void expects_no_pool(void) { CHECK_EQ(BI_POOL, 0); }
#endif

static const struct suite_case suite_cases_pool[] = {
#if BI_POOL
    {"each task runs once", NULL, runs_each_task_once},
    {"loops run each item once", NULL, loops_run_each_item_once},
    {"nested regions have one task", NULL, nested_regions_have_one_task},
    {"several threads call", NULL, several_threads_call},
    {"works in a child", NULL, works_in_a_child},
    {"a busy machine runs each item once", NULL, busy_machine_runs_each_item_once},
#else
    {"no pool in this build", NULL, expects_no_pool},
#endif
};
SUITE(pool);
