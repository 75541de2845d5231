#include "parsers/load.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/decompress.h"
#include "parsers/detect.h"

/* A mapped file can be cut short by somebody else: reading behind its new end raises SIGBUS. The
 * handler puts zeros there and the load goes on with what was read before; jumping out of the
 * handler instead would leave tables half written. Thread-local, because the signal goes to the
 * thread that read. */
struct guarded_map {
    uint8_t *p;
    size_t n;
    volatile sig_atomic_t cut;
};

static _Thread_local struct guarded_map guarded;

/* Who gets a SIGBUS that is not ours: the terminal's handler, which restores it. Of the process, as
 * signal actions are. */
static struct sigaction action_before;

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    uintptr_t at = (uintptr_t)info->si_addr, start = (uintptr_t)guarded.p;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!guarded.p || at < start || at - start >= guarded.n) {
        sigaction(number, &action_before, NULL); /* not ours: happens again */
        if (info->si_code <= 0)
            raise(number); /* unless it was sent */
        return;
    }
    size_t offset = (at - start) / page * page;
    void *zeros = mmap(guarded.p + offset, guarded.n - offset, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED)
        sigaction(number, &action_before, NULL);
    guarded.cut = 1;
}

/* The bytes of a file: mapped, or read where it cannot be mapped (a pipe). */
struct input {
    struct bytes bytes;
    bool mapped;
    int fd;
    struct stat stat;
    struct sigaction old_action;
};

static struct status read_stream(struct input *in, const char *path)
{
    enum { STEP = 1 << 16 };
    VEC(uint8_t) all = {0};
    ssize_t n = 1;
    while (n != 0) {
        vec_reserve(&all, all.count + STEP);
        n = read(in->fd, all.items + all.count, STEP);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            vec_release(&all);
            return status_error(STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
        }
        all.count += (size_t)n;
    }
    in->bytes = (struct bytes){all.items, all.count};
    return status_ok_value();
}

static struct status map_file(struct input *in, const char *path)
{
    size_t n = (size_t)in->stat.st_size;
    void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, in->fd, 0);
    if (p == MAP_FAILED)
        return status_error(STATUS_IO, "%s: cannot be mapped: %s", path, strerror(errno));
    in->bytes = (struct bytes){p, n};
    in->mapped = true;
    madvise(p, n, MADV_SEQUENTIAL);
    guarded = (struct guarded_map){.p = p, .n = n};
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &in->old_action);
    action_before = in->old_action;
    return status_ok_value();
}

void load_release_pages(void)
{
    if (guarded.p)
        madvise(guarded.p, guarded.n, MADV_DONTNEED);
}

/* Opens it and finds out what it is. */
static struct status input_find(struct input *in, const char *path)
{
    *in = (struct input){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    if (in->fd < 0)
        return status_error(STATUS_IO, "%s: cannot be opened: %s", path, strerror(errno));
    if (fstat(in->fd, &in->stat) != 0)
        return status_error(STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(in->stat.st_mode))
        return status_error(STATUS_IO, "%s: expected a trace file, found a directory", path);
    return status_ok_value();
}

static struct status input_open(struct input *in, const char *path)
{
    struct status s = input_find(in, path);
    if (!status_ok(s))
        return s;
    /* Files of /proc have no size either. */
    if (!S_ISREG(in->stat.st_mode) || in->stat.st_size == 0)
        return read_stream(in, path);
    if ((uint64_t)in->stat.st_size > SIZE_MAX)
        return status_error(STATUS_IO, "%s: larger than the address space", path);
    return map_file(in, path);
}

static void input_close(struct input *in)
{
    if (in->mapped) {
        sigaction(SIGBUS, &in->old_action, NULL);
        munmap((void *)(uintptr_t)in->bytes.p, in->bytes.n);
        guarded = (struct guarded_map){0};
    } else {
        free((void *)(uintptr_t)in->bytes.p);
    }
    if (in->fd >= 0)
        close(in->fd);
}

/* A file that is being written or was cut while we read it may have given anything. */
static void check_unchanged(struct trace *t, const struct input *in)
{
    struct stat now;
    if (!in->mapped || fstat(in->fd, &now) != 0)
        return;
    if (guarded.cut || now.st_size < in->stat.st_size)
        stats_count(t, STAT_trace_file_cut_while_loading);
    else if (now.st_size != in->stat.st_size || now.st_mtim.tv_sec != in->stat.st_mtim.tv_sec ||
             now.st_mtim.tv_nsec != in->stat.st_mtim.tv_nsec)
        stats_count(t, STAT_trace_file_changed_while_loading);
}

static struct status unknown_format(const char *name, struct bytes data)
{
    if (data.n == 0)
        return status_error(STATUS_FORMAT, "%s: expected a trace, found an empty file", name);
    const struct trace_parser *known = trace_parser_detect(data);
    if (known)
        return status_error(STATUS_FORMAT, "%s: this is a %s trace, a format not supported yet",
                            name, known->name);
    return status_error(STATUS_FORMAT,
                        "%s: at offset 0: expected a Perfetto trace (byte 0x0a and a length), "
                        "found byte 0x%02x: not a trace format known here",
                        name, data.p[0]);
}

static void describe_file(struct trace *t, const char *name, size_t size, const char *type)
{
    struct trace_file_row row = trace_file_row_null();
    row.name = trace_intern_c(t, name);
    row.size = (int64_t)size;
    row.trace_type = trace_intern_c(t, type);
    row.processing_order = t->tables.trace_file.rows;
    trace_file_append(&t->tables.trace_file, &row);
    metadata_set_int(t, "trace_size_bytes", (int64_t)size);
    metadata_set_str(t, "trace_type", str_from(type));
}

static struct status read_plain(struct trace *t, const char *name, struct bytes data, size_t size,
                                struct load_progress *progress)
{
    const struct trace_parser *parser = data.n ? trace_parser_detect(data) : NULL;
    if (!parser || (!parser->read && !parser->read_source))
        return unknown_format(name, data);
    describe_file(t, name, size, parser->type);
    if (parser->read)
        return parser->read(t, name, data, progress);
    struct byte_source source = byte_source_memory(data, data.p == guarded.p, progress);
    return parser->read_source(t, name, &source);
}

/* Formats that are read from front to back need not be inflated as a whole. False where it is
 * another one. */
static bool read_gzip_stream(struct trace *t, const char *name, struct bytes data,
                             struct load_progress *progress, struct status *s)
{
    struct byte_source source = byte_source_gzip(data, progress);
    struct bytes head = source.window;
    const struct trace_parser *parser = head.n ? trace_parser_detect(head) : NULL;
    bool streamed = parser && parser->read_source;
    if (streamed) {
        describe_file(t, name, data.n, parser->type);
        *s = parser->read_source(t, name, &source);
    }
    byte_source_release(&source);
    return streamed;
}

struct status trace_probe_file(const char *path)
{
    enum { HEAD = 1 << 16 };
    struct input in;
    struct status s = input_find(&in, path);
    if (status_ok(s) && S_ISREG(in.stat.st_mode) && in.stat.st_size > 0) {
        uint8_t *head = alloc_bytes(HEAD);
        ssize_t n = pread(in.fd, head, HEAD, 0);
        struct bytes bytes = {head, n > 0 ? (size_t)n : 0};
        if (n > 0 && !gzip_sniff(bytes) && !zstd_sniff(bytes) && !trace_parser_detect(bytes))
            s = unknown_format(path, bytes);
        free(head);
    }
    if (in.fd >= 0)
        close(in.fd);
    return s;
}

static struct status read_compressed(struct trace *t, const char *name, struct bytes data,
                                     struct load_progress *progress)
{
    bool gzip = gzip_sniff(data);
    struct status s;
    if (gzip && read_gzip_stream(t, name, data, progress, &s))
        return s;
    struct inflated inside = gzip ? gzip_inflate(data, progress) : zstd_inflate(data, progress);
    struct bytes bytes = {inside.p, inside.n};
    if (inside.cancelled) {
        s = status_error(STATUS_CANCELLED, "%s: loading was cancelled", name);
    } else if (!inside.whole && inside.n == 0) {
        s = status_error(STATUS_FORMAT, "%s: at offset 0: the %s data cannot be decompressed", name,
                         gzip ? "gzip" : "zstd");
    } else {
        if (!inside.whole)
            stats_count(t, STAT_decompression_errors);
        s = read_plain(t, name, bytes, data.n, progress);
    }
    free(inside.p);
    return s;
}

static struct status read_bytes(struct trace *t, const char *name, struct bytes data,
                                struct load_progress *progress)
{
    if (progress) {
        atomic_store(&progress->phase, LOAD_READING);
        atomic_store(&progress->done, 0);
        atomic_store(&progress->total, data.n);
    }
    if (gzip_sniff(data) || zstd_sniff(data))
        return read_compressed(t, name, data, progress);
    return read_plain(t, name, data, data.n, progress);
}

static void finish(struct trace *t, struct load_progress *progress)
{
    if (progress)
        atomic_store(&progress->phase, LOAD_FINISHING);
    trace_finish(t);
}

struct status trace_load_file(struct trace *t, const char *path, struct load_progress *progress)
{
    struct input in;
    struct status s = input_open(&in, path);
    if (status_ok(s))
        s = read_bytes(t, path, in.bytes, progress);
    if (status_ok(s))
        check_unchanged(t, &in);
    input_close(&in);
    if (status_ok(s))
        finish(t, progress);
    return s;
}

struct status trace_load_memory(struct trace *t, const char *name, const uint8_t *data, size_t size,
                                struct load_progress *progress)
{
    struct status s = read_bytes(t, name, (struct bytes){data, size}, progress);
    if (status_ok(s))
        finish(t, progress);
    return s;
}
