//===- Control.cpp - Control flow -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

bool nnapi::readIf(OperationReader &r) {
  return r.refuse("is not supported yet", "it", "others");
}

bool nnapi::readWhile(OperationReader &r) {
  return r.refuse("is not supported yet", "it", "others");
}
