/* Temporary files of SQLite, kept in memory up to a limit.
 *
 * SQLite's own way to do that, temp_store=MEMORY, makes its sorter allocate every record by itself:
 * sorting 160,000 rows takes twice as long as with "files", where records lie in one block.
 *
 * Beyond the limit (--sort-memory, a quarter of the memory) they go on as files without a name. */
#ifndef TPTUI_SQL_ENGINE_MEMORY_VFS_H
#define TPTUI_SQL_ENGINE_MEMORY_VFS_H

#include <stdbool.h>
#include <stddef.h>

/* One for each connection, which uses it on one thread at a time. */
struct memory_vfs;

/* The files together take up to `limit` bytes of memory. One that would grow beyond it, or that
 * finds no memory, goes on as a file of base/unnamed_file. */
struct memory_vfs *memory_vfs_new(size_t limit);
void memory_vfs_set_limit(struct memory_vfs *v, size_t limit);
/* After the connection is closed. */
void memory_vfs_free(struct memory_vfs *v);

/* Whether a file could not go to the disk, nor to memory, since this was asked last. */
bool memory_vfs_overflowed(struct memory_vfs *v);

/* The name to open a connection with. */
const char *memory_vfs_name(const struct memory_vfs *v);

/* A quarter of the memory that this process may have, but at most 4 GiB. */
size_t memory_vfs_usual_limit(void);

#endif
