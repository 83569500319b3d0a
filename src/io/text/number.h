/* Decimal numbers of text files, correctly rounded in every locale. */
#ifndef BI_IO_TEXT_NUMBER_H
#define BI_IO_TEXT_NUMBER_H

#include "io/io.h"

/* Reads the number at p: digits with an optional point and exponent (e, or Fortran's d), or inf, infinity, nan in
 * any case, or 1.#INF, 1.#QNAN and the like of Microsoft's printf. Returns the position behind it, or NULL if no
 * number starts at p. */
const char *bi_number_read(const char *p, const char *end, double *value);

/* True if an infinite value is written with digits, so that the number is too large for a double. */
bool bi_number_is_beyond(const char *p, double value);

/* Writes a number at p, at most 25 characters, not terminated, and returns the position behind it. It reads back as the
 * same double, or as the same float if `single`, and always has a point or an exponent. Few digits are preferred: up to
 * six decimals, else 15 digits (floats: 6), else 17 (floats: 9). */
char *bi_number_write(char *p, double x, bool single);
char *bi_integer_write(char *p, bool negative, uint64_t size); /* size: absolute value */
char *bi_signed_write(char *p, int64_t x);

#endif
