/* ProtoLog: log lines whose format stands in a viewer config, known by a number. */
#include <inttypes.h>

#include "base/hash.h"
#include "core/stats.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

struct log_format {
    struct str text, location; /* in the trace */
    uint32_t level, group;
};

struct protolog {
    struct map formats; /* hash of the message's number -> index in `list` */
    VEC(struct log_format) list;
    struct map tags; /* group -> string_id */
    VEC(char) line;
    VEC(int64_t) numbers;
    VEC(double) reals;
    VEC(int64_t) booleans;
    VEC(struct str) texts;
};

static void protolog_release(void *state)
{
    struct protolog *s = state;
    map_release(&s->formats);
    map_release(&s->tags);
    vec_release(&s->list);
    vec_release(&s->line);
    vec_release(&s->numbers);
    vec_release(&s->reals);
    vec_release(&s->booleans);
    vec_release(&s->texts);
}

static const struct import_state_kind protolog_kind = {.size = sizeof(struct protolog),
                                                       .release = protolog_release};

static void read_group(struct import *im, struct protolog *s, struct pb_reader r)
{
    struct pb_field f;
    uint32_t id = 0;
    struct str tag = {"", 0};
    while (pb_next(&r, &f)) {
        if (f.number == PB_ProtoLogViewerConfig_Group_id)
            id = pb_u32(&f);
        else if (f.number == PB_ProtoLogViewerConfig_Group_tag)
            tag = pb_str(&f);
    }
    bool is_new;
    uint32_t *at = map_insert(&s->tags, id, &is_new);
    if (is_new)
        *at = trace_intern(im->trace, tag);
}

static void read_format(struct protolog *s, struct pb_reader r)
{
    struct log_format format = {0};
    struct pb_field f;
    uint64_t id = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ProtoLogViewerConfig_MessageData_message_id)
            id = f.value;
        else if (f.number == PB_ProtoLogViewerConfig_MessageData_message)
            format.text = pb_str(&f);
        else if (f.number == PB_ProtoLogViewerConfig_MessageData_level)
            format.level = pb_u32(&f);
        else if (f.number == PB_ProtoLogViewerConfig_MessageData_group_id)
            format.group = pb_u32(&f);
        else if (f.number == PB_ProtoLogViewerConfig_MessageData_location)
            format.location = pb_str(&f);
    }
    bool is_new;
    uint32_t *at = map_insert(&s->formats, hash_u64(id), &is_new);
    if (!is_new)
        return;
    *at = (uint32_t)s->list.count;
    *vec_push(&s->list) = format;
}

static bool protolog_viewer_config_tokenize(struct import *im, struct packet *p)
{
    struct protolog *s = import_state(im, &protolog_kind);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ProtoLogViewerConfig_groups)
            read_group(im, s, pb_message(&f));
        else if (f.number == PB_ProtoLogViewerConfig_messages)
            read_format(s, pb_message(&f));
    }
    return true;
}

/* A few bytes may name long texts again and again. */
enum { LINE_MAX_LENGTH = 64 << 10 };

static void put(struct protolog *s, struct str text)
{
    size_t left = LINE_MAX_LENGTH - s->line.count;
    text.n = text.n < left ? text.n : left;
    vec_append(&s->line, text.p, text.n);
}

struct positions {
    size_t number, real, boolean, text;
};

static int64_t next_number(const struct protolog *s, struct positions *at)
{
    return at->number < s->numbers.count ? s->numbers.items[at->number++] : 0;
}

static double next_real(const struct protolog *s, struct positions *at)
{
    return at->real < s->reals.count ? s->reals.items[at->real++] : 0;
}

/* What stands for `%` and the letter. False: not a place for a parameter. */
static bool put_parameter(struct protolog *s, char letter, struct positions *at)
{
    char text[400]; /* %f of the largest number has 317 characters */
    int n = 0;
    switch (letter) {
    case 'd':
        n = snprintf(text, sizeof text, "%" PRId64, next_number(s, at));
        break;
    case 'o':
        n = snprintf(text, sizeof text, "%" PRIo64, (uint64_t)next_number(s, at));
        break;
    case 'x':
        n = snprintf(text, sizeof text, "%" PRIx64, (uint64_t)next_number(s, at));
        break;
    case 'f':
        n = snprintf(text, sizeof text, "%f", next_real(s, at));
        break;
    case 'e':
        n = snprintf(text, sizeof text, "%e", next_real(s, at));
        break;
    case 'g':
        n = snprintf(text, sizeof text, "%g", next_real(s, at));
        break;
    case 'b': {
        bool yes = at->boolean < s->booleans.count && s->booleans.items[at->boolean++];
        put(s, yes ? STR("true") : STR("false"));
        return true;
    }
    case 's':
        if (at->text < s->texts.count)
            put(s, s->texts.items[at->text++]);
        return true;
    case '%':
        put(s, STR("%"));
        return true;
    default:
        return false;
    }
    put(s, (struct str){text, (size_t)n});
    return true;
}

static void put_line(struct protolog *s, struct str format)
{
    struct positions at = {0};
    s->line.count = 0;
    for (size_t i = 0; i < format.n; i++) {
        if (format.p[i] == '%' && i + 1 < format.n && put_parameter(s, format.p[i + 1], &at))
            i++;
        else
            put(s, (struct str){format.p + i, 1});
    }
}

/* The text of an interned entry; {NULL, 0} where it is lost (counted as `missing`). */
static struct str need_text(struct import *im, const struct packet *p, uint32_t field, uint64_t iid,
                            enum stat_key missing)
{
    struct str text = interned_text(interned_find(p->generation, field, iid));
    if (!text.p)
        stats_count(im->trace, missing);
    return text;
}

static void read_parameters(struct import *im, struct protolog *s, const struct packet *p,
                            const struct pb_field *f)
{
    uint64_t v;
    bool real = f->number == PB_ProtoLogMessage_double_params;
    struct pb_packed it = pb_packed_begin(f, real ? PB_WIRE_I64 : PB_WIRE_VARINT);
    while (pb_packed_next(&it, &v)) {
        if (f->number == PB_ProtoLogMessage_sint64_params) {
            *vec_push(&s->numbers) = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
        } else if (f->number == PB_ProtoLogMessage_boolean_params) {
            *vec_push(&s->booleans) = v != 0;
        } else if (real) {
            double d;
            memcpy(&d, &v, sizeof d);
            *vec_push(&s->reals) = d;
        } else {
            struct str text = need_text(im, p, PB_InternedData_protolog_string_args, v,
                                        STAT_winscope_protolog_missing_interned_arg_parse_errors);
            *vec_push(&s->texts) = text.p ? text : STR("[LOST_STRING]");
        }
    }
}

static void protolog_message_parse(struct import *im, const struct packet *p)
{
    static const char *const levels[] = {"UNKNOWN", "DEBUG", "VERBOSE", "INFO",
                                         "WARN",    "ERROR", "WTF"};
    struct protolog *s = import_state(im, &protolog_kind);
    struct trace *t = im->trace;
    struct protolog_row row = {.ts = p->ts};
    uint64_t id = 0;
    s->numbers.count = s->reals.count = s->booleans.count = s->texts.count = 0;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ProtoLogMessage_message_id) {
            id = f.value;
        } else if (f.number == PB_ProtoLogMessage_stacktrace_iid) {
            struct str text =
                need_text(im, p, PB_InternedData_protolog_stacktrace, f.value,
                          STAT_winscope_protolog_missing_interned_stacktrace_parse_errors);
            row.stacktrace = text.p ? trace_intern(t, text) : NULL_STRING;
        } else {
            read_parameters(im, s, p, &f);
        }
    }
    const uint32_t *at = map_find(&s->formats, hash_u64(id));
    const struct log_format *format = at ? &s->list.items[*at] : NULL;
    const uint32_t *tag = format ? map_find(&s->tags, format->group) : NULL;
    uint32_t level = tag ? format->level : 0;
    row.level = trace_intern_c(t, levels[level < sizeof levels / sizeof levels[0] ? level : 0]);
    if (tag) {
        put_line(s, format->text);
        row.tag = *tag;
        row.message = trace_intern(t, (struct str){s->line.items, s->line.count});
        row.location = format->location.p ? trace_intern(t, format->location) : NULL_STRING;
    } else {
        char text[80];
        int n = snprintf(text, sizeof text, "[MISSING_VIEWER_CONFIG] (ID: %" PRIu64 ")", id);
        stats_count(t, STAT_winscope_protolog_message_decoding_failed);
        row.tag = trace_intern(t, STR("UNKNOWN"));
        row.message = trace_intern(t, (struct str){text, (size_t)n});
    }
    protolog_append(&t->tables.protolog, &row);
}

const struct packet_module protolog_packets[] = {
    {PB_TracePacket_protolog_viewer_config, .tokenize = protolog_viewer_config_tokenize,
     .felt = PACKET_ALWAYS},
    {PB_TracePacket_protolog_message, .parse = protolog_message_parse, .felt = PACKET_MOMENT},
    {0},
};
