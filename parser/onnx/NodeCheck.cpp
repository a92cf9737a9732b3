//===- NodeCheck.cpp - Nodes beside the definition of operators -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/NodeCheck.h"
#include "parser/onnx/OperatorRecords.h"
#include "support/diagnostics/Import.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::onnx;
using graph::Attribute;
using graph::Graph;
using graph::Node;

namespace {

class NodeChecker {
public:
  NodeChecker(const std::string &path, DiagnosticEngine &diags)
      : path(path), diags(diags) {}

  void check(const Graph &graph) {
    for (const auto &node : graph.nodes) {
      checkNode(*node);
      for (auto &[key, attribute] : node->attributes)
        if (attribute.graph)
          check(*attribute.graph);
    }
  }

private:
  Diagnostic &problem(const Node &node, const std::string &what) {
    return diags.report(diag::ImportBadNode, {path + ": " + node.describe()},
                        node.op + ": " + what);
  }

  void checkNode(const Node &node) {
    const OperatorRecord *record =
        node.domain.empty() ? findRecord(node.op) : nullptr;
    if (!record || !checkVersion(node, *record))
      return;
    for (auto &[key, attribute] : node.attributes)
      checkAttribute(node, *record, key, attribute);
    for (const AttributeRecord &needed : record->attributes)
      if (needed.isNeeded && needed.isIn(node.version) &&
          !node.attribute(needed.name))
        problem(node,
                "the attribute " + std::string(needed.name) + " is missing")
            .expected(std::string(describe(needed.kind)));
    const Signature &signature = record->signature(node.version);
    checkCount(node, signature.inputs, node.inputs.size(), "inputs");
    checkCount(node, signature.outputs, node.outputs.size(), "outputs");
  }

  static std::string versionText(std::int64_t version) {
    return "version " + std::to_string(version) + " of ai.onnx";
  }

  /// Whether the node's operator set has the operator.
  bool checkVersion(const Node &node, const OperatorRecord &record) {
    if (node.version <= 0) {
      if (!hasReportedSet)
        diags
            .report(diag::OnnxVersion, {path + ": " + node.describe()},
                    "the model does not import an operator set for its nodes")
            .found("no opset_import for ai.onnx")
            .expected("the version that the nodes are written for")
            .hint("export the model again; the tool that wrote it, or a later "
                  "edit, dropped the opset_import");
      hasReportedSet = true;
      return false;
    }
    if (node.version < record.since) {
      problem(node, "the operator is newer than the model's operator set")
          .found(versionText(node.version))
          .expected("version " + std::to_string(record.since) + " or newer")
          .hint("export the model with opset_version=" +
                std::to_string(record.since));
      return false;
    }
    if (node.version >= record.until) {
      problem(node, "the model's operator set no longer has the operator")
          .found(versionText(node.version))
          .expected("a version before " + std::to_string(record.until))
          .hint("use " + std::string(record.instead) + " instead");
      return false;
    }
    return true;
  }

  void checkAttribute(const Node &node, const OperatorRecord &record,
                      const std::string &key, const Attribute &attribute) {
    const AttributeRecord *known = record.attribute(key, node.version);
    if (!known)
      return unknownAttribute(node, record, key);
    // A tensor or a value of elements that nothing computes is told where it is
    // used.
    bool isForeign = known->kind == Attribute::Kind::Tensor &&
                     attribute.kind == Attribute::Kind::Other;
    if (attribute.kind != known->kind && !isForeign)
      problem(node, "the attribute " + key + " has a wrong type")
          .found(std::string(describe(attribute.kind)))
          .expected(std::string(describe(known->kind)));
  }

  void unknownAttribute(const Node &node, const OperatorRecord &record,
                        const std::string &key) {
    std::vector<std::string> names;
    std::string list;
    for (const AttributeRecord &other : record.attributes)
      if (other.isIn(node.version)) {
        names.emplace_back(other.name);
        list += (list.empty() ? "" : ", ") + names.back();
      }
    Diagnostic &d = problem(node, "the operator has no attribute " + key);
    d.found("in " + versionText(node.version))
        .expected(list.empty() ? "no attributes" : "one of " + list);
    auto other =
        std::ranges::find(record.attributes, key, &AttributeRecord::name);
    if (other == record.attributes.end())
      d.suggest(key, names);
    else if (node.version < other->since)
      d.hint("version " + std::to_string(other->since) +
             " added it; the model's operator set is too old");
    else
      d.hint("version " + std::to_string(other->until) +
             " removed it or made it an input");
  }

  void checkCount(const Node &node, const std::vector<TensorRecord> &tensors,
                  std::size_t found, const char *what) {
    std::size_t least = 0, most = tensors.size();
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i].count == TensorRecord::Count::One)
        least = i + 1;
    bool isList = !tensors.empty() && tensors.back().isList();
    if (found >= least && (found <= most || isList))
      return;
    problem(node, std::string("the node has a wrong number of ") + what)
        .found(std::to_string(found))
        .expected(std::to_string(least) +
                  (isList          ? " or more"
                   : most == least ? ""
                                   : " to " + std::to_string(most)) +
                  " in " + versionText(node.version));
  }

  const std::string &path;
  DiagnosticEngine &diags;
  bool hasReportedSet = false;
};

} // namespace

void onnx::checkNodes(const Graph &graph, const std::string &path,
                      DiagnosticEngine &diags) {
  NodeChecker(path, diags).check(graph);
}
