//===- YamlFields.cpp - Mappings and lists of a YAML text -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/plugin/YamlFields.h"

#include "support/diagnostics/Plugins.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

#include <algorithm>

using namespace yarrow;
namespace yaml = llvm::yaml;

const YamlValue *YamlValue::find(llvm::StringRef key) const {
  for (const YamlField &field : fields)
    if (field.key == key)
      return &field.value;
  return nullptr;
}

const char *YamlValue::kindName() const {
  switch (kind) {
  case Kind::Nothing:
    return "nothing";
  case Kind::Text:
    return "a text";
  case Kind::List:
    return "a list";
  case Kind::Mapping:
    return "a mapping";
  }
  return "";
}

namespace {

/// The parser calls itself for each level, and its scanner looks at a line
/// again and again: a text is bounded before it sees it.
constexpr size_t kMostBytes = 32 * 1024;
constexpr size_t kMostColumns = 1000;
constexpr unsigned kMostBrackets = 50;

class YamlReader {
public:
  YamlReader(llvm::StringRef text, const std::string &path,
             DiagnosticEngine &diags)
      : text(text), path(path), diags(diags) {
    source.setDiagHandler(
        [](const llvm::SMDiagnostic &d, void *self) {
          static_cast<YamlReader *>(self)->syntaxError(d);
        },
        this);
  }

  std::optional<YamlValue> read() {
    if (!isBounded())
      return std::nullopt;
    yaml::Stream stream(text, source, /*ShowColors=*/false);
    YamlValue top;
    yaml::document_iterator document = stream.begin();
    if (document == stream.end() || !document->getRoot()) {
      if (!hasFailed)
        problem(1, "the record is empty");
      return std::nullopt;
    }
    read(document->getRoot(), top);
    if (!hasFailed && !stream.failed() && ++document != stream.end())
      problem(top.line, "the file has more than one record")
          .found("several documents")
          .hint("give --plugin several times");
    if (stream.failed() && !hasFailed)
      problem(1, "the text is not YAML");
    if (hasFailed)
      return std::nullopt;
    return top;
  }

private:
  yarrow::Diagnostic &problem(unsigned line, std::string message) {
    hasFailed = true;
    return diags.report(diag::PluginRecord, {path, line}, std::move(message));
  }

  /// The parser goes on after its first error, to tell what follows from it.
  void syntaxError(const llvm::SMDiagnostic &d) {
    if (!hasFailed)
      problem(unsigned(std::max(d.getLineNo(), 1)),
              "the text is not YAML: " + d.getMessage().str());
  }

  bool isBounded() {
    if (text.size() > kMostBytes) {
      problem(0, "the record is too long")
          .found(std::to_string(text.size()) + " bytes")
          .expected("up to " + std::to_string(kMostBytes));
      return false;
    }
    unsigned line = 1, open = 0;
    size_t column = 0;
    for (char c : text) {
      if (c == '\n')
        ++line, column = 0;
      else
        ++column;
      open += c == '[' || c == '{';
      open -= (c == ']' || c == '}') && open;
      if (c == '\0' || column > kMostColumns || open > kMostBrackets) {
        problem(line, c == '\0' ? "the text has a byte of 0"
                      : column > kMostColumns
                          ? "a line is too long for a record"
                          : "the text is nested too deeply for a record");
        return false;
      }
    }
    return true;
  }

  unsigned lineOf(const yaml::Node &node) {
    const char *start = node.getSourceRange().Start.getPointer();
    if (start < text.begin() || start > text.end())
      return 1;
    return 1 + unsigned(std::count(text.begin(), start, '\n'));
  }

  void read(yaml::Node *node, YamlValue &value) {
    if (!node || hasFailed)
      return;
    // An alias has no place of its own: that of what it is in.
    if (!llvm::isa<yaml::AliasNode>(node))
      value.line = lineOf(*node);
    if (!node->getAnchor().empty() || !node->getRawTag().empty() ||
        llvm::isa<yaml::AliasNode>(node)) {
      problem(value.line,
              "anchors, aliases and tags are not allowed in records");
      return;
    }
    if (auto *scalar = llvm::dyn_cast<yaml::ScalarNode>(node)) {
      llvm::SmallString<64> storage;
      value.kind = YamlValue::Kind::Text;
      value.text = scalar->getValue(storage).str();
    } else if (auto *block = llvm::dyn_cast<yaml::BlockScalarNode>(node)) {
      value.kind = YamlValue::Kind::Text;
      value.text = block->getValue().rtrim().str();
    } else if (auto *list = llvm::dyn_cast<yaml::SequenceNode>(node)) {
      value.kind = YamlValue::Kind::List;
      for (yaml::Node &item : *list) {
        if (hasFailed)
          return;
        YamlValue &read = value.items.emplace_back();
        read.line = value.line;
        this->read(&item, read);
      }
    } else if (auto *mapping = llvm::dyn_cast<yaml::MappingNode>(node)) {
      value.kind = YamlValue::Kind::Mapping;
      for (yaml::KeyValueNode &field : *mapping) {
        if (hasFailed)
          return;
        readField(field, value);
      }
    }
  }

  void readField(yaml::KeyValueNode &field, YamlValue &mapping) {
    YamlValue key;
    read(field.getKey(), key);
    if (hasFailed)
      return;
    if (key.kind != YamlValue::Kind::Text) {
      problem(key.line ? key.line : mapping.line, "a key is not a text");
      return;
    }
    if (mapping.find(key.text)) {
      problem(key.line, "the key " + key.text + " appears twice");
      return;
    }
    YamlValue value;
    value.line = key.line;
    read(field.getValue(), value);
    mapping.fields.push_back({std::move(key.text), key.line, std::move(value)});
  }

  llvm::StringRef text;
  const std::string &path;
  DiagnosticEngine &diags;
  llvm::SourceMgr source;
  bool hasFailed = false;
};

} // namespace

std::optional<YamlValue> yarrow::readYaml(llvm::StringRef text,
                                          const std::string &path,
                                          DiagnosticEngine &diags) {
  return YamlReader(text, path, diags).read();
}
