//===- Model.cpp - A network, for Python ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "python/native/Model.h"
#include "compiler/pipeline/ModuleFile.h"
#include "compiler/work/FilePlan.h"
#include "compiler/work/NewFolders.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/States.h"
#include "parser/compass/CompassReader.h"
#include "python/native/Interruptible.h"
#include "python/native/Raise.h"
#include "quantizer/calibrate/Calibrate.h"
#include "support/ReadFiles.h"
#include "support/ThreadPool.h"
#include "support/diagnostics/Files.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <mutex>

namespace py = pybind11;
using namespace yarrow;
using namespace yarrow::python;
using Json = nlohmann::ordered_json;

Model::Model(std::shared_ptr<const session::Network> given)
    : network(std::move(given)),
      tensors(tensorsOf(network->module(), network->imported())) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    placeOf[tensors[i].value] = i;
  mlir::func::FuncOp graph = compass::mainGraph(network->module());
  inputs = indicesOf(compass::callerInputValues(graph));
  outputs = indicesOf(compass::callerOutputValues(graph));
  outputPlaces = compass::callerOutputs(graph);
  keepsState = !compass::graphStates(graph).empty();
}

std::shared_ptr<Model> Model::load(session::ModelSource source,
                                   const std::string &rounding) {
  if (rounding == "reference")
    source.given.rounding = PrequantizedRounding::Reference;
  else if (rounding != "once")
    raiseUsage("rounding is neither 'once' nor 'reference': " + rounding);
  py::gil_scoped_release released;
  DiagnosticEngine diags;
  auto network = interruptible([&] { return session::load(source, {diags}); });
  raiseIf(!network, diags);
  std::shared_ptr<Model> model(new Model(std::move(network)));
  model->diagnosticsJson = jsonOf(diags);
  return model;
}

std::vector<std::size_t>
Model::indicesOf(llvm::ArrayRef<mlir::Value> values) const {
  std::vector<std::size_t> indices;
  indices.reserve(values.size());
  for (mlir::Value value : values)
    indices.push_back(placeOf.at(value));
  return indices;
}

static StoredValues storedValuesOf(const NetworkTensor &tensor) {
  return {yarrow::npyTypeOf(tensor.info.dtype),
          tensor.info.dtype == compass::DType::BF16, tensor.info.scale,
          tensor.info.zp};
}

/// The type that the model gives a tensor of real numbers or of integers that
/// count, as NumPy calls it; null where it does not, or NumPy has no such type.
static Json modelTypeOf(const NetworkTensor &tensor) {
  if (!tensor.modelType || tensor.info.isQuantized() ||
      tensor.modelType == ElementType::BF16)
    return {};
  return npyTypeName(yarrow::npyTypeOf(*tensor.modelType));
}

std::string Model::tensorsJson() const {
  Json list = Json::array();
  for (const NetworkTensor &t : tensors) {
    bool isQuantized = t.info.isQuantized();
    list.push_back({{"name", t.bestName()},
                    {"tensor", t.name},
                    {"model_names", t.modelNames},
                    {"layer", t.layer},
                    {"layer_type", t.layerType},
                    {"node", t.node},
                    {"shape", t.shape()},
                    {"type", compass::dtypeName(t.info.storedType()).str()},
                    {"dtype", npyTypeName(yarrow::npyTypeOf(t.info.dtype))},
                    {"model_dtype", modelTypeOf(t)},
                    {"scale", isQuantized ? Json(t.info.scale) : Json()},
                    {"zero_point", isQuantized ? Json(t.info.zp) : Json()}});
  }
  Json all = {
      {"tensors", std::move(list)}, {"inputs", inputs}, {"outputs", outputs}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Model::mlir(bool withWeights) {
  py::gil_scoped_release released;
  std::unique_lock lock(network->lock());
  return moduleText(network->module(),
                    withWeights ? ModuleForm::Complete : ModuleForm::Brief);
}

void Model::save(const std::string &textPath, const std::string &weightsPath) {
  py::gil_scoped_release released;
  std::unique_lock lock(network->lock());
  DiagnosticEngine diags;
  forgetReadFiles(); // those of other calls may be replaced
  FilePlan files;
  files.reads({network->path(), network->weightsPath()});
  files.writes({textPath, weightsPath});
  std::string folder = std::filesystem::path(textPath).parent_path().string();
  bool isGood =
      makeFolder(folder, diags) && files.check(diags) &&
      files.canBeWritten(diags) &&
      compass::writeCompassIr(network->module(), textPath, weightsPath, diags);
  raiseIf(!isGood, diags);
}

void Model::prepareEvaluator() {
  {
    std::shared_lock lock(network->lock()); // waits for nobody who computes
    if (evaluator)
      return;
  }
  std::unique_lock lock(network->lock());
  if (evaluator)
    return;
  DiagnosticEngine diags;
  evaluator = compass::Evaluator::create(network->module(), diags);
  raiseIf(!evaluator, diags);
}

session::DataTarget Model::dataTarget() const {
  session::DataTarget target;
  for (std::size_t i : inputs) {
    target.inputs.push_back({tensors[i].bestName(), tensors[i].name});
    target.shapes.push_back(tensors[i].shape());
  }
  return target;
}

std::vector<uintptr_t> Model::addressesOf(const NamedArrays &data) {
  session::Data given = dataOf(data);
  std::vector<NpyView> views = boundViews(given, dataTarget());
  std::vector<uintptr_t> addresses;
  addresses.reserve(inputs.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const NetworkTensor &tensor = tensors[inputs[k]];
    addresses.push_back(reinterpret_cast<uintptr_t>(
        bytesInPlace(views[k], storedValuesOf(tensor), tensor.info.sizeBytes(),
                     0)
            .data()));
  }
  return addresses;
}

namespace {
/// Where one tensor of a run goes.
struct Target {
  const NetworkTensor &tensor;
  StackedArray array;
  bool isReal;

  void store(llvm::ArrayRef<char> bytes, std::size_t run) const {
    if (isReal)
      writeReal(std::as_bytes(std::span(bytes.data(), bytes.size())),
                storedValuesOf(tensor),
                reinterpret_cast<float *>(array.bytesOf(run)));
    else
      std::memcpy(array.bytesOf(run), bytes.data(), bytes.size());
  }
};
} // namespace

/// What an input takes as it is lies where the caller has it; the rest of a
/// run's inputs is converted into \p converted.
static std::vector<compass::TensorBytesRef>
inputsOf(const SampleSet &samples, const std::vector<NpyView> &views,
         llvm::ArrayRef<const NetworkTensor *> inputs, std::size_t run,
         std::vector<std::vector<char>> &converted) {
  std::vector<compass::TensorBytesRef> refs;
  refs.reserve(views.size());
  bool isAllInPlace = true;
  for (std::size_t k = 0; k < views.size(); ++k) {
    auto bytes = bytesInPlace(views[k], storedValuesOf(*inputs[k]),
                              inputs[k]->info.sizeBytes(), run);
    isAllInPlace &= !bytes.empty();
    refs.emplace_back(reinterpret_cast<const char *>(bytes.data()),
                      bytes.size());
  }
  if (isAllInPlace)
    return refs;
  converted = samples.inputsOf(run);
  return {converted.begin(), converted.end()};
}

py::list Model::evaluate(const NamedArrays &data, bool withTensors, bool isReal,
                         const std::map<std::string, std::string> &pictures) {
  session::Data given = dataOf(data, pictureOptionsOf(pictures, data));
  std::vector<NpyView> views;
  std::unique_ptr<SampleSet> samples;
  DiagnosticEngine diags;
  {
    py::gil_scoped_release released;
    views = boundViews(given, dataTarget());
    prepareEvaluator();
    std::shared_lock lock(network->lock());
    samples = SampleSet::create(network->module(), views, diags,
                                {diag::TensorMismatch});
    raiseIf(!samples, diags);
  }
  std::vector<std::size_t> wanted = outputs;
  if (withTensors) {
    wanted.resize(tensors.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      wanted[i] = i;
  }
  std::vector<Target> targets;
  targets.reserve(wanted.size());
  py::list results;
  for (std::size_t i : wanted) {
    NpyType type = yarrow::npyTypeOf(tensors[i].info.dtype);
    targets.push_back({tensors[i],
                       {tensors[i].shape(), isReal ? NpyType::Float32 : type,
                        samples->count()},
                       isReal});
    results.append(targets.back().array.array);
  }
  py::gil_scoped_release released;
  std::shared_lock lock(network->lock());
  std::vector<const NetworkTensor *> inputTensors;
  inputTensors.reserve(inputs.size());
  for (std::size_t i : inputs)
    inputTensors.push_back(&tensors[i]);
  std::atomic<bool> isStopped = false;
  std::vector<compass::EvaluationStop> stops(samples->count());
  auto evaluateOne = [&](std::size_t run) {
    if (isStopped)
      return;
    std::vector<std::vector<char>> converted;
    std::vector<compass::TensorBytesRef> refs;
    if (keepsState) { // whose values are among those of the samples
      converted = samples->inputsOf(run);
      refs.assign(converted.begin(), converted.end());
    } else {
      refs = inputsOf(*samples, views, inputTensors, run, converted);
    }
    compass::Evaluator::Callback onTensor;
    if (withTensors)
      onTensor = [&](mlir::Value value, compass::TensorBytesRef bytes) {
        // Those of sub-graphs have no place.
        if (auto it = placeOf.find(value); it != placeOf.end())
          targets[it->second].store(bytes, run);
      };
    std::vector<compass::TensorBytes> results;
    stops[run] = evaluator->run(refs, results, onTensor);
    if (stops[run])
      isStopped = true;
    else if (!withTensors)
      for (std::size_t k = 0; k < outputPlaces.size(); ++k)
        targets[k].store(results[outputPlaces[k]], run);
  };
  runInterruptible([&] { parallelFor(samples->count(), evaluateOne); });
  for (const compass::EvaluationStop &stop : stops)
    if (stop) {
      stop.report(diags);
      break;
    }
  raiseIf(false, diags);
  return results;
}
