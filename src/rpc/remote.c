#define PB_READS_LITTLE
#include "rpc/remote.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "parsers/proto/write.h"
#include "pb_fields.h"
#include "rpc/frames.h"
#include "rpc/socket_path.h"
#include "sql/engine/sink.h"

#define BATCH(NAME) PB_QueryResult_CellsBatch_##NAME

enum { PIECE = 64 << 10 };

struct remote {
    int fd;
    int64_t seq;
    struct frames frames;
};

static struct status connect_to(const char *address, int *fd)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct status s = socket_path(address, to.sun_path, sizeof to.sun_path);
    if (!status_ok(s))
        return s;
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct ucred peer;
    socklen_t size = sizeof peer;
    bool there = *fd >= 0 && connect(*fd, (const struct sockaddr *)&to, sizeof to) == 0;
    bool known = there && getsockopt(*fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    if (known && (peer.uid == geteuid() || peer.uid == 0))
        return s;
    if (there)
        s = status_error(STATUS_IO, "%s: that is a session of another user", address);
    else
        s = status_error(STATUS_IO, "%s: no session there: %s", address, strerror(errno));
    if (*fd >= 0)
        close(*fd);
    return s;
}

struct status remote_open(const char *address, struct remote **out)
{
    int fd;
    struct status s = connect_to(address, &fd);
    if (!status_ok(s))
        return s;
    *out = alloc_array(1, sizeof **out);
    (*out)->fd = fd;
    return s;
}

void remote_close(struct remote *r)
{
    close(r->fd);
    frames_release(&r->frames);
    free(r);
}

struct status remote_kill(const char *address)
{
    int fd;
    struct ucred peer;
    socklen_t size = sizeof peer;
    struct status s = connect_to(address, &fd);
    if (!status_ok(s))
        return s;
    bool known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    close(fd);
    /* Another's could name any process. */
    if (known && peer.uid != geteuid())
        return status_error(STATUS_IO, "%s: that is a session of another user", address);
    if (known && kill(peer.pid, SIGTERM) == 0)
        return s;
    return status_error(STATUS_IO, "%s: %s", address, strerror(errno));
}

static struct status gone(void)
{
    return status_error(STATUS_IO, "the session has ended");
}

static struct status send_all(struct remote *r, const struct pb_bytes *bytes)
{
    for (size_t at = 0; at < bytes->v.count;) {
        ssize_t n = send(r->fd, bytes->v.items + at, bytes->v.count - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return gone();
        at += (size_t)n;
    }
    return status_ok_value();
}

static struct status send_statement(struct remote *r, struct str script, size_t at)
{
    struct pb_bytes args = {0}, message = {0}, stream = {0};
    pb_put_str(&args, PB_StatementArgs_sql, script);
    pb_put_uint(&args, PB_StatementArgs_start_offset, at);
    pb_put_uint(&message, PB_TraceProcessorRpc_seq, (uint64_t)++r->seq);
    pb_put_uint(&message, PB_TraceProcessorRpc_request,
                PB_TraceProcessorRpc_TraceProcessorMethod_TPM_STATEMENT_STREAMING);
    pb_put_message(&message, PB_TraceProcessorRpc_statement_args, &args);
    pb_put_message(&stream, PB_TraceProcessorRpcStream_msg, &message);
    struct status s = send_all(r, &stream);
    pb_bytes_release(&args);
    pb_bytes_release(&message);
    pb_bytes_release(&stream);
    return s;
}

static struct status receive_message(struct remote *r, struct str *message)
{
    char piece[PIECE];
    while (!frames_next(&r->frames, message)) {
        ssize_t n = recv(r->fd, piece, sizeof piece, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || r->frames.broken)
            return gone();
        frames_append(&r->frames, (struct str){piece, (size_t)n});
    }
    return status_ok_value();
}

/* A result being received. */
struct received {
    const struct sql_sink *sink;
    VEC(char *) names; /* owned */
    size_t columns;    /* the names when the sink was told to begin; 0: it was not */
    VEC(struct sql_value) row;
    bool begun, last, stopped;
    char *error; /* owned; NULL: none */
};

/* The cells of a batch, kind by kind. */
struct batch_cells {
    struct str types, texts;
    struct pb_packed ints, reals;
    struct pb_reader blobs;
};

static struct batch_cells open_cells(struct str batch)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)batch.p, batch.n);
    struct batch_cells c = {.types = {"", 0},
                            .texts = {"", 0},
                            .blobs = pb_reader_from((const uint8_t *)batch.p, batch.n)};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == BATCH(cells))
            c.types = pb_str(&f);
        else if (f.number == BATCH(string_cells))
            c.texts = pb_str(&f);
        else if (f.number == BATCH(varint_cells))
            c.ints = pb_packed_begin(&f, PB_WIRE_VARINT);
        else if (f.number == BATCH(float64_cells))
            c.reals = pb_packed_begin(&f, PB_WIRE_I64);
    }
    return c;
}

static struct sql_value next_cell(struct batch_cells *c, uint8_t type)
{
    struct sql_value v = {.type = SQL_NULL};
    uint64_t bits = 0;
    struct pb_field f = {0};
    if (type == BATCH(CellType_CELL_VARINT) && pb_packed_next(&c->ints, &bits)) {
        v.type = SQL_INT;
        v.i = (int64_t)bits;
    } else if (type == BATCH(CellType_CELL_FLOAT64) && pb_packed_next(&c->reals, &bits)) {
        v.type = SQL_REAL;
        memcpy(&v.d, &bits, sizeof v.d);
    } else if (type == BATCH(CellType_CELL_STRING)) {
        v.type = SQL_TEXT;
        v.s = str_cut(&c->texts, 0);
    } else if (type == BATCH(CellType_CELL_BLOB)) {
        v.type = SQL_BLOB;
        v.s = STR("");
        for (bool found = false; !found && pb_next(&c->blobs, &f);) {
            found = f.number == BATCH(blob_cells);
            v.s = found ? pb_str(&f) : v.s;
        }
    }
    return v;
}

static void take_batch(struct received *in, struct str batch)
{
    struct batch_cells c = open_cells(batch);
    size_t columns = in->columns;
    struct pb_reader r = pb_reader_from((const uint8_t *)batch.p, batch.n);
    struct pb_field f;
    for (size_t i = 0; i < c.types.n && columns > 0 && !in->stopped; i++) {
        *vec_push(&in->row) = next_cell(&c, (uint8_t)c.types.p[i]);
        if (in->row.count < columns)
            continue;
        in->stopped = !in->sink->row(in->sink->self, (int)columns, in->row.items);
        in->row.count = 0;
    }
    while (pb_next(&r, &f))
        in->last |= f.number == BATCH(is_last_batch) && pb_bool(&f);
}

static void begin_rows(struct received *in)
{
    if (in->begun)
        return;
    in->begun = true;
    in->columns = in->names.count;
    if (in->columns > 0)
        in->stopped = !sink_begin(in->sink, (int)in->columns, (const char *const *)in->names.items);
}

/* A QueryResult: names come before the batches; later ones are none of the sink's. */
static void take_result(struct received *in, struct str result)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)result.p, result.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        struct str text = pb_str(&f);
        if (f.number == PB_QueryResult_column_names) {
            *vec_push(&in->names) = alloc_copy(text.p, text.n);
        } else if (f.number == PB_QueryResult_error && !in->error) {
            in->error = alloc_copy(text.p, text.n);
        } else if (f.number == PB_QueryResult_batch) {
            begin_rows(in);
            take_batch(in, text);
        }
    }
}

static void take_statement(struct received *in, struct str message, size_t *at, bool *found)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)message.p, message.n);
    struct pb_field f, inner;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TraceProcessorRpc_fatal_error && !in->error)
            in->error = alloc_copy(pb_str(&f).p, pb_str(&f).n);
        if (f.number != PB_TraceProcessorRpc_statement_result)
            continue;
        struct pb_reader result = pb_message(&f);
        while (pb_next(&result, &inner)) {
            if (inner.number == PB_StatementResult_result)
                take_result(in, pb_str(&inner));
            else if (inner.number == PB_StatementResult_tail_offset)
                *at = pb_u32(&inner);
            else if (inner.number == PB_StatementResult_statement_executed)
                *found = pb_bool(&inner);
        }
    }
}

struct status remote_run_next(struct remote *r, struct str script, size_t *at,
                              const struct sql_sink *sink, bool *found)
{
    struct received in = {.sink = sink};
    struct str message;
    struct status s = send_statement(r, script, *at);
    *found = false;
    while (status_ok(s) && !in.last && !in.stopped) {
        s = receive_message(r, &message);
        if (status_ok(s))
            take_statement(&in, message, at, found);
        if (in.error)
            break;
    }
    if (status_ok(s) && in.error)
        s = status_error(STATUS_SQL, "%s", in.error);
    else if (status_ok(s) && in.stopped)
        s = status_error(STATUS_CANCELLED, "interrupted");
    else if (status_ok(s) && in.columns > 0)
        sink_end(sink);
    for (size_t i = 0; i < in.names.count; i++)
        free(in.names.items[i]);
    vec_release(&in.names);
    vec_release(&in.row);
    free(in.error);
    return s;
}
