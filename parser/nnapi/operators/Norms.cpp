//===- Norms.cpp - Normalisations -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

bool nnapi::readSoftmax(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readL2Norm(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readLrn(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readInstanceNorm(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}
