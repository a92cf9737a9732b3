//===- TableItems.cpp - Items of a table by what it is asked --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/choices/TableItems.h"

#include "quantizer/math/Lut.h"
#include "quantizer/math/Similarity.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;

static double sqnrWith(const TableTask &task, unsigned most) {
  std::vector<int64_t> table =
      fittedLut(task.function, task.input, task.output, task.least, most);
  int64_t first = integerMin(task.input.bits, task.input.isSigned);
  Similarity s;
  for (float x : task.values) {
    double y = task.function(x);
    if (!std::isfinite(y))
      continue;
    int64_t index = quantizeValue(x, task.input) - first;
    float wanted = float(y),
          found = dequantizeValue(lookUp(table, index, task.input.bits),
                                  task.output.scale, task.output.zp);
    s.add({&wanted, 1}, {&found, 1});
  }
  return s.sqnrDb();
}

unsigned yarrow::mostItemsInBitsFor(const TableTask &task) {
  // Above this, the other layers' roundings are what is left.
  constexpr double kEnoughDb = 45, kGainDb = 3, kNearDb = 1;
  if (task.input.bits <= task.most)
    return task.most;
  double now = sqnrWith(task, task.most);
  double best = sqnrWith(task, task.input.bits);
  if (!(now < kEnoughDb) || !(best > now + kGainDb))
    return task.most;
  unsigned bits = task.most + 1;
  while (bits < task.input.bits &&
         sqnrWith(task, bits) < std::min(best - kNearDb, kEnoughDb))
    ++bits;
  return bits;
}
