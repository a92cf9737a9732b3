//===- FloatReason.h - Why a layer stays in floats --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The attribute of a layer in integer IR that is computed in floats: a string
// that says what has decided so. The quantizer sets it, and who compiles the
// network tells it (CompileFloat). Files of IR have no place for it.
//
//   if (auto reason = op->getAttrOfType<mlir::StringAttr>(kFloatReasonAttr))
//     text += reason.str();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_OPTIONS_FLOATREASON_H
#define YARROW_QUANTIZER_OPTIONS_FLOATREASON_H

namespace yarrow {

inline constexpr char kFloatReasonAttr[] = "quantizer.float_reason";

} // namespace yarrow

#endif // YARROW_QUANTIZER_OPTIONS_FLOATREASON_H
