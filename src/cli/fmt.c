/* tptui fmt FILE: SQL in the published style. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/standard_streams.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/text_file.h"
#include "fmt/format.h"

struct fmt_settings {
    VEC(const char *) paths;
    bool write, check;
};

static const struct command_option options[] = {
    {.name = "write",
     .letter = 'w',
     .help = "change the files themselves",
     OPTION_INTO(struct fmt_settings, write)},
    {.name = "check",
     .help = "print only the names of files that would change; exit status 1 if there are any",
     OPTION_INTO(struct fmt_settings, check)},
};

static const struct option_table fmt_options = {"fmt", options, sizeof options / sizeof *options};

static int add_path(void *self, const char *path)
{
    *vec_push(&((struct fmt_settings *)self)->paths) = path;
    return EXIT_DONE;
}

static int complain(const char *path, const char *what)
{
    fprintf(standard_errors(), "tptui: %s: %s\n", path, what);
    return EXIT_USAGE;
}

/* Room for `n` bytes before the first is written: a full disk leaves what was there. Returns an
 * errno. */
static int make_room(int fd, size_t before, size_t n)
{
    int error = n > before ? posix_fallocate(fd, 0, (off_t)n) : 0;
    if (error && ftruncate(fd, (off_t)before) != 0)
        error = errno;
    return error;
}

/* Into the file that is there, which keeps its owner and rights. */
static int write_back(const struct text_file *file, const char *text)
{
    FILE *f = fopen(file->name, "r+e");
    size_t n = strlen(text);
    if (!f)
        return complain(file->name, strerror(errno));
    errno = make_room(fileno(f), file->size, n);
    bool written = errno == 0 && fwrite(text, 1, n, f) == n && fflush(f) == 0 &&
                   ftruncate(fileno(f), (off_t)n) == 0;
    int error = errno;
    written = fclose(f) == 0 && written;
    return written ? EXIT_DONE : complain(file->name, strerror(error));
}

static int deliver(const struct fmt_settings *s, const struct text_file *file, const char *text)
{
    bool same = strlen(text) == file->size && memcmp(text, file->text, file->size) == 0;
    if (s->check) {
        if (!same)
            fprintf(standard_output(), "%s\n", file->name);
        return same ? EXIT_DONE : EXIT_SQL;
    }
    if (s->write)
        return same ? EXIT_DONE : write_back(file, text);
    fputs(text, standard_output());
    return EXIT_DONE;
}

static int format_file(const struct fmt_settings *s, const char *path)
{
    struct text_file file = {0};
    char *text = NULL;
    int exit_status = EXIT_DONE;
    struct status status = text_file_read(path, &file);
    if (!status_ok(status)) {
        exit_status = usage_error("%s", status.message);
    } else {
        status = sql_format(file.name, text_file_str(&file), &text);
        if (!status_ok(status)) {
            fprintf(standard_errors(), "tptui: %s\n", status.message);
            exit_status = EXIT_SQL;
        }
    }
    if (text)
        exit_status = deliver(s, &file, text);
    status_release(&status);
    text_file_release(&file);
    free(text);
    return exit_status;
}

static int fmt_command(int argc, char **argv)
{
    struct fmt_settings s = {0};
    int exit_status = options_parse(&fmt_options, &s, add_path, argc, argv);
    if (exit_status == EXIT_DONE && s.paths.count == 0)
        exit_status = usage_error("fmt needs files; - is stdin");
    for (size_t i = 0; exit_status != EXIT_USAGE && i < s.paths.count; i++) {
        int one = format_file(&s, s.paths.items[i]);
        exit_status = one > exit_status ? one : exit_status;
    }
    vec_release(&s.paths);
    return exit_status;
}

const struct command fmt_cmd = {
    .name = "fmt",
    .usage = "FILE ...\0print SQL in the published style\0",
    .options = &fmt_options,
    .run = fmt_command,
};
