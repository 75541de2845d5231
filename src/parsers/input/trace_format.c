#include "parsers/input/trace_format.h"

#include "core/store/rows.h"
#include "core/trace_builder.h"

/* What the formats whose first bytes are telling look at, and what the others may. */
enum { HEAD_BYTES = 4096, SNIFFED_BYTES = 4 << 20 };

/* "$ strace ls", "me@host:~$ strace ls", "[me@host ~]# strace ls", "sudo strace ls" or what perf
 * says of itself. */
bool trace_format_is_prompt(struct str line)
{
    if (str_starts(line, STR("sudo ")) || str_starts(line, STR("[ perf ")))
        return true;
    for (size_t i = 0; i + 1 < line.n; i++) {
        if (!memchr("$#>%", line.p[i], 4) || line.p[i + 1] != ' ')
            continue;
        if (i == 0)
            return line.p[i] == '$' || line.p[i] == '>';
        return str_find(str_from_to(line, 0, i), '@') < i || memchr("])", line.p[i - 1], 2) ||
               memchr("/~", *line.p, 2);
    }
    return false;
}

/* The bytes of empty lines and prompts that it begins with. */
static size_t preamble_of(struct bytes data)
{
    enum { LINES = 16 };
    struct str head = {(const char *)data.p, data.n < HEAD_BYTES ? data.n : HEAD_BYTES}, line;
    size_t size = 0;
    if (str_starts(head, STR(BYTE_ORDER_MARK)))
        head = str_skip(head, sizeof BYTE_ORDER_MARK - 1);
    for (int i = 0; i < LINES && str_next_line(&head, &line); i++) {
        line = str_trim(line);
        if (line.n > 0 && !trace_format_is_prompt(line))
            break;
        size = (size_t)(head.p - (const char *)data.p);
    }
    return size;
}

const struct trace_format *trace_format_detect(const struct trace_format *const *formats,
                                               struct bytes data)
{
    if (data.n > SNIFFED_BYTES)
        data.n = SNIFFED_BYTES;
    for (size_t i = 0; formats[i]; i++)
        if (formats[i]->sniff(data))
            return formats[i];
    size_t skipped = preamble_of(data);
    struct bytes rest = {data.p + skipped, data.n - skipped};
    for (size_t i = 0; formats[i] && skipped > 0 && rest.n > 0; i++)
        if (formats[i]->by_lines && formats[i]->sniff(rest))
            return formats[i];
    return NULL;
}

struct str trace_format_head(struct bytes data)
{
    return (struct str){(const char *)data.p, data.n < HEAD_BYTES ? data.n : HEAD_BYTES};
}

struct str trace_format_body(struct bytes data)
{
    size_t skipped = preamble_of(data);
    return trace_format_head((struct bytes){data.p + skipped, data.n - skipped});
}

struct str trace_format_skip_space(struct str s)
{
    if (str_starts(s, STR(BYTE_ORDER_MARK)))
        s = str_skip(s, sizeof BYTE_ORDER_MARK - 1);
    while (s.n > 0 && (*s.p == ' ' || *s.p == '\t' || *s.p == '\r' || *s.p == '\n'))
        s = str_skip(s, 1);
    return s;
}

uint32_t trace_format_announce(struct trace *t, const struct trace_file *file)
{
    struct trace_file_row row = trace_file_row_null();
    row.name = file->name.p ? trace_intern(t, file->name) : NULL_STRING;
    row.size = file->size >= 0 ? file->size : NULL_I64;
    row.parent_id = file->parent;
    row.trace_type = trace_intern(t, STR("unknown"));
    return trace_file_append(&t->tables.trace_file, &row);
}

uint32_t trace_format_enclose(struct trace *t, const char *type, const struct trace_file *file)
{
    struct table *files = &t->tables.trace_file;
    uint32_t id = trace_format_announce(t, file);
    table_set_str(files, trace_file_col_trace_type, id, trace_intern_c(t, type));
    table_set_i64(files, trace_file_col_processing_order, id, file->order);
    table_set_u32(files, trace_file_col_is_container, id, 1);
    return id;
}

void trace_format_begin(const struct trace_format *format, struct trace *t,
                        const struct trace_file *file)
{
    struct table *files = &t->tables.trace_file;
    uint32_t id = file->row_plus_one ? file->row_plus_one - 1 : trace_format_announce(t, file);
    table_set_str(files, trace_file_col_trace_type, id, trace_intern_c(t, format->type));
    table_set_i64(files, trace_file_col_processing_order, id, file->order);
    table_set_u32(files, trace_file_col_is_container, id, format->read_archive != NULL);
    stats_enter(t, NULL_U32, id);
    if (format->read_archive)
        return;
    trace_begin_file(t);
    metadata_set_int(t, "trace_size_bytes", file->size >= 0 ? file->size : NULL_I64);
    metadata_set_str(t, "trace_type", str_from(format->type));
    if (file->machine != NULL_U32)
        trace_set_machine_alias(t, HOST_RAW_ID, file->machine);
    if (format->has_machines || !(format->read || format->read_source))
        return;
    stats_enter_machine(t, trace_machine(t, HOST_RAW_ID));
    if (format->clock)
        clock_begin_file(t, file->has_own_clock ? CLOCK_TRACE_FILE_NUMBER : format->clock, 0);
    if (format->has_idle_task)
        process_tracker_name_idle_task(t, stats_scope(t)->machine);
}

void trace_format_ends_early(struct trace *t)
{
    if (!t->builder->options.growing && t->builder->options.head == 0)
        stats_count(t, STAT_trace_ends_early);
}
