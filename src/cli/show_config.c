/* tptui config: the user's configuration as a file to begin from, with all options and keys. */
#include <stdio.h>
#include <stdlib.h>

#include "base/standard_streams.h"
#include "base/user_path.h"
#include "cli/command.h"
#include "cli/config.h"
#include "tui/app/app.h"
#include "tui/app/bindings.h"

static int add_word(void *self, const char *word)
{
    (void)self;
    return usage_error("config takes no %s", word);
}

static void print_config(const struct tui_options *o)
{
    char path[4096];
    if (user_path(USER_CONFIG, "config", path, sizeof path, false))
        fprintf(standard_output(), "# %s\n#\n", path);
    fputs("# Options of the timeline that always hold, one a line without the dashes. What stands\n"
          "# here with a # holds already, or is an option that is not set.\n",
          standard_output());
    for (size_t i = 0; i < view_options.count; i++) {
        const struct command_option *option = &view_options.options[i];
        fprintf(standard_output(), "\n# %s\n#%s%s%s\n", option->help, option->name,
                option->value ? " " : "", option->value ? option->value : "");
    }
    char *keys = bindings_print(o->bindings);
    fputs(keys, standard_output());
    free(keys);
}

static const struct option_table config_options = {"config", NULL, 0};

static int config_command(int argc, char **argv)
{
    struct tui_options o = {0};
    struct text_file kept;
    int status = options_parse(&config_options, NULL, add_word, argc, argv);
    if (status != EXIT_DONE)
        return status;
    status = config_read(&view_options, &view_options, &o, &kept);
    if (status == EXIT_DONE)
        status = view_check(&o);
    print_config(&o); /* what can be written is worth most where something else was */
    text_file_release(&kept);
    return status;
}

const struct command config_cmd = {
    .name = "config",
    .usage = "\0a configuration to begin from: options, actions and their keys\0",
    .options = &config_options,
    .run = config_command,
};
