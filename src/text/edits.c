#include "text/edits.h"

#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

int edits_between(const char *a, const char *b)
{
    int n = (int)strnlen(a, EDITS_MAX_LENGTH + 1), m = (int)strnlen(b, EDITS_MAX_LENGTH + 1);
    int rows[3][EDITS_MAX_LENGTH + 1];
    if (n > EDITS_MAX_LENGTH || m > EDITS_MAX_LENGTH)
        return EDITS_MAX_LENGTH;
    for (int j = 0; j <= m; j++)
        rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            int best = above[j - 1] + !same;
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]) && above2[j - 2] + 1 < best)
                best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

bool edits_are_slip(const char *wanted, int edits)
{
    int limit = (int)strnlen(wanted, EDITS_MAX_LENGTH) / 3;
    return edits > 0 && edits <= (limit > 1 ? limit : 1);
}
