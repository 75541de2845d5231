/* Bytes as what a client sends to a server of the Model Context Protocol that may open nothing. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "mcp/server.h"

enum { BYTES_MAX = 60000 }; /* a pipe holds them, so that nobody waits */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcp_traces traces;
    int in[2], out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (out < 0 || pipe(in) != 0)
        abort();
    size = size < BYTES_MAX ? size : BYTES_MAX;
    if (write(in[1], data, size) != (ssize_t)size)
        abort();
    close(in[1]);
    mcp_traces_init(&traces);
    struct status s = mcp_server_run(&traces, "0", in[0], out);
    status_release(&s);
    mcp_traces_release(&traces);
    close(in[0]);
    close(out);
    return 0;
}
