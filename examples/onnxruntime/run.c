/* Runs a model in ONNX Runtime, its parts on Yarrow's NPU where a library is
   given, and writes the outputs to PREFIX0, PREFIX1, ...

     run model.onnx PREFIX [libyarrow_onnxruntime.so [key=value ...]]

   Keys with a dot are those of a session, others of the provider. Inputs are
   random numbers, the same ones in every run; open lengths are 64, of the first axis 1. */
#include "ort.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };
static const OrtApi *ort;

static void check(OrtStatus *status) {
  if (!status)
    return;
  fprintf(stderr, "run: error: %s\n", ort->GetErrorMessage(status));
  exit(1);
}

/* Small numbers of any type: bytes for integers, -1 to 1 for floats. */
static void fill(void *data, size_t bytes, ONNXTensorElementDataType type) {
  static uint32_t state = 1;
  size_t i, size = type == 7 || type == 11 ? 8 : type == 1 || type == 6 ? 4 : 1;
  memset(data, 0, bytes);
  for (i = 0; i + size <= bytes; i += size) {
    char *at = (char *)data + i;
    state = state * 1664525u + 1013904223u;
    if (type == 1)
      *(float *)at = (float)(state >> 8) / 8388608.0f - 1.0f;
    else if (type == 11)
      *(double *)at = (double)(state >> 8) / 8388608.0 - 1.0;
    else
      *at = (char)(type == 9 ? state >> 31 : size > 1 ? 0 : state >> 24);
  }
}

static OrtValue *input_of(OrtSession *session, size_t i, OrtAllocator *memory) {
  const OrtTensorTypeAndShapeInfo *info;
  OrtTypeInfo *type;
  OrtValue *value;
  ONNXTensorElementDataType element;
  int64_t shape[8];
  size_t rank, bytes, axis;
  void *data;
  check(ort->SessionGetInputTypeInfo(session, i, &type));
  check(ort->CastTypeInfoToTensorInfo(type, &info));
  check(ort->GetTensorElementType(info, &element));
  check(ort->GetDimensionsCount(info, &rank));
  check(ort->GetDimensions(info, shape, rank > 8 ? 8 : rank));
  for (axis = 0; axis < rank; ++axis)
    shape[axis] = shape[axis] >= 0 ? shape[axis] : axis ? 64 : 1;
  check(ort->CreateTensorAsOrtValue(memory, shape, rank, element, &value));
  check(ort->GetTensorSizeInBytes(value, &bytes));
  check(ort->GetTensorMutableData(value, &data));
  fill(data, bytes, element);
  ort->ReleaseTypeInfo(type);
  return value;
}

int main(int argc, char **argv) {
  const char *keys[MOST], *values[MOST], *names[MOST], *results[MOST];
  const OrtEpDevice *const *devices, *npu = NULL;
  OrtValue *in[MOST] = {0}, *out[MOST] = {0};
  size_t num_devices, num_keys = 0, num_in, num_out, bytes, i;
  OrtSessionOptions *options;
  OrtAllocator *memory;
  OrtSession *session;
  OrtEnv *env;
  void *data;
  int a;

  ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (!ort || argc < 3 || argc > MOST)
    return fprintf(stderr, "usage: run model.onnx PREFIX [LIBRARY [key=value ...]]\n"), 2;
  check(ort->CreateEnv(2, "run", &env));
  check(ort->CreateSessionOptions(&options));
  for (a = 4; a < argc; ++a) {
    char *equals = strchr(argv[a], '=');
    if (!equals)
      return fprintf(stderr, "run: %s is not key=value\n", argv[a]), 2;
    *equals = 0;
    if (strchr(argv[a], '.'))
      check(ort->AddSessionConfigEntry(options, argv[a], equals + 1));
    else
      keys[num_keys] = argv[a], values[num_keys++] = equals + 1;
  }
  if (argc > 3) {
    check(ort->RegisterExecutionProviderLibrary(env, "yarrow", argv[3]));
    check(ort->GetEpDevices(env, &devices, &num_devices));
    for (i = 0; i < num_devices; ++i)
      if (!strcmp(ort->EpDevice_EpName(devices[i]), "YarrowExecutionProvider"))
        npu = devices[i];
    check(ort->SessionOptionsAppendExecutionProvider_V2(options, env, &npu, 1, keys, values, num_keys));
  }
  check(ort->CreateSession(env, argv[1], options, &session));
  check(ort->GetAllocatorWithDefaultOptions(&memory));
  check(ort->SessionGetInputCount(session, &num_in));
  check(ort->SessionGetOutputCount(session, &num_out));
  for (i = 0; i < num_in && i < MOST; ++i) {
    check(ort->SessionGetInputName(session, i, memory, (char **)&names[i]));
    in[i] = input_of(session, i, memory);
  }
  for (i = 0; i < num_out && i < MOST; ++i)
    check(ort->SessionGetOutputName(session, i, memory, (char **)&results[i]));
  check(ort->Run(session, NULL, names, (const OrtValue *const *)in, num_in, results, num_out, out));
  for (i = 0; i < num_out; ++i) {
    char path[4096];
    FILE *file;
    check(ort->GetTensorSizeInBytes(out[i], &bytes));
    check(ort->GetTensorMutableData(out[i], &data));
    snprintf(path, sizeof path, "%s%zu", argv[2], i);
    if (!(file = fopen(path, "wb")) || fwrite(data, 1, bytes, file) != bytes || fclose(file))
      return perror(path), 1;
    printf("%s: %zu bytes\n", results[i], bytes);
    ort->ReleaseValue(out[i]);
  }
  for (i = 0; i < num_in; ++i)
    ort->ReleaseValue(in[i]);
  ort->ReleaseSession(session);
  ort->ReleaseSessionOptions(options);
  if (argc > 3)
    check(ort->UnregisterExecutionProviderLibrary(env, "yarrow"));
  return ort->ReleaseEnv(env), 0;
}
