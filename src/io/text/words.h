/* Distinct words, numbered by first occurrence. */
#ifndef BI_IO_TEXT_WORDS_H
#define BI_IO_TEXT_WORDS_H

#include "io/io.h"

/* All zero: empty. */
struct bi_words {
    char *text;       /* word k: text[offsets[k]] to text[offsets[k + 1] - 1] */
    int64_t *offsets; /* (count + 1) once a word was added */
    int64_t count;
    int64_t *slots; /* (slot_count, a power of two) hash table with linear probing: number of a word + 1; 0: free */
    int64_t slot_count, text_capacity, capacity;
};

/* Returns the number of a word, which is added if it is new; -1: out of memory. */
int64_t bi_words_add(struct bi_words *words, const char *word, int64_t size);
void bi_words_free(struct bi_words *words);

/* Grows *array, whose elements have `size` bytes, to `count` elements. False: out of memory; it is unchanged. */
bool bi_array_reserve(void *array, int64_t count, int64_t *capacity, size_t size);

#endif
