/* What kernels print: memory that they write records into, and the text made from it.
 *
 * A code object that prints has a variable, alone in the section `fly_output`: the address of a ring, or null, in which
 * case its kernels are silent. Its format texts are in the section `fly_text`. A ring is 32-bit words: how many words
 * have been requested, how many there are, then records. A record is
 *
 *     its length in words, the address of its text (two words), the values (one or two words each)
 *
 * A text has directives `%[flags][width][.precision][l]conversion`; `l` is of 64 bits. Conversions are C's, and `s`
 * (a float, as short as it reads back), `b` (True or False), `p` (an address). A thread takes its words by one atomic
 * addition; what does not fit is lost. */
#ifndef FLY_RUNTIME_OUTPUT_H
#define FLY_RUNTIME_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FLY_OUTPUT_SYMBOL "__fly_output"
enum { FLY_OUTPUT_HEADER_WORDS = 2, FLY_OUTPUT_RING_WORDS = 1 << 20 };

/* The parts of a code object that output needs; addresses as the file counts them. */
typedef struct fly_output_image {
  const unsigned char *texts;
  uint64_t text_bytes, text_address;
  uint64_t variable_address;
} fly_output_image;

/* Takes the bytes `write` is given; `context` is the caller's. */
typedef void (*fly_output_write)(void *context, const char *text, size_t bytes);

/* 0 if the code object prints nothing, or is damaged. The result points into `image`, which must stay alive. */
int fly_output_find(const unsigned char *image, size_t bytes, fly_output_image *found);

/* Begins a ring of `words` words, the header included. */
void fly_output_begin(uint32_t *ring, uint32_t words);

/* Writes what is in the ring, and a line that tells of what was lost, and empties it. `variable`: where the variable is
 * on the device. Damaged records end it. */
void fly_output_drain(const fly_output_image *image, uint64_t variable, uint32_t *ring, fly_output_write write,
                      void *context);

#ifdef __cplusplus
}
#endif
#endif
