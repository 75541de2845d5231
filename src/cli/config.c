#include "cli/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own_file.h"
#include "base/standard_streams.h"
#include "base/user_path.h"
#include "base/whole_file.h"
#include "cli/command.h"

enum { PATH_BYTES = 4096, SIZE_MOST = 1 << 20 };

static const struct command_option *find_option(const struct option_table *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->options[i].name, name) == 0)
            return &t->options[i];
    return NULL;
}

/* Cuts blanks off both ends, in place. */
static char *trim(char *text)
{
    struct str s = str_trim(str_from(text));
    char *trimmed = text + (s.p - text);
    trimmed[s.n] = '\0';
    return trimmed;
}

static int set_line(const struct option_table *table, const struct option_table *others, void *self,
                    char *line)
{
    char *name = trim(line);
    if (*name == '\0' || *name == '#')
        return EXIT_DONE;
    char *value = name + strcspn(name, " \t");
    if (*value != '\0')
        *value++ = '\0';
    value = trim(value);
    const struct command_option *option = find_option(table, name);
    if (!option && find_option(others, name))
        return EXIT_DONE;
    const char *nearest = option ? NULL : options_nearest(table, name);
    if (nearest)
        return usage_error("there is no option %s: did you mean %s?", name, nearest);
    if (!option)
        return usage_error("there is no option %s", name);
    if ((option->value != NULL) != (*value != '\0'))
        return usage_error("%s takes %s value", name, option->value ? "a" : "no");
    return option_take(option, self, option->value ? value : NULL);
}

/* The line that is being read, for messages. */
static char place[PATH_BYTES + 32];

const char *config_place(void)
{
    return place;
}

/* What others may have written says nothing: it could name files that are read, and written. */
static struct status read_own(const char *path, struct text_file *out)
{
    char why[64];
    int fd;
    struct status s = whole_file_open(path, &fd);
    if (!status_ok(s))
        return s;
    if (!own_file_trusted(fd, path, why, sizeof why)) {
        close(fd);
        fprintf(standard_errors(), "tptui: %s: it is passed over, as %s\n", path, why);
        return s;
    }
    out->name = path;
    return whole_file_read(fd, path, SIZE_MOST, &out->text, &out->size);
}

int config_take(const struct option_table *table, const struct option_table *others, void *self,
                const char *path, char *text)
{
    int number = 1, status = EXIT_DONE;
    for (char *line = text; line && status == EXIT_DONE; number++) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        snprintf(place, sizeof place, "%s:%d: ", path, number);
        status = set_line(table, others, self, line);
        line = end ? end + 1 : NULL;
    }
    place[0] = '\0';
    return status;
}

int config_read(const struct option_table *table, const struct option_table *others, void *self,
                struct text_file *kept)
{
    char path[PATH_BYTES];
    *kept = (struct text_file){0};
    if (!user_path(USER_CONFIG, "config", path, sizeof path, false) || access(path, F_OK) != 0)
        return EXIT_DONE;
    struct status s = read_own(path, kept);
    if (!status_ok(s)) {
        int status = usage_error("%s", s.message);
        status_release(&s);
        return status;
    }
    return config_take(table, others, self, path, kept->text);
}
