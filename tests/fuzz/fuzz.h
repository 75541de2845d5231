/* A fuzz target, as libFuzzer calls it. replay.c calls it too, with saved inputs. */
#ifndef TPTUI_TESTS_FUZZ_H
#define TPTUI_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Must not crash, leak or hang, whatever the bytes. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
