/* Graphs in Matrix Market format. */
#include <math.h>
#include <stdio.h>

#include "support/bytes.h"
#include "support/edges_array.h"

#define TEXT(text) text, sizeof text - 1
#define GRAPH(text, m, ...) check_rows(mtx_array, TEXT(text), (m) + 1, 3, (const double[]){__VA_ARGS__})
#define PATTERN "%%MatrixMarket matrix coordinate pattern general\n"
#define INTEGER "%%MatrixMarket matrix coordinate integer general\n"
#define COMPLEX "%%MatrixMarket matrix coordinate complex hermitian\n"
#define SKEW "%%MatrixMarket matrix coordinate real skew-symmetric\n"
#define REAL "%%MatrixMarket matrix coordinate real symmetric\n"

static const struct malformed malformed[] = {
    {"F: does not begin with %%MatrixMarket", "\n", 0},
    {"F: does not begin with %%MatrixMarket", "2 2 1\n1 2\n", 0},
    {"F: does not begin with %%MatrixMarket", "%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", 0},
    {"F: does not begin with %%MatrixMarket", "%%MatrixMarkets matrix coordinate pattern general\n2 2 1\n1 2\n", 0},
    {"F: does not begin with %%MatrixMarket", "\n" PATTERN "2 2 1\n1 2\n", 0},
    {"F: does not begin with %%MatrixMarket", "% a comment\n" PATTERN "2 2 1\n1 2\n", 0},
    {"F:1: the object '' is not supported", "%%MatrixMarket\n2 2 1\n1 2\n", 0},
    {"F:1: the object 'vector' is not supported (matrix)",
     "%%MatrixMarket vector coordinate pattern general\n2 2 1\n1 2\n", 0},
    {"F:1: the format '' is not supported", "%%MatrixMarket matrix\n2 2 1\n1 2\n", 0},
    {"F:1: the format 'array' is not supported (coordinate)",
     "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", 0},
    {"F:1: the field '' is not supported", "%%MatrixMarket matrix coordinate\n2 2 1\n1 2\n", 0},
    {"F:1: the field 'double' is not supported (pattern, integer, unsigned-integer, real, complex)",
     "%%MatrixMarket matrix coordinate double general\n2 2 1\n1 2 3 4\n", 0},
    {"F:3: a number of the entry is missing", COMPLEX "2 2 1\n2 1 3\n", 0},
    {"F:3: a number of the entry is missing", COMPLEX "2 2 1\n2 1\n", 0},
    {"F:3: '5' is one word too many", COMPLEX "2 2 1\n2 1 3 4 5\n", 0},
    {"F:3: 'i' is not a number", COMPLEX "2 2 1\n2 1 3 i\n", 0},
    {"F:3: a number of the entry is missing", SKEW "2 2 1\n2 1\n", 0},
    {"F:3: '4' is one word too many", SKEW "2 2 1\n2 1 3 4\n", 0},
    {"F:3: vertex '3' is not from 1 to 2", SKEW "2 2 1\n3 1 3\n", 0},
    {"F:1: the field 'general'", "%%MatrixMarket matrix coordinate general pattern\n2 2 1\n1 2\n", 0},
    {"F:1: the field 'reals'", "%%MatrixMarket matrix coordinate reals general\n2 2 1\n1 2 3\n", 0},
    {"F:1: the symmetry '' is not supported (general, symmetric, skew-symmetric, hermitian)",
     "%%MatrixMarket matrix coordinate pattern\n2 2 1\n1 2\n", 0},
    {"F:1: the symmetry 'skew'", "%%MatrixMarket matrix coordinate real skew\n2 2 1\n2 1 3\n", 0},
    {"F:3: the weight '1e309' is beyond the range of f8", REAL "2 2 1\n1 2 1e309\n", 0},
    {"F:1: 'x' is one word too many", "%%MatrixMarket matrix coordinate real general x\n2 2 1\n2 1 3\n", 0},
    {"F: no line of sizes", PATTERN, 0},
    {"F: no line of sizes", PATTERN "% 2 2 1\n\n", 0},
    {"F:2: the number of columns is missing", PATTERN "2\n1 2\n", 0},
    {"F:2: the number of entries is missing", PATTERN "2 2\n1 2\n", 0},
    {"F:4: 'two' is not a number of rows", PATTERN "%\n\ntwo 2 1\n1 2\n", 0},
    {"F:2: '-2' is not a number of rows", PATTERN "-2 -2 1\n1 2\n", 0},
    {"F:2: '-2' is not a number of columns", PATTERN "2 -2 1\n1 2\n", 0},
    {"F:2: '-1' is not a number of entries", PATTERN "2 2 -1\n1 2\n", 0},
    {"F:2: '1.0' is not a number of entries", PATTERN "2 2 1.0\n1 2\n", 0},
    {"F:2: '99999999999999999999' is not a number of entries", PATTERN "2 2 99999999999999999999\n1 2\n", 0},
    {"F:2: 4294967295 rows are more than 4294967294", PATTERN "4294967295 4294967295 1\n1 2\n", 0},
    {"F:2: 1099511627776 entries are more than 4294967294", PATTERN "2 2 1099511627776\n1 2\n", 0},
    {"F:2: '3' is one word too many", PATTERN "2 2 1 3\n1 2\n", 0},
    {"F:2: 2 rows and 3 columns, but the matrix of a graph is square", PATTERN "2 3 1\n1 2\n", 0},
    {"F:2: 3 rows and 2 columns", PATTERN "3 2 1\n1 2\n", 0},
    {"F: ends after 0 of 1 edges", PATTERN "2 2 1\n", 0},
    {"F: ends after 1 of 2 edges", PATTERN "2 2 2\n1 2\n", 0},
    {"F: ends after 1 of 2000000000 edges", PATTERN "2 2 2000000000\n1 2\n", 0},
    {"F:4: more than the 1 edges", PATTERN "2 2 1\n1 2\n2 1\n", 0},
    {"F:3: more than the 0 edges", PATTERN "2 2 0\n1 2\n", 0},
    {"F:3: vertex '1' of a graph without vertices", PATTERN "0 0 1\n1 1\n", 0},
    {"F:3: vertex '0' is not from 1 to 2", PATTERN "2 2 1\n0 1\n", 0},
    {"F:3: vertex '0' is not from 1 to 2", INTEGER "2 2 1\n1 0 4\n", 0},
    {"F:3: vertex '3' is not from 1 to 2", PATTERN "2 2 1\n3 1\n", 0},
    {"F:5: vertex '3' is not from 1 to 2", REAL "2 2 2\n1 1 .5\n\n1 3 .5\n", 0},
    {"F:3: vertex '4294967298' is not from 1 to 2", PATTERN "2 2 1\n1 4294967298\n", 0},
    {"F:3: '-1' is not a vertex", PATTERN "2 2 1\n-1 2\n", 0},
    {"F:3: '1.5' is not a vertex", PATTERN "2 2 1\n1.5 2\n", 0},
    {"F:3: '%' is not a vertex", PATTERN "2 2 1\n% late\n1 2\n", 0},
    {"F:3: 'a' is not a vertex", PATTERN "2 2 1\na 1 2\n", 0},
    {"F:3: '1,2' is not a vertex", PATTERN "2 2 1\n1,2\n", 0},
    {"F:3: the second vertex is missing", PATTERN "2 2 1\n1\n", 0},
    {"F:3: the second vertex is missing", INTEGER "2 2 1\n1 \r\n", 0},
    {"F:3: the weight is missing", INTEGER "2 2 1\n1 2\n", 0},
    {"F:3: the weight is missing", REAL "2 2 1\n1 2 \n", 0},
    {"F:3: '3' is one word too many", PATTERN "2 2 1\n1 2 3\n", 0},
    {"F:3: '4' is one word too many", INTEGER "2 2 1\n1 2 3 4\n", 0},
    {"F:3: '4.5' is one word too many", REAL "2 2 1\n1 2 3 4.5\n", 0},
    {"F:3: the weight '1.5' is not a signed integer of 64 bits", INTEGER "2 2 1\n1 2 1.5\n", 0},
    {"F:3: the weight '1e3' is not a signed integer of 64 bits", INTEGER "2 2 1\n1 2 1e3\n", 0},
    {"F:3: the weight '9223372036854775808' exceeds 2^63 - 1; a real matrix may have it",
     INTEGER "2 2 1\n1 2 9223372036854775808\n", 0},
    {"F:3: the weight '-9223372036854775809' is not a signed integer", INTEGER "2 2 1\n1 2 -9223372036854775809\n", 0},
    {"exceeds 2^63 - 1; a real matrix may have it", INTEGER "2 2 1\n1 2 340282366920938463463374607431768211456\n", 0},
    {"F:3: the weight 'inf' is not a signed integer", INTEGER "2 2 1\n1 2 inf\n", 0},
    {"F:3: the weight 'w' is not a number", INTEGER "2 2 1\n1 2 w\n", 0},
    {"F:3: the weight 'w' is not a number", REAL "2 2 1\n1 2 w\n", 0},
    {"F:3: the weight '1,5' is not a number", REAL "2 2 1\n1 2 1,5\n", 0},
    {"F:3: the weight '1d' is not a number", REAL "2 2 1\n1 2 1d\n", 0},
    {"F:3: the weight is NaN", INTEGER "2 2 1\n1 2 nan\n", 0},
    {"F:3: the weight is NaN", REAL "2 2 1\n1 2 nan\n", 0},
    {"F:4: the weight is NaN", REAL "2 2 2\r\n1 2 3\r\n1 2 -nan\r\n", 0},
    {"F:3: '1?' is not a vertex", TEXT(PATTERN "2 2 1\n1\0 2\n")},
    {"F:3: '?' is not a vertex", TEXT(PATTERN "2 2 1\n\0\n1 2\n")},
};

static void refused(void)
{
    check_all_refused(mtx_array, malformed, sizeof malformed / sizeof malformed[0]);
    check_refused(mtx_array, "", 0, "F: does not begin with");
}

static void reads_good_files(void)
{
    GRAPH(PATTERN "0 0 0\n", 0, 0, 0, 0);
    GRAPH(PATTERN "5 5 0", 0, 5, 0, 0);
    GRAPH(PATTERN "3 3 2\n1 2\n3 3\n", 2, 3, 2, 0, 0, 1, 1, 2, 2, 1);
    GRAPH("%%MatrixMarket matrix coordinate unsigned-integer general\n3 3 2\n1 2 4\n3 3 3000000000\n", 2, 3, 2,
          BOSC_I64, 0, 1, 4, 2, 2, 3e9); /* as scipy writes */
    GRAPH(INTEGER "3 3 2\n1 2 -4\n3 3 0\n", 2, 3, 2, BOSC_I32, 0, 1, -4, 2, 2, 0);
    GRAPH(INTEGER "3 3 2\n1 2 -4\n3 3 1099511627776\n", 2, 3, 2, BOSC_I64, 0, 1, -4, 2, 2, 0x1p40);
    GRAPH(REAL "3 3 2\n2 1 1\n3 3 -2.5e-1\n", 2, 3, 2, BOSC_F64, 1, 0, 1, 2, 2, -.25);
    GRAPH("%%matrixmarket MATRIX Coordinate Real GENERAL\r\n%c\r\n \r\n% c\r\n 2\t2  1\r\n\r\n\t1  2\t 7 \r\n\r\n", 1,
          2, 1, BOSC_F64, 0, 1, 7);
    /* a matrix without one weight for both directions gives its pattern only */
    GRAPH(COMPLEX "3 3 2\n2 1 1 -2.5\n3\t3 0.5 0\n", 2, 3, 2, 0, 1, 0, 1, 2, 2, 1);
    GRAPH(SKEW "3 3 2\n2 1 -7\n\n3 1 .5\n", 2, 3, 2, 0, 1, 0, 1, 2, 0, 1);
    GRAPH("%%MatrixMarket matrix coordinate pattern skew-symmetric\n3 3 1\n3 2\n", 1, 3, 1, 0, 2, 1, 1);
    /* entries in both triangles are two edges, also of a matrix declared symmetric */
    GRAPH("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 2\n2 1", 2, 2, 2, 0, 0, 1, 1, 1, 0, 1);
}

/* Reals are rounded correctly, on the fast path and on the others. */
static void reals(void)
{
    static const char *const texts[] = {
        "0.1", "1", "-0", "123456789012345", "0.00000000000001", "12345678.1234567", "1234567890.123456789", ".5", "5.",
        "-7.e2", "1e23", "8.5e-310", "9007199254740993", "0.30000000000000004", "1.7976931348623157e308", "-inf",
        "+2.5", "1e-400", "0000000000000000000000001.5",
        /* one digit or two more than the fast way may take */
        "154268252611.08977", "106824662186162.65", "932466705.40684807", "914956998.9516121"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[256];
        double x = strtod(texts[i], NULL);
        int length = snprintf(text, sizeof text, "%s2 2 2\n1 2 %s\n1 2 %s\n", REAL, texts[i], texts[i]);
        check_rows(mtx_array, text, (size_t)length, 3, 3, (const double[]){2, 2, BOSC_F64, 0, 1, x, 0, 1, x});
    }
}

static const char good[] = INTEGER "% c\n12 12 4\n1 2 1000000\n12 3 -5\n7 8 12345678901\n9 10 3\n";
static const char good_reals[] = REAL "4 4 3\n1 2 1.5\n3 3 -5e-3\n4 1 123456789.125\n";

static void damage(void)
{
    check_truncations(mtx_array, TEXT(good), sizeof good - 3);
    check_flips(mtx_array, TEXT(good), sizeof good - 1);
    check_truncations(mtx_array, TEXT(good_reals), sizeof good_reals - 14);
    check_flips(mtx_array, TEXT(good_reals), sizeof good_reals - 1);
}

static const struct suite_case suite_cases_io_graph_mtx[] = {
    {"what is read", NULL, reads_good_files},
    {"reals", NULL, reals},
    {"malformed files", NULL, refused},
    {"damage", NULL, damage},
};
SUITE(io_graph_mtx);
