/* Reads sequences of letters, one at a time: a sequence a line, FASTA, or FASTQ with four lines a record.
 *
 * Source of FASTQ: Cock, Fields, Goto, Heuer, Rice, The Sanger FASTQ File Format for Sequences with Quality Scores
 * (2010). */
#include "io/graph/sequences.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text being read. The letters of a FASTA sequence are gathered from its lines. */
struct reading {
    const struct bi_sequence_receiver *receiver;
    struct bi_lines lines;
    char *gathered;
    int64_t count, capacity; /* letters gathered and allocated */
    int64_t header;          /* line of the sequence's header; 0 before the first */
    struct bi_line name;     /* the header behind > */
    int64_t line;            /* of a failure */
    /* Format BI_SEQUENCE_LINES: a line was read; the first line had names of columns; a sequence was read. */
    bool has_lines, has_names, has_sequences;
    struct bi_reason reason;
};

bosc_status bi_sequences_refuse(struct bi_reason *reason, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(reason->text, sizeof reason->text, format, values);
    va_end(values);
    return BOSC_ERR_FORMAT;
}

bosc_status bi_sequences_fail(const struct bi_bytes *in, int64_t line, bosc_status status,
                              const struct bi_reason *reason, bosc_io_error *error)
{
    if (line == 0) return bi_io_fail(error, status, "%s: %s", in->name, reason->text);
    return bi_fail_at(in, line, status, error, "%s", reason->text);
}

bosc_status bi_letters_check(const struct bi_alphabet *alphabet, bool has_codes, struct bi_line word,
                             struct bi_reason *reason)
{
    for (const char *p = word.begin; p < word.end; p++) {
        const int value = bi_letter_value(alphabet, *p);
        if (value >= 0 || (value == BI_AMBIGUITY_CODE && has_codes)) continue;
        return bi_sequences_refuse(reason, "%s is not one of %s%s", bi_quote(p, p + 1).text, alphabet->names,
                                   value == BI_AMBIGUITY_CODE ? ", but an ambiguity code" : "");
    }
    return BOSC_OK;
}

bosc_status bi_sequence_count(struct bi_line word, int64_t *count, struct bi_reason *reason)
{
    struct bi_line digits = word; /* without a point and zeros at the end */
    while (digits.end > digits.begin && digits.end[-1] == '0') digits.end--;
    const bool is_float = digits.end < word.end && digits.end > digits.begin && digits.end[-1] == '.';
    digits.end = is_float ? digits.end - 1 : word.end;
    if (bi_word_count(&digits, count)) return BOSC_OK;
    return bi_sequences_refuse(reason, "%s is not a count: a whole number up to 2^62",
                               bi_quote(word.begin, word.end).text);
}

/* Checks the letters of a record, unless only its name counts. */
static bosc_status check_letters(struct reading *r, struct bi_line word)
{
    const struct bi_sequence_receiver *receiver = r->receiver;
    return receiver->reads_names ? BOSC_OK
                                 : bi_letters_check(receiver->alphabet, receiver->has_codes, word, &r->reason);
}

/* Skips digits backwards, and the '-' before them. */
static const char *skip_suffix(struct bi_line word)
{
    const char *p = word.end;
    while (p > word.begin && p[-1] >= '0' && p[-1] <= '9') p--;
    return p < word.end && p > word.begin + 1 && p[-1] == '-' ? p - 1 : word.end;
}

bosc_status bi_marked_letters_check(const struct bi_alphabet *alphabet, struct bi_line word, struct bi_reason *reason)
{
    bosc_status status = bi_letters_check(alphabet, true, word, reason);
    if (status == BOSC_OK) return BOSC_OK;
    struct bi_reason of_part; /* the reason of the whole word names its first wrong letter */
    const char *end = skip_suffix(word);
    for (const char *begin = word.begin, *p = begin; p <= end; p++) {
        if (p < end && *p != '+' && *p != '-') continue;
        status = bi_letters_check(alphabet, true, (struct bi_line){begin, p}, &of_part);
        if (status != BOSC_OK) *reason = of_part;
        if (status != BOSC_OK || p == begin) return BOSC_ERR_FORMAT;
        begin = p + 1;
    }
    return BOSC_OK;
}

/* name: of a record, behind > or @; empty without one */
static bosc_status add_sequence(struct reading *r, struct bi_line name, struct bi_line letters, int64_t count)
{
    return r->receiver->add(r->receiver->to, name, letters, count, &r->reason);
}

static bosc_status refuse_more(struct reading *r, struct bi_line word)
{
    return bi_sequences_refuse(&r->reason, "%s where the line should end", bi_quote(word.begin, word.end).text);
}

/* ---- a sequence a line ---- */

/* Checks the first word of a line as a sequence. A count and a suffix have reasons of their own. rest: the words behind
 * it. */
static bosc_status check_word(struct reading *r, struct bi_line word, struct bi_line rest)
{
    struct bi_line more;
    int64_t number;
    const struct bi_sequence_receiver *receiver = r->receiver;
    const bosc_status status =
        receiver->has_marks ? bi_marked_letters_check(receiver->alphabet, word, &r->reason) : check_letters(r, word);
    if (status == BOSC_OK) return BOSC_OK;
    if (receiver->has_counts && bi_word_count(&word, &number) && bi_line_word(&rest, &more))
        return bi_sequences_refuse(&r->reason,
                                   "the number %s where a sequence should begin the line; a count follows it",
                                   bi_quote(word.begin, word.end).text);
    if (receiver->has_counts && !r->has_sequences &&
        (bi_line_word(&rest, &more) || memchr(word.begin, ',', (size_t)(word.end - word.begin)))) {
        const struct bi_reason letter = r->reason;
        return bi_sequences_refuse(&r->reason, "%s; of a table, choose the column", letter.text);
    }
    if (receiver->has_marks || skip_suffix(word) == word.end) return status;
    return bi_sequences_refuse(&r->reason, "%s has a suffix, which is no part of a sequence: remove it",
                               bi_quote(word.begin, word.end).text);
}

bool bi_word_names_counts(const struct bi_line *word)
{
    return bi_word_is_any_case(word, "count") || bi_word_is_any_case(word, "counts") ||
           bi_word_is_any_case(word, "reads");
}

/* True for a first line with names of columns, such as `boscage umi --counts` writes: its second word is a usual name
 * of counts. Other words are refused as counts, so that no sequence is lost. Columns after the counts are then passed
 * over. */
static bool begins_with_names(struct reading *r, struct bi_line rest)
{
    struct bi_line second;
    const bool begun = r->has_lines;
    r->has_lines = true;
    if (begun || !bi_line_word(&rest, &second)) return false;
    r->has_names = bi_word_names_counts(&second);
    return r->has_names;
}

static bosc_status read_line(struct reading *r, struct bi_line line)
{
    struct bi_line word, more;
    int64_t count = 1;
    bosc_status status;
    if (!bi_line_word(&line, &word)) return BOSC_OK;
    if (r->receiver->has_counts && begins_with_names(r, line)) return BOSC_OK;
    if ((status = check_word(r, word, line)) != BOSC_OK) return status;
    bool ends = !bi_line_word(&line, &more);
    if (!ends && r->receiver->has_counts) {
        if ((status = bi_sequence_count(more, &count, &r->reason)) != BOSC_OK) return status;
        ends = r->has_names || !bi_line_word(&line, &more);
    }
    r->has_sequences = true;
    return ends ? add_sequence(r, (struct bi_line){"", ""}, word, count) : refuse_more(r, more);
}

/* ---- FASTA ---- */

/* Adds the gathered sequence, if there is one. */
static bosc_status finish_sequence(struct reading *r)
{
    if (r->header == 0) return BOSC_OK;
    r->line = r->header;
    if (r->count == 0 && !r->receiver->has_empty)
        return bi_sequences_refuse(&r->reason, "no letters follow this header");
    const char *letters = r->count ? r->gathered : ""; /* NULL before the first letters */
    return add_sequence(r, r->name, (struct bi_line){letters, letters + r->count}, 1);
}

static bosc_status gather_letters(struct reading *r, struct bi_line word)
{
    const int64_t length = word.end - word.begin, max = r->receiver->max_letters;
    if (max && r->count + length > max)
        return bi_sequences_refuse(&r->reason, "a sequence of more than %lld letters", (long long)max);
    if (r->count + length > r->capacity) {
        const int64_t capacity = 2 * (r->count + length) + BI_IO_MIN_CAPACITY;
        char *grown = bi_io_realloc(r->gathered, (size_t)capacity);
        if (!grown) {
            bi_sequences_refuse(&r->reason, "out of memory for a sequence of %lld letters", (long long)capacity);
            return BOSC_ERR_NOMEM;
        }
        r->gathered = grown;
        r->capacity = capacity;
    }
    memcpy(r->gathered + r->count, word.begin, (size_t)length);
    r->count += length;
    return BOSC_OK;
}

static bosc_status read_fasta_line(struct reading *r, struct bi_line line)
{
    struct bi_line word, more;
    bosc_status status;
    if (!bi_line_word(&line, &word)) return BOSC_OK;
    if (*word.begin == '>') {
        const int64_t header = r->line;
        status = finish_sequence(r);
        r->header = header;
        r->name = (struct bi_line){word.begin + 1, line.end};
        r->count = 0;
        return status;
    }
    if ((status = check_letters(r, word)) != BOSC_OK) return status;
    return bi_line_word(&line, &more) ? refuse_more(r, more) : gather_letters(r, word);
}

/* ---- FASTQ ---- */

/* Reads the next line of a record, which is one word or empty. `#` may be a quality, and begins no comment. */
static bosc_status read_record_word(struct reading *r, struct bi_line *word)
{
    struct bi_line line, more;
    if (!bi_lines_next(&r->lines, &line)) return bi_sequences_refuse(&r->reason, "the file ends within this record");
    r->line = r->lines.number;
    bi_word_next(&line, word);
    return bi_word_next(&line, &more) ? refuse_more(r, more) : BOSC_OK;
}

/* Reads the record behind a header: letters, +, and a quality of each letter. */
static bosc_status read_record(struct reading *r, struct bi_line header)
{
    struct bi_line word, letters, plus, qualities;
    const int64_t header_line = r->line;
    bosc_status status;
    /* 1. The header, and the letters. */
    if (!bi_line_word(&header, &word)) return BOSC_OK;
    if (*word.begin != '@')
        return bi_sequences_refuse(&r->reason, "%s where '@' should begin a record of four lines",
                                   bi_quote(word.begin, word.end).text);
    const struct bi_line name = {word.begin + 1, header.end};
    if ((status = read_record_word(r, &letters)) != BOSC_OK) return status;
    if ((status = check_letters(r, letters)) != BOSC_OK) return status;
    const int64_t line = r->line, count = letters.end - letters.begin;
    if (count == 0 && !r->receiver->has_empty) return bi_sequences_refuse(&r->reason, "a record without letters");
    /* 2. The plus sign; the header may follow it again. */
    if (!bi_lines_next(&r->lines, &plus)) return bi_sequences_refuse(&r->reason, "the file ends within this record");
    r->line = r->lines.number;
    if (!bi_word_next(&plus, &word) || *word.begin != '+')
        return bi_sequences_refuse(&r->reason, "%s where '+' should follow a record's line of letters",
                                   bi_quote(word.begin, word.end).text);
    /* 3. The qualities, which are only counted. */
    if ((status = read_record_word(r, &qualities)) != BOSC_OK) return status;
    if (qualities.end - qualities.begin != count)
        return bi_sequences_refuse(&r->reason, "%lld qualities of %lld letters",
                                   (long long)(qualities.end - qualities.begin), (long long)count);
    r->line = r->receiver->reads_names ? header_line : line;
    return add_sequence(r, name, letters, 1);
}

/* ---- all formats ---- */

struct bi_sequence_start bi_sequences_begin(const struct bi_bytes *in)
{
    struct bi_sequence_start start = {.format = BI_SEQUENCE_LINES};
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line line, word;
    if (!bi_lines_next_content(&lines, &line) || !bi_line_word(&line, &word)) return start;
    start.first = *word.begin;
    start.line = lines.number;
    if (start.first == '>') start.format = BI_SEQUENCE_FASTA;
    if (start.first == '@') start.format = BI_SEQUENCE_FASTQ;
    return start;
}

bosc_status bi_sequences_receive(const struct bi_bytes *in, enum bi_sequence_format format,
                                 const struct bi_sequence_receiver *receiver, bosc_io_error *error)
{
    static bosc_status (*const read[])(struct reading *, struct bi_line) = {read_line, read_fasta_line, read_record};
    struct reading r = {.receiver = receiver, .lines = bi_lines_begin(in), .reason = {""}};
    struct bi_line line;
    bosc_status status = BOSC_OK;
    bi_lines_report_progress(&r.lines);
    while (status == BOSC_OK && bi_lines_next_content(&r.lines, &line)) {
        r.line = r.lines.number;
        status = read[format](&r, line);
    }
    if (status == BOSC_OK && format == BI_SEQUENCE_FASTA) status = finish_sequence(&r);
    if (status == BOSC_OK && r.has_names && !r.has_sequences)
        status = bi_sequences_refuse(&r.reason, "no sequences follow the names of columns");
    free(r.gathered);
    return status == BOSC_OK ? BOSC_OK : bi_sequences_fail(in, r.line, status, &r.reason, error);
}
