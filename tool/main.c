/* boscage(1): one command a job. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tool/tool.h"

const struct command commands[] = {
    {.room = "info",
     .usage = "[OPTION...]",
     .summary = "Show version, backends, devices, threads and CPU level.",
     .example = "boscage info --json",
     .run = run_info},
    {.room = "generate",
     .verb = "points",
     .usage = "--n N --dim D [--kind KIND] [--dtype TYPE] -o P.npy",
     .summary = "Generate random points, the same on every machine and backend.",
     .example = "boscage generate points --n 1000000 --dim 3 --kind clustered --seed 7 -o points.npy",
     .required = {OPT_N, OPT_DIM, OPT_OUTPUT},
     .optional = {OPT_KIND, OPT_DTYPE},
     .arrays = true,
     .run = run_generate_points},
    {.room = "generate",
     .verb = "graph",
     .usage = "--n N [--kind KIND] [--m M] [--weights LO:HI] -o G",
     .summary = "Generate a graph, the same on every machine and backend.\n"
                "G is .gr, .mtx, an edge list (.txt, .el, .snap, .tsv) or a saved graph (.bosc); - is .gr.",
     .example = "boscage generate graph --kind rmat --n 1048576 --m 8388608 --seed 7 -o graph.gr",
     .required = {OPT_N, OPT_OUTPUT},
     .optional = {OPT_KIND, OPT_M, OPT_WEIGHTS},
     .run = run_generate_graph},
    {.room = "generate",
     .verb = "pairs",
     .usage = "--n N [--dtype u4|u8] -o K.npy V.npy",
     .summary =
         "Generate key-value pairs, the same on every machine and backend.\n"
         "K (n,) are random keys, all distinct: key i depends on the seed and i alone. V (n,) u4 are 0 to n - 1.",
     .example = "boscage generate pairs --n 1000000 --seed 7 -o keys.npy values.npy",
     .least = 1,
     .most = 1,
     .required = {OPT_N, OPT_OUTPUT},
     .optional = {OPT_DTYPE},
     .arrays = true,
     .run = run_generate_pairs},
    {.room = "generate",
     .verb = "vectors",
     .usage = "--n N --bits L -o V.npy",
     .summary =
         "Generate vectors of bits as cells of constraints have, the same on every machine and backend.\n"
         "V (n, bytes) u1 are packed, the most significant bit first. Every 64 vectors a walk begins anew; each of\n"
         "its steps changes one bit. Of two sizes the smaller is the beginning of the larger.",
     .example = "boscage generate vectors --n 1000000 --bits 256 --seed 7 -o vectors.npy",
     .required = {OPT_N, OPT_BITS, OPT_OUTPUT},
     .arrays = true,
     .run = run_generate_vectors},
    {.room = "generate",
     .verb = "heights",
     .usage = "--size N [--kind KIND] -o H.png",
     .summary = "Generate fractal relief, the same on every machine and backend.\n"
                "H has N x N samples: metres, 30 m apart. It is .npy or .tif (floats), or .png, .pgm or .hgt (rounded\n"
                "to 16 bits); - is .npy. Of two sizes the smaller is a corner of the larger.",
     .example = "boscage generate heights --size 1025 --seed 7 -o heights.png",
     .required = {OPT_SIZE, OPT_OUTPUT},
     .optional = {OPT_KIND},
     .run = run_generate_heights},
    {.room = "kdtree",
     .verb = "build",
     .usage = "P -o T.bosc [--builder auto|brown] [--unique]",
     .summary = "Build a balanced k-d tree of points and save it.",
     .example = "boscage kdtree build points.npy -o tree.bosc --builder brown --unique",
     .least = 1,
     .most = 1,
     .required = {OPT_OUTPUT},
     .optional = {OPT_BUILDER, OPT_UNIQUE},
     .run = run_kdtree_build},
    {.room = "kdtree",
     .verb = "verify",
     .usage = "T.bosc",
     .summary = "Check every node of a saved tree against all its ancestors, and the checksum.",
     .example = "boscage kdtree verify tree.bosc",
     .least = 1,
     .most = 1,
     .run = run_kdtree_verify},
    {.room = "kdtree",
     .verb = "knn",
     .usage = "P --queries Q -k K -o ids.npy [--distances d.npy] [--within R]",
     .summary = "Find the k nearest points of each query.\n"
                "ids (m, K) are rows of P, nearest first, ties by id; -1 and an infinite distance where there is none.",
     .example = "boscage kdtree knn tree.bosc --queries queries.npy -k 8 -o ids.npy --distances d.npy",
     .least = 1,
     .most = 1,
     .required = {OPT_QUERIES, OPT_K, OPT_OUTPUT},
     .optional = {OPT_DISTANCES, OPT_WITHIN},
     .arrays = true,
     .run = run_kdtree_knn},
    {.room = "kdtree",
     .verb = "radius",
     .usage = "P --queries Q -r R --offsets o.npy -o i.npy",
     .summary = "Find all points within a radius of each query.\n"
                "The ids of query q are i[o[q]] to i[o[q + 1] - 1], ascending.",
     .example = "boscage kdtree radius points.npy --queries queries.npy -r 0.05 --offsets o.npy -o i.npy",
     .least = 1,
     .most = 1,
     .required = {OPT_QUERIES, OPT_RADIUS, OPT_OFFSETS, OPT_OUTPUT},
     .arrays = true,
     .run = run_kdtree_radius},
    {.room = "mst",
     .usage = "G [-o T] [--algorithm auto|primitives] [--max] [--verify T.npy]",
     .summary = "Find the minimum spanning forest of a graph, or prove that T.npy is it.\n"
                "Each entry of G is an undirected edge; its id is its number, from 0. Ties are broken by the id.\n"
                "T is .npy (ids, ascending; so is -), .gr or .mtx.",
     .example = "boscage mst graph.gr -o forest.npy && boscage mst graph.gr --verify forest.npy",
     .least = 1,
     .most = 1,
     .optional = {OPT_OUTPUT, OPT_ALGORITHM, OPT_MAX, OPT_VERIFY},
     .run = run_mst},
    {.room = "components",
     .usage = "G -o labels.npy",
     .summary = "Label each vertex of a graph by the smallest vertex, from 0, of its connected component.",
     .example = "boscage components graph.mtx -o labels.npy",
     .least = 1,
     .most = 1,
     .required = {OPT_OUTPUT},
     .arrays = true,
     .run = run_components},
    {.room = "emst",
     .usage = "P -o edges.npy [--lengths w.npy]",
     .summary = "Find the Euclidean minimum spanning tree of points.\n"
                "edges (n - 1, 2) are pairs i < j of rows of P, ascending.",
     .example = "boscage emst points.npy -o edges.npy --lengths lengths.npy",
     .least = 1,
     .most = 1,
     .required = {OPT_OUTPUT},
     .optional = {OPT_LENGTHS},
     .arrays = true,
     .run = run_emst},
    {.room = "hash",
     .verb = "lookup",
     .usage = "--keys K.npy --values V.npy --queries Q.npy -o out.npy [--found f.npy]\n"
              "                           [--layout NAME] [--load F] [--duplicates NAME]",
     .summary = "Build a hash table of key-value pairs and look keys up.\n"
                "Keys are u4 or u8 (n,), values f4, f8 or integers of 8 to 64 bits (n,); out has the values' type, 0\n"
                "where a key is absent; found is u1, 1 or 0. Sums of integers wrap.",
     .example = "boscage hash lookup --keys keys.npy --values values.npy --queries keys.npy -o out.npy --load 0.95",
     .required = {OPT_KEYS, OPT_VALUES, OPT_QUERIES, OPT_OUTPUT},
     .optional = {OPT_FOUND, OPT_LAYOUT, OPT_LOAD, OPT_DUPLICATES},
     .arrays = true,
     .run = run_hash_lookup},
    {.room = "hash",
     .verb = "unique",
     .usage = "K.npy -o ids.npy [--keys-out U.npy]",
     .summary = "Number distinct keys by their first occurrence.\n"
                "ids (n,) i8 are such that U[ids] = K, where U are the distinct keys in the order of their first "
                "occurrence.",
     .example = "boscage hash unique keys.npy -o ids.npy --keys-out unique.npy",
     .least = 1,
     .most = 1,
     .required = {OPT_OUTPUT},
     .optional = {OPT_KEYS_OUT},
     .arrays = true,
     .run = run_hash_unique},
    {.room = "hash",
     .verb = "pairs",
     .usage = "P --radius R -o pairs.npy",
     .summary = "Find all pairs of points no farther apart than R, by voxel hashing.\n"
                "pairs (p, 2) i8 are rows i < j of P, ascending. Points have one to three coordinates.",
     .example = "boscage hash pairs points.npy --radius 0.01 -o pairs.npy",
     .least = 1,
     .most = 1,
     .required = {OPT_RADIUS, OPT_OUTPUT},
     .arrays = true,
     .run = run_hash_pairs},
    {.room = "hash",
     .verb = "match",
     .usage = "MODEL SCENE [--kind similarity|affine] [--near K] [--bases N] [--tries N]",
     .summary = "Find a model of 2-D points in a scene by geometric hashing.\n"
                "The transform (2 x 3, row-major) takes points of the model to the scene, which may have others and\n"
                "lack some. Exit code 1 where the model is not there.",
     .example = "boscage hash match model.csv scene.csv --json",
     .least = 2,
     .most = 2,
     .optional = {OPT_KIND, OPT_NEAR, OPT_BASES, OPT_TRIES},
     .run = run_hash_match},
    {.room = "cellgraph",
     .usage = "V [--bits L] [--method auto|heuristic|trie|zobrist|join] -o edges.npy",
     .summary = "Find all pairs of distinct vectors that differ in exactly one letter.\n"
                "V: lines of 0 and 1; bases (A, C, G, T), one sequence a line, a count behind it or not, or FASTA; or\n"
                ".npy u1 of packed bits, the most significant first, with --bits. edges (e, 2) i8 are rows i < j, the\n"
                "first ones of their vectors, ascending.",
     .example = "boscage cellgraph vectors.npy --bits 256 -o edges.npy --json",
     .least = 1,
     .most = 1,
     .required = {OPT_OUTPUT},
     .optional = {OPT_BITS, OPT_METHOD},
     .arrays = true,
     .run = run_cellgraph},
    {.room = "terrain",
     .usage = "H [--spacing S] [--error M | --triangles N | --camera x,y,z,yaw,pitch,fov] -o mesh.glb|ply|obj\n"
              "                       [--png view.png] [--view above|side] [--width N] [--encoding terrain-rgb]\n"
              "       boscage terrain H [--spacing S] [--fly PATH.csv] --frames N [--width N] -o DIR",
     .summary = "Make a conforming adaptive mesh of heights, or a flight over them.\n"
                "H is .png (8, 16 bits, or terrain-RGB), .pgm, .hgt, .tif or .npy. The mesh covers exactly [0, w-1] x\n"
                "[0, h-1] times S; z is up, y = row times S, and vertices are samples. Without a bound the error is a\n"
                "200th of the range of heights. A flight's frames go to DIR, with triangles and time of each.",
     .example = "boscage terrain heights.tif --error 2 -o mesh.glb --png view.png",
     .least = 1,
     .most = 1,
     .optional = {OPT_OUTPUT, OPT_SPACING, OPT_ERROR, OPT_TRIANGLES, OPT_CAMERA, OPT_PNG, OPT_VIEW, OPT_ENCODING,
                  OPT_FLY, OPT_FRAMES, OPT_WIDTH},
     .run = run_terrain},
    {.room = "bench",
     .usage = "[ROOM] [--size small|paper|large]",
     .summary = "Run the benchmarks of a room, or of all, against the peers that this build was given.\n"
                "ROOM is prims, io, kdtree, forest, hash, cellgraph, cbt, terrain or trie.",
     .example = "boscage bench kdtree --size paper",
     .most = 1,
     .optional = {OPT_SIZE},
     .run = run_bench},
    {.room = "demo",
     .usage = "[P] [-o DIR]",
     .summary = "Show every room at work, with figures and pictures in DIR (default demo).",
     .example = "boscage demo -o demo",
     .most = 1,
     .optional = {OPT_OUTPUT},
     .run = run_demo},
};
const int command_count = sizeof commands / sizeof commands[0];

/* The command that the first words name; NULL if none, or if they name only a room. */
static const struct command *find_command(const struct job *job)
{
    for (int i = 0; i < command_count; i++) {
        const struct command *c = &commands[i];
        if (job->word_count < (c->verb ? 2 : 1) || strcmp(job->words[0], c->room) != 0) continue;
        if (!c->verb || strcmp(job->words[1], c->verb) == 0) return c;
    }
    return NULL;
}

static const char *room_name(const void *user, int i)
{
    (void)user;
    return commands[i].room;
}

static const char *verb_of_room(const void *room, int i)
{
    return commands[i].verb && strcmp(commands[i].room, room) == 0 ? commands[i].verb : "";
}

static int refuse_words(const struct job *job)
{
    const char *room = job->words[0], *verb = job->words[1];
    bool known = false;
    if (job->word_count == 0) return say(EXIT_USAGE, "no command (see boscage --help)");
    for (int i = 0; i < command_count; i++) known = known || strcmp(room, commands[i].room) == 0;
    int hint = known ? -1 : hint_find(room, strlen(room), room_name, NULL, command_count);
    if (hint >= 0) return say(EXIT_USAGE, "%s: no such command; is it %s?", room, commands[hint].room);
    if (!known) return say(EXIT_USAGE, "%s: no such command (see boscage --help)", room);
    if (job->word_count == 1) return say(EXIT_USAGE, "%s: what of it? (see boscage %s --help)", room, room);
    hint = hint_find(verb, strlen(verb), verb_of_room, room, command_count);
    if (hint >= 0) return say(EXIT_USAGE, "%s %s: no such command; is it %s?", room, verb, commands[hint].verb);
    return say(EXIT_USAGE, "%s %s: no such command (see boscage %s --help)", room, verb, room);
}

/* Where a standard file is closed, no other may take its number: what is meant for it would go there. What takes it
 * cannot be read, or written to, so that using it fails as it should. */
static void hold_standard_files(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return;
}

int main(int argc, char **argv)
{
    struct job job = {0};
    hold_standard_files();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe and a file at its limit are failed writes */
    signal(SIGXFSZ, SIG_IGN);
    int code = options_read(&job, argc, argv);
    if (code) return code;
    job.command = find_command(&job);
    if (job.version || job.help) {
        if (job.version)
            printf("boscage %s\n", bosc_version());
        else
            help_print(&job);
        return job_close(&job, EXIT_DONE);
    }
    if (!job.command) return refuse_words(&job);
    int used = job.command->verb ? 2 : 1;
    job.operands = job.words + used;
    job.operand_count = job.word_count - used;
    code = options_check(&job);
    if (code) return code;
    return job_close(&job, job.command->run(&job));
}
