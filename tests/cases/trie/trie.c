/* Tries answer as a sorted array searched from end to end, for all letters, layouts and keys. */
#include "cases/trie/trie_data.h"

struct subject {
    bosc_ctx *ctx;
    bosc_trie *trie;
    const bosc_trie_opts *opts;
    const struct reference_trie *oracle;
    struct reference_cells queries;
    uint8_t *letters; /* (m x length) of the queries */
    bool on_device;
};

static const uint8_t *letters_of(const struct subject *s, int64_t q) { return s->letters + q * s->oracle->length; }

static struct array rows_of(const struct subject *s, const uint64_t *rows)
{
    const struct reference_cells *c = &s->queries;
    return array_make(s->ctx, rows, (size_t)(c->n * c->stride) * 8, s->on_device);
}

static void check_find(const struct subject *s)
{
    const struct reference_trie *t = s->oracle;
    int64_t m = s->queries.n;
    struct array queries = rows_of(s, s->queries.rows);
    struct array ranks = array_make(s->ctx, NULL, (size_t)m * 8, s->on_device);
    struct array found = array_make(s->ctx, NULL, (size_t)m, s->on_device);
    struct array values = array_make(s->ctx, NULL, (size_t)m * (size_t)s->opts->value_bits / 8, s->on_device);
    struct array again = array_make(s->ctx, NULL, (size_t)m * (size_t)s->opts->value_bits / 8, s->on_device);
    CHECK_OK(s->ctx, bosc_trie_find(s->ctx, s->trie, queries.p, m, s->queries.stride, ranks.p, values.p, found.p));
    CHECK_OK(s->ctx, bosc_trie_get_values(s->ctx, s->trie, ranks.p, m, again.p));
    const int64_t *rank = array_get(s->ctx, &ranks);
    array_get(s->ctx, &found);
    array_get(s->ctx, &values);
    array_get(s->ctx, &again);
    /* Rank, value and presence of each query, by a search of the sorted keys. */
    for (int64_t q = 0; q < m; q++) {
        int64_t at = reference_trie_rank(t, letters_of(s, q));
        bool is = at < t->count && reference_trie_common(t, reference_trie_key(t, at), letters_of(s, q)) == t->length;
        CHECK_EQ(rank[q], is ? at : -1);
        CHECK_EQ(found.host[q], is);
        CHECK_EQ(trie_value(values.host, s->opts->value_bits, q), is ? t->values[at] : 0);
        CHECK_EQ(trie_value(again.host, s->opts->value_bits, q), is ? t->values[at] : 0);
    }
    array_free(s->ctx, &queries);
    array_free(s->ctx, &ranks);
    array_free(s->ctx, &found);
    array_free(s->ctx, &values);
    array_free(s->ctx, &again);
}

/* The keys that begin with the first letters of the query, for every number of letters. */
static void check_range(const struct subject *s, int64_t q, int32_t length, int64_t begin, int64_t end)
{
    const struct reference_trie *t = s->oracle;
    int64_t first = 0, last;
    while (first < t->count && memcmp(reference_trie_key(t, first), letters_of(s, q), (size_t)length) < 0) first++;
    for (last = first; last < t->count; last++)
        if (reference_trie_common(t, reference_trie_key(t, last), letters_of(s, q)) < length) break;
    CHECK_EQ(begin, first);
    CHECK_EQ(end, last);
}

static void check_prefix(const struct subject *s, struct suite_random *r)
{
    int64_t m = s->queries.n;
    int32_t length = s->oracle->length, *chosen = suite_alloc((size_t)m * 4);
    for (int64_t q = 0; q < m; q++)
        chosen[q] = q % 7 == 0 ? -3 : q % 7 == 1 ? length + 5 : (int32_t)suite_below(r, (uint64_t)length + 1);
    struct array queries = rows_of(s, s->queries.rows);
    struct array lengths = array_make(s->ctx, chosen, (size_t)m * 4, s->on_device);
    struct array begins = array_make(s->ctx, NULL, (size_t)m * 8, s->on_device);
    struct array ends = array_make(s->ctx, NULL, (size_t)m * 8, s->on_device);
    CHECK_OK(s->ctx, bosc_trie_prefix(s->ctx, s->trie, queries.p, lengths.p, m, s->queries.stride, begins.p, ends.p));
    const int64_t *begin = array_get(s->ctx, &begins), *end = array_get(s->ctx, &ends);
    for (int64_t q = 0; q < m; q++)
        check_range(s, q, chosen[q] < 0 ? 0 : chosen[q] > length ? length : chosen[q], begin[q], end[q]);
    CHECK_OK(s->ctx, bosc_trie_prefix(s->ctx, s->trie, queries.p, NULL, m, s->queries.stride, begins.p, ends.p));
    begin = array_get(s->ctx, &begins);
    end = array_get(s->ctx, &ends);
    for (int64_t q = 0; q < m; q++) check_range(s, q, length, begin[q], end[q]);
    free(chosen);
    array_free(s->ctx, &queries);
    array_free(s->ctx, &lengths);
    array_free(s->ctx, &begins);
    array_free(s->ctx, &ends);
}

static void check_longest(const struct subject *s)
{
    const struct reference_trie *t = s->oracle;
    int64_t m = s->queries.n;
    struct array queries = rows_of(s, s->queries.rows);
    struct array lengths = array_make(s->ctx, NULL, (size_t)m * 4, s->on_device);
    struct array begins = array_make(s->ctx, NULL, (size_t)m * 8, s->on_device);
    struct array ends = array_make(s->ctx, NULL, (size_t)m * 8, s->on_device);
    CHECK_OK(s->ctx, bosc_trie_longest(s->ctx, s->trie, queries.p, m, s->queries.stride, lengths.p, begins.p, ends.p));
    const int64_t *begin = array_get(s->ctx, &begins), *end = array_get(s->ctx, &ends);
    const int32_t *length = array_get(s->ctx, &lengths);
    for (int64_t q = 0; q < m; q++) {
        int32_t longest = 0;
        for (int64_t k = 0; k < t->count; k++) {
            int32_t common = reference_trie_common(t, reference_trie_key(t, k), letters_of(s, q));
            if (common > longest) longest = common;
        }
        CHECK_EQ(length[q], longest);
        check_range(s, q, longest, begin[q], end[q]);
    }
    array_free(s->ctx, &queries);
    array_free(s->ctx, &lengths);
    array_free(s->ctx, &begins);
    array_free(s->ctx, &ends);
}

static void check_neighbours(const struct subject *s)
{
    const struct reference_trie *t = s->oracle;
    int64_t m = s->queries.n, at = 0;
    struct array queries = rows_of(s, s->queries.rows);
    struct array offsets = array_make(s->ctx, NULL, (size_t)(m + 1) * 8, s->on_device);
    int64_t stride = s->queries.stride;
    CHECK_OK(s->ctx, bosc_trie_neighbours(s->ctx, s->trie, queries.p, m, stride, offsets.p, NULL, NULL, 0));
    const int64_t *offset = array_get(s->ctx, &offsets);
    int64_t total = offset[m];
    struct array ranks = array_make(s->ctx, NULL, (size_t)total * 8, s->on_device);
    struct array positions = array_make(s->ctx, NULL, (size_t)total * 4, s->on_device);
    CHECK_OK(s->ctx,
             bosc_trie_neighbours(s->ctx, s->trie, queries.p, m, stride, offsets.p, ranks.p, positions.p, total));
    const int64_t *rank = array_get(s->ctx, &ranks);
    const int32_t *position = array_get(s->ctx, &positions);
    /* All keys that differ in one letter, in the order of their ranks. */
    for (int64_t q = 0; q < m; q++) {
        CHECK_EQ(offset[q], at);
        for (int64_t k = 0; k < t->count; k++) {
            int32_t letter;
            if (reference_trie_differ(t, reference_trie_key(t, k), letters_of(s, q), &letter) != 1) continue;
            CHECK(at < total);
            CHECK_EQ(rank[at], k);
            CHECK_EQ(position[at], letter);
            at++;
        }
    }
    CHECK_EQ(at, total);
    /* Room for one answer less is refused. */
    if (total > 0) {
        bosc_status status =
            bosc_trie_neighbours(s->ctx, s->trie, queries.p, m, stride, offsets.p, ranks.p, NULL, total - 1);
        CHECK_EQ(status, BOSC_ERR_SPACE);
    }
    array_free(s->ctx, &queries);
    array_free(s->ctx, &offsets);
    array_free(s->ctx, &ranks);
    array_free(s->ctx, &positions);
}

static void check_matches(const struct subject *s, struct suite_random *r)
{
    const struct reference_trie *t = s->oracle;
    int64_t m = s->queries.n, at = 0, stride = s->queries.stride;
    struct reference_cells c = s->queries;
    c.rows = suite_alloc((size_t)(m * stride) * 8);
    uint8_t *mask = suite_alloc((size_t)(m * t->length));
    for (int64_t i = 0; i < m * stride; i++) c.rows[i] = suite_next(r);
    for (int64_t q = 0; q < m; q++)
        for (int32_t k = 0; k < t->length; k++) { /* few wildcards; many; letters that count only in some bits */
            uint32_t bits = suite_below(r, q % 3 == 1 ? 2 : 12) ? 255 : 0;
            if (q % 9 == 8) bits = (uint32_t)suite_next(r) | (uint32_t)suite_next(r);
            if (q == 0) bits = 0;
            /* Only the first letter of every second word counts, and then the others alone. */
            const int32_t in_word = k % (64 / t->letter_bits);
            if (q % 9 == 7) bits = in_word == 0 && q % 2 ? 255 : 0;
            if (q % 9 == 5) bits = in_word == 0 || q % 2 ? 255 : 0;
            reference_set_letter(&c, q, k, bits);
            mask[q * t->length + k] = (uint8_t)reference_letter(&c, q, k);
        }
    struct array queries = rows_of(s, s->queries.rows), masks = rows_of(s, c.rows);
    struct array offsets = array_make(s->ctx, NULL, (size_t)(m + 1) * 8, s->on_device);
    CHECK_OK(s->ctx, bosc_trie_matches(s->ctx, s->trie, queries.p, masks.p, m, stride, offsets.p, NULL, 0));
    const int64_t *offset = array_get(s->ctx, &offsets);
    int64_t total = offset[m];
    struct array ranks = array_make(s->ctx, NULL, (size_t)total * 8, s->on_device);
    CHECK_OK(s->ctx, bosc_trie_matches(s->ctx, s->trie, queries.p, masks.p, m, stride, offsets.p, ranks.p, total + 3));
    const int64_t *rank = array_get(s->ctx, &ranks);
    for (int64_t q = 0; q < m; q++) {
        CHECK_EQ(offset[q], at);
        for (int64_t k = 0; k < t->count; k++) {
            int32_t same = 0;
            while (same < t->length &&
                   !((reference_trie_key(t, k)[same] ^ letters_of(s, q)[same]) & mask[q * t->length + same]))
                same++;
            if (same < t->length) continue;
            CHECK(at < total);
            CHECK_EQ(rank[at], k);
            at++;
        }
    }
    CHECK_EQ(at, total);
    free(c.rows);
    free(mask);
    array_free(s->ctx, &queries);
    array_free(s->ctx, &masks);
    array_free(s->ctx, &offsets);
    array_free(s->ctx, &ranks);
}

struct pair {
    int64_t low, high;
    uint32_t position;
};

static int by_ranks(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

/* All pairs, once they are in order. */
static void check_pairs(const struct subject *s)
{
    const struct reference_trie *t = s->oracle;
    int64_t count = -1, again = -1, at = 0;
    CHECK_OK(s->ctx, bosc_trie_pairs(s->ctx, s->trie, NULL, NULL, 0, &count));
    struct array pairs = array_make(s->ctx, NULL, (size_t)count * 16, s->on_device);
    struct array positions = array_make(s->ctx, NULL, (size_t)count * 4, s->on_device);
    /* 1. Room for one pair less is refused, and the number is given. */
    if (count > 0) {
        CHECK_STATUS(s->ctx, bosc_trie_pairs(s->ctx, s->trie, pairs.p, NULL, count - 1, &again), BOSC_ERR_SPACE);
        CHECK_EQ(again, count);
    }
    CHECK_OK(s->ctx, bosc_trie_pairs(s->ctx, s->trie, pairs.p, positions.p, count, &again));
    CHECK_EQ(again, count);
    /* 2. Sorted, the pairs are those of a comparison of all keys. */
    const int64_t *ranks = array_get(s->ctx, &pairs);
    const uint32_t *letters = array_get(s->ctx, &positions);
    struct pair *list = suite_alloc((size_t)count * sizeof *list);
    for (int64_t e = 0; e < count; e++) list[e] = (struct pair){ranks[2 * e], ranks[2 * e + 1], letters[e]};
    qsort(list, (size_t)count, sizeof *list, by_ranks);
    for (int64_t a = 0; a < t->count; a++)
        for (int64_t b = a + 1; b < t->count; b++) {
            int32_t letter;
            if (reference_trie_differ(t, reference_trie_key(t, a), reference_trie_key(t, b), &letter) != 1) continue;
            CHECK(at < count);
            CHECK_EQ(list[at].low, a);
            CHECK_EQ(list[at].high, b);
            CHECK_EQ(list[at].position, letter);
            at++;
        }
    CHECK_EQ(at, count);
    free(list);
    array_free(s->ctx, &pairs);
    array_free(s->ctx, &positions);
}

static void check_all(bosc_ctx *ctx, bosc_trie *trie, const bosc_trie_opts *o, const struct reference_trie *t,
                      const struct reference_cells *c, struct suite_random *r)
{
    struct subject s = {.ctx = ctx, .trie = trie, .opts = o, .oracle = t};
    for (int device = 0; device <= has_device_memory(ctx); device++) {
        int64_t m = (int64_t)suite_below(r, suite_slow(ctx) ? 12 : 24);
        s.queries = trie_queries(r, c, m);
        s.letters = suite_alloc((size_t)(m * t->length));
        s.on_device = device;
        for (int64_t q = 0; q < m; q++)
            reference_trie_unpack(t, s.queries.rows + q * s.queries.stride, s.letters + q * t->length);
        trie_check_keys(ctx, trie, o, t, device);
        check_find(&s);
        check_prefix(&s, r);
        check_longest(&s);
        check_neighbours(&s);
        check_pairs(&s);
        check_matches(&s, r);
        free(s.queries.rows);
        free(s.letters);
    }
}

static void check_rows(bosc_ctx *ctx, const bosc_trie_opts *o, const struct reference_cells *c, struct suite_random *r)
{
    struct reference_trie t = trie_oracle(o);
    bosc_trie *trie = trie_of(ctx, o, c);
    trie_oracle_insert(&t, c, NULL, 0);
    check_all(ctx, trie, o, &t, c, r);
    reference_trie_clear(&t);
    bosc_trie_free(trie);
}

/* All alphabets, layouts and kinds of rows. */
static void every_letter_size_and_layout(bosc_ctx *ctx)
{
    static const int32_t lengths[] = {1,  2,  7,  8,  9,   20,  21,
                                      22, 63, 64, 65, 130, 300, 1000}; /* the last for few bits */
    struct suite_random r = {71};
    int k = 0;
    for (int shape = 0; shape < CELLS_SHAPES; shape++)
        for (int32_t bits = 1; bits <= 8; bits++)
            for (int trial = 0; trial < 2; trial++) {
                if (suite_leaves_out()) continue;
                bosc_trie_opts o = trie_options(k++, lengths[suite_below(&r, bits < 3 ? 14 : 12)], bits);
                struct reference_cells c =
                    cells_make(&r, (enum cells_shape)shape, o.length, bits,
                               (int64_t)suite_below(&r, suite_slow(ctx) ? 40 : 70), (int64_t)suite_below(&r, 2));
                check_rows(ctx, &o, &c, &r);
                free(c.rows);
            }
}

static void few_keys(bosc_ctx *ctx)
{
    struct suite_random r = {72};
    for (int64_t n = 0; n < 5; n++)
        for (int k = 0; k < 12; k++) {
            if (suite_leaves_out()) continue;
            bosc_trie_opts o = trie_options(k, 1 + k % 5, 1 + k % 8);
            struct reference_cells c = cells_make(&r, CELLS_WALK, o.length, o.letter_bits, n, 0);
            check_rows(ctx, &o, &c, &r);
            free(c.rows);
        }
}

/* Every vector there is. */
static void full_cubes(bosc_ctx *ctx)
{
    static const int32_t lengths[] = {8, 4, 2, 2, 1, 1, 1, 1};
    struct suite_random r = {73};
    for (int k = 0; k < 24; k++) {
        if (suite_leaves_out()) continue;
        int32_t bits = 1 + k % 8;
        bosc_trie_opts o = trie_options(k, lengths[bits - 1], bits);
        int64_t n = (int64_t)1 << bits * o.length;
        struct reference_cells c = cells_make(&r, CELLS_EQUAL, o.length, bits, n, 0);
        for (int64_t i = 0; i < n; i++)
            for (int32_t j = 0; j < o.length; j++)
                reference_set_letter(&c, i, j, (uint32_t)((i * 77 % n) >> j * bits)); /* 77 is odd: each once */
        check_rows(ctx, &o, &c, &r);
        free(c.rows);
    }
}

/* Keys that agree up to their last letters, and a chain: each key agrees with the next for one letter less. */
static void long_prefixes(bosc_ctx *ctx)
{
    struct suite_random r = {74};
    for (int k = 0; k < 12; k++) {
        if (suite_leaves_out()) continue;
        int32_t bits = 1 + k % 8, length = k == 7 ? 1000 : 130 + 23 * k;
        bosc_trie_opts o = trie_options(k / 2, length, bits);
        int64_t n = suite_slow(ctx) || k == 7 ? 30 : 60;
        struct reference_cells c = cells_make(&r, CELLS_EQUAL, length, bits, n, 0);
        for (int64_t i = 0; i < n; i++) {
            if (k % 2) reference_set_letter(&c, i, (int32_t)i, ~reference_letter(&c, i, (int32_t)i));
            if (k % 2 == 0) reference_set_letter(&c, i, length - 1 - (int32_t)suite_below(&r, 4), (uint32_t)i);
        }
        check_rows(ctx, &o, &c, &r);
        free(c.rows);
    }
}

/* Rebuilds, insertions and erasures: the trie equals one of the remaining rows. */
static void changes(bosc_ctx *ctx)
{
    struct suite_random r = {75};
    for (int k = 0; k < 14; k++) {
        if (suite_leaves_out()) continue;
        int32_t bits = 1 + k % 8;
        bosc_trie_opts o = trie_options(k, k % 2 ? 70 : 5, bits);
        struct reference_trie t = trie_oracle(&o);
        bosc_trie *trie = trie_create(ctx, &o);
        uint64_t rows = 0;
        for (int step = 0; step < 8; step++) {
            int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 25 : 70), erased = -1, expected = 0;
            struct reference_cells c =
                cells_make(&r, (enum cells_shape)(1 + k % 4), o.length, bits, n, (int64_t)suite_below(&r, 2));
            void *values = suite_alloc((size_t)n * 8);
            uint64_t *wide = suite_alloc((size_t)n * 8);
            for (int64_t i = 0; i < n; i++) wide[i] = o.value_bits == 64 ? suite_next(&r) : (uint32_t)suite_next(&r);
            for (int64_t i = 0; i < n; i++)
                if (o.value_bits == 64)
                    ((uint64_t *)values)[i] = wide[i];
                else
                    ((uint32_t *)values)[i] = (uint32_t)wide[i];
            bool input = suite_below(&r, 2);
            if (step % 4 == 0 && step != 4 * (k % 2)) {
                reference_trie_clear(&t);
                rows = 0;
                CHECK_OK(ctx, bosc_trie_build(ctx, trie, c.rows, input ? values : NULL, n, c.stride));
            } else if (step % 4 == 2) {
                uint8_t *letters = suite_alloc((size_t)o.length);
                for (int64_t i = 0; i < n; i++) { /* some are there */
                    if (t.count > 0 && i % 2)
                        reference_trie_pack(&t, reference_trie_key(&t, i * 7 % t.count), c.rows + i * c.stride);
                }
                CHECK_OK(ctx, bosc_trie_erase(ctx, trie, c.rows, n, c.stride, &erased));
                for (int64_t i = 0; i < n; i++) {
                    reference_trie_unpack(&t, c.rows + i * c.stride, letters);
                    expected += reference_trie_erase(&t, letters);
                }
                CHECK_EQ(erased, expected);
                free(letters);
            } else {
                CHECK_OK(ctx, bosc_trie_insert(ctx, trie, c.rows, input ? values : NULL, n, c.stride));
            }
            if (step % 4 != 2) {
                trie_oracle_insert(&t, &c, input ? wide : NULL, rows);
                rows += (uint64_t)n;
            }
            check_all(ctx, trie, &o, &t, &c, &r);
            free(values);
            free(wide);
            free(c.rows);
        }
        reference_trie_clear(&t);
        bosc_trie_free(trie);
    }
}

/* Enough keys for several levels of the tree of minima, and for several threads: both layouts agree. */
static void many_keys(bosc_ctx *ctx)
{
    struct suite_random r = {76};
    if (suite_leaves_out()) return;
    int64_t n = suite_slow(ctx) ? 1200 : 5000, *ranks[2];
    struct reference_cells c = cells_make(&r, CELLS_WALK, 128, 1, n, 0);
    for (int k = 0; k < 2; k++) {
        bosc_trie_opts o = trie_options(2 * k, 128, 1);
        bosc_trie *trie = trie_of(ctx, &o, &c);
        ranks[k] = suite_alloc((size_t)n * 8);
        CHECK_OK(ctx, bosc_trie_find(ctx, trie, c.rows, n, c.stride, ranks[k], NULL, NULL));
        int64_t offsets = 0, m = suite_slow(ctx) ? 50 : 500;
        int64_t *counts = suite_alloc((size_t)(m + 1) * 8);
        /* Neighbours: two calls, each row in the order of ranks. */
        CHECK_OK(ctx, bosc_trie_neighbours(ctx, trie, c.rows, m, c.stride, counts, NULL, NULL, 0));
        offsets = counts[m];
        int64_t *near = suite_alloc((size_t)offsets * 8);
        CHECK_OK(ctx, bosc_trie_neighbours(ctx, trie, c.rows, m, c.stride, counts, near, NULL, offsets));
        for (int64_t q = 0; q < m; q++)
            for (int64_t e = counts[q]; e < counts[q + 1]; e++) CHECK(e == counts[q] || near[e - 1] < near[e]);
        CHECK(offsets > m / 4);
        free(near);
        free(counts);
        bosc_trie_free(trie);
    }
    CHECK(memcmp(ranks[0], ranks[1], (size_t)n * 8) == 0);
    for (int64_t i = 0; i < n; i++) CHECK(ranks[0][i] >= 0);
    free(ranks[0]);
    free(ranks[1]);
    free(c.rows);
}

/* Rows of up to 8 words as bytes, with their numbers behind them. */
enum { ROW_BYTES = 8 * 8, NUMBERED_BYTES = 9 * 8 };

static int compare_rows(const void *a, const void *b) { return memcmp(a, b, NUMBERED_BYTES); }

/* The words of a row and its number as bytes that compare as they do. */
static void put_row(uint8_t *to, const uint64_t *row, int64_t words, uint64_t number)
{
    for (int64_t k = 0; k < NUMBERED_BYTES; k++) {
        uint64_t word = k < words * 8 ? bi_reverse_bits(row[k / 8]) : k < ROW_BYTES ? 0 : number;
        to[k] = (uint8_t)(word >> (56 - k % 8 * 8));
    }
}

static bool same_row(const uint8_t *sorted, int64_t i, int64_t j)
{
    return memcmp(sorted + i * NUMBERED_BYTES, sorted + j * NUMBERED_BYTES, ROW_BYTES) == 0;
}

/* Rows for all ways to sort them by prefixes. */
enum rows_kind {
    FEW_WORDS,   /* equal words, the largest word among them */
    ONE_ROW,     /* all the same */
    RANDOM_ROWS, /* distinct words */
    PAIRS,       /* which differ in one letter, two and two */
    LONG_RUNS,   /* few first words; the other words distinct */
    LAST_WORDS,  /* alike but for their last word, which numbers of 64 bits do not reach, and the one before */
    ROWS_KINDS
};

static void fill_rows(struct suite_random *r, enum rows_kind kind, uint64_t *rows, int64_t n, int64_t words,
                      int64_t pool)
{
    uint64_t *random = suite_alloc((size_t)pool * 8);
    for (int64_t i = 0; i < pool; i++) random[i] = i == 0 ? ~0ull : suite_next(r);
    for (int64_t i = 0; i < n * words; i++) {
        const int64_t s = i % words;
        rows[i] = kind == FEW_WORDS ? random[suite_below(r, (uint64_t)pool)] : kind == ONE_ROW ? ~0ull : suite_next(r);
        if (kind == LONG_RUNS && s == 0) rows[i] = random[suite_below(r, 4)];
        if (kind == LAST_WORDS) rows[i] = random[s == words - 2 ? suite_below(r, (uint64_t)pool / 6) : 0];
        if (kind == LAST_WORDS && s == words - 1) rows[i] = random[suite_below(r, (uint64_t)pool)];
    }
    for (int64_t i = 1; i < n && kind == PAIRS; i += 2) { /* and some are equal */
        memcpy(rows + i * words, rows + (i - 1) * words, (size_t)words * 8);
        rows[i * words + (int64_t)suite_below(r, (uint64_t)words)] ^= i % 10 ? 1ull << suite_below(r, 64) : 0;
    }
    free(random);
}

/* Many rows, as qsort has them. */
static void alike(bosc_ctx *ctx)
{
    struct suite_random r = {78};
    const bool device = ctx->backend->id == BOSC_BACKEND_CUDA; /* which has more ways */
    for (int k = 0; k < 3 * ROWS_KINDS; k++) {
        if (!device && suite_leaves_out()) continue;
        enum rows_kind kind = (enum rows_kind)(k / 3);
        int64_t words = kind == LAST_WORDS ? 6 + k % 3 : 2 + k % 3, m = 0, n = suite_slow(ctx) ? 300 : 3000, pool = 5;
        if (kind == LAST_WORDS) n = pool = suite_slow(ctx) ? 700 : 7000;
        if (device && !suite_slow(ctx)) {
            n += BI_TRIE_DICTIONARY_ROWS;
            pool = n / 200;
        }
        bosc_trie_opts o = trie_options(0, (int32_t)words * 64, 1);
        uint64_t *rows = suite_alloc((size_t)(n * words) * 8);
        uint8_t *sorted = suite_alloc((size_t)n * NUMBERED_BYTES);
        fill_rows(&r, kind, rows, n, words, pool);
        for (int64_t i = 0; i < n; i++) put_row(sorted + i * NUMBERED_BYTES, rows + i * words, words, (uint64_t)i);
        qsort(sorted, (size_t)n, NUMBERED_BYTES, compare_rows);
        bosc_trie *trie = trie_create(ctx, &o);
        CHECK_OK(ctx, bosc_trie_build(ctx, trie, rows, NULL, n, 0));
        bosc_trie_info info = {.size = sizeof info};
        CHECK_OK(ctx, bosc_trie_get_info(ctx, trie, &info));
        uint64_t *keys = suite_alloc((size_t)(info.keys * words) * 8), *values = suite_alloc((size_t)info.keys * 8);
        int64_t *counts = suite_alloc((size_t)info.keys * 8);
        CHECK_OK(ctx, bosc_trie_get_keys(ctx, trie, 0, info.keys, keys, values, counts));
        for (int64_t i = 0, end; i < n; i = end, m++) { /* rows [i, end) are one key */
            uint8_t expected[NUMBERED_BYTES];
            for (end = i + 1; end < n && same_row(sorted, i, end);) end++;
            CHECK(m < info.keys);
            put_row(expected, keys + m * words, words, values[m]);
            CHECK(memcmp(expected, sorted + i * NUMBERED_BYTES, NUMBERED_BYTES) == 0);
            CHECK_EQ(counts[m], end - i);
        }
        CHECK_EQ(m, info.keys);
        bosc_trie_free(trie);
        free(rows);
        free(sorted);
        free(keys);
        free(values);
        free(counts);
    }
}

/* The longest match of rows that leave the keys before the last of the wide nodes does. */
static void long_ways(bosc_ctx *ctx)
{
    struct suite_random r = {79};
    for (int k = 0; k < 4; k++) {
        if (suite_leaves_out()) continue;
        bosc_trie_opts o = trie_options(0, 300, 1);
        int64_t n = suite_slow(ctx) ? 60 : 150;
        struct reference_cells c = cells_make(&r, CELLS_EQUAL, o.length, 1, n, 0);
        for (int64_t i = 0; i < n; i++)
            for (int32_t b = 0; b < 8; b++) { /* wide in letters 40 to 47, and from there again in 128 to 135 */
                reference_set_letter(&c, i, 40 + b, (uint32_t)(i / (k % 2 ? 4 : 1) >> b) & 1);
                reference_set_letter(&c, i, 128 + b, (uint32_t)suite_below(&r, 2));
            }
        check_rows(ctx, &o, &c, &r);
        free(c.rows);
    }
}

/* Keys that all want the same bucket of the table, so that most are left out of it; a table of too long keys there is
 * none. */
static void crowded(bosc_ctx *ctx)
{
    struct suite_random r = {77};
    for (int k = 0; k < 3; k++) {
        if (suite_leaves_out()) continue;
        int64_t n = k == 2            ? 6
                    : suite_slow(ctx) ? 80
                                      : 150,
                buckets = (n + BI_TRIE_BUCKET / 2 - 1) / (BI_TRIE_BUCKET / 2);
        bosc_trie_opts o = trie_options(0, k == 2 ? BI_TRIE_TABLE_WORDS * 64 + 1 : 60, 1);
        struct reference_cells c = cells_make(&r, CELLS_RANDOM, o.length, 1, n, 0);
        struct bi_trie_table table = {NULL, (uint32_t)buckets, 0};
        bosc_trie *trie = trie_create(ctx, &o);
        struct bi_trie_query x = {&trie->shape, NULL, NULL, NULL, 0, false};
        for (int64_t i = 0; i < n && k < 2; i++) {
            x.row = c.rows + i * c.stride;
            while (bi_trie_home(&table, bi_trie_hash(&x)) != (k == 0 ? 0 : buckets - 1)) c.rows[i] = suite_next(&r);
        }
        bosc_trie_free(trie);
        check_rows(ctx, &o, &c, &r);
        free(c.rows);
    }
}

/* In the manner of figure 2 of the paper: six binary vectors and digits of two bits. The levels of the published trie
 * have one node for each beginning of whole digits: 1, 3, and 5 of them; and four pairs differ in one letter. */
static void six_vectors(bosc_ctx *ctx)
{
    static const char *const vectors[] = {"000110", "000111", "001110", "011110", "100001", "101001"};
    static const int64_t pairs[][3] = {{0, 1, 5}, {0, 2, 2}, {2, 3, 1}, {4, 5, 2}};
    uint64_t rows[6] = {0};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) rows[i] |= (uint64_t)(vectors[i][k] - '0') << k;
    for (int layout = 0; layout < 2; layout++) {
        bosc_trie_opts o = {.size = sizeof o, .length = 6, .layout = (bosc_trie_layout)layout, .digit_bits = 2};
        bosc_trie_info info = {.size = sizeof info};
        int64_t found[8], count = 0;
        uint32_t positions[4];
        bosc_trie *trie = trie_create(ctx, &o);
        CHECK_OK(ctx, bosc_trie_build(ctx, trie, rows, NULL, 6, 0));
        CHECK_OK(ctx, bosc_trie_get_info(ctx, trie, &info));
        CHECK_EQ(info.digit_bits, 2);
        CHECK_EQ(info.nodes, layout == BOSC_TRIE_PUBLISHED ? 1 + 3 + 5 : 4);
        CHECK_EQ(info.depth_most, 3);
        if (layout == BOSC_TRIE_PUBLISHED) CHECK_EQ(info.node_bytes, 9 * 4 * 4 + 4 * 8); /* four children each */
        CHECK_OK(ctx, bosc_trie_pairs(ctx, trie, found, positions, 4, &count));
        CHECK_EQ(count, 4);
        for (int e = 0; e < 4; e++)
            CHECK(found[2 * e] == pairs[e][0] && found[2 * e + 1] == pairs[e][1] && positions[e] == pairs[e][2]);
        bosc_trie_free(trie);
    }
}

/* Digits of 1 to 8 bits: a 2^r-ary search tree has the same answers, whatever the launch, and a level for every r
 * letters. */
static void digits(bosc_ctx *ctx)
{
    struct suite_random r = {80};
    for (int32_t bits = 1; bits <= 8; bits++)
        for (int layout = 0; layout < 2; layout++) {
            if (suite_leaves_out()) continue;
            const int32_t lengths[] = {21, 64, 77, 130};
            bosc_trie_opts o = {.size = sizeof o,
                                .length = lengths[(bits + layout) % 4],
                                .layout = (bosc_trie_layout)layout,
                                .letter_bits = 1,
                                .digit_bits = bits,
                                .value_bits = 64,
                                .blocks = bits / 2, /* 0: as many as serve */
                                .threads = bits % 3 * 32,
                                .by_values = layout == BOSC_TRIE_PUBLISHED && bits % 2};
            bosc_trie_info info = {.size = sizeof info};
            struct reference_cells c = cells_make(&r, CELLS_WALK, o.length, 1, suite_slow(ctx) ? 30 : 60, 0);
            check_rows(ctx, &o, &c, &r);
            bosc_trie *trie = trie_of(ctx, &o, &c);
            CHECK_OK(ctx, bosc_trie_get_info(ctx, trie, &info));
            const int32_t whole = o.length / 64, last = o.length % 64;
            if (layout == BOSC_TRIE_PUBLISHED)
                CHECK_EQ(info.depth_most, whole * ((63 + bits) / bits) + (last + bits - 1) / bits);
            bosc_trie_free(trie);
            free(c.rows);
        }
}

/* Copies the children of a published trie to the host. */
static uint32_t *children_of(bosc_ctx *ctx, const bosc_trie *trie, size_t *bytes)
{
    *bytes = (size_t)trie->nodes * 4 << trie->shape.digit_bits;
    uint32_t *children = suite_alloc(*bytes + 1);
    CHECK_OK(ctx, bosc_ctx_copy(ctx, children, trie->blocks[BI_TRIE_CHILDREN].data, *bytes));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    return children;
}

/* Levels built by nodes and values are those built by scans over the keys. */
static void values(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 33, 300};
    struct suite_random r = {81};
    for (int k = 0; k < 48; k++) {
        const int64_t n = sizes[k / 8];
        if (suite_leaves_out() || (suite_slow(ctx) && n > 33)) continue;
        const int32_t letter_bits = k % 8 < 4 ? 1 : 2, length = 1 + k * 37 % 150;
        bosc_trie_opts o = {.size = sizeof o,
                            .length = length,
                            .layout = BOSC_TRIE_PUBLISHED,
                            .letter_bits = letter_bits,
                            .digit_bits = (1 + k % 4) * letter_bits,
                            .value_bits = 64};
        struct reference_cells c = cells_make(&r, k % 3 ? CELLS_WALK : CELLS_RANDOM, length, letter_bits, n, 0);
        uint32_t *children[2];
        size_t bytes[2];
        /* Both builds, whose children must be the same bytes. */
        for (o.by_values = 0; o.by_values < 2; o.by_values++) {
            bosc_trie *trie = trie_of(ctx, &o, &c);
            children[o.by_values] = children_of(ctx, trie, &bytes[o.by_values]);
            bosc_trie_free(trie);
        }
        CHECK(bytes[0] == bytes[1] && memcmp(children[0], children[1], bytes[0]) == 0);
        free(children[0]);
        free(children[1]);
        free(c.rows);
    }
}

static const struct suite_case suite_cases_trie[] = {
    {"values", values, NULL},
    {"shapes", every_letter_size_and_layout, NULL},
    {"small", few_keys, NULL},
    {"full_cubes", full_cubes, NULL},
    {"long_prefixes", long_prefixes, NULL},
    {"changes", changes, NULL},
    {"large", many_keys, NULL},
    {"crowded", crowded, NULL},
    {"alike", alike, NULL},
    {"long_ways", long_ways, NULL},
    {"six vectors", six_vectors, NULL},
    {"digits", digits, NULL},
};
SUITE(trie);
