/* Alphabets of vectors and sequences. */
#ifndef BI_IO_GRAPH_ALPHABET_H
#define BI_IO_GRAPH_ALPHABET_H

#include "io/io.h"

enum { BI_NO_LETTER = -1, BI_AMBIGUITY_CODE = -2 };

/* The values of characters. */
struct bi_alphabet {
    int32_t letter_bits;
    const char *names;  /* of the letters, for messages */
    int8_t values[256]; /* of each character, in either case: the letter's value, or one of the above */
};

/* Sets the values of an alphabet other than AUTO. has_codes: ambiguity codes are letters too. */
void bi_alphabet_set(struct bi_alphabet *alphabet, bosc_alphabet which, bool has_codes);

static inline int bi_letter_value(const struct bi_alphabet *alphabet, char c)
{
    return alphabet->values[(unsigned char)c];
}

#endif
