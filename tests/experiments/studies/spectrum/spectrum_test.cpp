#include "experiments/studies/experiments.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/experiment_run.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Result run_spectrum(const Settings& settings) {
  return run_experiment(spectrum_experiment(), settings);
}

}  // namespace

TEST_CASE("Wavelengths equal mpmath's, for RoPE and for tensor2tensor") {
  const auto expected = golden("spectrum.json").at("wavelengths");
  const Result small = run_spectrum({{"dim", "8"}, {"compare", "tensor2tensor"}});
  for (std::size_t t = 0; t < 4; ++t) {
    CHECK(column(small, "wavelength")[t] ==
          Approx(expected.at("d=8 base=10000").at(t).get<double>()).epsilon(1e-14));
    CHECK(column(small, "wavelength_tensor2tensor")[t] ==
          Approx(expected.at("tensor2tensor d=8 base=10000").at(t).get<double>()).epsilon(1e-14));
  }
  const Result large = run_spectrum({{"base", "500000"}, {"search", "16"}, {"compare", "none"}});
  for (std::size_t t = 0; t < 3; ++t)
    CHECK(column(large, "wavelength")[61 + t] ==
          Approx(expected.at("d=128 base=500000 last 3").at(t).get<double>()).epsilon(1e-14));
}

TEST_CASE("Pairs beyond the context and the base it needs equal mpmath's") {
  const auto file = golden("spectrum.json");
  const auto with = [](const char* d, const char* base, const char* context) {
    return run_spectrum({{"dim", d}, {"base", base}, {"context", context}, {"search", "16"}});
  };
  CHECK(scalar(with("128", "10000", "8192"), "pairs_beyond_context") ==
        file.at("beyond").at("d=128 base=10000 L=8192"));
  CHECK(scalar(with("128", "500000", "8192"), "pairs_beyond_context") ==
        file.at("beyond").at("d=128 base=500000 L=8192"));
  CHECK(scalar(with("64", "10000", "512"), "pairs_beyond_context") ==
        file.at("beyond").at("d=64 base=10000 L=512"));
  CHECK(scalar(with("128", "10000", "7"), "pairs_beyond_context") ==
        file.at("beyond").at("d=128 base=10000 L=7"));
  const std::vector<std::array<const char*, 3>> cases{{"d=128 L=8192", "128", "8192"},
                                                      {"d=64 L=131072", "64", "131072"},
                                                      {"d=4 L=1000", "4", "1000"}};
  for (const auto& [name, d, context] : cases) {
    const Result result = with(d, "10000", context);
    CHECK(scalar(result, "base_reaching_context") ==
          Approx(file.at("base_reaching").at(name).get<double>()).epsilon(1e-13));
    check_all_hold(result);
  }
}

TEST_CASE(
    "A base whose longest wavelength is the context supports less of it by B_m, and says so") {
  const Result result = run_spectrum({{"dim", "128"}, {"context", "8192"}});
  const auto expected = golden("spectrum.json").at("first_negative_B_reaching");
  CHECK(scalar(result, "first_negative_B_reaching_context") == expected.at("d=128 L=8192"));
  CHECK(scalar(run_spectrum({{"dim", "4"}, {"context", "1000"}}),
               "first_negative_B_reaching_context") == expected.at("d=4 L=1000"));
  CHECK_THAT(description(result, "first_negative_B_reaching_context"),
             Catch::Matchers::Contains("arXiv 2405.14591"));
}

TEST_CASE("The first distance with B_m < 0 equals NumPy's and mpmath's") {
  const auto cases = golden("spectrum.json").at("first_negative_B");
  for (const auto& c : cases) {
    const bool stretched = c.at("factor") != 1;
    Settings settings{{"dim", std::to_string(c.at("d").get<int>())},
                      {"base", std::to_string(c.at("base").get<int>())},
                      {"search", std::to_string(c.at("search").get<int>())}};
    if (stretched) settings.push_back({"factor", std::to_string(c.at("factor").get<int>())});
    INFO(c.dump());
    const double found = scalar(run_spectrum(settings),
                                stretched ? "first_negative_B_interpolated" : "first_negative_B");
    if (c.at("first_negative").is_null())
      CHECK(std::isnan(found));
    else
      CHECK(found == c.at("first_negative").get<double>());
  }
}

TEST_CASE("B_m of the published bases is not negative to 1k, 4k and 8k tokens; for 16k it is") {
  // Men et al. 2024, Table 2, d = 128: 4.3e3, 2.7e4, 8.4e4, 3.1e5.
  const auto holds_to = [](const char* base, const char* tokens) {
    const double found =
        scalar(run_spectrum({{"base", base}, {"search", tokens}, {"compare", "none"}}),
               "first_negative_B");
    return std::isnan(found);
  };
  CHECK(holds_to("4300", "1000"));
  CHECK(holds_to("27000", "4000"));
  CHECK(holds_to("84000", "8192"));
  CHECK_FALSE(holds_to("310000", "16384"));
  CHECK_FALSE(holds_to("10000", "2000"));
}

TEST_CASE("p-RoPE's still pairs have no wavelength, are beyond every context, and cost no check") {
  const Result result = run_spectrum({{"rope.fraction", "0.25"}, {"rope.partial", "proportional"}});
  CHECK(std::isfinite(column(result, "wavelength")[15]));
  CHECK(std::isinf(column(result, "wavelength")[16]));
  CHECK(scalar(result, "pairs_beyond_context") == 48);
  const auto& plot = std::get<LinePlot>(result.figures.at(0).content);
  CHECK(std::isnan(plot.series.at(0).y.at(16)));
  check_all_hold(result);
}

TEST_CASE("A truncated RoPE has the spectrum of a smaller head") {
  CHECK(column(run_spectrum({{"rope.fraction", "0.5"}}), "wavelength")[31] ==
        column(run_spectrum({{"dim", "64"}}), "wavelength")[31]);
}

TEST_CASE("The spectrum's checks hold for every d and base") {
  for (const char* dim : {"2", "4", "30", "4096"})
    for (const char* base : {"1.001", "1e4", "1e12"})
      check_all_hold(run_spectrum({{"dim", dim},
                                   {"base", base},
                                   {"search", "64"},
                                   {"compare", "base+interpolation+tensor2tensor"},
                                   {"factor", "3.7"}}));
}

TEST_CASE("Scaled frequencies are those of 50 digits, beside those without scaling") {
  const Result result = run_spectrum(
      {{"rope.scaling", "yarn"}, {"rope.factor", "16"}, {"search", "64"}, {"compare", "unscaled"}});
  const auto cases = golden("rope_scaling.json").at("formulas");
  const auto yarn = std::find_if(cases.begin(), cases.end(), [](const auto& c) {
    return c.at("settings").at("rope.scaling") == "yarn";
  });
  const auto theta = yarn->at("theta").template get<std::vector<double>>();
  for (std::size_t t = 0; t < 64; ++t) {
    CHECK(column(result, "theta")[t] == Approx(theta[t]).epsilon(1e-14));
    CHECK(column(result, "theta_unscaled")[t] ==
          Approx(std::pow(10000.0, -static_cast<double>(t) / 64)).epsilon(1e-14));
  }
  CHECK(scalar(result, "attention_factor") == Approx(0.1 * std::log(16.0) + 1));
}

TEST_CASE("Every scaling passes its checks, and those that could not hold are not made") {
  for (const char* scaling :
       {"linear", "ntk", "dynamic_ntk", "ntk_by_parts", "yarn", "llama3", "longrope", "factors"}) {
    INFO(scaling);
    const Result result = run_spectrum({{"rope.scaling", scaling}, {"search", "64"}});
    for (const Check& c : result.checks) CHECK(c.holds());
    CHECK(check(result, "no_pair_is_faster").holds());
  }
}

TEST_CASE("The title counts the pairs of every spectrum, not of the first alone") {
  const Result result = run_experiment(spectrum_experiment(), {{"compare", "base"}});
  CHECK(result.figures.at(0).title == "14 of 64 wavelengths exceed 8192; base 500000: 29");
}
