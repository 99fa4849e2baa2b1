#include <orrery.h>

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/cli/shell.h"
#include "tests/support/paths.h"

namespace {

using nlohmann::json;

struct Deleter {
  void operator()(orrery_result* result) const { orrery_result_destroy(result); }
  void operator()(orrery_encoding* encoding) const { orrery_encoding_destroy(encoding); }
  void operator()(unsigned char* bytes) const { orrery_free(bytes); }
};
using ResultPtr = std::unique_ptr<orrery_result, Deleter>;
using EncodingPtr = std::unique_ptr<orrery_encoding, Deleter>;

/// Makes a result with the call, which must succeed.
template <class Call>
ResultPtr result_of(Call&& call) {
  orrery_result* result = nullptr;
  const orrery_status status = call(&result);
  INFO(orrery_error_text());
  REQUIRE(status == ORRERY_OK);
  return ResultPtr(result);
}

EncodingPtr encoding_of(const char* settings) {
  orrery_encoding* encoding = nullptr;
  const orrery_status status = orrery_encoding_create(settings, nullptr, 0, &encoding);
  INFO(orrery_error_text());
  REQUIRE(status == ORRERY_OK);
  return EncodingPtr(encoding);
}

template <class T>
constexpr orrery_type type_of() {
  if constexpr (std::is_same_v<T, double>) return ORRERY_F64;
  if constexpr (std::is_same_v<T, float>) return ORRERY_F32;
  if constexpr (std::is_same_v<T, std::int64_t>) return ORRERY_I64;
  return ORRERY_U8;
}

/// A C-ordered array.
template <class T>
orrery_array array_of(const char* name, std::vector<T>& values, std::vector<std::int64_t> shape) {
  orrery_array array{};
  array.struct_size = sizeof array;
  array.name = name;
  array.data = values.data();
  array.type = type_of<T>();
  array.rank = static_cast<std::int32_t>(shape.size());
  std::int64_t stride = sizeof(T);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    array.shape[axis] = shape[axis];
    array.strides[axis] = stride;
    stride *= shape[axis];
  }
  return array;
}

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  for (double& value : values) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(seed >> 11) * 0x1p-53 - 0.5;
  }
  return values;
}

/// Half-split rope as a loop over pairs: the paper's formula, nothing of Orrery's.
std::vector<double> roped(const std::vector<double>& x, const std::vector<std::int64_t>& at,
                          std::size_t d, double base) {
  std::vector<double> y(x.size());
  for (std::size_t m = 0; m < at.size(); ++m)
    for (std::size_t t = 0; t < d / 2; ++t) {
      const double angle = static_cast<double>(at[m]) *
                           std::pow(base, -2.0 * static_cast<double>(t) / static_cast<double>(d));
      const double a = x[m * d + t], b = x[m * d + d / 2 + t];
      y[m * d + t] = a * std::cos(angle) - b * std::sin(angle);
      y[m * d + d / 2 + t] = a * std::sin(angle) + b * std::cos(angle);
    }
  return y;
}

/// The largest difference; NaN where there is one.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

std::vector<double> numbers_of(const orrery_result* result, const std::string& name) {
  for (std::size_t i = 0; i < orrery_result_array_count(result); ++i) {
    orrery_array array{};
    REQUIRE(orrery_result_array(result, i, &array) == ORRERY_OK);
    if (array.name != name) continue;
    std::size_t count = 1;
    for (int axis = 0; axis < array.rank; ++axis)
      count *= static_cast<std::size_t>(array.shape[axis]);
    if (array.type == ORRERY_F64) {
      const auto* values = static_cast<const double*>(array.data);
      return {values, values + count};
    }
    REQUIRE(array.type == ORRERY_F32);
    const auto* values = static_cast<const float*>(array.data);
    return {values, values + count};
  }
  FAIL("no array " + name);
  return {};
}

constexpr const char* half_split = "encoding=rope rope.pairing=half_split base=10000";

}  // namespace

TEST_CASE("liborrery says which it is") {
  CHECK(orrery_abi_version() == ORRERY_ABI_VERSION);
  const std::string version = std::to_string(ORRERY_VERSION_MAJOR) + "." +
                              std::to_string(ORRERY_VERSION_MINOR) + "." +
                              std::to_string(ORRERY_VERSION_PATCH);
  CHECK(orrery_version() == version);
}

TEST_CASE("orrery_apply turns rows as the formula does, whatever type and strides they have") {
  constexpr std::size_t n = 7, d = 16;
  std::vector<std::int64_t> at{0, 1, 5, 4, 1000, 99999, 12};
  std::vector<double> x = normals(n * d, 3);
  const std::vector<double> expected = roped(x, at, d, 10000);
  const EncodingPtr rope = encoding_of(half_split);
  const orrery_array positions = array_of("positions", at, {n});

  SECTION("fp64, C order") {
    std::vector<double> y(n * d);
    const orrery_array in = array_of("x", x, {n, d}), out = array_of("out", y, {n, d});
    REQUIRE(orrery_apply(rope.get(), &in, &positions, &out) == ORRERY_OK);
    CHECK(distance(y, expected) < 1e-11);
  }
  SECTION("column major in, every second number of a row out, in fp32") {
    std::vector<double> columns(n * d);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) columns[j * n + i] = x[i * d + j];
    orrery_array in = array_of("x", columns, {n, d});
    in.strides[0] = sizeof(double);
    in.strides[1] = n * sizeof(double);
    std::vector<float> wide(2 * n * d, 7.0F);
    orrery_array out = array_of("out", wide, {n, d});
    out.strides[0] = 2 * d * sizeof(float);
    out.strides[1] = 2 * sizeof(float);
    REQUIRE(orrery_apply(rope.get(), &in, &positions, &out) == ORRERY_OK);
    for (std::size_t i = 0; i < n * d; ++i) {
      CHECK(wide[2 * i] == static_cast<float>(expected[i]));
      CHECK(wide[2 * i + 1] == 7.0F);
    }
  }
  SECTION("not where elements of the output share memory") {
    std::vector<double> y(n * d, 7.0);
    const orrery_array in = array_of("x", x, {n, d});
    orrery_array out = array_of("out", y, {n, d});
    for (const std::int64_t rows : {0, 8, -64}) {
      out.strides[0] = rows;
      CHECK(orrery_apply(rope.get(), &in, &positions, &out) == ORRERY_USAGE);
      CHECK(std::string_view(orrery_error_text()).find("overlap") != std::string_view::npos);
    }
    CHECK(std::count(y.begin(), y.end(), 7.0) == static_cast<std::ptrdiff_t>(y.size()));
  }
  SECTION("rows backwards, in place") {
    std::vector<double> y = x;
    std::reverse(at.begin(), at.end());
    orrery_array in = array_of("x", y, {n, d});
    in.data = y.data() + (n - 1) * d;
    in.strides[0] = -static_cast<std::int64_t>(d * sizeof(double));
    REQUIRE(orrery_apply(rope.get(), &in, &positions, &in) == ORRERY_OK);
    CHECK(distance(y, expected) < 1e-11);
  }
}

TEST_CASE("A bias that does not fit into memory is refused before it is computed") {
  std::vector<std::int64_t> at(std::size_t{1} << 20);
  std::vector<double> y(1);
  constexpr std::int64_t n = 1 << 20;
  const orrery_array positions = array_of("m", at, {n});
  const orrery_array out = array_of("out", y, {1, n, n});
  const EncodingPtr alibi = encoding_of("encoding=alibi heads=1");
  CHECK(orrery_bias(alibi.get(), &positions, &positions, &out) == ORRERY_IO);
  CHECK(std::string_view(orrery_error_text()).find("is needed") != std::string_view::npos);
}

TEST_CASE("bf16 and f16 are read exactly and rounded once, to even") {
  // Numbers and their bits, by IEEE 754: ties, subnormals, the largest and what is beyond.
  struct Case {
    double value;
    std::uint16_t half, brain;
  };
  const std::vector<Case> cases{
      {1.0, 0x3C00, 0x3F80},           {-2.5, 0xC100, 0xC020},
      {1.0 + 0x1p-11, 0x3C00, 0x3F80}, {1.0 + 3 * 0x1p-11, 0x3C02, 0x3F80},
      {1.0 + 0x1p-8, 0x3C04, 0x3F80},  {1.0 + 3 * 0x1p-8, 0x3C0C, 0x3F82},
      {0x1p-24, 0x0001, 0x3380},       {0x1p-25, 0x0000, 0x3300},
      {0x1.8p-15, 0x0300, 0x3840},     {65504.0, 0x7BFF, 0x4780},
      {65520.0, 0x7C00, 0x4780},       {-0.0, 0x8000, 0x8000}};
  const EncodingPtr none = encoding_of("encoding=rope");
  for (const Case& one : cases) {
    std::vector<double> x{one.value, 0};
    std::vector<std::uint8_t> bytes(4);
    const orrery_array in = array_of("x", x, {1, 2});
    orrery_array out = array_of("out", bytes, {1, 2});
    out.strides[0] = 4;
    out.strides[1] = 2;
    const auto bits = [&](orrery_type type) {
      out.type = type;
      REQUIRE(orrery_apply(none.get(), &in, nullptr, &out) == ORRERY_OK);  // position 0: as it is
      std::uint16_t first = 0;
      std::memcpy(&first, bytes.data(), 2);
      return first;
    };
    INFO(one.value);
    CHECK(bits(ORRERY_F16) == one.half);
    CHECK(bits(ORRERY_BF16) == one.brain);
    // And back, from the bits of bf16.
    std::vector<double> y(2);
    const orrery_array back = array_of("back", y, {1, 2});
    REQUIRE(orrery_apply(none.get(), &out, nullptr, &back) == ORRERY_OK);
    CHECK(y[0] ==
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(one.brain) << 16)));
  }
}

TEST_CASE("orrery_bias gives ALiBi's lines, and refuses what depends on contents") {
  std::vector<std::int64_t> m{0, 1, 2, 3}, n{0, 1, 2};
  std::vector<double> bias(8 * 4 * 3);
  const orrery_array queries = array_of("m", m, {4}), keys = array_of("n", n, {3});
  const orrery_array out = array_of("out", bias, {8, 4, 3});
  REQUIRE(orrery_bias(encoding_of("encoding=alibi heads=8").get(), &queries, &keys, &out) ==
          ORRERY_OK);
  for (std::size_t h = 0; h < 8; ++h)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        CHECK(bias[(h * 4 + i) * 3 + j] ==
              -std::exp2(-static_cast<double>(h + 1)) *
                  std::abs(static_cast<double>(m[i]) - static_cast<double>(n[j])));
  CHECK(orrery_bias(encoding_of("encoding=shaw").get(), &queries, &keys, &out) == ORRERY_USAGE);
  CHECK(std::string(orrery_error_text()).find("encoding=shaw") != std::string::npos);
}

TEST_CASE("orrery_constants gives frequencies and wavelengths") {
  const EncodingPtr rope = encoding_of("encoding=rope dim=8 base=10000");
  const ResultPtr result =
      result_of([&](orrery_result** r) { return orrery_constants(rope.get(), nullptr, r); });
  const std::vector<double> theta = numbers_of(result.get(), "theta");
  REQUIRE(theta.size() == 4);
  for (std::size_t t = 0; t < 4; ++t)
    CHECK(theta[t] == Approx(std::pow(10.0, -static_cast<double>(t))).epsilon(1e-15));
}

TEST_CASE("orrery_run of attend computes the softmax of scaled products") {
  constexpr std::size_t n = 5, d = 4;
  std::vector<double> q = normals(n * d, 1), k = normals(n * d, 2), v = normals(n * d, 3);
  const std::vector<orrery_array> inputs{array_of("q", q, {n, d}), array_of("k", k, {n, d}),
                                         array_of("v", v, {n, d})};
  const ResultPtr result = result_of([&](orrery_result** r) {
    return orrery_run("attend", "encoding=none causal=true", inputs.data(), inputs.size(), nullptr,
                      r);
  });
  std::vector<double> expected(n * d);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> weight(i + 1);
    double sum = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::size_t c = 0; c < d; ++c) product += q[i * d + c] * k[j * d + c];
      sum += weight[j] = std::exp(product / 2);
    }
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t c = 0; c < d; ++c) expected[i * d + c] += weight[j] / sum * v[j * d + c];
  }
  CHECK(distance(numbers_of(result.get(), "output"), expected) < 1e-14);
  CHECK(json::parse(orrery_result_json(result.get()))["arrays"][0]["shape"] == json{5, 5});
}

TEST_CASE("orrery_identify names the base, and a rope that should have been another") {
  constexpr std::size_t n = 24, d = 16;
  std::vector<double> x = normals(n * d, 9);
  std::vector<std::int64_t> at(n);
  for (std::size_t i = 0; i < n; ++i) at[i] = static_cast<std::int64_t>(i);
  std::vector<double> y = roped(x, at, d, 500000);
  const std::vector<orrery_array> inputs{array_of("before", x, {n, d}),
                                         array_of("after", y, {n, d})};
  const EncodingPtr expected = encoding_of(half_split);
  const ResultPtr result = result_of([&](orrery_result** r) {
    return orrery_identify("threads=1", expected.get(), inputs.data(), inputs.size(), r);
  });
  const json report = json::parse(orrery_result_json(result.get()))["tensors"][0];
  CHECK(report["explained"] == true);
  CHECK(report["as_expected"] == false);
  const json deviation = {{"field", "base"}, {"expected", "10000"}, {"found", "500000"}};
  CHECK(report["deviations"][0] == deviation);
}

TEST_CASE("orrery_run gives what the program prints, and draws it") {
  const ResultPtr result = result_of([&](orrery_result** r) {
    return orrery_run("long_term_decay", R"({"dim": 64, "base": 10000.0, "max_distance": 50})",
                      nullptr, 0, nullptr, r);
  });
  json found = json::parse(orrery_result_json(result.get()));
  const json drawn = found["drawn"];
  found.erase("drawn");
  found.erase("notes");
  if (std::filesystem::exists(orrery::test::cli_program())) {  // not under sanitizers
    const auto printed = orrery::test::Shell().run(
        "run long_term_decay dim=64 base=10000 max_distance=50 --json --format none --out decay");
    CHECK(found == json::parse(printed.out));
  }
  CHECK(drawn.size() == found["figures"].size());

  unsigned char* bytes = nullptr;
  std::size_t size = 0;
  REQUIRE(orrery_draw(result.get(), nullptr, "format=png", &bytes, &size) == ORRERY_OK);
  const std::unique_ptr<unsigned char, Deleter> png(bytes);
  REQUIRE(size > 1000);
  CHECK(std::memcmp(png.get(), "\x89PNG\r\n", 6) == 0);
  REQUIRE(orrery_draw(result.get(), nullptr, "theme=dark", &bytes, &size) == ORRERY_OK);
  const std::unique_ptr<unsigned char, Deleter> svg(bytes);
  CHECK(std::string(reinterpret_cast<char*>(bytes), size).find("</svg>") != std::string::npos);
}

TEST_CASE("orrery_points lists the points of a sweep, which orrery_run takes") {
  const ResultPtr result = result_of([&](orrery_result** r) {
    return orrery_points("long_term_decay", "dim=32,64 max_distance=20", r);
  });
  const json points = json::parse(orrery_result_json(result.get()))["points"];
  REQUIRE(points.size() == 2);
  CHECK(points[1]["swept"]["dim"] == 64);
  const std::string settings = points[1]["settings"].dump();
  const ResultPtr one = result_of([&](orrery_result** r) {
    return orrery_run("long_term_decay", settings.c_str(), nullptr, 0, nullptr, r);
  });
  CHECK(json::parse(orrery_result_json(one.get()))["provenance"]["params"]["dim"] == 64);
}

TEST_CASE("A model is read from its file and from its text") {
  const std::string config = R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64,
    "num_attention_heads": 4, "rope_theta": 500000.0, "max_position_embeddings": 128})";
  const ResultPtr result =
      result_of([&](orrery_result** r) { return orrery_positions(config.c_str(), 0, r); });
  const std::string text = orrery_result_json(result.get());
  CHECK(text.find("500000") != std::string::npos);
  CHECK(json::parse(text)["layers"].size() > 0);
}

TEST_CASE("A pass over a model gives the losses that the program gives") {
  const std::string model = orrery::test::tests_folder() + "/golden/transformer/llama-off";
  std::vector<std::int64_t> ids{5, 15, 25, 2, 5, 15, 25, 2};
  const std::vector<orrery_array> inputs{array_of("tokens", ids, {8})};
  const ResultPtr result = result_of([&](orrery_result** r) {
    const std::string settings = R"({"arrays": "loss", "model": ")" + model + R"("})";
    return orrery_run("forward", settings.c_str(), inputs.data(), 1, nullptr, r);
  });
  const json found = json::parse(orrery_result_json(result.get()));
  const std::vector<double> losses = numbers_of(result.get(), "loss");
  REQUIRE(losses.size() == 7);
  for (std::size_t i = 0; i < losses.size(); ++i)
    CHECK(losses[i] == found["tables"][0]["columns"][2]["values"][i].get<double>());
}

TEST_CASE("A call that fails has a status and says what to do") {
  orrery_encoding* encoding = nullptr;
  CHECK(orrery_encoding_create("encoding=rop", nullptr, 0, &encoding) == ORRERY_USAGE);
  CHECK(std::string(orrery_error_text()).find("did you mean encoding=rope") != std::string::npos);
  CHECK(encoding == nullptr);
  CHECK(orrery_encoding_create(R"({"base": [)", nullptr, 0, &encoding) == ORRERY_USAGE);
  CHECK(orrery_encoding_create("", nullptr, 0, nullptr) == ORRERY_USAGE);

  const EncodingPtr rope = encoding_of(half_split);
  std::vector<double> x(8, std::numeric_limits<double>::quiet_NaN()), y(8);
  const orrery_array in = array_of("x", x, {2, 4}), out = array_of("out", y, {2, 4});
  CHECK(orrery_apply(rope.get(), &in, nullptr, &out) == ORRERY_DATA);
  CHECK(std::string(orrery_error_text()).find("holds NaN at [0, 0]") != std::string::npos);
  orrery_array old = out;
  old.struct_size = 8;
  CHECK(orrery_apply(rope.get(), &out, nullptr, &old) == ORRERY_USAGE);
  const orrery_array other = array_of("out", y, {4, 2});
  CHECK(orrery_apply(rope.get(), &out, nullptr, &other) == ORRERY_USAGE);
  orrery_result* result = nullptr;
  CHECK(orrery_positions("/no/such/config.json", 0, &result) == ORRERY_IO);
  CHECK(orrery_run("long_term_decay", "dim=32,64", nullptr, 0, nullptr, &result) == ORRERY_USAGE);
  const std::vector<orrery_array> wrong{array_of("kk", y, {2, 4})};
  CHECK(orrery_run("attend", "", wrong.data(), 1, nullptr, &result) != ORRERY_OK);
  const std::vector<orrery_array> start{array_of("start", y, {2, 4})};
  CHECK(orrery_run("training", "", start.data(), 1, nullptr, &result) == ORRERY_USAGE);
  CHECK(std::string(orrery_error_text()).find("start as an array") != std::string::npos);
  CHECK(result == nullptr);
  CHECK(orrery_list("all", &result) == ORRERY_OK);
  CHECK(std::string(orrery_error_text()).empty());
  orrery_result_destroy(result);
}

TEST_CASE("A progress callback is told of the work and stops it") {
  struct Seen {
    int calls{0};
    int stop_after{0};
  };
  const auto told = [](void* user, double fraction, const char* stage) {
    auto* seen = static_cast<Seen*>(user);
    ++seen->calls;
    return fraction >= 0 && fraction <= 1 && *stage != '\0' && seen->calls == seen->stop_after ? 1
                                                                                               : 0;
  };
  Seen seen{.stop_after = 2};
  const orrery_progress progress{sizeof(orrery_progress), told, &seen};
  orrery_result* result = nullptr;
  CHECK(orrery_verify("draws=1", &progress, &result) == ORRERY_STOPPED);
  CHECK(seen.calls == 2);
  CHECK(result == nullptr);
  CHECK(std::string(orrery_error_text()) == "stopped on request");
}

TEST_CASE("One encoding serves several threads, and gives each the same bytes") {
  constexpr std::size_t n = 64, d = 64;
  std::vector<double> x = normals(n * d, 4);
  const EncodingPtr rope = encoding_of(half_split);
  std::vector<std::vector<double>> found(4, std::vector<double>(n * d));
  {
    std::vector<std::jthread> threads;
    for (auto& y : found)
      threads.emplace_back([&x, &y, &rope] {
        const orrery_array in = array_of("x", x, {n, d}), out = array_of("out", y, {n, d});
        for (int i = 0; i < 20; ++i) orrery_apply(rope.get(), &in, nullptr, &out);
      });
  }
  for (const auto& y : found) CHECK(y == found.front());
  CHECK(found.front()[d] != 0);
}

TEST_CASE("A call takes a few microseconds beside its work", "[.speed]") {
  std::vector<float> x(64, 1.0F), y(64);
  const EncodingPtr rope = encoding_of(half_split);
  const orrery_array in = array_of("x", x, {1, 64}), out = array_of("out", y, {1, 64});
  // The least of many: other programs may run beside.
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  constexpr int calls = 100;
  for (int batch = 0; batch < 50; ++batch) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) orrery_apply(rope.get(), &in, nullptr, &out);
    const std::chrono::duration<double, std::micro> taken = Clock::now() - start;
    if (taken.count() / calls < least) least = taken.count() / calls;
  }
  WARN("orrery_apply of [1, 64]: " << least << " us per call");
}
