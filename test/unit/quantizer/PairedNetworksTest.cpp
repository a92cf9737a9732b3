//===- PairedNetworksTest.cpp - The same layers for other shapes ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/calibrate/PairedNetworks.h"
#include "support/diagnostics/Quantizer.h"
#include "test/unit/quantizer/TestNetwork.h"

using namespace yarrow;

namespace {

/// Layers one after the other, of \p length values; of none a declaration.
std::string networkOf(const std::string &file, int length,
                      const std::vector<std::string> &methods) {
  std::string type = "tensor<1x" + std::to_string(length) + "xf32>";
  std::string place = " loc(\"" + file + "\":2:1)\n", last = "%x";
  if (methods.empty())
    return "func.func private @main() -> " + type + place;
  std::string text = "func.func @main() -> " + type +
                     " {\n%x = compass.input() : () -> " + type + place;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    std::string name = "%y" + std::to_string(i);
    text += name + " = compass." + methods[i] + "(" + last + ") : (" + type +
            ") -> " + type + place;
    last = name;
  }
  return text + "return " + last + " : " + type + place + "}" + place;
}

/// One of "sqrt" and "floor", and one of \p methods for another shape.
struct Networks {
  explicit Networks(const std::vector<std::string> &methods)
      : from(networkOf("from.txt", 4, {"sqrt", "floor"})),
        to(mlir::parseSourceString<mlir::ModuleOp>(
            networkOf("to.txt", 9, methods), &from.context)) {}
  bool pair(mlir::IRMapping &map) {
    return pairNetworks(*from.module, *to, map, diags);
  }

  TestNetwork from;
  mlir::OwningOpRef<mlir::ModuleOp> to;
  DiagnosticEngine diags;
};

std::vector<mlir::Operation *> layersOf(mlir::ModuleOp module) {
  std::vector<mlir::Operation *> layers;
  module->walk([&](mlir::Operation *op) {
    if (compass::recordOf(op))
      layers.push_back(op);
  });
  return layers;
}

} // namespace

TEST(PairedNetworks, TensorsOfOneAreKnownInTheOther) {
  Networks networks({"sqrt", "floor"});
  mlir::IRMapping map;
  ASSERT_TRUE(networks.pair(map));
  std::vector<mlir::Operation *> from = layersOf(*networks.from.module),
                                 to = layersOf(*networks.to);
  ASSERT_EQ(from.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(map.lookup(from[i]), to[i]);
    EXPECT_EQ(map.lookup(from[i]->getResult(0)), to[i]->getResult(0));
  }
}

// The place is in the network that nothing was observed of, whether layers
// differ, their number, or what has any.
TEST(PairedNetworks, NamesTheOneThatDiffers) {
  for (const std::vector<std::string> &others :
       {std::vector<std::string>{"sqrt", "ceil"},
        {"sqrt"},
        {},
        {"sqrt", "floor", "ceil"}}) {
    Networks networks(others);
    mlir::IRMapping map;
    EXPECT_FALSE(networks.pair(map));
    ASSERT_EQ(networks.diags.all().size(), 1u);
    const Diagnostic &problem = networks.diags.all()[0];
    EXPECT_EQ(problem.id, diag::QuantUnsupported);
    EXPECT_EQ(problem.place.file, "to.txt");
  }
}
