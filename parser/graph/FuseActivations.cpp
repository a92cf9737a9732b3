//===- FuseActivations.cpp - Formulas of activation functions
//-----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/FuseRules.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::graph;

/// The factors of a product, inner products of the same formula taken apart;
/// constants of one element are multiplied into \p scale.
static void collectFactors(const Tensor *tensor, Matcher &m, double &scale,
                           std::vector<const Tensor *> &factors) {
  if (auto value = m.scalar(tensor)) {
    scale *= *value;
    return;
  }
  if (Node *inner = m.writer(tensor, "Mul")) {
    for (const Tensor *input : inner->inputs)
      collectFactors(input, m, scale, factors);
    return;
  }
  factors.push_back(tensor);
}

/// Whether \p value is near \p wanted, as constants of 16 bits are.
static bool isNear(double value, double wanted) {
  return std::abs(value - wanted) <= 2e-3 * std::abs(wanted);
}

/// x where \p tensor is x times \p factor.
static const Tensor *scaledBy(const Tensor *tensor, double factor, Matcher &m) {
  if (Node *mul = m.writer(tensor, "Mul"))
    if (auto both = m.operands(*mul, [&](const Tensor *t) {
          auto value = m.scalar(t);
          return value && isNear(*value, factor);
        }))
      return both->second;
  if (Node *div = m.writer(tensor, "Div"))
    if (auto value = m.scalar(div->input(1));
        value && isNear(*value, 1 / factor))
      return div->input(0);
  return nullptr;
}

/// t where \p tensor is 1 + t.
static const Tensor *onePlus(const Tensor *tensor, Matcher &m) {
  Node *add = m.writer(tensor, "Add");
  if (!add)
    return nullptr;
  auto both =
      m.operands(*add, [&](const Tensor *t) { return m.isScalar(t, 1); });
  return both ? both->second : nullptr;
}

/// x * 0.5 * (1 + f), where \p take finds x in f.
template <typename Take>
static const Tensor *halfTimesOnePlus(Node &node, Matcher &m, Take take) {
  double scale = 1;
  std::vector<const Tensor *> factors;
  for (const Tensor *input : node.inputs)
    collectFactors(input, m, scale, factors);
  if (factors.size() != 2 || !isNear(scale, 0.5))
    return nullptr;
  for (size_t i : {0, 1})
    if (const Tensor *inner = onePlus(factors[i], m))
      if (take(inner) == factors[1 - i])
        return factors[1 - i];
  return nullptr;
}

static std::unique_ptr<Node> gelu(const Tensor *x, const char *how) {
  if (!x)
    return nullptr;
  auto node = madeNode("Gelu", {const_cast<Tensor *>(x)});
  node->attributes["approximate"] = graph::Attribute::of(std::string(how));
  return node;
}

std::unique_ptr<Node> graph::matchGeluErf(Node &node, Matcher &m, Graph &) {
  return gelu(halfTimesOnePlus(node, m,
                               [&](const Tensor *inner) -> const Tensor * {
                                 Node *erf = m.writer(inner, "Erf");
                                 return erf ? scaledBy(erf->input(0),
                                                       std::sqrt(0.5), m)
                                            : nullptr;
                               }),
              "none");
}

/// x where \p tensor is x to the third power.
static const Tensor *cubed(const Tensor *tensor, Matcher &m) {
  if (Node *pow = m.writer(tensor, "Pow"))
    return m.isScalar(pow->input(1), 3) ? pow->input(0) : nullptr;
  double scale = 1;
  std::vector<const Tensor *> factors;
  collectFactors(tensor, m, scale, factors);
  return factors.size() == 3 && scale == 1 && factors[0] == factors[1] &&
                 factors[1] == factors[2]
             ? factors[0]
             : nullptr;
}

std::unique_ptr<Node> graph::matchGeluTanh(Node &node, Matcher &m, Graph &) {
  const double outer = std::sqrt(2 / M_PI);
  return gelu(halfTimesOnePlus(
                  node, m,
                  [&](const Tensor *inner) -> const Tensor * {
                    Node *tanh = m.writer(inner, "Tanh");
                    const Tensor *sum =
                        tanh ? scaledBy(tanh->input(0), outer, m) : nullptr;
                    Node *add = sum ? m.writer(sum, "Add") : nullptr;
                    if (!add)
                      return nullptr;
                    for (size_t i : {0, 1}) {
                      const Tensor *power =
                          scaledBy(add->input(i), 0.044715, m);
                      if (power && cubed(power, m) == add->input(1 - i))
                        return add->input(1 - i);
                    }
                    return nullptr;
                  }),
              "tanh");
}

/// x where \p tensor is min(max(x + 3, 0), 6).
static const Tensor *clippedPlusThree(const Tensor *tensor, Matcher &m) {
  Node *clip = m.writer(tensor, "Clip");
  if (!clip || m.scalar(clip->input(1)) != 0 || m.scalar(clip->input(2)) != 6)
    return nullptr;
  Node *add = m.writer(clip->input(0), "Add");
  if (!add)
    return nullptr;
  auto both =
      m.operands(*add, [&](const Tensor *t) { return m.scalar(t) == 3; });
  return both ? both->second : nullptr;
}

static bool isSixthHardSigmoid(const Node &node) {
  return isNear(node.number("alpha", 0.2f), 1.0 / 6) &&
         node.number("beta", 0.5f) == 0.5f;
}

std::unique_ptr<Node> graph::matchHardSwish(Node &node, Matcher &m, Graph &) {
  // x * HardSigmoid(x), or x * clip(x + 3, 0, 6) / 6 in any order.
  double scale = 1;
  std::vector<const Tensor *> factors;
  if (node.op == "Div") {
    auto divisor = m.scalar(node.input(1));
    if (!divisor)
      return nullptr;
    scale = 1 / *divisor;
    collectFactors(node.input(0), m, scale, factors);
  } else {
    for (const Tensor *input : node.inputs)
      if (Node *div = m.writer(input, "Div"); div && m.scalar(div->input(1))) {
        scale /= *m.scalar(div->input(1));
        collectFactors(div->input(0), m, scale, factors);
      } else {
        collectFactors(input, m, scale, factors);
      }
  }
  if (factors.size() != 2)
    return nullptr;
  for (size_t i : {0, 1}) {
    const Tensor *x = factors[1 - i];
    Node *hard = m.writer(factors[i], "HardSigmoid");
    if (hard && hard->input(0) == x && scale == 1 && isSixthHardSigmoid(*hard))
      return madeNode("HardSwish", {const_cast<Tensor *>(x)});
    if (isNear(scale, 1.0 / 6) && clippedPlusThree(factors[i], m) == x)
      return madeNode("HardSwish", {const_cast<Tensor *>(x)});
  }
  return nullptr;
}

std::unique_ptr<Node> graph::matchSwish(Node &node, Matcher &m, Graph &) {
  for (size_t i : {0, 1}) {
    Node *sigmoid = m.writer(node.input(i), "Sigmoid");
    Tensor *x = node.input(1 - i);
    if (!sigmoid)
      continue;
    float alpha = 1;
    if (sigmoid->input(0) != x) {
      Node *mul = m.writer(sigmoid->input(0), "Mul");
      auto both = mul ? m.operands(*mul,
                                   [&](const Tensor *t) {
                                     return m.scalar(t).has_value();
                                   })
                      : std::nullopt;
      if (!both || both->second != x)
        continue;
      alpha = float(*m.scalar(both->first));
    }
    auto made = madeNode("Swish", {x});
    made->attributes["alpha"] = graph::Attribute::of(alpha);
    return made;
  }
  return nullptr;
}

std::unique_ptr<Node> graph::matchMish(Node &node, Matcher &m, Graph &) {
  for (size_t i : {0, 1})
    if (Node *tanh = m.writer(node.input(i), "Tanh"))
      if (Node *softplus = m.writer(tanh->input(0), "Softplus");
          softplus && softplus->input(0) == node.input(1 - i))
        return madeNode("Mish", {node.input(1 - i)});
  return nullptr;
}

std::unique_ptr<Node> graph::matchLeakyRelu(Node &node, Matcher &m, Graph &) {
  if (node.inputs.size() != 2)
    return nullptr;
  for (size_t i : {0, 1}) {
    Node *mul = m.writer(node.input(i), "Mul");
    auto both = mul ? m.operands(*mul,
                                 [&](const Tensor *t) {
                                   auto value = m.scalar(t);
                                   return value && *value > 0 && *value < 1;
                                 })
                    : std::nullopt;
    if (!both || both->second != node.input(1 - i))
      continue;
    auto made = madeNode("LeakyRelu", {both->second});
    made->attributes["alpha"] =
        graph::Attribute::of(float(*m.scalar(both->first)));
    return made;
  }
  return nullptr;
}
