/* Communicators: agreement, exchanges, and ranks that fail, leave or do not come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comm/comm.h"
#include "support/counted.h"
#include "support/ranks.h"

static const int32_t sizes[] = {1, 2, 3, 4, 8};
#define EACH_SIZE(i) for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)

/* ---- agreement ---- */

static void agree(struct rank *r)
{
    const int32_t failing = *(const int32_t *)r->user;
    for (int round = 0; round < 3; round++) {
        CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
        bosc_status local_status = BOSC_OK;
        if (r->rank >= failing && failing >= 0)
            local_status =
                bi_fail(r->ctx, r->rank == failing ? BOSC_ERR_DATA : BOSC_ERR_ARG, "points: row %d", (int)r->rank);
        bosc_status all = bi_comm_agree(r->ctx, r->comm, local_status);
        CHECK_EQ(all, failing < 0 || failing >= r->rank_count ? BOSC_OK : BOSC_ERR_DATA);
        if (all == BOSC_OK) continue;
        char expected[64];
        snprintf(expected, sizeof expected, r->rank == failing ? "points: row %d" : "rank %d: points: row %d",
                 (int)failing, (int)failing);
        CHECK(strcmp(bosc_ctx_message(r->ctx), expected) == 0);
    }
}

static void same(struct rank *r)
{
    const int32_t other = *(const int32_t *)r->user;
    CHECK_OK(r->ctx, bi_comm_check_equal(r->ctx, r->comm, BOSC_OK, "k", 4));
    bosc_status all = bi_comm_check_equal(r->ctx, r->comm, BOSC_OK, "k", r->rank == other ? 3 : 4);
    CHECK_EQ(all, r->rank_count > 1 && other < r->rank_count ? BOSC_ERR_ARG : BOSC_OK);
    if (all != BOSC_OK)
        CHECK(strstr(bosc_ctx_message(r->ctx), other ? "k: 3 is not the 4 of" : "k: 4 is not the 3 of"));
}

static void case_agree(bosc_ctx *ctx)
{
    EACH_SIZE(i)
    for (int32_t failing = -1; failing < sizes[i]; failing++) ranks_run(ctx, sizes[i], 0, agree, &failing);
    EACH_SIZE(i)
    for (int32_t other = 0; other < 3; other++) ranks_run(ctx, sizes[i], 0, same, &other);
}

/* ---- sums and offsets ---- */

static void sums(struct rank *r)
{
    static const int64_t lengths[] = {0, 1, 7, 1000, 70001};
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        const int64_t n = lengths[l];
        int64_t *values = suite_alloc((size_t)n * sizeof *values);
        for (int64_t i = 0; i < n; i++) values[i] = i * (r->rank + 1) - 5;
        CHECK_OK(r->ctx, bi_comm_sum(r->ctx, r->comm, BOSC_OK, values, n));
        const int64_t ranks = r->rank_count, factors = ranks * (ranks + 1) / 2;
        for (int64_t i = 0; i < n; i++) CHECK_EQ(values[i], i * factors - 5 * ranks);
        free(values);
    }
    int64_t before, total;
    CHECK_OK(r->ctx, bi_comm_offset(r->ctx, r->comm, BOSC_OK, 10 * r->rank, &before, &total));
    CHECK_EQ(before, 5 * (int64_t)r->rank * (r->rank - 1));
    CHECK_EQ(total, 5 * (int64_t)r->rank_count * (r->rank_count - 1));
}

static void case_sums(bosc_ctx *ctx) { EACH_SIZE(i) ranks_run(ctx, sizes[i], 0, sums, NULL); }

/* ---- exchanges ---- */

/* Number of items that rank a has for rank b. */
static int64_t count_of(uint64_t seed, int32_t a, int32_t b)
{
    struct suite_random r = {seed + (uint64_t)a * 64 + (uint64_t)b};
    return suite_below(&r, 3) == 0 ? 0 : (int64_t)suite_below(&r, 300);
}

static uint64_t item_of(int32_t from, int32_t to, int64_t i)
{
    return (uint64_t)from << 48 | (uint64_t)to << 32 | (uint64_t)i;
}

static void *on_backend(bosc_ctx *ctx, const void *host, size_t bytes)
{
    void *memory = NULL;
    CHECK_OK(ctx, bosc_ctx_alloc(ctx, bytes, &memory));
    if (host) CHECK_OK(ctx, bosc_ctx_copy(ctx, memory, host, bytes));
    return memory;
}

static void check_received(const struct rank *r, uint64_t seed, const struct bi_exchange *x, const uint64_t *received)
{
    int64_t at = 0;
    for (int32_t from = 0; from < r->rank_count; from++) {
        CHECK_EQ(x->received_offsets[from], at);
        for (int64_t i = 0; i < count_of(seed, from, r->rank); i++) CHECK(received[at++] == item_of(from, r->rank, i));
    }
    CHECK_EQ(x->received, at);
}

static int64_t bytes_sent(const struct rank *r)
{
    bosc_comm_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_comm_get_info(r->ctx, r->comm, &info));
    return info.bytes;
}

/* Bytes that stay on the rank do not count as sent: items of 8 bytes and of 4 differ by half of the others. */
static void check_bytes(const struct rank *r, const struct bi_exchange *x, int64_t others, const void *from, void *to)
{
    int64_t bytes[3] = {bytes_sent(r)};
    CHECK_OK(r->ctx, bi_exchange_items(r->ctx, r->comm, BOSC_OK, x, 4, from, to));
    bytes[1] = bytes_sent(r);
    CHECK_OK(r->ctx, bi_exchange_items(r->ctx, r->comm, BOSC_OK, x, 8, from, to));
    bytes[2] = bytes_sent(r);
    CHECK_EQ(bytes[2] - bytes[1], bytes[1] - bytes[0] + 4 * others);
    if (r->rank_count == 1) CHECK_EQ(bytes[2], 0);
}

static void exchange(struct rank *r)
{
    const uint64_t seed = *(const uint64_t *)r->user;
    int64_t counts[64], sent = 0;
    for (int32_t to = 0; to < r->rank_count; to++) sent += counts[to] = count_of(seed, r->rank, to);
    const size_t bytes = (size_t)sent * 8;
    uint64_t *items = suite_alloc(bytes), *answers = suite_alloc(bytes), *at = items;
    for (int32_t to = 0; to < r->rank_count; to++)
        for (int64_t i = 0; i < counts[to]; i++) *at++ = item_of(r->rank, to, i);
    struct bi_exchange x;
    CHECK_OK(r->ctx, bi_exchange_begin(r->ctx, r->comm, BOSC_OK, counts, &x));
    const size_t received_bytes = (size_t)x.received * 8;
    void *from = on_backend(r->ctx, items, bytes), *to = on_backend(r->ctx, NULL, received_bytes),
         *back = on_backend(r->ctx, NULL, bytes);
    uint64_t *received = suite_alloc(received_bytes);
    CHECK_OK(r->ctx, bi_exchange_items(r->ctx, r->comm, BOSC_OK, &x, 8, from, to));
    CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, received, to, received_bytes));
    check_received(r, seed, &x, received);
    check_bytes(r, &x, sent - counts[r->rank], from, to);
    CHECK_OK(r->ctx, bi_exchange_replies(r->ctx, r->comm, BOSC_OK, &x, 8, to, back));
    CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, answers, back, bytes));
    CHECK(memcmp(answers, items, bytes) == 0);
    /* One rank that has no memory for the items is all ranks' failure, and the next exchange goes well. */
    const bosc_status local_status = r->rank == r->rank_count - 1 ? bi_fail(r->ctx, BOSC_ERR_NOMEM, "none") : BOSC_OK;
    CHECK_STATUS(r->ctx, bi_exchange_items(r->ctx, r->comm, local_status, &x, 8, from, to), BOSC_ERR_NOMEM);
    CHECK_OK(r->ctx, bi_exchange_items(r->ctx, r->comm, BOSC_OK, &x, 8, from, to));
    bi_exchange_end(r->ctx, &x);
    bosc_ctx_release(r->ctx, from, bytes);
    bosc_ctx_release(r->ctx, to, received_bytes);
    bosc_ctx_release(r->ctx, back, bytes);
    free(items);
    free(answers);
    free(received);
}

static void case_exchange(bosc_ctx *ctx)
{
    EACH_SIZE(i)
    for (uint64_t seed = 1; seed < 4; seed++) ranks_run(ctx, sizes[i], 0, exchange, &seed);
}

/* ---- windows ---- */

struct window_trial {
    uint64_t seed;
    bool hooked; /* rank 0 has an allocator of the caller's, whose memory may be beyond the reach of other devices */
};

/* Moves this rank's items between `items`, in sending order, and the windows' blocks. */
static void move_items(const struct rank *r, const struct bi_exchange *x, const struct bi_window *w, char *items,
                       bool to_blocks)
{
    for (int32_t to = 0; to < r->rank_count; to++) {
        const size_t bytes = (size_t)(x->sent_offsets[to + 1] - x->sent_offsets[to]) * w->item_size;
        if (bytes == 0) continue;
        char *own = items + (size_t)x->sent_offsets[to] * w->item_size;
        CHECK_OK(r->ctx, r->ctx->backend->copy(r->ctx, to_blocks ? w->blocks[to] : own, to_blocks ? own : w->blocks[to],
                                               bytes));
    }
}

static void fill(const struct rank *r, void *memory, int byte, size_t bytes)
{
    if (bytes) CHECK_OK(r->ctx, r->ctx->backend->fill(r->ctx, memory, byte, bytes));
}

/* Writes the items for this rank back to their senders. */
static void answer_windows(struct rank *r, const struct bi_exchange *x, char *sent, char *back)
{
    struct bi_windows windows = {.access = BI_WINDOW_ANSWER,
                                 .count = 2,
                                 .of = {{.item_size = 8, .items = sent}, {.item_size = 8, .items = back}}};
    bosc_status local_status = BOSC_OK;
    CHECK_OK(r->ctx, bi_exchange_open_windows(r->ctx, r->comm, &local_status, x, &windows));
    CHECK_OK(r->ctx, local_status);
    for (int32_t from = 0; from < r->rank_count; from++) {
        const int64_t count = x->received_offsets[from + 1] - x->received_offsets[from];
        if (count)
            CHECK_OK(r->ctx, r->ctx->backend->copy(r->ctx, windows.of[1].blocks[from], windows.of[0].blocks[from],
                                                   (size_t)count * 8));
    }
    CHECK_OK(r->ctx, bi_exchange_close_windows(r->ctx, r->comm, BOSC_OK, x, &windows));
}

/* Writes the items to the owners' arrays, and reads them back. Work
 * that a rank queues before it opens or after it closes its windows is not mixed with that of the others. */
static void access_windows(struct rank *r, const struct bi_exchange *x, const struct window_trial *trial, char *sent,
                           char *received, char *back)
{
    const bool is_shared =
        r->comm->sharing >= BI_SHARES_ADDRESSES && !(trial->hooked && r->ctx->memory.backend != r->ctx->host.backend);
    const size_t sent_bytes = (size_t)x->sent * 8, received_bytes = (size_t)x->received * 8;
    uint64_t *host = suite_alloc(received_bytes), *answers = suite_alloc(sent_bytes), *items = suite_alloc(sent_bytes);
    struct bi_windows windows = {.access = BI_WINDOW_WRITE, .count = 1, .of = {{.item_size = 8, .items = received}}};
    bosc_status local_status = BOSC_OK;
    /* 1. Write. The ranks fill their arrays first. */
    fill(r, received, 0x5a, received_bytes);
    CHECK_OK(r->ctx, bi_exchange_open_windows(r->ctx, r->comm, &local_status, x, &windows));
    CHECK_OK(r->ctx, local_status);
    CHECK_EQ(windows.are_shared, is_shared);
    move_items(r, x, &windows.of[0], sent, true);
    CHECK_OK(r->ctx, bi_exchange_close_windows(r->ctx, r->comm, BOSC_OK, x, &windows));
    CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, host, received, received_bytes));
    check_received(r, trial->seed, x, host);
    /* 2. Read. The ranks clear their arrays afterwards, some of them before others read. */
    windows.access = BI_WINDOW_READ;
    CHECK_OK(r->ctx, bi_exchange_open_windows(r->ctx, r->comm, &local_status, x, &windows));
    CHECK_OK(r->ctx, local_status);
    move_items(r, x, &windows.of[0], back, false);
    CHECK_OK(r->ctx, bi_exchange_close_windows(r->ctx, r->comm, BOSC_OK, x, &windows));
    fill(r, received, 0, received_bytes);
    if (r->rank % 2) CHECK_OK(r->ctx, bosc_ctx_sync(r->ctx));
    CHECK_OK(r->ctx, bi_comm_agree(r->ctx, r->comm, BOSC_OK));
    CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, answers, back, sent_bytes));
    CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, items, sent, sent_bytes));
    CHECK(memcmp(answers, items, sent_bytes) == 0);
    /* 3. Read from the arrays of sent items. */
    windows.access = BI_WINDOW_READ_SENT;
    windows.of[0].items = sent;
    CHECK_OK(r->ctx, bi_exchange_open_windows(r->ctx, r->comm, &local_status, x, &windows));
    CHECK_OK(r->ctx, local_status);
    for (int32_t from = 0; from < r->rank_count; from++) {
        const int64_t count = x->received_offsets[from + 1] - x->received_offsets[from];
        if (count)
            CHECK_OK(r->ctx, r->ctx->backend->copy(r->ctx, received + 8 * x->received_offsets[from],
                                                   windows.of[0].blocks[from], (size_t)count * 8));
    }
    CHECK_OK(r->ctx, bi_exchange_close_windows(r->ctx, r->comm, BOSC_OK, x, &windows));
    CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, host, received, received_bytes));
    check_received(r, trial->seed, x, host);
    /* 4. Answer each item with itself. */
    fill(r, back, 0x5a, sent_bytes);
    answer_windows(r, x, sent, back);
    CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, answers, back, sent_bytes));
    CHECK(memcmp(answers, items, sent_bytes) == 0);
    free(host);
    free(answers);
    free(items);
}

/* A failure of one rank is all ranks' when windows open or close, or later if it was deferred. */
static void fail_windows(struct rank *r, const struct bi_exchange *x, char *received)
{
    const bool fails = r->rank == r->rank_count - 1;
    struct bi_windows windows = {.access = BI_WINDOW_WRITE, .count = 1, .of = {{.item_size = 8, .items = received}}};
    bosc_status local_status = fails ? bi_fail(r->ctx, BOSC_ERR_NOMEM, "none") : BOSC_OK;
    CHECK_STATUS(r->ctx, bi_exchange_open_windows(r->ctx, r->comm, &local_status, x, &windows), BOSC_ERR_NOMEM);
    local_status = BOSC_OK;
    CHECK_OK(r->ctx, bi_exchange_open_windows(r->ctx, r->comm, &local_status, x, &windows));
    local_status = fails ? bi_fail(r->ctx, BOSC_ERR_DEVICE, "broken") : BOSC_OK;
    CHECK_STATUS(r->ctx, bi_exchange_close_windows(r->ctx, r->comm, local_status, x, &windows), BOSC_ERR_DEVICE);
    CHECK_OK(r->ctx, bi_comm_agree(r->ctx, r->comm, BOSC_OK));
    if (fails) bi_comm_defer(r->ctx, r->comm, bi_fail(r->ctx, BOSC_ERR_DEVICE, "late"));
    CHECK_STATUS(r->ctx, bosc_comm_barrier(r->ctx, r->comm), BOSC_ERR_DEVICE); /* a call: it clears the message */
    CHECK(strstr(bosc_ctx_message(r->ctx), "late"));
    CHECK_OK(r->ctx, bi_comm_agree(r->ctx, r->comm, BOSC_OK));
}

static void use_windows(struct rank *r, const struct window_trial *trial)
{
    const uint64_t seed = trial->seed;
    int64_t counts[64], sent = 0;
    struct bi_exchange x;
    const struct bi_mark mark = bi_arena_mark(r->ctx); /* of copies */
    for (int32_t to = 0; to < r->rank_count; to++) sent += counts[to] = count_of(seed, r->rank, to);
    uint64_t *items = suite_alloc((size_t)sent * 8), *at = items;
    for (int32_t to = 0; to < r->rank_count; to++)
        for (int64_t i = 0; i < counts[to]; i++) *at++ = item_of(r->rank, to, i);
    CHECK_OK(r->ctx, bi_exchange_begin(r->ctx, r->comm, BOSC_OK, counts, &x));
    const size_t bytes = (size_t)sent * 8, received_bytes = (size_t)x.received * 8;
    const int64_t before = bytes_sent(r);
    char *from = on_backend(r->ctx, items, bytes), *to = on_backend(r->ctx, NULL, received_bytes),
         *back = on_backend(r->ctx, NULL, bytes);
    access_windows(r, &x, trial, from, to, back);
    if (r->rank_count == 1) CHECK_EQ(bytes_sent(r), before);
    fail_windows(r, &x, to);
    bi_exchange_end(r->ctx, &x);
    bi_arena_rewind(r->ctx, mark);
    bosc_ctx_release(r->ctx, from, bytes);
    bosc_ctx_release(r->ctx, to, received_bytes);
    bosc_ctx_release(r->ctx, back, bytes);
    free(items);
}

static void windows(struct rank *r)
{
    const struct window_trial *trial = r->user;
    struct counted *c = suite_alloc(sizeof *c);
    bosc_ctx *own = r->ctx;
    const bool hooked = trial->hooked && r->rank == 0;
    if (hooked) counted_open(c, own, 0);
    if (hooked) r->ctx = c->ctx;
    use_windows(r, trial);
    r->ctx = own;
    if (hooked) counted_close(c);
    free(c);
}

static void case_windows(bosc_ctx *ctx)
{
    EACH_SIZE(i)
    for (uint64_t seed = 1; seed < 5; seed++) {
        struct window_trial trial = {seed, seed == 4};
        ranks_run(ctx, sizes[i], 0, windows, &trial);
    }
}

/* ---- lost ranks ---- */

struct loss {
    bool leaves;         /* rank 1 frees its end; or it comes only when the others have given up */
    _Atomic int gave_up; /* ranks */
};

static void check_lost(struct rank *r)
{
    bosc_comm_info info = {.size = sizeof info};
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(r->ctx, bosc_comm_barrier(r->ctx, r->comm), BOSC_ERR_COMM);
        CHECK(suite_begins(bosc_ctx_message(r->ctx), "comm: "));
    }
    CHECK_OK(r->ctx, bosc_comm_get_info(r->ctx, r->comm, &info));
    CHECK_EQ(info.broken, 1);
}

static void lose(struct rank *r)
{
    struct loss *loss = r->user;
    if (r->rank == 1 && loss->leaves) {
        bosc_comm_free(r->comm);
        r->comm = NULL;
        return;
    }
    const struct timespec short_time = {.tv_nsec = 1000000};
    while (r->rank == 1 && loss->gave_up < r->rank_count - 1) nanosleep(&short_time, NULL);
    check_lost(r);
    loss->gave_up++;
}

/* Rank 1 leaves while the windows are open. */
static void lose_window(struct rank *r)
{
    int64_t counts[4] = {1, 1, 1, 1};
    struct bi_exchange x;
    bosc_status local_status = BOSC_OK;
    CHECK_OK(r->ctx, bi_exchange_begin(r->ctx, r->comm, BOSC_OK, counts, &x));
    char *memory = on_backend(r->ctx, NULL, 4 * 8);
    struct bi_windows windows = {.access = BI_WINDOW_WRITE, .count = 1, .of = {{.item_size = 8, .items = memory}}};
    CHECK_OK(r->ctx, bi_exchange_open_windows(r->ctx, r->comm, &local_status, &x, &windows));
    if (r->rank == 1) {
        bosc_comm_free(r->comm);
        r->comm = NULL;
    } else {
        CHECK_STATUS(r->ctx, bi_exchange_close_windows(r->ctx, r->comm, BOSC_OK, &x, &windows), BOSC_ERR_COMM);
        check_lost(r);
    }
    bi_exchange_end(r->ctx, &x);
    bosc_ctx_release(r->ctx, memory, 4 * 8);
}

static void case_lost(bosc_ctx *ctx)
{
    if (!ranks_share_memory()) return; /* where ranks are processes they are lost otherwise */
    for (int32_t ranks = 2; ranks <= 4; ranks++) {
        struct loss leaves = {.leaves = true}, late = {.leaves = false};
        ranks_run(ctx, ranks, ranks_notice_leaving(ctx) ? 0 : 0.3, lose, &leaves);
        ranks_run(ctx, ranks, 0.05, lose, &late);
        ranks_run(ctx, ranks, ranks_notice_leaving(ctx) ? 0 : 0.3, lose_window, NULL);
    }
}

/* ---- a transport of the caller's ---- */

/* A transport of one rank, which can be made to fail. */
struct lonely {
    int calls, released;
    bool fails;
};

static int lonely_all_gather(void *user, const void *sent, size_t bytes, void *received, double timeout)
{
    struct lonely *l = user;
    l->calls++;
    CHECK(timeout == 7);
    memcpy(received, sent, bytes);
    return l->fails ? 5 : 0;
}

static int lonely_all_to_all(void *user, const void *sent, const int64_t *sent_offsets, void *received,
                             const int64_t *received_offsets, double timeout)
{
    struct lonely *l = user;
    l->calls++;
    CHECK(timeout == 7);
    CHECK_EQ(sent_offsets[1], received_offsets[1]);
    if (sent_offsets[1]) memcpy(received, sent, (size_t)sent_offsets[1]);
    return l->fails ? 5 : 0;
}

static void lonely_release(void *user) { ((struct lonely *)user)->released++; }

static void case_transport(bosc_ctx *ctx)
{
    struct lonely l = {0};
    const bosc_comm_transport transport = {sizeof transport, &l, lonely_all_gather, lonely_all_to_all, lonely_release};
    const bosc_comm_opts opts = {.size = sizeof opts, .timeout = 7};
    struct rank r = {.ctx = ctx, .rank_count = 1};
    uint64_t seed = 1;
    const struct window_trial trial = {.seed = 1};
    CHECK_OK(ctx, bosc_comm_create(ctx, &transport, 0, 1, &opts, &r.comm));
    r.user = &seed;
    exchange(&r);
    use_windows(&r, &trial);
    sums(&r);
    bosc_comm_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_comm_get_info(ctx, r.comm, &info));
    CHECK_EQ(info.exchanges, l.calls);
    CHECK_EQ(info.broken, 0);
    l.fails = true;
    CHECK_STATUS(ctx, bosc_comm_barrier(ctx, r.comm), BOSC_ERR_COMM);
    const int calls = l.calls;
    CHECK_STATUS(ctx, bosc_comm_barrier(ctx, r.comm), BOSC_ERR_COMM);
    CHECK_EQ(l.calls, calls);
    bosc_comm_free(r.comm);
    CHECK_EQ(l.released, 1);
}

/* ---- backends ---- */

/* An exchange between a context of the CPU and those of a device is refused on all ranks. */
static void mix(struct rank *r)
{
    static const int64_t offsets[] = {0, 8, 16, 24};
    const bosc_ctx_opts cpu = {.size = sizeof cpu, .backend = BOSC_BACKEND_CPU, .threads = 1};
    const struct bi_transport *transport = r->comm->transport;
    if (transport->find_sharing || !transport->publish_queued) return; /* no threads: nothing to refuse */
    const bool is_host = r->rank == *(const int32_t *)r->user;
    bosc_ctx *host = suite_open(&cpu), *ctx = is_host ? host : r->ctx;
    void *sent = on_backend(ctx, offsets, 24), *received = on_backend(ctx, NULL, 24);
    for (int round = 0; round < 3; round++) {
        CHECK_STATUS(ctx, bi_comm_all_to_all(ctx, r->comm, false, sent, offsets, received, offsets), BOSC_ERR_ARG);
        CHECK(strstr(bosc_ctx_message(ctx), "different backends"));
    }
    bosc_ctx_release(ctx, sent, 24);
    bosc_ctx_release(ctx, received, 24);
    bosc_ctx_free(host);
}

static void case_mixed(bosc_ctx *ctx)
{
    if (suite_opts_like(ctx).backend != BOSC_BACKEND_CUDA) return;
    for (int32_t host = 0; host < 3; host++) ranks_run(ctx, 3, 0, mix, &host);
}

static const struct suite_case suite_cases_comm[] = {
    {"agree", case_agree, NULL},     {"sums", case_sums, NULL}, {"exchange", case_exchange, NULL},
    {"windows", case_windows, NULL}, {"lost", case_lost, NULL}, {"transport", case_transport, NULL},
    {"mixed", case_mixed, NULL},
};
SUITE(comm);
