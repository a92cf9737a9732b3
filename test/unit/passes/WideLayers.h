//===- WideLayers.h - Random layers with scales of 31 bits ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Networks of many layers that read the same two tensors, for the engine to
// give what the kernels give: products of all kinds, sums and means, with
// scales, shifts and biases at their ends and in the middle.
//
//   WideLayers layers(random);
//   layers.add(40);
//   parse(layers.text());       // a function of x and z
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_PASSES_WIDELAYERS_H
#define YARROW_TEST_UNIT_PASSES_WIDELAYERS_H

#include "test/Random.h"
#include <cstdint>
#include <string>
#include <vector>

namespace yarrow::testing {

class WideLayers {
public:
  /// Of images, or of matrices: x[rows][inner], z[inner][columns].
  WideLayers(Random &random, bool isImage);

  void add(int layers);
  std::string text() const;
  uint64_t xBytes() const { return elements(xShape) * bytesOf(type); }
  uint64_t zBytes() const { return elements(zShape) * bytesOf(type); }

private:
  using Shape = std::vector<int>;
  static uint64_t elements(const Shape &shape);
  static uint64_t bytesOf(const std::string &type) {
    return type == "i16" ? 2 : 1;
  }
  std::string tensor(const Shape &shape, const std::string &type,
                     int zeroPoint) const;
  void emit(const std::string &name, const std::string &keys,
            const std::vector<std::string> &operands,
            const std::vector<std::string> &types, const Shape &result,
            const std::string &resultType, bool isResult = true);

  bool isWide16() const { return type == "i16"; }
  int32_t scale();
  int shift(int32_t scale, int sumBits);
  std::string requant(int outputs, int sumBits, bool mayBePerTensor = true);
  std::string constants(const Shape &weights, int outputs, int terms);
  std::string window(int kernelY, int kernelX, int strideY, int strideX,
                     const int (&pads)[4]);

  void addConv(bool isResidual);
  void addDepthwise();
  void addTransposed();
  void addMean();
  void addSum();
  void addFullyConnected();
  void addMatMul();
  void sumOf(const std::string &a, const std::string &aType);

  Random &random;
  bool isImage;
  std::string type;
  int zp;
  Shape xShape, zShape;
  int sumBits = 0; ///< Of the last constants' sums, about.
  int next = 0;
  std::string body, results, resultTypes;
};

} // namespace yarrow::testing

#endif // YARROW_TEST_UNIT_PASSES_WIDELAYERS_H
