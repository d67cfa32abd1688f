// From a function of scalar values to a handler: the scalar unit's counterpart of Lanes.h.
//
//     {"S_ADD_U32", scalar<[](uint32_t a, uint32_t b) { ... return WithScc<uint32_t>{sum, carry}; }>}
//
// A result of type T goes to Dst, WithScc<T> to Dst and SCC, bool to SCC alone. `SccIn` as the first parameter is
// SCC's value; `Old<T>` is the former value of Dst. Floats flush denormals according to MODE.
#pragma once

#include "runtime/emulator/lanes/Lanes.h"

namespace fly::emulator {

template <class T> struct WithScc {
  T value;
  bool scc;
};
struct SccIn {
  bool value;
};
template <class T> struct Old {
  T value;
};

template <class T> inline T readScalar(const Wave &w, const Source &s) {
  uint64_t v = 0;
  switch (s.kind) {
  case Source::Scalar: v = sizeof(T) == 8 ? w.scalar64(s.index) : w.scalar[s.index]; break;
  case Source::Constant: v = s.low | static_cast<uint64_t>(s.high) << 32; break;
  case Source::MaskZero: v = w.mask(s.index) == 0; break;
  default: break;
  }
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(v);
  else if constexpr (sizeof(T) == 4) return std::bit_cast<T>(static_cast<uint32_t>(v));
  else return static_cast<T>(s.change & Source::HighHalf ? v >> 16 : v);
}
template <class T> inline void writeScalar(Wave &w, unsigned to, T v) {
  if constexpr (sizeof(T) == 8) w.setScalar64(to, std::bit_cast<uint64_t>(v));
  else if constexpr (sizeof(T) == 4) w.scalar[to] = std::bit_cast<uint32_t>(v);
  else w.scalar[to] = v;
}

template <class F> struct ScalarTraits : ScalarTraits<decltype(&F::operator())> {};
template <class C, class R, class... A> struct ScalarTraits<R (C::*)(A...) const> {
  using Result = R;
  using Arguments = std::tuple<A...>;
};
template <class T> struct IsOld : std::false_type {
  using Type = uint32_t;
};
template <class T> struct IsOld<Old<T>> : std::true_type {
  using Type = T;
};
template <class T> struct IsWithScc : std::false_type {};
template <class T> struct IsWithScc<WithScc<T>> : std::true_type {};

template <auto Function> void scalar(Wave &w, const Inst &i) {
  using Tr = ScalarTraits<std::remove_const_t<decltype(Function)>>;
  using R = typename Tr::Result;
  using Arguments = typename Tr::Arguments;
  constexpr size_t arity = std::tuple_size_v<Arguments>;
  auto argument = [&]<size_t N>(std::integral_constant<size_t, N>) {
    using T = std::tuple_element_t<N, Arguments>;
    constexpr bool shifted = [] {
      if constexpr (arity == 0) return false;
      else {
        using First = std::tuple_element_t<0, Arguments>;
        return std::is_same_v<First, SccIn> || IsOld<First>::value;
      }
    }();
    if constexpr (std::is_same_v<T, SccIn>) return SccIn{w.scc()};
    else if constexpr (IsOld<T>::value) {
      using V = typename IsOld<T>::Type;
      if constexpr (sizeof(V) == 8) return T{std::bit_cast<V>(w.scalar64(i.dst))};
      else return T{std::bit_cast<V>(w.scalar[i.dst])};
    } else if constexpr (std::is_same_v<T, float>) {
      float v = readScalar<float>(w, i.source[shifted ? N - 1 : N]);
      return w.mode.flushIn32 ? flushed(v) : v;
    } else return readScalar<T>(w, i.source[shifted ? N - 1 : N]);
  };
  RoundingScope rounding(w.mode.plain ? 0 : w.mode.round32);
  R r = [&]<size_t... N>(std::index_sequence<N...>) {
    return Function(argument(std::integral_constant<size_t, N>())...);
  }(std::make_index_sequence<arity>());
  if constexpr (std::is_same_v<R, bool>) w.setScc(r);
  else if constexpr (IsWithScc<R>::value) {
    writeScalar(w, i.dst, r.value);
    w.setScc(r.scc);
  } else if constexpr (std::is_same_v<R, float>) writeScalar(w, i.dst, w.mode.flushOut32 ? flushed(r) : r);
  else writeScalar(w, i.dst, r);
}

} // namespace fly::emulator
