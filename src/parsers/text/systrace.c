#include "parsers/text/systrace.h"

#include "core/trace_builder.h"

static struct str strip_end(struct str s)
{
    while (s.n && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\0'))
        s.n--;
    return s;
}

/* Up to the next bar, NUL or end. */
static struct str next_field(struct str *rest)
{
    size_t n = 0;
    while (n < rest->n && rest->p[n] != '|' && rest->p[n] != '\0')
        n++;
    struct str field = str_from_to(*rest, 0, n);
    *rest = str_behind(*rest, n);
    return field;
}

static bool read_tgid(struct str field, int64_t *out)
{
    uint64_t tgid;
    *out = 0;
    if (!str_to_u64(field, 10, &tgid) || tgid > UINT32_MAX)
        return false;
    *out = (int64_t)tgid;
    return true;
}

/* What follows tgid, by phase. */
static bool read_rest(struct str rest, struct atrace_point *p)
{
    switch (p->phase) {
    case 'B':
        p->name = rest.n ? rest : STR("[empty slice name]");
        return true;
    case 'S':
    case 'F':
    case 'C':
        p->name = next_field(&rest);
        return p->name.n && str_to_i64(next_field(&rest), &p->value);
    case 'I':
        p->name = next_field(&rest);
        return p->name.n;
    case 'N':
        p->track = next_field(&rest);
        p->name = next_field(&rest);
        return p->track.n && p->name.n;
    case 'G':
        p->track = next_field(&rest);
        p->name = next_field(&rest);
        return p->track.n && p->name.n && str_to_i64(next_field(&rest), &p->value);
    case 'H': {
        p->track = next_field(&rest);
        struct str name_or_cookie = next_field(&rest), cookie = next_field(&rest);
        return p->track.n && str_to_i64(cookie.n ? cookie : name_or_cookie, &p->value);
    }
    default:
        return false;
    }
}

enum systrace_result {
    SYSTRACE_OK,
    SYSTRACE_IGNORED, /* known, but not a mark: clock syncs */
    SYSTRACE_MALFORMED,
    SYSTRACE_OTHER, /* no mark, but what somebody else wrote there */
};

/* "B|12|name" and the like, whatever follows the letter. */
static bool is_mark(struct str line)
{
    return line.n > 0 && memchr("BESFCINGH", *line.p, 9) && (line.n == 1 || line.p[1] == '|');
}

/* `p` points into `line`. */
static enum systrace_result systrace_read(struct str line, struct atrace_point *p)
{
    struct str rest = strip_end(line), whole = rest, phase = next_field(&rest);
    *p = (struct atrace_point){0};
    if (phase.n == 0)
        return SYSTRACE_MALFORMED;
    p->phase = phase.p[0];
    bool has_tgid = read_tgid(next_field(&rest), &p->tgid);
    if (p->phase == 'E') /* some writers leave out everything behind it */
        return SYSTRACE_OK;
    if (has_tgid && read_rest(rest, p))
        return SYSTRACE_OK;
    if (str_starts(whole, STR("trace_event_clock_sync:")))
        return SYSTRACE_IGNORED;
    return is_mark(whole) ? SYSTRACE_MALFORMED : SYSTRACE_OTHER;
}

bool systrace_point(struct str line, struct atrace_point *p)
{
    return systrace_read(line, p) == SYSTRACE_OK;
}

void systrace_parse(struct trace *t, uint32_t machine, int64_t ts, int64_t tid, struct str line)
{
    struct atrace_point p;
    switch (systrace_read(line, &p)) {
    case SYSTRACE_OK:
        atrace_apply(t, machine, ts, tid, &p);
        return;
    case SYSTRACE_IGNORED:
        return;
    case SYSTRACE_OTHER: /* counted as in Trace Processor, but the event has a row with its text */
        t->builder->harmless[STAT_systrace_parse_failure]++;
        stats_count(t, STAT_systrace_parse_failure);
        return;
    case SYSTRACE_MALFORMED:
        stats_count(t, STAT_systrace_parse_failure);
    }
}
