/*===- compass.h - What this example uses of the Compass driver
 * ---------------===
 *
 * Part of Yarrow, under the Apache License v2.0.
 *
 * Declarations in C of some functions of the public Compass user-mode driver
 * (libaipudrv.so), whose own header is C++. An application that has that header
 * uses it instead; names, values and layouts are the driver's.
 *
 *===----------------------------------------------------------------------===*/
#ifndef YARROW_EXAMPLES_DRIVER_COMPASS_H
#define YARROW_EXAMPLES_DRIVER_COMPASS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ctx_handle aipu_ctx_handle_t;

/** 0 is success; aipu_get_error_message tells the others. */
typedef int aipu_status_t;

typedef enum {
  AIPU_TENSOR_TYPE_INPUT = 0,
  AIPU_TENSOR_TYPE_OUTPUT = 1,
} aipu_tensor_type_t;

/** real = (stored + zero_point) / scale, in executables of Yarrow. */
typedef struct {
  uint32_t id;
  uint32_t size; /**< Bytes. */
  float scale;
  int32_t zero_point;
  int32_t data_type; /**< 2 uint8, 3 int8, 4 uint16, 5 int16, 11 float32, ... */
} aipu_tensor_desc_t;

aipu_status_t aipu_init_context(aipu_ctx_handle_t **context);
aipu_status_t aipu_deinit_context(const aipu_ctx_handle_t *context);
aipu_status_t aipu_get_error_message(const aipu_ctx_handle_t *context,
                                     aipu_status_t status,
                                     const char **message);
aipu_status_t aipu_load_graph(const aipu_ctx_handle_t *context,
                              const char *path, uint64_t *graph, void *config);
aipu_status_t aipu_unload_graph(const aipu_ctx_handle_t *context,
                                uint64_t graph);
aipu_status_t aipu_create_job(const aipu_ctx_handle_t *context, uint64_t graph,
                              uint64_t *job, void *config);
/** Starts the job and waits; a time below 0 waits as long as it takes. */
aipu_status_t aipu_finish_job(const aipu_ctx_handle_t *context, uint64_t job,
                              int32_t timeout_ms);
aipu_status_t aipu_clean_job(const aipu_ctx_handle_t *context, uint64_t job);
aipu_status_t aipu_get_tensor_count(const aipu_ctx_handle_t *context,
                                    uint64_t graph, aipu_tensor_type_t type,
                                    uint32_t *count);
aipu_status_t aipu_get_tensor_descriptor(const aipu_ctx_handle_t *context,
                                         uint64_t graph,
                                         aipu_tensor_type_t type,
                                         uint32_t index,
                                         aipu_tensor_desc_t *description);
aipu_status_t aipu_load_tensor(const aipu_ctx_handle_t *context, uint64_t job,
                               uint32_t index, const void *data);
aipu_status_t aipu_get_tensor(const aipu_ctx_handle_t *context, uint64_t job,
                              aipu_tensor_type_t type, uint32_t index,
                              void *data);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* YARROW_EXAMPLES_DRIVER_COMPASS_H */
