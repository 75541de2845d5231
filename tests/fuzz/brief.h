/* Interrupts a session whose statements take long: what they run must be possible to stop. The
 * signal is none of libFuzzer's, which looks whether it did stop. */
#ifndef TPTUI_TESTS_FUZZ_BRIEF_H
#define TPTUI_TESTS_FUZZ_BRIEF_H

#include <signal.h>
#include <time.h>

#include "sql/session.h"

static struct sql_session *brief_session;

static inline void brief_interrupt(int signal)
{
    (void)signal;
    if (brief_session)
        sql_session_interrupt(brief_session);
}

/* From here on `s` has so many milliseconds; until the next call, NULL for none. */
static inline void brief_set(struct sql_session *s, int ms)
{
    static timer_t timer;
    static bool made;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec when = {.it_value = {s ? ms / 1000 : 0, s ? ms % 1000 * 1000000L : 0}};
    brief_session = s;
    if (!made) {
        signal(SIGRTMIN, brief_interrupt);
        timer_create(CLOCK_MONOTONIC, &event, &timer);
    }
    made = true;
    timer_settime(timer, 0, &when, NULL);
}

#endif
