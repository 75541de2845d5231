/* The session's tables as a database, over RPC. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pb_fields.h"
#include "rpc/methods.h"
#include "sql/export/arrow_export.h"
#include "sql/export/database_export.h"

enum { PIECE = 1 << 20 };

/* A file below $TMPDIR that nobody else can open; false where none can be made. */
static bool make_temporary(char *path, size_t size)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/tptui-export-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Bare, the bytes are the answer; else each piece is a message. */
static void send_piece(struct rpc_reply *reply, const void *p, size_t n, bool has_more)
{
    struct pb_bytes result = {0};
    if (!reply->seq) {
        pb_put_raw(&result, p, n);
    } else {
        pb_put_str(&result, PB_ExportResult_data, (struct str){p, n});
        pb_put_uint(&result, PB_ExportResult_has_more, has_more);
    }
    rpc_reply_send(reply, &result);
    pb_bytes_release(&result);
}

static void send_file(struct rpc_reply *reply, FILE *f)
{
    char *piece = alloc_bytes(PIECE);
    size_t n = fread(piece, 1, PIECE, f);
    while (!reply->failed) {
        int next = getc(f);
        send_piece(reply, piece, n, next != EOF);
        if (next == EOF)
            break;
        ungetc(next, f);
        n = fread(piece, 1, PIECE, f);
    }
    free(piece);
}

typedef struct status exporter(struct sql_session *s, const char *path);

static exporter *find_exporter(uint32_t format)
{
    switch (format) {
    case PB_ExportArgs_Format_PERFETTO:
        return perfetto_export;
    case PB_ExportArgs_Format_ARROW_TAR:
        return arrow_export;
    case PB_ExportArgs_Format_SQLITE:
        return database_export;
    default:
        return NULL;
    }
}

void method_export(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)args.p, args.n);
    struct pb_field f;
    char path[4096];
    uint32_t format = PB_ExportArgs_Format_FORMAT_UNSPECIFIED;
    while (pb_next(&r, &f))
        if (f.number == PB_ExportArgs_format)
            format = pb_u32(&f);
    exporter *run = find_exporter(format);
    if (!run) {
        rpc_reply_error(reply, "Export format is required");
        return;
    }
    if (!make_temporary(path, sizeof path)) {
        rpc_reply_error(reply, strerror(errno));
        return;
    }
    struct status s = rpc_engine_trace_status(e);
    if (status_ok(s))
        s = run(e->session, path);
    FILE *file = status_ok(s) ? fopen(path, "rb") : NULL;
    if (file)
        send_file(reply, file);
    else
        rpc_reply_error(reply, s.message ? s.message : strerror(errno));
    if (file)
        fclose(file);
    unlink(path);
    status_release(&s);
}
