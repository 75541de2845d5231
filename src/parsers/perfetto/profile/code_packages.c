#include "parsers/perfetto/profile/code_packages.h"

#include "core/stats.h"

/* Code of apps that come with the system, whose paths do not tell the package. */
static const struct {
    bool anywhere; /* in the path; else at its begin */
    const char *text, *package;
} system_apps[] = {
    {false, "/system_ext/priv-app/SystemUIGoogle/SystemUIGoogle.apk", "com.android.systemui"},
    {false, "/product/priv-app/Phonesky/Phonesky.apk", "com.android.vending"},
    {false, "/product/app/Maps/Maps.apk", "com.google.android.apps.maps"},
    {false, "/system_ext/priv-app/NexusLauncherRelease/NexusLauncherRelease.apk",
     "com.google.android.apps.nexuslauncher"},
    {false, "/product/app/Photos/Photos.apk", "com.google.android.apps.photos"},
    {false, "/product/priv-app/WellbeingPrebuilt/WellbeingPrebuilt.apk",
     "com.google.android.apps.wellbeing"},
    {true, "DevicePersonalizationPrebuilt", "com.google.android.as"},
    {true, "MatchMaker", "com.google.android.as"},
    {true, "DeviceIntelligenceNetworkPrebuilt", "com.google.android.as.oss"},
    {true, "SettingsIntelligenceGooglePrebuilt", "com.google.android.settings.intelligence"},
    {false, "/product/app/PrebuiltGmail/PrebuiltGmail.apk", "com.google.android.gm"},
    {true, "PrebuiltGmsCore", "com.google.android.gms"},
    {true, "com.google.android.gms", "com.google.android.gms"},
    {false, "/product/priv-app/Velvet/Velvet.apk", "com.google.android.googlequicksearchbox"},
    {false, "/product/app/LatinIMEGooglePrebuilt/LatinIMEGooglePrebuilt.apk",
     "com.google.android.inputmethod.latin"},
    {false, "/product/app/PrebuiltBugle/PrebuiltBugle.apk", "com.google.android.apps.messaging"},
};

static struct str find_text(struct str s, struct str what)
{
    const char *hit = s.n ? memmem(s.p, s.n, what.p, what.n) : NULL;
    return hit ? str_skip(s, (size_t)(hit - s.p)) : (struct str){NULL, 0};
}

/* Stands for the package of a path that should tell it, and does not. */
static const string_id unreadable = UINT32_MAX;

/* "/data/app/~~RANDOM/PACKAGE-RANDOM/base.apk", where the first folder may be missing. */
static string_id package_of_app(struct trace *t, struct str path)
{
    path = str_skip(path, strlen("/data/app/"));
    if (str_starts(path, STR("~~")))
        path = str_skip(path, str_find(path, '/') < path.n ? str_find(path, '/') + 1 : path.n);
    size_t slash = str_find(path, '/'), minus = str_find(path, '-');
    if (minus < slash && slash < path.n)
        return trace_intern(t, str_from_to(path, 0, minus));
    return unreadable;
}

static string_id read_path(struct trace *t, struct str path)
{
    const struct str unpacked = STR("dex extracted in memory from ");
    for (size_t i = 0; i < sizeof system_apps / sizeof system_apps[0]; i++) {
        struct str text = str_from(system_apps[i].text);
        if (system_apps[i].anywhere ? find_text(path, text).p != NULL : str_starts(path, text))
            return trace_intern_c(t, system_apps[i].package);
    }
    struct str file = find_text(path, unpacked);
    if (file.p)
        path = str_skip(file, unpacked.n);
    return str_starts(path, STR("/data/app/")) ? package_of_app(t, path) : NULL_STRING;
}

void code_packages_init(struct code_packages *p, const struct trace *t)
{
    *p = (struct code_packages){0};
    const struct table *list = &t->tables.package_list;
    for (uint32_t i = 0; i < list->rows; i++) {
        bool is_new;
        int64_t uid = table_i64(list, package_list_col_uid)[i];
        uint32_t *name = map_insert(&p->by_uid, (uint64_t)uid, &is_new);
        if (is_new)
            *name = column_str(&list->columns[package_list_col_package_name], i);
    }
}

void code_packages_release(struct code_packages *p)
{
    map_release(&p->by_path);
    map_release(&p->by_uid);
}

/* Or `unreadable`. */
static string_id path_package(struct code_packages *p, struct trace *t, string_id path)
{
    bool is_new;
    uint32_t *package = map_insert(&p->by_path, path, &is_new);
    if (is_new)
        *package = read_path(t, string_pool_get(&t->strings, path));
    return *package;
}

string_id code_package_of_path(struct code_packages *p, struct trace *t, string_id path)
{
    string_id package = path_package(p, t, path);
    return package == unreadable ? NULL_STRING : package;
}

void code_packages_check_path(struct code_packages *p, struct trace *t, string_id path)
{
    if (path_package(p, t, path) == unreadable)
        stats_count(t, STAT_deobfuscate_location_parse_error);
}

string_id code_package_of_process(const struct code_packages *p, const struct trace *t,
                                  uint32_t upid)
{
    uint32_t uid = upid == NULL_U32
                       ? NULL_U32
                       : table_u32(&t->tables.process, process_col_android_appid)[upid];
    const uint32_t *name = uid == NULL_U32 ? NULL : map_find(&p->by_uid, uid);
    return name ? *name : NULL_STRING;
}
