/* Help of the tool, of a room and of commands; as a manual page and as completion scripts. */
#ifndef TOOL_HELP_HELP_H
#define TOOL_HELP_HELP_H

#include "tool/tool.h"

/* Prints the help of a command; without one, of a room that exists; without both, of the tool. */
void help_print(const struct job *job, const struct command *command, const char *room);

void help_print_man(const struct job *job);
void help_print_completion(const struct job *job, int shell); /* 0: bash, 1: zsh, 2: fish */

/* ---- texts that all forms of help share, besides the commands and options ---- */

#define HELP_ABOUT "massively parallel data structures, built in real time"

/* Contents of files and their endings. names: the words for such files in usages. NULL ends the list. */
struct help_file {
    const char *what, *text, *names;
};
static const struct help_file help_files[] = {
    {"Arrays", ".npy; written as text where the name ends in .csv, .tsv or .txt", ".npy"},
    {"Points", ".npy, .csv, .tsv, .txt, .xyz, .off, .ply, .pcd, .obj, .glb, or a saved tree (.bosc)", " P MODEL "},
    {"Graphs",
     ".gr (DIMACS), .mtx (Matrix Market), .txt, .el, .snap, .tsv, .csv (edge lists), .graph, .metis, .npy "
     "(pairs), or a saved graph (.bosc)",
     " G "},
    {"Vectors", "text of 0 and 1, of bases or of amino acids, FASTA, FASTQ, or .npy of packed bits", " V "},
    {"Reads", "FASTA, FASTQ, or lines of bases or of amino acids, which a count may follow", " READS "},
    {"Heights", ".png, .pgm, .hgt, .asc, .tif, .npy", " H "},
    {"Meshes", ".glb, .ply, .obj, as outputs", " mesh.glb "},
    {"Meshes", ".off, .obj, .ply, .stl, .glb, as inputs", " A "},
    {"Scenes", "a folder, or .arr; robot and obstacle as .txt, .sph, .off, .obj, .ply, .stl or .glb", " ROBOT "},
    {"-", "standard input or output", " - "},
    {".gz, .bgz, .zst", "behind any of these endings: packed by gzip or zstd", ""},
    {0},
};

/* Exit codes, from 0. */
static const char *const help_codes[] = {"done", "failed: bad data, no memory, input or output", "usage",
                                         "no such backend or device"};
enum { HELP_CODES = sizeof help_codes / sizeof *help_codes };

#endif
