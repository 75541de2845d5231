#include "cli/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Large maps of R8 have some hundred MB; a device or a pipe may never end. */
enum { SIZE_MOST = 512 << 20 };

/* At most one byte more than is allowed. */
static char *read_stream(FILE *f, size_t *size)
{
    VEC(char) text = {0};
    char buffer[1 << 14];
    size_t n;
    while (text.count <= SIZE_MOST && (n = fread(buffer, 1, sizeof buffer, f)) > 0) {
        vec_reserve(&text, text.count + n + 1);
        memcpy(text.items + text.count, buffer, n);
        text.count += n;
    }
    vec_reserve(&text, text.count + 1);
    text.items[text.count] = 0;
    *size = text.count;
    return text.items;
}

struct status text_file_read(const char *path, struct text_file *out)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *f = is_stdin ? stdin : fopen(path, "rb");
    *out = (struct text_file){.name = is_stdin ? "<stdin>" : path};
    if (!f)
        return status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    out->text = read_stream(f, &out->size);
    bool failed = ferror(f) != 0;
    int error = errno;
    if (!is_stdin)
        fclose(f);
    if (!failed && out->size <= SIZE_MOST)
        return status_ok_value();
    text_file_release(out);
    return failed ? status_error(STATUS_IO, "%s: %s", path, strerror(error))
                  : status_error(STATUS_IO, "%s: larger than %d MB", path, SIZE_MOST >> 20);
}

void text_file_release(struct text_file *f)
{
    free(f->text);
    f->text = NULL;
}
