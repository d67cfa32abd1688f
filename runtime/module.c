/* Modules of generated headers.
 *
 * A header holds its own fly_module, so a program may have several copies of one (a translation unit each). What is
 * loaded is kept in one list (loaded.c), once for each (code, device); a module's `loaded[device]` points into it. The
 * way of a launch: current device, one acquire load, HIP's launch. Entries are never freed, so that a pointer to one
 * stays good after unloading. */
#include "image.h"
#include "loaded.h"
#include "trace.h"

#include <stdio.h>

static fly_status check_abi(const fly_module *module) {
  if (module->abi == FLY_ABI_VERSION)
    return FLY_OK;
  return fly_refuse(FLY_ERROR_ABI,
                    "the module's header was generated for version %u of the runtime's interface, but this is "
                    "version %u; use matching versions",
                    (unsigned)module->abi, FLY_ABI_VERSION);
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

/* With the lock held. */
static fly_status load(const fly_hip *hip, fly_module *module, int device, fly_loaded **result) {
  char what[256];
  const char *architecture = NULL;
  const fly_code_object *code;
  fly_loaded *entry;
  uint32_t index;
  fly_status status = find_code(module, hip->architecture[device], &index);
  if (status != FLY_OK)
    return status;
  entry = fly_loaded_find(module->name, module->hash, device, module->kernel_count);
  if (!entry)
    entry = fly_loaded_add(module->name, module->hash, device, module->kernel_count);
  if (!entry)
    return fly_refuse(FLY_ERROR_MEMORY, "%s: out of memory", module->name);
  *result = entry;
  if (entry->hip_module)
    return FLY_OK;
  code = &module->code_objects[index];
  snprintf(what, sizeof what, "%s: the code for %s", module->name, code->architecture);
  status = fly_image_check(what, code->bytes, code->size, &architecture);
  if (status == FLY_OK && architecture && strcmp(architecture, code->architecture) != 0)
    status = fly_refuse(FLY_ERROR_CODE_OBJECT, "%s is damaged: it is for %s", what, architecture);
  entry->index = index;
  return status == FLY_OK ? fly_loaded_load(hip, entry, code->bytes, code->size, module->kernels) : status;
}

/* The module on the current device, taken. While its stream is captured nothing is loaded: HIP would allocate and wait.
 * */
static fly_status take(fly_module *module, const fly_hip **hip, fly_loaded **entry, fly_stream stream) {
  unsigned long long id = 0;
  int device = 0;
  fly_status status = check_abi(module);
  if (status == FLY_OK)
    status = fly_hip_open(hip);
  if (status == FLY_OK)
    status = fly_current_device(*hip, &device);
  if (status != FLY_OK)
    return status;
  for (;;) {
    *entry = (fly_loaded *)__atomic_load_n(&module->loaded[device], __ATOMIC_ACQUIRE);
    if (*entry && fly_loaded_take(*entry))
      return FLY_OK;
    if (fly_is_captured(*hip, stream, &id))
      return fly_refuse(FLY_ERROR_CAPTURE,
                        "%s: not loaded on this device yet, and cannot be loaded while the stream is being "
                        "captured; call fly_module_load before",
                        module->name);
    fly_loaded_lock();
    status = load(*hip, module, device, entry);
    if (status == FLY_OK)
      __atomic_store_n(&module->loaded[device], (void *)*entry, __ATOMIC_RELEASE);
    fly_loaded_unlock();
    if (status != FLY_OK)
      return status;
  }
}

fly_status fly_module_select(fly_module *module, fly_stream stream, uint32_t *index) {
  const fly_hip *hip;
  fly_loaded *entry;
  fly_status status = take(module, &hip, &entry, stream);
  if (status != FLY_OK)
    return status;
  *index = entry->index;
  fly_loaded_give(entry);
  return FLY_OK;
}

fly_status fly_module_load(fly_module *module) {
  uint32_t index;
  return fly_module_select(module, NULL, &index);
}

fly_status fly_module_load_all(fly_module *module) {
  int count = 0, current = 0, device;
  fly_status status = fly_device_count(&count), restored;
  if (status == FLY_OK)
    status = fly_get_device(&current);
  for (device = 0; status == FLY_OK && device < count; ++device) {
    status = fly_set_device(device);
    if (status == FLY_OK)
      status = fly_module_load(module);
  }
  if (count == 0)
    return status;
  restored = fly_set_device(current);
  return status != FLY_OK ? status : restored;
}

/* Completes `place`. */
static fly_status check_launch(const fly_module *module, const fly_loaded *entry, uint32_t kernel,
                               const fly_launch *launch, fly_place *place) {
  if (kernel >= module->kernel_count)
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s: it has no kernel %u", module->name, (unsigned)kernel);
  place->kernel = module->kernels[kernel];
  if (!entry->functions[kernel])
    return fly_refuse(FLY_ERROR_CODE_OBJECT, "%s: the code for %s has no kernel `%s`", module->name,
                      module->code_objects[entry->index].architecture, module->kernels[kernel]);
  return fly_check_sizes(place, launch);
}

fly_status fly_module_launch(fly_module *module, uint32_t kernel, const fly_launch *launch, fly_stream stream) {
  const fly_hip *hip;
  fly_loaded *entry;
  fly_place place = {module->name, NULL, NULL, 0, 0};
  fly_status status = take(module, &hip, &entry, stream);
  if (status != FLY_OK)
    return status;
  status = check_launch(module, entry, kernel, launch, &place);
  if (status == FLY_OK)
    status = fly_loaded_note_capture(hip, entry, stream);
  if (status == FLY_OK)
    status = fly_queue(hip, entry, kernel, &place, launch, stream);
  fly_loaded_give(entry);
  return status;
}

/* The place of a step. A kernel of its own that is launched as a single step is no step. */
static fly_place place_of(const fly_module *module, const char *function, const fly_step *steps, uint32_t count,
                          uint32_t index) {
  const uint32_t kernel = steps[index].kernel;
  fly_place place = {module->name, kernel < module->kernel_count ? module->kernels[kernel] : NULL, function, index + 1,
                     count};
  if (count == 1 && place.kernel && (!function || strcmp(function, place.kernel) == 0)) {
    place.function = NULL;
    place.step = place.steps = 0;
  }
  return place;
}

fly_status fly_module_launch_function(fly_module *module, const char *function, const fly_step *steps, uint32_t count,
                                      fly_stream stream) {
  const fly_hip *hip;
  fly_loaded *entry;
  fly_traced traced;
  uint32_t i;
  fly_status status = take(module, &hip, &entry, stream);
  if (status != FLY_OK)
    return status;
  for (i = 0; i < count && status == FLY_OK; ++i)
    if (steps[i].kernel != FLY_STEP_FILL) {
      fly_place place = place_of(module, function, steps, count, i);
      status = check_launch(module, entry, steps[i].kernel, &steps[i].launch, &place);
    }
  if (status == FLY_OK)
    status = fly_loaded_note_capture(hip, entry, stream);
  traced.record = NULL;
  if (FLY_IS_TRACING && count && place_of(module, function, steps, count, 0).step)
    fly_trace_function(&traced, module->name, function, count, stream);
  for (i = 0; i < count && status == FLY_OK; ++i) {
    const fly_step *step = &steps[i];
    fly_place place = place_of(module, function, steps, count, i);
    status = step->kernel == FLY_STEP_FILL
                 ? fly_queue_fill(hip, &place, step->memory, step->memory_byte, step->memory_bytes, stream)
                 : fly_queue(hip, entry, step->kernel, &place, &step->launch, stream);
  }
  if (FLY_IS_TRACING)
    fly_trace_end(&traced, status);
  fly_loaded_give(entry);
  return status;
}

fly_status fly_module_launch_steps(fly_module *module, const fly_step *steps, uint32_t count, fly_stream stream) {
  return fly_module_launch_function(module, NULL, steps, count, stream);
}

fly_status fly_module_unload(fly_module *module) {
  const fly_hip *hip;
  fly_loaded *entry;
  int device;
  fly_status status = check_abi(module);
  if (status == FLY_OK)
    status = fly_hip_open(&hip);
  if (status != FLY_OK)
    return status;
  fly_loaded_lock();
  for (device = 0; device < hip->device_count && status == FLY_OK; ++device) {
    entry = fly_loaded_find(module->name, module->hash, device, module->kernel_count);
    if (entry && entry->hip_module)
      status = fly_loaded_may_unload(hip, entry);
  }
  for (device = 0; device < hip->device_count && status == FLY_OK; ++device) {
    entry = fly_loaded_find(module->name, module->hash, device, module->kernel_count);
    if (entry && entry->hip_module)
      status = fly_loaded_unload(hip, entry);
  }
  fly_loaded_unlock();
  return status;
}
