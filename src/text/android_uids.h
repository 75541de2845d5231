/* What Android calls the users of its own that no package is installed for. */
#ifndef TPTUI_TEXT_ANDROID_UIDS_H
#define TPTUI_TEXT_ANDROID_UIDS_H

#include "base/str.h"

#include <stdint.h>

enum {
    ANDROID_UIDS_PER_USER = 100000, /* a person's share of the uids */
    ANDROID_FIRST_APP = 10000,      /* within it; those before are the system's */
};

/* The name of a uid within a person's share ("AID_RADIO"); empty if it has none. The text is
 * static. */
struct str android_uid_name(uint32_t uid);

#endif
