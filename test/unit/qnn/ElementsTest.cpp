//===- ElementsTest.cpp - QNN's functions of elements ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/References.h"
#include <cmath>
#include <numbers>

using namespace yarrow;
using namespace yarrow::test;

namespace {

constexpr auto Bool = DataType::BOOL_8;
constexpr double kTolerance = 1e-6;

double gelu(double x) {
  return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
}
double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
double elu(double x, double alpha) {
  return std::max(0.0, x) + std::min(0.0, alpha * (std::exp(x) - 1));
}
double softplus(double x, double beta) {
  return std::log(std::exp(beta * x) + 1) / beta;
}

/// A function of one value, and where it is tried.
struct Unary {
  std::string op;
  double (*fn)(double);
  double low, high;
  std::int64_t operation = -1; ///< Of operators that are several.
};

Reference mapped(const Values &x, const std::function<double(double)> &fn) {
  Reference y(x.dims);
  std::vector<double> reals = x.reals();
  for (std::size_t i = 0; i < reals.size(); ++i)
    y.reals[i] = fn(reals[i]);
  return y;
}

void expectUnary(const Unary &row) {
  SCOPED_TRACE(row.op + " " + std::to_string(row.operation));
  Random random(std::uint64_t(row.operation + 2));
  for (DataType type : {F32, U8}) {
    qnn::Encoding encoding =
        type == U8 ? encodingFor(U8, row.low, row.high) : qnn::Encoding();
    Values x = random.values(type, {3, 5, 7}, encoding, row.low, row.high);
    Reference y = mapped(x, row.fn);
    OneNode net(row.op);
    net.input(x).output(type, x.dims,
                        type == U8 ? encodingFor(U8, y) : qnn::Encoding());
    if (row.operation >= 0)
      net.param("operation", double(row.operation));
    if (type == F32)
      expectClose(net.run(), y, kTolerance);
    else
      expectWithinOne(net.run(), y);
  }
}

} // namespace

TEST(QnnElements, AreFunctionsOfOneValue) {
  const Unary kRows[] = {
      {"ElementWiseAsin", std::asin, -1, 1},
      {"ElementWiseAtan", std::atan, -8, 8},
      {"ElementWiseCeil", std::ceil, -8, 8},
      {"ElementWiseCos", std::cos, -8, 8},
      {"ElementWiseRound", std::nearbyint, -8, 8},
      {"ElementWiseSign", sign, -2, 2},
      {"Gelu", gelu, -4, 4},
  };
  for (const Unary &row : kRows)
    expectUnary(row);
}

TEST(QnnElements, NumberFunctionsOfOneValue) {
  const std::pair<double (*)(double), std::pair<double, double>> kFunctions[] =
      {{std::fabs, {-4, 4}},
       {std::asin, {-1, 1}},
       {std::atan, {-4, 4}},
       {std::ceil, {-4, 4}},
       {std::cos, {-4, 4}},
       {std::exp, {-4, 2}},
       {std::floor, {-4, 4}},
       {std::log, {0.5, 8}},
       {[](double x) { return -x; }, {-4, 4}},
       {nullptr, {}}, // NOT
       {[](double x) { return 1 / x; }, {0.5, 8}},
       {std::nearbyint, {-4, 4}},
       {[](double x) { return 1 / std::sqrt(x); }, {0.5, 8}},
       {sign, {-4, 4}},
       {std::sin, {-4, 4}},
       {std::sqrt, {0, 8}}};
  for (std::int64_t operation = 0; const auto &[fn, range] : kFunctions) {
    // Of no number: no integer stands for 0 in the encodings that have one.
    bool hasPole = operation == 7 || operation == 10 || operation == 12;
    if (fn && !hasPole)
      expectUnary(
          {"ElementWiseUnary", fn, range.first, range.second, operation});
    if (hasPole) {
      Values x = Random(7).values(F32, {4, 9}, {}, range.first, range.second);
      OneNode net("ElementWiseUnary");
      net.input(x).output(F32, x.dims).param("operation", double(operation));
      expectClose(net.run(), mapped(x, fn), kTolerance);
    }
    ++operation;
  }
}

TEST(QnnElements, HalvesAreRoundedToEven) {
  OneNode net("ElementWiseRound");
  net.input(floats({5}, {2.5, -3.5, 0.5, -0.5, 1.5})).output(F32, {5});
  EXPECT_THAT(net.run().numbers, ::testing::ElementsAre(2, -4, 0, 0, 2));
}

TEST(QnnElements, NumberActivations) {
  using Params = std::vector<std::pair<std::string, double>>;
  struct Row {
    std::int64_t operation;
    Params params;
    std::function<double(double)> fn;
  };
  auto hardSigmoid = [](double alpha, double beta) {
    return [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); };
  };
  const Row kRows[] = {
      {0, {}, [](double x) { return elu(x, 1); }},
      {0, {{"alpha", 0.5}}, [](double x) { return elu(x, 0.5); }},
      {1, {}, gelu},
      {2, {}, hardSigmoid(0.2, 0.5)},
      {2, {{"alpha", 0.3}, {"beta", 0.4}}, hardSigmoid(0.3, 0.4)},
      {3, {}, [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }},
      {4, {}, [](double x) { return std::max(x, 0.0); }},
      {5,
       {{"min_value", -1.5}, {"max_value", 2.25}},
       [](double x) { return std::clamp(x, -1.5, 2.25); }},
      {6, {}, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {7, {}, [](double x) { return softplus(x, 1); }},
      {7,
       {{"beta", 2}, {"threshold", 3}},
       [](double x) { return 2 * x > 3 ? x : softplus(x, 2); }},
      {8, {}, [](double x) { return std::tanh(x); }},
  };
  for (const Row &row : kRows) {
    SCOPED_TRACE(row.operation);
    Values x = Random(3).values(F32, {2, 40}, {}, -5, 5);
    OneNode net("ElementWiseNeuron");
    net.input(x).output(F32, x.dims).param("operation", double(row.operation));
    for (const auto &[name, value] : row.params)
      net.real(name, value);
    expectClose(net.run(), mapped(x, row.fn), 3e-6);
  }
}

TEST(QnnElements, ReportParametersOfOtherActivations) {
  OneNode net("ElementWiseNeuron");
  net.input(floats({1}, {1})).output(F32, {1}).param("operation", 4);
  net.real("alpha", 1);
  EXPECT_FALSE(net.import());
  EXPECT_TRUE(net.reports("E1041"));
  OneNode unlimited("ElementWiseNeuron");
  unlimited.input(floats({1}, {1})).output(F32, {1}).param("operation", 5);
  EXPECT_FALSE(unlimited.import());
  EXPECT_TRUE(unlimited.reports("E1041"));
}

TEST(QnnElements, SoftplusGrowsStraightAfterItsThreshold) {
  Values x = Random(5).values(F32, {60}, {}, -6, 6);
  OneNode net("ElementWiseSoftplus");
  net.input(x).output(F32, x.dims).real("beta", 0.5).real("threshold", 1);
  expectClose(
      net.run(),
      mapped(x, [](double v) { return 0.5 * v > 1 ? v : softplus(v, 0.5); }),
      3e-6);
}

TEST(QnnElements, ReluMinMaxClips) {
  Values x = Random(6).values(U8, {60}, encodingFor(U8, -4, 4));
  Reference y = mapped(x, [](double v) { return std::clamp(v, -1.0, 3.0); });
  OneNode net("ReluMinMax");
  net.input(x).output(U8, x.dims, encodingFor(U8, y));
  net.real("min_value", -1).real("max_value", 3);
  expectWithinOne(net.run(), y);
}

namespace {

/// in[0] and in[1] broadcast to [2,4,3].
Reference broadcast(const Values &a, const Values &b,
                    const std::function<double(double, double)> &fn) {
  Reference x(a), z(b), y(Dims{2, 4, 3});
  forEachIndex(y.dims, [&](const Dims &i) {
    y.at(i) = fn(x.at({i[0], 0, i[2]}), z.at({i[1], 0}));
  });
  return y;
}

struct Binary {
  std::string op;
  std::int64_t operation; ///< Of ElementWiseBinary.
  double (*fn)(double, double);
  DataType in, out;
};

void expectBinary(const Binary &row, bool byNumber) {
  SCOPED_TRACE(row.op + (byNumber ? " by its number" : ""));
  Random random(std::uint64_t(row.operation + 1));
  bool isPower = row.op == "ElementWisePower";
  double low = isPower ? 0.25 : -5, high = 5;
  Values a = random.values(row.in, {2, 1, 3}, {}, row.in == Bool ? 0 : low,
                           row.in == Bool ? 2 : high),
         b = random.values(row.in, {4, 1}, {}, row.in == Bool ? 0 : -4,
                           row.in == Bool ? 2 : 4);
  // Some are equal, and none is 0 where it divides.
  if (row.in != Bool) {
    b.numbers[0] = a.numbers[1];
    for (double &number : b.numbers)
      number = number == 0 ? 3 : number;
  }
  OneNode net(byNumber ? "ElementWiseBinary" : row.op);
  net.input(a).input(b).output(row.out, {2, 4, 3});
  if (byNumber)
    net.param("operation", double(row.operation));
  expectClose(net.run(), broadcast(a, b, row.fn), 3e-6);
}

double floorMod(double a, double b) { return a - b * std::floor(a / b); }

const Binary kBinaries[] = {
    {"ElementWiseAdd", 0, [](double a, double b) { return a + b; }, F32, F32},
    {"ElementWiseAnd", 1, [](double a, double b) { return double(a && b); },
     Bool, Bool},
    {"ElementWiseDivide", 2, [](double a, double b) { return a / b; }, F32,
     F32},
    {"ElementWiseEqual", 3, [](double a, double b) { return double(a == b); },
     F32, Bool},
    {"ElementWiseFloorDiv", 4,
     [](double a, double b) { return std::floor(a / b); }, I32, I32},
    {"ElementWiseFmod", 5, [](double a, double b) { return std::fmod(a, b); },
     F32, F32},
    {"ElementWiseGreater", 6, [](double a, double b) { return double(a > b); },
     F32, Bool},
    {"ElementWiseGreaterEqual", 7,
     [](double a, double b) { return double(a >= b); }, F32, Bool},
    {"ElementWiseLess", 8, [](double a, double b) { return double(a < b); },
     F32, Bool},
    {"ElementWiseLessEqual", 9,
     [](double a, double b) { return double(a <= b); }, F32, Bool},
    {"ElementWiseMaximum", 10,
     [](double a, double b) { return std::max(a, b); }, F32, F32},
    {"ElementWiseMinimum", 11,
     [](double a, double b) { return std::min(a, b); }, F32, F32},
    {"ElementWiseMod", 12, floorMod, I32, I32},
    {"ElementWiseMultiply", 13, [](double a, double b) { return a * b; }, F32,
     F32},
    {"ElementWiseNotEqual", 14,
     [](double a, double b) { return double(a != b); }, F32, Bool},
    {"ElementWiseOr", 15, [](double a, double b) { return double(a || b); },
     Bool, Bool},
    {"ElementWisePower", 16, [](double a, double b) { return std::pow(a, b); },
     F32, F32},
    {"ElementWiseSquaredDifference", 17,
     [](double a, double b) { return (a - b) * (a - b); }, F32, F32},
    {"ElementWiseSubtract", 18, [](double a, double b) { return a - b; }, F32,
     F32},
    {"ElementWiseXor", 19, [](double a, double b) { return double(!a != !b); },
     Bool, Bool},
};

} // namespace

TEST(QnnElements, AreFunctionsOfTwoValues) {
  for (const Binary &row : kBinaries)
    for (bool byNumber : {false, true})
      expectBinary(row, byNumber);
}

TEST(QnnElements, TakeNumbersAsTruthValues) {
  Values a = floats({4}, {0, 0, -2, 0.5}), b = floats({4}, {0, 3, 0, 1});
  for (auto [op, expected] :
       {std::pair("ElementWiseAnd", std::vector<double>{0, 0, 0, 1}),
        std::pair("ElementWiseOr", std::vector<double>{0, 1, 1, 1}),
        std::pair("ElementWiseXor", std::vector<double>{0, 1, 1, 0})}) {
    OneNode net(op);
    net.input(a).input(b).output(Bool, {4});
    EXPECT_EQ(net.run().numbers, expected) << op;
  }
}

TEST(QnnElements, FloorDivAndFmodOfFloats) {
  Values a = floats({4}, {-2.3, 2.3, -7, 7}), b = floats({4}, {1, 1, 2, -2});
  OneNode quotient("ElementWiseFloorDiv"), rest("ElementWiseFmod"),
      mod("ElementWiseMod");
  for (OneNode *net : {&quotient, &rest, &mod})
    net->input(a).input(b).output(F32, {4});
  EXPECT_THAT(quotient.run().numbers, ::testing::ElementsAre(-3, 2, -4, -4));
  expectClose(rest.run(), Reference(Dims{4}, {-0.3, 0.3, -1, 1}), 3e-6);
  EXPECT_FALSE(mod.import());
  EXPECT_TRUE(mod.reports("E1041"));
}

TEST(QnnElements, SquaredDifferenceOfFixedPoint) {
  Random random(9);
  Values a = random.values(U8, {2, 1, 3}, encodingFor(U8, -2, 2)),
         b = random.values(U8, {4, 1}, encodingFor(U8, -1, 3));
  Reference y =
      broadcast(a, b, [](double p, double q) { return (p - q) * (p - q); });
  OneNode net("ElementWiseSquaredDifference");
  net.input(a).input(b).output(U8, y.dims, encodingFor(U8, y));
  expectWithinOne(net.run(), y);
}

TEST(QnnElements, ConvertKeepsTheRealNumbers) {
  Values x = Random(4).values(U8, {3, 9}, encodingFor(U8, -3, 1));
  Reference y = x;
  for (DataType type : {S8, U16, F32}) {
    OneNode net("Convert");
    net.input(x).output(
        type, x.dims, type == F32 ? qnn::Encoding() : encodingFor(type, -2, 2));
    if (type == F32)
      expectClose(net.run(), y, kTolerance);
    else
      expectWithinOne(net.run(), y);
  }
}
