/* What the runtime reads of a code object: whether it is complete, its architecture, and the arguments of its kernels.
 * Nothing in it is trusted: every offset is checked against the size. */
#ifndef FLY_RUNTIME_IMAGE_H
#define FLY_RUNTIME_IMAGE_H

#include "fly/runtime.h"

/* After a code object of flyc: FLY_SEAL_MAGIC, the version of the interface between code and runtime (the records of
 * printed output), and the FNV-1a hash of all bytes before them, little endian. A changed byte changes the hash, so a
 * damaged file is not run; ELF readers do not read past the section headers. */
#define FLY_SEAL_MAGIC "flyseal"
enum { FLY_SEAL_BYTES = 16, FLY_SEAL_MAGIC_BYTES = 7, FLY_SEAL_VERSION = '1' };

typedef struct fly_image_kernel {
  char *name;
  uint32_t max_workgroup_size;
  uint32_t required_block[3]; /* zeros: any */
  uint32_t argument_bytes;    /* of the explicit arguments */
  uint32_t parameter_count;
  fly_parameter *parameters;
} fly_image_kernel;

typedef struct fly_image {
  const char *architecture; /* NULL: one that this runtime does not know */
  uint32_t kernel_count;
  fly_image_kernel *kernels;
} fly_image;

/* Whether the bytes are a complete code object. `name`: of the module, for the text. `*architecture` may be NULL. */
fly_status fly_image_check(const char *name, const unsigned char *bytes, size_t size, const char **architecture);
/* Its kernels; to be freed even after an error. */
fly_status fly_image_read(const char *name, const unsigned char *bytes, size_t size, fly_image *image);
void fly_image_free(fly_image *image);

#endif
