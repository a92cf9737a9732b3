//===- Indices.cpp - Gather, shapes and constants -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

bool nnapi::readGather(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readEmbedding(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readFill(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readRank(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readTopK(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}
