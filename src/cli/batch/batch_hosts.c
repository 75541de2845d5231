#include "cli/batch/batch_hosts.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/user_path.h"

enum { NOTE_BYTES = 64 };

char *hosts_path(const struct hosts *h, const char *name)
{
    size_t n = strlen(h->folder) + strlen(name) + 2;
    char *path = alloc_bytes(n);
    snprintf(path, n, "%s/%s", h->folder, name);
    return path;
}

static FILE *create(const struct hosts *h, const char *name)
{
    char *path = hosts_path(h, name);
    FILE *f = fopen(path, "we");
    free(path);
    return f;
}

void hosts_name(const struct hosts *h, const struct batch_task *t, const char *end,
                char name[HOSTS_NAME_BYTES])
{
    snprintf(name, HOSTS_NAME_BYTES, "%td%s", t - h->e.tasks->v.items, end);
}

static bool make_folder(const struct hosts *h, const char *name)
{
    char *path = hosts_path(h, name);
    bool made = mkdir(path, 0700) == 0;
    free(path);
    return made;
}

static bool link_to(const struct hosts *h, const char *name, const char *target)
{
    char *path = hosts_path(h, name);
    bool made = symlink(target, path) == 0;
    free(path);
    return made;
}

/* What a job runs; $1 is the task's number. It fails where another host may do better. */
static bool write_job(const struct hosts *h)
{
    const struct batch_settings *b = h->e.settings;
    FILE *f = create(h, HOSTS_JOB);
    if (!f)
        return false;
    fputs("umask 077\n"
          "n=$1 d=$1/kept XDG_CONFIG_HOME=$PWD/" HOSTS_SENT "/config\n"
          "export XDG_CONFIG_HOME\n"
          "rm -rf \"$d\" \"$n" HOSTS_ENDED "\"; mkdir -p \"$d\" \"$n" HOSTS_OUT "\" || exit 3\n"
          ": >\"$n" HOSTS_OUT "/rows\"; : >\"$n" HOSTS_OUT "/note\"\n"
          "if ! " HOSTS_SENT "/tptui --version >/dev/null 2>\"$n" HOSTS_OUT "/said\"; then\n"
          "  echo \"$(uname -n) cannot run this build of tptui: a static one (-Dstatic=true) for "
          "$(uname -m) runs anywhere\" >>\"$n" HOSTS_OUT "/said\"; exit 3\n"
          "fi\n",
          f);
    if (b->send)
        fputs("for t in \"$n\"/in/* \"$n\"/in/.[!.]* \"$n\"/in/..?*; do\n"
              "  [ -e \"$t\" ] && break\n"
              "done\n",
              f);
    else
        fputs("t=$(cat \"$n/in\" && echo x); t=${t%x}\n", f);
    if (b->jobs)
        fprintf(f, "j=%u\n", b->jobs);
    else
        fputs("j=$(nproc 2>/dev/null || echo 1)\n", f);
    fputs(HOSTS_SENT "/tptui batch --rows-only --jobs \"$j\" --resume \"$d\"", f);
    if (b->send) /* it is another file each time */
        fputs(" --no-cache", f);
    elsewhere_put_asked(&h->e, f);
    fputs(" -- \"$t\" </dev/null >/dev/null 2>\"$n" HOSTS_OUT "/said\" &\n"
          "echo $! >\"$n/pid\"; wait $!; s=$?; rm -f \"$n/pid\"\n"
          "[ $s -le 128 ] || exit $s\n"
          "cat \"$d\"/*.rows >\"$n" HOSTS_OUT "/rows\" 2>/dev/null\n"
          "cat \"$d\"/*.trace >\"$n" HOSTS_OUT "/note\" 2>/dev/null\n"
          "rm -rf \"$d\"; : >\"$n" HOSTS_ENDED "\"\n",
          f);
    return elsewhere_close(f);
}

/* The user's own rules and curves are the same on all hosts. */
static bool link_config(const struct hosts *h)
{
    static const char *const names[] = {"alerts", "wattson"};
    bool made = make_folder(h, HOSTS_SENT "/config") && make_folder(h, HOSTS_SENT "/config/tptui");
    for (size_t i = 0; i < sizeof names / sizeof *names && made; i++) {
        char path[PATH_MAX], name[HOSTS_NAME_BYTES];
        snprintf(name, sizeof name, HOSTS_SENT "/config/tptui/%s", names[i]);
        if (user_path(USER_CONFIG, names[i], path, sizeof path, false) && access(path, R_OK) == 0)
            made = link_to(h, name, path);
    }
    return made;
}

/* A path as all hosts read it: from the root on. For free(). */
static char *whole_path(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : alloc_copy(path, strlen(path));
}

/* The name under which a trace is sent. */
static const char *sent_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What the job reads: the trace under its own name, or where it lies. */
static bool write_input(const struct hosts *h, const struct batch_task *t, const char *path)
{
    char name[HOSTS_NAME_BYTES];
    if (!h->e.settings->send) {
        hosts_name(h, t, HOSTS_IN, name);
        FILE *f = create(h, name);
        if (f)
            fputs(path, f);
        return f && elsewhere_close(f);
    }
    hosts_name(h, t, HOSTS_IN, name);
    size_t size = strlen(name) + strlen(path) + 2;
    char *own = alloc_bytes(size);
    snprintf(own, size, "%s/%s", name, sent_name(path));
    bool made = make_folder(h, name) && link_to(h, own, path);
    free(own);
    return made;
}

static bool write_tasks(const struct hosts *h, size_t *count)
{
    char name[HOSTS_NAME_BYTES];
    struct batch_task **waiting = elsewhere_waiting(&h->e, count);
    FILE *list = create(h, HOSTS_LIST);
    bool written = list != NULL;
    for (size_t i = 0; i < *count && written; i++) {
        char *path = whole_path(waiting[i]->path);
        hosts_name(h, waiting[i], "", name);
        fprintf(list, "%s\n", name);
        written = make_folder(h, name) && write_input(h, waiting[i], path);
        free(path);
    }
    written = list && elsewhere_close(list) && written;
    free(waiting);
    return written;
}

static bool begin_sent(struct hosts *h)
{
    char *sent = hosts_path(h, HOSTS_SENT);
    h->e.sent = strlen(h->folder) + 1;
    bool begun = elsewhere_begin(&h->e, sent);
    free(sent);
    return begun;
}

bool hosts_prepare(struct hosts *h, size_t *count)
{
    const char *tmp = getenv("TMPDIR");
    if (!tmp || !*tmp)
        tmp = "/tmp";
    size_t size = strlen(tmp) + sizeof "/tptui-XXXXXX";
    h->folder = alloc_bytes(size);
    snprintf(h->folder, size, "%s/tptui-XXXXXX", tmp);
    if (!mkdtemp(h->folder)) {
        h->folder[0] = '\0';
        return false;
    }
    return make_folder(h, HOSTS_SENT) && begin_sent(h) &&
           link_to(h, HOSTS_SENT "/tptui", h->e.program) && link_config(h) && write_job(h) &&
           write_tasks(h, count);
}

char *hosts_said_in(const struct hosts *h, const char *name)
{
    char *path = hosts_path(h, name), text[BATCH_ERROR_MAX];
    FILE *f = fopen(path, "re");
    free(path);
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    struct str said = str_trim_lines((struct str){text, n});
    if (str_starts(said, STR("tptui: ")))
        said = str_skip(said, strlen("tptui: "));
    return said.n > 0 ? alloc_copy(said.p, said.n) : NULL;
}

/* What the program said there, of the trace by its name here. */
static char *said_of(const struct hosts *h, const struct batch_task *t)
{
    char name[HOSTS_NAME_BYTES], *path = whole_path(t->path), *there = NULL, *here = NULL;
    size_t size;
    hosts_name(h, t, HOSTS_OUT "/said", name);
    char *said = hosts_said_in(h, name);
    hosts_name(h, t, HOSTS_IN "/", name);
    bool sent = h->e.settings->send;
    FILE *f = open_memstream(&there, &size);
    if (f)
        fprintf(f, "%s%s", sent ? name : "", sent ? sent_name(path) : path);
    free(path);
    if (!f || fclose(f) != 0)
        alloc_fail();
    if (said && strncmp(said, there, size) == 0 && (f = open_memstream(&here, &size))) {
        fprintf(f, "%s%s", t->path, said + strlen(there));
        if (fclose(f) != 0)
            alloc_fail();
        free(said);
        said = here;
    }
    free(there);
    return said;
}

static uint64_t content_of(const struct hosts *h, const struct batch_task *t)
{
    char name[HOSTS_NAME_BYTES], note[NOTE_BYTES];
    hosts_name(h, t, HOSTS_OUT "/note", name);
    char *path = hosts_path(h, name);
    FILE *f = fopen(path, "re");
    free(path);
    size_t n = f ? fread(note, 1, sizeof note, f) : 0;
    if (f)
        fclose(f);
    return batch_kept_content((struct str){note, n});
}

bool hosts_has_ended(const struct hosts *h, const struct batch_task *t)
{
    char name[HOSTS_NAME_BYTES];
    hosts_name(h, t, HOSTS_ENDED, name);
    char *path = hosts_path(h, name);
    bool ended = access(path, F_OK) == 0;
    free(path);
    return ended;
}

void hosts_take_result(const struct batch_elsewhere *e, struct batch_task *t)
{
    const struct hosts *h = (const struct hosts *)e;
    char name[HOSTS_NAME_BYTES];
    hosts_name(h, t, HOSTS_ROWS, name);
    char *path = hosts_path(h, name);
    FILE *rows = fopen(path, "re");
    char *said = said_of(h, t);
    bool brought = rows && batch_kept_bring(t, h->e.settings, rows, content_of(h, t));
    if (brought)
        unlink(path); /* it takes room until it is added */
    free(path);
    if (brought) {
        t->warning = said;
        return;
    }
    if (rows)
        fclose(rows);
    if (said) {
        t->state = TASK_FAILED;
        t->error = said;
    }
}

static bool has_bytes(const struct hosts *h, const struct batch_task *t, const char *end)
{
    char name[HOSTS_NAME_BYTES];
    struct stat st;
    hosts_name(h, t, end, name);
    char *path = hosts_path(h, name);
    bool has = stat(path, &st) == 0 && st.st_size > 0;
    free(path);
    return has;
}

size_t hosts_list_lost(const struct hosts *h)
{
    size_t lost = 0;
    FILE *list = create(h, HOSTS_LIST);
    for (size_t i = 0; list && i < h->e.tasks->v.count; i++) {
        const struct batch_task *t = &h->e.tasks->v.items[i];
        if (t->state != TASK_WAITING || has_bytes(h, t, HOSTS_ROWS) ||
            has_bytes(h, t, HOSTS_OUT "/said"))
            continue;
        fprintf(list, "%zu\n", i);
        lost++;
    }
    return list && elsewhere_close(list) ? lost : 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    remove(path);
    return 0;
}

void hosts_remove(struct hosts *h)
{
    enum { FILES_OPEN = 16 };
    if (h->folder[0])
        nftw(h->folder, remove_one, FILES_OPEN, FTW_DEPTH | FTW_PHYS);
    free(h->e.folder);
    free(h->folder);
}
