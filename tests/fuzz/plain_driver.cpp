// Runs every harness without libFuzzer, in every build: over its corpus, and over a fixed number of
// mutations that are the same each time. ORRERY_FUZZ_EXECUTIONS asks for more of them.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/harness.h"
#include "tests/support/paths.h"

// CMake lists the harnesses, and compiles each with names of its own: HARNESS(npy) is fuzz_npy and,
// where it has one, mutate_npy.
#define HARNESS(name)                                           \
  extern "C" int fuzz_##name(const std::uint8_t*, std::size_t); \
  extern "C" __attribute__((weak))                              \
  std::size_t mutate_##name(std::uint8_t*, std::size_t, std::size_t, unsigned);
#include "tests_fuzz_harnesses.inc"
#undef HARNESS

namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t most_bytes = 4096;
constexpr long default_executions = 4000;
constexpr std::size_t large_bytes = 128 << 10;

struct Harness {
  std::string name{};
  int (*run)(const std::uint8_t*, std::size_t){};
  std::size_t (*mutate)(std::uint8_t*, std::size_t, std::size_t, unsigned){};
};

const std::vector<Harness>& harnesses() {
  static const std::vector<Harness> all{
#define HARNESS(name) {#name, fuzz_##name, mutate_##name},
#include "tests_fuzz_harnesses.inc"
#undef HARNESS
  };
  return all;
}

std::mt19937& dice() {
  static std::mt19937 generator;
  return generator;
}

std::size_t below(std::size_t count) { return dice()() % std::max<std::size_t>(count, 1); }

Bytes bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return {text.begin(), text.end()};
}

std::vector<fs::path> corpus_of(const std::string& harness) {
  std::vector<fs::path> files;
  const fs::path folder = fs::path(orrery::test::tests_folder()) / "fuzz/corpus" / harness;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// The bytes as a string literal of C++, so that a failure can be repeated.
std::string literal(const Bytes& bytes) {
  std::string text = "\"";
  for (const std::uint8_t byte : bytes)
    text += byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\'
                ? std::string(1, static_cast<char>(byte))
                : fmt::format("\\{:03o}", byte);
  return text + "\"";
}

/// What a harness throws is a finding.
void run(const Harness& harness, const Bytes& input) {
  try {
    harness.run(input.data(), input.size());
  } catch (const std::exception& finding) {
    FAIL(harness.name << " found: " << finding.what() << "\nwith " << literal(input));
  }
}

void run_mutations(const Harness& harness, const std::vector<Bytes>& seeds, long executions) {
  dice().seed(1);
  for (long i = 0; i < executions; ++i) {
    Bytes input = seeds[below(seeds.size())];
    const std::size_t size = std::min(input.size(), most_bytes);
    input.resize(most_bytes);
    const std::size_t mutated = harness.mutate ? harness.mutate(input.data(), size, most_bytes,
                                                                static_cast<unsigned>(dice()()))
                                               : LLVMFuzzerMutate(input.data(), size, most_bytes);
    // An exact copy, so that AddressSanitizer sees a read beyond the end.
    run(harness, Bytes(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(mutated)));
  }
}

/// 128 KiB of a formula, nested without end and side by side.
std::vector<Bytes> large_formulas() {
  std::vector<Bytes> inputs;
  for (const std::string piece : {"{", "a^{", "\\frac{", "\\sqrt{", "\\left(", "a+", "a^{b}_{c}"}) {
    std::string text;
    while (text.size() < large_bytes) text += piece;
    inputs.emplace_back(text.begin(), text.end());
  }
  return inputs;
}

/// Nesting without end, of 128 KiB each: what a mutation of a small seed never becomes.
std::vector<Bytes> deep_inputs() {
  std::vector<Bytes> inputs;
  for (const std::string piece : {"a.", "[", "{", "[[", "a = {", "{\"a\":"}) {
    std::string text = piece == "a." ? "" : "a = ";
    while (text.size() < large_bytes) text += piece;
    inputs.emplace_back(text.begin(), text.end());
    const std::string bare = text.substr(text.find(piece));
    inputs.emplace_back(bare.begin(), bare.end());
  }
  return inputs;
}

/// TOML and JSON.
bool reads_documents(const std::string& harness) {
  return harness == "sweep" || harness == "session" || harness == "lesson" || harness == "config" ||
         harness == "result" || harness == "plan" || harness == "index";
}

long executions_wanted() {
  const char* wanted = std::getenv("ORRERY_FUZZ_EXECUTIONS");
  return wanted ? std::atol(wanted) : default_executions;
}

}  // namespace

/// One to four changes: a bit, a byte, a number, a piece removed, repeated or moved.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size) {
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(size), length = 1 + below(std::min<std::size_t>(size - at, 16));
    if (size == 0 || (below(5) == 0 && size + length <= max_size)) {
      const std::size_t added = size == 0 ? std::min<std::size_t>(1, max_size) : length;
      std::memmove(data + at + added, data + at, size - at);  // repeats a piece
      size += added;
      continue;
    }
    switch (below(4)) {
      case 0:
        data[at] ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      case 1:
        data[at] = static_cast<std::uint8_t>(dice()());
        break;
      case 2:
        std::fill_n(data + at, length, static_cast<std::uint8_t>(below(2) * 255));
        break;
      default:
        std::memmove(data + at, data + at + length, size - at - length);
        size -= length;
    }
  }
  return size;
}

TEST_CASE("Every reader holds on its corpus and on mutations of it") {
  for (const Harness& harness : harnesses()) DYNAMIC_SECTION(harness.name) {
      std::vector<Bytes> seeds{{}};
      for (const fs::path& path : corpus_of(harness.name)) {
        INFO(path.string());
        seeds.push_back(bytes_of(path));
        run(harness, seeds.back());
      }
      REQUIRE(seeds.size() > 1);
      if (reads_documents(harness.name))
        for (const Bytes& input : deep_inputs()) run(harness, input);
      if (harness.name == "equation")
        for (const Bytes& input : large_formulas()) run(harness, input);
      run_mutations(harness, seeds, executions_wanted());
    }
}
