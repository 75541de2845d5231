/* The user's own defaults: options of a command in a file, one a line, without the dashes:
 *
 *     # comment
 *     theme light
 *     mouse
 *
 * in $XDG_CONFIG_HOME/tptui/config, ~/.config/tptui/config by default. */
#ifndef TPTUI_CLI_CONFIG_H
#define TPTUI_CLI_CONFIG_H

#include "cli/options.h"
#include "cli/text_file.h"

/* Sets the options that the file names, before those of the command line; options of other commands
 * are passed over where `others` has them. `kept` holds the values and is released when they are
 * not needed any more. Returns an exit status; a line that means nothing has been explained. */
int config_read(const struct option_table *table, const struct option_table *others, void *self,
                struct text_file *kept);

/* The same of a text, which is changed and lives as long as its values; `path` is for messages. */
int config_take(const struct option_table *table, const struct option_table *others, void *self,
                const char *path, char *text);

/* Where the value comes from that is being set, to stand before messages about it: "PATH:LINE: ",
 * or
 * "" for the command line. */
const char *config_place(void);

#endif
