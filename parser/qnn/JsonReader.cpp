//===- JsonReader.cpp - QNN graphs as JSON --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The graph's tensors and nodes are read one by one: no tree of the whole file
// is made.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/JsonReader.h"
#include "parser/qnn/JsonFields.h"
#include "parser/qnn/JsonNumber.h"
#include "parser/qnn/NodeFields.h"
#include "parser/qnn/TensorFields.h"
#include "support/FileKind.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Import.h"
#include <set>
#include <unordered_set>

using namespace yarrow;
using namespace yarrow::qnn;

namespace {

/// {"graph": {"tensors": {}, "nodes": {}, "graphs": {name: graph}}, "graphs":
/// {name: graph}}: the objects that are entered are the last of a path.
enum class Scope { File, Graph, Graphs, Tensors, Nodes, Kept };

Scope scopeWithin(Scope scope, std::string_view key) {
  switch (scope) {
  case Scope::File:
    return key == "graph"    ? Scope::Graph
           : key == "graphs" ? Scope::Graphs
                             : Scope::Kept;
  case Scope::Graphs:
    return Scope::Graph;
  case Scope::Graph:
    return key == "tensors"  ? Scope::Tensors
           : key == "nodes"  ? Scope::Nodes
           : key == "graphs" ? Scope::Graphs
                             : Scope::Kept;
  default:
    return Scope::Kept;
  }
}

Scope scopeOf(const JsonPath &path) {
  Scope scope = Scope::File;
  for (const std::string &key : path)
    scope = scopeWithin(scope, key);
  return scope;
}

class GraphVisitor : public JsonVisitor {
public:
  GraphVisitor(QnnModel &model, JsonProblems &problems)
      : model(model), problems(problems) {}

  bool enters(const JsonPath &path) override;
  bool leaves(const JsonPath &path, std::size_t numEntered) override;
  void member(const JsonPath &path, JsonValue &member) override;
  /// What can be told when all of \p text is read.
  void finish(std::string_view text);

private:
  struct Names {
    QnnModel *model;
    std::unordered_set<std::string> nodes = {};
  };

  Names &graphOf(JsonPath path);
  bool isFirst(const JsonPath &path, std::string_view part);
  bool isGraphThere(const JsonPath &path);
  void checkGraph(const JsonPath &path, const QnnModel &graph,
                  std::string_view text);

  QnnModel &model;
  JsonProblems &problems;
  std::map<JsonPath, Names> graphs;
  std::set<JsonPath> seen; ///< But for tensors and nodes.
  /// The one that members were given of last.
  JsonPath lastPath;
  Scope lastScope = Scope::File;
  Names *last = nullptr;
};

} // namespace

/// The one that is at \p path, or that it is in.
GraphVisitor::Names &GraphVisitor::graphOf(JsonPath path) {
  while (!path.empty() && scopeOf(path) != Scope::Graph)
    path.pop_back();
  if (path.empty() || path.size() == 1)
    return graphs.try_emplace({"graph"}, Names{&model}).first->second;
  if (auto it = graphs.find(path); it != graphs.end())
    return it->second;
  // "graphs" of the file are those of the graph beside it.
  Names &parent = graphOf({path.begin(), path.end() - 2});
  auto &graph = parent.model->graphs[path.back()];
  graph = std::make_shared<QnnModel>();
  graph->file = model.file;
  return graphs.try_emplace(path, Names{graph.get()}).first->second;
}

bool GraphVisitor::isFirst(const JsonPath &path, std::string_view part) {
  bool isNew = seen.insert(path).second;
  if (!isNew)
    problems.report(part, "",
                    "the key '" + excerptOf(path.back()) +
                        "' is given twice in one object");
  return isNew;
}

/// "graphs" of the file and those of its graph are the same.
bool GraphVisitor::isGraphThere(const JsonPath &path) {
  if (path.size() < 2 || scopeOf(path) != Scope::Graph)
    return false;
  Names &parent = graphOf({path.begin(), path.end() - 1});
  return parent.model->graphs.contains(path.back());
}

bool GraphVisitor::enters(const JsonPath &path) {
  Scope scope = scopeOf(path);
  if (scope == Scope::Kept)
    return false;
  // A second one is taken as a whole, and reported then.
  if (seen.contains(path) || isGraphThere(path))
    return false;
  seen.insert(path);
  if (scope == Scope::Graph)
    graphOf(path);
  return true;
}

bool GraphVisitor::leaves(const JsonPath &path, std::size_t numEntered) {
  if (path.back() != "data")
    return false;
  JsonPath around(path.begin(), path.begin() + std::ptrdiff_t(numEntered));
  Scope scope = scopeOf(around);
  std::size_t within = path.size() - numEntered;
  // NAME.data, or NAME.tensor_params.PARAMETER.NAME.data.
  return (scope == Scope::Tensors && within == 2) ||
         (scope == Scope::Nodes && within == 5 &&
          path[numEntered + 1] == "tensor_params");
}

void GraphVisitor::member(const JsonPath &path, JsonValue &member) {
  if (!last || path != lastPath) {
    lastPath = path;
    lastScope = scopeOf(path);
    last = &graphOf(path);
  }
  QnnModel &graph = *last->model;
  bool isOfGraph = lastScope == Scope::Tensors || lastScope == Scope::Nodes;
  if (!isOfGraph) {
    JsonPath whole = path;
    whole.push_back(member.key);
    if (!isFirst(whole, member.keySource))
      return;
    if (scopeOf(whole) != Scope::Kept) {
      // It was not entered: it is no object, or a graph of a name in use.
      JsonFields fields(member, "\"" + excerptOf(member.key) + "\"", problems);
      if (fields)
        fields.report(member.keySource, "two graphs have the same name",
                      excerptOf(member.key), "a different name for each graph");
      return;
    }
    (lastScope == Scope::File ? graph.others : graph.graphOthers)
        .emplace_back(member.key, compactJson(member.source));
    return;
  }
  bool isTensor = lastScope == Scope::Tensors;
  if (isTensor ? graph.find(member.key) != nullptr
               : !last->nodes.insert(member.key).second) {
    problems
        .report(member.keySource, "",
                isTensor ? "two tensors have the same name"
                         : "two nodes have the same name")
        .found(excerptOf(member.key));
    return;
  }
  if (isTensor)
    graph.add(readTensor(member, TensorUse::OfGraph, problems));
  else
    graph.nodes.push_back(readNode(member, problems));
}

void GraphVisitor::checkGraph(const JsonPath &path, const QnnModel &graph,
                              std::string_view text) {
  for (const char *part : {"tensors", "nodes"}) {
    JsonPath whole = path;
    whole.push_back(part);
    if (!seen.contains(whole))
      problems
          .report(text.substr(0, 0), "\"" + excerptOf(path.back()) + "\"",
                  "\"" + std::string(part) + "\" is missing")
          .expected("objects \"tensors\" and \"nodes\"");
  }
  for (const QnnNode &node : graph.nodes)
    for (const auto *names : {&node.inputs, &node.outputs})
      for (const std::string &name : *names)
        if (!graph.find(name)) {
          Diagnostic &problem =
              problems.report(text.substr(0, 0), "node " + excerptOf(node.name),
                              "a tensor that the node names does not exist");
          problem.place = node.place;
          problem.found(excerptOf(name))
              .expected("the name of a member of \"tensors\"");
        }
}

void GraphVisitor::finish(std::string_view text) {
  if (graphs.empty() || !seen.contains({"graph"}))
    problems.report(text.substr(0, 0), "", "\"graph\" is missing")
        .expected("an object \"graph\" with \"tensors\" and \"nodes\"");
  else
    for (const auto &[path, names] : graphs)
      checkGraph(path, *names.model, text);
}

/// NaN, Infinity and -Infinity as texts, as JSON has no such numbers but some
/// of its writers put them. nullopt if there is none.
static std::optional<std::string> quoteNotFinite(std::string_view text) {
  std::string result;
  bool isText = false, hasAny = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isText && c == '\\' && i + 1 < text.size()) {
      result += c;
      result += text[++i];
      continue;
    }
    isText ^= c == '"';
    std::string_view word;
    if (!isText)
      for (std::string_view known : {"NaN", "Infinity", "-Infinity"})
        if (text.substr(i).starts_with(known))
          word = known;
    if (word.empty()) {
      result += c;
      continue;
    }
    result += '"';
    result += word;
    result += '"';
    hasAny = true;
    i += word.size() - 1;
  }
  return hasAny ? std::optional(std::move(result)) : std::nullopt;
}

/// \p isJson is false if the text is no JSON at all.
static std::optional<QnnModel> parseOnce(std::string_view text,
                                         const std::string &name,
                                         DiagnosticEngine &diags,
                                         bool &isJson) {
  QnnModel model;
  model.file = name;
  JsonProblems problems(text, name, diags);
  GraphVisitor visitor(model, problems);
  isJson = visitJson(text, visitor, problems);
  if (isJson)
    visitor.finish(text);
  problems.finish();
  return problems.count() == 0 ? std::optional(std::move(model)) : std::nullopt;
}

std::optional<QnnModel> qnn::parseJson(std::string_view text,
                                       const std::string &name,
                                       DiagnosticEngine &diags) {
  bool isJson = false;
  DiagnosticEngine own;
  auto model = parseOnce(text, name, own, isJson);
  if (!isJson)
    if (auto quoted = quoteNotFinite(text)) {
      DiagnosticEngine again;
      bool isQuotedJson = false;
      auto quotedModel = parseOnce(*quoted, name, again, isQuotedJson);
      if (isQuotedJson) {
        for (const Diagnostic &d : again.all())
          diags.add(d);
        return quotedModel;
      }
    }
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return model;
}

std::optional<QnnModel> qnn::readJson(const std::string &path,
                                      DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  if (!file || !isKind(FileKind::QnnGraph, file->bytes(), path,
                       diag::QnnMalformed, diags))
    return std::nullopt;
  return parseJson(file->text(), path, diags);
}
