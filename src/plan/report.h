// A plan as text for people and as JSON for programs.
#pragma once

#include <string>

#include "plan/planner.h"

namespace lutra::plan {

// Makespan, a row per device, what each alone would take, the critical path (its first and last nodes), the candidates.
std::string plan_text(const Problem& problem, const Plan& plan);
// {"makespan_us", "policy", "placement": {node: device}, "schedule": [{node, device, start, finish}], "copies",
// "devices": {name: {busy_us, peak_bytes}}, "critical_path", "alternatives": {device: us or reason}, "candidates"}
std::string plan_json(const Problem& problem, const Plan& plan);

// Bytes of a simulation, as "1.5 GiB".
std::string size_text(double bytes);

// The nodes by start time, then by index.
std::vector<int> by_start(const Simulation& simulation);

}  // namespace lutra::plan
