/* Edge lists in the format of SNAP. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/bytes.h"
#include "support/edges_array.h"
#include "support/paths.h"
#include "io/graph/edge_names.h"

#define TEXT(text) text, sizeof text - 1
#define GRAPH(text, m, ...) check_rows(list_array, TEXT(text), (m) + 1, 3, (const double[]){__VA_ARGS__})

static const struct malformed malformed[] = {
    {"F:1: 'x' is not a vertex", "x y\n", 0},
    {"F:1: 'u' is not a vertex", "u v w\n1 2\n", 0},
    {"F:1: the data has no attribute 'weight'", "1 2 {'a': 3, 'b': 4}\n", 0},
    {"F:2: data without vertices before it", "1 2 {'a': 3}\n{'a': 3}\n", 0},
    {"F:2: the data has no attribute 'weight'", "1 2 {'a': 3}\n10000000 20000000 7\n10000000 20000000 7\n", 0},
    {"F:2: ''a':' is one word too many", "1 2 {}\n1 2 {'a': 3}\n", 0},
    {"F:2: the data has no attribute 'weight'", "1 2 {'weight': 3}\n1 2\n", 0},
    {"F:2: the data has no attribute 'weight'", "1 2 {'a': 3}\n1 2 {}\n", 0},
    {"F:1: the weight ''red'' is not a number", "1 2 {'a': 'red'}\n", 0},
    {"F:1: '{'a':' is not a vertex", "1 {'a': 3}7 2\n", 0},
    {"F:1: '-1' is not a vertex", "-1 2\n", 0},
    {"F:1: '+1' is not a vertex", "+1 2\n", 0},
    {"F:1: the vertex '1.5' is no integer", "1.5 2\n", 0},
    {"F:2: the vertex '2.01' is no integer", "1 2\n3 2.01\n", 0},
    {"F:1: '1.x' is not a vertex", "1.x 2\n", 0},
    {"F:1: '.0' is not a vertex", ".0 2\n", 0},
    {"F:1: '-1.0' is not a vertex", "-1.0 2\n", 0},
    {"F:1: vertex '4294967294.0' is not from 0 to 4294967293", "4294967294.0 2\n", 0},
    {"F:2: the weight 'Undirected' is not a number", "Origin,Target,Type,Id\n1,2,Undirected,0\n", 0},
    {"F:2: the second vertex is missing", "Type,Source,Id,Target\nUndirected,1,2\n", 0},
    {"F:1: several columns are named 'Weight'", "Source,Target,Type,Weight,Weight\n1,2,Undirected,3,4\n", 0},
    {"F:1: several columns are named 'Weight'", "Source,Target,Type,weight,WEIGHT\n1,2,Undirected,3,4\n", 0},
    {"F:1: several columns are named 'Source'", "source,SOURCE,target,weight\n1,2,3,4\n", 0},
    {"F:1: '1d2' is not a vertex", "1d2,source,target\n1,2,3\n", 0},
    {"F:1: 'x' is not a vertex", "x 1d2\n1 2\n", 0}, /* may be a row */
    {"F:2: the weight is missing", "Source,Target,Type,Weight\n1,2,Undirected\n", 0},
    {"F:2: the weight '' is not a number", "Source,Target,Type,Weight,Id\n1,2,Undirected,,7\n", 0},
    {"F:2: '' is not a vertex", "Source,Target,Type,Weight,Id\n1,,Undirected,2,7\n", 0},
    {"F:1: '1d3' is not a vertex", "1d3 2\n", 0},
    {"F:1: '1e' is not a vertex", "1e 2\n", 0},
    {"F:1: '1.#INF' is not a vertex", "1.#INF 2\n", 0},
    {"F:1: the vertex '1.25e1' is no integer", "1.25e1 2\n", 0},
    {"F:1: the vertex '5e-1' is no integer", "5e-1 2\n", 0},
    {"F:1: vertex '1e19' is not from 0 to 4294967293", "1e19 2\n", 0},
    {"F:1: vertex '1e400' is not from 0 to 4294967293", "1e400 2\n", 0},
    {"F:1: '0x1' is not a vertex", "0x1 2\n", 0},
    {"F:2: '1,2' is not a vertex", "1 2\n1,2\n", 0},
    {"F:2: '1;2' is not a vertex", "1,2\n1;2\n", 0},
    {"F:2: '1 2' is not a vertex", "1,2\n1 2,3\n", 0},
    {"F:1: '(0' is not a vertex", "(0, 1)\n", 0},
    {"F:1: '' is not a vertex", "1,,2\n", 0},
    {"F:1: '' is not a vertex", ",1,2\n", 0},
    {"F:2: '\"1' is not a vertex", "1,2\n\"1,2\n", 0},
    {"F:2: the second vertex is missing", "1;2\n1;\n", 0},
    {"F:2: the weight is missing", "1,2,3\n1,2,\n", 0},
    {"F:2: the weight '' is not a number", "1,2,3\n1,2,\"\"\n", 0},
    {"F:2: '4' is one word too many", "1,2,3\n1,2,3,4\n", 0},
    {"F:1: 'source' is not a vertex", "source,target,weight\n1,2\n", 0},
    {"F:2: the weight is missing", "source,target,weight\n0,1,\n1,2,3\n", 0}, /* pandas */
    {"F:1: 'one' is not a vertex", "one\n1\n", 0},
    {"F:2: 'a' is not a vertex", "source,target\na,b\n", 0},
    {"F:1: the weight '9007199254740993' would be rounded", "0 1 9007199254740993\n1 2 1\n3 4 9223372036854775808\n",
     0},
    {"F:2: the weight '18446744073709551615' would be rounded", "0 1 9\n1 2 18446744073709551615\n", 0},
    {"F:2: the weight '-9007199254740993' would be rounded", "0 1 .5\n1 2 -9007199254740993\n0 1 2\n0 1 2\n", 0},
    {"F: a text in UTF-16", TEXT("\xff\xfe"
                                 "1\0 \0002\0\n\0")},
    {"F:1: the weight '1e400' is beyond the range of f8", "1 2 1e400\n", 0},
    {"F:2: the weight '-1e309' is beyond the range of f8", "1,2,.5\n3,4,-1e309\n", 0},
    {"F:1: 'nan' is not a vertex", "nan 2\n", 0},
    {"F:1: 'inf' is not a vertex", "1 inf\n", 0},
    {"F:1: '?' is not a vertex", "\xff 2\n", 0},
    {"F:2: 'x' is not a vertex", "1 2\nx 3\n", 0},
    {"F:2: 'x' is not a vertex", "1 2\n3 x\n", 0},
    {"F:2: '-3' is not a vertex", "1 2\n3 -3\n", 0},
    {"F:1: 'a' is not a vertex", "a 1 2\n", 0},
    {"F:1: 'c' is not a vertex", "c a comment\n1 2\n", 0},
    {"F:1: 'p' is not a vertex", "p sp 2 1\na 1 2 3\n", 0},
    {"F:1: '//' is not a vertex", "// a comment\n1 2\n", 0},
    {"F:3: ';' is not a vertex", "# a\n1 2\n; b\n", 0},
    {"F:1: the second vertex is missing", "1\n", 0},
    {"F:1: the second vertex is missing", "1", 0},
    {"F:2: the second vertex is missing", "1 2\n3\n", 0},
    {"F:3: the second vertex is missing", "# c\n1 2\n3 \t \r\n", 0},
    {"F:2: the second vertex is missing", "1 2 3\n3\n", 0},
    {"F:2: the weight is missing", "1 2 3\n3 4\n", 0},
    {"F:2: the weight is missing", "1 2 3.5\n3 4\n", 0},
    {"F:4: the weight is missing", "1 2 3\n\n# c\n3 4 \n", 0},
    {"F:2: '5' is one word too many", "1 2\n3 4 5\n", 0},
    {"F:1: '4' is one word too many", "1 2 3 4\n", 0},
    {"F:2: '4' is one word too many", "1 2 3\n1 2 3 4\n", 0},
    {"F:2: '5' is one word too many", "1 2\n3 4 5 # note\n", 0},
    {"F:2: the second vertex is missing", "1 2\n3 # 4\n", 0},
    {"F:2: the weight is missing", "1 2 3\n3 4 # 5\n", 0},
    {"F:2: 'x' is one word too many", "1 2\n3 4 x\n", 0},
    {"F:1: the weight 'w' is not a number", "1 2 w\n", 0},
    {"F:1: the weight '3x' is not a number", "1 2 3x\n", 0},
    {"F:1: '1 2 1' is not a vertex", "1 2 1,5\n", 0},
    {"F:2: the weight '1,5' is not a number", "1 2 1\n1 2 1,5\n", 0},
    {"F:1: the weight '--1' is not a number", "1 2 --1\n", 0},
    {"F:1: the weight '+' is not a number", "1 2 +\n", 0},
    {"F:1: the weight '.' is not a number", "1 2 .\n", 0},
    {"F:1: the weight '1e+' is not a number", "1 2 1e+\n", 0},
    {"F:3: the weight 'w' is not a number", "1 2 3\n1 2 3.5\n1 2 w\n", 0},
    {"F:1: the weight 'w' is not a number", "1 2 w\n1 2 3.5\n1 2 3\n", 0},
    {"F:1: the weight is NaN", "1 2 nan\n", 0},
    {"F:2: the weight is NaN", "1 2 3\n1 2 NAN\n", 0},
    {"F:2: the weight is NaN", "1 2 3.5\n1 2 -nan\n", 0},
    {"F:1: vertex '4294967294' is not from 0 to 4294967293", "4294967294 0\n", 0},
    {"F:1: vertex '4294967295' is not from 0 to", "0 4294967295\n", 0},
    {"F:1: vertex '4294967296' is not from 0 to", "0 4294967296\n", 0},
    {"F:2: vertex '18446744073709551616' is not from", "0 1\n18446744073709551616 1\n", 0},
    {"F:2: vertex '184467440737095516160000...' is not from", "0 1\n1 18446744073709551616000000000000000\n", 0},
    {"F:1: '1?2' is not a vertex", TEXT("1\0002\n")},
    {"F:2: '?' is not a vertex", TEXT("1 2\n\0\n")},
    {"F:1: '1?2' is not a vertex", "1\v2\n", 0},
};

static void refused(void) { check_all_refused(list_array, malformed, sizeof malformed / sizeof malformed[0]); }

static void reads_good_files(void)
{
    GRAPH("", 0, 0, 0, 0);
    GRAPH("# nothing\n\n", 0, 0, 0, 0);
    GRAPH("0 0\n", 1, 1, 1, 0, 0, 0, 1);
    GRAPH("0 4294967293", 1, 4294967294.0, 1, 0, 0, 4294967293.0, 1);
    GRAPH("# Nodes: 9 Edges: 9\n% also\n5\t1\n1 5\r\n\n  2   2\t\n#\n", 3, 6, 3, 0, 5, 1, 1, 1, 5, 1, 2, 2, 1);
    GRAPH("\xef\xbb\xbf"
          "1 2 7\n0 1 -8",
          2, 3, 2, BOSC_I32, 1, 2, 7, 0, 1, -8);
    GRAPH("1 2 7\n0 1 2147483648\n", 2, 3, 2, BOSC_I64, 1, 2, 7, 0, 1, 2147483648.0);
    GRAPH("1 2 7\n0 1 2.5\n1 1 9223372036854775808\n", 3, 3, 3, BOSC_F64, 1, 2, 7, 0, 1, 2.5, 1, 1, 0x1p63);
    GRAPH("0 1 796831125.16959625\n1 2 0.5\n0 2 268417827.25194247\n1 2 114081254.39088981\n1 1 0.25\n0 0 0.125\n", 6,
          3, 6, BOSC_F64, 0, 1, 796831125.16959625, 1, 2, 0.5, 0, 2, 268417827.25194247, 1, 2, 114081254.39088981, 1, 1,
          0.25, 0, 0, 0.125); /* rounded once */
    GRAPH("source,target\n", 0, 0, 0, 0);
    GRAPH("source,target\n1,2\n3,0\n", 2, 4, 2, 0, 1, 2, 1, 3, 0, 1);
    GRAPH("# c\n\"from\";\"to\";\"cost\"\r\n1;2;7\r\n\"0\" ; \"1\" ; \"-2\";;\r\n", 2, 3, 2, BOSC_I32, 1, 2, 7, 0, 1,
          -2);
    GRAPH("% c\nu v w\n% c\n1 2 7.5\n", 1, 3, 1, BOSC_F64, 1, 2, 7.5);
    GRAPH("u\tv\n1\t2\n", 1, 3, 1, 0, 1, 2, 1);
    GRAPH("u v data\n1 2 {}\n2 0\n", 2, 3, 2, 0, 1, 2, 1, 2, 0, 1); /* the data of networkx, below names */
    GRAPH("u v w data\n1 2 7 {}\n", 1, 3, 1, BOSC_I32, 1, 2, 7);
    GRAPH("1 2 {'weight': 7}\n2 0 {'weight': -2.5}\n", 2, 3, 2, BOSC_F64, 1, 2, 7, 2, 0, -2.5);
    /* edges without the attribute `weight` have weight 1, as in networkx */
    GRAPH("1 2 {}\n2 0 {'weight': 2.5}\n0 1 {'a': 3}\n", 3, 3, 3, BOSC_F64, 1, 2, 1, 2, 0, 2.5, 0, 1, 1);
    GRAPH("1 2 {'weight': 7}\n2 0 {}\n0 1 {'a': 'red', 'b': 2}\n", 3, 3, 3, BOSC_I32, 1, 2, 7, 2, 0, 1, 0, 1, 1);
    GRAPH("1 2 {'w': 2}\n2 0 {'weight': 5}\n", 2, 3, 2, BOSC_I32, 1, 2, 1, 2, 0, 5);
    GRAPH("1 2 {'w': 2}\n2 0 {'weight': 5.5}\n", 2, 3, 2, BOSC_F64, 1, 2, 1, 2, 0, 5.5);
    GRAPH("1 2 {'w': 2.5}\n2 0 {'weight': 5}\n", 2, 3, 2, BOSC_F64, 1, 2, 1, 2, 0, 5);
    GRAPH("10000000,20000000,{\"cost\": 3} \n0,1,{ 'x' : 4 }\n", 2, 20000001, 2, BOSC_I32, 10000000, 20000000, 3, 0, 1,
          4);
    GRAPH("1 2 {'weight': np.float64(0.5)}\n2 0 {'weight': np.int64(-2)}\n", 2, 3, 2, BOSC_F64, 1, 2, .5, 2, 0, -2);
    GRAPH("1 2 {'weight': True}\n2 0 {'weight': False}\n", 2, 3, 2, BOSC_I32, 1, 2, 1, 2, 0, 0);
    GRAPH("u v data\n1 2 {'name': 'a, {b: c', 'weight': 1d2, 'p': (1, 2)}\n", 1, 3, 1, BOSC_F64, 1, 2, 100);
    GRAPH("1 2 {'a': 'it\\'s \"x\"', 'weight': 3}\n", 1, 3, 1, BOSC_I32, 1, 2, 3); /* an escaped quote */
    GRAPH(",u,v\n0,1,2\n1,2,0\n", 2, 3, 2, 0, 1, 2, 1, 2, 0, 1); /* pandas, with numbers of the rows */
    GRAPH(",u,v,w\n0,1,2,7\n1,2,0,0.5\n", 2, 3, 2, BOSC_F64, 1, 2, 7, 2, 0, .5);
    GRAPH("\"\";\"u\";\"v\"\n\"a;b\";1;2\n", 1, 3, 1, 0, 1, 2, 1);
    GRAPH(",,u,v\n2024-01-01,x,1,2\n", 1, 3, 1, 0, 1, 2, 1);
    GRAPH("\"u\",\"v\"\n\"1\",1,2\n", 1, 3, 1, 0, 1, 2, 1); /* R: no name above them */
    GRAPH("\"u\" \"v\" \"w\"\n\"1\" 1 2 9\n", 1, 3, 1, BOSC_I32, 1, 2, 9);
    GRAPH("0.0,1.0\n2.,00\n3 , 1.00000000000000000000\n", 3, 4, 3, 0, 0, 1, 1, 2, 0, 1, 3, 1, 1); /* pandas */
    GRAPH("0.000000000000000000e+00 1.0e+00\n 1.2E1   0\n", 2, 13, 2, 0, 0, 1, 1, 12, 0, 1); /* numpy.savetxt, MATLAB */
    GRAPH("5.0 1 2.5\n0 1.0 3\n", 2, 6, 2, BOSC_F64, 5, 1, 2.5, 0, 1, 3);
    /* Gephi: columns by name, in any order and case; rows may lack the last ones. */
    GRAPH("Source,Target,Type,Id,Label,Weight\n1,2,Undirected,0,,7\n\"2\",0.0,Directed,1,\"a, b\",8\n", 2, 3, 2,
          BOSC_I32, 1, 2, 7, 2, 0, 8);
    GRAPH("id;weight;target;type;source\n9;.5;1;x;2\n8;1;2;x;3\n", 2, 4, 2, BOSC_F64, 2, 1, .5, 3, 2, 1);
    GRAPH(",Source,Target,Type,Id\n0,1,2,Undirected,5\n1,2,3\n", 2, 4, 2, 0, 1, 2, 1, 2, 3, 1);
    GRAPH("Unnamed: 0,source,target,weight\n0,1,2,7\n1,2,0,8\n", 2, 3, 2, BOSC_I32, 1, 2, 7, 2, 0, 8); /* pandas */
    GRAPH("u v 2020\n1 2 9\n", 1, 3, 1, BOSC_I32, 1, 2, 9);
    GRAPH("Source\tTarget\tLabel\tWeight\n1\t2\t\t3\n", 1, 3, 1, BOSC_I32, 1, 2, 3);
    GRAPH("Source,Target,Type,Weight\n", 0, 0, 0, BOSC_I32);
    /* Three columns in another order than that of a list without names; a key of parallel edges is no weight. */
    GRAPH("Weight,Source,Target\n25,0,1\n15,1,2\n", 2, 3, 2, BOSC_I32, 0, 1, 25, 1, 2, 15);
    GRAPH(",weight,from,to\n0,25,0,1\n1,15,1,2\n", 2, 3, 2, BOSC_I32, 0, 1, 25, 1, 2, 15);
    GRAPH("id,from,to\n7,1,2\n8,2,0\n", 2, 3, 2, 0, 1, 2, 1, 2, 0, 1);
    GRAPH("u,v,key\n1,2,0\n2,0,0\n", 2, 3, 2, 0, 1, 2, 1, 2, 0, 1);
    GRAPH("to,from,length\n1,2,5\n2,0,7\n", 2, 3, 2, BOSC_I32, 2, 1, 5, 0, 2, 7);
    GRAPH("0 1 {'weight': 3}\n# was {draft}\n1 2 {'weight': 4}\n", 2, 3, 2, BOSC_I32, 0, 1, 3, 1, 2, 4);
    GRAPH("0 1 18446744073709551616\n1 2 -100000000000000000000\n", 2, 3, 2, BOSC_F64, 0, 1, 0x1p64, 1, 2, -1e20);
    GRAPH("u v key length\n1 2 0 7\n", 1, 3, 1, 0, 1, 2, 1);
    GRAPH("src dst cost\n1 2 9\n", 1, 3, 1, BOSC_I32, 1, 2, 9);
    GRAPH("from to weight\n1 0 1 5\n2 1 2 6\n", 2, 3, 2, BOSC_I32, 0, 1, 5, 1, 2, 6); /* R, without quotes */
    GRAPH(",0,1,2\n0,3,4,9\n", 1, 5, 1, BOSC_I32, 3, 4, 9);                           /* pandas, without names */
    GRAPH("source,target,1d2\n0,1,3\n", 1, 2, 1, BOSC_I32, 0, 1, 3);                  /* a name, not the number 100 */
    GRAPH("a,\"2D1\",b\n0,1,3\n", 1, 2, 1, BOSC_I32, 0, 1, 3);
    GRAPH("1,2\n% c\n1000000,2000000 # c\n", 2, 2000001, 2, 0, 1, 2, 1, 1000000, 2000000, 1);
    GRAPH("1 2 # a, b; c\n3 4 #\n5\t6\t#7 8\n", 3, 7, 3, 0, 1, 2, 1, 3, 4, 1, 5, 6, 1);
    GRAPH("1 2 9 # a, b\n3 4 8\t # c\n", 2, 5, 2, BOSC_I32, 1, 2, 9, 3, 4, 8);
    GRAPH("1,2,1e300\n1,2,infinity\n", 2, 3, 2, BOSC_F64, 1, 2, 1e300, 1, 2, (double)INFINITY);
    GRAPH("1 2 9007199254740993.\n0 1 .5\n1 1 9007199254740994\n", 3, 3, 3, BOSC_F64, 1, 2, 0x1p53, 0, 1, .5, 1, 1,
          0x1p53 + 2);                                         /* a point permits rounding */
    GRAPH("sep=;\nsource;target\n1;2\n", 1, 3, 1, 0, 1, 2, 1); /* Excel */
    GRAPH("1 2 0.125\n0 1 2\n", 2, 3, 2, BOSC_F64, 1, 2, .125, 0, 1, 2);
    GRAPH("00000000000000000001 2 -inf\n", 1, 3, 1, BOSC_F64, 1, 2, -(double)INFINITY);
}

static const char good[] = "# c\n1 2 1000000\n12 3 -5\n\n7 8 12345678901\n9 10 3\n";
static const char pattern[] = "# c\n1\t2\n12\t3\n123456789\t8\n9\t10\n";

static const char commas[] = "u,v,w\n12345,2,1000000\n12,\"3\",-5\n9,10,3,\n";

static void damage(void)
{
    check_truncations(list_array, TEXT(good), 0);
    check_flips(list_array, TEXT(good), sizeof good - 1);
    check_truncations(list_array, TEXT(pattern), 0);
    check_flips(list_array, TEXT(pattern), sizeof pattern - 1);
    check_truncations(list_array, TEXT(commas), 0);
    check_flips(list_array, TEXT(commas), sizeof commas - 1);
}

/* Parses vertices with names. all: receives the names, each behind a `|`, or the message. */
static bosc_status parse_names(const char *text, bosc_edges *edges, char all[256])
{
    struct bi_edge_names names = {.used = 0};
    bosc_io_error error = {""};
    const struct bi_bytes in = {.name = "F", .data = text, .size = strlen(text), .chunk_bytes = strlen(text) + 1};
    const bosc_status status = bi_edge_names_parse(&in, &names, edges, &error);
    size_t used = 0;
    all[0] = 0;
    if (status != BOSC_OK) snprintf(all, 256, "%.255s", error.text);
    for (int64_t i = 0; status == BOSC_OK && i < names.list.n; i++)
        used += (size_t)snprintf(all + used, 256 - used, "|%s", names.list.text + names.list.begins[i]);
    if (status == BOSC_OK) CHECK_EQ(edges->n, names.list.n);
    bi_edge_names_free(&names);
    return status;
}

/* Names by first appearance, with and without a line of columns, in every form of a list. */
static void named(void)
{
    static const struct {
        const char *text, *names, *pairs; /* pairs: a letter for each number from 0 */
        int64_t weight;                   /* of the last edge; 0: none */
    } rows[] = {
        {"b a\nc b\na c\n", "|b|a|c", "abcabc", 0}, /* the first row is an edge */
        {"source target\nb a\n", "|b|a", "ab", 0},
        {"From,To,weight\nb,a,7\n", "|b|a", "ab", 7},
        {"x,y,7\ny,z,8\n", "|x|y|z", "abbc", 8},
        {"x,y,7\n1,2,8\n", "|x|y|1|2", "abcd", 8}, /* an edge: names may be numbers */
        {"Unnamed: 0,from,to,weight\n0,b,a,7\n", "|b|a", "ab", 7},
        {"1,1.0\n01,1\n", "|1|1.0|01", "abca", 0},
        {"\"a b\",\"c, d\"\n\"c, d\",\"a b\"\n", "|a b|c, d", "abba", 0},
        {"\"a b\" c 7\nc\t \"a b\"  8\n", "|a b|c", "abba", 8},
        {"Id;Source;Target;Type;Weight\n1;a b;c;U;9\n", "|a b|c", "ab", 9},
        {"New York\tParis\t3\nParis\tRome\t4\n", "|New York|Paris|Rome", "abbc", 4},
        {"a b {}\nb c {'weight': 2}\n", "|a|b|c", "abbc", 2},
        {"a b {'weight': 3}\nb c {'weight': 5000000000}\n", "|a|b|c", "abbc", 5000000000},
        {"# c\n% c\n\n\xc3\xa9 \xc3\xa8\n", "|\xc3\xa9|\xc3\xa8", "ab", 0},
        /* a mark is a part of a quoted name, and of one that does not begin a line or, between blanks, a word */
        {"\"a\",\"#b\"\n\"#b\",\"c\"\n\"%d\",c\n#e,a\n", "|a|#b|c|%d", "abbcdc", 0},
        {"C#,a\nb,C#\na#b,#C\n", "|C#|a|b|a#b|#C", "abcade", 0},
        {"C#\t7 # 8\n", "|C#|7 # 8", "ab", 0},
        {"b C#\nC# d # e\n", "|b|C#|d", "abbc", 0},
        {"Edge#,Source,Target,Weight\n1,a,b,2\n", "|a|b", "ab", 2}, /* in a name of a column too */
        {"id,from,to\n7,a,b\n8,b,c\n", "|a|b|c", "abbc", 0},
        {"alice bob 1d2\nbob carol 2\n", "|alice|bob|carol", "abbc", 2}, /* a weight, no name */
        {"u v\na b\n", "|u|v|a|b", "abcd", 0},                           /* u and v may be names of vertices */
        {"source,target\n\"1\",C#,b\n", "|C#|b", "ab", 0},               /* R omits the first name */
        {"\"0}}\",\"{}\"\n\"{}\",a\n", "|0}}|{}|a", "abbc", 0},
        {"", "", "", 0},
    };
    char all[256];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bosc_edges e = {0};
        CHECK_EQ(parse_names(rows[i].text, &e, all), BOSC_OK);
        if (strcmp(all, rows[i].names) != 0) suite_fail(__FILE__, __LINE__, "%s for %s", all, rows[i].text);
        CHECK_EQ(2 * e.m, (int64_t)strlen(rows[i].pairs));
        for (int64_t k = 0; k < e.m; k++)
            CHECK(e.u[k] + 'a' == (uint32_t)rows[i].pairs[2 * k] && e.v[k] + 'a' == (uint32_t)rows[i].pairs[2 * k + 1]);
        CHECK_EQ(rows[i].weight != 0, e.weights != NULL);
        if (e.weights)
            CHECK_EQ(e.dtype == BOSC_F64   ? (int64_t)((double *)e.weights)[e.m - 1]
                     : e.dtype == BOSC_I64 ? ((int64_t *)e.weights)[e.m - 1]
                                           : ((int32_t *)e.weights)[e.m - 1],
                     rows[i].weight);
        bosc_edges_free(&e);
    }
    /* Refusals. */
    static const char *const bad[][2] = {{"a\n", "F:1: the second vertex is missing"},
                                         {"a,b\nc,,1\n", "F:2: the name of the second vertex is empty"},
                                         {"a \"\"\n", "F:1: the name of the second vertex is empty"},
                                         {"a b c\n", "F:1: the weight 'c' is not a number"},
                                         {"alice,bob,NA\nbob,carol,2\n", "F:1: the weight 'NA' is not a number"},
                                         {"a b\nc d 3\n", "F:2: '3' is one word too many"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bosc_edges e = {0};
        CHECK_EQ(parse_names(bad[i][0], &e, all), BOSC_ERR_FORMAT);
        if (strcmp(all, bad[i][1]) != 0) suite_fail(__FILE__, __LINE__, "%s for %s", all, bad[i][0]);
    }
    /* Many names, so that the table grows: each twice. */
    enum { MANY = 20000 };
    struct bi_edge_names names = {.used = 0};
    for (int64_t i = 0; i < 2 * MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%lld", (long long)(i % MANY * 7));
        CHECK_EQ(bi_edge_names_find(&names, name, name + strlen(name)), i % MANY);
    }
    bi_edge_names_free(&names);
}

/* Reads the names of a text. all: receives them, each behind a `|`, or the message behind the path. */
static bosc_status read_names(const char *text, size_t size, const char *column, char all[256])
{
    char path[PATH_ROOM];
    bosc_names names = {0};
    bosc_io_error error = {""};
    fresh_path(path, ".txt");
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(text, 1, size, file) == size && fclose(file) == 0);
    const bosc_status status = bosc_names_read(path, column, &names, &error);
    remove(path);
    size_t used = 0;
    all[0] = 0;
    if (status != BOSC_OK) snprintf(all, 256, "%.255s", error.text + strlen(path));
    for (int64_t i = 0; i < names.n; i++)
        used += (size_t)snprintf(all + used, 256 - used, "|%s", names.text + names.begins[i]);
    bosc_names_free(&names);
    return status;
}

/* Names, one a line, with and without a column. */
static void name_lists(void)
{
    static const struct {
        const char *text, *column, *all; /* all: with a colon first: a refusal */
    } rows[] = {
        {"b\na\nb\n", NULL, "|b|a|b"},
        {"# c\n\n\"New York\"\r\nC#\n\xc3\xa9\n", NULL, "|New York|C#|\xc3\xa9"},
        {"\"a \"\"b\"\"\"\n007", NULL, "|a \"b\"|007"},
        {"word,n\nab,1\n\"c, d\",2\n", "word", "|ab|c, d"},
        {"word,n\nab,1\n", "1", "|word|ab"},
        {"x y;2\nz;3\n", "1", "|x y|z"},
        {"", NULL, ""},
        {"word\n", "word", ""},
        {"New York\n", NULL, ":1: several names; quote names with blanks, or choose a column"},
        {"a,b\n1,\n", "b", ":2: a name is missing"},
        {"a\n\"\"\n", NULL, ":2: a name is missing"},
        {"a,b\n", "c", ":1: no column is named 'c'"},
        {"a,b\n", "a,b", ":1: 2 columns are requested, not one"},
    };
    char all[256];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bosc_status status = read_names(rows[i].text, strlen(rows[i].text), rows[i].column, all);
        CHECK_EQ(status, rows[i].all[0] == ':' ? BOSC_ERR_FORMAT : BOSC_OK);
        if (strcmp(all, rows[i].all) != 0) suite_fail(__FILE__, __LINE__, "%s for %s", all, rows[i].text);
    }
    CHECK_EQ(read_names("ab\0c\n", 5, NULL, all), BOSC_ERR_FORMAT);
    CHECK(strcmp(all, ":1: a name has a zero byte") == 0);
    CHECK_TEXT(bosc_names_read("none.txt", NULL, NULL, error), "names");
}

/* Columns that the caller chooses, by name and by number. */
static void chosen_columns(void)
{
    static const struct {
        const char *text, *columns, *words; /* words: u, v and the weight of each edge, or a refusal behind the path */
    } rows[] = {
        {"u,v,key,length\n0,1,0,5.5\n1,2,0,3\n", "u,v,length", "0 1 5.5|1 2 3|"},
        {"u,v,key,length\n0,1,0,5.5\n1,2,0,3\n", "2,1", "1 0 1|2 1 1|"},
        {"distance,source,target\n7,0,1\n", "source,target,distance", "0 1 7|"},
        {"source,target,id\n0,1,7\n", "Source,Target", "0 1 1|"},
        {"% bip\n1 2 -1 1082008561\n2 3 1 108\n", "1,2,3", "1 2 -1|2 3 1|"},
        {"0\t1\tx\t4\n", "1,2,4", "0 1 4|"},
        {"0 1 {'weight': 3}\n1 2 {'weight': 4}\n", "1,2", "0 1 1|1 2 1|"}, /* networkx: no weight is chosen */
        {"0,1,2\n", "1,2,x", ":1: no header names 'x'"},
        {"u,v,w\n0,1,2\n", "u,x", ":1: no column is named 'x'"},
        {"u,v,w\n0,1,2\n", "u", ":1: 1 columns are requested, not two vertices and at most a weight"},
        {"u,v,w\n0,1,2\n", "1,2,3,3", ":1: 4 columns are requested, not two vertices and at most a weight"},
        {"u,v,w\n0,1,2\n", "1,4", ":2: the second vertex is missing"},
        {"u,v,w\n0,1,\n", "u,v,w", ":2: the weight is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[PATH_ROOM], all[256] = "";
        bosc_edges e = {0};
        bosc_io_error error = {""};
        fresh_path(path, ".txt");
        FILE *file = fopen(path, "wb");
        CHECK(file && fputs(rows[i].text, file) >= 0 && fclose(file) == 0);
        const bosc_status status = bosc_edges_read_columns(path, rows[i].columns, &e, &error);
        remove(path);
        if (status != BOSC_OK) snprintf(all, sizeof all, "%.255s", error.text + strlen(path));
        for (int64_t j = 0; j < e.m; j++) {
            const double weight = !e.weights            ? 1
                                  : e.dtype == BOSC_F64 ? ((const double *)e.weights)[j]
                                                        : ((const int32_t *)e.weights)[j];
            snprintf(all + strlen(all), sizeof all - strlen(all), "%u %u %g|", e.u[j], e.v[j], weight);
        }
        if (strcmp(all, rows[i].words) != 0) suite_fail(__FILE__, __LINE__, "%s for %s", all, rows[i].text);
        bosc_edges_free(&e);
    }
}

/* Columns of a list of names: names among them are those of the first line; numbers leave it an edge. */
static void chosen_names(void)
{
    static const struct {
        const char *text, *columns;
        int64_t n, m;
    } rows[] = {{"a,b,c\nx,y,z\n", "a,c", 2, 1},
                {"a,b,3\nx,y,4\n", "1,2", 4, 2},
                {"a b\na c\n", "1,2", 3, 2},
                {"1,2,3\n4,5,6\n", "\"1\",2", 4, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[PATH_ROOM];
        bosc_edges e = {0};
        bosc_names names = {0};
        bosc_io_error error = {""};
        fresh_path(path, ".txt");
        FILE *file = fopen(path, "wb");
        CHECK(file && fputs(rows[i].text, file) >= 0 && fclose(file) == 0);
        if (bosc_edges_read_names(path, rows[i].columns, &e, &names, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "%s", error.text);
        remove(path);
        CHECK(e.m == rows[i].m && names.n == rows[i].n && !e.weights);
        bosc_edges_free(&e);
        bosc_names_free(&names);
    }
}

static const struct suite_case suite_cases_io_graph_list[] = {
    {"what is read", NULL, reads_good_files},
    {"malformed files", NULL, refused},
    {"damage", NULL, damage},
    {"named", NULL, named},
    {"lists of names", NULL, name_lists},
    {"chosen columns", NULL, chosen_columns},
    {"chosen columns of names", NULL, chosen_names},
};
SUITE(io_graph_list);
