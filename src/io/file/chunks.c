/* Splits a text into chunks of whole lines, and runs the parallel loop that parses them. */
#include "io/file/chunks.h"
#include "io/file/file.h"
#include "io/file/array.h"
#include "io/text/row.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_BYTES = 1 << 17, /* a chunk and its parsed numbers fit in a cache of the second level */
    LINE_BYTES = 1 << 10,  /* first read beyond a chunk, for the end of its last line; doubled while lines are longer */
    SLOTS_PER_THREAD = 4   /* limits how far threads run ahead of the slowest. More: less waiting, more memory: four
                            * times 128 KB of text and its numbers a thread. Not measured */
};

struct bi_chunks bi_chunks_split(const struct bi_bytes *in, const struct bi_lines *lines)
{
    struct bi_chunks p = {.in = in, .begin = (size_t)(lines->next - in->data), .end = bi_bytes_total(in)};
    p.each = in->chunk_bytes ? in->chunk_bytes : CHUNK_BYTES;
    if (in->slice && in->slice->parts > 1) { /* at least one chunk for each part */
        const size_t share = (p.end - p.begin) / (size_t)in->slice->parts + 1;
        if (share < p.each) p.each = share;
    }
    p.count = (int64_t)((p.end - p.begin + p.each - 1) / p.each);
    if (in->slice) {
        bosc_slice slice = *in->slice;
        p.count = bi_slice_set_range(&slice, p.count);
        p.first = slice.begin;
    }
    return p;
}

int bi_chunks_count_lines_before(const struct bi_chunks *chunks, int64_t *lines)
{
    char text[1 << 12], last = 0;
    const size_t limit = chunks->begin + (size_t)chunks->first * chunks->each;
    if (chunks->first == 0) return 0;
    /* The lines before `limit`, and behind it up to an LF: CR alone ends a line, but begins no chunk. */
    for (size_t at = chunks->begin; at < chunks->end; at += sizeof text) {
        const size_t size = chunks->end - at < sizeof text ? chunks->end - at : sizeof text;
        const int number = bi_bytes_copy(chunks->in, at, text, size);
        if (number) return number;
        for (size_t i = 0; i < size; last = text[i++]) {
            *lines += text[i] == '\n' || last == '\r';
            if (text[i] == '\n' && at + i >= limit - 1) return 0;
        }
    }
    ++*lines;
    return 0;
}

/* Sets the range of lines that begin in the first `own` bytes of a text. Unless the chunk `is_first`, byte 0 is the
 * last byte before the chunk. False: the text does not contain the end of the last line. */
static bool find_lines(const char *text, size_t own, size_t size, bool is_first, bool is_last, struct bi_chunk *chunk)
{
    const char *line_end = is_first ? NULL : memchr(text, '\n', own - 1);
    chunk->begin = chunk->end = text;
    if (!is_first && !line_end) return true; /* no line begins here */
    const char *stop = memchr(text + own - 1, '\n', size - own + 1);
    chunk->begin = is_first ? text : line_end + 1;
    chunk->end = stop ? stop + 1 : text + size;
    return stop || is_last;
}

static bool reserve_memory(struct bi_chunk *chunk, size_t size)
{
    if (size <= chunk->capacity) return true;
    char *larger = bi_io_realloc(chunk->memory, size);
    if (!larger) return false;
    chunk->memory = larger;
    chunk->capacity = size;
    return true;
}

int bi_chunk_read(const struct bi_chunks *chunks, int64_t index, struct bi_chunk *chunk)
{
    size_t at = chunks->begin + (size_t)index * chunks->each, left = chunks->end - at;
    size_t own = left < chunks->each ? left : chunks->each, loaded = 0;
    bool is_first = index == 0;
    chunk->index = index;
    at -= !is_first;
    own += !is_first; /* include the byte before, which shows whether a line begins with the chunk */
    left += !is_first;
    if (!chunks->in->backing) {
        find_lines(chunks->in->data + at, own, left, is_first, true, chunk);
        return 0;
    }
    /* Read the chunk and bytes behind it, twice as many each time, until the last line ends. */
    for (size_t size = own + LINE_BYTES;; size *= 2) {
        if (size > left) size = left;
        if (!reserve_memory(chunk, size)) return ENOMEM;
        int number = bi_bytes_copy(chunks->in, at + loaded, chunk->memory + loaded, size - loaded);
        loaded = size;
        if (number || find_lines(chunk->memory, own, size, is_first, size == left, chunk)) return number;
    }
}

/* ---- parallel loop ---- */

/* Result of one chunk. Chunk i uses slot i % slot_count once the previous chunk of the slot has been joined. */
struct slot {
    struct bi_chunk chunk;
    void *own;
    int64_t parsed; /* index of the last chunk parsed here, plus 1 */
    int number;     /* errno if the text could not be read, or 0 */
    bool joined;
};

/* State of the loop. Any thread that finds no other thread joining joins the parsed chunks. A thread waits only if it
 * is slot_count chunks ahead of the join; waiting in order would waste time whenever a thread is descheduled. */
struct loop {
    const struct bi_chunks *chunks;
    const struct bi_chunk_parser *parser;
    struct slot slots[SLOTS_PER_THREAD * BI_CHUNKS_MAX];
    int64_t slot_count;
    int64_t next;       /* number of chunks joined, or skipped after a failure */
    int joining;        /* 1: a thread is joining */
    bosc_status status; /* of the first failed chunk; BOSC_ERR_CANCELLED is set by the calling thread at any time */
    void *all;
    bosc_io_error *error;
};

static void join_slot(struct loop *loop, struct slot *slot)
{
    bosc_status status = BOSC_OK;
    slot->joined = false;
    if (__atomic_load_n(&loop->status, __ATOMIC_RELAXED) != BOSC_OK) return;
    if (slot->number)
        status = bi_bytes_fail(loop->chunks->in, slot->number, loop->error);
    else
        status = loop->parser->join(slot->own, loop->all, &slot->chunk, loop->error);
    slot->joined = status == BOSC_OK;
    if (status != BOSC_OK) __atomic_store_n(&loop->status, status, __ATOMIC_RELAXED);
}

/* Returns the slot of the next chunk in order if that has been parsed, else NULL. */
static struct slot *find_joinable(struct loop *loop)
{
    int64_t next = __atomic_load_n(&loop->next, __ATOMIC_SEQ_CST);
    struct slot *slot = &loop->slots[next % loop->slot_count];
    return __atomic_load_n(&slot->parsed, __ATOMIC_SEQ_CST) == next + 1 ? slot : NULL;
}

/* Joins the parsed chunks, unless another thread is joining. Sequential consistency makes every parsed chunk visible
 * either to the thread that clears `joining` or to the one that published it, so none is forgotten. */
static void join_parsed(struct loop *loop)
{
    struct slot *slot;
    while (find_joinable(loop) && !__atomic_exchange_n(&loop->joining, 1, __ATOMIC_SEQ_CST)) {
        while ((slot = find_joinable(loop))) {
            join_slot(loop, slot);
            __atomic_store_n(&loop->next, loop->next + 1, __ATOMIC_SEQ_CST);
        }
        __atomic_store_n(&loop->joining, 0, __ATOMIC_SEQ_CST);
    }
}

static void copy_results(const struct loop *loop, const struct slot *slot)
{
    if (slot->joined && loop->parser->copy) loop->parser->copy(slot->own, loop->all);
}

static void parse_chunk(struct loop *loop, int64_t i)
{
    struct slot *slot = &loop->slots[i % loop->slot_count];
    /* 1. Wait until the previous chunk of this slot has been joined; join meanwhile. */
    while (__atomic_load_n(&loop->next, __ATOMIC_SEQ_CST) + loop->slot_count <= i) {
        join_parsed(loop);
        sched_yield();
    }
    if (i >= loop->slot_count) copy_results(loop, slot);
    /* 2. Parse, unless a chunk failed or the caller cancelled. */
    if (!bi_io_set_done((double)__atomic_load_n(&loop->next, __ATOMIC_RELAXED) * (double)loop->chunks->each))
        __atomic_store_n(&loop->status, BOSC_ERR_CANCELLED, __ATOMIC_RELAXED);
    if (__atomic_load_n(&loop->status, __ATOMIC_RELAXED) == BOSC_OK) {
        slot->number = bi_chunk_read(loop->chunks, loop->chunks->first + i, &slot->chunk);
        if (!slot->number) loop->parser->parse(slot->own, loop->all, &slot->chunk);
    }
    /* 3. Publish the result to the joining thread. */
    __atomic_store_n(&slot->parsed, i + 1, __ATOMIC_SEQ_CST);
    join_parsed(loop);
}

bosc_status bi_chunks_parse(const struct bi_chunks *chunks, const struct bi_chunk_parser *parser, void *all,
                            bosc_io_error *error)
{
    const int threads = bi_io_threads((size_t)chunks->count);
    struct loop loop = {.chunks = chunks, .parser = parser, .all = all, .error = error};
    loop.slot_count = threads == 1 ? 1 : SLOTS_PER_THREAD * threads;
    char *memory = bi_io_alloc((size_t)loop.slot_count * parser->size);
    if (!memory) return bi_bytes_fail(chunks->in, ENOMEM, error);
    memset(memory, 0, (size_t)loop.slot_count * parser->size);
    bi_io_phase(0.9, (double)(chunks->end - chunks->begin));
    for (int64_t k = 0; k < loop.slot_count; k++) loop.slots[k].own = memory + (size_t)k * parser->size;
#pragma omp parallel for num_threads(threads) schedule(monotonic : dynamic, 1)
    for (int64_t i = 0; i < chunks->count; i++) parse_chunk(&loop, i);
    join_parsed(&loop);
    /* The last chunk of each slot is joined, but not copied yet. */
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int64_t k = 0; k < loop.slot_count; k++) {
        if (k < chunks->count) copy_results(&loop, &loop.slots[k]);
        if (parser->free) parser->free(loop.slots[k].own);
        free(loop.slots[k].chunk.memory);
    }
    free(memory);
    return loop.status;
}
