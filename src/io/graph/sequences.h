/* Reads sequences of letters: lines, FASTA and FASTQ. */
#ifndef BI_IO_GRAPH_SEQUENCES_H
#define BI_IO_GRAPH_SEQUENCES_H

#include "io/file/file.h"
#include "io/graph/alphabet.h"
#include "io/text/row.h"

enum { BI_SEQUENCE_LETTERS_MAX = 65536 }; /* of a vector, as boscage/io.h says */

/* Receives the sequences of a text, in order. On failure sets the reason. */
struct bi_sequence_receiver {
    const struct bi_alphabet *alphabet;
    bool has_codes;      /* ambiguity codes are accepted */
    bool has_counts;     /* a line may have a count behind its letters */
    bool has_marks;      /* a line's letters may have marks; ambiguity codes are accepted too */
    bool reads_names;    /* only the names of records count: their letters are not checked */
    bool has_empty;      /* records without letters are accepted */
    int64_t max_letters; /* of a sequence in FASTA; 0: no limit */
    /* Adds a sequence, which is valid during the call. name: the header of a record behind > or @; count: from the
     * line; 1 without one. */
    bosc_status (*add)(void *to, struct bi_line name, struct bi_line letters, int64_t count, struct bi_reason *reason);
    void *to;
};

enum bi_sequence_format { BI_SEQUENCE_LINES, BI_SEQUENCE_FASTA, BI_SEQUENCE_FASTQ };

/* The format, and the first character that is not blank. */
struct bi_sequence_start {
    enum bi_sequence_format format;
    char first;
    int64_t line; /* of the first character; 0: the text is empty */
};
struct bi_sequence_start bi_sequences_begin(const struct bi_bytes *in);

/* Passes all sequences to the receiver. */
bosc_status bi_sequences_receive(const struct bi_bytes *in, enum bi_sequence_format format,
                                 const struct bi_sequence_receiver *receiver, bosc_io_error *error);

bosc_status bi_sequences_parse(const struct bi_bytes *in, const bosc_sequences_opts *opts, bosc_sequences *sequences,
                               bosc_io_error *error);

/* Refuses characters other than letters, and ambiguity codes unless they are accepted. */
bosc_status bi_letters_check(const struct bi_alphabet *alphabet, bool has_codes, struct bi_line word,
                             struct bi_reason *reason);

/* The same for letters, codes and marks: + and - between letters, - and digits behind them. */
bosc_status bi_marked_letters_check(const struct bi_alphabet *alphabet, struct bi_line word, struct bi_reason *reason);

/* Reads a count: digits, or a float of a whole number such as 3.0, which programs write beside missing values. */
bosc_status bi_sequence_count(struct bi_line word, int64_t *count, struct bi_reason *reason);

/* True for the usual names of a column of counts. */
bool bi_word_names_counts(const struct bi_line *word);

/* Fails with "NAME:LINE: reason", or "NAME: reason" for line 0. */
bosc_status bi_sequences_fail(const struct bi_bytes *in, int64_t line, bosc_status status,
                              const struct bi_reason *reason, bosc_io_error *error);

/* Sets the reason; returns BOSC_ERR_FORMAT. */
bosc_status bi_sequences_refuse(struct bi_reason *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
