//===- RecurrentModels.cpp - Recurrent operations with random weights -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi/RecurrentModels.h"
#include "dialects/compass/network/Evaluator.h"
#include "parser/nnapi/NnapiImport.h"
#include "parser/nnapi/OperationTable.h"
#include <cmath>
#include <cstring>

using namespace yarrow;
using namespace yarrow::test;
using nnapi::Lifetime;
using nnapi::Operand;
using nnapi::OperandType;
using Lengths = std::vector<std::uint32_t>;

static bool startsWith(const std::string &text, const char *with) {
  return text.rfind(with, 0) == 0;
}
static bool endsWith(const std::string &text, const std::string &with) {
  return text.size() >= with.size() &&
         text.compare(text.size() - with.size(), with.size(), with) == 0;
}

/// "fw_b_input" is "b_input" of the forward direction.
static std::string withoutPrefix(const std::string &name) {
  return startsWith(name, "fw_") || startsWith(name, "bw_") ? name.substr(3)
                                                            : name;
}

Lengths RecurrentModel::sequenceDims(std::int64_t size) const {
  auto batch = std::uint32_t(form.batch), steps = std::uint32_t(form.steps);
  if (!isSequence())
    return {batch, std::uint32_t(size)};
  return form.isTimeMajor ? Lengths{steps, batch, std::uint32_t(size)}
                          : Lengths{batch, steps, std::uint32_t(size)};
}

bool RecurrentModel::isLeftOut(const std::string &full) const {
  std::string of = withoutPrefix(full);
  bool isInputGate = endsWith(of, "_input") && of != "aux_input";
  return (form.isCoupled && isInputGate) ||
         (!form.hasPeepholes && startsWith(of, "peephole_")) ||
         (!form.isNormalised && startsWith(of, "ln_")) ||
         (!form.hasProjection && of == "w_proj") ||
         (!form.hasProjectionBias && of == "b_proj") ||
         (!form.hasAux && of == "aux_input") ||
         (!form.hasAuxWeights && startsWith(of, "aux_w"));
}

/// nullopt of one that is left out.
std::optional<Lengths> RecurrentModel::dimsOf(const std::string &full) const {
  std::string of = withoutPrefix(full);
  if (isLeftOut(full))
    return std::nullopt;
  auto batch = std::uint32_t(form.batch), inputs = std::uint32_t(form.inputs),
       units = std::uint32_t(form.units), outputs = std::uint32_t(form.outputs),
       aux = std::uint32_t(form.auxInputs);
  // The backward direction may read the auxiliary input instead.
  if (startsWith(full, "bw_") && form.hasAux && !form.hasAuxWeights)
    inputs = aux;
  if (of == "input")
    return sequenceDims(form.inputs);
  if (of == "aux_input")
    return sequenceDims(form.auxInputs);
  if (startsWith(of, "w_input_to_") || of == "weights")
    return Lengths{units, inputs};
  if (startsWith(of, "w_rec_to_") || startsWith(of, "recurrent"))
    return Lengths{units, outputs};
  if (startsWith(of, "aux_w"))
    return Lengths{units, aux};
  if (of == "w_proj")
    return Lengths{outputs, units};
  if (of == "b_proj")
    return Lengths{outputs};
  if (startsWith(of, "cell_state"))
    return Lengths{batch, units};
  if (startsWith(of, "output_state") || startsWith(of, "act_state") ||
      startsWith(of, "hidden"))
    return Lengths{batch, outputs};
  return Lengths{units}; // peepholes, biases, norms
}

std::optional<double> RecurrentModel::scalarOf(const std::string &of) const {
  if (of == "activation" || of == "fuse")
    return double(form.activation);
  if (of == "cell_clip")
    return form.cellClip;
  if (of == "proj_clip")
    return form.projectionClip;
  if (of == "time_major")
    return form.isTimeMajor;
  if (of == "merge_outputs")
    return form.isMerged;
  return std::nullopt;
}

template <typename T>
static void setScalar(Operand &operand, OperandType type, T value) {
  operand.type = type;
  operand.lifetime = Lifetime::Constant;
  setValue(operand, std::as_bytes(std::span(&value, 1)));
}

void RecurrentModel::addInput(const std::string &of) {
  Operand operand;
  operand.name = of;
  if (auto number = scalarOf(of)) {
    bool isReal = endsWith(of, "_clip");
    // The unidirectional RNN says the order by an integer.
    bool isFlag = of == "merge_outputs" ||
                  (of == "time_major" && name != "UNIDIRECTIONAL_SEQUENCE_RNN");
    if (isReal)
      setScalar(operand, OperandType::FLOAT32, float(*number));
    else if (isFlag)
      setScalar(operand, OperandType::BOOL, std::uint8_t(*number));
    else
      setScalar(operand, OperandType::INT32, std::int32_t(*number));
    operands.push_back(model.add(operand));
    return;
  }
  auto dims = dimsOf(of);
  if (!dims) {
    operand.lifetime = Lifetime::None;
    operands.push_back(model.add(operand));
    return;
  }
  operand.dims = *dims;
  std::uniform_real_distribution<float> numbers(-0.8f, 0.8f);
  std::vector<float> &own = values[of];
  own.resize(operand.numElements());
  for (float &value : own)
    value = numbers(random);
  std::string plain = withoutPrefix(of);
  bool isData = endsWith(plain, "input") && plain.find('_') == plain.npos;
  isData |= plain == "aux_input" || plain.find("state") != plain.npos ||
            startsWith(plain, "hidden");
  operand.lifetime =
      isData || form.areWeightsInputs ? Lifetime::Input : Lifetime::Constant;
  if (operand.lifetime == Lifetime::Constant)
    setValue(operand, std::as_bytes(std::span(own)));
  operands.push_back(model.add(operand));
  if (operand.lifetime == Lifetime::Input)
    model.inputs.push_back(operands.back());
}

/// What the operation writes, in its order.
void RecurrentModel::addOutputs() {
  bool isBoth = startsWith(name, "BIDIRECTIONAL");
  bool hasCell = endsWith(name, "LSTM");
  Lengths states = {std::uint32_t(form.batch), std::uint32_t(form.outputs)},
          cells = {std::uint32_t(form.batch), std::uint32_t(form.units)};
  std::vector<Lengths> all;
  auto addStates = [&] {
    for (int i = 0; i < (isBoth ? 2 : 1); ++i) {
      all.push_back(states);
      if (hasCell)
        all.push_back(cells);
    }
  };
  if (!isSequence()) {
    if (hasCell)
      all.push_back({std::uint32_t(form.batch),
                     std::uint32_t(form.units * (form.isCoupled ? 3 : 4))});
    addStates();
    all.push_back(states);
  } else {
    all.push_back(
        sequenceDims(form.isMerged ? 2 * form.outputs : form.outputs));
    if (isBoth && !form.isMerged)
      all.push_back(sequenceDims(form.outputs));
    if (form.hasLastStates)
      addStates();
  }
  for (const Lengths &dims : all)
    model.outputs.push_back(
        model.add({.dims = dims, .lifetime = Lifetime::Output}));
}

RecurrentModel::RecurrentModel(const char *operation, const CellForm &form)
    : form(form), name(operation) {
  const nnapi::OperationEntry &entry =
      *nnapi::findOperation(std::string_view(name));
  for (const nnapi::OperandRow &row : entry.forms[0].inputs)
    addInput(row.name);
  addOutputs();
  model.operations.push_back({entry.code, operands, model.outputs});
}

std::vector<float> RecurrentModel::run(std::size_t output) {
  if (results.empty())
    evaluate();
  return output < results.size() ? results[output] : std::vector<float>();
}

void RecurrentModel::evaluate() {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  auto module = nnapi::importNnModel(context, model, {}, diags);
  auto evaluator =
      module ? compass::Evaluator::create(*module, diags) : nullptr;
  if (!evaluator)
    return;
  std::vector<compass::TensorBytesRef> data;
  for (std::uint32_t input : model.inputs) {
    const std::vector<float> &own = values.at(model.operands[input].name);
    data.emplace_back(reinterpret_cast<const char *>(own.data()),
                      own.size() * sizeof(float));
  }
  std::vector<compass::TensorBytes> outputs;
  evaluator->run(data, outputs);
  for (const compass::TensorBytes &output : outputs) {
    std::vector<float> &result =
        results.emplace_back(output.size() / sizeof(float));
    std::memcpy(result.data(), output.data(), output.size());
  }
}

//===----------------------------------------------------------------------===//
// The plain loop
//===----------------------------------------------------------------------===//

double RecurrentModel::product(const std::string &weights, std::int64_t row,
                               const std::vector<double> &x) const {
  if (!values.contains(weights))
    return 0;
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += at(weights, row * std::int64_t(x.size()) + std::int64_t(i)) * x[i];
  return sum;
}

std::vector<double> RecurrentModel::stepOf(const std::string &input,
                                           std::int64_t step,
                                           std::int64_t batch,
                                           std::int64_t size) const {
  std::int64_t row = form.isTimeMajor || !isSequence()
                         ? step * form.batch + batch
                         : batch * form.steps + step;
  std::vector<double> x;
  for (std::int64_t i = 0; i < size; ++i)
    x.push_back(at(input, row * size + i));
  return x;
}

double RecurrentModel::activated(double x) const {
  switch (form.activation) {
  case 1:
    return std::max(x, 0.0);
  case 2:
    return std::clamp(x, -1.0, 1.0);
  case 3:
    return std::clamp(x, 0.0, 6.0);
  case 4:
    return std::tanh(x);
  case 6:
    return 1 / (1 + std::exp(-x));
  default:
    return x;
  }
}

/// The argument of a gate's function, of all units.
std::vector<double> RecurrentModel::gate(const std::string &prefix,
                                         const std::string &gate,
                                         const std::vector<double> &x,
                                         const std::vector<double> &aux,
                                         const std::vector<double> &h,
                                         const std::vector<double> &c) const {
  std::vector<double> sums;
  for (std::int64_t u = 0; u < form.units; ++u) {
    double sum = product(prefix + "w_input_to_" + gate, u, x) +
                 product(prefix + "w_rec_to_" + gate, u, h);
    if (form.hasAuxWeights)
      sum += product(prefix + "aux_w_" + gate, u, aux);
    if (form.hasPeepholes && gate != "cell")
      sum += at(prefix + "peephole_" + gate, u) * c[std::size_t(u)];
    sums.push_back(sum);
  }
  if (form.isNormalised) {
    double mean = 0, variance = 0;
    for (double sum : sums)
      mean += sum / double(sums.size());
    for (double sum : sums)
      variance += (sum - mean) * (sum - mean) / double(sums.size());
    for (std::int64_t u = 0; u < form.units; ++u)
      sums[std::size_t(u)] = (sums[std::size_t(u)] - mean) /
                             std::sqrt(variance + 1e-8) *
                             at(prefix + "ln_" + gate, u);
  }
  for (std::int64_t u = 0; u < form.units; ++u)
    sums[std::size_t(u)] += at(prefix + "b_" + gate, u);
  return sums;
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Expected RecurrentModel::expectedLstm(const std::string &prefix) const {
  bool isBoth = !prefix.empty();
  bool isAuxInstead = prefix == "bw_" && form.hasAux && !form.hasAuxWeights;
  std::int64_t steps = isSequence() ? form.steps : 1;
  Expected result;
  result.sequence.resize(std::size_t(steps * form.batch * form.outputs));
  for (std::int64_t b = 0; b < form.batch; ++b) {
    std::vector<double> h, c;
    for (std::int64_t i = 0; i < form.outputs; ++i)
      h.push_back(at(isBoth ? prefix + "act_state" : "output_state_in",
                     b * form.outputs + i));
    for (std::int64_t i = 0; i < form.units; ++i)
      c.push_back(at(isBoth ? prefix + "cell_state" : "cell_state_in",
                     b * form.units + i));
    for (std::int64_t k = 0; k < steps; ++k) {
      std::int64_t t = prefix == "bw_" ? steps - 1 - k : k;
      std::vector<double> x = isAuxInstead
                                  ? stepOf("aux_input", t, b, form.auxInputs)
                                  : stepOf("input", t, b, form.inputs);
      std::vector<double> aux;
      if (form.hasAuxWeights)
        aux = stepOf("aux_input", t, b, form.auxInputs);
      std::vector<double> f = gate(prefix, "forget", x, aux, h, c),
                          g = gate(prefix, "cell", x, aux, h, c), i, o;
      if (!form.isCoupled)
        i = gate(prefix, "input", x, aux, h, c);
      for (std::size_t u = 0; u < c.size(); ++u) {
        double keep = sigmoid(f[u]);
        double let = form.isCoupled ? 1 - keep : sigmoid(i[u]);
        c[u] = keep * c[u] + let * activated(g[u]);
        if (form.cellClip > 0)
          c[u] = std::clamp(c[u], -form.cellClip, form.cellClip);
      }
      o = gate(prefix, "output", x, aux, h, c);
      std::vector<double> y;
      for (std::size_t u = 0; u < c.size(); ++u)
        y.push_back(sigmoid(o[u]) * activated(c[u]));
      for (std::int64_t r = 0; r < form.outputs; ++r) {
        double out = y[std::size_t(form.hasProjection ? 0 : r)];
        if (form.hasProjection) {
          out = product(prefix + "w_proj", r, y);
          if (form.hasProjectionBias)
            out += at(prefix + "b_proj", r);
          if (form.projectionClip > 0)
            out = std::clamp(out, -form.projectionClip, form.projectionClip);
        }
        h[std::size_t(r)] = out;
        result.sequence[std::size_t((t * form.batch + b) * form.outputs + r)] =
            out;
      }
    }
    result.lastOutput.insert(result.lastOutput.end(), h.begin(), h.end());
    result.lastCell.insert(result.lastCell.end(), c.begin(), c.end());
  }
  return result;
}

Expected RecurrentModel::expectedRnn(const std::string &prefix) const {
  bool isBoth = !prefix.empty();
  bool isAuxInstead = prefix == "bw_" && form.hasAux && !form.hasAuxWeights;
  std::int64_t steps = isSequence() ? form.steps : 1;
  Expected result;
  result.sequence.resize(std::size_t(steps * form.batch * form.units));
  for (std::int64_t b = 0; b < form.batch; ++b) {
    std::vector<double> h;
    for (std::int64_t i = 0; i < form.units; ++i)
      h.push_back(
          at(isBoth ? prefix + "hidden" : "hidden_in", b * form.units + i));
    for (std::int64_t k = 0; k < steps; ++k) {
      std::int64_t t = prefix == "bw_" ? steps - 1 - k : k;
      std::vector<double> x = isAuxInstead
                                  ? stepOf("aux_input", t, b, form.auxInputs)
                                  : stepOf("input", t, b, form.inputs);
      std::vector<double> next;
      for (std::int64_t u = 0; u < form.units; ++u) {
        double sum =
            product(prefix + "weights", u, x) +
            product(isBoth ? prefix + "recurrent" : "recurrent_weights", u, h) +
            at(prefix + "bias", u);
        if (form.hasAuxWeights)
          sum += product(prefix + "aux_weights", u,
                         stepOf("aux_input", t, b, form.auxInputs));
        next.push_back(activated(sum));
        result.sequence[std::size_t((t * form.batch + b) * form.units + u)] =
            next.back();
      }
      h = next;
    }
    result.lastOutput.insert(result.lastOutput.end(), h.begin(), h.end());
  }
  return result;
}

std::vector<double> RecurrentModel::ordered(const std::vector<double> &sequence,
                                            std::int64_t size) const {
  if (form.isTimeMajor)
    return sequence;
  std::vector<double> result;
  for (std::int64_t b = 0; b < form.batch; ++b)
    for (std::int64_t t = 0; t < form.steps; ++t)
      for (std::int64_t i = 0; i < size; ++i)
        result.push_back(
            sequence[std::size_t((t * form.batch + b) * size + i)]);
  return result;
}
