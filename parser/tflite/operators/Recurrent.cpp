//===- Recurrent.cpp - LSTM and SVDF --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Both keep a state from one run to the next. It starts anew here (W1033), or
// stays where the user says so (States.h).
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/ModelState.h"
#include "parser/tflite/OperatorReader.h"
#include "parser/tflite/States.h"
#include "parser/tflite/operators/LstmInputs.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Attribute;
using graph::Constant;
using graph::Node;
using graph::Tensor;

namespace {

/// ONNX has input, output, forget, cell.
constexpr std::size_t kGates[] = {0, 3, 1, 2};

/// The constants of four gates behind one another, as real numbers.
std::optional<std::vector<float>> joined(OperatorReader &r, std::size_t first,
                                         graph::Shape &ofOne) {
  std::vector<float> all;
  for (std::size_t gate : kGates) {
    auto part = r.realOf(first + gate);
    if (!part || (!ofOne.empty() && part->shape != ofOne)) {
      r.refuse("weights of a gate are missing, computed, or of another shape",
               "input " + std::to_string(first + gate), "four constants");
      return std::nullopt;
    }
    ofOne = part->shape;
    for (double value : part->numbers())
      all.push_back(float(value));
  }
  return all;
}

/// What no form of an LSTM has.
bool checkOptions(OperatorReader &r) {
  if (r.inputs.size() < kNormCoefficients || !r.has(kInput))
    return r.bad("the operator has a wrong number of inputs",
                 std::to_string(r.inputs.size()), "20 or 24");
  constexpr std::int64_t kTanh = 4;
  if (r.options.integer("fused_activation_function") != kTanh)
    return r.refuse(
        "this activation is not supported",
        std::to_string(r.options.integer("fused_activation_function")), "TANH");
  if (r.options.has("diagonal_recurrent_tensors") &&
      r.options.flag("diagonal_recurrent_tensors"))
    return r.refuse("diagonal weights are not supported",
                    "diagonal_recurrent_tensors", "whole matrices");
  constexpr std::int64_t kFull = 0;
  if (r.options.has("kernel_type") && r.options.integer("kernel_type") != kFull)
    return r.refuse("the basic kernel is not supported", "BASIC", "FULL");
  return true;
}

/// What only an LSTM of integers has.
bool checkLstm(OperatorReader &r) {
  for (std::size_t i = kPeepholes; i < kBiases; ++i)
    if (r.has(i))
      return r.refuse("peepholes are not supported",
                      "tensor " + r.input(i)->name, "no such weights");
  if (!r.has(kInputWeights))
    return r.refuse("coupled gates are not supported", "no input gate",
                    "four gates");
  if (r.has(kProjection))
    return r.refuse("a projection is not supported",
                    "tensor " + r.input(kProjection)->name, "no such weights");
  for (std::size_t i = kNormCoefficients; i < kNumLstmInputs; ++i)
    if (r.has(i))
      return r.refuse("layer normalization is not supported",
                      "tensor " + r.input(i)->name, "no such weights");
  return true;
}

/// W, R and B as ONNX has them, in float32.
std::optional<std::vector<Tensor *>> lstmWeights(OperatorReader &r) {
  graph::Shape ofInput, ofState, ofBias;
  auto w = joined(r, kInputWeights, ofInput);
  auto h = w ? joined(r, kStateWeights, ofState) : std::nullopt;
  if (!h)
    return std::nullopt;
  std::int64_t cells = ofInput.empty() ? 0 : ofInput[0];
  if (ofInput.size() != 2 || ofState != graph::Shape{cells, cells}) {
    r.bad("weights of a gate have a wrong shape",
          std::to_string(ofState.size()) + " axes of the weights of the state",
          "[cells,inputs] and [cells,cells]");
    return std::nullopt;
  }
  std::vector<float> bias(std::size_t(8 * cells), 0.0f);
  if (r.has(kBiases)) {
    auto given = joined(r, kBiases, ofBias);
    if (!given)
      return std::nullopt;
    if (ofBias != graph::Shape{cells}) {
      r.bad("biases have a wrong shape",
            std::to_string(ofBias.size()) + " axes",
            "one number for each cell");
      return std::nullopt;
    }
    std::copy(given->begin(), given->end(), bias.begin());
  }
  return std::vector<Tensor *>{
      r.constant("input_weights",
                 Constant::ofFloats({1, 4 * cells, ofInput[1]}, *w)),
      r.constant("state_weights",
                 Constant::ofFloats({1, 4 * cells, cells}, *h)),
      r.constant("biases", Constant::ofFloats({1, 8 * cells}, bias))};
}

/// The states that a run begins with and leaves, [batch, cells], with the axis
/// of directions that ONNX's have.
class LstmStates {
public:
  LstmStates(OperatorReader &r, bool isTimeFirst)
      : r(r), axis(r.integers("direction", {isTimeFirst ? 0 : 1})) {}

  /// Before the node, whose tensors they become.
  void begin(const std::vector<KeptTensor> &states, std::vector<Tensor *> &from,
             std::vector<Tensor *> &to) {
    kept = states;
    from.push_back(nullptr); // lengths of sequences
    for (const KeptTensor &state : kept) {
      std::string name = "state_" + std::to_string(to.size());
      Tensor *before = r.storedLike(*state.past, name + "_before");
      r.add("Unsqueeze", {state.past, axis}, {before});
      from.push_back(before);
      to.push_back(r.storedLike(*state.past, name + "_behind"));
    }
  }
  void end(const Node &node) {
    for (std::size_t i = 0; i < kept.size(); ++i)
      r.add("Squeeze", {node.outputs[1 + i], axis}, {kept[i].present});
  }

private:
  OperatorReader &r;
  Tensor *axis;
  std::vector<KeptTensor> kept = {};
};

} // namespace

bool tflite::readLstm(OperatorReader &r) {
  bool isOneStep = std::string_view(r.entry.name) == "LSTM";
  if (!checkOptions(r))
    return false;
  if (readStoredLstm(r, isOneStep)) {
    r.model.numStates += !r.model.keepsVariables;
    return true;
  }
  if (!checkLstm(r))
    return false;
  auto weights = lstmWeights(r);
  if (!weights || !r.output(0))
    return false;
  KeptTensor h = keepVariable(r, kFirstStates, "output_state"),
             c = keepVariable(r, kFirstStates + 1, "cell_state");
  bool isKept = h.past && c.past;
  r.model.numStates += !isKept;
  // LSTM is one step: a sequence of one, time first.
  bool isTimeFirst = isOneStep || r.options.flag("time_major");
  Tensor *x = r.input(kInput);
  if (isOneStep) {
    x = r.storedLike(*x, "step");
    r.add("Unsqueeze", {r.input(kInput), r.integers("front", {0})}, {x});
  }
  // [steps, 1, batch, cells], or [batch, steps, 1, cells].
  Tensor *all = r.storedLike(*r.output(0), "directions");
  std::vector<Tensor *> from = {x, (*weights)[0], (*weights)[1], (*weights)[2]};
  std::vector<Tensor *> to = {all};
  LstmStates states(r, isTimeFirst);
  if (isKept)
    states.begin({h, c}, from, to);
  Node &node = r.add(r.entry.node, from, to);
  states.end(node);
  node.attributes["hidden_size"] =
      Attribute::of((*weights)[1]->constant->shape[2]);
  // Between -cell_clip and cell_clip; proj_clip is of the projection.
  node.attributes["cell_clip"] = Attribute::of(r.options.number("cell_clip"));
  node.attributes["layout"] = Attribute::of(std::int64_t(!isTimeFirst));
  std::vector<std::int64_t> gone = {isTimeFirst ? 1 : 2};
  if (isOneStep)
    gone.insert(gone.begin(), 0);
  r.add("Squeeze", {all, r.integers("gone", gone)}, {r.output(0)});
  return true;
}

/// The newest column of the stored time weights, a row for each unit with those
/// of its filters: [units, filters].
static Tensor *storedTimeWeights(OperatorReader &r, std::int64_t rank) {
  const Constant &time = *r.input(2)->constant;
  std::int64_t filters = time.shape[0], steps = time.shape[1];
  const graph::Quantization &q = *r.input(2)->quantization;
  std::size_t width = elementBytes(time.type);
  std::vector<std::byte> bytes(std::size_t(filters / rank * filters) * width);
  for (std::int64_t unit = 0; unit < filters / rank; ++unit)
    for (std::int64_t f = 0; f < filters; ++f) {
      std::int64_t value = f / rank == unit
                               ? time.integerAt((f + 1) * steps - 1)
                               : q.zeroPoints[0];
      std::memcpy(&bytes[std::size_t(unit * filters + f) * width], &value,
                  width); // little-endian
    }
  Tensor *weights = r.constant(
      "time_weights", Constant::ofBytes(time.type, {filters / rank, filters},
                                        std::move(bytes)));
  weights->type = ElementType::F32;
  weights->quantization = q;
  return weights;
}

/// The same of a model that stores its state: the newest step is rounded, and
/// ends at the type's limits, before it is weighted.
static void addStoredSvdf(OperatorReader &r, std::int64_t rank) {
  Tensor *newest = r.storedLike(*r.input(4), "newest");
  r.add(r.entry.node, {r.input(0), r.input(1)}, {newest}).domain = kDomain;
  std::vector<Tensor *> from = {newest, storedTimeWeights(r, rank)};
  if (r.has(3))
    from.push_back(r.input(3));
  r.result(r.entry.node, from).domain = kDomain;
}

/// The time weights as those of one product, a row for each unit with all steps
/// of its filters: [units, filters * steps].
static Tensor *allTimeWeights(OperatorReader &r, std::int64_t rank) {
  const Tensor &given = *r.input(2);
  const Constant &time = *given.constant;
  std::int64_t filters = time.shape[0], steps = time.shape[1];
  std::size_t width = elementBytes(time.type), row = std::size_t(steps) * width;
  std::int64_t zero =
      given.quantization ? given.quantization->zeroPoints[0] : 0;
  std::vector<std::byte> bytes(std::size_t(filters / rank * filters) * row);
  for (std::size_t at = 0; at < bytes.size(); at += width)
    std::memcpy(&bytes[at], &zero, width); // little-endian; 0 is 0.0, too
  for (std::int64_t f = 0; f < filters; ++f)
    std::memcpy(&bytes[std::size_t(f / rank * filters + f) * row],
                &time.bytes[std::size_t(f) * row], row);
  Tensor *weights =
      r.constant("time_weights",
                 Constant::ofBytes(time.type, {filters / rank, filters * steps},
                                   std::move(bytes)));
  weights->type = given.type;
  weights->quantization = given.quantization;
  return weights;
}

/// With all steps that a filter remembers, as the state stores them: each run
/// drops the oldest and adds the newest one.
static void addKeptSvdf(OperatorReader &r, std::int64_t rank) {
  const graph::Shape &time = r.input(2)->constant->shape;
  std::int64_t filters = time[0], steps = time[1];
  KeptTensor memory = keepVariable(r, 4, "next_memory");
  std::int64_t batch = memory.past->declaredShape[0];
  auto between = [&](const char *what) {
    return r.storedLike(*memory.past, what);
  };
  auto reshape = [&](Tensor *x, Tensor *y, graph::Shape shape) {
    r.add("Reshape", {x, r.integers(y->name + "_shape", std::move(shape))},
          {y});
    return y;
  };
  Tensor *newest = between("newest"), *kept = between("kept"),
         *all = between("memory");
  r.add(r.entry.node, {r.input(0), r.input(1)}, {newest}).domain = kDomain;
  Tensor *before =
             reshape(memory.past, between("before"), {batch, filters, steps}),
         *column = reshape(newest, between("column"), {batch, filters, 1});
  r.add("Slice",
        {before, r.integers("second", {1}), r.integers("end", {steps}),
         r.integers("time_axis", {2})},
        {kept});
  r.add("Concat", {kept, column}, {all}).attributes["axis"] =
      Attribute::of(std::int64_t(2));
  reshape(all, memory.present, {batch, filters * steps});
  std::vector<Tensor *> from = {memory.present, allTimeWeights(r, rank)};
  if (r.has(3))
    from.push_back(r.input(3));
  r.result(r.entry.node, from).domain = kDomain;
}

/// Values of a memory that is kept.
constexpr std::int64_t kMostRemembered = 1 << 16;

/// A state that starts anew holds nothing but the newest step, so each filter's
/// memory is one factor, and the filters of a unit are added: one product.
bool tflite::readSvdf(OperatorReader &r) {
  if (!r.checkCounts(3, 5))
    return false;
  auto features = r.realOf(1), time = r.realOf(2);
  std::int64_t rank = r.options.integer("rank");
  if (!features || !time || (r.has(3) && !r.input(3)->constant))
    return r.refuse("weights are computed at run time",
                    "tensor " + r.input(1)->name, "constants");
  if (features->shape.size() != 2 || time->shape.size() != 2 || rank < 1 ||
      time->shape[0] != features->shape[0] || time->shape[1] < 1 ||
      features->shape[0] % rank != 0)
    return r.bad("the weights do not match each other",
                 "rank " + std::to_string(rank),
                 "[filters,inputs], [filters,steps] and a rank that divides "
                 "the filters");
  if (r.model.keepsVariables && r.has(4) &&
      r.input(4)->declaredShape.size() == 2 && time->shape[1] > 1 &&
      features->shape[0] * time->shape[1] <= kMostRemembered) {
    addKeptSvdf(r, rank);
    return true;
  }
  ++r.model.numStates;
  bool isStored = r.has(4) && r.input(4)->quantization &&
                  r.input(2)->quantization &&
                  r.input(2)->quantization->isPerTensor();
  // A matrix of this size is no weight of a network that keeps a state.
  constexpr std::int64_t kMostFilters = 1 << 12;
  if (isStored && features->shape[0] <= kMostFilters) {
    addStoredSvdf(r, rank);
    return true;
  }
  std::int64_t filters = features->shape[0], inputs = features->shape[1],
               steps = time->shape[1];
  std::vector<float> weights(std::size_t(filters / rank * inputs));
  for (std::int64_t unit = 0; unit < filters / rank; ++unit)
    for (std::int64_t i = 0; i < inputs; ++i) {
      double sum = 0;
      for (std::int64_t f = unit * rank; f < (unit + 1) * rank; ++f)
        sum += features->numberAt(f * inputs + i) *
               time->numberAt((f + 1) * steps - 1);
      weights[std::size_t(unit * inputs + i)] = float(sum);
    }
  std::vector<Tensor *> from = {
      r.input(0),
      r.constant("weights",
                 Constant::ofFloats({filters / rank, inputs}, weights))};
  if (auto bias = r.realOf(3))
    from.push_back(r.constant("bias", *bias));
  r.result(r.entry.node, from).domain = kDomain;
  return true;
}
