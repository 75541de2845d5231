/* Reals as text, digit by digit from their exact decimal value. SQLite 3.40 scales them in floating
 * point, which turns 4294967295 with 9 digits into 4.29496729e+09; its later versions, which
 * queries are written for, round as here. */
#ifndef TPTUI_SQL_VALUES_REAL_TEXT_H
#define TPTUI_SQL_VALUES_REAL_TEXT_H

#include <sqlite3.h>
#include <stdbool.h>

/* A conversion of printf: %[flags][width][.precision]letter. `exact` is SQLite's flag '!'. */
struct printf_conversion {
    bool left, plus, space, zero, alternate, exact, comma;
    int width, precision; /* precision -1: not given */
    char letter;
};

/* Appends a real by a conversion f, e, E, g or G. */
void real_append(sqlite3_str *out, double v, const struct printf_conversion *c);

/* A real as CAST(x AS TEXT) writes it, for sqlite3_free. */
char *real_text(double v);

#endif
