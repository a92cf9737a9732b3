/* Runs a model in ONNX Runtime, what can be on Yarrow's NPU, and writes its
   outputs, as bytes, to PREFIX0, PREFIX1, ...
     run model.onnx PREFIX [libyarrow_onnxruntime.so [key=value ...]]
   Keys with a dot are those of a session, others of the provider. Inputs are
   random, the same in every run; open lengths are 64, of the first axis 1. */
#include "examples/onnxruntime/inputs.h"
#include <string.h>

enum { MOST = 64 };

/* Adds the only provider that the library has, with its options. */
static void add_npu(OrtSessionOptions *options, char **arguments) {
  const char *keys[MOST], *values[MOST];
  const OrtEpDevice *const *devices;
  size_t count, num_keys = 0;
  check(ort->RegisterExecutionProviderLibrary(env, "yarrow", *arguments));
  check(ort->GetEpDevices(env, &devices, &count));
  while (strcmp(ort->EpDevice_EpName(*devices), "YarrowExecutionProvider"))
    ++devices;
  for (; *++arguments && num_keys < MOST;) {
    char *value = strtok(*arguments, "=") ? strtok(NULL, "") : NULL;
    if (value && strchr(*arguments, '.'))
      check(ort->AddSessionConfigEntry(options, *arguments, value));
    else if (value)
      keys[num_keys] = *arguments, values[num_keys++] = value;
  }
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
  void *data;

  ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (!ort || argc < 3)
    return fprintf(stderr, "usage: run MODEL PREFIX [LIBRARY ...]\n"), 2;
  check(ort->CreateEnv(2, "run", &env));
  check(ort->CreateSessionOptions(&options));
  if (argc > 3)
    add_npu(options, argv + 3);
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
    char path[4096];
    FILE *file;
    check(ort->GetTensorSizeInBytes(out[i], &bytes));
    check(ort->GetTensorMutableData(out[i], &data));
    snprintf(path, sizeof path, "%s%d", argv[2], (int)i);
    if (!(file = fopen(path, "wb")) || fwrite(data, 1, bytes, file) != bytes)
      return perror(path), 1;
    fclose(file);
    printf("%s: %lu bytes\n", results[i], (unsigned long)bytes);
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
  if (argc > 3)
    check(ort->UnregisterExecutionProviderLibrary(env, "yarrow"));
  ort->ReleaseEnv(env);
  return 0;
}
