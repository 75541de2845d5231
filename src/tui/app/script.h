/* Scripts: one key or command a line, for tests, pictures and automation.
 *
 *                                  :wait-shown         (of a large trace perhaps a part)
 *     # comment                    :wait-idle
 *     j                            :goto PLACE          (slice 4802; see place.h)
 *     Ctrl-p                       :expect TEXT        (somewhere on the screen)
 *     :type TEXT                   :expect-not TEXT
 *     :action NAME                 :expect-sql SQL VALUE
 *     :size WxH                    :screenshot FILE.txt|.svg|.roles|.colours
 */
#ifndef TPTUI_TUI_APP_SCRIPT_H
#define TPTUI_TUI_APP_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

struct app;

/* Runs the file, "-" for stdin. False where it failed, which stderr explains. */
bool app_script_run(struct app *a, const char *path);
/* Writes the screen as text, at a time (NULL: as it opens). False where there is no such, which
 * stderr explains. */
bool app_script_show(struct app *a, const char *at, FILE *out);

#endif
