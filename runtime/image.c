/* See image.h. The metadata is a note of msgpack (LLVM, AMDGPUUsage, "Code Object V3 Metadata"):
 *
 *     {"amdhsa.kernels": [{".name": "add", ".max_flat_workgroup_size": 256, ".reqd_workgroup_size": [256, 1, 1],
 *                          ".args": [{".offset": 0, ".size": 8, ".value_kind": "global_buffer"}, ...]}, ...]}
 */
#include "image.h"

#include <stdlib.h>

enum { HEADER_BYTES = 64, AMDGPU_MACHINE = 224, NOTE_SECTION = 7, METADATA_NOTE = 32 };
enum { DEEPEST = 16, MOST_KERNELS = 1 << 16 };

static uint64_t number(const unsigned char *bytes, unsigned count) {
  uint64_t value = 0;
  while (count-- > 0)
    value = value << 8 | bytes[count];
  return value;
}

static uint64_t hash_of(const unsigned char *bytes, size_t size) {
  uint64_t hash = UINT64_C(14695981039346656037);
  size_t i;
  for (i = 0; i < size; ++i)
    hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

/* By EF_AMDGPU_MACH, the low byte of e_flags. A copy of what compiler/target has, since this is C; a test compares them
 * (tests/target/ConsumersTest.cpp). */
static const char *architecture_of(unsigned machine) {
  static const struct {
    unsigned machine;
    const char *name;
  } rows[] = {{0x4c, "gfx942"}, {0x4f, "gfx950"}, {0x4e, "gfx1201"}, {0x49, "gfx1250"}};
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if (rows[i].machine == machine)
      return rows[i].name;
  return NULL;
}

/* Whether what the segments and sections name lies within the file. HIP takes an image without its size and believes
 * them. The tables themselves have been found to. */
static int is_inside(const unsigned char *b, size_t size) {
  enum { SECTION_WITHOUT_BYTES = 8 };
  uint64_t i, each = number(b + 54, 2);
  const unsigned char *table = b + number(b + 32, 8);
  for (i = 0; each >= 56 && i < number(b + 56, 2); ++i) {
    uint64_t offset = number(table + i * each + 8, 8), bytes = number(table + i * each + 32, 8);
    if (bytes && (offset > size || bytes > size - offset))
      return 0;
  }
  each = number(b + 58, 2);
  table = b + number(b + 40, 8);
  for (i = 0; each >= 64 && i < number(b + 60, 2); ++i) {
    const unsigned char *header = table + i * each;
    uint64_t kind = number(header + 4, 4), offset = number(header + 24, 8), bytes = number(header + 32, 8);
    if (kind && kind != SECTION_WITHOUT_BYTES && bytes && (offset > size || bytes > size - offset))
      return 0;
  }
  return 1;
}

fly_status fly_image_check(const char *name, const unsigned char *b, size_t size, const char **architecture) {
  uint64_t sections, segments, end, rest, i;
  if (size < HEADER_BYTES || memcmp(b, "\177ELF\2\1", 6) != 0 || number(b + 18, 2) != AMDGPU_MACHINE)
    return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s is damaged: not an AMDGPU code object", name);
  sections = number(b + 40, 8);
  segments = number(b + 32, 8);
  end = sections + number(b + 58, 2) * number(b + 60, 2);
  if (sections > size || end > size || segments > size || number(b + 54, 2) * number(b + 56, 2) > size - segments)
    return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s is truncated", name);
  if (end < HEADER_BYTES)
    end = HEADER_BYTES;
  rest = size - end;
  if (rest == FLY_SEAL_BYTES && memcmp(b + end, FLY_SEAL_MAGIC, FLY_SEAL_MAGIC_BYTES) == 0) {
    if (b[end + FLY_SEAL_MAGIC_BYTES] != FLY_SEAL_VERSION)
      return fly_refuse(FLY_ERROR_ABI, "%s was made by flyc for another version of the runtime; rebuild it", name);
    if (number(b + end + 8, 8) != hash_of(b, (size_t)end))
      return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s is damaged: its bytes differ from those that flyc wrote", name);
  } else {
    for (i = end; i < size; ++i) /* others may pad theirs */
      if (b[i])
        return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s is damaged: %llu bytes after its end", name,
                          (unsigned long long)rest);
  }
  if (!is_inside(b, size))
    return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s is damaged: a segment or a section is outside of it", name);
  *architecture = architecture_of((unsigned)b[48]);
  return FLY_OK;
}

/* ---- msgpack: only what such notes have. A reader that met something else, or the end, is broken and stays so. */

typedef struct reader {
  const unsigned char *at, *end;
  int is_broken;
} reader;

static uint64_t big(reader *r, unsigned count) {
  uint64_t value = 0;
  if ((size_t)(r->end - r->at) < count) {
    r->is_broken = 1;
    return 0;
  }
  while (count-- > 0)
    value = value << 8 | *r->at++;
  return value;
}

typedef enum { KIND_OTHER, KIND_NUMBER, KIND_TEXT, KIND_LIST, KIND_MAP } kind;
typedef struct value {
  kind kind;
  uint64_t number;
  const char *text;
} value; /* number: also length or count */

static value next(reader *r) {
  value v = {KIND_OTHER, 0, NULL};
  unsigned tag = (unsigned)big(r, 1);
  if (r->is_broken)
    return v;
  if (tag < 0x80)
    v.kind = KIND_NUMBER, v.number = tag;
  else if (tag < 0x90)
    v.kind = KIND_MAP, v.number = tag & 15;
  else if (tag < 0xa0)
    v.kind = KIND_LIST, v.number = tag & 15;
  else if (tag < 0xc0)
    v.kind = KIND_TEXT, v.number = tag & 31;
  else if (tag >= 0xcc && tag <= 0xcf)
    v.kind = KIND_NUMBER, v.number = big(r, 1u << (tag - 0xcc));
  else if (tag >= 0xd9 && tag <= 0xdb)
    v.kind = KIND_TEXT, v.number = big(r, 1u << (tag - 0xd9));
  else if (tag == 0xdc || tag == 0xdd)
    v.kind = KIND_LIST, v.number = big(r, tag == 0xdc ? 2 : 4);
  else if (tag == 0xde || tag == 0xdf)
    v.kind = KIND_MAP, v.number = big(r, tag == 0xde ? 2 : 4);
  else if (tag >= 0xd0 && tag <= 0xd3)
    big(r, 1u << (tag - 0xd0)); /* negative numbers: nothing here has one */
  else if (tag != 0xc0 && tag != 0xc2 && tag != 0xc3 && tag < 0xe0)
    r->is_broken = 1; /* floats, binaries, extensions */
  if (v.kind == KIND_TEXT) {
    v.text = (const char *)r->at;
    if ((uint64_t)(r->end - r->at) < v.number)
      r->is_broken = 1;
    else
      r->at += v.number;
  }
  if ((v.kind == KIND_LIST || v.kind == KIND_MAP) && v.number > (uint64_t)(r->end - r->at))
    r->is_broken = 1; /* each element takes a byte at least */
  return v;
}

static void skip_rest(reader *r, value v, int depth) {
  uint64_t i, count = v.kind == KIND_MAP ? 2 * v.number : v.kind == KIND_LIST ? v.number : 0;
  if (depth > DEEPEST)
    r->is_broken = 1;
  for (i = 0; i < count && !r->is_broken; ++i)
    skip_rest(r, next(r), depth + 1);
}

static int is_text(value v, const char *text) {
  return v.kind == KIND_TEXT && v.number == strlen(text) && memcmp(v.text, text, v.number) == 0;
}

static char *copy_text(value v) {
  char *copy = (char *)malloc((size_t)v.number + 1);
  if (copy) {
    memcpy(copy, v.text, (size_t)v.number);
    copy[v.number] = 0;
  }
  return copy;
}

static int starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* One argument: kept unless it is hidden. */
static void read_argument(reader *r, fly_image_kernel *kernel) {
  fly_parameter p = {0, 0, ""};
  char kind_text[32] = "";
  value map = next(r);
  uint64_t i;
  if (map.kind != KIND_MAP)
    r->is_broken = 1;
  for (i = 0; i < map.number && !r->is_broken; ++i) {
    value key = next(r), v = next(r);
    if (is_text(key, ".offset") && v.kind == KIND_NUMBER)
      p.offset = (uint32_t)v.number;
    else if (is_text(key, ".size") && v.kind == KIND_NUMBER)
      p.size = (uint32_t)v.number;
    else if (is_text(key, ".value_kind") && v.kind == KIND_TEXT && v.number < sizeof kind_text && !r->is_broken) {
      memcpy(kind_text, v.text, (size_t)v.number);
      kind_text[v.number] = 0;
    } else
      skip_rest(r, v, 0);
  }
  if (starts_with(kind_text, "hidden_") || r->is_broken)
    return;
  p.kind = strcmp(kind_text, "global_buffer") == 0            ? "global_buffer"
           : strcmp(kind_text, "dynamic_shared_pointer") == 0 ? "dynamic_shared_pointer"
                                                              : "by_value";
  if (p.offset > 1u << 20 || p.size > 1u << 20)
    r->is_broken = 1;
  else {
    kernel->parameters[kernel->parameter_count++] = p;
    if (p.offset + p.size > kernel->argument_bytes)
      kernel->argument_bytes = p.offset + p.size;
  }
}

static void read_kernel(reader *r, fly_image_kernel *kernel) {
  value map = next(r);
  uint64_t i, k;
  if (map.kind != KIND_MAP)
    r->is_broken = 1;
  for (i = 0; i < map.number && !r->is_broken; ++i) {
    value key = next(r), v = next(r);
    if (r->is_broken)
      return;
    if (is_text(key, ".name") && v.kind == KIND_TEXT && !kernel->name) {
      kernel->name = copy_text(v);
      r->is_broken |= !kernel->name;
    } else if (is_text(key, ".max_flat_workgroup_size") && v.kind == KIND_NUMBER)
      kernel->max_workgroup_size = (uint32_t)v.number;
    else if (is_text(key, ".reqd_workgroup_size") && v.kind == KIND_LIST && v.number == 3)
      for (k = 0; k < 3 && !r->is_broken; ++k) {
        value size = next(r);
        r->is_broken |= size.kind != KIND_NUMBER || size.number < 1 || size.number > 1024;
        kernel->required_block[k] = (uint32_t)size.number;
      }
    else if (is_text(key, ".args") && v.kind == KIND_LIST && !kernel->parameters) {
      kernel->parameters = (fly_parameter *)calloc((size_t)v.number + 1, sizeof *kernel->parameters);
      r->is_broken |= !kernel->parameters;
      for (k = 0; k < v.number && !r->is_broken; ++k)
        read_argument(r, kernel);
    } else
      skip_rest(r, v, 0);
  }
  r->is_broken |= !kernel->name;
}

static void read_kernels(reader *r, fly_image *image) {
  value map = next(r);
  uint64_t i, k;
  if (map.kind != KIND_MAP)
    r->is_broken = 1;
  for (i = 0; i < map.number && !r->is_broken; ++i) {
    value key = next(r), v = next(r);
    if (!is_text(key, "amdhsa.kernels") || v.kind != KIND_LIST || image->kernels || v.number > MOST_KERNELS) {
      skip_rest(r, v, 0);
      continue;
    }
    image->kernels = (fly_image_kernel *)calloc((size_t)v.number + 1, sizeof *image->kernels);
    r->is_broken |= !image->kernels;
    for (k = 0; k < v.number && !r->is_broken; ++k) {
      image->kernels[k].max_workgroup_size = 1024;
      ++image->kernel_count;
      read_kernel(r, &image->kernels[k]);
    }
  }
}

/* The note with the metadata among the section's bytes. */
static int find_note(const unsigned char *at, uint64_t bytes, reader *r) {
  while (bytes >= 12) {
    uint64_t name = (number(at, 4) + 3) & ~UINT64_C(3), text = (number(at + 4, 4) + 3) & ~UINT64_C(3);
    if (name > bytes - 12 || text > bytes - 12 - name)
      return 0;
    if (number(at + 8, 4) == METADATA_NOTE && number(at, 4) == 7 && memcmp(at + 12, "AMDGPU", 7) == 0) {
      r->at = at + 12 + name;
      r->end = r->at + number(at + 4, 4);
      return 1;
    }
    at += 12 + name + text;
    bytes -= 12 + name + text;
  }
  return 0;
}

fly_status fly_image_read(const char *name, const unsigned char *b, size_t size, fly_image *image) {
  reader r = {NULL, NULL, 0};
  uint64_t i, count, each, table;
  fly_status status;
  memset(image, 0, sizeof *image);
  status = fly_image_check(name, b, size, &image->architecture);
  if (status != FLY_OK)
    return status;
  table = number(b + 40, 8);
  each = number(b + 58, 2);
  count = each < 64 ? 0 : number(b + 60, 2);
  for (i = 0; i < count && !r.at; ++i) {
    const unsigned char *header = b + table + i * each;
    uint64_t offset = number(header + 24, 8), bytes = number(header + 32, 8);
    if (number(header + 4, 4) == NOTE_SECTION && offset <= size && bytes <= size - offset)
      find_note(b + offset, bytes, &r);
  }
  if (!r.at)
    return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s has no kernel metadata", name);
  read_kernels(&r, image);
  if (r.is_broken || !image->kernels)
    return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s is damaged: its metadata cannot be read", name);
  return FLY_OK;
}

void fly_image_free(fly_image *image) {
  uint32_t i;
  for (i = 0; i < image->kernel_count; ++i) {
    free(image->kernels[i].name);
    free(image->kernels[i].parameters);
  }
  free(image->kernels);
  memset(image, 0, sizeof *image);
}
