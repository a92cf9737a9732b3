//===- Recurrent.cpp - RNNs, LSTMs, SVDF ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

bool nnapi::readLstm(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readBidirectionalLstm(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readRnn(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readBidirectionalRnn(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readSvdf(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}
