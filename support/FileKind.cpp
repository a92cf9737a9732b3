//===- FileKind.cpp - What a file is, by its first bytes ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/FileKind.h"
#include "support/FileKindOther.h"
#include "support/FileKindQnn.h"
#include "support/Format.h"

#include <algorithm>
#include <array>

using namespace yarrow;

namespace {

/// Enough for the header of an IR with many inputs.
constexpr std::size_t lookedAtBytes = 4096;

/// The length of the UTF-8 sequence that \p text begins with, 0 if it is none.
std::size_t utf8Length(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  std::size_t length = first < 0x80   ? 1
                       : first < 0xc2 ? 0
                       : first < 0xe0 ? 2
                       : first < 0xf0 ? 3
                       : first < 0xf5 ? 4
                                      : 0;
  if (length > text.size())
    return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80)
      return 0;
  return length;
}

/// Text may have a few characters that are wrong, which its reader shows.
bool isText(std::string_view text) {
  std::size_t odd = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = utf8Length(text.substr(at));
    char c = text[at];
    bool isControl = length == 1 && (c < ' ' || c == '\x7f') && c != '\t' &&
                     c != '\n' && c != '\r' && c != '\f';
    odd += length == 0 || isControl;
    at += std::max<std::size_t>(length, 1);
  }
  return odd * 8 <= text.size();
}

/// Protobuf of a ModelProto: ir_version, then producer_name or what else may
/// follow it.
bool isOnnx(std::string_view text) {
  constexpr std::string_view nextTags = "\x12\x1a\x22\x32\x3a\x42";
  return text.size() > 4 && text[0] == '\x08' && text[1] > 0 && text[1] < 32 &&
         nextTags.find(text[2]) != text.npos;
}

/// A ZIP whose first member is an array.
bool isNpz(std::string_view text) {
  constexpr std::size_t nameLengthAt = 26, nameAt = 30;
  if (text.size() <= nameAt)
    return false;
  std::size_t length = static_cast<unsigned char>(text[nameLengthAt]);
  return text.substr(nameAt, length).ends_with(".npy");
}

/// The headers that POSIX and GNU write.
bool isTar(std::string_view text) {
  constexpr std::size_t magicAt = 257;
  return text.size() > magicAt && text.substr(magicAt).starts_with("ustar");
}

/// A line that begins with \p key, '=' behind it or not far.
bool hasLine(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; (at = text.find(key, at)) != text.npos; ++at)
    if (at == 0 || text[at - 1] == '\n')
      return true;
  return false;
}

FileKind textKindOf(std::string_view text) {
  if (isLfsPointer(text))
    return FileKind::LfsPointer;
  constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(byteOrderMark))
    text.remove_prefix(byteOrderMark.size());
  if (isHtml(text))
    return FileKind::Html;
  if (hasLine(text, "layer_number") || hasLine(text, "layer_id"))
    return FileKind::CompassIr;
  std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos)
    return FileKind::Text;
  if (text[first] == '{')
    return isQnnGraph(text) ? FileKind::QnnGraph : FileKind::Json;
  for (std::string_view section : {"[Common]", "[Parser]", "[Optimizer]",
                                   "[AutoQuantizationTool]", "[GBuilder]"})
    if (hasLine(text, section))
      return FileKind::Configuration;
  return FileKind::Text;
}

bool isTextKind(FileKind kind) {
  return kind == FileKind::Text || kind == FileKind::CompassIr ||
         kind == FileKind::Configuration || kind == FileKind::Json ||
         kind == FileKind::QnnGraph || kind == FileKind::Empty;
}

bool isModel(FileKind kind) {
  return kind == FileKind::Onnx || kind == FileKind::Tflite ||
         kind == FileKind::QnnGraph || kind == FileKind::Gguf;
}

/// Whether a file of \p kind may be a damaged one of what was \p expected.
bool mayBe(FileKind kind, FileKind expected, std::string_view text) {
  // Weights may begin with any bytes; only long signs are no coincidence.
  if (expected == FileKind::Binary || expected == FileKind::Samples)
    return kind != FileKind::Npy && kind != FileKind::Npz &&
           kind != FileKind::Elf && kind != FileKind::QnnLibrary &&
           kind != FileKind::Tar && kind != FileKind::CompassIr &&
           kind != FileKind::Configuration && kind != FileKind::LfsPointer &&
           kind != FileKind::Html;
  if (expected == FileKind::QnnGraph && kind == FileKind::Json)
    return true;
  bool isShapeless = kind == FileKind::Empty || kind == FileKind::Text;
  if (isShapeless && isModel(expected))
    return kind == FileKind::Text && !isPlainText(text);
  return kind == expected || isShapeless ||
         (kind == FileKind::Binary && !isTextKind(expected));
}

} // namespace

std::string yarrow::hintFor(FileKind kind, FileKind expected,
                            const std::string &name) {
  if (kind == FileKind::LfsPointer)
    return "fetch the real file with `git lfs pull` in its repository";
  if (kind == FileKind::Html)
    return "it is a page about the file: download the file itself (on a page "
           "of a repository, the link \"raw\" or \"download\")";
  if (isModel(kind) && isModel(expected))
    return "rename the file: its ending is another format's";
  if (expected == FileKind::Binary && kind != FileKind::Npz)
    return "give the weights file with -w, the .bin next to the text; samples "
           "are .npy files, or the raw bytes of tensors";
  if (expected == FileKind::Samples)
    return "give samples as .npy or .npz files, pictures (.png, .jpg), or the "
           "raw bytes of tensors (.bin)";
  switch (kind) {
  case FileKind::Onnx:
  case FileKind::Tflite:
  case FileKind::QnnGraph:
  case FileKind::Gguf:
    return expected == FileKind::Elf
               ? "`yarrow build " + shellWord(name) +
                     "` compiles it to an executable; `yarrow check " +
                     shellWord(name) + "` checks it"
               : "yarrow import converts it to Compass IR";
  case FileKind::QnnContainer:
    return "its format is not published: import the ONNX or TensorFlow Lite "
           "model that it was made from, or the JSON that qnn-onnx-converter "
           "and similar tools write next to their C++";
  case FileKind::QnnContext:
    return "it has code for one machine: import the JSON that the QNN "
           "converters write next to their C++, before a context is made";
  case FileKind::QnnLibrary:
    return "import the JSON of the same graph, and its weights as a .bin, "
           "which the QNN converters write next to the C++ that it was "
           "compiled from";
  case FileKind::Hdf5:
    return "convert the model to Compass IR with the Compass Unified Parser";
  case FileKind::Torch:
    return "export the model as ONNX: torch.onnx.export(model, sample, "
           "'net.onnx')";
  case FileKind::Safetensors:
    return "it has weights but not a network: export the model that they "
           "belong to as ONNX";
  case FileKind::Npz:
    return "save the one array that you need: numpy.save('x.npy', "
           "numpy.load('x.npz')['name'])";
  case FileKind::Npy:
    return "give samples with --calibration-data, --inputs or --data";
  case FileKind::Elf:
    return "`yarrow run` and `yarrow inspect` take an executable";
  case FileKind::CompassIr:
    return expected == FileKind::Elf
               ? "compile it first: `yarrow compile " + name + " -o aipu.bin`"
           : expected == FileKind::Configuration
               ? "a configuration names it: graph = " + name
               : "`yarrow quantize` and `yarrow compile` take it";
  case FileKind::Configuration:
    return "give a configuration to `yarrow build " + name + "`";
  case FileKind::Image:
    return "pictures are data: give one, or a folder of them, with -c or -i";
  case FileKind::Tar:
    return expected == FileKind::QnnGraph
               ? "give the graph first, and its weights with -w"
               : "unpack it first";
  case FileKind::Archive:
    return "unpack it first";
  case FileKind::Utf16:
    return "save it as UTF-8";
  case FileKind::Binary:
    return expected == FileKind::CompassIr
               ? "give the text first, and the weights with -w"
               : "";
  case FileKind::Json:
    return expected == FileKind::CompassIr || expected == FileKind::Npy ? ""
           : expected == FileKind::QnnGraph
               ? "it has no object \"graph\" with \"nodes\" and \"tensors\""
               : "give a machine description with --target or --machine";
  case FileKind::Empty:
    return isModel(expected)
               ? "write or download it again: that was interrupted"
               : "";
  case FileKind::Text:
  case FileKind::LfsPointer:
  case FileKind::Html:
  case FileKind::Samples:
    break;
  }
  return "";
}

FileKind yarrow::fileKindOf(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        std::min(bytes.size(), lookedAtBytes));
  if (text.empty())
    return FileKind::Empty;
  struct Magic {
    std::string_view begin;
    FileKind kind;
  };
  constexpr std::array<Magic, 14> magics = {{
      {"\x93NUMPY", FileKind::Npy},
      {"\x7f"
       "ELF",
       FileKind::Elf},
      {"\x89HDF\r\n", FileKind::Hdf5},
      {"\x89PNG\r\n", FileKind::Image},
      {"\xff\xd8\xff", FileKind::Image},
      {"GIF8", FileKind::Image},
      {"BM\x36", FileKind::Image},
      {"\x1f\x8b\x08", FileKind::Archive},
      {"BZh9", FileKind::Archive},
      {"\xfd"
       "7zXZ",
       FileKind::Archive},
      {"\x28\xb5\x2f\xfd", FileKind::Archive}, // zstd
      {"7z\xbc\xaf", FileKind::Archive},
      {"\xff\xfe", FileKind::Utf16},
      {"\xfe\xff", FileKind::Utf16},
  }};
  constexpr std::string_view zip = "PK\x03\x04", tflite = "TFL3";
  constexpr std::size_t tfliteAt = 4;
  if (text.starts_with(zip))
    return isNpz(text)                ? FileKind::Npz
           : isTorch(text)            ? FileKind::Torch
           : isQnnContainerZip(bytes) ? FileKind::QnnContainer
                                      : FileKind::Archive;
  if (text.size() > tfliteAt && text.substr(tfliteAt).starts_with(tflite))
    return FileKind::Tflite;
  if (isQnnContainerModel(text))
    return FileKind::QnnContainer;
  if (isQnnContext(text))
    return FileKind::QnnContext;
  for (const Magic &magic : magics)
    if (text.starts_with(magic.begin))
      return magic.kind == FileKind::Elf && isQnnLibrary(bytes)
                 ? FileKind::QnnLibrary
                 : magic.kind;
  if (isTar(text))
    return FileKind::Tar;
  if (isTorch(text))
    return FileKind::Torch;
  if (isGguf(text))
    return FileKind::Gguf;
  if (isSafetensors(text))
    return FileKind::Safetensors;
  if (isOnnx(text))
    return FileKind::Onnx;
  return isText(text) ? textKindOf(text) : FileKind::Binary;
}

std::string_view yarrow::describe(FileKind kind) {
  switch (kind) {
  case FileKind::Empty:
    return "an empty file";
  case FileKind::Text:
    return "a text";
  case FileKind::CompassIr:
    return "the text of a Compass IR";
  case FileKind::Configuration:
    return "a configuration file";
  case FileKind::Json:
    return "a JSON file";
  case FileKind::Npy:
    return "a NumPy array (.npy)";
  case FileKind::Npz:
    return "an archive of NumPy arrays (.npz)";
  case FileKind::Elf:
    return "an executable";
  case FileKind::Onnx:
    return "an ONNX model";
  case FileKind::Tflite:
    return "a TensorFlow Lite model";
  case FileKind::QnnGraph:
    return "a QNN graph";
  case FileKind::QnnContainer:
    return "a container of a QNN or SNPE model (.dlc)";
  case FileKind::QnnContext:
    return "a binary of a QNN context";
  case FileKind::QnnLibrary:
    return "a library that makes a QNN graph";
  case FileKind::Hdf5:
    return "an HDF5 file";
  case FileKind::Torch:
    return "a file of PyTorch";
  case FileKind::Safetensors:
    return "a file of weights (safetensors)";
  case FileKind::Gguf:
    return "a GGUF model";
  case FileKind::LfsPointer:
    return "a Git LFS pointer";
  case FileKind::Html:
    return "an HTML page";
  case FileKind::Image:
    return "an image";
  case FileKind::Tar:
    return "a tar archive";
  case FileKind::Archive:
    return "an archive";
  case FileKind::Utf16:
    return "a text in UTF-16";
  case FileKind::Binary:
    return "binary data";
  case FileKind::Samples:
    return "samples";
  }
  return "";
}

bool yarrow::isKind(FileKind expected, std::span<const std::byte> bytes,
                    const std::string &name, DiagId id,
                    DiagnosticEngine &diags) {
  FileKind kind = fileKindOf(bytes);
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        std::min(bytes.size(), lookedAtBytes));
  if (mayBe(kind, expected, text))
    return true;
  diags
      .report(id, {name},
              "this is " + std::string(describe(kind)) + ", not " +
                  std::string(describe(expected)))
      .hint(hintFor(kind, expected, name));
  return false;
}
