//===- PartNode.cpp - A part of a model as a node -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/PartNode.h"
#include "api/onnxruntime/Convert.h"
#include "api/onnxruntime/Ort.h"
#include "api/onnxruntime/Profile.h"
#include "runtime/Recorder.h"
#include "runtime/Report.h"
#include "support/Format.h"

#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::ort;

PartNode::PartNode(PartSpec spec, const Options &options, const Logger *logger)
    : NodeCompute{}, part(std::move(spec)), options(options), logger(logger) {
  version = kNeededVersion;
  createState = [](NodeCompute *self, ComputeContext *,
                   void **state) -> Status * {
    *state = self;
    return nullptr;
  };
  compute = [](NodeCompute *self, void *, KernelContext *context) {
    return guarded([&] { static_cast<PartNode *>(self)->run(context); });
  };
  releaseState = [](NodeCompute *, void *) {};
  // The model's constants are needed no more, unless a run may replace some.
  if (part.executable && part.source.graph &&
      std::ranges::none_of(part.inputs, [&](const NodeTensor &input) {
        return part.source.graph->isConstant(input.name);
      }))
    part.source = {};
  if (part.executable)
    programs.emplace(
        std::vector<std::vector<std::int64_t>>(),
        std::make_unique<Program>(part.executable->program(), part, options));
}

/// Where the tensor that an executable calls \p name is in \p tensors: by its
/// name, else at the same place.
static std::size_t placeOf(const std::string &name,
                           const std::vector<NodeTensor> &tensors,
                           std::size_t place) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name)
      return i;
  if (place >= tensors.size())
    throw Failure("a part has the tensor " + name + ", and its node has not");
  return place;
}

PartNode::Program::Program(
    std::shared_ptr<const runtime::Executable> executable, const PartSpec &part,
    const Options &options)
    : sessions(std::move(executable),
               {.timed = options.isTimed, .budget = options.budget}) {
  const runtime::Executable &program = *sessions.executable();
  for (std::size_t i = 0; i < program.inputs().size(); ++i)
    inputs.push_back(placeOf(program.inputs()[i].name, part.inputs, i));
  outputs.resize(part.outputs.size(), SIZE_MAX);
  for (std::size_t i = 0; i < program.outputs().size(); ++i)
    outputs[placeOf(program.outputs()[i].name, part.outputs, i)] = i;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i] == SIZE_MAX)
      throw Failure("the executable of " + part.name + " does not compute " +
                    part.outputs[i].name);
}

//===----------------------------------------------------------------------===//
// A run
//===----------------------------------------------------------------------===//

std::vector<PartNode::Input>
PartNode::inputsOf(const KernelContext *context) const {
  const Ort &api = ortApi();
  std::vector<Input> inputs(part.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value *value = nullptr;
    check(api.kernelContextGetInput(context, i, &value));
    if (!value)
      throw Failure("the input " + part.inputs[i].name + " has no value");
    Input &input = inputs[i];
    ShapeInfo *shape = nullptr;
    check(api.getTensorTypeAndShape(value, &shape));
    std::size_t rank = 0;
    Status *status = api.getTensorElementType(shape, &input.type);
    if (!status)
      status = api.getDimensionsCount(shape, &rank);
    input.shape.resize(rank);
    if (!status && rank)
      status = api.getDimensions(shape, input.shape.data(), rank);
    api.releaseTensorTypeAndShapeInfo(shape);
    check(status);
    for (std::int64_t length : input.shape)
      input.count *= std::size_t(length);
    if (input.count)
      check(api.getTensorData(value, &input.data));
  }
  return inputs;
}

std::shared_ptr<const session::Executable>
PartNode::compileFor(const std::vector<Input> &inputs) {
  provider::GivenLengths lengths;
  std::string shapes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    lengths[part.inputs[i].name] = inputs[i].shape;
    shapes +=
        (i ? ", " : "") + part.inputs[i].name + shapeText(inputs[i].shape);
  }
  // The place of the new one is made already.
  if (programs.size() > options.maxShapes)
    throw Failure(part.name + " is compiled for " +
                  std::to_string(options.maxShapes) +
                  " shapes of its inputs, which is the limit, and " + shapes +
                  " is another one; give the option max_shapes a larger "
                  "number, or give the model fixed lengths");
  notify(logger, kInfo, part.name + " is compiled for " + shapes);
  DiagnosticEngine diags;
  provider::PartCompiler compiler(options.part);
  auto compiled = compiler.compile(
      part.source.graph->path(),
      part.source.graph->cut(part.source.nodes, lengths), diags);
  if (!compiled.executable)
    throw failureOf(diags, part.name + " cannot be compiled for " + shapes);
  notify(logger, diags);
  return compiled.executable;
}

PartNode::Program &PartNode::programFor(const std::vector<Input> &inputs) {
  std::vector<std::vector<std::int64_t>> shapes;
  if (!part.executable)
    for (const Input &input : inputs)
      shapes.push_back(input.shape);
  // Others wait while a shape is compiled: most of them have the same one.
  std::lock_guard lock(mutex);
  std::unique_ptr<Program> &program = programs[shapes];
  try {
    if (!program)
      program = std::make_unique<Program>(compileFor(inputs)->program(), part,
                                          options);
  } catch (...) {
    programs.erase(shapes);
    throw;
  }
  return *program;
}

void PartNode::setInputs(runtime::Session &session, const Program &program,
                         const std::vector<Input> &inputs) const {
  const auto &stored = session.executable().inputs();
  DiagnosticEngine diags;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const Input &input = inputs[program.inputs[i]];
    std::size_t elements =
        stored[i].sizeBytes / runtime::dataTypeBytes(stored[i].type);
    if (input.count != elements)
      throw Failure("the input " + stored[i].name + " of " + part.name +
                    " has the shape " + shapeText(input.shape) +
                    ", and it is compiled for " + shapeText(stored[i].shape));
    std::span<const std::byte> data(static_cast<const std::byte *>(input.data),
                                    stored[i].sizeBytes);
    if (!isSame(input.type, stored[i])) {
      if (!toStored({input.data, input.type, input.count}, stored[i], bytes))
        throw Failure("the input " + stored[i].name + " of " + part.name +
                      " has a type that no network has");
      data = bytes;
    }
    if (!session.setInput(i, data, diags))
      throw failureOf(diags, part.name + " cannot run");
  }
}

void PartNode::giveOutputs(const runtime::Session &session,
                           const Program &program,
                           KernelContext *context) const {
  const Ort &api = ortApi();
  for (std::size_t i = 0; i < part.outputs.size(); ++i) {
    const NodeTensor &output = part.outputs[i];
    const runtime::IoDescription &stored =
        session.executable().outputs()[program.outputs[i]];
    std::size_t count = stored.sizeBytes / runtime::dataTypeBytes(stored.type);
    // An executable may write a tensor without axes as one of one element.
    std::vector<std::int64_t> shape = stored.shape;
    if (output.type.hasShape && output.type.lengths.size() != shape.size() &&
        std::ranges::none_of(output.type.lengths, [](auto n) { return n < 0; }))
      shape = output.type.lengths;
    std::size_t elements = 1;
    for (std::int64_t length : shape)
      elements *= std::size_t(length);
    if (elements != count)
      throw Failure("the output " + output.name + " of " + part.name + " has " +
                    std::to_string(count) +
                    " elements, and the model's shape is " + shapeText(shape));
    Value *value = nullptr;
    check(api.kernelContextGetOutput(context, i, shape.data(), shape.size(),
                                     &value));
    void *data = nullptr;
    if (!count)
      continue;
    check(api.getTensorMutableData(value, &data));
    std::span<const std::byte> bytes = session.output(program.outputs[i]);
    if (isSame(output.type.element, stored))
      std::memcpy(data, bytes.data(), stored.sizeBytes);
    else if (!fromStored(bytes, stored, data, output.type.element, count))
      throw Failure("the output " + output.name + " of " + part.name +
                    " has a type that no network has");
  }
}

/// A model may let a run give other values in the place of constants; a part
/// was compiled for those of the model.
void PartNode::checkConstants(const std::vector<Input> &inputs) const {
  if (!part.source.graph)
    return;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string &name = part.inputs[i].name;
    std::string_view own = part.source.graph->rawConstant(name);
    if (own.empty())
      continue;
    std::size_t sizeBytes = inputs[i].count * bytesOf(inputs[i].type);
    if (sizeBytes && (sizeBytes != own.size() ||
                      std::memcmp(inputs[i].data, own.data(), sizeBytes) != 0))
      throw Failure("the run gives " + name +
                    " other values than the model has, and " + part.name +
                    " was compiled for those of the model");
  }
}

/// No network has tensors without elements. Where an input has none, neither
/// may the outputs, and nothing is to be computed. Their shapes come from those
/// for two other lengths, with which lengths grow evenly. False if all inputs
/// have elements.
bool PartNode::giveEmpty(const std::vector<Input> &inputs,
                         KernelContext *context) {
  if (std::ranges::all_of(inputs, [](const Input &i) { return i.count > 0; }) ||
      part.executable)
    return false;
  provider::PartCompiler compiler(options.part);
  std::vector<provider::Lengths> shapes[2];
  DiagnosticEngine diags;
  for (std::int64_t length : {2, 3}) {
    provider::GivenLengths lengths;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      lengths[part.inputs[i].name] = inputs[i].shape;
      std::ranges::replace(lengths[part.inputs[i].name], 0, length);
    }
    auto found = compiler.outputShapes(
        part.source.graph->path(),
        part.source.graph->cut(part.source.nodes, lengths), diags);
    if (!found || found->size() != part.outputs.size())
      throw failureOf(diags, part.name + " has an input without elements");
    shapes[length - 2] = std::move(*found);
  }
  for (std::size_t i = 0; i < part.outputs.size(); ++i) {
    provider::Lengths &shape = shapes[0][i];
    if (shapes[1][i].size() != shape.size())
      throw Failure(part.name + " has an input without elements");
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      shape[axis] -= 2 * (shapes[1][i][axis] - shape[axis]);
    if (std::ranges::find(shape, 0) == shape.end())
      throw Failure(part.name +
                    " has an input without elements, and its output " +
                    part.outputs[i].name + " would have some");
    Value *value = nullptr;
    check(ortApi().kernelContextGetOutput(context, i, shape.data(),
                                          shape.size(), &value));
  }
  return true;
}

void PartNode::run(KernelContext *context) {
  std::vector<Input> inputs = inputsOf(context);
  checkConstants(inputs);
  if (giveEmpty(inputs, context))
    return;
  Program &program = programFor(inputs);
  DiagnosticEngine diags;
  std::unique_ptr<runtime::Session> session = program.sessions.take(diags);
  if (!session)
    throw failureOf(diags, part.name + " cannot run");
  setInputs(*session, program, inputs);
  ProfileCollector *profile = ProfileCollector::current();
  session->device().countCycles(options.isTimed || profile);
  runtime::Recorder recorder;
  bool isRecorded = false;
  if (!options.report.empty()) {
    std::lock_guard lock(mutex);
    isRecorded = performance.is_null();
    if (isRecorded)
      performance = false; // This run's.
  }
  if (isRecorded)
    session->device().observe(&recorder);
  Clock::time_point began = Clock::now();
  bool isDone = session->run(diags);
  if (isRecorded)
    session->device().observe(nullptr);
  // One that has failed is not used again.
  if (!isDone)
    throw failureOf(diags, part.name + " cannot run");
  runtime::DeviceCounters counters = session->counters();
  if (profile)
    profile->add({part.name, began, Clock::now(), counters.cycles,
                  counters.instructions});
  if (isRecorded)
    keepReport(*session, recorder.run());
  count(counters);
  giveOutputs(*session, program, context);
  program.sessions.give(std::move(session));
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

void PartNode::count(const runtime::DeviceCounters &counters) {
  std::lock_guard lock(mutex);
  leastCycles = runs ? std::min(leastCycles, counters.cycles) : counters.cycles;
  mostCycles = std::max(mostCycles, counters.cycles);
  cycles += counters.cycles;
  ++runs;
}

void PartNode::keepReport(const runtime::Session &session,
                          const runtime::RecordedRun &run) {
  auto json = makeReport(session.executable(), session.machine(), run).json();
  std::lock_guard lock(mutex);
  performance = std::move(json);
}

nlohmann::ordered_json PartNode::report() const {
  std::lock_guard lock(mutex);
  using Json = nlohmann::ordered_json;
  bool isCounted = options.isTimed && runs;
  return {{"name", part.name},
          {"runs", runs},
          {"shapes", programs.size()},
          {"cycles", isCounted ? Json(cycles) : Json()},
          {"least_cycles", isCounted ? Json(leastCycles) : Json()},
          {"most_cycles", isCounted ? Json(mostCycles) : Json()},
          {"performance", performance.is_object() ? performance : Json()}};
}
