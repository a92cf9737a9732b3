//===- FlatBytes.h - TFLite models for tests, byte by byte ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Writes flatbuffers, and models of one graph as TFLite has them.
//
//   TfliteModel m;
//   int x = m.input("x", {1, 4});
//   int y = m.tensor("y", {1, 4});
//   m.op(19, {x}, {y});                        // RELU
//   m.outputs = {y};
//   std::string bytes = m.bytes();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_FLATBYTES_H
#define YARROW_TEST_FLATBYTES_H

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace yarrow::test {

/// A number, a list of them, a table or a list of tables.
struct Flat {
  enum Kind { Number, List, Table, Tables } kind = Number;
  std::string data = {}; ///< Of numbers.
  std::size_t count = 0; ///< Of a list.
  std::map<unsigned, Flat> fields = {};
  std::vector<Flat> items = {};

  template <typename T> static Flat number(T value) {
    Flat flat;
    flat.data.assign(reinterpret_cast<const char *>(&value), sizeof value);
    return flat;
  }
  template <typename T> static Flat list(const std::vector<T> &values) {
    Flat flat;
    flat.kind = List;
    flat.count = values.size();
    flat.data.assign(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(T));
    return flat;
  }
  static Flat text(const std::string &value) {
    return list(std::vector<char>(value.begin(), value.end()));
  }
  static Flat table(std::map<unsigned, Flat> fields) {
    Flat flat;
    flat.kind = Table;
    flat.fields = std::move(fields);
    return flat;
  }
  static Flat tables(std::vector<Flat> items) {
    Flat flat;
    flat.kind = Tables;
    flat.items = std::move(items);
    return flat;
  }
};

/// A file of which \p root is the outermost table.
class FlatWriter {
public:
  static std::string write(const Flat &root, const std::string &identifier) {
    FlatWriter writer;
    writer.bytes = std::string(4, '\0') + identifier;
    writer.patch(0, writer.put(root));
    return writer.bytes;
  }

private:
  std::size_t put(const Flat &flat) {
    if (flat.kind == Flat::Table)
      return putTable(flat);
    align(4);
    std::size_t at = bytes.size();
    add(std::uint32_t(flat.kind == Flat::List ? flat.count
                                              : flat.items.size()));
    bytes += flat.data;
    bytes.append(flat.items.size() * 4, '\0');
    for (std::size_t i = 0; i < flat.items.size(); ++i)
      patch(at + 4 + 4 * i, put(flat.items[i]));
    return at;
  }

  std::size_t putTable(const Flat &flat) {
    unsigned count = flat.fields.empty() ? 0 : flat.fields.rbegin()->first + 1;
    std::vector<std::uint16_t> places(count);
    std::size_t size = 4;
    for (auto &[id, field] : flat.fields) {
      places[id] = std::uint16_t(size);
      size += field.kind == Flat::Number ? field.data.size() : 4;
    }
    align(2);
    std::size_t vtable = bytes.size();
    add(std::uint16_t(4 + 2 * count));
    add(std::uint16_t(size));
    for (std::uint16_t place : places)
      add(place);
    align(4);
    std::size_t at = bytes.size();
    add(std::int32_t(at - vtable));
    bytes.append(size - 4, '\0');
    for (auto &[id, field] : flat.fields)
      if (field.kind == Flat::Number)
        bytes.replace(at + places[id], field.data.size(), field.data);
    for (auto &[id, field] : flat.fields)
      if (field.kind != Flat::Number)
        patch(at + places[id], put(field));
    return at;
  }

  template <typename T> void add(T value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void align(std::size_t size) {
    while (bytes.size() % size)
      bytes += '\0';
  }
  void patch(std::size_t at, std::size_t target) {
    auto distance = std::uint32_t(target - at);
    std::memcpy(&bytes[at], &distance, sizeof distance);
  }

  std::string bytes;
};

struct TfliteModel {
  std::vector<Flat> tensors, operators, codes, buffers{Flat::table({})};
  std::vector<std::int32_t> inputs, outputs;

  /// Types: 0 float32, 2 int32, 9 int8.
  int tensor(const std::string &name, const std::vector<std::int32_t> &shape,
             std::int8_t type = 0, std::map<unsigned, Flat> more = {}) {
    more.insert({{0, Flat::list(shape)},
                 {1, Flat::number(type)},
                 {3, Flat::text(name)}});
    tensors.push_back(Flat::table(std::move(more)));
    return int(tensors.size()) - 1;
  }
  int input(const std::string &name, const std::vector<std::int32_t> &shape,
            std::int8_t type = 0) {
    inputs.push_back(tensor(name, shape, type));
    return inputs.back();
  }
  template <typename T>
  int constant(const std::string &name, const std::vector<std::int32_t> &shape,
               const std::vector<T> &values, std::int8_t type,
               std::map<unsigned, Flat> more = {}) {
    std::vector<char> data(values.size() * sizeof(T));
    if (!values.empty())
      std::memcpy(data.data(), values.data(), data.size());
    buffers.push_back(Flat::table({{0, Flat::list(data)}}));
    more[2] = Flat::number(std::uint32_t(buffers.size() - 1));
    return tensor(name, shape, type, std::move(more));
  }
  int floats(const std::string &name, const std::vector<std::int32_t> &shape,
             const std::vector<float> &values) {
    return constant(name, shape, values, 0);
  }
  int ints(const std::string &name, const std::vector<std::int32_t> &values) {
    return constant(name, {std::int32_t(values.size())}, values, 2);
  }
  void op(std::int32_t number, const std::vector<std::int32_t> &from,
          const std::vector<std::int32_t> &to, std::uint8_t optionsType = 0,
          std::map<unsigned, Flat> options = {}) {
    codes.push_back(Flat::table(
        {{0, Flat::number(std::int8_t(number < 127 ? number : 127))},
         {3, Flat::number(number)}}));
    std::map<unsigned, Flat> fields = {
        {0, Flat::number(std::uint32_t(codes.size() - 1))},
        {1, Flat::list(from)},
        {2, Flat::list(to)}};
    if (optionsType) {
      fields[3] = Flat::number(optionsType);
      fields[4] = Flat::table(std::move(options));
    }
    operators.push_back(Flat::table(std::move(fields)));
  }
  std::string bytes() const {
    Flat graph = Flat::table({{0, Flat::tables(tensors)},
                              {1, Flat::list(inputs)},
                              {2, Flat::list(outputs)},
                              {3, Flat::tables(operators)}});
    return FlatWriter::write(Flat::table({{0, Flat::number(std::uint32_t(3))},
                                          {1, Flat::tables(codes)},
                                          {2, Flat::tables({graph})},
                                          {4, Flat::tables(buffers)}}),
                             "TFL3");
  }
};

/// A scale for the tensor, or one for each position of \p axis.
inline Flat quantizationOf(const std::vector<float> &scales,
                           const std::vector<std::int64_t> &zeroPoints,
                           std::int32_t axis = 0) {
  return Flat::table({{2, Flat::list(scales)},
                      {3, Flat::list(zeroPoints)},
                      {6, Flat::number(axis)}});
}

} // namespace yarrow::test

#endif // YARROW_TEST_FLATBYTES_H
