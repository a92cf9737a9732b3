//===- AccuracyPacking.cpp - Results of runs for other processes ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/AccuracyRuns.h"

#include "support/Packing.h"

using namespace yarrow;

// All members are named, so that one that is added does not compile here.
template <typename Pack> static void pack(Pack &p, RunScore &score) {
  auto &[samples, agreed, lost, won, divergence] = score.agreement;
  p(score.hits)(samples)(agreed)(lost)(won)(divergence);
  score.answers.pack(p);
  std::size_t size = score.outputs.size();
  p(size);
  score.outputs.resize(size);
  for (Similarity &output : score.outputs) {
    auto &[dot, signal, approximation, noise, maxError, count] = output;
    p(dot)(signal)(approximation)(noise)(maxError)(count);
  }
  size = score.sides.size();
  p(size);
  score.sides.resize(size);
  for (DecisionSides &of : score.sides) {
    auto &[threshold, values, same, above, found] = of;
    p(threshold)(values)(same)(above)(found);
  }
  size = score.observations.size();
  p(size);
  score.observations.resize(size);
  for (std::vector<double> &seen : score.observations)
    p(seen);
  bool isBad = score.bad.has_value();
  p(isBad);
  if (isBad) {
    if (!score.bad)
      score.bad.emplace();
    p(score.bad->output)(score.bad->index)(score.bad->value);
  }
}

template <typename Pack> static void pack(Pack &p, RunResult &result) {
  std::size_t size = result.scores.size();
  p(size);
  result.scores.resize(size);
  for (RunScore &score : result.scores)
    pack(p, score);
  p(result.comparedBytes)(result.differingBytes);
}

std::string yarrow::packed(const std::vector<RunResult> &results) {
  Packer out;
  for (RunResult result : results)
    pack(out, result);
  return std::move(out.bytes);
}

std::vector<RunResult> yarrow::unpacked(std::string_view bytes) {
  std::vector<RunResult> results;
  for (Unpacker in(bytes); !in.atEnd();)
    pack(in, results.emplace_back());
  return results;
}
