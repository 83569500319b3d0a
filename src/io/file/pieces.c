/* Pieces of a text: where their lines begin and end, and the loop that parses them. */
#include "io/file/pieces.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE_BYTES = 1 << 17, /* with what becomes of it, a piece stays in a cache of the second level */
    LINE_BYTES = 1 << 10,  /* read beyond a piece at first, for the end of its last line */
    SLOTS_A_THREAD = 4     /* so far ahead of the slowest thread are the others */
};

struct bi_pieces bi_pieces_of(const struct bi_bytes *in, const struct bi_lines *lines)
{
    struct bi_pieces p = {.in = in, .begin = (size_t)(lines->next - in->data), .end = bi_bytes_total(in)};
    p.each = in->piece ? in->piece : PIECE_BYTES;
    if (in->slice && in->slice->parts > 1) { /* small enough for each part to have one */
        const size_t fair = (p.end - p.begin) / (size_t)in->slice->parts + 1;
        if (fair < p.each) p.each = fair;
    }
    p.count = (int64_t)((p.end - p.begin + p.each - 1) / p.each);
    if (in->slice) {
        bosc_slice pieces = *in->slice;
        p.count = bi_slice_take(&pieces, p.count);
        p.first = pieces.begin;
    }
    return p;
}

int bi_pieces_count_before(const struct bi_pieces *pieces, int64_t *lines)
{
    char text[1 << 12];
    const size_t end = pieces->begin + (size_t)pieces->first * pieces->each;
    if (pieces->first == 0) return 0;
    for (size_t at = pieces->begin; at < end - 1; at += sizeof text) { /* the line that ends behind is the last one */
        const size_t size = end - 1 - at < sizeof text ? end - 1 - at : sizeof text;
        const int number = bi_bytes_copy(pieces->in, at, text, size);
        if (number) return number;
        for (const char *p = text; (p = memchr(p, '\n', (size_t)(text + size - p))); p++) ++*lines;
    }
    ++*lines;
    return 0;
}

/* Finds the lines that begin in the first `own` bytes of a text, of which the first byte, unless the text `is_first`,
 * is the last one before the piece. False: the last line's end is not in the text. */
static bool find_lines(const char *text, size_t own, size_t size, bool is_first, bool is_last, struct bi_piece *piece)
{
    const char *before = is_first ? NULL : memchr(text, '\n', own - 1);
    piece->begin = piece->end = text;
    if (!is_first && !before) return true; /* within a line that began earlier */
    const char *stop = memchr(text + own - 1, '\n', size - own + 1);
    piece->begin = is_first ? text : before + 1;
    piece->end = stop ? stop + 1 : text + size;
    return stop || is_last;
}

static bool reserve(struct bi_piece *piece, size_t size)
{
    if (size <= piece->capacity) return true;
    char *larger = bi_io_realloc(piece->memory, size);
    if (!larger) return false;
    piece->memory = larger;
    piece->capacity = size;
    return true;
}

int bi_piece_read(const struct bi_pieces *pieces, int64_t index, struct bi_piece *piece)
{
    size_t at = pieces->begin + (size_t)index * pieces->each, left = pieces->end - at;
    size_t own = left < pieces->each ? left : pieces->each, have = 0;
    bool is_first = index == 0;
    piece->index = index;
    at -= !is_first;
    own += !is_first;
    left += !is_first;
    if (!pieces->in->rest) {
        find_lines(pieces->in->data + at, own, left, is_first, true, piece);
        return 0;
    }
    for (size_t size = own + LINE_BYTES;; size *= 2) {
        if (size > left) size = left;
        if (!reserve(piece, size)) return ENOMEM;
        int number = bi_bytes_copy(pieces->in, at + have, piece->memory + have, size - have);
        have = size;
        if (number || find_lines(piece->memory, own, size, is_first, size == left, piece)) return number;
    }
}

/* ---- the loop over pieces ---- */

/* Piece i is parsed in slot i % slots, when the piece that had it before has been joined. */
struct slot {
    struct bi_piece piece;
    void *own;
    int64_t parsed; /* the number of pieces up to the one that was parsed here last */
    int number;     /* why its text could not be read, or 0 */
    bool joined;
};

/* No thread waits for another, unless it is as many pieces ahead as there are slots: whoever finds that nobody joins
 * joins what is parsed. Threads that wait in order would burn time wherever one of them is not running. */
struct loop {
    const struct bi_pieces *pieces;
    const struct bi_piece_parser *parser;
    struct slot slots[SLOTS_A_THREAD * BI_CHUNKS_MAX];
    int64_t slot_count;
    int64_t next; /* pieces that were joined, or passed over behind one that failed */
    int joining;
    bosc_status status; /* of the first piece that failed; BOSC_ERR_CANCELLED by the calling thread at any time */
    void *all;
    bosc_io_error *error;
};

static void join_next(struct loop *loop, struct slot *slot)
{
    bosc_status status = BOSC_OK;
    slot->joined = false;
    if (__atomic_load_n(&loop->status, __ATOMIC_RELAXED) != BOSC_OK) return;
    if (slot->number)
        status = bi_bytes_fail(loop->pieces->in, slot->number, loop->error);
    else
        status = loop->parser->join(slot->own, loop->all, &slot->piece, loop->error);
    slot->joined = status == BOSC_OK;
    if (status != BOSC_OK) __atomic_store_n(&loop->status, status, __ATOMIC_RELAXED);
}

static struct slot *next_parsed(struct loop *loop)
{
    int64_t next = __atomic_load_n(&loop->next, __ATOMIC_SEQ_CST);
    struct slot *slot = &loop->slots[next % loop->slot_count];
    return __atomic_load_n(&slot->parsed, __ATOMIC_SEQ_CST) == next + 1 ? slot : NULL;
}

/* Joins what is parsed, unless another thread does; that one looks again when it has ended. */
static void join_parsed(struct loop *loop)
{
    struct slot *slot;
    while (next_parsed(loop) && !__atomic_exchange_n(&loop->joining, 1, __ATOMIC_SEQ_CST)) {
        while ((slot = next_parsed(loop))) {
            join_next(loop, slot);
            __atomic_store_n(&loop->next, loop->next + 1, __ATOMIC_SEQ_CST);
        }
        __atomic_store_n(&loop->joining, 0, __ATOMIC_SEQ_CST);
    }
}

static void put(const struct loop *loop, const struct slot *slot)
{
    if (slot->joined && loop->parser->put) loop->parser->put(slot->own, loop->all);
}

static void parse_piece(struct loop *loop, int64_t i)
{
    struct slot *slot = &loop->slots[i % loop->slot_count];
    while (__atomic_load_n(&loop->next, __ATOMIC_SEQ_CST) + loop->slot_count <= i) {
        join_parsed(loop);
        sched_yield();
    }
    if (i >= loop->slot_count) put(loop, slot);
    if (!bi_io_reach((double)__atomic_load_n(&loop->next, __ATOMIC_RELAXED) * (double)loop->pieces->each))
        __atomic_store_n(&loop->status, BOSC_ERR_CANCELLED, __ATOMIC_RELAXED);
    if (__atomic_load_n(&loop->status, __ATOMIC_RELAXED) == BOSC_OK) {
        slot->number = bi_piece_read(loop->pieces, loop->pieces->first + i, &slot->piece);
        if (!slot->number) loop->parser->parse(slot->own, loop->all, &slot->piece);
    }
    __atomic_store_n(&slot->parsed, i + 1, __ATOMIC_SEQ_CST);
    join_parsed(loop);
}

bosc_status bi_pieces_parse(const struct bi_pieces *pieces, const struct bi_piece_parser *parser, void *all,
                            bosc_io_error *error)
{
    const int threads = bi_io_threads((size_t)pieces->count);
    struct loop loop = {.pieces = pieces, .parser = parser, .all = all, .error = error};
    loop.slot_count = threads == 1 ? 1 : SLOTS_A_THREAD * threads;
    char *memory = bi_io_alloc((size_t)loop.slot_count * parser->size);
    if (!memory) return bi_bytes_fail(pieces->in, ENOMEM, error);
    memset(memory, 0, (size_t)loop.slot_count * parser->size);
    bi_io_phase(0.9, (double)(pieces->end - pieces->begin));
    for (int64_t k = 0; k < loop.slot_count; k++) loop.slots[k].own = memory + (size_t)k * parser->size;
#pragma omp parallel for num_threads(threads) schedule(monotonic : dynamic, 1)
    for (int64_t i = 0; i < pieces->count; i++) parse_piece(&loop, i);
    join_parsed(&loop);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int64_t k = 0; k < loop.slot_count; k++) {
        if (k < pieces->count) put(&loop, &loop.slots[k]);
        if (parser->free) parser->free(loop.slots[k].own);
        free(loop.slots[k].piece.memory);
    }
    free(memory);
    return loop.status;
}
