#include "record/dwarf_unwind.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "pb_fields.h"
#include "record/frame_files.h"

#if defined __x86_64__
/* Of perf_regs.h: AX BX CX DX SI DI BP SP IP, R8 to R15; each by its number in DWARF. 16 is IP. */
#define REGISTERS UINT64_C(0xff01ff)
static const uint8_t dwarf_numbers[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15};
enum { MACHINE = EM_X86_64, FRAME_REGISTER = 6, STACK_REGISTER = 7, PC_REGISTER = 16 };
#define ADDRESS_MASK UINT64_MAX
#else /* 64-bit Arm: meson.build lets no others in */
/* X0 to X30, SP, PC, which DWARF has no number for. */
#define REGISTERS    UINT64_C(0x1ffffffff)
static const uint8_t dwarf_numbers[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                        11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
enum { MACHINE = EM_AARCH64, FRAME_REGISTER = 29, STACK_REGISTER = 31, PC_REGISTER = 32 };
/* Where it returns to may be signed. */
#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)
#endif
enum { REGISTER_COUNT = sizeof dwarf_numbers, STEPS = 64 };

struct unwound_registers {
    uint64_t values[REGISTER_COUNT]; /* by their numbers in DWARF */
    bool known[REGISTER_COUNT];
};

struct dwarf_unwinder {
    struct stack_frames *frames;
    struct frame_files files; /* by path of `frames` */

    /* Of the sample that is being unwound. */
    uint64_t stack_begin;
    struct bytes stack;
    struct unwound_registers at, caller;
    bool left_stack;
};

uint64_t dwarf_unwind_registers(void)
{
    return REGISTERS;
}

struct dwarf_unwinder *dwarf_unwinder_new(struct stack_frames *frames)
{
    struct dwarf_unwinder *u = alloc_array(1, sizeof *u);
    u->frames = frames;
    frame_files_init(&u->files);
    return u;
}

void dwarf_unwinder_free(struct dwarf_unwinder *u)
{
    if (!u)
        return;
    frame_files_release(&u->files);
    free(u);
}

static bool read_stack(struct dwarf_unwinder *u, uint64_t address, uint64_t *out)
{
    uint64_t at = address - u->stack_begin;
    if (u->stack.n < sizeof *out || at > u->stack.n - sizeof *out) {
        u->left_stack = true;
        return false;
    }
    memcpy(out, u->stack.p + at, sizeof *out);
    return true;
}

/* Values of an expression, which has no jumps. */
struct evaluation {
    struct dwarf_unwinder *u;
    uint64_t cfa;
    uint64_t values[STEPS];
    size_t count;
    bool is_value; /* not where it lies */
};

static bool push(struct evaluation *e, uint64_t v)
{
    if (e->count == STEPS)
        return false;
    e->values[e->count++] = v;
    return true;
}

static bool push_register(struct evaluation *e, uint64_t number, uint64_t offset)
{
    const struct unwound_registers *at = &e->u->at;
    return number < REGISTER_COUNT && at->known[number] && push(e, at->values[number] + offset);
}

/* The operators that take two; false: it is none of them. */
static bool combine(uint8_t atom, uint64_t a, uint64_t b, uint64_t *out)
{
    switch (atom) {
    case DW_OP_plus:
        *out = a + b;
        return true;
    case DW_OP_minus:
        *out = a - b;
        return true;
    case DW_OP_mul:
        *out = a * b;
        return true;
    case DW_OP_and:
        *out = a & b;
        return true;
    case DW_OP_or:
        *out = a | b;
        return true;
    case DW_OP_xor:
        *out = a ^ b;
        return true;
    case DW_OP_shl:
        *out = b < 64 ? a << b : 0;
        return true;
    case DW_OP_shr:
        *out = b < 64 ? a >> b : 0;
        return true;
    case DW_OP_eq:
        *out = a == b;
        return true;
    case DW_OP_ne:
        *out = a != b;
        return true;
    case DW_OP_ge:
        *out = (int64_t)a >= (int64_t)b;
        return true;
    case DW_OP_gt:
        *out = (int64_t)a > (int64_t)b;
        return true;
    case DW_OP_le:
        *out = (int64_t)a <= (int64_t)b;
        return true;
    case DW_OP_lt:
        *out = (int64_t)a < (int64_t)b;
        return true;
    default:
        return false;
    }
}

static bool take_operator(struct evaluation *e, const Dwarf_Op *op)
{
    uint64_t v;
    if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
        return push(e, op->atom - DW_OP_lit0);
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
        return push_register(e, op->atom - DW_OP_breg0, op->number);
    switch (op->atom) {
    case DW_OP_nop:
        return true;
    case DW_OP_bregx:
        return push_register(e, op->number, op->number2);
    case DW_OP_regx: /* in another register, which has its value */
        e->is_value = true;
        return push_register(e, op->number, 0);
    case DW_OP_call_frame_cfa:
        return push(e, e->cfa);
    case DW_OP_stack_value:
        e->is_value = true;
        return e->count > 0;
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return push(e, op->number);
    case DW_OP_plus_uconst:
        if (e->count > 0)
            e->values[e->count - 1] += op->number;
        return e->count > 0;
    case DW_OP_dup:
        return e->count > 0 && push(e, e->values[e->count - 1]);
    case DW_OP_deref:
        return e->count > 0 && read_stack(e->u, e->values[e->count - 1], &e->values[e->count - 1]);
    default:
        if (e->count < 2 ||
            !combine(op->atom, e->values[e->count - 2], e->values[e->count - 1], &v))
            return false;
        e->values[--e->count - 1] = v;
        return true;
    }
}

static bool evaluate(struct evaluation *e, const Dwarf_Op *ops, size_t n)
{
    e->count = 0;
    e->is_value = false;
    for (size_t i = 0; i < n; i++)
        if (!take_operator(e, &ops[i]))
            return false;
    return e->count > 0;
}

/* The register as the caller has it; false: that is not known. */
static bool restore(struct evaluation *e, Dwarf_Frame *frame, uint32_t number, uint64_t *out)
{
    Dwarf_Op memory[3], *ops;
    size_t n;
    const struct unwound_registers *at = &e->u->at;
    if (dwarf_frame_register(frame, (int)number, memory, &ops, &n) != 0)
        return false;
    if (n == 0) { /* without a rule: as it was, or gone */
        *out = at->values[number];
        return ops == NULL && at->known[number];
    }
    if (!evaluate(e, ops, n))
        return false;
    *out = e->values[e->count - 1];
    return e->is_value || read_stack(e->u, *out, out);
}

/* How a step to the caller ended. */
enum step { STEP_DONE, STEP_OUTERMOST, STEP_UNKNOWN };

static enum step step_by_frame(struct dwarf_unwinder *u, Dwarf_Frame *frame, bool *interrupted)
{
    struct evaluation e = {.u = u};
    Dwarf_Op *ops, memory[3];
    size_t n;
    int back = dwarf_frame_info(frame, NULL, NULL, interrupted);
    if (back < 0 || back >= REGISTER_COUNT || dwarf_frame_cfa(frame, &ops, &n) != 0 ||
        !evaluate(&e, ops, n))
        return STEP_UNKNOWN;
    e.cfa = e.values[e.count - 1];
    if (dwarf_frame_register(frame, back, memory, &ops, &n) == 0 && n == 0 && ops != NULL)
        return STEP_OUTERMOST;
    u->caller = (struct unwound_registers){0};
    for (uint32_t i = 0; i < REGISTER_COUNT; i++)
        if (i != PC_REGISTER && i != STACK_REGISTER)
            u->caller.known[i] = restore(&e, frame, i, &u->caller.values[i]);
    bool stack_known = restore(&e, frame, STACK_REGISTER, &u->caller.values[STACK_REGISTER]);
    if (!stack_known || !*interrupted)
        u->caller.values[STACK_REGISTER] = e.cfa;
    u->caller.known[STACK_REGISTER] = true;
    u->left_stack = false;
    if (!restore(&e, frame, (uint32_t)back, &u->caller.values[PC_REGISTER]))
        return STEP_UNKNOWN;
    u->caller.known[PC_REGISTER] = true;
    return STEP_DONE;
}

/* Code that says nothing, but keeps a frame pointer: what is made at run time often does. */
static enum step step_by_pointer(struct dwarf_unwinder *u, int32_t pid)
{
    uint64_t frame = u->at.values[FRAME_REGISTER], back, next;
    if (!u->at.known[FRAME_REGISTER] || frame < u->at.values[STACK_REGISTER] ||
        !read_stack(u, frame, &next) || !read_stack(u, frame + sizeof next, &back) ||
        !address_spaces_find(&u->frames->spaces, pid, back & ADDRESS_MASK)) {
        u->left_stack = false; /* it is no frame pointer */
        return STEP_UNKNOWN;
    }
    u->caller = (struct unwound_registers){0};
    u->caller.values[FRAME_REGISTER] = next;
    u->caller.values[STACK_REGISTER] = frame + 2 * sizeof next;
    u->caller.values[PC_REGISTER] = back;
    u->caller.known[FRAME_REGISTER] = u->caller.known[STACK_REGISTER] =
        u->caller.known[PC_REGISTER] = true;
    return STEP_DONE;
}

static Dwarf_CFI *frames_of(struct dwarf_unwinder *u, uint32_t path)
{
    return frame_files_get(&u->files, path, address_spaces_path(&u->frames->spaces, path), MACHINE);
}

/* `at` becomes the caller. `exact`: the address is what runs, not where a call returns to. */
static enum step step(struct dwarf_unwinder *u, int32_t pid, bool *exact, uint32_t *error)
{
    uint64_t pc = u->at.values[PC_REGISTER] - !*exact, stack = u->at.values[STACK_REGISTER];
    const struct space_range *r = address_spaces_find(&u->frames->spaces, pid, pc);
    Dwarf_CFI *cfi = r ? frames_of(u, r->path) : NULL;
    Dwarf_Frame *frame = NULL;
    bool interrupted = false;
    *error = r ? PB_Profiling_StackUnwindError_UNWIND_ERROR_UNWIND_INFO
               : PB_Profiling_StackUnwindError_UNWIND_ERROR_INVALID_MAP;
    uint64_t bias = r ? stack_frames_file(u->frames, r->path)->load_bias : 0;
    if (cfi)
        frame_files_limit(&u->files);
    bool said = cfi && dwarf_cfi_addrframe(cfi, pc - r->start + r->offset + bias, &frame) == 0;
    enum step taken = said ? step_by_frame(u, frame, &interrupted) : STEP_UNKNOWN;
    free(frame);
    if (cfi)
        frame_files_lift_limit(&u->files);
    if (!said)
        taken = step_by_pointer(u, pid);
    if (taken != STEP_DONE)
        return taken;
    u->caller.values[PC_REGISTER] &= ADDRESS_MASK;
    uint64_t to = u->caller.values[STACK_REGISTER];
    if (to < stack || (to == stack && u->caller.values[PC_REGISTER] == u->at.values[PC_REGISTER])) {
        *error = PB_Profiling_StackUnwindError_UNWIND_ERROR_REPEATED_FRAME;
        return STEP_UNKNOWN;
    }
    u->at = u->caller;
    *exact = interrupted;
    return STEP_DONE;
}

size_t dwarf_unwind(struct dwarf_unwinder *u, const struct dwarf_state *state, uint64_t *chain,
                    size_t most, uint32_t *error)
{
    for (size_t i = 0; i < REGISTER_COUNT; i++) {
        u->at.values[dwarf_numbers[i]] = state->registers[i];
        u->at.known[dwarf_numbers[i]] = true;
    }
    u->stack_begin = u->at.values[STACK_REGISTER];
    u->stack = state->stack;
    size_t n = 0;
    frame_files_begin_stack(&u->files);
    for (bool exact = true; n < most;) {
        /* Callers are looked up before where they return to; what a signal interrupted is there. */
        chain[n] = u->at.values[PC_REGISTER] + (exact && n > 0);
        n++;
        u->left_stack = false;
        enum step taken = step(u, state->pid, &exact, error);
        if (taken == STEP_DONE && u->at.values[PC_REGISTER] != 0)
            continue;
        if (taken != STEP_UNKNOWN)
            *error = PB_Profiling_StackUnwindError_UNWIND_ERROR_NONE;
        else if (u->left_stack)
            *error = PB_Profiling_StackUnwindError_UNWIND_ERROR_MEMORY_INVALID;
        return n;
    }
    *error = PB_Profiling_StackUnwindError_UNWIND_ERROR_MAX_FRAMES_EXCEEDED;
    return n;
}
