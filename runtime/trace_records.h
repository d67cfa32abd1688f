/* What trace.c (calls), trace_events.c (events) and trace_graph.c (graphs) share: records, the tracks of devices, and times. */
#ifndef FLY_RUNTIME_TRACE_RECORDS_H
#define FLY_RUNTIME_TRACE_RECORDS_H

#include "trace.h"
#include "trace_file.h"

/* A stream of a device: a row of the picture. */
typedef struct fly_trace_track {
  struct fly_trace_track *next;
  void *stream;
  int is_gone, number;
  int64_t end;       /* of its last event, on the host's clock */
  uint64_t launches; /* kernels and graphs */
} fly_trace_track;

typedef struct fly_trace_device {
  int state;  /* 0: not used yet; 1: has events; -1: has none */
  void *base; /* an event, and when it was */
  int64_t base_time;
  fly_trace_track *tracks;
  int track_count;
  void **spare; /* events for the next records */
  size_t spare_count, spare_room;
} fly_trace_device;

/* A call, or a node of a graph. */
typedef struct fly_trace_record {
  struct fly_trace_record *next;
  const char *category;
  fly_text name, arguments; /* a JSON string; members of a JSON object, each with ", " before it */
  int device, thread;
  fly_trace_track *track; /* NULL: a call of the host alone */
  uint64_t id;            /* of the arrow from call to execution; 0: none */
  int64_t called;
  void *begin, *end;
  fly_stream stream;
  struct fly_trace_graph *graph;    /* that it launches, or, while captured, that it is a node of */
  int is_node, branch, is_recorded; /* both events are in the stream */
  int is_waiting;                   /* the program waits in it, so what was launched is complete after it */
} fly_trace_record;

/* All of these with the lock held. */
void fly_trace_lock(void);
void fly_trace_unlock(void);
/* From now on nothing is traced. */
void fly_trace_stop(void);
int64_t fly_trace_now(void);
fly_trace_device *fly_trace_device_of(int device);
/* Maps the clock of the current device to the host's. Once. */
void fly_trace_open_device(const fly_hip *hip, int device);
fly_trace_track *fly_trace_track_of(int device, void *stream);
/* The number of the device's process in the trace; the host's is that of the operating system. */
long fly_trace_process(int device);
/* An event of the current device, which is `device`; NULL: none. */
void *fly_trace_event(const fly_hip *hip, int device);
void fly_trace_event_spare(const fly_hip *hip, int device, void *event);
/* When an event was, on the host's clock; 0 if it has no time. */
int fly_trace_time(const fly_hip *hip, int device, void *event, int64_t *time);
void fly_trace_metadata(const char *kind, long process, long thread, const char *value, const char *more);
/* Begins, ends and writes one event: {"ph":"X", ...}; `arguments` begins with ", " or is empty. */
void fly_trace_slice(const char *category, const char *name, long process, long thread, int64_t begin, int64_t end,
                     const char *arguments);
/* The begin ('s') or the end ('f') of an arrow. */
void fly_trace_arrow(char end, uint64_t id, long process, long thread, int64_t time);
/* Adds an event to what is written next; writes what is there; when that was done last. */
void fly_trace_add(const fly_text *event);
void fly_trace_write(void);
int64_t fly_trace_written(void);
/* Of a kernel or a graph. */
int fly_trace_is_launch(const fly_trace_record *record);
fly_trace_record *fly_trace_record_new(const fly_hip *hip, const char *category, fly_stream stream, int has_track);
void fly_trace_record_free(fly_trace_record *record);
/* The part of a record's life before the call: an event, unless it becomes a node. Ends the lock. */
void fly_trace_begin(fly_traced *traced, const fly_hip *hip, fly_trace_record *record);
/* How long what is between the record's events took; tells also what its kernels accessed, if the library knows. */
int fly_trace_duration(const fly_hip *hip, const fly_trace_record *record, fly_text *arguments, int64_t *duration);

/* trace_graph.c: the graph whose capture a stream is part of; a node of it. */
struct fly_trace_graph *fly_trace_graph_of(unsigned long long capture);
int fly_trace_graph_number(const struct fly_trace_graph *graph);
void fly_trace_node_begin(const fly_hip *hip, fly_trace_record *record);
void fly_trace_node_end(const fly_hip *hip, fly_trace_record *record); /* takes the record */
/* Writes the nodes of a launch between `begin` and `end`; `shift`: what was added to the time of its event. */
void fly_trace_nodes(const fly_hip *hip, const fly_trace_record *launch, int64_t begin, int64_t end, int64_t shift);
/* From the first of its nodes to the last, if they have times. */
void fly_trace_graph_span(const fly_hip *hip, const fly_trace_record *launch, int64_t *begin, int64_t *duration);
/* A launch begins, or is over. */
void fly_trace_graph_started(fly_trace_record *record);
void fly_trace_graph_done(struct fly_trace_graph *graph);

/* Writes what is complete; `most`: how many to look at. With `most` 0, all. */
void fly_trace_drain(const fly_hip *hip, unsigned most);

#endif
