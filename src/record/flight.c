#include "record/flight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/output_file.h"

#define SECOND INT64_C(1000000000)

enum {
    STRETCHES = 24,    /* of a ring */
    ASKED_SECONDS = 5, /* triggers see at least as much */
    SHOWN_COST = 10,   /* writing what is shown takes at most this part of the time */
    PATH_BYTES = 4096,
};

struct status record_flight_begin(struct recorder *r, struct record_flight *f)
{
    *f = (struct record_flight){.check.answer = -1};
    for (size_t i = 0; i < r->settings->triggers.count; i++) {
        struct record_trigger t;
        struct status s =
            record_trigger_read(r->settings->triggers.items[i], r->settings->alerts, &t);
        if (!status_ok(s))
            return s;
        *vec_push(&f->triggers) = t;
    }
    f->asked_until = record_now();
    f->shown_due_ns = clock_now_ns() + SECOND; /* something is there then */
    return status_ok_value();
}

void record_flight_end(struct record_flight *f)
{
    record_check_cancel(&f->check);
    for (size_t i = 0; i < f->triggers.count; i++)
        record_trigger_release(&f->triggers.items[i]);
    vec_release(&f->triggers);
}

/* What triggers have not answered for yet stays, so that what meets one is in its file, however
 * long a busy machine takes to ask. */
static int64_t keep_from(const struct recorder *r, const struct record_flight *f, int64_t boot)
{
    int64_t from = boot - r->settings->ring_ns;
    int64_t unasked = (int64_t)(f->check.pid ? f->check.since : f->asked_until);
    return f->triggers.count > 0 && unasked < from ? unasked : from;
}

bool record_flight_stretch(struct recorder *r, struct record_flight *f, int64_t now)
{
    if (now < f->stretch_due_ns && !record_output_is_full(&r->out))
        return false;
    int64_t length = r->settings->ring_ns / STRETCHES;
    length = length < SECOND ? SECOND : length;
    int64_t boot = (int64_t)record_now();
    record_output_stretch(&r->out, boot, keep_from(r, f, boot), r->settings->ring_bytes);
    f->stretch_due_ns = now + length;
    return true;
}

static struct status write_ring(void *self, FILE *file)
{
    struct recorder *r = self;
    int error = record_output_write_ring(&r->out, fileno(file));
    return error
               ? status_error(STATUS_IO, "%s: cannot be written: %s", r->out.path, strerror(error))
               : status_ok_value();
}

/* "x.pftrace" is "x-1.pftrace" for the first file. */
static void numbered_path(const char *path, unsigned number, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot && dot != path ? (size_t)(dot - path) : strlen(path);
    snprintf(out, size, "%.*s-%u%s", (int)stem, path, number, path + stem);
}

static void write_numbered(struct recorder *r, struct record_flight *f, const char *why)
{
    char path[PATH_BYTES];
    numbered_path(r->settings->path, ++f->written, path, sizeof path);
    struct status s = replace_file(path, write_ring, r);
    if (status_ok(s))
        record_say(r, "%s: wrote %s, %.1f MB", why, path, (double)r->out.ring_bytes / 1e6);
    else
        record_say(r, "%s", s.message);
    status_release(&s);
}

/* The bytes of the stretches that the last seconds are in. */
static struct pb_bytes last_seconds(const struct record_output *o, uint64_t from)
{
    size_t first = o->ring.count;
    while (first > 0 && (first == o->ring.count || (uint64_t)o->ring.items[first].begin_ns > from))
        first--;
    struct pb_bytes all = {0};
    for (size_t i = first; i < o->ring.count; i++)
        pb_put_raw(&all, o->ring.items[i].packets.v.items, o->ring.items[i].packets.v.count);
    return all;
}

static void ask(struct recorder *r, struct record_flight *f)
{
    uint64_t now = record_now(), earliest = now - ASKED_SECONDS * (uint64_t)SECOND;
    if (earliest > f->asked_until)
        earliest = f->asked_until; /* asking took long */
    struct pb_bytes all = last_seconds(&r->out, earliest);
    f->check.since = f->asked_until;
    record_check_begin(&f->check, f->triggers.items, f->triggers.count, r->settings->alerts,
                       (struct bytes){all.v.items, all.v.count});
    pb_bytes_release(&all);
    f->asked_until = now;
}

static void take_answer(struct recorder *r, struct record_flight *f)
{
    char line[1024];
    if (!record_check_take(&f->check, line, sizeof line))
        return;
    if (line[0] == '!') /* a statement that fails would fail each second */
        record_say(r, "%s", line + 1);
    else
        write_numbered(r, f, line);
    f->check.open_since = record_now();
}

/* What `tptui live` shows: the whole ring, again and again. */
static void write_shown(struct recorder *r, struct record_flight *f, int64_t now)
{
    if (!r->settings->shown_path || now < f->shown_due_ns)
        return;
    struct status s = replace_file(r->settings->shown_path, write_ring, r);
    if (!status_ok(s))
        record_say(r, "%s", s.message);
    status_release(&s);
    int64_t took = clock_now_ns() - now;
    f->shown_due_ns = now + (took * SHOWN_COST > SECOND / 2 ? took * SHOWN_COST : SECOND / 2);
}

void record_flight_look(struct recorder *r, struct record_flight *f, int64_t now)
{
    take_answer(r, f);
    if (f->wanted)
        write_numbered(r, f, "asked by a signal");
    f->wanted = false;
    write_shown(r, f, now);
    if (f->triggers.count == 0 || f->check.pid || now < f->check_due_ns)
        return;
    ask(r, f);
    f->check_due_ns = now + SECOND;
}
