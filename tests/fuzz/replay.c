/* The main of a fuzz target where there is no libFuzzer: runs it on saved inputs, and on some
 * mutations of each that are the same every time.
 *
 * Usage: fuzz_TARGET FILE|FOLDER... */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../sanitized.h"
#include "../test_file.h"
#include "fuzz.h"

/* Less where an input is a session of its own, or is measured; and where nothing watches memory,
 * so that only what ends the program is seen. */
#ifndef MUTATIONS
#define MUTATIONS (IS_SANITIZED ? 150 : 100)
#endif

enum { MUTATED_SIZE_MAX = 1 << 16 };

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* In a block of its own size, so that a sanitizer sees a read past the end. */
static void run_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = alloc_bytes(size ? size : 1);
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_mutations(struct test_file file)
{
    uint32_t seed = (uint32_t)file.size;
    for (int i = 0; i < MUTATIONS && file.size > 0; i++) {
        size_t at = next_random(&seed) % file.size;
        uint8_t old = file.bytes[at];
        file.bytes[at] = i % 2 ? (uint8_t)next_random(&seed) : old ^ (uint8_t)(1 << i % 8);
        run_copy(file.bytes, i % 3 ? file.size : next_random(&seed) % file.size);
        if (i % 5)
            file.bytes[at] = old;
    }
}

static size_t run_file(const char *path)
{
    struct test_file file = test_file_read(path);
    run_copy(file.bytes, file.size);
    if (file.size <= MUTATED_SIZE_MAX)
        run_mutations(file);
    free(file.bytes);
    return 1;
}

static size_t run_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return 0;
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        count += run_file(name);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        struct stat st;
        if (stat(argv[i], &st) != 0)
            continue;
        count += S_ISDIR(st.st_mode) ? run_folder(argv[i]) : run_file(argv[i]);
    }
    printf("%zu inputs\n", count);
    return count == 0;
}
