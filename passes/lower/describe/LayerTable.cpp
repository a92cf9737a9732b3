//===- LayerTable.cpp - What reports say about layers ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/LayerTable.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/conv/Winograd.h"
#include "passes/lower/describe/Storage.h"
#include "llvm/Support/Path.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Multiplications of a layer, as the literature counts them: of a Winograd
/// layer those with transformed weights.
static int64_t macsOf(Operation *op) {
  compass::TensorInfo out = compass::describe(op->getResult(0));
  int64_t outputs = out.numElements();
  if (auto matmul = dyn_cast<compass::MatMulOp>(op)) {
    ArrayRef<int64_t> a =
        cast<ShapedType>(matmul.getOperand(0).getType()).getShape();
    return outputs * a[a.size() - (matmul.getTransA() ? 2 : 1)];
  }
  if (!op->hasTrait<compass::trait::Linear>())
    return 0;
  auto weights = cast<ElementsAttr>(op->getAttr("weights")).getShapedType();
  // Every input pixel meets all weights.
  if (mlir::isa<compass::ConvTransposeOp, compass::ConvTranspose3DOp>(op)) {
    compass::TensorInfo in = compass::describe(op->getOperand(0));
    return in.numElements() / in.shape.back() * weights.getNumElements();
  }
  if (auto winograd = compass::winogradOf(op))
    outputs = out.shape[0] * out.shape[3] *
              llvm::divideCeil(out.shape[1], winograd->y.outputs) *
              llvm::divideCeil(out.shape[2], winograd->x.outputs);
  return outputs * (weights.getNumElements() / weights.getDimSize(0));
}

/// Bytes of constants, of operands or of results of a layer.
static int64_t constantBytesOf(Operation *op) {
  int64_t bytes = 0;
  for (NamedAttribute named : op->getAttrs())
    if (auto constant = dyn_cast<ElementsAttr>(named.getValue()))
      if (auto view = compass::viewConstant(constant))
        bytes += view->bytes.size();
  return bytes;
}
static int64_t tensorBytesOf(ValueRange values) {
  int64_t bytes = 0;
  for (Value v : values)
    bytes += compass::describe(v).sizeBytes();
  return bytes;
}

/// Reshapes are no rows: what they read stands for them.
static Value storedAs(Value v) {
  while (Operation *op = v.getDefiningOp()) {
    if (!isAlias(op))
      break;
    v = op->getOperand(0);
  }
  return v;
}

/// \p v, and by which names and shapes it is known as well.
static void addResult(Value v, LayerRow &row) {
  row.results.push_back({compass::tensorNameOf(v), compass::describe(v)});
  for (Operation *user : v.getUsers())
    if (isAlias(user))
      addResult(user->getResult(0), row);
}

static LayerRow describeAlone(Operation *op) {
  auto [file, line] = compass::sourceLineOf(op);
  const compass::OperatorRecord *record = compass::recordOf(op);
  LayerRow row;
  row.name = compass::layerNameOf(op).str();
  row.type = record ? record->layerType.str() : "";
  row.file = llvm::sys::path::filename(file).str();
  row.line = line;
  row.macs = macsOf(op);
  row.weightBytes = constantBytesOf(op);
  row.inBytes = tensorBytesOf(op->getOperands());
  row.outBytes = tensorBytesOf(op->getResults());
  row.members = {row.name};
  for (Value v : op->getOperands())
    row.reads.push_back(compass::tensorNameOf(storedAs(v)));
  for (Value v : op->getResults())
    addResult(v, row);
  return row;
}

LayerRow npu::describeLayer(Operation *op, Operation *fusedConv) {
  LayerRow row = describeAlone(op);
  if (!fusedConv)
    return row;
  // The fused pair is one layer of the report.
  LayerRow pair = describeAlone(fusedConv);
  pair.name += " + " + row.name;
  pair.epilogue = row.type;
  pair.macs += row.macs;
  pair.weightBytes += row.weightBytes;
  pair.inBytes += row.inBytes - pair.outBytes;
  pair.outBytes = row.outBytes;
  pair.members.push_back(row.name);
  for (const std::string &tensor : row.reads)
    if (tensor != pair.results[0].name)
      pair.reads.push_back(tensor);
  pair.results = row.results;
  return pair;
}

ArrayAttr npu::layerTable(ArrayRef<LayerRow> rows, Builder &builder) {
  auto number = [&](StringRef key, int64_t value) {
    return builder.getNamedAttr(key, builder.getI64IntegerAttr(value));
  };
  auto text = [&](StringRef key, StringRef value) {
    return builder.getNamedAttr(key, builder.getStringAttr(value));
  };
  auto texts = [&](StringRef key, ArrayRef<std::string> values) {
    SmallVector<StringRef> list(values.begin(), values.end());
    return builder.getNamedAttr(key, builder.getStrArrayAttr(list));
  };
  auto resultAttr = [&](const LayerResult &result) -> Attribute {
    const compass::TensorInfo &info = result.info;
    return builder.getDictionaryAttr(
        {text("name", result.name),
         text("type", compass::dtypeName(info.storedType())),
         builder.getNamedAttr("shape", builder.getI64ArrayAttr(info.shape)),
         builder.getNamedAttr("scale", builder.getF64FloatAttr(info.scale)),
         number("zero_point", info.zp)});
  };
  auto typeOf = [](const LayerRow &row) {
    std::string type = row.type;
    if (!row.form.empty())
      type += " (" + row.form + ")";
    return row.epilogue.empty() ? type : type + "+" + row.epilogue;
  };
  SmallVector<Attribute> table;
  for (const LayerRow &row : rows) {
    SmallVector<Attribute> results =
        llvm::map_to_vector(row.results, resultAttr);
    SmallVector<NamedAttribute> entries = {
        text("name", row.name),
        text("type", typeOf(row)),
        text("file", row.file),
        number("line", row.line),
        number("macs", row.macs),
        number("weight_bytes", row.weightBytes),
        number("in_bytes", row.inBytes),
        number("out_bytes", row.outBytes),
        texts("members", row.members),
        texts("reads", row.reads),
        builder.getNamedAttr("results", builder.getArrayAttr(results))};
    if (!row.onTecs.empty())
      entries.push_back(text("on_tecs", row.onTecs));
    table.push_back(builder.getDictionaryAttr(entries));
  }
  return builder.getArrayAttr(table);
}
