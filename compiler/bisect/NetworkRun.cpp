//===- NetworkRun.cpp - A network's run on the host -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/bisect/NetworkRun.h"

#include "dialects/compass/Compass.h"
#include "quantizer/calibrate/Calibrate.h"
#include "support/Format.h"
#include "support/Npz.h"
#include "support/diagnostics/Measuring.h"

#include <algorithm>

using namespace yarrow;

std::unique_ptr<NetworkRun> NetworkRun::open(const session::ModelSource &source,
                                             const session::Call &call) {
  auto run = std::make_unique<NetworkRun>();
  run->network = session::load(source, call);
  if (!run->network)
    return nullptr;
  run->all = tensorsOf(run->module(), run->network->imported());
  for (std::size_t i = 0; i < run->all.size(); ++i)
    run->placeOf[run->all[i].value] = i;
  run->evaluator = compass::Evaluator::create(run->module(), call.diags);
  return run->evaluator ? std::move(run) : nullptr;
}

const NetworkTensor *NetworkRun::find(const std::string &name) const {
  auto it = std::find_if(all.begin(), all.end(), [&](const NetworkTensor &t) {
    return t.name == name;
  });
  return it == all.end() ? nullptr : &*it;
}

/// Where the tensor's layer is in its file: "net_o.txt:12", or "".
static std::string placeText(const NetworkTensor &tensor) {
  auto [file, line] = compass::sourceLineOf(tensor.value.getDefiningOp());
  return line ? file.str() + ":" + std::to_string(line) : "";
}

LayerResult yarrow::resultOf(const NetworkTensor &tensor,
                             std::optional<std::vector<char>> bytes) {
  return {.name = tensor.name,
          .layer = tensor.layer,
          .layerType = tensor.layerType,
          .place = placeText(tensor),
          .type = compass::dtypeName(tensor.info.dtype).str(),
          .shape = tensor.shape(),
          .npyType = npyTypeOf(tensor.info.dtype),
          .isBfloat = tensor.info.dtype == compass::DType::BF16,
          .bytes = std::move(bytes)};
}

std::optional<Execution>
NetworkRun::run(const std::vector<std::vector<char>> &inputs,
                DiagnosticEngine &diags) {
  Execution execution;
  for (const NetworkTensor &t : all)
    execution.results.push_back(resultOf(t));
  std::vector<compass::TensorBytesRef> refs(inputs.begin(), inputs.end());
  std::vector<compass::TensorBytes> outputs;
  compass::EvaluationStop stop = evaluator->run(
      refs, outputs, [&](mlir::Value value, compass::TensorBytesRef bytes) {
        // Those of sub-graphs have no place.
        if (auto it = placeOf.find(value); it != placeOf.end())
          execution.results[it->second].bytes.emplace(bytes.begin(),
                                                      bytes.end());
      });
  if (!stop)
    return execution;
  stop.report(diags);
  return std::nullopt;
}

std::optional<Execution> yarrow::recordedExecution(const std::string &path,
                                                   const Execution &found,
                                                   std::size_t run,
                                                   DiagnosticEngine &diags) {
  auto arrays = readNpz(path, diags);
  if (!arrays)
    return std::nullopt;
  Execution recorded;
  bool isGood = true;
  auto wrong = [&](DiagId id, const NpzArray &array,
                   std::string message) -> Diagnostic & {
    isGood = false;
    return diags.report(id, {array.array.name}, std::move(message))
        .found(array.array.str());
  };
  std::vector<std::string> names;
  for (const LayerResult &result : found.results)
    names.push_back(result.name);
  for (const NpzArray &array : *arrays) {
    const LayerResult *result = found.find(array.name);
    // An executable has not all tensors of a network as a whole.
    if (!result)
      continue;
    std::size_t elements = 1;
    for (int64_t d : result->shape)
      elements *= std::size_t(d);
    bool areFloats = array.array.isFloat() && result->type.starts_with("float");
    if (!(areFloats || array.array.type == result->npyType) || !elements ||
        array.array.numElements == 0 ||
        array.array.numElements % elements != 0) {
      wrong(diag::ReferenceForm, array,
            "the array's type or shape does not match the tensor " +
                result->name)
          .expected(result->type + shapeText(result->shape) +
                    ", for several runs one after the other");
      continue;
    }
    LayerResult copy = *result;
    copy.type = std::string(npyTypeName(array.array.type));
    copy.npyType = array.array.type;
    copy.bytes.reset();
    if ((run + 1) * elements <= array.array.numElements) {
      std::size_t size = elements * npyTypeBytes(array.array.type);
      auto *data = static_cast<const char *>(array.array.data) + run * size;
      copy.bytes.emplace(data, data + size);
    }
    recorded.results.push_back(std::move(copy));
  }
  if (isGood && recorded.results.empty()) {
    isGood = false;
    Diagnostic &d =
        diags.report(diag::ReferenceUnmatched, {path},
                     "no array is named like a tensor that is compared");
    d.expected("names of some of the " + formatCount(names.size()) +
               " tensors");
    if (!arrays->empty())
      d.found(arrays->front().name).suggest(arrays->front().name, names);
  }
  return isGood ? std::optional(std::move(recorded)) : std::nullopt;
}
