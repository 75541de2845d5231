#include "base/standard_streams.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/output_file.h"
#include "base/shown_stream.h"

static FILE *output, *errors; /* NULL: as they came */

void standard_streams_guard(void)
{
    static struct shown_stream shown, shown_errors;
    output = isatty(STDOUT_FILENO) ? shown_stream_open(&shown, STDOUT_FILENO) : NULL;
    errors = isatty(STDERR_FILENO) ? shown_stream_open(&shown_errors, STDERR_FILENO) : NULL;
    if (output)
        setvbuf(output, NULL, _IOLBF, BUFSIZ);
    if (errors)
        setvbuf(errors, NULL, _IONBF, 0);
}

FILE *standard_output(void)
{
    return output ? output : stdout;
}

FILE *standard_errors(void)
{
    return errors ? errors : stderr;
}

int standard_output_end(int status)
{
    int error = output_error(standard_output());
    if (error == 0 || error == EPIPE)
        return status;
    fprintf(standard_errors(), "tptui: cannot write to stdout: %s\n", strerror(error));
    return status == 0 ? 1 : status;
}
