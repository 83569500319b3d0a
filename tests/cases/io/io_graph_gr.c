/* Graphs in DIMACS format. */
#include <math.h>
#include <stdio.h>

#include "support/bytes.h"
#include "support/edges_array.h"

#define TEXT(text) text, sizeof text - 1
#define GRAPH(text, m, ...) check_rows(gr_array, TEXT(text), (m) + 1, 3, (const double[]){__VA_ARGS__})

static const struct malformed malformed[] = {
    {"F: no line of the problem", "\n", 0},
    {"F: no line of the problem", "c only a comment\n", 0},
    {"F: no line of the problem", "c\n\nc p sp 1 0", 0},
    {"F:1: 'a' where the problem line", "a 1 2 3\np sp 2 1\n", 0},
    {"F:1: 'q' where the problem line", "q sp 2 1\na 1 2 3\n", 0},
    {"F:2: '1' where the problem line", "c\n1 2 3\n", 0},
    {"F:1: 'psp' where the problem line", "psp 2 1\na 1 2 3\n", 0},
    {"F:1: '?p' where the problem line", "\xefp sp 2 1\na 1 2 3\n", 0},
    {"F:1: the problem is ''", "p\n", 0},
    {"F:1: the problem is 'edges', but must be sp, edge or col", "p edges 2 1\ne 1 2\n", 0},
    {"F:2: 'a' begins no line of a graph (c, p, e do)", "p edge 2 1\na 1 2\n", 0},
    {"F:2: '10000000' begins no line of a graph (c, p, e do)", "p edge 20000000 1\n10000000 20000000\n", 0},
    {"F:2: '3' is one word too many", "p edge 2 1\ne 1 2 3\n", 0},
    {"F: ends after 1 of 2 edges", "p col 2 2\ne 1 2\n", 0},
    {"F:1: the problem is 'max'", "p max 2 1\na 1 2 3\n", 0},
    {"F:1: the problem is '2'", "p 2 1\na 1 2 3\n", 0},
    {"F:1: the problem is 'spp'", "p spp 2 1\na 1 2 3\n", 0},
    {"F:1: the number of vertices is missing", "p sp\n", 0},
    {"F:1: the number of vertices is missing", "p sp \t\n", 0},
    {"F:1: the number of edges is missing", "p sp 2\na 1 2 3\n", 0},
    {"F:1: '-2' is not a number of vertices", "p sp -2 1\na 1 2 3\n", 0},
    {"F:1: '+2' is not a number of vertices", "p sp +2 1\na 1 2 3\n", 0},
    {"F:1: '2.0' is not a number of vertices", "p sp 2.0 1\na 1 2 3\n", 0},
    {"F:1: 'n' is not a number of vertices", "p sp n 1\na 1 2 3\n", 0},
    {"F:1: '-1' is not a number of edges", "p sp 2 -1\na 1 2 3\n", 0},
    {"F:1: '1e1' is not a number of edges", "p sp 2 1e1\na 1 2 3\n", 0},
    {"F:1: '0x1' is not a number of edges", "p sp 2 0x1\na 1 2 3\n", 0},
    {"F:1: 4294967295 vertices are more than 4294967294", "p sp 4294967295 1\na 1 2 3\n", 0},
    {"F:1: 4294967295 edges are more than 4294967294", "p sp 2 4294967295\na 1 2 3\n", 0},
    {"is not a number of vertices", "p sp 99999999999999999999999999 1\na 1 2 3\n", 0},
    {"is not a number of edges", "p sp 2 18446744073709551617\na 1 2 3\n", 0},
    {"F:1: '7' is one word too many", "p sp 2 1 7\na 1 2 3\n", 0},
    {"F:1: '#' is one word too many", "p sp 2 1 # c\na 1 2 3\n", 0},
    {"F: ends after 0 of 1 edges", "p sp 2 1\n", 0},
    {"F: ends after 1 of 2 edges", "p sp 2 2\na 1 2 3\n", 0},
    {"F: ends after 1 of 4294967294 edges", "p sp 2 4294967294\na 1 2 3\n", 0},
    {"F: ends after 1 of 2 edges", "p sp 2 2\na 1 2 3\nc a 1 2 3\n\n", 0},
    {"F:3: more than the 1 edges that the header declares", "p sp 2 1\na 1 2 3\na 1 2 3\n", 0},
    {"F:5: more than the 1 edges", "p sp 2 1\na 1 2 3\n\nc\na 1 2 3\nrubbish\n", 0},
    {"F:2: more than the 0 edges", "p sp 2 0\na 1 2 3\n", 0},
    {"F:2: vertex '1' of a graph without vertices", "p sp 0 1\na 1 1 1\n", 0},
    {"F:2: vertex '0' is not from 1 to 2", "p sp 2 1\na 0 1 3\n", 0},
    {"F:2: vertex '0' is not from 1 to 2", "p sp 2 1\na 1 0 3\n", 0},
    {"F:2: vertex '3' is not from 1 to 2", "p sp 2 1\na 3 1 3\n", 0},
    {"F:3: vertex '3' is not from 1 to 2", "p sp 2 2\na 1 2 3\na 1 3 3\n", 0},
    {"F:2: vertex '4294967297' is not from 1 to 2", "p sp 2 1\na 4294967297 1 3\n", 0},
    {"F:2: vertex '18446744073709551617' is not from 1 to 2", "p sp 2 1\na 18446744073709551617 1 3\n", 0},
    {"is not from 1 to 2", "p sp 2 1\na 1 1000000000000000000000000000000000 3\n", 0},
    {"F:2: '-1' is not a vertex", "p sp 2 1\na -1 2 3\n", 0},
    {"F:2: '+1' is not a vertex", "p sp 2 1\na +1 2 3\n", 0},
    {"F:2: '1.0' is not a vertex", "p sp 2 1\na 1.0 2 3\n", 0},
    {"F:2: 'x' is not a vertex", "p sp 2 1\na 1 x 3\n", 0},
    {"F:2: '1,2,3' is not a vertex", "p sp 2 1\na 1,2,3\n", 0},
    {"F:2: the first vertex is missing", "p sp 2 1\na\n", 0},
    {"F:2: the first vertex is missing", "p sp 2 1\na  \r\n", 0},
    {"F:2: the second vertex is missing", "p sp 2 1\na 1\n", 0},
    {"F:2: the weight is missing", "p sp 2 1\na 1 2\n", 0},
    {"F:2: the weight is missing", "p sp 2 1\na 1 2 \t \n", 0},
    {"F:2: the weight 'w' is not a number", "p sp 2 1\na 1 2 w\n", 0},
    {"F:2: the weight '3x' is not a number", "p sp 2 1\na 1 2 3x\n", 0},
    {"F:2: the weight '--3' is not a number", "p sp 2 1\na 1 2 --3\n", 0},
    {"F:2: the weight '-' is not a number", "p sp 2 1\na 1 2 -\n", 0},
    {"F:2: the weight '0x10' is not a number", "p sp 2 1\na 1 2 0x10\n", 0},
    {"F:2: the weight '1e' is not a number", "p sp 2 1\na 1 2 1e\n", 0},
    {"F:2: the weight is NaN", "p sp 2 1\na 1 2 nan\n", 0},
    {"F:3: the weight is NaN", "p sp 2 2\na 1 2 1.5\na 1 2 -NaN\n", 0},
    {"F:2: '4' is one word too many", "p sp 2 1\na 1 2 3 4\n", 0},
    {"F:2: '#' is one word too many", "p sp 2 1\na 1 2 3 # note\n", 0},
    {"F:2: a second line of the problem", "p sp 2 1\np sp 2 1\na 1 2 3\n", 0},
    {"F:2: 'e' begins no line of a graph", "p sp 2 1\ne 1 2 3\n", 0},
    {"F:2: 'A' begins no line of a graph", "p sp 2 1\nA 1 2 3\n", 0},
    {"F:2: 'a1' begins no line of a graph", "p sp 2 1\na1 2 3\n", 0},
    {"F:2: '1' begins no line of a graph", "p sp 2 1\n1 2 3\n", 0},
    {"F:2: '?' begins no line of a graph", TEXT("p sp 2 1\n\0\na 1 2 3\n")},
    {"F:2: '2?' is not a vertex", TEXT("p sp 2 1\na 1 2\0 3\n")},
    {"F:2: '?2' is not a vertex", "p sp 2 1\na 1 \v2 3\n", 0},
    {"F:2: '?a' begins no line of a graph", "p sp 2 1\n\va 1 2 3\n", 0},
    {"F:3: vertex '9' is not from 1 to 2", "p sp 2 3\r\na 1 2 3\r\na 9 2 3\r\na 8 7 3\r\n", 0},
};

static void refused(void)
{
    check_all_refused(gr_array, malformed, sizeof malformed / sizeof malformed[0]);
    check_refused(gr_array, "", 0, "F: no line of the problem");
}

static void reads_good_files(void)
{
    GRAPH("p sp 0 0\n", 0, 0, 0, BOSC_I32);
    GRAPH("p sp 3 0", 0, 3, 0, BOSC_I32);
    GRAPH("p sp 4294967294 1\na 1 4294967294 7\n", 1, 4294967294.0, 1, BOSC_I32, 0, 4294967293.0, 7);
    GRAPH("p sp 3 2\na 1 2 5\na 3 2 -7\n", 2, 3, 2, BOSC_I32, 0, 1, 5, 2, 1, -7);
    GRAPH("c colouring\np edge 4 2\ne 1 2\ne 3 2\n", 2, 4, 2, 0, 0, 1, 1, 2, 1, 1);
    GRAPH("p col 20000000 1\ne 10000000 20000000\n", 1, 20000000, 1, 0, 9999999, 19999999, 1);
    GRAPH("c\nc words\n\n  \t\np sp 3 3\r\nc\n\na 1 2 5\r\n\r\nc a 1 1 1\n a\t1  1 \t-0 \na 3 2 +7", 3, 3, 3, BOSC_I32,
          0, 1, 5, 0, 0, 0, 2, 1, 7);
}

/* All weights together determine their type. */
static void weights(void)
{
    GRAPH("p sp 2 2\na 1 2 2147483647\na 1 2 -2147483648\n", 2, 2, 2, BOSC_I32, 0, 1, 2147483647.0, 0, 1,
          -2147483648.0);
    GRAPH("p sp 2 2\na 1 2 2147483648\na 1 2 1\n", 2, 2, 2, BOSC_I64, 0, 1, 2147483648.0, 0, 1, 1);
    GRAPH("p sp 2 1\na 1 2 -2147483649\n", 1, 2, 1, BOSC_I64, 0, 1, -2147483649.0);
    GRAPH("p sp 2 1\na 1 2 123456789012345\n", 1, 2, 1, BOSC_I64, 0, 1, 123456789012345.0);
    GRAPH("p sp 2 1\na 1 2 1234567890123456\n", 1, 2, 1, BOSC_I64, 0, 1, 1234567890123456.0);
    GRAPH("p sp 2 2\na 1 2 9223372036854775807\na 1 2 -9223372036854775808\n", 2, 2, 2, BOSC_I64, 0, 1, 0x1p63, 0, 1,
          -0x1p63);
    GRAPH("p sp 2 2\na 1 2 9223372036854775808\na 1 2 1\n", 2, 2, 2, BOSC_F64, 0, 1, 0x1p63, 0, 1, 1);
    GRAPH("p sp 2 2\na 1 2 1\na 1 2 -9223372036854775809\n", 2, 2, 2, BOSC_F64, 0, 1, 1, 0, 1, -0x1p63);
    GRAPH("p sp 2 2\na 1 2 1\na 1 2 1.5\n", 2, 2, 2, BOSC_F64, 0, 1, 1, 0, 1, 1.5);
    GRAPH("p sp 2 3\na 1 2 1e3\na 1 2 -inf\na 2 2 .25\n", 3, 2, 3, BOSC_F64, 0, 1, 1000, 0, 1, -(double)INFINITY, 1, 1,
          .25);
    GRAPH("p sp 2 1\na 1 2 99999999999999999999999\n", 1, 2, 1, BOSC_F64, 0, 1, 99999999999999999999999.0);
}

static const char good[] = "c test\np sp 12 4\na 1 2 1000000\na 12 3 -5\nc\na 7 8 12345678901\na 9 10 3\n";

static void damage(void)
{
    check_truncations(gr_array, TEXT(good), sizeof good - 3);
    check_flips(gr_array, TEXT(good), 17);
    check_flips(gr_array, TEXT(good), sizeof good - 1);
}

static const struct suite_case suite_cases_io_graph_gr[] = {
    {"what is read", NULL, reads_good_files},
    {"kinds of weights", NULL, weights},
    {"malformed files", NULL, refused},
    {"damage", NULL, damage},
};
SUITE(io_graph_gr);
