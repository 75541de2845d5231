/* Jumps, and what is searched. */
#include "tui/app/actions.h"
#include "tui/context/state.h"
#include "tui/timeline/blocked.h"
#include "tui/timeline/critical_path.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/explain_event.h"
#include "tui/timeline/history.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/search.h"
#include "tui/timeline/timeline_lists.h"
#include "tui/timeline/timeline_view.h"

static effects do_same_name(struct app *a, const struct call *c)
{
    return app_same_name(a, c->arg, false);
}

static effects do_same_name_dur(struct app *a, const struct call *c)
{
    return app_same_name(a, c->arg, true);
}

static effects do_back(struct app *a, const struct call *c)
{
    return c->arg < 0 ? app_go_back(a, c->count) : app_go_forward(a, c->count);
}

static effects do_flow(struct app *a, const struct call *c)
{
    return app_flow(a, c->arg > 0);
}

/* How often a jump along the slices of a thread is done at most. */
enum { JUMPS_MAX = 1000 };

static effects do_parent(struct app *a, const struct call *c)
{
    effects e = EFFECT_NONE;
    for (int64_t i = 0; i < c->count && i < JUMPS_MAX; i++)
        e |= app_parent(a);
    return e;
}

static effects do_child(struct app *a, const struct call *c)
{
    effects e = EFFECT_NONE;
    for (int64_t i = 0; i < c->count && i < JUMPS_MAX; i++)
        e |= app_child(a);
    return e;
}

static effects do_next_hit(struct app *a, const struct call *c)
{
    return app_next_hit(a, c->arg, c->count);
}

static effects do_list_hits(struct app *a)
{
    app_list_hits(a);
    return EFFECT_NONE;
}

static effects do_find_track(struct app *a)
{
    app_find_track(a);
    return EFFECT_NONE;
}

static effects do_critical_path(struct app *a)
{
    app_critical_path(a);
    return EFFECT_NONE;
}

static effects do_explain(struct app *a)
{
    app_explain(a);
    return EFFECT_NONE;
}

static bool slice_under_cursor(struct app *a)
{
    return a->view->cursor.event.kind == &slice_events;
}

static bool has_arrow(struct app *a, bool enters)
{
    return arrows_of(&app_tree(a)->arrows, a->view->cursor.event, enters).count > 0;
}

static bool flow_out(struct app *a)
{
    return has_arrow(a, false) ||
           (slice_under_cursor(a) &&
            timeline_flows_out(app_timeline(a), a->view->cursor.event.row).count > 0);
}

static bool flow_in(struct app *a)
{
    return has_arrow(a, true) ||
           (slice_under_cursor(a) &&
            timeline_flows_in(app_timeline(a), a->view->cursor.event.row).count > 0);
}

static bool has_parent(struct app *a)
{
    return slice_under_cursor(a) &&
           slice_parent(app_timeline(a), a->view->cursor.event.row) != NULL_U32;
}

static bool can_go_back(struct app *a)
{
    return a->view->history.back.count > 0;
}

static bool was_searched(struct app *a)
{
    return a->view->search.hits.count > 0;
}

/* Where a tab has keys of its own, as a flamegraph and logs have, this one means its filter. */
static bool searches(struct app *a)
{
    return a->focus != FOCUS_DETAILS || details_pane_part(a)->context == 0;
}

/* clang-format off */
static const struct action jump_table[] = {
    {.name = "flow-forward", .keys = {"]", "o"}, .contexts = IN_TRACKS,
     .run = do_flow, .arg = 1, .hint = {"server", 20, flow_out},
     .help = "to the other end of the flow or arrow: the server of a binder call"},
    {.name = "flow-back", .keys = {"[", "i"}, .contexts = IN_TRACKS,
     .run = do_flow, .arg = -1, .hint = {"caller", 30, flow_in},
     .help = "to where the flow comes from: the caller; from a wait to what ended it"},
    {.name = "what-blocked", .keys = {"b"}, .contexts = IN_TRACKS,
     .does = app_blocker, .hint = {"what blocked", 40, app_was_blocked},
     .help = "what blocked this: longest call, its server, the lock's owner, the waker"},
    {.name = "critical-path", .keys = {"B"}, .contexts = IN_TRACKS,
     .does = do_critical_path,
     .help = "what the event waited for from its end backwards, thread by thread"},
    {.name = "explain", .keys = {"E"}, .contexts = IN_TRACKS,
     .does = do_explain,
     .help = "explain the event: what its time went to, across threads; without one, the trace"},
    {.name = "parent", .keys = {"("}, .contexts = IN_TRACKS,
     .run = do_parent, .hint = {"parent", 50, has_parent},
     .help = "the slice around this one"},
    {.name = "first-child", .keys = {")"}, .contexts = IN_TRACKS,
     .run = do_child,
     .help = "the first slice within this one"},
    {.name = "back", .keys = {"z"}, .contexts = IN_TRACKS,
     .run = do_back, .arg = -1, .hint = {"back", 130, can_go_back},
     .help = "back to where the cursor was"},
    {.name = "forward", .keys = {"Z"}, .contexts = IN_TRACKS,
     .run = do_back, .arg = 1,
     .help = "forward again"},
    {.name = "go-to-time", .keys = {"g t"}, .contexts = IN_TRACKS,
     .run = action_prompt, .arg = PROMPT_TIME,
     .help = "to a time: 614.037 (ms), 1.2s, 300us, 5ns"},
    {.name = "next-same-name", .keys = {"*"}, .contexts = IN_TRACKS,
     .run = do_same_name, .arg = 1,
     .help = "the next slice of this name"},
    {.name = "previous-same-name", .keys = {"#"}, .contexts = IN_TRACKS,
     .run = do_same_name, .arg = -1,
     .help = "the slice of this name before"},
    {.name = "longer", .keys = {">"}, .contexts = IN_TRACKS,
     .run = do_same_name_dur, .arg = 1,
     .help = "the next longer slice of this name"},
    {.name = "shorter", .keys = {"<"}, .contexts = IN_TRACKS,
     .run = do_same_name_dur, .arg = -1,
     .help = "the next shorter slice of this name"},
};

const struct action_group jump_actions = {
    .title = "Jump", .actions = jump_table, .count = sizeof jump_table / sizeof *jump_table};

static const struct action search_table[] = {
    {.name = "search", .keys = {"/"}, .contexts = IN_TRACKS | IN_DETAILS,
     .run = action_prompt, .arg = PROMPT_SEARCH, .hint = {"search", 140, searches},
     .help = "search slices, threads and processes by regular expression; nothing: forget the hits"},
    {.name = "next-hit", .keys = {"n"}, .contexts = IN_TRACKS,
     .run = do_next_hit, .arg = 1, .hint = {"hit", 150, was_searched},
     .help = "the next hit in time"},
    {.name = "previous-hit", .keys = {"N"}, .contexts = IN_TRACKS,
     .run = do_next_hit, .arg = -1,
     .help = "the hit before"},
    {.name = "list-hits", .keys = {"\\"}, .contexts = IN_TRACKS,
     .does = do_list_hits,
     .help = "the list of hits, longest first"},
    {.name = "find-track", .keys = {"p", "Ctrl-p"}, .contexts = IN_TRACKS | IN_DETAILS,
     .does = do_find_track, .hint = {"track", 160, NULL},
     .help = "find a track: process, thread, tid"},
};

const struct action_group search_actions = {
    .title = "Search", .actions = search_table, .count = sizeof search_table / sizeof *search_table};
/* clang-format on */
