// Derivatives of every encoding against PyTorch's, tests/golden/generate_gradients.py.
#include <catch2/catch.hpp>

#include <set>
#include <string>

#include "core/analysis/encoding_gradients.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

struct GradientsFile {
  nlohmann::json json = golden("gradients.json");
  std::vector<std::int32_t> segments =
      json.at("inputs").at("segments").get<std::vector<std::int32_t>>();

  Matrix<double> input(const char* name) const {
    return matrix_of<double>(json.at("inputs").at(name));
  }

  GradientScene scene(const nlohmann::json& expected) const {
    const auto at = json.at("inputs").at("positions").get<Positions>();
    GradientScene scene{.m = at,
                        .n = at,
                        .head = json.at("inputs").at("head"),
                        .d_input = input("d_input"),
                        .d_logits = input("d_logits"),
                        .d_output = input("d_output")};
    if (expected.at("causal").get<bool>())
      for (Index i = 0; i < scene.d_logits.rows(); ++i)
        scene.d_logits.row(i).tail(scene.d_logits.cols() - i - 1).setZero();
    if (expected.at("segments").get<bool>()) scene.segments = {segments, segments};
    return scene;
  }

  Tables point(const nlohmann::json& expected) const {
    Tables point;
    for (const char* name : {"x", "q", "k", "v", "weights"}) point[name] = input(name);
    for (const auto& [name, table] : expected.at("tables").items())
      point[name] = matrix_of<double>(table);
    return point;
  }
};

CatalogueCase case_of(const nlohmann::json& expected) {
  CatalogueCase c{expected.at("encoding"), {}};
  for (const auto& [key, value] : expected.at("settings").items())
    c.params.emplace_back(key, value.get<std::string>());
  return c;
}

template <class T>
Tables gradients_of_case(const GradientsFile& file, const nlohmann::json& expected) {
  const CatalogueCase c = case_of(expected);
  const ParamSet params = params_of(c);
  const Tables point = file.point(expected);
  const auto encoding = make_encoding<T>(c.name, {.d_model = point.at("x").cols(),
                                                  .d_head = point.at("q").cols(),
                                                  .heads = file.json.at("inputs").at("heads"),
                                                  .params = params,
                                                  .tables = &point});
  return gradients_of<T>(*encoding, file.scene(expected), point);
}

}  // namespace

TEMPLATE_TEST_CASE("Derivatives of every encoding are PyTorch's", "", float, double) {
  const double tolerance = sizeof(TestType) == 8 ? 1e-11 : 2e-4;
  const GradientsFile file;
  std::set<std::string> seen;
  for (const auto& expected : file.json.at("cases")) {
    INFO(case_of(expected).title());
    seen.insert(expected.at("encoding").template get<std::string>());
    const Tables found = gradients_of_case<TestType>(file, expected);
    for (const auto& [name, gradient] : expected.at("gradients").items()) {
      INFO("by " << name);
      CHECK(largest_difference(found.at(name), matrix_of<double>(gradient)) < tolerance);
    }
  }
  for (const EncodingEntry& entry : encoding_catalogue()) CHECK(seen.contains(entry.info.name));
}
