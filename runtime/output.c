/* Records of device output as text. Nothing here is trusted: a kernel may have written over its ring. */
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the code object's sections */

static uint64_t number(const unsigned char *bytes, unsigned count) {
  uint64_t value = 0;
  while (count-- > 0)
    value = value << 8 | bytes[count];
  return value;
}

typedef struct section {
  uint64_t address, offset, bytes;
} section;

/* ELF64, little endian: header 64 bytes, a section header 64 bytes (System V ABI, "Object Files"). */
static int find_section(const unsigned char *image, size_t bytes, const char *name, section *found) {
  uint64_t table, count, names, i;
  const unsigned char *header;
  if (bytes < 64 || memcmp(image, "\177ELF\2\1", 6) != 0 || number(image + 58, 2) != 64)
    return 0;
  table = number(image + 40, 8);
  count = number(image + 60, 2);
  names = number(image + 62, 2);
  if (table > bytes || count * 64 > bytes - table || names >= count)
    return 0;
  header = image + table + names * 64;
  {
    uint64_t text = number(header + 24, 8), length = number(header + 32, 8), wanted = strlen(name) + 1;
    if (text > bytes || length > bytes - text)
      return 0;
    for (i = 0; i < count; ++i) {
      uint64_t at;
      header = image + table + i * 64;
      at = number(header, 4);
      if (at > length || wanted > length - at || memcmp(image + text + at, name, wanted) != 0)
        continue;
      found->address = number(header + 16, 8);
      found->offset = number(header + 24, 8);
      found->bytes = number(header + 32, 8);
      return found->offset <= bytes && found->bytes <= bytes - found->offset;
    }
  }
  return 0;
}

int fly_output_find(const unsigned char *image, size_t bytes, fly_output_image *found) {
  section variable, texts;
  if (!find_section(image, bytes, "fly_output", &variable) || !find_section(image, bytes, "fly_text", &texts) ||
      variable.bytes != 8)
    return 0;
  found->variable_address = variable.address;
  found->texts = image + texts.offset;
  found->text_bytes = texts.bytes;
  found->text_address = texts.address;
  return 1;
}

void fly_output_begin(uint32_t *ring, uint32_t words) {
  ring[0] = 0;
  ring[1] = words - FLY_OUTPUT_HEADER_WORDS;
}

/* ---- one record */

typedef struct record {
  const uint32_t *at, *end;
  fly_output_write write;
  void *context;
} record;

static void put(record *r, const char *text, size_t bytes) {
  if (bytes > 0)
    r->write(r->context, text, bytes);
}

static int take(record *r, int is_wide, uint64_t *value) {
  if (r->end - r->at < (is_wide ? 2 : 1))
    return 0;
  *value = *r->at++;
  if (is_wide)
    *value |= (uint64_t)*r->at++ << 32;
  return 1;
}

/* The shortest decimal that reads back as the same number; "1" reads as an integer, so a point is added. */
static void shortest(char *text, size_t size, double value, int is_wide) {
  int digits;
  for (digits = 1; digits <= 17; ++digits) {
    snprintf(text, size, "%.*g", digits, value);
    if (is_wide ? strtod(text, NULL) == value : strtof(text, NULL) == (float)value)
      break;
  }
  if (!strpbrk(text, ".en") && strlen(text) + 3 < size)
    strcat(text, ".0");
}

/* Prints one directive after its `%`. Returns the text after it; null if it is not a directive or the record has no
 * value for it. */
static const char *directive(record *r, const char *text, const char *end) {
  static const char flags[] = "-+ #0";
  char format[32] = "%", out[512];
  size_t used = 1, field;
  int length = 0, is_wide = 0;
  uint64_t bits;
  char conversion;
  while (text < end && *text && strchr(flags, *text)) {
    if (!memchr(format, *text, used)) /* each once */
      format[used++] = *text;
    ++text;
  }
  for (field = 0; text < end && *text >= '0' && *text <= '9' && field < 3; ++field)
    format[used++] = *text++;
  if (text < end && *text == '.') {
    format[used++] = *text++;
    for (field = 0; text < end && *text >= '0' && *text <= '9' && field < 3; ++field)
      format[used++] = *text++;
  }
  if (text < end && *text == 'l') {
    is_wide = 1;
    ++text;
  }
  if (text >= end)
    return NULL;
  conversion = *text++;
  if (!take(r, is_wide || conversion == 'p', &bits))
    return NULL;
  switch (conversion) {
  case 'd':
  case 'u':
  case 'x':
  case 'X':
  case 'o':
  case 'p':
    memcpy(format + used, "ll", 2);
    used += 2;
    format[used++] = conversion == 'p' ? 'x' : conversion;
    format[used] = 0;
    if (conversion == 'p')
      put(r, "0x", 2);
    length = conversion == 'd'
                 ? snprintf(out, sizeof out, format, is_wide ? (long long)bits : (long long)(int32_t)(uint32_t)bits)
                 : snprintf(out, sizeof out, format, (unsigned long long)bits);
    break;
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 's': {
    double value;
    if (is_wide) {
      memcpy(&value, &bits, sizeof value);
    } else {
      uint32_t low = (uint32_t)bits;
      float narrow;
      memcpy(&narrow, &low, sizeof narrow);
      value = narrow;
    }
    format[used++] = conversion;
    format[used] = 0;
    if (conversion == 's') {
      char number_text[40];
      if (strchr("-+ #0", format[1]) && strchr(format, '+') && value >= 0)
        number_text[0] = '+', shortest(number_text + 1, sizeof number_text - 1, value, is_wide);
      else
        shortest(number_text, sizeof number_text, value, is_wide);
      {
        char field_format[32];
        size_t from = 1, to = 1;
        field_format[0] = '%';
        for (; format[from]; ++from)
          if (!strchr("+ #0", format[from]) || (to > 1 && field_format[to - 1] >= '0' && field_format[to - 1] <= '9'))
            field_format[to++] = format[from];
        field_format[to] = 0;
        length = snprintf(out, sizeof out, field_format, number_text);
      }
    } else {
      length = snprintf(out, sizeof out, format, value);
    }
    break;
  }
  case 'b':
    format[used++] = 's';
    format[used] = 0;
    length = snprintf(out, sizeof out, format, bits ? "True" : "False");
    break;
  default: return NULL;
  }
  put(r, out, length < 0 ? 0 : (size_t)length < sizeof out ? (size_t)length : sizeof out - 1);
  return text;
}

static int print_record(record *r, const fly_output_image *image, uint64_t bias) {
  uint64_t address = (uint64_t)r->at[0] | (uint64_t)r->at[1] << 32;
  uint64_t offset = address - bias - image->text_address;
  const char *text, *end;
  if (offset >= image->text_bytes)
    return 0;
  text = (const char *)image->texts + offset;
  end = (const char *)memchr(text, 0, image->text_bytes - offset);
  if (!end)
    return 0;
  r->at += 2;
  while (text < end) {
    const char *percent = (const char *)memchr(text, '%', (size_t)(end - text));
    put(r, text, (size_t)((percent ? percent : end) - text));
    if (!percent)
      break;
    text = percent + 1;
    if (text < end && *text == '%') {
      put(r, "%", 1);
      ++text;
    } else {
      text = directive(r, text, end);
      if (!text)
        return 0;
    }
  }
  return 1;
}

void fly_output_drain(const fly_output_image *image, uint64_t variable, uint32_t *ring, fly_output_write write,
                      void *context) {
  static const char lost[] = "... device output was lost: more than the ring holds between two drains\n";
  static const char damaged[] = "... device output is damaged: its memory was overwritten\n";
  uint32_t asked = ring[0], capacity = ring[1], used, at = 0;
  int is_sound = 1;
  if (capacity > FLY_OUTPUT_RING_WORDS)
    capacity = 0, is_sound = asked == 0;
  used = asked < capacity ? asked : capacity;
  while (is_sound && at < used) {
    const uint32_t *start = ring + FLY_OUTPUT_HEADER_WORDS + at;
    record r = {start + 1, NULL, write, context};
    if (*start == 0) /* the first one that did not fit wrote nothing */
      break;
    if (*start < 3 || *start > used - at) {
      is_sound = asked > capacity;
      break;
    }
    r.end = start + *start;
    at += *start;
    is_sound = print_record(&r, image, variable - image->variable_address);
  }
  if (!is_sound)
    write(context, damaged, sizeof damaged - 1);
  else if (asked > capacity)
    write(context, lost, sizeof lost - 1);
  /* The words after the last record must read as zero, see above. */
  memset(ring + FLY_OUTPUT_HEADER_WORDS, 0, (size_t)used * 4);
  ring[0] = 0;
}
