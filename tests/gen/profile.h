/* The kinds of machine that can be simulated. */
#ifndef TPTUI_GEN_PROFILE_H
#define TPTUI_GEN_PROFILE_H

#include "sim.h"

struct profile {
    const char *name, *help;
    void (*start)(struct sim *sim);      /* sets sim->profile up */
    void (*release)(struct sim *sim);    /* frees sim->profile */
    bool (*done)(const struct sim *sim); /* where no size is asked for: enough? */
};

extern const struct profile android_profile, linux_profile, flows_profile;

#endif
