/* The vertices of .off, .obj and .ply files, and the points of .pcd files. */
#include <stdio.h>

#include "support/bytes.h"
#include "io/mesh/points.h"

#define ROWS(parse, text, n, ...) check_rows(parse, text, sizeof(text) - 1, n, 3, (const double[]){__VA_ARGS__})

static void off_good(void)
{
    ROWS(bi_off_parse, "OFF\n2 0 0\n1 2 3\n4 5 6\n", 2, 1, 2, 3, 4, 5, 6);
    ROWS(bi_off_parse, "OFF 1 0 0\n1 2 3", 1, 1, 2, 3);
    ROWS(bi_off_parse, "# c\n\nOFF # c\n# c\n1 0\n\n1 2 3 # c\n# c\n", 1, 1, 2, 3);
    ROWS(bi_off_parse, "COFF\r\n1 1 0\r\n1 2 3 255 0 0 255\r\n3 0 0 0 9 9 9\r\n", 1, 1, 2, 3);
    ROWS(bi_off_parse, "NOFF\n1 0 0\n1 2 3 0 0 1\n", 1, 1, 2, 3);
    ROWS(bi_off_parse, "STCNOFF\n1 0 0\n1 2 3 0 0 1 .1 .2 .3 1 0 0\n", 1, 1, 2, 3);
    /* The shortest lines there are, many of them. */
    char text[16 + 6 * 40] = "OFF\n40 0 0\n";
    double zeros[3 * 40] = {0};
    for (int i = 0; i < 40; i++) strcat(text, "0 0 0\n");
    for (size_t end = 0; end < 2; end++) check_rows(bi_off_parse, text, strlen(text) - end, 40, 3, zeros);
    ROWS(bi_off_parse, "OFF\n3 2 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 2 1 0\n", 3, 0, 0, 0, 1, 0, 0, 0, 1, 0);
}

/* Malformed OFF files, and their messages. */
static const struct malformed bad_off[] = {
    {"no .off", "", 0},
    {"no .off", "\n\n# nothing\n", 0},
    {"no .off", "off\n1 0 0\n1 2 3\n", 0},
    {"no .off", "1 0 0\n1 2 3\n", 0},
    {"no .off", "ply\nformat ascii 1.0\n", 0},
    {"no .off", "OF\n1 0 0\n1 2 3\n", 0},
    {"no .off", "OFFF\n1 0 0\n1 2 3\n", 0},
    {"three coordinates", "4OFF\n1 0 0\n1 2 3 4\n", 0},
    {"three coordinates", "nOFF\n2\n1 0 0\n1 2\n", 0},
    {"three coordinates", "XOFF\n1 0 0\n1 2 3\n", 0},
    {"binary", "OFF BINARY\n1 0 0\n", 0},
    {"counts", "OFF\n", 0},
    {"counts", "OFF", 0},
    {"number of vertices", "OFF\nx 0 0\n", 0},
    {"number of vertices", "OFF\n-1 0 0\n", 0},
    {"number of vertices", "OFF\n1.0 0 0\n1 2 3\n", 0},
    {"number of vertices", "OFF\n+1 0 0\n1 2 3\n", 0},
    {"number of vertices", "OFF\n99999999999999999999 0 0\n", 0},
    {"number of faces", "OFF\n1\n1 2 3\n", 0},
    {"number of faces", "OFF\n1 x 0\n1 2 3\n", 0},
    {"number of faces", "OFF\n1 -1 0\n1 2 3\n", 0},
    {"number of faces", "OFF\n1 # 0 0\n1 2 3\n", 0},
    {"number of edges", "OFF\n1 0 x\n1 2 3\n", 0},
    {"more than three", "OFF\n1 0 0 0\n1 2 3\n", 0},
    {"no vertices", "OFF\n0 0 0\n", 0},
    {"do not fit", "OFF\n1000000 0 0\n1 2 3\n", 0},
    {"do not fit", "OFF\n4611686018427387904 0 0\n1 2 3\n", 0},
    {"do not fit", "OFF\n4611686018427387905 0 0\n1 2 3\n", 0},
    {"F:4: truncated", "OFF\n2 0 0\n1 2 3\n\n", 0},
    {"F:3: 2 numbers", "OFF\n1 0 0\n1 2\n", 0},
    {"F:3: 'x' is not", "OFF\n1 0 0\n1 2 x\n", 0},
    {"F:3: '2,' is not", "OFF\n1 0 0\n1 2, 3\n", 0},
    {"F:3: NaN", "OFF\n1 0 0\n1 2 nan\n", 0},
    {"F:3: '1?' is not", "OFF\n1 0 0\n1\0 2 3\n", 17},
    {"F:4: text after", "OFF\n1 0 0\n1 2 3\n4 5 6\n", 0},
    {"F:3: truncated", "OFF\n1 1 0\n1 2 3\n", 0},
    {"F:4: no face", "OFF\n1 1 0\n1 2 3\n3 0 0 1\n", 0},
    {"F:4: no face", "OFF\n1 1 0\n1 2 3\n3 0 0 -1\n", 0},
    {"F:4: no face", "OFF\n1 1 0\n1 2 3\n3 0 0 0.5\n", 0},
    {"F:4: no face", "OFF\n1 1 0\n1 2 3\n3 0 0\n", 0},
    {"F:4: no face", "OFF\n1 1 0\n1 2 3\n0 0 0\n", 0},
    {"F:4: no face", "OFF\n1 1 0\n1 2 3\n1.5 0 0\n", 0},
    {"F:4: no face", "OFF\n1 1 0\n1 2 3\n-3 0 0\n", 0},
    {"F:4: no face", "OFF\n1 1 0\n1 2 3\ninf 0 0\n", 0},
    {"F:4: no face", "OFF\n1 1 0\n1 2 3\n1 inf\n", 0},
    {"F:4: no face", "OFF\n1 1 0\n1 2 3\n1 1e300\n", 0},
    {"F:4: 1 numbers", "OFF\n1 1 0\n1 2 3\n1\n", 0},
    {"F:4: no face", "OFF\n1 1 0\n1 2 3\n1 nan\n", 0},
    {"three coordinates", "CCOFF\n1 0 0\n1 2 3\n", 0},
    {"number of faces", "OFF3\n1 2 3\n", 0},
    {"more than three", "OFF1 0 0 0\n1 2 3\n", 0},
    {"F:4: 'f' is not", "OFF\n1 1 0\n1 2 3\nf 0\n", 0},
    {"F:5: text after", "OFF\n1 1 0\n1 2 3\n1 0\nmore\n", 0},
    {"F:4: truncated", "OFF\n1 1000000000 0\n1 2 3\n1 0\n", 0},
};

static void off_bad(void)
{
    check_all_refused(bi_off_parse, bad_off, sizeof bad_off / sizeof bad_off[0]);
    static const char good[] = "COFF\n2 1 0\n1 2 3 9 9 9\n4 5 6 9 9 9\n3 0 1 1\n";
    check_truncations(bi_off_parse, good, sizeof good - 1, sizeof good - 2);
    check_flips(bi_off_parse, good, sizeof good - 1, sizeof good - 1);
}

static void obj_good(void)
{
    ROWS(bi_obj_parse, "v 1 2 3\nv 4 5 6\n", 2, 1, 2, 3, 4, 5, 6);
    ROWS(bi_obj_parse, "# c\nmtllib a.mtl\no thing\nv 1 2 3 1.0\nvt 0 0\nvn 0 0 1\nv 4 5 6 .1 .2 .3 # c\nf 1/1 2/2\n",
         2, 1, 2, 3, 4, 5, 6);
    ROWS(bi_obj_parse, "\tv\t1\t2\t3 0 0 0 1\r\n", 1, 1, 2, 3);
    ROWS(bi_obj_parse, "v 1 2 3\nf 1 1 \\\n1 1\ng a\n", 1, 1, 2, 3);
    ROWS(bi_obj_parse, "v 1 \\\n2 \\\r\n3\nv 4 5\\\n 6\n", 2, 1, 2, 3, 4, 5, 6);
    ROWS(bi_obj_parse, "V is not a vertex\nv 1 2 3", 1, 1, 2, 3);
}

static void obj_bad(void)
{
    /* 1. Bad vertices, on the first line, on the third, and on a last line without an end. */
    static const char *const vertices[] = {"v",         "v 1",         "v 1 2",     "v 1 2 x",   "v x 2 3",
                                           "v 1,2,3",   "v 1 2 ,",     "v 1 2 3,",  "v 1 2 0x3", "v 1 2 --3",
                                           "v 1 2 3e",  "v 1 2 .",     "v 1/2 3",   "v nan 2 3", "v 1 2 nan 4",
                                           "v 1 # 2 3", "v 1 2 3 red", "v 1 2 \\ 3"};
    char text[80];
    for (size_t i = 0; i < sizeof vertices / sizeof vertices[0]; i++) {
        snprintf(text, sizeof text, "%s\n", vertices[i]);
        check_refused(bi_obj_parse, text, strlen(text), "F:1: ");
        snprintf(text, sizeof text, "# c\nv 1 2 3\n%s\nv 1 2 3\n", vertices[i]);
        check_refused(bi_obj_parse, text, strlen(text), "F:3: ");
        check_refused(bi_obj_parse, text, strlen(text) - 9, "F:3: ");
    }
    /* 2. Other malformed files. */
    static const struct malformed bad[] = {
        {"no vertices", "", 0},
        {"no vertices", "# c\n", 0},
        {"no vertices", "vn 0 0 1\n", 0},
        {"no vertices", "f 1 2 3\n", 0},
        {"F:1: '1' is not a keyword", "1 2 3\n", 0},
        {"F:1: '-' is not a keyword", "- 2 3\n", 0},
        {"F:2: '?", "v 1 2 3\n\xff\xd8\n", 0},
        {"F:1: '?", "\0\0\0\0", 4},
        {"F:1: a vertex of 8", "v 1 2 3 4 5 6 7 8\n", 0},
        {"F:1: '{' is no", "{ \"v\": [1, 2, 3] }\n", 0},
    };
    check_all_refused(bi_obj_parse, bad, sizeof bad / sizeof bad[0]);
    /* 3. Truncated and flipped bytes. */
    static const char good[] = "# c\nv 1 2 3\nvt 0 0\nv 4 5 6 .1 .2 .3\nf 1 \\\n2 1\n";
    check_truncations(bi_obj_parse, good, sizeof good - 1, 11);
    check_flips(bi_obj_parse, good, sizeof good - 1, sizeof good - 1);
}

#define PLY(format, rest) "ply\nformat " format " 1.0\n" rest
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define END "end_header\n"
#define LITTLE "binary_little_endian"
#define BIG "binary_big_endian"

static void ply_good(void)
{
    /* 1. Text: comments, elements before the vertices, lists to skip. */
    ROWS(bi_ply_parse, PLY("ascii", "element vertex 2\n" XYZ END "1 2 3\n4 5 6\n"), 2, 1, 2, 3, 4, 5, 6);
    ROWS(bi_ply_parse, PLY("ascii", "comment c\nobj_info o\n\nelement vertex 1\n" XYZ END "1 2 3"), 1, 1, 2, 3);
    ROWS(bi_ply_parse,
         PLY("ascii",
             "element edge 2\nproperty list uchar int i\nelement vertex 1\nproperty uchar red\nproperty double z\n"
             "property list uchar float w\nproperty short x\nproperty int8 y\nelement face 1\n"
             "property list uchar int vertex_indices\n" END "2 0 0\n0\n255 3 2 9 9 1 2\n3 0 0 0\n"),
         1, 1, 2, 3);
    /* 2. Both byte orders, and vertices of mixed types behind other elements. */
    ROWS(bi_ply_parse,
         PLY(LITTLE, "element vertex 2\n" XYZ END) "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40"
                                                   "\0\0\x80\x40\0\0\xa0\x40\0\0\xc0\x40",
         2, 1, 2, 3, 4, 5, 6);
    ROWS(bi_ply_parse, PLY(BIG, "element vertex 1\n" XYZ END) "\x3f\x80\0\0\x40\0\0\0\x40\x40\0\0", 1, 1, 2, 3);
    ROWS(bi_ply_parse,
         PLY(BIG, "element edge 2\nproperty list ushort short i\nproperty char c\nelement nothing 9\nelement pair 2\n"
                  "property short i\nproperty short j\nelement vertex 1\n"
                  "property uint x\nproperty list uchar double w\nproperty uint16 y\nproperty float64 z\n"
                  "element face 1\nproperty list int int i\n" END) "\0\2\0\0\0\1c\0\0c"
                                                                   "iijjiijj"
                                                                   "\0\0\0\1"
                                                                   "\1wwwwwwww"
                                                                   "\0\2"
                                                                   "\x40\x08\0\0\0\0\0\0"
                                                                   "\0\0\0\1wwww\n",
         1, 1, 2, 3);
    /* 3. Small integers. */
    ROWS(bi_ply_parse,
         PLY(LITTLE, "element vertex 1\nproperty int8 x\nproperty int16 y\nproperty int32 z\n" END) "\xff\xfe\xff\xfd"
                                                                                                    "\xff\xff\xff",
         1, -1, -2, -3);
}

/* Malformed PLY files, and their messages. */
static const struct malformed bad_ply[] = {
    {"not a .ply", "", 0},
    {"not a .ply", "plyx\n", 0},
    {"not a .ply", "PLY\n", 0},
    {"not a .ply", "OFF\n", 0},
    {"format is not given", "ply\n", 0},
    {"format is not given", "ply\nelement vertex 1\n", 0},
    {"format is not given", "ply\nformat\n", 0},
    {"format is not one of", "ply\nformat binary 1.0\n", 0},
    {"format is not one of", "ply\nformat binary_middle_endian 1.0\n", 0},
    {"version", "ply\nformat ascii 2.0\n", 0},
    {"version", "ply\nformat ascii\n", 0},
    {"truncated in the header", PLY("ascii", ""), 0},
    {"truncated in the header", PLY("ascii", "element vertex 1\n" XYZ), 0},
    {"F:3: a line of the header", PLY("ascii", "vertex 1\n"), 0},
    {"F:3: a line of the header", PLY("ascii", "1 2 3\n"), 0},
    {"without name", PLY("ascii", "element\n"), 0},
    {"number of elements", PLY("ascii", "element vertex\n"), 0},
    {"number of elements", PLY("ascii", "element vertex x\n"), 0},
    {"number of elements", PLY("ascii", "element vertex -1\n"), 0},
    {"number of elements", PLY("ascii", "element vertex 1e3\n"), 0},
    {"number of elements", PLY("ascii", "element vertex 99999999999999999999\n"), 0},
    {"second element vertex", PLY("ascii", "element vertex 1\n" XYZ "element vertex 1\n"), 0},
    {"before any element", PLY("ascii", "property float x\n"), 0},
    {"property without type", PLY("ascii", "element vertex 1\nproperty\n"), 0},
    {"unknown type", PLY("ascii", "element vertex 1\nproperty float16 x\n"), 0},
    {"unknown type", PLY("ascii", "element vertex 1\nproperty list uchar long x\n"), 0},
    {"property without name", PLY("ascii", "element vertex 1\nproperty float\n"), 0},
    {"list without types", PLY("ascii", "element vertex 1\nproperty list\n"), 0},
    {"no integer type", PLY("ascii", "element vertex 1\nproperty list float int x\n"), 0},
    {"no integer type", PLY("ascii", "element vertex 1\nproperty list what int x\n"), 0},
    {"list without type", PLY("ascii", "element vertex 1\nproperty list uchar\n"), 0},
    {"property without name", PLY("ascii", "element vertex 1\nproperty list uchar int\n"), 0},
    {"x, y or z is a list", PLY("ascii", "element vertex 1\nproperty list uchar int x\n"), 0},
    {"given twice", PLY("ascii", "element vertex 1\nproperty float x\nproperty float x\n"), 0},
    {"no vertices", PLY("ascii", END), 0},
    {"no vertices", PLY("ascii", "element vertex 0\n" XYZ END), 0},
    {"no vertices", PLY("ascii", "element face 1\n" XYZ END), 0},
    {"lacks x, y or z", PLY("ascii", "element vertex 1\n" END), 0},
    {"lacks x, y or z", PLY("ascii", "element vertex 1\nproperty float x\nproperty float y\n" END), 0},
    {"lacks x, y or z", PLY("ascii", "element vertex 1\nproperty float U\nproperty float y\nproperty float z\n" END),
     0},
    {"do not fit", PLY("ascii", "element vertex 1000000\n" XYZ END "1 2 3\n"), 0},
    {"do not fit", PLY("ascii", "element vertex 4611686018427387904\n" XYZ END "1 2 3\n"), 0},
    {"do not fit", PLY(LITTLE, "element vertex 4611686018427387904\n" XYZ END "1 2 3\n"), 0},
    {"truncated", PLY("ascii", "element vertex 2\n" XYZ END "1 2 3\n"), 0},
    {"F:8: the numbers", PLY("ascii", "element vertex 1\n" XYZ END "1 2\n"), 0},
    {"F:8: the numbers", PLY("ascii", "element vertex 1\n" XYZ END "1 2 3 4\n"), 0},
    {"F:8: 'x' is not", PLY("ascii", "element vertex 1\n" XYZ END "1 2 x\n"), 0},
    {"F:8: NaN", PLY("ascii", "element vertex 1\n" XYZ END "1 2 nan\n"), 0},
    {"F:9: text after", PLY("ascii", "element vertex 1\n" XYZ END "1 2 3\n4 5 6\n"), 0},
    {"F:11: the numbers",
     PLY("ascii", "element vertex 1\n" XYZ "element face 1\nproperty list uchar int i\n" END "1 2 3\n3 0 0\n"), 0},
    {"F:11: the numbers",
     PLY("ascii", "element vertex 1\n" XYZ "element face 1\nproperty list uchar int i\n" END "1 2 3\n-1 0 0\n"), 0},
    {"F:11: the numbers",
     PLY("ascii", "element vertex 1\n" XYZ "element face 1\nproperty list uchar int i\n" END "1 2 3\n1.5 0 0\n"), 0},
    {"F:11: the numbers",
     PLY("ascii", "element vertex 1\n" XYZ "element face 1\nproperty list uchar int i\n" END "1 2 3\n1e300 0\n"), 0},
    {"truncated", PLY(LITTLE, "element vertex 1\n" XYZ END) "12345678901", 0},
    {"truncated", PLY(BIG, "element vertex 1\n" XYZ END), 0},
    {"truncated",
     PLY(LITTLE, "element face 4611686018427387904\nproperty int i\nelement vertex 1\n" XYZ END) "123456789012", 0},
    {"list's count",
     PLY(LITTLE, "element vertex 1\n" XYZ "property list int double i\n" END) "123456789012\xff\xff\xff\x7f", 0},
    {"list's count",
     PLY(LITTLE, "element vertex 1\n" XYZ "property list int double i\n" END) "123456789012\xff\xff\xff\xff", 0},
    {"list's count", PLY(LITTLE, "element vertex 1\n" XYZ "property list int double i\n" END) "123456789012\1\2\3", 0},
    {"list's count",
     PLY(LITTLE, "element vertex 1\n" XYZ "element face 2\nproperty list uchar uchar i\n" END) "123456789012\1\2", 0},
};

static void ply_bad(void)
{
    check_all_refused(bi_ply_parse, bad_ply, sizeof bad_ply / sizeof bad_ply[0]);
    static const char nan[] = PLY(LITTLE, "element vertex 2\n" XYZ END) "123456789012"
                                                                        "12345678\0\0\xc0\x7f";
    check_refused(bi_ply_parse, nan, sizeof nan - 1, "F: row 1: NaN");
}

/* Headers and rows as other programs write them: a count behind the keyword, prefixes in any order, and NaN among
 * numbers of no interest. */
static void as_others_write(void)
{
    static const char *const keywords[] = {"OFF2 0 0",   "OFF 2 0 0",      "OFF\n2 0 0",    "NCOFF\n2 0 0",
                                           "CNOFF2 0 0", "NSTCOFF\n2 0",   "CSTOFF\n2 0 0", "STNOFF 2 0 0",
                                           "COFF2 0",    "NOFF # c\n2 0 0"};
    char text[200];
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        snprintf(text, sizeof text, "%s\n1 2 3 nan -nan 1e999\n4 5 6 inf\n", keywords[i]);
        check_rows(bi_off_parse, text, strlen(text), 2, 3, (const double[]){1, 2, 3, 4, 5, 6});
    }
    ROWS(bi_off_parse, "OFF3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 nan nan nan\n", 3, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    ROWS(bi_obj_parse, "v 1 2 3 nan nan 1e999\nvn nan nan nan\nv 4 5 6 nan\n", 2, 1, 2, 3, 4, 5, 6);
    ROWS(bi_ply_parse,
         PLY("ascii", "element vertex 2\nproperty float nx\n" XYZ
                      "property uchar red\n" END) "nan 1 2 3 1e999\nNaN 4 5 6 -nan\n",
         2, 1, 2, 3, 4, 5, 6);
    ROWS(bi_ply_parse, PLY(LITTLE, "element vertex 1\n" XYZ END) "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40 and more", 1, 1, 2,
         3);
    static const struct malformed bad[] = {
        {"F:9: NaN", PLY("ascii", "element vertex 1\nproperty float nx\n" XYZ END) "nan 1 nan 3\n", 0},
        {"F:9: '1e999' is beyond", PLY("ascii", "element vertex 1\nproperty float nx\n" XYZ END) "nan 1 2 1e999\n", 0},
        {"F:9: 'x' is not", PLY("ascii", "element vertex 1\nproperty float nx\n" XYZ END) "x 1 2 3\n", 0},
    };
    check_all_refused(bi_ply_parse, bad, sizeof bad / sizeof bad[0]);
}

/* Coordinates of every type at its ends, in both byte orders. */
static void ply_types(void)
{
    static const struct {
        const char *name;
        size_t size;
        uint64_t least, most, middle; /* bits */
        double low, high, between;
    } types[] = {{"char", 1, 0x80, 0x7f, 0xff, -128, 127, -1},
                 {"uchar", 1, 0, 0xff, 0x80, 0, 255, 128},
                 {"short", 2, 0x8000, 0x7fff, 0xffff, -32768, 32767, -1},
                 {"ushort", 2, 0, 0xffff, 0x8000, 0, 65535, 32768},
                 {"int", 4, 0x80000000, 0x7fffffff, 0xffffffff, -2147483648., 2147483647., -1},
                 {"uint", 4, 0, 0xffffffff, 0x80000000, 0, 4294967295., 2147483648.},
                 {"float", 4, 0xff7fffff, 0x7f7fffff, 0xbf800000, -0x1.fffffep127, 0x1.fffffep127, -1},
                 {"double", 8, 0xffefffffffffffff, 0x7fefffffffffffff, 0xbff0000000000000, -0x1.fffffffffffffp1023,
                  0x1.fffffffffffffp1023, -1}};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (int big = 0; big < 2; big++) {
            const char *name = types[t].name;
            const uint64_t bits[3] = {types[t].least, types[t].most, types[t].middle};
            char text[300];
            size_t at = (size_t)snprintf(text, sizeof text,
                                         "ply\nformat binary_%s_endian 1.0\nelement vertex 1\nproperty %s x\n"
                                         "property %s y\nproperty %s z\nend_header\n",
                                         big ? "big" : "little", name, name, name);
            for (int c = 0; c < 3; c++)
                for (size_t k = 0; k < types[t].size; k++)
                    text[at++] = (char)(bits[c] >> 8 * (big ? types[t].size - 1 - k : k));
            check_rows(bi_ply_parse, text, at, 1, 3, (const double[]){types[t].low, types[t].high, types[t].between});
        }
}

static void ply_many(void)
{
    char text[20000] = "ply\nformat ascii 1.0\n";
    for (int i = 0; i < 33; i++) strcat(text, "element e 0\n");
    check_refused(bi_ply_parse, text, strlen(text), "more than 32 elements");
    strcpy(text, "ply\nformat ascii 1.0\nelement e 0\n");
    for (int i = 0; i < 513; i++) strcat(text, "property int i\n");
    check_refused(bi_ply_parse, text, strlen(text), "more than 512 properties");
}

static void ply_truncations_and_flips(void)
{
    static const char ascii[] = PLY(
        "ascii", "comment c\nelement face 1\nproperty list uchar int i\nelement vertex 1\n" XYZ END "2 0 0\n1 2 3\n");
    static const char binary[] = PLY(
        LITTLE,
        "element face 1\nproperty list uchar short i\nelement vertex 1\n" XYZ END) "\2\0\0\0\0"
                                                                                   "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40";
    check_truncations(bi_ply_parse, ascii, sizeof ascii - 1, sizeof ascii - 2);
    check_flips(bi_ply_parse, ascii, sizeof ascii - 1, sizeof ascii - 1);
    check_truncations(bi_ply_parse, binary, sizeof binary - 1, sizeof binary - 1);
    check_flips(bi_ply_parse, binary, sizeof binary - 1, sizeof binary - 1);
}

#define PCD(head, data) "# .PCD v.7\nVERSION .7\n" head "DATA " data "\n"
#define FIELDS_XYZ "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"
#define MIXED "FIELDS rgb z _ x y\nSIZE 4 2 1 8 1\nTYPE F I U F U\nCOUNT 1 1 3 1 1\n"
#define ONE "WIDTH 1\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 1\n"
#define TWO "WIDTH 2\nHEIGHT 1\nPOINTS 2\n"

static void pcd_good(void)
{
    /* 1. Text: lines of an old version, other fields, several numbers a field, NaN in them. */
    ROWS(bi_pcd_parse, PCD(FIELDS_XYZ TWO, "ascii") "1 2 3\n4 5 6\n", 2, 1, 2, 3, 4, 5, 6);
    ROWS(bi_pcd_parse, "COLUMNS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nPOINTS 1\nDATA ascii\n1 2 3", 1, 1, 2, 3);
    ROWS(bi_pcd_parse, "WIDTH 1\r\nHEIGHT 2\r\n" FIELDS_XYZ "DATA ascii\r\n1 2 3\r\n4 5 6\r\n", 2, 1, 2, 3, 4, 5, 6);
    ROWS(
        bi_pcd_parse,
        PCD("FIELDS n z x y t\nSIZE 4 4 4 4 8\nTYPE F F F F U\nCOUNT 3 1 1 1 1\n" ONE, "ascii") "nan nan nan 3 1 2 9\n",
        1, 1, 2, 3);
    /* 2. Binary, with padding. */
    ROWS(bi_pcd_parse,
         PCD(FIELDS_XYZ TWO, "binary") "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40"
                                       "\0\0\x80\x40\0\0\xa0\x40\0\0\xc0\x40",
         2, 1, 2, 3, 4, 5, 6);
    ROWS(bi_pcd_parse, PCD(MIXED ONE, "binary") "rgb_\xfd\xff___\0\0\0\0\0\0\xf0\x3f\xff", 1, 1, 255, -3);
    /* 3. Compressed: the numbers of a field one after another, and none of padding. Plain bytes,
     * a copy of 4 bytes from 4 before, and one of 15 bytes from 1 before, which overlaps. */
    ROWS(bi_pcd_parse,
         PCD(MIXED ONE, "binary_compressed") "\x10\0\0\0\x0f\0\0\0"
                                             "\x0ergb_\xfd\xff\0\0\0\0\0\0\xf0\x3f\xff",
         1, 1, 255, -3);
    ROWS(bi_pcd_parse,
         PCD(FIELDS_XYZ TWO, "binary_compressed") "\x0c\0\0\0\x18\0\0\0"
                                                  "\3\0\0\x80\x3f\x40\3\0\0\xe0\6\0",
         2, 1, 0, 0, 1, 0, 0);
}

/* Malformed PCD files, and their messages. */
static const struct malformed bad_pcd[] = {
    {"not a .pcd", "ply\nformat ascii 1.0\n", 0},
    {"truncated in the header", "", 0},
    {"F:2: truncated in the header", "VERSION .7\nFIELDS x y z\n", 0},
    {"F:2: 'WIDHT' is no line", "VERSION .7\nWIDHT 3\n", 0},
    {"F:2: FIELDS is given twice", "FIELDS x y z\nFIELDS x y z\n", 0},
    {"F:2: SIZE has 2 values, FIELDS 3", "FIELDS x y z\nSIZE 4 4\n", 0},
    {"F:2: TYPE has more values than FIELDS", "FIELDS x y z\nTYPE F F F F\n", 0},
    {"F:2: '0' is no count", "FIELDS x y z\nCOUNT 1 0 1\n", 0},
    {"F:1: WIDTH is malformed", "WIDTH -1\n", 0},
    {"DATA is not one of", PCD(FIELDS_XYZ ONE, "text"), 0},
    {"field 1 is of an unknown type", PCD("FIELDS x y z\n" ONE, "ascii") "1 2 3\n", 0},
    {"field 2 is of an unknown type", PCD("FIELDS x y z\nSIZE 4 8 4\nTYPE F I F\n" ONE, "ascii") "1 2 3\n", 0},
    {"field 1 is of an unknown type", PCD("FIELDS x y z\nSIZE 2 4 4\nTYPE F F F\n" ONE, "ascii") "1 2 3\n", 0},
    {"field 3 is of an unknown type", PCD("FIELDS x y z\nSIZE 4 4 4\nTYPE F F FF\n" ONE, "ascii") "1 2 3\n", 0},
    {"vertex lacks x, y or z", PCD("FIELDS x y w\nSIZE 4 4 4\nTYPE F F F\n" ONE, "ascii") "1 2 3\n", 0},
    {"x, y or z is given twice", PCD("FIELDS x y z x\nSIZE 4 4 4 4\nTYPE F F F F\n" ONE, "ascii") "1 2 3 4\n", 0},
    {"x, y or z is given twice", PCD("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 2 1\n" ONE, "ascii") "1 2 2 3\n",
     0},
    {"POINTS is not WIDTH times HEIGHT", PCD(FIELDS_XYZ "WIDTH 2\nPOINTS 3\n", "ascii") "1 2 3\n", 0},
    {"POINTS is not WIDTH times HEIGHT",
     PCD(FIELDS_XYZ "WIDTH 4611686018427387904\nHEIGHT 4611686018427387904\n", "ascii") "1 2 3\n", 0},
    {"no vertices", PCD(FIELDS_XYZ "WIDTH 0\n", "ascii"), 0},
    {"no vertices", PCD(FIELDS_XYZ, "binary"), 0},
    {"more than 512 properties",
     PCD("FIELDS x y z w\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 4000000000000000000\n" ONE, "ascii") "1 2 3 4\n", 0},
    {"truncated: 1000000 vertices do not fit", PCD(FIELDS_XYZ "WIDTH 1000000\n", "ascii") "1 2 3\n", 0},
    {"truncated: 2 vertices do not fit", PCD(FIELDS_XYZ TWO, "binary") "12345678901", 0},
    {"F:12: NaN", PCD(FIELDS_XYZ TWO, "ascii") "1 2 3\n1 nan 3\n", 0},
    {"text after the elements", PCD(FIELDS_XYZ ONE, "ascii") "1 2 3\n4 5 6\n", 0},
};

/* Malformed bodies of LZF, of `packed` bytes that should unpack to 12. */
static void check_lzf(const char *body, uint32_t packed, uint32_t unpacked, const char *message)
{
    char file[300] = PCD(FIELDS_XYZ ONE, "binary_compressed");
    const size_t at = strlen(file);
    memcpy(file + at, &packed, 4);
    memcpy(file + at + 4, &unpacked, 4);
    memcpy(file + at + 8, body, packed < 100 ? packed : 0);
    check_refused(bi_pcd_parse, file, at + 8 + (packed < 100 ? packed : 0), message);
}

static void pcd_bad(void)
{
    check_all_refused(bi_pcd_parse, bad_pcd, sizeof bad_pcd / sizeof bad_pcd[0]);
    static const char nan[] = PCD(FIELDS_XYZ TWO, "binary") "123456789012"
                                                            "12345678\0\0\xc0\x7f";
    check_refused(bi_pcd_parse, nan, sizeof nan - 1, "F: row 1: NaN");
    check_lzf("", 1000, 12, "F: truncated");
    check_lzf("\0a", 2, 24, "F: 1 points of 12 bytes are not the 24 bytes that it has");
    check_lzf("", 0, 12, "F: the compressed data is malformed"); /* impossible, and refused before unpacking */
    check_lzf("\0a\x20\1\x20\0", 6, 12, "F: the compressed data is malformed"); /* from before the first */
    check_lzf("\0a\xe0\3\0", 5, 12, "F: the compressed data is malformed");     /* 13 bytes */
    check_lzf("\0a\xe0\1\0", 5, 12, "F: the compressed data is malformed");     /* 11 bytes */
    check_lzf("\0a\xe0\2", 4, 12, "F: the compressed data is malformed");       /* no distance */
    check_lzf("\x0b"
              "12345678901",
              12, 12, "F: the compressed data is malformed"); /* a byte is missing */
    check_lzf("\x0c"
              "1234567890123",
              14, 12, "F: the compressed data is malformed"); /* a byte too many */
}

static void pcd_truncations_and_flips(void)
{
    static const char ascii[] = PCD(FIELDS_XYZ ONE, "ascii") "1 2 3\n";
    static const char binary[] = PCD(MIXED ONE, "binary") "rgb_\xfd\xff___\0\0\0\0\0\0\xf0\x3f\xff";
    static const char packed[] =
        PCD(FIELDS_XYZ TWO, "binary_compressed") "\x0c\0\0\0\x18\0\0\0\3\0\0\x80\x3f\x40\3\0\0\xe0\6\0";
    check_truncations(bi_pcd_parse, ascii, sizeof ascii - 1, sizeof ascii - 2);
    check_flips(bi_pcd_parse, ascii, sizeof ascii - 1, sizeof ascii - 1);
    check_truncations(bi_pcd_parse, binary, sizeof binary - 1, sizeof binary - 1);
    check_flips(bi_pcd_parse, binary, sizeof binary - 1, sizeof binary - 1);
    check_truncations(bi_pcd_parse, packed, sizeof packed - 1, sizeof packed - 1);
    check_flips(bi_pcd_parse, packed, sizeof packed - 1, sizeof packed - 1);
}

static const struct suite_case suite_cases_io_mesh[] = {
    {"as others write them", NULL, as_others_write},
    {"good .off", NULL, off_good},
    {"bad .off", NULL, off_bad},
    {"good .obj", NULL, obj_good},
    {"bad .obj", NULL, obj_bad},
    {"good .ply", NULL, ply_good},
    {"bad .ply", NULL, ply_bad},
    {".ply of every type", NULL, ply_types},
    {".ply of too many parts", NULL, ply_many},
    {".ply truncations and flips", NULL, ply_truncations_and_flips},
    {"good .pcd", NULL, pcd_good},
    {"bad .pcd", NULL, pcd_bad},
    {".pcd truncations and flips", NULL, pcd_truncations_and_flips},
};
SUITE(io_mesh);
