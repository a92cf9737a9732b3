//===- Context.cpp - Compiled parts in models of ONNX Runtime -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/Context.h"
#include "api/onnxruntime/Ort.h"
#include "support/AtomicFile.h"
#include "support/Digest.h"
#include "support/diagnostics/Executables.h"

#include <filesystem>
#include <numeric>

using namespace yarrow;
using namespace yarrow::ort;

static constexpr char kDomain[] = "com.microsoft", kOperator[] = "EPContext";
static constexpr std::string_view kElf = "\x7f"
                                         "ELF";

namespace {

struct OwnedAttributes {
  std::vector<Attribute *> list;
  ~OwnedAttributes() {
    for (Attribute *each : list)
      ortApi().releaseOpAttr(each);
  }

  void add(const char *name, const std::string &text) {
    make(name, text.data(), int(text.size()), kText);
  }
  void add(const char *name, std::int64_t value) {
    make(name, &value, 1, kInteger);
  }

private:
  void make(const char *name, const void *data, int length, int kind) {
    Attribute *attribute = nullptr;
    check(ortApi().createOpAttr(name, data, length, kind, &attribute));
    list.push_back(attribute);
  }
};

} // namespace

static const Attribute *find(const Node *node, std::string_view name) {
  const Ort &api = ortApi();
  for (const Attribute *each :
       listOf<Attribute>(api.nodeGetNumAttributes, api.nodeGetAttributes, node))
    if (textOf(api.attributeGetName, each) == name)
      return each;
  return nullptr;
}

static std::string textAttribute(const Node *node, std::string_view name) {
  const Attribute *attribute = find(node, name);
  if (!attribute)
    return "";
  std::size_t size = 0;
  if (Status *status = ortApi().readOpAttr(attribute, kText, nullptr, 0, &size))
    ortApi().releaseStatus(status);
  std::string text(size, 0);
  if (size)
    check(ortApi().readOpAttr(attribute, kText, text.data(), size, &size));
  text.resize(size);
  return text;
}

static std::int64_t integerAttribute(const Node *node, std::string_view name,
                                     std::int64_t fallback) {
  std::size_t size = 0;
  std::int64_t value = fallback;
  if (const Attribute *attribute = find(node, name))
    check(
        ortApi().readOpAttr(attribute, kInteger, &value, sizeof value, &size));
  return value;
}

bool yarrow::ort::isOurContext(const Node *node) {
  const Ort &api = ortApi();
  return textOf(api.nodeGetOperatorType, node) == kOperator &&
         textOf(api.nodeGetDomain, node) == kDomain &&
         textAttribute(node, "source") == kProviderName;
}

static std::string contentOf(const PartSpec &part) {
  if (part.executable)
    return std::string(part.executable->bytes());
  return part.source.graph->cut(part.source.nodes).bytes;
}

/// Where the model with contexts goes.
static std::filesystem::path contextPath(const Options &options,
                                         const std::string &modelPath) {
  if (!options.contextPath.empty())
    return options.contextPath;
  if (modelPath.empty())
    throw Failure("a model in memory has no place for what is compiled; give "
                  "ep.context_file_path, or ep.context_embed_mode=1",
                  kInvalidArgument);
  std::filesystem::path path(modelPath);
  return path.replace_extension().string() + "_ctx.onnx";
}

/// The name of the file, which is in the folder of the model.
static std::string writeContent(const PartSpec &part,
                                const std::string &content,
                                const Options &options,
                                const std::string &modelPath) {
  std::filesystem::path model = contextPath(options, modelPath);
  std::string name = model.stem().string() + "_" + part.name + ".yarrow";
  DiagnosticEngine diags;
  if (!writeFile((model.parent_path() / name).string(), content, diags))
    throw failureOf(diags, part.name + " cannot be kept");
  return name;
}

Node *yarrow::ort::contextNode(const PartSpec &part, const Options &options,
                               const std::string &modelPath) {
  std::string content = contentOf(part);
  OwnedAttributes attributes;
  attributes.add("main_context", 1);
  attributes.add("embed_mode", options.embedsContext);
  attributes.add("ep_cache_context",
                 options.embedsContext
                     ? content
                     : writeContent(part, content, options, modelPath));
  attributes.add("notes", digestText(digestOf(content)));
  attributes.add("source", kProviderName);
  attributes.add("ep_sdk_version", YARROW_VERSION);
  attributes.add("partition_name", part.name);
  attributes.add("hardware_architecture", options.part.compile.target);
  std::vector<const char *> inputs, outputs;
  for (const NodeTensor &tensor : part.inputs)
    inputs.push_back(tensor.name.c_str());
  for (const NodeTensor &tensor : part.outputs)
    outputs.push_back(tensor.name.c_str());
  Node *node = nullptr;
  // It takes the place of the node that has its name.
  check(ortApi().createNode(kOperator, kDomain, part.nodeName.c_str(),
                            inputs.data(), inputs.size(), outputs.data(),
                            outputs.size(), attributes.list.data(),
                            attributes.list.size(), &node));
  attributes.list.clear(); // They are the node's.
  return node;
}

void yarrow::ort::readContext(const Node *node, const std::string &modelPath,
                              PartSpec &part) {
  std::string content = textAttribute(node, "ep_cache_context");
  if (std::string given = textAttribute(node, "partition_name"); !given.empty())
    part.name = given;
  std::string name = part.name;
  DiagnosticEngine diags;
  if (!integerAttribute(node, "embed_mode", 1)) {
    std::filesystem::path file(content);
    // A model may not name files all over the disk.
    if (file.is_absolute() || content.find("..") != std::string::npos)
      throw Failure("the compiled part " + part.name + " is in " + content +
                        ", which is not in the folder of the model",
                    kInvalidGraph);
    file = std::filesystem::path(modelPath).parent_path() / file;
    auto mapped = MappedFile::open(file.string(), diags);
    if (!mapped)
      throw failureOf(diags,
                      "the compiled part " + part.name + " cannot be read");
    name = file.string();
    content = mapped->text();
  }
  if (std::string_view(content).starts_with(kElf)) {
    part.executable = session::Executable::make(content, name, diags);
    if (!part.executable)
      throw failureOf(diags,
                      "the compiled part " + part.name + " cannot be loaded");
    return;
  }
  // An executable has checksums of its own; a model has none, and one changed
  // bit of a weight would give other outputs.
  if (textAttribute(node, "notes") != digestText(digestOf(content))) {
    diags
        .report(diag::ExecutableDamaged, {name},
                "the compiled part " + part.name +
                    " does not have the checksum that its node states")
        .hint("write the model with its contexts again");
    throw failureOf(diags,
                    "the compiled part " + part.name + " cannot be loaded");
  }
  auto graph = provider::ModelGraph::read(
      MappedFile::ofMemory(name, std::as_bytes(std::span(content))), diags);
  if (!graph)
    throw failureOf(diags, "the compiled part " + part.name +
                               " is neither an executable nor a model");
  part.source.nodes.resize(graph->nodes().size());
  std::iota(part.source.nodes.begin(), part.source.nodes.end(), 0);
  part.source.graph = std::move(graph);
}
