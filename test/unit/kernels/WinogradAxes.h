//===- WinogradAxes.h - Transforms as the kernels take them -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Conv2DWinogradParams p;
//   p.y = winogradAxis(1, 3), p.x = winogradAxis(2, 3);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_KERNELS_WINOGRADAXES_H
#define YARROW_TEST_UNIT_KERNELS_WINOGRADAXES_H

#include "kernels/conv/Conv.h"
#include "support/Winograd.h"

namespace yarrow::testing {

/// F(\p outputs, \p kernel), whose transforms must be whole.
inline kernels::WinogradAxis winogradAxis(uint32_t outputs, uint32_t kernel) {
  WinogradMatrices f = winogradMatrices(outputs, kernel);
  assert(f.isIntegral());
  kernels::WinogradAxis axis{.outputs = outputs, .kernel = kernel};
  for (unsigned j = 0; j < f.tile(); ++j) {
    for (unsigned k = 0; k < f.tile(); ++k)
      axis.inputTransform[j][k] = int8_t(f.bt(j, k).num);
    for (unsigned i = 0; i < outputs; ++i)
      axis.outputTransform[i][j] = int8_t(f.at(i, j).num);
  }
  return axis;
}

} // namespace yarrow::testing

#endif // YARROW_TEST_UNIT_KERNELS_WINOGRADAXES_H
