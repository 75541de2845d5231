/* Bytes as a client's stream of RPC messages, cut as their first byte says. Queries that run for
 * long are cancelled, as they are for clients that go away. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "rpc/engine.h"

enum { PATIENCE_MS = 100, ANSWER_MAX = 1 << 20 };

static struct rpc_engine *engine;
static _Atomic int64_t begun; /* ms; 0: nothing runs */

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *watch(void *unused)
{
    (void)unused;
    for (;;) {
        usleep(PATIENCE_MS * 200);
        int64_t since = atomic_load(&begun);
        if (since && now_ms() - since > PATIENCE_MS)
            rpc_engine_cancel(engine);
    }
    return NULL;
}

static void begin(void)
{
    static const struct rpc_settings settings = {.version = "0"};
    pthread_t thread;
    engine = rpc_engine_new(&settings, NULL, NULL);
    if (pthread_create(&thread, NULL, watch, NULL) != 0)
        abort();
}

static bool take_answer(void *self, const void *p, size_t n)
{
    size_t *taken = self;
    (void)p;
    *taken += n;
    return *taken < ANSWER_MAX;
}

static void send_pieces(struct rpc_channel *channel, struct str stream, size_t piece)
{
    size_t taken = 0;
    struct rpc_output out = {.write = take_answer, .self = &taken};
    bool wanted = true;
    while (wanted && stream.n > 0) {
        size_t n = stream.n < piece ? stream.n : piece;
        wanted = rpc_channel_receive(channel, (struct str){stream.p, n}, &out);
        stream = str_skip(stream, n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!engine)
        begin();
    if (size == 0)
        return 0;
    rpc_engine_resume(engine);
    atomic_store(&begun, now_ms());
    struct rpc_channel *channel = rpc_channel_new(engine);
    send_pieces(channel, (struct str){(const char *)data + 1, size - 1}, data[0] ? data[0] : size);
    rpc_channel_free(channel);
    atomic_store(&begun, 0);
    return 0;
}
