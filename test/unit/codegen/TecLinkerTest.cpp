//===- TecLinkerTest.cpp - What may and may not be linked -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/TecLinker.h"
#include "codegen/TecMain.h"
#include "codegen/TecTarget.h"
#include "kernels/TecLibrary.h"
#include "test/unit/codegen/KernelCases.h"

#include "support/diagnostics/Compiler.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include <gmock/gmock.h>
#include <thread>

using namespace yarrow;
using namespace yarrow::testing;
using ::testing::HasSubstr;

/// An object from LLVM IR that defines _start.
static std::vector<char> assemble(const std::string &source) {
  llvm::LLVMContext context;
  TecTarget target(TecTarget::Effort::Quick);
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> parsed =
      llvm::parseAssemblyString(source, error, context);
  EXPECT_TRUE(parsed) << error.getMessage().str();
  std::unique_ptr<llvm::Module> empty = target.createModule("test", context);
  parsed->setTargetTriple(empty->getTargetTriple());
  parsed->setDataLayout(empty->getDataLayout());
  parsed->addModuleFlag(llvm::Module::Error, "target-abi",
                        llvm::MDString::get(context, "ilp32d"));
  return target.compile(*parsed);
}

static void expectRefused(const std::string &source, const char *text) {
  DiagnosticEngine diags;
  std::vector<char> object = assemble(source);
  std::vector<std::span<const char>> objects = {object};
  EXPECT_FALSE(linkTec(objects, diags));
  ASSERT_GE(diags.numErrors(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::CodegenFailed);
  EXPECT_THAT(diags.all()[0].str(), HasSubstr(text));
}

TEST(TecLinker, SameBytesAtEveryBase) {
  TecProgramInput input{.steps = kernelCases(), .regionCount = 3, .tecs = 4};
  input.groups = {{.programs = {{{.numSteps = input.steps.size()}}}}};
  std::vector<TecCallee> callees;
  for (const TecStep &step : input.steps)
    callees.push_back({step.symbol});
  std::vector<char> main = compileTecMain(input, callees);
  std::span<const uint8_t> library = kernels::tecLibraryObject();
  std::vector<std::span<const char>> objects = {
      main, {reinterpret_cast<const char *>(library.data()), library.size()}};
  DiagnosticEngine diags;
  auto low = linkTec(objects, diags, 0);
  auto high = linkTec(objects, diags, 0x7A5C1000);
  ASSERT_TRUE(low && high);
  EXPECT_TRUE(low->image == high->image);
  EXPECT_EQ(low->functions.at("_start").offset, 64u);
  EXPECT_EQ(high->functions.at("_start").offset, 64u);
}

TEST(TecLinker, NamesUndefinedSymbols) {
  expectRefused("declare void @malloc(i32)\n"
                "declare void @free()\n"
                "define dso_local void @_start() section \".text.entry\" {\n"
                "  call void @malloc(i32 4)\n"
                "  call void @malloc(i32 8)\n"
                "  call void @free()\n"
                "  ret void\n"
                "}\n",
                "undefined functions: free, malloc");
}

TEST(TecLinker, RefusesWritableData) {
  expectRefused("@counter = dso_local global i32 7\n"
                "define dso_local i32 @_start() section \".text.entry\" {\n"
                "  %x = load i32, ptr @counter\n"
                "  ret i32 %x\n"
                "}\n",
                "4 bytes of writable data");
}

TEST(TecLinker, RefusesAbsoluteAddresses) {
  expectRefused("define dso_local i32 @_start() section \".text.entry\" {\n"
                "  %x = call i32 asm \"lui $0, %hi(_start)\", \"=r\"()\n"
                "  ret i32 %x\n"
                "}\n",
                "R_RISCV_HI20");
}

TEST(TecLinker, RefusesWhatIsNoObject) {
  DiagnosticEngine diags;
  std::string noObject = "hello";
  std::vector<std::span<const char>> objects = {noObject};
  EXPECT_FALSE(linkTec(objects, diags));
  EXPECT_THAT(diags.all()[0].str(), HasSubstr("does not link"));
}

TEST(TecLinker, ManyThreads) {
  std::vector<char> object =
      assemble("define dso_local void @_start() section \".text.entry\" {\n"
               "  ret void\n"
               "}\n");
  std::vector<std::span<const char>> objects = {object};
  std::vector<std::thread> threads;
  std::array<bool, 4> isLinked = {};
  for (bool &result : isLinked)
    threads.emplace_back([&objects, &result] {
      DiagnosticEngine diags;
      for (int i = 0; i < 5; ++i)
        result = linkTec(objects, diags).has_value();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(isLinked, ::testing::Each(true));
}
