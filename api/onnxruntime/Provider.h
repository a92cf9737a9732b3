//===- Provider.h - The NPU for a session of ONNX Runtime -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Divides the graph of a session (compiler/provider) and gives ONNX Runtime a
// node for each part. Everything that was compiled to find the parts is kept
// for the nodes.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_ONNXRUNTIME_PROVIDER_H
#define YARROW_API_ONNXRUNTIME_PROVIDER_H

#include "api/onnxruntime/PartNode.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace yarrow::ort {

class Provider : public Ep {
public:
  Provider(Options options, const Logger *logger);
  /// Writes the report.
  ~Provider();

private:
  void findParts(const Graph *graph, SupportInfo *support);
  void takeContexts(const std::vector<const Node *> &nodes,
                    SupportInfo *support);
  void quantizeInnerParts(const provider::ModelGraph &graph,
                          provider::Partition &partition) const;
  void logPartition(const provider::ModelGraph &graph,
                    const provider::Partition &partition) const;
  NodeCompute *compilePart(const Graph *graph, const Node *fused);
  void release(NodeCompute *node);
  void writeReport();
  std::string text() const;

  Options options;
  const Logger *logger;
  std::string modelPath;
  /// A part that no node was made of yet.
  struct FoundPart {
    std::string name;
    std::shared_ptr<const session::Executable> executable;
    PartSource source;
  };
  /// By the tensors that the nodes of a part write.
  std::map<std::vector<std::string>, FoundPart> found;
  nlohmann::ordered_json summary; ///< Of the partition.
  std::map<const NodeCompute *, std::unique_ptr<PartNode>> nodes;
  nlohmann::ordered_json finished = nlohmann::ordered_json::array();
};

} // namespace yarrow::ort

#endif // YARROW_API_ONNXRUNTIME_PROVIDER_H
