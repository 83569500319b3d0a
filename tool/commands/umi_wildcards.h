/* Counts sequences with ambiguity codes for barcodes that they match. */
#ifndef TOOL_COMMANDS_UMI_WILDCARDS_H
#define TOOL_COMMANDS_UMI_WILDCARDS_H

#include "tool/commands/umi_letters.h"
#include "tool/tool.h"

/* The sequences of one length, and their distinct barcodes. */
struct umi_batch {
    const bosc_sequences *sequences;
    const struct umi_letters *letters;
    const int64_t *rows; /* (n) sequences without ambiguity codes, unless codes are letters, ascending */
    int64_t n;
    const int64_t *coded; /* (coded_n) sequences with ambiguity codes to match */
    int64_t coded_n, length;
    int64_t parts;  /* barcodes of different parts have no distance and no matches: see umi_part */
    bool has_codes; /* ambiguity codes are letters of the barcodes */
    /* Found: */
    int64_t count;
    int64_t *first; /* (count) first sequence */
    int64_t *reads; /* (count) */
};

static inline const char *umi_batch_letters(const struct umi_batch *b, int64_t sequence)
{
    return b->sequences->letters + b->sequences->offsets[sequence];
}

/* Returns the number of a sequence's part, below `parts`: its key and marks. */
static inline int64_t umi_part(const struct umi_batch *b, int64_t sequence)
{
    const bosc_sequences *s = b->sequences;
    const int64_t key = s->keys ? s->keys[sequence] : 0, marks = s->marks ? s->marks[sequence] : 0;
    return key * s->mark_count + marks;
}

/* Returns how many letters of this many bits write the number of a part. */
static inline int64_t umi_part_letters(const struct umi_batch *b, int32_t bits)
{
    int64_t count = 0;
    for (uint64_t rest = (uint64_t)b->parts - 1; rest > 0; rest >>= bits) count++;
    return count;
}

/* Adds the reads of each sequence with codes to those of the barcode with the most reads that it matches, before any
 * are added; of equals to the first. Adds the reads of the others, and of sequences without a known letter, to
 * *skipped.
 * Cost: sequences that have their codes at the same letters are matched together, at most by a pass over the barcodes;
 *     so at most O(choices of letters x barcodes) comparisons of barcodes. Fewer where a trie of the barcodes visits
 *     less.
 * Returns an exit code; reports errors. */
int umi_wildcards_match(struct job *job, struct umi_batch *b, int64_t *skipped);

#endif
