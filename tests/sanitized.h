/* Whether the test runs under a sanitizer that watches memory: all is slower, and takes terabytes
 * of addresses. */
#ifndef TPTUI_TESTS_SANITIZED_H
#define TPTUI_TESTS_SANITIZED_H

/* gcc defines a macro, clang has a feature. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

#endif
