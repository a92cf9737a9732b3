//===- GgufReader.cpp - GGUF models as import graphs ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/GgufReader.h"
#include "parser/gguf/LlamaGraph.h"
#include "support/FileKind.h"
#include "support/Format.h"
#include "support/diagnostics/Import.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::gguf;

/// The mask of a sequence is a constant of N * N floats.
static constexpr std::int64_t kMostSteps = 4096;
/// A step reads the whole cache, filled or not.
static constexpr std::int64_t kDefaultCache = 256;
static constexpr std::int64_t kMostCache = 1 << 17;

static void reportShape(const std::string &path, const std::string &message,
                        const std::string &found, const std::string &expected,
                        DiagnosticEngine &diags) {
  diags.report(diag::ImportInputShape, {path}, message)
      .found(found)
      .expected(expected);
}

static std::optional<LlamaForm> sequenceForm(const LlamaParams &params,
                                             const GgufShapes &shapes,
                                             const std::string &path,
                                             DiagnosticEngine &diags) {
  const graph::Shape &tokens = *shapes.tokens;
  std::int64_t most = std::min(params.context, kMostSteps);
  if (tokens.size() != 2 || tokens[0] != 1 || tokens[1] < 1 ||
      tokens[1] > most) {
    reportShape(path, "tokens cannot have this shape", shapeText(tokens),
                "tokens=1,1 for decode, or tokens=1,N with N up to " +
                    std::to_string(most) + " for a sequence",
                diags);
    return std::nullopt;
  }
  if (shapes.cache && tokens[1] > 1) {
    reportShape(path, "a sequence does not have a cache",
                "cache " + shapeText(*shapes.cache), "tokens=1,1 for decode",
                diags);
    return std::nullopt;
  }
  return LlamaForm{.steps = tokens[1] > 1 ? tokens[1] : 0};
}

static std::optional<LlamaForm> formOf(const LlamaParams &params,
                                       const GgufShapes &shapes,
                                       const std::string &path,
                                       DiagnosticEngine &diags) {
  LlamaForm form;
  if (shapes.tokens) {
    auto given = sequenceForm(params, shapes, path, diags);
    if (!given || given->steps > 0)
      return given;
  }
  std::int64_t most = std::min(params.context, kMostCache);
  form.cache = std::min(most, kDefaultCache);
  if (shapes.cache) {
    const graph::Shape &cache = *shapes.cache;
    if (cache.size() != 1 || cache[0] < 1 || cache[0] > most) {
      reportShape(path, "the cache cannot have this length", shapeText(cache),
                  "cache=N with N up to " + std::to_string(most), diags);
      return std::nullopt;
    }
    form.cache = cache[0];
  } else if (params.context > form.cache) {
    diags
        .report(diag::GgufCache, {path},
                "the network decodes up to " + std::to_string(form.cache) +
                    " tokens; the model was made for " +
                    std::to_string(params.context))
        .hint("give another length with --input-shape cache=N, or read a "
              "sequence of N tokens at once with --input-shape tokens=1,N");
  }
  return form;
}

/// Null after errors.
static std::unique_ptr<graph::Graph>
read(Bytes bytes, std::shared_ptr<const void> owner, const std::string &path,
     const GgufShapes &shapes, DiagnosticEngine &diags) {
  auto container = parseContainer(bytes, path, diags);
  if (!container)
    return nullptr;
  auto params = readLlamaParams(*container, path, diags);
  if (!params)
    return nullptr;
  LlamaWeights weights(*container, path, std::move(owner));
  bool isGood = weights.check(*params, diags);
  auto form = formOf(*params, shapes, path, diags);
  if (!isGood || !form)
    return nullptr;
  return buildLlama(*params, weights, *form, path);
}

std::unique_ptr<graph::Graph> gguf::parseGguf(Bytes bytes,
                                              std::shared_ptr<const void> owner,
                                              const std::string &path,
                                              const GgufShapes &shapes,
                                              DiagnosticEngine &diags) {
  if (!isKind(FileKind::Gguf, bytes, path, diag::GgufMalformed, diags))
    return nullptr;
  return read(bytes, std::move(owner), path, shapes, diags);
}

std::unique_ptr<graph::Graph>
gguf::readGguf(const std::shared_ptr<const MappedFile> &file,
               const GgufShapes &shapes, DiagnosticEngine &diags) {
  return parseGguf(file->bytes(), file, file->path(), shapes, diags);
}
