/* Decompression of what is in memory, piece by piece or as a whole; as a whole, what is not too
 * large goes through libdeflate. */
#ifndef TPTUI_PARSERS_INPUT_DECOMPRESS_H
#define TPTUI_PARSERS_INPUT_DECOMPRESS_H

#include <stdbool.h>

#include "base/budget.h"
#include "parsers/input/bytes.h"
#include "parsers/input/progress.h"

enum compression {
    COMPRESSION_NONE,
    COMPRESSION_GZIP,  /* gzip members, one behind the other */
    COMPRESSION_ZLIB,  /* one stream of zlib's or gzip's form */
    COMPRESSION_ZSTD,  /* zstd frames, one behind the other */
    COMPRESSION_XZ,    /* streams, likewise */
    COMPRESSION_BZIP2, /* likewise */
    COMPRESSION_UTF16, /* text of UTF-16, which becomes UTF-8 */
};

/* How a file is compressed that begins like this; anything but zlib's form. */
enum compression compression_sniff(struct bytes data);
/* "gzip" and the like; NULL for an encoding of text, which makes no file of its own. */
const char *compression_name(enum compression kind);

struct decompressor {
    size_t taken; /* bytes of the input so far */
    bool ended;   /* nothing more comes */
    bool whole;   /* it has ended, and nothing was cut off or corrupt */
    enum compression kind;
    struct bytes input;
    struct codec *codec;
    uint32_t crc, made; /* so far, of the member of gzip that is being read */
};

/* `input` must last until decompressor_free. */
struct decompressor *decompressor_new(enum compression kind, struct bytes input);
void decompressor_free(struct decompressor *d); /* takes NULL */

/* Writes up to `room` bytes, and says how many; fewer only at the end. */
size_t decompressor_read(struct decompressor *d, uint8_t *out, size_t room);

/* Decompressed bytes, owned: free(p). */
struct decompressed {
    uint8_t *p;
    size_t n;
    /* False: the input is cut off or corrupt, or would become much more than it may; these are the
     * bytes up to there. */
    bool whole;
    bool cancelled;
};

/* All of it, up to `most` bytes and what is left of the budget, which it spends; `budget` and
 * `progress`, which counts input bytes, may be NULL. */
struct decompressed decompress(enum compression kind, struct bytes data, size_t most,
                               struct budget *budget, struct load_progress *progress);

/* The same by libdeflate, in a third of zlib's time. False, and nothing is owned, where the data is
 * not one whole stream, or is larger than 64 MB or an unusual multiple of its size. */
bool decompress_at_once(enum compression kind, struct bytes data, size_t most,
                        struct decompressed *out);

/* One stream of zlib's form that becomes exactly `size` bytes, into `out`. False where it does not.
 */
bool inflate_into(struct bytes packed, uint8_t *out, size_t size);

/* How much the data says that it becomes; 0 where it does not say. */
size_t decompressed_size(enum compression kind, struct bytes data);

/* For `most`: `always` bytes and `ratio` times the size of what is compressed. */
size_t decompress_limit(size_t compressed, size_t always, size_t ratio);
/* The same for a file with all that is packed in it, however deep and however often it is unpacked:
 * recordings shrink to a tenth, zstd makes a gigabyte of zeros out of 32 KB. */
size_t decompress_file_limit(size_t compressed);

#endif
