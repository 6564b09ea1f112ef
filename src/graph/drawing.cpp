// A program for people: a table of its ops, and a drawing in the language of dot.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "graph/program.h"

namespace lutra::graph {
namespace {

std::string name_of(const Step& step) {
  if (step.kind == Step::Kind::Copy) return "copy";
  if (step.kind == Step::Kind::Assign) return "assign";
  return step.op->name;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string kind_of(const StepArray& array) { return text(array.dtype, " ", array.shape()); }

}  // namespace

std::string summary_of(const Program& program) {
  struct Count {
    int steps = 0;
    double flops = 0, bytes = 0;
  };
  std::map<std::string, Count> counts;
  int launches = 0;
  for (const Step& step : program.steps) {
    Count& count = counts[name_of(step)];
    ++count.steps;
    count.flops += step.cost.flops;
    count.bytes += step.cost.bytes;
    launches += step.kind == Step::Kind::Launch;
  }
  std::vector<std::pair<std::string, Count>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  int assigned = 0;
  for (const Program::Variable& variable : program.variables) {
    assigned += variable.last != variable.cell || program.cells[static_cast<std::size_t>(variable.cell)].is_written;
  }
  std::string out = text("  ", launches, " launches, ", program.variables.size(), " variables (", assigned,
                         " assigned), ", program.results.size(), " results\n");
  std::size_t planned = 0, unshared = 0, own = 0;
  for (const Program::Block& block : program.blocks) {
    planned += block.bytes;
    unshared += block.unshared;
    append(out, text("  planned on ", block.device->full_name, ": ", bytes_text(static_cast<int64_t>(block.bytes)),
                     " (", bytes_text(static_cast<int64_t>(block.unshared)), " without reuse)\n"));
  }
  for (const Cell& cell : program.cells) {
    if (cell.is_own && cell.first >= 0) own += cell.bytes;
  }
  append(out, text("  memory: ", bytes_text(static_cast<int64_t>(planned + own)), " (",
                   bytes_text(static_cast<int64_t>(own)),
                   " of results); eager at its peak: ", bytes_text(static_cast<int64_t>(program.eager_bytes)), "\n"));
  for (const auto& [name, count] : rows) {
    append(out, text(padded(text(count.steps), 8), "  ", name, ", ", bytes_text(static_cast<int64_t>(count.bytes)),
                     ", ", static_cast<int64_t>(count.flops), " flops\n"));
  }
  return out;
}

std::string drawing_of(const Program& program, std::string_view name) {
  std::string out =
      text("digraph \"", escaped(name), "\" {\n  rankdir = TB;\n  node [shape = box, fontname = sans];\n");
  // Who wrote each cell last.
  std::map<int, std::string> writers;
  auto source = [&](const StepArray& array) -> std::string {
    if (array.place.cell < 0) return "";
    auto known = writers.find(array.place.cell);
    if (known != writers.end()) return known->second;
    const Cell& cell = program.cell(array.place);
    std::string node = text("c", array.place.cell);
    const char* kind = cell.kind == Cell::Kind::Argument   ? "argument"
                       : cell.kind == Cell::Kind::Variable ? "variable"
                                                           : "constant";
    std::string number = cell.index >= 0 ? text(" ", cell.index + 1) : "";
    append(out, text("  ", node, " [label = \"", kind, number, "\\n", bytes_text(static_cast<int64_t>(cell.bytes)),
                     "\", shape = ellipse];\n"));
    return writers[array.place.cell] = node;
  };
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    std::string node = text("s", i);
    std::vector<std::string> sources;
    for (const StepArray& in : step.in) sources.push_back(source(in));
    std::string label = name_of(step);
    if (!step.out.empty()) append(label, text("\\n", kind_of(step.out[0])));
    if (!step.device->is_host()) append(label, text("\\n", step.device->spec.local_name()));
    if (!program.lines[step.line].empty()) append(label, text("\\n", escaped(program.lines[step.line])));
    append(out, text("  ", node, " [label = \"", label, "\"];\n"));
    for (std::size_t k = 0; k < sources.size(); ++k) {
      if (sources[k].empty()) continue;
      append(out, text("  ", sources[k], " -> ", node, " [label = \"", kind_of(step.in[k]), "\"];\n"));
    }
    for (const StepArray& made : step.out) writers[made.place.cell] = node;
    if (step.kind == Step::Kind::Assign) {
      append(out, text("  v", i, " [label = \"variable ", step.variable + 1, "\", shape = ellipse];\n  ", node, " -> v",
                       i, ";\n"));
    }
  }
  for (std::size_t i = 0; i < program.results.size(); ++i) {
    StepArray array;
    array.place = program.results[i].place;
    std::string from = source(array);
    append(out, text("  r", i, " [label = \"result ", i + 1, "\", shape = ellipse];\n  ", from, " -> r", i, ";\n"));
  }
  append(out, "}\n");
  return out;
}

}  // namespace lutra::graph
