/* Groups of barcodes: the steps of boscage umi. */
#ifndef TOOL_COMMANDS_UMI_H
#define TOOL_COMMANDS_UMI_H

#include "tool/tool.h"

enum { UMI_DISTANCE_MAX = 3 };

enum umi_method { UMI_UNIQUE, UMI_ADJACENCY, UMI_DIRECTIONAL, UMI_CLUSTER }; /* in the order of --method */
enum umi_codes { UMI_SKIP, UMI_WILDCARD, UMI_LETTER };                       /* in the order of --n */

struct umi_opts {
    enum umi_method method;
    enum umi_codes codes;
    bool amino_acids;
    int64_t letters; /* a barcode is the first letters of a read; 0: all */
    int64_t distance;
    bosc_sequences_opts source; /* where the file has barcodes */
};

/* A distinct barcode of a key. */
struct umi_barcode {
    int64_t first; /* its first sequence */
    int64_t reads;
};

/* Two barcodes of a key within the distance, by their numbers. */
struct umi_pair {
    int64_t a, b;
};

/* The distinct barcodes, by keys; those of a key most reads first, equal numbers by their first sequences. */
struct umi_barcodes {
    struct umi_barcode *barcodes;
    int64_t count;
    struct umi_pair *pairs; /* each once */
    int64_t pair_count, pair_capacity;
    int64_t reads, ambiguous, skipped; /* reads in all; with ambiguity codes; left out */
};

/* The barcodes' groups. A representative is the first barcode of its group, which has the most reads. */
struct umi_groups {
    int64_t *representative; /* (barcodes) */
    int64_t *number;         /* (barcodes) of the group, in the order of representatives */
    int64_t count;
};

/* Returns the number of letters and marks of a sequence's barcode. */
int64_t umi_length(const bosc_sequences *sequences, const struct umi_opts *opts, int64_t sequence);

/* Returns the number of a sequence's key. */
static inline int64_t umi_key(const bosc_sequences *sequences, int64_t sequence)
{
    return sequences->keys ? sequences->keys[sequence] : 0;
}

/* Both return an exit code, and have reported the error unless it is EXIT_DONE. The caller frees the result, after a
 * failure too. */
int umi_barcodes_find(struct job *job, const bosc_sequences *sequences, const struct umi_opts *opts,
                      struct umi_barcodes *found);
int umi_groups_find(const struct umi_barcodes *barcodes, enum umi_method method, struct umi_groups *groups);

void umi_barcodes_free(struct umi_barcodes *barcodes);
void umi_groups_free(struct umi_groups *groups);

#endif
