//===- IntegerPowersTest.cpp - Powers of plain integers as products -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prepare/IntegerPowers.h"
#include "test/unit/quantizer/TestNetwork.h"

using namespace yarrow;

namespace {

/// How many products and powers a power of x of \p type becomes.
std::pair<int, int> productsAndPowers(const std::string &type, double exponent,
                                      const std::string &result) {
  TestNetwork net("func.func @main() -> " + result +
                  " {\n  %x = compass.input() {input_index = 0} : () -> " +
                  type + "\n  %y = compass.pow(%x) {exponent = " +
                  std::to_string(exponent) + "} : (" + type + ") -> " + result +
                  "\n  return %y : " + result + "\n}\n");
  if (!net.module)
    return {-1, -1};
  multiplyIntegerPowers(*net.module);
  std::pair<int, int> count = {0, 0};
  net.module->walk([&](mlir::Operation *op) {
    count.first += op->getName().getStringRef() == "compass.eltwise";
    count.second += op->getName().getStringRef() == "compass.pow";
  });
  return count;
}

constexpr const char *kIntegers = "tensor<1x4xi32>",
                     *kFloats = "tensor<1x4xf32>";
using Counts = std::pair<int, int>;

TEST(IntegerPowers, TakeProductsByTheBitsOfTheExponent) {
  EXPECT_EQ(productsAndPowers(kIntegers, 2, kIntegers), Counts(1, 0));
  EXPECT_EQ(productsAndPowers(kIntegers, 5, kIntegers), Counts(3, 0));
  EXPECT_EQ(productsAndPowers(kIntegers, 31, kIntegers), Counts(8, 0));
}

TEST(IntegerPowers, OthersStay) {
  EXPECT_EQ(productsAndPowers(kFloats, 3, kFloats), Counts(0, 1));
  EXPECT_EQ(productsAndPowers(kIntegers, 2, "tensor<1x4xi16>"), Counts(0, 1));
  for (double exponent : {1.0, 2.5, 0.0, -2.0, 32.0})
    EXPECT_EQ(productsAndPowers(kIntegers, exponent, kIntegers), Counts(0, 1))
        << exponent;
}

} // namespace
