/* Letters of barcodes as bits. */
#ifndef TOOL_COMMANDS_UMI_LETTERS_H
#define TOOL_COMMANDS_UMI_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Values of characters, capitals; other characters have 0. */
struct umi_letters {
    int32_t plain_bits, coded_bits, match_bits; /* of a letter in `plain`, `coded`, and `match` and `mask` */
    bool is_code[256];                          /* ambiguity codes */
    uint8_t plain[256];                         /* letters other than codes */
    uint8_t coded[256];                         /* all letters differ */
    /* A letter x matches a code c if match[x] agrees with match[c] in the bits of mask[c]. mask of a letter: all. */
    uint8_t match[256], mask[256];
};

/* Sets the values of amino acids, or of bases. */
void umi_letters_init(struct umi_letters *letters, bool amino_acids);

/* Sets letter k of a packed row, which is 0 there. */
static inline void umi_letter_set(uint64_t *row, int64_t k, int32_t bits, uint64_t value)
{
    const int64_t per_word = 64 / bits;
    row[k / per_word] |= value << k % per_word * bits;
}

#endif
