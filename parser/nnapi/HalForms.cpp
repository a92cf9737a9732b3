//===- HalForms.cpp - Operations in the order of HAL 1.0 ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/HalForms.h"
#include "parser/nnapi/CheckModel.h"
#include "parser/nnapi/OperationTable.h"
#include <algorithm>
#include <cassert>
#include <cstring>

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {

using Dims = std::vector<std::uint32_t>;

/// An operation of a form "HAL 1.0".
class HalOperation {
public:
  HalOperation(NnModel &model, const Operation &operation,
               const OperationEntry &entry, const FormMatch &match)
      : model(model), operation(operation), entry(entry), match(match) {}

  /// What stands for it, in the order in which it is computed.
  std::vector<Operation> later();

private:
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// 0 of an axis that is not there: who reads the operation tells.
  std::uint32_t length(std::string_view name, std::size_t axis) const {
    const Dims &dims = model.operands[*find(name)].dims;
    return axis < dims.size() ? dims[axis] : 0;
  }
  bool is(std::string_view name) const { return entry.name == name; }
  std::vector<std::uint32_t> inputs();
  std::uint32_t addState(std::string_view name);
  /// One that is written instead of \p like.
  std::uint32_t addBetween(std::uint32_t like, Dims dims);
  std::uint32_t addIntegers(const std::vector<std::int32_t> &values);
  void addActivation(std::vector<Operation> &all);
  void addScratch(std::vector<Operation> &all);

  NnModel &model;
  const Operation operation; ///< A copy: the model grows.
  const OperationEntry &entry;
  const FormMatch &match;
};

/// How the function of each FuseCode but NONE is called.
constexpr const char *kActivations[] = {"RELU", "RELU1", "RELU6"};

bool isHalForm(const FormMatch &match) {
  return std::string_view(match.form->name) == "HAL 1.0";
}

} // namespace

std::optional<std::uint32_t> HalOperation::find(std::string_view name) const {
  for (std::size_t i = 0; i < match.rows.size(); ++i)
    if (match.rows[i]->name == name)
      return operation.inputs[i];
  return std::nullopt;
}

/// A cell starts with zeros.
std::uint32_t HalOperation::addState(std::string_view name) {
  std::uint32_t batch = length("input", 0);
  Dims lengths;
  if (name == "state_in") // Of SVDF, which keeps all steps but the newest.
    lengths = {batch, std::max(length("weights_time", 1), 2u) - 1,
               length("weights_time", 0)};
  else if (name == "output_state_in")
    lengths = {batch, length("w_rec_to_forget", 1)};
  else
    lengths = {batch, length("w_rec_to_forget", 0)};
  Operand state{.type = *match.type,
                .dims = std::move(lengths),
                .name = std::string(name)};
  // Lengths that fit apart may be too much together.
  if (!checkOperand(state, nullptr))
    state.dims = {0, 0};
  if (state.dims.size() == 3) // Rows of filters; the product fits now.
    state.dims = {state.dims[0], state.dims[1] * state.dims[2]};
  std::vector<std::byte> zeros(state.sizeBytes());
  setValue(state, zeros);
  return model.add(std::move(state));
}

std::uint32_t HalOperation::addBetween(std::uint32_t like, Dims dims) {
  Operand between = model.operands[like];
  between.lifetime = Lifetime::Temporary;
  between.dims = std::move(dims);
  return model.add(std::move(between));
}

std::uint32_t
HalOperation::addIntegers(const std::vector<std::int32_t> &values) {
  Operand operand{.type = OperandType::TENSOR_INT32,
                  .dims = {std::uint32_t(values.size())}};
  setValue(operand, std::as_bytes(std::span(values)));
  return model.add(std::move(operand));
}

/// In the order of the first form, which is that of all later levels.
std::vector<std::uint32_t> HalOperation::inputs() {
  std::vector<std::uint32_t> result;
  for (const OperandRow &row : entry.forms[0].inputs) {
    std::size_t before = result.size();
    for (std::size_t i = 0; i < match.rows.size(); ++i)
      if (std::string_view(match.rows[i]->name) == row.name)
        result.push_back(operation.inputs[i]);
    if (result.size() != before)
      continue;
    if (row.kind == OperandRow::Kind::Optional)
      break; // All behind it are, too.
    result.push_back(addState(row.name));
  }
  return result;
}

/// Concatenation had an activation.
void HalOperation::addActivation(std::vector<Operation> &all) {
  const Operand &fuse = model.operands[*find("fuse")];
  std::int32_t code = 0;
  if (fuse.value.size() == sizeof(code))
    std::memcpy(&code, fuse.value.data(), sizeof(code));
  if (code < 1 || code > std::int32_t(std::size(kActivations)))
    return;
  std::uint32_t result = operation.outputs[0];
  std::uint32_t before = addBetween(result, model.operands[result].dims);
  all.back().outputs[0] = before;
  all.push_back(
      {findOperation(kActivations[code - 1])->code, {before}, {result}});
}

/// A cell's scratch buffer had an axis of gates.
void HalOperation::addScratch(std::vector<Operation> &all) {
  constexpr std::size_t kAxes = 3;
  std::uint32_t scratch = operation.outputs[0];
  if (model.operands[scratch].dims.size() != kAxes)
    return;
  std::uint32_t flat = addBetween(scratch, {});
  std::uint32_t shape =
      addIntegers({std::int32_t(length("input", 0)),
                   std::int32_t(length("w_rec_to_forget", 0)), -1});
  all.back().outputs[0] = flat;
  all.push_back({findOperation("RESHAPE")->code, {flat, shape}, {scratch}});
}

std::vector<Operation> HalOperation::later() {
  std::vector<Operation> all = {{operation.code, inputs(), operation.outputs}};
  if (is("CONCATENATION"))
    addActivation(all);
  else if (is("LSTM"))
    addScratch(all);
  else if (is("RNN")) {
    // The state is a result of its own now.
    std::uint32_t output = operation.outputs[0];
    all.back().outputs = {addBetween(output, model.operands[output].dims),
                          output};
  }
  return all;
}

std::optional<NnModel> nnapi::withoutHalForms(const NnModel &model) {
  NnModel later = model;
  later.operations.clear();
  bool hasForms = false;
  for (const Operation &operation : model.operations) {
    const OperationEntry *entry = findOperation(operation.code);
    auto match = entry ? matchForm(*entry, model, operation) : std::nullopt;
    if (!match || !isHalForm(*match)) {
      later.operations.push_back(operation);
      continue;
    }
    hasForms = true;
    for (Operation &next :
         HalOperation(later, operation, *entry, *match).later())
      later.operations.push_back(std::move(next));
  }
  if (!hasForms)
    return std::nullopt;
  return later;
}
