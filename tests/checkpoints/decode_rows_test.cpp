#include "experiments/checkpoints/decode_rows.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <string>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "tests/checkpoints/weight_files.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

std::string golden_weights(const std::string& name) {
  return read_file(tests_folder() + "/golden/" + name, 1 << 20);
}

template <class T>
Matrix<T> decoded(const StoredTensor& tensor, int threads = 1) {
  const MatrixSize size = matrix_size(tensor);
  Matrix<T> out(size.rows, size.columns);
  decode_rows<T>(tensor, "file#tensor", 0, out, threads);
  return out;
}

template <class T>
bool same_bits(const Matrix<T>& a, const Matrix<T>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  const std::size_t bytes = static_cast<std::size_t>(a.size()) * sizeof(T);
  return bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0;
}

template <class T>
StoredTensor tensor_of(const std::vector<T>& numbers, std::vector<std::uint64_t> shape,
                       StoredType type) {
  const auto* const bytes = reinterpret_cast<const char*>(numbers.data());
  return {.shape = std::move(shape),
          .type = type,
          .type_name = "test",
          .data = {bytes, numbers.size() * sizeof(T)}};
}

/// IEEE 754 binary16 by its definition.
float half_by_definition(int bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace

TEST_CASE("weights of every type and rank are the numbers that PyTorch makes of them") {
  const std::string bytes = golden_weights("checkpoints/types.safetensors");
  const StoredTensors tensors = stored_tensors(bytes, "types.safetensors");
  int compared = 0;
  for (const auto& [name, tensor] : tensors) {
    const auto values = tensors.find(name + ".values");
    if (values == tensors.end()) continue;
    INFO(name);
    const Matrix<double> expected = decoded<double>(values->second);
    CHECK(same_bits<double>(decoded<double>(tensor), expected));
    CHECK(same_bits<float>(decoded<float>(tensor), expected.cast<float>()));
    ++compared;
  }
  CHECK(compared == 9);
}

TEST_CASE("blocks decode to the reference's bits, as floats and as the same numbers in doubles") {
  const std::string bytes = golden_weights("gguf/blocks.gguf");
  const StoredTensors tensors = stored_tensors(bytes, "blocks.gguf");
  int compared = 0;
  for (const auto& [name, tensor] : tensors) {
    const auto values = tensors.find(name + ".values");
    if (values == tensors.end()) continue;
    INFO(name);
    const Matrix<float> expected = decoded<float>(values->second);
    CHECK(same_bits<float>(decoded<float>(tensor), expected));
    if (name != "f64") CHECK(same_bits<double>(decoded<double>(tensor), expected.cast<double>()));
    ++compared;
  }
  CHECK(compared == 17);
}

TEST_CASE("every half is decoded exactly, subnormal ones too") {
  std::vector<std::uint16_t> halves;
  for (int bits = 0; bits < 1 << 16; ++bits)
    if ((bits >> 10 & 31) != 31) halves.push_back(static_cast<std::uint16_t>(bits));
  const StoredTensor tensor = tensor_of(halves, {halves.size()}, StoredType::f16);
  const Matrix<float> numbers = decoded<float>(tensor);
  std::size_t different = 0;
  for (std::size_t i = 0; i < halves.size(); ++i)
    different += std::bit_cast<std::uint32_t>(numbers(0, static_cast<Index>(i))) !=
                 std::bit_cast<std::uint32_t>(half_by_definition(halves[i]));
  CHECK(different == 0);
}

TEST_CASE("rows are decoded into a block of a matrix, whatever the number of threads") {
  constexpr Index rows = 700, columns = 512;
  std::vector<std::uint16_t> numbers;
  for (int i = 0; i < rows * columns; ++i)
    numbers.push_back(static_cast<std::uint16_t>(i % 0x7C00));
  const StoredTensor tensor = tensor_of(numbers, {7, 100, 512}, StoredType::f16);
  const Matrix<float> all = decoded<float>(tensor);
  CHECK(all.rows() == rows);
  CHECK(same_bits<float>(decoded<float>(tensor, 4), all));
  CHECK(same_bits<double>(decoded<double>(tensor, 3), all.cast<double>()));

  Matrix<float> wide = Matrix<float>::Constant(3, columns + 5, -1);
  decode_rows<float>(tensor, "t", 698, wide.block(1, 2, 2, columns));
  CHECK(wide.block(1, 2, 2, columns) == all.bottomRows(2));
  CHECK(wide.row(0).isConstant(-1));
  CHECK(wide.leftCols(2).isConstant(-1));
  CHECK(wide.rightCols(3).isConstant(-1));
}

TEST_CASE("tensors without numbers are decoded into nothing") {
  const std::string bytes = golden_weights("checkpoints/types.safetensors");
  const StoredTensors tensors = stored_tensors(bytes, "types.safetensors");
  CHECK(decoded<float>(tensors.at("no_rows")).rows() == 0);
  CHECK(decoded<double>(tensors.at("no_columns")).rows() == 3);
  CHECK(decoded<double>(tensors.at("scalar"))(0, 0) == 0.25);
}

TEST_CASE("a weight that is not finite is refused with its first index") {
  std::vector<float> numbers(24, 1.0F);
  numbers[17] = HUGE_VALF;
  numbers[18] = std::nanf("");
  const StoredTensor tensor = tensor_of(numbers, {2, 3, 4}, StoredType::f32);
  CHECK_THROWS_AS(decoded<float>(tensor), DataError);
  CHECK_THROWS_WITH(decoded<float>(tensor), Contains("file#tensor: holds inf at [1, 1, 1]"));
  CHECK_THROWS_WITH(decoded<double>(tensor), Contains("file#tensor: holds inf at [1, 1, 1]"));
  numbers[17] = std::nanf("");
  CHECK_THROWS_WITH(decoded<float>(tensor), Contains("holds NaN at [1, 1, 1]"));
  const std::vector<double> doubles{0, -HUGE_VAL};
  CHECK_THROWS_WITH(decoded<double>(tensor_of(doubles, {2}, StoredType::f64)),
                    Contains("holds -inf at [1]"));
}

TEST_CASE("a scale that is not finite is refused in a block") {
  const std::string file = gguf_file({gguf_entry("w", {64}, 8, 0)}, 2 * 34);
  std::string damaged = file;
  damaged.replace(file.size() - 34, 2, "\x01\x7C");
  const StoredTensors tensors = stored_tensors(damaged, "w.gguf");
  CHECK_THROWS_WITH(decoded<float>(tensors.at("w")), Contains("holds NaN at [32]"));
}

TEST_CASE("types that are not decoded are refused by name") {
  const std::string bytes = golden_weights("checkpoints/types.safetensors");
  const StoredTensors tensors = stored_tensors(bytes, "types.safetensors");
  CHECK_THROWS_AS(decoded<float>(tensors.at("position_ids")), DataError);
  CHECK_THROWS_WITH(decoded<float>(tensors.at("position_ids")),
                    Contains("file#tensor: has type I64, which is not decoded"));
}
