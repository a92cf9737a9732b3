//===- RotaryTables.cpp - Cosines and sines of positions ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/RotaryTables.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::gguf;

RotaryTables gguf::rotaryTables(const LlamaParams &params,
                                std::int64_t positions,
                                const std::vector<double> &factors) {
  std::int64_t pairs = params.rotated / 2;
  std::vector<float> cosines, sines;
  for (std::int64_t position = 0; position < positions; ++position)
    for (std::int64_t i = 0; i < pairs; ++i) {
      double frequency = std::pow(double(params.ropeBase),
                                  -2.0 * double(i) / double(params.rotated));
      if (!factors.empty())
        frequency /= factors[std::size_t(i)];
      double angle = double(position) / double(params.ropeScale) * frequency;
      cosines.push_back(float(std::cos(angle)));
      sines.push_back(float(std::sin(angle)));
    }
  return {graph::Constant::ofFloats({positions, pairs}, cosines),
          graph::Constant::ofFloats({positions, pairs}, sines)};
}
