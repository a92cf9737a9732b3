//===- PrequantizedLayer.cpp - A layer on its way to the model's integers
//--------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prequantized/PrequantizedLayer.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "quantizer/rules/LayerContext.h"

using namespace yarrow;
using namespace yarrow::compass;

static void setInts(mlir::Operation *op, llvm::StringRef key,
                    llvm::ArrayRef<int64_t> values) {
  op->setAttr(key,
              mlir::Builder(op->getContext()).getDenseI64ArrayAttr(values));
}

/// A multiplier above 16 bits is an extension of the format.
static llvm::StringRef typeOfMultiplier(int64_t most) {
  return most > UINT16_MAX ? "int32" : "uint16";
}

static void setRequantOf(mlir::Operation *op, Multiplier m) {
  setInts(op, keys::scale_value, {m.scale});
  setInts(op, keys::shift_value, {m.shift});
  setExtraKey(op, "scale_type", typeOfMultiplier(m.scale));
  setExtraKey(op, "shift_type", "int8");
}

void PrequantizedLayer::setRequant(Multiplier m) { setRequantOf(op, m); }

void PrequantizedLayer::setRequant(llvm::ArrayRef<int64_t> scales,
                                   int64_t shift) {
  setInts(op, keys::scale_value, scales);
  setInts(op, keys::shift_value, {shift});
  std::string types;
  for (int64_t scale : scales)
    types += (types.empty() ? "" : ",") + typeOfMultiplier(scale).str();
  setExtraKey(op, "scale_type", "[" + types + "]");
  setExtraKey(op, "shift_type", "int8");
}

void PrequantizedLayer::setRequants(llvm::ArrayRef<Multiplier> multipliers) {
  std::vector<int64_t> scales, shifts;
  std::string types, shiftTypes;
  for (const Multiplier &m : multipliers) {
    scales.push_back(m.scale);
    shifts.push_back(m.shift);
    types += (types.empty() ? "" : ",") + typeOfMultiplier(m.scale).str();
    shiftTypes += shiftTypes.empty() ? "int8" : ",int8";
  }
  setInts(op, keys::scale_value, scales);
  setInts(op, keys::shift_value, shifts);
  setExtraKey(op, "scale_type", "[" + types + "]");
  setExtraKey(op, "shift_type", "[" + shiftTypes + "]");
}

void PrequantizedLayer::setInt(llvm::StringRef key, int64_t value) {
  op->setAttr(key, mlir::Builder(op->getContext()).getI64IntegerAttr(value));
}

void PrequantizedLayer::setChannelRequants(llvm::ArrayRef<Multiplier> channels,
                                           bool isWide) {
  std::vector<int64_t> scales, shifts;
  for (const Multiplier &m : channels) {
    scales.push_back(m.scale);
    shifts.push_back(m.shift);
  }
  auto count = int64_t(channels.size());
  setTensor(keys::scale, {count}, isWide ? DType::I32 : DType::U16, scales);
  setTensor(keys::shift, {count}, DType::I8, shifts);
}

void PrequantizedLayer::setWord(llvm::StringRef key, llvm::StringRef word) {
  op->setAttr(key, mlir::Builder(op->getContext()).getStringAttr(word));
}

void PrequantizedLayer::setTensor(llvm::StringRef key,
                                  llvm::ArrayRef<int64_t> shape,
                                  StoredType type,
                                  llvm::ArrayRef<int64_t> values) {
  op->setAttr(key, makeConstant(op->getContext(),
                                (layerNameOf(op) + "." + key).str(), shape,
                                type, packed(type, values)));
}

/// A Cast in front of operand \p i, whose scale is not that of \p wanted.
static void castOperand(mlir::Operation *op, unsigned i,
                        const StoredTensor &wanted, Multiplier multiplier) {
  mlir::Value from = op->getOperand(i);
  mlir::OpBuilder builder(op);
  std::string name = tensorNameOf(from) + "_to_" + layerNameOf(op).str() +
                     (i == 0 ? "" : "_" + std::to_string(i));
  auto place = mlir::NameLoc::get(builder.getStringAttr(name), op->getLoc());
  auto type = storedTensorType(op->getContext(), describe(from).shape, wanted);
  auto cast = CastOp::create(builder, place, mlir::TypeRange(type), from);
  cast->setAttr(kTopNamesAttr, builder.getStrArrayAttr({name + "_0"}));
  cast->setAttr(keys::to_dtype, builder.getStringAttr(dtypeName(wanted.type)));
  setRequantOf(cast, multiplier);
  op->setOperand(i, cast->getResult(0));
}

bool PrequantizedLayer::castOperands(bool clamps) {
  llvm::SmallVector<std::pair<unsigned, Multiplier>> casts;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    auto in = input(i);
    bool isWithin =
        in && (!clamps || (in->lo >= output.lo && in->hi <= output.hi));
    if (!in || (in->means(output) && isWithin))
      continue;
    auto m = requantOf(*in, output);
    if (!m)
      return hasNoForm("its scales are too far apart");
    casts.push_back({i, *m});
  }
  for (auto [i, m] : casts)
    castOperand(op, i, output, m);
  return true;
}

bool PrequantizedLayer::castResult(const StoredTensor &form) {
  auto m = requantOf(form, output);
  if (!m)
    return hasNoForm("its scales are too far apart");
  mlir::Value result = op->getResult(0);
  std::string name = tensorNameOf(result);
  auto shape = llvm::to_vector(describe(result).shape);
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto place = mlir::NameLoc::get(
      builder.getStringAttr(layerNameOf(op) + "_to_" + name), op->getLoc());
  auto type = storedTensorType(op->getContext(), shape, output);
  auto cast = CastOp::create(builder, place, mlir::TypeRange(type), result);
  cast->setAttr(kTopNamesAttr, builder.getStrArrayAttr({name}));
  cast->setAttr(keys::to_dtype, builder.getStringAttr(dtypeName(output.type)));
  setRequantOf(cast, *m);
  result.replaceAllUsesExcept(cast->getResult(0), cast);
  result.setType(storedTensorType(op->getContext(), shape, form));
  std::vector<std::string> names = {name + "_before"};
  for (mlir::Value other : op->getResults().drop_front())
    names.push_back(tensorNameOf(other));
  llvm::SmallVector<llvm::StringRef> list(names.begin(), names.end());
  op->setAttr(kTopNamesAttr, builder.getStrArrayAttr(list));
  op = cast;
  return true;
}
