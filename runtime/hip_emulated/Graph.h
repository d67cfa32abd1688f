// Graphs: nodes with what they follow; an executable graph is their actions in an order that respects it.
#pragma once

#include "runtime/hip_emulated/Streams.h"

namespace fly::hip_emulated {

struct Graph;
struct GraphNode {
  Action action;
  std::vector<GraphNode *> follows;
  Graph *graph = nullptr;
  const GraphNode *original = nullptr; ///< of a clone
  Graph *child = nullptr;              ///< of a child graph's node: the copy that the node owns
  std::vector<void *> parameters;      ///< of a kernel's node that was asked for them: where its arguments are
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  std::vector<std::unique_ptr<Graph>> children;
  GraphNode *add(Action action, std::vector<GraphNode *> follows);
  bool owns(const GraphNode *node) const;
};

/// Its actions are replaced as a whole, so that a running launch keeps its own.
struct GraphExec {
  std::shared_ptr<const ActionList> list;
  std::map<const GraphNode *, size_t> places;             ///< of the original's nodes
  std::vector<std::vector<size_t>> follows;               ///< by place: the places of what it follows, ascending
  std::vector<std::shared_ptr<const GraphExec>> children; ///< by place: of a child graph's node
  CompletionRef last;                                     ///< launches of one executable graph follow each other
};

/// One capture: the graph that grows, and where it began.
struct Capture {
  uint64_t id = 0;
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  std::thread::id owner;
  Stream *origin = nullptr;
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  bool isInvalid = false, isOver = false;
};

struct Graphs {
  std::map<const void *, std::unique_ptr<Graph>> graphs;
  std::map<const void *, std::shared_ptr<GraphExec>> executables;
};
/// With the lock held.
Graphs &graphs();

/// The graph of a handle, also of a child or of a capture that has not ended; null if there is none.
Graph *graphOf(hipGraph_t handle);
/// The node of a handle in any graph; null if there is none.
GraphNode *nodeOf(const void *handle);
/// Actions in an order that respects what follows what; false when that is a circle.
bool inOrder(const Graph &graph, std::vector<const GraphNode *> &order);
std::unique_ptr<Graph> clone(const Graph &graph);
/// A graph as a list of actions; an error if it cannot run.
hipError_t flatten(const Graph &graph, GraphExec &into);

} // namespace fly::hip_emulated
