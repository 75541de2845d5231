/* Lines that the details of several kinds of event have. Those that name no list write to the left
 * one. */
#ifndef TPTUI_TUI_VIEW_DETAILS_PARTS_H
#define TPTUI_TUI_VIEW_DETAILS_PARTS_H

#include "tui/view/details.h"

/* ---- on the last line ---- */

/* A name from the trace, its first 16 KB. */
void details_put_name(struct details *d, struct detail_list *list, uint16_t role, struct str name);
/* The name of a slice, and that it never ended where it did not. */
void details_put_slice(struct details *d, struct detail_list *list, uint16_t role,
                       const struct timeline *tl, uint32_t slice);
/* Where a slice happened: its thread and tid, else its track. */
void details_put_slice_track(struct details *d, struct detail_list *list, const struct timeline *tl,
                             uint32_t slice);
/* Name and tid. */
void details_put_thread(struct details *d, struct detail_list *list, const struct timeline *tl,
                        uint32_t utid);
/* Who ended a wait, behind "woken by": the thread, or an interrupt, which no thread asked for, that
 * came while it ran. `state` is the row of thread_state that says so. */
void details_put_waker(struct details *d, struct detail_list *list, const struct timeline *tl,
                       uint32_t state);
/* "process NAME PID", on a line of its own where `width` cells do not hold it, too; nothing where
 * `upid` is none. */
void details_put_process(struct details *d, struct detail_list *list, const struct timeline *tl,
                         uint32_t upid, int width);
/* How fast a CPU was clocked at the cursor's time, and how deep it slept if it did; nothing where
 * that was not recorded. */
void details_put_cpu_clock(struct details *d, const struct details_input *in, uint32_t ucpu);
/* A line where the kernel lost events of a CPU, so that runs on it may be cut short or too long. */
void details_put_cpu_loss(struct details *d, const struct timeline *tl, uint32_t ucpu);
/* The value of an arg. */
void details_put_arg(struct details *d, const struct timeline *tl, const struct arg *a);

/* ---- lines of their own ---- */

/* "start ... dur ...": since the trace's begin, and how long. */
void details_put_times(struct details *d, const struct timeline *tl, int64_t ts, int64_t end);
/* The same of the event under the cursor, which lasts until another follows: and whether that is in
 * what was loaded. */
void details_put_lasting(struct details *d, const struct details_input *in);
/* The slices around a slice, outermost first; each leads there. */
void details_put_ancestors(struct details *d, const struct timeline *tl, uint32_t slice);
/* The innermost slice of a thread at a time and those around it; nothing where there is none. */
void details_put_inside(struct details *d, const struct timeline *tl, uint32_t utid, int64_t t);

/* The frames of a callsite, innermost first, inlined ones too, each with its file; nothing where
 * there is no such callsite. */
void details_put_callstack(struct details *d, const struct timeline *tl, uint32_t callsite);

/* The other ends of arrows that queries have drawn from the event under the cursor, or to it. */
void details_put_arrows(struct details *d, const struct details_input *in);

/* ---- and what they are about ---- */

/* The slices with the name of the one under the cursor, whatever numbers are in it, longest first;
 * none where it is no slice. */
struct row_list details_same_name(const struct details_input *in);
/* The place of a slice among them: 1 for the longest. */
uint32_t details_rank(const struct timeline *tl, struct row_list same, uint32_t slice);
/* Cells of the left list. */
int details_left_width(const struct details_input *in);

#endif
