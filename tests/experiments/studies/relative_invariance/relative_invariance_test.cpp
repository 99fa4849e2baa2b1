#include "experiments/studies/experiments.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Result run_relative_invariance(const Settings& settings) {
  return run_experiment(relative_invariance_experiment(), settings);
}

double largest_error(const Result& result, const std::string& encoding) {
  return scalar(result, encoding + "_largest_error");
}

double largest_error(const Result& result, const std::string& encoding,
                     const std::string& pipeline) {
  return scalar(result, encoding + "_" + pipeline + "_largest_error");
}

bool all_hold(const Result& result) {
  return std::all_of(result.checks.begin(), result.checks.end(),
                     [](const Check& c) { return c.holds(); });
}

std::vector<std::string> check_names(const Result& result) {
  std::vector<std::string> names;
  for (const Check& check : result.checks) names.push_back(check.name);
  return names;
}

}  // namespace

TEST_CASE("RoPE is invariant to 1e-14 in exact, at any shift, and to 1e-5 in exact_fp32") {
  const Result wide =
      run_relative_invariance({{"precision", "exact"}, {"max_shift", "1099511627776"}});
  CHECK(largest_error(wide, "rope") < 2e-14);
  CHECK(largest_error(wide, "rope") > 0);
  CHECK(all_hold(wide));
  const Result narrow = run_relative_invariance({{"precision", "exact_fp32"}});
  CHECK(largest_error(narrow, "rope") < 2e-5);
  CHECK(largest_error(narrow, "rope") > 1e-8);
  CHECK(all_hold(narrow));
}

TEST_CASE(
    "exact, eager_fp32 and eager_bf16 stand side by side, and eager_fp32 drifts as PyTorch's") {
  const Result result = run_relative_invariance({{"encoding", "rope"}});
  CHECK(all_hold(result));
  // 0.046 on the like tokens of tests/golden/pipelines.json, and 1.9e-4 at 4096.
  CHECK(largest_error(result, "rope", "eager_fp32") > 0.01);
  CHECK(largest_error(result, "rope", "eager_fp32") < 0.1);
  const std::vector<double>& by_shift = column(result, "rope_eager_fp32_error");
  CHECK(by_shift[12] > 5e-5);
  CHECK(by_shift[12] < 5e-4);
  CHECK(largest_error(result, "rope", "exact") < 1e-14);
  CHECK(largest_error(result, "rope", "eager_bf16") > largest_error(result, "rope", "exact"));
  const auto& curves = content_of<LinePlot>(result, "invariance_error").series;
  REQUIRE(curves.size() == 3);
  CHECK(curves[0].name == "RoPE, exact");
  CHECK(curves[1].name == "RoPE, eager_fp32");
  CHECK(curves[2].name == "RoPE, eager_bf16");
  CHECK(curves[0].color == curves[2].color);
  CHECK(curves[0].style != curves[1].style);
  CHECK(result.figures[0].caption.find("precision = exact+eager_fp32+eager_bf16") !=
        std::string::npos);
}

TEST_CASE("Only where positions and angles are exact is a relative encoding claimed invariant") {
  const Result result =
      run_relative_invariance({{"encoding", "rope+alibi"}, {"precision", "exact+eager_fp32"}});
  CHECK(check_names(result) ==
        std::vector<std::string>{"rope_exact_is_invariant",
                                 "rope_eager_fp32_changes_as_its_angles_round",
                                 "alibi_exact_is_invariant", "alibi_eager_fp32_is_invariant"});
  CHECK(all_hold(result));
  // fp32 does not hold every whole number beyond 2^24.
  const Result far = run_relative_invariance(
      {{"encoding", "alibi"}, {"precision", "eager_fp32"}, {"max_shift", "1e9"}});
  CHECK(far.checks.empty());
  CHECK(largest_error(far, "alibi") > 1);
}

TEST_CASE(
    "The bound on rounded angles fails for angles that are rounded more coarsely than stated") {
  // inv_freq in bf16 alone leaves scores functions of m − n: its error is the same at both ends.
  CHECK(all_hold(run_relative_invariance(
      {{"encoding", "rope"}, {"precision", "exact"}, {"stage.inv_freq", "bf16"}})));
  const Result coarse = run_relative_invariance(
      {{"encoding", "rope"}, {"precision", "eager_fp32"}, {"stage.angle", "bf16"}});
  CHECK(all_hold(coarse));
  const double fine =
      largest_error(run_relative_invariance({{"encoding", "rope"}}), "rope", "eager_fp32");
  CHECK(largest_error(coarse, "rope") > 10 * fine);
  // Held against the bound of fp32 angles, these do not pass.
  const Result bounded = run_relative_invariance(
      {{"encoding", "rope"}, {"precision", "eager_fp32"}, {"max_shift", "64"}});
  const Result rough = run_relative_invariance({{"encoding", "rope"},
                                                {"precision", "eager_fp32"},
                                                {"max_shift", "64"},
                                                {"stage.position", "bf16"}});
  CHECK(all_hold(bounded));
  CHECK(largest_error(rough, "rope") >
        largest_error(bounded, "rope") / bounded.checks.at(0).measured);
}

TEST_CASE(
    "ALiBi and no encoding are exactly invariant in each pipeline, sinusoids are not at all") {
  const Result result = run_relative_invariance({{"encoding", "none+alibi+sinusoidal"}});
  for (const char* pipeline : {"exact", "eager_fp32", "eager_bf16"}) {
    CHECK(largest_error(result, "none", pipeline) == 0);
    CHECK(largest_error(result, "alibi", pipeline) == 0);
    CHECK(largest_error(result, "sinusoidal", pipeline) > 1);
  }
  CHECK(all_hold(result));
}

TEST_CASE("Relative encodings have their largest change in ulp, the worst of the table's column") {
  const Result result = run_relative_invariance(
      {{"encoding", "rope+alibi+sinusoidal"}, {"precision", "exact+fused_bf16"}});
  std::vector<std::string> names;
  for (const Scalar& s : result.scalars) {
    if (s.unit != "ulp") continue;
    names.push_back(s.name);
    const std::vector<double>& ulps =
        column(result, s.name.str().substr(0, s.name.str().find("_largest_ulp")) + "_ulp");
    for (const double one : ulps) CHECK(one <= s.value);
    CHECK(std::count(ulps.begin(), ulps.end(), s.value) > 0);
  }
  CHECK(names == std::vector<std::string>{"rope_exact_largest_ulp", "rope_fused_bf16_largest_ulp",
                                          "alibi_exact_largest_ulp",
                                          "alibi_fused_bf16_largest_ulp"});
}

TEST_CASE("Small formats keep invariance while positions and angles are exact") {
  for (const char* pipeline : {"eager_bf16", "eager_fp16", "fused_bf16", "fused_fp16"})
    CHECK(check_names(run_relative_invariance(
              {{"encoding", "rope"}, {"precision", pipeline}, {"stage.angle", "fp64"}})) ==
          std::vector<std::string>{"rope_is_invariant"});
  CHECK(all_hold(run_relative_invariance({{"precision", "eager_bf16"}, {"stage.angle", "fp64"}})));
  CHECK(all_hold(run_relative_invariance({{"precision", "fused_fp16"}, {"stage.angle", "fp64"}})));
}

TEST_CASE("Each encoding breaks down at its own stages: its distance from exact says so") {
  const auto rounding = [](const std::string& encoding, const std::string& stage) {
    const Result result = run_relative_invariance({{"encoding", encoding},
                                                   {"precision", "exact_fp32"},
                                                   {"stage." + stage, "bf16"},
                                                   {"span", "1000"}});
    return scalar(result, encoding + "_largest_rounding");
  };
  constexpr double of_fp32 = 2e-4;  // products of 64 terms, and ALiBi's biases of up to 500
  const Result plain = run_relative_invariance(
      {{"encoding", "rope"}, {"precision", "exact_fp32"}, {"span", "1000"}});
  CHECK(scalar(plain, "rope_largest_rounding") < of_fp32);
  CHECK(rounding("rope", "position") > 1);
  CHECK(rounding("rope", "products") > 1e-3);
  CHECK(rounding("sinusoidal", "position") > 1);
  CHECK(rounding("alibi", "distance") > 0.1);
  CHECK(rounding("t5", "log") > 0.05);  // another bucket is another bias
  CHECK(rounding("t5", "qk") > 1e-2);
  CHECK(rounding("shaw", "table") > 1e-4);
  CHECK(rounding("transformer_xl", "projected") > 1e-5);
}

TEST_CASE("A stage that an encoding does not have leaves its bound alone") {
  const auto bound = [](const Settings& settings) {
    const Result result = run_relative_invariance(settings);
    return std::pair{result.checks.at(0).bound, result.checks.at(1).bound};
  };
  const Settings both{{"encoding", "alibi+rope"}, {"precision", "exact"}};
  Settings products = both, angle = both;
  products.emplace_back("stage.products", "bf16");
  angle.emplace_back("stage.angle", "bf16");
  const auto [alibi, rope] = bound(both);
  CHECK(bound(products).first == alibi);
  CHECK(bound(products).second > 1e6 * rope);
  CHECK(bound(angle) == std::pair{alibi, 1.0});  // the share of the bound on its angles
}

TEST_CASE("exact has nothing to compare with, and no figure of it") {
  CHECK(run_relative_invariance({{"precision", "exact"}}).figures.size() == 1);
  const Result both =
      run_relative_invariance({{"encoding", "rope"}, {"precision", "exact+exact_fp32"}});
  CHECK(both.figures.size() == 2);
  CHECK(content_of<LinePlot>(both, "rounding_error").series.size() == 1);
}

TEST_CASE("Formats of stages are stated where they are set, and refused where nothing reads them") {
  const Result result = run_relative_invariance({{"encoding", "rope"}, {"stage.angle", "bf16"}});
  CHECK(result.figures[0].caption.find("stage.angle = bf16") != std::string::npos);
  CHECK(result.figures[0].caption.find("stage.position") == std::string::npos);
  const auto stated = [&](const std::string& key) {
    const auto& params = result.provenance.params;
    return std::any_of(params.begin(), params.end(), [&](const auto& p) { return p.first == key; });
  };
  CHECK(stated("stage.angle"));
  CHECK_FALSE(stated("stage.cos_sin"));
  const ParamSet unread =
      params_for(relative_invariance_experiment(), {{"encoding", "rope"}, {"stage.log", "bf16"}});
  CHECK_THROWS_WITH(unread.require_all_set_are_used(),
                    Catch::Matchers::Contains("is read only when encoding is t5"));
  // Weights and outputs are not looked at here.
  CHECK_THROWS_WITH(params_for(relative_invariance_experiment(), {{"stage.weights", "bf16"}}),
                    Catch::Matchers::Contains("is not a parameter here"));
}

TEST_CASE("Names that were given up are refused with what replaces them") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(
      params_for(relative_invariance_experiment(), {{"precision", "fp64"}}),
      Contains("precision=fp64: must be one of exact") && Contains("precision=exact replaces it"));
  CHECK_THROWS_WITH(params_for(relative_invariance_experiment(), {{"precision", "fp32"}}),
                    Contains("precision=exact_fp32 replaces it"));
  CHECK_THROWS_WITH(
      params_for(relative_invariance_experiment(), {{"rounded_stages", "qk"}}),
      Contains("rounded_stages: is no longer a parameter") && Contains("stage.cos_sin=bf16"));
}

TEST_CASE("Random projections change neither verdict") {
  CHECK(all_hold(run_relative_invariance({{"projection", "random"}})));
}

TEST_CASE("A trained table ends where it ends: its curve has a gap from there, and no error") {
  const Result result = run_relative_invariance({{"encoding", "learned+tupe"},
                                                 {"span", "100"},
                                                 {"precision", "exact_fp32"},
                                                 {"learned.length", "200"},
                                                 {"tupe.length", "200"}});
  CHECK(all_hold(result));
  for (const char* name : {"learned_error", "tupe_error"}) {
    const std::vector<double>& error = column(result, name);
    CHECK(error[6] > 0);          // positions up to 99 + 64
    CHECK(std::isnan(error[7]));  // 99 + 128
  }
}

TEST_CASE("Every relative encoding is invariant in exact, tables and all") {
  const Result result = run_relative_invariance(
      {{"encoding", "shaw+transformer_xl+t5+deberta"}, {"precision", "exact"}});
  CHECK(all_hold(result));
  for (const char* encoding : {"shaw", "transformer_xl", "t5", "deberta"})
    CHECK(largest_error(result, encoding) < 1e-13);
}

TEST_CASE("Shifts are the powers of two up to the largest") {
  const Result result = run_relative_invariance({{"max_shift", "100"}});
  CHECK(std::get<std::vector<double>>(result.tables[0].columns[0].values) ==
        std::vector<double>{1, 2, 4, 8, 16, 32, 64});
}

TEST_CASE("A table as long as the span is claimed absolute by the shifts that it has room for") {
  for (const char* encoding : {"learned", "tupe"}) {
    INFO(encoding);
    const Result result = run_relative_invariance({{"encoding", encoding}});
    const auto names = check_names(result);
    CHECK(std::count(names.begin(), names.end(), std::string(encoding) + "_exact_is_absolute") ==
          1);
    CHECK(all_hold(result));
  }
}

TEST_CASE(
    "Where no shift keeps the positions in the table, nothing is claimed and the result says why") {
  const Result result = run_relative_invariance({{"encoding", "learned"},
                                                 {"span", "512"},
                                                 {"tokens", "512"},
                                                 {"learned.length", "512"},
                                                 {"seed", "1"},
                                                 {"dim", "8"}});
  CHECK(result.checks.empty());
  CHECK(std::isnan(largest_error(result, "learned", "exact")));
  CHECK(description(result, "learned_exact_largest_error")
            .find("no shift keeps every position at or below 511") != std::string::npos);
}

TEST_CASE("A change that rounding may hide is not claimed, and the result says how small it is") {
  const Result result = run_relative_invariance(
      {{"encoding", "learned"}, {"span", "64"}, {"precision", "eager_bf16"}});
  CHECK(result.checks.empty());
  CHECK(description(result, "learned_largest_error").find("not checked: it is ") !=
        std::string::npos);
  // In exact it is claimed, and for an encoding that bf16 does not hide.
  CHECK(check_names(run_relative_invariance(
            {{"encoding", "learned"}, {"span", "64"}, {"precision", "exact"}})) ==
        std::vector<std::string>{"learned_is_absolute"});
  CHECK(check_names(
            run_relative_invariance({{"encoding", "sinusoidal"}, {"precision", "eager_bf16"}})) ==
        std::vector<std::string>{"sinusoidal_is_absolute"});
}

TEST_CASE("Nothing is claimed of angles that fp16 has no number for, and the result says so") {
  const Settings angle{{"encoding", "rope"}, {"precision", "exact"}, {"stage.angle", "fp16"}};
  const Result far = run_relative_invariance(angle);
  CHECK(far.checks.empty());
  CHECK(description(far, "rope_largest_error").find("fp16 has no number beyond 65504") !=
        std::string::npos);
  Settings near = angle;
  near.emplace_back("max_shift", "1024");
  CHECK(check_names(run_relative_invariance(near)) ==
        std::vector<std::string>{"rope_changes_as_its_angles_round"});
}

TEST_CASE("Multi-axis RoPE is absolute among patches, and relative where only text is met") {
  const Result patches =
      run_relative_invariance({{"encoding", "axis_rope"}, {"precision", "exact"}, {"span", "32"}});
  CHECK(check_names(patches) == std::vector<std::string>{"axis_rope_is_absolute"});
  CHECK(largest_error(patches, "axis_rope") > 0.1);
  CHECK(all_hold(patches));
  const Result text = run_relative_invariance(
      {{"encoding", "axis_rope"}, {"precision", "exact"}, {"axis_rope.layout", "text"}});
  CHECK(largest_error(text, "axis_rope") < 2e-14);
  CHECK(all_hold(text));
  CHECK(check_names(text) != check_names(patches));
}

TEST_CASE("The title says who is relative, to how many roundings, and how far others move") {
  const auto title = [](const Settings& settings) {
    return run_relative_invariance(settings).figures.at(0).title;
  };
  const Result all = run_relative_invariance({});
  CHECK(
      all.figures.at(0).title ==
      "Shifted, ALiBi keeps its logits exactly, RoPE to 5 roundings of fp64, 47\u2009557 of fp32, "
      "1 of bf16; sinusoidal moves its by 6.7");
  CHECK(std::ceil(scalar(all, "rope_eager_fp32_largest_ulp")) == 47557);
  CHECK(title({{"encoding", "none+t5"}, {"precision", "exact"}}) ==
        "Shifted, no encoding and T5 keep their logits exactly");
  // Measured, not looked up: bf16 does not hold these positions.
  CHECK(title({{"encoding", "alibi"}, {"precision", "eager_bf16"}, {"max_shift", "1e9"}}) ==
        "Shifted, ALiBi moves its logits by 31");
}

TEST_CASE("Curves that coincide are one line under the names of all") {
  const auto curves = [](const Settings& settings) {
    const Result result = run_relative_invariance(settings);
    std::vector<std::string> labels;
    for (const Series& one : content_of<LinePlot>(result, "invariance_error").series)
      labels.push_back(one.label);
    return labels;
  };
  CHECK(curves({{"encoding", "alibi+rope+t5+sinusoidal"}}) ==
        std::vector<std::string>{"ALiBi and T5 in each: no change", "RoPE, fp64", "RoPE, fp32",
                                 "RoPE, bf16", "sinusoidal in each"});
  CHECK(curves({{"encoding", "alibi+rope"}, {"precision", "exact"}}) ==
        std::vector<std::string>{"ALiBi: no change", "RoPE"});
}
