//===- FileKindTest.cpp - What a file is, by its first bytes --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/FileKind.h"
#include "support/diagnostics/Ir.h"

#include <gmock/gmock.h>

using namespace yarrow;
using ::testing::HasSubstr;

namespace {

FileKind kindOf(std::string_view text) {
  return fileKindOf(std::as_bytes(std::span(text)));
}

std::string problemOf(std::string_view text, FileKind expected) {
  DiagnosticEngine diags;
  bool ok = isKind(expected, std::as_bytes(std::span(text)), "f",
                   diag::IrSyntax, diags);
  EXPECT_EQ(ok, diags.all().empty());
  return diags.all().empty() ? "" : diags.all().front().str();
}

using namespace std::string_view_literals;
constexpr std::string_view ir = "model_name=a\nlayer_number=3\n\nlayer_id=0\n";
constexpr std::string_view npz =
    "PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00\x21\x00\x00\x00\x00\x00"
    "\xff\xff\xff\xff\xff\xff\xff\xff\x05\x00\x14\x00x.npy"sv;
constexpr std::string_view onnx = "\x08\x08\x12\x07pytorch\x1a\x03"
                                  "2.0:\x00"sv;

} // namespace

TEST(FileKind, IsKnownByItsFirstBytes) {
  EXPECT_EQ(kindOf(""), FileKind::Empty);
  EXPECT_EQ(kindOf(ir), FileKind::CompassIr);
  EXPECT_EQ(kindOf("# mine\n[Common]\nmode = run\n"), FileKind::Configuration);
  EXPECT_EQ(kindOf(" { \"name\": 1 }"), FileKind::Json);
  EXPECT_EQ(kindOf("any words"), FileKind::Text);
  EXPECT_EQ(kindOf("\x93NUMPY\x01\x00"sv), FileKind::Npy);
  EXPECT_EQ(kindOf(npz), FileKind::Npz);
  EXPECT_EQ(kindOf("PK\x03\x04"), FileKind::Archive);
  EXPECT_EQ(kindOf("\x7f"
                   "ELF\x01\x01"),
            FileKind::Elf);
  EXPECT_EQ(kindOf(onnx), FileKind::Onnx);
  EXPECT_EQ(kindOf("\x1c\x00\x00\x00TFL3\x14\x00"sv), FileKind::Tflite);
  EXPECT_EQ(kindOf("\x89PNG\r\n\x1a\n"), FileKind::Image);
  EXPECT_EQ(kindOf("\xff\xfel\x00"sv), FileKind::Utf16);
  EXPECT_EQ(kindOf("\x00\x01\x80\xf3\x00\x07"sv), FileKind::Binary);
}

TEST(FileKind, ReportsFormsOfQnnModelsApart) {
  EXPECT_EQ(kindOf("{\"model.cpp\": \"N/A\", \"op_types\": ["),
            FileKind::QnnGraph);
  EXPECT_EQ(kindOf("{\n \"graph\": {\n  \"tensors\": {}"), FileKind::QnnGraph);
  EXPECT_EQ(kindOf("{\"graph\": [1, 2]}"), FileKind::Json);
  auto member = [](std::string name) {
    std::string header = "PK\x03\x04" + std::string(26, '\0') + name;
    header[26] = char(name.size());
    return header;
  };
  EXPECT_EQ(kindOf(member("model.params")), FileKind::QnnContainer);
  EXPECT_EQ(kindOf(member("record.csv") + member("model")),
            FileKind::QnnContainer);
  EXPECT_EQ(kindOf(member("models")), FileKind::Archive);
  EXPECT_EQ(kindOf("\xd5\x0a\x04\x00\x00\x00\x00\x00NETD"sv),
            FileKind::QnnContainer);
  EXPECT_EQ(kindOf("\0\0\0\2\0\0\0\3\0\0\0\0\0\0\0\1code"sv),
            FileKind::QnnContext);
  std::string tar = "weights.raw";
  tar.resize(512);
  tar.replace(257, 5, "ustar");
  EXPECT_EQ(kindOf(tar), FileKind::Tar);
}

TEST(FileKind, KnowsModelLibrariesByWhatTheyExport) {
  // A header, one section of loaded strings, and these.
  auto library = [](std::string_view name) {
    std::string elf = "\x7f"
                      "ELF\x02\x01";
    elf.resize(128);
    elf[40] = 64; // sections
    elf[58] = 64; // bytes of each
    elf[60] = 1;
    elf[64 + 4] = 3; // strings
    elf[64 + 8] = 2; // loaded
    elf[64 + 24] = char(128);
    elf[64 + 32] = char(name.size());
    return elf + std::string(name);
  };
  EXPECT_EQ(kindOf(library("QnnModel_composeGraphs")), FileKind::QnnLibrary);
  EXPECT_EQ(kindOf(library("main")), FileKind::Elf);
}

TEST(FileKind, SaysWhatToExportOfQnn) {
  EXPECT_THAT(
      problemOf("\xd5\x0a\x03\x00\x00\x00\x00\x00NETD"sv, FileKind::QnnGraph),
      AllOf(HasSubstr("(.dlc), not a QNN graph"),
            HasSubstr("qnn-onnx-converter")));
  EXPECT_EQ(problemOf("{\"a\": 1}", FileKind::QnnGraph), "");
}

TEST(FileKind, TextMayHaveAFewWrongCharacters) {
  std::string text(ir);
  text += '\0';
  text += "name=\xc3\xa9\xe2\x82\xac\xff\n";
  EXPECT_EQ(kindOf(text), FileKind::CompassIr);
}

TEST(FileKind, SaysWhatAFileIsAndWhereItBelongs) {
  EXPECT_THAT(problemOf(onnx, FileKind::CompassIr),
              AllOf(HasSubstr("this is an ONNX model, not the text of a"),
                    HasSubstr("yarrow import")));
  EXPECT_THAT(problemOf(npz, FileKind::Npy), HasSubstr("numpy.load"));
  EXPECT_THAT(problemOf(ir, FileKind::Elf), HasSubstr("yarrow compile f"));
  EXPECT_THAT(problemOf(ir, FileKind::Configuration), HasSubstr("graph = f"));
  EXPECT_THAT(problemOf("\x7f"
                        "ELF",
                        FileKind::CompassIr),
              HasSubstr("`yarrow run`"));
  EXPECT_THAT(problemOf("\x00\x01\x80\xf3"sv, FileKind::CompassIr),
              HasSubstr("the weights with -w"));
  EXPECT_THAT(problemOf(ir, FileKind::Binary),
              HasSubstr("the weights file with -w"));
}

TEST(FileKind, LeavesDamagedFilesToTheirReaders) {
  EXPECT_EQ(problemOf("\x93NUMPX", FileKind::Npy), "");
  EXPECT_EQ(problemOf("", FileKind::CompassIr), "");
  EXPECT_EQ(problemOf("layers", FileKind::CompassIr), "");
  EXPECT_EQ(problemOf("\x7f"
                      "ELG",
                      FileKind::Elf),
            "");
  // Weights may begin with anything.
  EXPECT_EQ(problemOf(onnx, FileKind::Binary), "");
}
