/* Columns of points split around their median, and whole subtrees. Included once for each type of key. */

static inline KEY *NAMED(column)(const struct bi_kd_columns *s, int32_t c, int64_t i)
{
    return (KEY *)s->keys + c * s->pitch + i - s->base;
}

static inline uint32_t *NAMED(ids)(const struct bi_kd_columns *s, int64_t i) { return s->ids + i - s->base; }

/* Whether point i comes before point j by the superkey after coordinate c (which is equal), then by id. */
static bool NAMED(before)(const struct bi_kd_job *job, const struct bi_kd_columns *s, int64_t i, int64_t j, int32_t c)
{
    for (int32_t t = 1; t < job->dim; t++) {
        c = bi_kd_cycle(c, job->dim);
        KEY a = *NAMED(column)(s, c, i), b = *NAMED(column)(s, c, j);
        if (a != b) return a < b;
    }
    return *NAMED(ids)(s, i) < *NAMED(ids)(s, j);
}

/* Sets mask bits of keys less than v, and returns the place of the (last) key equal to it. */
static inline int64_t NAMED(mark)(const KEY *keys, int64_t m, KEY v, uint16_t *masks)
{
    int64_t at = -1;
    for (int64_t i = 0; i < m; i += 16) {
        struct bits16 b = NAMED(compare)(keys + i, m - i, v);
        masks[i >> 4] = (uint16_t)b.less;
        if (b.equal) at = i + __builtin_ctz(b.equal);
    }
    return at;
}

/* Puts the point of rank `rank` among listed ones, which are equal at coordinate c, at its place in the list. Pivots
 * are taken by hash, so that no order of the data is a bad one. */
static void NAMED(select_tied)(const struct bi_kd_job *job, const struct bi_kd_columns *s, int64_t begin, int32_t c,
                               uint32_t *list, int64_t count, int64_t rank)
{
    int64_t lo = 0, hi = count - 1;
    uint64_t seed = (uint64_t)count;
    while (lo < hi) {
        seed = seed * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du;
        int64_t pivot = begin + list[lo + (int64_t)((seed >> 33) % (uint64_t)(hi - lo + 1))], i = lo, j = hi;
        while (i <= j) {
            while (NAMED(before)(job, s, begin + list[i], pivot, c)) i++;
            while (NAMED(before)(job, s, pivot, begin + list[j], c)) j--;
            if (i > j) break;
            uint32_t t = list[i];
            list[i++] = list[j];
            list[j--] = t;
        }
        if (rank <= j)
            hi = j;
        else if (rank >= i)
            lo = i;
        else
            return;
    }
}

/* As mark where several keys are equal to v: the point of rank `rank` among those is the median. */
static int64_t NAMED(mark_tied)(const struct bi_kd_job *job, const struct bi_kd_columns *s, struct bi_kd_range r,
                                int32_t c, KEY v, int64_t rank, uint16_t *masks, uint32_t *list)
{
    int64_t m = r.end - r.begin, count = 0;
    const KEY *keys = NAMED(column)(s, c, r.begin);
    for (int64_t i = 0; i < m; i += 16) {
        struct bits16 b = NAMED(compare)(keys + i, m - i, v);
        masks[i >> 4] = (uint16_t)b.less;
        for (uint32_t equal = b.equal; equal; equal &= equal - 1)
            list[count++] = (uint32_t)i + (uint32_t)__builtin_ctz(equal);
    }
    NAMED(select_tied)(job, s, r.begin, c, list, count, rank);
    for (int64_t i = 0; i < rank; i++) masks[list[i] >> 4] |= (uint16_t)(1u << (list[i] & 15));
    return list[rank];
}

/* Takes point `at` of a range out: to the hole at `mid` of both places; the last point goes where it was. */
static inline void NAMED(take_out)(const struct bi_kd_job *job, const struct bi_kd_columns *from,
                                   const struct bi_kd_columns *to, struct bi_kd_range r, int64_t at, uint16_t *masks)
{
    int64_t mid = bi_kd_mid(r), last = r.end - 1 - r.begin;
    for (int32_t c = 0; c < job->dim; c++) {
        KEY *keys = NAMED(column)(from, c, r.begin);
        *NAMED(column)(to, c, mid) = keys[at];
        keys[at] = keys[last];
    }
    uint32_t *ids = NAMED(ids)(from, r.begin);
    *NAMED(ids)(to, mid) = ids[at];
    ids[at] = ids[last];
    uint32_t bit = (masks[last >> 4] >> (last & 15)) & 1;
    masks[at >> 4] = (uint16_t)((masks[at >> 4] & ~(1u << (at & 15))) | bit << (at & 15));
}

/* Takes the median of a range out, and sets mask bits of the points before it. */
static void NAMED(choose)(const struct bi_kd_job *job, const struct bi_kd_columns *from, const struct bi_kd_columns *to,
                          struct bi_kd_range r, int level, uint16_t *masks)
{
    int64_t m = r.end - r.begin, half = m / 2, at;
    int32_t c = level % job->dim;
    const KEY *keys = NAMED(column)(from, c, r.begin);
    struct NAMED(selected) median = NAMED(select)(keys, m, half, NAMED(column)(to, c, r.begin));
    if (median.equal == 1)
        at = NAMED(mark)(keys, m, median.key, masks);
    else
        at = NAMED(mark_tied)(job, from, r, c, median.key, half - median.less, masks, NAMED(ids)(to, r.begin));
    NAMED(take_out)(job, from, to, r, at, masks);
}

/* Spreads column p of a range (dim: the ids) around its median. */
static void NAMED(spread_column)(const struct bi_kd_job *job, const struct bi_kd_columns *from,
                                 const struct bi_kd_columns *to, struct bi_kd_range r, int32_t p, const uint16_t *masks)
{
    int64_t rest = r.end - r.begin - 1, mid = bi_kd_mid(r);
    if (p < job->dim) {
        NAMED(spread)
        (NAMED(column)(from, p, r.begin), rest, masks, NAMED(column)(to, p, r.begin), NAMED(column)(to, p, mid + 1));
        *NAMED(column)(from, p, mid) = *NAMED(column)(to, p, mid);
    } else {
        spread32(NAMED(ids)(from, r.begin), rest, masks, NAMED(ids)(to, r.begin), NAMED(ids)(to, mid + 1));
        *NAMED(ids)(from, mid) = *NAMED(ids)(to, mid);
    }
}

/* Keys to elements: the bits that a float or an integer has. */
static inline KEY NAMED(bits)(KEY key, bool floating)
{
    const KEY top = (KEY)1 << (8 * sizeof(KEY) - 1);
    return floating && !(key & top) ? (KEY)~key : key ^ top;
}

static inline bool NAMED(floating)(const struct bi_kd_job *job)
{
    return job->dtype == BOSC_F32 || job->dtype == BOSC_F64;
}

static void NAMED(emit)(const struct bi_kd_job *job, const struct bi_kd_columns *from, int64_t i)
{
    KEY *points = (KEY *)job->tree.points;
    for (int32_t c = 0; c < job->dim; c++)
        points[bi_kd_at(&job->tree, i, c)] = NAMED(bits)(*NAMED(column)(from, c, i), NAMED(floating)(job));
    ((uint32_t *)job->tree.ids)[i] = *NAMED(ids)(from, i);
}

/* A small subtree whose points stay where they are: order[] names them, counted from `begin`. */
struct NAMED(leaf) {
    const struct bi_kd_job *job;
    const struct bi_kd_columns *from;
    int64_t begin;
    uint8_t order[NAMED(SMALL)];
};

static void NAMED(sort_leaf)(struct NAMED(leaf) * leaf, int lo, int hi, int32_t c)
{
    const KEY *keys = NAMED(column)(leaf->from, c, leaf->begin);
    for (int i = lo + 1; i < hi; i++) {
        uint8_t x = leaf->order[i];
        int j = i;
        for (; j > lo; j--) {
            uint8_t y = leaf->order[j - 1];
            if (keys[y] < keys[x] ||
                (keys[y] == keys[x] && NAMED(before)(leaf->job, leaf->from, leaf->begin + y, leaf->begin + x, c)))
                break;
            leaf->order[j] = y;
        }
        leaf->order[j] = x;
    }
}

/* Splits order[lo, hi) around the key v of its median, which is the only one of that value. */
static inline void NAMED(split_leaf)(struct NAMED(leaf) * leaf, int lo, int hi, const KEY *k, KEY v)
{
    uint8_t less[NAMED(SMALL) + 1], greater[NAMED(SMALL) + 1], median = 0;
    int l = 0, g = 0;
    for (int j = 0; j < hi - lo; j++) {
        uint8_t x = leaf->order[lo + j];
        less[l] = greater[g] = x;
        l += k[j] < v;
        g += k[j] > v;
        median = k[j] == v ? x : median;
    }
    for (int j = 0; j < l; j++) leaf->order[lo + j] = less[j];
    leaf->order[lo + l] = median;
    for (int j = 0; j < g; j++) leaf->order[lo + l + 1 + j] = greater[j];
}

static void NAMED(arrange)(struct NAMED(leaf) * leaf, int lo, int hi, int level)
{
    int count = hi - lo;
    if (count < 2) return;
    int32_t c = level % leaf->job->dim;
    if (count <= 3) {
        NAMED(sort_leaf)(leaf, lo, hi, c);
        return;
    }
    KEY k[NAMED(SMALL)];
    const KEY *keys = NAMED(column)(leaf->from, c, leaf->begin);
    for (int j = 0; j < count; j++) k[j] = keys[leaf->order[lo + j]];
    struct NAMED(selected) median = NAMED(select_small)(k, count, count / 2);
    if (median.equal == 1)
        NAMED(split_leaf)(leaf, lo, hi, k, median.key);
    else
        NAMED(sort_leaf)(leaf, lo, hi, c);
    NAMED(arrange)(leaf, lo, lo + count / 2, level + 1);
    NAMED(arrange)(leaf, lo + count / 2 + 1, hi, level + 1);
}

static void NAMED(finish_leaf)(const struct bi_kd_job *job, const struct bi_kd_columns *from, struct bi_kd_range r,
                               int level)
{
    struct NAMED(leaf) leaf = {.job = job, .from = from, .begin = r.begin};
    int m = (int)(r.end - r.begin);
    bool floating = NAMED(floating)(job);
    KEY *points = (KEY *)job->tree.points;
    for (int i = 0; i < m; i++) leaf.order[i] = (uint8_t)i;
    NAMED(arrange)(&leaf, 0, m, level);
    for (int32_t c = 0; c < job->dim; c++) {
        const KEY *keys = NAMED(column)(from, c, r.begin);
        for (int i = 0; i < m; i++)
            points[bi_kd_at(&job->tree, r.begin + i, c)] = NAMED(bits)(keys[leaf.order[i]], floating);
    }
    for (int i = 0; i < m; i++) ((uint32_t *)job->tree.ids)[r.begin + i] = *NAMED(ids)(from, r.begin + leaf.order[i]);
}

static void NAMED(finish)(const struct bi_kd_job *job, const struct bi_kd_columns *from,
                          const struct bi_kd_columns *own, struct bi_kd_range r, int level, uint16_t *masks)
{
    if (r.end - r.begin <= NAMED(SMALL)) {
        NAMED(finish_leaf)(job, from, r, level);
        return;
    }
    NAMED(choose)(job, from, own, r, level, masks);
    for (int32_t p = 0; p <= job->dim; p++) NAMED(spread_column)(job, from, own, r, p, masks);
    NAMED(emit)(job, own, bi_kd_mid(r));
    NAMED(finish)(job, own, from, bi_kd_less(r), level + 1, masks);
    NAMED(finish)(job, own, from, bi_kd_greater(r), level + 1, masks);
}

static void NAMED(load)(const struct bi_kd_job *job, const struct bi_kd_columns *to, struct bi_kd_range r)
{
    const struct bi_kd_rows *rows = &job->rows;
    for (int32_t c = 0; c < job->dim; c++) {
        KEY *keys = NAMED(column)(to, c, 0);
        for (int64_t i = r.begin; i < r.end; i++)
            keys[i] = (KEY)bi_kd_key(rows->data, i * rows->stride + c, job->dtype);
    }
    for (int64_t i = r.begin; i < r.end; i++) to->ids[i - to->base] = (uint32_t)i;
}
