//===- WrittenKeysTest.cpp - Keys that written layers have ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer is read from text and written again: keys that were absent because
// their default holds are there, numbers stay what they were, and layers that
// only Yarrow reads are told of.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "parser/compass/CompassReader.h"
#include "parser/compass/IrDocument.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Ir.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <utility>

using namespace yarrow;
using namespace yarrow::compass;
namespace fs = std::filesystem;

namespace {

const char *const kFloats = "layer_top_shape=[[1,4,4,8]]\n"
                            "layer_top_type=[float32]\n";
const char *const kIntegers = "layer_top_shape=[[1,4,4,8]]\n"
                              "layer_top_type=[int8]\nlayer_top_scale=[2.0]\n"
                              "layer_top_zp=[0]\n";
const char *const kFloatBottom = "layer_bottom_shape=[[1,4,4,8]]\n"
                                 "layer_bottom_type=[float32]\n";
const char *const kIntegerBottom = "layer_bottom_shape=[[1,4,4,8]]\n"
                                   "layer_bottom_type=[int8]\n";

class WrittenKeys : public ::testing::Test {
protected:
  void SetUp() override {
    folder = fs::temp_directory_path() /
             ("yarrow-written-keys-" + std::to_string(getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const char *name) const { return (folder / name).string(); }

  /// Reads \p layer behind an input x, which \p input describes, and writes
  /// the network. Constants are bytes of 1: a table of zeros is refused.
  void write(const std::string &input, const std::string &layer,
             const std::string &header = "",
             const std::string &bottoms = "[x]") {
    std::ofstream(path("net.txt"))
        << "model_name=net\nlayer_number=2\n"
        << header << "input_tensors=[x]\noutput_tensors=[y]\n\n"
        << "layer_id=0\nlayer_name=in\nlayer_type=Input\nlayer_bottom=[]\n"
           "layer_bottom_shape=[]\nlayer_bottom_type=[]\nlayer_top=[x]\n"
        << input << "\nlayer_id=1\nlayer_name=op\nlayer_bottom=" << bottoms
        << "\n"
        << "layer_top=[y]\n"
        << layer << "\n";
    std::ofstream bin(path("net.bin"));
    bin << std::string(4096, '\1');
    bin.close();
    mlir::DialectRegistry registry;
    registerDialects(registry);
    mlir::MLIRContext context(registry);
    context.loadAllAvailableDialects();
    offsetBytes = 0;
    auto module =
        readCompassIr(context, path("net.txt"), path("net.bin"), diags);
    ASSERT_TRUE(module) << diagnosticsText();
    std::string txt = path("out.txt");
    ASSERT_TRUE(writeCompassIr(*module, txt, path("out.bin"), diags));
    auto file = MappedFile::open(txt, diags);
    document = *parseIrText(file->text(), txt, diags);
  }

  /// The keys of a constant of zeros.
  std::string constant(const std::string &name, const std::string &type,
                       const std::string &shape, unsigned sizeBytes) {
    unsigned offset = std::exchange(offsetBytes, offsetBytes + sizeBytes);
    return name + "_type=" + type + "\n" + name +
           "_offset=" + std::to_string(offset) + "\n" + name +
           "_size=" + std::to_string(sizeBytes) + "\n" + name +
           "_shape=" + shape + "\n";
  }

  /// A 3x3 convolution of 8 channels in the form of Winograd's that \p keys
  /// say.
  std::string winogradLayer(const std::string &shape, unsigned weights,
                            const std::string &keys) {
    return std::string("layer_type=Convolution\n") + kIntegerBottom +
           kIntegers + constant("weights", "int8", shape, weights) +
           constant("biases", "int32", "[8]", 32) +
           "num_output=8\npad_left=1\npad_right=1\npad_top=1\npad_bottom=1\n"
           "dilation_x=1\ndilation_y=1\ngroup=1\nscale_value=3\n"
           "scale_type=uint8\nshift_value=8\nshift_type=int8\n"
           "with_activation=NONE\nwith_winograd=true\n" +
           keys;
  }

  /// The text of a key of the second layer; "(absent)" without it.
  std::string key(const char *name) const {
    const IrEntry *entry = document.layers[1].find(name);
    return entry ? entry->value.str() : "(absent)";
  }
  /// What the header says of extensions.
  std::string extensions() const {
    const IrEntry *entry = document.header.find("yarrow_extensions");
    return entry ? entry->value.str() : "(absent)";
  }
  std::string diagnosticsText() const {
    std::ostringstream os;
    diags.print(os);
    return os.str();
  }
  bool isNoted(DiagId id) const {
    for (const Diagnostic &d : diags.all())
      if (d.id == id)
        return true;
    return false;
  }

  fs::path folder;
  unsigned offsetBytes = 0; ///< of the next constant
  DiagnosticEngine diags;
  IrDocument document;
};

} // namespace

TEST_F(WrittenKeys, AnIntegerLayerHasDefaultsOfFloatLayers) {
  write(kIntegers,
        std::string("layer_type=LayerNorm\n") + kIntegerBottom + kIntegers +
            constant("weights", "int8", "[8]", 8) +
            constant("biases", "int32", "[8]", 32) +
            constant("lut", "int16", "[193]", 386) +
            "axis=[3]\nnorm_shift_value=1\nvar_shift_value=1\nscale_value=3\n"
            "shift_value=8\n");
  EXPECT_EQ(key("epsilon"), "1e-05");
}

TEST_F(WrittenKeys, IntegerKeysAreNotInFloatLayers) {
  write(kFloats,
        std::string("layer_type=Softmax\naxis=-1\n") + kFloatBottom + kFloats);
  EXPECT_EQ(key("axis"), "-1");
  EXPECT_EQ(key("quantize_method"), "(absent)");
  write(kIntegers, std::string("layer_type=Softmax\n") + kIntegerBottom +
                       kIntegers + constant("lut", "uint32", "[256]", 1024) +
                       "axis=-1\nscale_value=3\nshift_value=8\n");
  EXPECT_EQ(key("quantize_method"), "LUT");
}

TEST_F(WrittenKeys, TensorsReportWhatHasNoDefault) {
  write(kFloats, std::string("layer_type=Convolution\n") + kFloatBottom +
                     kFloats +
                     constant("weights", "float32", "[8,1,1,8]", 256) +
                     constant("biases", "float32", "[8]", 32));
  EXPECT_EQ(key("num_output"), "8");
  EXPECT_EQ(key("kernel_x"), "1");
  EXPECT_EQ(key("kernel_y"), "1");
  EXPECT_EQ(key("group"), "1");
  EXPECT_EQ(key("with_winograd"), "(absent)");
  write(kFloats, std::string("layer_type=Cast\n") + kFloatBottom +
                     "layer_top_shape=[[1,4,4,8]]\nlayer_top_type=[float16]\n");
  EXPECT_EQ(key("to_dtype"), "float16");
  write(kFloats, std::string("layer_type=Pad\nmode=CONSTANT\n"
                             "pads=[[0,0],[1,1],[0,0],[0,0]]\n") +
                     kFloatBottom +
                     "layer_top_shape=[[1,6,4,8]]\nlayer_top_type=[float32]\n");
  EXPECT_EQ(key("constant_value"), "0.0");
}

TEST_F(WrittenKeys, KeysOfOneMethodAreNotInOthers) {
  std::string layer = std::string("layer_type=Pooling\nkernel_x=1\nkernel_y=1\n"
                                  "stride_x=1\nstride_y=1\n") +
                      kFloatBottom + kFloats;
  write(kFloats, layer + "method=AVG\n");
  EXPECT_EQ(key("count_include_pad"), "false");
  write(kFloats, layer + "method=MAX\n");
  EXPECT_EQ(key("count_include_pad"), "(absent)");
  // What stands there stays, whatever the method.
  write(kFloats, layer + "method=MAX\ncount_include_pad=false\n");
  EXPECT_EQ(key("count_include_pad"), "false");
}

TEST_F(WrittenKeys, NumbersInListsStayIntegersAndDecimals) {
  write("layer_top_shape=[[1,4]]\nlayer_top_type=[int32]\n",
        "layer_type=OneHot\nlayer_bottom_shape=[[1,4]]\n"
        "layer_bottom_type=[int32]\nlayer_top_shape=[[1,4,3]]\n"
        "layer_top_type=[float32]\naxis=-1\ndepth=3\nvalues=[0,1.5]\n");
  EXPECT_EQ(key("values"), "[0,1.5]");
}

TEST_F(WrittenKeys, AlignedTypesStay) {
  auto tensor = [](const char *type, const char *range) {
    return std::string("layer_top_shape=[[1,4,4,8]]\nlayer_top_type=[") + type +
           "]\nlayer_top_range=[[" + range +
           "]]\nlayer_top_scale=[2.0]\nlayer_top_zp=[0]\n";
  };
  write(tensor("aligned_uint12", "0,4095"),
        "layer_type=Convolution\nlayer_bottom_shape=[[1,4,4,8]]\n"
        "layer_bottom_type=[uint12]\n" + // a synonym
            tensor("aligned_int4", "-7,7") +
            constant("weights", "int4", "[8,1,1,8]", 64) +
            constant("biases", "int32", "[8]", 32) +
            "num_output=8\nkernel_x=1\nkernel_y=1\nstride_x=1\nstride_y=1\n"
            "pad_left=0\npad_right=0\npad_top=0\npad_bottom=0\ndilation_x=1\n"
            "dilation_y=1\ngroup=1\nscale_value=3\nscale_type=uint8\n"
            "shift_value=8\nshift_type=int8\nwith_activation=NONE\n");
  EXPECT_EQ(key("layer_bottom_type"), "[aligned_uint12]");
  EXPECT_EQ(key("layer_top_type"), "[aligned_int4]");
  EXPECT_EQ(key("layer_top_range"), "[[-7,7]]");
  EXPECT_EQ(key("weights_type"), "aligned_int4");
  EXPECT_EQ(key("weights_size"), "64");
}

TEST_F(WrittenKeys, OurFormsAreMarkedAndNoted) {
  write(kIntegers, winogradLayer("[8,4,4,8]", 1024,
                                 "Fmnrs=[2,2,3,3]\nkernel_x=4\nkernel_y=4\n"
                                 "stride_x=2\nstride_y=2\n"));
  EXPECT_EQ(extensions(), "[winograd_forms]");
  EXPECT_TRUE(isNoted(diag::IrOwnForm));
}

TEST_F(WrittenKeys, WideRequantizationIsMarkedAndKept) {
  // Bytes of 1 are multipliers of 0x01010101 and shifts of 1.
  write(kIntegers, std::string("layer_type=Convolution\n") + kIntegerBottom +
                       kIntegers +
                       constant("weights", "int8", "[8,1,1,8]", 64) +
                       constant("biases", "int32", "[8]", 32) +
                       constant("scale", "int32", "[8]", 32) +
                       constant("shift", "int8", "[8]", 8) +
                       "num_output=8\nrequant_rounding=HALF_UP\n");
  EXPECT_EQ(key("scale_type"), "int32");
  EXPECT_EQ(key("requant_rounding"), "HALF_UP");
  EXPECT_EQ(extensions(), "[wide_requantization,requantization_rounding]");
  EXPECT_TRUE(isNoted(diag::IrOwnForm)) << diagnosticsText();
}

TEST_F(WrittenKeys, OperandsThatAreRequantizedApartAreMarked) {
  write(kIntegers,
        "layer_type=Add\n"
        "layer_bottom_shape=[[1,4,4,8],[1,4,4,8]]\n"
        "layer_bottom_type=[int8,int8]\n" +
            std::string(kIntegers) +
            "scale_value=[3,4,5]\nshift_value=[6,7,8]\n"
            "operand_left_shift=20\n",
        "", "[x,x]");
  EXPECT_EQ(key("shift_value"), "[6,7,8]");
  EXPECT_EQ(key("operand_left_shift"), "20");
  EXPECT_EQ(extensions(), "[operand_requantization]");
}

TEST_F(WrittenKeys, MeansByDivisionAreMarked) {
  std::string pool = std::string("layer_type=Pooling\n") + kIntegerBottom +
                     "layer_top_shape=[[1,2,2,8]]\nlayer_top_type=[int8]\n"
                     "layer_top_scale=[2.0]\nlayer_top_zp=[0]\n"
                     "method=AVG\nkernel_x=2\nkernel_y=2\nstride_x=2\n"
                     "stride_y=2\naverage_rounding=";
  write(kIntegers, pool + "HALF_AWAY\n");
  EXPECT_EQ(key("average_rounding"), "HALF_AWAY");
  EXPECT_EQ(extensions(), "[average_rounding]");
}

TEST_F(WrittenKeys, LayersOfNnapiAreMarked) {
  write("layer_top_shape=[[4,2]]\nlayer_top_type=[float32]\n",
        "layer_type=LshProjection\nlayer_bottom_shape=[[4,2],[4,2]]\n"
        "layer_bottom_type=[float32,float32]\nlayer_top_shape=[[8]]\n"
        "layer_top_type=[int32]\nmethod=DENSE\n",
        "", "[x,x]");
  EXPECT_EQ(key("layer_type"), "LshProjection");
  EXPECT_EQ(extensions(), "[nnapi_layers]");
  EXPECT_TRUE(isNoted(diag::IrOwnForm));
}

TEST_F(WrittenKeys, RoundingToEvenIsNoExtension) {
  write(kIntegers, std::string("layer_type=Cast\n") + kIntegerBottom +
                       kIntegers +
                       "scale_value=3\nshift_value=1\n"
                       "requant_rounding=HALF_EVEN\n");
  EXPECT_EQ(extensions(), "(absent)");
  EXPECT_FALSE(isNoted(diag::IrOwnForm));
}

TEST_F(WrittenKeys, TheReferencesFormIsNotMarked) {
  // What an earlier file said of other layers is dropped.
  write(kIntegers,
        winogradLayer("[8,3,4,8]", 768,
                      "Fmnrs=[2,3]\nkernel_x=4\nkernel_y=3\nstride_x=2\n"
                      "stride_y=1\n"),
        "yarrow_extensions=[winograd_forms]\n");
  EXPECT_EQ(extensions(), "(absent)");
  EXPECT_FALSE(isNoted(diag::IrOwnForm));
}
