//===- Tables.cpp - Tables, hashes and chance -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

bool nnapi::readHashtable(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readLshProjection(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readRandomMultinomial(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}
