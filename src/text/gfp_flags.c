#include "text/gfp_flags.h"

#include <stddef.h>

struct gfp_name {
    uint32_t flags;
    const char *name;
};

/* Until 4.3. */
static const struct gfp_name with_wait[] = {
    {0x4352da, "GFP_TRANSHUGE"},  {0x200da, "GFP_HIGHUSER_MOVABLE"},
    {0x200d2, "GFP_HIGHUSER"},    {0x200d0, "GFP_USER"},
    {0x800d0, "GFP_TEMPORARY"},   {0xd0, "GFP_KERNEL"},
    {0x50, "GFP_NOFS"},           {0x20, "GFP_ATOMIC"},
    {0x10, "GFP_NOIO"},           {0x40, "GFP_IO"},
    {0x100, "GFP_COLD"},          {0x200, "GFP_NOWARN"},
    {0x400, "GFP_REPEAT"},        {0x800, "GFP_NOFAIL"},
    {0x1000, "GFP_NORETRY"},      {0x4000, "GFP_COMP"},
    {0x8000, "GFP_ZERO"},         {0x10000, "GFP_NOMEMALLOC"},
    {0x2000, "GFP_MEMALLOC"},     {0x20000, "GFP_HARDWALL"},
    {0x40000, "GFP_THISNODE"},    {0x80000, "GFP_RECLAIMABLE"},
    {0x100000, "GFP_KMEMCG"},     {0x8, "GFP_MOVABLE"},
    {0x200000, "GFP_NOTRACK"},    {0x400000, "GFP_NO_KSWAPD"},
    {0x800000, "GFP_OTHER_NODE"}, {0, NULL},
};

/* From 4.4 on, until 4.13. */
static const struct gfp_name with_reclaim[] = {
    {0x4352ca, "GFP_TRANSHUGE"},
    {0x24200ca, "GFP_HIGHUSER_MOVABLE"},
    {0x24200c2, "GFP_HIGHUSER"},
    {0x24200c0, "GFP_USER"},
    {0x24000d0, "GFP_TEMPORARY"},
    {0x24000c0, "GFP_KERNEL"},
    {0x2400040, "GFP_NOFS"},
    {0x2080020, "GFP_ATOMIC"},
    {0x2400000, "GFP_NOIO"},
    {0x20, "GFP_HIGH"},
    {0x80000, "GFP_ATOMIC"},
    {0x40, "GFP_IO"},
    {0x100, "GFP_COLD"},
    {0x200, "GFP_NOWARN"},
    {0x400, "GFP_REPEAT"},
    {0x800, "GFP_NOFAIL"},
    {0x1000, "GFP_NORETRY"},
    {0x4000, "GFP_COMP"},
    {0x8000, "GFP_ZERO"},
    {0x10000, "GFP_NOMEMALLOC"},
    {0x2000, "GFP_MEMALLOC"},
    {0x20000, "GFP_HARDWALL"},
    {0x40000, "GFP_THISNODE"},
    {0x10, "GFP_RECLAIMABLE"},
    {0x8, "GFP_MOVABLE"},
    {0x200000, "GFP_NOTRACK"},
    {0x400000, "GFP_DIRECT_RECLAIM"},
    {0x2000000, "GFP_KSWAPD_RECLAIM"},
    {0x800000, "GFP_OTHER_NODE"},
    {0, NULL},
};

/* From 4.14 on. */
static const struct gfp_name with_account[] = {
    {0x4342ca, "GFP_TRANSHUGE"},
    {0x342ca, "GFP_TRANSHUGE_LIGHT"},
    {0x14200ca, "GFP_HIGHUSER_MOVABLE"},
    {0x14200c2, "GFP_HIGHUSER"},
    {0x14200c0, "GFP_USER"},
    {0x15000c0, "GFP_KERNEL_ACCOUNT"},
    {0x14000c0, "GFP_KERNEL"},
    {0x1400040, "GFP_NOFS"},
    {0x1080020, "GFP_ATOMIC"},
    {0x1400000, "GFP_NOIO"},
    {0x1000000, "GFP_NOWAIT"},
    {0x1, "GFP_DMA"},
    {0x2, "__GFP_HIGHMEM"},
    {0x4, "GFP_DMA32"},
    {0x20, "__GFP_HIGH"},
    {0x80000, "__GFP_ATOMIC"},
    {0x40, "__GFP_IO"},
    {0x80, "__GFP_FS"},
    {0x100, "__GFP_COLD"},
    {0x200, "__GFP_NOWARN"},
    {0x400, "__GFP_RETRY_MAYFAIL"},
    {0x800, "__GFP_NOFAIL"},
    {0x1000, "__GFP_NORETRY"},
    {0x4000, "__GFP_COMP"},
    {0x8000, "__GFP_ZERO"},
    {0x10000, "__GFP_NOMEMALLOC"},
    {0x2000, "__GFP_MEMALLOC"},
    {0x20000, "__GFP_HARDWALL"},
    {0x40000, "__GFP_THISNODE"},
    {0x10, "__GFP_RECLAIMABLE"},
    {0x8, "__GFP_MOVABLE"},
    {0x100000, "__GFP_ACCOUNT"},
    {0x800000, "__GFP_WRITE"},
    {0x400000, "__GFP_DIRECT_RECLAIM"},
    {0, NULL},
};

static const struct gfp_name *names_of(kernel_version version)
{
    if (version >= (4 << 16 | 14))
        return with_account;
    return version == 0 || version >= (4 << 16 | 4) ? with_reclaim : with_wait;
}

const char *gfp_flags_take(uint64_t *flags, kernel_version version)
{
    for (const struct gfp_name *g = names_of(version); g->name; g++)
        if ((*flags & g->flags) == g->flags) {
            *flags &= ~(uint64_t)g->flags;
            return g->name;
        }
    return NULL;
}
