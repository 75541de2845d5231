#include "parsers/perf/etm_decoder.h"

#include <dlfcn.h>
#include <opencsd/c_api/opencsd_c_api.h>
#include <pthread.h>
#include <string.h>

#include "base/vec.h"

/* The library is loaded when a chunk is decoded first: linked, it and the C++ library that it
 * brings along would make each start of the program a third longer. */
_Static_assert(OCSD_VER_MAJOR == 1, "the file's name has the version");
#define LIBRARY "libopencsd_c_api.so.1"

#define LIBRARY_FUNCTIONS(F)                                                                       \
    F(ocsd_create_dcd_tree)                                                                        \
    F(ocsd_destroy_dcd_tree)                                                                       \
    F(ocsd_dt_create_decoder)                                                                      \
    F(ocsd_dt_add_callback_mem_acc)                                                                \
    F(ocsd_dt_set_gen_elem_outfn)                                                                  \
    F(ocsd_dt_process_data)

struct library {
    bool loaded;
#define F(name) __typeof__(&name) name;
    LIBRARY_FUNCTIONS(F)
#undef F
};

struct decoding {
    const struct library *library;
    VEC(ocsd_generic_trace_elem) waiting; /* elements that the library gave in this call */
    void (*each)(void *self, const struct etm_element *e);
    void *self;
};

static const char *type_name(ocsd_gen_trc_elem_t type)
{
    static const char *const names[] = {
        [OCSD_GEN_TRC_ELEM_UNKNOWN] = "UNKNOWN",
        [OCSD_GEN_TRC_ELEM_NO_SYNC] = "NO_SYNC",
        [OCSD_GEN_TRC_ELEM_TRACE_ON] = "TRACE_ON",
        [OCSD_GEN_TRC_ELEM_EO_TRACE] = "EO_TRACE",
        [OCSD_GEN_TRC_ELEM_PE_CONTEXT] = "PE_CONTEXT",
        [OCSD_GEN_TRC_ELEM_INSTR_RANGE] = "INSTR_RANGE",
        [OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH] = "I_RANGE_NOPATH",
        [OCSD_GEN_TRC_ELEM_ADDR_NACC] = "ADDR_NACC",
        [OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN] = "ADDR_UNKNOWN",
        [OCSD_GEN_TRC_ELEM_EXCEPTION] = "EXCEPTION",
        [OCSD_GEN_TRC_ELEM_EXCEPTION_RET] = "EXCEPTION_RET",
        [OCSD_GEN_TRC_ELEM_TIMESTAMP] = "TIMESTAMP",
        [OCSD_GEN_TRC_ELEM_CYCLE_COUNT] = "CYCLE_COUNT",
        [OCSD_GEN_TRC_ELEM_EVENT] = "EVENT",
        [OCSD_GEN_TRC_ELEM_SWTRACE] = "SWTRACE",
        [OCSD_GEN_TRC_ELEM_SYNC_MARKER] = "SYNC_MARKER",
        [OCSD_GEN_TRC_ELEM_MEMTRANS] = "MEMTRANS",
#if OCSD_VER_NUM >= 0x010400
        [OCSD_GEN_TRC_ELEM_INSTRUMENTATION] = "INSTRUMENTATION",
#endif
        [OCSD_GEN_TRC_ELEM_CUSTOM] = "CUSTOM",
    };
    size_t i = (size_t)type;
    return i < sizeof names / sizeof names[0] && names[i] ? names[i] : "UNKNOWN";
}

static const char *isa_name(ocsd_isa isa)
{
    switch (isa) {
    case ocsd_isa_arm:
        return "ARM";
    case ocsd_isa_thumb2:
        return "THUMB2";
    case ocsd_isa_aarch64:
        return "AARCH64";
    case ocsd_isa_tee:
        return "TEE";
    case ocsd_isa_jazelle:
        return "JAZELLE";
    case ocsd_isa_custom:
        return "CUSTOM";
    default:
        return "UNKNOWN";
    }
}

static enum etm_element_kind kind_of(ocsd_gen_trc_elem_t type)
{
    return type == OCSD_GEN_TRC_ELEM_TIMESTAMP     ? ETM_TIMESTAMP
           : type == OCSD_GEN_TRC_ELEM_CYCLE_COUNT ? ETM_CYCLE_COUNT
           : type == OCSD_GEN_TRC_ELEM_SYNC_MARKER ? ETM_SYNC_MARKER
                                                   : ETM_OTHER;
}

static struct etm_element element_of(const ocsd_generic_trace_elem *e, uint64_t index)
{
    return (struct etm_element){
        .kind = kind_of(e->elem_type),
        .type = type_name(e->elem_type),
        .isa = isa_name(e->isa),
        .index = index,
        .timestamp = e->timestamp,
        .start = e->st_addr,
        .end = e->en_addr,
        .cycle_count = e->cycle_count,
        .exception_level = (uint32_t)e->context.exception_level,
        .context_id = e->context.context_id,
        .has_timestamp = e->elem_type == OCSD_GEN_TRC_ELEM_TIMESTAMP || e->has_ts,
        .has_cycle_count = e->has_cc,
        .has_exception_level = e->context.el_valid,
        .has_context_id = e->context.ctxt_id_valid,
    };
}

/* The library waits after each, so that it is known which bytes told it. */
static ocsd_datapath_resp_t keep_element(const void *context, const ocsd_trc_index_t index,
                                         const uint8_t stream, const ocsd_generic_trace_elem *e)
{
    struct decoding *d = (struct decoding *)(uintptr_t)context;
    (void)index;
    (void)stream;
    *vec_push(&d->waiting) = *e;
    return OCSD_RESP_WAIT;
}

/* The code that ran is not there. */
static uint32_t read_nothing(const void *context, const ocsd_vaddr_t address,
                             const ocsd_mem_space_acc_t space, const uint32_t size, uint8_t *bytes)
{
    (void)context;
    (void)address;
    (void)space;
    (void)size;
    (void)bytes;
    return 0;
}

static void give_elements(struct decoding *d, uint64_t index)
{
    for (size_t i = 0; i < d->waiting.count; i++) {
        struct etm_element e = element_of(&d->waiting.items[i], index);
        d->each(d->self, &e);
    }
    d->waiting.count = 0;
}

static void feed(struct decoding *d, dcd_tree_handle_t tree, struct str data)
{
    enum { MOST_AT_ONCE = 1 << 20 };
    __typeof__(&ocsd_dt_process_data) process = d->library->ocsd_dt_process_data;
    size_t at = 0;
    for (bool waits = false; waits || at < data.n;) {
        uint32_t used = 0;
        size_t left = data.n - at;
        ocsd_trc_index_t index = (ocsd_trc_index_t)at; /* only told in messages */
        ocsd_datapath_resp_t answer =
            waits ? process(tree, OCSD_OP_FLUSH, index, 0, NULL, &used)
                  : process(tree, OCSD_OP_DATA, index,
                            (uint32_t)(left < MOST_AT_ONCE ? left : MOST_AT_ONCE),
                            (const uint8_t *)data.p + at, &used);
        bool stuck =
            used == 0 && d->waiting.count == 0 && (!waits || OCSD_DATA_RESP_IS_WAIT(answer));
        at += waits ? 0 : used;
        give_elements(d, at);
        if (OCSD_DATA_RESP_IS_FATAL(answer) || stuck)
            return;
        waits = OCSD_DATA_RESP_IS_WAIT(answer);
    }
}

static uint32_t register_value(struct str registers, struct str name)
{
    uint64_t value;
    while (registers.n > 0) {
        struct str word = str_take_word(&registers);
        if (str_eq(str_cut(&word, '='), name) && str_to_u64(word, 16, &value))
            return (uint32_t)value;
    }
    return 0;
}

static bool make_decoder(const struct library *l, dcd_tree_handle_t tree, struct str registers)
{
    struct str devarch = STR("TRCDEVARCH=");
    bool is_ete = registers.n > 0 && memmem(registers.p, registers.n, devarch.p, devarch.n);
    ocsd_etmv4_cfg etm = {
        .reg_idr0 = register_value(registers, STR("TRCIDR0")),
        .reg_idr1 = register_value(registers, STR("TRCIDR1")),
        .reg_idr2 = register_value(registers, STR("TRCIDR2")),
        .reg_idr8 = register_value(registers, STR("TRCIDR8")),
        .reg_configr = register_value(registers, STR("TRCCONFIGR")),
        .reg_traceidr = register_value(registers, STR("TRCTRACEIDR")),
        .core_prof = profile_CortexA,
    };
    etm.arch_ver = (etm.reg_idr0 >> 4 & 0xf) >= 4 ? ARCH_AA64 : ARCH_V8;
    ocsd_ete_cfg ete = {
        .reg_idr0 = etm.reg_idr0,
        .reg_idr1 = etm.reg_idr1,
        .reg_idr2 = etm.reg_idr2,
        .reg_idr8 = etm.reg_idr8,
        .reg_devarch = register_value(registers, STR("TRCDEVARCH")),
        .reg_configr = etm.reg_configr,
        .reg_traceidr = etm.reg_traceidr,
        .arch_ver = ARCH_AA64,
        .core_prof = profile_CortexA,
    };
    unsigned char stream;
    return l->ocsd_dt_create_decoder(tree, is_ete ? OCSD_BUILTIN_DCD_ETE : OCSD_BUILTIN_DCD_ETMV4I,
                                     OCSD_CREATE_FLG_FULL_DECODER,
                                     is_ete ? (const void *)&ete : (const void *)&etm,
                                     &stream) == OCSD_OK;
}

/* A pointer to a function that is found by name. */
static bool find_function(void *handle, const char *name, void *pointer)
{
    void *found = dlsym(handle, name);
    memcpy(pointer, &found, sizeof found);
    return found != NULL;
}

static struct status load_library(struct library *l)
{
    if (l->loaded)
        return status_ok_value();
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL); /* stays until the program ends */
    bool found = handle != NULL;
#define F(name) found = found && find_function(handle, #name, &l->name);
    LIBRARY_FUNCTIONS(F)
#undef F
    l->loaded = found;
    if (found)
        return status_ok_value();
    const char *why = dlerror();
    return status_error(STATUS_IO, "Arm's instruction traces are decoded with OpenCSD: %s",
                        why ? why : LIBRARY);
}

static void decode(struct decoding *d, struct str registers, struct str data)
{
    const struct library *l = d->library;
    dcd_tree_handle_t tree = l->ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
    if (tree == C_API_INVALID_TREE_HANDLE)
        return;
    if (make_decoder(l, tree, registers) &&
        l->ocsd_dt_add_callback_mem_acc(tree, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, read_nothing, d) ==
            OCSD_OK &&
        l->ocsd_dt_set_gen_elem_outfn(tree, keep_element, d) == OCSD_OK)
        feed(d, tree, data);
    l->ocsd_destroy_dcd_tree(tree);
}

/* The library keeps its decoders and its log in common, without locks. */
static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;
static struct library library;

struct status etm_decode(struct str registers, struct str data,
                         void (*each)(void *self, const struct etm_element *e), void *self)
{
    struct decoding d = {.library = &library, .each = each, .self = self};
    pthread_mutex_lock(&library_lock);
    struct status s = load_library(&library);
    if (status_ok(s))
        decode(&d, registers, data);
    pthread_mutex_unlock(&library_lock);
    vec_release(&d.waiting);
    return s;
}
