/* The table of commands. An option of a command overrides texts of options.def. Choices are in the order of the
 * library's enumerators. */
#include "tool/commands/commands.h"
#include "tool/options/shapes.h"
#include "tool/tool.h"

/* Options of every command that reads points. */
#define POINTS_OPTIONS                                                                                        \
    {.id = OPT_DTYPE,                                                                                         \
     .value = "TYPE",                                                                                         \
     .choices = CHOICES("f4", "f8", "i4", "i8"),                                                              \
     .help = "read coordinates as f4, f8, i4 or i8, rounded to the nearest float (default: as in the file)"}, \
        {.id = OPT_COLUMNS},                                                                                  \
    {                                                                                                         \
        .id = OPT_SKIP_NAN                                                                                    \
    }

/* Columns of an edge list, for every command that reads a graph. */
#define EDGE_COLUMNS                                                                                           \
    {                                                                                                          \
        .id = OPT_COLUMNS, .help = "columns of an edge list that are both vertices and, if there is one, the " \
                                   "weight, by name in its first line or by number from 1: u,v,length or 1,2"  \
    }

/* Options of every command that builds a trie. */
#define TRIE_LAYOUT_OPTIONS                                                          \
    {.id = OPT_LAYOUT,                                                               \
     .choices = CHOICES("compact", "published"),                                     \
     .help = "compact (default), or published, with an array of children per node"}, \
        {.id = OPT_BY_VALUES},                                                       \
    {                                                                                \
        .id = OPT_DIGIT                                                              \
    }

/* Options of every command that reads vectors. */
#define VECTORS_OPTIONS                                                                                          \
    {.id = OPT_BITS, .help = "bits of a vector, 1 to 65536; needed for packed ones"}, {.id = OPT_ALPHABET},      \
    {                                                                                                            \
        .id = OPT_N, .value = "NAME", .choices = CHOICES("skip", "letter"),                                      \
        .help = "vectors with ambiguity codes, such as N: skip them (default), which counts them and keeps the " \
                "numbers of rows; or letter, which makes each code a further letter"                             \
    }

/* The output of every command that changes a saved structure in its file. */
#define CHANGED_OUTPUT(what)                                                                                \
    {                                                                                                       \
        .id = OPT_OUTPUT, .help = "output file of the new " what "; - is standard output (default: T.bosc)" \
    }

const struct command commands[] = {
    {.room = "info",
     .usage = "[OPTION...]",
     .summary = "Show version, backends, devices, threads and CPU level.",
     .example = "boscage info --json",
     .run = run_info},
#include "tool/options/generate_commands.inc"
    {.room = "kdtree",
     .verb = "build",
     .usage = "P -o T.bosc [--builder auto|brown] [--launch BxT] [--full-coordinates] [--unique]",
     .summary =
         "Build a balanced k-d tree of points and save it.\n"
         "--builder brown with --ranks 2, 4, 8, ..., without --unique, is the published build on several devices.",
     .example = "boscage kdtree build points.npy -o tree.bosc --builder brown --unique",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_OUTPUT, .required = true, .help = "output file of the tree; - is standard output"},
                 {.id = OPT_BUILDER},
                 {.id = OPT_LAUNCH},
                 {.id = OPT_FULL_COORDINATES},
                 {.id = OPT_UNIQUE},
                 POINTS_OPTIONS,
                 {.id = OPT_RANKS},
                 {.id = OPT_DEVICES}},
     .writes_saved = true,
     .run = run_kdtree_build},
    {.room = "kdtree",
     .verb = "verify",
     .usage = "T.bosc",
     .summary = "Check every node of a saved tree against all its ancestors, and the checksum.",
     .example = "boscage kdtree verify tree.bosc",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_RANKS}, {.id = OPT_DEVICES}},
     .run = run_kdtree_verify},
    {.room = "kdtree",
     .verb = "knn",
     .usage = "P --queries Q -k K -o ids.npy [--distances d.npy] [--within R]",
     .summary =
         "Find the k nearest points of each query.\n"
         "ids (m, K) are rows of P, nearest first, ties by id; missing neighbours have id -1 and an infinite distance.",
     .example = "boscage kdtree knn tree.bosc --queries queries.npy -k 8 -o ids.npy --distances d.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_QUERIES, .required = true},
                 {.id = OPT_K, .required = true},
                 {.id = OPT_OUTPUT,
                  .required = true,
                  .help = "output file of the ids: .npy, (m, K) i8; - is standard output"},
                 {.id = OPT_DISTANCES, .help = "output file of the Euclidean distances: .npy, (m, K) f8"},
                 {.id = OPT_WITHIN},
                 POINTS_OPTIONS,
                 {.id = OPT_RANKS},
                 {.id = OPT_DEVICES}},
     .writes_arrays = true,
     .run = run_kdtree_knn},
    {.room = "kdtree",
     .verb = "radius",
     .usage = "P --queries Q -r R [--offsets o.npy [-o i.npy] [--distances d.npy]]",
     .summary = "Find all points within a radius of each query.\n"
                "The ids of query q are i[o[q]] to i[o[q + 1] - 1], ascending. Without outputs they are counted.",
     .example = "boscage kdtree radius points.npy --queries queries.npy -r 0.05 --offsets o.npy -o i.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_QUERIES, .required = true},
                 {.id = OPT_RADIUS, .required = true},
                 {.id = OPT_OFFSETS, .help = "output file of the range of ids of each query: .npy, (m + 1,) i8"},
                 {.id = OPT_OUTPUT, .help = "output file of the ids: .npy, i8, with --offsets; - is standard output"},
                 {.id = OPT_DISTANCES,
                  .help = "output file of the Euclidean distances, in the order of the ids: .npy, f8"},
                 POINTS_OPTIONS,
                 {.id = OPT_RANKS},
                 {.id = OPT_DEVICES}},
     .writes_arrays = true,
     .run = run_kdtree_radius},
    {.room = "kdtree",
     .verb = "box",
     .usage = "P --boxes B.npy [--offsets o.npy [-o i.npy]]",
     .summary = "Find all points in each box.\n"
                "The ids of box q are i[o[q]] to i[o[q + 1] - 1], ascending. Boxes are closed: points on their faces\n"
                "count. A box whose low corner is above the high one is empty. Without outputs points are counted.",
     .example = "boscage kdtree box points.npy --boxes boxes.npy --offsets o.npy -o i.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_BOXES, .required = true},
                 {.id = OPT_OFFSETS, .help = "output file of the range of ids of each box: .npy, (m + 1,) i8"},
                 {.id = OPT_OUTPUT, .help = "output file of the ids: .npy, i8, with --offsets; - is standard output"},
                 POINTS_OPTIONS,
                 {.id = OPT_RANKS},
                 {.id = OPT_DEVICES}},
     .writes_arrays = true,
     .run = run_kdtree_box},
    {.room = "kdtree",
     .verb = "pairs",
     .usage = "P -r R [-o pairs.npy]",
     .summary = "Find all pairs of points no farther apart than R, in any dimension.\n"
                "pairs (p, 2) i8 are rows i < j of P, ascending.",
     .example = "boscage kdtree pairs points.npy -r 0.01 -o pairs.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options =
         {{.id = OPT_RADIUS, .required = true, .help = "the largest distance of a pair"},
          {.id = OPT_OUTPUT,
           .help = "output file of the pairs: .npy, (p, 2) i8; - is standard output. Without -o they are only counted"},
          POINTS_OPTIONS,
          {.id = OPT_RANKS},
          {.id = OPT_DEVICES}},
     .writes_arrays = true,
     .run = run_kdtree_pairs},
    {.room = "mst",
     .usage = "G [-o T] [--names] [--columns LIST] [--algorithm auto|primitives|atomic] [--split-duplicates] [--max]\n"
              "                   [--verify T.npy]",
     .summary =
         "Find the minimum spanning forest of a graph, or prove that T.npy is it.\n"
         "Each entry of G is an undirected edge; its id is its number, from 0. Ties are broken by the id.\n"
         "T is .npy (ids, ascending; so is -), or edges: .gr, .mtx, .csv, .tsv or .txt. With --names vertices of\n"
         "an edge list are any words, also in a T of text. --verify takes what -o writes.",
     .example = "boscage mst graph.gr -o forest.npy && boscage mst graph.gr --verify forest.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_OUTPUT,
                  .help = "output file of the forest: .npy, .gr, .mtx, .csv, .tsv or .txt; - is standard "
                          "output"},
                 {.id = OPT_NAMES},
                 EDGE_COLUMNS,
                 {.id = OPT_ALGORITHM},
                 {.id = OPT_SPLIT_DUPLICATES},
                 {.id = OPT_MAX},
                 {.id = OPT_VERIFY},
                 {.id = OPT_RANKS},
                 {.id = OPT_DEVICES},
                 {.id = OPT_REPLICATED}},
     .run = run_mst},
    {.room = "components",
     .usage = "G [-o labels.npy] [--names] [--columns LIST]",
     .summary = "Label each vertex of a graph by the smallest vertex, from 0, of its connected component.\n"
                "Without an output the components are counted. With --names vertices of an edge list are any words,\n"
                "and labels as .csv, .tsv or .txt have a line for each: its name, and the first name of its component.",
     .example = "boscage components graph.mtx -o labels.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_OUTPUT, .help = "output file of the labels: .npy, (n,) i8; - is standard output"},
                 {.id = OPT_NAMES},
                 EDGE_COLUMNS,
                 {.id = OPT_RANKS},
                 {.id = OPT_DEVICES},
                 {.id = OPT_REPLICATED}},
     .writes_arrays = true,
     .run = run_components},
    {.room = "paths",
     .usage = "G --source V[,V...] [-o distances.npy] [--predecessors P.npy] [--nearest S.npy]\n"
              "              [--names] [--columns LIST] [--route V [--stops R.npy]] [--verify distances.npy]",
     .summary =
         "Find the shortest paths from the nearest source to all vertices of a graph, or prove them.\n"
         "Each entry of G is an undirected edge; its weight, 0 or more, is its length. Distances of vertices that\n"
         "no path reaches are -1, or inf for real weights. --verify checks distances, and with --predecessors the\n"
         "paths, of any program. With --names vertices of an edge list are any words, also in --source and --route;\n"
         "outputs as .csv, .tsv or .txt then have these names.",
     .example = "boscage paths roads.gr --source 0 -o distances.npy --route 1000 --stops route.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_SOURCE, .required = true},
                 {.id = OPT_OUTPUT, .help = "output file of the distances: .npy, (n,) i8 or f8; - is standard output"},
                 {.id = OPT_PREDECESSORS},
                 {.id = OPT_NEAREST},
                 {.id = OPT_ROUTE},
                 {.id = OPT_STOPS},
                 {.id = OPT_NAMES},
                 EDGE_COLUMNS,
                 {.id = OPT_WITHIN, .help = "only vertices within this distance"},
                 {.id = OPT_UNWEIGHTED},
                 {.id = OPT_VERIFY,
                  .value = "D.npy",
                  .help = "prove that these are the distances, also of a text that -o wrote, and --predecessors (.npy) "
                          "the paths; writes nothing"}},
     .writes_arrays = true,
     .run = run_paths},
    {.room = "emst",
     .usage = "P [-o edges.npy] [--lengths w.npy] [--gaps g.npy]",
     .summary = "Find the Euclidean minimum spanning tree of points.\n"
                "edges (n - 1, 2) are pairs i < j of rows of P, ascending. The weight is reported without outputs too.",
     .example = "boscage emst points.npy -o edges.npy --lengths lengths.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_OUTPUT, .help = "output file of the edges: .npy, (n - 1, 2) i8; - is standard output"},
                 {.id = OPT_LENGTHS, .help = "output file of the lengths of the edges: .npy, (n - 1,) f8"},
                 {.id = OPT_GAPS,
                  .help = "output file: by how much the best replacement of each edge is longer, .npy, (n - 1,) f8"},
                 {.id = OPT_RANKS},
                 {.id = OPT_DEVICES},
                 POINTS_OPTIONS},
     .writes_arrays = true,
     .run = run_emst},
    {.room = "linkage",
     .usage = "P [-o Z.npy] [--cut D | --clusters K] [--labels l.npy]",
     .summary =
         "Find the single-linkage dendrogram of points, as scipy's linkage returns it, or clusters by a cut of it.\n"
         "Z (n - 1, 4) f8: the two clusters merged (below n: points; n + s: the cluster of row s), their distance,\n"
         "and the number of points in the new cluster. A label is the smallest row of P in a point's cluster.",
     .example = "boscage linkage points.npy -o linkage.npy --clusters 8 --labels labels.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options =
         {{.id = OPT_OUTPUT,
           .help = "output file of the dendrogram: .npy, (n - 1, 4) f8; - is standard output. Not needed with a cut"},
          {.id = OPT_CUT},
          {.id = OPT_CLUSTERS},
          {.id = OPT_LABELS, .help = "output file of the cluster label of each point: .npy, (n,) i8"},
          POINTS_OPTIONS},
     .writes_arrays = true,
     .run = run_linkage},
#include "tool/options/cluster_commands.inc"
    {.room = "tour",
     .usage = "P [-o order.npy] [--improve [--kicks N]]",
     .summary =
         "Find a closed tour of points along their Euclidean minimum spanning tree.\n"
         "order (n,) are rows of P, beginning with 0; the tour is at most twice as long as the shortest one. With\n"
         "--improve it is shortened, and bound is a length that no tour is below. Lengths are reported without -o too.",
     .example = "boscage tour points.npy -o order.npy --json",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_OUTPUT, .help = "output file of the order: .npy, (n,) i8; - is standard output"},
                 {.id = OPT_IMPROVE},
                 {.id = OPT_KICKS},
                 POINTS_OPTIONS},
     .writes_arrays = true,
     .run = run_tour},
    {.room = "voxels",
     .usage = "P --size H [--low X] [--method mean|first|nearest] [-o points.npy] [--labels v.npy]",
     .summary = "Reduce points to one for each voxel, a cube of edge H.\n"
                "Voxels are numbered by their first rows in P. They are counted without outputs too. Points with an\n"
                "infinity are in no voxel. Points are within 2^31 voxels of --low.",
     .example = "boscage voxels points.npy --size 0.05 -o few.npy --json",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_SIZE, .required = true, .value = "H", .help = "edge of a voxel"},
                 {.id = OPT_LOW},
                 {.id = OPT_METHOD,
                  .choices = CHOICES("mean", "first", "nearest"),
                  .help = "the mean of the points of a voxel (mean, default), the first of them, or the one nearest to "
                          "the centre of the voxel"},
                 {.id = OPT_OUTPUT, .help = "output file of the points: .npy, (v, dim); - is standard output"},
                 {.id = OPT_LABELS, .help = "output file of the voxel of each row of P: .npy, (n,) i8; -1: none"},
                 POINTS_OPTIONS},
     .writes_arrays = true,
     .run = run_voxels},
    {.room = "neighbors",
     .usage = "P --cutoff R [--cell CELL] [-o pairs.npy] [--shifts S.npy] [--distances d.npy]",
     .summary =
         "Find or count all pairs of atoms nearer than R, in periodic cells of any shape.\n"
         "pairs (p, 2) i8 are rows i and j of P, ascending in (i, j, S). Atom j is at P[j] + S @ cell: an atom may\n"
         "have several images of another one, and of itself, as neighbours.",
     .example = "boscage neighbors points.npy --cutoff 0.01 --cell 1 -o pairs.npy --shifts shifts.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options =
         {{.id = OPT_CUTOFF, .required = true},
          {.id = OPT_CELL},
          {.id = OPT_PERIODIC},
          {.id = OPT_SYSTEMS},
          {.id = OPT_HALF},
          {.id = OPT_OUTPUT,
           .help = "output file of the pairs: .npy, (p, 2) i8; - is standard output. Without outputs they are counted"},
          {.id = OPT_SHIFTS},
          {.id = OPT_DISTANCES, .help = "output file of the distances: .npy, (p,) f4 for f4 atoms, else f8"},
          {.id = OPT_OFFSETS,
           .help = "output file of the rows of atoms: pairs o[i] to o[i + 1] - 1 are those of atom i"},
          POINTS_OPTIONS},
     .writes_arrays = true,
     .run = run_neighbors},
#include "tool/options/clouds_commands.inc"
#include "tool/options/hash_commands.inc"
    {.room = "cellgraph",
     .usage = "V [--bits L] [--method auto|heuristic|trie|zobrist|join|table] [--pivots N]\n"
              "                         [--heuristic-search NAME] [--trie-search NAME] [--launch BxT] [--by-values]\n"
              "                         [--digit R] [-o edges.npy]",
     .summary =
         "Find or count all pairs of distinct vectors that differ in exactly one letter.\n"
         "V: lines of 0 and 1; bases (A, C, G, T) or amino acids, one sequence a line, optionally with a count,\n"
         "FASTA or FASTQ; or .npy u1 of packed bits, the most significant first, with --bits. edges (e, 2) i8\n"
         "are rows i < j, the first rows of their vectors, ascending.",
     .example = "boscage cellgraph vectors.npy --bits 256 -o edges.npy --json",
     .min_operands = 1,
     .max_operands = 1,
     .options =
         {{.id = OPT_OUTPUT,
           .help = "output file of the pairs: .npy, (e, 2) i8; - is standard output. Without -o they are only counted"},
          VECTORS_OPTIONS,
          {.id = OPT_METHOD},
          {.id = OPT_PIVOTS},
          {.id = OPT_HEURISTIC_SEARCH},
          {.id = OPT_TRIE_SEARCH},
          {.id = OPT_LAUNCH},
          {.id = OPT_BY_VALUES},
          {.id = OPT_DIGIT},
          {.id = OPT_RANKS},
          {.id = OPT_DEVICES}},
     .writes_arrays = true,
     .run = run_cellgraph},
    {.room = "cellgraph",
     .verb = "cells",
     .usage = "P [-o cells.npy] [--walls walls.npy] [--merge] [--png picture.png]",
     .summary =
         "Find all cells into which lines divide the plane, or planes divide space: exactly, without samples.\n"
         "P: rows a b c of lines a x + b y + c = 0, or rows a b c d of planes. cells are (m, bytes) u1, packed bits\n"
         "as vectors of boscage cellgraph: bit k is 1 where a x + b y + c of row k is more than 0. walls are (w, 2)\n"
         "i8, pairs of cells on both sides of one line or plane. Rows that are multiples of others are the same line\n"
         "and refused without --merge. Numbers are 0 or of magnitude 2^-200 to 2^200. Rows a b are points of a line.",
     .example = "boscage cellgraph cells lines.txt -o cells.npy --png cells.png",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_OUTPUT, .help = "output file of the cells: .npy, (m, bytes) u1; - is standard output"},
                 {.id = OPT_WALLS},
                 {.id = OPT_MERGE},
                 {.id = OPT_COLUMNS,
                  .help =
                      "columns of a text file that are the coefficients, by name in its first line or by number from "
                      "1: a,b,c or 2,3,4"},
                 {.id = OPT_PNG,
                  .help = "output file of a picture of lines: the cells as nodes, the walls as connections"},
                 {.id = OPT_WIDTH}},
     .writes_arrays = true,
     .run = run_cellgraph_cells},
    {.room = "cellgraph",
     .verb = "path",
     .usage = "V [--bits L] --from I --to J [--allowed M.npy] [--implied-edges] [-o rows.npy]",
     .summary = "Find a shortest path from one vector to another; each step changes one letter.\n"
                "V is as for boscage cellgraph. rows are the rows of V on the path, from I to J; of equal vectors the\n"
                "first allowed row. Exit code 1 if there is no path.",
     .example = "boscage cellgraph path vectors.npy --bits 256 --from 0 --to 63 -o rows.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_FROM, .required = true, .help = "first row of the path, counted from 0"},
                 {.id = OPT_TO, .required = true, .help = "last row of the path"},
                 {.id = OPT_ALLOWED},
                 {.id = OPT_OUTPUT, .help = "output file of the path: .npy, (steps + 1,) i8; - is standard output"},
                 VECTORS_OPTIONS,
                 {.id = OPT_METHOD},
                 {.id = OPT_IMPLIED_EDGES}},
     .writes_arrays = true,
     .run = run_cellgraph_path},
    {.room = "cellgraph",
     .verb = "components",
     .usage = "V [--bits L] [--allowed M.npy] [-o labels.npy]",
     .summary = "Find the connected components of vectors that differ in one letter, or count them.\n"
                "V is as for boscage cellgraph. The label of a row is the first allowed row of its component; -1 for\n"
                "excluded rows.",
     .example = "boscage cellgraph components vectors.npy --bits 256 --allowed free.npy -o labels.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_ALLOWED},
                 {.id = OPT_OUTPUT, .help = "output file of the labels: .npy, (n,) i8; - is standard output"},
                 VECTORS_OPTIONS,
                 {.id = OPT_METHOD},
                 {.id = OPT_RANKS},
                 {.id = OPT_DEVICES}},
     .writes_arrays = true,
     .run = run_cellgraph_components},
    {.room = "cellgraph",
     .verb = "levels",
     .usage = "V [--bits L] --from I [--allowed M.npy] [-o levels.npy]",
     .summary = "Find the length of the shortest paths from one vector to all others; each step changes one letter.\n"
                "V is as for boscage cellgraph. The level of a row is that of its vector; -1 for unreachable and for\n"
                "excluded rows.",
     .example = "boscage cellgraph levels vectors.npy --bits 256 --from 0 -o levels.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_FROM, .required = true, .help = "start of the paths: a row of V, counted from 0"},
                 {.id = OPT_ALLOWED},
                 {.id = OPT_OUTPUT, .help = "output file of the levels: .npy, (n,) i8; - is standard output"},
                 VECTORS_OPTIONS,
                 {.id = OPT_METHOD}},
     .writes_arrays = true,
     .run = run_cellgraph_levels},
    {.room = "trie",
     .usage = "V [--bits L] --find Q|--prefix Q|--longest Q|--neighbours Q [-o out.npy] [--letters K]\n"
              "                    [--layout NAME] [--by-values] [--digit R]",
     .summary =
         "Build a trie of vectors and look up vectors, prefixes, longest matches, or neighbours.\n"
         "Neighbours differ in one letter. V may be a saved trie. V and Q: lines of 0 and 1; bases or amino acids, "
         "one\n"
         "sequence a line, FASTA or FASTQ; or .npy u1 of packed bits, the most significant first, with --bits. Equal\n"
         "vectors count once, as the first row. out (m,) i8 is the row of V for each row of Q, -1 if absent; for\n"
         "--prefix and --neighbours (p, 2), all pairs (row of Q, row of V), ascending. For --longest (m, 2): the most\n"
         "letters that a row of Q and any row of V begin with, and the row of V that is the first in the order of the\n"
         "letters among those; -1 in an empty trie. Both are -1 for a row of Q that --n skips.",
     .example = "boscage trie vectors.npy --bits 256 --neighbours queries.npy -o pairs.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_FIND},
                 {.id = OPT_PREFIX},
                 {.id = OPT_LONGEST},
                 {.id = OPT_NEIGHBOURS},
                 {.id = OPT_OUTPUT, .help = "output file of the rows of V: .npy, i8; - is standard output"},
                 VECTORS_OPTIONS,
                 {.id = OPT_LETTERS},
                 TRIE_LAYOUT_OPTIONS},
     .writes_arrays = true,
     .run = run_trie},
    {.room = "trie",
     .verb = "build",
     .usage = "V [--bits L] -o T.bosc [--layout NAME] [--by-values] [--digit R]",
     .summary = "Build a trie of vectors and save it.\n"
                "V is that of `trie'. Equal vectors count once, as the first row.",
     .example = "boscage trie build vectors.npy --bits 256 -o trie.bosc",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_OUTPUT, .required = true, .help = "output file of the trie; - is standard output"},
                 VECTORS_OPTIONS,
                 TRIE_LAYOUT_OPTIONS},
     .writes_saved = true,
     .run = run_trie_build},
    {.room = "trie",
     .verb = "insert",
     .usage = "T.bosc V [--bits L] [-o U.bosc]",
     .summary =
         "Add vectors to a saved trie.\n"
         "Row numbers continue behind those of the trie; a vector in the trie keeps its row. Vectors that --n skips\n"
         "have numbers too, except at the end of the file that the trie was built from.",
     .example = "boscage trie insert trie.bosc more.txt",
     .min_operands = 2,
     .max_operands = 2,
     .options = {CHANGED_OUTPUT("trie"), VECTORS_OPTIONS},
     .writes_saved = true,
     .run = run_trie_insert},
    {.room = "trie",
     .verb = "erase",
     .usage = "T.bosc V [--bits L] [-o U.bosc]",
     .summary = "Remove vectors from a saved trie.\n"
                "Absent vectors are no failure. The others keep their row numbers.",
     .example = "boscage trie erase trie.bosc fewer.txt",
     .min_operands = 2,
     .max_operands = 2,
     .options = {CHANGED_OUTPUT("trie"), VECTORS_OPTIONS},
     .writes_saved = true,
     .run = run_trie_erase},
    {.room = "umi",
     .usage = "READS [--method NAME] [--distance D] [--n NAME] [--alphabet NAME] [--letters K]\n"
              "                   [--pattern PATTERN] [--name-separator C [--per-cell]] [--column C [--by LIST]]\n"
              "                   [-o groups.tsv] [--counts counts.tsv] [--totals totals.tsv]",
     .summary =
         "Count barcodes (UMIs), and group variants made by sequencing errors, as UMI-tools does.\n"
         "READS: FASTQ, FASTA, lines of one barcode, optionally with a count, or a table. Barcodes of different\n"
         "lengths, cells, or marks (ACGT+TTTT, ACGT-1) are never in one group. A group's representative has the\n"
         "most reads; of equals the one that is read first. groups.tsv has a line a barcode: group, barcode, count,\n"
         "representative. counts.tsv has a line a group: representative, count of the whole group, barcodes.\n"
         "totals.tsv has a line a cell: groups, reads. With cells their columns come first. Without outputs they\n"
         "are only counted.",
     .example = "boscage umi reads.fastq -o groups.tsv --counts counts.tsv",
     .min_operands = 1,
     .max_operands = 1,
     .options =
         {{.id = OPT_METHOD,
           .choices =
               CHOICES("unique", "adjacency", "directional", "cluster"),
           .help =
               "unique: every barcode is a group; adjacency: the barcodes with the most reads that are neighbours of "
               "all others of their component; directional (default): neighbours join a barcode with at least twice "
               "their reads, less one, from step to step; cluster: connected components"},
          {.id = OPT_DISTANCE},
          {.id = OPT_N,
           .value = "NAME",
           .choices = CHOICES("skip", "wildcard", "letter"),
           .help =
               "reads with ambiguity codes, such as N: skip them (default); wildcard: count each for the barcode with "
               "the most reads that it matches, or skip it; letter: each code is a further letter, as in UMI-tools. "
               "They are counted in any case; wildcard takes at most a pass over the barcodes for each choice of "
               "positions with codes"},
          {.id = OPT_ALPHABET,
           .choices = CHOICES("bases", "amino-acids"),
           .help = "letters of the barcodes: bases (default) or amino-acids"},
          {.id = OPT_LETTERS, .help = "a barcode is the first K letters of a read (default: all letters)"},
          {.id = OPT_PATTERN},
          {.id = OPT_NAME_SEPARATOR},
          {.id = OPT_PER_CELL},
          {.id = OPT_COLUMN},
          {.id = OPT_BY},
          {.id = OPT_COUNT_COLUMN},
          {.id = OPT_OUTPUT,
           .help = "output file of the barcodes: .tsv, .csv or .txt; - is standard output, with tabs"},
          {.id = OPT_COUNTS, .help = "output file of the groups' counts: .tsv, .csv or .txt"},
          {.id = OPT_TOTALS}},
     .writes_text = true,
     .run = run_umi},
    {.room = "cbt",
     .verb = "create",
     .usage = "--depth D [--level L] [--layout NAME] -o T.bosc",
     .summary = "Create a concurrent binary tree whose leaves are the nodes of one level.\n"
                "Nodes are numbered as in a heap: 1 is the root, 2 k and 2 k + 1 are the children of k.",
     .example = "boscage cbt create --depth 20 --level 4 -o tree.bosc",
     .options = {{.id = OPT_DEPTH, .required = true},
                 {.id = OPT_OUTPUT, .required = true, .help = "output file of the tree; - is standard output"},
                 {.id = OPT_LEVEL},
                 {.id = OPT_LAYOUT,
                  .choices = CHOICES("ranked", "published"),
                  .help = "ranked (default), or published: the heap of sums of the paper, 2^D / 2 bytes"}},
     .writes_saved = true,
     .run = run_cbt_create},
    {.room = "cbt",
     .verb = "split",
     .usage = "T.bosc --nodes N.npy -o U.bosc",
     .summary = "Split leaves of a saved concurrent binary tree in two.\n"
                "Leaves on the deepest level are not split.",
     .example = "boscage cbt split tree.bosc --nodes nodes.npy -o finer.bosc",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_NODES, .required = true},
                 {.id = OPT_OUTPUT, .required = true, .help = "output file of the new tree; - is standard output"}},
     .writes_saved = true,
     .run = run_cbt_split},
    {.room = "cbt",
     .verb = "merge",
     .usage = "T.bosc --nodes N.npy -o U.bosc",
     .summary = "Merge leaves of a saved concurrent binary tree with their siblings.\n"
                "One leaf of a pair is enough. Leaves whose siblings are not leaves are not merged.",
     .example = "boscage cbt merge tree.bosc --nodes nodes.npy -o coarser.bosc",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_NODES, .required = true},
                 {.id = OPT_OUTPUT, .required = true, .help = "output file of the new tree; - is standard output"}},
     .writes_saved = true,
     .run = run_cbt_merge},
    {.room = "cbt",
     .verb = "decode",
     .usage = "T.bosc [-o nodes.npy]",
     .summary = "List the leaves of a saved concurrent binary tree, from left to right.",
     .example = "boscage cbt decode tree.bosc -o nodes.npy",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_OUTPUT,
                  .help = "output file of the leaves: .npy, (leaves,) i8; - is standard output. Without -o they are "
                          "only counted"}},
     .writes_arrays = true,
     .run = run_cbt_decode},
    {.room = "plan",
     .usage = "SCENE | ROBOT OBSTACLE [--from w,x,y,z] [--to w,x,y,z] [-o path.csv] [--png P.png] [--glb M.glb]\n"
              "                    [--film DIR [--frames N]] [--samples N] [--sampler circle|shoemake] [--weighted]\n"
              "                    [--convex robot|obstacle|both] [--level L] [--max-boxes N] [--width N]\n"
              "       boscage plan SCENE | ROBOT OBSTACLE --verify path.csv [--from w,x,y,z] [--to w,x,y,z]",
     .summary =
         "Plan a path of rotations, certified free of collision, or verify one.\n"
         "The robot rotates about the origin among obstacles. SCENE is a folder with robot and obstacle as .txt,\n"
         ".sph, .off, .obj, .ply, .stl or .glb, and with transform.txt if the robot is placed by a transform; or\n"
         "an .arr file. ROBOT and OBSTACLE are files of these formats. The path is w,x,y,z a line; consecutive\n"
         "rotations are joined by the shorter slerp. Exit code 1 with the reason if there is no path: start in\n"
         "collision, goal in collision, no route among N cells, or no route: proved.",
     .example = "boscage plan scene --convex both --from 1,0,-1,0 --to 1,0,1,0 -o path.csv --png path.png",
     .min_operands = 1,
     .max_operands = 2,
     .writes_text = true,
     .options =
         {{.id = OPT_OUTPUT,
           .help =
               "output file of the path: .csv, .tsv or .txt, w,x,y,z a line, or .npy; - is standard output, as .csv"},
          {.id = OPT_FROM,
           .value = "W,X,Y,Z",
           .help = "start rotation, a quaternion of any length (default: the scene's)"},
          {.id = OPT_TO, .value = "W,X,Y,Z", .help = "goal rotation (default: the scene's)"},
          {.id = OPT_SAMPLES},
          {.id = OPT_SAMPLER},
          {.id = OPT_MAX_BOXES},
          {.id = OPT_WEIGHTED},
          {.id = OPT_VERIFY,
           .value = "path.csv",
           .help = "prove that every step of this path is free of collision; writes nothing"},
          {.id = OPT_CONVEX},
          {.id = OPT_LEVEL,
           .help = "level of the sphere trees that represents the bodies, from 1, the root (default: the deepest)"},
          {.id = OPT_PNG, .help = "output file of a picture: the ball of rotations with the path, and key poses"},
          {.id = OPT_GLB},
          {.id = OPT_FILM},
          {.id = OPT_FRAMES, .help = "frames of the film (default 60)"},
          {.id = OPT_WIDTH, .help = "width of pictures in pixels (default 1600; for a film 1280)"}},
     .run = run_plan},
    {.room = "terrain",
     .usage = "H [--spacing S] [--error M | --triangles N | --camera x,y,z,yaw,pitch,fov] -o mesh.glb|ply|obj\n"
              "                       [--height-unit U] [--flip-y] [--png view.png] [--view above|side] [--width N]\n"
              "                       [--encoding terrain-rgb|terrarium] [--band N] [--voids fill|hole|refuse]\n"
              "                       [--vertical-exaggeration F]\n"
              "       boscage terrain H [--spacing S] [--error M] --tiles LEVEL -o DIR\n"
              "       boscage terrain H [--spacing S] [--fly PATH.csv] --frames N [--width N] -o DIR",
     .summary =
         "Make a conforming adaptive mesh of heights, a tile set for the web, or a flight over them.\n"
         "H is .png (8, 16 bits, terrain-RGB or terrarium), .pgm, .hgt, .asc, .tif or .npy. The mesh covers exactly\n"
         "[0, w-1] x [0, h-1] times S; z is up, y = row times S, and vertices are samples. Without a bound the error\n"
         "is a 200th of the range of heights. y grows down the map, so x, y, z are left-handed: a .glb corrects this\n"
         "for its viewer, a .ply or .obj is shown mirrored unless --flip-y is given. A .glb has texture coordinates,\n"
         "from 0 to 1 over the samples, and the raster's origin, spacing and coordinate system as asset.extras.\n"
         "Tiles are 3D Tiles 1.1: DIR has tileset.json and LEVEL-COLUMN-ROW.glb, and replaces an earlier tile set.\n"
         "The frames of a flight are written to DIR, with triangles and time of each; leftover frame-NNNNN.png of a\n"
         "longer flight are removed.",
     .example = "boscage terrain heights.tif --error 2 -o mesh.glb --png view.png",
     .min_operands = 1,
     .max_operands = 1,
     .options = {{.id = OPT_OUTPUT,
                  .help = "output file of the mesh: .glb (- too), .ply or .obj; of tiles or a flight, the folder"},
                 {.id = OPT_SPACING},
                 {.id = OPT_HEIGHT_UNIT},
                 {.id = OPT_ERROR},
                 {.id = OPT_TRIANGLES},
                 {.id = OPT_CAMERA},
                 {.id = OPT_PNG},
                 {.id = OPT_VIEW},
                 {.id = OPT_ENCODING},
                 {.id = OPT_BAND},
                 {.id = OPT_NO_DATA},
                 {.id = OPT_VOIDS},
                 {.id = OPT_VERTICAL_EXAGGERATION},
                 {.id = OPT_FLIP_Y},
                 {.id = OPT_TILES,
                  .help =
                      "write levels 0 to LEVEL of a tile set: tiles of level l are squares of N / 2^l samples, where "
                      "N is the power of two that holds the shorter side; --error is that of the last level, and "
                      "twice as much a level above. Tiles share the vertices of their borders, across levels too"},
                 {.id = OPT_FLY},
                 {.id = OPT_FRAMES},
                 {.id = OPT_WIDTH}},
     .run = run_terrain},
    {.room = "planet",
     .usage =
         "H [--radius R] [--error M | --triangles N | --camera lat,lon,alt,heading,pitch,fov]\n"
         "                      -o mesh.glb|ply|obj [--bounds W,S,E,N] [--outside H] [--height-unit U] [--detail M]\n"
         "                      [--inset FILE [--inset-bounds W,S,E,N]]... [--cache BYTES]\n"
         "                      [--png view.png] [--width N]\n"
         "       boscage planet H [--error M | --triangles N | --camera ...] --tiles LEVEL -o DIR\n"
         "       boscage planet H [--radius R] [--fly PATH.csv] --frames N [--width N] -o DIR",
     .summary =
         "Make a closed adaptive mesh of a whole planet, or a descent to its ground.\n"
         "H holds heights of the planet: .png (8, 16 bits, terrain-RGB or terrarium), .pgm, .hgt, .asc, .tif or .npy.\n"
         "It lies where its georeference says; without one it is equirectangular: rows from the north pole, columns\n"
         "from longitude -180 to the east. Columns from another meridian are rotated, other rasters resampled.\n"
         "Outside a part of the planet --outside gives the height. Maps other than web Mercator require PROJ.\n"
         "Vertices are at R plus the height; z is to the north pole, x to latitude and longitude 0. Every edge\n"
         "belongs to two triangles, but at holes. Without a bound the error is a 50th of the range of heights, or a\n"
         "20,000th of R if that is more. With a camera, positions are relative to it, so that they are exact near it.\n"
         "Frames are written to DIR, with altitude, triangles and time of each; leftover frame-NNNNN.png of a longer\n"
         "flight and tiles of other meshes are removed.",
     .example = "boscage planet earth.tif --error 500 -o globe.glb --png globe.png",
     .min_operands = 1,
     .max_operands = 1,
     .options =
         {{.id = OPT_OUTPUT,
           .help = "output file of the mesh: .glb (- too), .ply or .obj; of tiles or a flight, the folder"},
          {.id = OPT_RADIUS,
           .help =
               "the planet's radius in metres (default 6371000; of a file of another planet, that of its ellipsoid)"},
          {.id = OPT_ERROR,
           .help = "largest distance of any sample from the mesh, along its radius; of a raster that is resampled for "
                   "the globe, the samples of the globe"},
          {.id = OPT_TRIANGLES},
          {.id = OPT_CAMERA,
           .help = "latitude, longitude, altitude over the ground, heading clockwise from north, pitch up from the "
                   "horizon, vertical fov: errors of at most a pixel as seen by this camera; degrees and metres"},
          {.id = OPT_BOUNDS},
          {.id = OPT_OUTSIDE},
          {.id = OPT_INSET},
          {.id = OPT_INSET_BOUNDS},
          {.id = OPT_HEIGHT_UNIT},
          {.id = OPT_DETAIL},
          {.id = OPT_PNG, .help = "output file of a picture: the view of the camera, or the planet from far away"},
          {.id = OPT_ENCODING},
          {.id = OPT_BAND},
          {.id = OPT_NO_DATA},
          {.id = OPT_VOIDS},
          {.id = OPT_VERTICAL_EXAGGERATION},
          {.id = OPT_CACHE},
          {.id = OPT_TILES},
          {.id = OPT_FLY, .help = "a flight past these cameras, one a row; altitudes are interpolated geometrically"},
          {.id = OPT_FRAMES,
           .help = "number of frames of a flight (default 60); without --fly it descends to the highest sample"},
          {.id = OPT_WIDTH}},
     .run = run_planet},
    {.room = "bench",
     .usage = "[ROOM] [--size small|paper|large] [--sweep] [--shape all|NAME,..] [--png P.png]",
     .summary =
         "Run the benchmarks of a room, or of all, against the other libraries of this build.\n"
         "ROOM is prims, io, kdtree, forest, paths, hash, cellgraph, voxelgrid, collide, match, cbt, plan, terrain,\n"
         "planet, ranks or trie. All rooms together take minutes; the programs are listed first.\n"
         "Shapes are those of boscage generate: of points for kdtree, forest (Euclidean trees) and voxelgrid, of\n"
         "graphs for forest, of keys for hash; and screws, random, pairs, words-4, words-20, dna-12 for cellgraph and\n"
         "trie.",
     .example = "boscage bench cbt --sweep --png cbt.png",
     .max_operands = 1,
     .options = {{.id = OPT_SIZE,
                  .value = "SIZE",
                  .choices = CHOICES("small", "paper", "large"),
                  .help = "small (default), paper or large"},
                 {.id = OPT_SWEEP},
                 {.id = OPT_SHAPE},
                 {.id = OPT_PNG,
                  .value = "P.png",
                  .help =
                      "output file of plots: for a sweep the times against n, with other libraries and lower bounds; "
                      "for ranks the speed-up and efficiency against the number of ranks"}},
     .run = run_bench},
    {.room = "bench",
     .verb = "paper",
     .usage = "[PAPER] [--scale F] [--graph G] [--png P.png]",
     .summary =
         "Print the tables of the papers: their figures, the published methods and ours, answers checked.\n"
         "PAPER is kdtree, cellgraph, cbt, mst or hash; without it all are printed. Sizes are the papers', which take\n"
         "minutes.",
     .example = "boscage bench paper mst --scale 0.1 --png mst.png",
     .max_operands = 1,
     .options = {{.id = OPT_SCALE},
                 {.id = OPT_GRAPH},
                 {.id = OPT_PNG,
                  .value = "P.png",
                  .help = "output file of plots of the tables that can be plotted: those of all papers but hash"}},
     .run = run_bench_paper},
    {.room = "demo",
     .usage = "[P] [-o DIR]",
     .summary = "Demonstrate every room, with measurements, and pictures in DIR (default demo).",
     .example = "boscage demo -o demo",
     .max_operands = 1,
     .options = {{.id = OPT_OUTPUT, .value = "DIR", .help = "folder of the pictures (default demo)"}},
     .run = run_demo},
    {.room = "viewer",
     .usage = "[--n N] [--frames N] -o DIR",
     .summary =
         "Record a run of all structures in one frame, and write a page that plays it.\n"
         "Each frame rebuilds the triangles of a planet for a camera that flies around it, a k-d tree of N objects\n"
         "that travel over it, a table of their contacts, a spanning forest of and routes over the roads between\n"
         "them, and the turn of a robot among walls that move: examples/frame.c. DIR/index.html has a free camera,\n"
         "needs WebGL 2 and neither a server nor a network, and holds the arrays of all frames. It is the same on\n"
         "every machine and backend.",
     .example = "boscage viewer --n 500 --frames 20 -o viewer",
     .options = {{.id = OPT_OUTPUT, .required = true, .value = "DIR", .help = "folder of the page"},
                 {.id = OPT_N, .help = "number of objects, 64 to 20000 (default 1500)"},
                 {.id = OPT_FRAMES, .help = "number of frames, 1 to 1000 (default 60)"}},
     .run = run_viewer},
    {.room = "help",
     .usage = "[COMMAND] [--man] [--completion bash|zsh|fish]",
     .summary = "Show the help of a command, or print the manual page or a completion script.",
     .example = "boscage help kdtree knn",
     .max_operands = 2,
     .hidden = true,
     .options = {{.id = OPT_MAN}, {.id = OPT_COMPLETION}},
     .run = run_help},
};
const int command_count = sizeof commands / sizeof commands[0];
