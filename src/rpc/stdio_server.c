#include "rpc/stdio_server.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "rpc/engine.h"
#include "rpc/server_end.h"

enum { PIECE = 1 << 20 };

static bool write_all(void *self, const void *p, size_t n)
{
    const int *fd = self;
    const char *from = p;
    while (n > 0) {
        ssize_t written = write(*fd, from, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        from += written;
        n -= (size_t)written;
    }
    return true;
}

struct status stdio_server_run(struct rpc_engine *e, int in, int out)
{
    struct rpc_output output = {.write = write_all, .self = &out};
    struct rpc_channel *channel = rpc_channel_new(e);
    server_end_on_signals(NULL);
    struct status s = status_ok_value();
    char *piece = alloc_bytes(PIECE);
    for (;;) {
        ssize_t n = read(in, piece, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            s = status_error(STATUS_IO, "requests cannot be read: %s", strerror(errno));
        if (n <= 0)
            break;
        if (!rpc_channel_receive(channel, (struct str){piece, (size_t)n}, &output)) {
            s = status_error(STATUS_IO, "the client broke the protocol, or is gone");
            break;
        }
    }
    free(piece);
    rpc_channel_free(channel);
    return s;
}
