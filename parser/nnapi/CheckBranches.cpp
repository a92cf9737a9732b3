//===- CheckBranches.cpp - What NNAPI asks of IF and WHILE ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckedOperation.h"

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {

/// "TENSOR_FLOAT32 [1,2]", with the scale where there is one.
std::string typeText(const Operand &operand) {
  std::string text = operand.entry().name;
  for (std::size_t i = 0; i < operand.dims.size(); ++i)
    text += (i ? "," : " [") + std::to_string(operand.dims[i]);
  text += operand.dims.empty() ? "" : "]";
  if (operand.scale != 0)
    text += " of scale " + std::to_string(operand.scale) + ", zero point " +
            std::to_string(operand.zeroPoint);
  return text;
}

/// Whether one may be the other's value: the same type, and the same lengths
/// where both are known.
bool isLike(const Operand &a, const Operand &b) {
  if (a.type != b.type || a.scale != b.scale || a.zeroPoint != b.zeroPoint)
    return false;
  if (a.dims.empty() || b.dims.empty())
    return true;
  if (a.dims.size() != b.dims.size())
    return false;
  for (std::size_t i = 0; i < a.dims.size(); ++i)
    if (a.dims[i] && b.dims[i] && a.dims[i] != b.dims[i])
      return false;
  return true;
}

class BranchChecker {
public:
  BranchChecker(const CheckedOperation &op) : op(op) {}

  void checkIf();
  void checkWhile();

private:
  /// The model that input \p i stands for; null if there is none.
  const NnModel *modelAt(std::size_t i) const;
  /// Compares \p edges of \p inner with operands of the operation.
  void compare(const std::string &what, const NnModel &inner,
               const std::vector<std::uint32_t> &edges,
               std::span<const std::uint32_t> operands) const;
  void checkCondition(const std::string &what, const Operand &operand) const;

  const CheckedOperation &op;
};

} // namespace

const NnModel *BranchChecker::modelAt(std::size_t i) const {
  // The client may say later which it is; checkModel() asks for it.
  if (op.input(i).lifetime != Lifetime::Model)
    return nullptr;
  std::uint32_t index = op.input(i).modelIndex;
  if (index < op.model.referenced.size() && op.model.referenced[index])
    return op.model.referenced[index].get();
  op.report(op.match.rows[i]->name, "the model does not exist")
      .found("model " + std::to_string(index))
      .expected("below " + std::to_string(op.model.referenced.size()));
  return nullptr;
}

void BranchChecker::compare(const std::string &what, const NnModel &inner,
                            const std::vector<std::uint32_t> &edges,
                            std::span<const std::uint32_t> operands) const {
  if (edges.size() != operands.size()) {
    op.report(what + " of the model differ in number from the operation's")
        .found(std::to_string(edges.size()))
        .expected(std::to_string(operands.size()));
    return;
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Operand &outer = op.model.operands[operands[i]];
    if (edges[i] < inner.operands.size() &&
        !isLike(inner.operands[edges[i]], outer))
      op.report(what + " of the model differ from the operation's at index " +
                std::to_string(i))
          .found(typeText(inner.operands[edges[i]]))
          .expected(typeText(outer));
  }
}

void BranchChecker::checkCondition(const std::string &what,
                                   const Operand &operand) const {
  bool isOne = operand.dims.size() == 1 && operand.dims[0] == 1;
  if (operand.type != OperandType::TENSOR_BOOL8 || !isOne)
    op.report(what + " is not a single truth value")
        .found(typeText(operand))
        .expected("TENSOR_BOOL8 [1]");
}

void BranchChecker::checkIf() {
  checkCondition("the condition", op.input(std::size_t(0)));
  std::span<const std::uint32_t> inputs(op.operation.inputs);
  for (std::size_t i : {1, 2}) {
    const NnModel *branch = modelAt(i);
    if (!branch)
      continue;
    std::string name = op.match.rows[i]->name;
    compare(name + ": inputs", *branch, branch->inputs, inputs.subspan(3));
    compare(name + ": outputs", *branch, branch->outputs, op.operation.outputs);
  }
}

void BranchChecker::checkWhile() {
  const NnModel *condition = modelAt(0), *body = modelAt(1);
  std::span<const std::uint32_t> inputs =
      std::span(op.operation.inputs).subspan(2);
  if (condition) {
    compare("cond_model: inputs", *condition, condition->inputs, inputs);
    if (condition->outputs.size() != 1)
      op.report("cond_model: must have one output")
          .found(std::to_string(condition->outputs.size()));
    else if (condition->outputs[0] < condition->operands.size())
      checkCondition("cond_model: its output",
                     condition->operands[condition->outputs[0]]);
  }
  if (!body)
    return;
  compare("body_model: inputs", *body, body->inputs, inputs);
  // The first inputs are the next round's: what the body gives, of which the
  // operation gives the first.
  if (body->outputs.size() > inputs.size() ||
      op.operation.outputs.size() > body->outputs.size()) {
    op.report("body_model: has a wrong number of outputs")
        .found(std::to_string(body->outputs.size()))
        .expected(std::to_string(op.operation.outputs.size()) + " to " +
                  std::to_string(inputs.size()));
    return;
  }
  compare("body_model: outputs", *body, body->outputs,
          inputs.first(body->outputs.size()));
  compare("outputs", *body,
          {body->outputs.begin(),
           body->outputs.begin() + std::ptrdiff_t(op.operation.outputs.size())},
          op.operation.outputs);
}

void nnapi::checkBranches(const CheckedOperation &op) {
  if (std::string_view(op.entry.name) == "IF")
    BranchChecker(op).checkIf();
  else if (std::string_view(op.entry.name) == "WHILE")
    BranchChecker(op).checkWhile();
}
