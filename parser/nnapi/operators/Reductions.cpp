//===- Reductions.cpp - Along axes ----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

bool nnapi::readReduce(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readArgExtreme(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}
