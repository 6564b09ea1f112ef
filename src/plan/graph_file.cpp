#include "plan/graph_file.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace lutra::plan {
namespace {

using Json = nlohmann::ordered_json;

class Reader {
 public:
  explicit Reader(const std::string& source) : source_(source) {}

  Spec read(std::string_view document) {
    Json json;
    try {
      json = Json::parse(document);
    } catch (const Json::exception& error) {
      // "[json.exception.parse_error.101] parse error at line 3, column 5: ..." without what concerns the library.
      std::string_view what = error.what();
      const std::size_t bracket = what.find("] ");
      fail(ErrorCode::InvalidArgument, source_,
           ": this is no JSON: ", bracket == std::string_view::npos ? what : what.substr(bracket + 2));
    }
    check(json, "the graph", {"devices", "nodes", "latency_us", "bytes_per_us", "links", "outputs"});
    Spec spec;
    for (const Json& each : list(json, "devices", "the graph")) {
      const std::string what = named("device", spec.devices.size(), each);
      check(each, what, {"name", "type", "memory"});
      DeviceSpec device{string(each, "name", what), string(each, "type", what)};
      number(each, "memory", what, &device.memory);
      spec.devices.push_back(std::move(device));
    }
    link(json, "the graph", &spec.link);
    if (json.contains("links")) {
      for (const Json& each : list(json, "links", "the graph")) {
        const std::string what = text("link ", spec.links.size() + 1);
        check(each, what, {"from", "to", "latency_us", "bytes_per_us"});
        LinkSpec made{string(each, "from", what), string(each, "to", what), spec.link};
        link(each, what, &made.link);
        spec.links.push_back(std::move(made));
      }
    }
    const Json& nodes = list(json, "nodes", "the graph");
    spec.nodes.reserve(nodes.size());
    for (const Json& each : nodes) spec.nodes.push_back(node(each, named("node", spec.nodes.size(), each)));
    if (json.contains("outputs")) spec.outputs = strings(json, "outputs", "the graph");
    return spec;
  }

 private:
  template <class... Parts> [[noreturn]] void wrong(std::string_view what, const Parts&... parts) const {
    fail(ErrorCode::InvalidArgument, source_, ": ", what, ": ", parts...);
  }

  // "node 3", "node 'conv1'"
  static std::string named(const char* kind, std::size_t before, const Json& entry) {
    if (entry.is_object() && entry.contains("name") && entry["name"].is_string()) {
      return text(kind, " '", entry["name"].get_ref<const std::string&>().substr(0, 60), "'");
    }
    return text(kind, " ", before + 1);
  }

  static const char* type_of(const Json& value) { return value.is_null() ? "null" : value.type_name(); }

  void check(const Json& object, std::string_view what, std::initializer_list<std::string_view> known) const {
    if (!object.is_object()) wrong(what, "it is a ", type_of(object), ", expected an object");
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      NearestWord nearest(key);
      std::string all;
      for (std::string_view name : known) {
        nearest.offer(name);
        append(all, text(all.empty() ? "" : ", ", name));
      }
      wrong(what, "unknown field '", std::string_view(key).substr(0, 60), "'", nearest.hint(), "; there are ", all);
    }
  }

  const Json& list(const Json& object, const char* key, std::string_view what) const {
    if (!object.contains(key)) wrong(what, "'", key, "' is missing");
    const Json& value = object[key];
    if (!value.is_array()) wrong(what, key, " is a ", type_of(value), ", expected a list");
    return value;
  }

  std::string string(const Json& object, const char* key, std::string_view what) const {
    if (!object.contains(key)) wrong(what, "'", key, "' is missing");
    const Json& value = object[key];
    if (!value.is_string()) wrong(what, key, " is a ", type_of(value), ", expected a string");
    return value.get<std::string>();
  }

  // A list of strings, or one string.
  std::vector<std::string> strings(const Json& object, const char* key, std::string_view what) const {
    const Json& value = object[key];
    if (value.is_string()) return {value.get<std::string>()};
    if (!value.is_array()) wrong(what, key, " is a ", type_of(value), ", expected a list of names");
    std::vector<std::string> names;
    for (const Json& each : value) {
      if (!each.is_string()) wrong(what, key, " has a ", type_of(each), ", expected names");
      names.push_back(each.get<std::string>());
    }
    return names;
  }

  // An optional number.
  void number(const Json& object, const char* key, std::string_view what, double* to) const {
    if (!object.contains(key)) return;
    const Json& value = object[key];
    if (!value.is_number()) wrong(what, key, " is a ", type_of(value), ", expected a number");
    *to = value.get<double>();
  }

  void flag(const Json& object, const char* key, std::string_view what, bool* to) const {
    if (!object.contains(key)) return;
    if (!object[key].is_boolean()) wrong(what, key, " is a ", type_of(object[key]), ", expected true or false");
    *to = object[key].get<bool>();
  }

  void link(const Json& object, std::string_view what, Link* to) const {
    number(object, "latency_us", what, &to->latency_us);
    number(object, "bytes_per_us", what, &to->bytes_per_us);
  }

  NodeSpec node(const Json& json, const std::string& what) const {
    check(json, what, {"name", "inputs", "time_us", "bytes", "device", "colocate", "resident", "keep"});
    NodeSpec node;
    node.name = string(json, "name", what);
    if (json.contains("inputs")) node.inputs = strings(json, "inputs", what);
    if (!json.contains("time_us")) wrong(what, "'time_us' is missing");
    const Json& times = json["time_us"];
    if (times.is_number()) {
      node.time_us = {{"", times.get<double>()}};
    } else {
      if (!times.is_object()) wrong(what, "time_us is a ", type_of(times), ", expected times by type of device");
      for (const auto& [type, us] : times.items()) {
        if (!us.is_number()) wrong(what, "time_us of ", type, " is a ", type_of(us), ", expected a number");
        node.time_us.emplace_back(type, us.get<double>());
      }
    }
    number(json, "bytes", what, &node.bytes);
    if (json.contains("device") && !json["device"].is_null()) node.device = string(json, "device", what);
    if (json.contains("colocate") && !json["colocate"].is_null()) node.colocate = strings(json, "colocate", what);
    flag(json, "resident", what, &node.resident);
    flag(json, "keep", what, &node.keep);
    return node;
  }

  const std::string& source_;
};

void put_link(Json& object, const Link& link) {
  object["latency_us"] = link.latency_us;
  if (link.bytes_per_us < kUnlimited) object["bytes_per_us"] = link.bytes_per_us;
}

}  // namespace

Spec read_graph(std::string_view json, const std::string& source) { return Reader(source).read(json); }

std::string write_graph(const Spec& spec) {
  Json json;
  for (const DeviceSpec& device : spec.devices) {
    Json each{{"name", device.name}, {"type", device.type}};
    if (device.memory < kUnlimited) each["memory"] = device.memory;
    json["devices"].push_back(std::move(each));
  }
  put_link(json, spec.link);
  for (const LinkSpec& link : spec.links) {
    Json each{{"from", link.from}, {"to", link.to}};
    put_link(each, link.link);
    json["links"].push_back(std::move(each));
  }
  for (const NodeSpec& node : spec.nodes) {
    Json each{{"name", node.name}};
    if (!node.inputs.empty()) each["inputs"] = node.inputs;
    Json times = Json::object();
    for (const auto& [type, us] : node.time_us) times[type] = us;
    if (node.time_us.size() == 1 && node.time_us[0].first.empty()) each["time_us"] = node.time_us[0].second;
    else each["time_us"] = std::move(times);
    each["bytes"] = node.bytes;
    if (!node.device.empty()) each["device"] = node.device;
    if (!node.colocate.empty()) each["colocate"] = node.colocate;
    if (node.resident) each["resident"] = true;
    if (node.keep) each["keep"] = true;
    json["nodes"].push_back(std::move(each));
  }
  if (!spec.outputs.empty()) json["outputs"] = spec.outputs;
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lutra::plan
