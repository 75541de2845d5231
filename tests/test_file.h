/* Reads a file that the build made for a test, into memory that the test frees. */
#ifndef TPTUI_TESTS_TEST_FILE_H
#define TPTUI_TESTS_TEST_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

struct test_file {
    uint8_t *bytes;
    size_t size;
};

static inline struct test_file test_file_read(const char *path)
{
    struct test_file file = {0};
    FILE *f = fopen(path, "rb");
    if (!f)
        abort();
    for (;;) {
        file.bytes = realloc_array(file.bytes, file.size + 4096, 1);
        size_t n = fread(file.bytes + file.size, 1, 4096, f);
        if (n == 0)
            break;
        file.size += n;
    }
    fclose(f);
    return file;
}

#endif
