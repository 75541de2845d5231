/* For tests that make archives, one source file each: what libarchive's writers need besides.
 *
 * Each of them links the list of all formats, and of those only xar needs a library that reading
 * archives does not (libxml2). */
#ifndef TPTUI_TESTS_ARCHIVE_WRITER_H
#define TPTUI_TESTS_ARCHIVE_WRITER_H

#include <archive.h>
#include <archive_entry.h>

int archive_write_set_format_xar(struct archive *a)
{
    (void)a;
    return ARCHIVE_FATAL;
}

#endif
