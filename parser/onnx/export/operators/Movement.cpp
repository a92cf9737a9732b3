//===- Movement.cpp - Layers that move values -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "parser/onnx/export/Exports.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;

/// Whether the stored values can be moved as they are.
static bool keepsValues(LayerExport &n) {
  for (Value operand : n.op->getOperands())
    if (!haveOneType(operand, n.op->getResult(0)))
      return false;
  return true;
}

/// Operand \p i to be moved, and the result that was moved.
static std::string movable(LayerExport &n, unsigned i,
                           ArrayRef<int64_t> order) {
  return keepsValues(n) ? n.stored(i, order) : n.real(i, order);
}
static LogicalResult moved(LayerExport &n, std::string name, Order order) {
  return keepsValues(n) ? n.resultStored(0, name, std::move(order))
                        : n.result(0, std::move(name), std::move(order));
}

/// A list with one entry for each axis, in the order of a form.
static Lengths inOrder(ArrayRef<int64_t> list, ArrayRef<int64_t> order) {
  Lengths result;
  for (int64_t axis : order)
    result.push_back(list[size_t(axis)]);
  return result;
}

/// All axes of the result, as Slice wants to be told.
static std::string allAxes(LayerExport &n) {
  Order plain = plainOrder(n.rank());
  return n.integers("axes", {plain.begin(), plain.end()});
}

LogicalResult onnx::exportTranspose(LayerExport &n) {
  Value x = n.op->getOperand(0), y = n.op->getResult(0);
  if (!haveOneType(x, y))
    return n.refuse("layer_top_scale", "changes the scale");
  n.forms.defineTransposed(y, x, compass::intsKey(n.op, compass::keys::perm));
  return success();
}

LogicalResult onnx::exportReshape(LayerExport &n) {
  Lengths shape = n.shape();
  std::string to = n.integers("shape", shape);
  std::string x = keepsValues(n) ? n.forms.storedInLine(n.op->getOperand(0))
                                 : n.real(0, plainOrder(n.in(0).shape.size()));
  // Lengths of 0 are lengths, not "as before".
  AttributeList attributes;
  if (llvm::is_contained(shape, 0))
    attributes.push_back({"allowzero", int64_t(1)});
  return moved(n, n.node("Reshape", {x, to}, attributes), plainOrder(n.rank()));
}

LogicalResult onnx::exportSlice(LayerExport &n) {
  Order order = n.readyOrder();
  compass::TensorInfo in = n.in(0);
  auto begin = compass::intsKey(n.op, compass::keys::begin),
       end = compass::intsKey(n.op, compass::keys::end),
       strides = compass::intsKey(n.op, compass::keys::strides);
  strides.resize(order.size(), 1);
  // Backwards to the first element: before it, as ONNX counts.
  for (size_t i = 0; i < order.size(); ++i)
    if (strides[i] < 0 && end[i] < 0 && end[i] + in.shape[i] < 0)
      end[i] = INT32_MIN;
  std::string y =
      n.node("Slice",
             {movable(n, 0, order), n.integers("begin", inOrder(begin, order)),
              n.integers("end", inOrder(end, order)), allAxes(n),
              n.integers("steps", inOrder(strides, order))});
  return moved(n, y, order);
}

LogicalResult onnx::exportCrop(LayerExport &n) {
  Order order = n.readyOrder();
  Lengths begin, end;
  for (ArrayRef<int64_t> crop :
       compass::nestedKey(n.op, compass::keys::crops)) {
    begin.push_back(crop[0]);
    end.push_back(crop[1]);
  }
  std::string y =
      n.node("Slice",
             {movable(n, 0, order), n.integers("begin", inOrder(begin, order)),
              n.integers("end", inOrder(end, order)), allAxes(n)});
  return moved(n, y, order);
}

LogicalResult onnx::exportReverseSequence(LayerExport &n) {
  Order order = plainOrder(n.rank());
  int64_t batch = axisOf(n, compass::keys::batch_axis, n.rank()),
          time = axisOf(n, compass::keys::time_axis, n.rank());
  if (batch > 1 || time > 1)
    return n.refuse(compass::keys::time_axis,
                    "over axes other than the first two is not exported");
  if (n.in(1).zp != 0 || n.in(1).isFloat())
    return n.refuse("", "has lengths that are not stored as plain integers");
  std::string lengths =
      n.node("Cast", {n.stored(1, plainOrder(n.in(1).shape.size()))},
             {{"to", elementNumber(compass::DType::I64)}});
  return n.result(0,
                  n.node("ReverseSequence", {n.real(0, order), lengths},
                         {{"batch_axis", batch}, {"time_axis", time}}),
                  order);
}

LogicalResult onnx::exportSplit(LayerExport &n) {
  Order order = n.forms.readyOrder(n.op->getOperand(0));
  int64_t axis = axisOf(n, compass::keys::axis, n.rank());
  auto splits = compass::intsKey(n.op, compass::keys::splits);
  bool isExact = llvm::all_of(n.op->getResults(), [&](Value y) {
    return haveOneType(n.op->getOperand(0), y);
  });
  std::vector<std::string> parts =
      n.nodeOf(splits.size(), "Split",
               {isExact ? n.stored(0, order) : n.real(0, order),
                n.integers("splits", {splits.begin(), splits.end()})},
               {{"axis", placeOf(order, axis)}});
  for (unsigned i = 0; i < parts.size(); ++i)
    if (failed(isExact ? n.resultStored(i, parts[i], order)
                       : n.result(i, parts[i], order)))
      return failure();
  return success();
}

LogicalResult onnx::exportConcat(LayerExport &n) {
  Order order = n.readyOrder();
  int64_t axis = axisOf(n, compass::keys::axis, n.rank());
  std::vector<double> m = n.multipliers();
  bool isExact = keepsValues(n) &&
                 llvm::all_of(m, [](double factor) { return factor == 1; });
  std::vector<std::string> parts;
  parts.reserve(n.op->getNumOperands());
  for (unsigned i = 0; i < n.op->getNumOperands(); ++i)
    parts.push_back(
        isExact ? n.stored(i, order)
                : n.real(i, order,
                         n.operandScale(m[std::min<size_t>(i, m.size() - 1)])));
  std::string y = n.node("Concat", parts, {{"axis", placeOf(order, axis)}});
  return isExact ? n.resultStored(0, y, order) : n.result(0, y, order);
}

LogicalResult onnx::exportPad(LayerExport &n) {
  std::string mode = compass::wordKey(n.op, compass::keys::mode, "CONSTANT");
  StringRef word = llvm::StringSwitch<StringRef>(mode)
                       .Case("CONSTANT", "constant")
                       .Case("REFLECT", "reflect")
                       .Case("WRAP", "wrap")
                       .Default("");
  if (word.empty())
    return n.refuse(compass::keys::mode,
                    Twine("with mode ") + mode + " is not exported");
  Order order = n.readyOrder();
  auto pads = compass::nestedKey(n.op, compass::keys::pads);
  Lengths list;
  for (int side : {0, 1})
    for (int64_t axis : order)
      list.push_back(pads[size_t(axis)][size_t(side)]);
  std::vector<std::string> inputs = {n.real(0, order),
                                     n.integers("pads", list)};
  if (mode == "CONSTANT") {
    auto value =
        compass::numberOf(n.op->getAttr(compass::keys::constant_value));
    double border = value ? *value : 0;
    if (n.isInteger())
      border = (border + n.out().zp) / double(n.out().scale);
    inputs.push_back(n.forms.scalar(float(border)));
  }
  return n.result(0, n.node("Pad", inputs, {{"mode", word.str()}}), order);
}

LogicalResult onnx::exportTile(LayerExport &n) {
  Order order = n.readyOrder();
  auto repeats = compass::intsKey(n.op, compass::keys::repeats);
  return n.result(
      0,
      n.node("Tile", {n.real(0, order),
                      n.integers("repeats", inOrder(repeats, order))}),
      order);
}

LogicalResult onnx::exportGather(LayerExport &n) {
  if (compass::intKey(n.op, compass::keys::batch_dims) != 0)
    return n.refuse(compass::keys::batch_dims,
                    "with batch_dims is not exported");
  if (n.in(1).dtype != compass::DType::I32 &&
      n.in(1).dtype != compass::DType::I64)
    return n.refuse("", "has indices that are not int32");
  int64_t axis = axisOf(n, compass::keys::axis, n.in(0).shape.size());
  Order data = plainOrder(n.in(0).shape.size());
  bool isExact = haveOneType(n.op->getOperand(0), n.op->getResult(0));
  std::string y = n.node("Gather",
                         {isExact ? n.stored(0, data) : n.real(0, data),
                          n.stored(1, plainOrder(n.in(1).shape.size()))},
                         {{"axis", axis}});
  Order order = plainOrder(n.rank());
  return isExact ? n.resultStored(0, y, order) : n.result(0, y, order);
}

/// Blocks of one length in both directions, which are all that ONNX has.
static FailureOr<int64_t> blockSize(LayerExport &n) {
  int64_t x = compass::intKey(n.op, compass::keys::block_size_x),
          y = compass::intKey(n.op, compass::keys::block_size_y);
  if (x != y)
    return n.refuse(compass::keys::block_size_x,
                    "has blocks that are not square");
  return x;
}

LogicalResult onnx::exportDepthToSpace(LayerExport &n) {
  auto size = blockSize(n);
  if (failed(size))
    return failure();
  Order order = channelsSecond(4);
  bool isCrd = compass::wordKey(n.op, compass::keys::mode, "DCR") == "CRD";
  return n.result(0,
                  n.node("DepthToSpace", {n.real(0, order)},
                         {{"blocksize", *size},
                          {"mode", std::string(isCrd ? "CRD" : "DCR")}}),
                  order);
}

LogicalResult onnx::exportSpaceToDepth(LayerExport &n) {
  auto size = blockSize(n);
  if (failed(size))
    return failure();
  Order order = channelsSecond(4);
  return n.result(
      0, n.node("SpaceToDepth", {n.real(0, order)}, {{"blocksize", *size}}),
      order);
}
