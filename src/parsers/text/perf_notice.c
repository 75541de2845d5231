#include "parsers/text/perf_notice.h"

#include "core/trace_builder.h"

static bool begins_with_any(struct str line, const char *const *begins, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_starts(line, str_from(begins[i])))
            return true;
    return false;
}

/* Of those that have several paragraphs, each is here. */
bool perf_notice_begins(struct perf_notice *n, struct str line)
{
    static const char *const lines[] = {"build id event received for ",
                                        "Samples for ",
                                        "Samples do not ",
                                        "Samples of ",
                                        "[ perf ",
                                        "[kernel.",
                                        "Processed ",
                                        "Check IO/CPU overload!",
                                        "cmd__addr2line "};
    static const char *const paragraphs[] = {"Warning:",
                                             "WARNING: Kernel address maps ",
                                             "Kernel address maps (",
                                             "Check /proc/sys/kernel/",
                                             "As no suitable kallsyms ",
                                             "If some relocation was applied ",
                                             "Samples in kernel ",
                                             "Is this an older tool ",
                                             "If that is not the case, "};
    if (begins_with_any(line, paragraphs, sizeof paragraphs / sizeof *paragraphs))
        return n->goes_on = true;
    if (str_trim(line).n == 0)
        n->goes_on = false;
    return begins_with_any(line, lines, sizeof lines / sizeof *lines);
}

/* "LOST 12 events!" of perf trace, "22473.103682 lost 12 events on cpu 1" of perf sched timehist,
 * which is indexed by the CPU. */
bool perf_notice_count_lost(struct trace *t, struct str line)
{
    uint64_t events, cpu = 0;
    struct str rest = line, word = str_take_word(&rest);
    if (!str_eq(word, STR("LOST")) && !str_eq(word, STR("lost")))
        word = str_take_word(&rest);
    bool lost = str_eq(word, STR("LOST")) || str_eq(word, STR("lost"));
    if (!lost || !str_to_u64(str_take_word(&rest), 10, &events) || events > INT64_MAX ||
        !str_starts(str_take_word(&rest), STR("events")))
        return false;
    bool has_cpu = str_eq(str_take_word(&rest), STR("on")) &&
                   str_eq(str_take_word(&rest), STR("cpu")) && str_to_u64(str_trim(rest), 10, &cpu);
    stats_add(t, STAT_perf_cpu_lost_records, has_cpu && cpu <= UINT16_MAX ? (int64_t)cpu : 0,
              (int64_t)events);
    return true;
}
