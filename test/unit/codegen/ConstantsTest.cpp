//===- ConstantsTest.cpp - Constants that programs share ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "codegen/Constants.h"
#include "dialects/npu/Npu.h"
#include "isa/ElfLayout.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::npu;

namespace {

/// Programs with a buffer in the region of constants for each letter, which it
/// begins with, one after the other.
class Programs {
public:
  explicit Programs(const std::vector<std::string> &lettersOfEach) {
    mlir::DialectRegistry registry;
    registry.insert<mlir::func::FuncDialect, NpuDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string text;
    for (const std::string &letters : lettersOfEach) {
      text += "func.func @p" + std::to_string(text.size()) + "() {\n";
      for (std::size_t i = 0; i < letters.size(); ++i)
        text += "  %b" + std::to_string(i) + " = npu.buffer {address = " +
                std::to_string(i * isa::kBufferAlignBytes) +
                " : i64, region = " + std::to_string(isa::kWeightRegion) +
                " : i64, size_bytes = 4 : i64, data = dense<[" +
                std::to_string(int(letters[i])) +
                ", 1, 2, 3]> : tensor<4xi8>}\n";
      text += "  return\n}\n";
    }
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    functions = llvm::to_vector(module->getOps<mlir::func::FuncOp>());
  }
  /// What lies at the addresses of a program's buffers.
  std::string readBack(std::size_t program) {
    std::string all, found;
    for (std::span<const std::byte> part : constantsOf(functions))
      all.append(reinterpret_cast<const char *>(part.data()), part.size());
    for (auto buffer : functions[program].getOps<BufferOp>())
      found += all.substr(buffer.getAddress().value_or(0)).substr(0, 1);
    return found;
  }
  std::vector<uint64_t> places(std::size_t program) {
    std::vector<uint64_t> found;
    for (auto buffer : functions[program].getOps<BufferOp>())
      found.push_back(uint64_t(buffer.getAddress().value_or(0)) /
                      isa::kBufferAlignBytes);
    return found;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallVector<mlir::func::FuncOp> functions;
};

} // namespace

TEST(Constants, EqualBytesHaveOneAddressInWhateverOrder) {
  Programs programs({"abc", "cad", "dc"});
  shareConstants(programs.functions);
  EXPECT_THAT(programs.places(0), ::testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(programs.places(1), ::testing::ElementsAre(2, 0, 3));
  EXPECT_THAT(programs.places(2), ::testing::ElementsAre(3, 2));
  EXPECT_EQ(programs.readBack(0), "abc");
  EXPECT_EQ(programs.readBack(1), "cad");
  EXPECT_EQ(programs.readBack(2), "dc");
}

TEST(Constants, OneProgramKeepsItsAddresses) {
  Programs programs({"aba"});
  shareConstants(programs.functions);
  EXPECT_THAT(programs.places(0), ::testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(programs.readBack(0), "aba");
}
