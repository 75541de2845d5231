/* A message that can be changed: a tree of fields, taken apart only as far as somebody looked.
 *
 * What a field is, a number, a message, or one of several of its number, is not known without a
 * schema: a field whose length is written is bytes until it is entered, which makes it a message.
 * Bytes are not copied; what they point to must outlive the tree. */
#ifndef TPTUI_PARSERS_PROTO_MESSAGE_TREE_H
#define TPTUI_PARSERS_PROTO_MESSAGE_TREE_H

#include "base/vec.h"
#include "parsers/proto/wire.h"
#include "parsers/proto/write.h"

enum tree_kind {
    TREE_EMPTY,   /* nothing yet; not written */
    TREE_FIELD,   /* a number, or bytes */
    TREE_MESSAGE, /* fields by number */
    TREE_LIST,    /* several fields of one number, by index */
    TREE_MAP,     /* the same by the value of one field of theirs */
};

struct tree_child {
    uint64_t key;
    uint32_t node;
};

struct tree_node {
    enum tree_kind kind;
    bool replaced; /* while merging: the list holds fields of the other message already */
    union {
        struct pb_field field;           /* TREE_FIELD; its number is not used */
        VEC(struct tree_child) children; /* sorted by key */
        struct {
            uint32_t next; /* as message_tree.free_nodes */
        } unused;
    };
};

/* TREE_ERROR: what was looked for is not there. TREE_ABORT: the tree is not of the form that the
 * call assumes, or a limit was reached; it may be half changed. */
enum tree_status { TREE_OK, TREE_ERROR, TREE_ABORT };

struct message_tree {
    VEC(struct tree_node) nodes; /* the first is the root */
    VEC(uint32_t) path;          /* scratch: nodes still to be freed or written */
    uint32_t free_nodes;         /* index plus one of the first that is unused; 0: none */
    size_t used, limit;          /* bytes that nodes and fields take, and may take */
    uint64_t *work;              /* counted down by each byte read or moved; the owner sets it. What
                                  * would take more than is left is a TREE_ABORT */
    bool changed;                /* set by every change */
};

/* A place in the tree. `parent` and `key` say where it hangs; parent is TREE_NOWHERE at the root
 * and for what an iteration found. `node` is TREE_NOWHERE once it was deleted. */
#define TREE_NOWHERE UINT32_MAX
struct tree_cursor {
    uint32_t node, parent;
    uint64_t key;
};

/* A tree without fields that takes no more than `limit` bytes. */
void message_tree_init(struct message_tree *t, size_t limit);
void message_tree_release(struct message_tree *t);
/* Makes the tree this message. False where it is larger than the limit; the tree is empty then. */
bool message_tree_set(struct message_tree *t, const uint8_t *p, size_t n);
/* Appends the message: fields in order of their numbers, those of one number in order of their
 * keys. */
void message_tree_write(struct message_tree *t, struct pb_bytes *out);

struct tree_cursor message_tree_root(void);

/* Moves the cursor to a field of the message it is at; makes the field where it is missing, if
 * `create`. Not for fields that were entered by index or key before. */
enum tree_status tree_enter(struct message_tree *t, struct tree_cursor *c, uint32_t field,
                            bool create);
/* To one of several fields of a number, by its place among them; makes one at the end where `index`
 * is their count. */
enum tree_status tree_enter_index(struct message_tree *t, struct tree_cursor *c, uint32_t field,
                                  uint32_t index);
/* To one of several messages of a number, by the value of its field `key_field`. Where none has
 * that value one is made; if there are no messages of that number yet, only with `create`. */
enum tree_status tree_enter_key(struct message_tree *t, struct tree_cursor *c, uint32_t field,
                                uint32_t key_field, uint64_t key, bool create);
/* The node of the list of a message's fields of this number, for tree_list_item; TREE_NOWHERE where
 * there is none, which is no error. */
enum tree_status tree_find_list(struct message_tree *t, uint32_t message, uint32_t field,
                                uint32_t *list);
/* The node at this place in a list; TREE_NOWHERE behind its end. */
uint32_t tree_list_item(const struct message_tree *t, uint32_t list, uint32_t place);
/* The number that a node is; false where it is none. */
bool tree_number(const struct message_tree *t, uint32_t node, struct pb_field *out);

/* Replaces a number by a number, bytes or a message by bytes. */
enum tree_status tree_set(struct message_tree *t, uint32_t node, const struct pb_field *value);

struct tree_merge {
    bool keep_messages; /* fields that were entered as messages stay as they are */
    bool empty_deletes; /* a field without bytes deletes the one it meets */
};
/* Takes over the fields of the message `from`. A list is replaced by all fields of its number; of
 * other fields that stand there several times the last one stays. */
enum tree_status tree_merge(struct message_tree *t, uint32_t node, const struct pb_field *from,
                            struct tree_merge how);
/* Deletes what the cursor is at; of the root, and of what an iteration found, only the contents. */
enum tree_status tree_delete(struct message_tree *t, struct tree_cursor *c);

#endif
