//===- HalfEdges.h - float16 where programs begin and end -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Layers compute float16 operands in float32, as the definition allows; a
// client's inputs and outputs are float16, rounded to nearest even.
//
//   HalfEdges halves(part);
//   program.run(halves.load(inputs), outputs);
//   halves.store(outputs);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_HALFEDGES_H
#define YARROW_API_NNAPI_RUN_HALFEDGES_H

#include "api/nnapi/run/Value.h"
#include "parser/nnapi/NnModel.h"

namespace yarrow::nnapi {

class HalfEdges {
public:
  /// For the inputs and outputs of \p part.
  explicit HalfEdges(const NnModel &part);
  /// For others: which ones are float16.
  HalfEdges(std::vector<bool> isHalfInput, std::vector<bool> isHalfOutput)
      : isHalfInput(std::move(isHalfInput)),
        isHalfOutput(std::move(isHalfOutput)) {}

  /// Inputs as layers take them.
  std::vector<Value> load(std::span<const Value> inputs) const;
  /// Outputs of layers as the part has them; a count after them stays.
  void store(std::vector<Value> &outputs) const;

private:
  std::vector<bool> isHalfInput, isHalfOutput;
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_HALFEDGES_H
