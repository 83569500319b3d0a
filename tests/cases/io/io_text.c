/* Points as text: numbers, rows, refused files. */
#include <math.h>
#include <stdio.h>

#include "support/bytes.h"
#include "io/file/array.h"
#include "io/mesh/points.h"
#include "io/text/row.h"
#include "io/text/number.h"

static const char *columns; /* of parse_text */

static bosc_status parse_text(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_points_parse(BI_POINTS_TEXT, in, columns, NULL, points, error);
}

static bosc_status parse_xyz(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_points_parse(BI_POINTS_XYZ, in, NULL, NULL, points, error);
}

/* strtod, as the C library rounds correctly in the locale of the tests. */
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
    static const char *const texts[] = {
        "0", "-0", "0.0", "-0e5", "1", "-1", "+1", "1.", ".5", "0.1", "0.3", "1e22", "1e23", "9007199254740993",
        "9007199254740992", "9007199254740991", "9007199254740993e1", "9007199254740993e-1", "1e-22", "1e-23",
        "1.7976931348623157e308", "1.7976931348623159e308", "1e309", "-1e400", "4.9e-324", "2.4e-324", "2.5e-324",
        "2.2250738585072011e-308", "2.2250738585072014e-308", "1e-400", "0e999999999999999999999", "1e-99999999999",
        "1e99999999999", "18446744073709551615", "18446744073709551616", "9999999999999999999", "99999999999999999999",
        "0.00000000000000000000000000000000000001", "123456789012345678901234567890e-20", "1E5", "1e+5", "000001.5000",
        "6929495644600919.5", "3.7455744005952583e15", "1.00000000000000011102230246251565404",
        "1.00000000000000011102230246251565405", "inf", "-inf", "INFINITY", "Infinity", "+Inf", "1e27", "1e28",
        "9223372036854775807e27", "9223372036854775807e-27", "9223372036854775807e-28",
        /* quotients close to half a unit in the last place */
        "9639421256644951735e-27", "6272426576296910183e-27", "1579068408045780692e-27", "7343669994010332798e-27"};
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
    ROWS(parse_text, "x,y,z\n1,2,3\n", 1, 3, 1, 2, 3);
    ROWS(parse_text, "# made by hand\n\"x\",\"y\"\n1,2\n", 1, 2, 1, 2);
    ROWS(parse_text, "x y\n1 2\n", 1, 2, 1, 2);
    ROWS(parse_text, "e1,e2\n1,2\n", 1, 2, 1, 2);
    ROWS(parse_text, "1,2\n", 1, 2, 1, 2);
    ROWS(parse_text, "1;2;3\n4 ; 5;\t6\r\n", 2, 3, 1, 2, 3, 4, 5, 6);
    ROWS(parse_text, "a;b, c\n1;2\n", 1, 2, 1, 2);
    ROWS(parse_text, "1,2,\n3,4\n5,6,,\t, # last\n", 3, 2, 1, 2, 3, 4, 5, 6);
    ROWS(parse_text, "\"x 1\",\"y 2\"\n\"1\",\"2\"\n3,\" 4\"\n", 2, 2, 1, 2, 3, 4);
    ROWS(parse_text, "\"1\" \"2\"\n3 4\n", 2, 2, 1, 2, 3, 4);
    ROWS(parse_text, "\"1\"\t\"2\"\t\n3\t4\n", 2, 2, 1, 2, 3, 4);
    ROWS(parse_text, "//X Y Z\n1 2 3\n", 1, 3, 1, 2, 3);
    ROWS(parse_text, "1.7976931348623157e308 -Infinity\n", 1, 2, 0x1.fffffffffffffp1023, -INFINITY);
    ROWS(parse_text, "1.#INF,-1.#INF00\n", 1, 2, INFINITY, -INFINITY);                 /* Microsoft's printf */
    ROWS(parse_text, "2\n1 2 3 -99 0 0 9\n4 5 6 -99 0 0 9\n", 2, 3, 1, 2, 3, 4, 5, 6); /* Leica's .pts */
    ROWS(parse_text, "1\n1,2,3\n", 1, 3, 1, 2, 3);
    ROWS(parse_text, "sep=;\r\nx;y\r\n1;2\r\n", 1, 2, 1, 2); /* Excel */
    ROWS(parse_text, "x,y,2020\n1,2,3\n", 1, 3, 1, 2, 3);    /* numbers below two names make it a header */
    ROWS(parse_text, "Band 1;Band 2;inf\n1;2;3\n", 1, 3, 1, 2, 3);
    ROWS(parse_text, "x y \"7\"\n1 2 3\n", 1, 3, 1, 2, 3);
    ROWS(parse_text, "1\n2\n", 2, 1, 1, 2);
}

/* Malformed rows, in either format. */
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
    {"F:1: a field is empty", ",1,2\n", 0},
    {"F:1: a field is empty", ",\n", 0},
    {"F:1: a field is empty", " ,, # none\n", 0},
    {"F:1: a field is empty", "1, ,2\n", 0},
    {"F:1: a field is empty", ", # \"\n", 0},
    {"F:2: a field is empty", "1,2,3\n1,,3\n", 0},
    {"F:2: 1 numbers where the first row has 2", "1,2\n3, # comment\n", 0},
    {"F:2: 3 numbers where the first row has 2", "1,2,\n3,4,5\n", 0},
    {"F:2: '1;2' is not a number", "1,2\n1;2\n", 0},
    {"F:1: '1,5' is not a number", "1,5;2,5\n", 0},
    {"F:2: '1,5' is not a number", "1;2\n1,5;2\n", 0},
    {"F:2: '1\"' is not a number", "1;2\n1\";2\n", 0},
    {"F:1: a field is empty", "1,\"\",2\n", 0},
    {"F:1: '\"1\"2' is not a number", "\"1\"2,3\n", 0},
    {"F:2: '\"1' is not a number", "1,2\n\"1,2\n", 0},
    {"F:1: '1,2' is not a number", "\"1,2\",3\n", 0},
    {"F:2: '1 2' is not a number", "\"3\",4\n\"1 2\",3\n", 0},
    {"F:2: NaN", "1 2\n\"nan\" 2\n", 0},
    {"F:1: '1e400' is beyond the range of f8", "1e400 2\n", 0},
    {"F:2: '-1.8e308' is beyond the range of f8", "1,2\n3,-1.8e308\n", 0},
    {"F:2: '+.1e999' is beyond the range of f8", "1,2\n3,\"+.1e999\"\n", 0},
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
    {"F:1: '1d+' is not a number", "1d+\n", 0},
    {"F:1: '1_000' is not a number", "1_000\n", 0},
    {"F:1: '1f' is not a number", "1f\n", 0},
    {"F:1: '1-2' is not a number", "1-2\n", 0},
    {"F:1: '(1' is not a number", "(1, 2)\n", 0},
    {"F:1: '[1' is not a number", "[1 2]\n", 0},
    {"F:1: '$1' is not a number", "$1\n", 0},
    {"F:1: '1?2'", "1\0002\n", 4},
    {"F:1: '?'", "\0\n", 2},
    {"F: no points", "\r\r\n", 0},
    {"F:1: '1?'", "1\f\n", 0},
    {"F:1: '1?'", "1\v\n", 0},
    {"F:1: '\?\?\?\?'", "\xc2\xb1\xc2\xb2\n", 0},
    {"F:2: '?", "1 2\n\xff\xfe\n", 0},
    {"F:1: '1inf' is not a number", "1inf\n", 0},
    {"F:1: NaN", "nan 1\n", 0},
    {"F:1: NaN", "2 1.#QNAN\n", 0},
    {"F:2: NaN", "2,3\n\"-1.#IND00\",1\n", 0},
    {"F:1: NaN", "1 NaN\n", 0},
    {"F:1: NaN", "-nan\n", 0},
    {"F:3: NaN", "1,2\n\n3,NAN\n", 0},
    {"F:1: '111111111111111111111111...' is not a number", "11111111111111111111111111111x\n", 0},
    {"F:2: '#N/A' is not a number", "1,2\n3,#N/A\n", 0}, /* Excel's missing number is no comment */
    {"F:2: '#NA' is not a number", "1 2\n#NA 3\n", 0},
    {"F:1: '#N/A' is not a number", "#N/A;3\n", 0},
    {"F: a text in UTF-16; save it as UTF-8",
     "\xff\xfe"
     "1\0\n",
     5},
    {"F: a text in UTF-16", "\xfe\xff", 2},
    {"F:3: 'x' is not a number", "sep=;\n1;2\nx;2\n", 0},
    {"F:1: 'x' is not a number", "x,1\n2,3\n", 0}, /* one name may be that of a row */
    {"F:1: 'x' is not a number", "x y 1\na 2 3\n", 0},
    {"F:1: 'x' is not a number", "x,y,1\n", 0},
    {"F:2: ", "1 2\n// comment\n", 0},
    {"F:2: ", "1 2\n% comment\n", 0},
    {"F:2: ", "1 2\nx y\n", 0},
};

#define COLUMNS(list, text, n, dim, ...) \
    columns = list;                      \
    ROWS(parse_text, text, n, dim, __VA_ARGS__)

static void chosen_columns(void)
{
    COLUMNS("y,x", "x,y,z\n1,2,3\n4,5,6\n", 2, 2, 2, 1, 5, 4);
    COLUMNS("3", "x,y,z\n1,2,3\n4,5,6\n", 2, 1, 3, 6);
    COLUMNS("2,2", "1 2 3\n4\t5 6 # c\n", 2, 2, 2, 2, 5, 5);
    COLUMNS("lat, lon", "name;lon;lat\n\"a;b\";1;2\n\"c \"\"d\"\" #1; \"\"e\";3;4\n;5;6;\n", 3, 2, 2, 1, 4, 3, 6, 5);
    COLUMNS("\"b, c\",a", "\"a\",\"b, c\"\n1,2\n", 1, 2, 2, 1);
    COLUMNS("x,y", ",x,y\n0,1,2\n1,3,4\n", 2, 2, 1, 2, 3, 4);                /* pandas */
    COLUMNS("y", ";;x;y\na;0;1;2\nb;1;3;4\n", 2, 1, 2, 4);                   /* two levels */
    COLUMNS("x", "\tx\ty\n0\t1\t2\n", 1, 1, 1);                              /* tabs */
    COLUMNS("y", "\"x\" \"y\"\n\"row 1\" 1 2\n\"row 2\" 3 4\n", 2, 1, 2, 4); /* R: write.table */
    COLUMNS("x", "\"\",\"x\",\"y\"\n\"1\",1,2\n", 1, 1, 1);                  /* R: write.csv */
    COLUMNS("y", "x y z\n1 10 20 30\n2 40 50 60\n", 2, 1, 20, 50);           /* without quotes */
    COLUMNS(NULL, "x y z\n1 10 20 30\n", 1, 3, 10, 20, 30);
    COLUMNS(NULL, "x y z \n1 10 20 30\n", 1, 3, 10, 20, 30);
    COLUMNS(NULL, "x,y,\n1,2,3\n4,5,6\n", 2, 3, 1, 2, 3, 4, 5, 6); /* the last column has no name */
    COLUMNS("x,y", "x,y,\n1,2,3\n4,5,6\n", 2, 2, 1, 2, 4, 5);
    COLUMNS("3", "NA,NA,3\n1,2,4\n5,6,7\n", 3, 1, 3, 4, 7); /* NA is no name of a column */
    COLUMNS("z", "x,y,z\n1.,2.,3.# last\n", 1, 1, 3);
    COLUMNS("z", "x,y,z\n1,2,-1.#INF\n", 1, 1, -INFINITY);
    COLUMNS("2,4", ",0,1,2\n0,10,20,30\n", 1, 2, 10, 30); /* pandas, columns without names */
    COLUMNS(NULL, ",0,1,2\n0,10,20,30\n", 1, 3, 10, 20, 30);
    COLUMNS("y,x", "Unnamed: 0,x,y\n0,10,20\n1,11,21\n", 2, 2, 20, 10, 21, 11); /* pandas, an index read back */
    COLUMNS("Band 1,y", "x\ty\tname\tBand 1\n1\t2\ta\t4\n", 1, 2, 4, 2);
    COLUMNS("x", "color,x,y\nff0001,4,5\n# a, b, c\n\"#ff0002\",7,8\n#ff00,9\n", 2, 1, 4, 7);
    COLUMNS("x", "id,x\n1,4\n#2,5\n3,6\n", 2, 1, 4, 6);       /* a comment: ids are numbers */
    COLUMNS("z,x", "# by hand\n#x y z\n1 2 3\n", 1, 2, 3, 1); /* NumPy, PCL */
    COLUMNS("Z,X", "//X Y Z\n1 2 3\n", 1, 2, 3, 1);           /* CloudCompare */
    COLUMNS("Z,X", "//X Y Z R\n2\n1 2 3 4\n5 6 7 8\n", 2, 2, 3, 1, 7, 5);
    COLUMNS(NULL, "//X Y Z\n1 2 3 9\n", 1, 4, 1, 2, 3, 9); /* no name is omitted before them */
    COLUMNS("3", "2\n1 2 3 4\n5 6 7 8\n", 2, 1, 3, 7);
    COLUMNS("2", ",x,y\n0,1,2\n", 1, 1, 1);
    COLUMNS(NULL, ",x,y\n0,1,2\n1,3,4\n", 2, 2, 1, 2, 3, 4);
    COLUMNS(NULL, ", x ,y,\n2024-01-01,1,2,\n", 1, 2, 1, 2);
    COLUMNS(NULL, "\"x\",\"y\"\n\"row\",1,2\n", 1, 2, 1, 2);
    COLUMNS("2,3", "when\twhat\tx\n\t1\t2\nnow here\t3\t4\t\n", 2, 2, 1, 2, 3, 4);
    columns = NULL;
}

static void wrong_columns(void)
{
    static const struct {
        /* Columns that do not exist, empty fields, numbers. */
        const char *reason, *columns, *text;
    } bad[] = {
        {"F:1: no column is named 'q'", "x,q", "x,y\n1,2\n"},
        {"F:1: no header names 'x'", "x", "1,2\n"},
        {"F:2: no header names 'x'", "x", "# x y z\n1 2\n"},
        {"F: 2 points, but a line before them says 3", NULL, "3\n1 2 3\n4 5 6\n"},
        {"F: 2 points, but a line before them says 3", NULL, "//X Y Z\n3\n1 2 3\n4 5 6\n"}, /* CloudCompare */
        {"F:1: several columns are named 'x'; a number chooses one", "y,x", "x,y,x\n1,2,3\n"},
        {"F:1: column 0 is requested, but the first is 1", "0", "1,2\n"},
        {"F:1: no columns are requested", "", "1,2\n"},
        {"F:1: a field is empty", NULL, ",1,2\n"},
        {"F:2: 'a' is not a number", NULL, ",x,y\n0,a,2\n"},
        {"F:3: 2 fields, but column 3 is requested", NULL, ",x,y\n0,1,2\n1,3\n"},
        {"F:1: no column is named ''", ",x", "x,y\n1,2\n"},
        {"F:2: 2 fields, but column 3 is requested", "3", "1,2,3\n1,2\n"},
        {"F:2: a field is empty", "2", "x,y\n1,,2\n"},
        {"F:2: 1 fields, but column 2 is requested", "2", "x,y\n1,\n"},
        {"F:3: 'b' is not a number", "2", "1,2,a\n3,4,a\n1,b\n"},
        {"F:2: NaN", "1", "1 2\nnan 3\n"},
        {"F:2: '1e999' is beyond the range of f8", "y", "x y\n1 1e999\n"},
        {"F: no points", "x", "x,y\n"},
        {"F:2: a comment or a row? It has 3 fields", "x", "color,x,y\n#ff0000,1,2\nff0001,4,5\n#00ff00,7,8\n"},
        {"F:3: a comment or a row? It has 2 fields", "x", "color;x\nred;1\n #ff0000;2\n"},
        {"F:2: '#N/A' is not a number", "x", "x,y\n#N/A,2\n"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        columns = bad[i].columns;
        check_refused(parse_text, bad[i].text, strlen(bad[i].text), bad[i].reason);
    }
    /* More columns than the limit. */
    char many[2 * BI_COLUMNS_MAX + 3] = "1";
    for (int i = 0; i < BI_COLUMNS_MAX; i++) strcat(many, ",1");
    columns = many;
    check_refused(parse_text, "1\n", 2, "F:1: more than 1024 columns are requested");
    columns = NULL;
}

/* Points followed by colours, and molecules. */
static void xyz(void)
{
    ROWS(parse_xyz, "1 2 3 255 0 9\n4 5 6 0 0 0\n", 2, 3, 1, 2, 3, 4, 5, 6);
    ROWS(parse_xyz, "//X Y Z R G B\n1 2 3 255 0 9\n", 1, 3, 1, 2, 3);
    ROWS(parse_xyz, "1 2\n3 4\n", 2, 2, 1, 2, 3, 4);
    ROWS(parse_xyz, "1 2 3 nan nan 1e999\n4 5 6 nan 0 0\n", 2, 3, 1, 2, 3, 4, 5, 6); /* normals are not stored */
    ROWS(parse_xyz, "7\n8\n9\n", 3, 1, 7, 8, 9);
    ROWS(parse_xyz, "2\nwater, or a part of it\nO 0 .5 -1e-3\n  H  1.5 2 3  0.1 x\n\n", 2, 3, 0, .5, -1e-3, 1.5, 2, 3);
    ROWS(parse_xyz, " 1 \r\n\r\n8\t0.25\t0.5\t-1\r\n", 1, 3, .25, .5, -1);
    ROWS(parse_xyz, "1\nProperties=id:I:1:species:S:1:pos:R:3 pbc=\"T\"\n7 H 1 2 3\n", 1, 3, 1, 2, 3);
    ROWS(parse_xyz, "1\nx Properties=\"forces:R:3:pos:R:3:species:S:1\"\n4 5 6 1 2 3 H\n", 1, 3, 1, 2, 3);
    ROWS(parse_xyz, "1\nLattice=\"1 0 0\" Properties=species:S:1:pos:R:3:forces:R:3\nH 1 2 3 4 5 6", 1, 3, 1, 2, 3);
    ROWS(parse_xyz, "2\n1 2 3 4\n5 6 7 8\n", 2, 3, 1, 2, 3, 5, 6, 7); /* no molecule: rows of a scanner */
    ROWS(parse_xyz, "1\n-76.3 0 0 1\n8 0 0 .5\n\n", 1, 3, 0, 0, .5);  /* an energy, and an atom of oxygen */
    static const struct malformed bad[] = {
        {"F:3: ends after 1 of 2 atoms", "2\n\nH 1 2 3\n", 0},
        {"F:4: 0 fields, but column 2 is requested", "2\n\nH 1 2 3\n\n", 0},
        {"F:4: 3 fields, but column 4 is requested", "2\n\nH 1 2 3\nH 1 2\n", 0},
        {"F:3: 'x' is not a number", "1\n\nH 1 x 3\n", 0},
        {"F:3: NaN", "1\n\nH 1 2 nan\n", 0},
        {"F:4: text after the 1 atoms; one molecule is read", "1\n\nH 1 2 3\nH 1 2 3\n", 0},
        {"F: no points", "0\n\nH 1 2 3\n", 0},
        {"F: 3 points, but a line before them says 2", "2\n1 2 3 4\n5 6 7 8\n.5 6 7 8\n", 0},
        {"F: 4 points, but a line before them says 2", "2\n1 2 3 4\n5 6 7 8\n5 6 7 8\n5 6 7 8\n", 0},
        {"F:3: ends after 1 of 99999999 atoms", "99999999\n\nH 1 2 3", 0},
        {"F:2: Properties= has no coordinates (pos:R:3)", "1\nProperties=id:I:1:species:S:1\n7 H 1 2 3\n", 0},
        {"F:2: Properties= has no coordinates (pos:R:3)", "1\nProperties=species:S:1:pos:R:2\nH 1 2 3\n", 0},
        {"F:2: Properties= has no coordinates (pos:R:3)", "1\nProperties=species:S:0:pos:R:3\nH 1 2 3\n", 0},
        {"F:2: Properties= has no coordinates (pos:R:3)", "1\nProperties=species:S:9999:pos:R:3\nH 1 2 3\n", 0},
        {"F:2: Properties= has no coordinates (pos:R:3)", "1\nProperties=species pos:R:3\nH 1 2 3\n", 0},
        {"F:2: Properties= has no coordinates (pos:R:3)", "1\nProperties=\nH 1 2 3\n", 0},
        {"F:3: 4 fields, but column 5 is requested", "1\nProperties=id:I:1:x:S:1:pos:R:3\nH 1 2 3\n", 0},
    };
    check_all_refused(parse_xyz, bad, sizeof bad / sizeof bad[0]);
    static const char good[] = "2\nc\nH 1 2 3\nO 4 5 6\n";
    check_truncations(parse_xyz, good, sizeof good - 1, 0);
    check_flips(parse_xyz, good, sizeof good - 1, sizeof good - 1);
}

static void bad_texts(void)
{
    check_all_refused(parse_text, bad_rows, sizeof bad_rows / sizeof bad_rows[0]);
    check_all_refused(parse_xyz, bad_rows, sizeof bad_rows / sizeof bad_rows[0]);
    check_refused(parse_text, "1 2\nx,y\n", 8, "F:2: 'x' is not a number");
    check_refused(parse_text, "x,1\n2,3\n", 8, "F:1: 'x' is not a number");
    check_refused(parse_text, "x,y\na,b\n1,2\n", 12, "F:2: 'a' is not a number");
    check_refused(parse_text, "x,y\n", 4, "F: no points");
    check_refused(parse_text, "x,y\n1,2\n3\n", 10, "F:3: 1 numbers where the first row has 2");
}

/* Long texts are read by several threads: rows, their order and the line of a fault equal those of the whole. */
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
    check_rows(parse_text, text, used, N, 3, rows);
    char expected[64];
    snprintf(expected, sizeof expected, "F:%d: 'x", FAULTY + 1);
    text[faulty] = 'x';
    text[used - 3] = 'x';
    check_refused(parse_text, text, used, expected);
    free(text);
    free(rows);
}

static void truncations_and_flips(void)
{
    static const char text[] = "x,y\n# comment\n1.5e3,-2\r\n\n3,4\n";
    check_truncations(parse_text, text, sizeof text - 1, 15);
    check_flips(parse_text, text, sizeof text - 1, sizeof text - 1);
    check_truncations(parse_text, text + 4, sizeof text - 5, 0);
    check_flips(parse_text, text + 4, sizeof text - 5, sizeof text - 5);
}

/* Standard input has no ending: its first bytes give the format. */
static void formats_by_bytes(void)
{
    static const struct {
        const char *text;
        enum bi_points_format format;
    } texts[] = {{"1 2 3\n", BI_POINTS_TEXT},
                 {"", BI_POINTS_TEXT},
                 {"x,y\n1,2\n", BI_POINTS_TEXT},
                 {"v,o\n1,2\n", BI_POINTS_TEXT},
                 {"v o\n1 2\n", BI_POINTS_TEXT},
                 {"ply,x\n1,2\n", BI_POINTS_TEXT},
                 {"3\n1\n2\n", BI_POINTS_TEXT},
                 {"ply\nformat ascii 1.0\n", BI_POINTS_PLY},
                 {"ply\r\nformat ascii 1.0\r\n", BI_POINTS_PLY},
                 {"# by hand\n\nv 1 2 3\n", BI_POINTS_OBJ},
                 {"mtllib a.mtl\nv 1 2 3\n", BI_POINTS_OBJ},
                 {"# .PCD v.7\nVERSION .7\n", BI_POINTS_PCD},
                 {"VERSION .7\nFIELDS x y z\n", BI_POINTS_PCD},
                 {"OFF\n3 1 0\n", BI_POINTS_OFF},
                 {"glTF\2", BI_POINTS_GLB},
                 {"\x93NUMPY\1", BI_POINTS_NPY},
                 {"2\nargon\nAr 0 0 0\nAr 1 2 3\n", BI_POINTS_XYZ}};
    /* Each text, as the head of standard input. */
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        const struct bi_bytes in = {.name = "-", .data = texts[k].text, .size = strlen(texts[k].text)};
        const enum bi_points_format found = bi_points_format_of("-", &in);
        if (found != texts[k].format) suite_fail(__FILE__, __LINE__, "%zu: %s: %d", k, texts[k].text, (int)found);
    }
}

static const struct suite_case suite_cases_io_text[] = {
    {"numbers at the edges", NULL, rounding},
    {"random numbers", NULL, random_numbers},
    {"halfway numbers and endless ones", NULL, halfway},
    {"good texts", NULL, good_texts},
    {"bad texts are refused", NULL, bad_texts},
    {"columns", NULL, chosen_columns},
    {"wrong columns are refused", NULL, wrong_columns},
    {"colours and molecules", NULL, xyz},
    {"long texts", NULL, long_texts},
    {"formats by first bytes", NULL, formats_by_bytes},
    {"truncations and flips", NULL, truncations_and_flips},
};
SUITE(io_text);
