/* `convert profile`. */
#ifndef TPTUI_CLI_CONVERT_PROFILE_H
#define TPTUI_CLI_CONVERT_PROFILE_H

#include "cli/convert.h"

/* Over the open workspace: a file for each process and heap. */
struct status convert_to_profiles(const struct convert_settings *s);

#endif
