/* Whose code it is: the Android package that a file's path tells, or the uid of a process. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_CODE_PACKAGES_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_CODE_PACKAGES_H

#include "base/map.h"
#include "core/trace_builder.h"

struct code_packages {
    struct map by_path; /* what the paths that were asked for tell */
    struct map by_uid;
};

/* When the list of packages is in its table. */
void code_packages_init(struct code_packages *p, const struct trace *t);
void code_packages_release(struct code_packages *p);

/* NULL_STRING where the path tells none. */
string_id code_package_of_path(struct code_packages *p, struct trace *t, string_id path);
/* Counts a path that should tell one and does not. */
void code_packages_check_path(struct code_packages *p, struct trace *t, string_id path);
/* NULL_STRING where no package of the process is known; `upid` may be NULL_U32. */
string_id code_package_of_process(const struct code_packages *p, const struct trace *t,
                                  uint32_t upid);

#endif
