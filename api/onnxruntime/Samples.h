//===- Samples.h - Samples for tensors inside of a model --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Samples that a program gives are for the inputs of its model. A part in the
// middle of it reads what other nodes compute, some of which only ONNX Runtime
// has. So these nodes run on the CPU, in a session of their own of the ONNX
// Runtime that loaded this library, once for each sample.
//
//   auto arrays = samplesInside(*graph, {"conv_3"}, {{"x", "x.npy"}});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_ONNXRUNTIME_SAMPLES_H
#define YARROW_API_ONNXRUNTIME_SAMPLES_H

#include "compiler/provider/ModelGraph.h"
#include "support/Npy.h"

#include <map>
#include <set>
#include <string>

namespace yarrow::ort {

/// One array for each of \p tensors, which nodes of \p graph write; samples
/// follow one another along the first axis. \p given: paths of .npy files by
/// input of the model. Throws a Failure.
std::map<std::string, NpyView>
samplesInside(const provider::ModelGraph &graph,
              const std::set<std::string> &tensors,
              const std::map<std::string, std::string> &given);

} // namespace yarrow::ort

#endif // YARROW_API_ONNXRUNTIME_SAMPLES_H
