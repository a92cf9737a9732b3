//===- Twin.h - Recorded cases as graphs of QNN -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Many operators of QNN compute what an operation of NNAPI does. A recorded
// case of that operation is written as a graph of QNN here, with the same
// values: what it computes must be what was recorded.
//
//   std::string why;
//   if (auto twin = qnnTwin(recorded, why))
//     importQnnModel(context, twin->model, ...);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_QNN_TWIN_H
#define YARROW_TEST_QNN_TWIN_H

#include "parser/qnn/QnnModel.h"
#include "test/vts/CaseFile.h"

namespace yarrow::qnntwins {

struct Twin {
  std::string name;
  std::string op; ///< Of QNN, that the case is about: its last node.
  qnn::QnnModel model;
  std::vector<nnapi::Value> inputs; ///< In the order of the model's.
  std::vector<vts::Expected> outputs;
};

/// Nullopt, with the reason, of cases that have no twin.
std::optional<Twin> qnnTwin(const vts::Case &recorded, std::string &why);

/// The operators of Twins.def, some more than once.
std::vector<std::string> twinOps();

} // namespace yarrow::qnntwins

#endif // YARROW_TEST_QNN_TWIN_H
