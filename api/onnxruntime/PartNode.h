//===- PartNode.h - A part of a model as a node -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Computes the node that stands for a part: takes the tensors of a run, runs
// the executable for their shapes and gives the results. Any number of threads
// may be in it at a time. A part with open lengths is compiled when it meets a
// shape for the first time; there is a limit to how many.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_ONNXRUNTIME_PARTNODE_H
#define YARROW_API_ONNXRUNTIME_PARTNODE_H

#include "api/onnxruntime/Abi.h"
#include "api/onnxruntime/GraphWriter.h"
#include "api/onnxruntime/Options.h"
#include "compiler/provider/Partition.h"
#include "runtime/SessionPool.h"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace yarrow::ort {

/// A tensor of the node.
struct NodeTensor {
  std::string name;
  TensorType type;
};

/// What a part is made of; of one that was read as a context nothing, unless it
/// is compiled when it meets a shape.
struct PartSource {
  std::shared_ptr<const provider::ModelGraph> graph;
  provider::Group nodes;
};

struct PartSpec {
  std::string name;     ///< "part_0"
  std::string nodeName; ///< Which ONNX Runtime knows it by.
  std::vector<NodeTensor> inputs, outputs;
  std::shared_ptr<const session::Executable> executable; ///< Or null:
  PartSource source;
};

class PartNode : public NodeCompute {
public:
  /// \p options and \p logger outlive it.
  PartNode(PartSpec spec, const Options &options, const Logger *logger);

  const PartSpec &spec() const { return part; }
  /// Counts of its runs, for the session's report.
  nlohmann::ordered_json report() const;

private:
  /// An executable and the tensors of the node that are its own.
  struct Program {
    Program(std::shared_ptr<const runtime::Executable> executable,
            const PartSpec &part, const Options &options);
    runtime::SessionPool sessions;
    std::vector<std::size_t> inputs;  ///< Of the node, by the executable's.
    std::vector<std::size_t> outputs; ///< Of the executable, by the node's.
  };
  struct Input {
    const void *data = nullptr;
    int type = 0;
    std::vector<std::int64_t> shape;
    std::size_t count = 1;
  };

  void run(KernelContext *context);
  std::vector<Input> inputsOf(const KernelContext *context) const;
  bool giveEmpty(const std::vector<Input> &inputs, KernelContext *context);
  void checkConstants(const std::vector<Input> &inputs) const;
  Program &programFor(const std::vector<Input> &inputs);
  std::shared_ptr<const session::Executable>
  compileFor(const std::vector<Input> &inputs);
  void setInputs(runtime::Session &session, const Program &program,
                 const std::vector<Input> &inputs) const;
  void giveOutputs(const runtime::Session &session, const Program &program,
                   KernelContext *context) const;
  void count(const runtime::DeviceCounters &counters);
  void keepReport(const runtime::Session &session,
                  const runtime::RecordedRun &run);

  PartSpec part;
  const Options &options;
  const Logger *logger;

  mutable std::mutex mutex;
  std::map<std::vector<std::vector<std::int64_t>>, std::unique_ptr<Program>>
      programs; ///< By the shapes of the inputs; one, of none, if they are
                ///< fixed.
  std::uint64_t runs = 0, cycles = 0, leastCycles = 0, mostCycles = 0;
  nlohmann::ordered_json performance; ///< Of the first run.
};

} // namespace yarrow::ort

#endif // YARROW_API_ONNXRUNTIME_PARTNODE_H
