//===- EditExecutable.cpp - One fault in an executable --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For scripts that plant faults and look whether they are found: changes one
// thing of an executable and gives it checksums that fit.
//
//   edit_executable in.bin out.bin descriptor OFFSET FIELD NUMBER
//   edit_executable in.bin out.bin constant OFFSET NUMBER    (added to the
//   byte) edit_executable in.bin out.bin text OFFSET WORD          (of .text)
//
//===----------------------------------------------------------------------===//
#include "isa/Descriptors.h"
#include "runtime/Executable.h"
#include "test/Seal.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

using namespace yarrow;

static bool editDescriptor(char *bytes, size_t sizeBytes,
                           std::string_view field, int64_t value) {
  std::vector<uint32_t> words(sizeBytes / 4);
  std::memcpy(words.data(), bytes, words.size() * 4);
  auto descriptor = isa::decode(words);
  if (!descriptor)
    return false;
  bool isFound = false;
  std::vector<uint32_t> edited;
  std::visit(
      [&](auto &d) {
        if (field.starts_with("wait")) {
          d.waits[size_t(field.back() - '0')] = uint32_t(value);
          isFound = true;
        }
        d.forEachMember([&](std::string_view name, auto &member) {
          if (name != field)
            return;
          member = static_cast<std::decay_t<decltype(member)>>(value);
          isFound = true;
        });
        d.encode(edited);
      },
      *descriptor);
  if (!isFound || edited.size() != isa::descriptorWords(words[0]))
    return false;
  std::memcpy(bytes, edited.data(), edited.size() * 4);
  return true;
}

/// The same bytes once more, in the ELF of the TECs.
static bool editText(std::string &file, std::string_view text,
                     std::string_view elf, size_t offset, uint32_t word) {
  constexpr size_t kAround = 16;
  if (offset < kAround || offset + kAround > text.size())
    return false;
  std::string_view around = text.substr(offset - kAround, 2 * kAround);
  size_t twin = elf.find(around);
  if (twin == std::string_view::npos)
    return false;
  size_t first = size_t(text.data() - file.data()) + offset,
         second = size_t(elf.data() - file.data()) + twin + kAround;
  std::memcpy(&file[first], &word, sizeof word);
  std::memcpy(&file[second], &word, sizeof word);
  return true;
}

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 5) {
    std::fprintf(stderr, "see the head of test/EditExecutable.cpp\n");
    return 2;
  }
  std::ifstream from(words[0], std::ios::binary);
  std::string file{std::istreambuf_iterator<char>(from),
                   std::istreambuf_iterator<char>()};
  DiagnosticEngine diags;
  auto model = runtime::Executable::parse(file, words[0], diags);
  if (!model) {
    diags.print(std::cerr);
    return 1;
  }
  size_t offset = std::strtoull(words[3].c_str(), nullptr, 0);
  int64_t number = std::strtoll(words.back().c_str(), nullptr, 0);
  bool isDone = false;
  if (words[2] == "descriptor" && words.size() == 6) {
    std::string_view note = model->descriptors();
    isDone = offset < note.size() &&
             editDescriptor(file.data() + (note.data() - file.data()) + offset,
                            note.size() - offset, words[4], number);
  } else if (words[2] == "constant") {
    std::string_view bytes = model->weights();
    isDone = offset < bytes.size();
    if (isDone)
      file[size_t(bytes.data() - file.data()) + offset] += char(number);
  } else if (words[2] == "text") {
    isDone = editText(file, model->text(), model->tecElf(), offset,
                      uint32_t(number));
  }
  if (!isDone) {
    std::fprintf(stderr, "there is nothing like that to change\n");
    return 1;
  }
  std::ofstream to(words[1], std::ios::binary);
  file = sealed(std::move(file));
  to.write(file.data(), std::streamsize(file.size()));
  return from && to.flush() ? 0 : 1;
}
