//===- Classes.h - Instructions by what their programs need -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every record of isa/RiscvInsts.def but those that end or leave a program
// belongs to one class; a program draws from the records of one class.
//
//   for (const InstClass &c : instClasses())
//     generate(c, seed, steps);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_DIFFERENTIAL_CLASSES_H
#define YARROW_TEST_DIFFERENTIAL_CLASSES_H

#include "test/differential/Program.h"
#include <vector>

namespace yarrow::differential {

struct InstClass {
  const char *name;
  std::vector<InstId> records;
  /// Vector instructions are started at elements other than the first.
  bool usesVstart = false;
};

const std::vector<InstClass> &instClasses();

/// The first \p steps steps are the same for every larger number of steps.
Program generate(const InstClass &instClass, uint64_t seed, unsigned steps);

} // namespace yarrow::differential

#endif // YARROW_TEST_DIFFERENTIAL_CLASSES_H
