#include "android.h"

#include "pb_fields.h"
#include "thread.h"

enum { UID_SYSTEM = 1000, UID_LOGD = 1036, UID_SYSTEMUI = 10071, UID_NOBODY = 9999 };
enum { IRQ_DISPLAY = 142, IRQ_TOUCH = 201, PRIO_DISPLAY = 98, PRIO_URGENT = 112, PRIO_LOW = 130 };

/* What services do for those who call them */

static void serve_relayout(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    struct android *a = android_of(sim);
    thread_run(t, rng_duration(&sim->rng, 60 * US));
    thread_lock(t, &a->window_lock,
                "com.android.server.wm.WindowManagerService.relayoutWindow"
                "()(WindowManagerService.java:2231)");
    thread_begin(t, "relayoutWindow: com.example.gallery/com.example.gallery.MainActivity");
    thread_run(t, rng_duration(&sim->rng, 300 * US));
    if (arg)
        thread_call(t, a->surfaceflinger, &surface_create, 0);
    thread_slice(t, "performSurfacePlacement", rng_duration(&sim->rng, 350 * US));
    thread_end(t);
    thread_unlock(t, &a->window_lock);
    thread_run(t, rng_duration(&sim->rng, 40 * US));
}

static void serve_finish_drawing(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    struct android *a = android_of(sim);
    thread_lock(t, &a->window_lock,
                "com.android.server.wm.WindowManagerService.finishDrawingWindow"
                "()(WindowManagerService.java:2630)");
    thread_run(t, rng_duration(&sim->rng, 180 * US));
    thread_unlock(t, &a->window_lock);
    (void)arg;
}

static void serve_visible(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    struct android *a = android_of(sim);
    thread_lock(t, &a->window_lock,
                "com.android.server.wm.WindowManagerService.getWindowInsets"
                "()(WindowManagerService.java:8011)");
    thread_run(t, rng_duration(&sim->rng, 90 * US));
    thread_unlock(t, &a->window_lock);
    (void)arg;
}

static void serve_activity(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    struct android *a = android_of(sim);
    thread_lock(t, &a->activity_lock,
                "com.android.server.am.ActivityManagerService.attachApplication"
                "()(ActivityManagerService.java:4876)");
    thread_run(t, rng_duration(&sim->rng, 500 * US));
    thread_unlock(t, &a->activity_lock);
    (void)arg;
}

static void serve_package(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    thread_run(t, rng_duration(&sim->rng, 120 * US));
    (void)arg;
}

static void serve_query(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    thread_begin(t, "SQLiteDatabase: SELECT * FROM settings WHERE name = ?");
    thread_run(t, rng_duration(&sim->rng, 150 * US));
    for (int64_t i = 0; i < arg; i++) {
        thread_fault(t, 0, 64 << 10);
        thread_io(t, rng_between(&sim->rng, 4 * MS, 9 * MS), "filemap_read", true);
        thread_run(t, rng_duration(&sim->rng, 250 * US));
    }
    thread_end(t);
}

static void handle_notification(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    thread_begin(t, "NotificationEntryManager#addNotification");
    thread_slice(t, "inflate", rng_duration(&sim->rng, 1500 * US));
    thread_end(t);
    thread_log(t, 'D', "StatusBar", "notification added");
    (void)arg;
}

static void serve_notification(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    thread_run(t, rng_duration(&sim->rng, 200 * US));
    thread_post(t, android_of(sim)->systemui_main, handle_notification, arg);
}

static void serve_lookup(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    thread_run(t, rng_duration(&sim->rng, 25 * US));
    (void)arg;
}

static void serve_surface(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    thread_slice(t, "createSurface", rng_duration(&sim->rng, 250 * US));
    (void)arg;
}

/* `frame` is twice the frame's id, plus one for the chat. */
static void latch(struct sim *sim, struct sim_thread *t, int64_t frame)
{
    struct app *app = frame & 1 ? &android_of(sim)->chat : &android_of(sim)->gallery;
    app->queued_id = frame / 2;
    (void)t;
}

static void serve_transaction(struct sim *sim, struct sim_thread *t, int64_t frame)
{
    thread_run(t, rng_duration(&sim->rng, 45 * US));
    thread_then(t, latch, frame);
}

static void serve_composer(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    thread_slice(t, "validateDisplay", rng_duration(&sim->rng, 350 * US));
    thread_slice(t, "presentDisplay", rng_duration(&sim->rng, 250 * US));
    (void)arg;
}

const struct binder_method window_relayout = {"AIDL::java::IWindowSession::relayout::client",
                                              "AIDL::java::IWindowSession::relayout::server",
                                              2,
                                              1187,
                                              696,
                                              serve_relayout};
const struct binder_method window_finish_drawing = {
    NULL, "AIDL::java::IWindowSession::finishDrawing::server", 8, 1187, 148, serve_finish_drawing};
const struct binder_method window_visible = {
    NULL, "AIDL::java::IWindowManager::getWindowInsets::server", 87, 1190, 212, serve_visible};
const struct binder_method activity_start = {
    "AIDL::java::IActivityTaskManager::startActivity::client",
    "AIDL::java::IActivityTaskManager::startActivity::server",
    3,
    1204,
    1024,
    serve_activity};
const struct binder_method activity_attach = {
    "AIDL::java::IActivityManager::attachApplication::client",
    "AIDL::java::IActivityManager::attachApplication::server",
    24,
    1201,
    188,
    serve_activity};
const struct binder_method activity_idle = {
    NULL,         "AIDL::java::IActivityClientController::activityIdle::server", 4, 1205, 176,
    serve_package};
const struct binder_method package_info = {
    "AIDL::java::IPackageManager::getApplicationInfo::client",
    "AIDL::java::IPackageManager::getApplicationInfo::server",
    14,
    1210,
    164,
    serve_package};
const struct binder_method provider_query = {"AIDL::java::IContentProvider::query::client",
                                             "AIDL::java::IContentProvider::query::server",
                                             1,
                                             1533,
                                             484,
                                             serve_query};
const struct binder_method notification_post = {
    NULL, "AIDL::java::INotificationManager::enqueueNotificationWithTag::server",
    9,    1216,
    1820, serve_notification};
const struct binder_method broadcast_receive = {
    NULL, "AIDL::java::IIntentReceiver::performReceive::server", 1, 1601, 912, serve_package};
const struct binder_method get_service = {NULL, NULL, 1, 1, 88, serve_lookup};
const struct binder_method surface_create = {
    NULL, "AIDL::cpp::ISurfaceComposerClient::createSurface::server", 1, 77, 240, serve_surface};
const struct binder_method surface_transaction = {NULL, "setTransactionState", 8, 71,
                                                  1160, serve_transaction};
const struct binder_method composer_execute = {
    "AIDL::cpp::IComposerClient::executeCommands::client",
    "AIDL::cpp::IComposerClient::executeCommands::server",
    12,
    22,
    904,
    serve_composer};

/* system_server's own threads */

void system_save_tasks(struct sim *sim, struct sim_thread *t, int64_t slow)
{
    struct android *a = android_of(sim);
    thread_lock(t, &a->window_lock,
                "com.android.server.wm.TaskPersister.writeTasks()(TaskPersister.java:455)");
    thread_begin(t, "TaskPersister#writeTasks");
    thread_run(t, rng_duration(&sim->rng, 400 * US));
    if (slow) {
        thread_begin(t, "AtomicFile#finishWrite");
        thread_io(t, rng_between(&sim->rng, 24 * MS, 32 * MS), "f2fs_wait_on_page_writeback", true);
        thread_run(t, 150 * US);
        thread_io(t, rng_between(&sim->rng, 3 * MS, 6 * MS), "f2fs_issue_flush", true);
        thread_end(t);
        thread_call(t, a->surfaceflinger, &surface_create, 0);
    }
    thread_end(t);
    thread_unlock(t, &a->window_lock);
}

static void animate_windows(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    struct android *a = android_of(sim);
    thread_begin(t, "WindowAnimator#animate");
    thread_lock(t, &a->window_lock,
                "com.android.server.wm.WindowAnimator.animate()(WindowAnimator.java:119)");
    thread_run(t, rng_duration(&sim->rng, 160 * US));
    thread_unlock(t, &a->window_lock);
    thread_end(t);
    (void)arg;
}

static bool display_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    thread_slice(t, "DisplayPowerController#updatePowerState", rng_duration(&sim->rng, 90 * US));
    thread_counter(t, "ScreenBrightness", 120 + step % 17);
    if (step % 4 == 0)
        thread_call(t, android_of(sim)->surfaceflinger, &surface_create, 0);
    thread_sleep(t, rng_between(&sim->rng, 180 * MS, 260 * MS));
    return true;
}

static bool background_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    struct android *a = android_of(sim);
    (void)step;
    thread_slice(t, "BatteryStatsImpl#updateCpuTime", rng_duration(&sim->rng, 900 * US));
    thread_oneway(t, a->systemui, &broadcast_receive, 0);
    thread_fault(t, 1, rng_between(&sim->rng, -3, 4) * 262144);
    thread_sleep(t, rng_between(&sim->rng, 90 * MS, 210 * MS));
    return true;
}

/* A compilation by the package manager's helper: a new process with many threads that do sums. */
static void compile_work(struct sim *sim, struct sim_thread *t, int64_t last)
{
    for (int i = 0; i < 6; i++) {
        thread_run(t, rng_between(&sim->rng, 9 * MS, 21 * MS));
        thread_fault(t, 1, 1 << 20);
    }
    if (last)
        thread_sleep(t, 60 * MS);
    thread_exit(t);
}

static void compile_begin(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    sim_rename_thread(sim, t, "dex2oat64");
    for (int i = 0; i < 8; i++) {
        struct sim_thread *worker = sim_clone_thread(sim, t, t->process, "Compile driver");
        sim_post(sim, t->cpu, 0, worker, compile_work, 0);
    }
    compile_work(sim, t, 1);
    (void)arg;
}

void system_compile(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    sim->next_pid += 3;
    struct sim_process *p = sim_add_process(sim, 0, t->process->pid, UID_SYSTEM, "dex2oat64");
    struct sim_thread *main = sim_clone_thread(sim, t, p, "installd");
    thread_log(t, 'I', "installd", "compiling com.example.gallery, filter speed-profile");
    sim_post(sim, t->cpu, 0, main, compile_begin, arg);
}

/* Input */

static void input_dispatch(struct sim *sim, struct sim_thread *t, int64_t event)
{
    struct app *app = &android_of(sim)->gallery;
    thread_counter(t, "iq", 1);
    thread_slice(t, "dispatchInput", rng_duration(&sim->rng, 60 * US));
    thread_counter(t, "iq", 0);
    thread_post(t, app->main, app_input, event);
}

static void input_read(struct sim *sim, struct sim_thread *t, int64_t event)
{
    thread_slice(t, "processEventsLocked", rng_duration(&sim->rng, 50 * US));
    thread_post(t, android_of(sim)->input_dispatcher, input_dispatch, event);
}

static void touch_irq(struct sim *sim, int cpu, uint32_t flags, void *subject)
{
    struct android *a = subject;
    sim_post(sim, cpu, flags, a->input_reader, input_read, sim->now - sim->start);
}

static void touch(struct sim *sim, void *subject, int64_t count)
{
    struct android *a = subject;
    /* Fingers rest now and then. */
    int64_t pause = count % 180 == 179 ? 400 * MS : 8333 * US;
    sim_at(sim, sim->now + pause, touch, a, count + 1);
    a->gallery.animates = count % 180 < 178;
    sim_interrupt(sim, 1, IRQ_TOUCH, "fts_touch", SOFTIRQ_NONE, touch_irq, a);
}

/* SurfaceFlinger */

static void vsync_for_apps(struct sim *sim, struct sim_thread *t, int64_t vsync)
{
    struct android *a = android_of(sim);
    thread_counter(t, "VSYNC-app", vsync & 1);
    struct app *apps[] = {&a->gallery, &a->chat};
    for (int i = 0; i < 2; i++) {
        struct app *app = apps[i];
        if (!app->process || app->process->gone || !app->animates || app->frame_pending)
            continue;
        app->frame_pending = true;
        *app_frame(app, vsync) = (struct frame){.id = vsync, .vsync = sim->now};
        thread_post(t, app->main, app_do_frame, vsync);
    }
    if (a->gallery.animates)
        thread_post(t, a->animation, animate_windows, vsync);
}

/* The story of a frame: when it should have been ready, when it was. */

enum frame_kind { FRAME_EXPECTED, FRAME_ACTUAL };

static void frame_packets(struct sim *sim, const struct app *app, const struct frame *frame,
                          enum frame_kind kind)
{
    struct android *a = android_of(sim);
    int64_t cookie = ++a->frame_cookie;
    bool actual = kind == FRAME_ACTUAL, late = sim->now > frame->vsync + VSYNC + VSYNC / 2;
    int64_t start = actual ? frame->start : frame->vsync;
    int64_t end = actual ? sim->now : frame->vsync + VSYNC;
    struct proto *w = out_begin(&sim->out);
    proto_i64(w, PB_TracePacket_timestamp, start);
    proto_begin(w, PB_TracePacket_frame_timeline_event);
    proto_begin(w, actual ? PB_FrameTimelineEvent_actual_surface_frame_start
                          : PB_FrameTimelineEvent_expected_surface_frame_start);
    proto_i64(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_cookie, cookie);
    proto_i64(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_token, frame->id);
    proto_i64(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_display_frame_token, a->vsync);
    proto_i64(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_pid, app->process->pid);
    proto_string(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_layer_name, app->layer);
    if (actual) {
        proto_i64(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_present_type,
                  late ? PB_FrameTimelineEvent_PresentType_PRESENT_LATE
                       : PB_FrameTimelineEvent_PresentType_PRESENT_ON_TIME);
        proto_u64(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_on_time_finish, !late);
        proto_u64(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_gpu_composition, 0);
        proto_i64(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_jank_type,
                  late ? PB_FrameTimelineEvent_JankType_JANK_APP_DEADLINE_MISSED
                       : PB_FrameTimelineEvent_JankType_JANK_NONE);
        proto_i64(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_prediction_type,
                  PB_FrameTimelineEvent_PredictionType_PREDICTION_VALID);
        proto_u64(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_is_buffer, 1);
        proto_i64(w, PB_FrameTimelineEvent_ActualSurfaceFrameStart_jank_severity_type,
                  late ? PB_FrameTimelineEvent_JankSeverityType_SEVERITY_FULL
                       : PB_FrameTimelineEvent_JankSeverityType_SEVERITY_NONE);
    }
    proto_end(w);
    proto_end(w);
    out_end(&sim->out, SEQUENCE_FRAMES, UID_SYSTEM, a->surfaceflinger->pid);
    w = out_begin(&sim->out);
    proto_i64(w, PB_TracePacket_timestamp, end);
    proto_begin(w, PB_TracePacket_frame_timeline_event);
    proto_begin(w, PB_FrameTimelineEvent_frame_end);
    proto_i64(w, PB_FrameTimelineEvent_FrameEnd_cookie, cookie);
    proto_end(w);
    proto_end(w);
    out_end(&sim->out, SEQUENCE_FRAMES, UID_SYSTEM, a->surfaceflinger->pid);
}

static void show_frames(struct sim *sim, struct sim_thread *t, int64_t arg)
{
    struct app *apps[] = {&android_of(sim)->gallery, &android_of(sim)->chat};
    for (int i = 0; i < 2; i++) {
        const struct frame *frame = app_frame(apps[i], apps[i]->queued_id);
        if (apps[i]->queued_id && frame->id == apps[i]->queued_id) {
            frame_packets(sim, apps[i], frame, FRAME_EXPECTED);
            frame_packets(sim, apps[i], frame, FRAME_ACTUAL);
        }
        apps[i]->queued_id = 0;
    }
    (void)t;
    (void)arg;
}

static void draw_layers(struct sim *sim, struct sim_thread *t, int64_t vsync)
{
    thread_slice(t, "REThreaded::drawLayers", rng_duration(&sim->rng, 500 * US));
    (void)vsync;
}

static void sf_commit(struct sim *sim, struct sim_thread *t, int64_t vsync)
{
    struct android *a = android_of(sim);
    bool ready = a->gallery.queued_id || a->chat.queued_id;
    thread_counter(t, "VSYNC-sf", vsync & 1);
    if (!ready && vsync % 8)
        return;
    thread_begin_number(t, "commit", vsync);
    thread_run(t, rng_duration(&sim->rng, 70 * US));
    if (ready)
        thread_slice(t, "latchBuffer", rng_duration(&sim->rng, 80 * US));
    thread_end(t);
    thread_begin_number(t, "composite", vsync);
    thread_slice(t, "prepareFrame", rng_duration(&sim->rng, 60 * US));
    thread_call(t, a->composer, &composer_execute, vsync);
    if (vsync % 5 == 0)
        thread_post(t, a->sf_render, draw_layers, vsync);
    thread_slice(t, "postComposition", rng_duration(&sim->rng, 90 * US));
    thread_then(t, show_frames, 0);
    thread_end(t);
}

static void on_vsync(struct sim *sim, struct sim_thread *t, int64_t vsync)
{
    struct android *a = android_of(sim);
    thread_run(t, rng_duration(&sim->rng, 15 * US));
    thread_post(t, a->sf_app, vsync_for_apps, vsync);
}

static void on_vsync_sf(struct sim *sim, struct sim_thread *t, int64_t vsync)
{
    thread_run(t, rng_duration(&sim->rng, 15 * US));
    thread_post(t, android_of(sim)->sf_main, sf_commit, vsync);
}

static void wake_writer(struct sim *sim, int cpu, uint32_t flags, void *subject)
{
    struct android *a = subject;
    sim_post(sim, cpu, flags, a->writer, system_save_tasks, 1);
}

static void wake_compiler(struct sim *sim, int cpu, uint32_t flags, void *subject)
{
    struct android *a = subject;
    sim_post(sim, cpu, flags, a->installd_main, system_compile, 0);
}

static void vsync_irq(struct sim *sim, int cpu, uint32_t flags, void *subject)
{
    struct android *a = subject;
    sim_post(sim, cpu, flags, a->sf_timer, on_vsync, a->vsync);
}

static void vsync_sf_irq(struct sim *sim, int cpu, uint32_t flags, void *subject)
{
    struct android *a = subject;
    sim_post(sim, cpu, flags, a->sf_timer, on_vsync_sf, a->vsync);
}

static void vsync_sf(struct sim *sim, void *subject, int64_t arg)
{
    (void)arg;
    sim_interrupt(sim, 2, sim->timer_irq, sim->timer_name, SOFTIRQ_NONE, vsync_sf_irq, subject);
}

/* Every second or so something goes wrong with one of the gallery's frames. */
static void plan_story(struct sim *sim, struct android *a)
{
    enum { FIRST = 42, EVERY = 66 };
    if (a->vsync % EVERY != FIRST)
        return;
    enum story story = (enum story)(1 + a->stories++ % (STORY_COUNT - 1));
    a->gallery.story = story;
    sim_irq_fn *body = story == STORY_LOCK  ? wake_writer
                       : story == STORY_CPU ? wake_compiler
                                            : NULL;
    if (body)
        sim_interrupt(sim, 1, sim->timer_irq, sim->timer_name, SOFTIRQ_TIMER, body, a);
}

static void vsync(struct sim *sim, void *subject, int64_t arg)
{
    struct android *a = subject;
    a->vsync++;
    sim_at(sim, sim->now + VSYNC, vsync, a, arg);
    sim_at(sim, sim->now + 9 * MS, vsync_sf, a, 0);
    plan_story(sim, a);
    sim_interrupt(sim, 2, IRQ_DISPLAY, "disp_vsync", SOFTIRQ_NONE, vsync_irq, a);
}

/* Kernel threads */

static bool worker_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    static const char *const items[] = {
        "vmstat_update",        "blk_mq_run_work_fn", "wb_workfn",
        "pm_runtime_work",      "dbs_work_handler",   "neigh_periodic_work",
        "lru_add_drain_per_cpu"};
    for (int64_t i = rng_between(&sim->rng, 1, 3); i > 0; i--) {
        const char *item = items[rng_next(&sim->rng) % 7];
        thread_work_item(t, item, rng_duration(&sim->rng, 25 * US));
    }
    if (step % 40 == 39)
        thread_io(t, rng_between(&sim->rng, MS, 4 * MS), "wait_for_completion", false);
    thread_sleep(t, rng_between(&sim->rng, 4 * MS, 60 * MS));
    return true;
}

static bool rcu_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    (void)step;
    thread_run(t, rng_duration(&sim->rng, 8 * US));
    thread_sleep(t, rng_between(&sim->rng, 4 * MS, 12 * MS));
    return true;
}

static bool swap_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    thread_run(t, rng_duration(&sim->rng, (step % 6 ? 120 : 3000) * US));
    thread_sleep(t, rng_between(&sim->rng, 150 * MS, 450 * MS));
    return true;
}

static bool probes_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    (void)step;
    for (int i = 0; i < 4; i++)
        thread_run(t, rng_duration(&sim->rng, 250 * US));
    thread_sleep(t, 100 * MS);
    return true;
}

static bool log_next(struct sim *sim, struct sim_thread *t, int64_t step)
{
    (void)step;
    thread_run(t, rng_duration(&sim->rng, 35 * US));
    thread_sleep(t, rng_between(&sim->rng, 10 * MS, 50 * MS));
    return true;
}

/* What there is */

static struct sim_thread *add(struct sim *sim, struct sim_process *p, const char *name, int prio,
                              enum cpu_preference prefer)
{
    struct sim_thread *t = sim_add_thread(sim, p, name);
    t->prio = prio;
    t->prefer = prefer;
    return t;
}

static struct sim_thread *add_daemon(struct sim *sim, struct sim_process **p, int pid, int uid,
                                     const char *name)
{
    const char *comm = name;
    for (const char *c = name; *c; c++)
        comm = *c == '/' ? c + 1 : comm;
    sim->next_pid = pid;
    *p = sim_add_process(sim, 0, 1, uid, name);
    (*p)->oom_score_adj = -1000;
    return add(sim, *p, comm, 120, PREFER_LITTLE);
}

static struct sim_thread *add_kernel_thread(struct sim *sim, int pid, const char *name)
{
    sim->next_pid = pid;
    struct sim_process *p = sim_add_process(sim, 0, 2, 0, name);
    struct sim_thread *t = add(sim, p, name, 120, PREFER_LITTLE);
    t->idle_state = STATE_IDLE_WORKER;
    return t;
}

static void add_kernel(struct sim *sim, struct android *a)
{
    a->kernel = sim_add_process(sim, 2, 0, 0, "kthreadd");
    (void)add(sim, a->kernel, "kthreadd", 120, PREFER_LITTLE);
    struct sim_thread *rcu = add_kernel_thread(sim, 13, "rcu_preempt");
    rcu->next = rcu_next;
    sim_start(sim, rcu, 3 * MS);
    for (int i = 0; i < CPU_COUNT + 2; i++) {
        const char *name = i < CPU_COUNT ? sim_text(sim, "kworker/%d:%d", i, 1 + i % 3)
                                         : sim_text(sim, "kworker/u16:%d", i);
        struct sim_thread *t = add_kernel_thread(sim, 60 + 3 * i, name);
        if (i < CPU_COUNT)
            t->affinity = 1u << i;
        t->next = worker_next;
        a->workers[i] = t;
        sim_start(sim, t, rng_between(&sim->rng, MS, 40 * MS));
    }
    a->swap = add_kernel_thread(sim, 97, "kswapd0");
    a->swap->next = swap_next;
    sim_start(sim, a->swap, 220 * MS);
}

static void add_system_server(struct sim *sim, struct android *a)
{
    struct sim_thread *main = add_daemon(sim, &a->system_server, 1642, UID_SYSTEM, "system_server");
    a->system_server->oom_score_adj = -900;
    main->prefer = PREFER_ANY;
    a->animation = add(sim, a->system_server, "android.anim", 110, PREFER_BIG);
    a->display = add(sim, a->system_server, "android.display", 117, PREFER_ANY);
    a->background = add(sim, a->system_server, "android.bg", 130, PREFER_LITTLE);
    a->activity = add(sim, a->system_server, "ActivityManager", 118, PREFER_ANY);
    a->writer = add(sim, a->system_server, "LazyTaskWriter", 130, PREFER_LITTLE);
    a->input_dispatcher = add(sim, a->system_server, "InputDispatcher", PRIO_URGENT, PREFER_ANY);
    a->input_reader = add(sim, a->system_server, "InputReader", PRIO_URGENT, PREFER_ANY);
    (void)add(sim, a->system_server, "HeapTaskDaemon", 124, PREFER_LITTLE);
    binder_add_pool(sim, a->system_server, "binder", 8);
    a->display->next = display_next;
    sim_start(sim, a->display, 40 * MS);
    a->background->next = background_next;
    sim_start(sim, a->background, 70 * MS);
}

static void add_surfaceflinger(struct sim *sim, struct android *a)
{
    a->sf_main = add_daemon(sim, &a->surfaceflinger, 561, UID_SYSTEM, "/system/bin/surfaceflinger");
    a->sf_main->prio = PRIO_DISPLAY - 1;
    a->sf_main->prefer = PREFER_ANY;
    a->sf_timer = add(sim, a->surfaceflinger, "TimerDispatch", PRIO_DISPLAY - 1, PREFER_LITTLE);
    a->sf_app = add(sim, a->surfaceflinger, "app", PRIO_DISPLAY - 1, PREFER_LITTLE);
    a->sf_render = add(sim, a->surfaceflinger, "RenderEngine", PRIO_DISPLAY - 1, PREFER_ANY);
    binder_add_pool(sim, a->surfaceflinger, "binder", 4);
    (void)add_daemon(sim, &a->composer, 540, UID_SYSTEM,
                     "/vendor/bin/hw/android.hardware.composer.hwc3-service");
    binder_add_pool(sim, a->composer, "binder", 2);
    for (size_t i = 1; i < a->composer->threads.count; i++)
        a->composer->threads.items[i]->prio = PRIO_DISPLAY;
}

void android_add_system(struct sim *sim)
{
    struct android *a = android_of(sim);
    a->init = sim_add_process(sim, 1, 0, 0, "/system/bin/init");
    (void)add(sim, a->init, "init", 120, PREFER_LITTLE);
    add_kernel(sim, a);
    struct sim_thread *logd = add_daemon(sim, &a->logd, 402, UID_LOGD, "/system/bin/logd");
    logd->next = log_next;
    sim_start(sim, logd, 12 * MS);
    a->lmkd_main = add_daemon(sim, &a->lmkd, 410, 1069, "/system/bin/lmkd");
    (void)add_daemon(sim, &a->servicemanager, 415, UID_SYSTEM, "/system/bin/servicemanager");
    binder_add_pool(sim, a->servicemanager, "binder", 1);
    add_surfaceflinger(sim, a);
    a->installd_main = add_daemon(sim, &a->installd, 830, 0, "/system/bin/installd");
    a->zygote_main = add_daemon(sim, &a->zygote, 880, 0, "zygote64");
    a->probes_main = add_daemon(sim, &a->probes, 911, UID_NOBODY, "/system/bin/traced_probes");
    a->probes_main->next = probes_next;
    sim_start(sim, a->probes_main, 100 * MS);
    add_system_server(sim, a);
    a->systemui_main = add_daemon(sim, &a->systemui, 2314, UID_SYSTEMUI, "com.android.systemui");
    a->systemui->oom_score_adj = -800;
    a->systemui_main->prefer = PREFER_ANY;
    binder_add_pool(sim, a->systemui, "binder", 3);
}

void android_start_system(struct sim *sim)
{
    struct android *a = android_of(sim);
    sim_at(sim, sim->now + 5 * MS, vsync, a, 0);
    sim_at(sim, sim->now + 7 * MS, touch, a, 0);
}
