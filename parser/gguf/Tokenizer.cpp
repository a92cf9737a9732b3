//===- Tokenizer.cpp - Texts as tokens, and back --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/Tokenizer.h"

#include <algorithm>
#include <charconv>
#include <queue>

using namespace yarrow;
using namespace yarrow::gguf;

/// What stands for a space in the texts of tokens: U+2581.
static constexpr std::string_view kSpace = "\xe2\x96\x81";

/// Of "<0x0A>"; -1 of others.
static int byteOf(std::string_view text) {
  constexpr std::size_t kLength = 6;
  if (text.size() != kLength || !text.starts_with("<0x") || text.back() != '>')
    return -1;
  unsigned value = 0;
  const char *end = text.data() + kLength - 1;
  auto read = std::from_chars(text.data() + 3, end, value, 16);
  return read.ec == std::errc() && read.ptr == end ? int(value) : -1;
}

Tokenizer::Tokenizer(Vocabulary given) : vocabulary(std::move(given)) {
  byteTokens.fill(-1);
  for (std::size_t i = 0; i < vocabulary.texts.size(); ++i) {
    auto id = std::int32_t(i);
    TokenKind kind = vocabulary.kinds[i];
    // A text that spells a control token is a text.
    if (kind == TokenKind::Normal || kind == TokenKind::UserDefined)
      idOf.insert({vocabulary.texts[i], id});
    else if (int byte = byteOf(vocabulary.texts[i]);
             kind == TokenKind::Byte && byte >= 0)
      byteTokens[std::size_t(byte)] = id;
  }
}

std::int32_t Tokenizer::find(const std::string &text) const {
  auto it = idOf.find(text);
  return it == idOf.end() ? -1 : it->second;
}

/// Of the letter that \p text begins with, as its first byte says; 1 where the
/// bytes are not a letter.
static std::size_t letterBytes(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  std::size_t length = first >= 0xf0   ? 4
                       : first >= 0xe0 ? 3
                       : first >= 0xc0 ? 2
                                       : 1;
  return std::min(length, text.size());
}

/// Letters that become pieces: a list in which neighbours are joined.
struct Tokenizer::Merger {
  struct Piece {
    std::string_view text; ///< Empty once it was joined to the one before it.
    std::size_t before, after;
  };
  /// Two neighbours that would be a token.
  struct Pair {
    float score;
    std::size_t left, right;
    std::size_t bytes; ///< Of both: other than now once one has changed.
    /// The highest score first, then the first in the text.
    bool operator<(const Pair &other) const {
      return score != other.score ? score < other.score : left > other.left;
    }
  };
  static constexpr std::size_t kNone = std::size_t(-1);

  Merger(const Tokenizer &tokenizer, std::string_view text)
      : tokenizer(tokenizer) {
    while (!text.empty()) {
      std::size_t bytes = letterBytes(text), i = pieces.size();
      pieces.push_back({text.substr(0, bytes), i - 1, i + 1});
      text.remove_prefix(bytes);
    }
    if (!pieces.empty())
      pieces.back().after = kNone;
    for (std::size_t i = 1; i < pieces.size(); ++i)
      offer(i - 1, i);
  }

  /// The letters of neighbours lie side by side.
  std::string_view both(std::size_t left, std::size_t right) const {
    return {pieces[left].text.data(),
            pieces[left].text.size() + pieces[right].text.size()};
  }

  void offer(std::size_t left, std::size_t right) {
    if (left == kNone || right == kNone)
      return;
    std::string_view text = both(left, right);
    std::int32_t id = tokenizer.find(std::string(text));
    if (id >= 0)
      pairs.push({tokenizer.vocabulary.scores[std::size_t(id)], left, right,
                  text.size()});
  }

  void join() {
    while (!pairs.empty()) {
      Pair pair = pairs.top();
      pairs.pop();
      Piece &left = pieces[pair.left], &right = pieces[pair.right];
      if (left.text.empty() || right.text.empty() ||
          both(pair.left, pair.right).size() != pair.bytes)
        continue;
      left.text = both(pair.left, pair.right);
      right.text = {};
      left.after = right.after;
      if (right.after != kNone)
        pieces[right.after].before = pair.left;
      offer(left.before, pair.left);
      offer(pair.left, left.after);
    }
  }

  const Tokenizer &tokenizer;
  std::vector<Piece> pieces; ///< `before` of the first is kNone.
  std::priority_queue<Pair> pairs;
};

void Tokenizer::addPiece(std::string_view piece,
                         std::vector<std::int32_t> &to) const {
  if (std::int32_t id = find(std::string(piece)); id >= 0) {
    to.push_back(id);
    return;
  }
  bool hasBytes = std::ranges::all_of(piece, [&](char c) {
    return byteTokens[static_cast<unsigned char>(c)] >= 0;
  });
  if (!hasBytes) {
    to.push_back(vocabulary.unknown);
    return;
  }
  for (char c : piece)
    to.push_back(byteTokens[static_cast<unsigned char>(c)]);
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  if (vocabulary.addsBegin)
    ids.push_back(vocabulary.begin);
  std::string spelled;
  if (vocabulary.addsSpace && !text.empty())
    spelled = kSpace;
  for (char c : text)
    c == ' ' ? spelled += kSpace : spelled += c;
  Merger merger(*this, spelled);
  merger.join();
  for (const Merger::Piece &piece : merger.pieces)
    if (!piece.text.empty())
      addPiece(piece.text, ids);
  return ids;
}

std::string Tokenizer::textOf(std::int32_t token) const {
  auto i = std::size_t(token);
  std::string_view text = vocabulary.texts[i];
  switch (vocabulary.kinds[i]) {
  case TokenKind::Control:
    return "";
  case TokenKind::Byte:
    if (int byte = byteOf(text); byte >= 0)
      return {char(byte)};
    break;
  default:
    break;
  }
  std::string plain;
  for (std::size_t at; (at = text.find(kSpace)) != text.npos;
       text.remove_prefix(at + kSpace.size())) {
    plain += text.substr(0, at);
    plain += ' ';
  }
  return plain + std::string(text);
}
