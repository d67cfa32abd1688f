// The hot loops of the matrix instructions, on dense panels: A's is [k][m], B's [k][n], D's [m][n].
//
// Plain functions in a separate file, compiled for AVX2 too (Rows.h); both builds give the same bits.
#pragma once

#include <cstdint>

namespace fly::emulator {

// clang-format off
/// Element types of matrix operands. Fnuz: the formats of gfx942 (one zero, NaN 0x80); Fp8, Bf8: OCP's E4M3 and E5M2.
enum class Element : uint8_t {
  F64, F32, Xf32 /* f32 read with 10 mantissa bits */, F16, Bf16, Fp8, Bf8, Fp8Fnuz, Bf8Fnuz, Fp6, Bf6, Fp4,
  I32, I8, U8, I4, U4, Count
};
// clang-format on

/// Where the elements of an operand go: run r (of `run` lanes) of element v to place[v * runs + r] of the panel.
struct Runs {
  unsigned elements, run, runs;
  const uint16_t *place;
};

namespace panel {

/// Elements out of registers (64 lanes each) into a panel, as float.
void unpack(Element type, const uint32_t *registers, const Runs &runs, float *panel);
/// 32-bit words and doubles between registers and panels.
void gather32(const uint32_t *registers, const Runs &runs, uint32_t *panel);
void scatter32(uint32_t *registers, const Runs &runs, const uint32_t *panel);
void gather64(const uint32_t *registers, const Runs &runs, double *panel);
void scatter64(uint32_t *registers, const Runs &runs, const double *panel);
/// D += A * B. `exact`: the products need no rounding in f32, nor do they overflow.
void multiply(float *d, const float *a, const float *b, unsigned m, unsigned n, unsigned k, bool exact);
void multiply64(double *d, const double *a, const double *b, unsigned m, unsigned n, unsigned k);
/// A has `stored` columns; the element at [s][i] is multiplied by row select[s][i] of B.
void multiplySparse(float *d, const float *a, const uint8_t *select, const float *b, unsigned m, unsigned n,
                    unsigned stored, bool exact);
/// Which row of B each element of a sparse A is multiplied with, in the places of A's panel: two index bits per
/// element, those of element v at bit `shift` + 2 v of its own lane. Runs of A have m lanes at most.
void select(const uint32_t *index, const Runs &a, unsigned m, unsigned shift, uint8_t *select);
/// D[i][j] += part[i][j] * scaleA[i] * scaleB[j]
void addScaled(double *d, const float *part, const double *scaleA, const double *scaleB, unsigned m, unsigned n);
/// NaNs to the positive quiet one.
void settle(float *d, unsigned count);

} // namespace panel

} // namespace fly::emulator
