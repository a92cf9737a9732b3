//===- RecurrentModels.h - Recurrent operations with random weights -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A model of one recurrent operation, made from the operation's record and the
// lengths of its cell, and what a plain loop over steps in double precision
// gives of the same numbers.
//
//   CellForm form;
//   form.isCoupled = true;
//   RecurrentModel lstm("UNIDIRECTIONAL_SEQUENCE_LSTM", form);
//   EXPECT_THAT(lstm.run(0), Near(lstm.expected().sequence));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_NNAPI_RECURRENTMODELS_H
#define YARROW_TEST_UNIT_NNAPI_RECURRENTMODELS_H

#include "parser/nnapi/NnModel.h"
#include "support/Diagnostics.h"
#include <map>
#include <random>

namespace yarrow::test {

struct CellForm {
  std::int64_t batch = 2, steps = 3, inputs = 3, units = 4, outputs = 4,
               auxInputs = 2;
  bool isCoupled = false, hasPeepholes = false, hasProjection = false,
       hasProjectionBias = false, isNormalised = false;
  bool hasAux = false, hasAuxWeights = false, isMerged = false;
  bool isTimeMajor = false, hasLastStates = true;
  bool areWeightsInputs = false; ///< Not constants.
  std::int64_t activation = 4;   ///< tanh
  double cellClip = 0, projectionClip = 0;
};

struct Expected {
  std::vector<double> sequence; ///< [steps, batch, outputs]
  std::vector<double> lastOutput, lastCell;
};

class RecurrentModel {
public:
  RecurrentModel(const char *operation, const CellForm &form);

  /// One output of the imported network, which runs once; empty after errors.
  std::vector<float> run(std::size_t output);
  /// Of one direction: "" or "fw_", or "bw_" from the last step to the first.
  Expected expectedLstm(const std::string &prefix) const;
  Expected expectedRnn(const std::string &prefix) const;
  /// A sequence in the order of the operation's axes.
  std::vector<double> ordered(const std::vector<double> &sequence,
                              std::int64_t size) const;

  CellForm form;
  nnapi::NnModel model;
  DiagnosticEngine diags;

private:
  void addInput(const std::string &name);
  void evaluate();
  void addOutputs();
  std::optional<std::vector<std::uint32_t>>
  dimsOf(const std::string &name) const;
  std::optional<double> scalarOf(const std::string &name) const;
  bool isLeftOut(const std::string &name) const;
  bool isSequence() const { return name.find("SEQUENCE") != name.npos; }
  std::vector<std::uint32_t> sequenceDims(std::int64_t size) const;
  double at(const std::string &input, std::int64_t i) const {
    return values.at(input)[std::size_t(i)];
  }
  /// Row \p row of weights times a vector; 0 without such weights.
  double product(const std::string &weights, std::int64_t row,
                 const std::vector<double> &x) const;
  /// What the direction reads of a step.
  std::vector<double> stepOf(const std::string &input, std::int64_t step,
                             std::int64_t batch, std::int64_t size) const;
  std::vector<double> gate(const std::string &prefix, const std::string &gate,
                           const std::vector<double> &x,
                           const std::vector<double> &aux,
                           const std::vector<double> &h,
                           const std::vector<double> &c) const;
  double activated(double x) const;

  std::string name;
  std::mt19937 random{7};
  std::map<std::string, std::vector<float>> values; ///< By the input's name.
  std::vector<std::uint32_t> operands;
  std::vector<std::vector<float>> results; ///< Of a run.
};

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_NNAPI_RECURRENTMODELS_H
