/* Code objects without a header: opened from a file or memory, launched with arguments that are compared with the
 * metadata. See fly/runtime.h. */
#include "image.h"
#include "loaded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct fly_kernel {
  const fly_object *object;
  const fly_image_kernel *image;
  uint32_t index;
};

struct fly_object {
  char *name; /* for texts: the file's */
  unsigned char *bytes;
  fly_image image;
  fly_kernel *kernels;
  fly_loaded *entry;
};

static void free_object(fly_object *object) {
  fly_image_free(&object->image);
  free(object->kernels);
  free(object->bytes);
  free(object->name);
  free(object);
}

/* Its bytes are there; loads them. */
static fly_status load(fly_object *object, size_t size) {
  const fly_hip *hip;
  const char **names;
  int device = 0;
  uint32_t i;
  fly_status status = fly_image_read(object->name, object->bytes, size, &object->image);
  if (status == FLY_OK)
    status = fly_hip_open(&hip);
  if (status == FLY_OK)
    status = fly_current_device(hip, &device);
  if (status != FLY_OK)
    return status;
  if (object->image.architecture && strcmp(object->image.architecture, hip->architecture[device]) != 0)
    return fly_refuse(FLY_ERROR_ARCHITECTURE, "%s: it is for %s, but the device is %s", object->name,
                      object->image.architecture, hip->architecture[device]);
  names = (const char **)calloc(object->image.kernel_count + 1, sizeof *names);
  object->kernels = (fly_kernel *)calloc(object->image.kernel_count + 1, sizeof *object->kernels);
  if (!names || !object->kernels) {
    free(names);
    return fly_refuse(FLY_ERROR_MEMORY, "%s: out of memory", object->name);
  }
  for (i = 0; i < object->image.kernel_count; ++i) {
    names[i] = object->image.kernels[i].name;
    object->kernels[i].object = object;
    object->kernels[i].image = &object->image.kernels[i];
    object->kernels[i].index = i;
  }
  fly_loaded_lock();
  object->entry = fly_loaded_add(object->name, 0, device, object->image.kernel_count);
  status = !object->entry ? fly_refuse(FLY_ERROR_MEMORY, "%s: out of memory", object->name)
                          : fly_loaded_load(hip, object->entry, object->bytes, size, names);
  if (status != FLY_OK && object->entry) {
    fly_loaded_remove(object->entry);
    object->entry = NULL;
  }
  fly_loaded_unlock();
  free(names);
  return status;
}

/* Takes the bytes. */
static fly_status open_bytes(fly_object **result, const char *name, unsigned char *bytes, size_t size) {
  fly_object *object = (fly_object *)calloc(1, sizeof *object);
  fly_status status;
  if (object) {
    object->bytes = bytes;
    object->name = (char *)malloc(strlen(name) + 1);
  }
  if (!object || !object->name) {
    free(bytes);
    free(object);
    return fly_refuse(FLY_ERROR_MEMORY, "%s: out of memory", name);
  }
  strcpy(object->name, name);
  status = load(object, size);
  if (status == FLY_OK)
    *result = object;
  else
    free_object(object);
  return status;
}

fly_status fly_object_open_memory(fly_object **object, const void *bytes, size_t size) {
  unsigned char *copy;
  *object = NULL;
  if (!bytes)
    return fly_refuse(FLY_ERROR_ARGUMENT, "fly_object_open_memory: no bytes");
  copy = (unsigned char *)malloc(size + 1);
  if (!copy)
    return fly_refuse(FLY_ERROR_MEMORY, "fly_object_open_memory: out of memory");
  memcpy(copy, bytes, size);
  return open_bytes(object, "the code object", copy, size);
}

fly_status fly_object_open(fly_object **object, const char *path) {
  unsigned char *bytes = NULL;
  size_t used = 0, room = 0;
  FILE *file;
  *object = NULL;
  if (!path)
    return fly_refuse(FLY_ERROR_ARGUMENT, "fly_object_open: no path");
  file = fopen(path, "rb");
  if (!file)
    return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s: %s", path, strerror(errno));
  for (;;) { /* until the end: what is not a regular file has no size */
    size_t got;
    if (used == room) {
      unsigned char *more = (unsigned char *)realloc(bytes, room = room ? 2 * room : 1 << 16);
      if (!more) {
        free(bytes);
        fclose(file);
        return fly_refuse(FLY_ERROR_MEMORY, "%s: out of memory", path);
      }
      bytes = more;
    }
    got = fread(bytes + used, 1, room - used, file);
    if (got == 0)
      break;
    used += got;
  }
  if (ferror(file)) {
    free(bytes);
    fclose(file);
    return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s: cannot be read", path);
  }
  fclose(file);
  return open_bytes(object, path, bytes, used);
}

fly_status fly_object_close(fly_object *object) {
  const fly_hip *hip;
  fly_status status;
  if (!object)
    return FLY_OK;
  status = fly_hip_open(&hip);
  if (status != FLY_OK)
    return status;
  fly_loaded_lock();
  status = fly_loaded_may_unload(hip, object->entry);
  if (status == FLY_OK)
    status = fly_loaded_unload(hip, object->entry);
  if (status != FLY_ERROR_CAPTURE)
    fly_loaded_remove(object->entry);
  fly_loaded_unlock();
  if (status != FLY_ERROR_CAPTURE)
    free_object(object);
  return status;
}

uint32_t fly_object_kernel_count(const fly_object *object) { return object->image.kernel_count; }

const char *fly_object_kernel_name(const fly_object *object, uint32_t index) {
  return index < object->image.kernel_count ? object->image.kernels[index].name : NULL;
}

fly_status fly_object_kernel(const fly_object *object, const char *name, const fly_kernel **kernel) {
  char present[1024] = "";
  size_t used = 0;
  uint32_t i;
  *kernel = NULL;
  for (i = 0; i < object->image.kernel_count; ++i) {
    const char *each = object->image.kernels[i].name;
    if (name && strcmp(each, name) == 0) {
      if (!object->entry->functions[i])
        return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s: HIP cannot find its kernel `%s`", object->name, name);
      *kernel = &object->kernels[i];
      return FLY_OK;
    }
    if (used + strlen(each) + 3 < sizeof present)
      used += (size_t)snprintf(present + used, sizeof present - used, "%s%s", used ? ", " : "", each);
  }
  return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s: no kernel `%s`; it has %s", object->name, name ? name : "",
                    used ? present : "none");
}

uint32_t fly_kernel_parameter_count(const fly_kernel *kernel) { return kernel->image->parameter_count; }

fly_status fly_kernel_parameter(const fly_kernel *kernel, uint32_t index, fly_parameter *parameter) {
  if (index >= kernel->image->parameter_count)
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s: it has %u parameters", kernel->image->name,
                      (unsigned)kernel->image->parameter_count);
  *parameter = kernel->image->parameters[index];
  return FLY_OK;
}

fly_status fly_kernel_launch(const fly_kernel *kernel, const fly_launch *launch, fly_stream stream) {
  const fly_object *object = kernel->object;
  const fly_image_kernel *image = kernel->image;
  fly_launch checked = *launch;
  const fly_place place = {object->name, image->name, NULL, 0, 0};
  const fly_hip *hip;
  int device = 0;
  fly_status status = fly_hip_open(&hip);
  if (status == FLY_OK)
    status = fly_current_device(hip, &device);
  if (status != FLY_OK)
    return status;
  if (device != object->entry->device)
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s: opened on device %d, but the current device is %d", object->name,
                      object->entry->device, device);
  if (launch->argument_bytes != image->argument_bytes)
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: it takes %u bytes of arguments, not %llu", object->name, image->name,
                      (unsigned)image->argument_bytes, (unsigned long long)launch->argument_bytes);
  if (launch->argument_bytes && !launch->arguments)
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: no arguments", object->name, image->name);
  if (!checked.max_workgroup_size || checked.max_workgroup_size > image->max_workgroup_size)
    checked.max_workgroup_size = image->max_workgroup_size;
  status = fly_check_sizes(&place, &checked);
  if (status == FLY_OK && image->required_block[0] &&
      (launch->block[0] != image->required_block[0] || launch->block[1] != image->required_block[1] ||
       launch->block[2] != image->required_block[2]))
    return fly_refuse(FLY_ERROR_ARGUMENT,
                      "%s.%s: a block of %lld x %lld x %lld; the kernel was compiled for %u x %u x %u", object->name,
                      image->name, (long long)launch->block[0], (long long)launch->block[1],
                      (long long)launch->block[2], (unsigned)image->required_block[0],
                      (unsigned)image->required_block[1], (unsigned)image->required_block[2]);
  if (status == FLY_OK)
    status = fly_loaded_note_capture(hip, object->entry, stream);
  return status == FLY_OK ? fly_queue(hip, object->entry, kernel->index, &place, &checked, stream) : status;
}

fly_status fly_kernel_launch_values(const fly_kernel *kernel, const fly_launch *launch, fly_stream stream,
                                    uint32_t count, const void *const *values, const size_t *sizes) {
  const fly_image_kernel *image = kernel->image;
  union {
    uint64_t alignment;
    unsigned char bytes[FLY_MAX_ARGUMENT_BYTES];
  } block;
  fly_launch filled = *launch;
  uint32_t i;
  if (count != image->parameter_count)
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: it takes %u arguments, not %u", kernel->object->name, image->name,
                      (unsigned)image->parameter_count, (unsigned)count);
  if (image->argument_bytes > sizeof block.bytes)
    return fly_refuse(FLY_ERROR_ARGUMENT,
                      "%s.%s: %u bytes of arguments are too many; lay them out and call fly_kernel_launch",
                      kernel->object->name, image->name, (unsigned)image->argument_bytes);
  memset(block.bytes, 0, image->argument_bytes);
  for (i = 0; i < count; ++i) {
    const fly_parameter *p = &image->parameters[i];
    if (sizes[i] != p->size)
      return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: argument %u has %u bytes, not %llu", kernel->object->name,
                        image->name, (unsigned)i, (unsigned)p->size, (unsigned long long)sizes[i]);
    if (!values[i])
      return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: argument %u is missing", kernel->object->name, image->name,
                        (unsigned)i);
    memcpy(block.bytes + p->offset, values[i], p->size);
  }
  filled.arguments = block.bytes;
  filled.argument_bytes = image->argument_bytes;
  return fly_kernel_launch(kernel, &filled, stream);
}
