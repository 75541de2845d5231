#include "parsers/archive/archive.h"

#include "core/trace_builder.h"
#include "parsers/archive/manifest.h"
#include "parsers/archive/members.h"
#include "parsers/input/decompress.h"

/* Of a member's first window: to see what it is, and to read it. */
enum { HEAD_BYTES = 64 << 10, WINDOW_BYTES = 1 << 20 };

struct archive_import {
    struct trace *trace;
    struct load_progress *progress;
    const struct trace_format *const *formats; /* of members */
    struct bytes file;
    /* What the members are, in order; NULL: nothing that can be read, or a manifest. */
    VEC(const struct trace_format *) members;
    struct manifest manifest;
    size_t streamed; /* members */
};

static void release(struct archive_import *a)
{
    vec_release(&a->members);
    manifest_release(&a->manifest);
}

/* All of it, for those who need it in one piece. */
static void read_whole(struct byte_source *s)
{
    while (byte_source_more(s, 0))
        continue;
}

/* Whether the member is a manifest, which then is read. */
static bool take_manifest(struct archive_import *a, struct str name, struct byte_source *s)
{
    if (!manifest_sniff(s->window))
        return false;
    read_whole(s);
    return manifest_read(&a->manifest, a->trace, name, s->window);
}

static struct status import_whole(struct archive_import *a, const struct trace_format *format,
                                  const char *name, struct byte_source *s)
{
    read_whole(s);
    return format->read(a->trace, name, s->window, a->progress);
}

static struct status import_source(struct archive_import *a, const struct trace_format *format,
                                   const char *name, struct byte_source *s)
{
    s->own_tracks = a->streamed > 0;
    a->streamed++;
    return format->read_source(a->trace, name, s);
}

static struct status import_member(struct archive_import *a, struct archive_members *m,
                                   const struct trace_format *format)
{
    manifest_begin_file(&a->manifest, a->trace, format, m->name, m->size);
    struct byte_source s = members_source(m, WINDOW_BYTES);
    struct status status = format->read ? import_whole(a, format, m->name.p, &s)
                                        : import_source(a, format, m->name.p, &s);
    if (s.cut)
        stats_count(a->trace, STAT_decompression_errors);
    byte_source_release(&s);
    return status;
}

/* Finds out what the members are, and what a manifest says of them, wherever it stands. */
static struct status survey(struct archive_import *a, const char *name)
{
    struct archive_members m;
    size_t readable = 0;
    for (members_open(&m, a->file, a->progress); members_next(&m);) {
        struct byte_source s = members_source(&m, HEAD_BYTES);
        bool manifest = take_manifest(a, m.name, &s);
        const struct trace_format *format =
            s.window.n && !manifest ? trace_format_detect(a->formats, s.window) : NULL;
        bool known = format && (format->read_source || format->read);
        *vec_push(&a->members) = known ? format : NULL;
        readable += known;
        byte_source_release(&s);
    }
    struct status status = status_ok_value();
    if (m.cancelled)
        status = progress_cancelled(name);
    else if (a->members.count == 0)
        status = status_error(STATUS_FORMAT, "%s: the archive cannot be read: %s", name,
                              members_error(&m));
    else if (readable == 0)
        status =
            status_error(STATUS_FORMAT, "%s: expected traces in the archive, found none", name);
    else if (m.damaged)
        stats_count(a->trace, STAT_decompression_errors);
    members_close(&m);
    return status;
}

/* Traces that know clocks come first. Archives inside are not opened. */
static struct status import_members(struct archive_import *a, const char *name, bool with_clocks)
{
    size_t left = 0;
    for (size_t i = 0; i < a->members.count; i++)
        left += a->members.items[i] && a->members.items[i]->has_clocks == with_clocks;
    struct archive_members m;
    struct status status = status_ok_value();
    members_open(&m, a->file, a->progress);
    for (size_t i = 0; left > 0 && i < a->members.count && members_next(&m); i++) {
        const struct trace_format *format = a->members.items[i];
        if (!format || format->has_clocks != with_clocks)
            continue;
        status_release(&status); /* one bad member leaves the others */
        status = import_member(a, &m, format);
        left--;
        if (status.code == STATUS_CANCELLED)
            break;
    }
    if (status.code != STATUS_CANCELLED) {
        status_release(&status);
        status = m.cancelled ? progress_cancelled(name) : status_ok_value();
    }
    members_close(&m);
    return status;
}

static struct status archive_read(struct trace *t, const char *name, struct bytes data,
                                  const struct trace_format *const *formats,
                                  struct load_progress *progress)
{
    struct archive_import a = {.trace = t, .progress = progress, .formats = formats, .file = data};
    struct status s = survey(&a, name);
    if (status_ok(s))
        s = import_members(&a, name, true);
    if (status_ok(s))
        s = import_members(&a, name, false);
    release(&a);
    return s;
}

static bool zip_sniff(struct bytes data)
{
    return str_starts(trace_format_head(data), STR("PK\3\4"));
}

static bool tar_sniff(struct bytes data)
{
    enum { MAGIC_AT = 257 };
    return data.n > MAGIC_AT &&
           str_starts(str_skip(trace_format_head(data), MAGIC_AT), STR("ustar"));
}

const struct trace_format zip_trace_format = {
    .name = "zip",
    .type = "zip",
    .sniff = zip_sniff,
    .read_archive = archive_read,
};

const struct trace_format tar_trace_format = {
    .name = "tar",
    .type = "tar",
    .sniff = tar_sniff,
    .read_archive = archive_read,
};

const struct trace_format xz_trace_format = {
    .name = "xz",
    .type = "xz",
    .sniff = xz_sniff,
    .read_archive = archive_read,
};
