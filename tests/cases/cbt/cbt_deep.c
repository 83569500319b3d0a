/* Sparse trees of great depths, up to the greatest: a few paths down to the deepest level, random leaves beside them,
 * saved and read back. BOSC_TEST_DEPTH (up to 36) sets the depth. A tree with commands takes 0.44 2^depth bytes;
 * reading it back takes twice as many more. */
#include "cases/cbt/cbt_data.h"
#include "support/saved.h"

enum { TARGETS = 5, PAGE = 4096, BEYOND = 3 };

/* Bytes of a file, most of them 0: only the other pages are stored. */
struct pages {
    struct page {
        size_t number;
        unsigned char bytes[PAGE];
    } * pages;
    size_t count, room, size, at;
};

static struct page *page_of(struct pages *f, size_t number)
{
    if (f->count && f->pages[f->count - 1].number == number) return &f->pages[f->count - 1];
    if (f->count == f->room) {
        f->room = 2 * f->room + 16;
        f->pages = realloc(f->pages, f->room * sizeof *f->pages);
        if (!f->pages) abort();
    }
    f->pages[f->count] = (struct page){.number = number};
    return &f->pages[f->count++];
}

static bool all_zero(const unsigned char *bytes, size_t n)
{
    return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0);
}

static int append_pages(void *user, const void *bytes, size_t count)
{
    struct pages *f = user;
    const unsigned char *from = bytes;
    while (count) {
        size_t into = f->size % PAGE, n = PAGE - into < count ? PAGE - into : count;
        if (!all_zero(from, n)) memcpy(page_of(f, f->size / PAGE)->bytes + into, from, n);
        f->size += n;
        from += n;
        count -= n;
    }
    return 0;
}

static int deliver_pages(void *user, void *bytes, size_t count)
{
    struct pages *f = user;
    size_t low = 0, high = f->count, end = f->at + count;
    if (end > f->size) return 1;
    memset(bytes, 0, count);
    while (low < high) { /* the first page that ends beyond here */
        size_t middle = (low + high) / 2;
        if ((f->pages[middle].number + 1) * PAGE > f->at)
            high = middle;
        else
            low = middle + 1;
    }
    for (; low < f->count && f->pages[low].number * PAGE < end; low++) {
        size_t begin = f->pages[low].number * PAGE, from = begin > f->at ? begin : f->at;
        size_t to = begin + PAGE < end ? begin + PAGE : end;
        memcpy((unsigned char *)bytes + (from - f->at), f->pages[low].bytes + (from - begin), to - from);
    }
    f->at = end;
    return 0;
}

static bool same_pages(const struct pages *a, const struct pages *b)
{
    if (a->size != b->size || a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->pages[i].number != b->pages[i].number || memcmp(a->pages[i].bytes, b->pages[i].bytes, PAGE) != 0)
            return false;
    return true;
}

/* The field, as the saved form has it from byte 64 on, has these leaves and no others. */
static void check_field(const struct reference_cbt *t, const struct pages *f)
{
    size_t ones = 0;
    for (size_t i = 0; i < f->count; i++)
        for (size_t k = 0; k < PAGE; k++) {
            size_t byte = f->pages[i].number * PAGE + k;
            if (byte >= 64 && byte < f->size - 8) ones += (size_t)__builtin_popcount(f->pages[i].bytes[k]);
        }
    CHECK_EQ(ones, t->n);
    struct pages g = *f;
    for (int64_t l = 0; l < t->n; l++) {
        unsigned char byte;
        uint64_t place = bosc_cbt_first_bit(t->nodes[l], t->depth);
        g.at = 64 + (size_t)(place / 8);
        CHECK(deliver_pages(&g, &byte, 1) == 0);
        CHECK(byte >> place % 8 & 1);
    }
}

/* All leaves, in one piece and one by one; their numbers; and what the heap holds on the way to some of them. */
static void check_tree(bosc_ctx *ctx, const bosc_cbt *tree, const struct reference_cbt *t)
{
    int32_t id_bits = cbt_id_bits(ctx, tree);
    int64_t n = t->n, *numbers = suite_alloc((size_t)(n + BEYOND) * 8);
    uint64_t *nodes = suite_alloc((size_t)(n + BEYOND) * 8);
    CHECK_EQ(cbt_leaves(ctx, tree), n);
    CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, 0, n + BEYOND, nodes));
    for (int64_t l = 0; l < n + BEYOND; l++) CHECK_EQ(cbt_node(nodes, id_bits, l), l < n ? t->nodes[l] : 0);
    CHECK_OK(ctx, bosc_cbt_encode(ctx, tree, nodes, n + BEYOND, numbers));
    for (int64_t l = 0; l < n + BEYOND; l++) CHECK_EQ(numbers[l], l < n ? l : -1);
    CHECK_OK(ctx, bosc_cbt_decode_at(ctx, tree, numbers, n + BEYOND, nodes));
    for (int64_t l = 0; l < n + BEYOND; l++) CHECK_EQ(cbt_node(nodes, id_bits, l), l < n ? t->nodes[l] : 0);
    for (int64_t l = 0; l < n; l += 1 + n / 9) {
        int32_t level = reference_cbt_node_level(t->nodes[l]);
        uint64_t path[BOSC_CBT_MAX_DEPTH + 1];
        for (int32_t up = 0; up <= level; up++) path[up] = t->nodes[l] >> up;
        void *queried = cbt_nodes(path, level + 1, id_bits);
        CHECK_OK(ctx, bosc_cbt_heap_read(ctx, tree, queried, level + 1, numbers));
        for (int32_t up = 0; up <= level; up++) CHECK_EQ(numbers[up], reference_cbt_heap(t, path[up]));
        free(queried);
    }
    free(numbers);
    free(nodes);
}

static void check_saved(bosc_ctx *ctx, const bosc_cbt *tree, const struct reference_cbt *t)
{
    struct pages f = {0}, g = {0};
    bosc_cbt *back = NULL;
    CHECK_OK(ctx, bosc_cbt_write(ctx, tree, append_pages, &f));
    CHECK_EQ(f.size, 72 + ((uint64_t)1 << (t->depth - 3)));
    check_field(t, &f);
    CHECK_OK(ctx, bosc_cbt_read(ctx, deliver_pages, &f, &back));
    CHECK_EQ(f.at, f.size);
    check_tree(ctx, back, t);
    CHECK_OK(ctx, bosc_cbt_write(ctx, back, append_pages, &g));
    CHECK(same_pages(&f, &g));
    bosc_cbt_free(back);
    free(f.pages);
    free(g.pages);
}

/* Splits where a path goes on; beside that, now and then, a split or a merge. */
static void draw(struct suite_random *r, const struct reference_cbt *t, const uint64_t *targets, uint8_t *commands)
{
    int32_t depth = t->depth;
    for (int64_t l = 0; l < t->n; l++) {
        int32_t level = reference_cbt_node_level(t->nodes[l]);
        uint64_t x = suite_below(r, 40), from = bosc_cbt_first_bit(t->nodes[l], depth);
        commands[l] = (uint8_t)(x < 2 ? 1 : x < 6 ? 2 : 0);
        for (int k = 0; k < TARGETS; k++)
            if (level < depth && targets[k] >= from && targets[k] - from < (uint64_t)1 << (depth - level))
                commands[l] = 1;
    }
}

/* Down to the deepest level, by commands for leaves and by commands for nodes in turn; then some rounds more, and the
 * deepest leaves are merged. */
static void grow(bosc_ctx *ctx, int32_t depth, int which)
{
    struct suite_random r = {(uint64_t)depth};
    bosc_cbt *tree = cbt_make(ctx, depth, 0, which);
    struct reference_cbt t = reference_cbt_level(depth, 0);
    int32_t id_bits = cbt_id_bits(ctx, tree);
    uint64_t targets[TARGETS] = {0, ((uint64_t)1 << depth) - 1};
    for (int k = 2; k < TARGETS; k++) targets[k] = suite_below(&r, (uint64_t)1 << depth);
    for (int32_t round = 0; round < depth + 4; round++) {
        uint8_t *commands = suite_alloc((size_t)t.n);
        draw(&r, &t, targets, commands);
        if (round == depth + 3)
            for (int64_t l = 0; l < t.n; l++) commands[l] = reference_cbt_node_level(t.nodes[l]) == depth ? 2 : 0;
        if (round % 2) {
            CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, t.n, NULL, 0));
        } else {
            for (int merge = 0; merge < 2; merge++) {
                uint64_t *list = suite_alloc((size_t)t.n * 8);
                for (int64_t l = 0; l < t.n; l++) list[l] = commands[l] == 1 + merge ? t.nodes[l] : 0;
                void *nodes = cbt_nodes(list, t.n, id_bits);
                CHECK_OK(ctx, (merge ? bosc_cbt_merge : bosc_cbt_split)(ctx, tree, nodes, t.n));
                free(nodes);
                free(list);
            }
            for (int64_t l = 0; l < t.n; l++) /* no node can be split there, and nobody is held */
                if (commands[l] == 1 && reference_cbt_node_level(t.nodes[l]) == depth) commands[l] = 0;
            CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
        }
        reference_cbt_update(&t, commands, NULL);
        free(commands);
        CHECK_EQ(cbt_leaves(ctx, tree), t.n);
        if (round % 8 == 7 || round >= depth - 1) check_tree(ctx, tree, &t);
        if (round == depth - 1)
            for (int k = 0; k < 2; k++) CHECK_EQ(reference_cbt_node_level(t.nodes[k * (t.n - 1)]), depth);
    }
    check_saved(ctx, tree, &t);
    bosc_cbt_free(tree);
    reference_cbt_free(&t);
}

/* The deepest tree that is tried: one configuration of the CPU stands for all, since these take seconds. */
static int32_t deepest(bosc_ctx *ctx)
{
    const char *chosen = getenv("BOSC_TEST_DEPTH");
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    if (suite_slow(ctx)) return 16;
    if (chosen) return atoi(chosen) < BOSC_CBT_MAX_DEPTH ? atoi(chosen) : BOSC_CBT_MAX_DEPTH;
    if (info.backend == BOSC_BACKEND_CUDA) return 31;
    return info.threads == 2 && info.cpu_level == bosc_cpu_best_level() ? 25 : 16;
}

static void sparse(bosc_ctx *ctx)
{
    static const int32_t depths[] = {11, 16, 20, 21, 25, 27, 30, 31, 32, 33, 34, 35, 36};
    int32_t most = deepest(ctx);
    for (int k = 0; k < 13 && depths[k] <= most; k++) {
        if (suite_leaves_out()) continue;
        grow(ctx, depths[k], 2 * k);
        if (depths[k] <= most - 2) grow(ctx, depths[k], 2 * k + 1); /* as published: 2^(depth-1) bytes more */
    }
}

/* A whole level whose leaves need more than 32 bits, and a part of it. */
static void nodes_beyond_32_bits(bosc_ctx *ctx)
{
    enum { LEVEL = 9, COUNT = 700 };
    for (int32_t depth = 16; depth <= deepest(ctx); depth += 7) {
        bosc_cbt *tree = cbt_make(ctx, depth, LEVEL, 2);
        struct reference_cbt t = reference_cbt_level(depth, LEVEL);
        check_tree(ctx, tree, &t);
        CHECK_OK(ctx, bosc_cbt_reset(ctx, tree, depth));
        uint64_t all = (uint64_t)1 << depth, nodes[COUNT];
        int64_t numbers[COUNT];
        CHECK_EQ(cbt_leaves(ctx, tree), all);
        for (int part = 0; part < 3; part++) { /* the last leaves, those around 2^(depth-1), the first ones */
            int64_t first = part == 0 ? (int64_t)all - COUNT + 20 : part == 1 ? (int64_t)all / 2 - COUNT / 2 : 0;
            CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, first, COUNT, nodes));
            CHECK_OK(ctx, bosc_cbt_encode(ctx, tree, nodes, COUNT, numbers));
            for (int i = 0; i < COUNT; i++) {
                bool there = (uint64_t)first + (uint64_t)i < all;
                CHECK_EQ(nodes[i], there ? all + (uint64_t)first + (uint64_t)i : 0);
                CHECK_EQ(numbers[i], there ? first + i : -1);
            }
        }
        reference_cbt_free(&t);
        bosc_cbt_free(tree);
    }
}

static const struct suite_case suite_cases_cbt_deep[] = {{"sparse", sparse, NULL},
                                                         {"wide", nodes_beyond_32_bits, NULL}};
SUITE(cbt_deep);
