//===- Movement.cpp - Operations that move values -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

bool nnapi::readConcat(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readReshape(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readSqueeze(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readExpandDims(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readTranspose(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readPad(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readMirrorPad(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readStridedSlice(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readSlice(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readSplit(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readTile(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readPack(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}

bool nnapi::readReverse(OperationReader &r) {
  return r.refuse("is not imported yet", "it", "others");
}
