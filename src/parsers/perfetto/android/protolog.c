/* ProtoLog: log lines whose format stands in a viewer config, known by a number. */
#define PB_READS_LITTLE
#include <inttypes.h>

#include "base/hash.h"
#include "core/stats.h"
#include "core/store/rows.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* Of the parameters of each kind. */
struct positions {
    size_t number, real, boolean, text;
};

struct log_format {
    struct str text, location; /* in the trace */
    uint32_t level, group;
    struct positions parameters; /* how many */
    uint32_t next;               /* in the list: another format of the same number; 0: none */
};

/* Formats of one number, beyond which they are not kept. */
enum { SAME_NUMBER_MOST = 64 };

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
    string_id told = trace_intern(im->trace, tag);
    if (!is_new && *at != told) {
        stats_count(im->trace, STAT_winscope_protolog_group_tag_collision);
        told = trace_intern(im->trace, STR("COLLISION_GROUP"));
    }
    *at = told;
}

static bool same_format(const struct log_format *a, const struct log_format *b)
{
    return a->level == b->level && a->group == b->group && str_eq(a->text, b->text) &&
           !a->location.p == !b->location.p && str_eq(a->location, b->location);
}

/* Adds it to those of its number, the first of which is at `first`. */
static void add_same_number(struct protolog *s, uint32_t first, const struct log_format *format)
{
    uint32_t last = first;
    for (unsigned n = 1; !same_format(&s->list.items[last], format); n++) {
        uint32_t next = s->list.items[last].next;
        if (next == 0 && n < SAME_NUMBER_MOST) {
            s->list.items[last].next = (uint32_t)s->list.count;
            *vec_push(&s->list) = *format;
        }
        if (next == 0)
            return;
        last = next;
    }
}

/* Counts the parameters that a format names, by their kind. */
static void count_parameters(struct str format, struct positions *n)
{
    for (size_t i = 0; i + 1 < format.n; i++) {
        if (format.p[i] != '%')
            continue;
        char letter = format.p[++i];
        n->number += letter == 'd' || letter == 'o' || letter == 'x';
        n->real += letter == 'f' || letter == 'e' || letter == 'g';
        n->boolean += letter == 'b';
        n->text += letter == 's';
    }
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
    count_parameters(format.text, &format.parameters);
    bool is_new;
    uint32_t *at = map_insert(&s->formats, hash_u64(id), &is_new);
    if (!is_new) {
        add_same_number(s, *at, &format);
        return;
    }
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

static bool are_all(const struct protolog *s, const struct positions *n)
{
    return n->number == s->numbers.count && n->real == s->reals.count &&
           n->boolean == s->booleans.count && n->text == s->texts.count;
}

static bool put_number(struct protolog *s, const char *format, struct positions *at)
{
    char text[32];
    if (at->number >= s->numbers.count)
        return false;
    int n = snprintf(text, sizeof text, format, s->numbers.items[at->number++]);
    put(s, (struct str){text, (size_t)n});
    return true;
}

static bool put_real(struct protolog *s, const char *format, struct positions *at)
{
    char text[400]; /* %f of the largest number has 317 characters */
    if (at->real >= s->reals.count)
        return false;
    int n = snprintf(text, sizeof text, format, s->reals.items[at->real++]);
    put(s, (struct str){text, (size_t)n});
    return true;
}

/* What stands for `%` and the letter, in `known`: false where there is no parameter for it. False:
 * not a place for one. */
static bool put_parameter(struct protolog *s, char letter, struct positions *at, bool *known)
{
    *known = true;
    switch (letter) {
    case 'd':
        *known = put_number(s, "%" PRId64, at);
        return true;
    case 'o':
        *known = put_number(s, "%" PRIo64, at);
        return true;
    case 'x':
        *known = put_number(s, "%" PRIx64, at);
        return true;
    case 'f':
        *known = put_real(s, "%f", at);
        return true;
    case 'e':
        *known = put_real(s, "%e", at);
        return true;
    case 'g':
        *known = put_real(s, "%g", at);
        return true;
    case 'b':
        *known = at->boolean < s->booleans.count;
        if (*known)
            put(s, s->booleans.items[at->boolean++] ? STR("true") : STR("false"));
        return true;
    case 's':
        *known = at->text < s->texts.count;
        if (*known)
            put(s, s->texts.items[at->text++]);
        return true;
    case '%':
        put(s, STR("%"));
        return true;
    default:
        return false;
    }
}

static void put_line(struct trace *t, struct protolog *s, struct str format)
{
    struct positions at = {0};
    for (size_t i = 0; i < format.n && s->line.count < LINE_MAX_LENGTH; i++) {
        bool known;
        if (format.p[i] != '%' || i + 1 >= format.n ||
            !put_parameter(s, format.p[i + 1], &at, &known)) {
            put(s, (struct str){format.p + i, 1});
            continue;
        }
        i++;
        if (known)
            continue;
        stats_count(t, STAT_winscope_protolog_param_mismatch);
        put(s, STR("[MISSING_PARAM]"));
    }
    if (s->line.count < LINE_MAX_LENGTH && !are_all(s, &at))
        stats_count(t, STAT_winscope_protolog_param_mismatch);
}

/* Of several formats of one number that one is meant whose parameters are those of the message.
 * NULL where there is no such, or more than one: s->line says so then. */
static const struct log_format *choose_format(struct trace *t, struct protolog *s, uint64_t id,
                                              const struct log_format *first)
{
    const struct log_format *fitting = NULL;
    char text[80];
    uint32_t count = 0;
    for (const struct log_format *f = first;; f = &s->list.items[f->next]) {
        if (are_all(s, &f->parameters)) {
            fitting = f;
            count++;
        }
        if (f->next == 0)
            break;
    }
    if (count == 1) {
        stats_count(t, STAT_winscope_protolog_message_collision_resolved);
        return fitting;
    }
    stats_count(t, STAT_winscope_protolog_message_collision);
    int n = snprintf(text, sizeof text, "<PROTOLOG COLLISION (id=0x0x%" PRIx64 ") ", id);
    put(s, (struct str){text, (size_t)n});
    put(s, count == 0 ? STR("NO TYPE MATCH>") : STR("MULTIPLE TYPE MATCHES : "));
    for (const struct log_format *f = first; count > 0; f = &s->list.items[f->next]) {
        if (!are_all(s, &f->parameters))
            continue;
        put(s, STR("'"));
        put_line(t, s, f->text);
        count--;
        put(s, count > 0 ? STR("',\n ") : STR("'>"));
    }
    return NULL;
}

/* In the place of a text that is lost. */
static const struct str lost_text = {"<ERROR>", sizeof "<ERROR>" - 1};

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
            *vec_push(&s->texts) = text.p ? text : lost_text;
        }
    }
}

static string_id level_name(const struct trace *t, uint32_t level)
{
    static const char *const levels[] = {"UNKNOWN", "DEBUG", "VERBOSE", "INFO",
                                         "WARN",    "ERROR", "WTF"};
    return trace_intern_c(t, levels[level < sizeof levels / sizeof levels[0] ? level : 0]);
}

static string_id group_tag(struct trace *t, const struct protolog *s, uint32_t group)
{
    const uint32_t *tag = map_find(&s->tags, group);
    if (tag)
        return *tag;
    stats_count(t, STAT_winscope_protolog_group_tag_missing);
    return trace_intern(t, STR("UNKNOWN_GROUP"));
}

/* What the parameters become in the format of that number. */
static void set_message(struct trace *t, struct protolog *s, uint64_t id, struct protolog_row *row)
{
    const uint32_t *at = map_find(&s->formats, hash_u64(id));
    s->line.count = 0;
    if (!at) { /* as Trace Processor has it: a row without a word */
        stats_count(t, STAT_winscope_protolog_message_decoding_failed);
        *row = (struct protolog_row){.ts = row->ts};
        return;
    }
    const struct log_format *format = &s->list.items[*at];
    if (format->next)
        format = choose_format(t, s, id, format);
    if (format) {
        row->level = level_name(t, format->level);
        row->tag = group_tag(t, s, format->group);
        row->location = format->location.p ? trace_intern(t, format->location) : NULL_STRING;
        put_line(t, s, format->text);
    } else {
        row->level = level_name(t, PB_ProtoLogLevel_PROTOLOG_LEVEL_WARN);
        row->tag = trace_intern(t, STR("COLLISION_GROUP"));
    }
    row->message = trace_intern(t, (struct str){s->line.items, s->line.count});
}

static void protolog_message_parse(struct import *im, const struct packet *p)
{
    struct protolog *s = import_state(im, &protolog_kind);
    struct trace *t = im->trace;
    struct protolog_row row = {.ts = p->ts};
    uint64_t id = 0;
    s->numbers.count = s->reals.count = s->booleans.count = s->texts.count = 0;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    bool lost_stack = false;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ProtoLogMessage_message_id) {
            id = f.value;
        } else if (f.number == PB_ProtoLogMessage_stacktrace_iid) {
            struct str text =
                need_text(im, p, PB_InternedData_protolog_stacktrace, f.value,
                          STAT_winscope_protolog_missing_interned_stacktrace_parse_errors);
            row.stacktrace = text.p ? trace_intern(t, text) : NULL_STRING;
            lost_stack = !text.p;
        } else {
            read_parameters(im, s, p, &f);
        }
    }
    if (lost_stack) /* Trace Processor takes it for a parameter */
        *vec_push(&s->texts) = lost_text;
    set_message(t, s, id, &row);
    protolog_append(&t->tables.protolog, &row);
}

const struct packet_module protolog_packets[] = {
    {PB_TracePacket_protolog_viewer_config, .tokenize = protolog_viewer_config_tokenize,
     .felt = PACKET_ALWAYS},
    {PB_TracePacket_protolog_message, .parse = protolog_message_parse, .felt = PACKET_MOMENT},
    {0},
};
