#include "experiments/data/sliced_tensor.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/data/load_inputs.h"
#include "experiments/data/npy.h"
#include "experiments/data/npz.h"
#include "experiments/data/safetensors.h"
#include "experiments/data/tensor_files.h"
#include "experiments/files/mapped_file.h"
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

std::unique_ptr<SlicedTensor> sliced(const std::shared_ptr<const MappedFile>& file) {
  return sliced_tensor(file, *open_tensors(file->bytes(), "q.npy", "q.npy"), "q", "q.npy");
}

}  // namespace

TEST_CASE("The matrices of an array in its file are those of the array in memory") {
  const TempFolder folder;
  const std::string bytes = npy_bytes(heads(3));
  const auto in_file = sliced(file_of(folder, bytes));
  REQUIRE(in_file);
  const Tensor whole = parse_npy(bytes, "q.npy");
  SlicedTensor held(whole);
  CHECK(in_file->described().values.empty());
  CHECK(in_file->described().shape == whole.shape);
  CHECK(in_file->matrices() == 3);
  for (const std::size_t number : {2U, 0U, 1U, 2U}) {
    const Tensor matrix = in_file->matrix(number);
    CHECK(matrix.shape == std::vector<std::size_t>{1024, 512});
    CHECK(matrix.values == held.matrix(number).values);
    CHECK(matrix.values.front() == 0.5 * 1024 * 512 * static_cast<double>(number));
  }
  held.give_back();
  CHECK(held.described().values.capacity() == 0);
}

TEST_CASE("Matrices of arrays in .npz and .safetensors files are those of the archive") {
  const TempFolder folder;
  Array q = heads(3), k = heads(2);
  q.name = "q";
  k.name = "layer/k";
  const std::vector<const Array*> both{&q, &k};
  for (const auto& [name, bytes] : {std::pair("qk.npz", npz_bytes(both)),
                                    std::pair("qk.safetensors", safetensors_bytes(both))}) {
    INFO(name);
    const auto file = std::make_shared<const MappedFile>(folder.file(name, bytes));
    const auto archive = open_tensors(file->bytes(), name, name);
    for (const std::string& tensor : archive->names()) {
      const auto in_file = sliced_tensor(file, *archive, tensor, tensor);
      REQUIRE(in_file);
      const SlicedTensor held(archive->tensor(tensor));
      REQUIRE(in_file->described().shape == held.described().shape);
      for (std::size_t i = 0; i < held.matrices(); ++i)
        CHECK(in_file->matrix(i).values == held.matrix(i).values);
    }
  }
}

TEST_CASE("A damaged member of an .npz file is refused where its matrices would stay there, too") {
  const TempFolder folder;
  Array q = heads(3);
  q.name = "q";
  std::string bytes = npz_bytes(std::vector<const Array*>{&q});
  bytes[bytes.size() / 2] ^= 1;
  const auto file = std::make_shared<const MappedFile>(folder.file("q.npz", bytes));
  const auto archive = open_tensors(file->bytes(), "q.npz", "q.npz");
  CHECK_FALSE(sliced_tensor(file, *archive, "q", "q"));
  CHECK_THROWS_WITH(archive->tensor("q"), Catch::Matchers::Contains("CRC-32"));
}

TEST_CASE("An array of one matrix stays in its file, too") {
  const TempFolder folder;
  Array one = heads(2);
  one.shape = {2048, 512};
  const std::string bytes = npy_bytes(one);
  const auto in_file = sliced(file_of(folder, bytes));
  REQUIRE(in_file);
  CHECK(in_file->matrices() == 1);
  CHECK(in_file->matrix(0).shape == one.shape);
  CHECK(in_file->matrix(0).values == parse_npy(bytes, "q.npy").values);
}

TEST_CASE("What is small, of one row, in Fortran order or cut off is read as a whole") {
  const TempFolder folder;
  const Array small{.shape = {2, 2, 2}, .values = std::vector<double>(8)};
  CHECK_FALSE(sliced(file_of(folder, npy_bytes(small))));
  Array row = heads(2);
  row.shape = {2048 * 512};
  CHECK_FALSE(sliced(file_of(folder, npy_bytes(row))));
  std::string fortran = npy_bytes(heads(3));
  fortran.replace(fortran.find("False"), 5, "True ");
  CHECK_FALSE(sliced(file_of(folder, fortran)));
  const std::string bytes = npy_bytes(heads(3));
  CHECK_FALSE(sliced(file_of(folder, bytes.substr(0, bytes.size() - 8))));
}

TEST_CASE("NaN in an array that would stay in its file is named as it is in any other") {
  const TempFolder folder;
  Array array = heads(3);
  std::get<std::vector<double>>(array.values)[1024 * 512 + 513] =
      std::numeric_limits<double>::quiet_NaN();
  const auto file = file_of(folder, npy_bytes(array));
  CHECK_FALSE(sliced(file));
  ParamSet params({{.key = "q",
                    .kind = ParamKind::file,
                    .default_value = std::string(),
                    .file_types = {"npy"},
                    .by_matrix = true}});
  params.set("q", (folder.path() / "q.npy").string());
  CHECK_THROWS_WITH(load_inputs(params), Catch::Matchers::Contains("[1, 1, 1]"));
}
