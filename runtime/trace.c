/* Records of calls and what becomes of them. See trace.h, trace_records.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "image.h"
#include "trace_records.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  REBASE_TIME = 50 * 1000 * 1000, /* HIP gives times as float milliseconds: nanoseconds need a base that is near */
  WRITE_TIME = 1000 * 1000 * 1000,
  EXIT_SECONDS = 10
};

int fly_tracing;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fly_trace_record *first, **last = &first; /* launches that are not known to be complete, in their order */
static uint64_t ids;
static const fly_hip *opened;

void fly_trace_stop(void) { __atomic_store_n(&fly_tracing, 0, __ATOMIC_RELAXED); }
void fly_trace_lock(void) { pthread_mutex_lock(&lock); }
void fly_trace_unlock(void) { pthread_mutex_unlock(&lock); }

static void finish(void);

/* ---- records */

fly_trace_record *fly_trace_record_new(const fly_hip *hip, const char *category, fly_stream stream, int has_track) {
  fly_trace_record *record = (fly_trace_record *)calloc(1, sizeof *record);
  int device = 0;
  if (!record)
    return NULL;
  record->category = category;
  record->stream = stream;
  record->thread = (int)syscall(SYS_gettid);
  if (hip && has_track && hip->get_device(&device) == 0 && device >= 0 && device < FLY_MAX_DEVICES) {
    opened = hip;
    if (!fly_trace_device_of(device)->state) {
      static int at_exit;
      fly_trace_open_device(hip, device);
      if (!at_exit) /* not before the library has streams, so that this runs before what ends them */
        at_exit = atexit(finish) == 0;
    }
    record->device = device;
    record->track = fly_trace_track_of(device, stream);
  }
  return record;
}

void fly_trace_record_free(fly_trace_record *record) {
  fly_text_free(&record->name);
  fly_text_free(&record->arguments);
  free(record);
}

void fly_trace_begin(fly_traced *traced, const fly_hip *hip, fly_trace_record *record) {
  unsigned long long capture = 0;
  traced->hip = hip;
  traced->record = record;
  if (record && record->track) {
    if (fly_is_captured(hip, record->stream, &capture)) {
      record->is_node = 1;
      record->graph = fly_trace_graph_of(capture);
      fly_trace_node_begin(hip, record);
    } else {
      if (fly_trace_is_launch(record))
        fly_text_add(&record->arguments, ", \"launch\": %llu", (unsigned long long)++record->track->launches);
      if (record->graph)
        fly_trace_graph_started(record);
      record->begin = fly_trace_event(hip, record->device);
      record->end = fly_trace_event(hip, record->device);
      record->is_recorded =
          record->begin && record->end && hip->launch_between && strcmp(record->category, "kernel") == 0;
      if (record->begin && record->end && !record->is_recorded)
        hip->event_record(record->begin, record->stream);
    }
  }
  if (record)
    record->called = fly_trace_now();
  fly_trace_unlock();
}

int fly_trace_launch_between(fly_traced *traced, void *function, const fly_launch *launch, void **extra,
                             fly_stream stream, int *error) {
  const fly_trace_record *record = traced->record;
  if (!record || !record->is_recorded)
    return 0;
  *error = traced->hip->launch_between(
      function, (uint32_t)(launch->grid[0] * launch->block[0]), (uint32_t)(launch->grid[1] * launch->block[1]),
      (uint32_t)(launch->grid[2] * launch->block[2]), (uint32_t)launch->block[0], (uint32_t)launch->block[1],
      (uint32_t)launch->block[2], (size_t)launch->dynamic_lds, stream, NULL, extra, record->begin, record->end, 0);
  return 1;
}

/* Bytes from each pointer that the kernel takes to the end of its allocation, each allocation once. */
static int64_t tensor_bytes(const fly_hip *hip, const fly_loaded *entry, const char *kernel, const fly_launch *launch) {
  enum { MOST = 64 };
  const fly_image *image = entry->image;
  struct {
    char *begin, *from;
    size_t bytes;
  } seen[MOST];
  unsigned count = 0, j;
  int64_t sum = 0;
  uint32_t k, i;
  if (!image || !hip->get_address_range || !launch->arguments)
    return -1;
  for (k = 0; k < image->kernel_count && strcmp(image->kernels[k].name, kernel) != 0;)
    ++k;
  if (k == image->kernel_count)
    return -1;
  for (i = 0; i < image->kernels[k].parameter_count; ++i) {
    const fly_parameter *parameter = &image->kernels[k].parameters[i];
    char *pointer, *start;
    size_t bytes;
    if (strcmp(parameter->kind, "global_buffer") != 0 || parameter->size != sizeof pointer ||
        parameter->offset + sizeof pointer > launch->argument_bytes)
      continue;
    memcpy(&pointer, (const char *)launch->arguments + parameter->offset, sizeof pointer);
    if (!pointer || hip->get_address_range((void **)&start, &bytes, pointer) != 0)
      continue;
    for (j = 0; j < count && seen[j].begin != start;)
      ++j;
    if (j == count) {
      if (count == MOST)
        return -1;
      seen[count].begin = seen[count].from = start;
      seen[count].from = pointer;
      seen[count++].bytes = bytes;
    } else if (pointer < seen[j].from) {
      seen[j].from = pointer;
    }
  }
  for (j = 0; j < count; ++j)
    sum += (int64_t)(seen[j].bytes - (size_t)(seen[j].from - seen[j].begin));
  return sum;
}

static void tell_place(fly_text *arguments, const fly_place *place) {
  fly_text_add(arguments, ", \"module\": ");
  fly_text_string(arguments, place->module);
  if (place->function) {
    fly_text_add(arguments, ", \"function\": ");
    fly_text_string(arguments, place->function);
  }
  if (place->step)
    fly_text_add(arguments, ", \"step\": %u, \"steps\": %u", (unsigned)place->step, (unsigned)place->steps);
}

void fly_trace_launch(fly_traced *traced, const fly_hip *hip, const fly_loaded *entry, const fly_place *place,
                      const fly_launch *launch, fly_stream stream) {
  fly_trace_record *record;
  int64_t bytes = tensor_bytes(hip, entry, place->kernel, launch);
  fly_trace_lock();
  record = fly_trace_record_new(hip, "kernel", stream, 1);
  if (record) {
    fly_text_string(&record->name, place->kernel);
    tell_place(&record->arguments, place);
    fly_text_add(&record->arguments, ", \"grid\": [%lld, %lld, %lld], \"block\": [%lld, %lld, %lld]",
                 (long long)launch->grid[0], (long long)launch->grid[1], (long long)launch->grid[2],
                 (long long)launch->block[0], (long long)launch->block[1], (long long)launch->block[2]);
    fly_text_add(&record->arguments, ", \"dynamic_lds\": %lld, \"argument_bytes\": %llu",
                 (long long)launch->dynamic_lds, (unsigned long long)launch->argument_bytes);
    if (bytes >= 0)
      fly_text_add(&record->arguments, ", \"tensor_bytes\": %lld", (long long)bytes);
  }
  fly_trace_begin(traced, hip, record);
}

void fly_trace_operation(fly_traced *traced, const fly_hip *hip, const char *category, const fly_place *place,
                         const char *name, int64_t bytes, fly_stream stream) {
  fly_trace_record *record;
  fly_trace_lock();
  record = fly_trace_record_new(hip, category, stream, 1);
  if (record) {
    fly_text_string(&record->name, name);
    if (place)
      tell_place(&record->arguments, place);
    fly_text_add(&record->arguments, ", \"bytes\": %lld", (long long)bytes);
  }
  fly_trace_begin(traced, hip, record);
}

void fly_trace_function(fly_traced *traced, const char *module, const char *function, uint32_t steps,
                        fly_stream stream) {
  fly_trace_record *record;
  char name[FLY_PLACE_BYTES];
  fly_trace_lock();
  record = fly_trace_record_new(NULL, "function", stream, 0);
  if (record) {
    snprintf(name, sizeof name, "%s%s%s", module, function ? "." : "", function ? function : "");
    fly_text_string(&record->name, name);
    fly_text_add(&record->arguments, ", \"steps\": %u", (unsigned)steps);
  }
  fly_trace_begin(traced, NULL, record);
}

void fly_trace_wait(fly_traced *traced, const fly_hip *hip, const char *name) {
  fly_trace_record *record;
  fly_trace_lock();
  record = fly_trace_record_new(NULL, "wait", NULL, 0);
  if (record) {
    fly_text_string(&record->name, name);
    record->is_waiting = 1;
  }
  fly_trace_begin(traced, hip, record);
}

void fly_trace_end(fly_traced *traced, int error) {
  const fly_hip *hip = traced->hip;
  fly_trace_record *record = traced->record;
  int64_t returned;
  int is_waiting, is_queued;
  if (!record)
    return;
  fly_trace_lock();
  returned = fly_trace_now();
  is_waiting = record->is_waiting;
  is_queued = record->track && !record->is_node && !error;
  if (is_queued) {
    static uint64_t seed; /* another copy of the runtime in the process counts from elsewhere */
    if (!seed)
      seed = ((uint64_t)getpid() << 30) | (((uint64_t)(uintptr_t)&ids >> 4 & 0xff) << 22);
    record->id = seed + ++ids;
    fly_text_add(&record->arguments, ", \"call\": %llu", (unsigned long long)record->id);
  }
  if (error)
    fly_text_add(&record->arguments, ", \"error\": %d", error);
  if (record->is_node && record->graph)
    fly_text_add(&record->arguments, ", \"captured_in\": %d", fly_trace_graph_number(record->graph));
  {
    static int is_named;
    if (!is_named) {
      char name[64];
      snprintf(name, sizeof name, "host: process %ld", (long)getpid());
      fly_trace_metadata("process_name", (long)getpid(), 0, name, "");
    }
    is_named = 1;
  }
  fly_trace_slice(record->track ? "call" : record->category, record->name.bytes ? record->name.bytes : "\"\"",
                  (long)getpid(), record->thread, record->called, returned, record->arguments.bytes);
  if (is_queued) {
    fly_trace_arrow('s', record->id, (long)getpid(), record->thread, record->called);
    if (record->begin && record->end && (record->is_recorded || hip->event_record(record->end, record->stream) == 0)) {
      record->next = NULL;
      *last = record;
      last = &record->next;
    } else {
      is_queued = 0;
    }
  }
  if (record->is_node && record->graph && !error) {
    fly_trace_node_end(hip, record);
  } else if (!is_queued) {
    if (record->graph && !record->is_node)
      fly_trace_graph_done(record->graph);
    if (hip) {
      fly_trace_event_spare(hip, record->device, record->begin);
      fly_trace_event_spare(hip, record->device, record->end);
    }
    fly_trace_record_free(record);
  }
  if (hip && !error) /* HIP's text of the error is still to be asked for */
    fly_trace_drain(hip, is_waiting ? 0 : 8);
  if (is_waiting || returned - fly_trace_written() > WRITE_TIME)
    fly_trace_write();
  fly_trace_unlock();
}

/* ---- times */

/* An execution without a time: where it would be. */
static void write_lost(const fly_trace_record *record, const char *why) {
  fly_text event = {NULL, 0, 0};
  fly_text_add(
      &event, "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"%s\",\"name\":%s,\"pid\":%ld,\"tid\":%d,\"ts\":", record->category,
      record->name.bytes ? record->name.bytes : "\"\"", fly_trace_process(record->device), record->track->number);
  fly_text_time(&event, record->track->end > record->called ? record->track->end : record->called);
  fly_text_add(&event, ",\"args\":{%s, \"no_time\": \"%s\"}}",
               record->arguments.bytes ? record->arguments.bytes + 2 : "\"\": 0", why);
  fly_trace_add(&event);
  fly_text_free(&event);
}

/* 1 if it is over, and written. */
static int finish_record(const fly_hip *hip, fly_trace_record *record) {
  fly_trace_device *d = fly_trace_device_of(record->device);
  fly_trace_track *track = record->track;
  const int error = hip->event_query(record->end);
  int64_t start, measured, duration, end, shift;
  if (error == FLY_HIP_NOT_READY)
    return 0;
  if (error || !fly_trace_time(hip, record->device, record->begin, &measured) ||
      !fly_trace_duration(hip, record, &record->arguments, &duration)) {
    write_lost(record, error ? "the device failed" : "its events have none");
  } else {
    if (record->graph)
      fly_trace_graph_span(hip, record, &measured, &duration);
    end = measured + duration;
    start = measured > record->called ? measured : record->called;
    if (start < track->end)
      start = track->end;
    shift = start - measured < 1000 || start == record->called ? start - measured : 0;
    end += shift; /* the clocks differ by so little; else another launch was between the events */
    if (end < start)
      end = start;
    track->end = end;
    fly_trace_slice(record->category, record->name.bytes ? record->name.bytes : "\"\"",
                    fly_trace_process(record->device), track->number, start, end, record->arguments.bytes);
    fly_trace_arrow('f', record->id, fly_trace_process(record->device), track->number, start);
    if (record->graph)
      fly_trace_nodes(hip, record, start, end, shift);
    if (start - d->base_time > REBASE_TIME && fly_trace_time(hip, record->device, record->end, &end)) {
      void *old = d->base;
      d->base = record->end;
      d->base_time = end;
      record->end = old;
    }
  }
  if (record->graph)
    fly_trace_graph_done(record->graph);
  fly_trace_event_spare(hip, record->device, record->begin);
  fly_trace_event_spare(hip, record->device, record->end);
  return 1;
}

void fly_trace_drain(const fly_hip *hip, unsigned most) {
  fly_trace_record **at = &first;
  unsigned looked = 0;
  while (*at && (!most || looked++ < most)) {
    fly_trace_record *record = *at;
    if (!finish_record(hip, record)) {
      at = &record->next;
      continue;
    }
    *at = record->next;
    if (!*at)
      last = at;
    fly_trace_record_free(record);
  }
}

/* At the end of the program: waits a moment for what still runs. */
static void finish(void) {
  int64_t begin = fly_trace_now();
  if (!FLY_IS_TRACING || !opened)
    return;
  for (;;) {
    struct timespec moment = {0, 200 * 1000};
    fly_trace_lock();
    fly_trace_drain(opened, 0);
    if (!first || fly_trace_now() - begin > (int64_t)EXIT_SECONDS * 1000000000)
      break;
    fly_trace_unlock();
    nanosleep(&moment, NULL);
  }
  for (; first; first = first->next)
    write_lost(first, "it had not ended when the program did");
  fly_trace_write();
  fly_trace_stop();
  fly_trace_unlock();
}

/* The threads and locks of the parent are not the child's. */
static void after_fork(void) { fly_trace_stop(); }

void fly_trace_open(void) {
  const char *path = getenv("FLY_TRACE");
  if (!path || !*path || !fly_trace_file_open(path))
    return;
  pthread_atfork(NULL, NULL, after_fork);
  __atomic_store_n(&fly_tracing, 1, __ATOMIC_RELAXED);
}
