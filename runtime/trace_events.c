/* Devices, streams and their events, and the trace's events as text. See trace_records.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "trace_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WRITE_BYTES = 1 << 16, FIRST_PROCESS = 1 << 22 /* more than Linux's process numbers */ };

static fly_trace_device devices[FLY_MAX_DEVICES];
static fly_text waiting; /* events to be written */
static int64_t written;

int64_t fly_trace_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t fly_trace_written(void) { return written; }

/* ---- writing */

void fly_trace_write(void) {
  written = fly_trace_now();
  if (waiting.used && !fly_trace_file_append(waiting.bytes, waiting.used))
    fly_trace_stop();
  waiting.used = 0;
}

void fly_trace_add(const fly_text *event) {
  if (!event->used)
    return;
  if (waiting.used > WRITE_BYTES)
    fly_trace_write();
  fly_text_add(&waiting, "%s%s", waiting.used ? ",\n" : "", event->bytes);
}

void fly_trace_metadata(const char *kind, long process, long thread, const char *value, const char *more) {
  fly_text event = {NULL, 0, 0};
  fly_text_add(&event, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%ld,\"tid\":%ld,\"args\":{\"name\":", kind, process,
               thread);
  fly_text_string(&event, value);
  fly_text_add(&event, "%s}}", more);
  fly_trace_add(&event);
  fly_text_free(&event);
}

void fly_trace_slice(const char *category, const char *name, long process, long thread, int64_t begin, int64_t end,
                     const char *arguments) {
  fly_text event = {NULL, 0, 0};
  fly_text_add(&event, "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":%s,\"pid\":%ld,\"tid\":%ld,\"ts\":", category, name,
               process, thread);
  fly_text_time(&event, begin);
  fly_text_add(&event, ",\"dur\":");
  fly_text_time(&event, end - begin);
  fly_text_add(&event, ",\"args\":{%s}}", arguments && *arguments ? arguments + 2 : "");
  fly_trace_add(&event);
  fly_text_free(&event);
}

void fly_trace_arrow(char end, uint64_t id, long process, long thread, int64_t time) {
  fly_text event = {NULL, 0, 0};
  fly_text_add(&event,
               "{\"ph\":\"%c\",%s\"cat\":\"launch\",\"name\":\"launch\",\"id\":%llu,\"pid\":%ld,\"tid\":%ld,\"ts\":",
               end, end == 'f' ? "\"bp\":\"e\"," : "", (unsigned long long)id, process, thread);
  fly_text_time(&event, time);
  fly_text_add(&event, "}");
  fly_trace_add(&event);
  fly_text_free(&event);
}

/* ---- devices and streams */

fly_trace_device *fly_trace_device_of(int device) { return &devices[device]; }
long fly_trace_process(int device) { return FIRST_PROCESS + (long)getpid() * FLY_MAX_DEVICES + device; }

/* Maps the device's clock to the host's by an event in a stream of its own. */
void fly_trace_open_device(const fly_hip *hip, int device) {
  fly_trace_device *d = &devices[device];
  const char *clock = getenv("FLY_EMULATE_CLOCK");
  const int is_modelled = hip->next_launch && !(clock && strcmp(clock, "host") == 0);
  void *stream = NULL;
  int mode = 2 /* hipStreamCaptureModeRelaxed */, has_mode, times;
  char text[160];
  snprintf(text, sizeof text, "device %d: %s%s, process %ld", device, hip->architecture[device],
           is_modelled        ? ", modelled times"
           : hip->next_launch ? ", emulated"
                              : "",
           (long)getpid());
  fly_trace_metadata("process_name", fly_trace_process(device), 0, text,
                     is_modelled        ? ",\"times\":\"modelled\""
                     : hip->next_launch ? ",\"times\":\"emulated\""
                                        : ",\"times\":\"measured\"");
  d->state = -1;
  if (!hip->event_create || !hip->event_destroy || !hip->event_record || !hip->event_synchronize || !hip->event_query ||
      !hip->event_elapsed_time || !hip->stream_create || !hip->stream_destroy)
    return;
  has_mode = hip->exchange_capture_mode && hip->exchange_capture_mode(&mode) == 0;
  if (hip->stream_create(&stream, FLY_HIP_STREAM_NON_BLOCKING) == 0) {
    if (hip->event_create(&d->base) == 0) {
      d->state = 1;
      for (times = 0; times < 2 && d->state == 1; ++times) { /* the first one opens queues */
        int64_t recorded;
        if (hip->event_record(d->base, stream) != 0)
          d->state = -1;
        recorded = fly_trace_now();
        if (d->state == 1 && hip->event_synchronize(d->base) != 0)
          d->state = -1;
        d->base_time = hip->next_launch ? recorded : fly_trace_now(); /* the emulator's event is when it is recorded */
      }
    }
    hip->stream_destroy(stream);
  }
  if (has_mode)
    hip->exchange_capture_mode(&mode);
}

fly_trace_track *fly_trace_track_of(int device, void *stream) {
  fly_trace_device *d = &devices[device];
  fly_trace_track *track;
  char name[64];
  for (track = d->tracks; track; track = track->next)
    if (!track->is_gone && track->stream == stream)
      return track;
  track = (fly_trace_track *)calloc(1, sizeof *track);
  if (!track)
    return NULL;
  track->stream = stream;
  track->number = stream ? ++d->track_count : 0;
  track->next = d->tracks;
  d->tracks = track;
  snprintf(name, sizeof name, stream ? "stream %d" : "default stream", track->number);
  fly_trace_metadata("thread_name", fly_trace_process(device), track->number, name, "");
  return track;
}

void fly_trace_stream_destroy(fly_stream stream) {
  int device;
  fly_trace_track *track;
  fly_trace_lock();
  for (device = 0; device < FLY_MAX_DEVICES; ++device)
    for (track = devices[device].tracks; track; track = track->next)
      track->is_gone |= stream && track->stream == stream;
  fly_trace_unlock();
}

/* Of a kernel or a graph. */
int fly_trace_is_launch(const fly_trace_record *record) {
  return strcmp(record->category, "fill") != 0 && strcmp(record->category, "copy") != 0;
}

void *fly_trace_event(const fly_hip *hip, int device) {
  fly_trace_device *d = &devices[device];
  void *event = NULL;
  if (d->spare_count)
    return d->spare[--d->spare_count];
  return d->state == 1 && hip->event_create(&event) == 0 ? event : NULL;
}

void fly_trace_event_spare(const fly_hip *hip, int device, void *event) {
  fly_trace_device *d = &devices[device];
  if (!event)
    return;
  if (d->spare_count == d->spare_room) {
    void **more = (void **)realloc(d->spare, (2 * d->spare_room + 64) * sizeof *more);
    if (!more) {
      hip->event_destroy(event);
      return;
    }
    d->spare = more;
    d->spare_room = 2 * d->spare_room + 64;
  }
  d->spare[d->spare_count++] = event;
}

int fly_trace_time(const fly_hip *hip, int device, void *event, int64_t *time) {
  const fly_trace_device *d = &devices[device];
  float milliseconds = 0;
  if (!event || hip->event_elapsed_time(&milliseconds, d->base, event) != 0)
    return 0;
  *time = d->base_time + (int64_t)((double)milliseconds * 1e6 + (milliseconds < 0 ? -0.5 : 0.5));
  return 1;
}

int fly_trace_duration(const fly_hip *hip, const fly_trace_record *record, fly_text *arguments, int64_t *duration) {
  double read, write;
  float milliseconds = 0;
  if (hip->between && hip->between(duration, &read, &write, record->begin, record->end) == 0) {
    if (fly_trace_is_launch(record))
      fly_text_add(arguments, ", \"read_bytes\": %.0f, \"written_bytes\": %.0f", read, write);
    return 1;
  }
  if (hip->event_elapsed_time(&milliseconds, record->begin, record->end) != 0)
    return 0;
  *duration = (int64_t)((double)milliseconds * 1e6 + 0.5);
  return 1;
}
