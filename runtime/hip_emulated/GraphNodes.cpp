// Nodes of graphs: added one by one, read and changed, in a graph or in an executable one.
#include "runtime/hip_emulated/Graph.h"

#include "runtime/hip_emulated/Launches.h"

namespace fly::hip_emulated {

namespace {

struct TypeRow {
  hipGraphNodeType type;
  int sinceRocm6;
};

/// ROCm 6 renumbered the kinds of nodes, from 0.
hipGraphNodeType typeOf(const GraphNode &node) {
  static constexpr TypeRow rows[] = {
      // by the alternatives of Action
      {hipGraphNodeTypeEmpty, 5},       {hipGraphNodeTypeKernel, 0}, {hipGraphNodeTypeMemcpy, 1},
      {hipGraphNodeTypeMemset, 2},      {hipGraphNodeTypeHost, 3},   {hipGraphNodeTypeEmpty, 5},
      {hipGraphNodeTypeEventRecord, 7}, {hipGraphNodeTypeEmpty, 5},  {hipGraphNodeTypeGraph, 4}};
  TypeRow row = rows[node.action.index()];
  if (auto *event = std::get_if<EventAction>(&node.action); event && event->isWait)
    row = {hipGraphNodeTypeWaitEvent, 6};
  return state().hipMajor >= 6 ? static_cast<hipGraphNodeType>(row.sinceRocm6) : row.type;
}

hipError_t add(hipGraphNode_t *result, hipGraph_t handle, const hipGraphNode_t *follows, size_t count, Action action,
               std::unique_ptr<Graph> child = nullptr) {
  Graph *into = graphOf(handle);
  if (!result || !into || (count && !follows)) return hipErrorInvalidValue;
  Graph &graph = *into;
  std::vector<GraphNode *> before;
  for (size_t i = 0; i < count; ++i) {
    before.push_back(reinterpret_cast<GraphNode *>(follows[i]));
    if (!graph.owns(before.back())) return hipErrorInvalidValue;
  }
  if (hipError_t error = check(action); error != hipSuccess) return error;
  GraphNode *node = graph.add(std::move(action), std::move(before));
  if (child) {
    graph.children.push_back(std::move(child));
    node->child = graph.children.back().get();
  }
  *result = reinterpret_cast<hipGraphNode_t>(node);
  return hipSuccess;
}

/// The action of a kind in the node of a handle; null if it is none of them.
template <typename Kind> Kind *actionOf(hipGraphNode_t handle) {
  GraphNode *node = nodeOf(handle);
  return node ? std::get_if<Kind>(&node->action) : nullptr;
}

/// Copied, not moved: a kernel's arguments stay where hipGraphKernelNodeGetParams found them.
template <typename Kind> hipError_t set(hipGraphNode_t handle, const Kind &changed) {
  Kind *action = actionOf<Kind>(handle);
  if (!action) return hipErrorInvalidValue;
  if (hipError_t error = check(changed); error != hipSuccess) return error;
  *action = changed;
  return hipSuccess;
}

/// The same in an executable graph: its list is copied, since a launch may be under way.
template <typename Kind> hipError_t setIn(hipGraphExec_t handle, hipGraphNode_t node, Kind changed) {
  auto found = graphs().executables.find(handle);
  if (found == graphs().executables.end()) return hipErrorInvalidValue;
  GraphExec &executable = *found->second;
  auto place = executable.places.find(reinterpret_cast<GraphNode *>(node));
  if (place == executable.places.end()) return hipErrorInvalidValue;
  if (!std::holds_alternative<Kind>(executable.list->actions[place->second])) return hipErrorInvalidValue;
  if (hipError_t error = check(changed); error != hipSuccess) return error;
  auto list = std::make_shared<ActionList>(*executable.list);
  list->actions[place->second] = std::move(changed);
  executable.list = list;
  return hipSuccess;
}

hipError_t kernelAction(const hipKernelNodeParams *p, KernelAction &action) {
  if (!p) return hipErrorInvalidValue;
  const LoadedKernel *kernel = registeredKernel(p->func);
  if (!kernel) return hipErrorInvalidDeviceFunction;
  return makeLaunch(kernel, {p->gridDim.x, p->gridDim.y, p->gridDim.z}, {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                    p->sharedMemBytes, p->kernelParams, p->extra, action);
}

FillAction fillOf(const hipMemsetParams &p) {
  FillAction fill;
  fill.to = p.dst;
  fill.value = p.value;
  fill.elementSize = p.elementSize;
  fill.width = p.width;
  fill.height = p.height ? p.height : 1;
  fill.pitch = p.pitch;
  return fill;
}

hipError_t isFill(const hipMemsetParams *p) {
  return p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4) ? hipSuccess : hipErrorInvalidValue;
}

} // namespace

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

#define FOLLOWS hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *follows, size_t count

FLY_HIP_EXPORT hipError_t hipGraphNodeGetType(hipGraphNode_t handle, hipGraphNodeType *type) {
  return locked([&](Guard &) {
    GraphNode *node = nodeOf(handle);
    if (!node || !type) return hipErrorInvalidValue;
    *type = typeOf(*node);
    return hipSuccess;
  });
}

FLY_HIP_EXPORT hipError_t hipGraphAddEmptyNode(FOLLOWS) {
  return locked([&](Guard &) { return add(node, graph, follows, count, EmptyAction()); });
}

FLY_HIP_EXPORT hipError_t hipGraphAddKernelNode(FOLLOWS, const hipKernelNodeParams *parameters) {
  return locked([&](Guard &) {
    KernelAction action;
    hipError_t error = kernelAction(parameters, action);
    return error != hipSuccess ? error : add(node, graph, follows, count, std::move(action));
  });
}
FLY_HIP_EXPORT hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *parameters) {
  return locked([&](Guard &) {
    KernelAction action;
    hipError_t error = kernelAction(parameters, action);
    return error != hipSuccess ? error : set(node, action);
  });
}
FLY_HIP_EXPORT hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                                          const hipKernelNodeParams *parameters) {
  return locked([&](Guard &) {
    KernelAction action;
    hipError_t error = kernelAction(parameters, action);
    return error != hipSuccess ? error : setIn(executable, node, std::move(action));
  });
}
/// The arguments are the node's own, and valid until it is changed.
FLY_HIP_EXPORT hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t handle, hipKernelNodeParams *parameters) {
  return locked([&](Guard &) {
    GraphNode *node = nodeOf(handle);
    auto *action = actionOf<KernelAction>(handle);
    if (!action || !parameters) return hipErrorInvalidValue;
    *parameters = {};
    const fly::emulator::LaunchConfig &c = action->config;
    parameters->gridDim = dim3(c.grid[0], c.grid[1], c.grid[2]);
    parameters->blockDim = dim3(c.block[0], c.block[1], c.block[2]);
    parameters->sharedMemBytes = c.dynamicLdsBytes;
    parameters->func = const_cast<LoadedKernel *>(action->kernel);
    node->parameters.clear();
    for (const ArgumentSlot &slot : action->kernel->arguments)
      node->parameters.push_back(action->arguments.data() + slot.offset);
    parameters->kernelParams = node->parameters.data();
    return hipSuccess;
  });
}

FLY_HIP_EXPORT hipError_t hipGraphAddMemcpyNode1D(FOLLOWS, void *to, const void *from, size_t bytes,
                                                  hipMemcpyKind kind) {
  return locked([&](Guard &) { return add(node, graph, follows, count, makeCopy(to, from, bytes, kind)); });
}
FLY_HIP_EXPORT hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *to, const void *from, size_t bytes,
                                                        hipMemcpyKind kind) {
  return locked([&](Guard &) { return set(node, makeCopy(to, from, bytes, kind)); });
}
FLY_HIP_EXPORT hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t executable, hipGraphNode_t node, void *to,
                                                            const void *from, size_t bytes, hipMemcpyKind kind) {
  return locked([&](Guard &) { return setIn(executable, node, makeCopy(to, from, bytes, kind)); });
}
FLY_HIP_EXPORT hipError_t hipGraphAddMemcpyNode(FOLLOWS, const hipMemcpy3DParms *parameters) {
  return locked([&](Guard &) {
    CopyAction copy;
    hipError_t error = makeCopy(parameters, copy);
    return error != hipSuccess ? error : add(node, graph, follows, count, copy);
  });
}
FLY_HIP_EXPORT hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *parameters) {
  return locked([&](Guard &) {
    CopyAction copy;
    hipError_t error = makeCopy(parameters, copy);
    return error != hipSuccess ? error : set(node, copy);
  });
}
/// Boxes that begin where the copy does.
FLY_HIP_EXPORT hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *parameters) {
  return locked([&](Guard &) {
    auto *copy = actionOf<CopyAction>(node);
    if (!copy || !parameters) return hipErrorInvalidValue;
    auto box = [&](const void *start, size_t pitch, size_t slice) {
      const size_t row = pitch ? pitch : copy->width;
      return hipPitchedPtr{const_cast<void *>(start), row, copy->width, slice ? slice / row : copy->height};
    };
    *parameters = {};
    parameters->dstPtr = box(copy->to, copy->toPitch, copy->toSlice);
    parameters->srcPtr = box(copy->from, copy->fromPitch, copy->fromSlice);
    parameters->extent = {copy->width, copy->height, copy->depth};
    parameters->kind = copy->kind;
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                                          hipMemcpy3DParms *parameters) {
  return locked([&](Guard &) {
    CopyAction copy;
    hipError_t error = makeCopy(parameters, copy);
    return error != hipSuccess ? error : setIn(executable, node, copy);
  });
}

FLY_HIP_EXPORT hipError_t hipGraphAddMemsetNode(FOLLOWS, const hipMemsetParams *parameters) {
  return locked([&](Guard &) {
    hipError_t error = isFill(parameters);
    return error != hipSuccess ? error : add(node, graph, follows, count, fillOf(*parameters));
  });
}
FLY_HIP_EXPORT hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *parameters) {
  return locked([&](Guard &) {
    hipError_t error = isFill(parameters);
    return error != hipSuccess ? error : set(node, fillOf(*parameters));
  });
}
FLY_HIP_EXPORT hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                                          const hipMemsetParams *parameters) {
  return locked([&](Guard &) {
    hipError_t error = isFill(parameters);
    return error != hipSuccess ? error : setIn(executable, node, fillOf(*parameters));
  });
}
FLY_HIP_EXPORT hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *parameters) {
  return locked([&](Guard &) {
    auto *fill = actionOf<FillAction>(node);
    if (!fill || !parameters) return hipErrorInvalidValue;
    *parameters = {};
    parameters->dst = fill->to;
    parameters->elementSize = fill->elementSize;
    parameters->value = fill->value;
    parameters->width = fill->width;
    parameters->height = fill->height;
    parameters->pitch = fill->pitch;
    return hipSuccess;
  });
}

FLY_HIP_EXPORT hipError_t hipGraphAddHostNode(FOLLOWS, const hipHostNodeParams *parameters) {
  return locked([&](Guard &) {
    return parameters && parameters->fn
               ? add(node, graph, follows, count, HostAction{parameters->fn, nullptr, nullptr, parameters->userData})
               : hipErrorInvalidValue;
  });
}
FLY_HIP_EXPORT hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *parameters) {
  return locked([&](Guard &) {
    return parameters && parameters->fn ? set(node, HostAction{parameters->fn, nullptr, nullptr, parameters->userData})
                                        : hipErrorInvalidValue;
  });
}
FLY_HIP_EXPORT hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                                        const hipHostNodeParams *parameters) {
  return locked([&](Guard &) {
    return parameters && parameters->fn
               ? setIn(executable, node, HostAction{parameters->fn, nullptr, nullptr, parameters->userData})
               : hipErrorInvalidValue;
  });
}
FLY_HIP_EXPORT hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *parameters) {
  return locked([&](Guard &) {
    auto *action = actionOf<HostAction>(node);
    if (!action || !parameters) return hipErrorInvalidValue;
    if (!action->function)
      return refuse(hipErrorInvalidValue, "the node is a callback of hipStreamAddCallback, not a host function");
    *parameters = {action->function, action->data};
    return hipSuccess;
  });
}

/// The node has a copy of the graph.
FLY_HIP_EXPORT hipError_t hipGraphAddChildGraphNode(FOLLOWS, hipGraph_t child) {
  return locked([&](Guard &) {
    Graph *original = graphOf(child);
    if (!original) return hipErrorInvalidValue;
    return add(node, graph, follows, count, GraphAction{std::make_shared<ActionList>()}, clone(*original));
  });
}
FLY_HIP_EXPORT hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t handle, hipGraph_t *graph) {
  return locked([&](Guard &) {
    GraphNode *node = nodeOf(handle);
    if (!graph || !node || !node->child) return hipErrorInvalidValue;
    *graph = reinterpret_cast<hipGraph_t>(node->child);
    return hipSuccess;
  });
}

namespace {

/// Calls `body(action)` for an event's node.
template <typename Body> hipError_t withEvent(hipEvent_t handle, bool isWait, Body body) {
  return locked([&](Guard &) {
    auto event = state().events.find(handle);
    return event == state().events.end() ? hipErrorInvalidHandle : body(EventAction{event->second, isWait});
  });
}

hipError_t addEvent(FOLLOWS, hipEvent_t event, bool isWait) {
  return withEvent(event, isWait,
                   [&](EventAction action) { return add(node, graph, follows, count, std::move(action)); });
}

/// The action of a node that records, or of one that waits.
EventAction *eventAction(hipGraphNode_t node, bool isWait) {
  auto *action = actionOf<EventAction>(node);
  return action && action->isWait == isWait ? action : nullptr;
}

hipError_t getEvent(hipGraphNode_t node, bool isWait, hipEvent_t *event) {
  return locked([&](Guard &) {
    EventAction *action = eventAction(node, isWait);
    if (!action || !event) return hipErrorInvalidValue;
    *event = reinterpret_cast<hipEvent_t>(action->event.get());
    return hipSuccess;
  });
}

hipError_t setEvent(hipGraphNode_t node, bool isWait, hipEvent_t event) {
  return withEvent(event, isWait, [&](const EventAction &action) {
    return eventAction(node, isWait) ? set(node, action) : hipErrorInvalidValue;
  });
}

hipError_t setEventIn(hipGraphExec_t executable, hipGraphNode_t node, bool isWait, hipEvent_t event) {
  return withEvent(event, isWait, [&](EventAction action) {
    return eventAction(node, isWait) ? setIn(executable, node, std::move(action)) : hipErrorInvalidValue;
  });
}

} // namespace

FLY_HIP_EXPORT hipError_t hipGraphAddEventRecordNode(FOLLOWS, hipEvent_t event) {
  return addEvent(node, graph, follows, count, event, false);
}
FLY_HIP_EXPORT hipError_t hipGraphAddEventWaitNode(FOLLOWS, hipEvent_t event) {
  return addEvent(node, graph, follows, count, event, true);
}
FLY_HIP_EXPORT hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event) {
  return getEvent(node, false, event);
}
FLY_HIP_EXPORT hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event) {
  return getEvent(node, true, event);
}
FLY_HIP_EXPORT hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return setEvent(node, false, event);
}
FLY_HIP_EXPORT hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  return setEvent(node, true, event);
}
FLY_HIP_EXPORT hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t executable, hipGraphNode_t node,
                                                              hipEvent_t event) {
  return setEventIn(executable, node, false, event);
}
FLY_HIP_EXPORT hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t executable, hipGraphNode_t node,
                                                            hipEvent_t event) {
  return setEventIn(executable, node, true, event);
}
