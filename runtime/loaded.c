/* See loaded.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "image.h"
#include "loaded.h"
#include "trace.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { CAPTURE_MODE_RELAXED = 2, CAPTURE_STATUS_NONE = 0 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the captures of all entries; taken by launches too, so never held while waiting for them. */
static pthread_mutex_t capture_lock = PTHREAD_MUTEX_INITIALIZER;
static fly_loaded *all_loaded;

void fly_loaded_lock(void) { pthread_mutex_lock(&lock); }
void fly_loaded_unlock(void) { pthread_mutex_unlock(&lock); }

fly_loaded *fly_loaded_find(const char *name, uint64_t hash, int device, uint32_t kernel_count) {
  fly_loaded *entry;
  for (entry = all_loaded; entry; entry = entry->next)
    if (entry->hash == hash && (device < 0 || entry->device == device) && entry->kernel_count == kernel_count &&
        strcmp(entry->name, name) == 0)
      break;
  return entry;
}

fly_loaded *fly_loaded_add(const char *name, uint64_t hash, int device, uint32_t kernel_count) {
  fly_loaded *entry = (fly_loaded *)calloc(1, sizeof *entry + kernel_count * sizeof(void *));
  if (!entry)
    return NULL;
  entry->hash = hash;
  entry->name = name;
  entry->device = device;
  entry->kernel_count = kernel_count;
  entry->next = all_loaded;
  all_loaded = entry;
  return entry;
}

void fly_loaded_remove(fly_loaded *entry) {
  fly_loaded **link;
  for (link = &all_loaded; *link; link = &(*link)->next)
    if (*link == entry) {
      *link = entry->next;
      break;
    }
  if (entry->image)
    fly_image_free(entry->image);
  free(entry->image);
  free(entry);
}

/* ---- captures */

/* Loading and unloading call functions that a capture of another stream forbids to this thread unless it opts out. */
static void relax(const fly_hip *hip, int *mode) {
  if (hip->exchange_capture_mode && hip->exchange_capture_mode(mode) != 0)
    *mode = CAPTURE_MODE_RELAXED;
}

int fly_is_captured(const fly_hip *hip, void *stream, unsigned long long *id) {
  int status = CAPTURE_STATUS_NONE;
  /* The default stream cannot be captured. A stream that is gone is an error, which is "no". */
  return stream && hip->stream_get_capture_info && hip->stream_get_capture_info(stream, &status, id) == 0 &&
         status != CAPTURE_STATUS_NONE;
}

fly_status fly_loaded_note_capture(const fly_hip *hip, fly_loaded *entry, void *stream) {
  unsigned long long id = 0, other = 0;
  int i, place = -1;
  if (!fly_is_captured(hip, stream, &id))
    return FLY_OK;
  pthread_mutex_lock(&capture_lock);
  for (i = FLY_REMEMBERED_CAPTURES - 1; i >= 0; --i) {
    if (entry->captures[i].stream == stream && entry->captures[i].id == id) {
      place = i;
      break;
    }
    if (!entry->captures[i].stream || !fly_is_captured(hip, entry->captures[i].stream, &other) ||
        other != entry->captures[i].id)
      place = i;
  }
  if (place >= 0) {
    entry->captures[place].stream = stream;
    entry->captures[place].id = id;
  }
  pthread_mutex_unlock(&capture_lock);
  return place >= 0 ? FLY_OK
                    : fly_refuse(FLY_ERROR_CAPTURE, "%s: already part of %d captures at once", entry->name,
                                 FLY_REMEMBERED_CAPTURES);
}

fly_status fly_loaded_may_unload(const fly_hip *hip, fly_loaded *entry) {
  int i, is_captured = 0;
  pthread_mutex_lock(&capture_lock);
  for (i = 0; i < FLY_REMEMBERED_CAPTURES; ++i) {
    unsigned long long id = 0;
    if (entry->captures[i].stream && fly_is_captured(hip, entry->captures[i].stream, &id) &&
        id == entry->captures[i].id)
      is_captured = 1;
  }
  pthread_mutex_unlock(&capture_lock);
  return is_captured
             ? fly_refuse(FLY_ERROR_CAPTURE, "%s: cannot be unloaded while a stream that launches it is being captured",
                          entry->name)
             : FLY_OK;
}

/* ---- output of kernels. With the lock held. */

static void write_output(void *context, const char *text, size_t bytes) { fwrite(text, 1, bytes, (FILE *)context); }

static void drain_output(fly_loaded *entry) {
  if (!entry->ring)
    return;
  fly_output_drain(&entry->output, entry->ring_variable, entry->ring, write_output, stdout);
  fflush(stdout);
}

void fly_flush_output(void) {
  fly_loaded *entry;
  fly_loaded_lock();
  for (entry = all_loaded; entry; entry = entry->next)
    drain_output(entry);
  fly_loaded_unlock();
}

/* At the end of the program kernels may still be running. */
static void flush_at_exit(void) {
  const fly_hip *hip;
  fly_loaded *entry;
  int current = 0;
  if (fly_hip_open(&hip) != FLY_OK)
    return;
  hip->get_device(&current);
  fly_loaded_lock();
  for (entry = all_loaded; entry; entry = entry->next)
    if (entry->ring && hip->set_device(entry->device) == 0)
      hip->device_synchronize();
  hip->set_device(current);
  fly_loaded_unlock();
  fly_flush_output();
}

/* A module that prints gets host memory that the device writes to, so that the output of a kernel that stopped itself
 * can be read. Without it the kernels are silent. */
static void attach_output(const fly_hip *hip, fly_loaded *entry, void *hip_module, const unsigned char *bytes,
                          size_t size) {
  static int at_exit;
  void *variable = NULL, *ring = NULL, *device_ring = NULL;
  size_t variable_bytes = 0;
  entry->ring = NULL;
  if (!hip->module_get_global || !hip->host_malloc || !hip->host_free || !hip->host_get_device_pointer ||
      !fly_output_find(bytes, size, &entry->output) ||
      hip->module_get_global(&variable, &variable_bytes, hip_module, FLY_OUTPUT_SYMBOL) != 0 ||
      variable_bytes != sizeof device_ring ||
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
    at_exit = atexit(flush_at_exit) == 0;
}

/* ---- loading */

/* What the kernels take; without it a trace tells less. */
static void read_image(fly_loaded *entry, const unsigned char *bytes, size_t size) {
  if (entry->image || !(entry->image = (fly_image *)calloc(1, sizeof *entry->image)))
    return;
  fly_image_read(entry->name, bytes, size, entry->image);
}

fly_status fly_loaded_load(const fly_hip *hip, fly_loaded *entry, const unsigned char *bytes, size_t size,
                           const char *const *kernels) {
  void *hip_module = NULL;
  int mode = CAPTURE_MODE_RELAXED, error;
  uint32_t i;
  relax(hip, &mode);
  error = hip->module_load_data(&hip_module, bytes);
  if (!error) {
    for (i = 0; i < entry->kernel_count; ++i) {
      entry->functions[i] = NULL;
      if (hip->module_get_function(&entry->functions[i], hip_module, kernels[i]) != 0)
        entry->functions[i] = NULL;
    }
    attach_output(hip, entry, hip_module, bytes, size);
    if (FLY_IS_TRACING)
      read_image(entry, bytes, size);
    memset(entry->captures, 0, sizeof entry->captures);
  }
  relax(hip, &mode);
  if (error)
    return fly_hip_failed(hip, FLY_ERROR_CODE_OBJECT, entry->name, error);
  __atomic_store_n(&entry->hip_module, hip_module, __ATOMIC_SEQ_CST);
  return FLY_OK;
}

int fly_loaded_take(fly_loaded *entry) {
  /* Both sides write their own flag, then read the other's: of a concurrent launch and unload, at least one sees the
   * other. */
  __atomic_fetch_add(&entry->users, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&entry->hip_module, __ATOMIC_SEQ_CST))
    return 1;
  fly_loaded_give(entry);
  return 0;
}

void fly_loaded_give(fly_loaded *entry) { __atomic_fetch_sub(&entry->users, 1, __ATOMIC_SEQ_CST); }

fly_status fly_loaded_unload(const fly_hip *hip, fly_loaded *entry) {
  void *hip_module = entry->hip_module;
  int mode = CAPTURE_MODE_RELAXED, current = 0, error;
  fly_status status;
  __atomic_store_n(&entry->hip_module, NULL, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&entry->users, __ATOMIC_SEQ_CST) != 0)
    sched_yield();
  status = fly_loaded_may_unload(hip, entry); /* one of those may have been captured */
  if (status != FLY_OK) {
    __atomic_store_n(&entry->hip_module, hip_module, __ATOMIC_SEQ_CST);
    return status;
  }
  hip->get_device(&current);
  hip->set_device(entry->device);
  relax(hip, &mode);
  hip->device_synchronize();
  drain_output(entry);
  if (entry->ring)
    hip->host_free(entry->ring);
  entry->ring = NULL;
  error = hip->module_unload(hip_module);
  relax(hip, &mode);
  hip->set_device(current);
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, entry->name, error) : FLY_OK;
}

fly_status fly_current_device(const fly_hip *hip, int *device) {
  int error = hip->get_device(device);
  if (error)
    return fly_hip_failed(hip, FLY_ERROR_HIP, "current device", error);
  if (*device < 0 || *device >= hip->device_count)
    return fly_refuse(FLY_ERROR_NO_DEVICE, "device %d is beyond the %d devices of this runtime", *device,
                      hip->device_count);
  return FLY_OK;
}
