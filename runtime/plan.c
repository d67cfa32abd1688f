/* The functions of fly/plan.h. A launch goes through the plan in one order: the function's own preconditions, extents,
 * alignments, the parts of the workspace, and then step by step the condition, the kernel's preconditions, sizes and
 * arguments. The first thing that is wrong ends it; steps are queued at the end, all at once. */
#include "plan.h"

#include <stdio.h>

enum { WORKSPACE_ALIGNMENT = 256, LABEL_BYTES = 512 };

typedef struct plan_launch {
  fly_plan_run run;
  const fly_plan_body *body;
  const fly_module *module;
  const char *function;
  int64_t *parts; /* where they begin */
  int64_t total;  /* bytes of workspace */
  uintptr_t workspace;
} plan_launch;

/* Whose fault it is: "layer.attend", with the name of a kernel "layer.attend: gemm". */
static const char *label_of(const plan_launch *launch, const char *kernel, char *text) {
  snprintf(text, LABEL_BYTES, "%s.%s%s%s", launch->module->name, launch->function, kernel ? ": " : "",
           kernel ? kernel : "");
  return text;
}

static fly_status refuse(plan_launch *launch, const char *kernel, uint32_t node, const char *text) {
  char label[LABEL_BYTES];
  return fly_plan_refuse(&launch->run, label_of(launch, kernel, label), node, text);
}

static const char *text_of(const plan_launch *launch, uint32_t text) {
  return text ? launch->run.plan->texts[text] : NULL;
}

/* Each list: its length, then its elements. */
static uint32_t list_of(const plan_launch *launch, uint32_t list, const uint32_t **elements) {
  *elements = launch->run.plan->lists + list + 1;
  return launch->run.plan->lists[list];
}

static fly_status check(plan_launch *launch, const char *kernel, uint32_t list) {
  const uint32_t *elements;
  const uint32_t count = list_of(launch, list, &elements);
  uint32_t i;
  for (i = 0; i < count; ++i) {
    const fly_plan_check *one = &launch->run.plan->checks[elements[i]];
    if (!fly_plan_holds(&launch->run, one->node) || launch->run.fault)
      return refuse(launch, kernel, one->node, text_of(launch, one->text));
  }
  return FLY_OK;
}

static const void *pointer_of(const plan_launch *launch, uint32_t parameter) {
  const void *pointer;
  memcpy(&pointer, launch->run.values[parameter], sizeof pointer);
  return pointer;
}

static fly_status check_alignments(plan_launch *launch) {
  const uint32_t *elements;
  const uint32_t count = list_of(launch, launch->body->alignments, &elements);
  uint32_t i;
  for (i = 0; i < count; i += 3)
    if ((uintptr_t)pointer_of(launch, elements[i]) % elements[i + 2] != 0)
      return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: `%s` must be aligned to %u bytes", launch->module->name,
                        launch->function, text_of(launch, elements[i + 1]), (unsigned)elements[i + 2]);
  return FLY_OK;
}

static fly_status place_parts(plan_launch *launch) {
  const uint32_t *elements;
  const uint32_t count = list_of(launch, launch->body->parts, &elements);
  uint32_t i;
  for (i = 0; i < count; ++i) {
    const fly_plan_part *part = &launch->run.plan->parts[elements[i]];
    const int64_t bytes = fly_plan_integer(&launch->run, part->node);
    if (launch->run.fault)
      return refuse(launch, NULL, part->node, NULL);
    launch->parts[i] = fly_expr_workspace(&launch->run.fault, &launch->total, bytes);
    if (launch->run.fault)
      return refuse(launch, NULL, part->node, text_of(launch, part->text));
  }
  return FLY_OK;
}

/* Checks what is needed for both functions: finds the body, asks the device. */
static fly_status begin(plan_launch *launch, fly_module *module, const fly_plan *plan, const char *function,
                        const void *const *values, const fly_plan_room *room, fly_stream stream) {
  uint32_t index = 0, place;
  fly_status status;
  if (plan->version != FLY_PLAN_VERSION)
    return fly_refuse(FLY_ERROR_ABI,
                      "%s.%s: the header's plan is of version %u, but this runtime knows version %u; use matching "
                      "versions",
                      module->name, function, (unsigned)plan->version, FLY_PLAN_VERSION);
  fly_plan_begin(&launch->run, plan, values, room);
  launch->module = module;
  launch->function = function;
  launch->parts = room->parts;
  launch->total = 0;
  launch->workspace = 0;
  status = fly_module_select(module, stream, &index);
  if (status == FLY_OK && plan->asks_device)
    status = fly_device_compute_units(&launch->run.compute_units);
  if (status != FLY_OK)
    return status;
  place = plan->places[index];
  if (place == FLY_PLAN_NOWHERE)
    return fly_refuse(FLY_ERROR_ARCHITECTURE, "%s: `%s` is not available for %s", module->name, function,
                      module->code_objects[index].architecture);
  launch->body = &plan->bodies[place];
  return FLY_OK;
}

/* --- Arguments --- */

/* Where the memory of an argument begins. */
static fly_status address_of(plan_launch *launch, const fly_plan_argument *argument, uintptr_t *address) {
  if (argument->from == FLY_PLAN_WORKSPACE)
    *address = launch->workspace + (uintptr_t)launch->parts[argument->value];
  else if (argument->from == FLY_PLAN_MEMBER)
    memcpy(address, (const char *)launch->run.values[argument->value] + argument->size, sizeof *address);
  else
    *address = (uintptr_t)pointer_of(launch, argument->value);
  if (!argument->node)
    return FLY_OK;
  *address += (uintptr_t)fly_plan_integer(&launch->run, argument->node);
  return launch->run.fault ? refuse(launch, NULL, argument->node, NULL) : FLY_OK;
}

/* Stores a number as a C compiler converts it. Integers lie in the low bytes: hosts are little-endian. */
static void store(unsigned char *to, const fly_plan_argument *argument, fly_value value, int is_float) {
  if (argument->type == FLY_PLAN_F32) {
    const float number = is_float ? (float)value.number : (float)value.integer;
    memcpy(to, &number, sizeof number);
  } else if (argument->type == FLY_PLAN_F64) {
    const double number = is_float ? value.number : (double)value.integer;
    memcpy(to, &number, sizeof number);
  } else {
    uint64_t bits = (uint64_t)value.integer;
    if (argument->type == FLY_PLAN_B8)
      bits = is_float ? value.number != 0 : value.integer != 0;
    else if (is_float)
      bits = argument->type == FLY_PLAN_U64 ? (uint64_t)value.number : (uint64_t)(int64_t)value.number;
    memcpy(to, &bits, argument->size);
  }
}

static fly_status check_memory(const plan_launch *launch, const fly_plan_argument *argument, const int64_t *grid,
                               fly_plan_run *run, const char *kernel) {
  const uint32_t *extents;
  const uint32_t count = list_of(launch, argument->node, &extents);
  uint32_t i;
  if (pointer_of(launch, argument->value) || !grid[0] || !grid[1] || !grid[2])
    return FLY_OK;
  for (i = 0; i < count; ++i)
    if (fly_plan_integer(run, extents[i]) == 0)
      return FLY_OK;
  return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: %s: `%s` is a null pointer", launch->module->name, launch->function,
                    kernel, text_of(launch, argument->size));
}

static fly_status put_argument(plan_launch *launch, const fly_plan_argument *argument, const int64_t *grid,
                               const char *kernel, unsigned char *block) {
  const fly_plan_run *run = &launch->run;
  unsigned char *to = block + argument->offset;
  switch (argument->from) {
  case FLY_PLAN_NEEDED: return check_memory(launch, argument, grid, &launch->run, kernel);
  case FLY_PLAN_VALUE: {
    const fly_value value = fly_plan_value(&launch->run, argument->node);
    if (run->fault)
      return refuse(launch, NULL, argument->node, NULL);
    store(to, argument, value, fly_plan_kind(run, argument->node) == FLY_PLAN_FLOAT);
    return FLY_OK;
  }
  case FLY_PLAN_BITS: memcpy(to, &argument->value, argument->size < 4 ? argument->size : 4); return FLY_OK;
  default: break;
  }
  if (argument->from == FLY_PLAN_WORKSPACE || argument->from == FLY_PLAN_MEMBER || argument->node) {
    uintptr_t address;
    const fly_status status = address_of(launch, argument, &address);
    memcpy(to, &address, sizeof address);
    return status;
  }
  memcpy(to, run->values[argument->value], argument->size);
  return FLY_OK;
}

/* --- Steps --- */

static fly_status make_filling(plan_launch *launch, const fly_plan_step *step, fly_step *made) {
  const uint32_t *arguments, *sizes;
  uintptr_t address = 0;
  fly_status status = check(launch, NULL, step->checks);
  list_of(launch, step->arguments, &arguments);
  list_of(launch, step->sizes, &sizes);
  if (status == FLY_OK)
    status = address_of(launch, &launch->run.plan->arguments[arguments[0]], &address);
  if (status != FLY_OK)
    return status;
  made->kernel = FLY_STEP_FILL;
  made->memory = (void *)address;
  made->memory_byte = (int)step->limit;
  made->memory_bytes = fly_plan_integer(&launch->run, sizes[0]);
  return launch->run.fault ? refuse(launch, NULL, sizes[0], NULL) : FLY_OK;
}

static fly_status make_launch(plan_launch *launch, const fly_plan_step *step, fly_step *made, unsigned char *block) {
  const char *kernel = text_of(launch, step->name);
  const uint32_t *arguments, *sizes;
  const uint32_t count = list_of(launch, step->arguments, &arguments);
  int64_t *const values[] = {&made->launch.grid[0],    &made->launch.block[0], &made->launch.grid[1],
                             &made->launch.block[1],   &made->launch.grid[2],  &made->launch.block[2],
                             &made->launch.dynamic_lds};
  uint32_t i;
  fly_status status = check(launch, kernel, step->checks);
  if (status != FLY_OK)
    return status;
  list_of(launch, step->sizes, &sizes);
  for (i = 0; i < sizeof values / sizeof values[0]; ++i) {
    *values[i] = fly_plan_integer(&launch->run, sizes[i]);
    if (launch->run.fault)
      return refuse(launch, kernel, sizes[i], NULL);
  }
  made->kernel = step->kernel;
  made->launch.max_workgroup_size = step->limit;
  made->launch.arguments = block;
  made->launch.argument_bytes = step->bytes;
  memset(block, 0, step->bytes);
  for (i = 0; i < count && status == FLY_OK; ++i)
    status = put_argument(launch, &launch->run.plan->arguments[arguments[i]], made->launch.grid, kernel, block);
  return status;
}

static fly_status make_steps(plan_launch *launch, const fly_plan_room *room, uint32_t *made) {
  const uint32_t *elements;
  const uint32_t count = list_of(launch, launch->body->steps, &elements);
  unsigned char *block = room->arguments;
  fly_status status = FLY_OK;
  uint32_t i;
  *made = 0;
  for (i = 0; i < count && status == FLY_OK; ++i) {
    const fly_plan_step *step = &launch->run.plan->steps[elements[i]];
    fly_step *next = &room->steps[*made];
    if (step->when) {
      const int holds = fly_plan_holds(&launch->run, step->when);
      if (launch->run.fault)
        return refuse(launch, NULL, step->when, NULL);
      if (!holds)
        continue;
    }
    status = step->kernel == FLY_STEP_FILL ? make_filling(launch, step, next) : make_launch(launch, step, next, block);
    block += (step->bytes + 7) / 8 * 8;
    ++*made;
  }
  return status;
}

fly_status fly_plan_workspace_bytes(fly_module *module, const fly_plan *plan, const char *function,
                                    const void *const *values, const fly_plan_room *room, size_t *bytes) {
  plan_launch launch;
  fly_status status = begin(&launch, module, plan, function, values, room, NULL);
  *bytes = 0;
  if (status == FLY_OK)
    status = check(&launch, NULL, launch.body->extents);
  if (status == FLY_OK)
    status = place_parts(&launch);
  if (status == FLY_OK)
    *bytes = (size_t)launch.total;
  return status;
}

fly_status fly_plan_launch(fly_module *module, const fly_plan *plan, const char *function, const void *const *values,
                           const fly_plan_room *room, void *workspace, fly_stream stream) {
  plan_launch launch;
  uint32_t count = 0;
  fly_status status = begin(&launch, module, plan, function, values, room, stream);
  if (status == FLY_OK)
    status = check(&launch, NULL, launch.body->checks);
  if (status == FLY_OK)
    status = check(&launch, NULL, launch.body->extents);
  if (status == FLY_OK)
    status = check_alignments(&launch);
  if (status == FLY_OK)
    status = place_parts(&launch);
  if (status != FLY_OK)
    return status;
  launch.workspace = (uintptr_t)workspace;
  if (launch.total > 0 && (!workspace || launch.workspace % WORKSPACE_ALIGNMENT != 0))
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: the workspace must be %lld bytes of device memory, aligned to %d",
                      module->name, function, (long long)launch.total, (int)WORKSPACE_ALIGNMENT);
  status = make_steps(&launch, room, &count);
  return status == FLY_OK ? fly_module_launch_function(module, function, room->steps, count, stream) : status;
}
