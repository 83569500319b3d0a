/* Each allocation, copy and launch of concurrent binary trees fails in turn. */
#include "cases/cbt/cbt_data.h"
#include "support/arrays.h"
#include "support/faults.h"
#include "support/saved.h"

enum { LEAVES = 16, ROOM = 64, WORDS = 256, CALLS = 18 };

struct outputs {
    int64_t numbers[ROOM], bad;
    uint64_t nodes[ROOM], words[WORDS];
};

struct subject {
    bosc_cbt *tree;
    int which, layout;
    uint8_t commands[LEAVES];
    uint64_t bits[64], heap[WORDS];
    struct saved file;
    struct outputs out;
};

static void open_tree(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    s->tree = cbt_make(ctx, 12, 4, 2 + s->layout);
    CHECK_OK(ctx, bosc_cbt_get_heap(ctx, s->tree, s->heap));
    CHECK_OK(ctx, bosc_cbt_write(ctx, s->tree, saved_append, &s->file));
}

static void close_tree(void *user)
{
    struct subject *s = user;
    bosc_cbt_free(s->tree);
    free(s->file.bytes);
    s->file = (struct saved){NULL, 0, 0, 0};
}

/* Reads a saved tree and copies its contents out. */
static bosc_status read_saved(bosc_ctx *ctx, struct subject *s)
{
    bosc_cbt *tree = NULL;
    s->file.at = 0;
    bosc_status status = bosc_cbt_read(ctx, saved_deliver, &s->file, &tree);
    if (status == BOSC_OK) status = bosc_cbt_get_bits(ctx, tree, s->out.words);
    bosc_cbt_free(tree);
    return status;
}

static bosc_cbt_command merge_all(void *user, int64_t leaf, uint64_t node)
{
    (void)user, (void)leaf, (void)node;
    return BOSC_CBT_MERGE;
}

/* All leaves are merged by a function of the caller's, which kernels cannot call: there, a cycle. */
static bosc_status merge(bosc_ctx *ctx, struct subject *s)
{
    bosc_status status = bosc_cbt_reset(ctx, s->tree, 4);
    if (status != BOSC_OK) return status;
    if (has_device_memory(ctx))
        return bosc_cbt_update_and_decode(ctx, s->tree, s->commands, LEAVES, s->out.numbers, s->out.nodes, ROOM);
    status = bosc_cbt_for_each(ctx, s->tree, merge_all, NULL);
    if (status == BOSC_OK) status = bosc_cbt_reduce(ctx, s->tree);
    return status == BOSC_OK ? bosc_cbt_get_bits(ctx, s->tree, s->out.words) : status;
}

/* The tree is replaced or read. */
static bosc_status exchange(bosc_ctx *ctx, struct subject *s)
{
    struct outputs *o = &s->out;
    bosc_cbt_info info = {.size = sizeof info};
    bosc_status status;
    switch (s->which) {
    case 10: status = bosc_cbt_set_bits(ctx, s->tree, s->bits); break;
    case 11: status = bosc_cbt_set_heap(ctx, s->tree, s->heap); break;
    case 12: status = bosc_cbt_recount(ctx, s->tree); break;
    case 13: return read_saved(ctx, s);
    case 14: s->file.size = 0; return bosc_cbt_write(ctx, s->tree, saved_append, &s->file);
    case 15: return bosc_cbt_gather_payload(ctx, (const int64_t *)s->bits, ROOM, s->heap, WORDS, 8, o->nodes);
    case 16:
        status = bosc_cbt_get_info(ctx, s->tree, &info);
        if (status == BOSC_OK) o->bad = info.leaves;
        return status;
    default: return merge(ctx, s);
    }
    return status == BOSC_OK ? bosc_cbt_get_bits(ctx, s->tree, o->words) : status;
}

/* Makes, changes and queries a tree, or makes one call on an open tree. */
static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    struct outputs *o = &s->out;
    bosc_status status;
    switch (s->which) {
    case 0: {
        bosc_cbt *tree = NULL;
        bosc_cbt_opts opts = {
            .size = sizeof opts, .depth = 12, .level = 4, .layout = (bosc_cbt_layout)s->layout, .id_bits = 64};
        uint64_t node = 17;
        status = bosc_cbt_create(ctx, &opts, &tree);
        if (status == BOSC_OK) status = bosc_cbt_split(ctx, tree, &node, 1);
        node = 20;
        if (status == BOSC_OK) status = bosc_cbt_merge(ctx, tree, &node, 1);
        if (status == BOSC_OK) status = bosc_cbt_reduce(ctx, tree);
        if (status == BOSC_OK) status = bosc_cbt_decode(ctx, tree, 0, ROOM, o->nodes);
        bosc_cbt_free(tree);
        return status;
    }
    case 1: return bosc_cbt_decode(ctx, s->tree, 0, ROOM, o->nodes);
    case 2: return bosc_cbt_encode(ctx, s->tree, s->bits, ROOM, o->numbers);
    case 3: return bosc_cbt_heap_read(ctx, s->tree, s->bits, ROOM, o->numbers);
    case 4: return bosc_cbt_get_heap(ctx, s->tree, o->words);
    case 5: return bosc_cbt_validate(ctx, s->bits, 12, &o->bad);
    case 6: return bosc_cbt_repair(ctx, s->bits, 12);
    case 7: return bosc_cbt_decode_at(ctx, s->tree, (const int64_t *)s->bits, ROOM, o->nodes);
    case 8: return bosc_cbt_reserve(ctx, s->tree);
    case 9: /* an update of the tree as it was made */
        status = bosc_cbt_reset(ctx, s->tree, 4);
        if (status == BOSC_OK) status = bosc_cbt_update(ctx, s->tree, s->commands, LEAVES, o->numbers, ROOM);
        return status;
    default: return exchange(ctx, s);
    }
}

static void prepare(void *user)
{
    struct subject *s = user;
    for (int i = 0; i < 64; i++)
        s->bits[i] = s->which == 2 || s->which == 3 || s->which == 15 ? (uint64_t)i
                     : s->which == 7                                  ? 63u - i
                     : s->which == 10                                 ? i % 32 == 0 /* two leaves */
                                                                      : 5;
}

static void faults(bosc_ctx *ctx)
{
    struct subject *s = suite_alloc(sizeof *s);
    for (int kind = 0; kind < 2 * CALLS; kind++) {
        memset(s, 0, sizeof *s);
        s->which = kind % CALLS;
        s->layout = kind / CALLS;
        for (int l = 0; l < LEAVES; l++) s->commands[l] = (uint8_t)(l % 4 == 1 ? 1 : l % 4 == 2 ? 2 : l / 12 * 2);
        struct fault_sweep sweep = {.call = call,
                                    .open = open_tree,
                                    .close = close_tree,
                                    .prepare = prepare,
                                    .user = s,
                                    .outputs = &s->out,
                                    .output_bytes = sizeof s->out,
                                    .may_pass_none = s->which == 14 || s->which == 16};
        if (!suite_leaves_out()) fault_sweep(ctx, &sweep);
    }
    free(s);
}

/* An update whose last launch failed is carried out by the next reduction, from the same commands. */
static void failed_update_resumes(bosc_ctx *ctx)
{
#ifdef BOSC_FAULTS
    uint8_t commands[LEAVES];
    for (int layout = 0; layout < 2; layout++) {
        for (int64_t k = 0; k < 64; k++) {
            bosc_cbt *tree = cbt_make(ctx, 12, 4, layout);
            struct reference_cbt t = reference_cbt_level(12, 4);
            uint32_t list[] = {17, 18, 20, 23, 26}, first = 17;
            memset(commands, 0, sizeof commands);
            commands[1] = commands[2] = 1;
            commands[4] = commands[7] = commands[10] = 2;
            CHECK_OK(ctx, bosc_cbt_split(ctx, tree, list, 2));
            CHECK_OK(ctx, bosc_cbt_merge(ctx, tree, list + 2, 3));
            CHECK_OK(ctx, bosc_cbt_merge(ctx, tree, &first, 1)); /* it is to be split */
            bi_fault_arm(FAULTS_OF_CALLS, k, false);
            bosc_status status = bosc_cbt_reduce(ctx, tree);
            int64_t passed = bi_fault_passages();
            bi_fault_disarm();
            if (status != BOSC_OK) CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
            reference_cbt_update(&t, commands, NULL);
            cbt_check(ctx, tree, &t);
            reference_cbt_free(&t);
            bosc_cbt_free(tree);
            if (passed <= k) break;
        }
    }
#else
    (void)ctx;
#endif
}

/* An update without memory leaves the caller's sources as they were, whichever allocation fails. */
static void sources_without_memory(bosc_ctx *like)
{
#ifdef BOSC_FAULTS
    const bosc_ctx_opts opts = suite_opts_like(like);
    const uint8_t commands[LEAVES] = {BOSC_CBT_SPLIT};
    for (int layout = 0; layout < 2; layout++) {
        bool met = true;
        for (int64_t k = 0; met; k++) {
            bosc_ctx *ctx = suite_open(&opts);
            bosc_cbt *tree = cbt_make(ctx, 12, 4, layout);
            int64_t sources[ROOM], untouched[ROOM];
            memset(sources, FAULT_PATTERN, sizeof sources);
            memset(untouched, FAULT_PATTERN, sizeof untouched);
            bi_fault_arm(BI_FAULT_ALLOC, k, false);
            bosc_status status = bosc_cbt_update(ctx, tree, commands, LEAVES, sources, ROOM);
            met = bi_fault_passages() > k;
            bi_fault_disarm();
            CHECK_EQ(status, met ? BOSC_ERR_NOMEM : BOSC_OK);
            CHECK_EQ(memcmp(sources, untouched, sizeof sources) == 0, met);
            bosc_cbt_free(tree);
            bosc_ctx_free(ctx);
        }
    }
#else
    (void)like;
#endif
}

static const struct suite_case suite_cases_cbt_faults[] = {{"faults", faults, NULL},
                                                           {"taken_up_again", failed_update_resumes, NULL},
                                                           {"sources_without_memory", sources_without_memory, NULL}};
SUITE(cbt_faults);
