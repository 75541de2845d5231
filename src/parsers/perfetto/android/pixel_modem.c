/* Events of the modem of Pixel phones: instants by domain. An event is the number of a text, which
 * the trace's database has, and the values that belong into it, as Pigweed's tokenizer writes them.
 */
#define PB_READS_LITTLE
#include <stdio.h>

#include "base/little_endian.h"
#include "base/vec.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { HEADER_BYTES = 16, ENTRY_BYTES = 8, VALUE_BYTES = 64, SPEC_BYTES = 32, WIDTH_MAX = 60 };
/* Texts are cut here, without and with their values: a few bytes of an event make a new one. */
enum { TEXT_MAX = 1024 };

struct modem_state {
    struct map by_token;   /* -> index of texts */
    VEC(struct str) texts; /* in the database packet */
};

struct modem_record {
    struct record_call call;
    struct bytes event;
    int64_t packet_ts;
};

static void modem_release(void *state)
{
    struct modem_state *s = state;
    map_release(&s->by_token);
    vec_release(&s->texts);
}

static const struct import_state_kind modem_kind = {.size = sizeof(struct modem_state),
                                                    .release = modem_release};

/* A header with the number of entries, the entries {token, day of removal}, then their texts, each
 * with a NUL behind it. Texts of entries that were removed are of other versions. */
static void read_database(struct modem_state *s, struct bytes db)
{
    static const uint8_t magic[] = {'T', 'O', 'K', 'E', 'N', 'S', 0, 0};
    const uint32_t never_removed = UINT32_MAX;
    if (db.n < HEADER_BYTES || memcmp(db.p, magic, sizeof magic) != 0)
        return;
    size_t count = load_le32(db.p + sizeof magic);
    if (count > (db.n - HEADER_BYTES) / ENTRY_BYTES)
        return;
    map_release(&s->by_token);
    s->texts.count = 0;
    const uint8_t *entry = db.p + HEADER_BYTES, *text = entry + count * ENTRY_BYTES;
    const uint8_t *end = db.p + db.n, *nul;
    for (; count > 0 && (nul = memchr(text, 0, (size_t)(end - text))) != NULL; count--) {
        if (load_le32(entry + 4) == never_removed) {
            map_set(&s->by_token, load_le32(entry), (uint32_t)s->texts.count);
            size_t n = (size_t)(nul - text);
            *vec_push(&s->texts) = (struct str){(const char *)text, n < TEXT_MAX ? n : TEXT_MAX};
        }
        entry += ENTRY_BYTES;
        text = nul + 1;
    }
}

static bool pixel_modem_database_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_PixelModemTokenDatabase_database)
            read_database(import_state(im, &modem_kind), field_bytes(&f));
    return true;
}

/* One "%..." of a text. */
struct text_conversion {
    size_t end;           /* behind it */
    char flags[8];        /* as they stand */
    int width, precision; /* -1: none */
    bool width_is_value, precision_is_value, is_long;
    char kind; /* 0: none that takes a value */
};

static char text_at(struct str s, size_t i)
{
    return i < s.n ? s.p[i] : '\0';
}

static int read_number(struct str s, size_t *i, bool *is_value)
{
    int n = -1;
    *is_value = text_at(s, *i) == '*';
    if (*is_value)
        ++*i;
    for (; text_at(s, *i) >= '0' && text_at(s, *i) <= '9'; ++*i)
        n = n > WIDTH_MAX ? n : (n < 0 ? 0 : n) * 10 + (text_at(s, *i) - '0');
    return n > WIDTH_MAX ? WIDTH_MAX : n;
}

/* `i` is behind the percent sign. */
static struct text_conversion read_conversion(struct str s, size_t i)
{
    struct text_conversion c = {.width = -1, .precision = -1};
    size_t flags = 0;
    for (; text_at(s, i) && strchr("-+# 0", text_at(s, i)); i++)
        if (flags + 1 < sizeof c.flags)
            c.flags[flags++] = text_at(s, i);
    c.width = read_number(s, &i, &c.width_is_value);
    if (text_at(s, i) == '.') {
        i++;
        c.precision = read_number(s, &i, &c.precision_is_value);
        if (c.precision < 0)
            c.precision = 0;
    }
    for (char before = 0; text_at(s, i) && strchr("hljztL", text_at(s, i)); i++) {
        c.is_long |= text_at(s, i) == 'j' || (before == 'l' && text_at(s, i) == 'l');
        before = text_at(s, i);
    }
    if (text_at(s, i) && strchr("dicpoxXufFeEaAgG", text_at(s, i)))
        c.kind = text_at(s, i);
    c.end = i < s.n ? i + 1 : s.n;
    return c;
}

/* Integers are zigzag varints, whatever their type is. */
static bool read_value(struct pb_reader *r, int64_t *out)
{
    uint64_t v;
    if (r->p >= r->end || !pb_read_varint(r, &v))
        return false;
    *out = (int64_t)(v >> 1 ^ (0 - (v & 1)));
    return true;
}

static bool read_star(struct pb_reader *r, bool is_value, int *n)
{
    int64_t v;
    if (!is_value)
        return true;
    if (!read_value(r, &v))
        return false;
    *n = v < 0 ? -1 : v > WIDTH_MAX ? WIDTH_MAX : (int)v;
    return true;
}

/* "%08" for what the text has, without length and kind. */
static void make_spec(const struct text_conversion *c, const char *rest, char spec[SPEC_BYTES])
{
    char width[12] = "", precision[12] = "";
    if (c->width >= 0)
        snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(spec, SPEC_BYTES, "%%%s%s%s%s%c", c->flags, width, precision, rest, c->kind);
}

/* Takes the conversion's value from the payload: its text and its argument. False where the payload
 * ends before. */
static bool take_value(struct pb_reader *r, struct text_conversion c, char text[VALUE_BYTES],
                       struct arg *arg)
{
    char spec[SPEC_BYTES];
    int64_t v;
    float real;
    if (!read_star(r, c.width_is_value, &c.width) ||
        !read_star(r, c.precision_is_value, &c.precision))
        return false;
    if (strchr("fFeEaAgG", c.kind)) {
        if ((size_t)(r->end - r->p) < sizeof real)
            return false;
        uint32_t bits = load_le32(r->p);
        memcpy(&real, &bits, sizeof real);
        r->p += sizeof real;
        make_spec(&c, "", spec);
        snprintf(text, VALUE_BYTES, spec, (double)real);
        arg->type = ARG_REAL;
        arg->d = (double)real;
        return true;
    }
    if (!read_value(r, &v))
        return false;
    bool is_signed = c.kind == 'd' || c.kind == 'i' || c.kind == 'c';
    if (!is_signed && c.kind != 'p' && !c.is_long)
        v &= UINT32_MAX;
    arg->type = is_signed ? ARG_INT : ARG_UINT;
    arg->i = v;
    make_spec(&c, c.kind == 'c' || c.kind == 'p' ? "" : "ll", spec);
    if (c.kind == 'c')
        snprintf(text, VALUE_BYTES, spec, (int)v);
    else if (c.kind == 'p')
        snprintf(text, VALUE_BYTES, spec, (void *)(uintptr_t)v);
    else
        snprintf(text, VALUE_BYTES, spec, (long long)v);
    return true;
}

struct modem_text {
    char bytes[TEXT_MAX];
    size_t n;
};

static void add_text(struct modem_text *t, struct str s)
{
    size_t n = s.n < TEXT_MAX - t->n ? s.n : TEXT_MAX - t->n;
    if (n)
        memcpy(t->bytes + t->n, s.p, n);
    t->n += n;
}

static void add_value_arg(struct import *im, uint32_t token, uint32_t number, struct arg arg,
                          struct arg_list *args)
{
    char key[48];
    snprintf(key, sizeof key, "pw_token_%u.arg_%u", token, number);
    arg.key = arg.flat_key = trace_intern_c(im->trace, key);
    arg_list_add(args, arg);
}

/* The text with the payload's values in it, which also become args. */
static void fill_in(struct import *im, struct str format, uint32_t token, struct pb_reader payload,
                    struct modem_text *out, struct arg_list *args)
{
    size_t done = 0;
    uint32_t values = 0;
    for (size_t i = 0; i < format.n; i++) {
        if (format.p[i] != '%')
            continue;
        struct text_conversion c = read_conversion(format, i + 1);
        if (c.kind) {
            char text[VALUE_BYTES];
            struct arg arg = {0};
            bool taken = take_value(&payload, c, text, &arg);
            add_text(out, str_from_to(format, done, i));
            add_text(out, taken ? str_from(text) : STR("<ERROR>"));
            if (taken)
                add_value_arg(im, token, values++, arg, args);
            done = c.end;
        }
        i = c.end - 1;
    }
    add_text(out, str_from_to(format, done, format.n));
}

/* "...■domain♦RF■format♦hello": the value behind a key, or what `fallback` is. */
static struct str member(struct str text, struct str key, struct str fallback)
{
    struct str start = STR("\u25a0"), middle = STR("\u2666");
    for (size_t i = 0; i < text.n;) {
        struct str rest = str_skip(text, i);
        size_t n = 0;
        while (n < rest.n && !str_starts(str_skip(rest, n), start))
            n++;
        struct str pair = str_from_to(rest, 0, n);
        if (str_starts(pair, key) && str_starts(str_skip(pair, key.n), middle)) {
            struct str value = str_skip(pair, key.n + middle.n);
            size_t end = 0;
            while (end < value.n && !str_starts(str_skip(value, end), middle))
                end++;
            return str_from_to(value, 0, end);
        }
        i += n + start.n;
    }
    return fallback;
}

static uint32_t modem_track(struct import *im, uint32_t machine, struct str domain)
{
    char name[256];
    snprintf(name, sizeof name, "Pixel Modem Events%s%.*s", domain.n ? ": " : "",
             (int)(domain.n & 0xffff), domain.p);
    struct track_spec spec = {
        .type = "pixel_modem_event",
        .machine = machine,
        .dimension_count = 1,
        .dimensions = {{.key = "modem_domain",
                        .type = ARG_STRING,
                        .s = trace_intern(im->trace, domain)}},
        .name = trace_intern_c(im->trace, name),
    };
    return track_intern(im->trace, &spec);
}

static void apply_event(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct modem_record *record = (const struct modem_record *)call;
    const struct modem_state *s = import_state(im, &modem_kind);
    struct trace *t = im->trace;
    uint32_t token = load_le32(record->event.p);
    const uint32_t *at = map_find(&s->by_token, token);
    struct str format = at ? s->texts.items[*at] : STR("Token not found");
    struct arg_list args = {0};
    struct modem_text text;
    char hex[16];
    text.n = 0;
    snprintf(hex, sizeof hex, "0x%02x", token);
    arg_list_str(&args, trace_intern(t, STR("raw_template")), trace_intern(t, format));
    arg_list_int(&args, trace_intern(t, STR("token_id")), token);
    arg_list_str(&args, trace_intern(t, STR("token_id_hex")), trace_intern_c(t, hex));
    arg_list_uint(&args, trace_intern(t, STR("packet_ts")), (uint64_t)record->packet_ts);
    fill_in(im, format, token, pb_reader_from(record->event.p + 4, record->event.n - 4), &text,
            &args);
    struct str whole = {text.bytes, text.n};
    uint32_t track =
        modem_track(im, record->call.machine, member(whole, STR("domain"), (struct str){0}));
    uint32_t slice = slice_complete(t, ts, 0, track, NULL_STRING,
                                    trace_intern(t, member(whole, STR("format"), whole)));
    if (slice != NULL_U32)
        table_set_u32(&t->tables.slice, slice_col_arg_set_id, slice, args_intern(&t->args, &args));
    arg_list_release(&args);
}

static void push_event(struct import *im, const struct packet *p, int64_t ts, struct bytes event)
{
    if (ts < 0) {
        stats_count(im->trace, STAT_pixel_modem_negative_timestamp);
        return;
    }
    if (event.n < sizeof(uint32_t))
        return;
    struct modem_record *record = arena_alloc(&im->arena, sizeof *record);
    *record = (struct modem_record){.call = {apply_event, p->machine},
                                    .event = event,
                                    .packet_ts = p->ts};
    sorter_push(&im->sorter, 0, ts, RECORD_CALL, (uintptr_t)record);
}

/* Events and their times are two lists side by side; each time is relative to the one before. */
static bool pixel_modem_events_tokenize(struct import *im, struct packet *p)
{
    VEC(uint64_t) times = {0};
    struct pb_reader r = bytes_reader(p->field), events = r;
    struct pb_field f;
    uint64_t v, ts = 0;
    while (pb_next(&r, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (f.number == PB_PixelModemEvents_event_time_nanos && pb_packed_next(&it, &v))
            *vec_push(&times) = v;
    }
    for (size_t i = 0; i < times.count && pb_next(&events, &f);) {
        if (f.number != PB_PixelModemEvents_events)
            continue;
        ts += times.items[i++];
        push_event(im, p, (int64_t)ts, field_bytes(&f));
    }
    vec_release(&times);
    return true;
}

static bool pixel_modem_events_span(struct import *im, const struct packet *p,
                                    struct packet_span *out)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t v, ts = 0;
    (void)im;
    *out = (struct packet_span){INT64_MAX, INT64_MIN};
    while (pb_next(&r, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        for (; f.number == PB_PixelModemEvents_event_time_nanos && pb_packed_next(&it, &v);) {
            ts += v;
            if ((int64_t)ts >= 0)
                packet_span_add(out, (int64_t)ts);
        }
    }
    return out->first <= out->last;
}

const struct packet_module pixel_modem_packets[] = {
    {PB_TracePacket_pixel_modem_token_database, .tokenize = pixel_modem_database_tokenize,
     .felt = PACKET_ALWAYS},
    {PB_TracePacket_pixel_modem_events, .tokenize = pixel_modem_events_tokenize,
     .felt = PACKET_SPAN, .span = pixel_modem_events_span},
    {0},
};
