//===- NormsTest.cpp - Normalisations of QNN ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/qnn/References.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::test;

namespace {

/// A norm with its parameters, and its formula.
struct Norm {
  std::string name;
  Dims x;
  Dims affine = {}; ///< Lengths of gamma and beta; empty: neither is there.
  std::function<void(OneNode &)> setParams;
  /// One element, of x, gamma and beta; these are ones and zeros if left out.
  std::function<double(const Reference &, const Reference &, const Reference &,
                       const Dims &)>
      formula;
};

double sumAlong(const Reference &x, const Dims &axes, const Dims &at,
                const std::function<double(double)> &fn) {
  double sum = 0;
  forEachAlong(x.dims, axes, at, [&](const Dims &i) { sum += fn(x.at(i)); });
  return sum;
}

double countAlong(const Reference &x, const Dims &axes) {
  double count = 1;
  for (std::int64_t axis : axes)
    count *= double(x.dims[std::size_t(axis)]);
  return count;
}

double square(double v) { return v * v; }
double itself(double v) { return v; }

double normalised(const Reference &x, const Dims &axes, const Dims &at,
                  double epsilon) {
  double n = countAlong(x, axes), mean = sumAlong(x, axes, at, itself) / n;
  double variance =
      sumAlong(x, axes, at, [&](double v) { return square(v - mean); }) / n;
  return (x.at(at) - mean) / std::sqrt(variance + epsilon);
}

/// The places of gamma that axes of the parameter have.
Dims placesOf(const Dims &axes, const Dims &at) {
  Dims places;
  for (std::int64_t axis : axes)
    places.push_back(at[std::size_t(axis)]);
  return places;
}

Norm layerNorm(Dims x, Dims axes, bool isRms, bool hasAffine) {
  Norm norm;
  norm.name = isRms ? "RmsNorm" : "LayerNorm";
  norm.x = x;
  for (std::int64_t axis : axes)
    if (hasAffine)
      norm.affine.push_back(x[std::size_t(axis)]);
  norm.setParams = [axes](OneNode &net) {
    net.list("axes", {std::int64_t(axes.size())}, {axes.begin(), axes.end()})
        .real("epsilon", 0.01f);
  };
  norm.formula = [axes, isRms,
                  hasAffine](const Reference &x, const Reference &gamma,
                             const Reference &beta, const Dims &at) {
    double epsilon = double(0.01f);
    double value = isRms ? x.at(at) / std::sqrt(sumAlong(x, axes, at, square) /
                                                    countAlong(x, axes) +
                                                epsilon)
                         : normalised(x, axes, at, epsilon);
    Dims place = placesOf(axes, at);
    return hasAffine ? value * gamma.at(place) + beta.at(place) : value;
  };
  return norm;
}

Norm instanceNorm(Dims x, int mode, int region, bool normalises) {
  Norm norm{"InstanceNorm", x, {x.back()}};
  norm.setParams = [=](OneNode &net) {
    net.param("mode", mode).param("region", region).real("epsilon", 0.02f);
    if (!normalises)
      net.flag("normalize_variance", false);
  };
  auto rank = std::int64_t(x.size());
  Dims spatial, all;
  for (std::int64_t a = 1; a < rank; ++a) {
    all.push_back(a);
    if (a + 1 < rank)
      spatial.push_back(a);
  }
  norm.formula = [=](const Reference &x, const Reference &gamma,
                     const Reference &beta, const Dims &at) {
    double g = gamma.at({at.back()}), b = beta.at({at.back()});
    double epsilon = double(0.02f);
    if (mode == 1) {
      Dims axes = region == 2 ? all : Dims{rank - 1};
      return x.at(at) * g / std::sqrt(sumAlong(x, axes, at, square) + epsilon) +
             b;
    }
    if (normalises)
      return normalised(x, spatial, at, epsilon) * g + b;
    return x.at(at) - sumAlong(x, spatial, at, itself) / countAlong(x, spatial);
  };
  return norm;
}

Norm groupNorm(Dims x, std::int64_t group) {
  Norm norm{"GroupNorm", x, {x.back()}};
  norm.setParams = [=](OneNode &net) {
    net.param("group", double(group)).real("epsilon", 0.03f);
  };
  norm.formula = [=](const Reference &x, const Reference &gamma,
                     const Reference &beta, const Dims &at) {
    // As if each image had the channels of the group alone.
    std::int64_t each = x.dims.back() / group, first = at.back() / each * each;
    Dims dims = x.dims, place = at, axes;
    dims.back() = each, place.back() = at.back() - first;
    Reference part(dims);
    forEachIndex(dims, [&](const Dims &i) {
      Dims from = i;
      from.back() += first;
      part.at(i) = x.at(from);
    });
    for (std::size_t a = 1; a < dims.size(); ++a)
      axes.push_back(std::int64_t(a));
    return normalised(part, axes, place, double(0.03f)) *
               gamma.at({at.back()}) +
           beta.at({at.back()});
  };
  return norm;
}

Norm batchnorm(Dims x) {
  return {"Batchnorm",
          x,
          {x.back()},
          [](OneNode &) {},
          [](const Reference &x, const Reference &gamma, const Reference &beta,
             const Dims &at) {
            return x.at(at) * gamma.at({at.back()}) + beta.at({at.back()});
          }};
}

Norm l2Norm(Dims x, Dims axes, bool asAxis) {
  return {"L2Norm",
          x,
          {},
          [=](OneNode &net) {
            if (asAxis)
              net.param("axis", double(axes[0]));
            else
              net.list("axes", {std::int64_t(axes.size())},
                       {axes.begin(), axes.end()});
            net.real("epsilon", 1.5);
          },
          [=](const Reference &x, const Reference &, const Reference &,
              const Dims &at) {
            return x.at(at) /
                   std::max(std::sqrt(sumAlong(x, axes, at, square)), 1.5);
          }};
}

Norm lrn(Dims x, std::int64_t radius, bool isWithin) {
  return {"Lrn",
          x,
          {},
          [=](OneNode &net) {
            net.param("radius", double(radius), DataType::INT_32)
                .param("region", isWithin)
                .real("alpha", 0.3f)
                .real("beta", 0.75)
                .real("bias", 1.25);
          },
          [=](const Reference &x, const Reference &, const Reference &,
              const Dims &at) {
            double sum = 0;
            forEachIndex(x.dims, [&](const Dims &i) {
              bool isIn = true;
              for (std::size_t a = 0; a < i.size(); ++a) {
                bool isOpen = isWithin ? a == 1 || a == 2 : a + 1 == i.size();
                isIn &= std::abs(i[a] - at[a]) <= (isOpen ? radius : 0);
              }
              sum += isIn ? square(x.at(i)) : 0;
            });
            return x.at(at) / std::pow(1.25 + double(0.3f) * sum, 0.75);
          }};
}

Norm softmax(Dims x, std::optional<std::int64_t> axis, double beta,
             bool isLog) {
  return {isLog ? "LogSoftmax" : "Softmax",
          x,
          {},
          [=](OneNode &net) {
            if (axis)
              net.param("axis", double(*axis));
            if (beta != 1)
              net.real("beta", beta);
          },
          [=](const Reference &x, const Reference &, const Reference &,
              const Dims &at) {
            Dims axes = {axis.value_or(std::int64_t(x.dims.size()) - 1)};
            double sum = sumAlong(x, axes, at,
                                  [&](double v) { return std::exp(v * beta); });
            return isLog ? x.at(at) * beta - std::log(sum)
                         : std::exp(x.at(at) * beta) / sum;
          }};
}

std::vector<Norm> allNorms() {
  return {
      batchnorm({2, 3, 4, 5}),
      batchnorm({3, 4}),
      batchnorm({6}),
      batchnorm({1, 2, 3, 4, 5}),
      instanceNorm({2, 3, 4, 5}, 0, 0, true),
      instanceNorm({2, 3, 5}, 0, 0, true),
      instanceNorm({1, 2, 3, 4, 5}, 0, 0, true),
      instanceNorm({2, 3, 4, 5}, 0, 0, false),
      instanceNorm({2, 3, 4, 5}, 1, 1, true),
      instanceNorm({2, 3, 4, 5}, 1, 2, true),
      instanceNorm({2, 6, 5}, 1, 2, true),
      groupNorm({2, 3, 4, 6}, 2),
      groupNorm({2, 5, 6}, 3),
      groupNorm({2, 6}, 6),
      groupNorm({1, 2, 3, 2, 4}, 1),
      layerNorm({2, 3, 4}, {2}, false, true),
      layerNorm({2, 3, 4}, {1, 2}, false, true),
      layerNorm({2, 3, 4}, {2, 1}, false, true),
      layerNorm({2, 3, 4}, {1}, false, true),
      layerNorm({2, 3, 4, 5}, {3, 1}, false, true),
      layerNorm({2, 3, 4}, {0, 1}, false, false),
      layerNorm({7}, {0}, false, true),
      layerNorm({2, 3, 4}, {2}, true, true),
      layerNorm({2, 3, 4}, {1}, true, true),
      layerNorm({2, 3, 4, 5}, {3, 1}, true, true),
      layerNorm({2, 3, 4}, {2, 0}, true, false),
      l2Norm({2, 3, 4}, {2}, true),
      l2Norm({2, 3, 4}, {0}, true),
      l2Norm({2, 3, 4, 5}, {3, 1}, false),
      l2Norm({6}, {0}, true),
      lrn({2, 3, 4, 8}, 2, false),
      lrn({3, 9}, 1, false),
      lrn({7}, 3, false),
      lrn({1, 5, 6, 3}, 1, true),
      lrn({2, 3, 4, 2}, 2, true),
      softmax({2, 3, 5}, std::nullopt, 1, false),
      softmax({2, 3, 5}, 1, 0.5, false),
      softmax({2, 3, 4, 5}, 0, 2, false),
      softmax({6}, std::nullopt, 1, false),
      softmax({2, 3, 5}, 2, 1, true),
      softmax({2, 3, 5}, 0, 0.75, true),
  };
}

Reference referenceOf(const Norm &norm, const Values &x, const Values &gamma,
                      const Values &beta) {
  Reference y(norm.x), input(x), g(gamma), b(beta);
  forEachIndex(norm.x, [&](const Dims &at) {
    y.at(at) = norm.formula(input, g, b, at);
  });
  return y;
}

} // namespace

TEST(QnnNorms, ComputeFloats) {
  Random random(1);
  for (const Norm &norm : allNorms())
    for (bool isStatic : {true, false}) {
      SCOPED_TRACE(norm.name + " of " + ::testing::PrintToString(norm.x));
      Values x = random.values(F32, norm.x, {}, -2, 3);
      Values gamma = random.values(F32, norm.affine, {}, 0.5, 2),
             beta = random.values(F32, norm.affine);
      Reference y = referenceOf(norm, x, gamma, beta);
      OneNode net(norm.name);
      norm.setParams(net);
      net.input(x);
      if (!norm.affine.empty())
        isStatic ? net.constant(gamma).constant(beta)
                 : net.input(gamma).input(beta);
      net.output(F32, norm.x);
      expectClose(net.run(), y, 3e-6);
    }
}

TEST(QnnNorms, ComputeStoredNumbers) {
  Random random(2);
  for (DataType type : {U8, S8, U16})
    for (const Norm &norm : allNorms()) {
      SCOPED_TRACE(norm.name + " of " + ::testing::PrintToString(norm.x));
      Values x = random.values(type, norm.x, encodingFor(type, -2, 3));
      Values gamma = random.values(U8, norm.affine, encodingFor(U8, -0.5, 1.5));
      Values beta{S32, norm.affine, {}, {}};
      beta.encoding = scaleOffset(1.0f / 4096, 0);
      if (norm.name == "Batchnorm")
        beta.encoding =
            scaleOffset(x.encoding.scales[0] * gamma.encoding.scales[0], 0);
      for (std::size_t i = 0; i < beta.count(); ++i)
        beta.numbers.push_back(double(random.below(8001) - 4000));
      Reference y = referenceOf(norm, x, gamma, beta);
      OneNode net(norm.name);
      norm.setParams(net);
      net.input(x);
      if (!norm.affine.empty())
        net.constant(gamma).constant(beta);
      net.output(type, norm.x, encodingFor(type, y));
      if (norm.name == "Batchnorm") {
        expectEqual(net.run(), y);
        EXPECT_FALSE(net.reports("N0409"));
      } else {
        expectWithinOne(net.run(), y);
      }
    }
}

TEST(QnnNorms, RefuseWhatHasNoFormula) {
  for (auto [mode, region] :
       {std::pair(0, 1), std::pair(0, 2), std::pair(1, 0)}) {
    OneNode net("InstanceNorm");
    net.param("mode", mode)
        .param("region", region)
        .input(floats({1, 2, 2}, {1, 2, 3, 4}))
        .constant(floats({2}, {1, 1}))
        .output(F32, {1, 2, 2});
    EXPECT_FALSE(net.import());
    EXPECT_TRUE(net.reports("E1005"));
  }
}

TEST(QnnNorms, ReportMissingAxes) {
  OneNode net("L2Norm");
  net.input(floats({2}, {1, 2})).output(F32, {2});
  EXPECT_FALSE(net.import());
  EXPECT_TRUE(net.reports("E1041"));
}

TEST(QnnNorms, LeaveZerosAlone) {
  OneNode net("L2Norm");
  net.param("axis", 0).input(floats({2}, {0, 0})).output(F32, {2});
  EXPECT_THAT(net.run().numbers, ::testing::ElementsAre(0, 0));
}
