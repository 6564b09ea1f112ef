// Graphs as JSON, and plans as text, JSON and pages.
#include "plan/graph_file.h"
#include "core/error.h"
#include "plan/report.h"
#include "plan/timeline_page.h"
#include "tests/support/catch.h"
#include "tests/unit/plan/graphs.h"

using namespace lutra;
using namespace lutra::plan;
using namespace lutra::plan::test;

TEST_CASE("graphs come back from their JSON", "[plan]") {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Generator generator(seed);
    Generated kind;
    kind.most_nodes = 20;
    kind.tight_memory = seed % 2 == 0;
    Spec spec = generator.spec(kind);
    if (seed % 3 == 0) spec.outputs = {spec.nodes.back().name};
    std::string json = write_graph(spec);
    Spec read = read_graph(json, "test");
    CHECK(write_graph(read) == json);
    CHECK(read.nodes.size() == spec.nodes.size());
    CHECK(read.devices[0].memory == spec.devices[0].memory);
    CHECK(read.nodes[0].time_us.size() == spec.nodes[0].time_us.size());
  }
}

TEST_CASE("text that is cut off at any byte is refused, not crashed on", "[plan]") {
  Generator generator(7);
  std::string json = write_graph(generator.spec({}));
  for (std::size_t size = 0; size + 1 < json.size(); ++size) {
    CHECK_THROWS_AS(read_graph(std::string_view(json).substr(0, size), "test"), Error);
  }
}

TEST_CASE("reports name nodes and devices, whatever their names hold", "[plan]") {
  Spec spec;
  spec.devices = {{"</script>\xff", "GPU", 1e6}, {"\"quoted\"", "CPU"}};
  spec.nodes.resize(2);
  spec.nodes[0].name = "<b>&\n";
  spec.nodes[1].name = "two";
  spec.nodes[1].inputs = {"<b>&\n"};
  for (NodeSpec& node : spec.nodes) {
    node.time_us = {{"", 3}};
    node.bytes = 10;
  }
  Problem problem = compile(spec);
  Plan plan = make_plan(problem);
  CHECK(plan_text(problem, plan).find("2 nodes on 2 devices: 6 us") != std::string::npos);
  CHECK(plan_json(problem, plan).find("\"makespan_us\": 6.0") != std::string::npos);
  std::string page = timeline_page(timeline_of(problem, plan, "a </title>"));
  std::size_t ends = 0;
  for (std::size_t at = page.find("</script>"); at != std::string::npos; at = page.find("</script>", at + 1)) ++ends;
  CHECK(ends == 2);
}
