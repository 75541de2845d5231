/* The container trace.dat, as trace-cmd writes it: version 6, a header that is read from front to
 * back, and version 7, sections that refer to each other and may be compressed. As in trace-cmd's
 * manual pages trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5). */
#ifndef TPTUI_PARSERS_TRACEDAT_DAT_FILE_H
#define TPTUI_PARSERS_TRACEDAT_DAT_FILE_H

#include <stdbool.h>

#include "base/str.h"
#include "base/vec.h"
#include "parsers/input/decompress.h"

/* The ring buffer of a cpu: whole pages, the last of which may be cut. */
struct dat_cpu {
    uint32_t cpu;
    size_t page_size;
    struct bytes data;
};

struct dat_format {
    struct str text; /* as event_format.h reads it */
    bool is_syscall; /* of the system `syscalls` */
};

/* Texts are empty where the file has none; they, and the data, last as long as the file's bytes and
 * until dat_file_release. */
struct dat_file {
    bool big; /* most significant byte first */
    struct str header_page, kallsyms, printk, command_lines;
    struct str uname;   /* "Linux HOST 6.1.0 #1 SMP ... x86_64" */
    struct str latency; /* the recording as text, in place of `cpus` */
    int64_t offset_ns;  /* that times are to be moved by */
    VEC(struct dat_format) formats;
    VEC(struct dat_cpu) cpus;
    bool cut; /* something was missing or could not be decompressed */

    struct bytes bytes;
    size_t page_size;
    enum compression compression;
    VEC(uint8_t *) owned; /* what was decompressed */
    struct budget *budget;
};

/* By the magic number in front. */
bool dat_file_sniff(struct bytes data);
/* False where not even the begin makes sense: of another version, say. What is decompressed is
 * taken off the budget. */
bool dat_file_read(struct dat_file *f, struct bytes data, struct budget *budget);
void dat_file_release(struct dat_file *f);

#endif
