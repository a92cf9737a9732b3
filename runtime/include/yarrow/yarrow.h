/*===- yarrow.h - Run compiled networks ------------------------------*- C
-*-===*\
|*                                                                            *|
|* Part of Yarrow, under the Apache License v2.0.                             *|
|*                                                                            *|
|* The public C interface of the runtime. It loads an executable of `yarrow   *|
|* build` and runs it on the simulated NPU, bit for bit as the NPU would:     *|
|*                                                                            *|
|*   yarrow_executable *model;                                                *|
|*   if (yarrow_open("aipu.bin", &model) != YARROW_OK)                        *|
|*     return fprintf(stderr, "%s", yarrow_last_error()), 1;                  *|
|*   yarrow_tensor input;                                                     *|
|*   yarrow_input(model, 0, &input);        // name, type, shape, scale ...   *|
|*                                                                            *|
|*   yarrow_options options = YARROW_DEFAULT_OPTIONS;                         *|
|*   options.timed = 1;                                                       *|
|*   yarrow_session *session;                                                 *|
|*   yarrow_create_session(model, &options, &session);                        *|
|*   yarrow_set_input(session, 0, pixels, input.size_bytes);                  *|
|*   yarrow_run(session);                                                     *|
|*   yarrow_get_output(session, 0, scores, sizeof scores);                    *|
|*   printf("%llu cycles\n", (unsigned long long)yarrow_cycles(session));     *|
|*   yarrow_close_session(session);                                           *|
|*   yarrow_close(model);                                                     *|
|*                                                                            *|
|* Several threads can use an executable at once, but only one at a time can  *|
|* use a session. A function that fails leaves a text for                     *|
|* yarrow_last_error().                                                       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef YARROW_YARROW_H
#define YARROW_YARROW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct yarrow_executable yarrow_executable;
typedef struct yarrow_session yarrow_session;

typedef enum {
  YARROW_OK = 0,
  YARROW_ERROR_FILE = 1,      /* unreadable, malformed, or not made by Yarrow */
  YARROW_ERROR_ARGUMENT = 2,  /* a null pointer, index or size; wrong order */
  YARROW_ERROR_TARGET = 3,    /* the machine does not exist or does not fit */
  YARROW_ERROR_FAULT = 4,     /* the program faulted in the simulator */
  YARROW_ERROR_RESOURCES = 5, /* not enough memory or threads */
  /* Only for compiler.h: */
  YARROW_ERROR_MODEL = 6,    /* not possible with this network or data */
  YARROW_ERROR_CANCELLED = 7 /* the call was cancelled */
} yarrow_status;

/* The numbers of the Compass driver's aipu_data_type_t. */
typedef enum {
  YARROW_BOOL = 1,
  YARROW_UINT8 = 2,
  YARROW_INT8 = 3,
  YARROW_UINT16 = 4,
  YARROW_INT16 = 5,
  YARROW_UINT32 = 6,
  YARROW_INT32 = 7,
  YARROW_UINT64 = 8,
  YARROW_INT64 = 9,
  YARROW_FLOAT16 = 10,
  YARROW_FLOAT32 = 11
} yarrow_type;

#define YARROW_MAX_RANK 8

/* real value = (stored + zero_point) / scale */
typedef struct {
  const char *name; /* valid while the executable is open */
  yarrow_type type;
  uint32_t rank; /* 0 if the file does not have the shape */
  int64_t shape[YARROW_MAX_RANK];
  size_t size_bytes;
  float scale;
  int32_t zero_point;
} yarrow_tensor;

typedef struct {
  const char *target; /* NULL: the target it was compiled for */
  int timed;          /* count cycles; results do not depend on it */
  int trace;          /* keep events for yarrow_report and yarrow_trace */
  /* A run faults after this much work, in units of about 5 ns on the host: a
     TEC instruction, 64 multiplications of the tensor engine. 0: the default,
     about a minute. */
  uint64_t instruction_budget;
} yarrow_options;
#define YARROW_DEFAULT_OPTIONS {NULL, 0, 0, 0}

yarrow_status yarrow_open(const char *path, yarrow_executable **executable);
/* Opens a file in memory, which is copied. Its constants must be inside. */
yarrow_status yarrow_open_memory(const void *data, size_t size_bytes,
                                 yarrow_executable **executable);
/* The bytes of the file, valid while the executable is open. */
yarrow_status yarrow_content(const yarrow_executable *executable,
                             const void **data, size_t *size_bytes);
void yarrow_close(yarrow_executable *executable);

size_t yarrow_num_inputs(const yarrow_executable *executable);
size_t yarrow_num_outputs(const yarrow_executable *executable);
yarrow_status yarrow_input(const yarrow_executable *executable, size_t index,
                           yarrow_tensor *tensor);
yarrow_status yarrow_output(const yarrow_executable *executable, size_t index,
                            yarrow_tensor *tensor);

/* An executable can have programs for several shapes of its inputs, in
   ascending order; 0: there is nothing to choose. After opening, the last one
   is chosen. yarrow_input, yarrow_output and sessions that you create later use
   the chosen one. */
size_t yarrow_num_variants(const yarrow_executable *executable);
yarrow_status yarrow_choose_variant(yarrow_executable *executable,
                                    size_t index);

/* options can be NULL. You can close the executable before the session. */
yarrow_status yarrow_create_session(const yarrow_executable *executable,
                                    const yarrow_options *options,
                                    yarrow_session **session);
void yarrow_close_session(yarrow_session *session);

/* The data are copied. An input keeps its value for all later runs, until you
   set it again. */
yarrow_status yarrow_set_input(yarrow_session *session, size_t index,
                               const void *data, size_t size_bytes);
/* YARROW_ERROR_ARGUMENT if an input was never set; yarrow_last_error() names
   those inputs. */
yarrow_status yarrow_run(yarrow_session *session);
/* An output of the last run. YARROW_ERROR_ARGUMENT before the first run, and if
   the last one failed. */
yarrow_status yarrow_get_output(yarrow_session *session, size_t index,
                                void *data, size_t size_bytes);

/* States are tensors that a network keeps on the device from run to run
   (docs/state.md). They begin with the executable's values, and a run that
   fails leaves them unchanged. They are not among the inputs and outputs; name
   is the name of the state's input in the model. */
size_t yarrow_num_states(const yarrow_executable *executable);
yarrow_status yarrow_state(const yarrow_executable *executable, size_t index,
                           yarrow_tensor *tensor);
/* The value with which the next run begins. */
yarrow_status yarrow_set_state(yarrow_session *session, size_t index,
                               const void *data, size_t size_bytes);
yarrow_status yarrow_get_state(yarrow_session *session, size_t index,
                               void *data, size_t size_bytes);
/* Resets all states to their values before the first run. */
yarrow_status yarrow_reset_states(yarrow_session *session);

/* Counters of the last run; cycles are 0 unless the session is timed. */
uint64_t yarrow_cycles(const yarrow_session *session);
uint64_t yarrow_instructions(const yarrow_session *session);
/* Texts about the last run of a session with `trace` set: a table of layers,
   the same as JSON (docs/report.md), and a trace for Perfetto. Valid until the
   next call with this session; NULL without `trace`. */
const char *yarrow_report(yarrow_session *session);
const char *yarrow_report_json(yarrow_session *session);
const char *yarrow_trace(yarrow_session *session);

/* Describes the last failure on this thread, as lines of text; "" if nothing
   failed; never NULL. The text belongs to the library and stays valid until the
   next function fails on the same thread, or the thread ends. Functions that
   succeed, and other threads, do not change it. To keep it longer, copy it. */
const char *yarrow_last_error(void);

#ifdef __cplusplus
}
#endif

#endif /* YARROW_YARROW_H */
