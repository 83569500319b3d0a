/* The letters of bits, bases and amino acids.
 *
 * Source of the ambiguity codes: IUPAC-IUB, Nomenclature for Incompletely Specified Bases in Nucleic Acid Sequences
 * (1984); Nomenclature and Symbolism for Amino Acids and Peptides (1983). */
#include "io/graph/alphabet.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *letters, *codes; /* in the order of their values */
    const char *names;
    int32_t letter_bits, coded_bits; /* bits of a letter without and with the codes */
} alphabets[] = {
    [BOSC_ALPHABET_BITS] = {"01", "", "0, 1", 1, 1},
    [BOSC_ALPHABET_BASES] = {"ACGT", "RYSWKMBDHVN", "A, C, G, T", 2, 4},
    [BOSC_ALPHABET_AMINO_ACIDS] = {"ACDEFGHIKLMNPQRSTVWYUO*", "BZJX", "the amino acids", 5, 5},
};

static void set_value(struct bi_alphabet *alphabet, char letter, int value)
{
    alphabet->values[toupper((unsigned char)letter)] = (int8_t)value;
    alphabet->values[tolower((unsigned char)letter)] = (int8_t)value;
}

void bi_alphabet_set(struct bi_alphabet *alphabet, bosc_alphabet which, bool has_codes)
{
    const char *letters = alphabets[which].letters, *codes = alphabets[which].codes;
    const int first_code = (int)strlen(letters);
    alphabet->letter_bits = has_codes ? alphabets[which].coded_bits : alphabets[which].letter_bits;
    alphabet->names = alphabets[which].names;
    memset(alphabet->values, BI_NO_LETTER, sizeof alphabet->values);
    for (int i = 0; letters[i]; i++) set_value(alphabet, letters[i], i);
    for (int i = 0; codes[i]; i++) set_value(alphabet, codes[i], has_codes ? first_code + i : BI_AMBIGUITY_CODE);
    if (which == BOSC_ALPHABET_BASES) {
        set_value(alphabet, 'U', alphabet->values['T']); /* RNA */
        set_value(alphabet, '.', alphabet->values['N']); /* an unread base, as older sequencers write it */
    }
}
