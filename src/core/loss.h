/* What of a recording is missing or doubtful: the rows of the table loss, made from stats and from
 * what the list of stats says that each means. Whoever speaks of losses reads them here.
 *
 * Filled at the end of the load, with the share of all events; the header, `I`, findings, alerts,
 * empty results and messages read it. Where Trace Processor counts what is no loss, too (exits in
 * strace's output, records of perf's own), the stat keeps its value, and what the builder calls
 * harmless is taken off here. */
#ifndef TPTUI_CORE_LOSS_H
#define TPTUI_CORE_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/stats.h"

struct trace;

/* Fills the table, the worst first. Called once, by trace_finish, behind stats_finish. */
void loss_finish(struct trace *t);

struct loss_total {
    int64_t events;   /* that are known to be missing, or were not read */
    int64_t doubtful; /* that are there, but lack something or may be wrong */
    bool more;        /* others are missing, and nobody knows how many */
    bool missing;     /* so much is missing that what is there may be wrong */
    bool matters;     /* so much is missing, or was not read, that it is worth a word */
};

struct loss_total loss_total(const struct trace *t);

/* Whether events of a CPU (row of `cpu`) are missing that the kernel should have traced. */
bool loss_of_cpu(const struct trace *t, uint32_t ucpu);

/* Writes what is missing most as a sentence, with what to do and the name in stats; an empty text
 * where nothing is. */
void loss_print(const struct trace *t, char *out, size_t size);
/* The same of what is most doubtful. */
void loss_print_doubt(const struct trace *t, char *out, size_t size);
/* The same of one stat, which does not count events, where there is no trace with its table. */
void loss_print_stat(enum stat_key key, int64_t value, char *out, size_t size);

#endif
