//===- FlatDims.h - Lengths that flat results stand for ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Tensors of more axes than layers have are flat in the graph (layerShape()).
// If the model does not state a result's lengths, no layer can give them.
//
//   if (auto dims = flatResultDims(model, operation)) ... // [1,3,2,3,...]
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_FLATDIMS_H
#define YARROW_PARSER_NNAPI_FLATDIMS_H

#include "parser/nnapi/NnModel.h"
#include <optional>

namespace yarrow::nnapi {

/// Of the result of an operation that computes flat tensors (FLAT in
/// Operations.def), from its input and its constant pads. Nullopt if its input
/// is none. The operation was imported.
std::optional<std::vector<std::uint32_t>>
flatResultDims(const NnModel &model, const Operation &operation);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_FLATDIMS_H
