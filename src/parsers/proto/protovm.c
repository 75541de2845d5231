#define PB_READS_LITTLE
#include "parsers/proto/protovm.h"

#include "pb_fields.h"

enum { DEPTH_MAX = 256, INSTRUCTION_WORK = 16, FIELD_WORK = 8 };

struct cursors {
    struct pb_field src; /* of the patch */
    struct tree_cursor dst;
};

/* What is being executed, from the program inwards. */
enum vm_frame_kind {
    FRAME_LIST,   /* instructions */
    FRAME_SELECT, /* one instruction that moves the cursors while those below it run */
    FRAME_SRC,    /* its path names each of several fields of the patch ... */
    FRAME_DST,    /* ... or of the state */
};

/* How a select goes along its path. */
struct vm_select {
    struct pb_reader path;        /* the VmOpSelect, or what is left of it */
    struct pb_reader instruction; /* the VmInstruction that it is of */
    uint32_t cursor;
    bool create;
};

struct vm_frame {
    enum vm_frame_kind kind;
    uint32_t field;          /* LIST: of the instructions; SRC: what is iterated */
    uint32_t abort_level;    /* LIST: of the instruction that runs */
    uint32_t list, position; /* DST: what is iterated, how far */
    struct pb_reader r;      /* LIST: the instructions; SRC: the fields */
    struct vm_select select; /* SRC, DST: what goes on from each field */
    struct cursors cursors;  /* SELECT: before it */
};

struct vm_run {
    struct protovm *vm;
    struct cursors at;
    VEC(struct vm_frame) frames;
};

struct instruction {
    struct pb_reader whole; /* the VmInstruction */
    struct pb_field select, reg_load, merge, set, del;
    uint32_t abort_level;
};

struct component {
    uint32_t field_id, array_index, key_field, register_to_match;
    bool has_field, has_index, has_key, has_register, repeated;
};

static bool spend(struct vm_run *run, uint64_t work)
{
    uint64_t *left = run->vm->state.work;
    if (work > *left) {
        *left = 0;
        return false;
    }
    *left -= work;
    return true;
}

static struct instruction read_instruction(const struct pb_field *from)
{
    struct instruction in = {
        .whole = pb_message(from),
        .abort_level = PB_VmInstruction_AbortLevel_SKIP_CURRENT_INSTRUCTION_AND_BREAK_OUTER};
    struct pb_reader r = in.whole;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_VmInstruction_select:
            in.select = f;
            break;
        case PB_VmInstruction_reg_load:
            in.reg_load = f;
            break;
        case PB_VmInstruction_merge:
            in.merge = f;
            break;
        case PB_VmInstruction_set:
            in.set = f;
            break;
        case PB_VmInstruction_del:
            in.del = f;
            break;
        case PB_VmInstruction_abort_level:
            in.abort_level = pb_u32(&f);
            break;
        default:
            break;
        }
    }
    return in;
}

static struct vm_select read_select(const struct instruction *in)
{
    struct vm_select s = {.path = pb_message(&in->select),
                          .instruction = in->whole,
                          .cursor = PB_VmCursorEnum_VM_CURSOR_SRC};
    struct pb_reader r = s.path;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_VmOpSelect_cursor)
            s.cursor = pb_u32(&f);
        else if (f.number == PB_VmOpSelect_create_if_not_exist)
            s.create = pb_bool(&f);
    }
    return s;
}

/* The next component of a path; false at its end. */
static bool next_component(struct pb_reader *path, struct component *c)
{
    struct pb_field f;
    do {
        if (!pb_next(path, &f))
            return false;
    } while (f.number != PB_VmOpSelect_relative_path);
    struct pb_reader r = pb_message(&f);
    *c = (struct component){0};
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_VmOpSelect_PathComponent_field_id:
            c->field_id = pb_u32(&f);
            c->has_field = true;
            break;
        case PB_VmOpSelect_PathComponent_array_index:
            c->array_index = pb_u32(&f);
            c->has_index = true;
            break;
        case PB_VmOpSelect_PathComponent_map_key_field_id:
            c->key_field = pb_u32(&f);
            c->has_key = true;
            break;
        case PB_VmOpSelect_PathComponent_is_repeated:
            c->repeated = pb_bool(&f);
            break;
        case PB_VmOpSelect_PathComponent_register_to_match:
            c->register_to_match = pb_u32(&f);
            c->has_register = true;
            break;
        default:
            break;
        }
    }
    return true;
}

static enum tree_status push(struct vm_run *run, const struct vm_frame *frame)
{
    if (run->frames.count == DEPTH_MAX)
        return TREE_ABORT;
    *vec_push(&run->frames) = *frame;
    return TREE_OK;
}

static enum tree_status push_list(struct vm_run *run, struct pb_reader r, uint32_t field)
{
    struct vm_frame list = {.kind = FRAME_LIST, .field = field, .r = r};
    return push(run, &list);
}

/* The next field of this number. TREE_ERROR: there is none. */
static enum tree_status next_field(struct vm_run *run, struct pb_reader *r, uint32_t number,
                                   struct pb_field *f)
{
    while (pb_next(r, f)) {
        if (!spend(run, FIELD_WORK))
            return TREE_ABORT;
        if (f->number == number)
            return TREE_OK;
    }
    return TREE_ERROR;
}

/* Moves the cursor of the patch to one of the fields of a number. */
static enum tree_status enter_src(struct vm_run *run, uint32_t field, uint32_t index)
{
    struct pb_reader r = pb_message(&run->at.src);
    struct pb_field f;
    if (!run->at.src.data)
        return TREE_ABORT;
    for (uint32_t i = 0;; i++) {
        enum tree_status s = next_field(run, &r, field, &f);
        if (s != TREE_OK)
            return s;
        if (i == index)
            break;
    }
    run->at.src = f;
    return TREE_OK;
}

static bool register_is_set(const struct protovm *vm, uint32_t number)
{
    return number < PROTOVM_REGISTERS && vm->registers_set >> number & 1;
}

/* Moves the cursor that is selected by one component, of which `index` may be the second half. */
static enum tree_status enter(struct vm_run *run, const struct vm_select *select,
                              const struct component *c, const struct component *index)
{
    struct message_tree *state = &run->vm->state;
    bool in_patch = select->cursor == PB_VmCursorEnum_VM_CURSOR_SRC;
    if (index && index->has_key) {
        if (in_patch || !index->has_register || !register_is_set(run->vm, index->register_to_match))
            return TREE_ABORT;
        return tree_enter_key(state, &run->at.dst, c->field_id, index->key_field,
                              run->vm->registers[index->register_to_match], select->create);
    }
    if (in_patch)
        return enter_src(run, c->field_id, index ? index->array_index : 0);
    return index ? tree_enter_index(state, &run->at.dst, c->field_id, index->array_index)
                 : tree_enter(state, &run->at.dst, c->field_id, select->create);
}

static enum tree_status begin_loop(struct vm_run *run, const struct vm_select *select,
                                   uint32_t field)
{
    struct vm_frame loop = {.field = field, .select = *select};
    if (select->cursor == PB_VmCursorEnum_VM_CURSOR_SRC && run->at.src.data) {
        loop.kind = FRAME_SRC;
        loop.r = pb_message(&run->at.src);
    } else if (select->cursor == PB_VmCursorEnum_VM_CURSOR_DST) {
        loop.kind = FRAME_DST;
        if (tree_find_list(&run->vm->state, run->at.dst.node, field, &loop.list) != TREE_OK)
            return TREE_ABORT;
    } else {
        return TREE_ABORT;
    }
    return push(run, &loop);
}

/* Goes along a path up to its end, where the instructions below it are next, or to the first part
 * of it that names several fields. */
static enum tree_status walk(struct vm_run *run, struct vm_select select)
{
    struct component c, index;
    while (next_component(&select.path, &c)) {
        if (!c.has_field || !spend(run, INSTRUCTION_WORK))
            return TREE_ABORT;
        if (c.repeated)
            return begin_loop(run, &select, c.field_id);
        struct pb_reader behind = select.path;
        bool indexed = next_component(&behind, &index) && (index.has_index || index.has_key);
        if (indexed)
            select.path = behind;
        enum tree_status s = enter(run, &select, &c, indexed ? &index : NULL);
        if (s != TREE_OK)
            return s;
    }
    return push_list(run, select.instruction, PB_VmInstruction_nested_instructions);
}

static enum tree_status begin_select(struct vm_run *run, const struct instruction *in)
{
    struct vm_select select = read_select(in);
    struct vm_frame frame = {.kind = FRAME_SELECT, .cursors = run->at};
    if (select.create && select.cursor == PB_VmCursorEnum_VM_CURSOR_SRC)
        return TREE_ABORT;
    enum tree_status s = push(run, &frame);
    return s == TREE_OK ? walk(run, select) : s;
}

static enum tree_status load_register(struct vm_run *run, const struct pb_field *op)
{
    struct protovm *vm = run->vm;
    uint32_t cursor = PB_VmCursorEnum_VM_CURSOR_SRC, number = 0;
    struct pb_reader r = pb_message(op);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_VmOpRegLoad_cursor)
            cursor = pb_u32(&f);
        else if (f.number == PB_VmOpRegLoad_dst_register)
            number = pb_u32(&f);
    }
    if (cursor == PB_VmCursorEnum_VM_CURSOR_SRC)
        f = run->at.src;
    else if (!tree_number(&vm->state, run->at.dst.node, &f))
        return TREE_ABORT;
    if (f.data || number >= PROTOVM_REGISTERS)
        return TREE_ABORT;
    vm->registers[number] = f.value;
    vm->registers_set |= UINT32_C(1) << number;
    return TREE_OK;
}

static enum tree_status merge(struct vm_run *run, const struct pb_field *op)
{
    struct tree_merge how = {0};
    struct pb_reader r = pb_message(op);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_VmOpMerge_skip_submessages)
            how.keep_messages = pb_bool(&f);
        else if (f.number == PB_VmOpMerge_del_if_src_empty)
            how.empty_deletes = pb_bool(&f);
    }
    return tree_merge(&run->vm->state, run->at.dst.node, &run->at.src, how);
}

/* A select without a path leaves the cursor where the one around it has it, too: neither may come
 * back to what is gone. */
static enum tree_status delete_field(struct vm_run *run)
{
    uint32_t node = run->at.dst.node;
    enum tree_status s = tree_delete(&run->vm->state, &run->at.dst);
    for (size_t i = 0; run->at.dst.node == TREE_NOWHERE && i < run->frames.count; i++) {
        struct vm_frame *frame = &run->frames.items[i];
        if (frame->kind == FRAME_SELECT && frame->cursors.dst.node == node)
            frame->cursors.dst.node = TREE_NOWHERE;
    }
    return s;
}

/* Executes an instruction; those below it are next then. */
static enum tree_status begin_instruction(struct vm_run *run, const struct instruction *in)
{
    enum tree_status s = TREE_ABORT;
    if (!spend(run, INSTRUCTION_WORK))
        return TREE_ABORT;
    if (in->select.data)
        return begin_select(run, in);
    if (in->reg_load.data)
        s = load_register(run, &in->reg_load);
    else if (in->del.data)
        s = delete_field(run);
    else if (in->merge.data)
        s = merge(run, &in->merge);
    else if (in->set.data)
        s = tree_set(&run->vm->state, run->at.dst.node, &run->at.src);
    if (s != TREE_OK)
        return s;
    return push_list(run, in->whole, PB_VmInstruction_nested_instructions);
}

/* What a frame does next: TREE_OK if another one was pushed or it goes on, with `done` if nothing
 * is left of it. */
static enum tree_status next_instruction(struct vm_run *run, struct vm_frame *list, bool *done)
{
    struct pb_field f;
    enum tree_status s = next_field(run, &list->r, list->field, &f);
    if (s != TREE_OK) {
        *done = s == TREE_ERROR;
        return *done ? TREE_OK : s;
    }
    struct instruction in = read_instruction(&f);
    list->abort_level = in.abort_level;
    return begin_instruction(run, &in);
}

static enum tree_status next_of_patch(struct vm_run *run, struct vm_frame *loop, bool *done)
{
    struct pb_field f;
    enum tree_status s = next_field(run, &loop->r, loop->field, &f);
    if (s != TREE_OK) {
        *done = s == TREE_ERROR;
        return *done ? TREE_OK : s;
    }
    run->at.src = f;
    return walk(run, loop->select);
}

static enum tree_status next_of_state(struct vm_run *run, struct vm_frame *loop, bool *done)
{
    uint32_t node = tree_list_item(&run->vm->state, loop->list, loop->position++);
    if (node == TREE_NOWHERE) {
        *done = true;
        return TREE_OK;
    }
    run->at.dst = (struct tree_cursor){.node = node, .parent = TREE_NOWHERE};
    return walk(run, loop->select);
}

static enum tree_status step(struct vm_run *run, bool *done)
{
    struct vm_frame *top = &vec_last(&run->frames);
    switch (top->kind) {
    case FRAME_LIST:
        return next_instruction(run, top, done);
    case FRAME_SRC:
        return next_of_patch(run, top, done);
    case FRAME_DST:
        return next_of_state(run, top, done);
    case FRAME_SELECT:
        *done = true;
        return TREE_OK;
    }
    return TREE_ABORT;
}

/* An instruction failed: ends what it is part of, as far out as the instructions say. */
static enum tree_status unwind(struct vm_run *run)
{
    for (; run->frames.count > 0; run->frames.count--) {
        const struct vm_frame *top = &vec_last(&run->frames);
        if (top->kind == FRAME_SELECT)
            run->at = top->cursors;
        if (top->kind != FRAME_LIST)
            continue;
        if (top->abort_level == PB_VmInstruction_AbortLevel_ABORT)
            return TREE_ABORT;
        if (top->abort_level !=
            PB_VmInstruction_AbortLevel_SKIP_CURRENT_INSTRUCTION_AND_BREAK_OUTER)
            return TREE_OK;
    }
    return TREE_ERROR;
}

static enum tree_status run_all(struct vm_run *run)
{
    enum tree_status s = push_list(run, pb_message(&run->vm->program), PB_VmProgram_instructions);
    while (s == TREE_OK && run->frames.count > 0) {
        bool done = false;
        s = step(run, &done);
        if (done) {
            if (vec_last(&run->frames).kind == FRAME_SELECT)
                run->at = vec_last(&run->frames).cursors;
            run->frames.count--;
        }
        if (s == TREE_ERROR)
            s = unwind(run);
    }
    return s;
}

void protovm_init(struct protovm *vm, const struct pb_field *program, size_t memory_limit)
{
    *vm = (struct protovm){.program = *program};
    message_tree_init(&vm->state, memory_limit);
}

void protovm_release(struct protovm *vm)
{
    message_tree_release(&vm->state);
}

enum tree_status protovm_apply(struct protovm *vm, const struct pb_field *patch)
{
    struct vm_run run = {.vm = vm, .at = {*patch, message_tree_root()}};
    enum tree_status s = run_all(&run);
    vec_release(&run.frames);
    return s;
}
