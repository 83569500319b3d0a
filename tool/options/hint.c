/* What a mistyped name may have meant. */
#include <string.h>

#include "tool/tool.h"

enum { LONGEST = 32 };

/* Letters to put in, take away or replace to make `to` of `from`. Source: R. A. Wagner, M. J. Fischer, The
 * String-to-String Correction Problem, J. ACM 21 (1974); two neighbours exchanged count as one too. */
static int letters_between(const char *from, int length, const char *to, int to_length)
{
    int rows[3][LONGEST + 1];
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

int hint_find(const char *text, size_t length, const char *(*name)(const void *user, int i), const void *user,
              int count)
{
    int nearest = -1, fewest = length < 5 ? 2 : 3; /* fewer than these are a slip */
    if (length < 2 || length > LONGEST) return -1;
    for (int i = 0; i < count; i++) {
        size_t other = strlen(name(user, i));
        if (other < 2 || other > LONGEST) continue;
        int letters = letters_between(text, (int)length, name(user, i), (int)other);
        if (letters >= fewest) continue;
        fewest = letters;
        nearest = i;
    }
    return nearest;
}
