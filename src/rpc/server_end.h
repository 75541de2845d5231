/* How a server ends when it is told to: at once, whatever its threads do. Nothing has to be put in
 * order but its socket. */
#ifndef TPTUI_RPC_SERVER_END_H
#define TPTUI_RPC_SERVER_END_H

/* SIGTERM, SIGINT and SIGHUP end the process from now on, also where it is the first of a
 * container, which signals do not end by themselves; those that are ignored stay so (nohup). The
 * file at `socket` is removed then; NULL: there is none. May be called again with another. */
void server_end_on_signals(const char *socket);

#endif
