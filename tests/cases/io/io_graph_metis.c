/* Graphs in METIS format. */
#include "support/bytes.h"
#include "support/edges_array.h"

#define TEXT(text) text, sizeof text - 1
#define GRAPH(text, m, ...) check_rows(metis_array, TEXT(text), (m) + 1, 3, (const double[]){__VA_ARGS__})

static const struct malformed malformed[] = {
    {"F: no header", "", 0},
    {"F: no header", "% only a comment\n", 0},
    {"F:1: the number of vertices is missing", "\n2 1\n2\n1\n", 0},
    {"F:1: the number of edges is missing", "2\n2\n1\n", 0},
    {"F:1: '-2' is not a number of vertices", "-2 1\n2\n1\n", 0},
    {"F:1: '2.0' is not a number of vertices", "2.0 1\n2\n1\n", 0},
    {"F:1: 'n' is not a number of vertices", "n 1\n2\n1\n", 0},
    {"F:2: 'm' is not a number of edges", "% c\n2 m\n2\n1\n", 0},
    {"F:1: '-1' is not a number of edges", "2 -1\n2\n1\n", 0},
    {"F:1: '99999999999999999999' is not a number of edges", "2 99999999999999999999\n2\n1\n", 0},
    {"F:1: 4294967295 vertices are more than 4294967294", "4294967295 1\n2\n1\n", 0},
    {"F:1: 4294967295 edges are more than 4294967294", "2 4294967295\n2\n1\n", 0},
    {"F:1: '2' is not a format", "2 1 2\n2\n1\n", 0},
    {"F:1: '0001' is not a format", "2 1 0001\n2 3\n1 3\n", 0},
    {"F:1: '-1' is not a format", "2 1 -1\n2\n1\n", 0},
    {"F:1: 'x' is not a format", "2 1 x\n2\n1\n", 0},
    {"F:1: '012' is not a format", "2 1 012\n2\n1\n", 0},
    {"F:1: '0' is not a number of vertex weights", "2 1 010 0\n2\n1\n", 0},
    {"F:1: '-1' is not a number of vertex weights", "2 1 010 -1\n2\n1\n", 0},
    {"F:1: '1025' is not a number of vertex weights", "2 1 010 1025\n2\n1\n", 0},
    {"F:1: 'x' is not a number of vertex weights", "2 1 010 x\n2\n1\n", 0},
    {"F:1: '5' is one word too many", "2 1 010 1 5\n2\n1\n", 0},
    {"F: ends after 0 of 2 rows", "2 1\n", 0},
    {"F: ends after 1 of 2 rows", "2 0\n\n", 0},
    {"F: ends after 1 of 4294967294 rows", "4294967294 1\n2\n", 0},
    {"F: ends after 2 of 3 rows", "3 1\n2\n% comments are no rows\n1\n%\n", 0},
    {"F:4: a row more than the 2 vertices", "2 1\n2\n1\n1\n", 0},
    {"F:5: a row more than the 2 vertices", "2 1\n2\n1\n\nx\n", 0},
    {"F:2: a row more than the 0 vertices", "0 0\n1\n", 0},
    {"F: has 0 edges, but its header declares 1", "2 1\n\n\n", 0},
    {"F: has 1 edges, but its header declares 2", "2 2\n2\n1\n", 0},
    {"F: has 1 edges, but its header declares 0", "2 0\n2\n1\n", 0},
    {"F: has 2 edges, but its header declares 1", "2 1\n2 2\n1 1\n", 0},
    {"F: an edge is not in the rows of both", "2 1\n2\n\n", 0},
    {"F: an edge is not in the rows of both", "2 1\n\n1\n", 0},
    {"F: an edge is not in the rows of both", "3 1\n2\n\n1\n", 0},
    {"F: an edge is not in the rows of both", "4 2\n2\n3\n4\n1\n", 0},
    {"F: the two rows of an edge give it different weights", "2 1 001\n2 5\n1 6\n", 0},
    {"F: the two rows of an edge give it different weights", "3 2 1\n2 5 3 6\n1 6\n1 5\n", 0},
    {"F: an edge is not in the rows of both", "3 2 1\n2 5 3 6\n1 5\n2 6\n", 0},
    {"F: an edge is not in the rows of both", "3 2\n2 3\n1 1\n\n", 0},
    {"F:2: vertex '0' is not from 1 to 2", "2 1\n0\n1\n", 0},
    {"F:2: vertex '3' is not from 1 to 2", "2 1\n3\n1\n", 0},
    {"F:3: vertex '-1' is not from 1 to 2", "2 1\n2\n-1\n", 0},
    {"F:2: vertex '4294967298' is not from 1 to 2", "2 1\n4294967298\n1\n", 0},
    {"F:2: '99999999999999999999' is not a vertex", "2 1\n99999999999999999999\n1\n", 0},
    {"F:2: '2.0' is not a vertex", "2 1\n2.0\n1\n", 0},
    {"F:4: 'x' is not a vertex", "2 1\n2\n%\n1 x\n", 0},
    {"F:3: '1,2' is not a vertex", "2 1\n2\n1,2\n", 0},
    {"F:2: '#' is not a vertex", "2 1\n2 # c\n1\n", 0},
    {"F:2: vertex 1 is its own neighbour", "2 1\n1\n1\n", 0},
    {"F:3: vertex 2 is its own neighbour", "2 1\n\n2\n", 0},
    {"F:2: the weight is missing", "2 1 1\n2\n1 5\n", 0},
    {"F:3: the weight is missing", "2 1 1\n2 5\n1\n", 0},
    {"F:2: 'w' is not a weight", "2 1 1\n2 w\n1 5\n", 0},
    {"F:2: '1.5' is not a weight", "2 1 1\n2 1.5\n1 1.5\n", 0},
    {"F:2: '9223372036854775808' is not a weight", "2 1 1\n2 9223372036854775808\n1 9223372036854775808\n", 0},
    {"F:2: the weight of the vertex is missing", "2 1 10\n\n1 1\n", 0},
    {"F:3: the weight of the vertex is missing", "2 1 10 2\n7 7 2\n7\n", 0},
    {"F:2: 'x' is not a weight of the vertex", "2 1 10\nx 2\n7 1\n", 0},
    {"F:2: '2?' is not a vertex", TEXT("2 1\n2\0\n1\n")},
};

static void refused(void) { check_all_refused(metis_array, malformed, sizeof malformed / sizeof malformed[0]); }

static void reads_good_files(void)
{
    GRAPH("0 0\n", 0, 0, 0, 0);
    GRAPH("0 0", 0, 0, 0, 0);
    GRAPH("3 0\n\n\n\n", 0, 3, 0, 0);
    GRAPH("2 1\n2\n1", 1, 2, 1, 0, 0, 1, 1);
    GRAPH("% c\r\n2 1 0\r\n% c\r\n 2\t\r\n%\r\n1\r\n\r\n \r\n", 1, 2, 1, 0, 0, 1, 1);
    /* the graph of the manual's figure 2 */
    GRAPH("7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n", 11, 7, 11, 0, 0, 4, 1, 0, 2, 1, 0, 1, 1, 1, 2, 1,
          1, 3, 1, 2, 4, 1, 2, 3, 1, 3, 5, 1, 3, 6, 1, 4, 5, 1, 5, 6, 1);
    GRAPH("3 2 001\n2 5 3 -7\n1 5\n1 -7\n", 2, 3, 2, BOSC_I32, 0, 1, 5, 0, 2, -7);
    GRAPH("3 2 1\n2 5 3 3000000000\n1 5\n1 3000000000\n", 2, 3, 2, BOSC_I64, 0, 1, 5, 0, 2, 3000000000.0);
    GRAPH("2 1 011 2\n9 9 2 5\n8 8 1 5\n", 1, 2, 1, BOSC_I32, 0, 1, 5);
    GRAPH("2 1 110\n1 9 2\n1 8 1\n", 1, 2, 1, 0, 0, 1, 1);
    GRAPH("2 1 100\n9 2\n8 1\n", 1, 2, 1, 0, 0, 1, 1);
    GRAPH("2 2 001\n2 5 2 6\n1 6 1 5\n", 2, 2, 2, BOSC_I32, 0, 1, 5, 0, 1, 6); /* parallel edges */
}

static const char good[] = "% c\n5 4 001\n2 1000000 3 -5\n1 1000000\n1 -5 4 77\n3 77 5 123456789012\n4 123456789012\n";

static void damage(void)
{
    check_truncations(metis_array, TEXT(good), sizeof good - 2);
    check_flips(metis_array, TEXT(good), 12);
    check_flips(metis_array, TEXT(good), sizeof good - 1);
}

static const struct suite_case suite_cases_io_graph_metis[] = {
    {"what is read", NULL, reads_good_files},
    {"malformed files", NULL, refused},
    {"damage", NULL, damage},
};
SUITE(io_graph_metis);
