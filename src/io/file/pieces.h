/* Texts in pieces of whole lines, which several threads read and parse at once. */
#ifndef BI_IO_FILE_PIECES_H
#define BI_IO_FILE_PIECES_H

#include "io/text/number.h"

struct bi_pieces {
    const struct bi_bytes *in;
    size_t begin, end;    /* of the lines, in the file */
    size_t each;          /* bytes of a piece; lines belong to the piece in which they begin */
    int64_t first, count; /* of the text, those that are read */
};

/* Those of the lines from `lines` on, or of a slice of them. */
struct bi_pieces bi_pieces_of(const struct bi_bytes *in, const struct bi_lines *lines);

/* *lines += the lines before the first that is read. Reads what is before. Returns 0 or an errno. */
int bi_pieces_count_before(const struct bi_pieces *pieces, int64_t *lines);

/* The lines of a piece: in the text, or in memory of their own where the text is not in memory. All zeros at first. */
struct bi_piece {
    int64_t index;
    const char *begin, *end;
    char *memory;
    size_t capacity;
};

/* Finds piece `index`; the piece before it is gone. Returns 0 or an errno for bi_bytes_fail. */
int bi_piece_read(const struct bi_pieces *pieces, int64_t index, struct bi_piece *piece);

/* What is done with pieces: they are parsed by several threads, each into `size` bytes, which are zeros at first and
 * serve other pieces later; then joined to what all have parsed, in the order of the text. */
struct bi_piece_parser {
    size_t size;
    void (*parse)(void *own, const void *all, const struct bi_piece *piece);
    /* In order, one at a time. What is not BOSC_OK ends it, and no later piece is joined. */
    bosc_status (*join)(void *own, void *all, const struct bi_piece *piece, bosc_io_error *error);
    void (*put)(void *own, void *all); /* some time after join, in any order, several at once; may be NULL */
    void (*free)(void *own);           /* what it holds; may be NULL */
};
bosc_status bi_pieces_parse(const struct bi_pieces *pieces, const struct bi_piece_parser *parser, void *all,
                            bosc_io_error *error);

#endif
