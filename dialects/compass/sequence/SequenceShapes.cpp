//===- SequenceShapes.cpp - Shapes of recurrent layers --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/sequence/SequenceShapes.h"
#include "dialects/compass/Layers.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// Lengths of a recurrent layer's axes.
struct Steps {
  int64_t batch, steps, inputs, cells;
};

/// The sizes of keys, input, weights and first states agree.
Steps checkSteps(LayerCheck &check, int64_t gates, int64_t biases) {
  ArrayRef<int64_t> x = check.in(0);
  Steps s = {x[0], x[1], x[2], check.integerOf(keys::cell_size)};
  check.equals(keys::time_steps, s.steps, "second axis of the input");
  check.equals(keys::input_size, s.inputs, "third axis of the input");
  check.shape(keys::weights, {gates * s.cells, s.inputs + s.cells});
  check.shape(keys::biases, {biases * s.cells});
  return s;
}

/// Appends a shape for each word of out_sequence: [N, T, H] for \p all, else
/// [N, H]. The words are in the order of \p known, each once at most.
LogicalResult inferSequence(LayerCheck &check, Operation *op, const Steps &s,
                            ArrayRef<StringRef> known, StringRef all,
                            ResultShapes &shapes) {
  auto words = op->getAttrOfType<ArrayAttr>(keys::out_sequence);
  size_t next = 0;
  for (Attribute attr : words) {
    auto text = dyn_cast<StringAttr>(attr);
    StringRef word = text ? text.getValue() : "";
    while (next < known.size() && known[next] != word)
      ++next;
    if (next++ == known.size())
      return check
          .problem(diag::OpBadAttribute, keys::out_sequence,
                   "the key out_sequence names results twice or in a wrong "
                   "order")
          .found(word)
          .expected("each of " + llvm::join(known, ", ") +
                    " at most once, in this order");
    if (word == all)
      shapes.push_back({s.batch, s.steps, s.cells});
    else
      shapes.push_back({s.batch, s.cells});
  }
  if (op->getNumOperands() > 1 && check.in(1)[1] != s.cells)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the initial state does not have cell_size values")
        .found(shapeText(check.in(1)))
        .expected(shapeText({s.batch, s.cells}))
        .token(shapeText(check.in(1)));
  return success(check.ok());
}

} // namespace

LogicalResult compass::inferLSTM(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  Steps s = checkSteps(check, 4, 4);
  check.count(keys::activations, 3, "gates, cell gate, cell state");
  for (TensorKey table :
       {keys::lut_it, keys::lut_ft, keys::lut_ot, keys::lut_ct, keys::lut_h})
    check.resultTable(table);
  check.elements(keys::diff_shifts, s.steps, "one for each step");
  // Per tensor, or per channel of the weights.
  int64_t perTensor = 5 + 2 * s.steps,
          perChannel = 3 + 5 * s.cells + 2 * s.steps;
  for (TensorKey key : {keys::scale, keys::shift}) {
    ElementsAttr constant = tensorKey(op, key);
    int64_t found = constant ? constant.getShapedType().getNumElements() : 0;
    if (constant && found != perTensor && found != perChannel)
      check
          .problem(diag::OpIntegerParameters, (key + "_shape").str(),
                   "the constant " + key + " has a wrong number of values")
          .found(Twine(found))
          .expected(Twine(perTensor) + " (5 and two for each step), or " +
                    Twine(perChannel) + " with weights per channel");
  }
  if (ElementsAttr scale = tensorKey(op, keys::scale); scale && check.ok())
    check.elements(keys::shift, scale.getShapedType().getNumElements(),
                   "as many as multipliers");
  return inferSequence(check, op, s, {"Y", "H", "C"}, "Y", shapes);
}

LogicalResult compass::inferGRU(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  // GRUv1 adds a bias to the hidden part before the reset gate.
  bool isV1 = op->getName().getStringRef() == "compass.gru_v1";
  Steps s = checkSteps(check, 3, isV1 ? 4 : 3);
  check.count(keys::activations, 2, "gates, hidden gate");
  check.count(keys::scale_value, 6, "one for each rescaling");
  check.count(keys::shift_value, 6, "one for each rescaling");
  for (TensorKey table : {keys::lut_rt, keys::lut_zt, keys::lut_ht})
    check.resultTable(table);
  return inferSequence(check, op, s, {"H", "Hn"}, "H", shapes);
}

LogicalResult compass::inferEmbeddingLookupSparse(Operation *op,
                                                  ResultShapes &shapes) {
  LayerCheck check(op);
  std::string norm = wordKey(op, keys::max_norm, "NONE");
  double number = 0;
  if (norm != "NONE" && (StringRef(norm).getAsDouble(number) || !(number > 0)))
    check
        .problem(diag::OpBadAttribute, keys::max_norm,
                 "the key max_norm has a wrong value")
        .found(norm)
        .expected("NONE or a positive number");
  // The inverse square root of integer arithmetic has one table.
  check.rootTable(keys::lut);
  bool isRooted = wordKey(op, keys::combiner, "MEAN") == "SQRTN";
  for (IntsKey key : {keys::scale_value, keys::shift_value})
    check.count(key, isRooted ? 2 : 1,
                isRooted ? "for the sum, for the quotient" : "for the result");
  // How many rows the ids name is data: the declared rows are a capacity.
  SmallVector<int64_t> shape(check.in(0));
  if (shape.empty() || check.out(0).empty())
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "params or the result is a scalar")
        .found(shapeText(check.in(0)) + " and " + shapeText(check.out(0)))
        .expected("[rows, ...]");
  if (!check.ok())
    return failure();
  shape.front() = check.out(0).front();
  shapes.push_back(shape);
  return success();
}

LogicalResult compass::inferQueryRebatch(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> queries = check.in(0);
  int64_t cameras = op->getNumOperands() - 1, length = check.out(0)[2];
  for (unsigned i = 1; i <= cameras; ++i)
    if (check.in(i).size() != 1 || check.in(i)[0] > length)
      check
          .problem(diag::OpShape, "layer_bottom_shape",
                   "the indices of a camera do not fit the result")
          .found(shapeText(check.in(i)))
          .expected("one axis of at most " + Twine(length))
          .token(shapeText(check.in(i)));
  shapes.push_back({queries[0], cameras, length, queries[2]});
  return success(check.ok());
}

LogicalResult compass::inferRotaryEmbedding(Operation *op,
                                            ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> x = check.in(0), cos = check.in(1), sin = check.in(2);
  int64_t heads = check.integerOf(keys::num_heads);
  if (x.size() != 3 && x.size() != 4)
    return check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the input has a wrong number of axes")
        .found(shapeText(x))
        .expected("[N, heads, steps, size] or [N, steps, heads * size]")
        .token(shapeText(x));
  if (x.size() == 3 && (heads < 1 || x[2] % heads != 0))
    return check
        .problem(diag::OpBadAttribute, keys::num_heads,
                 "the key num_heads does not divide the last axis")
        .found(Twine(heads))
        .expected("a divisor of " + Twine(x[2]));
  int64_t size = x.size() == 3 ? x[2] / heads : x[3];
  int64_t rotated = check.integerOf(keys::rotary_embedding_dim);
  if (rotated == 0)
    rotated = size;
  if (rotated > size || rotated % 2 != 0)
    check
        .problem(diag::OpBadAttribute, keys::rotary_embedding_dim,
                 "the number of rotated values is not possible")
        .found(Twine(rotated))
        .expected("an even number up to " + Twine(size));
  if (cos != sin || (cos.size() != 2 && cos.size() != 3) ||
      cos.back() < rotated / 2)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the caches of cosine and sine do not fit")
        .found(shapeText(cos) + " and " + shapeText(sin))
        .expected("the same 2 or 3 axes, the last at least " +
                  Twine(rotated / 2));
  if (!check.ok())
    return failure();
  // A row for each step, or positions that say which.
  int64_t steps = x.size() == 3 ? x[1] : x[2];
  SmallVector<int64_t> cacheRows(cos.drop_back());
  bool hasPositions = op->getNumOperands() > 3;
  if ((cos.size() == 3 && cos[0] != x[0]) ||
      (!hasPositions && cacheRows.back() < steps))
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the caches have too few rows")
        .found(shapeText(cos))
        .expected("a row for each of " + Twine(steps) +
                  " steps, with three axes for each of " + Twine(x[0]) +
                  " batch entries");
  if (hasPositions && check.in(3) != ArrayRef<int64_t>({x[0], steps}))
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "the positions have a wrong shape")
        .found(shapeText(check.in(3)))
        .expected(shapeText({x[0], steps}))
        .token(shapeText(check.in(3)));
  for (KeyName key : std::initializer_list<KeyName>{keys::rotate_rescale_cos,
                                                    keys::rotate_rescale_sin,
                                                    keys::not_rotate_rescale})
    check.count(key, 1, "one factor");
  shapes.emplace_back(x);
  return success(check.ok());
}
