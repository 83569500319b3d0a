/* What all forms of help say, beside the commands and options themselves. */
#ifndef TOOL_HELP_H
#define TOOL_HELP_H

#define HELP_ABOUT "massively parallel data structures, built in real time"

/* What files hold, and the endings that say so. NULL ends the list. */
struct help_file {
    const char *what, *text;
};
static const struct help_file help_files[] = {
    {"Arrays", ".npy; written as text where the name ends in .csv, .tsv or .txt"},
    {"Points", ".npy, .csv, .tsv, .txt, .xyz, .off, .ply, .obj, or a saved tree (.bosc)"},
    {"Graphs",
     ".gr (DIMACS), .mtx (Matrix Market), .txt, .el, .snap, .tsv, .csv (edge lists), .graph, .metis, or a saved "
     "graph (.bosc)"},
    {"Vectors", "text of 0 and 1 or of bases, FASTA, or .npy of packed bits"},
    {"Heights", ".png, .pgm, .hgt, .tif, .npy"},
    {"Meshes", ".glb, .ply, .obj"},
    {"-", "standard input or output"},
    {".gz", "behind any of these endings: packed by gzip"},
    {0},
};

/* Exit codes, from 0. */
static const char *const help_codes[] = {"done", "failed: bad data, no memory, input or output", "usage",
                                         "no such backend or device"};
enum { HELP_CODES = sizeof help_codes / sizeof *help_codes };

#endif
