//===- OneLayer.h - One layer with one input as MLIR text -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   layer("reshape", "{shape = array<i64: 4>}", "2x2xf32", "4xf32")
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_COMPASS_MOVEMENT_ONELAYER_H
#define YARROW_TEST_UNIT_COMPASS_MOVEMENT_ONELAYER_H

#include "test/unit/compass/LayerTesting.h"

namespace yarrow::compass {

/// Tensor types are given without tensor<>.
inline std::string layer(const std::string &name, const std::string &attributes,
                         const std::string &in, const std::string &out) {
  return "%x = compass.input() : () -> tensor<" + in + ">\n%y = compass." +
         name + "(%x) " + attributes + " : (tensor<" + in + ">) -> tensor<" +
         out + ">";
}

inline std::string errorsOf(const std::string &body) {
  return Layers(body).errors();
}

const std::string q8 = "!quant.uniform<i8:f32, 0.1>";

} // namespace yarrow::compass

#endif // YARROW_TEST_UNIT_COMPASS_MOVEMENT_ONELAYER_H
