/* The kernel's tracing files, and an instance of them that belongs to this process alone: what is
 * enabled there, its clock and its buffers are nobody else's. */
#ifndef TPTUI_RECORD_TRACEFS_H
#define TPTUI_RECORD_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/byte_list.h"
#include "base/status.h"

struct tracefs {
    int root;     /* its folder, -1: none */
    int instance; /* our own, -1: none */
    char name[64];
};

/* Where it is mounted; where it is nowhere, mounted for this process only. */
struct status tracefs_open(struct tracefs *t);

/* Makes the instance. */
struct status tracefs_begin(struct tracefs *t);
/* Removes it, and all that it had enabled, and closes. */
void tracefs_end(struct tracefs *t);

/* Removes instances of recorders that are gone (kill -9), and calls `found` for each. */
void tracefs_remove_stale(struct tracefs *t, void (*found)(void *self, const char *name),
                          void *self);

/* Appends the file to `out`. `folder` is `root`, `instance`, or AT_FDCWD. False: errno says why. */
bool read_file_at(int folder, const char *path, struct byte_list *out);
/* Writes the text at once; false: errno says why. */
bool write_file_at(int folder, const char *path, const char *text);

#endif
