//===- GraphText.h - Small QNN graphs as JSON for tests ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   std::string text = graphText(R"("x": {...})", R"("relu": {...})");
//   EXPECT_THAT(problemsOf(text), HasSubstr("\"dims\" is missing"));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_QNN_GRAPHTEXT_H
#define YARROW_TEST_UNIT_QNN_GRAPHTEXT_H

#include "parser/qnn/JsonReader.h"
#include <gmock/gmock.h>

namespace yarrow::qnn {

/// A line for the tensors, then one for the nodes.
inline std::string graphText(const std::string &tensors,
                             const std::string &nodes = "") {
  return "{\"graph\": {\"tensors\": {\n" + tensors + "\n}, \"nodes\": {\n" +
         nodes + "\n}}}";
}

/// "x" of uint8 in line 2, that a member may be added to.
inline std::string tensorText(const std::string &more,
                              const std::string &dims = "[2, 2]",
                              const std::string &type = "264") {
  return R"("x": {"data_type": )" + type + R"(, "type": 4, "dims": )" + dims +
         (more.empty() ? "" : ", " + more) + "}";
}

/// What is reported of \p text, which is read exactly if there is nothing.
inline std::string problemsOf(const std::string &text) {
  DiagnosticEngine diags;
  auto model = parseJson(text, "net.json", diags);
  EXPECT_EQ(model.has_value(), diags.all().empty()) << text;
  std::string result;
  for (const Diagnostic &diag : diags.all())
    result += diag.str() + "\n";
  return result;
}

inline QnnModel modelOf(const std::string &text) {
  DiagnosticEngine diags;
  auto model = parseJson(text, "net.json", diags);
  for (const Diagnostic &diag : diags.all())
    ADD_FAILURE() << diag.str();
  return model.value_or(QnnModel());
}

template <typename T> std::vector<T> valuesOf(const QnnTensor &tensor) {
  std::vector<T> values(tensor.value.size() / sizeof(T));
  std::copy(tensor.value.begin(), tensor.value.end(),
            reinterpret_cast<std::byte *>(values.data()));
  return values;
}

} // namespace yarrow::qnn

#endif // YARROW_TEST_UNIT_QNN_GRAPHTEXT_H
