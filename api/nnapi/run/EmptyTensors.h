//===- EmptyTensors.h - Operations on tensors without elements --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Layers have no length of 0, NNAPI's tensors may. What an operation makes of
// one is a question of lengths alone: those of its results grow linearly with
// a length of its input, so two networks with other lengths in the place of 0
// tell what they are at 0. CONCATENATION is the one that makes something of
// nothing: it leaves those inputs out.
//
//   if (hasEmpty(inputs)) ok = runEmpty(part, inputs, frozen, outputs, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_EMPTYTENSORS_H
#define YARROW_API_NNAPI_RUN_EMPTYTENSORS_H

#include "api/nnapi/run/PartPrograms.h"

namespace yarrow::nnapi {

/// Whether the value is a tensor without elements.
bool isEmpty(const Value &value);

/// The results, all without elements, of a part of one operation. Nullopt after
/// errors, also if one has elements.
std::optional<std::vector<Value>> emptyResults(const PartPrograms &part,
                                               std::span<const Value> inputs,
                                               DiagnosticEngine &diags);

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_EMPTYTENSORS_H
