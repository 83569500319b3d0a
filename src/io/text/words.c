#include "io/text/words.h"

#include <stdlib.h>
#include <string.h>

bool bi_array_reserve(void *array, int64_t count, int64_t *capacity, size_t size)
{
    void *old;
    if (count <= *capacity) return true;
    memcpy(&old, array, sizeof old);
    const int64_t grown_capacity = 2 * count + BI_IO_MIN_CAPACITY;
    void *grown = bi_io_realloc(old, (size_t)grown_capacity * size);
    if (!grown) return false;
    memcpy(array, &grown, sizeof grown);
    *capacity = grown_capacity;
    return true;
}

/* FNV-1a. */
static uint64_t hash_word(const char *word, int64_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int64_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)word[i]) * 0x100000001b3u;
    return hash ^ hash >> 32; /* the low bits choose the slot */
}

/* Returns the slot of a word, or the free slot for it. */
static int64_t *find_slot(const struct bi_words *w, const char *word, int64_t size)
{
    const uint64_t mask = (uint64_t)w->slot_count - 1;
    for (uint64_t at = hash_word(word, size) & mask;; at = (at + 1) & mask) {
        const int64_t k = w->slots[at] - 1;
        if (k < 0) return &w->slots[at];
        const int64_t begin = w->offsets[k];
        if (w->offsets[k + 1] - begin == size && (size == 0 || memcmp(w->text + begin, word, (size_t)size) == 0))
            return &w->slots[at];
    }
}

/* Doubles the hash table. */
static bool grow_slots(struct bi_words *w)
{
    const int64_t old = w->slot_count, count = old ? 2 * old : BI_IO_MIN_CAPACITY;
    int64_t *slots = bi_io_alloc((size_t)count * sizeof *slots);
    if (!slots) return false;
    memset(slots, 0, (size_t)count * sizeof *slots);
    free(w->slots);
    w->slots = slots;
    w->slot_count = count;
    for (int64_t k = 0; k < w->count; k++)
        *find_slot(w, w->text + w->offsets[k], w->offsets[k + 1] - w->offsets[k]) = k + 1;
    return true;
}

int64_t bi_words_add(struct bi_words *w, const char *word, int64_t size)
{
    if (2 * (w->count + 1) > w->slot_count && !grow_slots(w)) return -1; /* at most half are used */
    int64_t *slot = find_slot(w, word, size);
    if (*slot) return *slot - 1;
    const int64_t used = w->count ? w->offsets[w->count] : 0;
    if (!bi_array_reserve(&w->text, used + size + 1, &w->text_capacity, 1) ||
        !bi_array_reserve(&w->offsets, w->count + 2, &w->capacity, sizeof *w->offsets))
        return -1;
    if (size > 0) memcpy(w->text + used, word, (size_t)size);
    w->offsets[w->count] = used;
    w->offsets[++w->count] = used + size;
    *slot = w->count;
    return w->count - 1;
}

void bi_words_free(struct bi_words *w)
{
    free(w->text);
    free(w->offsets);
    free(w->slots);
    *w = (struct bi_words){.count = 0};
}
