// Graphs as a whole: creating, cloning, inspecting, instantiating, launching. Nodes are in GraphNodes.cpp.
//
// A launch is one operation of its stream: the actions one after the other, in an order that respects the edges.
// Branches of a graph may run at once on hardware, so the order among them is none that a program can rely on.
#include "runtime/hip_emulated/Graph.h"

#include <algorithm>

namespace fly::hip_emulated {

Graphs &graphs() {
  static auto *all = new Graphs; // never destroyed, as State
  return *all;
}

GraphNode *Graph::add(Action action, std::vector<GraphNode *> follows) {
  auto node = std::make_unique<GraphNode>();
  node->action = std::move(action);
  node->follows = std::move(follows);
  node->graph = this;
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

bool Graph::owns(const GraphNode *node) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const auto &each) { return each.get() == node; });
}

static GraphNode *find(const Graph &graph, const void *handle) {
  for (const auto &node : graph.nodes)
    if (node.get() == handle) return node.get();
  for (const auto &child : graph.children)
    if (GraphNode *found = find(*child, handle)) return found;
  return nullptr;
}

GraphNode *nodeOf(const void *handle) {
  for (auto &[key, graph] : graphs().graphs)
    if (GraphNode *found = find(*graph, handle)) return found;
  for (const std::weak_ptr<Capture> &each : state().captures)
    if (auto capture = each.lock(); capture && !capture->isOver)
      if (GraphNode *found = find(*capture->graph, handle)) return found;
  return nullptr;
}

/// A graph that a capture is adding nodes to: streams and events refer to them.
static bool isCaptured(const Graph &graph) {
  for (const std::weak_ptr<Capture> &each : state().captures)
    if (auto capture = each.lock(); capture && capture->graph.get() == &graph) return true;
  return false;
}

bool inOrder(const Graph &graph, std::vector<const GraphNode *> &order) {
  std::map<const GraphNode *, size_t> missing;
  for (const auto &node : graph.nodes) missing[node.get()] = node->follows.size();
  std::vector<const GraphNode *> ready;
  for (const auto &node : graph.nodes)
    if (node->follows.empty()) ready.push_back(node.get());
  while (!ready.empty()) {
    const GraphNode *node = ready.front();
    ready.erase(ready.begin());
    order.push_back(node);
    for (const auto &other : graph.nodes) {
      auto times = static_cast<size_t>(std::count(other->follows.begin(), other->follows.end(), node));
      if (times && (missing[other.get()] -= times) == 0) ready.push_back(other.get());
    }
  }
  return order.size() == graph.nodes.size();
}

std::unique_ptr<Graph> clone(const Graph &graph) {
  auto copy = std::make_unique<Graph>();
  std::map<const GraphNode *, GraphNode *> copies;
  for (const auto &node : graph.nodes) {
    GraphNode *made = copy->add(node->action, {});
    made->original = node.get();
    if (node->child) {
      copy->children.push_back(clone(*node->child));
      made->child = copy->children.back().get();
    }
    copies[node.get()] = made;
  }
  for (const auto &node : graph.nodes)
    for (const GraphNode *before : node->follows) copies[node.get()]->follows.push_back(copies[before]);
  return copy;
}

hipError_t flatten(const Graph &graph, GraphExec &into) {
  std::vector<const GraphNode *> order;
  if (!inOrder(graph, order)) return refuse(hipErrorInvalidValue, "the graph has a cycle");
  auto list = std::make_shared<ActionList>();
  for (const GraphNode *node : order) {
    Action action = node->action;
    std::shared_ptr<GraphExec> inner;
    if (node->child) {
      inner = std::make_shared<GraphExec>();
      if (hipError_t error = flatten(*node->child, *inner); error != hipSuccess) return error;
      action = GraphAction{inner->list};
    }
    if (hipError_t error = check(action); error != hipSuccess) return error;
    std::vector<size_t> follows;
    for (const GraphNode *before : node->follows) follows.push_back(into.places.at(before));
    std::sort(follows.begin(), follows.end());
    into.places[node] = list->actions.size();
    into.follows.push_back(std::move(follows));
    into.children.push_back(std::move(inner));
    list->actions.push_back(std::move(action));
  }
  into.list = list;
  return hipSuccess;
}

static Graph *graphIn(Graph &graph, const void *handle) {
  if (&graph == handle) return &graph;
  for (const auto &child : graph.children)
    if (Graph *found = graphIn(*child, handle)) return found;
  return nullptr;
}

Graph *graphOf(hipGraph_t handle) {
  for (auto &[key, graph] : graphs().graphs)
    if (Graph *found = graphIn(*graph, handle)) return found;
  for (const std::weak_ptr<Capture> &each : state().captures)
    if (auto capture = each.lock(); capture && !capture->isOver)
      if (Graph *found = graphIn(*capture->graph, handle)) return found;
  return nullptr;
}

namespace {

bool isSameKind(const Action &a, const Action &b) {
  auto *first = std::get_if<EventAction>(&a), *second = std::get_if<EventAction>(&b);
  return a.index() == b.index() && (!first || first->isWait == second->isWait);
}

/// How the form of `updated` differs from that of `old`, and at which place.
hipGraphExecUpdateResult difference(const GraphExec &old, const GraphExec &updated, size_t &place) {
  const auto &before = old.list->actions, &after = updated.list->actions;
  place = after.size();
  if (before.size() != after.size()) return hipGraphExecUpdateErrorTopologyChanged;
  for (place = 0; place < after.size(); ++place) {
    if (!isSameKind(before[place], after[place])) return hipGraphExecUpdateErrorNodeTypeChanged;
    if (old.follows[place] != updated.follows[place]) return hipGraphExecUpdateErrorTopologyChanged;
    const auto &child = old.children[place], &newChild = updated.children[place];
    if (!child != !newChild) return hipGraphExecUpdateErrorNodeTypeChanged;
    size_t inside;
    if (hipGraphExecUpdateResult result = child ? difference(*child, *newChild, inside) : hipGraphExecUpdateSuccess;
        result != hipGraphExecUpdateSuccess)
      return result;
  }
  return hipGraphExecUpdateSuccess;
}

/// A graph runs in streams of the device that its kernels and events belong to.
hipError_t fits(const ActionList &list, int device) {
  for (const Action &action : list.actions) {
    if (auto *kernel = std::get_if<KernelAction>(&action); kernel && kernel->module->device != device)
      return refuse(hipErrorInvalidHandle, "a kernel of the graph was loaded on another device than the stream's");
    if (auto *event = std::get_if<EventAction>(&action); event && !event->isWait && event->event->device != device)
      return refuse(hipErrorInvalidHandle, "an event that the graph records was made for another device");
    if (auto *graph = std::get_if<GraphAction>(&action))
      if (hipError_t error = fits(*graph->list, device); error != hipSuccess) return error;
  }
  return hipSuccess;
}

hipError_t instantiate(hipGraphExec_t *executable, hipGraph_t handle) {
  return locked([&](Guard &) {
    Graph *graph = graphOf(handle);
    if (!executable || !graph) return hipErrorInvalidValue;
    auto made = std::make_shared<GraphExec>();
    if (hipError_t error = flatten(*graph, *made); error != hipSuccess) return error;
    *executable = reinterpret_cast<hipGraphExec_t>(made.get());
    graphs().executables[made.get()] = std::move(made);
    return hipSuccess;
  });
}

/// HIP's way to give a list: a count, or as many as fit.
hipError_t give(const std::vector<GraphNode *> &nodes, hipGraphNode_t *into, size_t *count) {
  if (!count) return hipErrorInvalidValue;
  if (!into) {
    *count = nodes.size();
    return hipSuccess;
  }
  for (size_t i = 0; i < *count; ++i) into[i] = i < nodes.size() ? reinterpret_cast<hipGraphNode_t>(nodes[i]) : nullptr;
  *count = std::min(*count, nodes.size());
  return hipSuccess;
}

template <typename Body> hipError_t withGraph(hipGraph_t handle, Body body) {
  return locked([&](Guard &) {
    Graph *graph = graphOf(handle);
    return graph ? body(*graph) : hipErrorInvalidValue;
  });
}

} // namespace

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

FLY_HIP_EXPORT hipError_t hipGraphCreate(hipGraph_t *graph, unsigned int flags) {
  return locked([&](Guard &) {
    if (!graph || flags) return hipErrorInvalidValue;
    auto made = std::make_unique<Graph>();
    *graph = reinterpret_cast<hipGraph_t>(made.get());
    graphs().graphs[made.get()] = std::move(made);
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipGraphDestroy(hipGraph_t graph) {
  return locked([&](Guard &) { return graphs().graphs.erase(graph) ? hipSuccess : hipErrorInvalidValue; });
}
FLY_HIP_EXPORT hipError_t hipGraphClone(hipGraph_t *copy, hipGraph_t handle) {
  return withGraph(handle, [&](Graph &graph) {
    if (!copy) return hipErrorInvalidValue;
    std::unique_ptr<Graph> made = clone(graph);
    *copy = reinterpret_cast<hipGraph_t>(made.get());
    graphs().graphs[made.get()] = std::move(made);
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipGraphNodeFindInClone(hipGraphNode_t *node, hipGraphNode_t original, hipGraph_t handle) {
  return withGraph(handle, [&](Graph &graph) {
    if (!node || !original) return hipErrorInvalidValue;
    for (const auto &each : graph.nodes)
      if (each->original == reinterpret_cast<GraphNode *>(original)) {
        *node = reinterpret_cast<hipGraphNode_t>(each.get());
        return hipSuccess;
      }
    return hipErrorInvalidValue;
  });
}
FLY_HIP_EXPORT hipError_t hipGraphGetNodes(hipGraph_t handle, hipGraphNode_t *nodes, size_t *count) {
  return withGraph(handle, [&](Graph &graph) {
    std::vector<GraphNode *> all;
    for (const auto &node : graph.nodes) all.push_back(node.get());
    return give(all, nodes, count);
  });
}
FLY_HIP_EXPORT hipError_t hipGraphGetRootNodes(hipGraph_t handle, hipGraphNode_t *nodes, size_t *count) {
  return withGraph(handle, [&](Graph &graph) {
    std::vector<GraphNode *> roots;
    for (const auto &node : graph.nodes)
      if (node->follows.empty()) roots.push_back(node.get());
    return give(roots, nodes, count);
  });
}
FLY_HIP_EXPORT hipError_t hipGraphGetEdges(hipGraph_t handle, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count) {
  return withGraph(handle, [&](Graph &graph) {
    std::vector<GraphNode *> starts, ends;
    for (const auto &node : graph.nodes)
      for (GraphNode *before : node->follows) {
        starts.push_back(before);
        ends.push_back(node.get());
      }
    if (!count || !from != !to) return hipErrorInvalidValue;
    size_t room = *count;
    hipError_t error = give(starts, from, count);
    return error != hipSuccess || !to ? error : give(ends, to, &room);
  });
}
FLY_HIP_EXPORT hipError_t hipGraphNodeGetDependencies(hipGraphNode_t handle, hipGraphNode_t *nodes, size_t *count) {
  return locked([&](Guard &) {
    GraphNode *node = nodeOf(handle);
    return node ? give(node->follows, nodes, count) : hipErrorInvalidValue;
  });
}
FLY_HIP_EXPORT hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t handle, hipGraphNode_t *nodes, size_t *count) {
  return locked([&](Guard &) {
    GraphNode *node = nodeOf(handle);
    if (!node) return hipErrorInvalidValue;
    std::vector<GraphNode *> after;
    for (const auto &each : node->graph->nodes)
      if (std::count(each->follows.begin(), each->follows.end(), node)) after.push_back(each.get());
    return give(after, nodes, count);
  });
}
static hipError_t edges(hipGraph_t handle, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count,
                        bool add) {
  return withGraph(handle, [&](Graph &graph) {
    for (size_t i = 0; i < count; ++i) {
      if (!from || !to) return hipErrorInvalidValue;
      auto *start = reinterpret_cast<GraphNode *>(from[i]), *end = reinterpret_cast<GraphNode *>(to[i]);
      if (start == end || !graph.owns(start) || !graph.owns(end)) return hipErrorInvalidValue;
      auto found = std::find(end->follows.begin(), end->follows.end(), start);
      if (add == (found != end->follows.end())) return hipErrorInvalidValue;
      if (add) end->follows.push_back(start);
      else end->follows.erase(found);
    }
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                                  const hipGraphNode_t *to, size_t count) {
  return edges(graph, from, to, count, true);
}
FLY_HIP_EXPORT hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                                     const hipGraphNode_t *to, size_t count) {
  return edges(graph, from, to, count, false);
}
FLY_HIP_EXPORT hipError_t hipGraphDestroyNode(hipGraphNode_t handle) {
  return locked([&](Guard &) {
    GraphNode *node = nodeOf(handle);
    if (!node) return hipErrorInvalidValue;
    Graph &graph = *node->graph;
    if (isCaptured(graph)) return refuse(hipErrorInvalidValue, "the node belongs to a capture that has not ended");
    for (const auto &each : graph.nodes) std::erase(each->follows, node);
    if (node->child) std::erase_if(graph.children, [&](const auto &each) { return each.get() == node->child; });
    std::erase_if(graph.nodes, [&](const auto &each) { return each.get() == node; });
    return hipSuccess;
  });
}

FLY_HIP_EXPORT hipError_t hipGraphInstantiate(hipGraphExec_t *executable, hipGraph_t graph, hipGraphNode_t *errorNode,
                                              char *log, size_t size) {
  hipError_t error = instantiate(executable, graph);
  if (errorNode) *errorNode = nullptr;
  if (log && size) log[error == hipSuccess ? 0 : thread().report.copy(log, size - 1)] = 0;
  return error;
}
/// The flags change nothing: there is no memory to free, and nothing to upload. Kernels cannot launch graphs.
FLY_HIP_EXPORT hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *executable, hipGraph_t graph,
                                                       unsigned long long flags) {
  constexpr unsigned long long autoFree = 1, upload = 2, nodePriority = 8; // names of ROCm 6
  return flags & ~(autoFree | upload | nodePriority) ? done(hipErrorInvalidValue) : instantiate(executable, graph);
}
FLY_HIP_EXPORT hipError_t hipGraphUpload(hipGraphExec_t executable, hipStream_t stream) {
  return locked([&](Guard &) {
    if (!graphs().executables.count(executable)) return hipErrorInvalidValue;
    return streamOf(stream) ? hipSuccess : hipErrorInvalidHandle;
  });
}
FLY_HIP_EXPORT hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
  return locked([&](Guard &) { return graphs().executables.erase(executable) ? hipSuccess : hipErrorInvalidValue; });
}
FLY_HIP_EXPORT hipError_t hipGraphLaunch(hipGraphExec_t handle, hipStream_t streamHandle) {
  return locked([&](Guard &) {
    auto found = graphs().executables.find(handle);
    std::shared_ptr<Stream> stream = streamOf(streamHandle);
    if (found == graphs().executables.end()) return hipErrorInvalidValue;
    if (!stream) return hipErrorInvalidHandle;
    GraphExec &executable = *found->second;
    if (hipError_t error = failureOf(stream->device); error != hipSuccess) return error;
    if (hipError_t error = fits(*executable.list, stream->device); error != hipSuccess) return error;
    if (!stream->capture && executable.last && !executable.last->done) stream->waits.push_back(executable.last);
    hipError_t error = submit(*stream, GraphAction{executable.list});
    if (error == hipSuccess && !stream->capture) executable.last = stream->last;
    return error;
  });
}
/// Takes the parameters of a graph of the same form.
FLY_HIP_EXPORT hipError_t hipGraphExecUpdate(hipGraphExec_t handle, hipGraph_t graphHandle, hipGraphNode_t *errorNode,
                                             hipGraphExecUpdateResult *result) {
  return withGraph(graphHandle, [&](Graph &graph) {
    auto found = graphs().executables.find(handle);
    if (found == graphs().executables.end()) return hipErrorInvalidValue;
    if (errorNode) *errorNode = nullptr;
    GraphExec updated;
    size_t place = 0;
    const bool canRun = flatten(graph, updated) == hipSuccess;
    const hipGraphExecUpdateResult how = canRun ? difference(*found->second, updated, place) : hipGraphExecUpdateError;
    if (result) *result = how;
    if (!canRun) return hipErrorGraphExecUpdateFailure;
    if (how != hipGraphExecUpdateSuccess) {
      for (const auto &[node, at] : updated.places)
        if (errorNode && at == place) *errorNode = reinterpret_cast<hipGraphNode_t>(const_cast<GraphNode *>(node));
      return refuse(hipErrorGraphExecUpdateFailure,
                    how == hipGraphExecUpdateErrorNodeTypeChanged
                        ? "a node of the graph is of another kind than that of the executable graph"
                        : "the graph's nodes follow each other otherwise than those of the executable graph");
    }
    found->second->list = updated.list;
    found->second->places.merge(updated.places);
    return hipSuccess;
  });
}
