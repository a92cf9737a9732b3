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
|* docs/nnapi.md says what is checked when, and which variables of the        *|
|* environment choose the device and tell reasons.                            *|
|*                                                                            *|
|* Functions that give int return a ResultCode. Those that make an object set *|
|* the pointer to NULL when they fail. All of type free take NULL, and in any *|
|* order: an object that another one uses lives on inside.                    *|
|*                                                                            *|
|* Threads: an object is used by one thread at a time while it is built.      *|
|* Finished models and compilations may be used by several, and so may        *|
|* different executions of one compilation, and one event.                    *|
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
/* A DeviceTypeCode: ACCELERATOR, or CPU of nnapi-reference. */
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device,
                                  int32_t *type);
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device,
                                     const char **version);
/* The last FeatureLevelCode all of whose operations it takes. */
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
                                          int64_t *featureLevel);
/* Until the device can be used; a simulated one always can. */
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device);
/* A FeatureLevelCode: which functions and operations this library has. */
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

/*===- Memory ------------------------------------------------------------===*\
|  Values and arguments may lie in memory objects instead of buffers.        |
\*===----------------------------------------------------------------------===*/

/* Maps \p size bytes of a file from \p offset on; \p protect has PROT_READ and
   PROT_WRITE as in mmap(2). The descriptor may be closed afterwards. */
int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd,
                                       size_t offset,
                                       ANeuralNetworksMemory **memory);
/* BAD_DATA: there are no such buffers here. */
int ANeuralNetworksMemory_createFromAHardwareBuffer(
    const AHardwareBuffer *buffer, ANeuralNetworksMemory **memory);
/* Memory for the roles that \p desc has; nothing else may be done with it but
   copies. Its value is not defined before an execution or a copy wrote it, and
   then it has the lengths of what was written. */
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
                                         ANeuralNetworksMemory **memory);
/* All of \p src, which has the size of \p dst where both are known. */
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src,
                               const ANeuralNetworksMemory *dst);
void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory);

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc);
/* The memory will be input \p index of executions of \p compilation, which is
   finished. \p frequency: how likely, above 0 and up to 1. */
int ANeuralNetworksMemoryDesc_addInputRole(
    ANeuralNetworksMemoryDesc *desc,
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    float frequency);
int ANeuralNetworksMemoryDesc_addOutputRole(
    ANeuralNetworksMemoryDesc *desc,
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    float frequency);
/* Lengths that the roles' operands leave open; 0: still open. */
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc,
                                            uint32_t rank,
                                            const uint32_t *dimensions);
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc);
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc);

/*===- Models ------------------------------------------------------------===*\
|  Operands have numbers in the order in which they are added. A model is    |
|  checked as a whole when it is finished; after that, or if it is wrong, every|
|  other function that changes it gives BAD_STATE.                           |
\*===----------------------------------------------------------------------===*/

int ANeuralNetworksModel_create(ANeuralNetworksModel **model);
/* Copies the values that are still in the client's buffers and memories. */
int ANeuralNetworksModel_finish(ANeuralNetworksModel *model);
void ANeuralNetworksModel_free(ANeuralNetworksModel *model);
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
                                    const ANeuralNetworksOperandType *type);
/* A constant. NULL and 0: an optional operand that is left out. More than
   MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES bytes must stay until finish. */
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model,
                                         int32_t index, const void *buffer,
                                         size_t length);
int ANeuralNetworksModel_setOperandValueFromMemory(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksMemory *memory, size_t offset, size_t length);
/* \p value is finished; the operand has the type MODEL. */
int ANeuralNetworksModel_setOperandValueFromModel(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksModel *value);
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams *channelQuant);
/* Operations may be added in any order. */
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
                                      ANeuralNetworksOperationType type,
                                      uint32_t inputCount,
                                      const uint32_t *inputs,
                                      uint32_t outputCount,
                                      const uint32_t *outputs);
/* Once. */
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model,
                                                  uint32_t inputCount,
                                                  const uint32_t *inputs,
                                                  uint32_t outputCount,
                                                  const uint32_t *outputs);
/* float32 may be computed with the range and precision of float16. */
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(
    ANeuralNetworksModel *model, bool allow);
/* One bool an operation, in the order in which they were added: whether one of
   the devices computes it. The model is finished. */
int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel *model,
    const ANeuralNetworksDevice *const *devices, uint32_t numDevices,
    bool *supportedOps);

/*===- Compilations ------------------------------------------------------===*\
|  What is known of a finished model (lengths, weights) is compiled by finish;|
|  what only an execution knows is compiled by the first that brings it.     |
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
/* A PreferenceCode. It changes nothing: the NPU has one way to run. */
int ANeuralNetworksCompilation_setPreference(
    ANeuralNetworksCompilation *compilation, int32_t preference);
/* A PriorityCode: jobs of a higher one are begun first. */
int ANeuralNetworksCompilation_setPriority(
    ANeuralNetworksCompilation *compilation, int priority);
/* Nanoseconds for finish, 0: any time. The compilation is for one device, by
   createForDevices. */
int ANeuralNetworksCompilation_setTimeout(
    ANeuralNetworksCompilation *compilation, uint64_t duration);
/* Keeps what is compiled in the folder \p cacheDir, under the name of the token
   of 32 bytes. Whatever is wrong with the folder, the model is compiled. */
int ANeuralNetworksCompilation_setCaching(
    ANeuralNetworksCompilation *compilation, const char *cacheDir,
    const uint8_t *token);
/* How arguments should be laid out for the least work; nothing demands it. */
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
|  Arguments are set, each once; then the execution is computed once, or again|
|  and again with the same buffers if it is reusable. Buffers stay, and are not|
|  changed, until compute returns or the event was waited for.               |
\*===----------------------------------------------------------------------===*/

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
                                    ANeuralNetworksExecution **execution);
/* Waits for what is still running. */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution);
/* \p index counts the model's inputs. \p type, or NULL, gives lengths that the
   model leaves open. NULL and 0 bytes: an optional input that is left out. */
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution,
                                      int32_t index,
                                      const ANeuralNetworksOperandType *type,
                                      const void *buffer, size_t length);
int ANeuralNetworksExecution_setInputFromMemory(
    ANeuralNetworksExecution *execution, int32_t index,
    const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory,
    size_t offset, size_t length);
/* Where lengths are open the buffer may have any size, and compute gives
   OUTPUT_INSUFFICIENT_SIZE if it is too small. */
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution,
                                       int32_t index,
                                       const ANeuralNetworksOperandType *type,
                                       void *buffer, size_t length);
int ANeuralNetworksExecution_setOutputFromMemory(
    ANeuralNetworksExecution *execution, int32_t index,
    const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory,
    size_t offset, size_t length);
/* Before the first argument. */
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution,
                                         bool reusable);
/* Buffers may be longer than their values. Before the first argument. */
int ANeuralNetworksExecution_enableInputAndOutputPadding(
    ANeuralNetworksExecution *execution, bool enable);
/* The compilation is for one device, by createForDevices. */
int ANeuralNetworksExecution_setMeasureTiming(
    ANeuralNetworksExecution *execution, bool measure);
/* Nanoseconds for computing, 0: any time. One device, as above. */
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution,
                                        uint64_t duration);
/* Nanoseconds for each WHILE, 0: the default, at most the maximum. */
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution,
                                            uint64_t duration);
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution);
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksEvent **event);
/* Begins when all of \p dependencies are signalled; if one of them failed, so
   does this. \p duration is as in setTimeout and counts from then on. */
int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution *execution,
    const ANeuralNetworksEvent *const *dependencies, uint32_t numDependencies,
    uint64_t duration, ANeuralNetworksEvent **event);
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksBurst *burst);
/* When the execution has completed: lengths of the last results, also if the
   buffer was too small for them (OUTPUT_INSUFFICIENT_SIZE). */
int ANeuralNetworksExecution_getOutputOperandRank(
    ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank);
int ANeuralNetworksExecution_getOutputOperandDimensions(
    ANeuralNetworksExecution *execution, int32_t index, uint32_t *dimensions);
/* A DurationCode; UINT64_MAX where it is not measured. */
int ANeuralNetworksExecution_getDuration(
    const ANeuralNetworksExecution *execution, int32_t durationCode,
    uint64_t *duration);
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void); /* 2 s */
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void); /* 15 s */

/*===- Bursts and events -------------------------------------------------===*/

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                ANeuralNetworksBurst **burst);
void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst);
/* What the execution gave. */
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event);
/* Waits for the execution, but not for a descriptor. */
void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event);
/* Signalled when poll(2) can read the descriptor, of which a copy is kept. */
int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd,
                                               ANeuralNetworksEvent **event);
/* A descriptor of the client's own; -1 and BAD_DATA of an execution's event:
   there are no such fences here. */
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event,
                                        int *sync_fence_fd);

/*===- Extensions --------------------------------------------------------===*\
|  There are none: every name gives false, or BAD_DATA.                      |
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
