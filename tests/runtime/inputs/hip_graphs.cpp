// Graphs of plain HIP: captured over two streams, replayed on new data; made node by node, changed, cloned; and what a
// capture forbids.
#include "hip_check.h"

#include <thread>

/// The nodes of a capture stay until it ends; a stream that is destroyed ends the capture that began in it.
static void endedCaptures(float *memory) {
  hipStream_t origin, joined;
  hipEvent_t fork;
  HIP(hipStreamCreate(&origin));
  HIP(hipStreamCreate(&joined));
  HIP(hipEventCreate(&fork));
  HIP(hipStreamBeginCapture(origin, hipStreamCaptureModeGlobal));
  HIP(hipMemsetAsync(memory, 0, 4, origin));
  hipStreamCaptureStatus status;
  const hipGraphNode_t *tails;
  size_t count;
  HIP(hipStreamGetCaptureInfo_v2(origin, &status, nullptr, nullptr, &tails, &count));
  EXPECT(count == 1);
  FAILS(hipErrorInvalidValue, hipGraphDestroyNode(tails[0]));
  HIP(hipEventRecord(fork, origin));
  HIP(hipStreamWaitEvent(joined, fork, 0));
  HIP(hipMemsetAsync(memory, 0, 4, joined));
  HIP(hipStreamDestroy(origin));
  HIP(hipStreamIsCapturing(joined, &status));
  EXPECT(status == hipStreamCaptureStatusNone);
  void *allocated; // no capture forbids it
  HIP(hipMalloc(&allocated, 16));
  HIP(hipMemsetAsync(allocated, 0, 16, joined));
  HIP(hipStreamSynchronize(joined));
  HIP(hipFree(allocated));
  FAILS(hipErrorCapturedEvent, hipStreamWaitEvent(joined, fork, 0));
  HIP(hipStreamDestroy(joined));
}

/// What a graph's nodes and the graph of a capture can be asked, and what of it can be used again.
static void inspected(const Scale &scale, float *memory) {
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  hipGraph_t graph, captured;
  hipGraphNode_t added, call, kernel, found;
  size_t count = 0, nodes = 0;
  hipStreamCaptureStatus status;
  const hipGraphNode_t *tails;
  hipGraphNode_t all[4];
  // A node that is added to the graph of a capture belongs to it.
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP(scale.launch(memory, memory, 1, 3.0f, stream));
  HIP(hipStreamGetCaptureInfo_v2(stream, &status, nullptr, &captured, &tails, &count));
  EXPECT(count == 1);
  kernel = tails[0];
  HIP(hipGraphAddEmptyNode(&added, captured, &kernel, 1));
  HIP(hipStreamUpdateCaptureDependencies(stream, &added, 1, 1));
  HIP(hipStreamAddCallback(stream, [](hipStream_t, hipError_t, void *) {}, nullptr, 0));
  nodes = 4;
  HIP(hipGraphGetNodes(captured, all, &nodes));
  EXPECT(nodes == 3 && all[0] == kernel && all[1] == added);
  call = all[2];
  HIP(hipStreamEndCapture(stream, &graph));
  EXPECT(graph == captured);

  hipHostNodeParams function;
  FAILS(hipErrorInvalidValue, hipGraphHostNodeGetParams(call, &function));
  FAILS(hipErrorInvalidValue, hipGraphNodeFindInClone(&found, nullptr, graph));
  // The parameters of the captured launch, with another factor.
  hipKernelNodeParams launch;
  HIP(hipGraphKernelNodeGetParams(kernel, &launch));
  EXPECT(launch.kernelParams && *static_cast<float *>(launch.kernelParams[3]) == 3.0f);
  EXPECT(*static_cast<float **>(launch.kernelParams[1]) == memory && launch.blockDim.x == 256);
  float factor = 5, result;
  launch.kernelParams[3] = &factor;
  HIP(hipGraphKernelNodeSetParams(kernel, &launch));
  hipGraphExec_t run;
  HIP(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  const float two = 2;
  HIP(hipMemcpy(memory, &two, 4, hipMemcpyHostToDevice));
  HIP(hipGraphLaunch(run, stream));
  HIP(hipStreamSynchronize(stream));
  HIP(hipMemcpy(&result, memory, 4, hipMemcpyDeviceToHost));
  EXPECT(result == 11.0f);
  HIP(hipStreamDestroy(stream));
}

/// Graphs in graphs in graphs: each copy has a handle.
static void nested() {
  hipGraph_t graphs[4], inner;
  hipGraphNode_t nodes[4], extra;
  size_t count = 0;
  for (int i = 0; i < 4; ++i) {
    HIP(hipGraphCreate(&graphs[i], 0));
    if (i == 0)
      HIP(hipGraphAddEmptyNode(&nodes[i], graphs[i], nullptr, 0));
    else
      HIP(hipGraphAddChildGraphNode(&nodes[i], graphs[i], nullptr, 0, graphs[i - 1]));
  }
  inner = graphs[3];
  hipGraphNode_t node = nodes[3];
  for (int i = 0; i < 3; ++i) {
    HIP(hipGraphChildGraphNodeGetGraph(node, &inner));
    count = 1;
    HIP(hipGraphGetNodes(inner, &node, &count));
    EXPECT(count == 1);
  }
  HIP(hipGraphAddEmptyNode(&extra, inner, &node, 1));
  HIP(hipGraphAddChildGraphNode(&extra, graphs[0], nullptr, 0, inner));
  HIP(hipGraphGetNodes(inner, nullptr, &count));
  EXPECT(count == 2);
}

/// An update needs the same kinds of nodes, with the same edges.
static void updates(float *memory) {
  hipMemsetParams fill = {};
  fill.dst = memory;
  fill.elementSize = 4;
  fill.width = fill.height = 1;
  auto make = [&](hipGraph_t &graph, hipGraphNode_t *nodes, bool isEmpty, bool isChain) {
    HIP(hipGraphCreate(&graph, 0));
    HIP(hipGraphAddMemsetNode(&nodes[0], graph, nullptr, 0, &fill));
    if (isEmpty)
      HIP(hipGraphAddEmptyNode(&nodes[1], graph, nodes, 1));
    else
      HIP(hipGraphAddMemsetNode(&nodes[1], graph, nodes, 1, &fill));
    HIP(hipGraphAddMemsetNode(&nodes[2], graph, nodes + isChain, 1, &fill));
  };
  hipGraph_t first, same, otherKind, otherEdges;
  hipGraphNode_t nodes[3], where;
  hipGraphExec_t run;
  hipGraphExecUpdateResult result;
  make(first, nodes, false, true);
  HIP(hipGraphInstantiate(&run, first, nullptr, nullptr, 0));
  make(same, nodes, false, true);
  HIP(hipGraphExecUpdate(run, same, &where, &result));
  EXPECT(result == hipGraphExecUpdateSuccess && !where);
  make(otherKind, nodes, true, true);
  FAILS(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(run, otherKind, &where, &result));
  EXPECT(result == hipGraphExecUpdateErrorNodeTypeChanged && where == nodes[1]);
  make(otherEdges, nodes, false, false);
  FAILS(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(run, otherEdges, &where, &result));
  EXPECT(result == hipGraphExecUpdateErrorTopologyChanged && where == nodes[2]);
  HIP(hipGraphDestroyNode(nodes[2]));
  FAILS(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(run, otherEdges, &where, &result));
  EXPECT(result == hipGraphExecUpdateErrorTopologyChanged && !where);
}

/// Nodes of copies and of events tell what they have, and take something else.
static void parameters(float *memory) {
  hipGraph_t graph;
  hipGraphNode_t copy, record, wait;
  hipEvent_t first, second, found;
  float host[8] = {};
  HIP(hipGraphCreate(&graph, 0));
  HIP(hipEventCreate(&first));
  HIP(hipEventCreate(&second));
  HIP(hipGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, memory, host, sizeof host, hipMemcpyHostToDevice));
  HIP(hipGraphAddEventWaitNode(&wait, graph, &copy, 1, second));
  HIP(hipGraphAddEventRecordNode(&record, graph, &wait, 1, first));
  hipMemcpy3DParms box;
  HIP(hipGraphMemcpyNodeGetParams(copy, &box));
  EXPECT(box.dstPtr.ptr == memory && box.srcPtr.ptr == host && box.kind == hipMemcpyHostToDevice);
  EXPECT(box.extent.width == sizeof host && box.extent.height == 1 && box.extent.depth == 1);
  host[4] = 9;
  box.srcPtr.ptr = host + 4;
  box.extent.width = 4;
  HIP(hipGraphMemcpyNodeSetParams(copy, &box));
  FAILS(hipErrorInvalidValue, hipGraphEventRecordNodeGetEvent(wait, &found));
  HIP(hipGraphEventRecordNodeGetEvent(record, &found));
  EXPECT(found == first);
  HIP(hipGraphEventWaitNodeGetEvent(wait, &found));
  EXPECT(found == second);
  HIP(hipGraphEventRecordNodeSetEvent(record, second));
  HIP(hipGraphEventWaitNodeSetEvent(wait, first));
  FAILS(hipErrorInvalidValue, hipGraphEventWaitNodeSetEvent(record, first));
  HIP(hipGraphEventRecordNodeGetEvent(record, &found));
  EXPECT(found == second);
  hipGraphExec_t run;
  HIP(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  hipEvent_t third;
  HIP(hipEventCreate(&third));
  HIP(hipGraphExecEventRecordNodeSetEvent(run, record, third));
  HIP(hipGraphExecEventWaitNodeSetEvent(run, wait, second));
  FAILS(hipErrorInvalidHandle, hipGraphExecEventWaitNodeSetEvent(run, wait, nullptr));
  HIP(hipGraphLaunch(run, nullptr));
  HIP(hipDeviceSynchronize());
  float milliseconds, result;
  HIP(hipEventRecord(first, nullptr));
  HIP(hipDeviceSynchronize());
  HIP(hipEventElapsedTime(&milliseconds, third, first));
  HIP(hipMemcpy(&result, memory, 4, hipMemcpyDeviceToHost));
  EXPECT(result == 9.0f);
}

int main(int, char **argv) {
  const int n = 777;
  const size_t bytes = n * sizeof(float);
  Scale scale(argv[1]);
  float *host, *result, *x, *y, *z;
  HIP(hipHostMalloc(reinterpret_cast<void **>(&host), bytes, 0));
  HIP(hipHostMalloc(reinterpret_cast<void **>(&result), bytes, 0));
  HIP(hipMalloc(reinterpret_cast<void **>(&x), bytes));
  HIP(hipMalloc(reinterpret_cast<void **>(&y), bytes));
  HIP(hipMalloc(reinterpret_cast<void **>(&z), bytes));
  hipStream_t stream, other;
  HIP(hipStreamCreate(&stream));
  HIP(hipStreamCreate(&other));
  hipEvent_t fork, join;
  HIP(hipEventCreate(&fork));
  HIP(hipEventCreate(&join));

  // Captured: x and z are filled at once, the kernel needs both.
  for (int i = 0; i < n; ++i)
    host[i] = -1;
  hipStreamCaptureStatus status;
  unsigned long long id;
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP(hipStreamGetCaptureInfo(stream, &status, &id));
  EXPECT(status == hipStreamCaptureStatusActive && id != 0);
  HIP(hipEventRecord(fork, stream));
  HIP(hipStreamWaitEvent(other, fork, 0));
  HIP(hipMemcpyAsync(x, host, bytes, hipMemcpyHostToDevice, stream));
  HIP(hipMemsetAsync(z, 0, bytes, other));
  HIP(scale.launch(z, z, n, 1.0f, other));
  HIP(hipEventRecord(join, other));
  HIP(scale.launch(x, y, n, 2.0f, stream));
  HIP(hipStreamWaitEvent(stream, join, 0));
  HIP(hipMemcpyAsync(result, y, bytes, hipMemcpyDeviceToHost, stream));
  // Calls that would have to wait are refused meanwhile, also in other threads, and do no harm.
  void *nothing;
  FAILS(hipErrorStreamCaptureUnsupported, hipMalloc(&nothing, 16));
  FAILS(hipErrorStreamCaptureUnsupported, hipModuleUnload(scale.module));
  std::thread([&] {
    FAILS(hipErrorStreamCaptureUnsupported, hipFree(x));
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
    HIP(hipThreadExchangeStreamCaptureMode(&mode));
    EXPECT(mode == hipStreamCaptureModeGlobal);
    HIP(hipMalloc(&nothing, 16));
  }).join();
  hipGraph_t graph;
  HIP(hipStreamEndCapture(stream, &graph));
  HIP(hipStreamIsCapturing(other, &status));
  EXPECT(status == hipStreamCaptureStatusNone);
  size_t nodes = 0, roots = 0, edges = 0;
  HIP(hipGraphGetNodes(graph, nullptr, &nodes));
  HIP(hipGraphGetRootNodes(graph, nullptr, &roots));
  HIP(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT(nodes == 5 && roots == 2 && edges == 4);
  hipGraphExec_t run;
  HIP(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  HIP(hipGraphDestroy(graph));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < n; ++i)
      host[i] = static_cast<float>(i + round);
    HIP(hipGraphLaunch(run, stream));
    HIP(hipStreamSynchronize(stream));
    for (int i = 0; i < n; ++i)
      EXPECT(result[i] == 2.0f * static_cast<float>(i + round) + 1.0f);
  }
  HIP(hipMemcpy(result, z, bytes, hipMemcpyDeviceToHost));
  EXPECT(result[0] == 1.0f && result[n - 1] == 1.0f);
  HIP(hipGraphExecDestroy(run));

  // Captures that end badly.
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  FAILS(hipErrorStreamCaptureUnsupported, hipStreamSynchronize(stream));
  FAILS(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(stream, &graph));
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  HIP(hipEventRecord(fork, stream));
  HIP(hipStreamWaitEvent(other, fork, 0));
  HIP(hipMemsetAsync(z, 0, bytes, other));
  FAILS(hipErrorStreamCaptureUnmatched, hipStreamEndCapture(other, &graph));
  FAILS(hipErrorStreamCaptureUnjoined, hipStreamEndCapture(stream, &graph));
  FAILS(hipErrorIllegalState, hipStreamEndCapture(stream, &graph));
  FAILS(hipErrorStreamCaptureUnsupported, hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal));
  endedCaptures(z);
  inspected(scale, z);
  nested();
  updates(z);
  parameters(z);

  // Made by hand.
  HIP(hipGraphCreate(&graph, 0));
  hipGraphNode_t set, kernel, copy, call;
  hipMemsetParams zeros = {};
  zeros.dst = x;
  zeros.elementSize = 4;
  zeros.width = n;
  zeros.height = 1;
  HIP(hipGraphAddMemsetNode(&set, graph, nullptr, 0, &zeros));
  float factor = 4;
  int count = n;
  void *from = x, *to = y, *arguments[] = {&from, &to, &count, &factor};
  hipKernelNodeParams launch = {};
  launch.func = reinterpret_cast<void *>(scale.function);
  launch.gridDim = dim3((n + 255) / 256);
  launch.blockDim = dim3(256);
  launch.kernelParams = arguments;
  HIP(hipGraphAddKernelNode(&kernel, graph, &set, 1, &launch));
  HIP(hipGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, result, y, bytes, hipMemcpyDeviceToHost));
  HIP(hipGraphAddDependencies(graph, &kernel, &copy, 1));
  static int called;
  hipHostNodeParams host_call = {[](void *) { ++called; }, nullptr};
  HIP(hipGraphAddHostNode(&call, graph, &copy, 1, &host_call));
  hipGraphNodeType type;
  HIP(hipGraphNodeGetType(kernel, &type));
  EXPECT(type == hipGraphNodeTypeKernel);
  HIP(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(run, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT(result[0] == 1.0f && result[n - 1] == 1.0f && called == 1);
  from = z; // all of z is 0 or 1: see above
  HIP(hipMemset(z, 0, bytes));
  HIP(hipGraphExecKernelNodeSetParams(run, kernel, &launch));
  zeros.dst = y;
  zeros.value = 0x40000000; // 2.0
  HIP(hipGraphExecMemsetNodeSetParams(run, set, &zeros));
  to = x;
  HIP(hipGraphExecKernelNodeSetParams(run, kernel, &launch));
  HIP(hipGraphLaunch(run, nullptr));
  HIP(hipDeviceSynchronize());
  EXPECT(result[5] == 2.0f && called == 2);
  // A graph in a graph, captured into a third.
  hipGraph_t outer, third;
  hipGraphNode_t child;
  HIP(hipGraphCreate(&outer, 0));
  HIP(hipGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  hipGraphExec_t whole;
  HIP(hipGraphInstantiate(&whole, outer, nullptr, nullptr, 0));
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  HIP(hipGraphLaunch(whole, stream));
  HIP(hipStreamEndCapture(stream, &third));
  hipGraphExec_t all;
  HIP(hipGraphInstantiate(&all, third, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(all, stream));
  HIP(hipGraphLaunch(all, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT(called == 4);
  // A circle cannot run.
  HIP(hipGraphAddDependencies(graph, &call, &set, 1));
  FAILS(hipErrorInvalidValue, hipGraphInstantiate(&whole, graph, nullptr, nullptr, 0));
  // Nor a kernel whose module is gone.
  HIP(hipModuleUnload(scale.module));
  HIP(hipGraphLaunch(all, stream));
  FAILS(hipErrorInvalidHandle, hipStreamSynchronize(stream));
  std::puts("graphs: good");
}
