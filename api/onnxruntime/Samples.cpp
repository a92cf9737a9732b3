//===- Samples.cpp - Samples for tensors inside of a model ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/Samples.h"
#include "api/onnxruntime/Convert.h"
#include "api/onnxruntime/Ort.h"
#include "support/Format.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

using namespace yarrow;
using namespace yarrow::ort;

namespace {

/// What ONNX Runtime makes and takes back.
template <typename Object>
using Owned = std::unique_ptr<Object, void (*)(Object *)>;

/// Samples of all tensors together; more are not used.
constexpr std::size_t kMostBytes = std::size_t(1) << 30;

constexpr std::pair<NpyType, int> kTypes[] = {
    {NpyType::Bool, kBool},       {NpyType::Int8, kInt8},
    {NpyType::UInt8, kUInt8},     {NpyType::Int16, kInt16},
    {NpyType::UInt16, kUInt16},   {NpyType::Int32, kInt32},
    {NpyType::UInt32, kUInt32},   {NpyType::Int64, kInt64},
    {NpyType::UInt64, kUInt64},   {NpyType::Float16, kFloat16},
    {NpyType::Float32, kFloat32}, {NpyType::Float64, kFloat64}};

int elementOf(NpyType type) {
  return std::ranges::find(kTypes, type, &std::pair<NpyType, int>::first)
      ->second;
}

std::optional<NpyType> npyTypeOfElement(int element) {
  const auto *found =
      std::ranges::find(kTypes, element, &std::pair<NpyType, int>::second);
  if (found == std::end(kTypes))
    return std::nullopt;
  return found->first;
}

/// The samples of an input of the model.
struct GivenInput {
  std::string name;
  NpyView array;
  int element = 0;
  provider::Lengths shape; ///< Of one run.
  std::size_t runs = 0, elementsPerRun = 1;
};

GivenInput readInput(const provider::ModelGraph &graph, const std::string &name,
                     const std::string &path) {
  DiagnosticEngine diags;
  auto array = readNpy(path, diags);
  if (!array)
    throw failureOf(diags, "the samples of " + name + " cannot be read");
  GivenInput input{name, *array};
  const provider::TensorFacts *facts = graph.factsOf(name);
  if (!facts || !facts->hasShape ||
      facts->lengths.size() != array->shape.size() || array->shape.empty())
    throw Failure("the samples of " + name + " in " + path +
                  " do not have as many axes as the model states");
  input.element = int(facts->elementType);
  input.shape = facts->lengths;
  if (input.shape[0] < 0)
    input.shape[0] = 1;
  for (std::size_t axis = 1; axis < input.shape.size(); ++axis) {
    if (input.shape[axis] < 0)
      input.shape[axis] = array->shape[axis];
    if (input.shape[axis] != array->shape[axis])
      throw Failure("the samples of " + name + " in " + path +
                    " have the shape " + shapeText(array->shape) +
                    ", and the input has " + shapeText(facts->lengths));
  }
  for (std::int64_t length : input.shape)
    input.elementsPerRun *= std::size_t(length);
  if (input.elementsPerRun)
    input.runs = array->numElements / input.elementsPerRun;
  return input;
}

/// What the runs give for a tensor.
struct Gathered {
  std::shared_ptr<std::vector<char>> bytes =
      std::make_shared<std::vector<char>>();
  std::vector<std::int64_t> shape; ///< Of all runs along the first axis.
  int element = 0;
};

/// The nodes of a model before some tensors, in a session of their own.
class InnerSession {
public:
  InnerSession(const provider::ModelGraph &graph,
               const std::set<std::string> &tensors)
      : cut(graph.cut(graph.nodesBefore(tensors))),
        env(nullptr, ortApi().releaseEnv),
        session(nullptr, ortApi().releaseSession) {
    const Ort &api = ortApi();
    // The one that there is.
    Env *anEnv = nullptr;
    check(api.createEnv(kError, "yarrow", &anEnv));
    env.reset(anEnv);
    SessionOptions *some = nullptr;
    check(api.createSessionOptions(&some));
    Owned<SessionOptions> options(some, api.releaseSessionOptions);
    check(api.setIntraOpNumThreads(some, 1));
    RunSession *aSession = nullptr;
    check(api.createSessionFromArray(anEnv, cut.bytes.data(), cut.bytes.size(),
                                     some, &aSession));
    session.reset(aSession);
    check(api.getAllocatorWithDefaultOptions(&memory));
    for (const std::string &tensor : tensors)
      outputs.push_back(tensor.c_str());
  }

  /// The inputs of the model that the nodes read.
  const std::vector<std::string> &inputs() const { return cut.inputs; }

  /// Run number \p run. False after the last one.
  bool run(const std::vector<GivenInput> &given, std::size_t run,
           std::vector<Gathered> &to) const {
    std::vector<Owned<Value>> values;
    std::vector<const Value *> in;
    std::vector<const char *> names;
    for (const GivenInput &input : given) {
      if (run >= input.runs)
        return false;
      values.push_back(valueOf(input, run));
      in.push_back(values.back().get());
      names.push_back(input.name.c_str());
    }
    std::vector<Value *> out(outputs.size(), nullptr);
    Status *status =
        ortApi().run(session.get(), nullptr, names.data(), in.data(), in.size(),
                     outputs.data(), outputs.size(), out.data());
    std::vector<Owned<Value>> results;
    for (Value *value : out)
      results.emplace_back(value, ortApi().releaseValue);
    check(status);
    for (std::size_t i = 0; i < results.size(); ++i)
      gather(outputs[i], results[i].get(), to[i]);
    return true;
  }

private:
  Owned<Value> valueOf(const GivenInput &input, std::size_t run) const {
    Value *value = nullptr;
    check(ortApi().createTensorAsOrtValue(
        memory, input.shape.data(), input.shape.size(), input.element, &value));
    Owned<Value> owned(value, ortApi().releaseValue);
    void *data = nullptr;
    check(ortApi().getTensorMutableData(value, &data));
    NpyView part =
        input.array.part(run * input.elementsPerRun, input.elementsPerRun);
    if (!convertElements({part.data, elementOf(part.type), part.numElements},
                         input.element, data))
      throw Failure("the samples of " + input.name +
                    " cannot be brought to the type of the input");
    return owned;
  }

  static void gather(const std::string &name, const Value *value,
                     Gathered &to) {
    const Ort &api = ortApi();
    ShapeInfo *info = nullptr;
    check(api.getTensorTypeAndShape(value, &info));
    Owned<ShapeInfo> owned(info, api.releaseTensorTypeAndShapeInfo);
    std::size_t rank = 0, sizeBytes = 0;
    check(api.getTensorElementType(info, &to.element));
    check(api.getDimensionsCount(info, &rank));
    std::vector<std::int64_t> shape(rank);
    if (rank)
      check(api.getDimensions(info, shape.data(), rank));
    else
      shape = {1};
    if (to.shape.empty()) {
      to.shape = shape;
    } else {
      if (!std::ranges::equal(std::span(shape).subspan(1),
                              std::span(to.shape).subspan(1)))
        throw Failure("the size of " + name +
                      " is not the same for every "
                      "sample");
      to.shape[0] += shape[0];
    }
    const void *data = nullptr;
    check(api.getTensorSizeInBytes(value, &sizeBytes));
    check(api.getTensorData(value, &data));
    const char *bytes = static_cast<const char *>(data);
    to.bytes->insert(to.bytes->end(), bytes, bytes + sizeBytes);
  }

  provider::CutModel cut;
  Owned<Env> env;
  Owned<RunSession> session;
  Allocator *memory = nullptr;
  std::vector<const char *> outputs;
};

} // namespace

std::map<std::string, NpyView>
yarrow::ort::samplesInside(const provider::ModelGraph &graph,
                           const std::set<std::string> &tensors,
                           const std::map<std::string, std::string> &given) {
  InnerSession session(graph, tensors);
  std::vector<GivenInput> inputs;
  for (const std::string &name : session.inputs()) {
    auto path = given.find(name);
    if (path == given.end())
      throw Failure("the input " + name + " of the model has no samples");
    inputs.push_back(readInput(graph, name, path->second));
  }
  if (inputs.empty())
    throw Failure("no input of the model decides what they are");
  std::vector<Gathered> gathered(tensors.size());
  auto isFull = [&] {
    std::size_t all = 0;
    for (const Gathered &each : gathered)
      all += each.bytes->size();
    return all > kMostBytes;
  };
  for (std::size_t run = 0; !isFull() && session.run(inputs, run, gathered);)
    ++run;
  std::map<std::string, NpyView> arrays;
  std::size_t i = 0;
  for (const std::string &name : tensors) {
    const Gathered &each = gathered[i++];
    std::optional<NpyType> type = npyTypeOfElement(each.element);
    if (!type)
      throw Failure("no array has the type of " + name);
    NpyView view{*type, each.shape, each.bytes->size() / npyTypeBytes(*type),
                 each.bytes->data(), each.bytes};
    view.name = name;
    arrays.emplace(name, std::move(view));
  }
  return arrays;
}
