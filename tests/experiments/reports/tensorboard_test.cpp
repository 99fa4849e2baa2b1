#include "experiments/reports/tensorboard.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/layers.h"
#include "tests/support/paths.h"

using namespace orrery;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

using Settings = std::vector<std::pair<std::string, std::string>>;

/// What TensorBoard wrote: tests/golden/tensorboard/generate.py.
std::string golden_events(const std::string& name) {
  std::ifstream in(test::tests_folder() + "/golden/tensorboard/" + name + ".tfevents",
                   std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::vector<ParamSpec>& specs() {
  static const std::vector<ParamSpec> all{{.key = "dim", .kind = ParamKind::integer},
                                          {.key = "base", .kind = ParamKind::real},
                                          {.key = "causal", .kind = ParamKind::boolean},
                                          {.key = "encoding", .kind = ParamKind::choice_list}};
  return all;
}

PointRecord point(const std::string& label, const Settings& params, std::vector<Scalar> scalars) {
  static int count = 0;
  return {.id = "id" + std::to_string(count++),
          .label = label,
          .status = PointStatus::done,
          .params = params,
          .scalars = std::move(scalars)};
}

std::vector<TensorBoardRun> runs_of(const std::vector<PointRecord>& points) {
  return tensorboard_runs(points, tidy_table(points, {}), specs());
}

std::vector<std::string> folders_of(const std::vector<std::string>& labels) {
  std::vector<PointRecord> points;
  for (const std::string& label : labels) points.push_back(point(label, {}, {}));
  for (std::size_t p = 0; p < points.size(); ++p) points[p].id = "id" + std::to_string(p);
  std::vector<std::string> folders;
  for (const TensorBoardRun& run : runs_of(points)) folders.push_back(run.folder);
  return folders;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("Event files are TensorBoard's own bytes: several encodings, typed settings, a repeat") {
  PointRecord first = point("dim=64 base=0.1 causal=true repeat=3",
                            {{"dim", "64"},
                             {"base", "0.1"},
                             {"causal", "true"},
                             {"encoding", "rope+alibi"},
                             {"name", "ü"},
                             {"same", "1"},
                             {"seed", "77"}},
                            {{.name = "rope_change", .value = 0.1},
                             {.name = "alibi_change", .value = -1e-30},
                             {.name = "tokens", .value = 9},
                             {.name = "undefined", .value = no_number}});
  first.repeat = 3;
  const PointRecord other = point("",
                                  {{"dim", "8"},
                                   {"base", "2"},
                                   {"causal", "false"},
                                   {"encoding", "rope"},
                                   {"name", "n"},
                                   {"same", "1"},
                                   {"seed", "78"}},
                                  {});
  const auto runs = runs_of({first, other});
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].folder == "dim=64,base=0.1,causal=true,repeat=3");
  CHECK((runs[0].events == golden_events("several_encodings")));
}

TEST_CASE("Where a run has one encoding, its tags are the measures, and points compare by them") {
  const auto runs =
      runs_of({point("dim=8 encoding=rope", {{"dim", "8"}, {"encoding", "rope"}},
                     {{.name = "rope_change", .value = infinity}}),
               point("dim=4 encoding=alibi", {{"dim", "4"}, {"encoding", "alibi"}}, {})});
  CHECK((runs.at(0).events == golden_events("one_encoding")));
}

TEST_CASE("Repeats of the same settings are one group, in records longer than 127 bytes") {
  std::vector<Scalar> scalars;
  for (int i = 0; i < 40; ++i)
    scalars.push_back({.name = "measure_" + std::to_string(i), .value = i / 3.0});
  CHECK((runs_of({point("repeat=0", {{"dim", "8"}, {"seed", "1"}}, scalars)}).at(0).events ==
         golden_events("no_settings")));
}

TEST_CASE("A point without a result has no run") {
  std::vector<PointRecord> points{point("a=1", {}, {}), point("a=2", {}, {})};
  points[0].status = PointStatus::failed;
  const auto runs = runs_of(points);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].folder == "a=2");
}

TEST_CASE("Folders of runs are safe in any file system, and unique") {
  CHECK(folders_of({"dim=4 base=1e+06", "tokens=a/b\\c:*"}) ==
        Names{"dim=4,base=1e+06", "tokens=a_b_c__"});
  CHECK(folders_of({"", "..", "."}) == Names{"id0", "id1,..", "id2,."});
  CHECK(folders_of({"a=/", "a=:"}) == Names{"id0,a=_", "id1,a=_"});
  const std::string x(99, 'x');
  CHECK(folders_of({x + "1", x + "12"}) == Names{"id0," + x + "1", "id1," + x + "1"});
}
