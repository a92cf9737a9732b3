//===- IntegerForms.h - Layers that integers do not have --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Some forms of operators have no integer form, or one that is another
// function. These layers stay in float32, as trigger_float_op would leave them,
// and a note says why.
//
//   if (std::string why = lacksIntegerForm(layer); !why.empty())
//     floats.keep(layer, DType::F32);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_INTEGERFORMS_H
#define YARROW_QUANTIZER_RULES_INTEGERFORMS_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

/// Why a float layer stays one; "" if there is a rule for its form.
std::string lacksIntegerForm(const LayerContext &layer);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_INTEGERFORMS_H
