/* The parts of the simulated phone that know of each other. */
#ifndef TPTUI_GEN_ANDROID_H
#define TPTUI_GEN_ANDROID_H

#include "binder.h"
#include "sim.h"

#define VSYNC INT64_C(16666667)

/* What goes wrong with a frame. */
enum story {
    STORY_NONE,
    STORY_LOCK,    /* the window manager's lock is held by a thread that writes to flash */
    STORY_CPU,     /* a compiler takes the CPUs */
    STORY_LAYOUT,  /* the application does too much itself, and waits for the collector */
    STORY_STORAGE, /* another process answers only after reading from flash */
    STORY_COUNT
};

/* A frame on its way to the screen. */
struct frame {
    int64_t id, vsync, start; /* times: when it was asked for, when the application began */
};

enum { FRAMES_KEPT = 16 };

struct app {
    struct sim_process *process;
    struct sim_thread *main, *render, *fence, *collector, *pool[4];
    const char *package, *layer, *dequeue, *queued;
    bool animates, frame_pending;
    enum story story;
    int64_t frames; /* made so far */
    struct frame history[FRAMES_KEPT];
    int64_t queued_id; /* of the frame that the compositor has got, 0 for none */
    int64_t objects;   /* posted to the pool so far */
    uint64_t download_track, bytes_counter;
    int64_t bytes;
};

struct android {
    struct sim_process *init, *kernel, *servicemanager, *surfaceflinger, *composer, *system_server,
        *systemui, *zygote, *installd, *lmkd, *logd, *probes;
    struct sim_thread *sf_main, *sf_app, *sf_timer, *sf_render, *hal, *animation, *display,
        *background, *input_reader, *input_dispatcher, *activity, *writer, *systemui_main,
        *probes_main, *installd_main, *lmkd_main, *zygote_main, *swap, *flusher;
    struct sim_thread *workers[CPU_COUNT + 2];
    struct sim_lock window_lock, activity_lock;
    struct app gallery, chat;
    int64_t vsync, started, launches, stories, frame_cookie;
};

static inline struct android *android_of(const struct sim *sim)
{
    return sim->profile;
}

/* The part of the machine that is there from the start; fills `android`. */
void android_add_system(struct sim *sim);
/* Periodic doings of kernel and services. */
void android_start_system(struct sim *sim);

void android_add_gallery(struct sim *sim);
/* Starts the chat application: message to a thread of system_server. */
void android_launch_chat(struct sim *sim, struct sim_thread *t, int64_t arg);
/* Messages to an application's main thread. */
void app_do_frame(struct sim *sim, struct sim_thread *t, int64_t vsync);
void app_input(struct sim *sim, struct sim_thread *t, int64_t event);
void app_sync(struct sim *sim, struct sim_thread *t, int64_t arg);

static inline struct frame *app_frame(struct app *app, int64_t id)
{
    return &app->history[id % FRAMES_KEPT];
}

/* What services offer. */
extern const struct binder_method window_relayout, window_finish_drawing, activity_start,
    activity_idle, activity_attach, package_info, provider_query, notification_post, get_service,
    surface_create, surface_transaction, composer_execute, window_visible, broadcast_receive;
/* Messages to system_server's threads. */
void system_save_tasks(struct sim *sim, struct sim_thread *t, int64_t arg);
void system_compile(struct sim *sim, struct sim_thread *t, int64_t arg);

#endif
