/* What may be asked about in place of all that is wrong, as SQL for explain_request. */
#ifndef TPTUI_EXPLAIN_QUESTION_H
#define TPTUI_EXPLAIN_QUESTION_H

/* X(id, name, what it is called, help) */
#define QUESTIONS(X)                                                                               \
    X(SLICE, "slice", "ID", "explain that slice, in place of what is wrong")                       \
    X(FRAME, "frame", "N", "explain the frames of that number: Choreographer's, or a token")       \
    X(STARTUP, "startup", "PACKAGE", "explain the starts of that app (a GLOB)")                    \
    X(THREAD, "thread", "NAME", "explain all that the threads of that name (a GLOB) did")

#define QUESTION_ID(id, name, value, help) QUESTION_##id,
enum question { QUESTIONS(QUESTION_ID) QUESTION_COUNT };
#undef QUESTION_ID

/* The statement, for free(). */
char *question_sql(enum question question, const char *value);

#endif
