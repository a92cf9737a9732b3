/* A model in ONNX Runtime, with Yarrow's provider or on the CPU alone, for the
   programs in C of this folder. */
#ifndef YARROW_TEST_ONNXRUNTIME_MODEL_H
#define YARROW_TEST_ONNXRUNTIME_MODEL_H
#include "examples/onnxruntime/inputs.h"
#include <math.h>
#include <string.h>

enum { MOST = 64 };

typedef struct {
  OrtSession *session;
  char *inputs[MOST], *outputs[MOST];
  size_t num_inputs, num_outputs;
} Model;

/* Without the NPU the CPU alone. Keys with a dot are the session's. */
static OrtStatus *try_open(const char *path, int with_npu, char **options,
                           int num_options, const char *profile, Model *model) {
  const char *keys[MOST], *values[MOST];
  char *kept[MOST];
  const OrtEpDevice *const *devices, *npu = NULL;
  OrtSessionOptions *how;
  OrtStatus *status;
  size_t num_devices, num_keys = 0, i;
  int a;
  memset(model, 0, sizeof *model);
  check(ort->CreateSessionOptions(&how));
  check(ort->SetIntraOpNumThreads(how, 1));
  if (profile)
    check(ort->EnableProfiling(how, profile));
  for (a = 0; a < num_options; ++a) {
    char *equals = strchr(options[a], '=');
    char *key = strndup(options[a], (size_t)(equals - options[a]));
    if (strchr(key, '.'))
      check(ort->AddSessionConfigEntry(how, key, equals + 1));
    else
      keys[num_keys] = key, values[num_keys++] = equals + 1;
    kept[a] = key;
  }
  if (with_npu) {
    check(ort->GetEpDevices(env, &devices, &num_devices));
    for (i = 0; i < num_devices; ++i)
      if (!strcmp(ort->EpDevice_EpName(devices[i]), "YarrowExecutionProvider"))
        npu = devices[i];
    check(ort->SessionOptionsAppendExecutionProvider_V2(how, env, &npu, 1, keys,
                                                        values, num_keys));
  }
  status = ort->CreateSession(env, path, how, &model->session);
  ort->ReleaseSessionOptions(how);
  for (a = 0; a < num_options; ++a)
    free(kept[a]);
  if (status)
    return status;
  check(ort->SessionGetInputCount(model->session, &model->num_inputs));
  check(ort->SessionGetOutputCount(model->session, &model->num_outputs));
  for (i = 0; i < model->num_inputs; ++i)
    check(
        ort->SessionGetInputName(model->session, i, memory, &model->inputs[i]));
  for (i = 0; i < model->num_outputs; ++i)
    check(ort->SessionGetOutputName(model->session, i, memory,
                                    &model->outputs[i]));
  return NULL;
}

static Model open_model(const char *path, int with_npu, char **options,
                        int num_options, const char *profile) {
  Model model;
  check(try_open(path, with_npu, options, num_options, profile, &model));
  return model;
}

static void close_model(Model *model) {
  size_t i;
  for (i = 0; i < model->num_inputs; ++i)
    check(ort->AllocatorFree(memory, model->inputs[i]));
  for (i = 0; i < model->num_outputs; ++i)
    check(ort->AllocatorFree(memory, model->outputs[i]));
  ort->ReleaseSession(model->session);
}

static OrtStatus *run(const Model *model, OrtValue **in, OrtValue **out) {
  memset(out, 0, sizeof(OrtValue *) * MOST);
  return ort->Run(model->session, NULL, (const char *const *)model->inputs,
                  (const OrtValue *const *)in, model->num_inputs,
                  (const char *const *)model->outputs, model->num_outputs, out);
}

static void release(OrtValue **values, size_t count) {
  while (count--)
    ort->ReleaseValue(values[count]);
}

#endif
