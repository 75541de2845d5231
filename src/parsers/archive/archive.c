#include "parsers/archive/archive.h"

#include <string.h>

#include "base/merge_sort.h"
#include "core/trace_builder.h"
#include "parsers/archive/manifest.h"
#include "parsers/archive/members.h"
#include "parsers/archive/raw_buffers.h"
#include "parsers/input/intake.h"
#include "parsers/perfetto/packets/reader.h"
#include "parsers/archive/exported_table.h"
#include "parsers/perfetto/perfetto.h"

/* Of a member's first window: to see what it is, and to read it. */
enum { HEAD_BYTES = 64 << 10, WINDOW_BYTES = 1 << 20 };

/* Members are read in the order of Trace Processor: what says how others are to be read, traces
 * that know clocks, archives, all others; by name where they are equal. Unlike there, what only
 * names things comes behind everything that may have them, and tables of an export, which stand
 * alone, behind everything else. */
enum member_rank { RANK_MANIFEST, RANK_CLOCKS, RANK_ARCHIVE, RANK_OTHER, RANK_NAMES, RANK_EXPORT };

/* An archive is walked once for each place where that order goes back; so often at most, and only
 * while the budget has so many walks more, then those of a rank in the order in which they lie
 * there. One that is packed as a whole is unpacked each time. */
enum { WALKS_MAX = 32, WALKS_MAX_PACKED = 4, WALKS_LEFT = RANK_EXPORT + 1 };

enum { NESTING_MAX = 3 };

struct member {
    const struct trace_format *format; /* NULL: nothing that can be read */
    const char *text;                  /* the name, which has no NUL in it */
    enum member_rank rank;
    string_id name;
    uint32_t index, row; /* in the archive, of trace_file */
};

/* Of the file that was opened, with all archives in it. */
struct archive_counts {
    uint32_t files, traces; /* that were begun */
};

struct archive_import {
    struct trace *trace;
    const char *name;
    struct load_progress *progress;
    const struct trace_format *const *formats; /* of members */
    struct bytes file;
    uint32_t row; /* of trace_file */
    int depth;    /* archives around this one */
    struct budget *budget;
    size_t walk_cost, unread; /* of the budget: for a walk, and for the members that are left */
    struct archive_counts *counts;
    bool packed;      /* as a whole */
    bool has_loss;    /* which was counted */
    bool is_one;      /* trace in all, whose times are those of a window */
    bool raw_buffers; /* it holds what tracefs has, which is a trace only together */
    VEC(struct member) members;
    struct manifest manifest;
};

static void release(struct archive_import *a)
{
    vec_release(&a->members);
    manifest_release(&a->manifest);
}

static struct status archive_import(struct archive_import *a);

/* All of it, for those who need it in one piece. */
static void read_whole(struct byte_source *s)
{
    while (byte_source_more(s, 0))
        continue;
}

/* A manifest that is packed by itself is an archive of one: it may come too late. */
static enum member_rank rank_of(const struct trace_format *format, bool packed)
{
    if (format == &manifest_trace_format)
        return packed ? RANK_ARCHIVE : RANK_MANIFEST;
    if (format == &exported_table_trace_format)
        return RANK_EXPORT;
    if (format->has_clocks)
        return RANK_CLOCKS;
    return format->read_archive ? RANK_ARCHIVE : RANK_OTHER;
}

/* Tools leave files of their own that begin with a dot, in archives, too. */
static bool is_hidden(struct str path)
{
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] == '.' && (i == 0 || path.p[i - 1] == '/') && i + 1 < path.n &&
            path.p[i + 1] != '/' && path.p[i + 1] != '.')
            return true;
    return false;
}

/* The logs in a bug report come before the file that tells their year by its name. */
static void note_year(struct archive_import *a, struct str name)
{
    int32_t year = android_bug_report_year(name);
    if (year)
        a->trace->builder->logs.year = year;
}

/* What the member, which was not read yet, takes of the budget; 0: not known. */
static size_t size_of(const struct archive_import *a, const struct member *member)
{
    const struct column *sizes = &a->trace->tables.trace_file.columns[trace_file_col_size];
    if (a->packed || member->row == NULL_U32 || column_is_null(sizes, member->row))
        return 0;
    return (size_t)column_int(sizes, member->row);
}

/* Of a member of an archive in `depth` others; `format` may be NULL. */
static bool is_readable(const struct trace_format *format, int depth)
{
    return format &&
           (format->read_source || format->read || (format->read_archive && depth < NESTING_MAX));
}

static void add_member(struct archive_import *a, const struct archive_members *m,
                       struct byte_source *s)
{
    note_year(a, m->name);
    struct member member = {.index = (uint32_t)a->members.count, .row = NULL_U32};
    struct intake in = {.source = *s};
    if (!is_hidden(m->name))
        intake_tell(&in, a->formats, NULL);
    const struct trace_format *format = in.format;
    bool known = is_readable(format, a->depth);
    struct trace_file file = {.name = m->name, .size = m->size, .parent = a->row};
    if (known) {
        member.format = format;
        member.rank = rank_of(format, m->is_packed);
        if (format == &perfetto_trace_format && packets_only_name(s->window))
            member.rank = RANK_NAMES;
        member.name = trace_intern(a->trace, m->name);
        member.text = string_pool_get(&a->trace->strings, member.name).p;
    }
    if (!is_hidden(m->name))
        member.row = trace_format_announce(a->trace, &file);
    if (known && __builtin_add_overflow(a->unread, size_of(a, &member), &a->unread))
        a->unread = SIZE_MAX;
    *vec_push(&a->members) = member;
}

/* Of a member that was looked at: its bytes end before they tell what it is. */
static bool is_untold(const struct archive_members *m, const struct byte_source *s)
{
    return !is_hidden(m->name) && (s->cut || m->data.stream.cut);
}

/* Counts it once. */
static void count_loss(struct archive_import *a)
{
    if (!a->has_loss)
        stats_count(a->trace, STAT_decompression_errors);
    a->has_loss = true;
}

static struct status unreadable(const char *name, const struct archive_members *m)
{
    return status_error(STATUS_FORMAT, "%s: the archive cannot be read: %s", name,
                        members_error(m));
}

/* Finds out what the members are. */
static struct status survey(struct archive_import *a)
{
    struct archive_members m;
    size_t readable = 0;
    members_open(&m, a->file, a->budget, a->progress);
    while (members_next(&m)) {
        a->packed = members_are_packed(&m);
        struct byte_source s = members_source(&m, HEAD_BYTES);
        add_member(a, &m, &s);
        a->raw_buffers |= raw_buffers_is_cpu(m.name);
        bool is_known = vec_last(&a->members).format != NULL;
        m.has_gap |= !is_known && is_untold(&m, &s);
        readable += is_known;
        byte_source_release(&s);
    }
    a->walk_cost = members_walk_cost(&m);
    struct status status = status_ok_value();
    if (m.cancelled)
        status = progress_cancelled(a->name);
    else if (a->members.count == 0)
        status = unreadable(a->name, &m);
    else if (readable == 0 && !a->raw_buffers)
        status =
            status_error(STATUS_FORMAT, "%s: expected traces in the archive, found none", a->name);
    else if (m.damaged || m.has_gap)
        count_loss(a);
    members_close(&m);
    return status;
}

/* Only traces have machines and clocks. */
static struct status check_overrides(const struct archive_import *a)
{
    for (size_t i = 0; i < a->members.count; i++) {
        const struct member *member = &a->members.items[i];
        const struct manifest_file *f = manifest_find(&a->manifest, member->name);
        bool is_trace = !member->format->read_archive && member->format != &manifest_trace_format;
        if (f && !is_trace && (f->has_clocks || f->machine || f->machine_n > 0))
            return status_error(STATUS_FORMAT,
                                "perfetto_manifest: overrides are not supported for trace files "
                                "which are themselves archives or perfetto_manifest files: %s",
                                member->text);
    }
    return status_ok_value();
}

static struct status import_manifest(struct archive_import *a, struct byte_source *s)
{
    if (a->manifest.present)
        return status_error(STATUS_FORMAT, "%s: multiple perfetto_manifest files in archive",
                            a->name);
    if (a->counts->traces > 0)
        return status_error(STATUS_FORMAT,
                            "%s: perfetto_manifest file must be the first trace file in the input",
                            a->name);
    read_whole(s);
    struct status status = manifest_read(&a->manifest, a->trace, s->window);
    if (status_ok(status))
        status = check_overrides(a);
    if (status_ok(status))
        status = manifest_apply(&a->manifest, a->trace);
    return status_prefix(status, "%s", a->name);
}

static struct status import_archive(struct archive_import *a, const struct member *member,
                                    const char *name, struct byte_source *s)
{
    read_whole(s);
    struct archive_import inner = {
        .trace = a->trace,
        .name = name,
        .progress = a->progress,
        .formats = a->formats,
        .file = s->window,
        .row = member->row,
        .depth = a->depth + 1,
        .is_one = a->is_one,
        .budget = a->budget,
        .counts = a->counts,
    };
    return archive_import(&inner);
}

/* One bad member leaves the others. */
static struct status forgive(struct status status)
{
    if (status.code == STATUS_CANCELLED)
        return status;
    status_release(&status);
    return status_ok_value();
}

static struct status import_trace(struct archive_import *a, const struct member *member,
                                  const struct archive_members *m, struct byte_source *s)
{
    const struct trace_format *format = member->format;
    bool cuts = a->is_one && trace_format_cuts(format, s->window);
    const struct time_window *window = cuts ? intake_window(a->trace) : NULL;
    struct intake in = {.name = m->name.p,
                        .trace = a->trace,
                        .window = window,
                        .budget = a->budget,
                        .progress = a->progress,
                        .source = *s,
                        .format = format};
    a->counts->traces++;
    struct status status = window ? intake_cut(&in) : status_ok_value();
    if (in.unreadable)
        status = forgive(status);
    else if (status_ok(status))
        status = forgive(intake_read(&in));
    else
        status = status_prefix(status, "%s", a->name);
    *s = in.source;
    intake_release_cut(&in);
    if (!status_ok(status))
        return status;
    return status_prefix(manifest_check_file(&a->manifest, a->trace, format, m->name), "%s",
                         a->name);
}

/* Of a member that did not say it before it was read. */
static void set_size(const struct archive_import *a, const struct member *member, int64_t size)
{
    table_set_i64(&a->trace->tables.trace_file, trace_file_col_size, member->row, size);
    if (!member->format->read_archive && member->format != &manifest_trace_format)
        metadata_set_int(a->trace, "trace_size_bytes", size);
}

static struct status import_member(struct archive_import *a, struct archive_members *m,
                                   const struct member *member)
{
    const struct trace_format *format = member->format;
    struct trace_file file = {.name = m->name,
                              .size = m->size,
                              .parent = a->row,
                              .row_plus_one = member->row + 1,
                              .order = ++a->counts->files};
    struct status status;
    manifest_begin_file(&a->manifest, a->trace, format, &file);
    struct byte_source s = members_source(m, WINDOW_BYTES);
    if (format == &manifest_trace_format)
        status = import_manifest(a, &s);
    else if (format->read_archive)
        status = import_archive(a, member, m->name.p, &s);
    else
        status = import_trace(a, member, m, &s);
    if (s.cut) {
        stats_count(a->trace, STAT_decompression_errors);
        a->has_loss = true;
    } else if (m->size < 0 && status_ok(status))
        set_size(a, member, m->data.at);
    byte_source_release(&s);
    return status;
}

static int compare_places(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int compare_names(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = x->rank == y->rank ? strcmp(x->text, y->text) : 0;
    return order ? order : compare_places(a, b);
}

/* Drops what cannot be read. */
static void keep_readable(struct archive_import *a)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->members.count; i++)
        if (a->members.items[i].format)
            a->members.items[kept++] = a->members.items[i];
    a->members.count = kept;
}

static void sort_members(struct archive_import *a, size_t from, bool by_name)
{
    const struct merge_sort names = {sizeof(struct member), compare_names, NULL},
                            places = {sizeof(struct member), compare_places, NULL};
    if (a->members.count == from)
        return;
    merge_sort(by_name ? &names : &places, a->members.items + from, a->members.count - from);
}

/* Reads members from `*next` on, as long as they follow each other in the archive. What a damaged
 * one has can depend on how much of a member is read: no member at all is the end. */
static struct status walk(struct archive_import *a, size_t *next)
{
    struct archive_members m;
    size_t first = *next;
    struct status status = status_ok_value();
    members_open(&m, a->file, a->budget, a->progress);
    for (uint32_t i = 0; *next < a->members.count && members_next(&m); i++) {
        if (a->members.items[*next].index != i)
            continue;
        a->unread -= size_of(a, &a->members.items[*next]);
        status = import_member(a, &m, &a->members.items[(*next)++]);
        if (!status_ok(status) || (*next < a->members.count && a->members.items[*next].index < i))
            break;
    }
    if (status_ok(status) && m.cancelled)
        status = progress_cancelled(a->name);
    if ((m.damaged || *next == first) && *next < a->members.count) {
        *next = a->members.count;
        if (!m.cancelled)
            count_loss(a);
    }
    members_close(&m);
    return status;
}

/* Whether there may be more walks than those that the ranks need. */
static bool affords_order(const struct archive_import *a, int walks)
{
    size_t left = budget_left(a->budget);
    return walks < (a->packed ? WALKS_MAX_PACKED : WALKS_MAX) && left > a->unread &&
           (left - a->unread) / WALKS_LEFT > a->walk_cost;
}

/* Puts the members together and reads what they are then. */
static struct status import_raw_buffers(struct archive_import *a)
{
    struct archive_members m;
    struct raw_buffers raw = {0};
    struct byte_list dat = {0};
    members_open(&m, a->file, a->budget, a->progress);
    while (members_next(&m)) {
        struct byte_source s = members_source(&m, WINDOW_BYTES);
        if (raw_buffers_wants(m.name)) {
            read_whole(&s);
            raw_buffers_add(&raw, m.name, s.window);
        }
        byte_source_release(&s);
    }
    members_close(&m);
    raw_buffers_write(&raw, &dat);
    raw_buffers_release(&raw);
    struct intake in = {.name = a->name,
                        .trace = a->trace,
                        .progress = a->progress,
                        .bytes = {dat.v.items, dat.v.count}};
    intake_unwrap(&in);
    intake_tell(&in, a->formats, NULL);
    struct trace_file file = {.name = STR("traces"),
                              .size = (int64_t)in.bytes.n,
                              .parent = a->row,
                              .order = ++a->counts->files};
    struct status status = progress_cancelled(a->name);
    if (in.format && in.format->read && !m.cancelled) {
        status_release(&status);
        manifest_begin_file(&a->manifest, a->trace, in.format, &file);
        status = intake_read(&in);
    }
    intake_release(&in);
    vec_release(&dat.v);
    return status;
}

static struct status archive_import(struct archive_import *a)
{
    struct status s = survey(a);
    keep_readable(a);
    if (status_ok(s) && a->members.count == 0) {
        s = import_raw_buffers(a);
        release(a);
        return s;
    }
    a->is_one = a->is_one && a->members.count == 1;
    sort_members(a, 0, true);
    size_t next = 0;
    bool by_name = true;
    for (int walks = 0; status_ok(s) && next < a->members.count; walks++) {
        if (by_name && !affords_order(a, walks)) {
            by_name = false;
            sort_members(a, next, false);
        }
        s = walk(a, &next);
    }
    release(a);
    return s;
}

/* The trace in an archive that holds nothing else that can be read. */
struct only_trace {
    uint32_t index, readable;
    bool cuts, cancelled, has_loss;
};

static void look_for_trace(struct only_trace *one, const struct trace_format *const *formats,
                           const struct archive_members *m, struct byte_source *s, int depth)
{
    struct intake in = {.source = *s};
    if (is_hidden(m->name) || !intake_tell(&in, formats, NULL) || !is_readable(in.format, depth))
        return;
    one->readable++;
    one->cuts = trace_format_trims(in.format, s->window);
}

static struct only_trace only_trace(struct intake *in, const struct trace_format *const *formats)
{
    struct archive_members m;
    struct only_trace one = {0};
    members_open(&m, in->bytes, in->budget, in->progress);
    for (uint32_t i = 0; members_next(&m); i++) {
        struct byte_source s = members_source(&m, HEAD_BYTES);
        uint32_t before = one.readable;
        look_for_trace(&one, formats, &m, &s, in->depth);
        one.index = one.readable > before ? i : one.index;
        m.has_gap |= one.readable == before && is_untold(&m, &s);
        byte_source_release(&s);
    }
    one.cancelled = m.cancelled;
    one.has_loss = m.damaged || m.has_gap;
    members_close(&m);
    return one;
}

static struct status cut_member(struct intake *archive, struct archive_members *m,
                                const struct trace_format *const *formats, struct cut_output *out)
{
    struct intake in = {.name = archive->name,
                        .window = archive->window,
                        .budget = archive->budget,
                        .progress = archive->progress,
                        .depth = archive->depth + 1,
                        .source = members_source(m, WINDOW_BYTES),
                        .unread = archive->unread};
    intake_tell(&in, formats, NULL);
    struct status s = intake_cut_to(&in, formats, out);
    archive->span = in.span;
    archive->unread = in.unread;
    archive->uncut = in.uncut;
    intake_release(&in);
    return s;
}

static struct status archive_cut(struct intake *in, const struct trace_format *const *formats,
                                 struct cut_output *out)
{
    struct archive_members m;
    struct only_trace one = only_trace(in, formats);
    in->uncut = one.readable != 1 || !one.cuts;
    if (one.cancelled)
        return progress_cancelled(in->name);
    if (in->uncut)
        return status_ok_value();
    in->unread.counts[UNREAD_PACKED] += one.has_loss;
    members_open(&m, in->bytes, in->budget, in->progress);
    bool there = true;
    for (uint32_t i = 0; there && i <= one.index; i++)
        there = members_next(&m);
    struct status s = there         ? cut_member(in, &m, formats, out)
                      : m.cancelled ? progress_cancelled(in->name)
                                    : unreadable(in->name, &m);
    members_close(&m);
    return s;
}

static struct status archive_read(struct trace *t, const char *name, struct bytes data,
                                  const struct trace_format *const *formats,
                                  struct load_progress *progress)
{
    uint32_t row = stats_scope(t)->file; /* 1 in a compressed file */
    struct archive_counts counts = {.files = row};
    struct archive_import a = {
        .trace = t,
        .name = name,
        .progress = progress,
        .formats = formats,
        .file = data,
        .row = row,
        .is_one = true,
        .budget = &t->builder->unpacking,
        .counts = &counts,
    };
    return archive_import(&a);
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
    .about = "several traces in one archive: begins with PK",
    .sniff = zip_sniff,
    .read_archive = archive_read,
    .cut_archive = archive_cut,
};

const struct trace_format tar_trace_format = {
    .name = "tar",
    .type = "tar",
    .about = "several traces in one archive, perhaps compressed as a whole",
    .sniff = tar_sniff,
    .read_archive = archive_read,
    .cut_archive = archive_cut,
};
