/* Which file this is, and whether it is still what it was.
 *
 * A change that sets mtime back is seen by ctime, one in the tick of the first look by waiting for
 * the tick's end, one while loading by looking again at the same open file. Not seen is who writes
 * through a mapping, of whom the system tells nothing until a page is written back. */
#ifndef TPTUI_BASE_FILE_IDENTITY_H
#define TPTUI_BASE_FILE_IDENTITY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What the system says of a file. Whoever writes it sets ctime, which nobody can set back. */
struct file_identity {
    uint64_t size, device, inode, mtime_ns, ctime_ns; /* ns since 1970 */
};

/* Opens a regular file for reading, for the caller to close; -1, with errno, where it is none:
 * opening a FIFO would wait for a writer, or take one away from another, and a device does what it
 * does when it is opened. */
int file_identity_open(const char *path);

/* Of an open regular file; false where it is none. */
bool file_identity_read(int fd, struct file_identity *id);
/* The same for who compares it later: also false where a change now might leave the identity as it
 * is, as the last one was in the very tick of the clock. That is waited for: some milliseconds, two
 * seconds at most. */
bool file_identity_take(int fd, struct file_identity *id);

static inline bool file_identity_same(const struct file_identity *a, const struct file_identity *b)
{
    return a->size == b->size && a->device == b->device && a->inode == b->inode &&
           a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

/* A hash (base/content_hash.h) of all of an open file, whose position stays; false where it cannot
 * be read, or `stop` (may be NULL) was set. */
bool file_hash(int fd, const atomic_bool *stop, uint64_t *hash);

#endif
