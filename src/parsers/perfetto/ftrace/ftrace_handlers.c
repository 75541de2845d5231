#include "parsers/perfetto/ftrace/ftrace_handlers.h"

static ftrace_handler *const handlers[] = {
#define FTRACE_ENTRY(event, handler) [PB_FtraceEvent_##event] = handler,
    FTRACE_HANDLERS(FTRACE_ENTRY)
#undef FTRACE_ENTRY
};

ftrace_handler *ftrace_handler_of(uint32_t id)
{
    if (id >= PB_FtraceEvent_mali_mali_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND &&
        id <= PB_FtraceEvent_mali_mali_PM_MCU_RESET_WAIT)
        return on_mali_mcu_state;
    return id < sizeof handlers / sizeof handlers[0] ? handlers[id] : NULL;
}
