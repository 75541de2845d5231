/* Tables of Gecko profiles as they were written until 2014: lists of objects.
 *
 *     "samples": [{"time": 1.5, "frames": [{"location": "(root)"}, {"location": "main (in app)"}]}]
 *     "markers": [{"name": "Paint", "time": 2, "data": {"type": "tracing", "interval": "start"}}]
 *
 * Cleopatra, the viewer of then, saved samples with numbers in place of frames, and names for them:
 *
 *     "profileJSON": [{"frames": [2, 0], "extraInfo": {"time": 131480}}],
 *     "symbolicationTable": {"0": "main (in app)", "2": "(root)"}
 *
 * As gecko-profile-versioning of firefox-devtools/profiler says of versions before 3. */
#ifndef TPTUI_PARSERS_GECKO_OBJECT_ROWS_H
#define TPTUI_PARSERS_GECKO_OBJECT_ROWS_H

#include "parsers/gecko/profile.h"

/* From behind the '[' to behind its ']'; false where the text is malformed. Frames become rows of
 * the frame and stack tables, a number its own text. */
bool gecko_object_samples(struct trace *t, struct json_scan *j, struct gecko_tables *tables);
bool gecko_object_markers(struct trace *t, struct json_scan *j, struct gecko_tables *tables);

/* What the developer tools of then saw beside the profile, ms from the begin of the recording:
 *
 *     "markers": [{"name": "Styles", "start": 10.5, "end": 12}], "ticks": [0.1, 16.7]
 *
 * From behind the '[' to behind its ']', likewise. Ticks, when the screen was drawn anew, become
 * markers, too. */
bool gecko_recorded_markers(struct trace *t, struct json_scan *j, struct gecko_tables *tables);
bool gecko_recorded_ticks(struct trace *t, struct json_scan *j, struct gecko_tables *tables);

/* A list of objects that only have numbers, of which `columns` says where they go. */
bool gecko_object_numbers(struct json_scan *j, struct gecko_tables *tables,
                          const struct gecko_column_name *columns);

/* From behind the '{' of the names to behind its '}': gives `names` the numbers' names. */
bool gecko_read_symbols(struct trace *t, struct json_scan *j, struct map *names);
/* Puts them in place of the numbers. */
void gecko_name_frames(const struct map *names, struct gecko_tables *tables);

#endif
