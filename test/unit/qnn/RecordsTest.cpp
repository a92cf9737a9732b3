//===- RecordsTest.cpp - Every parameter of every QNN operator ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// From each record a node that is right, and nodes with one thing wrong: each
// is refused with one E1041 that names the node and the parameter.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/OpReader.h"
#include "test/unit/qnn/RightNodes.h"
#include "gtest/gtest.h"

using namespace yarrow;
using namespace yarrow::qnn;

namespace {

/// \p problems are one, about parameter or tensor \p subject of the node.
void expectOne(const std::vector<Diagnostic> &problems, const RightNode &right,
               const std::string &subject) {
  ASSERT_EQ(problems.size(), 1u) << subject;
  EXPECT_EQ(problems[0].id->code, "E1041");
  std::string begin = std::string("node node (") + right.entry.name + "): ";
  EXPECT_TRUE(problems[0].message.starts_with(begin)) << problems[0].str();
  EXPECT_NE(problems[0].message.find(subject, begin.size()), std::string::npos)
      << problems[0].str();
}

void expectOne(const RightNode &right, const std::string &subject) {
  expectOne(right.check(), right, subject);
}

/// Calls \p test with each parameter of each operator.
template <typename Test> void eachParam(Test test) {
  for (const OpEntry &entry : allOps())
    for (const ParamRow &row : entry.params) {
      SCOPED_TRACE(std::string(entry.name) + " " + row.name);
      test(entry, row);
    }
}

bool isInteger(const ParamRow &row) {
  return row.type == DataType::UINT_32 || row.type == DataType::INT_32;
}

/// Values out of the bounds of \p row, each in a list of its own.
std::vector<double> wrongValues(const ParamRow &row) {
  std::vector<double> wrong;
  if (row.type == DataType::UINT_32)
    wrong = {-1, 4294967296.};
  if (row.type == DataType::INT_32)
    wrong = {-2147483649., 2147483648.};
  double low = row.bound.low, high = row.bound.high;
  switch (row.bound.kind) {
  case Bound::Kind::Any:
    break;
  case Bound::Kind::AtLeast:
    wrong.push_back(low - 1);
    break;
  case Bound::Kind::Above:
    wrong.push_back(low);
    break;
  case Bound::Kind::Range:
    wrong.push_back(low - 1);
    wrong.push_back(high + 1);
    break;
  case Bound::Kind::Axis:
  case Bound::Kind::OutAxis:
    wrong.push_back(kNumAxes);
    break;
  case Bound::Kind::EndAxis:
    wrong.push_back(kNumAxes + 1);
    break;
  case Bound::Kind::OneOf:
    wrong.push_back(double(row.values.back().number) + 1);
    break;
  }
  return wrong;
}

TEST(QnnRecords, All157AreThere) {
  EXPECT_EQ(allOps().size(), 157u);
  for (const OpEntry &entry : allOps()) {
    EXPECT_EQ(findOp(entry.name), &entry);
    EXPECT_STRNE(entry.means, "") << entry.name;
    EXPECT_STRNE(entry.becomes, "") << entry.name;
    if (entry.isDeprecated) {
      EXPECT_NE(findOp(entry.replacement), nullptr) << entry.name;
    }
  }
  EXPECT_EQ(findOp("NoSuch"), nullptr);
}

TEST(QnnRecords, DefaultsAreWithinTheirBounds) {
  eachParam([](const OpEntry &entry, const ParamRow &row) {
    if (row.relation) {
      EXPECT_NE(entry.param(row.relation->other), nullptr);
    }
    if (row.isMandatory) {
      EXPECT_TRUE(row.defaults.empty() && !*row.defaultText);
      return;
    }
    EXPECT_NE(row.defaults.empty(), !*row.defaultText);
    if (row.defaults.empty())
      return;
    RightNode right(entry);
    for (const ParamRow &other : entry.params)
      if (!other.isMandatory)
        right.erase(other.name);
    right.node.params.push_back(paramOf(row, row.defaults));
    EXPECT_TRUE(right.check().empty());
  });
}

TEST(QnnRecords, RightNodesAreRight) {
  for (const OpEntry &entry : allOps()) {
    SCOPED_TRACE(entry.name);
    RightNode right(entry);
    for (const Diagnostic &problem : right.check())
      ADD_FAILURE() << problem.str();
    for (const ParamRow &row : entry.params)
      if (!row.isMandatory)
        right.erase(row.name);
    EXPECT_TRUE(right.check().empty()) << "with mandatory parameters alone";
  }
}

TEST(QnnRecords, ParametersCanBeLeftOutOrNot) {
  eachParam([](const OpEntry &entry, const ParamRow &row) {
    RightNode right(entry);
    right.erase(row.name);
    if (row.isMandatory)
      return expectOne(right, std::string(row.name) + ": is missing");
    EXPECT_TRUE(right.check().empty());
    graph::Graph graph;
    DiagnosticEngine diags;
    OpReader reader(graph, right.model, right.node, entry, {}, {}, diags);
    EXPECT_EQ(reader.reals(row.name), row.defaults);
    double first = row.defaults.empty() ? -77 : row.defaults[0];
    EXPECT_EQ(reader.real(row.name, -77), first);
  });
}

TEST(QnnRecords, ValuesOutOfBoundsAreRefused) {
  eachParam([](const OpEntry &entry, const ParamRow &row) {
    for (double wrong : wrongValues(row)) {
      RightNode right(entry);
      std::vector<double> values = rightValues(entry, row);
      values.back() = wrong;
      std::optional<DataType> type;
      if (row.type != DataType::FLOAT_32)
        type = DataType::INT_64;
      right.param(row.name) = paramOf(row, values, type);
      expectOne(right, std::string(row.name) + ": is out of range");
    }
  });
}

TEST(QnnRecords, ListsHaveEachValueOnce) {
  eachParam([](const OpEntry &entry, const ParamRow &row) {
    if (!row.bound.isUnique && !row.bound.isAscending)
      return;
    RightNode right(entry);
    std::vector<double> values = rightValues(entry, row);
    std::swap(values[0], values[1]);
    right.param(row.name) = paramOf(row, values);
    if (row.bound.isAscending)
      expectOne(right, std::string(row.name) + ": does not ascend");
    else
      EXPECT_TRUE(right.check().empty());
    values[0] = values[1];
    right.param(row.name) = paramOf(row, values);
    expectOne(right, std::string(row.name) + ": has the same value twice");
  });
}

TEST(QnnRecords, RelationsHold) {
  unsigned numRelations = 0;
  eachParam([&](const OpEntry &entry, const ParamRow &row) {
    if (!row.relation)
      return;
    ++numRelations;
    const ParamRow &other = *entry.param(row.relation->other);
    std::vector<double> low = rightValues(entry, row),
                        high = rightValues(entry, other);
    RightNode right(entry);
    switch (row.relation->kind) {
    case Relation::Kind::Below: // Equal is too much.
      right.param(row.name) = paramOf(row, high);
      break;
    case Relation::Kind::AtMost:
      right.param(row.name) = paramOf(row, high);
      right.param(other.name) = paramOf(other, low);
      break;
    case Relation::Kind::Without:
      right.param(row.name) = paramOf(row, {1});
      right.param(other.name) = paramOf(other, {1});
      break;
    }
    expectOne(right, row.name);
  });
  EXPECT_EQ(numRelations, 11u);
}

TEST(QnnRecords, OtherTypesAreRefused) {
  eachParam([](const OpEntry &entry, const ParamRow &row) {
    RightNode right(entry);
    std::vector<double> values = rightValues(entry, row);
    if (!row.type)
      right.param(row.name) = text(row.name, "word");
    else if (row.type == DataType::STRING)
      right.param(row.name) = scalar(row.name, DataType::UINT_32, 0);
    else
      right.param(row.name) =
          paramOf(row, values,
                  row.type == DataType::FLOAT_32 ? DataType::INT_32
                                                 : DataType::FLOAT_32);
    expectOne(right, std::string(row.name) + ": has a wrong type");
  });
}

TEST(QnnRecords, OtherWidthsAreTaken) {
  eachParam([](const OpEntry &entry, const ParamRow &row) {
    RightNode right(entry);
    std::vector<double> values = rightValues(entry, row);
    std::vector<DataType> types;
    if (isInteger(row))
      types = {DataType::INT_64, DataType::UINT_8};
    else if (row.type == DataType::BOOL_8)
      types = {DataType::UINT_32, DataType::INT_32, DataType::UINT_8};
    else if (row.type == DataType::FLOAT_32)
      types = {DataType::FLOAT_64};
    else if (!row.type)
      types = {DataType::INT_32, DataType::FLOAT_64};
    for (DataType type : types) {
      right.param(row.name) = paramOf(row, values, type);
      EXPECT_TRUE(right.check().empty()) << entryOf(type).name;
    }
  });
}

TEST(QnnRecords, OtherLengthsAreRefused) {
  eachParam([](const OpEntry &entry, const ParamRow &row) {
    if (row.type == DataType::STRING)
      return;
    DataType type = row.type.value_or(DataType::FLOAT_32);
    RightNode right(entry);
    std::vector<double> values = rightValues(entry, row);
    if (row.isScalar()) {
      right.param(row.name) = tensor(row.name, type, {1}, values);
      return expectOne(right, std::string(row.name) + ": is not a scalar");
    }
    std::string problem = std::string(row.name) + ": has a wrong shape";
    right.param(row.name) = scalar(row.name, type, values[0]);
    expectOne(right, problem);
    right.param(row.name) =
        tensor(row.name, type, {std::int64_t(values.size()), 1, 1}, values);
    expectOne(right, problem);
    QnnParam empty = paramOf(row, values);
    empty.tensor.dims[0] = 0;
    setValue(empty.tensor, {});
    right.param(row.name) = empty;
    expectOne(right, problem);
    QnnParam valueless = paramOf(row, values);
    valueless.tensor.hasValue = false;
    right.param(row.name) = valueless;
    expectOne(right, std::string(row.name) + ": has no value");
  });
}

TEST(QnnRecords, AxesOfATensorWithoutAnyAreIgnored) {
  const OpEntry &entry = *findOp("ReduceSumSquare");
  for (std::vector<double> axes : {std::vector<double>{}, {0}}) {
    RightNode right(entry);
    right.node.inputs[0] = "number";
    right.model.add({.name = "number", .kind = TensorKind::Input});
    std::int64_t count = std::int64_t(axes.size());
    right.param("axes") = tensor("axes", DataType::UINT_32, {count}, axes);
    EXPECT_TRUE(right.check().empty()) << count;
  }
}

TEST(QnnRecords, UnknownParametersAreRefused) {
  for (const OpEntry &entry : allOps()) {
    SCOPED_TRACE(entry.name);
    RightNode right(entry);
    right.node.params.push_back(scalar("no_such", DataType::UINT_32, 0));
    expectOne(right, "no parameter no_such");
    if (entry.params.empty())
      continue;
    const ParamRow &row = entry.params.back();
    right.node.params.back() =
        scalar(std::string(row.name) + "x", DataType::UINT_32, 0);
    EXPECT_NE(right.check().at(0).hintText.find(row.name), std::string::npos);
    right.node.params.back() = right.node.params[0];
    expectOne(right, right.node.params[0].name + ": is given twice");
  }
}

TEST(QnnRecords, TensorsAreCounted) {
  for (const OpEntry &entry : allOps())
    for (bool isInput : {true, false}) {
      SCOPED_TRACE(std::string(entry.name) + (isInput ? " in" : " out"));
      const auto &rows = isInput ? entry.inputs : entry.outputs;
      std::string problem = std::string("has a wrong number of ") +
                            (isInput ? "inputs" : "outputs");
      RightNode right(entry);
      auto &names = isInput ? right.node.inputs : right.node.outputs;
      bool isOpen = !rows.empty() && rows.back().isList;
      std::size_t most = 0;
      for (const TensorRow &row : rows)
        most += row.count;
      std::vector<std::string> some = names;
      if (!some.empty()) {
        names.pop_back();
        expectOne(right, problem);
      }
      names = some;
      right.model.add({.name = "more", .dims = {2, 3, 4, 5}});
      names.resize(most + 1, "more");
      if (!isOpen)
        expectOne(right, problem);
    }
}

TEST(QnnRecords, MandatoryTensorsAreNotNull) {
  for (const OpEntry &entry : allOps())
    for (bool isInput : {true, false}) {
      SCOPED_TRACE(std::string(entry.name) + (isInput ? " in" : " out"));
      RightNode right(entry);
      right.model.add({.name = "null", .kind = TensorKind::Null});
      auto &names = isInput ? right.node.inputs : right.node.outputs;
      for (std::string &name : names) {
        std::string was = std::exchange(name, "null");
        if (right.model.find(was)->kind != TensorKind::Null)
          expectOne(right, (isInput ? "in[" : "out[") +
                               std::to_string(&name - names.data()) + "]");
        name = was;
      }
    }
}

/// Calls \p visit with each tensor's row and name.
template <typename Visit> void eachTensor(RightNode &right, Visit visit) {
  for (bool isInput : {true, false}) {
    auto &names = isInput ? right.node.inputs : right.node.outputs;
    std::size_t i = 0;
    for (const TensorRow &row :
         isInput ? right.entry.inputs : right.entry.outputs)
      for (std::size_t k = 0; k < row.count && i < names.size(); ++k)
        visit(row, names[i++]);
  }
}

/// Puts \p text wherever a tensor must have the type of one that is it.
void spread(RightNode &right, const std::string &text) {
  bool isMore = true;
  auto replace = [&](std::string &name) {
    if (right.model.find(name)->kind != TensorKind::Null)
      isMore |= std::exchange(name, text) != text;
  };
  while (std::exchange(isMore, false))
    eachTensor(right, [&](const TensorRow &row, std::string &name) {
      if (!row.sameTypeAs)
        return;
      std::string &other = right.node.inputs[*row.sameTypeAs];
      if (name == text || other == text)
        replace(name), replace(other);
    });
}

/// How many tensors that are \p text may be of certain types alone.
std::size_t refusals(RightNode &right, const std::string &text) {
  std::size_t count = 0;
  eachTensor(right, [&](const TensorRow &row, const std::string &name) {
    count += name == text && !row.hasOtherTypes;
  });
  return count;
}

/// Takes away what tells only that two tensors have different types.
std::vector<Diagnostic> withoutDifferences(std::vector<Diagnostic> problems) {
  std::erase_if(problems, [](const Diagnostic &problem) {
    return problem.message.find(" does not have the type of in[") !=
           std::string::npos;
  });
  return problems;
}

TEST(QnnRecords, OtherTensorTypesAreRefused) {
  for (const OpEntry &entry : allOps())
    for (bool isInput : {true, false}) {
      RightNode right(entry);
      right.model.add(
          {.name = "text", .type = DataType::STRING, .dims = {2, 3, 4, 5}});
      const QnnNode was = right.node;
      auto &names = isInput ? right.node.inputs : right.node.outputs;
      std::size_t i = 0;
      for (const TensorRow &row : isInput ? entry.inputs : entry.outputs) {
        SCOPED_TRACE(std::string(entry.name) + " " + row.name);
        if (row.isMandatory) {
          names[i] = "text";
          if (row.hasOtherTypes)
            EXPECT_TRUE(withoutDifferences(right.check()).empty());
          else
            expectOne(withoutDifferences(right.check()), right, row.name);
          // With all that must agree with it, its own type is what counts.
          spread(right, "text");
          std::vector<Diagnostic> problems = right.check();
          EXPECT_EQ(problems.size(), refusals(right, "text"));
          EXPECT_EQ(withoutDifferences(problems).size(), problems.size());
          right.node = was;
        }
        i += row.count;
      }
    }
}

TEST(QnnRecords, TypesOfTensorsAgree) {
  std::size_t count = 0;
  for (const OpEntry &entry : allOps()) {
    RightNode right(entry);
    right.model.add(
        {.name = "text", .type = DataType::STRING, .dims = {2, 3, 4, 5}});
    eachTensor(right, [&](const TensorRow &row, std::string &name) {
      if (!row.sameTypeAs || !row.isMandatory || !row.hasOtherTypes ||
          &name == &right.node.inputs[*row.sameTypeAs])
        return;
      SCOPED_TRACE(std::string(entry.name) + " " + row.name);
      std::string before = std::exchange(name, "text");
      std::string problem = "does not have the type of in[" +
                            std::to_string(*row.sameTypeAs) + "]";
      std::vector<Diagnostic> problems = right.check();
      if (problems.size() > 1) // Of those that must have its type.
        problems.erase(problems.begin() + 1, problems.end());
      if (right.model.find(right.node.inputs[*row.sameTypeAs])->kind !=
          TensorKind::Null)
        expectOne(problems, right, problem), ++count;
      name = before;
    });
  }
  EXPECT_GT(count, 100u);
}

} // namespace
