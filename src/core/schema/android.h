/* What only Android's data sources tell, windows and input methods apart.
 * How to read it: core/schema/schema.h. */
#ifndef TPTUI_CORE_SCHEMA_ANDROID_H
#define TPTUI_CORE_SCHEMA_ANDROID_H

/* clang-format off */
#define COLUMNS_android_aflags(C, T) \
    C(T, ts, TIMESTAMP, 0, "When they were read, ns of trace time.") \
    C(T, package, STR, 0, "Package of the flag.") \
    C(T, name, STR, 0, "Name of the flag.") \
    C(T, flag_namespace, STR, 0, "Namespace of the flag.") \
    C(T, container, STR, 0, "Container that it is released with.") \
    C(T, value, STR, 0, "Value: enabled or disabled.") \
    C(T, staged_value, STR, COLUMN_NULLABLE, "Value from the next boot on; NULL: the same.") \
    C(T, permission, STR, 0, "Whether it can be changed: read-only, read-write or unspecified.") \
    C(T, value_picked_from, STR, 0, "Where the value is from: default, server, local.") \
    C(T, storage_backend, STR, 0, "What stores it: aconfigd, device_config.") \
    C(T, type, STR, 0, "Type of storage.")

#define COLUMNS_android_cpu_per_uid_track(C, T) \
    C(T, track_id, JOINID(track.id), COLUMN_SORTED, "Counter of the time.") \
    C(T, uid, I64, 0, "User.") \
    C(T, cluster, I64, 0, "Cluster of CPUs.") \
    C(T, total_cpu_millis, I64, 0, "Time in the whole trace, ms.")

#define COLUMNS_android_dumpstate(C, T) \
    C(T, section, STR, COLUMN_NULLABLE, "Section: SYSTEM LOG, DUMPSYS, ...") \
    C(T, service, STR, COLUMN_NULLABLE, "Service that dumpsys asked.") \
    C(T, line, STR, 0, "Text of the line.")

#define COLUMNS_android_game_intervention_list(C, T) \
    C(T, package_name, STR, 0, "Package of the game.") \
    C(T, uid, I64, 0, "User of the game.") \
    C(T, current_mode, I32, 0, "Mode: 1 standard, 2 performance, 3 battery.") \
    C(T, standard_mode_supported, I32, 0, "1 where the standard mode can be chosen.") \
    C(T, standard_mode_downscale, F64, COLUMN_NULLABLE, \
      "Factor of the resolution in standard mode.") \
    C(T, standard_mode_use_angle, I32, COLUMN_NULLABLE, \
      "1 where standard mode uses ANGLE for OpenGL.") \
    C(T, standard_mode_fps, F64, COLUMN_NULLABLE, "Frames a second in standard mode.") \
    C(T, perf_mode_supported, I32, 0, "1 where the performance mode can be chosen.") \
    C(T, perf_mode_downscale, F64, COLUMN_NULLABLE, \
      "Factor of the resolution in performance mode.") \
    C(T, perf_mode_use_angle, I32, COLUMN_NULLABLE, \
      "1 where performance mode uses ANGLE for OpenGL.") \
    C(T, perf_mode_fps, F64, COLUMN_NULLABLE, "Frames a second in performance mode.") \
    C(T, battery_mode_supported, I32, 0, "1 where the battery mode can be chosen.") \
    C(T, battery_mode_downscale, F64, COLUMN_NULLABLE, \
      "Factor of the resolution in battery mode.") \
    C(T, battery_mode_use_angle, I32, COLUMN_NULLABLE, \
      "1 where battery mode uses ANGLE for OpenGL.") \
    C(T, battery_mode_fps, F64, COLUMN_NULLABLE, "Frames a second in battery mode.")

#define COLUMNS_android_input_event_dispatch(C, T) \
    C(T, event_id, U32, COLUMN_FOREIGN, "Number of the event, as in the tables of events.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, vsync_id, I64, COLUMN_FOREIGN, "Frame that the window's place is from.") \
    C(T, window_id, I32, COLUMN_FOREIGN, "Window that got the event.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.")

#define COLUMNS_android_key_events(C, T) \
    C(T, event_id, U32, COLUMN_FOREIGN, "Number of the event.") \
    C(T, ts, TIMESTAMP, 0, "When it happened, ns of trace time.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.") \
    C(T, source, U32, COLUMN_NULLABLE, "Kind of device that it comes from, bits of InputDevice.") \
    C(T, action, I64, COLUMN_NULLABLE, "0 down, 1 up.") \
    C(T, device_id, I64, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the device.") \
    C(T, display_id, I64, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the display.") \
    C(T, key_code, I64, COLUMN_NULLABLE, "Code of the key.")

#define COLUMNS_android_motion_events(C, T) \
    C(T, event_id, U32, COLUMN_FOREIGN, "Number of the event.") \
    C(T, ts, TIMESTAMP, 0, "When it happened, ns of trace time.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.") \
    C(T, source, U32, COLUMN_NULLABLE, "Kind of device that it comes from, bits of InputDevice.") \
    C(T, action, I64, COLUMN_NULLABLE, "0 down, 1 up, 2 move, ...") \
    C(T, device_id, I64, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the device.") \
    C(T, display_id, I64, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the display.")

#define COLUMNS_android_user_list(C, T) \
    C(T, type, STR, 0, "Type of user: android.os.usertype.full.SYSTEM.") \
    C(T, android_user_id, I64, COLUMN_FOREIGN, "Number of the user.")

#define COLUMNS_android_track_event_process(C, T) \
    C(T, upid, JOINID(process.id), 0, "Process.") \
    C(T, start_seq_id, I64, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the start.") \
    C(T, package_uid, I32, COLUMN_NULLABLE, "User of the package.") \
    C(T, caller_uid, I32, COLUMN_NULLABLE, "User that asked for the start.") \
    C(T, defining_uid, I32, COLUMN_NULLABLE, "User whose package defines the process.") \
    C(T, fw_start_ts, I64, COLUMN_NULLABLE, "Start, as the framework saw it, ns.") \
    C(T, fw_end_ts, I64, COLUMN_NULLABLE, "End of the start, as the framework saw it, ns.") \
    C(T, trigger_type, STR, COLUMN_NULLABLE, "What triggered the start.") \
    C(T, hosting_type, STR, COLUMN_NULLABLE, "Kind of component that it was started for.") \
    C(T, hosting_name, STR, COLUMN_NULLABLE, "Name of that component.") \
    C(T, bind_application_delay_ms, I64, COLUMN_NULLABLE, "Time until the app was bound, ms.") \
    C(T, process_start_delay_ms, I64, COLUMN_NULLABLE, "Time until the process ran, ms.")

#define COLUMNS_package_list(C, T) \
    C(T, package_name, STR, 0, "Name of the package.") \
    C(T, uid, I64, 0, "User of the package.") \
    C(T, debuggable, I32, 0, "1 where it can be debugged.") \
    C(T, profileable_from_shell, I32, 0, "1 where the shell may profile it.") \
    C(T, version_code, I64, 0, "Version.")

#define COLUMNS_protolog(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED, "When it was logged, ns of trace time.") \
    C(T, level, STR, 0, "Level: DEBUG, VERBOSE, INFO, WARN, ERROR or WTF.") \
    C(T, tag, STR, 0, "Group of the line.") \
    C(T, message, STR, 0, "Text.") \
    C(T, stacktrace, STR, 0, "Stack of the call.") \
    C(T, location, STR, 0, "File and line of the call.")

#define ANDROID_TABLES(T) \
    T(android_aflags, "__intrinsic_android_aflags", \
      "Feature flags of the device.", "android.aflags") \
    T(android_cpu_per_uid_track, "__intrinsic_android_cpu_per_uid_track", \
      "CPU time of users and apps, a track for each cluster.", "android.cpu_per_uid") \
    T(android_dumpstate, "__intrinsic_android_dumpstate", \
      "Lines of a bug report.", "a bug report (the zip file itself)") \
    T(android_game_intervention_list, "__intrinsic_android_game_intervention_list", \
      "How games are run: modes, resolution, frame rate.", "android.game_interventions") \
    T(android_input_event_dispatch, "__intrinsic_android_input_event_dispatch", \
      "Windows that input events were sent to.", "android.input.inputevent") \
    T(android_key_events, "__intrinsic_android_key_events", \
      "Key events.", "android.input.inputevent") \
    T(android_motion_events, "__intrinsic_android_motion_events", \
      "Events of touch, mouse and the like.", "android.input.inputevent") \
    T(android_user_list, "__intrinsic_android_user_list", \
      "Users of the device.", "android.user_list") \
    T(android_track_event_process, "__intrinsic_android_track_event_process", \
      "How processes of apps were started, as the framework tells.", \
      "track_event of the framework's process starts") \
    T(package_list, "__intrinsic_package_list", "Installed packages.", "android.packages_list") \
    T(protolog, "__intrinsic_protolog", \
      "Lines of ProtoLog, the window manager's log.", "android.protolog")

#define ANDROID_VIEWS(V) \
    V(android_dumpstate, android_dumpstate, "*") \
    V(android_game_intervention_list, android_game_intervention_list, "*") \
    V(package_list, package_list, "*") \
    V(protolog, protolog, "*")
/* clang-format on */

#endif
