//===- NnapiStored.cpp - Stored integers as numbers -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OnnxTypes.h"
#include "parser/graph/OperatorTable.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

/// A conversion of what is stored, whatever it means: a tensor that the model
/// stores in integers gives these, and gets them. While tensors are real, its
/// stored operand and result are floats.
LogicalResult graph::emitNnapiStoredCast(NodeEmitter &n) {
  auto to = onnxType(n.node.integer("to", 0));
  assert(to && "readers make the node");
  bool isStored = n.node.outputs[0]->quantization.has_value();
  compass::DType element = isStored ? compass::DType::F32 : irElement(*to);
  return n.outPlain(
      0, n.build.layerOf("Cast", {n.plain(0)},
                         {{"to_dtype", compass::dtypeName(element).str()},
                          {"ignore_scale_zp", true}},
                         element));
}
