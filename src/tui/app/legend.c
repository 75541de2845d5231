#include "tui/app/legend.h"

struct legend_line {
    const char *sample, *ascii; /* NULL: a sentence alone */
    uint16_t role;
    uint8_t attrs;
    const char *meaning;
};

static const struct legend_line lines[] = {
    {"██", "##", ROLE_STATE_RUNNING, 0, "a thread runs on a CPU"},
    {"▒▒", "++", ROLE_STATE_RUNNABLE, 0, "it could run and waits for a CPU"},
    {"··", "..", ROLE_STATE_SLEEPING, 0, "it sleeps: waits for something else"},
    {"DD", "DD", ROLE_STATE_DSTATE, 0, "it is blocked and cannot be interrupted, mostly by a disk"},
    {"▂▅", ":#", ROLE_STATE_RUNNING, 0,
     "several states in a cell: how much of it the thread did not sleep"},
    {"▏name", "[name ]", ROLE_SLICE_0, 0,
     "a slice; names that differ in numbers only have one colour"},
    {"▏12", "[12]", ROLE_FRAME_GOOD, 0, "a frame that was shown in time"},
    {"▏13", "[13]", ROLE_FRAME_JANK, 0, "one that was late by the application's doing"},
    {"▏14", "[14]", ROLE_FRAME_OTHER, 0, "one that was late by another's"},
    {"▏15", "[15]", ROLE_FRAME_SMOOTH, 0, "one that was late, but smoothly or unseen"},
    {"▏16", "[16]", ROLE_FRAME_LOST, 0, "one that was dropped"},
    {"▏lock", "[lock]", ROLE_FRAME_JANK, 0, "an alert: what a rule finds wrong; red is an error"},
    {"▁▅█", "_-%", ROLE_SLICE_2, CELL_SOLID | CELL_SHADED,
     "too narrow for names: how much of a cell is busy, in the colour of most; . and , step"},
    {"╿", "|", ROLE_INSTANT, 0, "an event without a length"},
    {"░▒▓", ":;!", ROLE_SLICE_4, CELL_SOLID | CELL_SHADED, "several: the more, the brighter"},
    {"▁▃▅", ".-*", ROLE_SLICE_4, CELL_SOLID,
     "how much of a CPU a process took, in its colour; on a CPU, who ran longest in the cell"},
    {"▁", ".", ROLE_LOAD_1, 0, "load of the CPUs below 5 %"},
    {"▂", ":", ROLE_LOAD_2, 0, "below 20 %"},
    {"▄", "=", ROLE_LOAD_3, 0, "below 50 %"},
    {"▆", "*", ROLE_LOAD_4, 0, "below 80 %"},
    {"█", "#", ROLE_LOAD_5, 0, "and above"},
    {"▂▅▇", ":+#", ROLE_COUNTER, 0, "a counter's values, or its rate; u makes it higher"},
    {"│└─▶", "|+->", ROLE_ARROW, 0, "leads to the thread that serves the call, or called"},
    {"  ", "  ", ROLE_AREA, 0, "the area that tab 5 sums up"},
    {"  ", "  ", ROLE_VSYNC, 0, "behind frames: from one vsync to the next, every other"},
    {"A", "A", ROLE_MARK, 0, "a mark"},
    {"name", "name", ROLE_MATCH, 0, "a slice that the search found"},
    {.meaning = "A folded thread shows its outermost slices and, in the gaps, its states."},
    {.meaning = "Counts work: 10l moves ten cells, 5n five hits on."},
};

uint32_t legend_count(void)
{
    return sizeof lines / sizeof *lines;
}

const char *legend_meaning(uint32_t i)
{
    return lines[i].meaning;
}

void legend_draw(struct cells *c, int y, uint32_t i, struct look look)
{
    enum { MEANING_X = 12 };
    const struct legend_line *l = &lines[i];
    bool plain = look.ascii || look.mono;
    uint8_t attrs = look.mono ? 0 : l->attrs;
    int x = l->sample ? MEANING_X : 3;
    if (l->sample)
        cells_put_text(c, 3, y, MEANING_X - 4, str_from(plain ? l->ascii : l->sample), l->role,
                       attrs);
    cells_put_text(c, x, y, c->width - x - 1, str_from(l->meaning), ROLE_DEFAULT, 0);
}
