#include "base/demangle.h"

#ifdef TPTUI_HAVE_LIBIBERTY

#include <libiberty/demangle.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Longer ones are names of types that nobody reads, and would be slow. */
enum { NAME_MAX_LENGTH = 64 << 10 };

static char *demangle_plain(const char *name)
{
    char *rust = rust_demangle(name, 0);
    return rust ? rust : cplus_demangle_v3(name, DMGL_PARAMS | DMGL_ANSI);
}

/* _ZN1a1bEv.llvm.123: what stands behind the mangled name. */
static char *demangle_suffixed(const char *name, const char *suffix)
{
    char *stem = alloc_copy(name, (size_t)(suffix - name));
    char *plain = demangle_plain(stem);
    free(stem);
    if (!plain)
        return NULL;
    size_t n = strlen(plain), m = strlen(suffix);
    plain = realloc_array(plain, n + m + sizeof " ()", 1);
    memcpy(plain + n, " (", 2);
    memcpy(plain + n + 2, suffix, m);
    memcpy(plain + n + 2 + m, ")", 2);
    return plain;
}

char *demangle(struct str name)
{
    if (str_starts(name, STR("__Z"))) /* macOS puts an underscore before every name */
        name = str_skip(name, 1);
    if (name.n > NAME_MAX_LENGTH || !(str_starts(name, STR("_Z")) || str_starts(name, STR("_R"))))
        return NULL;
    char *copy = alloc_copy(name.p, name.n);
    const char *suffix = strchr(copy, '.');
    char *plain = suffix ? demangle_suffixed(copy, suffix) : NULL;
    if (!plain)
        plain = demangle_plain(copy);
    free(copy);
    return plain;
}

#else

char *demangle(struct str name)
{
    (void)name;
    return NULL;
}

#endif
