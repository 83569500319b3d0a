/* Values of bases, amino acids and their ambiguity codes. */
#include "tool/commands/umi_letters.h"

#include <string.h>

/* Bases are sets in `coded` and `match`, a bit for each of A, C, G and T. A code matches the bases without a bit
 * outside its set. */
static void init_bases(struct umi_letters *letters)
{
    /* Character i is the set i. */
    static const char sets[] = "-ACMGRSVTWYHKDBN";
    enum { SETS = 16, ALL = 15 };
    letters->plain_bits = 2;
    letters->coded_bits = letters->match_bits = 4;
    for (int set = 1; set < SETS; set++) {
        const unsigned char c = (unsigned char)sets[set];
        letters->coded[c] = (uint8_t)set;
        letters->is_code[c] = (set & (set - 1)) != 0;
        letters->match[c] = letters->is_code[c] ? 0 : (uint8_t)set;
        letters->mask[c] = letters->is_code[c] ? (uint8_t)(ALL & ~set) : ALL;
    }
    letters->plain['C'] = 1;
    letters->plain['G'] = 2;
    letters->plain['T'] = 3;
}

/* `same` has the values of `as`. */
static void copy_letter(struct umi_letters *letters, unsigned char same, unsigned char as)
{
    letters->is_code[same] = letters->is_code[as];
    letters->plain[same] = letters->plain[as];
    letters->coded[same] = letters->coded[as];
    letters->match[same] = letters->match[as];
    letters->mask[same] = letters->mask[as];
}

/* The two amino acids of a code have values that differ in the lowest bit only. */
static void init_amino_acids(struct umi_letters *letters)
{
    static const char all[] = "DNEQILACFGHKMPRSTVWYUO*BZJX";
    static const char codes[] = "BZJX";
    enum { BITS = 5, FULL = (1 << BITS) - 1 };
    letters->plain_bits = letters->coded_bits = letters->match_bits = BITS;
    for (int i = 0; all[i]; i++) {
        const unsigned char c = (unsigned char)all[i];
        letters->plain[c] = letters->coded[c] = letters->match[c] = (uint8_t)i;
        letters->mask[c] = FULL;
    }
    for (int i = 0; codes[i]; i++) {
        const unsigned char c = (unsigned char)codes[i];
        letters->is_code[c] = true;
        letters->match[c] = c == 'X' ? 0 : (uint8_t)(2 * i); /* D, E or I, and the next value */
        letters->mask[c] = c == 'X' ? 0 : FULL - 1;
    }
}

void umi_letters_init(struct umi_letters *letters, bool amino_acids)
{
    memset(letters, 0, sizeof *letters);
    if (amino_acids) {
        init_amino_acids(letters);
        return;
    }
    init_bases(letters);
    copy_letter(letters, 'U', 'T');
    copy_letter(letters, '.', 'N');
}
