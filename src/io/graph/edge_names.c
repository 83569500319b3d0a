/* Names of vertices, numbered by their first appearance. */
#define XXH_INLINE_ALL
#include "io/graph/edge_names.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { MIN_SLOTS = 1 << 10 }; /* 4 KB, a page */

static size_t length_of(const struct bi_edge_names *names, int64_t number)
{
    const int64_t end = number + 1 < names->list.n ? names->list.begins[number + 1] : (int64_t)names->used;
    return (size_t)(end - names->list.begins[number]) - 1; /* without the zero byte */
}

/* Returns the slot of a name, or the empty one where it belongs. */
static size_t find_slot(const struct bi_edge_names *names, const char *begin, size_t length)
{
    size_t slot = (size_t)XXH3_64bits(begin, length) & (names->slot_count - 1);
    for (; names->slots[slot]; slot = (slot + 1) & (names->slot_count - 1)) {
        const int64_t number = (int64_t)names->slots[slot] - 1;
        if (length_of(names, number) == length &&
            memcmp(names->list.text + names->list.begins[number], begin, length) == 0)
            break;
    }
    return slot;
}

/* Reserves memory for a further name. False: out of memory. */
static bool reserve(struct bi_edge_names *names, size_t length)
{
    bosc_names *list = &names->list;
    /* 1. The text, and where names begin in it. */
    if (names->used + length + 1 > names->text_capacity) {
        const size_t capacity = names->used + names->used / 2 + length + BI_IO_MIN_CAPACITY;
        char *text = bi_io_realloc(list->text, capacity);
        if (!text) return false;
        list->text = text;
        names->text_capacity = capacity;
    }
    if (list->n == names->capacity) {
        const int64_t capacity = list->n + list->n / 2 + BI_IO_MIN_CAPACITY;
        int64_t *begins = bi_io_realloc(list->begins, (size_t)capacity * sizeof *begins);
        if (!begins) return false;
        list->begins = begins;
        names->capacity = capacity;
    }
    /* 2. Twice as many slots, filled again. */
    if (names->slots && 2 * (size_t)(list->n + 1) < names->slot_count) return true;
    const size_t count = names->slots ? 2 * names->slot_count : MIN_SLOTS;
    uint32_t *slots = bi_io_alloc(count * sizeof *slots);
    if (!slots) return false;
    memset(slots, 0, count * sizeof *slots);
    free(names->slots);
    names->slots = slots;
    names->slot_count = count;
    for (int64_t i = 0; i < list->n; i++)
        slots[find_slot(names, list->text + list->begins[i], length_of(names, i))] = (uint32_t)i + 1;
    return true;
}

size_t bi_name_copy(char *to, const char *begin, const char *end)
{
    size_t length = 0;
    for (const char *p = begin; p < end; p++) {
        to[length++] = *p;
        if (*p == '"' && p + 1 < end && p[1] == '"') p++;
    }
    return length;
}

int64_t bi_edge_names_find(struct bi_edge_names *names, const char *begin, const char *end)
{
    bosc_names *list = &names->list;
    if (!reserve(names, (size_t)(end - begin))) return -1;
    const char *name = list->text + names->used; /* it stays there if it is new */
    const size_t length = bi_name_copy(list->text + names->used, begin, end);
    const size_t slot = find_slot(names, name, length);
    if (names->slots[slot]) return (int64_t)names->slots[slot] - 1;
    list->begins[list->n++] = (int64_t)names->used;
    names->used += length;
    list->text[names->used++] = '\0';
    names->slots[slot] = (uint32_t)list->n;
    return list->n - 1;
}

void bi_edge_names_free(struct bi_edge_names *names)
{
    bosc_names_free(&names->list);
    free(names->slots);
    names->slots = NULL;
}

void bosc_names_free(bosc_names *names)
{
    if (!names) return;
    free(names->text);
    free(names->begins);
    *names = (bosc_names){0};
}
