//===- SequencesTest.cpp - Lstm and Gru of QNN ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The definitions' equations as plain loops in double precision.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/Numbers.h"
#include <map>

using namespace yarrow;
using namespace yarrow::test;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Element \p row of weights [rows, size] times \p x.
double product(const Reals &weights, std::size_t row, const Reals &x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += weights[row * x.size() + i] * x[i];
  return sum;
}

struct LstmForm {
  std::int64_t batch = 2, steps = 3, inputs = 3, units = 4, outputs = 4;
  bool isOneStep = false, isTimeMajor = true, isReverse = false;
  bool isCoupled = false, hasPeepholes = false, hasProjection = false,
       hasProjectionBias = false, isNormalised = false, hasStates = true,
       hasGates = false, areWeightsInputs = false;
  DataType type = kReal; ///< Of the input and the weights.
  double cellClip = 0, projectionClip = 0;
};

/// The node with random operands, and what the equations give.
class LstmNode {
public:
  explicit LstmNode(const LstmForm &form, std::uint64_t seed = 1);

  OneNode net{"Lstm"};
  Reals sequence; ///< In the order of the axes.
  Reals lastOutput, lastCell, gates[4], hidden;

private:
  void operand(std::size_t i, Dims dims, bool isThere = true);
  void step(std::size_t b, const Reals &x, Reals &h, Reals &c);
  double gate(int input, int state, int peephole, int norm, int bias,
              std::size_t k, const Reals &x, const Reals &h, const Reals &c);
  Reals sums(int input, int state, int peephole, const Reals &x, const Reals &h,
             const Reals &c);
  void compute();

  LstmForm form;
  Random random;
  std::map<int, Reals> values;
};

LstmNode::LstmNode(const LstmForm &form, std::uint64_t seed)
    : form(form), random(seed) {
  std::int64_t n = form.batch, t = form.steps, u = form.units, o = form.outputs,
               s = form.inputs;
  Values x = randomReals(random,
                         form.isOneStep     ? Dims{n, s}
                         : form.isTimeMajor ? Dims{t, n, s}
                                            : Dims{n, t, s},
                         -1, 1, form.type);
  net.input(x);
  values[0] = x.reals();
  for (std::size_t i : {1, 2, 3})
    operand(i, {u, s});
  for (std::size_t i : {4, 5, 6})
    operand(i, {u, o});
  for (std::size_t i : {7, 8, 9})
    operand(i, {u});
  operand(10, {n, o}, form.hasStates);
  operand(11, {n, u}, form.hasStates);
  operand(12, {u}, form.isNormalised && !form.isCoupled);
  for (std::size_t i : {13, 14, 15})
    operand(i, {u}, form.isNormalised);
  operand(16, {u, s}, !form.isCoupled);
  operand(17, {u, o}, !form.isCoupled);
  operand(18, {u}, form.hasPeepholes && !form.isCoupled);
  for (std::size_t i : {19, 20})
    operand(i, {u}, form.hasPeepholes);
  operand(21, {u}, !form.isCoupled);
  operand(22, {o, u}, form.hasProjection);
  operand(23, {o}, form.hasProjectionBias);
  net.param("direction", form.isReverse)
      .flag("time_major", form.isTimeMajor)
      .real("cell_clip_threshold", form.cellClip)
      .real("output_clip_threshold", form.projectionClip);
  net.output(kReal, form.isOneStep     ? Dims{n, o}
                    : form.isTimeMajor ? Dims{t, n, o}
                                       : Dims{n, t, o})
      .output(kReal, {n, u})
      .output(kReal, {n, o});
  for (int i = 0; form.hasGates && i < 5; ++i)
    net.output(kReal, {n, u});
  compute();
}

void LstmNode::operand(std::size_t i, Dims dims, bool isThere) {
  if (!isThere) {
    net.noInput();
    return;
  }
  Values v = randomReals(random, std::move(dims), -1, 1, form.type);
  values[int(i)] = v.reals();
  bool isState = i == 10 || i == 11;
  if (isState || form.areWeightsInputs)
    net.input(v);
  else
    net.constant(v);
}

Reals LstmNode::sums(int input, int state, int peephole, const Reals &x,
                     const Reals &h, const Reals &c) {
  Reals all;
  for (std::size_t k = 0; k < std::size_t(form.units); ++k) {
    all.push_back(product(values[input], k, x) + product(values[state], k, h));
    if (values.count(peephole))
      all.back() += values[peephole][k] * c[k];
  }
  return all;
}

/// What the gate's function is of: normalised sums times weights, then biases.
double LstmNode::gate(int input, int state, int peephole, int norm, int bias,
                      std::size_t k, const Reals &x, const Reals &h,
                      const Reals &c) {
  Reals all = sums(input, state, peephole, x, h, c);
  if (!form.isNormalised)
    return all[k] + values[bias][k];
  double mean = 0, variance = 0, n = double(all.size());
  for (double v : all)
    mean += v / n;
  for (double v : all)
    variance += (v - mean) * (v - mean) / n;
  return (all[k] - mean) / std::sqrt(variance) * values[norm][k] +
         values[bias][k];
}

void LstmNode::step(std::size_t b, const Reals &x, Reals &h, Reals &c) {
  auto units = std::size_t(form.units);
  auto clip = [](double v, double limit) {
    return limit > 0 ? std::clamp(v, -limit, limit) : v;
  };
  Reals next, i(units), f(units), g(units), o(units), m(units);
  for (std::size_t k = 0; k < units; ++k) {
    f[k] = sigmoid(gate(1, 4, 19, 13, 7, k, x, h, c));
    i[k] = form.isCoupled ? 1 - f[k]
                          : sigmoid(gate(16, 17, 18, 12, 21, k, x, h, c));
    g[k] = std::tanh(gate(2, 5, -1, 14, 8, k, x, h, c));
    next.push_back(clip(f[k] * c[k] + i[k] * g[k], form.cellClip));
  }
  for (std::size_t k = 0; k < units; ++k) {
    o[k] = sigmoid(gate(3, 6, 20, 15, 9, k, x, h, next));
    m[k] = o[k] * std::tanh(next[k]);
  }
  c = next;
  h = m;
  if (form.hasProjection) {
    h.clear();
    for (std::size_t k = 0; k < std::size_t(form.outputs); ++k)
      h.push_back(clip(product(values[22], k, m) +
                           (form.hasProjectionBias ? values[23][k] : 0),
                       form.projectionClip));
  }
  auto keep = [&](Reals &of, const Reals &row) {
    of.resize(std::size_t(form.batch) * units);
    std::ranges::copy(row, of.begin() + std::ptrdiff_t(b * units));
  };
  keep(gates[0], i), keep(gates[1], f), keep(gates[2], g), keep(gates[3], o);
  keep(hidden, m);
}

void LstmNode::compute() {
  auto steps = std::size_t(form.isOneStep ? 1 : form.steps),
       batch = std::size_t(form.batch), size = std::size_t(form.inputs),
       outputs = std::size_t(form.outputs), units = std::size_t(form.units);
  sequence.resize(steps * batch * outputs);
  for (std::size_t b = 0; b < batch; ++b) {
    Reals h(outputs, 0), c(units, 0);
    if (form.hasStates) {
      std::copy_n(values[10].begin() + std::ptrdiff_t(b * outputs), outputs,
                  h.begin());
      std::copy_n(values[11].begin() + std::ptrdiff_t(b * units), units,
                  c.begin());
    }
    for (std::size_t i = 0; i < steps; ++i) {
      std::size_t t = form.isReverse ? steps - 1 - i : i,
                  row = form.isTimeMajor ? t * batch + b : b * steps + t;
      Reals x(values[0].begin() + std::ptrdiff_t(row * size),
              values[0].begin() + std::ptrdiff_t((row + 1) * size));
      step(b, x, h, c);
      std::ranges::copy(h, sequence.begin() + std::ptrdiff_t(row * outputs));
    }
    lastOutput.insert(lastOutput.end(), h.begin(), h.end());
    lastCell.insert(lastCell.end(), c.begin(), c.end());
  }
}

void expectEquations(const LstmForm &form, std::uint64_t seed) {
  LstmNode lstm(form, seed);
  expectNear(lstm.net.run(0), lstm.sequence);
  expectNear(lstm.net.run(1), lstm.lastCell);
  expectNear(lstm.net.run(2), lstm.lastOutput);
}

} // namespace

TEST(QnnSequences, LstmFollowsItsEquationsInAllForms) {
  std::uint64_t seed = 1;
  for (bool isCoupled : {false, true})
    for (bool isNormalised : {false, true})
      for (bool hasPeepholes : {false, true}) {
        LstmForm form;
        form.isCoupled = isCoupled, form.isNormalised = isNormalised;
        form.hasPeepholes = hasPeepholes, form.cellClip = 0.4;
        form.isReverse = hasPeepholes, form.isTimeMajor = isNormalised;
        form.hasStates = !isCoupled;
        expectEquations(form, seed++);
      }
}

TEST(QnnSequences, LstmProjectsAndClips) {
  LstmForm form;
  form.outputs = 2, form.hasProjection = true, form.projectionClip = 0.2;
  expectEquations(form, 20);
  form.hasProjectionBias = true, form.isTimeMajor = false;
  expectEquations(form, 21);
}

TEST(QnnSequences, LstmOfOneStepReportsItsGates) {
  LstmForm form;
  form.isOneStep = form.hasGates = true;
  LstmNode lstm(form, 30);
  expectNear(lstm.net.run(0), lstm.sequence);
  for (std::size_t i = 0; i < 4; ++i)
    expectNear(lstm.net.run(3 + i), lstm.gates[i]);
  expectNear(lstm.net.run(7), lstm.hidden);
}

TEST(QnnSequences, LstmTakesWeightsThatAreComputed) {
  LstmForm form;
  form.areWeightsInputs = form.hasPeepholes = true;
  expectEquations(form, 40);
}

TEST(QnnSequences, LstmOfBytesComputesInRealNumbers) {
  LstmForm form;
  form.type = kByte, form.isTimeMajor = false, form.isNormalised = true;
  expectEquations(form, 45);
  form.isNormalised = false, form.hasPeepholes = form.hasProjection = true;
  expectEquations(form, 46);
}

TEST(QnnSequences, LstmKeepsNoStateFromRunToRun) {
  LstmForm form;
  for (bool isReset : {true, false}) {
    LstmNode lstm(form, 50);
    lstm.net.constant(integers({}, {isReset ? 1.0 : 0.0}, DataType::BOOL_8));
    EXPECT_EQ(lstm.net.import(), isReset);
  }
}

TEST(QnnSequences, LstmRefusesGatesThatAreNotWhole) {
  LstmForm form;
  LstmNode lstm(form, 60);
  lstm.net.model.nodes[0].inputs[17] = "left_out";
  lstm.net.model.add({.name = "left_out", .kind = qnn::TensorKind::Null});
  EXPECT_FALSE(lstm.net.import());
}

namespace {

struct GruForm {
  bool isTimeMajor = true, isReverse = false, isLinearFirst = false,
       hasBiases = true, hasState = true;
};

void expectGru(const GruForm &form, std::uint64_t seed) {
  constexpr std::size_t kBatch = 2, kSteps = 3, kInputs = 3, kCells = 4;
  Random random(seed);
  OneNode net("Gru");
  Values x =
      random.values(kReal, form.isTimeMajor ? Dims{kSteps, kBatch, kInputs}
                                            : Dims{kBatch, kSteps, kInputs});
  net.input(x);
  std::map<std::size_t, Reals> w;
  auto constant = [&](std::size_t i, Dims dims) {
    Values v = random.values(kReal, std::move(dims));
    net.constant(v);
    w[i] = v.numbers;
  };
  for (std::size_t i = 1; i <= 6; ++i)
    constant(i, {kCells, std::int64_t(i <= 3 ? kInputs : kCells)});
  for (std::size_t i = 7; i <= 12; ++i)
    if (form.hasBiases) {
      constant(i, {kCells});
    } else {
      net.noInput();
      w[i] = Reals(kCells, 0);
    }
  Values h0 = random.values(kReal, {1, kBatch, kCells});
  if (form.hasState)
    net.input(h0);
  else
    h0.numbers.assign(kBatch * kCells, 0);
  net.param("direction", form.isReverse)
      .param("linear_before_reset", form.isLinearFirst)
      .flag("time_major", form.isTimeMajor);
  net.output(kReal, form.isTimeMajor ? Dims{kSteps, kBatch, kCells}
                                     : Dims{kBatch, kSteps, kCells})
      .output(kReal, {1, kBatch, kCells});

  Reals sequence(kSteps * kBatch * kCells), last;
  for (std::size_t b = 0; b < kBatch; ++b) {
    Reals h(h0.numbers.begin() + std::ptrdiff_t(b * kCells),
            h0.numbers.begin() + std::ptrdiff_t((b + 1) * kCells));
    for (std::size_t i = 0; i < kSteps; ++i) {
      std::size_t t = form.isReverse ? kSteps - 1 - i : i,
                  row = form.isTimeMajor ? t * kBatch + b : b * kSteps + t;
      Reals in(x.numbers.begin() + std::ptrdiff_t(row * kInputs),
               x.numbers.begin() + std::ptrdiff_t((row + 1) * kInputs));
      Reals z, r, next;
      for (std::size_t k = 0; k < kCells; ++k) {
        z.push_back(sigmoid(product(w[1], k, in) + product(w[4], k, h) +
                            w[7][k] + w[10][k]));
        r.push_back(sigmoid(product(w[2], k, in) + product(w[5], k, h) +
                            w[8][k] + w[11][k]));
      }
      Reals reset;
      for (std::size_t k = 0; k < kCells; ++k)
        reset.push_back(r[k] * h[k]);
      for (std::size_t k = 0; k < kCells; ++k) {
        double ofState = form.isLinearFirst
                             ? r[k] * (product(w[6], k, h) + w[12][k])
                             : product(w[6], k, reset) + w[12][k];
        double n = std::tanh(product(w[3], k, in) + w[9][k] + ofState);
        next.push_back((1 - z[k]) * n + z[k] * h[k]);
      }
      h = next;
      std::ranges::copy(h, sequence.begin() + std::ptrdiff_t(row * kCells));
    }
    last.insert(last.end(), h.begin(), h.end());
  }
  expectNear(net.run(0), sequence);
  expectNear(net.run(1), last);
}

} // namespace

TEST(QnnSequences, GruFollowsItsEquations) {
  std::uint64_t seed = 1;
  for (bool isLinearFirst : {false, true})
    for (bool isReverse : {false, true}) {
      GruForm form;
      form.isLinearFirst = isLinearFirst, form.isReverse = isReverse;
      form.isTimeMajor = isLinearFirst == isReverse;
      form.hasBiases = !isReverse, form.hasState = !isLinearFirst;
      expectGru(form, seed++);
    }
}
