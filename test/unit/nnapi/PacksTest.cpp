//===- PacksTest.cpp - Recorded models of NNAPI are right -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every recorded case is a model at its feature level, but for those that must
// be refused. Where the packs are not, the test is skipped.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckModel.h"
#include "parser/nnapi/OperationRules.h"
#include "parser/nnapi/OperationTable.h"
#include "test/vts/CaseFile.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::nnapi;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> caseFiles() {
  std::vector<std::string> files;
  std::error_code none;
  for (const auto &entry :
       fs::directory_iterator(fs::path(YARROW_PACKS) / "nnapi_vts", none))
    if (entry.path().extension() == ".jsonl")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

/// The one that must be refused when it runs, and not before: its loop never
/// ends.
bool isRefusedAtRunTime(const vts::Case &c) {
  return c.spec.find("while_infinite_loop") != std::string::npos;
}

/// Whether \p operand says what is so without it.
bool isDefault(const Operand &operand, const OperationRule &rule) {
  if (operand.lifetime != Lifetime::Constant || operand.isTensor())
    return false;
  std::int32_t value = 0;
  std::memcpy(&value, operand.value.data(), operand.value.size());
  return value == rule.least;
}

/// Without inputs at the end that say what is so without them: the levels of
/// the cases do not count these.
void dropDefaults(NnModel &model) {
  for (Operation &operation : model.operations) {
    const OperationEntry &entry = *findOperation(operation.code);
    auto match = matchForm(entry, model, operation);
    auto isLastDefault = [&] {
      const OperandRow &row = *match->rows[operation.inputs.size() - 1];
      return std::ranges::any_of(
          rulesOf(entry.name), [&](const OperationRule &rule) {
            return rule.kind == OperationRule::Kind::Default &&
                   rule.operands[0].name == row.name &&
                   row.kind == OperandRow::Kind::Optional &&
                   isDefault(model.operands[operation.inputs.back()], rule);
          });
    };
    while (match && isLastDefault())
      operation.inputs.pop_back();
  }
}

void checkCase(const vts::Case &c) {
  DiagnosticEngine problems;
  dropDefaults(*c.model);
  bool isRight = checkModel(*c.model, c.level, problems);
  if (c.expectsFailure && !isRefusedAtRunTime(c)) {
    EXPECT_FALSE(isRight) << c.name << " must be refused";
    return;
  }
  for (const Diagnostic &d : problems.all())
    ADD_FAILURE() << c.name << " at level " << c.level << ": " << d.str();
}

} // namespace

TEST(Packs, AreModelsOfTheirLevels) {
  std::vector<std::string> files = caseFiles();
  if (files.empty())
    GTEST_SKIP() << "skipped: no reference packs";
  std::size_t count = 0;
  for (const std::string &path : files) {
    DiagnosticEngine diags;
    auto file = vts::CaseFile::open(path, diags);
    ASSERT_TRUE(file) << path;
    for (std::size_t i = 0; i < file->count(); ++i, ++count) {
      auto c = file->read(i, diags);
      ASSERT_TRUE(c) << path << ":" << i + 1;
      checkCase(*c);
    }
  }
  EXPECT_GT(count, 0u);
}
