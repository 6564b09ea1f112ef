#include "plan/timeline_page.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/text.h"

namespace lutra::plan {
namespace {

constexpr std::string_view kBefore = R"page(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Timeline</title>
<style>
body { font: 14px/1.45 system-ui, sans-serif; margin: 1.2em 1.6em; color: #1c2733; background: #fff; }
h1 { font-size: 1.25em; margin: 0 0 .4em; }
#facts { border-collapse: collapse; margin: 0 0 .8em; }
#facts td { padding: 1px 1.2em 1px 0; vertical-align: top; }
#facts td:first-child { color: #5b6b7b; }
#view { width: 100%; display: block; border: 1px solid #d5dde5; }
#help { color: #5b6b7b; margin: .4em 0; }
#tip { position: fixed; background: #1c2733; color: #fff; padding: 4px 8px; border-radius: 3px; display: none;
  pointer-events: none; white-space: pre; font-size: 12px; }
.key { display: inline-block; width: .9em; height: .9em; margin: 0 .3em 0 1em; vertical-align: -1px; }
</style></head><body>
<h1 id="title"></h1><table id="facts"></table>
<canvas id="view"></canvas>
<p id="help">Wheel: zoom. Drag: move. Double click: everything.
<span class="key" style="background:#5b9bd5"></span>node<span class="key" style="background:#d9534f"></span>node on the critical path<span class="key" style="background:#f0ad4e"></span>copy to the device</p>
<div id="tip"></div>
<script type="application/json" id="data">)page";

constexpr std::string_view kAfter = R"page(</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
document.title = data.title;
document.getElementById("title").textContent = data.title;
const facts = document.getElementById("facts");
for (const [name, value] of data.facts) {
  const row = facts.insertRow();
  row.insertCell().textContent = name;
  row.insertCell().textContent = value;
}
const canvas = document.getElementById("view"), tip = document.getElementById("tip");
const left = 150, top0 = 24, laneHeight = 44, nodeHeight = 24, copyHeight = 10;
const laneOf = new Map(data.lanes.map((name, i) => [name, i]));
let end = 1e-9;
for (const e of data.events) end = Math.max(end, e.start_us + e.duration_us);
let from = 0, until = end;
const height = top0 + laneHeight * data.lanes.length + 6;
function step(range) {
  const raw = range / 8, power = Math.pow(10, Math.floor(Math.log10(raw)));
  for (const m of [1, 2, 5, 10]) if (raw <= m * power) return m * power;
  return 10 * power;
}
function text(us, unit) {
  return unit >= 1e6 || us >= 1e7 ? us / 1e6 + " s" : unit >= 1e3 || us >= 1e5 ? us / 1e3 + " ms" : us + " us";
}
function x(us) { return left + (us - from) / (until - from) * (canvas.clientWidth - left); }
function top_of(e) { return top0 + laneOf.get(e.device) * laneHeight + (e.is_copy ? nodeHeight + 4 : 2); }
function draw() {
  const scale = window.devicePixelRatio || 1, width = canvas.clientWidth;
  canvas.style.height = height + "px";
  canvas.width = width * scale;
  canvas.height = height * scale;
  const g = canvas.getContext("2d");
  g.scale(scale, scale);
  g.clearRect(0, 0, width, height);
  g.font = "11px system-ui, sans-serif";
  g.textBaseline = "middle";
  const unit = step(until - from);
  for (let t = Math.ceil(from / unit) * unit; t <= until; t += unit) {
    g.fillStyle = "#e4eaf0";
    g.fillRect(x(t), top0 - 6, 1, height);
    g.fillStyle = "#5b6b7b";
    g.fillText(text(+t.toPrecision(6), unit), x(t) + 3, 10);
  }
  data.lanes.forEach((name, i) => {
    g.fillStyle = "#eef2f6";
    g.fillRect(0, top0 + i * laneHeight - 2, width, 1);
    g.fillStyle = "#1c2733";
    g.fillText(name.length > 22 ? "..." + name.slice(-20) : name, 6, top0 + i * laneHeight + nodeHeight / 2 + 2);
  });
  g.save();
  g.beginPath();
  g.rect(left, 0, width - left, height);
  g.clip();
  for (const e of data.events) {
    const a = x(e.start_us), b = x(e.start_us + e.duration_us);
    if (b < left || a > width) continue;
    const y = top_of(e), h = e.is_copy ? copyHeight : nodeHeight, w = Math.max(b - a - (b - a > 3 ? 1 : 0), 0.7);
    g.fillStyle = e.is_copy ? "#f0ad4e" : e.is_critical ? "#d9534f" : "#5b9bd5";
    g.fillRect(a, y, w, h);
    if (!e.is_copy && w > 24) {
      g.save();
      g.beginPath();
      g.rect(a, y, w - 2, h);
      g.clip();
      g.fillStyle = "#fff";
      g.fillText(e.name, Math.max(a, left) + 3, y + h / 2);
      g.restore();
    }
  }
  g.restore();
}
function at(event) {
  const box = canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
  for (let i = data.events.length - 1; i >= 0; --i) {
    const e = data.events[i], y = top_of(e), h = e.is_copy ? copyHeight : nodeHeight;
    if (py >= y && py <= y + h && px >= x(e.start_us) - 1 && px <= x(e.start_us + e.duration_us) + 1) return e;
  }
}
let drag = null;
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  const share = (event.offsetX - left) / (canvas.clientWidth - left), t = from + share * (until - from);
  const range = Math.min(Math.max((until - from) * (event.deltaY > 0 ? 1.25 : 0.8), end * 1e-6), end * 1.1);
  from = t - share * range;
  until = from + range;
  draw();
}, { passive: false });
canvas.addEventListener("mousedown", event => { drag = { x: event.clientX, from, until }; });
window.addEventListener("mouseup", () => { drag = null; });
canvas.addEventListener("dblclick", () => { from = 0; until = end; draw(); });
canvas.addEventListener("mousemove", event => {
  if (drag) {
    const moved = (drag.x - event.clientX) / (canvas.clientWidth - left) * (drag.until - drag.from);
    from = drag.from + moved;
    until = drag.until + moved;
    return draw();
  }
  const e = at(event);
  tip.style.display = e ? "block" : "none";
  if (!e) return;
  tip.textContent = e.name + "\n" + e.device + "\n" + e.start_us + " to " + (e.start_us + e.duration_us) + " us (" +
    e.duration_us + " us)" + (e.detail ? "\n" + e.detail : "");
  tip.style.left = event.clientX + 12 + "px";
  tip.style.top = event.clientY + 12 + "px";
});
window.addEventListener("resize", draw);
draw();
</script></body></html>
)page";

std::string number_text(double number) {
  std::string out;
  append(out, number);
  return out;
}

}  // namespace

Timeline timeline_of(const Problem& problem, const Plan& plan, std::string title) {
  auto at = [](int i) { return static_cast<std::size_t>(i); };
  const Simulation& run = plan.simulation;
  Timeline made;
  made.title = std::move(title);
  made.facts.emplace_back("makespan", number_text(run.makespan_us) + " us");
  made.facts.emplace_back("found by", plan.policy);
  for (int d = 0; d < problem.device_count(); ++d) {
    const std::string& name = problem.devices[at(d)].name;
    made.lanes.push_back(name);
    const double busy = run.makespan_us > 0 ? 100 * run.busy_us[at(d)] / run.makespan_us : 0;
    std::string fact = text("busy ", static_cast<int64_t>(busy + 0.5), "%, at most ",
                            bytes_text(static_cast<int64_t>(run.peak_bytes[at(d)])), "; alone: ");
    const Alternative& alone = plan.alone[at(d)];
    append(fact, alone.reason.empty() ? number_text(alone.makespan_us) + " us" : alone.reason);
    made.facts.emplace_back(name, std::move(fact));
  }
  std::vector<bool> is_critical(problem.names.size(), false);
  for (int node : run.critical_path) is_critical[at(node)] = true;
  for (int node = 0; node < problem.node_count(); ++node) {
    made.events.push_back({problem.names[at(node)], problem.devices[at(run.device[at(node)])].name, run.start[at(node)],
                           run.finish[at(node)] - run.start[at(node)], false, is_critical[at(node)],
                           bytes_text(static_cast<int64_t>(problem.bytes[at(node)]))});
  }
  for (const Copy& copy : run.copies) {
    made.events.push_back({problem.names[at(copy.node)], problem.devices[at(copy.to)].name, copy.start,
                           copy.finish - copy.start, true, false,
                           text("copy of ", bytes_text(static_cast<int64_t>(problem.bytes[at(copy.node)])), " from ",
                                problem.devices[at(copy.from)].name)});
  }
  return made;
}

std::string timeline_page(const Timeline& timeline) {
  using Json = nlohmann::ordered_json;
  Json json{{"title", timeline.title}, {"facts", Json::array()}, {"lanes", timeline.lanes}, {"events", Json::array()}};
  for (const auto& [name, value] : timeline.facts) json["facts"].push_back({name, value});
  for (const TimelineEvent& event : timeline.events) {
    Json each{{"name", event.name},
              {"device", event.device},
              {"start_us", event.start_us},
              {"duration_us", event.duration_us}};
    if (event.is_copy) each["is_copy"] = true;
    if (event.is_critical) each["is_critical"] = true;
    if (!event.detail.empty()) each["detail"] = event.detail;
    json["events"].push_back(std::move(each));
  }
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  // A name must not end the script element.
  std::string safe;
  safe.reserve(text.size());
  for (char c : text) {
    if (c == '<') safe += "\\u003c";
    else safe += c;
  }
  return std::string(kBefore) + safe + std::string(kAfter);
}

}  // namespace lutra::plan
