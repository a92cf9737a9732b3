//===- IrRoundTripTest.cpp - Reading and writing real files ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every IR file of the reference packs and of the examples must be written
// back byte for byte, and every constant of it must lie in its weights file.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/IrConstant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace yarrow;
using namespace yarrow::compass;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> irFilesBelow(const fs::path &folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder))
    return files;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".txt")
      continue;
    std::ifstream stream(entry.path());
    std::string firstLine;
    std::getline(stream, firstLine);
    if (firstLine.starts_with("model_name="))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string readFile(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// True if the file is written back as it is; adds its constants to the count.
void checkFile(const fs::path &path, std::size_t &numConstants) {
  std::string text = readFile(path);
  DiagnosticEngine diags;
  std::optional<IrDocument> document =
      parseIrText(text, path.filename().string(), diags);
  ASSERT_TRUE(document) << path << ": " << diags.all().front().str();
  EXPECT_EQ(irText(*document), text) << path;
  EXPECT_FALSE(document->layers.empty()) << path;
  fs::path bin = fs::path(path).replace_extension(".bin");
  if (!fs::exists(bin))
    return;
  for (const IrSection &layer : document->layers)
    numConstants +=
        collectConstants(layer, fs::file_size(bin), path.string(), diags)
            .size();
  for (const Diagnostic &diag : diags.all())
    ADD_FAILURE() << diag.str();
}

void checkFolder(const fs::path &folder) {
  std::vector<fs::path> files = irFilesBelow(folder);
  if (files.empty())
    GTEST_SKIP() << "no reference packs";
  std::size_t numConstants = 0;
  for (const fs::path &path : files)
    checkFile(path, numConstants);
  std::cout << files.size() << " files, " << numConstants << " constants\n";
}

} // namespace

TEST(IrRoundTrip, ReferencePacks) { checkFolder(YARROW_PACKS_DIR); }

TEST(IrRoundTrip, Examples) {
  checkFolder(fs::path(YARROW_SOURCE_DIR) / "examples");
}

TEST(IrRoundTrip, IsFast) {
  // As many lines as a ResNet-152 of the Optimizer has.
  std::string layer = "layer_name=model/conv2d/BiasAdd/ReadVariableOp\n"
                      "layer_top_shape=[[1,56,56,256]]\n"
                      "layer_top_scale=[53.595027923583984]\n";
  for (int i = 0; i != 35; ++i)
    layer += "some_parameter_" + std::to_string(i) + "=[1,2,3,4]\n";
  std::string text = "model_name=net\n";
  for (int i = 0; i != 500; ++i)
    text += "\nlayer_id=" + std::to_string(i) + "\n" + layer;
  auto begin = std::chrono::steady_clock::now();
  DiagnosticEngine diags;
  std::optional<IrDocument> document = parseIrText(text, "net.txt", diags);
  double ms = std::chrono::duration<double, std::milli>(
                  std::chrono::steady_clock::now() - begin)
                  .count();
  ASSERT_TRUE(document);
  EXPECT_EQ(irText(*document), text);
  std::cout << text.size() << " bytes in " << ms << " ms\n";
  // Typically 10 ms; the bound only catches a wrong order of growth.
  EXPECT_LT(ms, 2000);
}
