#include "experiments/data/sliced_tensor.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "experiments/data/load_inputs.h"
#include "experiments/data/npy.h"
#include "experiments/files/mapped_file.h"
#include "tests/support/layers.h"
#include "tests/support/temp_folder.h"

using namespace orrery;

namespace {

/// Heads of 1024 × 512 numbers: three of them have 12 MiB.
Array heads(std::size_t count) {
  std::vector<double> values(count * 1024 * 512);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5 * static_cast<double>(i);
  return {.shape = {count, 1024, 512}, .values = std::move(values)};
}

std::shared_ptr<const MappedFile> file_of(const TempFolder& folder, const std::string& bytes) {
  return std::make_shared<const MappedFile>(folder.file("q.npy", bytes));
}

}  // namespace

TEST_CASE("The matrices of an array in its file are those of the array in memory") {
  const TempFolder folder;
  const std::string bytes = npy_bytes(heads(3));
  const auto sliced = sliced_npy(file_of(folder, bytes), "q.npy");
  REQUIRE(sliced);
  const Tensor whole = parse_npy(bytes, "q.npy");
  SlicedTensor held(whole);
  CHECK(sliced->described().values.empty());
  CHECK(sliced->described().shape == whole.shape);
  CHECK(sliced->matrices() == 3);
  for (const std::size_t number : {2U, 0U, 1U, 2U}) {
    const Tensor matrix = sliced->matrix(number);
    CHECK(matrix.shape == std::vector<std::size_t>{1024, 512});
    CHECK(matrix.values == held.matrix(number).values);
    CHECK(matrix.values.front() == 0.5 * 1024 * 512 * static_cast<double>(number));
  }
  held.give_back();
  CHECK(held.described().values.capacity() == 0);
}

TEST_CASE("What is small, of one matrix, in Fortran order or cut off is read as a whole") {
  const TempFolder folder;
  const Array small{.shape = {2, 2, 2}, .values = std::vector<double>(8)};
  CHECK_FALSE(sliced_npy(file_of(folder, npy_bytes(small)), "q.npy"));
  Array one = heads(2);
  one.shape = {2048, 512};
  CHECK_FALSE(sliced_npy(file_of(folder, npy_bytes(one)), "q.npy"));
  std::string fortran = npy_bytes(heads(3));
  fortran.replace(fortran.find("False"), 5, "True ");
  CHECK_FALSE(sliced_npy(file_of(folder, fortran), "q.npy"));
  const std::string bytes = npy_bytes(heads(3));
  CHECK_FALSE(sliced_npy(file_of(folder, bytes.substr(0, bytes.size() - 8)), "q.npy"));
}

TEST_CASE("NaN in an array that would stay in its file is named as it is in any other") {
  const TempFolder folder;
  Array array = heads(3);
  std::get<std::vector<double>>(array.values)[1024 * 512 + 513] =
      std::numeric_limits<double>::quiet_NaN();
  const auto file = file_of(folder, npy_bytes(array));
  CHECK_FALSE(sliced_npy(file, "q.npy"));
  ParamSet params({{.key = "q",
                    .kind = ParamKind::file,
                    .default_value = std::string(),
                    .file_types = {"npy"}}});
  params.set("q", (folder.path() / "q.npy").string());
  CHECK_THROWS_WITH(load_inputs(params, {}, {"q"}), Catch::Matchers::Contains("[1, 1, 1]"));
}
