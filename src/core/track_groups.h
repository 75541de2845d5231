/* track.track_group_id: which tracks are those of one set (core/track_set.h). */
#ifndef TPTUI_CORE_TRACK_GROUPS_H
#define TPTUI_CORE_TRACK_GROUPS_H

struct trace;

/* All slices are there: where several machines or files were read, of which each went through its
 * own events, the groups are numbered by when their first slice begins, as if all had been read at
 * once. */
void track_groups_number(struct trace *t);

#endif
