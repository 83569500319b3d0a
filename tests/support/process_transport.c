#include "support/process_transport.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Bytes of a rank that one step of an exchange moves; in an exchange of all with all, for all ranks together. */
enum { CHUNK = 1 << 20 };

struct process_exchange {
    int count, arrived;
    unsigned round;                        /* barriers passed */
    char chunks[2][PROCESSES_MOST][CHUNK]; /* of even and odd steps: one barrier a step is enough */
};

bool process_transport_open(int count, struct process_end *end)
{
    void *p = mmap(NULL, sizeof *end->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (count < 1 || count > PROCESSES_MOST || p == MAP_FAILED) return false;
    *end = (struct process_end){.shared = p};
    end->shared->count = count;
    return true;
}

void process_transport_close(struct process_end *end) { munmap(end->shared, sizeof *end->shared); }

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Spins until all ranks have called it. False: one did not within the time-out. */
static bool await_all(struct process_exchange *s, double timeout)
{
    const double end = now() + timeout;
    const unsigned round = __atomic_load_n(&s->round, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&s->arrived, 1, __ATOMIC_ACQ_REL) == s->count) {
        s->arrived = 0;
        __atomic_store_n(&s->round, round + 1, __ATOMIC_RELEASE);
        return true;
    }
    for (int64_t poll = 1; __atomic_load_n(&s->round, __ATOMIC_ACQUIRE) == round; poll++) {
        if (poll % 1024 != 0) continue;
        if (now() > end) return false;
        sched_yield();
    }
    return true;
}

static int all_gather(void *user, const void *sent, size_t bytes, void *received, double timeout)
{
    struct process_end *e = user;
    for (size_t at = 0; at < bytes; at += CHUNK) {
        char(*chunks)[CHUNK] = e->shared->chunks[e->steps++ % 2];
        const size_t count = bytes - at < CHUNK ? bytes - at : CHUNK;
        memcpy(chunks[e->own], (const char *)sent + at, count);
        if (!await_all(e->shared, timeout)) return 1;
        for (int r = 0; r < e->shared->count; r++) memcpy((char *)received + (size_t)r * bytes + at, chunks[r], count);
    }
    return 0;
}

/* Bytes of block r that a step moves from `at` on. */
static size_t step_bytes(const int64_t *offsets, int r, int64_t at, int64_t part)
{
    const int64_t left = offsets[r + 1] - offsets[r] - at;
    return (size_t)(left < 0 ? 0 : left < part ? left : part);
}

static int all_to_all(void *user, const void *sent, const int64_t *sent_offsets, void *received,
                      const int64_t *received_offsets, double timeout)
{
    struct process_end *e = user;
    int64_t most = 0, all[PROCESSES_MOST];
    const int count = e->shared->count;
    const int64_t part = CHUNK / count;
    /* 1. Agree on the number of steps. */
    for (int r = 0; r < count; r++)
        if (sent_offsets[r + 1] - sent_offsets[r] > most) most = sent_offsets[r + 1] - sent_offsets[r];
    if (all_gather(e, &most, sizeof most, all, timeout)) return 1;
    for (int r = 0; r < count; r++)
        if (all[r] > most) most = all[r];
    /* 2. Move a part of each block a step. */
    for (int64_t at = 0; at < most; at += part) {
        char(*chunks)[CHUNK] = e->shared->chunks[e->steps++ % 2];
        for (int r = 0; r < count; r++) {
            const size_t bytes = step_bytes(sent_offsets, r, at, part);
            if (bytes) memcpy(chunks[e->own] + r * part, (const char *)sent + sent_offsets[r] + at, bytes);
        }
        if (!await_all(e->shared, timeout)) return 1;
        for (int r = 0; r < count; r++) {
            const size_t bytes = step_bytes(received_offsets, r, at, part);
            if (bytes) memcpy((char *)received + received_offsets[r] + at, chunks[r] + e->own * part, bytes);
        }
    }
    return 0;
}

bosc_comm_transport process_transport(struct process_end *end)
{
    return (bosc_comm_transport){
        .size = sizeof(bosc_comm_transport), .user = end, .all_gather = all_gather, .all_to_all = all_to_all};
}
