/* The file of a trace: a JSON array of events that is complete after each write, and that several processes may write.
 *
 * A write replaces the closing bracket: it puts ",\n" over it, the events behind, and a bracket at the end, with the file
 * locked (fcntl's lock of an open file). So a program that ends at any time leaves valid JSON. While a process has the
 * file open it holds another lock, a shared one (flock): who opens the file and finds no one with that lock begins it
 * anew, so that a program which is run again replaces its trace, and ranks that run together share one. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int file = -1;
static char path[4096];

/* ---- text */

void fly_text_add(fly_text *text, const char *format, ...) {
  va_list values;
  int length;
  va_start(values, format);
  length = vsnprintf(text->bytes ? text->bytes + text->used : NULL, text->room - text->used, format, values);
  va_end(values);
  if (length < 0)
    return;
  if (text->used + (size_t)length + 1 > text->room) {
    const size_t room = 2 * text->room + (size_t)length + 128;
    char *more = (char *)realloc(text->bytes, room);
    if (!more) {
      if (text->bytes)
        text->bytes[text->used] = 0;
      return;
    }
    text->bytes = more;
    text->room = room;
    va_start(values, format);
    vsnprintf(text->bytes + text->used, text->room - text->used, format, values);
    va_end(values);
  }
  text->used += (size_t)length;
}

/* How many bytes the UTF-8 character has that begins here; 0: it is none. */
static int character(const unsigned char *at) {
  const int length = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : (at[0] & 0xf0) == 0xe0 ? 3 : 4;
  int i;
  if (length == 4 && (at[0] < 0xf0 || at[0] > 0xf4))
    return 0;
  for (i = 1; i < length; ++i)
    if ((at[i] & 0xc0) != 0x80)
      return 0;
  if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf0 && at[1] < 0x90) ||
      (at[0] == 0xf4 && at[1] > 0x8f))
    return 0; /* longer than need be, a surrogate, beyond the last */
  return length;
}

void fly_text_string(fly_text *text, const char *string) {
  const unsigned char *at = (const unsigned char *)string;
  fly_text_add(text, "\"");
  while (*at) {
    const int length = character(at);
    if (*at == '"' || *at == '\\')
      fly_text_add(text, "\\%c", *at);
    else if (*at < 0x20 || *at == 0x7f)
      fly_text_add(text, "\\u%04x", *at);
    else
      fly_text_add(text, "%.*s", length ? length : 1, length ? (const char *)at : "?");
    at += length ? length : 1;
  }
  fly_text_add(text, "\"");
}

void fly_text_time(fly_text *text, int64_t nanoseconds) {
  fly_text_add(text, "%lld.%03d", (long long)(nanoseconds / 1000), (int)(nanoseconds % 1000));
}

void fly_text_free(fly_text *text) {
  free(text->bytes);
  memset(text, 0, sizeof *text);
}

/* ---- file */

static int refuse(const char *what) {
  fprintf(stderr, "FLY_TRACE: %s: %s; nothing is traced from here on\n", path, what);
  if (file >= 0)
    close(file);
  file = -1;
  return 0;
}

/* The path with `%p` replaced; 0 if it is too long. */
static int expand(const char *given) {
  size_t used = 0;
  for (; *given; ++given) {
    if (given[0] == '%' && given[1] == 'p') {
      used += (size_t)snprintf(path + used, sizeof path - used, "%ld", (long)getpid());
      ++given;
    } else {
      path[used++] = *given;
    }
    if (used + 24 > sizeof path) {
      path[64] = 0;
      return 0;
    }
  }
  path[used] = 0;
  return 1;
}

int fly_trace_file_open(const char *given) {
  struct stat status;
  if (!expand(given))
    return refuse("the path is too long");
  file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
  if (file < 0)
    return refuse(strerror(errno));
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    return refuse("not a regular file");
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && ftruncate(file, 0) != 0)
    return refuse(strerror(errno));
  flock(file, LOCK_SH); /* a file system without locks: the file is this process's alone */
  return fly_trace_file_append("", 0);
}

static int put(const char *bytes, size_t size, off_t *at) {
  while (size > 0) {
    const ssize_t written = pwrite(file, bytes, size, *at);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return 0;
    bytes += written;
    size -= (size_t)written;
    *at += written;
  }
  return 1;
}

static int lock(short type) {
  struct flock whole;
  memset(&whole, 0, sizeof whole);
  whole.l_type = type;
  whole.l_whence = SEEK_SET;
  return fcntl(file, F_OFD_SETLKW, &whole);
}

int fly_trace_file_append(const char *events, size_t bytes) {
  static const char begin[] = "[\n", comma[] = ",\n", end[] = "\n]\n";
  char tail[sizeof end - 1];
  off_t size, at;
  int good, reason;
  if (file < 0)
    return 0;
  lock(F_WRLCK);
  size = lseek(file, 0, SEEK_END);
  at = size - (off_t)sizeof tail;
  if (at <= 0 || pread(file, tail, sizeof tail, at) != (ssize_t)sizeof tail || memcmp(tail, end, sizeof tail) != 0)
    at = size; /* new, or the end of a write that was cut off: readers of the format forgive that */
  good = size == 0 ? put(begin, sizeof begin - 1, &at)
                   : bytes == 0 || at <= (off_t)sizeof begin || put(comma, sizeof comma - 1, &at);
  if (bytes > 0 || size == 0)
    good = good && put(events, bytes, &at) && put(end, sizeof end - 1, &at);
  reason = errno;
  lock(F_UNLCK);
  return good ? 1 : refuse(strerror(reason));
}
