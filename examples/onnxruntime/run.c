/* Runs a model in ONNX Runtime, what can be on Yarrow's NPU, and writes its
   outputs, as bytes, to PREFIX0, PREFIX1, ...
     run model.onnx PREFIX [libyarrow_onnxruntime.so] [key=value ...]
   Inputs are random, the same in every run; open lengths are 64, of the first
   axis 1. */
#include "examples/onnxruntime/inputs.h"
#include <string.h>

enum { MOST = 64 };

/* Keys with a dot are the session's. The provider, of which the library has
   one, gets the others. */
static void set_options(OrtSessionOptions *options, const char *library,
                        char **arguments) {
  const char *keys[MOST], *values[MOST];
  const OrtEpDevice *const *devices;
  size_t count, num_keys = 0;
  for (; *arguments && num_keys < MOST; ++arguments) {
    char *value = strtok(*arguments, "=") ? strtok(NULL, "") : NULL;
    if (value && strchr(*arguments, '.'))
      check(ort->AddSessionConfigEntry(options, *arguments, value));
    else if (value)
      keys[num_keys] = *arguments, values[num_keys++] = value;
  }
  if (!library)
    return;
  check(ort->RegisterExecutionProviderLibrary(env, "yarrow", library));
  check(ort->GetEpDevices(env, &devices, &count));
  while (strcmp(ort->EpDevice_EpName(*devices), "YarrowExecutionProvider"))
    ++devices;
  check(ort->SessionOptionsAppendExecutionProvider_V2(options, env, devices, 1,
                                                      keys, values, num_keys));
}

int main(int argc, char **argv) {
  const char *names[MOST], *results[MOST];
  OrtValue *out[MOST] = {0};
  const OrtValue *in[MOST];
  size_t num_in, num_out, bytes, i;
  OrtSessionOptions *options;
  OrtSession *session;
  const char *library = NULL;
  void *data;

  ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (!ort || argc < 3)
    return fprintf(stderr, "usage: run MODEL PREFIX [LIBRARY ...]\n"), 2;
  check(ort->CreateEnv(2, "run", &env));
  check(ort->CreateSessionOptions(&options));
  if (argc > 3 && !strchr(argv[3], '='))
    library = argv[3];
  set_options(options, library, argv + 3 + (library != NULL));
  check(ort->CreateSession(env, argv[1], options, &session));
  check(ort->GetAllocatorWithDefaultOptions(&memory));
  check(ort->SessionGetInputCount(session, &num_in));
  check(ort->SessionGetOutputCount(session, &num_out));
  for (i = 0; i < num_in; ++i) {
    check(ort->SessionGetInputName(session, i, memory, (char **)&names[i]));
    in[i] = random_input(session, i, 1, 64, (uint32_t)i + 1);
  }
  for (i = 0; i < num_out; ++i)
    check(ort->SessionGetOutputName(session, i, memory, (char **)&results[i]));
  check(ort->Run(session, NULL, names, in, num_in, results, num_out, out));
  for (i = 0; i < num_out; ++i) {
    OrtTensorTypeAndShapeInfo *info;
    ONNXTensorElementDataType element;
    char path[4096];
    FILE *file;
    check(ort->GetTensorTypeAndShape(out[i], &info));
    check(ort->GetTensorElementType(info, &element));
    ort->ReleaseTensorTypeAndShapeInfo(info);
    check(ort->GetTensorSizeInBytes(out[i], &bytes));
    check(ort->GetTensorMutableData(out[i], &data));
    snprintf(path, sizeof path, "%s%d", argv[2], (int)i);
    if (!(file = fopen(path, "wb")) || fwrite(data, 1, bytes, file) != bytes)
      return perror(path), 1;
    fclose(file);
    printf("%s: %lu bytes of type %d\n", results[i], (unsigned long)bytes,
           (int)element);
  }
  for (i = 0; i < num_out; ++i) {
    check(ort->AllocatorFree(memory, (char *)results[i]));
    ort->ReleaseValue(out[i]);
  }
  for (i = 0; i < num_in; ++i) {
    check(ort->AllocatorFree(memory, (char *)names[i]));
    ort->ReleaseValue((OrtValue *)in[i]);
  }
  ort->ReleaseSession(session);
  ort->ReleaseSessionOptions(options);
  if (library)
    check(ort->UnregisterExecutionProviderLibrary(env, "yarrow"));
  ort->ReleaseEnv(env);
  return 0;
}
