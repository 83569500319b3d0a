/* boscage/io.h - files: arrays, points, graphs, heights, meshes, saved structures, pictures. A library of its own,
 * libboscage_io.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_points_read, bosc_npy_write, bosc_edges_read, bosc_kdtree_save, bosc_kdtree_load
 *
 * Paths. "-" is standard input or standard output. The ending of the path selects the format; for "-" and other
 * endings readers use the first bytes. A further ending .gz or .bgz means that the file is packed by gzip, .zst by zstd
 * (if Boscage was built with libzstd). Standard input and files of /dev may be packed too.
 *
 * Lines of texts end in LF, CR LF or CR.
 *
 * Readers refuse unreadable files (BOSC_ERR_IO), truncated, malformed or hostile ones (BOSC_ERR_FORMAT), and NaN among
 * numbers (BOSC_ERR_DATA). The size of the file bounds the memory used, whatever its header claims. A file that changes
 * its size while it is read is refused (BOSC_ERR_IO). Exception: a mesh or raster of 256 MB or more that exceeds the
 * free memory is mapped, and must not be shortened meanwhile (SIGBUS). Inputs other than regular files are read to
 * their end, at most 4 GiB and half of the machine's memory (BOSC_ERR_LIMIT). The same limit holds for unpacked bytes.
 *
 * Writers write to a new file beside the target, which replaces the target once it is complete and on the disk. So a
 * file appears completely or not at all; of several files, all or none appear. A link stays, and its target is
 * replaced. Access rights stay, except setuid and setgid. Devices and pipes are written directly. A mount point is
 * overwritten, after all other files are complete.
 *
 * Errors. `error` may be NULL; else its text becomes "FILE:LINE: reason" or "FILE: reason"; with BOSC_ERR_ARG
 * "argument: reason". Outputs are unchanged on failure. BOSC_ERR_NOMEM: out of memory.
 *
 * Cost, unless stated otherwise: one pass over the file, O(bytes) work; memory for the result; for writers about
 * 128 KiB a file, and the memory of a compressor. */
#ifndef BOSCAGE_IO_H
#define BOSCAGE_IO_H

#include <boscage/boscage.h>
#include <boscage/cbt.h>
#include <boscage/cluster.h>
#include <boscage/ranks/kdtree.h>
#include <boscage/graph.h>
#include <boscage/hash.h>
#include <boscage/plan.h>
#include <boscage/planet.h>
#include <boscage/trie.h>

BOSC_BEGIN_DECLS

/* Receives the text of a failure; always terminated. */
typedef struct bosc_io_error {
    char text[512];
} bosc_io_error;

/* Removes the temporary files of running writers, if the file system required names for them. For handlers of
 * signals that end the process; async-signal-safe. The writers fail if they continue. */
BOSC_API void bosc_temporaries_remove(void);

/* Sets the progress function of the calling thread (NULL: none) for its further calls of this library
 * (bosc_progress_fn in boscage/context.h).
 *
 * It is called about 20 times a second; not in calls shorter than 0.05 seconds, nor while a file is flushed to the
 * disk. Work of a context (bosc_kdtree_save) is reported to the context's own function. A cancelled call returns
 * BOSC_ERR_CANCELLED; its outputs are unchanged, and no file appears or changes. The function may call this library;
 * such calls report nothing. */
BOSC_API void bosc_io_set_progress(bosc_progress_fn progress, void *user);

/* ---- arrays ---- */

/* An array in host memory, in C order. Arrays from readers must be freed with bosc_array_free. */
typedef struct bosc_array {
    bosc_dtype dtype;
    int32_t rank;     /* 1 to 4 */
    int64_t shape[4]; /* unused ones are 1 */
    void *data;
} bosc_array;

/* Frees the data of an array that a reader filled, and clears the struct. NULL is allowed. */
BOSC_API void bosc_array_free(bosc_array *array);

/* Reads a .npy file: versions 1 to 3, either byte order, C or Fortran order; f2 (as f4), f4, f8, integers of 8 to 64
 * bits, and b1 (as u1). */
BOSC_API bosc_status bosc_npy_read(const char *path, bosc_array *array, bosc_io_error *error);

/* A part of the rows of an array: number `part`, from 0, of `parts` consecutive parts of about equal size. A reader
 * sets the other fields. */
typedef struct bosc_slice {
    int64_t part, parts;
    int64_t begin; /* row of the whole array that is row 0 of the slice */
    int64_t rows;  /* of the whole array */
} bosc_slice;

/* Reads a slice of a .npy file, for ranks that share it. shape[0]: rows in the slice; parts differ by one at most.
 * Errors: BOSC_ERR_ARG for a part that is not from 0 to parts - 1. Rows in messages are those of the whole array.
 * Cost: only the slice is read; the whole file if it is packed, a pipe, or in Fortran order. */
BOSC_API bosc_status bosc_npy_read_slice(const char *path, bosc_slice *slice, bosc_array *array, bosc_io_error *error);

/* As bosc_array_convert (below) for a slice from a reader: rows in messages are those of the whole array. */
BOSC_API bosc_status bosc_slice_convert(const char *name, const bosc_slice *slice, bosc_array *array, bosc_dtype dtype,
                                        int32_t round, bosc_io_error *error);

/* Writes a .npy file of version 1. */
BOSC_API bosc_status bosc_npy_write(const char *path, const bosc_array *array, bosc_io_error *error);

/* Writes several arrays, 1 to 16: all files appear, or none if one fails. */
BOSC_API bosc_status bosc_npy_write_all(const char *const *paths, const bosc_array *arrays, int32_t count,
                                        bosc_io_error *error);

/* Writes several arrays as bosc_npy_write_all does; paths that end in .csv, .tsv or .txt as text: a row per line,
 * numbers separated by commas, tabs or blanks. Reals have at most 17 digits (f4: 9) and read back as the same number.
 * Errors: BOSC_ERR_ARG for text of an array with more than two dimensions. */
BOSC_API bosc_status bosc_arrays_write(const char *const *paths, const bosc_array *arrays, int32_t count,
                                       bosc_io_error *error);

/* Converts an array from a reader to another element type.
 *
 * round: 0: every element must keep its value; 1: floats may be rounded to the nearest value of the type.
 * name: of the array, for messages.
 * Errors: BOSC_ERR_DATA for an element that the type lacks ("NAME: row 7: -1 is not a value of u8"); rows count from 0.
 * Cost: O(elements) work, none if the type is unchanged; memory for the new array beside the old one. */
BOSC_API bosc_status bosc_array_convert(const char *name, bosc_array *array, bosc_dtype dtype, int32_t round,
                                        bosc_io_error *error);

/* ---- points ---- */

/* Reads points as an array (n, dim).
 *
 *   .npy             (n, dim), or (n,) for points of one coordinate; f4, f8, i4 or i8. Other types are converted
 *                    without loss: f2 to f4, short integers to i4, u4 and u8 to i8. (0, dim) is allowed
 *   .csv .tsv .txt   f8: numbers separated by commas or blanks, or by semicolons where the first line has one, within
 *                    double quotes or not; `#` begins a comment; a line of names may come first; separators at the end
 *                    of a line are passed over, and so are first columns without a name, which hold numbers of rows
 *   .xyz             f8: the same, with the first three numbers of a row (colours and normals may follow); or a
 *                    molecule: the number of atoms, a comment line, and for each atom its symbol and x, y, z, or the
 *                    columns that `Properties=` of the comment gives (extended .xyz)
 *   .off .ply .obj   f8: the vertices of a mesh; .ply is ascii or binary, of either byte order
 *   .pcd             f8: x, y and z of a point cloud, ascii, binary or binary_compressed
 *   -                by its first bytes: .npy, .glb, .ply, .pcd, .off, .obj or a molecule of a .xyz, else as .csv
 *
 * Numbers of texts are rounded correctly in every locale.
 * Errors: BOSC_ERR_DATA for a NaN, with its row from 0 ("FILE: row 7: NaN") or the line of a text; in texts also for a
 * number beyond a double, such as 1e400. */
BOSC_API bosc_status bosc_points_read(const char *path, bosc_array *points, bosc_io_error *error);

/* Reads the periodic cell of a molecule, which the comment line of an extended .xyz gives: Lattice="9 numbers", and
 * pbc="T T F", all T without it.
 * vectors (3 x 3): rows are the vectors of the cell.
 * periodic (3): 1 for each vector along which space is periodic.
 * found: 0: the file gives no cell, and `vectors` and `periodic` are unchanged.
 * Errors: BOSC_ERR_FORMAT for another text behind Lattice= or pbc=.
 * Cost: reads the beginning of the file. */
BOSC_API bosc_status bosc_lattice_read(const char *path, double vectors[9], uint8_t periodic[3], int32_t *found,
                                       bosc_io_error *error);

/* As bosc_points_read, with only these columns of a text, in this order.
 * columns: names of the first line or numbers from 1, separated by commas: "x,y,z" or "2,3"; NULL: all. Other formats
 * ignore it. The other columns may contain anything.
 * Errors: BOSC_ERR_FORMAT for missing columns. */
BOSC_API bosc_status bosc_points_read_columns(const char *path, const char *columns, bosc_array *points,
                                              bosc_io_error *error);

/* Names that the caller frees: name i is the text from text + begins[i] on, which ends with a zero byte. */
typedef struct bosc_names {
    int64_t n;
    char *text;
    int64_t *begins;
} bosc_names;

/* Frees the arrays, and clears the struct. NULL is allowed. */
BOSC_API void bosc_names_free(bosc_names *names);

/* Reads the names of the columns of a text of points, without those of the rows' numbers.
 * names: n is 0 for texts without names and for other formats; a name that repeats is there once.
 * Errors: as bosc_points_read, but only the beginning of the file is read. */
BOSC_API bosc_status bosc_points_read_names(const char *path, bosc_names *names, bosc_io_error *error);

/* As bosc_points_read_columns, without the points that have a NaN, by which depth cameras mark those without a depth.
 * In texts, empty fields and words such as NA, #N/A and null are NaN too.
 * points: the others, in their order; none if all have one.
 * skipped: receives the number of points left out; may be NULL. */
BOSC_API bosc_status bosc_points_read_valid(const char *path, const char *columns, bosc_array *points, int64_t *skipped,
                                            bosc_io_error *error);

/* Reads a slice of the points, as bosc_npy_read_slice does.
 * Cost: as there; other formats are read whole. */
BOSC_API bosc_status bosc_points_read_slice(const char *path, const char *columns, bosc_slice *slice,
                                            bosc_array *points, bosc_io_error *error);

/* ---- vectors and sequences ---- */

/* Letters of vectors and sequences, in either case. */
typedef enum bosc_alphabet {
    BOSC_ALPHABET_AUTO = 0,       /* bits or bases, by the first character; bases in FASTA and FASTQ */
    BOSC_ALPHABET_BITS = 1,       /* 0 and 1 */
    BOSC_ALPHABET_BASES = 2,      /* A, C, G, T or U: values 0 to 3 of 2 bits */
    BOSC_ALPHABET_AMINO_ACIDS = 3 /* ACDEFGHIKLMNPQRSTVWYUO and * for a stop: values 0 to 22 of 5 bits */
} bosc_alphabet;

/* Ambiguity codes of IUPAC: letters that stand for several. RYSWKMBDHVN of bases, where `.` is N too; BZJX of amino
 * acids. */
typedef enum bosc_ambiguity {
    BOSC_AMBIGUITY_REFUSE = 0, /* the file is refused */
    BOSC_AMBIGUITY_SKIP = 1,   /* vectors with a code are left out, and so are records without letters */
    BOSC_AMBIGUITY_LETTER = 2  /* codes are letters: of bases 4 to 14, with 4 bits a letter; of amino acids 23 to 26 */
} bosc_ambiguity;

/* Vectors over a small alphabet in host memory, packed as in boscage/cellgraph.h. Vectors from readers must be freed
 * with bosc_vectors_free. */
typedef struct bosc_vectors {
    uint64_t *rows; /* (n x bosc_cellgraph_words(length, letter_bits)) */
    int64_t n;
    int32_t length, letter_bits;
    int64_t file_n;     /* vectors in the file, left out ones too */
    int64_t *file_rows; /* (n) the number in the file of each vector, from 0, ascending; NULL: none was left out */
} bosc_vectors;

/* Frees the rows that a reader filled, and clears the struct. NULL is allowed. */
BOSC_API void bosc_vectors_free(bosc_vectors *vectors);

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_vectors_opts {
    size_t size;
    int32_t bits; /* of each vector; required for .npy; otherwise 0, or the length that every vector must have */
    bosc_alphabet alphabet;
    bosc_ambiguity ambiguity;
} bosc_vectors_opts;

/* Reads vectors of equal length, at most 65,536 letters. The content selects the format:
 *
 *   text lines   letters; behind other letters than bits a blank and a count may follow, which is ignored
 *   FASTA        each header followed by the letters of one sequence, on one line or several
 *   FASTQ        records of four lines: @ and a name, letters, +, and a character of quality for each letter
 *   .npy         u1 (n, bytes): packed bits, the most significant first
 *
 * `#` begins a comment in a text, outside headers and qualities.
 * opts: NULL: all defaults.
 * Errors: BOSC_ERR_ARG if bits is required and 0; BOSC_ERR_FORMAT if all vectors are left out. */
BOSC_API bosc_status bosc_vectors_read(const char *path, const bosc_vectors_opts *opts, bosc_vectors *vectors,
                                       bosc_io_error *error);

/* Sequences of any lengths, 0 too, in host memory. Sequences from readers must be freed with bosc_sequences_free. */
typedef struct bosc_sequences {
    char *letters;    /* capitals; sequence i is letters[offsets[i]] to letters[offsets[i + 1] - 1] */
    int64_t *offsets; /* (n + 1) */
    int64_t *counts;  /* (n) the count behind the letters of a line; 1 without one, and in FASTA and FASTQ */
    int64_t n;
    /* Keys, such as cell barcodes. NULL and 0 where the options choose none. */
    int64_t *keys;        /* (n) number of each sequence's key, by first occurrence; -1: the read was too short */
    int64_t key_count;    /* distinct keys */
    char *key_letters;    /* of key k from key_offsets[k] to key_offsets[k + 1] - 1, with tabs between its columns */
    int64_t *key_offsets; /* (key_count + 1) */
    char *key_names;      /* names of the columns, with tabs between them */
    /* Marks: + and - between letters (ACGT+TTTT, of two barcodes), - and digits behind them (ACGT-1, 10x Genomics). */
    int64_t *marks;     /* (n) equal for sequences with equal marks at equal positions; NULL: no sequence has marks */
    int64_t mark_count; /* numbers in `marks`: 0 to mark_count - 1; 1 if it is NULL */
} bosc_sequences;

/* Frees the arrays that a reader filled, and clears the struct. NULL is allowed. */
BOSC_API void bosc_sequences_free(bosc_sequences *sequences);

/* Where a file has its sequences. Zero bytes mean the default; set `size`. Fields are only appended. Only one of
 * `pattern`, `name_separator` and `column` may be set. */
typedef struct bosc_sequences_opts {
    size_t size;
    bosc_alphabet alphabet; /* AUTO is BASES */
    /* A character for each letter of a read, from the first: N of the sequence, C of the key, X of neither, as of
     * UMI-tools. Shorter reads have no letters. NULL: all letters are the sequence, without a key. */
    const char *pattern;
    /* FASTA and FASTQ: the sequence ends the read's name, behind the last of these characters. 0: it is the read. */
    int32_t name_separator;
    int32_t keys_in_names; /* not 0: the name has the key before the sequence: NAME_KEY_SEQUENCE */
    /* A table: columns by name in its first line or by number from 1. NULL: the file is no table. */
    const char *column;       /* of the sequences */
    const char *key_columns;  /* separated by commas; NULL: no keys */
    const char *count_column; /* NULL: the one that the first line names count, counts or reads; without it 1 */
} bosc_sequences_opts;

/* Reads sequences: text lines, FASTA or FASTQ, as bosc_vectors_read, or a table. Ambiguity codes stay in the letters,
 * and so do marks, which reads of FASTA and FASTQ cannot have.
 * opts: NULL: all defaults. */
BOSC_API bosc_status bosc_sequences_read(const char *path, const bosc_sequences_opts *opts, bosc_sequences *sequences,
                                         bosc_io_error *error);

/* ---- texts ---- */

/* A text in the caller's memory. */
typedef struct bosc_text {
    const char *data;
    int64_t size; /* bytes */
} bosc_text;

/* Writes several texts, each packed if its path ends in .gz, .bgz or .zst: all files appear, or none if one fails.
 * count: 1 to 16. */
BOSC_API bosc_status bosc_texts_write(const char *const *paths, const bosc_text *texts, int32_t count,
                                      bosc_io_error *error);

/* ---- saved structures ---- */

/* Saves a structure to a file (.bosc by custom): the bytes of bosc_X_write, the same on every backend.
 * Errors: as bosc_X_write.
 * Cost: O(bytes) work. Waits. */
BOSC_API bosc_status bosc_kdtree_save(bosc_ctx *ctx, const bosc_kdtree *tree, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_graph_save(bosc_ctx *ctx, const bosc_graph *graph, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_hash_save(bosc_ctx *ctx, const bosc_hash *table, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_trie_save(bosc_ctx *ctx, const bosc_trie *trie, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_cbt_save(bosc_ctx *ctx, const bosc_cbt *tree, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_bisectors_save(bosc_ctx *ctx, const bosc_bisectors *bisectors, const char *path,
                                         bosc_io_error *error);
BOSC_API bosc_status bosc_planet_save(bosc_ctx *ctx, const bosc_planet *planet, const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_hdbscan_save(bosc_ctx *ctx, const bosc_hdbscan *clustering, const char *path,
                                       bosc_io_error *error);

/* Loads a saved structure into a new handle on the context's backend. The third argument is set on success.
 * Errors: BOSC_ERR_FORMAT with the reason for other files, damaged or hostile bytes, and bytes behind the end; others
 * as bosc_X_read.
 * Cost: O(bytes) work. Waits. */
BOSC_API bosc_status bosc_kdtree_load(bosc_ctx *ctx, const char *path, bosc_kdtree **tree, bosc_io_error *error);
BOSC_API bosc_status bosc_graph_load(bosc_ctx *ctx, const char *path, bosc_graph **graph, bosc_io_error *error);
BOSC_API bosc_status bosc_hash_load(bosc_ctx *ctx, const char *path, bosc_hash **table, bosc_io_error *error);
BOSC_API bosc_status bosc_trie_load(bosc_ctx *ctx, const char *path, bosc_trie **trie, bosc_io_error *error);
BOSC_API bosc_status bosc_cbt_load(bosc_ctx *ctx, const char *path, bosc_cbt **tree, bosc_io_error *error);
BOSC_API bosc_status bosc_bisectors_load(bosc_ctx *ctx, const char *path, bosc_bisectors **bisectors,
                                         bosc_io_error *error);
BOSC_API bosc_status bosc_planet_load(bosc_ctx *ctx, const char *path, bosc_planet **planet, bosc_io_error *error);
BOSC_API bosc_status bosc_hdbscan_load(bosc_ctx *ctx, const char *path, bosc_hdbscan **clustering,
                                       bosc_io_error *error);

/* The same for a tree over the ranks of its communicator: one file, with the bytes of one tree. Collective. Only rank 0
 * writes and reads; the other ranks use the path in messages. Wait.
 * Errors: the same on all ranks, except NULL arguments, which fail on their rank only; others as
 * bosc_ranks_kdtree_write and bosc_ranks_kdtree_read. */
BOSC_API bosc_status bosc_ranks_kdtree_save(bosc_ctx *ctx, bosc_comm *comm, const bosc_ranks_kdtree *tree,
                                            const char *path, bosc_io_error *error);
BOSC_API bosc_status bosc_ranks_kdtree_load(bosc_ctx *ctx, bosc_comm *comm, const char *path, bosc_ranks_kdtree **tree,
                                            bosc_io_error *error);

/* Loads a saved graph from a file that all ranks can open; each rank reads its slice and receives its shard, as
 * bosc_ranks_graph_read does. Collective. Waits.
 * graph: set on success. info: may be NULL; set its size.
 * Errors: the same on all ranks, except NULL arguments, which fail on their rank only. A rank that cannot open the file
 * has the reason in its message. BOSC_ERR_FORMAT also for bytes behind the end; others as bosc_ranks_graph_read.
 * Cost: as bosc_ranks_graph_read; the whole file is read if it is packed or a pipe. */
BOSC_API bosc_status bosc_ranks_graph_load(bosc_ctx *ctx, bosc_comm *comm, const char *path, bosc_graph **graph,
                                           bosc_ranks_graph_info *info, bosc_io_error *error);

/* Reads a saved tree, recognised by its first bytes, or else points as bosc_points_read_columns does.
 * One of *tree and *points is set on success. Waits. */
BOSC_API bosc_status bosc_kdtree_or_points_read(bosc_ctx *ctx, const char *path, const char *columns,
                                                bosc_kdtree **tree, bosc_array *points, bosc_io_error *error);

/* ---- graphs ---- */

/* The edges of a graph in host memory: entry i joins u[i] and v[i], which are below n. Edges from readers must be
 * freed with bosc_edges_free. */
typedef struct bosc_edges {
    int64_t n, m;     /* vertices and edges; each at most 2^32 - 2 */
    bosc_dtype dtype; /* of the weights, 32 or 64 bits; readers set I32, I64 if an integer needs it, or F64 */
    uint32_t *u, *v;
    void *weights; /* NULL: all are 1 */
} bosc_edges;

/* Frees the arrays that a reader filled, and clears the struct. NULL is allowed. */
BOSC_API void bosc_edges_free(bosc_edges *edges);

/* Reads the edges of a graph, one per entry of the file, in its order.
 *
 *   .gr                    DIMACS shortest paths: `p sp N M`, then M lines `a U V WEIGHT`, vertices from 1; `c` begins
 *                          a comment. Also cliques and colouring: `p edge N M` or `p col N M`, then lines `e U V`
 *   .mtx                   Matrix Market, coordinate and square: pattern, integer, unsigned-integer or real; general
 *                          or symmetric. Complex, hermitian and skew-symmetric matrices give their pattern
 *   .txt .el .snap         edge list: lines `U V` or `U V WEIGHT`, vertices from 0; n is the largest + 1; `#` and `%`
 *   .tsv .csv              begin comments; a comma or semicolon in the first line is the separator, and numbers may be
 *                          quoted; a line of names may come first, and columns without a name before the vertices.
 *                          Vertices may be written as 1.0, 1e3. Of three columns or more Source, Target and Weight are
 *                          read by their names (Gephi). Lines may end in the data of networkx, {...}: its attribute
 *                          weight, or the only one, is the weight; 1 where only other edges have the attribute
 *   .graph .metis          METIS, with or without weights of edges; weights of vertices are ignored. Both rows of an
 *                          edge must list it; edges are in the order of the rows of their smaller vertices
 *   .npy                   pairs (m, 2) of integers, vertices from 0; n is the largest + 1
 *
 * Weights of .gr and edge lists are integers; reals if one is written as a real or exceeds 64 bits: an edge list must
 * then have no integer that a double would round (53 bits). Infinities are allowed.
 * Errors: BOSC_ERR_DATA for a NaN, and for a weight beyond a double.
 * Cost: O(bytes) work by all OpenMP threads (.npy: by one); the edges take at most four times the size of the file. */
BOSC_API bosc_status bosc_edges_read(const char *path, bosc_edges *edges, bosc_io_error *error);

/* As bosc_edges_read, with these columns of an edge list: both vertices, and a weight if edges have one.
 * columns: 2 or 3, as for bosc_points_read_columns: "u,v,length", "1,2"; NULL: chosen as by bosc_edges_read. */
BOSC_API bosc_status bosc_edges_read_columns(const char *path, const char *columns, bosc_edges *edges,
                                             bosc_io_error *error);

/* Reads an edge list whose vertices have names, any words without separators, quoted ones with them. Vertices are
 * numbered by the first appearance of their names, which are compared byte by byte: `1` and `1.0` are two. Two double
 * quotes in a name mean one.
 * The first line names columns if its first names are source and target, from and to, src and dst, or node1 and node2,
 * in any case, has three words (a weight is a number), or Source and Target among more columns. Else it is an edge.
 * columns: as those of bosc_edges_read_columns. names: n is the number of vertices.
 * Errors: as bosc_edges_read_columns; BOSC_ERR_FORMAT for other formats, and for an empty name.
 * Cost: O(bytes) work by one thread, and memory of the file, the edges, and the names with 16 bytes each or more. */
BOSC_API bosc_status bosc_edges_read_names(const char *path, const char *columns, bosc_edges *edges, bosc_names *names,
                                           bosc_io_error *error);

/* Reads names, one of each line of a text, as bosc_edges_read_names does. Equal names are not joined.
 * column: the name of a column, which the first line has, or a number from 1, where the first line is no header; NULL:
 * lines have one name each. Ignored lines are blank or begin with `#`.
 * Errors: BOSC_ERR_FORMAT for a missing or empty name or column, a zero byte, and, if column is NULL, several names.
 * Cost: O(bytes) work by one thread, and memory of the file and the names with 8 bytes each. */
BOSC_API bosc_status bosc_names_read(const char *path, const char *column, bosc_names *names, bosc_io_error *error);

/* Reads a slice of the edges, with columns as bosc_edges_read_columns: lines of about equal size in bytes; for METIS
 * about equal numbers of edges. The concatenated slices are the whole list. For ranks that share a file.
 * slice: rows: number of edges of the whole file, -1: not declared; begin: number of edges before the slice, -1:
 * unknown, for formats of lines.
 * edges: m: of the slice. n: of the whole graph; for an edge list the largest vertex of the slice + 1. dtype: required
 * by the weights of the slice. The whole graph has the largest n and the widest type of all slices.
 * Errors: as bosc_edges_read, and BOSC_ERR_ARG for a part that is not from 0 to parts - 1. Lines in messages are those
 * of the whole file. The caller must compare the total number of edges with the declared one.
 * Cost: only the beginning of the file and the slice are read; all of it if it is packed, a pipe, or METIS. */
BOSC_API bosc_status bosc_edges_read_slice(const char *path, const char *columns, bosc_slice *slice, bosc_edges *edges,
                                           bosc_io_error *error);

/* Writes edges as .gr ("-" too), .mtx (symmetric, the larger vertex first) or an edge list (.txt, .el, .snap, .tsv;
 * .csv with a line of names).
 *
 * Reals have at most 17 digits (f4: 9) and read back as the same number. Integers of 2^63 and more read back as reals;
 * an .mtx with one declares real weights. NULL weights are written as 1 in a .gr, as pattern in an .mtx, and omitted in
 * an edge list. An edge list does not record isolated vertices behind the last vertex with an edge.
 * Cost: O(m) work by all OpenMP threads; 256 KiB of memory per thread. */
BOSC_API bosc_status bosc_edges_write(const char *path, const bosc_edges *edges, bosc_io_error *error);

/* Reads a saved graph, recognised by its first bytes, or else edges as bosc_edges_read_columns does.
 * One of *graph and *edges is set on success. Waits. */
BOSC_API bosc_status bosc_graph_or_edges_read(bosc_ctx *ctx, const char *path, const char *columns, bosc_graph **graph,
                                              bosc_edges *edges, bosc_io_error *error);

/* ---- heights ---- */

/* Heights above a plane, row-major; row 0 is the northern one in geographic files. Heights from readers must be
 * freed with bosc_heights_free. */
typedef struct bosc_heights {
    int64_t width, height; /* number of columns and of rows; at least 1 */
    float *data;           /* finite, but NaN for kept voids; metres, or the file's unit if height_unit is 0 or NaN */
    double spacing;        /* metres between columns; 0: unknown */
    int64_t voids;         /* number of samples without a height in the file */
    double spacing_y;      /* metres between rows; 0: as `spacing` */
    int32_t degrees;       /* 1: the spacings were converted from degrees at this latitude */
    double latitude;       /* of the middle, if the spacings depend on it, in degrees; 0: unknown */
    int32_t source;        /* of the spacings: an enum bosc_heights_source */
    int32_t assumed;       /* bits of enum bosc_heights_assumed */
    double height_unit;    /* metres in the file's unit of heights, by which data were multiplied; negative: depths;
                            * 0: the file gives none; NaN: it gives one that is not known */
    double ground_scale;   /* metres on the ground in a metre of the map along the middle row, by which `spacing` was
                            * multiplied, and spacing_y by that along the middle column; 0: none, as the map's scale is
                            * within 1 % of 1 or unknown */
    double radius;         /* of the equator of the file's ellipsoid, in metres; 0: unknown */
    double edges[4];       /* west, south, east, north: outer edges of the cells in coordinates of the map; in degrees
                            * from Greenwich if `degrees` is 1; all 0: the place is unknown */
    char crs[32];          /* coordinate system of the map, and of heights: "EPSG:2263+6360"; "": unknown */
    char unit_name[32];    /* name of the unit of heights of the band, if it is not known; "": none */
} bosc_heights;

/* The source of the spacings. */
typedef enum bosc_heights_source {
    BOSC_HEIGHTS_NO_SPACING = 0,   /* none: the spacings are 0 */
    BOSC_HEIGHTS_OWN_SPACING = 1,  /* the raster: GeoTIFF's tags, .hgt, .asc */
    BOSC_HEIGHTS_WORLD_FILE = 2,   /* a world file or GDAL's .aux.xml beside the raster */
    BOSC_HEIGHTS_UNKNOWN_UNIT = 3, /* the raster or a world file, in a unit that is not known: the spacings are 0 */
    BOSC_HEIGHTS_NO_SIZE = 4       /* the raster, but its cells have no size or an infinite one: the spacings are 0 */
} bosc_heights_source;

/* Facts that a reader had to assume. */
enum bosc_heights_assumed {
    BOSC_HEIGHTS_ASSUMED_UNIT = 1,        /* metres, or degrees if `degrees` is 1 */
    BOSC_HEIGHTS_ASSUMED_LATITUDE = 2,    /* 0 */
    BOSC_HEIGHTS_ASSUMED_HEIGHT_UNIT = 4, /* that of the map, which is in feet */
    BOSC_HEIGHTS_ASSUMED_SCALE = 8,       /* distances on the map are those on the ground */
    BOSC_HEIGHTS_ASSUMED_PAGE = 16        /* the first one of the pages of a TIFF; the others were not read */
};

/* The meaning of samples, which is never guessed. The last two are for PNGs of 8-bit RGB, with or without alpha. */
typedef enum bosc_heights_encoding {
    BOSC_HEIGHTS_PLAIN = 0,       /* a sample is a height */
    BOSC_HEIGHTS_TERRAIN_RGB = 1, /* -10000 + 0.1 (65536 R + 256 G + B) */
    BOSC_HEIGHTS_TERRARIUM = 2    /* -32768 + 256 R + G + B / 256 */
} bosc_heights_encoding;

/* The treatment of samples without a height, called voids. */
typedef enum bosc_heights_voids {
    BOSC_HEIGHTS_FILL_VOIDS = 0,  /* filled from their borders inwards, as bosc_heights_fill does */
    BOSC_HEIGHTS_KEEP_VOIDS = 1,  /* NaN */
    BOSC_HEIGHTS_REFUSE_VOIDS = 2 /* BOSC_ERR_DATA, with the first one */
} bosc_heights_voids;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_heights_opts {
    size_t size;
    bosc_heights_encoding encoding;
    bosc_heights_voids voids;
    int32_t band; /* of a .tif or .png of several bands, from 1; 0: the only one, and files of several are refused */
    int32_t has_no_data; /* 1: samples equal to no_data have no height, as those with the file's own value */
    double no_data;      /* finite; compared as a float with the samples before their scale and offset */
} bosc_heights_opts;

/* Returns the reason why PROJ, which knows the coordinate systems of maps, is not usable: "Boscage was built without
 * PROJ", or that the library or its database is not found; "" if it is usable. Never NULL. The first call of a process
 * opens the library. A child of fork() must not use PROJ if another thread used it during the fork: PROJ's lock may
 * then stay closed. */
BOSC_API const char *bosc_proj_reason(void);

/* Frees the samples that a reader filled, and clears the struct. NULL is allowed. */
BOSC_API void bosc_heights_free(bosc_heights *heights);

/* Reads heights.
 *
 *   .png         grey of 8 or 16 bits, interlaced or not; a band of grey with alpha, or of RGB, by `band`; or an
 *                encoding in RGB
 *   .pgm         P2 and P5, of 8 or 16 bits
 *   .hgt         SRTM: big-endian int16 that cover one degree; -32768: no height. The size of the file gives the shape:
 *                a square, or 601 columns x 1201 rows, or 1801 x 3601. The name gives the place (N45E006.hgt), else the
 *                latitude is 0
 *   .asc         ESRI's ASCII grid: ncols, nrows, xllcorner or xllcenter, yllcorner or yllcenter, cellsize (or GDAL's
 *                dx and dy), NODATA_value (-9999 without it), in any case and order; then the rows from north to south,
 *                broken into lines anywhere. nan: no height. cellsize is the spacing, in the unit of a .prj as below
 *   .tif .tiff   one band of integers or floats of 8 to 64 bits, in strips or tiles, any lossless compression or
 *                LERC, also BigTIFF; the first page of several. GDAL's no-data value and NaN: no height; its scale and
 *                offset are applied. The place and the spacings come from GeoTIFF's pixel scale or transformation, tie
 *                points and keys; samples that a mask inside the file excludes have no height. Rows are returned from
 *                north to south, however they
 *                are stored. Rotated rasters are refused
 *   .npy         (height, width) of f4, f8, or integers of 8 to 64 bits; NaN: no height
 *
 * The spacings are those of the raster; if it gives none, of GDAL's relief.png.aux.xml beside relief.png, which also
 * has a no-data value, a scale, an offset and a unit; or of a world file beside it: relief.tfw, relief.tifw or
 * relief.wld for relief.tif, and relief.pgw for relief.png, in lower or upper case. The unit of a world file is that of
 * a .prj (relief.prj). Without one, degrees are assumed for cells of at most an arc minute within 360 degrees of
 * longitude and 90 of latitude, otherwise metres. `source` and `assumed` report this. A damaged file beside the raster
 * is BOSC_ERR_FORMAT.
 * A degree is 111,133 m between rows, or what the radius of another planet gives; between columns times the cosine of
 * the latitude of the raster's middle. Metres of a map are metres on the ground at the raster's middle, if they differ
 * by more than 1 %: of web Mercator at 60 degrees half as many. Units that a file leaves out are those of the EPSG
 * codes of its coordinate systems. Common codes are known; others require PROJ (bosc_proj_reason). If a code remains
 * unknown, `source` is BOSC_HEIGHTS_UNKNOWN_UNIT, `height_unit` is NaN, or `assumed` has BOSC_HEIGHTS_ASSUMED_SCALE.
 * Heights are converted to metres by GeoTIFF's keys, GDAL's unit of the band, or the system of heights. Without these,
 * heights over a map in feet are assumed to be in feet too. Samples that GDAL's mask beside the raster excludes,
 * relief.tif.msk, have no height. Voids by any of these are then filled as bosc_heights_fill does.
 * Errors: BOSC_ERR_DATA for a raster without heights, and for a height that is infinite or beyond a float. A file that
 * claims more samples than its bytes can hold is refused before memory is allocated.
 * Cost: O(samples) work; if there are voids to fill, 8 bytes of scratch per sample. */
BOSC_API bosc_status bosc_heights_read(const char *path, bosc_heights_encoding encoding, bosc_heights *heights,
                                       bosc_io_error *error);

/* The same with options. opts: NULL: all defaults.
 * Errors: BOSC_ERR_FORMAT for a band that the file lacks. */
BOSC_API bosc_status bosc_heights_read_opts(const char *path, const bosc_heights_opts *opts, bosc_heights *heights,
                                            bosc_io_error *error);

/* Fills voids, marked by NaN. A void becomes the mean of the nearest heights to its left, right, above and below,
 * weighted by the reciprocal distances. Voids with no height in these directions are filled from the filled ones in a
 * second round. Sets `voids` to the number of filled samples.
 * Errors: BOSC_ERR_DATA for a raster without heights or with infinite ones.
 * Cost: O(samples) work, 8 bytes of scratch per sample; without voids a pass over the samples. */
BOSC_API bosc_status bosc_heights_fill(bosc_heights *heights, bosc_io_error *error);

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_globe_opts {
    size_t size;
    const double *bounds; /* west, south, east, north: outer edges of cells in degrees; NULL: those of the heights */
    int32_t has_outside;  /* 1: heights outside the raster are `outside`; 0: a part of the globe is refused */
    double outside;       /* in metres, finite as a float */
    const char *name;     /* of the raster, for messages; NULL: "heights" */
    double *max_change;   /* set by bosc_heights_to_globe and bosc_heights_to_degrees if they resample: the largest
                           * difference of a sample of the raster from the heights interpolated between the new ones. At
                           * the border of a part of the globe these include `outside`, so steps to it count; samples
                           * outside the box of bosc_heights_to_degrees do not, and a box of one row or column
                           * leaves it as it is. NULL: not computed */
} bosc_globe_opts;

/* Makes heights cover the globe as bosc_planet_build expects: rows from the north pole, columns from longitude -180.
 *
 * Heights without a place are assumed to lie so, and stay. Columns that begin at another meridian, such as longitudes 0
 * to 360, are rotated. Other rasters are resampled, with data, width and height replaced: those with samples on the
 * poles or between the globe's cells, those of a part of the globe, and maps, which require PROJ except web Mercator
 * (bosc_proj_reason). Heights are then interpolated between samples, or means over larger cells. Cells have the size of
 * the raster's, but at least two arc minutes (10,800 x 5,400) if it covers a part of the globe or is a map.
 * heights: of a reader; changed on success. Its place becomes the globe's, and its spacings 0. Kept voids are moved by
 * a rotation, but not resampled: call bosc_heights_fill before. opts: NULL: all defaults.
 * Errors: BOSC_ERR_DATA for a raster that does not cover the globe, without `outside`, and for voids in one that is
 * resampled; BOSC_ERR_FORMAT for one whose place is unknown or not on a globe.
 * Cost: O(samples + samples of the globe) work; memory of the globe. */
BOSC_API bosc_status bosc_heights_to_globe(bosc_heights *heights, const bosc_globe_opts *opts, bosc_io_error *error);

/* Makes heights of a part of the globe lie in longitudes and latitudes at their own resolution, as
 * bosc_planet_add_inset expects them.
 *
 * Heights in degrees stay, with their longitudes shifted by whole turns. Maps are resampled by interpolation, in cells
 * of their size, over the box of longitudes and latitudes between their edges; PROJ is needed except for web Mercator.
 * heights: of a reader; changed on success. `edges` become the bounds in degrees (west in -360 to 180, east up to 360),
 *     and the spacings 0.
 * opts: as in bosc_heights_to_globe; `outside` is not used.
 * Errors: BOSC_ERR_FORMAT for a raster whose place is unknown or not on a globe, and for a map with no such box, as
 *     beside a pole; BOSC_ERR_DATA for voids in one that is resampled.
 * Cost: O(samples) work; memory of the part. */
BOSC_API bosc_status bosc_heights_to_degrees(bosc_heights *heights, const bosc_globe_opts *opts, bosc_io_error *error);

/* Computes the rotation for heights whose parts are read on demand (bosc_heights_file_describe).
 * shift: column j of the globe is column j + shift, modulo the width.
 * Errors: as bosc_heights_to_globe; BOSC_ERR_LIMIT for a raster that must be resampled. */
BOSC_API bosc_status bosc_heights_globe_shift(const bosc_heights *heights, const bosc_globe_opts *opts, int64_t *shift,
                                              bosc_io_error *error);

/* A file of heights whose parts are read on demand, for bosc_planet_build_tiles. */
typedef struct bosc_heights_file bosc_heights_file;

/* Opens heights for reading by parts: the formats of bosc_heights_read, except interlaced PNGs; .npy in either order.
 * file: set on success, to be closed by bosc_heights_file_close. width, height: set on success.
 * Errors: as bosc_heights_read for the header; BOSC_ERR_IO without space for a temporary file; BOSC_ERR_LIMIT for a
 * TIFF with a compressed strip or tile of more than 512 MiB; BOSC_ERR_DATA for a mask that excludes samples, also where
 * voids are kept.
 * Cost: O(1), for a TIFF O(strips and tiles), and one pass over a mask. .png, .asc and .pgm of text (P2) are unpacked
 * to an unnamed file in /var/tmp (or /tmp), 4 bytes per sample; an .asc is held in memory meanwhile. Packed files (.gz,
 * .zst), inputs other than regular files, and files below 1 MB are held in memory. A .tif whose bands are interleaved
 * is unpacked block by block, even if it is not compressed. */
BOSC_API bosc_status bosc_heights_file_open(const char *path, bosc_heights_encoding encoding, bosc_heights_file **file,
                                            int64_t *width, int64_t *height, bosc_io_error *error);

/* The same with options. opts: NULL: all defaults. Of parts no void is filled: BOSC_HEIGHTS_KEEP_VOIDS makes them NaN,
 * and with other values a part with a void fails. */
BOSC_API bosc_status bosc_heights_file_open_opts(const char *path, const bosc_heights_opts *opts,
                                                 bosc_heights_file **file, int64_t *width, int64_t *height,
                                                 bosc_io_error *error);

/* Closes the file. NULL is allowed. */
BOSC_API void bosc_heights_file_close(bosc_heights_file *file);

/* Writes the size, the place, the units and the spacings of the file's heights, with data NULL and voids 0. */
BOSC_API bosc_status bosc_heights_file_describe(const bosc_heights_file *file, bosc_heights *heights,
                                                bosc_io_error *error);

/* Reads a part as floats, as bosc_heights_read does: a bosc_planet_tile_fn of BOSC_F32, with the file as user.
 * values (rows x columns): from row `row` and column `column` on.
 * Returns 0; 1 on failure, with the reason in bosc_heights_file_message: a part outside the raster, a damaged or
 * shortened file, a height that is missing (unless it is kept) or infinite. One call at a time.
 * Cost: the bytes of the part. For a compressed TIFF the strips and tiles under the part are unpacked and cached: at
 * least 64 MiB, or enough for twice the rows of the part over the full width. Parts read from west to east, then from
 * north to south, unpack each about once. */
BOSC_API int bosc_heights_file_read(void *file, int64_t row, int64_t column, int64_t rows, int64_t columns,
                                    void *values);

/* Returns the reason of the last failed read, as the text of an error; "" after a success. Never NULL. */
BOSC_API const char *bosc_heights_file_message(const bosc_heights_file *file);

/* Writes heights: .npy ("-" too) as f4; .tif as floats, with the spacing; .png and .pgm as 16 bits, .hgt (a square of
 * at least 2 x 2, 601 x 1201 or 1801 x 3601) as int16; the last three rounded to the nearest integer, halves upwards.
 * Errors: BOSC_ERR_DATA for heights that do not fit the format.
 * Cost: O(samples) work; memory for the rounded samples, or for the whole .tif; none for a .npy. */
BOSC_API bosc_status bosc_heights_write(const char *path, const bosc_heights *heights, bosc_io_error *error);

/* ---- scenes ---- */

/* A robot and an obstacle in host memory. Scenes from readers must be freed with bosc_scene_free. */
typedef struct bosc_scene {
    bosc_plan_scene plan;     /* for bosc_plan_build; its arrays belong to this struct */
    double origin[3];         /* the robot's centre of rotation, in coordinates of the obstacle's file */
    int32_t has_from, has_to; /* 1: the file gives the first, or the last rotation */
    double from[4], to[4];    /* these rotations: w, x, y, z, of length 1 */
} bosc_scene;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_scene_opts {
    size_t size;
    int32_t level;           /* of sphere trees, from 1, which is the root; 0: the deepest */
    int32_t robot_convex;    /* 1: connected triangles bound convex solids; 0: surfaces without an inside */
    int32_t obstacle_convex; /* the same of the obstacle */
} bosc_scene_opts;

/* Frees the bodies that a reader filled, and clears the struct. NULL is allowed. */
BOSC_API void bosc_scene_free(bosc_scene *scene);

/* Reads a scene: a folder, or a file of Qt's data stream (.arr by custom).
 *
 *   folder   robot and obstacle, each with one of the endings .txt, .sph, .off, .obj, .ply, .stl, .glb;
 *            transform.txt is optional
 *   .txt     the number of vertices, their x, y, z, the number of triangles, and three vertices of each, from 0;
 *            normals of all corners may follow, and are skipped
 *   .sph     a sphere tree: number of levels and of children per node; then a line per node, level by level: x, y, z,
 *            radius, flag. The balls of one level are the body; balls of radius 0 or less are absent, also in an .arr
 *   others   meshes, as bosc_mesh_read has them
 *   .arr     objects of balls or triangles: rotating ones are the robot, the others the obstacle. The first and last
 *            rotations are the inverses of those given by its angles: heading about y, attitude about z, bank about
 *            x, in radians
 *
 * transform.txt has one or two 4 x 4 matrices, by rows: the robot's first and last placement. The robot rotates about
 * its own origin, so the obstacle is moved by the opposite of the first translation. The second matrix sets `to` only
 * if it has the same translation, since rotations cannot reach another.
 *
 * A convex solid is bounded by triangles connected by shared vertices. Edges that belong to one triangle by the numbers
 * of their vertices are joined to such edges of equal coordinates, in every format: an .stl and an .arr have no shared
 * vertices, and other files may have them split by face. Touching solids stay apart if each is closed by its own
 * vertices, or if the triangles of each are consecutive. Triangles with two corners of equal coordinates are left out.
 * Facets are oriented counterclockwise as seen from outside. bosc_plan_build checks that solids are convex.
 * opts: NULL: all defaults.
 * Errors: BOSC_ERR_DATA for infinities and NaN, for matrices other than rotations (to four digits), and for a solid
 * that is not closed, with an edge of it; BOSC_ERR_FORMAT for a scene without a robot or an obstacle, and for two files
 * of one body. Messages for an .arr give the byte offset. */
BOSC_API bosc_status bosc_scene_read(const char *path, const bosc_scene_opts *opts, bosc_scene *scene,
                                     bosc_io_error *error);

/* Reads a scene from two files, a robot and an obstacle, in the formats of bosc_scene_read's folders. */
BOSC_API bosc_status bosc_scene_read_bodies(const char *robot, const char *obstacle, const bosc_scene_opts *opts,
                                            bosc_scene *scene, bosc_io_error *error);

/* Writes robot.txt and obstacle.txt into an existing folder: triangles, and facets of convex solids as fans. Both files
 * appear, or none.
 * Errors: BOSC_ERR_ARG for balls, and for a body without triangles. */
BOSC_API bosc_status bosc_scene_write(const char *folder, const bosc_plan_scene *scene, bosc_io_error *error);

/* Reads rotations, (n, 4) f8: w, x, y, z per row, as text or .npy. bosc_route_write writes them.
 * Errors: BOSC_ERR_DATA for a row whose length is not 1 within a thousandth. */
BOSC_API bosc_status bosc_rotations_read(const char *path, bosc_array *rotations, bosc_io_error *error);

/* ---- meshes and pictures ---- */

/* Triangles with shared vertices, in the caller's memory. */
typedef struct bosc_mesh {
    int64_t vertices, triangles; /* at least 1 of each; fewer than 2^32 vertices */
    const float *positions;      /* x, y, z of each vertex, finite */
    const float *normals;        /* of unit length, or NULL */
    const uint32_t *indices;     /* three vertices of each triangle */
    int32_t map;                 /* 1: x is east, y south and z up, as on a map with the north in row 0 */
    const float *texture;        /* .glb: (vertices x 2) finite u, v of a picture, v down, 0 to 1 over it; or NULL */
    double origin[3];            /* .glb: added to every position by the node of the mesh; finite */
    const char *extras;          /* .glb: text of a JSON object, which becomes `asset.extras`; or NULL */
} bosc_mesh;

/* Writes a mesh as .glb (binary glTF 2.0; "-" too), .ply (binary, little-endian) or .obj.
 *
 * Numbers are those of the arrays; .obj has at most 9 digits, which read back as the same floats. A .glb has
 * right-handed axes with y up; the matrix of its node maps z, or the axes of a map, to these. The other formats have no
 * such matrix, so most viewers mirror a map, whose axes are left-handed. Only a .glb holds `texture`, `origin` and
 * `extras`; other formats leave them out.
 * Errors: BOSC_ERR_LIMIT for a .glb that would take 4 GiB.
 * Cost: O(vertices + triangles) work. */
BOSC_API bosc_status bosc_mesh_write(const char *path, const bosc_mesh *mesh, bosc_io_error *error);

/* Reads a mesh: vertices (n, 3) f8, and triangles (m, 3) u4 of vertex numbers.
 *
 *   .off   with any of the prefixes ST, C, N, in any order; ascii; a count may follow the keyword without a blank
 *   .obj   `v` and `f`, whose corners are v, v/vt, v//vn or v/vt/vn, from 1, or from the last vertex backwards
 *   .ply   vertex with x, y, z; face with a list vertex_indices or vertex_index; ascii or binary, of either byte order
 *   .stl   ascii or binary; every triangle has three vertices of its own
 *   .glb   glTF 2.0: all meshes of triangles in the scene, moved by their nodes, with z up: glTF's (x, y, z) become
 *          (x, -z, y). Positions are floats, or integers (KHR_mesh_quantization); accessors may be sparse; without
 *          skins, morph targets and other required extensions that move vertices
 *
 * Normals, colours and bytes behind the elements of a binary file are not read: they may be anything, NaN too.
 * A polygon of k corners becomes k - 2 triangles that cover it once: the fan around its first corner, or else clipped
 * ears, by exact tests. A hole may be joined to the outline by a double edge. Faces of one or two corners are skipped.
 * Errors: BOSC_ERR_DATA for a NaN, and for an infinite corner of a polygon; BOSC_ERR_FORMAT for a corner that is no
 * vertex, for a polygon that crosses itself as seen along its normal, and for a file without triangles; BOSC_ERR_LIMIT
 * for 2^32 vertices, and for a polygon of more than 16,384 corners that its fan does not cover.
 * Cost: one pass over the file; for a polygon that its fan does not cover O(k^2) work at most, less where its parts are
 * apart. Memory for the arrays, up to twice as much while they grow, and 24 bytes per polygon. */
BOSC_API bosc_status bosc_mesh_read(const char *path, bosc_array *vertices, bosc_array *triangles,
                                    bosc_io_error *error);

/* Writes an 8-bit RGB picture, rows from the top, as PNG.
 * Cost: O(width x height) work. */
BOSC_API bosc_status bosc_png_write(const char *path, const uint8_t *rgb, int32_t width, int32_t height,
                                    bosc_io_error *error);

/* Writes a mesh and a picture of it: both files appear, or neither. */
BOSC_API bosc_status bosc_mesh_and_png_write(const char *path, const bosc_mesh *mesh, const char *png_path,
                                             const uint8_t *rgb, int32_t width, int32_t height, bosc_io_error *error);

/* A robot that rotates about the origin, and an obstacle, in the caller's memory. Meshes have map 0; their `origin` and
 * `extras` are not used. */
typedef struct bosc_motion {
    bosc_mesh robot, obstacle;
    int64_t keys;
    const double *times;     /* (keys) seconds, from 0, strictly ascending even as floats */
    const double *rotations; /* (keys x 4) w, x, y, z of any length; interpolated by the shorter slerp */
} bosc_motion;

/* Writes a motion as .glb ("-" too): both meshes, and an animation of the robot's node, with z up.
 * Errors: as bosc_mesh_write.
 * Cost: O(vertices + triangles + keys) work; 20 bytes of memory per key. */
BOSC_API bosc_status bosc_motion_write(const char *path, const bosc_motion *motion, bosc_io_error *error);

/* A path of rotations, a picture and a motion. A NULL path omits the file. */
typedef struct bosc_route_files {
    const char *path;            /* .csv ("-" too), .tsv, .txt, or else .npy */
    const bosc_array *rotations; /* (n, 4) f8 */
    const char *png_path;
    const uint8_t *rgb;
    int32_t width, height;
    const char *motion_path;
    const bosc_motion *motion;
} bosc_route_files;

/* Writes the files: all appear, or none.
 * Errors: as bosc_arrays_write, bosc_png_write and bosc_motion_write. */
BOSC_API bosc_status bosc_route_write(const bosc_route_files *files, bosc_io_error *error);

BOSC_END_DECLS
#endif
