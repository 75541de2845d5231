#include "explain/question.h"

#include <sqlite3.h>
#include <string.h>

#include "base/alloc.h"

/* %Q is what was asked for, as a text. */
static const char *const questions[] = {
    [QUESTION_SLICE] = ("WITH asked AS (SELECT %Q AS number)\n"
                        "SELECT s.ts, s.dur, s.name, k.utid, 'slice' AS ref, s.id AS ref_id\n"
                        "FROM asked CROSS JOIN slice AS s\n"
                        "LEFT JOIN thread_track AS k ON k.id = s.track_id\n"
                        "WHERE s.id = CAST(number AS INTEGER) AND CAST(s.id AS TEXT) = number"),
    [QUESTION_FRAME] =
        ("WITH asked AS (SELECT %Q AS number)\n"
         "SELECT s.ts, s.dur, s.name, k.utid, 'slice' AS ref, s.id AS ref_id\n"
         "FROM slice AS s JOIN thread_track AS k ON k.id = s.track_id, asked\n"
         "WHERE s.name IN ('Choreographer#doFrame ' || number, 'DrawFrames ' || number)\n"
         "UNION ALL\n"
         "SELECT f.ts, f.dur, 'frame ' || f.name || ' of ' || ifnull(p.name, p.pid),\n"
         "  (SELECT min(t.utid) FROM thread AS t WHERE t.upid = f.upid AND t.is_main_thread),\n"
         "  'slice', f.id\n"
         "FROM actual_frame_timeline_slice AS f LEFT JOIN process AS p USING (upid), asked\n"
         "WHERE f.name = number"),
    [QUESTION_STARTUP] =
        ("INCLUDE PERFETTO MODULE android.startup.startups;\n"
         "SELECT s.ts, s.dur, 'start of ' || s.package AS name, (\n"
         "  SELECT min(t.utid) FROM android_startup_processes AS p JOIN thread AS t USING (upid)\n"
         "  WHERE p.startup_id = s.startup_id AND t.is_main_thread\n"
         ") AS utid\n"
         "FROM android_startups AS s WHERE s.package GLOB %Q"),
    [QUESTION_THREAD] =
        ("SELECT trace_start() AS ts, trace_end() - trace_start() AS dur, t.name, t.utid\n"
         "FROM thread AS t WHERE t.name GLOB %Q"),
};

char *question_sql(enum question question, const char *value)
{
    char *text = sqlite3_mprintf(questions[question], value);
    if (!text)
        alloc_fail();
    char *copy = alloc_copy(text, strlen(text));
    sqlite3_free(text);
    return copy;
}
