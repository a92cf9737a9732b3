//===- GlobalMethodKind.h - Which methods there are -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The methods of global_calibration as an enumeration, apart from
// GlobalMethod.h so that another record does not compile all that quantizes.
//
//   switch (method.record->kind) {
//   case GlobalMethodKind::Gptq: ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_OPTIONS_GLOBALMETHODKIND_H
#define YARROW_QUANTIZER_OPTIONS_GLOBALMETHODKIND_H

#include <cstdint>

namespace yarrow {

enum class GlobalMethodKind : uint8_t {
#define METHOD(KIND, NAME, STAGE, PARAMETERS, DOC) KIND,
#include "quantizer/options/GlobalMethods.def"
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_OPTIONS_GLOBALMETHODKIND_H
