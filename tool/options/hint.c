#include "tool/options/hint.h"

#include <string.h>

#include "tool/tool.h"

enum { LENGTH_MAX = 32 };

/* Edit distance: insertions, deletions, replacements, and exchanges of two neighbours. Source: R. A. Wagner, M. J.
 * Fischer, The String-to-String Correction Problem, J. ACM 21 (1974), extended by exchanges. Three rows of the table
 * are kept. */
static int edit_distance(const char *from, int length, const char *to, int to_length)
{
    int rows[3][LENGTH_MAX + 1];
    for (int j = 0; j <= to_length; j++) rows[0][j] = j;
    for (int i = 1; i <= length; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= to_length; j++) {
            int best = above[j - 1] + (from[i - 1] != to[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool exchanged = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if (exchanged && second[j - 2] + 1 < best) best = second[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[length % 3][to_length];
}

int find_similar_name(const char *text, size_t length, const char *(*name)(const void *user, int i), const void *user,
                      int count)
{
    int nearest = -1, least = length < 5 ? 2 : 3; /* a distance below this counts as a typing error; chosen */
    if (length < 2 || length > LENGTH_MAX) return -1;
    for (int i = 0; i < count; i++) {
        size_t other = strlen(name(user, i));
        if (other < 2 || other > LENGTH_MAX) continue;
        int distance = edit_distance(text, (int)length, name(user, i), (int)other);
        if (distance >= least) continue;
        least = distance;
        nearest = i;
    }
    return nearest;
}
