#include "android.h"

#include "device.h"
#include "pb_fields.h"
#include "profile.h"
#include "thread.h"
#include "track_event.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { UID_GALLERY = 10148, UID_CHAT = 10151 };
enum { FRAME_CHAT_LIFE = 110 };

static struct app *app_of(const struct sim *sim, const struct sim_process *p)
{
    struct android *a = android_of(sim);
    return p == a->chat.process ? &a->chat : &a->gallery;
}

/* Drawing */

static void fence_wait(struct sim *sim, struct sim_thread *t, int64_t frame)
{
    thread_begin_number(t, "waiting for GPU completion", frame);
    thread_sleep(t, rng_between(&sim->rng, 1500 * US, 3500 * US));
    thread_end(t);
}

static void render_frame(struct sim *sim, struct sim_thread *t, int64_t vsync)
{
    struct app *app = app_of(sim, t->process);
    struct rng *r = &sim->rng;
    thread_begin_number(t, "DrawFrames", vsync);
    thread_begin(t, "syncFrameState");
    thread_slice(t, "prepareTree", rng_duration(r, 120 * US));
    thread_end(t);
    thread_signal(t, app->main);
    thread_slice(t, app->dequeue, rng_duration(r, 40 * US));
    thread_begin(t, "flush commands");
    thread_run(t, rng_duration(r, 900 * US));
    thread_end(t);
    thread_begin(t, "eglSwapBuffersWithDamageKHR");
    thread_run(t, rng_duration(r, 120 * US));
    thread_post(t, app->fence, fence_wait, vsync);
    thread_begin(t, "queueBuffer");
    thread_oneway(t, android_of(sim)->surfaceflinger, &surface_transaction,
                  2 * vsync + (app == &android_of(sim)->chat));
    thread_counter(t, app->queued, 1);
    thread_end(t);
    thread_end(t);
    thread_end(t);
}

/* What a frame does, the good and the bad */

static void layout(struct sim *sim, struct sim_thread *t, int items, int64_t each)
{
    thread_begin(t, "RV OnLayout");
    for (int i = 0; i < items; i++) {
        thread_begin_number(t, "RV OnBindView type=0", i);
        thread_run(t, rng_duration(&sim->rng, each));
        if (each > MS)
            thread_slice(t, "inflate", rng_duration(&sim->rng, each / 2));
        thread_end(t);
    }
    thread_end(t);
}

static void collect(struct sim *sim, struct sim_thread *t, int64_t for_main)
{
    struct app *app = app_of(sim, t->process);
    thread_begin(t, for_main ? "Alloc concurrent copying GC" : "Background concurrent copying GC");
    thread_slice(t, "InitializePhase", rng_duration(&sim->rng, 60 * US));
    thread_slice(t, "FlipThreadRoots", rng_duration(&sim->rng, 200 * US));
    thread_slice(t, "CopyingPhase", rng_duration(&sim->rng, 2500 * US));
    thread_slice(t, "ReclaimPhase", rng_duration(&sim->rng, 400 * US));
    thread_fault(t, 1, -(int64_t)(6 << 20));
    thread_counter(t, "Heap size (KB)", 24000 + app->frames % 900);
    thread_end(t);
    if (for_main)
        thread_signal(t, app->main);
}

static void decode(struct sim *sim, struct sim_thread *t, int64_t image)
{
    thread_async_begin(t, "loadImage", image);
    thread_begin(t, "ImageDecoder#decodeBitmap");
    thread_io(t, rng_between(&sim->rng, 300 * US, 2500 * US), "filemap_read", true);
    thread_run(t, rng_duration(&sim->rng, 2500 * US));
    thread_fault(t, 1, 2 << 20);
    thread_end(t);
    thread_async_end(t, "loadImage", image);
}

static void tell_story(struct sim *sim, struct sim_thread *t, struct app *app)
{
    struct android *a = android_of(sim);
    enum story story = app->story;
    app->story = STORY_NONE;
    if (story == STORY_LOCK) {
        thread_begin(t, "relayoutWindow#first=false/resize=true/vis=false/params=true");
        thread_call(t, a->system_server, &window_relayout, 1);
        thread_end(t);
        thread_log(t, 'W', "Gallery", "window was laid out again during a scroll");
    } else if (story == STORY_LAYOUT) {
        layout(sim, t, 5, 500 * US);
        thread_begin(t, "WaitForGcToComplete");
        thread_post(t, app->collector, collect, 1);
        thread_wait(t);
        thread_end(t);
    } else if (story == STORY_STORAGE) {
        thread_begin(t, "Settings.Secure#getString");
        thread_call(t, a->systemui, &provider_query, 3);
        thread_end(t);
    }
}

static void frame_began(struct sim *sim, struct sim_thread *t, int64_t vsync)
{
    app_frame(app_of(sim, t->process), vsync)->start = sim->now;
}

static void frame_done(struct sim *sim, struct sim_thread *t, int64_t vsync)
{
    struct app *app = app_of(sim, t->process);
    app->frame_pending = false;
    app->frames++;
    (void)vsync;
}

static void traversal(struct sim *sim, struct sim_thread *t, struct app *app, int64_t vsync)
{
    struct android *a = android_of(sim);
    struct rng *r = &sim->rng;
    thread_begin(t, "traversal");
    if (app->frames % 23 == 5)
        thread_call(t, a->system_server, &window_visible, 0);
    thread_begin(t, "measure");
    thread_run(t, rng_duration(r, 250 * US));
    thread_end(t);
    thread_begin(t, "layout");
    layout(sim, t, (int)rng_between(r, 0, 2), 350 * US);
    tell_story(sim, t, app);
    thread_end(t);
    thread_begin(t, "draw");
    thread_slice(t, "Record View#draw()", rng_duration(r, 300 * US));
    thread_post(t, app->render, render_frame, vsync);
    thread_wait(t);
    thread_end(t);
    thread_end(t);
}

void app_do_frame(struct sim *sim, struct sim_thread *t, int64_t vsync)
{
    struct app *app = app_of(sim, t->process);
    struct rng *r = &sim->rng;
    thread_begin_number(t, "Choreographer#doFrame", vsync);
    thread_then(t, frame_began, vsync);
    thread_slice(t, "input", rng_duration(r, 70 * US));
    thread_begin(t, "animation");
    thread_run(t, rng_duration(r, 180 * US));
    if (app->frames % 30 == 2)
        thread_slice(t, "RV Scroll", rng_duration(r, 400 * US));
    thread_end(t);
    traversal(sim, t, app, vsync);
    thread_then(t, frame_done, vsync);
    thread_end(t);
    thread_fault(t, 1, rng_between(r, -1, 3) * 65536);
    if (app->frames % 6 == 1)
        thread_post(t, app->pool[app->frames / 6 % 4], decode, app->objects++);
    if (app->frames % 90 == 60)
        thread_post(t, app->collector, collect, 0);
    if (app->frames % 55 == 3)
        thread_call(t, android_of(sim)->systemui, &provider_query, 0);
}

void app_input(struct sim *sim, struct sim_thread *t, int64_t event)
{
    thread_begin_number(t, "deliverInputEvent src=0x1002 eventTimeNano", event);
    thread_run(t, rng_duration(&sim->rng, 60 * US));
    thread_end(t);
}

static void add_threads(struct sim *sim, struct sim_thread *parent, struct app *app)
{
    static const char *const names[] = {"RenderThread",    "GPU completion",  "HeapTaskDaemon",
                                        "pool-2-thread-1", "pool-2-thread-2", "pool-2-thread-3",
                                        "pool-2-thread-4"};
    struct sim_thread **slots[] = {&app->render,  &app->fence,   &app->collector, &app->pool[0],
                                   &app->pool[1], &app->pool[2], &app->pool[3]};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *slots[i] = parent ? sim_clone_thread(sim, parent, app->process, names[i])
                           : sim_add_thread(sim, app->process, names[i]);
        (*slots[i])->prio = i < 2 ? 110 : 124;
        (*slots[i])->prefer = i < 2 ? PREFER_BIG : PREFER_LITTLE;
    }
    binder_add_pool(sim, app->process, "binder", 3);
}

void android_add_gallery(struct sim *sim)
{
    struct android *a = android_of(sim);
    struct app *app = &a->gallery;
    sim->next_pid = 9814;
    app->package = "com.example.gallery";
    app->layer = "TX - com.example.gallery/com.example.gallery.MainActivity#412";
    app->dequeue = "dequeueBuffer - VRI[MainActivity]#0(BLAST Consumer)0";
    app->queued = "QueuedBuffer - VRI[MainActivity]#0(BLAST Consumer)0";
    app->process = sim_add_process(sim, 0, a->zygote->pid, UID_GALLERY, app->package);
    app->main = sim_add_thread(sim, app->process, "example.gallery");
    app->main->prio = 110;
    app->main->prefer = PREFER_BIG;
    add_threads(sim, NULL, app);
}

/* The chat application, which uses the tracing library */

static const struct event_site site_sync = {"chat", "Sync conversations", ANNOTATION_COUNT};
static const struct event_site site_fetch = {"net", "Fetch messages", ANNOTATION_REQUEST};
static const struct event_site site_parse = {"net", "Parse response", ANNOTATION_COUNT};
static const struct event_site site_store = {"db", "Store messages", ANNOTATION_SOURCE};
static const struct event_site site_show = {"chat", "Show conversation", ANNOTATION_COUNT};
static const struct event_site site_read = {"chat", "Message read", ANNOTATION_SOURCE};
static const struct event_site site_download = {"net", "Download attachment", ANNOTATION_REQUEST};

static void chat_show(struct sim *sim, struct sim_thread *t, int64_t flow)
{
    thread_event_begin(t, &site_show, flow % 40, (struct flows){.end_first = flow, .end_count = 1});
    thread_run(t, rng_duration(&sim->rng, 300 * US));
    thread_event_instant(t, &site_read, flow, (struct flows){0});
    thread_event_end(t, &site_show);
    thread_oneway(t, android_of(sim)->system_server, &notification_post, 0);
}

static void chat_store(struct sim *sim, struct sim_thread *t, int64_t flow)
{
    struct app *app = app_of(sim, t->process);
    thread_event_begin(t, &site_store, flow, (struct flows){.first = flow, .count = 1});
    thread_run(t, rng_duration(&sim->rng, 250 * US));
    thread_io(t, rng_between(&sim->rng, 500 * US, 3 * MS), "f2fs_do_sync_file", true);
    thread_event_end(t, &site_store);
    thread_post(t, app->main, chat_show, flow);
}

static void download_end(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    (void)arg;
    thread_span_end(t, &site_download, app_of(sim, t->process)->download_track);
}

static void chat_fetch(struct sim *sim, struct sim_thread *t, int64_t flow)
{
    struct app *app = app_of(sim, t->process);
    if (!app->download_track) {
        app->download_track = event_track_add(sim, t, "Downloads");
        app->bytes_counter = event_counter_add(sim, t, "Bytes received", "bytes");
    }
    thread_event_begin(t, &site_fetch, flow, (struct flows){.first = flow, .count = 1});
    bool attachment = flow % 3 == 0;
    if (attachment)
        thread_span_begin(t, &site_download, app->download_track, flow);
    thread_run(t, rng_duration(&sim->rng, 150 * US));
    thread_sleep(t, rng_between(&sim->rng, 8 * MS, 30 * MS));
    thread_event_begin(t, &site_parse, flow * 7 % 100, (struct flows){0});
    thread_run(t, rng_duration(&sim->rng, 400 * US));
    thread_event_end(t, &site_parse);
    app->bytes += rng_between(&sim->rng, 900, 60000);
    thread_event_counter(t, app->bytes_counter, app->bytes);
    if (attachment)
        thread_then(t, download_end, 0);
    thread_event_end(t, &site_fetch);
    thread_post(t, app->pool[1], chat_store, flow);
}

void app_sync(struct sim *sim, struct sim_thread *t, int64_t flow)
{
    struct app *app = app_of(sim, t->process);
    thread_event_begin(t, &site_sync, flow % 7, (struct flows){.first = flow, .count = 1});
    thread_run(t, rng_duration(&sim->rng, 90 * US));
    thread_event_end(t, &site_sync);
    thread_post(t, app->pool[flow & 2 ? 2 : 0], chat_fetch, flow);
}

static void chat_sync_irq(struct sim *sim, int cpu, uint32_t flags, void *subject)
{
    struct android *a = subject;
    sim_post(sim, cpu, flags, a->chat.main, app_sync, 7000 + a->chat.objects++);
}

static void chat_life(struct sim *sim, void *subject, int64_t process)
{
    struct android *a = subject;
    struct app *app = &a->chat;
    if (app->process->pid != process || app->process->gone)
        return;
    sim_interrupt(sim, 1, 212, "wlan", SOFTIRQ_NET_RX, chat_sync_irq, a);
    app->animates = app->frames < FRAME_CHAT_LIFE;
    sim_at(sim, sim->now + rng_between(&sim->rng, 60 * MS, 140 * MS), chat_life, a, process);
}

static void first_frame_shown(struct sim *sim, struct sim_thread *t, int64_t launch)
{
    thread_async_end(t, "launching: com.example.chat", launch);
    thread_async_number(t, false, "launchingActivity#", launch);
    thread_instant_number(t, "launchingActivity#", launch, ":completed-cold:com.example.chat");
    thread_log(t, 'I', "ActivityTaskManager", "Displayed com.example.chat/.MainActivity");
    sim_set_oom_score(sim, t, android_of(sim)->chat.process, 0);
}

static void start_life(struct sim *sim, struct sim_thread *t, int64_t launch)
{
    struct android *a = android_of(sim);
    a->chat.animates = true;
    sim_at(sim, sim->now + 5 * MS, chat_life, a, t->process->pid);
    (void)launch;
}

static void chat_begin(struct sim *sim, struct sim_thread *t, int64_t launch)
{
    struct android *a = android_of(sim);
    struct rng *r = &sim->rng;
    sim_rename_thread(sim, t, "om.example.chat");
    add_threads(sim, t, &a->chat);
    thread_begin(t, "PostFork");
    thread_run(t, rng_duration(r, 2 * MS));
    thread_end(t);
    thread_begin(t, "ActivityThreadMain");
    thread_call(t, a->servicemanager, &get_service, 0);
    thread_call(t, a->system_server, &activity_attach, 0);
    thread_end(t);
    thread_begin(t, "bindApplication");
    thread_call(t, a->system_server, &package_info, 0);
    thread_begin(t, "OpenDexFilesFromOat(/data/app/com.example.chat/base.apk)");
    for (int i = 0; i < 6; i++) {
        thread_run(t, rng_duration(r, 1200 * US));
        thread_fault(t, 0, 512 << 10);
        thread_io(t, rng_between(r, 400 * US, 3 * MS), "filemap_fault", true);
    }
    thread_end(t);
    thread_slice(t, "app.onCreate", rng_duration(r, 9 * MS));
    thread_end(t);
    thread_begin(t, "activityStart");
    layout(sim, t, 6, 1500 * US);
    thread_call(t, a->systemui, &provider_query, 1);
    thread_end(t);
    thread_begin(t, "activityResume");
    thread_run(t, rng_duration(r, 2 * MS));
    thread_end(t);
    thread_begin(t, "relayoutWindow#first=true/resize=true/vis=true/params=true");
    thread_call(t, a->system_server, &window_relayout, 1);
    thread_end(t);
    thread_call(t, a->system_server, &window_finish_drawing, 0);
    thread_then(t, start_life, launch);
    thread_oneway(t, a->system_server, &activity_idle, 0);
    thread_post(t, a->activity, first_frame_shown, launch);
}

static void fork_chat(struct sim *sim, struct sim_thread *t, int64_t launch)
{
    struct android *a = android_of(sim);
    struct app *app = &a->chat;
    sim->next_pid = 21400 + (int)(launch % 500) * 20;
    *app = (struct app){.package = "com.example.chat",
                        .layer = "TX - com.example.chat/com.example.chat.MainActivity#430",
                        .dequeue = "dequeueBuffer - VRI[MainActivity]#1(BLAST Consumer)1",
                        .queued = "QueuedBuffer - VRI[MainActivity]#1(BLAST Consumer)1",
                        .objects = launch * 1000000};
    app->process = sim_add_process(sim, 0, t->process->pid, UID_CHAT, app->package);
    app->main = sim_clone_thread(sim, t, app->process, "zygote64");
    app->main->prio = 110;
    app->main->prefer = PREFER_BIG;
    thread_run(t, 800 * US);
    thread_post(t, app->main, chat_begin, launch);
}

static void kill_chat(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    struct android *a = android_of(sim);
    thread_log(t, 'I', "lowmemorykiller", "Kill 'com.example.chat', to free memory");
    sim_kill_process(sim, t->cpu, a->chat.process);
    (void)arg;
}

void android_launch_chat(struct sim *sim, struct sim_thread *t, int64_t launch)
{
    struct android *a = android_of(sim);
    thread_async_number(t, true, "launchingActivity#", launch);
    thread_async_begin(t, "launching: com.example.chat", launch);
    thread_lock(t, &a->activity_lock,
                "com.android.server.am.ProcessList.startProcessLocked()(ProcessList.java:1722)");
    thread_begin(t, "Start proc: com.example.chat");
    thread_run(t, rng_duration(&sim->rng, MS));
    thread_end(t);
    thread_unlock(t, &a->activity_lock);
    thread_log(t, 'I', "ActivityManager", "Start proc for activity com.example.chat/.MainActivity");
    thread_post(t, a->zygote_main, fork_chat, launch);
}

/* Starts the chat, lets it live for a while, ends it, and again. */
static void wake_lmkd(struct sim *sim, int cpu, uint32_t flags, void *subject)
{
    struct android *a = subject;
    sim_post(sim, cpu, flags, a->lmkd_main, kill_chat, 0);
}

static void wake_activity(struct sim *sim, int cpu, uint32_t flags, void *subject)
{
    struct android *a = subject;
    sim_post(sim, cpu, flags, a->activity, android_launch_chat, a->launches);
}

static void launch_again(struct sim *sim, void *subject, int64_t launch)
{
    struct android *a = subject;
    enum { LIFE_S = 13, GAP_S = 4 };
    bool alive = a->chat.process && !a->chat.process->gone;
    if (alive) {
        sim_interrupt(sim, 0, sim->timer_irq, sim->timer_name, SOFTIRQ_NONE, wake_lmkd, a);
        sim_at(sim, sim->now + GAP_S * SECOND, launch_again, a, launch);
        return;
    }
    a->launches = launch;
    sim_interrupt(sim, 3, sim->timer_irq, sim->timer_name, SOFTIRQ_NONE, wake_activity, a);
    sim_at(sim, sim->now + LIFE_S * SECOND, launch_again, a, launch + 1);
}

/* The profile */

static void packages_write(struct sim *sim)
{
    static const struct {
        const char *name;
        int uid;
    } packages[] = {{"com.android.systemui", 10071},
                    {"com.example.gallery", UID_GALLERY},
                    {"com.example.chat", UID_CHAT}};
    struct proto *w = out_begin(&sim->out);
    proto_i64(w, PB_TracePacket_timestamp, sim->now);
    proto_begin(w, PB_TracePacket_packages_list);
    for (int i = 0; i < 3; i++) {
        proto_begin(w, PB_PackagesList_packages);
        proto_string(w, PB_PackagesList_PackageInfo_name, packages[i].name);
        proto_i64(w, PB_PackagesList_PackageInfo_uid, packages[i].uid);
        proto_u64(w, PB_PackagesList_PackageInfo_debuggable, i > 0);
        proto_u64(w, PB_PackagesList_PackageInfo_profileable_from_shell, i > 0);
        proto_u64(w, PB_PackagesList_PackageInfo_version_code, 3400 + (unsigned)i);
        proto_end(w);
    }
    proto_end(w);
    out_end(&sim->out, SEQUENCE_PACKAGES, 9999, 911);
}

static void android_start(struct sim *sim)
{
    static const struct device device = {
        .sysname = "Linux",
        .version = "#1 SMP PREEMPT Tue Jan 2 10:11:12 UTC 2024",
        .release = "5.15.123-android14-9",
        .machine = "aarch64",
        .fingerprint = "example/phone/phone:14/AB1A.240101.001/1:userdebug/dev-keys",
        .android = true};
    sim->profile = alloc_array(1, sizeof(struct android));
    struct android *a = android_of(sim);
    android_add_system(sim);
    android_add_gallery(sim);
    device_start(sim, &device);
    packages_write(sim);
    android_start_system(sim);
    sim_at(sim, sim->now + 1700 * MS, launch_again, a, 1);
}

static void android_release(struct sim *sim)
{
    struct android *a = android_of(sim);
    vec_release(&a->window_lock.waiters);
    vec_release(&a->activity_lock.waiters);
    free(a);
}

static bool android_done(const struct sim *sim)
{
    return sim->now - sim->start > 5 * SECOND;
}

const struct profile android_profile = {
    .name = "android",
    .help = "a phone: frames, binder calls, locks, an application start (5 s)",
    .start = android_start,
    .release = android_release,
    .done = android_done,
};
