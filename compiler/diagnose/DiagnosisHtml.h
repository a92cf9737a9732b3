//===- DiagnosisHtml.h - A diagnosis as a page with plots -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One file that opens in any browser, without network or scripts: every layer's
// signal-to-noise ratio alone and in the network, the sources of its error, its
// effect on the outputs, the values of the worst layers within their ranges,
// and the remedies. Pointing at a mark shows its figures.
//
//   std::string page = diagnosisHtml(diagnosis, "resnet20", "X2_1204");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DIAGNOSE_DIAGNOSISHTML_H
#define YARROW_COMPILER_DIAGNOSE_DIAGNOSISHTML_H

#include "compiler/diagnose/Remedies.h"

#include <string>

namespace yarrow {

std::string diagnosisHtml(const Diagnosis &diagnosis, const std::string &model,
                          const std::string &target);

} // namespace yarrow

#endif // YARROW_COMPILER_DIAGNOSE_DIAGNOSISHTML_H
