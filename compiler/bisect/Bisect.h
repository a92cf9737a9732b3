//===- Bisect.h - Where two executions begin to differ ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Two executions of a network that should agree (an IR, an executable, recorded
// tensors) on the same samples: the first layer whose result differs, of an
// executable the first command in it, and the layer with its operands as a
// network of its own.
//
//   Bisector bisector(options, call);
//   if (!bisector.open())
//     return;
//   std::optional<Bisection> answer = bisector.run();
//   os << answer->text();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_BISECT_BISECT_H
#define YARROW_COMPILER_BISECT_BISECT_H

#include "compiler/bisect/CommandSearch.h"
#include "compiler/bisect/FloatSearch.h"
#include "compiler/bisect/Replay.h"
#include "quantizer/calibrate/Calibrate.h"
#include "simulator/engine/Effort.h"

#include <nlohmann/json_fwd.hpp>

namespace yarrow {

struct BisectOptions {
  std::string expected, found;     ///< "net_o.txt,net_o.bin", aipu.bin, ref.npz
  std::vector<std::string> inputs; ///< .npy; none: random numbers.
  std::string model;               ///< The integer IR of two executables.
  std::size_t samples = 0;         ///< At most; 0: all.
  double mostFloats = 0;           ///< That floats may differ by.
  LossLimits limits;
  std::string folder; ///< For the replay; empty: none.
  uint64_t budget = sim::kDefaultBudget;
  graph::ImportOptions import;
  PrequantizedOptions given;
};

struct Bisection {
  std::string expected, found; ///< Which file is which side.
  std::size_t samples = 0;     ///< That were looked at.
  std::size_t compared = 0;    ///< Results of a sample.
  bool differs = false;

  // Of what differs.
  std::size_t sample = 0;
  LayerResult expectedResult, foundResult;
  std::string layer;
  std::size_t element = 0;
  StoredDifference values;
  std::optional<double> sqnrDb, medianDb; ///< Float against integers.
  std::string stop;                       ///< Why the found one did not end.
  std::optional<DifferingCommand> command;
  std::string commandNote; ///< What commands were compared with.
  ReplayFiles replay;

  std::string text() const;
  nlohmann::ordered_json json() const;
};

class Bisector {
public:
  Bisector(const BisectOptions &options, const session::Call &call)
      : options(options), call(call), diags(call.diags) {}

  /// Reads both sides and the samples. False after errors.
  bool open();
  /// What went wrong with the way in which it was asked; "" if nothing.
  const std::string &misuse() const { return misused; }
  /// Nullopt after errors.
  std::optional<Bisection> run();

private:
  /// An execution and its inputs.
  struct Side {
    std::string path;
    std::unique_ptr<NetworkRun> network;
    std::unique_ptr<MachineRun> machine;
    bool isRecorded = false;
    std::unique_ptr<SampleSet> samples;        ///< Of a network.
    std::optional<SampleArrays> machineInputs; ///< Of an executable.

    int rank() const;
    std::size_t count() const;
    std::vector<std::vector<char>> inputsOf(std::size_t sample) const;
  };

  bool open(const std::string &path, Side &side);
  bool readSamples(Side &side);
  std::vector<NpyView> readArrays();
  std::optional<bool> compare(std::size_t sample, Bisection &answer);
  /// Over \p count samples together: single ones say little of a layer.
  bool compareLosses(std::size_t count, Bisection &answer);
  bool explain(std::size_t sample, Bisection &answer);
  bool findCommand(std::size_t sample, Bisection &answer);
  /// A program for the found executable's machine that is compiled now.
  std::unique_ptr<MachineRun> compileTwin();
  bool writeLayer(std::size_t sample, Bisection &answer);
  const NetworkRun *integerNetwork() const;

  const BisectOptions &options;
  const session::Call call;
  DiagnosticEngine &diags;
  std::string misused;
  Side expected, found;
  Side model; ///< BisectOptions::model
  std::vector<NpyView> arrays;
  // Of the sample that is looked at.
  Execution expectedRun;
  MachineLog foundRun; ///< Of a network the results alone.
};

} // namespace yarrow

#endif // YARROW_COMPILER_BISECT_BISECT_H
