/* Calls the functions of ffi_kinds.tvm_ffi.c as Apache TVM's FFI does, on two emulated devices: ffi_host LIBRARY. */
#include "ffi_host.h"

enum { ROWS = 37, N = 29, LD = 40 };

/* Against f64. The emulator's exp of the machine is within 2 ulp; sums of 29 terms add less than 29 halves of one. */
static void softmax(void) {
  const int64_t shape[] = {ROWS, N}, wide[] = {LD, 1}, one[] = {1, N}, odd[] = {7, 1};
  float *x = (float *)malloc(sizeof(float) * ROWS * LD), y[ROWS * N];
  Object *dx, *dy, *other, *row, *row_y;
  fly_ffi_any a[5];
  int i, j, form, device;
  uint32_t state = 12345;
  for (i = 0; i < ROWS * LD; ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = (float)(state >> 8) / (float)(1 << 24) * 16.0f - 8.0f;
  }
  /* All arguments; without those that follow; single ones None; on the second device. */
  for (form = 0; form < 4; ++form) {
    device = form == 3;
    dx = tensor(device, 2, 32, 2, shape, wide, sizeof(float) * ROWS * LD, x);
    dy = tensor(device, 2, 32, 2, shape, NULL, sizeof y, NULL);
    a[0] = form == 1 ? bare(dx) : object(dx);
    a[1] = form == 1 ? bare(dy) : object(dy);
    a[2] = form == 2 ? none() : integer(ROWS);
    a[3] = integer(N);
    a[4] = form == 2 ? none() : integer(LD);
    require(call("softmax", a, form == 1 || form == 3 ? 2 : 5) == 0, "softmax");
    require(asked_type == FLY_DL_ROCM && asked_device == device, "stream of the tensors' device");
    require(fly_get_device(&i) == FLY_OK && i == 0, "the device is as before");
    fetch(y, dy, sizeof y);
    for (i = 0; i < ROWS; ++i) {
      double top = -INFINITY, total = 0;
      for (j = 0; j < N; ++j)
        top = fmax(top, (double)x[i * LD + j]);
      for (j = 0; j < N; ++j)
        total += exp((double)x[i * LD + j] - top);
      for (j = 0; j < N; ++j) {
        const double wanted = exp((double)x[i * LD + j] - top) / total;
        if (!(fabs((double)y[i * N + j] - wanted) <= 4e-6 * wanted)) {
          printf("form %d: y[%d, %d] = %.9g, not %.9g\n", form, i, j, (double)y[i * N + j], wanted);
          exit(1);
        }
      }
    }
  }
  puts("softmax right");

  /* A row of its own has any stride; byte_offset is where the elements begin. */
  row = tensor(0, 2, 32, 2, one, odd, sizeof(float) * ROWS * LD, x);
  row->tensor.byte_offset = 16 * sizeof(float);
  row_y = tensor(0, 2, 32, 2, one, odd, sizeof(float) * (N + 16), NULL);
  a[0] = object(row), a[1] = object(row_y), a[2] = integer(1), a[3] = integer(N), a[4] = integer(LD);
  require(call("softmax", a, 5) == 0, "one row");
  fetch(y, row_y, sizeof(float) * N);
  {
    double total = 0;
    for (j = 0; j < N; ++j)
      total += exp((double)x[16 + j]);
    for (j = 0; j < N; ++j)
      require(fabs((double)y[j] - exp((double)x[16 + j]) / total) <= 4e-6, "one row's numbers");
  }

  dx = tensor(0, 2, 32, 2, shape, wide, sizeof(float) * ROWS * LD, x);
  dy = tensor(0, 2, 32, 2, shape, NULL, sizeof y, NULL);
  a[0] = object(dx), a[1] = object(dy), a[2] = integer(ROWS), a[3] = integer(N), a[4] = integer(LD);
  refused("softmax", a, 3);
  a[0] = integer(3);
  refused("softmax", a, 5);
  a[0] = none();
  refused("softmax", a, 2);
  refused("softmax", a, 5);
  a[0] = object(dx);
  a[3] = floating(29.0);
  refused("softmax", a, 5);
  a[3] = integer((int64_t)1 << 40);
  refused("softmax", a, 5);
  a[3] = integer(N + 1);
  refused("softmax", a, 5);
  a[3] = integer(N);
  a[4] = integer(LD + 1);
  refused("softmax", a, 5);
  a[4] = integer(LD);
  dy->tensor.strides = dy->strides;
  dy->strides[0] = N, dy->strides[1] = 2;
  refused("softmax", a, 5);
  dy->tensor.strides = NULL;
  dy->tensor.dtype.bits = 16;
  refused("softmax", a, 5);
  dy->tensor.dtype.bits = 32;
  dy->tensor.dtype.lanes = 2;
  refused("softmax", a, 5);
  dy->tensor.dtype.lanes = 1;
  dy->tensor.ndim = 1;
  refused("softmax", a, 5);
  dy->tensor.ndim = 2;
  dy->tensor.device.type = FLY_DL_CPU;
  refused("softmax", a, 5);
  dy->tensor.device.type = 8;
  refused("softmax", a, 5);
  dy->tensor.device.type = FLY_DL_ROCM;
  other = tensor(1, 2, 32, 2, shape, NULL, sizeof y, NULL);
  a[1] = object(other);
  refused("softmax", a, 5);
  a[1] = object(dy);
  dy->tensor.byte_offset = 2;
  refused("softmax", a, 5);
  dy->tensor.byte_offset = 0;
  /* The header's own: a precondition. */
  {
    const int64_t nothing[] = {ROWS, 0};
    Object *ex = tensor(0, 2, 32, 2, nothing, NULL, 0, NULL), *ey = tensor(0, 2, 32, 2, nothing, NULL, 0, NULL);
    a[0] = object(ex), a[1] = object(ey);
    refused("softmax", a, 2);
  }
}

static void kinds(void) {
  enum { M = 70 };
  struct {
    int32_t shift;
    float factor;
  } p = {5, 0.5f};
  const int64_t shape[] = {M};
  int32_t table[M];
  uint16_t x[M];
  double y[M];
  fly_ffi_byte_array array = {(const char *)&p, sizeof p};
  Object *dt, *dx, *dy;
  fly_ffi_any a[10];
  int i, form;
  for (i = 0; i < M; ++i) {
    table[i] = i * i - 100;
    x[i] = (uint16_t)(0x3f80 + i); /* bf16: 1 + i / 128 */
  }
  dt = tensor(0, 0, 32, 1, shape, NULL, sizeof table, table);
  dy = tensor(0, 2, 64, 1, shape, NULL, sizeof y, NULL);
  for (form = 0; form < 2; ++form) {
    dx = tensor(0, form ? 4 : 1, 16, 1, shape, NULL, sizeof x, x); /* bf16, or its bits */
    a[0] = form ? small_bytes(&p, sizeof p) : bytes(&array);
    a[1] = form ? address(dt->tensor.data) : object(dt);
    a[2] = object(dx);
    a[3] = none();
    a[4] = form ? integer(3) : floating(1.0 + 0x1p-11 + 0x1p-20); /* rounds to 1 + 2^-10 */
    a[5] = form ? integer(0) : boolean(1);
    a[6] = integer(-128);
    a[7] = object(dy);
    a[8] = floating(0.1);
    a[9] = integer(1000000007);
    require(call("kinds", a, 10) == 0, "kinds");
    fetch(y, dy, sizeof y);
    for (i = 0; i < M; ++i) {
      double wanted = (1.0 + i / 128.0) * 0.5 + (table[i] + 5) + (form ? 3.0 : 1.0 + 0x1p-10) + 0.1 - 128.0 + 1e9 + 7.0;
      wanted = form ? wanted : -wanted;
      if (fabs(y[i] - wanted) > 1e-6) {
        printf("form %d: y[%d] = %.17g, not %.17g\n", form, i, y[i], wanted);
        exit(1);
      }
    }
  }
  puts("kinds right");
  a[6] = integer(128);
  refused("kinds", a, 10);
  a[6] = integer(0);
  a[5] = integer(2);
  refused("kinds", a, 10);
  a[5] = boolean(0);
  a[9] = integer(-1);
  refused("kinds", a, 10);
  a[9] = integer(0);
  a[0] = small_bytes(&p, 7);
  refused("kinds", a, 10);
  a[0] = integer(0);
  refused("kinds", a, 10);
  a[0] = bytes(&array);
  a[1] = floating(0.0);
  refused("kinds", a, 10);
  a[1] = object(dy); /* f64 where i32 is read */
  refused("kinds", a, 10);
  a[1] = object(dt);
  a[4] = object(dx);
  refused("kinds", a, 10);
}

static void packed(void) {
  enum { M = 3, K = 130 };
  static const float values[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  const int64_t elements[] = {M, K}, in_bytes[] = {M, K / 2}, gaps[] = {K / 2 + 3, 1}, wrong[] = {M, K / 2 + 1};
  uint8_t q[M * (K / 2)];
  float y[M * K];
  Object *dy = tensor(0, 2, 32, 2, elements, NULL, sizeof y, NULL), *dq;
  fly_ffi_any a[2];
  int i, form;
  for (i = 0; i < M * K / 2; ++i)
    q[i] = (uint8_t)(i * 37 + 11);
  for (form = 0; form < 3; ++form) { /* bytes; pairs, as PyTorch has them; elements */
    memset(y, 0, sizeof y);
    dq = tensor(0, form ? 17 : 1, form ? 4 : 8, 2, form == 2 ? elements : in_bytes, NULL, sizeof q, q);
    dq->tensor.dtype.lanes = form == 1 ? 2 : 1;
    a[0] = object(dq), a[1] = object(dy);
    require(call("unpacks", a, 2) == 0, "unpacks");
    fetch(y, dy, sizeof y);
    for (i = 0; i < M * K; ++i) {
      const int code = q[i / 2] >> (i % 2 * 4) & 15;
      require(y[i] == (code & 8 ? -values[code & 7] : values[code & 7]), "unpacked numbers");
    }
  }
  puts("packed right");
  dq = tensor(0, 1, 8, 2, wrong, NULL, M * (K / 2 + 1), NULL);
  a[0] = object(dq);
  refused("unpacks", a, 2);
  dq = tensor(0, 1, 8, 2, in_bytes, gaps, M * (K / 2 + 3), NULL);
  a[0] = object(dq);
  refused("unpacks", a, 2);
}

/* ((4, n / 4), k):((1, 4 k), 4): as the two dimensions that it stands for, and as its three numbers. */
static void divided(void) {
  enum { M = 12, K = 5 };
  const int64_t modes[] = {M, K}, leaves[] = {4, M / 4, K}, strides[] = {1, 4 * K, 4}, swapped[] = {1, M};
  uint8_t w[M * K], y[M * K];
  Object *dw, *dy = tensor(0, 1, 8, 2, modes, NULL, sizeof y, NULL);
  fly_ffi_any a[4];
  int i, j, form;
  for (i = 0; i < M * K; ++i)
    w[i] = (uint8_t)(i * 7 + 3);
  for (form = 0; form < 2; ++form) {
    dw = form ? tensor(0, 1, 8, 3, leaves, strides, sizeof w, w) : tensor(0, 1, 8, 2, modes, NULL, sizeof w, w);
    a[0] = object(dw), a[1] = object(dy);
    require(call("straightens", a, 2) == 0, "straightens");
    fetch(y, dy, sizeof y);
    for (i = 0; i < M; ++i)
      for (j = 0; j < K; ++j)
        require(y[i * K + j] == w[i % 4 + i / 4 * 4 * K + 4 * j], "straightened numbers");
  }
  puts("divided right");
  dw = tensor(0, 1, 8, 2, modes, swapped, sizeof w, w);
  a[0] = object(dw);
  refused("straightens", a, 2);
  dw = tensor(0, 1, 8, 3, leaves, NULL, sizeof w, w);
  a[0] = object(dw);
  refused("straightens", a, 2);
}

/* A parameter whose shape differs between architectures. */
static void of_waves(void) {
  enum { M = 3 };
  char name[32];
  int32_t y[M * 64];
  int i, form, width;
  Object *dy;
  fly_ffi_any a[1];
  require(fly_device_architecture(name, sizeof name) == FLY_OK, "architecture");
  width = strncmp(name, "gfx9", 4) == 0 ? 64 : 32;
  for (form = 0; form < 2; ++form) {
    const int64_t shape[] = {M, form ? 96 - width : width};
    dy = tensor(1, 0, 32, 2, shape, NULL, sizeof y, NULL);
    a[0] = object(dy);
    require(call("of_waves", a, 1) == -form, "of_waves");
    if (!form)
      fetch(y, dy, sizeof(int32_t) * (size_t)(M * width));
    require(fly_get_device(&i) == FLY_OK && i == 0, "the device is as before");
  }
  require(strstr(raised, "ValueError: ffi_kinds.of_waves: `y` must have the shape (3, ") == raised, "why refused");
  for (i = 0; i < M * width; ++i)
    require(y[i] == i % width, "numbers of waves");
  puts("waves right");
}

static void absent_and_workspace(void) {
  enum { M = 100 };
  const int64_t shape[] = {M}, room[] = {4 * M + 1}, scarce[] = {4 * M - 1};
  float x[M], y[M];
  Object *dx, *dy, *space;
  fly_ffi_any a[4];
  int i, form;
  for (i = 0; i < M; ++i)
    x[i] = (float)i - 50.5f;
  dx = tensor(1, 2, 32, 1, shape, NULL, sizeof x, x);
  dy = tensor(1, 2, 32, 1, shape, NULL, sizeof y, NULL);
  a[0] = object(dx), a[1] = none(), a[2] = object(dy);
  require(call("without_bias", a, 3) == 0, "without_bias");
  fetch(y, dy, sizeof y);
  for (i = 0; i < M; ++i)
    require(y[i] == x[i], "numbers without a bias");
  refused("with_bias", a, 3);
  for (form = 0; form < 2; ++form) {
    space = tensor(1, 1, 8, 1, room, NULL, 4 * M + 1, NULL);
    a[0] = object(dx), a[1] = object(dy), a[2] = form ? object(space) : none();
    require(call("fourfold", a, 3) == 0, "fourfold");
    fetch(y, dy, sizeof y);
    for (i = 0; i < M; ++i)
      require(y[i] == 4.0f * x[i], "fourfold numbers");
  }
  require(allocations == 1 && releases == 1, "one workspace was allocated, and released");
  puts("workspace right");
  refused("fourfold", a, 2);
  space = tensor(1, 1, 8, 1, scarce, NULL, 4 * M - 1, NULL);
  a[2] = object(space);
  refused("fourfold", a, 3);
  space = tensor(1, 2, 32, 1, shape, NULL, 4 * M, NULL);
  a[2] = object(space);
  refused("fourfold", a, 3);
  space = tensor(0, 1, 8, 1, room, NULL, 4 * M + 1, NULL);
  a[2] = object(space);
  refused("fourfold", a, 3);
  a[2] = integer(0);
  refused("fourfold", a, 3);
  require(fly_get_device(&i) == FLY_OK && i == 0, "the device is as before");
}

int main(int count, char **arguments) {
  int device;
  library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    puts(dlerror());
    return 1;
  }
  for (device = 1; device >= 0; --device)
    require(fly_set_device(device) == FLY_OK && fly_stream_create(&streams[device]) == FLY_OK, "a stream");
  softmax();
  kinds();
  packed();
  divided();
  of_waves();
  absent_and_workspace();
  return 0;
}
