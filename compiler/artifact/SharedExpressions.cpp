#include "compiler/artifact/SharedExpressions.h"

#include <unordered_map>
#include <vector>

namespace fly::artifact {

using Json = nlohmann::ordered_json;

namespace {

bool isTree(const Json &json) { return json.is_object() && json.contains("op") && json.contains("args"); }

class Sharing {
public:
  /// Counts the trees in `json`.
  void count(const Json &json) {
    if (isTree(json))
      ++nodes[intern(json)].uses;
    else if (json.is_structured())
      for (const Json &part : json)
        count(part);
  }

  void replace(Json &json) {
    if (isTree(json))
      json = shown(intern(json));
    else if (json.is_structured())
      for (Json &part : json)
        replace(part);
  }

  Json list = Json::array();

private:
  struct Node {
    Json op;
    std::vector<size_t> args; ///< of nodes; leaves have none
    Json leaf;
    size_t uses = 0; ///< in the document, and by nodes
    int64_t place = -1;
  };

  size_t intern(const Json &json) {
    Node node;
    std::string key;
    if (isTree(json)) {
      node.op = json["op"];
      key = json["op"].get<std::string>();
      for (const Json &arg : json["args"]) {
        node.args.push_back(intern(arg));
        key += ' ' + std::to_string(node.args.back());
      }
    } else {
      node.leaf = json;
      key = json.dump();
    }
    auto [known, isNew] = numbers.insert({key, nodes.size()});
    if (isNew) {
      for (size_t arg : node.args)
        ++nodes[arg].uses;
      nodes.push_back(std::move(node));
    }
    return known->second;
  }

  Json treeOf(const Node &node) {
    Json tree = {{"op", node.op}, {"args", Json::array()}};
    for (size_t arg : node.args)
      tree["args"].push_back(shown(arg));
    return tree;
  }

  Json shown(size_t number) {
    Node &node = nodes[number];
    if (node.args.empty() && node.op.is_null())
      return node.leaf;
    if (node.uses < 2)
      return treeOf(node);
    if (node.place < 0) {
      Json tree = treeOf(node); // its parts come before it
      nodes[number].place = int64_t(list.size());
      list.push_back(std::move(tree));
    }
    return {{"ref", nodes[number].place}};
  }

  std::vector<Node> nodes;
  std::unordered_map<std::string, size_t> numbers;
};

void write(const Json &json, unsigned depth, const std::string &indent, std::string &out) {
  if (!json.is_structured() || json.empty()) {
    out += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const std::string inner = indent + "  ";
  out += json.is_object() ? "{" : "[";
  bool isFirst = true;
  for (auto &[key, value] : json.items()) {
    out += isFirst ? "" : depth ? "," : ", ";
    if (depth)
      out += '\n' + inner;
    if (json.is_object())
      out += Json(key).dump() + ": ";
    write(value, depth ? depth - 1 : 0, inner, out);
    isFirst = false;
  }
  if (depth)
    out += '\n' + indent;
  out += json.is_object() ? '}' : ']';
}

} // namespace

void shareExpressions(Json &module) {
  Sharing sharing;
  sharing.count(module);
  sharing.replace(module);
  module["expressions"] = std::move(sharing.list);
}

std::string textOf(const Json &json, unsigned depth) {
  std::string out;
  write(json, depth, "", out);
  return out + "\n";
}

} // namespace fly::artifact
