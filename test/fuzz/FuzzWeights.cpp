//===- FuzzWeights.cpp - Any bytes as the weights of good networks --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The first byte chooses a network, float or integer; the others are its
// weights file, filled up with zeros. Float weights that are NaN or infinite
// are refused, as the harness finds them itself, and nothing else in a weights
// file is: every other network is computed, and a float one quantized. Whatever
// the bytes: no crash, no hang, and either a result or a reason.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/network/Evaluator.h"
#include "parser/compass/CompassReader.h"
#include "quantizer/Quantizer.h"
#include "test/fuzz/Folder.h"
#include "test/fuzz/Fuzz.h"

#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

using namespace yarrow;
using fuzz::require;

namespace {

struct Constant {
  std::string_view name, type;
  std::vector<int64_t> shape;
};

/// One layer behind an input of 1x4x4x2.
struct Network {
  std::string_view type, keys;
  std::vector<Constant> constants;
  bool isInteger = false;
};

constexpr std::string_view kWindow =
    "num_output=2\nkernel_x=3\nkernel_y=3\nstride_x=1\nstride_y=1\n"
    "pad_left=1\npad_right=1\npad_top=1\npad_bottom=1\ndilation_x=1\n"
    "dilation_y=1\n";

const std::array<Network, 7> &networks() {
  static const std::array<Network, 7> all = {{
      {"Convolution",
       "group=1\nwith_activation=RELU\n",
       {{"weights", "float32", {2, 3, 3, 2}}, {"biases", "float32", {2}}}},
      {"DepthwiseConv",
       "group=2\nmultiplier=1\nwith_activation=NONE\n",
       {{"weights", "float32", {2, 3, 3, 1}}, {"biases", "float32", {2}}}},
      {"Convolution",
       "group=1\nwith_activation=PRELU\n",
       {{"weights", "float32", {2, 3, 3, 2}},
        {"biases", "float32", {2}},
        {"negative_slope", "float32", {2}}}},
      {"BatchNorm",
       "axis=3\nepsilon=0.0\n",
       {{"weights", "float32", {2}}, {"biases", "float32", {2}}}},
      {"Convolution",
       "group=1\nwith_activation=NONE\nscale_value=181\nscale_type=uint8\n"
       "shift_value=10\nshift_type=int8\n",
       {{"weights", "int8", {2, 3, 3, 2}}, {"biases", "int32", {2}}},
       true},
      {"DepthwiseConv",
       "group=2\nmultiplier=1\nwith_activation=NONE\n",
       {{"weights", "int8", {2, 3, 3, 1}},
        {"biases", "int32", {2}},
        {"scale", "uint16", {2}},
        {"shift", "int8", {2}}},
       true},
      {"Convolution",
       "group=1\nwith_activation=PRELU\nscale_value=181\nscale_type=uint8\n"
       "shift_value=10\nshift_type=int8\nnegative_slope_shift=12\n",
       {{"weights", "int16", {2, 3, 3, 2}},
        {"biases", "int32", {2}},
        {"negative_slope", "int16", {2}}},
       true},
  }};
  return all;
}

std::size_t bytesOf(const Constant &c) {
  std::size_t bytes = c.type == "int8"                          ? 1
                      : c.type == "int16" || c.type == "uint16" ? 2
                                                                : 4;
  for (int64_t length : c.shape)
    bytes *= std::size_t(length);
  return bytes;
}

std::size_t bytesOf(const Network &network) {
  std::size_t bytes = 0;
  for (const Constant &c : network.constants)
    bytes += bytesOf(c);
  return bytes;
}

std::string textOf(const Network &network) {
  auto top = [&](const std::string &name) {
    return "layer_top=[" + name + "]\nlayer_top_shape=[[1,4,4,2]]\n" +
           (network.isInteger
                ? "layer_top_type=[int8]\nlayer_top_range=[[-128,127]]\n"
                  "layer_top_scale=[10.0]\nlayer_top_zp=[5]\n"
                : "layer_top_type=[float32]\n");
  };
  std::string text =
      "model_name=net\nlayer_number=2\ninput_tensors=[x]\n"
      "output_tensors=[y]\n\nlayer_id=0\nlayer_name=in\n"
      "layer_type=Input\nlayer_bottom=[]\n"
      "layer_bottom_shape=[]\nlayer_bottom_type=[]\n" +
      top("x") +
      "\nlayer_id=1\nlayer_name=op\nlayer_type=" + std::string(network.type) +
      "\nlayer_bottom=[x]\nlayer_bottom_shape=[[1,4,4,2]]\n"
      "layer_bottom_type=[" +
      (network.isInteger ? "int8" : "float32") + "]\n" + top("y");
  std::size_t offset = 0;
  for (const Constant &c : network.constants) {
    std::string name(c.name), shape;
    for (int64_t length : c.shape)
      shape += (shape.empty() ? "" : ",") + std::to_string(length);
    text += name + "_type=" + std::string(c.type) + "\n" + name +
            "_offset=" + std::to_string(offset) + "\n" + name +
            "_size=" + std::to_string(bytesOf(c)) + "\n" + name + "_shape=[" +
            shape + "]\n";
    offset += bytesOf(c);
  }
  if (network.type != "BatchNorm")
    text += kWindow;
  return text + std::string(network.keys) + "\n";
}

bool isFinite(const Network &network, std::string_view weights) {
  if (network.isInteger)
    return true;
  for (std::size_t i = 0; i + 4 <= weights.size(); i += 4) {
    float value;
    std::memcpy(&value, weights.data() + i, 4);
    if (!std::isfinite(value))
      return false;
  }
  return true;
}

/// Runs the network once; false with a reason if it cannot run.
void evaluate(mlir::ModuleOp module, bool isInteger) {
  DiagnosticEngine diags;
  auto evaluator = compass::Evaluator::create(module, diags);
  require(evaluator || diags.hasErrors(), "a network runs or says why not");
  if (!evaluator)
    return;
  std::vector<char> input(isInteger ? 32 : 128);
  for (std::size_t i = 0; i < 32; ++i) {
    float real = float(i) - 16;
    if (isInteger)
      input[i] = char(8 * i);
    else
      std::memcpy(&input[4 * i], &real, 4);
  }
  std::vector<compass::TensorBytes> outputs;
  evaluator->run({compass::TensorBytesRef(input)}, outputs);
  require(outputs.size() == 1 && outputs[0].size() == input.size(),
          "an output of its size");
}

void quantize(mlir::ModuleOp module) {
  static const std::vector<float> samples = [] {
    std::vector<float> values(64);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = float(i % 11) - 5;
    return values;
  }();
  NpyView view;
  view.type = NpyType::Float32;
  view.shape = {2, 4, 4, 2};
  view.numElements = samples.size();
  view.data = samples.data();
  QuantizerOptions options;
  DiagnosticEngine diags;
  auto calibration = Calibration::run(module, {view}, options, {}, diags);
  mlir::OwningOpRef<mlir::ModuleOp> result;
  if (calibration)
    result = quantizedCopy(module, *calibration, options, diags);
  require(bool(result) == !diags.hasErrors(),
          "an integer network exactly if there is no error", &diags);
  if (result)
    evaluate(*result, true);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  static const fuzz::Folder folder;
  if (size == 0)
    return 0;
  const Network &network = networks()[data[0] % networks().size()];
  std::string weights(reinterpret_cast<const char *>(data) + 1, size - 1);
  weights.resize(bytesOf(network));
  std::string txtPath = folder / "net.txt", binPath = folder / "net.bin";
  fuzz::save(txtPath, textOf(network));
  fuzz::save(binPath, weights);

  DiagnosticEngine diags;
  auto module = compass::readCompassIr(fuzz::nextContext(), txtPath, binPath,
                                       diags, compass::ReadFor::Execution);
  require(bool(module) == !diags.hasErrors(),
          "a module exactly if there is no error", &diags);
  require(isFinite(network, weights) || !module,
          "weights that are not finite are refused");
  require(module || !isFinite(network, weights) || network.isInteger,
          "finite float weights are taken", &diags);
  if (!module)
    return 0;
  ++fuzz::numAccepted;
  evaluate(*module, network.isInteger);
  if (!network.isInteger)
    quantize(*module);
  return 0;
}
