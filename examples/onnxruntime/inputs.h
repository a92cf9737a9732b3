/* What a program around ONNX Runtime needs for a try: an end for calls that
   fail, and values for inputs. */
#ifndef YARROW_EXAMPLES_ONNXRUNTIME_INPUTS_H
#define YARROW_EXAMPLES_ONNXRUNTIME_INPUTS_H
#include "examples/onnxruntime/ort.h"
#include <stdio.h>
#include <stdlib.h>

static const OrtApi *ort;
static OrtEnv *env;
static OrtAllocator *memory;

static void check(OrtStatus *status) {
  if (status)
    fprintf(stderr, "run: error: %s\n", ort->GetErrorMessage(status)), exit(1);
}

/* Floats from -1 to 1, bytes of all values, zeros of other types. Open lengths
   are `open`, of the first axis `batch`. */
static OrtValue *random_input(const OrtSession *session, size_t i,
                              int64_t batch, int64_t open, uint32_t seed) {
  const OrtTensorTypeAndShapeInfo *info;
  ONNXTensorElementDataType element;
  OrtTypeInfo *type;
  OrtValue *value;
  int64_t shape[8];
  size_t rank, bytes, k;
  void *data;
  check(ort->SessionGetInputTypeInfo(session, i, &type));
  check(ort->CastTypeInfoToTensorInfo(type, &info));
  if (!info)
    fprintf(stderr, "run: error: an input is not a tensor\n"), exit(1);
  check(ort->GetTensorElementType(info, &element));
  check(ort->GetDimensionsCount(info, &rank));
  check(ort->GetDimensions(info, shape, rank > 8 ? 8 : rank));
  for (k = 0; k < rank; ++k)
    shape[k] = shape[k] >= 0 ? shape[k] : k ? open : batch;
  check(ort->CreateTensorAsOrtValue(memory, shape, rank, element, &value));
  check(ort->GetTensorSizeInBytes(value, &bytes));
  check(ort->GetTensorMutableData(value, &data));
  for (k = 0; k < bytes; k += (int)element == 1 ? 4 : 1) {
    seed = seed * 1664525u + 1013904223u;
    if ((int)element == 1)
      ((float *)data)[k / 4] = (float)(seed >> 8) / 8388608.0f - 1.0f;
    else
      ((char *)data)[k] = (int)element < 4 ? (char)(seed >> 24) : 0;
  }
  ort->ReleaseTypeInfo(type);
  return value;
}

#endif
