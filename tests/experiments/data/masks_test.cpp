// Arrays that are masks may hold −inf, whatever file they come from; others may not.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>

#include "experiments/data/load_inputs.h"
#include "experiments/data/npy.h"
#include "experiments/data/npz.h"
#include "experiments/data/safetensors.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Array array_of(double last) {
  return {.name = "m", .shape = {1, 2}, .values = std::vector<double>{0, last}};
}

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("A mask is read with −inf from every kind of file, and with no other infinity or NaN") {
  const TempFolder folder;
  const auto file_of = [&](const Array& array, const std::string& extension) {
    const Array* const arrays[] = {&array};
    const std::filesystem::path file = folder.path() / ("m" + extension);
    write(file, extension == ".npy"   ? npy_bytes(array)
                : extension == ".npz" ? npz_bytes(arrays)
                                      : safetensors_bytes(arrays));
    return file.string();
  };
  for (const std::string extension : {".npy", ".npz", ".safetensors"}) {
    INFO(extension);
    ParamSpec spec{.key = "mask",
                   .kind = ParamKind::file,
                   .default_value = std::string(),
                   .file_types = {"npy", "npz", "safetensors"},
                   .may_hide = true};
    ParamSet params({spec});
    spec.may_hide = false;
    ParamSet others({spec});
    params.set("mask", file_of(array_of(-inf), extension));
    others.set("mask", params.text("mask"));
    const auto values = std::get<Tensor>(load_inputs(params).inputs.at("mask")).values;
    CHECK(values == std::vector<double>{0, -inf});
    CHECK_THROWS_WITH(load_inputs(others), Contains("holds -inf at [0, 1]: every value must be"));
    for (const double bad : {inf, std::numeric_limits<double>::quiet_NaN()}) {
      file_of(array_of(bad), extension);
      CHECK_THROWS_WITH(load_inputs(params), Contains("must be finite or -inf"));
    }
  }
}
