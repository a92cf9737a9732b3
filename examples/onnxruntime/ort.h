/* The functions of ONNX Runtime that run.c calls, at their places in the table
   of version 23 (ONNX Runtime 1.23) and later: enough to build it where only
   the library is installed. With the header of ONNX Runtime instead, compile
   with -DHAVE_ORT_HEADER. */
#ifndef YARROW_EXAMPLES_ONNXRUNTIME_ORT_H
#define YARROW_EXAMPLES_ONNXRUNTIME_ORT_H
#ifdef HAVE_ORT_HEADER
#include <onnxruntime_c_api.h>
#else
#include <stddef.h>
#include <stdint.h>

#define ORT_API_VERSION 23
typedef struct OrtStatus OrtStatus;
typedef struct OrtEnv OrtEnv;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtAllocator OrtAllocator;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtValue OrtValue;
typedef struct OrtEpDevice OrtEpDevice;
typedef enum { ORT_WARNING = 2 } OrtLoggingLevel;
typedef int ONNXTensorElementDataType;

/* Places that nobody here calls. */
#define ORT_GAP(first, next) void *gap##first[next - first];

typedef struct {
  ORT_GAP(0, 2)
  const char *(*GetErrorMessage)(const OrtStatus *);
  OrtStatus *(*CreateEnv)(int level, const char *name, OrtEnv **);
  ORT_GAP(4, 7)
  OrtStatus *(*CreateSession)(const OrtEnv *, const char *path,
                              const OrtSessionOptions *, OrtSession **);
  ORT_GAP(8, 9)
  OrtStatus *(*Run)(OrtSession *, const void *options,
                    const char *const *inputs, const OrtValue *const *values,
                    size_t num_inputs, const char *const *outputs,
                    size_t num_outputs, OrtValue **results);
  OrtStatus *(*CreateSessionOptions)(OrtSessionOptions **);
  ORT_GAP(11, 14)
  OrtStatus *(*EnableProfiling)(OrtSessionOptions *, const char *prefix);
  ORT_GAP(15, 22)
  OrtStatus *(*SetSessionLogSeverityLevel)(OrtSessionOptions *, int level);
  OrtStatus *(*SetSessionGraphOptimizationLevel)(OrtSessionOptions *, int);
  OrtStatus *(*SetIntraOpNumThreads)(OrtSessionOptions *, int threads);
  ORT_GAP(25, 30)
  OrtStatus *(*SessionGetInputCount)(const OrtSession *, size_t *);
  OrtStatus *(*SessionGetOutputCount)(const OrtSession *, size_t *);
  ORT_GAP(32, 33)
  OrtStatus *(*SessionGetInputTypeInfo)(const OrtSession *, size_t,
                                        OrtTypeInfo **);
  ORT_GAP(34, 36)
  OrtStatus *(*SessionGetInputName)(const OrtSession *, size_t, OrtAllocator *,
                                    char **);
  OrtStatus *(*SessionGetOutputName)(const OrtSession *, size_t, OrtAllocator *,
                                     char **);
  ORT_GAP(38, 48)
  OrtStatus *(*CreateTensorAsOrtValue)(OrtAllocator *, const int64_t *shape,
                                       size_t rank, ONNXTensorElementDataType,
                                       OrtValue **);
  ORT_GAP(49, 51)
  OrtStatus *(*GetTensorMutableData)(OrtValue *, void **);
  ORT_GAP(52, 55)
  OrtStatus *(*CastTypeInfoToTensorInfo)(const OrtTypeInfo *,
                                         const OrtTensorTypeAndShapeInfo **);
  ORT_GAP(56, 60)
  OrtStatus *(*GetTensorElementType)(const OrtTensorTypeAndShapeInfo *,
                                     ONNXTensorElementDataType *);
  OrtStatus *(*GetDimensionsCount)(const OrtTensorTypeAndShapeInfo *, size_t *);
  OrtStatus *(*GetDimensions)(const OrtTensorTypeAndShapeInfo *, int64_t *,
                              size_t);
  ORT_GAP(63, 65)
  OrtStatus *(*GetTensorTypeAndShape)(const OrtValue *,
                                      OrtTensorTypeAndShapeInfo **);
  ORT_GAP(66, 76)
  OrtStatus *(*AllocatorFree)(OrtAllocator *, void *);
  ORT_GAP(77, 78)
  OrtStatus *(*GetAllocatorWithDefaultOptions)(OrtAllocator **);
  ORT_GAP(79, 92)
  void (*ReleaseEnv)(OrtEnv *);
  void (*ReleaseStatus)(OrtStatus *);
  ORT_GAP(94, 95)
  void (*ReleaseSession)(OrtSession *);
  void (*ReleaseValue)(OrtValue *);
  ORT_GAP(97, 98)
  void (*ReleaseTypeInfo)(OrtTypeInfo *);
  void (*ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo *);
  void (*ReleaseSessionOptions)(OrtSessionOptions *);
  ORT_GAP(101, 110)
  OrtStatus *(*SessionEndProfiling)(OrtSession *, OrtAllocator *, char **file);
  ORT_GAP(111, 130)
  OrtStatus *(*AddSessionConfigEntry)(OrtSessionOptions *, const char *key,
                                      const char *value);
  ORT_GAP(131, 301)
  OrtStatus *(*RegisterExecutionProviderLibrary)(OrtEnv *, const char *name,
                                                 const char *path);
  OrtStatus *(*UnregisterExecutionProviderLibrary)(OrtEnv *, const char *name);
  OrtStatus *(*GetEpDevices)(const OrtEnv *, const OrtEpDevice *const **,
                             size_t *);
  OrtStatus *(*SessionOptionsAppendExecutionProvider_V2)(
      OrtSessionOptions *, OrtEnv *, const OrtEpDevice *const *, size_t,
      const char *const *keys, const char *const *values, size_t num_options);
  ORT_GAP(305, 312)
  const char *(*EpDevice_EpName)(const OrtEpDevice *);
  ORT_GAP(313, 318)
  OrtStatus *(*GetTensorSizeInBytes)(const OrtValue *, size_t *);
} OrtApi;

typedef struct {
  const OrtApi *(*GetApi)(uint32_t version);
  const char *(*GetVersionString)(void);
} OrtApiBase;
extern const OrtApiBase *OrtGetApiBase(void);

#endif
#endif
