/* ProtoVM: small programs, carried by a trace, that apply patches to a message. A producer then
 * writes only what changed; the message as it stands after each patch is what it means.
 *
 * A program (VmProgram) is a tree of instructions that move two cursors, one in the patch and one
 * in the state, and copy from the former to the latter. */
#ifndef TPTUI_PARSERS_PROTO_PROTOVM_H
#define TPTUI_PARSERS_PROTO_PROTOVM_H

#include "parsers/proto/message_tree.h"

enum { PROTOVM_REGISTERS = 32 };

struct protovm {
    struct pb_field program; /* a VmProgram */
    struct message_tree state;
    uint64_t registers[PROTOVM_REGISTERS]; /* kept from patch to patch */
    uint32_t registers_set;                /* bit by register */
};

/* Program, state and patches must outlive the VM. */
void protovm_init(struct protovm *vm, const struct pb_field *program, size_t memory_limit);
void protovm_release(struct protovm *vm);

/* Runs the program on a patch. TREE_ERROR: the patch is none for this program; TREE_ABORT: it
 * contradicts the program or the state, or takes too much of state.work: the state is undefined
 * until it is set again. */
enum tree_status protovm_apply(struct protovm *vm, const struct pb_field *patch);

#endif
