// Graphs and machines as JSON:
//   {"devices": [{"name": "g0", "type": "GPU", "memory": 1e9}], "latency_us": 5, "bytes_per_us": 12000,
//    "links": [{"from": "g0", "to": "g1", "latency_us": 2, "bytes_per_us": 50000}],
//    "nodes": [{"name": "a", "inputs": ["x"], "time_us": {"CPU": 10, "GPU": 2}, "bytes": 4000, "device": "g0",
//               "colocate": ["b"], "resident": true, "keep": true}], "outputs": ["a"]}
// Only devices and nodes must be there, and of a node name and time_us. One number as time_us stands for all types.
#pragma once

#include <string>
#include <string_view>

#include "plan/spec.h"

namespace lutra::plan {

// Fails (InvalidArgument) with `source`, the place in the text or the entry, and what is wrong there.
Spec read_graph(std::string_view json, const std::string& source);
std::string write_graph(const Spec& spec);

}  // namespace lutra::plan
