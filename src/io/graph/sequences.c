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

/* Refuses characters other than letters, and ambiguity codes unless they are accepted. */
static bosc_status check_letters(struct reading *r, struct bi_line word)
{
    const struct bi_alphabet *alphabet = r->receiver->alphabet;
    for (const char *p = word.begin; p < word.end; p++) {
        const int value = bi_letter_value(alphabet, *p);
        if (value >= 0 || (value == BI_AMBIGUITY_CODE && r->receiver->has_codes)) continue;
        return bi_sequences_refuse(&r->reason, "%s is not one of %s%s", bi_quote(p, p + 1).text, alphabet->names,
                                   value == BI_AMBIGUITY_CODE ? ", but an ambiguity code" : "");
    }
    return BOSC_OK;
}

static bosc_status add_sequence(struct reading *r, struct bi_line letters, int64_t count)
{
    return r->receiver->add(r->receiver->to, letters, count, &r->reason);
}

static bosc_status refuse_more(struct reading *r, struct bi_line word)
{
    return bi_sequences_refuse(&r->reason, "%s where the line should end", bi_quote(word.begin, word.end).text);
}

/* ---- a sequence a line ---- */

/* True for letters with a suffix as of 10x Genomics: ACGT-1. */
static bool has_suffix(struct bi_line word)
{
    const char *p = word.end;
    while (p > word.begin && p[-1] >= '0' && p[-1] <= '9') p--;
    return p < word.end && p > word.begin + 1 && p[-1] == '-';
}

/* Returns the status of check_letters, with the reason for a word that is a count or has a suffix. rest: of its line */
static bosc_status check_word(struct reading *r, struct bi_line word, struct bi_line rest)
{
    struct bi_line more;
    int64_t number;
    const bosc_status status = check_letters(r, word);
    if (status == BOSC_OK) return BOSC_OK;
    if (r->receiver->has_counts && bi_word_count(&word, &number) && bi_line_word(&rest, &more))
        return bi_sequences_refuse(&r->reason,
                                   "the number %s where a sequence should begin the line; a count follows it",
                                   bi_quote(word.begin, word.end).text);
    if (!has_suffix(word)) return status;
    return bi_sequences_refuse(&r->reason, "%s has a suffix, which is no part of a sequence: remove it",
                               bi_quote(word.begin, word.end).text);
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
    r->has_names = bi_word_is_any_case(&second, "count") || bi_word_is_any_case(&second, "counts") ||
                   bi_word_is_any_case(&second, "reads");
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
        if (!bi_word_count(&more, &count))
            return bi_sequences_refuse(&r->reason, "%s is not a count", bi_quote(more.begin, more.end).text);
        ends = r->has_names || !bi_line_word(&line, &more);
    }
    r->has_sequences = true;
    return ends ? add_sequence(r, word, count) : refuse_more(r, more);
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
    return add_sequence(r, (struct bi_line){letters, letters + r->count}, 1);
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
    bosc_status status;
    /* 1. The header, and the letters. */
    if (!bi_line_word(&header, &word)) return BOSC_OK;
    if (*word.begin != '@')
        return bi_sequences_refuse(&r->reason, "%s where '@' should begin a record of four lines",
                                   bi_quote(word.begin, word.end).text);
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
    r->line = line;
    return add_sequence(r, letters, 1);
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

/* ---- sequences of any lengths ---- */

void bosc_sequences_free(bosc_sequences *sequences)
{
    if (!sequences) return;
    free(sequences->letters);
    free(sequences->offsets);
    free(sequences->counts);
    *sequences = (bosc_sequences){0};
}

struct growing {
    bosc_sequences s;
    int64_t letters, letters_capacity, capacity;
};

/* Grows an array to `count` elements, by doubling. False: out of memory, and the array is unchanged. */
static bool grow_array(void *array, int64_t count, int64_t *capacity, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    const int64_t wanted = 2 * count + BI_IO_MIN_CAPACITY;
    void *grown = bi_io_realloc(old, (size_t)wanted * size);
    if (!grown) return false;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

/* Makes room for another sequence. */
static bool reserve_sequence(struct growing *g, int64_t letters)
{
    int64_t ignored;
    if (g->letters + letters >= g->letters_capacity &&
        !grow_array(&g->s.letters, g->letters + letters, &g->letters_capacity, 1))
        return false;
    if (g->s.n + 1 < g->capacity) return true;
    return grow_array(&g->s.counts, g->s.n + 1, &ignored, sizeof *g->s.counts) &&
           grow_array(&g->s.offsets, g->s.n + 1, &g->capacity, sizeof *g->s.offsets);
}

static bosc_status add_letters(void *to, struct bi_line letters, int64_t count, struct bi_reason *reason)
{
    struct growing *g = to;
    const int64_t length = letters.end - letters.begin;
    if (!reserve_sequence(g, length)) {
        bi_sequences_refuse(reason, "out of memory for %lld sequences", (long long)g->s.n + 1);
        return BOSC_ERR_NOMEM;
    }
    char *out = g->s.letters + g->letters;
    for (int64_t i = 0; i < length; i++) {
        const char c = letters.begin[i];
        out[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    g->s.offsets[g->s.n] = g->letters;
    g->s.counts[g->s.n++] = count;
    g->letters += length;
    return BOSC_OK;
}

bosc_status bi_sequences_parse(const struct bi_bytes *in, bosc_alphabet alphabet, bosc_sequences *sequences,
                               bosc_io_error *error)
{
    struct bi_alphabet letters;
    struct growing g = {.letters = 0};
    const struct bi_sequence_start start = bi_sequences_begin(in);
    if (!start.line) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no sequences", in->name);
    bi_alphabet_set(&letters, alphabet == BOSC_ALPHABET_AUTO ? BOSC_ALPHABET_BASES : alphabet, true);
    const struct bi_sequence_receiver receiver = {
        .alphabet = &letters, .has_codes = true, .has_counts = true, .has_empty = true, .add = add_letters, .to = &g};
    bosc_status status = bi_sequences_receive(in, start.format, &receiver, error);
    if (status != BOSC_OK) {
        bosc_sequences_free(&g.s);
        return status;
    }
    g.s.offsets[g.s.n] = g.letters;
    *sequences = g.s;
    return BOSC_OK;
}

bosc_status bosc_sequences_read(const char *path, bosc_alphabet alphabet, bosc_sequences *sequences,
                                bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_sequences s = {0};
    if (!sequences) return bi_io_fail(error, BOSC_ERR_ARG, "sequences: NULL");
    if ((unsigned)alphabet > BOSC_ALPHABET_AMINO_ACIDS)
        return bi_io_fail(error, BOSC_ERR_ARG, "alphabet: %d is no alphabet", (int)alphabet);
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    status = bi_sequences_parse(&file.bytes, alphabet, &s, error);
    bi_file_close(&file);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *sequences = s;
    else
        bosc_sequences_free(&s);
    return status;
}
