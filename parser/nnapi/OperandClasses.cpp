//===- OperandClasses.cpp - Which types operands may have -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationTable.h"

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {

bool isFloat(OperandType type) {
  return type == OperandType::TENSOR_FLOAT32 ||
         type == OperandType::TENSOR_FLOAT16;
}

bool isQuant8(OperandType type) {
  return type == OperandType::TENSOR_QUANT8_ASYMM ||
         type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
}

/// Whether CAST makes others of it.
bool isCast(OperandType type) {
  return isFloat(type) || type == OperandType::TENSOR_INT32 ||
         type == OperandType::TENSOR_QUANT8_ASYMM;
}

/// The scalar of a tensor's elements.
OperandType scalarOf(OperandType t) {
  return t == OperandType::TENSOR_FLOAT16 ? OperandType::FLOAT16
         : isFloat(t)                     ? OperandType::FLOAT32
                                          : OperandType::INT32;
}

} // namespace

const char *nnapi::nameOf(OperandClass operandClass) {
  switch (operandClass) {
#define CLASS(NAME, TEXT)                                                      \
  case OperandClass::NAME:                                                     \
    return #NAME;
#include "parser/nnapi/OperandClasses.def"
#define SCALAR(CODE, NAME, ELEMENT, LEVEL)                                     \
  case OperandClass::NAME:                                                     \
    return #NAME;
#define TENSOR(CODE, NAME, ELEMENT, STORAGE, LEVEL)                            \
  case OperandClass::NAME:                                                     \
    return #NAME;
#include "parser/nnapi/OperandTypes.def"
  }
  return "";
}

const char *nnapi::textOf(OperandClass operandClass) {
  switch (operandClass) {
#define CLASS(NAME, TEXT)                                                      \
  case OperandClass::NAME:                                                     \
    return TEXT;
#include "parser/nnapi/OperandClasses.def"
#define SCALAR(CODE, NAME, ELEMENT, LEVEL)                                     \
  case OperandClass::NAME:                                                     \
    return #NAME;
#define TENSOR(CODE, NAME, ELEMENT, STORAGE, LEVEL)                            \
  case OperandClass::NAME:                                                     \
    return #NAME;
#include "parser/nnapi/OperandTypes.def"
  }
  return "";
}

bool nnapi::fits(OperandClass operandClass, OperandType type, OperandType t) {
  using Type = OperandType;
  switch (operandClass) {
  case OperandClass::T:
    return type == t;
  case OperandClass::WEIGHTS:
    return type == t ||
           (isQuant8(t) && type == Type::TENSOR_QUANT8_SYMM_PER_CHANNEL);
  case OperandClass::BIAS:
    return type == (isQuant8(t) ? Type::TENSOR_INT32 : t);
  case OperandClass::BOXES:
    return type == (isQuant8(t) ? Type::TENSOR_QUANT16_ASYMM : t);
  case OperandClass::ANCHORS:
    return type == (isQuant8(t) ? Type::TENSOR_QUANT16_SYMM : t);
  case OperandClass::SIZES:
    return isQuant8(t) ? type == Type::TENSOR_QUANT16_SYMM ||
                             type == Type::TENSOR_QUANT16_ASYMM
                       : type == t;
  case OperandClass::DELTAS:
    return isFloat(t) ? type == t : isQuant8(type);
  case OperandClass::NUMBER:
    return type == (t == Type::TENSOR_FLOAT16 ? Type::FLOAT16 : Type::FLOAT32);
  case OperandClass::REAL:
    // The definition has FLOAT32 alone, recorded cases of float16 have both.
    return type == Type::FLOAT32 ||
           (t == Type::TENSOR_FLOAT16 && type == Type::FLOAT16);
  case OperandClass::VALUE:
    return type == scalarOf(t);
  case OperandClass::FUSE:
  case OperandClass::PADDING:
    return type == Type::INT32;
  case OperandClass::FLOATS:
    return isFloat(type);
  case OperandClass::QUANT8:
    return isQuant8(type);
  case OperandClass::CASTED:
    return type == t || (isCast(type) && isCast(t));
  case OperandClass::ANY:
    return true;
#define SCALAR(CODE, NAME, ELEMENT, LEVEL)                                     \
  case OperandClass::NAME:                                                     \
    return type == Type::NAME;
#define TENSOR(CODE, NAME, ELEMENT, STORAGE, LEVEL)                            \
  case OperandClass::NAME:                                                     \
    return type == Type::NAME;
#include "parser/nnapi/OperandTypes.def"
  }
  return false;
}
