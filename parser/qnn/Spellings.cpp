//===- Spellings.cpp - Nodes as converters spell them ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/Spellings.h"
#include "parser/qnn/OpTable.h"
#include "support/diagnostics/Import.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;

namespace {

struct Spelling {
  std::string_view type, ownOperator, word;
  bool hasOwn() const { return ownOperator != "ANOTHER"; }
};

constexpr Spelling kSpellings[] = {
#define SPELLING(TYPE, OPERATOR, WORD) {#TYPE, #OPERATOR, #WORD},
#include "parser/qnn/Spellings.def"
};

constexpr std::string_view kWithout[] = {
#define WITHOUT(PARAM) #PARAM,
#include "parser/qnn/Spellings.def"
};

bool hasNoMetrics(const QnnParam &param) {
  if (param.tensor.type != DataType::STRING)
    return false;
  return std::ranges::find(kWithout, param.name) != std::end(kWithout) ||
         param.name.ends_with("_type");
}

/// The operator that \p node is; "" after an error.
std::string operatorOf(const QnnNode &node, const Spelling &spelling,
                       DiagnosticEngine &diags) {
  if (spelling.hasOwn() && node.param("operation"))
    return std::string(spelling.ownOperator);
  const QnnParam *word = node.param(spelling.word);
  if (word && findOp(word->text))
    return word->text;
  std::string what = "node " + node.name + " (" + node.type + "): ";
  std::string expected =
      (spelling.hasOwn() ? "the parameter operation, or " : "") +
      std::string(spelling.word) + " with the name of an operator";
  Diagnostic &problem =
      diags
          .report(diag::QnnNode, word ? word->place : node.place,
                  what + (word
                              ? "the definitions have no operator " + word->text
                              : std::string(spelling.word) + " is missing"))
          .expected(expected);
  if (word) {
    std::vector<std::string> known;
    for (const OpEntry &entry : allOps())
      known.push_back(entry.name);
    problem.found(word->text).suggest(word->text, known);
  }
  return "";
}

} // namespace

std::optional<QnnNode> qnn::inDefinitions(const QnnNode &node,
                                          DiagnosticEngine &diags) {
  QnnNode result = node;
  auto spelling = std::ranges::find(kSpellings, node.type, &Spelling::type);
  if (spelling != std::end(kSpellings) && !findOp(node.type)) {
    result.type = operatorOf(node, *spelling, diags);
    if (result.type.empty())
      return std::nullopt;
  }
  const OpEntry *entry = findOp(result.type);
  std::erase_if(result.params, [&](const QnnParam &param) {
    return hasNoMetrics(param) && !(entry && entry->param(param.name));
  });
  return result;
}
