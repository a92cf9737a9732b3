/*===- compiler.h - Quantize and compile networks --------------------*- C
-*-===*\
|*                                                                            *|
|* Part of Yarrow, under the Apache License v2.0.                             *|
|*                                                                            *|
|* The public C interface of the compiler: from a model to an executable, in  *|
|* memory. What then runs it is yarrow.h, whose functions are in the same     *|
|* library, libyarrow_compiler.so.                                            *|
|*                                                                            *|
|*   yarrow_log *log;                                                         *|
|*   yarrow_model *model, *integers;                                          *|
|*   yarrow_executable *executable;                                           *|
|*   yarrow_log_create(&log);                                                 *|
|*   if (yarrow_model_open(log, "net.onnx", NULL, 0, &model) ||               *|
|*       yarrow_quantize(log, model, &samples, 1, NULL, 0, &integers) ||      *|
|*       yarrow_compile(log, integers, NULL, 0, &executable))                 *|
|*     return fprintf(stderr, "%s", yarrow_log_text(log)), 1;                 *|
|*   yarrow_create_session(executable, NULL, &session);                       *|
|*                                                                            *|
|* Nothing is printed, written or left behind, and no signal is handled. A    *|
|* model and an executable may be used by several threads at once, a log by   *|
|* one at a time, but for yarrow_log_cancel.                                  *|
|*                                                                            *|
|* Settings are texts "key=value", in an array of `count`; later ones win. A  *|
|* text may be an object of JSON: {"weight_bits": 4, "recipe": "compass"}.    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef YARROW_COMPILER_H
#define YARROW_COMPILER_H

#include <yarrow/yarrow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What calls report, one message after the other, and who hears how far they
   are. */
typedef struct yarrow_log yarrow_log;
/* A network, in floats or in integers. */
typedef struct yarrow_model yarrow_model;

typedef enum {
  YARROW_SEVERITY_ERROR = 0,
  YARROW_SEVERITY_WARNING = 1,
  YARROW_SEVERITY_NOTE = 2
} yarrow_severity;

/* Texts are "" where there is nothing to say, and never NULL. They are valid
   until the log is cleared or closed. */
typedef struct {
  yarrow_severity severity;
  const char *code; /* "E0105", as `yarrow explain` and docs/diagnostics know */
  const char *text; /* all of it, as the program prints it */
  const char *message;
  const char *file;
  uint32_t line; /* 0: none */
  const char *layer;
  const char *found;
  const char *expected;
  const char *hint;
} yarrow_message;

/* done of total parts of a step are done; total 0: it is not known. Called from
   any thread, for a step by one at a time. Another answer than 0 gives the call
   up, as yarrow_log_cancel does. */
typedef int (*yarrow_listener)(void *user, const char *step, size_t done,
                               size_t total);

yarrow_status yarrow_log_create(yarrow_log **log);
/* When no call with it is on its way. */
void yarrow_log_close(yarrow_log *log);
/* Removes all messages and takes back a yarrow_log_cancel: the next call with
   this log runs. */
void yarrow_log_clear(yarrow_log *log);
void yarrow_log_listen(yarrow_log *log, yarrow_listener listener, void *user);
/* From any thread: the call with this log, and those that follow, soon end with
   YARROW_ERROR_CANCELLED, and what they had begun is freed. */
void yarrow_log_cancel(yarrow_log *log);

size_t yarrow_log_count(const yarrow_log *log);
yarrow_status yarrow_log_message(yarrow_log *log, size_t index,
                                 yarrow_message *message);
/* All messages as lines of text; never NULL. Valid until the next call with
   this log. */
const char *yarrow_log_text(yarrow_log *log);

/* Reads an ONNX, TFLite or QNN model or a Compass IR. Settings:
     weights=PATH             a file of weights that is not beside the model
     input_shape=x=1,3,32,32  lengths that the model leaves open
     input_shape_range=x=1,3,32..64/16,32  several, each with a program of its
                              own (yarrow_choose_variant)
     rounding=reference       of models that are quantized already
   The log of this and of the following functions may be NULL. */
yarrow_status yarrow_model_open(yarrow_log *log, const char *path,
                                const char *const *settings, size_t count,
                                yarrow_model **model);
/* The same of content in memory, which is copied. weights is the content of the
   second file of a format that has two, else NULL. name is what messages call
   it; NULL: "the model". */
yarrow_status yarrow_model_open_memory(yarrow_log *log, const char *name,
                                       const void *data, size_t size_bytes,
                                       const void *weights,
                                       size_t weights_size_bytes,
                                       const char *const *settings,
                                       size_t count, yarrow_model **model);
void yarrow_model_close(yarrow_model *model);

/* Valid while the model is open. */
const char *yarrow_model_name(const yarrow_model *model);
int yarrow_model_is_quantized(const yarrow_model *model);
size_t yarrow_model_num_inputs(const yarrow_model *model);
size_t yarrow_model_num_outputs(const yarrow_model *model);
yarrow_status yarrow_model_input(const yarrow_model *model, size_t index,
                                 yarrow_tensor *tensor);
yarrow_status yarrow_model_output(const yarrow_model *model, size_t index,
                                  yarrow_tensor *tensor);

/* An array in C order that the caller owns. name is that of an input, or NULL
   in all arrays of a call: in the order of inputs. */
typedef struct {
  const char *name;
  yarrow_type type;
  uint32_t rank;
  const int64_t *shape; /* of `rank`; samples lie along the first axis */
  const void *data;     /* aligned for its type */
} yarrow_array;

/* An integer network from a float one, with the ranges of the samples in
   `arrays`. Settings: recipe, winograd, target, and the keys of
   docs/configuration.md that `yarrow quantize` takes. Without recipe it is
   `auto`, as there. The model stays as it is, and may be closed. */
yarrow_status yarrow_quantize(yarrow_log *log, const yarrow_model *model,
                              const yarrow_array *arrays, size_t num_arrays,
                              const char *const *settings, size_t count,
                              yarrow_model **quantized);

/* An executable: the file that `yarrow compile` writes. Settings: target
   (X2_1204 if not given), winograd, tiling, disable_pass, optimize, profile,
   batch, and cache=FOLDER, the only one that writes. */
yarrow_status yarrow_compile(yarrow_log *log, const yarrow_model *model,
                             const char *const *settings, size_t count,
                             yarrow_executable **executable);

/* MAJOR.MINOR.PATCH of the library. */
const char *yarrow_compiler_version(void);

#ifdef __cplusplus
}
#endif

#endif /* YARROW_COMPILER_H */
