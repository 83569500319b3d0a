/* Searches for one type of element T and distance D. Included once for each, with T, D, ENTRY (see entry_f32), DIST()
 * (the name of a helper for D) and NAMED() set.
 *
 * All functions are inlined into one loop over queries for each dimension and kind of search, which are constants
 * there. */

typedef T NAMED(lanes) __attribute__((vector_size(16 * sizeof(T)), aligned(sizeof(T))));
typedef D NAMED(dist_lanes) __attribute__((vector_size(16 * sizeof(D))));

#ifndef BI_KD_SEARCH_KINDS
#define BI_KD_SEARCH_KINDS
enum kind { NEAREST, LIST, HEAP, COUNT, FILL };
#endif

/* A query on its way. */
struct NAMED(query) {
    const struct bi_kd_search *a;
    D q[1024];
    D limit; /* what is farther does not count */
    int64_t k;
    ENTRY *top; /* the best so far: in order, or a max-heap */
    ENTRY list[BI_KD_LIST];
    struct bi_row_out row;
    int64_t count, room;
};

INLINED void NAMED(keep_in_order)(struct NAMED(query) * s, ENTRY e)
{
    int64_t at = s->k - 1;
    if (e >= s->top[at]) return;
    for (; at > 0 && s->top[at - 1] > e; at--) s->top[at] = s->top[at - 1];
    s->top[at] = e;
    s->limit = DIST(distance)(s->top[s->k - 1]);
}

static void NAMED(sink)(ENTRY *heap, int64_t count, ENTRY e)
{
    int64_t hole = 0;
    for (int64_t child; (child = 2 * hole + 1) < count; hole = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= e) break;
        heap[hole] = heap[child];
    }
    heap[hole] = e;
}

INLINED void NAMED(keep)(struct NAMED(query) * s, D distance, uint32_t id, enum kind kind)
{
    D d = distance == distance ? distance : (D)INFINITY;
    if (kind == FILL) {
        if (!(d <= s->limit)) return;
        if (s->count < s->room) bi_kd_heap_up(&s->row, s->count, (double)d, id, true);
        s->count++;
        return;
    }
    ENTRY e = DIST(entry)(d, id);
    if (kind == LIST) {
        NAMED(keep_in_order)(s, e);
    } else if (e < s->top[0]) {
        if (kind == HEAP)
            NAMED(sink)(s->top, s->k, e);
        else
            s->top[0] = e;
        s->limit = DIST(distance)(s->top[0]);
    }
}

/* Measures the nodes of a leaf, 16 at a time. */
INLINED void NAMED(scan)(struct NAMED(query) * s, uint32_t leaf, int dim, enum kind kind)
{
    const struct bi_kd_search *a = s->a;
    int64_t begin = a->index.begins[leaf], end = (int64_t)a->index.begins[leaf + 1] - 1;
    for (int64_t block = begin & -BI_KD_BLOCK; block < end; block += BI_KD_BLOCK) {
        const T *p = (const T *)a->view.points + block * dim;
        NAMED(dist_lanes) sum = {0};
        D far[BI_KD_BLOCK] __attribute__((aligned(64)));
        for (int c = 0; c < dim; c++) {
            NAMED(dist_lanes)
            d = s->q[c] - __builtin_convertvector(*(const NAMED(lanes) *)(p + c * BI_KD_BLOCK), NAMED(dist_lanes));
            sum = sum + d * d;
        }
        *(NAMED(dist_lanes) *)far = sum;
        uint32_t in = 0xffff;
        if (block < begin) in &= 0xffffu << (begin - block);
        if (end - block < BI_KD_BLOCK) in &= (1u << (end - block)) - 1;
        uint32_t near = DIST(near)(far, s->limit) & in;
        if (kind == COUNT && s->limit < (D)INFINITY) { /* NaN is not counted unless infinity is */
            for (uint32_t rest = near; rest; rest &= rest - 1)
                near ^= (uint32_t)(far[__builtin_ctz(rest)] != far[__builtin_ctz(rest)]) << __builtin_ctz(rest);
        }
        if (kind == COUNT)
            s->count += __builtin_popcount(near);
        else
            while (near) {
                int lane = __builtin_ctz(near);
                near &= near - 1;
                NAMED(keep)(s, far[lane], a->view.ids[block + lane], kind);
                if (kind == NEAREST) near &= DIST(near)(far, s->limit);
            }
    }
}

/* Measures a node above the leaves: the one before the first leaf of its greater side. */
INLINED void NAMED(measure)(struct NAMED(query) * s, uint32_t node, int level, int dim, enum kind kind)
{
    const struct bi_kd_search *a = s->a;
    uint32_t greater = (2 * (node + 1 - (1u << level)) + 1) << (a->index.levels - level - 1);
    int64_t i = (int64_t)a->index.begins[greater] - 1;
    const T *p = (const T *)a->view.points + (i & -BI_KD_BLOCK) * dim + (i & (BI_KD_BLOCK - 1));
    D sum = 0;
    for (int c = 0; c < dim; c++) {
        D d = s->q[c] - (D)p[c * BI_KD_BLOCK];
        sum = sum + d * d;
    }
    if (sum > s->limit) return;
    if (kind == COUNT)
        s->count += sum == sum || s->limit == (D)INFINITY;
    else
        NAMED(keep)(s, sum, a->view.ids[i], kind);
}

/* The squared distance of x from an interval, without branches. It is NaN only for a NaN x. */
INLINED D NAMED(gap)(D x, D low, D high)
{
    D below = low - x, above = x - high, d = below > above ? below : above;
    d = (D)0 > d ? (D)0 : d;
    return d * d;
}

/* Squared distances from the intervals on the way to a subtree, by coordinate, and their sum: its bound. */
INLINED D NAMED(sum)(const D *away, int used)
{
    D s = 0;
    for (int c = 0; c < used; c++) s = s + away[c];
    return s;
}

/* Whether nothing in a subtree counts: all of it is too far, or as far as the last of the nearest, with greater ids. */
INLINED bool NAMED(skips)(const struct NAMED(query) * s, D bound, uint32_t node, int level, enum kind kind)
{
    const struct bi_kd_index *index = &s->a->index;
    if (bound < s->limit) return false;
    if (bound > s->limit) return true;
    D d = bound == bound ? bound : (D)INFINITY;
    if (kind == COUNT || kind == FILL) return d > s->limit;
    int above = level > index->floor_levels ? level - index->floor_levels : 0;
    return DIST(entry)(d, index->floors[((node + 1) >> above) - 1]) >= s->top[kind == LIST ? s->k - 1 : 0];
}

/* Searches the subtree `node` of a level, beyond the plane of its parent, that of coordinate `crossed`. Downward, the
 * side of the plane that the query is on comes first. The other one waits with the distance of the plane, and only when
 * its turn has come is it asked how far its points really are. */
INLINED void NAMED(search_subtree)(struct NAMED(query) * s, uint32_t node, int level, int crossed, D square, int dim,
                                   enum kind kind)
{
    const struct bi_kd_index *index = &s->a->index;
    int used = dim < BI_KD_LEVELS ? dim : BI_KD_LEVELS, depth = 0;
    uint32_t nodes[BI_KD_LEVELS], first_leaf = (1u << index->levels) - 1;
    uint8_t node_levels[BI_KD_LEVELS];
    D planes[BI_KD_LEVELS], away[BI_KD_LEVELS], kept[BI_KD_LEVELS * BI_KD_LEVELS];
    for (int c = 0; c < used; c++) away[c] = 0;
    away[crossed] = square;
    if (NAMED(skips)(s, square, node, level, kind)) return;
    for (;;) {
        bool skipped = false;
        for (int c = level % dim; !skipped && level < index->levels; c = c + 1 == dim ? 0 : c + 1) {
            const T *sides = (const T *)index->sides + 4 * (size_t)node;
            D x = s->q[c], before = away[c], d = x - (D)sides[1];
            uint32_t greater = d > 0;
            const T *side = sides + 2 * greater;
            for (int i = 0; i < used; i++) kept[depth * used + i] = away[i];
            away[c] = d * d;
            level++;
            planes[depth] = NAMED(sum)(away, used);
            nodes[depth] = 2 * node + 2 - greater;
            node_levels[depth] = (uint8_t)level;
            depth += !(planes[depth] > s->limit); /* no branch: it could not be foreseen */
            away[c] = before;
            node = 2 * node + 1 + greater;
            if (x < (D)sides[0] || x > (D)sides[3]) {
                away[c] = NAMED(gap)(x, (D)side[0], (D)side[1]);
                skipped = NAMED(sum)(away, used) > s->limit;
            }
        }
        if (!skipped) NAMED(scan)(s, node - first_leaf, dim, kind);
        do {
            do {
                if (depth == 0) return;
                depth--;
            } while (planes[depth] > s->limit);
            node = nodes[depth];
            level = node_levels[depth];
            uint32_t parent = (node - 1) >> 1;
            const T *side = (const T *)index->sides + 4 * (size_t)parent + (node & 1 ? 0 : 2);
            int c = (level - 1) % dim;
            NAMED(measure)(s, parent, level - 1, dim, kind);
            for (int i = 0; i < used; i++) away[i] = kept[depth * used + i];
            away[c] = NAMED(gap)(s->q[c], (D)side[0], (D)side[1]);
        } while (NAMED(skips)(s, NAMED(sum)(away, used), node, level, kind));
    }
}

/* The query's own leaf, and then the siblings of the path to it, from the leaf upward. */
INLINED void NAMED(run_query)(struct NAMED(query) * s, uint32_t leaf, int dim, enum kind kind)
{
    const struct bi_kd_index *index = &s->a->index;
    uint32_t node = leaf + (1u << index->levels) - 1;
    NAMED(scan)(s, leaf, dim, kind);
    for (int level = index->levels - 1, c = level % dim; level >= 0; level--, c = c == 0 ? dim - 1 : c - 1) {
        uint32_t parent = (node - 1) >> 1, sibling = ((node - 1) ^ 1) + 1;
        const T *sides = (const T *)index->sides + 4 * (size_t)parent, *side = sides + (sibling & 1 ? 0 : 2);
        D x = s->q[c], d = x - (D)sides[1];
        node = parent;
        if (d * d > s->limit) continue;
        NAMED(measure)(s, parent, level, dim, kind);
        NAMED(search_subtree)(s, sibling, level + 1, c, NAMED(gap)(x, (D)side[0], (D)side[1]), dim, kind);
    }
}

/* Widens [*low, *high] to coordinate c of all nodes of subtree `i` of a level. Where a deeper level of the index splits
 * by c, its sides tell of all but the nodes between. */
static void NAMED(reach)(const struct bi_kd_view *v, const struct bi_kd_index *index, int level, int64_t i, int c,
                         T *low, T *high)
{
    int below = level;
    while (below < index->levels && below % v->dim != c) below++;
    T lo = *low, hi = *high;
    for (int l = level; l < below && below < index->levels; l++)
        for (int64_t j = i << (l - level); j < (i + 1) << (l - level); j++) {
            int64_t at = (int64_t)index->begins[(2 * j + 1) << (index->levels - l - 1)] - 1;
            T x = ((const T *)v->points)[bi_kd_at(v, at, c)];
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
    int64_t first = i << (below - level), end = (i + 1) << (below - level);
    if (below < index->levels) {
        const T *sides = (const T *)index->sides + 4 * (((int64_t)1 << below) - 1);
        for (int64_t j = first; j < end; j++) {
            lo = sides[4 * j] < lo ? sides[4 * j] : lo;
            hi = sides[4 * j + 3] > hi ? sides[4 * j + 3] : hi;
        }
    } else {
        for (int64_t at = index->begins[first]; at < (int64_t)index->begins[end] - 1; at++) {
            T x = ((const T *)v->points)[bi_kd_at(v, at, c)];
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
    }
    *low = lo;
    *high = hi;
}

static void NAMED(make_sides)(const struct bi_kd_view *v, const struct bi_kd_index *index, int level, int64_t begin,
                              int64_t end)
{
    int c = level % v->dim;
    for (int64_t i = begin; i < end; i++) {
        T *sides = (T *)index->sides + 4 * (((int64_t)1 << level) - 1 + i);
        int64_t mid = (int64_t)index->begins[(2 * i + 1) << (index->levels - level - 1)] - 1;
        T split = ((const T *)v->points)[bi_kd_at(v, mid, c)], most = split;
        T first = ((const T *)v->points)[bi_kd_at(v, mid + 1, c)], last = first;
        sides[0] = sides[1] = split;
        NAMED(reach)(v, index, level + 1, 2 * i, c, &sides[0], &most);
        NAMED(reach)(v, index, level + 1, 2 * i + 1, c, &first, &last);
        sides[2] = first;
        sides[3] = last;
    }
}

INLINED const T *NAMED(query_row)(const struct bi_kd_search *a, int64_t row)
{
    return (const T *)a->queries.data + row * a->queries.stride;
}

static void NAMED(locate)(const struct bi_kd_search *a, int64_t begin, int64_t end, uint32_t *leaves)
{
    const T *sides = (const T *)a->index.sides;
    for (int64_t at = begin; at < end; at += 16) {
        uint32_t node[16] = {0};
        int count = end - at < 16 ? (int)(end - at) : 16;
        for (int level = 0, c = 0; level < a->index.levels; level++, c = bi_kd_cycle(c, a->view.dim))
            for (int i = 0; i < count; i++) {
                D d = (D)NAMED(query_row)(a, at + i)[c] - (D)sides[4 * (size_t)node[i] + 1];
                node[i] = 2 * node[i] + 1 + (d > 0);
            }
        for (int i = 0; i < count; i++) leaves[at + i] = node[i] - ((1u << a->index.levels) - 1);
    }
}

/* Readies s for query `row`. */
INLINED void NAMED(start)(struct NAMED(query) * s, int64_t row, int dim, enum kind kind)
{
    const struct bi_kd_search *a = s->a;
    const T *q = NAMED(query_row)(a, row);
    for (int c = 0; c < dim; c++) {
        D x = (D)q[c];
        s->q[c] = x - x == 0 ? x : (D)NAN; /* all distances from infinity are infinite: so are then all bounds */
    }
    s->limit = (D)a->limit;
    s->count = 0;
    if (kind == FILL) {
        s->row.at = a->offsets[row];
        s->room = a->offsets[row + 1] - a->offsets[row];
    }
    if (kind <= HEAP)
        for (int64_t i = 0; i < s->k; i++) s->top[i] = DIST(entry)(s->limit, BI_KD_NONE);
}

/* Hands the answer of query `row` over. */
INLINED void NAMED(finish)(struct NAMED(query) * s, int64_t row, enum kind kind)
{
    const struct bi_kd_search *a = s->a;
    if (kind == COUNT) a->counts[row] = s->count;
    if (kind == FILL) {
        if (s->count == s->room)
            bi_kd_heap_sort(&s->row, s->count, true);
        else
            bi_atomic_min_i64(a->bad, row);
    }
    if (kind > HEAP) return;
    for (int64_t last = s->k - 1; kind == HEAP && last > 0; last--) {
        ENTRY e = s->top[last];
        s->top[last] = s->top[0];
        NAMED(sink)(s->top, last, e);
    }
    s->row.at = row * a->k;
    for (int64_t i = 0; i < a->k; i++) {
        uint32_t id = i < s->k ? (uint32_t)s->top[i] : BI_KD_NONE;
        bi_row_set(&s->row, i, id == BI_KD_NONE ? (double)INFINITY : (double)DIST(distance)(s->top[i]), id);
    }
}

INLINED void NAMED(run)(const struct bi_kd_search *a, int64_t begin, int64_t end, int thread, int dim, enum kind kind)
{
    struct NAMED(query) s;
    s.a = a;
    s.k = a->kept;
    s.top = kind == HEAP ? (ENTRY *)((char *)a->heaps + (size_t)thread * (size_t)a->kept * 16) : s.list;
    s.row = (struct bi_row_out){a->ids, a->dist2, 0, a->wide_ids, sizeof(D) == 4, false};
    for (int64_t i = begin; i < end; i++) {
        if (i + 8 < end) __builtin_prefetch(NAMED(query_row)(a, a->order[i + 8]));
        NAMED(start)(&s, a->order[i], dim, kind);
        if (a->view.nodes) NAMED(run_query)(&s, a->leaves[i], dim, kind);
        NAMED(finish)(&s, a->order[i], kind);
    }
}

static void NAMED(knn)(const struct bi_kd_search *a, int64_t begin, int64_t end, int thread)
{
    if (a->kept > BI_KD_LIST)
        NAMED(run)(a, begin, end, thread, a->view.dim, HEAP);
    else if (a->kept == 1)
        RUN_DIM(NEAREST)
    else
        RUN_DIM(LIST)
}

static void NAMED(radius_count)(const struct bi_kd_search *a, int64_t begin, int64_t end, int thread)
{
    NAMED(run)(a, begin, end, thread, a->view.dim, COUNT);
}

static void NAMED(radius_fill)(const struct bi_kd_search *a, int64_t begin, int64_t end, int thread)
{
    NAMED(run)(a, begin, end, thread, a->view.dim, FILL);
}
