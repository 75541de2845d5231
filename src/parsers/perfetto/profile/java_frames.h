/* Frames of callstacks that may be obfuscated methods, and the names that mappings give them. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_JAVA_FRAMES_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_JAVA_FRAMES_H

#include "base/vec.h"
#include "parsers/perfetto/profile/code_packages.h"
#include "parsers/proto/wire.h"

/* Frames by name, and whose code they are. */
struct java_frames {
    struct map newest;       /* name of a frame that may be a method -> frame + 1 */
    VEC(uint32_t) next;      /* by frame: frame + 1 */
    VEC(string_id) packages; /* by frame; NULL_STRING: not known */
    string_id memfd;         /* stands for the package of code from memory: any */
};

/* Counts the frames from `first` on, of what may be a method, whose file should tell whose code it
 * is and does not. */
void java_frames_check_paths(struct trace *t, uint32_t first);

/* When all frames and stacks are in their tables. Files tell whose code it is, processes that of
 * the others. */
void java_frames_init(struct java_frames *j, struct trace *t, struct code_packages *packages);
void java_frames_release(struct java_frames *j);

/* Names the frames that a DeobfuscationMapping tells of. Each method of each frame that is looked
 * at takes one of `work`, and none is once it is used up. */
void java_frames_rename(const struct java_frames *j, struct trace *t, struct bytes mapping,
                        uint64_t *work);

#endif
