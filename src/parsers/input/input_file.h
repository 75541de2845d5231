/* The bytes of a trace file: mapped, or read where it cannot be mapped (a pipe). A mapped file may
 * be cut short by somebody else: what is missing then reads as zeros. One file at a time in a
 * thread. */
#ifndef TPTUI_PARSERS_INPUT_INPUT_FILE_H
#define TPTUI_PARSERS_INPUT_INPUT_FILE_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/status.h"
#include "parsers/input/bytes.h"

struct input_file {
    struct bytes bytes;
    bool mapped;
    int fd;
    struct stat stat;
    struct sigaction old_action; /* of SIGBUS, while the file is mapped */
};

/* Opens the file, "-" for standard input, without reading it; an error where it is missing or a
 * folder, other than a recording of perf. Either way input_file_close must follow. */
struct status input_file_find(struct input_file *in, const char *path);
/* The same, and makes `bytes` those of the whole file. What cannot be mapped, a pipe or a device,
 * is read to its end, or as far as `wanted` needs: it is asked once, of the first megabytes, and
 * where it says no these are all. */
struct status input_file_open(struct input_file *in, const char *path,
                              bool (*wanted)(struct bytes head));
/* The same of a regular file. One in whose place a pipe or a device has come is not waited for, but
 * an error. */
struct status input_file_open_regular(struct input_file *in, const char *path,
                                      bool (*wanted)(struct bytes head));
/* The same of a file that is open and stays the caller's; `path` stands in messages. */
struct status input_file_take(struct input_file *in, int fd, const char *path,
                              bool (*wanted)(struct bytes head));
void input_file_close(struct input_file *in);

/* Unmaps a mapped file, which stays open, and maps it again, perhaps in another thread; false where
 * it cannot be or was changed since it was opened. */
void input_file_unmap(struct input_file *in);
bool input_file_map_again(struct input_file *in);

/* What happened to a mapped file since it was opened; the bytes may have been anything then. */
enum input_change { INPUT_UNCHANGED, INPUT_CHANGED, INPUT_CUT };
enum input_change input_file_change(const struct input_file *in);

/* What protects this thread's mapped file. A thread that helps with reading it joins, as a signal
 * goes to the thread that read; until the file is closed. */
struct input_guard *input_guard_here(void);
void input_guard_join(struct input_guard *guard);
/* Starts such a thread, which is to join first. Other signals than that are not for it. */
bool input_guard_thread(pthread_t *thread, void *(*run)(void *), void *self);

/* Whether `p` is where this thread's mapped file begins. */
bool input_file_maps(const uint8_t *p);

/* Gives the memory of this thread's mapped file back, if it has one. What is read again comes back
 * from the system's cache. */
void input_file_release_pages(void);

#endif
