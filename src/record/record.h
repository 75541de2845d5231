/* Recording this machine as a Perfetto trace. */
#ifndef TPTUI_RECORD_RECORD_H
#define TPTUI_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vec.h"

/* What can be recorded, by the names that users give. */
struct record_source_info {
    const char *name, *about, *needs;
    bool usual; /* recorded where none is named */
};

/* The source at `index`; false behind the last one. */
bool record_source_at(size_t index, struct record_source_info *out);

/* Whether the program can unwind stacks itself. */
bool record_has_dwarf(void);
/* Of a stack, for record_settings: a multiple of 8 up to the kernel's bound. */
enum { RECORD_DWARF_BYTES = 8192, RECORD_DWARF_BYTES_MOST = 65528 };

/* What a caller is told while it records. */
struct record_listener {
    /* A line about what is left out, lost or found, without a newline. */
    void (*say)(void *self, const char *line);
    void *self;
};

struct alerts;

/* A source that is wanted. */
struct record_wanted {
    const char *name;
    int poll_ms;    /* how often it is read; 0: as usual */
    bool no_events; /* only what it reads beside events */
};

struct record_settings {
    VEC(struct record_wanted) sources;
    bool nothing_usual;       /* what is not wanted is not recorded, even where nothing is */
    VEC(const char *) events; /* "system:name", or "name", with * and ? */
    int64_t duration_ns;      /* 0: until it is ended */
    char *const *command;     /* that is run, and whose end ends the recording; NULL: none */
    bool quiet_command;       /* its standard output goes to ours for errors */
    bool stdin_ends;          /* the end of standard input ends it; the command has another */
    int64_t buffer_bytes;     /* of the kernel's, a cpu; 0: by memory */
    int sample_hz;            /* of stacks; 0: as usual */
    uint32_t dwarf_bytes;     /* of each stack that are copied to unwind it; 0: the kernel does */
    uint64_t most_bytes;      /* ends it; 0: no bound */
    bool compress;
    int64_t ring_ns;             /* only the last so many are kept; 0: all goes to `fd` at once */
    size_t ring_bytes;           /* at most as many of them */
    VEC(const char *) triggers;  /* of a ring: record/trigger.h */
    const struct alerts *alerts; /* whose rules triggers may name; NULL: none */
    const char *shown_path;      /* of a ring: what is written twice a second; NULL: nothing */
    int fd;                      /* where the trace goes; of a ring at the end, -1: nowhere */
    const char *path;            /* its name, for messages */
    struct record_listener listener;
};

struct record_result {
    uint64_t bytes, lost_events; /* written; that the kernel could not keep */
    int64_t duration_ns;
    int command_status; /* of waitpid; 0 where there was none */
};

/* Records until the time is over, the command or a signal (INT, TERM, HUP) ends it. What could not
 * be recorded was said. An error where nothing could, or the trace could not be written. */
struct status record_run(const struct record_settings *settings, struct record_result *result);

#endif
