/* The file of a trace, and JSON as text. */
#ifndef FLY_RUNTIME_TRACE_FILE_H
#define FLY_RUNTIME_TRACE_FILE_H

#include "fly/runtime.h"

/* Text that grows; without memory it stays as it is. */
typedef struct fly_text {
  char *bytes; /* with a terminating zero; NULL: empty */
  size_t used, room;
} fly_text;
void fly_text_add(fly_text *text, const char *format, ...) FLY_PRINTF(2, 3);
/* A JSON string with its quotation marks: valid UTF-8 whatever the bytes are. */
void fly_text_string(fly_text *text, const char *string);
/* Nanoseconds as the format's microseconds. */
void fly_text_time(fly_text *text, int64_t nanoseconds);
void fly_text_free(fly_text *text);

/* 1 if the file can be written; else says on stderr why not. `%p` in the path is the process's number. */
int fly_trace_file_open(const char *path);
/* Events, each a JSON object, with ",\n" between them. The file holds a whole JSON array afterwards. 0 if that failed,
 * which stderr has been told. */
int fly_trace_file_append(const char *events, size_t bytes);

#endif
