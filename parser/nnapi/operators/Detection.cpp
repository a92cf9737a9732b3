//===- Detection.cpp - Boxes ----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

bool nnapi::readBoxTransform(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readBoxWithNmsLimit(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readGenerateProposals(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readDetectionPostprocessing(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readHeatmapMaxKeypoint(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}
