/*===- NeuralNetworks.h - NNAPI on Yarrow -------------------------*- C -*-===*\
|*                                                                            *|
|* Part of Yarrow, under the Apache License v2.0.                             *|
|*                                                                            *|
|* The functions of Android's NNAPI, as libneuralnetworks.so exports them.    *|
|* Models are compiled for the simulated NPU and run on it; one more device,  *|
|* nnapi-reference, computes on the host:                                     *|
|*                                                                            *|
|*   ANeuralNetworksModel *model;                                             *|
|*   ANeuralNetworksModel_create(&model);                                     *|
|*   ANeuralNetworksModel_addOperand(model, &type);        // operand 0 ...   *|
|*   ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU,           *|
|*                                     1, inputs, 1, outputs);                *|
|*   ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, inputs,          *|
|*                                                 1, outputs);               *|
|*   ANeuralNetworksModel_finish(model);                                      *|
|*                                                                            *|
|*   ANeuralNetworksCompilation *compilation;                                 *|
|*   ANeuralNetworksCompilation_create(model, &compilation);                  *|
|*   ANeuralNetworksCompilation_finish(compilation);                          *|
|*                                                                            *|
|*   ANeuralNetworksExecution *execution;                                     *|
|*   ANeuralNetworksExecution_create(compilation, &execution);                *|
|*   ANeuralNetworksExecution_setInput(execution, 0, NULL, x, sizeof x);      *|
|*   ANeuralNetworksExecution_setOutput(execution, 0, NULL, y, sizeof y);     *|
|*   ANeuralNetworksExecution_compute(execution);                             *|
|*                                                                            *|
|* docs/nnapi.md describes which checks happen when, and which environment    *|
|* variables choose the device and print reasons.                             *|
|*                                                                            *|
|* Functions that return int return a ResultCode. Functions that create an    *|
|* object set the pointer to NULL when they fail. Functions that free accept  *|
|* NULL, and any order: an object stays alive while another one uses it.      *|
|*                                                                            *|
|* Threads: only one thread at a time can use an object while it is built.    *|
|* Several can use finished models, finished compilations, different          *|
|* executions of one compilation, and one event.                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef YARROW_NEURALNETWORKS_H
#define YARROW_NEURALNETWORKS_H

#include <yarrow/NeuralNetworksTypes.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===- Devices -----------------------------------------------------------===*\
|  One for each target ("yarrow-X2_1204" ...), then "nnapi-reference". They  |
|  belong to the library.                                                    |
\*===----------------------------------------------------------------------===*/

int ANeuralNetworks_getDeviceCount(uint32_t *numDevices);
int ANeuralNetworks_getDevice(uint32_t devIndex,
                              ANeuralNetworksDevice **device);
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device,
                                  const char **name);
/* A DeviceTypeCode: ACCELERATOR, or CPU for nnapi-reference. */
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device,
                                  int32_t *type);
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device,
                                     const char **version);
/* The highest FeatureLevelCode whose operations the device all supports. */
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
                                          int64_t *featureLevel);
/* Waits until the device is ready; simulated devices always are. */
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device);
/* A FeatureLevelCode: the functions and operations of this library. */
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

/*===- Memory ------------------------------------------------------------===*\
|  Values and arguments can be in memory objects instead of buffers.         |
\*===----------------------------------------------------------------------===*/

/* Maps \p size bytes of a file from \p offset on; \p protect has PROT_READ and
   PROT_WRITE as in mmap(2). You can close the descriptor afterwards. */
int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd,
                                       size_t offset,
                                       ANeuralNetworksMemory **memory);
/* Returns BAD_DATA: hardware buffers are not supported. */
int ANeuralNetworksMemory_createFromAHardwareBuffer(
    const AHardwareBuffer *buffer, ANeuralNetworksMemory **memory);
/* Memory for the roles of \p desc, which can otherwise only be copied. Its
   value is undefined until an execution or a copy writes it; then it has the
   lengths of the written value. */
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
                                         ANeuralNetworksMemory **memory);
/* Copies all of \p src. Both must have the same size where it is known. */
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src,
                               const ANeuralNetworksMemory *dst);
void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory);

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc);
/* The memory will be input \p index of executions of the finished \p
   compilation.
   \p frequency: how likely, above 0 and at most 1. */
int ANeuralNetworksMemoryDesc_addInputRole(
    ANeuralNetworksMemoryDesc *desc,
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    float frequency);
int ANeuralNetworksMemoryDesc_addOutputRole(
    ANeuralNetworksMemoryDesc *desc,
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    float frequency);
/* Sets lengths that the roles' operands leave open; 0: still open. */
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc,
                                            uint32_t rank,
                                            const uint32_t *dimensions);
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc);
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc);

/*===- Models ------------------------------------------------------------===*\
|  Operands are numbered in the order in which you add them. finish checks    |
|  the whole model. After that, or if the model is not valid, all functions  |
|  that change it return BAD_STATE.                                          |
\*===----------------------------------------------------------------------===*/

int ANeuralNetworksModel_create(ANeuralNetworksModel **model);
/* Copies the values that are still in the client's buffers and memories. */
int ANeuralNetworksModel_finish(ANeuralNetworksModel *model);
void ANeuralNetworksModel_free(ANeuralNetworksModel *model);
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
                                    const ANeuralNetworksOperandType *type);
/* Sets a constant. NULL and 0 leave an optional operand out. A buffer of more
   than MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES bytes must stay until finish. */
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model,
                                         int32_t index, const void *buffer,
                                         size_t length);
int ANeuralNetworksModel_setOperandValueFromMemory(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksMemory *memory, size_t offset, size_t length);
/* \p value must be finished, and the operand must have the type MODEL. */
int ANeuralNetworksModel_setOperandValueFromModel(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksModel *value);
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams *channelQuant);
/* You can add operations in any order. */
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
                                      ANeuralNetworksOperationType type,
                                      uint32_t inputCount,
                                      const uint32_t *inputs,
                                      uint32_t outputCount,
                                      const uint32_t *outputs);
/* Only once. */
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model,
                                                  uint32_t inputCount,
                                                  const uint32_t *inputs,
                                                  uint32_t outputCount,
                                                  const uint32_t *outputs);
/* Allows computing float32 with the range and precision of float16. */
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(
    ANeuralNetworksModel *model, bool allow);
/* Sets one bool for each operation, in the order in which they were added:
   whether one of the devices computes it. The model must be finished. */
int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel *model,
    const ANeuralNetworksDevice *const *devices, uint32_t numDevices,
    bool *supportedOps);

/*===- Compilations ------------------------------------------------------===*\
|  finish compiles a model if its lengths and weights are known. Otherwise   |
|  the first execution with new lengths compiles it.                         |
\*===----------------------------------------------------------------------===*/

/* For the device that YARROW_NNAPI_TARGET names. */
int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model,
                                      ANeuralNetworksCompilation **compilation);
/* For the first of these devices that computes the whole model. */
int ANeuralNetworksCompilation_createForDevices(
    ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
    uint32_t numDevices, ANeuralNetworksCompilation **compilation);
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation);
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation);
/* A PreferenceCode. It has no effect: the NPU has one way to run. */
int ANeuralNetworksCompilation_setPreference(
    ANeuralNetworksCompilation *compilation, int32_t preference);
/* A PriorityCode: jobs with a higher one begin first. */
int ANeuralNetworksCompilation_setPriority(
    ANeuralNetworksCompilation *compilation, int priority);
/* Nanoseconds for finish; 0: no limit. The compilation must be for one device,
   from createForDevices. */
int ANeuralNetworksCompilation_setTimeout(
    ANeuralNetworksCompilation *compilation, uint64_t duration);
/* Keeps compiled programs in the folder \p cacheDir, under the name of the
   32-byte token. If the folder cannot be used, the model is compiled anyway. */
int ANeuralNetworksCompilation_setCaching(
    ANeuralNetworksCompilation *compilation, const char *cacheDir,
    const uint8_t *token);
/* The layout of arguments that needs the least work; it is not required. */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *alignment);
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *padding);
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *alignment);
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *padding);

/*===- Executions --------------------------------------------------------===*\
|  Set each argument once; then compute the execution once, or repeatedly    |
|  with the same buffers if it is reusable. Keep buffers, and do not change  |
|  them, until compute returns or a wait for the event returns.              |
\*===----------------------------------------------------------------------===*/

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
                                    ANeuralNetworksExecution **execution);
/* Waits for a running computation. */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution);
/* \p index counts the model's inputs. \p type (or NULL) sets lengths that the
   model leaves open. NULL and 0 bytes leave an optional input out. */
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution,
                                      int32_t index,
                                      const ANeuralNetworksOperandType *type,
                                      const void *buffer, size_t length);
int ANeuralNetworksExecution_setInputFromMemory(
    ANeuralNetworksExecution *execution, int32_t index,
    const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory,
    size_t offset, size_t length);
/* If lengths are open, the buffer can have any size; compute returns
   OUTPUT_INSUFFICIENT_SIZE if it is too small. */
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution,
                                       int32_t index,
                                       const ANeuralNetworksOperandType *type,
                                       void *buffer, size_t length);
int ANeuralNetworksExecution_setOutputFromMemory(
    ANeuralNetworksExecution *execution, int32_t index,
    const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory,
    size_t offset, size_t length);
/* Call it before setting the first argument. */
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution,
                                         bool reusable);
/* Allows buffers longer than their values. Call it before setting the first
   argument. */
int ANeuralNetworksExecution_enableInputAndOutputPadding(
    ANeuralNetworksExecution *execution, bool enable);
/* The compilation must be for one device, from createForDevices. */
int ANeuralNetworksExecution_setMeasureTiming(
    ANeuralNetworksExecution *execution, bool measure);
/* Nanoseconds for computing; 0: no limit. One device, as above. */
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution,
                                        uint64_t duration);
/* Nanoseconds for each WHILE, at most the maximum; 0: the default. */
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution,
                                            uint64_t duration);
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution);
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksEvent **event);
/* Begins when all of \p dependencies are signalled, and fails if one of them
   failed. \p duration is as in setTimeout and counts from the beginning. */
int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution *execution,
    const ANeuralNetworksEvent *const *dependencies, uint32_t numDependencies,
    uint64_t duration, ANeuralNetworksEvent **event);
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksBurst *burst);
/* After the execution has completed: the lengths of the last results, also if
   the buffer was too small for them (OUTPUT_INSUFFICIENT_SIZE). */
int ANeuralNetworksExecution_getOutputOperandRank(
    ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank);
int ANeuralNetworksExecution_getOutputOperandDimensions(
    ANeuralNetworksExecution *execution, int32_t index, uint32_t *dimensions);
/* Takes a DurationCode; returns UINT64_MAX if it is not measured. */
int ANeuralNetworksExecution_getDuration(
    const ANeuralNetworksExecution *execution, int32_t durationCode,
    uint64_t *duration);
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void); /* 2 s */
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void); /* 15 s */

/*===- Bursts and events -------------------------------------------------===*/

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                ANeuralNetworksBurst **burst);
void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst);
/* Returns the execution's result code. */
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event);
/* Waits for the execution, but not for a descriptor. */
void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event);
/* Signalled when poll(2) can read the descriptor, which is copied. */
int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd,
                                               ANeuralNetworksEvent **event);
/* Returns a descriptor that the client owns. For an execution's event: -1 and
   BAD_DATA, as they have no fences. */
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event,
                                        int *sync_fence_fd);

/*===- Extensions --------------------------------------------------------===*\
|  Extensions are not supported: every name returns false, or BAD_DATA.      |
\*===----------------------------------------------------------------------===*/

int ANeuralNetworksDevice_getExtensionSupport(
    const ANeuralNetworksDevice *device, const char *extensionName,
    bool *isExtensionSupported);
int ANeuralNetworksModel_getExtensionOperandType(
    ANeuralNetworksModel *model, const char *extensionName,
    uint16_t operandCodeWithinExtension, int32_t *type);
int ANeuralNetworksModel_getExtensionOperationType(
    ANeuralNetworksModel *model, const char *extensionName,
    uint16_t operationCodeWithinExtension, ANeuralNetworksOperationType *type);
int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model,
                                                 int32_t index,
                                                 const void *data,
                                                 size_t length);
int ANeuralNetworksCompilation_addExtensionAttribute(
    ANeuralNetworksCompilation *compilation, const char *extensionName,
    uint16_t attributeCodeWithinExtension, const void *data, size_t length);
int ANeuralNetworksExecution_addExtensionAttribute(
    ANeuralNetworksExecution *execution, const char *extensionName,
    uint16_t attributeCodeWithinExtension, const void *data, size_t length);

#ifdef __cplusplus
}
#endif

#endif /* YARROW_NEURALNETWORKS_H */
