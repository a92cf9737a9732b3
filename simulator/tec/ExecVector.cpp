//===- ExecVector.cpp - Choice of the vector handlers ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// vector/ is compiled once for any host and once for hosts with AVX2 and FMA.
// Both give the same bits; tests run both.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/Core.h"

namespace yarrow::sim::tec {

namespace base {
extern const HandlerTable handlers;
}
#ifdef YARROW_TEC_HAS_V3
namespace v3 {
extern const HandlerTable handlers;
}
#endif

const HandlerTable &vectorHandlers(bool anyHost) {
#ifdef YARROW_TEC_HAS_V3
  static const bool hostHasV3 = __builtin_cpu_supports("x86-64-v3");
  if (hostHasV3 && !anyHost)
    return v3::handlers;
#endif
  return base::handlers;
}

} // namespace yarrow::sim::tec
