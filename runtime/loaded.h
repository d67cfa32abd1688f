/* Modules that are loaded on a device, and their users. A launch acquires a module, queues, and releases it; unloading
 * waits for its users, so both may run concurrently in any threads. */
#ifndef FLY_RUNTIME_LOADED_H
#define FLY_RUNTIME_LOADED_H

#include "hip.h"
#include "output.h"
#include "sizes.h"

enum { FLY_REMEMBERED_CAPTURES = 16 };

typedef struct fly_loaded {
  uint64_t hash;
  const char *name;
  int device;
  uint32_t index; /* of the code object */
  uint32_t kernel_count;
  void *hip_module;       /* NULL: not loaded. Changes with the lock held; read atomically */
  uint32_t users;         /* launches under way, atomically */
  uint32_t *ring;         /* what its kernels print, the host's view; NULL: nothing */
  uint64_t ring_variable; /* the device's address of the variable that points to the ring */
  fly_output_image output;
  struct fly_image *image; /* what its kernels take; only for FLY_TRACE, NULL: not known */
  struct {
    void *stream;
    unsigned long long id;
  } captures[FLY_REMEMBERED_CAPTURES]; /* that a launch of it is part of */
  struct fly_loaded *next;
  void *functions[]; /* one per kernel; NULL if this architecture lacks it */
} fly_loaded;

/* Guards the list of what is loaded, and loading and unloading. */
void fly_loaded_lock(void);
void fly_loaded_unlock(void);

/* A new entry in the list for `kernel_count` kernels; NULL without memory. With the lock. `name` must live on. */
fly_loaded *fly_loaded_add(const char *name, uint64_t hash, int device, uint32_t kernel_count);
fly_loaded *fly_loaded_find(const char *name, uint64_t hash, int device, uint32_t kernel_count);
/* Out of the list and freed; it is not loaded. With the lock. */
void fly_loaded_remove(fly_loaded *entry);

/* Loads the code and finds the kernels. With the lock. */
fly_status fly_loaded_load(const fly_hip *hip, fly_loaded *entry, const unsigned char *bytes, size_t size,
                           const char *const *kernels);
/* The reason why it cannot be unloaded now: a running capture includes a launch of it. With the lock held. */
fly_status fly_loaded_may_unload(const fly_hip *hip, fly_loaded *entry);
/* Waits for launches that are under way and for the device, writes what was printed, unloads. With the lock. */
fly_status fly_loaded_unload(const fly_hip *hip, fly_loaded *entry);

/* 1 if it is loaded: then it stays so until fly_loaded_give. */
int fly_loaded_take(fly_loaded *entry);
void fly_loaded_give(fly_loaded *entry);

/* Whether the stream is being captured, and in which capture. */
int fly_is_captured(const fly_hip *hip, void *stream, unsigned long long *id);
/* Remembers a capture that gets a launch; refused when there are too many. The entry is taken. */
fly_status fly_loaded_note_capture(const fly_hip *hip, fly_loaded *entry, void *stream);

/* The current device, one that the table knows. */
fly_status fly_current_device(const fly_hip *hip, int *device);

/* A launch that was checked. All launches go through it. */
fly_status fly_queue(const fly_hip *hip, const fly_loaded *entry, uint32_t kernel, const fly_place *place,
                     const fly_launch *launch, fly_stream stream);
/* The error of a call that launches. It may be an earlier launch's; then this one was not queued. */
fly_status fly_not_queued(const fly_hip *hip, const char *what, int error);
/* A fill that is a step of a launch function. No bytes: nothing. */
fly_status fly_queue_fill(const fly_hip *hip, const fly_place *place, void *memory, int byte, int64_t bytes,
                          fly_stream stream);

#endif
