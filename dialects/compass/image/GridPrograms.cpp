//===- GridPrograms.cpp - GridSample and AffineGrid as kernels ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/image/ImageOps.h"
#include "dialects/compass/movement/Moving.h"
#include "kernels/image/GridSample.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::SampleMethod;
using kernels::SamplePadding;

namespace {

/// Lengths between batch and channels as z, y, x.
void setSizes(ArrayRef<int64_t> shape, uint32_t (&sizes)[3]) {
  ArrayRef<int64_t> lengths = shape.drop_front().drop_back();
  for (size_t i = 0; i < lengths.size(); ++i)
    sizes[3 - lengths.size() + i] = uint32_t(lengths[i]);
}

kernels::GridSampleShape sampleShape(GridSampleOp op) {
  ArrayRef<int64_t> x = inputShape(op, 0), grid = inputShape(op, 1);
  kernels::GridSampleShape s;
  s.batch = uint32_t(x[0]);
  s.axes = uint32_t(x.size()) - 2;
  setSizes(x, s.sizes);
  s.places = uint32_t(product(grid.drop_front().drop_back()));
  s.channels = uint32_t(x.back());
  // The record has no other words.
  s.method =
      llvm::StringSwitch<SampleMethod>(wordKey(op, keys::method, "BILINEAR"))
          .Case("NEAREST", SampleMethod::Nearest)
          .Case("BICUBIC", SampleMethod::Bicubic)
          .Default(SampleMethod::Bilinear);
  s.padding = llvm::StringSwitch<SamplePadding>(
                  wordKey(op, keys::padding_mode, "ZEROS"))
                  .Case("BORDER", SamplePadding::Border)
                  .Case("REFLECTION", SamplePadding::Reflection)
                  .Default(SamplePadding::Zeros);
  s.alignCorners = boolKey(op, keys::align_corners);
  return s;
}

/// The tables of the axes x and y, if the layer has them.
LogicalResult bindTables(GridSampleOp op, DType gridType, bool needsFractions,
                         KernelCall &call) {
  const std::pair<TensorKey, StringRef> bindings[] = {
      {keys::lutx, "cellsX"},
      {keys::luty, "cellsY"},
      {keys::x_terp, "fractionsX"},
      {keys::y_terp, "fractionsY"}};
  int64_t entries = int64_t(1) << 8 * kernels::dtypeBytes(gridType);
  for (auto [i, binding] : llvm::enumerate(bindings)) {
    auto [key, buffer] = binding;
    ElementsAttr table = tensorKey(op, key);
    if (!table && i >= 2 && !needsFractions)
      continue;
    if (!table)
      return missingKey(op, key);
    if (table.getNumElements() != entries)
      return layerError(
                 op, diag::OpBadAttribute, key,
                 "the table " + key +
                     " does not have an entry for each value of the grid")
          .found(Twine(table.getNumElements()))
          .expected(Twine(entries));
    call[buffer] = constant(table);
  }
  return success();
}

} // namespace

LogicalResult GridSampleOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), grid = describe(getOperand(1)),
             out = describe(getResult(0));
  kernels::GridSampleShape s = sampleShape(*this);
  if (!isIntegerLayer(*this)) {
    kernels::GridSampleFloatParams p{s, x.dtype, grid.dtype, out.dtype};
    KernelCall &call = program.call<kernels::GridSampleFloat>(p).bindInOut();
    call["grid"] = operand(1);
    return success();
  }
  bool isCubic = s.method == SampleMethod::Bicubic;
  if (failed(checkSameElement(*this, x, out)))
    return failure();
  if (isCubic && x.bits() > 16)
    return layerError(*this, diag::OpUnsupported, "layer_bottom_type",
                      "BICUBIC of more than 16 bits is not supported yet")
        .found(dtypeName(x.storedType()));
  kernels::GridSampleIntParams p;
  p.shape = s;
  p.type = x.dtype, p.gridType = grid.dtype, p.gridZp = grid.zp;
  p.tables = s.axes == 2 && grid.bits() <= 16 && tensorKey(*this, keys::lutx);
  SmallVector<int64_t> scales = intsKey(*this, keys::scale_value),
                       shifts = intsKey(*this, keys::shift_value);
  if (!p.tables && scales.size() == 1) // of all axes, as the definition has it
    scales.assign(s.axes, scales.front());
  if (!p.tables && scales.size() != s.axes)
    return layerError(*this, diag::OpIntegerParameters, keys::scale_value,
                      "the multipliers do not fit the axes of the grid")
        .found(Twine(scales.size()))
        .expected("1 for all axes, or " + Twine(s.axes));
  const StringRef bitKeys[] = {"coordinate_x_shift", "coordinate_y_shift",
                               "coordinate_z_shift"};
  for (unsigned k = 0; k < s.axes; ++k) { // x, y, z
    unsigned axis = 2 - k;
    if (auto bits = getOperation()->getAttrOfType<IntegerAttr>(bitKeys[k]))
      p.fractionBits[axis] = int32_t(bits.getInt());
    if (p.tables)
      continue;
    if (shifts[k] < 0)
      return layerError(*this, diag::OpBadAttribute, keys::shift_value,
                        "places cannot be shifted to the left")
          .found(Twine(shifts[k]))
          .expected("0 to 62");
    p.scale[axis] = int32_t(scales[k]), p.shift[axis] = int32_t(shifts[k]);
  }
  p.zp = out.zp, p.lo = int32_t(out.lo), p.hi = int32_t(out.hi);
  KernelCall &call = program.call<kernels::GridSampleInt>(p).bindInOut();
  call["grid"] = operand(1);
  return p.tables ? bindTables(*this, grid.dtype,
                               s.method != SampleMethod::Nearest, call)
                  : success();
}

LogicalResult AffineGridOp::buildProgram(LayerProgram &program) {
  TensorInfo theta = describe(getOperand(0)), out = describe(getResult(0));
  kernels::AffineGridShape s;
  s.batch = uint32_t(out.shape[0]);
  s.axes = uint32_t(out.shape.size()) - 2;
  setSizes(out.shape, s.sizes);
  s.alignCorners = getAlignCorners();
  if (!isIntegerLayer(*this)) {
    kernels::AffineGridFloatParams p{s, theta.dtype, out.dtype};
    KernelCall &call = program.call<kernels::AffineGridFloat>(p);
    call["theta"] = operand(0), call["output"] = result(0);
    return success();
  }
  kernels::AffineGridIntParams p;
  p.shape = s;
  p.type = theta.dtype;
  p.fractionBits = int32_t(intKey(*this, keys::multiplier_bits));
  if (failed(buildRequant(*this, out, p.requant)))
    return failure();
  // Of z, y, x.
  const TensorKey names[] = {keys::d_lut, keys::h_lut, keys::w_lut};
  const StringRef buffers[] = {"slices", "rows", "columns"};
  BufferBinding tables[3];
  for (unsigned axis = 3 - s.axes; axis < 3; ++axis) {
    ElementsAttr table = tensorKey(*this, names[axis]);
    if (!table)
      return missingKey(*this, names[axis]);
    if (table.getNumElements() != s.sizes[axis])
      return layerError(*this, diag::OpBadAttribute, names[axis],
                        "the table " + names[axis] +
                            " does not have an entry for each pixel of its "
                            "axis")
          .found(Twine(table.getNumElements()))
          .expected(Twine(s.sizes[axis]));
    tables[axis] = constant(table);
    p.tableTypes[axis] = tables[axis].view.dtype;
  }
  KernelCall &call = program.call<kernels::AffineGridInt>(p);
  call["theta"] = operand(0), call["output"] = result(0);
  for (unsigned axis = 3 - s.axes; axis < 3; ++axis)
    call[buffers[axis]] = tables[axis];
  return success();
}
