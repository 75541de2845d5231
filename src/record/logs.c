/* The kernel's log, from /dev/kmsg, and the journal, from what journalctl prints. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/byte_list.h"
#include "parsers/input/bytes.h"
#include "pb_fields.h"
#include "record/source.h"

enum { SEQUENCE = FIRST_SOURCE_SEQUENCE + 2, LINE_BYTES = 8192, POLL_MS = 200 };

struct logs {
    int kernel;        /* /dev/kmsg; -1: none */
    pid_t journal_pid; /* 0: none */
    int journal;       /* what it prints */
    struct pb_bytes line;
    struct byte_list text; /* of the journal, not handled yet */
};

static void put_line(struct recorder *r, struct logs *l, uint64_t ts)
{
    record_put(r, &(struct record_packet){.sequence = SEQUENCE,
                                          .field = PB_TracePacket_journald_event,
                                          .ts = ts,
                                          .message = &l->line});
}

static uint64_t boot_from_monotonic(uint64_t us)
{
    struct timespec mono;
    uint64_t boot = record_now();
    clock_gettime(CLOCK_MONOTONIC, &mono);
    uint64_t now = (uint64_t)mono.tv_sec * UINT64_C(1000000000) + (uint64_t)mono.tv_nsec;
    return boot - now + us * 1000;
}

/* "6,339,5140900,-;text of the line\n KEY=value": level, number, us of CLOCK_MONOTONIC, flags. */
static void take_kernel_line(struct recorder *r, struct logs *l, struct str text)
{
    size_t semicolon = str_find(text, ';');
    struct str head = str_from_to(text, 0, semicolon), message = str_behind(text, semicolon);
    uint64_t level = 0, us = 0;
    str_to_u64(str_cut(&head, ','), 10, &level);
    str_cut(&head, ',');
    str_to_u64(str_cut(&head, ','), 10, &us);
    l->line.v.count = 0;
    pb_put_uint(&l->line, PB_SystemdJournaldEvent_prio, level & 7); /* above: the facility */
    pb_put_str(&l->line, PB_SystemdJournaldEvent_tag, STR("kernel"));
    pb_put_str(&l->line, PB_SystemdJournaldEvent_message, str_cut(&message, '\n'));
    pb_put_str(&l->line, PB_SystemdJournaldEvent_transport, STR("kernel"));
    put_line(r, l, boot_from_monotonic(us));
}

static void poll_kernel(struct recorder *r, struct logs *l)
{
    char line[LINE_BYTES];
    for (;;) {
        ssize_t n = read(l->kernel, line, sizeof line);
        if (n > 0)
            take_kernel_line(r, l, (struct str){line, (size_t)n});
        else if (n == 0 || errno != EPIPE) /* EPIPE: lines were overwritten before */
            return;
    }
}

/* Fields of the journal that have a field in the message. */
static const struct {
    struct str name;
    uint32_t field;
    bool is_number;
} journal_fields[] = {
    {{"_PID", 4}, PB_SystemdJournaldEvent_pid, true},
    {{"TID", 3}, PB_SystemdJournaldEvent_tid, true},
    {{"_UID", 4}, PB_SystemdJournaldEvent_uid, true},
    {{"_GID", 4}, PB_SystemdJournaldEvent_gid, true},
    {{"PRIORITY", 8}, PB_SystemdJournaldEvent_prio, true},
    {{"SYSLOG_IDENTIFIER", 17}, PB_SystemdJournaldEvent_tag, false},
    {{"MESSAGE", 7}, PB_SystemdJournaldEvent_message, false},
    {{"_COMM", 5}, PB_SystemdJournaldEvent_comm, false},
    {{"_EXE", 4}, PB_SystemdJournaldEvent_exe, false},
    {{"_SYSTEMD_UNIT", 13}, PB_SystemdJournaldEvent_systemd_unit, false},
    {{"_HOSTNAME", 9}, PB_SystemdJournaldEvent_hostname, false},
    {{"_TRANSPORT", 10}, PB_SystemdJournaldEvent_transport, false},
};

static void take_journal_field(struct logs *l, struct str name, struct str value, uint64_t *us)
{
    uint64_t v;
    if (str_eq(name, STR("__MONOTONIC_TIMESTAMP")))
        str_to_u64(value, 10, us);
    for (size_t i = 0; i < sizeof journal_fields / sizeof *journal_fields; i++) {
        if (!str_eq(journal_fields[i].name, name))
            continue;
        if (!journal_fields[i].is_number)
            pb_put_str(&l->line, journal_fields[i].field, value);
        else if (str_to_u64(value, 10, &v) && v <= UINT32_MAX)
            pb_put_uint(&l->line, journal_fields[i].field, v);
    }
}

/* A field "NAME=value\n", or "NAME\n", 8 bytes of length, the value and "\n". Returns how long it
 * is; 0: not all of it is there. */
static size_t next_field(struct str text, struct str *name, struct str *value)
{
    size_t line = str_find(text, '\n');
    if (line == text.n)
        return 0;
    size_t equals = str_find(str_from_to(text, 0, line), '=');
    *name = str_from_to(text, 0, equals);
    *value = str_behind(str_from_to(text, 0, line), equals);
    if (equals < line || line == 0)
        return line + 1;
    uint64_t n;
    if (text.n - line - 1 < sizeof n)
        return 0;
    n = load_le64((const uint8_t *)text.p + line + 1);
    size_t from = line + 1 + sizeof n;
    if (n >= text.n - from)
        return 0;
    *value = str_from_to(text, from, from + (size_t)n);
    return from + (size_t)n + 1;
}

/* One entry in front of the text, which an empty line ends; 0: not all of it is there. */
static size_t take_journal_entry(struct recorder *r, struct logs *l, struct str text)
{
    struct str name, value;
    uint64_t us = 0;
    size_t at = 0, n;
    l->line.v.count = 0;
    while ((n = next_field(str_skip(text, at), &name, &value)) > 0) {
        at += n;
        if (name.n > 0) {
            take_journal_field(l, name, value, &us);
            continue;
        }
        if (us > 0)
            put_line(r, l, boot_from_monotonic(us));
        return at;
    }
    return 0;
}

static void poll_journal(struct recorder *r, struct logs *l)
{
    ssize_t n;
    do {
        vec_reserve(&l->text.v, l->text.v.count + LINE_BYTES);
        n = read(l->journal, l->text.v.items + l->text.v.count, LINE_BYTES);
        l->text.v.count += n > 0 ? (size_t)n : 0;
    } while (n > 0);
    size_t at = 0, taken;
    struct str text = {(const char *)l->text.v.items, l->text.v.count};
    while ((taken = take_journal_entry(r, l, str_skip(text, at))) > 0)
        at += taken;
    if (at > 0)
        memmove(l->text.v.items, l->text.v.items + at, l->text.v.count - at);
    l->text.v.count -= at;
}

static void poll_logs(struct recorder *r, void *state)
{
    struct logs *l = state;
    if (l->kernel >= 0)
        poll_kernel(r, l);
    if (l->journal_pid)
        poll_journal(r, l);
}
static _Noreturn void run_journalctl(int out)
{
    char *words[] = {"journalctl",      "--follow", "--lines=0", "--quiet",
                     "--output=export", "--boot",   NULL};
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(null, STDERR_FILENO);
    dup2(out, STDOUT_FILENO);
    execvp(words[0], words);
    _exit(1);
}

static void begin_journal(struct logs *l)
{
    int ends[2];
    if (access("/run/systemd/journal", F_OK) != 0 || pipe2(ends, O_CLOEXEC) != 0)
        return; /* nobody writes one */
    l->journal_pid = fork();
    if (l->journal_pid == 0)
        run_journalctl(ends[1]);
    close(ends[1]);
    l->journal = ends[0];
    fcntl(l->journal, F_SETFL, O_NONBLOCK);
    if (l->journal_pid > 0)
        return;
    l->journal_pid = 0;
    close(ends[0]);
}

static struct status begin(struct recorder *r, void **state)
{
    (void)r;
    struct logs *l = alloc_array(1, sizeof *l);
    l->kernel = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int error = errno;
    if (l->kernel >= 0)
        lseek(l->kernel, 0, SEEK_END); /* what is logged from now on */
    begin_journal(l);
    *state = l;
    if (l->kernel >= 0 || l->journal_pid)
        return status_ok_value();
    free(l);
    return status_error(STATUS_IO, "/dev/kmsg: %s (it wants root or CAP_SYSLOG)", strerror(error));
}

static void end(struct recorder *r, void *state)
{
    struct logs *l = state;
    poll_logs(r, l);
    if (l->kernel >= 0)
        close(l->kernel);
    if (l->journal_pid) {
        kill(l->journal_pid, SIGTERM);
        waitpid(l->journal_pid, NULL, 0);
        close(l->journal);
    }
    pb_bytes_release(&l->line);
    vec_release(&l->text.v);
    free(l);
}

const struct record_source record_logs = {
    .name = "logs",
    .about = "the kernel's log and the journal",
    .usual = true,
    .needs = "root, or CAP_SYSLOG; for the journal its group",
    .data_source = "linux.systemd_journald",
    .begin = begin,
    .poll = poll_logs,
    .end = end,
    .poll_ms = POLL_MS,
};
