/* Asks llvm-symbolizer, which knows all of DWARF: a process for each file with symbols. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/unnamed_file.h"
#include "base/vec.h"
#include "symbols/symbol_source.h"

/* Functions that were inlined into each other at one address; further ones are left out. */
enum { LINES_MAX = 256 };

/* The addresses, a line each, in a file without a name: a pipe could fill up while the process
 * waits for its answers to be read. */
static FILE *write_addresses(const uint64_t *addresses, size_t count)
{
    FILE *f = unnamed_file_stream();
    if (!f)
        return NULL;
    for (size_t i = 0; i < count; i++)
        fprintf(f, "0x%" PRIx64 "\n", addresses[i]);
    if (fflush(f) == 0 && lseek(fileno(f), 0, SEEK_SET) == 0)
        return f;
    fclose(f);
    return NULL;
}

static struct status start(const char *program, const char *file, int in, int out, pid_t *pid)
{
    size_t size = strlen(file) + sizeof "--obj=";
    char *object = alloc_bytes(size), *name = alloc_copy(program, strlen(program));
    snprintf(object, size, "--obj=%s", file);
    char demangle[] = "--demangle", inlines[] = "--inlines", style[] = "--output-style=LLVM";
    char *arguments[] = {name, object, demangle, inlines, style, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE); /* ignored here, which a process would inherit */
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawnp(pid, program, &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    free(object);
    free(name);
    return error == 0 ? status_ok_value()
                      : status_error(STATUS_IO, "%s: %s", program, strerror(error));
}

/* All that comes until the other end is closed. */
struct symbolizer_answer {
    VEC(char) v;
};

static void read_answer(int fd, struct symbolizer_answer *a)
{
    ssize_t n;
    do {
        vec_reserve(&a->v, a->v.count + (1 << 14));
        n = read(fd, a->v.items + a->v.count, 1 << 14);
        a->v.count += n > 0 ? (size_t)n : 0;
    } while (n > 0 || (n < 0 && errno == EINTR));
}

static struct status run(const char *program, const char *file, int in,
                         struct symbolizer_answer *answer)
{
    int ends[2], ended = 0;
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return status_error(STATUS_IO, "%s: %s", program, strerror(errno));
    struct status s = start(program, file, in, ends[1], &pid);
    close(ends[1]);
    if (status_ok(s)) {
        read_answer(ends[0], answer);
        while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
            continue;
        if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
            s = status_error(STATUS_IO, "%s: it ended badly with %s", program, file);
    }
    close(ends[0]);
    return s;
}

static struct str next_line(struct str *text)
{
    struct str line = {text->p, str_find(*text, '\n')};
    *text = str_skip(*text, line.n < text->n ? line.n + 1 : line.n);
    return line;
}

/* Takes the number behind the last colon off. */
static uint32_t take_number(struct str *s)
{
    uint64_t number = 0;
    const char *colon = s->n ? memrchr(s->p, ':', s->n) : NULL;
    if (!colon || !str_to_u64(str_skip(*s, (size_t)(colon + 1 - s->p)), 10, &number))
        return 0;
    s->n = (size_t)(colon - s->p);
    return number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* "??" stands for what is not known. */
static struct str known(struct str s)
{
    return str_eq(s, STR("??")) ? (struct str){s.p, 0} : s;
}

bool llvm_answer_take(struct str *text, struct symbol_line *line)
{
    struct str function = text->n > 0 ? next_line(text) : *text;
    if (function.n == 0)
        return false;
    *line = (struct symbol_line){.function = known(function), .file = next_line(text)};
    take_number(&line->file);
    line->line = take_number(&line->file);
    line->file = known(line->file);
    return true;
}

/* Returns how many lines of an answer have a function that is known. */
static size_t read_lines(struct str *text, struct symbol_line lines[LINES_MAX])
{
    size_t n = 0;
    for (struct symbol_line line; llvm_answer_take(text, &line);)
        if (line.function.n > 0 && n < LINES_MAX)
            lines[n++] = line;
    return n;
}

struct status llvm_symbolize(const char *program, const char *file, const uint64_t *addresses,
                             size_t count, symbol_found found, void *self)
{
    struct symbolizer_answer answer = {0};
    struct symbol_line lines[LINES_MAX];
    FILE *in = write_addresses(addresses, count);
    if (!in)
        return status_error(STATUS_IO, "%s: %s", program, strerror(errno));
    struct status s = run(program, file, fileno(in), &answer);
    fclose(in);
    struct str text = {answer.v.items, answer.v.count};
    for (size_t i = 0; i < count && status_ok(s) && text.n > 0; i++) {
        size_t n = read_lines(&text, lines);
        if (n > 0)
            found(self, i, lines, n);
    }
    vec_release(&answer.v);
    return s;
}
