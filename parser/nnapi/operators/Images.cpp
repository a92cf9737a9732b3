//===- Images.cpp - Operations that know channels -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

bool nnapi::readBlockMove(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readBatchToSpace(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readSpaceToBatch(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readResize(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readChannelShuffle(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readRoiAlign(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readRoiPool(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}
