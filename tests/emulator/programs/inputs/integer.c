// Integer programs: SHA-256, wide arithmetic, switches, calls, private arrays, atomics.
#include "tests/emulator/inputs/device.h"

typedef unsigned __int128 u128;
typedef __int128 i128;

static inline u32 rotate(u32 v, u32 n) { return v >> n | v << (32 - n); }
static const CONSTANT u32 round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// One message a work-item: `length` bytes at `length * item`, at most 55, so one block.
KERNEL void sha256(GLOBAL u32 *digest, const GLOBAL u8 *messages, u32 length, u32 n) {
  u32 i = global_id();
  if (i >= n) return;
  u32 w[64];
  for (u32 k = 0; k < 16; ++k) w[k] = 0;
  for (u32 k = 0; k < length; ++k) w[k / 4] |= (u32)messages[i * length + k] << (24 - k % 4 * 8);
  w[length / 4] |= 0x80u << (24 - length % 4 * 8);
  w[15] = length * 8;
  for (u32 k = 16; k < 64; ++k) {
    u32 a = w[k - 15], b = w[k - 2];
    w[k] = w[k - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[k - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
  }
  u32 s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, h[8];
  for (u32 k = 0; k < 8; ++k) h[k] = s[k];
  for (u32 k = 0; k < 64; ++k) {
    u32 t1 = h[7] + (rotate(h[4], 6) ^ rotate(h[4], 11) ^ rotate(h[4], 25)) + ((h[4] & h[5]) ^ (~h[4] & h[6])) + round_constants[k] + w[k];
    u32 t2 = (rotate(h[0], 2) ^ rotate(h[0], 13) ^ rotate(h[0], 22)) + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
    for (u32 j = 7; j > 0; --j) h[j] = h[j - 1];
    h[4] += t1;
    h[0] = t1 + t2;
  }
  for (u32 k = 0; k < 8; ++k) digest[i * 8 + k] = s[k] + h[k];
}

// 64 and 128 bits: products, quotients, shifts, counts.
KERNEL void wide_integers(GLOBAL u64 *out, const GLOBAL u64 *a, const GLOBAL u64 *b, u32 n) {
  u32 i = global_id();
  if (i >= n) return;
  u64 x = a[i], y = b[i];
  u128 p = (u128)x * y + x;
  GLOBAL u64 *o = out + 8 * i;
  o[0] = (u64)p;
  o[1] = (u64)(p >> 64);
  o[2] = y ? x / y : 0;
  o[3] = y ? x % y : 0;
  i64 sx = (i64)x, sy = (i64)y;
  o[4] = sy && !(sx == (i64)(1ull << 63) && sy == -1) ? (u64)(sx / sy) : 0;
  u128 shifted = ((u128)x << 64 | y) >> (x & 127);
  o[5] = (u64)shifted;
  o[6] = (u64)(((i128)p >> 31) * 3 >> 64);
  o[7] = (u64)__builtin_popcountl(x) << 32 | (x ? (u64)__builtin_clzl(x) : 64) << 16 | (y ? (u64)__builtin_ctzl(y) : 64);
}

// A small machine: programs of bytes interpreted with a switch, a stack in scratch.
KERNEL void interpreter(GLOBAL i32 *out, const GLOBAL u8 *code, u32 length, const GLOBAL i32 *in, u32 n) {
  u32 i = global_id();
  if (i >= n) return;
  i32 stack[16];
  u32 top = 0, steps = 0;
  stack[top++] = in[i];
  for (u32 pc = 0; pc < length && steps < 200; ++steps) {
    switch (code[pc++]) {
    case 0: stack[top] = stack[top - 1]; ++top; break;                  // dup
    case 1: --top; stack[top - 1] += stack[top]; break;
    case 2: --top; stack[top - 1] *= stack[top]; break;
    case 3: stack[top++] = (i32)(i8)code[pc++]; break;                  // push
    case 4: { i32 t = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = t; break; }
    case 5: stack[top - 1] = stack[top - 1] >> 1; break;
    case 6: --top; stack[top - 1] ^= stack[top]; break;
    case 7: { u32 to = code[pc++]; if (stack[top - 1] & 1) pc = to; break; } // jump if odd
    case 8: --top; stack[top - 1] -= stack[top]; break;
    case 9: stack[top - 1] = -stack[top - 1]; break;
    default: pc = length; break;
    }
  }
  out[i] = stack[top - 1];
}

// Calls: recursion, a function that is chosen at run time, arguments by pointer to private memory.
__attribute__((noinline)) static u32 ackermann(u32 m, u32 n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__attribute__((noinline)) static void swap(u32 *a, u32 *b) { u32 t = *a; *a = *b; *b = t; }
__attribute__((noinline)) static u32 twice(u32 v) { return 2 * v + 1; }
__attribute__((noinline)) static u32 square(u32 v) { return v * v; }
__attribute__((noinline)) static u32 negate(u32 v) { return ~v; }
KERNEL void calls(GLOBAL u32 *out, const GLOBAL u32 *in, u32 n) {
  u32 i = global_id();
  if (i >= n) return;
  u32 a = in[i], b = i;
  u32 (*function)(u32) = a % 3 == 0 ? twice : a % 3 == 1 ? square : negate;
  u32 r = function(a);
  if (a & 1) swap(&a, &b);
  out[i] = r + 3 * a + 5 * b + ackermann(2, i % 4);
}

// Permutes a private array by an index that only the lane knows.
KERNEL void private_permutation(GLOBAL u32 *out, const GLOBAL u32 *in, u32 n) {
  u32 i = global_id();
  if (i >= n) return;
  u32 p[32], seed = in[i];
  for (u32 k = 0; k < 32; ++k) p[k] = k;
  for (u32 k = 31; k > 0; --k) {
    seed = seed * 1664525 + 1013904223;
    u32 j = (seed >> 8) % (k + 1), t = p[k];
    p[k] = p[j];
    p[j] = t;
  }
  u32 h = 0;
  for (u32 k = 0; k < 32; ++k) h = h * 31 + p[k];
  out[i] = h;
}

// Every kind of atomic on global memory and LDS; the results do not depend on the order.
KERNEL void atomics(GLOBAL u32 *w, GLOBAL u64 *d, const GLOBAL u32 *in, u32 n) {
  static SHARED UNINITIALISED u32 s[4];
  u32 i = global_id(), t = __builtin_amdgcn_workitem_id_x();
  if (t < 4) s[t] = 0;
  barrier();
  if (i < n) {
    u32 v = in[i];
    __atomic_fetch_add(&w[0], v, __ATOMIC_RELAXED);
    __atomic_fetch_max(&w[1], v, __ATOMIC_RELAXED);
    __atomic_fetch_min(&w[2], v, __ATOMIC_RELAXED);
    __atomic_fetch_or(&w[3], v, __ATOMIC_RELAXED);
    __atomic_fetch_and(&w[4], v, __ATOMIC_RELAXED);
    __atomic_fetch_xor(&w[5], v, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&w[6], v, __ATOMIC_RELAXED);
    __atomic_fetch_add(&d[0], (u64)v * v, __ATOMIC_RELAXED);
    __atomic_fetch_max((GLOBAL i64 *)&d[1], (i64)v - 77, __ATOMIC_RELAXED);
    u64 seen = __atomic_load_n(&d[2], __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&d[2], &seen, seen * 1 + (u64)(v & 0xff), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    __atomic_fetch_add(&s[0], v, __ATOMIC_RELAXED);
    __atomic_fetch_xor(&s[1], v * 3, __ATOMIC_RELAXED);
    __atomic_fetch_max(&s[2], v, __ATOMIC_RELAXED);
    u32 old = __atomic_load_n(&s[3], __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&s[3], &old, old + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  }
  barrier();
  if (t < 4) __atomic_fetch_add(&w[8 + t], s[t], __ATOMIC_RELAXED);
}
