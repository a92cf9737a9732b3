//===- ExportTest.cpp - From layers to QNN graphs -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/CompassReader.h"
#include "parser/qnn/export/QnnExport.h"
#include "parser/qnn/export/Steps.h"
#include "support/diagnostics/Import.h"
#include "test/ImportedModule.h"
#include "test/TemporaryFile.h"
#include <cmath>
#include <fstream>
#include <gmock/gmock.h>

using namespace yarrow;
using ::testing::ElementsAre;

namespace {

constexpr const char *kRelu = "method=RELU\nscale_value=1\nscale_type=uint8\n"
                              "shift_value=0\nshift_type=int8\n";

/// A tensor of integer IR of four values.
struct Stored {
  const char *name;
  double scale = 1;
  int zp = 0;
};

/// Integer IR of layers without weights, as text.
class Network : public test::ImportedModule {
public:
  Network &layer(const std::string &type, const std::string &name,
                 std::vector<Stored> inputs, Stored output,
                 const std::string &keys = "") {
    std::string list, shapes, types;
    for (const Stored &input : inputs) {
      const char *comma = list.empty() ? "" : ",";
      list += comma + std::string(input.name);
      shapes += comma + std::string("[1,4]");
      types += comma + std::string("uint8");
    }
    text += "\nlayer_id=" + std::to_string(numLayers++) +
            "\nlayer_name=" + name + "\nlayer_type=" + type +
            "\nlayer_bottom=[" + list + "]\nlayer_bottom_shape=[" + shapes +
            "]\nlayer_bottom_type=[" + types + "]\nlayer_top=[" + output.name +
            "]\nlayer_top_shape=[[1,4]]\nlayer_top_type=[uint8]"
            "\nlayer_top_scale=[" +
            std::to_string(output.scale) + "]\nlayer_top_zp=[" +
            std::to_string(output.zp) + "]\n" + keys;
    return *this;
  }

  /// nullopt after errors.
  std::optional<qnn::QnnModel> exported(const std::string &inputs,
                                        const std::string &outputs) {
    yarrow::testing::TemporaryFile file;
    std::ofstream(file.path())
        << "model_name=net\nprecision=int\nlayer_number=" << numLayers
        << "\ninput_tensors=[" << inputs << "]\noutput_tensors=[" << outputs
        << "]\n"
        << text;
    module = compass::readCompassIr(context, file.path(), "", diags);
    return module ? qnn::qnnModelOf(*module, summary, diags) : std::nullopt;
  }

  qnn::ExportSummary summary;

private:
  std::string text;
  int numLayers = 0;
};

std::vector<std::string> typesOf(const qnn::QnnModel &model) {
  std::vector<std::string> types;
  for (const qnn::QnnNode &node : model.nodes)
    types.push_back(node.type);
  return types;
}

float scaleOf(const qnn::QnnModel &model, const char *tensor) {
  return model.find(tensor)->encoding.scales[0];
}

TEST(QnnExport, GivesWeightsTheStepsOfMultipliers) {
  // 103 / 2^14 is a float32.
  double multiplier = std::ldexp(103, -14);
  for (float in : {1.0f, 0.25f, 0.0078431377f})
    for (float out : {1.0f, 0.5f}) {
      float step = qnn::weightStep(multiplier, in, out);
      EXPECT_NEAR(double(in * step / out) / multiplier, 1, 0x1p-23);
    }
  EXPECT_EQ(0.25f * qnn::weightStep(multiplier, 0.25f, 0.5f) / 0.5f,
            float(multiplier));
  // What the layer says of them itself, unless it is farther from that.
  float near = std::nextafter(float(0.1), 1.0f);
  EXPECT_EQ(qnn::weightStep(double(near), 1, 1, near), near);
  EXPECT_EQ(qnn::weightStep(0.1, 1, 1, 0.11f), 0.1f);
}

TEST(QnnExport, TakesStepsFromTheMultipliersOfSums) {
  Network net;
  Stored a{"a", 40, 3}, b{"b", 30}, y{"y", 24};
  net.layer("Input", "a", {}, a)
      .layer("Input", "b", {}, b)
      .layer("Eltwise", "sum", {a, b}, y,
             "method=ADD\nwith_activation=NONE\n"
             "scale_value=[154,16384,21700]\nscale_type=uint16\n"
             "shift_value=22\nshift_type=int8\n");
  auto model = net.exported("a,b", "y");
  ASSERT_TRUE(model) << net.diags.all().front().str();
  EXPECT_EQ(scaleOf(*model, "a"), 1.0f / 40);
  EXPECT_EQ(model->find("a")->encoding.offsets[0], 3);
  double y0 = double(scaleOf(*model, "y"));
  EXPECT_NEAR(double(scaleOf(*model, "a")) / y0 * std::ldexp(1, 22),
              154.0 * 16384, 0.5);
  EXPECT_NEAR(double(scaleOf(*model, "b")) / y0 * std::ldexp(1, 22),
              154.0 * 21700, 0.5);
  EXPECT_EQ(model->find("a")->kind, qnn::TensorKind::Input);
  EXPECT_EQ(model->find("y")->kind, qnn::TensorKind::Output);
  EXPECT_EQ(net.summary.otherMultipliers, 0u);
}

TEST(QnnExport, KeepsStepsThatGiveTheSameSums) {
  Network net;
  Stored a{"a", 4}, b{"b", 2}, y{"y", 1};
  net.layer("Input", "a", {}, a)
      .layer("Input", "b", {}, b)
      .layer("Eltwise", "sum", {a, b}, y,
             "method=ADD\nwith_activation=RELU\n"
             "scale_value=[1,1,2]\nscale_type=uint16\n"
             "shift_value=2\nshift_type=int8\n");
  auto model = net.exported("a,b", "y");
  ASSERT_TRUE(model) << net.diags.all().front().str();
  EXPECT_EQ(scaleOf(*model, "b"), 0.5f);
  EXPECT_EQ(scaleOf(*model, "y"), 1.0f);
  // What the clamp reads has the encoding of what it writes.
  EXPECT_THAT(typesOf(*model), ElementsAre("ElementWiseAdd", "Relu"));
  EXPECT_EQ(scaleOf(*model, model->nodes[1].inputs[0].c_str()), 1.0f);
}

TEST(QnnExport, CarriesZeroPointsBeyondTheTypeIn16Bits) {
  Network net;
  Stored x{"x", 4}, y{"y", 4, 22};
  net.layer("Input", "x", {}, x).layer("Activation", "relu", {x}, y, kRelu);
  auto model = net.exported("x", "y");
  ASSERT_TRUE(model) << net.diags.all().front().str();
  EXPECT_EQ(model->find("x")->type, qnn::DataType::UFIXED_POINT_8);
  EXPECT_EQ(model->find("y")->type, qnn::DataType::SFIXED_POINT_16);
  EXPECT_EQ(model->find("y")->encoding.offsets[0], 22);
  // 8 bits have the integers from 0 to 255.
  EXPECT_THAT(typesOf(*model), ElementsAre("Relu", "ReluMinMax"));
}

TEST(QnnExport, MakesNamesIdentifiersOnce) {
  Network net;
  Stored x{"x", 2}, a{"/relu", 2}, b{"_relu", 2}, c{"3", 2};
  net.layer("Input", "x", {}, x)
      .layer("Activation", "/a", {x}, a, kRelu)
      .layer("Activation", "_a", {a}, b, kRelu)
      .layer("Activation", "9", {b}, c, kRelu);
  auto model = net.exported("x", "3");
  ASSERT_TRUE(model) << net.diags.all().front().str();
  std::vector<std::string> tensors, nodes;
  for (const qnn::QnnTensor &tensor : model->tensors)
    tensors.push_back(tensor.name);
  for (const qnn::QnnNode &node : model->nodes)
    nodes.push_back(node.name);
  EXPECT_THAT(tensors, ElementsAre("x", "_relu", "_relu_1", "_3"));
  EXPECT_THAT(nodes, ElementsAre("_a", "_a_1", "_9"));
  EXPECT_EQ(net.summary.names["_relu_1"], "_relu");
}

TEST(QnnExport, ReportsAllLayersThatItHasNoFormFor) {
  Network net;
  Stored x{"x", 2}, a{"a", 2}, b{"b", 2}, c{"c", 2};
  const char *ring = "mode=WRAP\npads=[[0,0],[0,0]]\n";
  net.layer("Input", "x", {}, x)
      .layer("Pad", "first", {x}, a, ring)
      .layer("Activation", "relu", {a}, b, kRelu)
      .layer("Pad", "second", {b}, c, ring);
  EXPECT_FALSE(net.exported("x", "c"));
  std::vector<std::string> layers;
  for (const Diagnostic &d : net.diags.all()) {
    EXPECT_EQ(d.id, diag::QnnExport) << d.str();
    layers.push_back(d.place.layer);
  }
  EXPECT_THAT(layers, ElementsAre("first", "second"));
}

} // namespace
