/* Each allocation, copy and launch of tries fails in turn. */
#include "support/faults.h"
#include "cases/trie/trie_data.h"

enum { ROWS = 60, WORDS = 2, QUERIES = 8 };

struct outputs {
    uint64_t keys[2 * ROWS * WORDS], values[2 * ROWS];
    int64_t counts[2 * ROWS], ranks[QUERIES + 1], others[QUERIES + 1];
    int32_t lengths[QUERIES];
};

struct subject {
    struct reference_cells cells;
    bosc_trie_opts opts;
    bosc_trie *trie;
    struct saved saved;
    int which;
    struct outputs out;
};

static void open_trie(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    s->trie = trie_of(ctx, &s->opts, &s->cells);
    s->saved = trie_save(ctx, s->trie);
}

static void close_trie(void *user)
{
    struct subject *s = user;
    bosc_trie_free(s->trie);
    free(s->saved.bytes);
}

static bosc_status read_out(bosc_ctx *ctx, const bosc_trie *trie, struct outputs *o)
{
    bosc_trie_info info = {.size = sizeof info};
    bosc_status status = bosc_trie_get_info(ctx, trie, &info);
    if (status == BOSC_OK) status = bosc_trie_get_keys(ctx, trie, 0, info.keys, o->keys, o->values, o->counts);
    return status;
}

/* Makes a trie, builds it twice, or inserts or erases rows. */
static bosc_status make_and_change(bosc_ctx *ctx, struct subject *s)
{
    bosc_trie *trie = NULL;
    const uint64_t *rows = s->cells.rows;
    int64_t stride = s->cells.stride, n = ROWS, erased;
    bosc_status status = bosc_trie_create(ctx, &s->opts, &trie);
    if (status == BOSC_OK && s->which == 0) status = bosc_trie_reserve(ctx, trie, ROWS);
    if (status == BOSC_OK) status = bosc_trie_build(ctx, trie, rows, NULL, n / 2, stride);
    if (status == BOSC_OK && s->which == 0) status = bosc_trie_build(ctx, trie, rows, NULL, n, stride);
    if (status == BOSC_OK && s->which == 1)
        status = bosc_trie_insert(ctx, trie, rows + n / 4 * stride, NULL, n / 2, stride);
    if (status == BOSC_OK && s->which == 2) status = bosc_trie_erase(ctx, trie, rows, n / 4, stride, &erased);
    if (status == BOSC_OK) status = read_out(ctx, trie, &s->out);
    bosc_trie_free(trie);
    return status;
}

static int count_bytes(void *user, const void *bytes, size_t count)
{
    (void)bytes;
    *(int64_t *)user += (int64_t)count;
    return 0;
}

static bosc_status call(bosc_ctx *ctx, void *user)
{
    /* `which` selects the call that is swept. */
    struct subject *s = user;
    struct outputs *o = &s->out;
    const uint64_t *rows = s->cells.rows;
    int64_t stride = s->cells.stride, written = 0;
    bosc_trie *trie = NULL;
    bosc_status status;
    switch (s->which) {
    case 3: return bosc_trie_find(ctx, s->trie, rows, QUERIES, stride, o->ranks, o->values, NULL);
    case 4: return bosc_trie_prefix(ctx, s->trie, rows, NULL, QUERIES, stride, o->ranks, o->others);
    case 5: return bosc_trie_longest(ctx, s->trie, rows, QUERIES, stride, o->lengths, o->ranks, o->others);
    case 6: return bosc_trie_matches(ctx, s->trie, rows, rows, QUERIES, stride, o->ranks, NULL, 0);
    case 7: return bosc_trie_neighbours(ctx, s->trie, rows, QUERIES, stride, o->ranks, NULL, NULL, 0);
    case 8: return read_out(ctx, s->trie, o);
    case 11: return bosc_trie_pairs(ctx, s->trie, o->counts, (uint32_t *)o->keys, ROWS, o->ranks);
    case 9:
        s->saved.at = 0;
        status = bosc_trie_read(ctx, saved_deliver, &s->saved, &trie);
        if (status == BOSC_OK) status = read_out(ctx, trie, o);
        bosc_trie_free(trie);
        return status;
    case 10:
        status = bosc_trie_write(ctx, s->trie, count_bytes, &written);
        if (status == BOSC_OK) o->counts[0] = written;
        return status;
    default: return make_and_change(ctx, s);
    }
}

static void faults(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    for (int k = 0; k < 24; k++) {
        struct suite_random r = {(uint64_t)k};
        memset(s, 0, sizeof *s);
        s->which = k % 12;
        s->opts = (bosc_trie_opts){.size = sizeof s->opts, .length = 100, .layout = (bosc_trie_layout)(k / 12)};
        s->cells = cells_make(&r, CELLS_WALK, 100, 1, ROWS, 0);
        struct fault_sweep sweep = {.kinds = FAULTS_OF_CALLS | BI_FAULT_WRITE,
                                    .call = call,
                                    .other = s->which == 10 ? BOSC_ERR_IO : BOSC_OK,
                                    .open = open_trie,
                                    .close = close_trie,
                                    .user = s,
                                    .outputs = &s->out,
                                    .output_bytes = sizeof s->out};
        if (!suite_leaves_out()) fault_sweep(ctx, &sweep);
        free(s->cells.rows);
    }
    free(s);
}

static const struct suite_case suite_cases_trie_faults[] = {{"faults", faults, NULL}};
SUITE(trie_faults);
