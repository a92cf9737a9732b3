/*===- compiler.h - Quantize and compile networks --------------------*- C
-*-===*\
|*                                                                            *|
|* Part of Yarrow, under the Apache License v2.0.                             *|
|*                                                                            *|
|* The public C interface of the compiler: from a model to an executable, in  *|
|* memory. The functions of yarrow.h, which run it, are in the same library,  *|
|* libyarrow_compiler.so.                                                     *|
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
|* The library does not print, write files or handle signals. Several threads *|
|* can use a model or an executable at once, but only one at a time a log,    *|
|* except for yarrow_log_cancel.                                              *|
|*                                                                            *|
|* Settings are an array of `count` texts "key=value"; later ones override    *|
|* earlier ones. A text can also be a JSON object:                            *|
|* {"weight_bits": 4, "recipe": "compass"}.                                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef YARROW_COMPILER_H
#define YARROW_COMPILER_H

#include <yarrow/yarrow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collects the messages of calls in order, and passes their progress to a
   listener. */
typedef struct yarrow_log yarrow_log;
/* A network in floats or integers. */
typedef struct yarrow_model yarrow_model;

typedef enum {
  YARROW_SEVERITY_ERROR = 0,
  YARROW_SEVERITY_WARNING = 1,
  YARROW_SEVERITY_NOTE = 2
} yarrow_severity;

/* Texts are never NULL; unused ones are "". They are valid until the log is
   cleared or closed. */
typedef struct {
  yarrow_severity severity;
  const char *code; /* "E0105", as in `yarrow explain` and docs/diagnostics */
  const char *text; /* all of it, as the program prints it */
  const char *message;
  const char *file;
  uint32_t line; /* 0: none */
  const char *layer;
  const char *found;
  const char *expected;
  const char *hint;
} yarrow_message;

/* Reports that done of total parts of a step are done; total 0: unknown. Any
   thread can call it, but only one at a time for a step. If it does not return
   0, the call is cancelled as by yarrow_log_cancel. */
typedef int (*yarrow_listener)(void *user, const char *step, size_t done,
                               size_t total);

yarrow_status yarrow_log_create(yarrow_log **log);
/* Only when no call is using the log. */
void yarrow_log_close(yarrow_log *log);
/* Removes all messages and undoes yarrow_log_cancel: the next call with this
   log runs. */
void yarrow_log_clear(yarrow_log *log);
void yarrow_log_listen(yarrow_log *log, yarrow_listener listener, void *user);
/* From any thread: the current call with this log, and later ones, soon end
   with YARROW_ERROR_CANCELLED and free everything that they had begun. */
void yarrow_log_cancel(yarrow_log *log);

size_t yarrow_log_count(const yarrow_log *log);
yarrow_status yarrow_log_message(yarrow_log *log, size_t index,
                                 yarrow_message *message);
/* All messages as lines of text; never NULL. Valid until the next call with
   this log. */
const char *yarrow_log_text(yarrow_log *log);

/* Reads an ONNX, TFLite or QNN model or a Compass IR. Settings:
     weights=PATH             a file of weights that is not next to the model
     input_shape=x=1,3,32,32  lengths that the model leaves open
     input_shape_range=x=1,3,32..64/16,32  several lengths, each with its own
                              program (yarrow_choose_variant)
     rounding=reference       rounding of already quantized models
   The log of this and the following functions can be NULL. */
yarrow_status yarrow_model_open(yarrow_log *log, const char *path,
                                const char *const *settings, size_t count,
                                yarrow_model **model);
/* Reads a model from memory, which is copied. weights is the content of the
   second file if the format has two, else NULL. Messages call the model name;
   NULL: "the model". */
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

/* An array in C order that the caller owns. name is an input's name, or NULL in
   all arrays of a call: then they are in the order of inputs. */
typedef struct {
  const char *name;
  yarrow_type type;
  uint32_t rank;
  const int64_t *shape; /* `rank` lengths; samples are along the first axis */
  const void *data;     /* aligned for its type */
} yarrow_array;

/* Quantizes a float network with the ranges of the samples in `arrays`.
   Settings: recipe (default: auto), winograd, target, and the keys of
   docs/configuration.md that `yarrow quantize` accepts. The model does not
   change, and you can close it. */
yarrow_status yarrow_quantize(yarrow_log *log, const yarrow_model *model,
                              const yarrow_array *arrays, size_t num_arrays,
                              const char *const *settings, size_t count,
                              yarrow_model **quantized);

/* Compiles an executable: the file that `yarrow compile` writes. Settings:
   target (default: X2_1204), winograd, tiling, disable_pass, optimize, profile,
   batch, and cache=FOLDER, the only one that writes files. */
yarrow_status yarrow_compile(yarrow_log *log, const yarrow_model *model,
                             const char *const *settings, size_t count,
                             yarrow_executable **executable);

/* MAJOR.MINOR.PATCH of the library. */
const char *yarrow_compiler_version(void);

#ifdef __cplusplus
}
#endif

#endif /* YARROW_COMPILER_H */
