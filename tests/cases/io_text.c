/* Points as text: the numbers, the rows, what is refused. */
#include <math.h>
#include <stdio.h>

#include "support/bytes.h"
#include "io/number.h"

static bosc_status parse_csv(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_text_parse(in, true, points, error);
}

static bosc_status parse_text(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_text_parse(in, false, points, error);
}

/* The C library rounds correctly in the locale that tests run in. */
static void check_number(const char *text)
{
    char *block = suite_alloc(strlen(text));
    memcpy(block, text, strlen(text));
    double got = 0, expected = strtod(text, NULL);
    const char *end = bi_number_read(block, block + strlen(text), &got);
    if (end != block + strlen(text) || memcmp(&got, &expected, sizeof got) != 0)
        suite_fail(__FILE__, __LINE__, "%s reads as %a, not %a", text, got, expected);
    free(block);
}

static void rounding(void)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0.0",
                                        "-0e5",
                                        "1",
                                        "-1",
                                        "+1",
                                        "1.",
                                        ".5",
                                        "0.1",
                                        "0.3",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993",
                                        "9007199254740992",
                                        "9007199254740991",
                                        "9007199254740993e1",
                                        "9007199254740993e-1",
                                        "1e-22",
                                        "1e-23",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "1e309",
                                        "-1e400",
                                        "4.9e-324",
                                        "2.4e-324",
                                        "2.5e-324",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072014e-308",
                                        "1e-400",
                                        "0e999999999999999999999",
                                        "1e-99999999999",
                                        "1e99999999999",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "9999999999999999999",
                                        "99999999999999999999",
                                        "0.00000000000000000000000000000000000001",
                                        "123456789012345678901234567890e-20",
                                        "1E5",
                                        "1e+5",
                                        "000001.5000",
                                        "6929495644600919.5",
                                        "3.7455744005952583e15",
                                        "1.00000000000000011102230246251565404",
                                        "1.00000000000000011102230246251565405",
                                        "inf",
                                        "-inf",
                                        "INFINITY",
                                        "Infinity",
                                        "+Inf",
                                        "1e27",
                                        "1e28",
                                        "9223372036854775807e27",
                                        "9223372036854775807e-27",
                                        "9223372036854775807e-28"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) check_number(texts[i]);
}

static void random_numbers(void)
{
    static const char *const formats[] = {"%.17g", "%.16g", "%.18e", "%.6f", "%.3f", "%.9g", "%.25e", "%.0f"};
    struct suite_random r = {1};
    for (int i = 0; i < 20000; i++) {
        char text[512];
        uint64_t bits = suite_next(&r);
        double x = suite_unit(&r) * 2000 - 1000;
        if (i % 2) memcpy(&x, &bits, sizeof x);
        if (isnan(x)) continue;
        snprintf(text, sizeof text, formats[suite_below(&r, 8)], x);
        check_number(text);
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)(suite_next(&r) >> suite_below(&r, 64)),
                 (int)suite_below(&r, 64) - 32);
        check_number(text);
    }
}

/* Halfway between two doubles, and a little to either side, with more digits than fit in 64 bits. */
static void halfway(void)
{
    struct suite_random r = {2};
    for (int i = 0; i < 300; i++) {
        char text[1400], more[1500];
        double x = ldexp(suite_unit(&r) + 1, (int)suite_below(&r, 200) - 100);
        double up = nextafter(x, INFINITY);
        long double middle = ((long double)x + (long double)up) / 2;
        snprintf(text, sizeof text, "%.900Lf", middle);
        check_number(text);
        snprintf(more, sizeof more, "%s1", text);
        check_number(more);
    }
    char *endless = suite_alloc(100002);
    memset(endless, '0', 100001);
    endless[0] = '.';
    endless[100000] = '1';
    endless[100001] = 0;
    check_number(endless);
    memset(endless, '9', 100000);
    check_number(endless);
    free(endless);
}

#define ROWS(parse, text, n, dim, ...) check_rows(parse, text, strlen(text), n, dim, (const double[]){__VA_ARGS__})

static void good_texts(void)
{
    ROWS(parse_text, "1 2 3\n4 5 6\n", 2, 3, 1, 2, 3, 4, 5, 6);
    ROWS(parse_text, "1 2 3\n4 5 6", 2, 3, 1, 2, 3, 4, 5, 6);
    ROWS(parse_text, "1,2,3\r\n4,5,6\r\n", 2, 3, 1, 2, 3, 4, 5, 6);
    ROWS(parse_text, "1, 2,\t3\n\t4 ,5  6 \n", 2, 3, 1, 2, 3, 4, 5, 6);
    ROWS(parse_text, "# points\n\n1 2 # first\n   \n#\n3 4#last\n\n", 2, 2, 1, 2, 3, 4);
    ROWS(parse_text, "7", 1, 1, 7);
    ROWS(parse_text,
         "\xef\xbb\xbf"
         "1 2\n",
         1, 2, 1, 2);
    ROWS(parse_text, "inf -inf\n1e3 .5\n", 2, 2, INFINITY, -INFINITY, 1000, 0.5);
    ROWS(parse_csv, "x,y,z\n1,2,3\n", 1, 3, 1, 2, 3);
    ROWS(parse_csv, "# made by hand\n\"x\",\"y\"\n1,2\n", 1, 2, 1, 2);
    ROWS(parse_csv, "x y\n1 2\n", 1, 2, 1, 2);
    ROWS(parse_csv, "e1,e2\n1,2\n", 1, 2, 1, 2);
    ROWS(parse_csv, "1,2\n", 1, 2, 1, 2);
}

/* What no rows of numbers are, in either form. */
static const struct malformed bad_rows[] = {
    {"F: no points", "", 0},
    {"F: no points", "\n\n", 0},
    {"F: no points", "# only a comment\n", 0},
    {"F: no points", "\r\n \t\r\n", 0},
    {"F: no points", "\xef\xbb\xbf", 0},
    {"F:2: 2 numbers where the first row has 3", "1 2 3\n4 5\n", 0},
    {"F:2: 4 numbers where the first row has 3", "1 2 3\n4 5 6 7\n", 0},
    {"F:5: 1 numbers where the first row has 2", "#\n\n1 2\n\n3\n", 0},
    {"F:1: a field is empty", "1,,2\n", 0},
    {"F:1: a field is empty", "1,2,\n", 0},
    {"F:1: a field is empty", ",1,2\n", 0},
    {"F:1: a field is empty", ",\n", 0},
    {"F:2: a field is empty", "1,2\n3, # comment\n", 0},
    {"F:1: '1;2' is not a number", "1;2\n", 0},
    {"F:1: '1:2' is not a number", "1:2 3\n", 0},
    {"F:2: 'x' is not a number", "1 2\n3 x\n", 0},
    {"F:2: '1x' is not a number", "1 2\n1x 2\n", 0},
    {"F:1: '0x10' is not a number", "0x10 2\n", 0},
    {"F:1: '1e' is not a number", "1e 2\n", 0},
    {"F:1: '1e+' is not a number", "1e+ 2\n", 0},
    {"F:1: '1.2.3' is not a number", "1.2.3\n", 0},
    {"F:1: '--1' is not a number", "--1 2\n", 0},
    {"F:1: '+-1' is not a number", "+-1 2\n", 0},
    {"F:1: '-' is not a number", "- 2\n", 0},
    {"F:1: '.' is not a number", ". 2\n", 0},
    {"F:1: '+' is not a number", "+\n", 0},
    {"F:1: '-.' is not a number", "-.\n", 0},
    {"F:1: '.e5' is not a number", ".e5\n", 0},
    {"F:1: '1d5' is not a number", "1d5\n", 0},
    {"F:1: '1_000' is not a number", "1_000\n", 0},
    {"F:1: '1f' is not a number", "1f\n", 0},
    {"F:1: '1-2' is not a number", "1-2\n", 0},
    {"F:1: '(1' is not a number", "(1, 2)\n", 0},
    {"F:1: '[1' is not a number", "[1 2]\n", 0},
    {"F:1: '$1' is not a number", "$1\n", 0},
    {"F:1: '1?2'", "1\0002\n", 4},
    {"F:1: '?'", "\0\n", 2},
    {"F:1: '1?2'", "1\r2\n", 0},
    {"F:1: '?'", "\r\r\n", 0},
    {"F:1: '1?'", "1\f\n", 0},
    {"F:1: '1?'", "1\v\n", 0},
    {"F:1: '\?\?\?\?'", "\xc2\xb1\xc2\xb2\n", 0},
    {"F:2: '?", "1 2\n\xff\xfe\n", 0},
    {"F:1: '1inf' is not a number", "1inf\n", 0},
    {"F:1: NaN", "nan 1\n", 0},
    {"F:1: NaN", "1 NaN\n", 0},
    {"F:1: NaN", "-nan\n", 0},
    {"F:3: NaN", "1,2\n\n3,NAN\n", 0},
    {"F:1: '111111111111111111111111...' is not a number", "11111111111111111111111111111x\n", 0},
    {"F:2: ", "1 2\n// comment\n", 0},
    {"F:2: ", "1 2\n% comment\n", 0},
    {"F:2: ", "1 2\nx y\n", 0},
};

static void bad_texts(void)
{
    check_all_refused(parse_csv, bad_rows, sizeof bad_rows / sizeof bad_rows[0]);
    check_all_refused(parse_text, bad_rows, sizeof bad_rows / sizeof bad_rows[0]);
    check_refused(parse_text, "x,y\n1,2\n", 8, "F:1: 'x' is not a number");
    check_refused(parse_text, "infinit\n", 8, "F:1: 'infinit' is not a number");
    check_refused(parse_text, "infi\n", 5, "F:1: 'infi' is not a number");
    check_refused(parse_text, "nan(1)\n", 7, "F:1: 'nan(1)' is not a number");
    check_refused(parse_text, "1 2\nx,y\n", 8, "F:2: 'x' is not a number");
    check_refused(parse_csv, "x,1\n2,3\n", 8, "F:1: 'x' is not a number");
    check_refused(parse_csv, "x,y\na,b\n1,2\n", 12, "F:2: 'a' is not a number");
    check_refused(parse_csv, "x,y\n", 4, "F: no points");
    check_refused(parse_csv, "x,y\n1,2\n3\n", 10, "F:3: 1 numbers where the first row has 2");
}

/* Long texts are cut in parts: rows, their order and the line of a fault are those of the whole. */
static void long_texts(void)
{
    enum { N = 150000, FAULTY = 123456 };
    char *text = suite_alloc((size_t)N * 40);
    double *rows = suite_alloc((size_t)N * 3 * sizeof *rows);
    struct suite_random r = {3};
    size_t used = 0, faulty = 0;
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 3; c++) rows[i * 3 + c] = (double)suite_below(&r, 1000000) / 1000;
        if (i == FAULTY) faulty = used;
        used += (size_t)sprintf(text + used, "%.3f,%.3f %.3f%s\n", rows[i * 3], rows[i * 3 + 1], rows[i * 3 + 2],
                                i % 1000 ? "" : " # thousand");
    }
    check_rows(parse_csv, text, used, N, 3, rows);
    char expected[64];
    snprintf(expected, sizeof expected, "F:%d: 'x", FAULTY + 1);
    text[faulty] = 'x';
    text[used - 3] = 'x';
    check_refused(parse_csv, text, used, expected);
    free(text);
    free(rows);
}

static void truncations_and_flips(void)
{
    static const char text[] = "x,y\n# comment\n1.5e3,-2\r\n\n3,4\n";
    check_truncations(parse_csv, text, sizeof text - 1, 15);
    check_flips(parse_csv, text, sizeof text - 1, sizeof text - 1);
    check_truncations(parse_text, text + 4, sizeof text - 5, 0);
    check_flips(parse_text, text + 4, sizeof text - 5, sizeof text - 5);
}

static const struct suite_case suite_cases_io_text[] = {
    {"numbers at the edges", NULL, rounding},
    {"random numbers", NULL, random_numbers},
    {"halfway numbers and endless ones", NULL, halfway},
    {"good texts", NULL, good_texts},
    {"bad texts are refused", NULL, bad_texts},
    {"long texts", NULL, long_texts},
    {"truncations and flips", NULL, truncations_and_flips},
};
SUITE(io_text);
