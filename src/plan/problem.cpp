#include "plan/problem.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "core/error.h"

namespace lutra::plan {
namespace {

constexpr std::size_t kMostLinkedDevices = 2048;  // link tables of devices x devices stay below 64 MiB
constexpr std::size_t kMostKinds = 64;

using Names = std::unordered_map<std::string_view, int>;

// `name` in quotes, cut where it is long: names come from files.
std::string quoted_node(std::string_view name) {
  constexpr std::size_t kLongest = 60;
  return text("'", name.substr(0, kLongest), name.size() > kLongest ? "...'" : "'");
}

void check_number(double number, std::string_view what, std::string_view owner, std::string_view field) {
  require(!std::isnan(number) && number >= 0, "plan: ", what, " ", quoted_node(owner), ": ", field, " is ", number,
          ", expected a number from 0 on");
}

void check_link(const Link& link, std::string_view which) {
  require(std::isfinite(link.latency_us) && link.latency_us >= 0, "plan: ", which, ": latency_us is ", link.latency_us,
          ", expected a number from 0 on");
  require(link.bytes_per_us > 0, "plan: ", which, ": bytes_per_us is ", link.bytes_per_us,
          ", expected a number above 0");
}

template <class Items> Names index_names(const Items& items, std::string_view what) {
  Names names;
  names.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    require(!items[i].name.empty(), "plan: ", what, " ", i + 1, " has no name");
    require(names.emplace(items[i].name, static_cast<int>(i)).second, "plan: two ", what, "s are named ",
            quoted_node(items[i].name));
  }
  return names;
}

int find(const Names& names, std::string_view name, std::string_view owner, std::string_view relation) {
  auto found = names.find(name);
  if (found != names.end()) return found->second;
  NearestWord nearest(name);
  if (names.size() <= 10000) {
    for (const auto& [known, index] : names) nearest.offer(known);
  }
  fail(ErrorCode::InvalidArgument, "plan: node ", quoted_node(owner), relation, quoted_node(name), ", which is no node",
       nearest.hint());
}

class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  int root(int i) {
    while (at(i) != i) i = at(i) = at(at(i));
    return i;
  }
  void join(int a, int b) {
    a = root(a);
    b = root(b);
    at(std::max(a, b)) = std::min(a, b);
  }

 private:
  int& at(int i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<int> parent_;
};

class Compiler {
 public:
  explicit Compiler(const Spec& spec) : spec_(spec) {}

  Problem run() {
    read_devices();
    read_links();
    node_names_ = index_names(spec_.nodes, "node");
    keep_needed();
    read_nodes();
    connect();
    sort();
    join();
    constrain();
    double total = std::accumulate(p_.bytes.begin(), p_.bytes.end(), 0.0);
    for (const DeviceSpec& device : p_.devices) p_.memory_is_tight |= device.memory < total;
    return std::move(p_);
  }

 private:
  void read_devices() {
    require(!spec_.devices.empty(), "plan: there are no devices");
    device_names_ = index_names(spec_.devices, "device");
    p_.devices = spec_.devices;
    for (const DeviceSpec& device : p_.devices) {
      require(!device.type.empty(), "plan: device ", quoted_node(device.name), " has no type");
      check_number(device.memory, "device", device.name, "memory");
      auto known = std::find(p_.kinds.begin(), p_.kinds.end(), device.type);
      p_.kind.push_back(static_cast<int>(known - p_.kinds.begin()));
      if (known == p_.kinds.end()) p_.kinds.push_back(device.type);
      p_.priority.push_back(device.type == "CPU" || device.type == "cpu" ? 0 : 1);
    }
    require(p_.kinds.size() <= kMostKinds, "plan: there are ", p_.kinds.size(), " types of devices, expected at most ",
            kMostKinds);
    std::map<std::pair<int, double>, int> classes;
    for (int d = 0; d < p_.device_count(); ++d) {
      int first = classes.try_emplace({p_.kind[at(d)], p_.devices[at(d)].memory}, d).first->second;
      p_.device_class.push_back(spec_.links.empty() ? first : d);
    }
  }

  void read_links() {
    check_link(spec_.link, "link");
    p_.default_link = spec_.link;
    if (spec_.links.empty()) return;
    const std::size_t count = p_.devices.size();
    require(count <= kMostLinkedDevices, "plan: links between pairs need at most ", kMostLinkedDevices,
            " devices; there are ", count);
    p_.pair_links.assign(count * count, spec_.link);
    auto device = [&](const std::string& name) {
      auto found = device_names_.find(name);
      require(found != device_names_.end(), "plan: a link names ", quoted_node(name), ", which is no device");
      return at(found->second);
    };
    for (bool is_listed : {false, true}) {
      for (const LinkSpec& each : spec_.links) {
        std::size_t from = device(each.from), to = device(each.to);
        check_link(each.link, text("link ", quoted_node(each.from), " to ", quoted_node(each.to)));
        if (!is_listed) std::swap(from, to);
        p_.pair_links[from * count + to] = each.link;
      }
    }
  }

  // Leaves out what no output needs.
  void keep_needed() {
    std::vector<uint8_t> is_needed(spec_.nodes.size(), spec_.outputs.empty() ? 1 : 0);
    std::vector<int> open;
    for (const std::string& name : spec_.outputs) {
      auto found = node_names_.find(name);
      require(found != node_names_.end(), "plan: output ", quoted_node(name), " is no node");
      open.push_back(found->second);
      outputs_.push_back(found->second);
    }
    while (!open.empty()) {
      int node = open.back();
      open.pop_back();
      if (is_needed[at(node)] != 0) continue;
      is_needed[at(node)] = 1;
      const NodeSpec& spec = spec_.nodes[at(node)];
      for (const std::string& input : spec.inputs) open.push_back(find(node_names_, input, spec.name, " reads "));
    }
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
      index_.push_back(is_needed[i] != 0 ? static_cast<int>(kept_.size()) : -1);
      if (is_needed[i] != 0) kept_.push_back(&spec_.nodes[i]);
      else p_.ignored.push_back(spec_.nodes[i].name);
    }
  }

  void read_nodes() {
    for (const NodeSpec* node : kept_) {
      p_.names.push_back(node->name);
      check_number(node->bytes, "node", node->name, "bytes");
      require(std::isfinite(node->bytes), "plan: node ", quoted_node(node->name), ": bytes is not finite");
      p_.bytes.push_back(node->bytes);
      p_.resident.push_back(node->resident ? 1 : 0);
      p_.mirrored.push_back(node->mirrored ? 1 : 0);
      p_.keep.push_back(node->keep ? 1 : 0);
      read_times(*node);
    }
    for (int output : outputs_) p_.keep[at(index_[at(output)])] = 1;
  }

  void read_times(const NodeSpec& node) {
    const std::size_t first = p_.times.size();
    p_.times.resize(first + p_.kinds.size(), kUnlimited);
    bool any = false;
    for (const auto& [type, us] : node.time_us) {
      require(std::isfinite(us) && us >= 0, "plan: node ", quoted_node(node.name), ": time_us",
              type.empty() ? "" : " of ", type, " is ", us, ", expected a number from 0 on");
      for (std::size_t k = 0; k < p_.kinds.size(); ++k) {
        if (!type.empty() && type != p_.kinds[k]) continue;
        p_.times[first + k] = us;
        any = true;
      }
    }
    if (any) return;
    std::string types, listed;
    for (const std::string& kind : p_.kinds) append(types, text(types.empty() ? "" : ", ", kind));
    for (const auto& [type, us] : node.time_us) append(listed, text(listed.empty() ? "" : ", ", type));
    fail(ErrorCode::InvalidArgument, "plan: node ", quoted_node(node.name), " runs on no device: it has ",
         listed.empty() ? "no time_us" : "time_us for ", listed, ", and the devices' types are ", types);
  }

  void connect() {
    const std::size_t count = kept_.size();
    std::vector<int> users(count, 0);
    std::vector<int> last(count, -1);  // the last node that read it: inputs given twice count once
    for (std::size_t i = 0; i < count; ++i) {
      const NodeSpec& node = *kept_[i];
      for (const std::string& name : node.inputs) {
        int input = index_[at(find(node_names_, name, node.name, " reads "))];
        if (last[at(input)] == static_cast<int>(i)) continue;
        last[at(input)] = static_cast<int>(i);
        p_.inputs.items.push_back(input);
        ++users[at(input)];
      }
      p_.inputs.begin.push_back(static_cast<int>(p_.inputs.items.size()));
    }
    for (int n : users) p_.users.begin.push_back(p_.users.begin.back() + n);
    p_.users.items.resize(p_.inputs.items.size());
    std::vector<int> next(p_.users.begin.begin(), p_.users.begin.end() - 1);
    for (std::size_t i = 0; i < count; ++i) {
      for (int input : p_.inputs.of(static_cast<int>(i))) {
        p_.users.items[at(next[at(input)]++)] = static_cast<int>(i);
      }
    }
  }

  // The smallest index first among the nodes whose inputs are done.
  void sort() {
    const int count = p_.node_count();
    std::vector<int> missing(at(count));
    std::vector<int> heap;
    auto later = std::greater<int>();
    for (int i = 0; i < count; ++i) {
      missing[at(i)] = static_cast<int>(p_.inputs.of(i).size());
      if (missing[at(i)] == 0) heap.push_back(i);  // ascending: a heap
    }
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), later);
      int node = heap.back();
      heap.pop_back();
      p_.order.push_back(node);
      for (int user : p_.users.of(node)) {
        if (--missing[at(user)] > 0) continue;
        heap.push_back(user);
        std::push_heap(heap.begin(), heap.end(), later);
      }
    }
    if (p_.order.size() < at(count)) fail_cycle(missing);
  }

  [[noreturn]] void fail_cycle(const std::vector<int>& missing) {
    // Each node that is left has an input that is left: walking to inputs must come back.
    int node =
        static_cast<int>(std::find_if(missing.begin(), missing.end(), [](int n) { return n > 0; }) - missing.begin());
    std::vector<int> seen(missing.size(), -1);
    std::vector<int> path;
    while (seen[at(node)] < 0) {
      seen[at(node)] = static_cast<int>(path.size());
      path.push_back(node);
      for (int input : p_.inputs.of(node)) {
        if (missing[at(input)] > 0) {
          node = input;
          break;
        }
      }
    }
    path.erase(path.begin(), path.begin() + seen[at(node)]);
    std::reverse(path.begin(), path.end());
    std::string cycle;
    constexpr std::size_t kMostShown = 12;
    for (std::size_t i = 0; i < std::min(path.size(), kMostShown); ++i)
      append(cycle, text(p_.names[at(path[i])], " -> "));
    if (path.size() > kMostShown) append(cycle, text("... (", path.size(), " nodes) -> "));
    fail(ErrorCode::InvalidArgument, "plan: the graph has a cycle: ", cycle, p_.names[at(path.front())]);
  }

  void join() {
    const int count = p_.node_count();
    UnionFind sets(at(count));
    for (int i = 0; i < count; ++i) {
      const NodeSpec& node = *kept_[at(i)];
      for (const std::string& name : node.colocate) {
        int other = index_[at(find(node_names_, name, node.name, " is colocated with "))];
        if (other >= 0) sets.join(i, other);
      }
    }
    std::vector<std::vector<int>> members;
    p_.component.assign(at(count), -1);
    for (int i = 0; i < count; ++i) {
      int& of_root = p_.component[at(sets.root(i))];  // the root is the smallest index: it comes first
      if (of_root < 0) {
        of_root = static_cast<int>(members.size());
        members.emplace_back();
      }
      p_.component[at(i)] = of_root;
      members[at(of_root)].push_back(i);
    }
    for (const std::vector<int>& each : members) {
      p_.members.items.insert(p_.members.items.end(), each.begin(), each.end());
      p_.members.begin.push_back(static_cast<int>(p_.members.items.size()));
    }
  }

  struct Constraint {
    uint64_t kinds;   // that can run it, as bits
    int device = -1;  // the only one; -1: any
    bool operator<(const Constraint& other) const {
      return kinds != other.kinds ? kinds < other.kinds : device < other.device;
    }
  };

  Constraint constraint_of(int node) {
    const NodeSpec& spec = *kept_[at(node)];
    Constraint own{0};
    for (std::size_t k = 0; k < p_.kinds.size(); ++k) {
      if (p_.times[at(node) * p_.kinds.size() + k] < kUnlimited) own.kinds |= uint64_t{1} << k;
    }
    if (spec.device.empty()) return own;
    auto device = device_names_.find(spec.device);
    if (device != device_names_.end()) {
      own.device = device->second;
      require((own.kinds >> p_.kind[at(own.device)] & 1) != 0, "plan: node ", quoted_node(spec.name), " is fixed to ",
              quoted_node(spec.device), ", and it has no time_us for the type ", p_.devices[at(own.device)].type);
      return own;
    }
    auto kind = std::find(p_.kinds.begin(), p_.kinds.end(), spec.device);
    if (kind == p_.kinds.end()) {
      NearestWord nearest(spec.device);
      for (const auto& [known, index] : device_names_) nearest.offer(known);
      fail(ErrorCode::InvalidArgument, "plan: node ", quoted_node(spec.name), " is fixed to ", quoted_node(spec.device),
           ", which is neither a device nor a type of device", nearest.hint());
    }
    uint64_t bit = uint64_t{1} << (kind - p_.kinds.begin());
    require((own.kinds & bit) != 0, "plan: node ", quoted_node(spec.name), " is fixed to the type ",
            quoted_node(spec.device), ", and it has no time_us for that type");
    own.kinds = bit;
    return own;
  }

  std::string described(int node, const Constraint& own) const {
    if (own.device >= 0)
      return text(quoted_node(p_.names[at(node)]), " runs on ", quoted_node(p_.devices[at(own.device)].name));
    std::string types;
    for (std::size_t k = 0; k < p_.kinds.size(); ++k) {
      if ((own.kinds >> k & 1) != 0) append(types, text(types.empty() ? "" : " or ", p_.kinds[k]));
    }
    return text(quoted_node(p_.names[at(node)]), " runs on ", types);
  }

  void constrain() {
    std::map<Constraint, int> known;
    for (int c = 0; c < p_.component_count(); ++c) {
      std::span<const int> members = p_.members.of(c);
      Constraint all = constraint_of(members.front());
      for (int node : members.subspan(1)) {
        Constraint own = constraint_of(node);
        Constraint both{all.kinds & own.kinds, all.device >= 0 ? all.device : own.device};
        bool clash = both.kinds == 0 || (all.device >= 0 && own.device >= 0 && all.device != own.device) ||
                     (both.device >= 0 && (both.kinds >> p_.kind[at(both.device)] & 1) == 0);
        if (clash) fail_contradiction(members, node);
        all = both;
      }
      auto [found, is_new] = known.try_emplace(all, static_cast<int>(p_.sets.size()));
      if (is_new) {
        p_.sets.push_back(devices_of(all));
        p_.set_is_whole.push_back(all.device < 0 ? 1 : 0);
      }
      p_.set_of.push_back(found->second);
    }
  }

  // Names `node` and a node before it that contradicts it, if there is one; else all the nodes before it do together.
  [[noreturn]] void fail_contradiction(std::span<const int> members, int node) {
    Constraint own = constraint_of(node);
    std::string others;
    for (int other : members) {
      if (other == node) break;
      Constraint theirs = constraint_of(other);
      std::vector<int> a = devices_of(own), b = devices_of(theirs), both;
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
      std::string line = described(other, theirs);
      if (both.empty()) {
        others = line;
        break;
      }
      append(others, text(others.empty() ? "" : ", ", line));
    }
    fail(ErrorCode::InvalidArgument, "plan: ", quoted_node(p_.names[at(node)]), " cannot be colocated: ", others,
         ", and ", described(node, own), ": no device meets all of that");
  }

  std::vector<int> devices_of(const Constraint& constraint) const {
    if (constraint.device >= 0) return {constraint.device};
    std::vector<int> devices;
    for (int d = 0; d < p_.device_count(); ++d) {
      if ((constraint.kinds >> p_.kind[at(d)] & 1) != 0) devices.push_back(d);
    }
    return devices;
  }

  const Spec& spec_;
  Names device_names_, node_names_;
  std::vector<int> index_;  // of the spec's nodes in the problem; -1: left out
  std::vector<const NodeSpec*> kept_;
  std::vector<int> outputs_;  // in the spec
  Problem p_;
};

}  // namespace

bool Problem::is_feasible(int component_index, int device) const {
  const std::vector<int>& devices_of = feasible(component_index);
  return std::binary_search(devices_of.begin(), devices_of.end(), device);
}

Problem compile(const Spec& spec) { return Compiler(spec).run(); }

}  // namespace lutra::plan
