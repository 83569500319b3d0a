/* The names of the shapes of generated data, in the order of their enumerators: the only list of them, for the tool and
 * its benchmark programs. The parameters of a list are macros for its first name, for the names between, and for the
 * last. */
#ifndef TOOL_OPTIONS_SHAPES_H
#define TOOL_OPTIONS_SHAPES_H

/* enum bosc_random_points_kind */
#define POINT_SHAPES(FIRST, NEXT, LAST) \
    FIRST("uniform")                    \
    NEXT("normal")                      \
    NEXT("clustered")                   \
    NEXT("sphere")                      \
    NEXT("mixture")                     \
    NEXT("plane")                       \
    NEXT("line")                        \
    NEXT("lidar")                       \
    NEXT("lattice")                     \
    LAST("half-equal")

/* enum bosc_graph_kind */
#define GRAPH_SHAPES(FIRST, NEXT, LAST) \
    FIRST("random")                     \
    NEXT("rmat")                        \
    NEXT("ssca2")                       \
    NEXT("grid")                        \
    NEXT("road")                        \
    NEXT("geometric")                   \
    NEXT("star")                        \
    NEXT("path")                        \
    NEXT("hubs")                        \
    NEXT("bipartite")                   \
    NEXT("trees")                       \
    LAST("equal")

/* enum bosc_random_keys_kind */
#define KEY_SHAPES(FIRST, NEXT, LAST) \
    FIRST("distinct")                 \
    NEXT("sequential")                \
    NEXT("multiples")                 \
    NEXT("zipf")                      \
    LAST("equal")

/* Vectors of a scene (bench/harness/scene.h), and words (bench/harness/shapes.h). */
#define SCENE_SHAPES(FIRST, NEXT, LAST) FIRST("screws") NEXT("random") LAST("pairs")
#define WORD_SHAPES(FIRST, NEXT, LAST) FIRST("words-4") NEXT("words-20") LAST("dna-12")

#define SHAPE_ALONE(name) name
#define SHAPE_WITH_COMMA(name) name,
#define SHAPE_BEHIND_COMMA(name) ", " name
#define SHAPE_BEHIND_OR(name) " or " name
#define SHAPE_LEFT_OUT(name)

/* Elements of an array: all, or all but the last; and a text, "a, b or c". */
#define SHAPE_LIST(shapes) shapes(SHAPE_WITH_COMMA, SHAPE_WITH_COMMA, SHAPE_ALONE)
#define SHAPE_LIST_BUT_LAST(shapes) shapes(SHAPE_WITH_COMMA, SHAPE_WITH_COMMA, SHAPE_LEFT_OUT)
#define SHAPE_TEXT(shapes) shapes(SHAPE_ALONE, SHAPE_BEHIND_COMMA, SHAPE_BEHIND_OR)

#endif
