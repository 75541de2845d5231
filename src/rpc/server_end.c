#include "rpc/server_end.h"

#include <signal.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

enum { KILLED = 128 }; /* and the signal's number: the exit status that shells say */

/* Signals have nobody else to ask. */
static char socket_to_remove[sizeof((struct sockaddr_un *)NULL)->sun_path];

static void on_signal(int number)
{
    if (*socket_to_remove)
        unlink(socket_to_remove);
    signal(number, SIG_DFL);
    sigset_t this;
    sigemptyset(&this);
    sigaddset(&this, number);
    pthread_sigmask(SIG_UNBLOCK, &this, NULL);
    raise(number);
    _exit(KILLED + number); /* a container's first process is still there */
}

void server_end_on_signals(const char *socket)
{
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal}, before;
    sigset_t mask;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(&action.sa_mask, ends[i]);
    pthread_sigmask(SIG_BLOCK, &action.sa_mask, &mask); /* while the path is written */
    memset(socket_to_remove, 0, sizeof socket_to_remove);
    if (socket && strlen(socket) < sizeof socket_to_remove)
        memcpy(socket_to_remove, socket, strlen(socket));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(ends[i], &action, NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}
