#include "text/android_uids.h"

#include <stddef.h>

enum { FIRST_DENSE = 1000 };

/* From 1000 on, without a gap. */
static const char *const dense[] = {
    "AID_SYSTEM_USER",
    "AID_RADIO",
    "AID_BLUETOOTH",
    "AID_GRAPHICS",
    "AID_INPUT",
    "AID_AUDIO",
    "AID_CAMERA",
    "AID_LOG",
    "AID_COMPASS",
    "AID_MOUNT",
    "AID_WIFI",
    "AID_ADB",
    "AID_INSTALL",
    "AID_MEDIA",
    "AID_DHCP",
    "AID_SDCARD_RW",
    "AID_VPN",
    "AID_KEYSTORE",
    "AID_USB",
    "AID_DRM",
    "AID_MDNSR",
    "AID_GPS",
    "AID_UNUSED1",
    "AID_MEDIA_RW",
    "AID_MTP",
    "AID_UNUSED2",
    "AID_DRMRPC",
    "AID_NFC",
    "AID_SDCARD_R",
    "AID_CLAT",
    "AID_LOOP_RADIO",
    "AID_MEDIA_DRM",
    "AID_PACKAGE_INFO",
    "AID_SDCARD_PICS",
    "AID_SDCARD_AV",
    "AID_SDCARD_ALL",
    "AID_LOGD",
    "AID_SHARED_RELRO",
    "AID_DBUS",
    "AID_TLSDATE",
    "AID_MEDIA_EX",
    "AID_AUDIOSERVER",
    "AID_METRICS_COLL",
    "AID_METRICSD",
    "AID_WEBSERV",
    "AID_DEBUGGERD",
    "AID_MEDIA_CODEC",
    "AID_CAMERASERVER",
    "AID_FIREWALL",
    "AID_TRUNKS",
    "AID_NVRAM",
    "AID_DNS",
    "AID_DNS_TETHER",
    "AID_WEBVIEW_ZYGOTE",
    "AID_VEHICLE_NETWORK",
    "AID_MEDIA_AUDIO",
    "AID_MEDIA_VIDEO",
    "AID_MEDIA_IMAGE",
    "AID_TOMBSTONED",
    "AID_MEDIA_OBB",
    "AID_ESE",
    "AID_OTA_UPDATE",
    "AID_AUTOMOTIVE_EVS",
    "AID_LOWPAN",
    "AID_HSM",
    "AID_RESERVED_DISK",
    "AID_STATSD",
    "AID_INCIDENTD",
    "AID_SECURE_ELEMENT",
    "AID_LMKD",
    "AID_LLKD",
    "AID_IORAPD",
    "AID_GPU_SERVICE",
    "AID_NETWORK_STACK",
    "AID_GSID",
    "AID_FSVERITY_CERT",
    "AID_CREDSTORE",
    "AID_EXTERNAL_STORAGE",
    "AID_EXT_DATA_RW",
    "AID_EXT_OBB_RW",
    "AID_CONTEXT_HUB",
    "AID_VIRTMANAGER",
    "AID_ARTD",
    "AID_UWB",
    "AID_THREAD_NETWORK",
    "AID_DICED",
    "AID_DMESGD",
    "AID_JC_WEAVER",
    "AID_JC_STRONGBOX",
    "AID_JC_IDENTITYCRED",
    "AID_SDK_SANDBOX",
    "AID_SECURITY_LOG_WRITER",
    "AID_PRNG_SEEDER",
    "AID_UPROBESTATS",
};

/* The others: ranges of uids that share a name. */
static const struct {
    uint32_t first, last;
    const char *name;
} ranges[] = {
    {0, 0, "AID_ROOT"},
    {2000, 2000, "AID_SHELL"},
    {2001, 2001, "AID_CACHE"},
    {2002, 2002, "AID_DIAG"},
    {9999, 9999, "AID_NOBODY"},
    {50000, 59999, "SHARED_GID"},
    {90000, UINT32_MAX, "ISOLATED_UID"},
};

struct str android_uid_name(uint32_t uid)
{
    if (uid >= FIRST_DENSE && uid - FIRST_DENSE < sizeof dense / sizeof *dense)
        return str_from(dense[uid - FIRST_DENSE]);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (uid >= ranges[i].first && uid <= ranges[i].last)
            return str_from(ranges[i].name);
    return STR("");
}
