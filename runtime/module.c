/* Loading modules and launching their kernels.
 *
 * A generated header holds its own fly_module, so a program may have several copies of one (a translation unit
 * each). What is loaded is kept here, once for each (code, device), in a list; a module's `loaded[device]` points
 * into it. The way of a launch: current device, one acquire load, HIP's launch. Entries are never freed, so that a
 * pointer to one stays good after unloading; `hip_module` says whether it is loaded. */
#include "hip.h"
#include "output.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct loaded_module {
  uint64_t hash;
  const char *name;
  int device;
  uint32_t index;                   /* of the code object */
  uint32_t kernel_count;
  void *hip_module;                 /* NULL: not loaded */
  uint32_t *ring;                   /* what its kernels print, the host's view; NULL: nothing */
  uint64_t ring_variable;           /* the device's address of the variable that points to the ring */
  fly_output_image output;
  struct loaded_module *next;
  void *functions[];                /* one a kernel; NULL when this architecture lacks it */
} loaded_module;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static loaded_module *all_loaded;

enum { ELF_HEADER_BYTES = 64 };

/* HIP trusts the image's own sizes; what can be seen to be no code object is refused here. */
static fly_status check_image(const fly_module *module, const fly_code_object *object) {
  const unsigned char *b = object->bytes;
  uint64_t sections = 0, end;
  unsigned count, size, i;
  if (object->size < ELF_HEADER_BYTES || memcmp(b, "\177ELF\2\1", 6) != 0 || b[18] != 224 || b[19] != 0)
    return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s: the code for %s is damaged: not an AMDGPU code object", module->name,
                      object->architecture);
  for (i = 0; i < 8; ++i)
    sections |= (uint64_t)b[40 + i] << 8 * i;
  size = b[58] | (unsigned)b[59] << 8;
  count = b[60] | (unsigned)b[61] << 8;
  end = sections + (uint64_t)size * count;
  if (end < sections || end > object->size)
    return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s: the code for %s is truncated", module->name, object->architecture);
  return FLY_OK;
}

static fly_status find_code(const fly_module *module, const char *architecture, uint32_t *index) {
  char present[512] = "";
  size_t used = 0;
  uint32_t i;
  for (i = 0; i < module->code_object_count; ++i) {
    const char *name = module->code_objects[i].architecture;
    if (strcmp(name, architecture) == 0) {
      *index = i;
      return FLY_OK;
    }
    if (used + strlen(name) + 3 < sizeof present) {
      memcpy(present + used, i ? ", " : "", i ? 2 : 0);
      used += i ? 2 : 0;
      memcpy(present + used, name, strlen(name) + 1);
      used += strlen(name);
    }
  }
  return fly_refuse(FLY_ERROR_ARCHITECTURE, "%s: no code for %s; the module has code for %s", module->name,
                    architecture, present[0] ? present : "no architecture");
}

/* ---- output of kernels. With the lock held. */

static void write_output(void *context, const char *text, size_t bytes) { fwrite(text, 1, bytes, (FILE *)context); }

static void drain_output(loaded_module *entry) {
  if (!entry->ring)
    return;
  fly_output_drain(&entry->output, entry->ring_variable, entry->ring, write_output, stdout);
  fflush(stdout);
}

/* A module that prints gets host memory that the device writes to, so that the output of a kernel that stopped itself
 * can be read. Without it the kernels are silent. */
static void attach_output(const fly_hip *hip, loaded_module *entry, void *hip_module, const fly_code_object *object) {
  static int at_exit;
  void *variable = NULL, *ring = NULL, *device_ring = NULL;
  size_t bytes = 0;
  entry->ring = NULL;
  if (!hip->module_get_global || !hip->host_malloc || !hip->host_free || !hip->host_get_device_pointer ||
      !fly_output_find(object->bytes, object->size, &entry->output) ||
      hip->module_get_global(&variable, &bytes, hip_module, FLY_OUTPUT_SYMBOL) != 0 || bytes != sizeof device_ring ||
      hip->host_malloc(&ring, FLY_OUTPUT_RING_WORDS * sizeof(uint32_t), FLY_HIP_HOST_COHERENT) != 0)
    return;
  memset(ring, 0, FLY_OUTPUT_RING_WORDS * sizeof(uint32_t));
  fly_output_begin((uint32_t *)ring, FLY_OUTPUT_RING_WORDS);
  if (hip->host_get_device_pointer(&device_ring, ring, 0) != 0 ||
      hip->memcpy(variable, &device_ring, sizeof device_ring, FLY_HIP_HOST_TO_DEVICE) != 0) {
    hip->host_free(ring);
    return;
  }
  entry->ring = (uint32_t *)ring;
  entry->ring_variable = (uint64_t)(uintptr_t)variable;
  if (!at_exit)
    at_exit = atexit(fly_flush_output) == 0;
}

void fly_flush_output(void) {
  loaded_module *entry;
  pthread_mutex_lock(&lock);
  for (entry = all_loaded; entry; entry = entry->next)
    drain_output(entry);
  pthread_mutex_unlock(&lock);
}

/* With the lock held. */
static fly_status load(const fly_hip *hip, fly_module *module, int device, loaded_module **result) {
  loaded_module *entry;
  uint32_t index, i;
  int error;
  fly_status status = find_code(module, hip->architecture[device], &index);
  if (status != FLY_OK)
    return status;
  for (entry = all_loaded; entry; entry = entry->next)
    if (entry->hash == module->hash && entry->device == device && entry->kernel_count == module->kernel_count &&
        strcmp(entry->name, module->name) == 0)
      break;
  if (!entry) {
    entry = (loaded_module *)calloc(1, sizeof *entry + module->kernel_count * sizeof(void *));
    if (!entry)
      return fly_refuse(FLY_ERROR_MEMORY, "%s: out of memory", module->name);
    entry->hash = module->hash;
    entry->name = module->name;
    entry->device = device;
    entry->kernel_count = module->kernel_count;
    entry->next = all_loaded;
    all_loaded = entry;
  }
  *result = entry;
  if (entry->hip_module)
    return FLY_OK;
  status = check_image(module, &module->code_objects[index]);
  if (status != FLY_OK)
    return status;
  {
    void *hip_module = NULL;
    error = hip->module_load_data(&hip_module, module->code_objects[index].bytes);
    if (error)
      return fly_hip_failed(hip, FLY_ERROR_CODE_OBJECT, module->name, error);
    for (i = 0; i < module->kernel_count; ++i) {
      entry->functions[i] = NULL;
      if (hip->module_get_function(&entry->functions[i], hip_module, module->kernels[i]) != 0)
        entry->functions[i] = NULL;
    }
    attach_output(hip, entry, hip_module, &module->code_objects[index]);
    entry->index = index;
    __atomic_store_n(&entry->hip_module, hip_module, __ATOMIC_RELEASE);
  }
  return FLY_OK;
}

static fly_status get_loaded(fly_module *module, const fly_hip **hip, loaded_module **entry) {
  int device = 0, error;
  fly_status status;
  if (module->abi != FLY_ABI_VERSION)
    return fly_refuse(FLY_ERROR_ABI, "the module's header was made for version %u of the runtime's interface, this is "
                      "version %u; compile with matching ones", (unsigned)module->abi, FLY_ABI_VERSION);
  status = fly_hip_open(hip);
  if (status != FLY_OK)
    return status;
  error = (*hip)->get_device(&device);
  if (error)
    return fly_hip_failed(*hip, FLY_ERROR_HIP, "current device", error);
  if (device < 0 || device >= (*hip)->device_count)
    return fly_refuse(FLY_ERROR_NO_DEVICE, "device %d is beyond the %d this runtime knows", device,
                      (*hip)->device_count);
  *entry = (loaded_module *)__atomic_load_n(&module->loaded[device], __ATOMIC_ACQUIRE);
  if (*entry && __atomic_load_n(&(*entry)->hip_module, __ATOMIC_ACQUIRE))
    return FLY_OK;
  pthread_mutex_lock(&lock);
  status = load(*hip, module, device, entry);
  if (status == FLY_OK)
    __atomic_store_n(&module->loaded[device], (void *)*entry, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  return status;
}

fly_status fly_module_select(fly_module *module, uint32_t *index) {
  const fly_hip *hip;
  loaded_module *entry;
  fly_status status = get_loaded(module, &hip, &entry);
  if (status == FLY_OK)
    *index = entry->index;
  return status;
}

/* Sizes that HIP takes: blocks up to the kernel's limit, threads of the grid below 2^32 in each dimension. */
static fly_status check_sizes(const char *module, const char *kernel, const fly_launch *launch) {
  static const char axes[] = "xyz";
  int64_t threads = 1;
  int i;
  for (i = 0; i < 3; ++i) {
    if (launch->block[i] < 1 || launch->block[i] > 1024)
      return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: block.%c is %lld, must be 1 to 1024", module, kernel, axes[i],
                        (long long)launch->block[i]);
    if (launch->grid[i] < 0 || launch->grid[i] > INT32_MAX)
      return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: grid.%c is %lld, must be 0 to %d", module, kernel, axes[i],
                        (long long)launch->grid[i], INT32_MAX);
    if (launch->grid[i] * launch->block[i] > (int64_t)UINT32_MAX)
      return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: %lld workgroups of %lld threads in %c; must be fewer than 2^32 "
                        "threads", module, kernel, (long long)launch->grid[i], (long long)launch->block[i], axes[i]);
    threads *= launch->block[i];
  }
  if (threads > launch->max_workgroup_size)
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: a workgroup of %lld threads; the kernel was compiled for at most %u",
                      module, kernel, (long long)threads, (unsigned)launch->max_workgroup_size);
  if (launch->dynamic_lds < 0 || launch->dynamic_lds > INT32_MAX)
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: %lld bytes of dynamic LDS", module, kernel,
                      (long long)launch->dynamic_lds);
  return FLY_OK;
}

static fly_status check_launch(const fly_module *module, const loaded_module *entry, uint32_t kernel,
                               const fly_launch *launch) {
  if (kernel >= module->kernel_count)
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s: it has no kernel %u", module->name, (unsigned)kernel);
  if (!entry->functions[kernel])
    return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s: the code for %s has no kernel `%s`", module->name,
                      module->code_objects[entry->index].architecture, module->kernels[kernel]);
  return check_sizes(module->name, module->kernels[kernel], launch);
}

/* A launch that was checked. */
static fly_status queue(const fly_hip *hip, const fly_module *module, const loaded_module *entry, uint32_t kernel,
                        const fly_launch *launch, fly_stream stream) {
  size_t bytes = launch->argument_bytes;
  void *extra[5];
  int error;
  if (launch->grid[0] == 0 || launch->grid[1] == 0 || launch->grid[2] == 0)
    return FLY_OK;
  extra[0] = FLY_HIP_ARGUMENT_BUFFER;
  extra[1] = (void *)(uintptr_t)launch->arguments;
  extra[2] = FLY_HIP_ARGUMENT_SIZE;
  extra[3] = &bytes;
  extra[4] = FLY_HIP_ARGUMENT_END;
  error = hip->module_launch_kernel(entry->functions[kernel], (unsigned)launch->grid[0], (unsigned)launch->grid[1],
                                    (unsigned)launch->grid[2], (unsigned)launch->block[0], (unsigned)launch->block[1],
                                    (unsigned)launch->block[2], (unsigned)launch->dynamic_lds, stream, NULL, extra);
  if (error)
    return fly_hip_failed(hip, FLY_ERROR_LAUNCH, module->kernels[kernel], error);
  return FLY_OK;
}

fly_status fly_module_launch(fly_module *module, uint32_t kernel, const fly_launch *launch, fly_stream stream) {
  const fly_hip *hip;
  loaded_module *entry;
  fly_status status = get_loaded(module, &hip, &entry);
  if (status == FLY_OK)
    status = check_launch(module, entry, kernel, launch);
  return status == FLY_OK ? queue(hip, module, entry, kernel, launch, stream) : status;
}

fly_status fly_module_launch_steps(fly_module *module, const fly_step *steps, uint32_t count, fly_stream stream) {
  const fly_hip *hip;
  loaded_module *entry;
  uint32_t i;
  fly_status status = get_loaded(module, &hip, &entry);
  for (i = 0; i < count && status == FLY_OK; ++i)
    if (steps[i].kernel != FLY_STEP_ZERO)
      status = check_launch(module, entry, steps[i].kernel, &steps[i].launch);
  for (i = 0; i < count && status == FLY_OK; ++i) {
    int error;
    if (steps[i].kernel != FLY_STEP_ZERO) {
      status = queue(hip, module, entry, steps[i].kernel, &steps[i].launch, stream);
      continue;
    }
    error = steps[i].memory_bytes > 0 ? hip->memset_async(steps[i].memory, 0, (size_t)steps[i].memory_bytes, stream) : 0;
    if (error)
      status = fly_hip_failed(hip, FLY_ERROR_LAUNCH, module->name, error);
  }
  return status;
}

fly_status fly_module_unload(fly_module *module) {
  const fly_hip *hip;
  loaded_module *entry;
  int current = 0, error = 0;
  fly_status status = fly_hip_open(&hip);
  if (status != FLY_OK)
    return status;
  pthread_mutex_lock(&lock);
  hip->get_device(&current);
  for (entry = all_loaded; entry; entry = entry->next) {
    void *hip_module = entry->hip_module;
    if (!hip_module || entry->hash != module->hash || strcmp(entry->name, module->name) != 0)
      continue;
    __atomic_store_n(&entry->hip_module, NULL, __ATOMIC_RELEASE);
    hip->set_device(entry->device);
    drain_output(entry);
    if (entry->ring)
      hip->host_free(entry->ring);
    entry->ring = NULL;
    if (error == 0)
      error = hip->module_unload(hip_module);
    else
      hip->module_unload(hip_module);
  }
  hip->set_device(current);
  pthread_mutex_unlock(&lock);
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, module->name, error) : FLY_OK;
}
