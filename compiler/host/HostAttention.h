// Attention, the reference of a check: in double, with all scores of a row at once.
//
//     score  = scale * (q . k)
//     score  = softcap * tanh(score / softcap)             if softcap > 0
//     score += bias[i, j] - alibi * |i + Sk - Sq - j|
//     score  = -inf where `mask`, causality or the window hide key j from query i
//     O      = sum of exp(score) * v / (sum of exp(score) + exp(sink)),  LSE = log of that denominator
//
// Query i of Sq stands at key i + Sk - Sq of Sk: the last query sees the last key ("bottom-right"). A row that sees
// nothing and has no sink has O = 0 and LSE = -inf.
#pragma once

#include "compiler/host/HostArray.h"

namespace fly::host {

struct Attention {
  std::optional<double> scale = std::nullopt; ///< 1 / sqrt(D)
  bool causal = false;
  int64_t left = -1, right = -1; ///< keys before and after a query's own place that it sees; -1: all
  double softcap = 0;
  /// Null: none. Of the shapes that broadcast to (H) or (B, H), alike, (B, H, Sq, Sk), alike. `mask`: which keys a query
  /// sees.
  const HostArray *sink = nullptr, *alibi = nullptr, *bias = nullptr, *mask = nullptr;
};

struct Attended {
  HostArray output; ///< (B, Sq, H, Dv)
  HostArray lse;    ///< (B, H, Sq): natural logarithm
};

/// q (B, Sq, H, D), k (B, Sk, Hk, D), v (B, Sk, Hk, Dv); all of them without B are one sequence, and so is the result.
/// Head h reads head h / (H / Hk) of k and v.
Result<Attended> attend(const HostArray &q, const HostArray &k, const HostArray &v, const Attention &attention,
                        const Work &work = {});

} // namespace fly::host
