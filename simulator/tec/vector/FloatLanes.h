//===- FloatLanes.h - What vector floating-point handlers share -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Operations that round are operations of the host, which then has raised the
// flags that RISC-V asks for: lanes that are not active compute with 1 or 0,
// which raises none. Everything else (comparisons, conversions to integers,
// estimates) works on bits and says itself which flags it raises, because
// compilers choose among host instructions without regard to flags.
//
//   return byFloat(c, [&]<class T>() { ...float, double... });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_TEC_VECTOR_FLOATLANES_H
#define YARROW_SIMULATOR_TEC_VECTOR_FLOATLANES_H

#include "simulator/tec/vector/Lanes.h"
#include <cfenv>

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

/// In a reserved rounding mode every floating-point instruction is illegal
/// (V 13.1).
static inline bool hasRoundingMode(const Core *c) { return c->frm <= 4; }

template <class F> static inline bool byFloat(const Core *c, F f) {
  if (!hasRoundingMode(c))
    return false;
  if (c->sew == 2) {
    f.template operator()<float>();
    return true;
  }
  if (c->sew == 3) {
    f.template operator()<double>();
    return true;
  }
  return false;
}

/// False in RMM (nearest, ties away from zero), which hosts lack. The host is
/// then in RNE, which differs in ties only.
static inline bool roundsAsHost(const Core *c) { return c->frm == c->hostMode; }

/// The scalar operand of .vf; a float must be NaN-boxed.
template <class T> static inline T scalarF(const Core *c, const Inst *i) {
  uint64_t bits = c->f[i->rs1];
  if constexpr (sizeof(T) == 8)
    return fromBits<T>(bits);
  else
    return bits >> 32 == 0xffffffff ? fromBits<T>(uint32_t(bits))
                                    : canonicalNaN<T>();
}

template <class T> static inline BitsOf<T> magnitudeOf(BitsOf<T> bits) {
  return bits & ~FloatTraits<T>::kSign;
}
template <class T> static inline bool isNaN(BitsOf<T> bits) {
  using S = typename FloatTraits<T>::Signed;
  return S(magnitudeOf<T>(bits)) > S(FloatTraits<T>::kInf);
}
template <class T> static inline bool isSignaling(BitsOf<T> bits) {
  return isNaN<T>(bits) && !(bits & FloatTraits<T>::kQuiet);
}
/// Numbers in their order as integers; both zeros are 0.
template <class T> static inline auto orderOf(BitsOf<T> bits) {
  using S = typename FloatTraits<T>::Signed;
  S negative = S(bits) >> (sizeof(T) * 8 - 1);
  return S((S(magnitudeOf<T>(bits)) ^ negative) - negative);
}

/// Replaces lanes whose bit is clear by a number that raises no flag in any
/// operation: 1, or the integer 0.
template <class T, unsigned N>
static inline void calmLanes(T (&lanes)[N], uint32_t bits) {
  T calm[N];
  for (unsigned j = 0; j < N; ++j)
    calm[j] = T(std::is_floating_point_v<T>);
  blendLanes(reinterpret_cast<uint8_t *>(calm), lanes, bits);
  std::memcpy(lanes, calm, sizeof lanes);
}

/// Which of lanes a, b, d an operation multiplies and then adds to.
enum class Fused { None, AB, DB };

/// Invalid operation for 0 * inf + NaN, where hosts differ.
template <Fused Kind, class D, class A, class B, unsigned N>
[[gnu::noinline]] static void raiseFused(Core *c, const A (&a)[N],
                                         const B (&b)[N], const D (&d)[N]) {
  using F = FloatTraits<D>;
  for (unsigned j = 0; j < N; ++j) {
    BitsOf<D> p = magnitudeOf<D>(bitsOf(Kind == Fused::AB ? D(a[j]) : d[j]));
    BitsOf<D> q = magnitudeOf<D>(bitsOf(D(b[j])));
    if ((p == 0 && q == F::kInf) || (p == F::kInf && q == 0))
      c->fflags |= kInvalid;
  }
}

/// Calls chunk(k, std::bool_constant<isCut>()) for each chunk of N lanes; one
/// that vl or the mask cuts has inactive lanes to look after, and the others
/// are faster for not having to ask.
template <unsigned N, class F>
[[gnu::always_inline]] static inline void forChunks(const Core *c,
                                                    const Inst *i, F chunk) {
  unsigned k = 0;
  if (i->vm)
    for (; k + N <= c->vl; k += N)
      chunk(k, std::false_type());
  for (; k < c->vl; k += N)
    chunk(k, std::true_type());
}

/// As mapLanes, for operations of the host that raise flags.
template <class D, Fused Kind = Fused::None, class A, class B, class F>
[[gnu::always_inline]] static inline void
mapRaising(Core *c, const Inst *i, unsigned vd, A a, B b, F f) {
  uint8_t *to = reg(c, vd);
  forChunks<kLanes<D, A, B>>(
      c, i, [&]<bool IsCut>(unsigned k, std::bool_constant<IsCut>) {
        constexpr unsigned N = kLanes<D, A, B>; // the pragmas do not capture
        typename A::Type la[N];
        typename B::Type lb[N];
        D old[N], result[N];
        a.template load<N>(la, k);
        b.template load<N>(lb, k);
        std::memcpy(old, to + k * sizeof(D), sizeof old);
        if constexpr (IsCut) {
          uint32_t bits = activeBits<N>(c, !i->vm, k);
          calmLanes(la, bits);
          if constexpr (!std::is_same_v<B, Nothing>)
            calmLanes(lb, bits);
          if constexpr (Kind != Fused::None)
            calmLanes(old, bits);
        }
        TEC_LANES
        for (unsigned j = 0; j < N; ++j)
          result[j] = f(la[j], lb[j], old[j]);
        if constexpr (Kind != Fused::None) {
          BitsOf<D> someNaN = 0;
          TEC_LANES
          for (unsigned j = 0; j < N; ++j)
            someNaN |= isNaN<D>(bitsOf(result[j]));
          if (someNaN) [[unlikely]]
            raiseFused<Kind>(c, la, lb, old);
        }
        if constexpr (IsCut)
          storeLanes(c, !i->vm, to, result, k);
        else
          std::memcpy(to + k * sizeof(D), result, sizeof result);
      });
}

/// Nearest with ties away, of what \p nearest is to nearest even: the next
/// number away from zero if \p exact, in a wider format, is half way to it.
template <class T> static inline T awayIfTie(T nearest, long double exact) {
  long double n = nearest;
  bool isBelow = __builtin_fabsl(exact) > __builtin_fabsl(n);
  T away = fromBits<T>(bitsOf(nearest) + 1);
  // Both have at most 53 bits and neighbour each other, so the sum is exact.
  return isBelow && n + (long double)away == 2 * exact ? away : nearest;
}

/// A lane in the type of the result. To convert an integer the host may sum two
/// halves, which makes -0 of 0 when it rounds down, so the sign is set from the
/// integer. The compiler, which takes rounding to be nearest, would drop that
/// if it knew what is in magnitude.
template <class D> struct OperandAs {
  BitsOf<D> magnitude = ~FloatTraits<D>::kSign;
  OperandAs() { asm("" : "+r"(magnitude)); }
  template <class A> D of(A a) const {
    if constexpr (std::is_integral_v<A>) {
      BitsOf<D> sign = a < 0 ? FloatTraits<D>::kSign : 0;
      return fromBits<D>((bitsOf(D(a)) & magnitude) | sign);
    } else {
      return D(a);
    }
  }
};

/// One lane of an operation in RMM. A tie has one significant bit more than a
/// result, which long double holds; an inexact value there is no tie. The
/// operation to nearest even raises the flags: ties do not overflow or
/// underflow differently.
template <class Op, class D, class A, class B>
[[gnu::noinline]] static D roundAway(A a, B b, D d) {
  volatile D nearest = Op::template of<D>(D(a), D(b), d);
  std::fenv_t saved;
  std::feholdexcept(&saved);
  // Volatile, lest the operation is done outside of the saved environment.
  volatile long double wa = a, wb = b, wd = d;
  volatile long double exact = Op::template of<long double>(wa, wb, wd);
  bool isExact = !std::fetestexcept(FE_INEXACT);
  D result = isExact ? awayIfTie<D>(nearest, exact) : D(nearest);
  std::fesetenv(&saved);
  return result;
}

/// vd[k] = Op(a[k], b[k], vd[k]) as frm rounds, where Op::of<T>(a, b, d) is an
/// operation in T and Op::kFused says what it is made of.
template <class Op, class D, class A, class B>
[[gnu::always_inline]] static inline bool mapRounded(Core *c, const Inst *i,
                                                     A a, B b) {
  OperandAs<D> operand;
  if (roundsAsHost(c)) [[likely]]
    mapRaising<D, Op::kFused>(
        c, i, i->rd, a, b,
        [operand](typename A::Type a, typename B::Type b, D d) {
          return canonical(Op::template of<D>(operand.of(a), operand.of(b), d));
        });
  else if (c->frm == 4)
    mapRaising<D, Op::kFused>(c, i, i->rd, a, b,
                              [](typename A::Type a, typename B::Type b, D d) {
                                return canonical(roundAway<Op, D>(a, b, d));
                              });
  else
    return false;
  return true;
}

/// As mapLanes for functions on bits, which also say by their last argument
/// what flags a lane raises.
template <class D, class A, class B, class F>
[[gnu::always_inline]] static inline void mapFlagging(Core *c, const Inst *i,
                                                      A a, B b, F f) {
  constexpr unsigned N = kLanes<D, A, B>;
  using Flags = UnsignedOf<kChunkBytes / N>;
  for (unsigned k = 0; k < c->vl; k += N) {
    typename A::Type la[N];
    typename B::Type lb[N];
    D result[N];
    Flags flags[N];
    a.template load<N>(la, k);
    b.template load<N>(lb, k);
    TEC_LANES
    for (unsigned j = 0; j < N; ++j) {
      Flags lane = 0;
      result[j] = f(la[j], lb[j], lane);
      flags[j] = lane;
    }
    if (!i->vm || k + N > c->vl) [[unlikely]] {
      Flags active[N] = {};
      blendLanes(reinterpret_cast<uint8_t *>(active), flags,
                 activeBits<N>(c, !i->vm, k));
      std::memcpy(flags, active, sizeof flags);
    }
    Flags all = 0;
    for (unsigned j = 0; j < N; ++j)
      all |= flags[j];
    c->fflags |= uint8_t(all);
    storeLanes(c, !i->vm, reg(c, i->rd), result, k);
  }
}

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD

#endif // YARROW_SIMULATOR_TEC_VECTOR_FLOATLANES_H
