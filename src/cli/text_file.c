#include "cli/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_file.h"

/* Large maps of R8 have some hundred MB; a device or a pipe may never end. */
enum { SIZE_MOST = 512 << 20 };

struct status text_file_read(const char *path, struct text_file *out)
{
    bool is_stdin = strcmp(path, "-") == 0;
    *out = (struct text_file){.name = is_stdin ? "<stdin>" : path};
    int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    return whole_file_read(fd, path, SIZE_MOST, &out->text, &out->size);
}

void text_file_release(struct text_file *f)
{
    free(f->text);
    f->text = NULL;
}
