#include "experiments/results/point_id.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "experiments/files/file.h"

using namespace orrery;

namespace {

const ExperimentInfo info{.name = "decay", .version = 1};

ParamSet example() {
  return ParamSet({
      {.key = "dim", .default_value = std::int64_t{64}, .min = 2, .max = 4096},
      {.key = "causal", .kind = ParamKind::boolean, .default_value = false},
      {.key = "window",
       .default_value = std::int64_t{8},
       .used_when = Condition{"causal", {"true"}}},
      {.key = "text", .kind = ParamKind::file, .default_value = std::string()},
  });
}

}  // namespace

TEST_CASE("A point's id is the hash of its effective configuration, sorted by key") {
  CHECK(point_id(info, example(), {}) ==
        sha256_hex("decay\n1\ncausal=false\ndim=64\ntext=\n").substr(0, 12));
}

TEST_CASE("Defaults spelled out and unused keys make no difference") {
  ParamSet params = example();
  params.set("dim", "64");
  params.set("window", "99");
  CHECK(point_id(info, params, {}) == point_id(info, example(), {}));
  params.set("causal", "true");
  const std::string used = point_id(info, params, {});
  params.set("window", "100");
  CHECK(point_id(info, params, {}) != used);
}

TEST_CASE("Another name, version or value is another point") {
  ParamSet params = example();
  const std::string id = point_id(info, params, {});
  CHECK(point_id({.name = "decay", .version = 2}, params, {}) != id);
  CHECK(point_id({.name = "other", .version = 1}, params, {}) != id);
  params.set("dim", "128");
  CHECK(point_id(info, params, {}) != id);
}

TEST_CASE("Of a file the content counts and not the path") {
  ParamSet here = example();
  here.set("text", "here.txt");
  ParamSet there = example();
  there.set("text", "/there/it.txt");
  const std::string id = point_id(info, here, {{"text", "here.txt", "aa", 2}});
  CHECK(point_id(info, there, {{"text", "/there/it.txt", "aa", 2}}) == id);
  CHECK(point_id(info, here, {{"text", "here.txt", "bb", 2}}) != id);
  CHECK_THROWS_AS(point_id(info, here, {}), std::logic_error);
}

TEST_CASE("Two tensors of one file are two points") {
  ParamSet params = example();
  params.set("text", "w.npz#a");
  const auto id_of = [&](const char* tensor) {
    return point_id(info, params,
                    {{.key = "text",
                      .path = "w.npz",
                      .sha256 = std::string(64, '0'),
                      .bytes = 1,
                      .tensor = tensor}});
  };
  CHECK(id_of("a") != id_of("b"));
  CHECK(id_of("a") == id_of("a"));
}

TEST_CASE(
    "A parameter that came later, an optional list, changes an id only when it names something") {
  std::vector<ParamSpec> specs = example().specs();
  specs.push_back({.key = "muted",
                   .kind = ParamKind::choice_list,
                   .default_value = std::vector<std::string>{},
                   .choices = {{"band0", ""}},
                   .may_be_empty = true});
  ParamSet params(specs);
  CHECK(point_id(info, params, {}) == point_id(info, example(), {}));
  params.set("muted", "band0");
  CHECK(point_id(info, params, {}) != point_id(info, example(), {}));
}
