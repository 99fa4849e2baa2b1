// attend passes its arrays on some queries at a time, and holds no map.
#include <malloc.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <memory>

#include "core/params.h"
#include "experiments/data/npz.h"
#include "experiments/data/sliced_tensor.h"
#include "experiments/files/file.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/held_arrays.h"
#include "tests/support/temp_folder.h"

using namespace orrery;

namespace {

Tensor waves(const std::string& name, std::vector<std::size_t> shape, double step) {
  Tensor tensor{.name = name, .shape = std::move(shape)};
  std::size_t size = 1;
  for (const std::size_t n : tensor.shape) size *= n;
  for (std::size_t i = 0; i < size; ++i)
    tensor.values.push_back(std::sin(step * static_cast<double>(i)));
  return tensor;
}

Inputs inputs_of(const std::vector<std::size_t>& shape) {
  const auto matrices = [&](const char* name, double step) {
    return std::make_shared<const SlicedTensor>(waves(name, shape, step));
  };
  return {{"q", matrices("q", 0.7)}, {"k", matrices("k", 1.1)}, {"v", matrices("v", 1.9)}};
}

void attend(const ParamSet& params, const Inputs& inputs, ArraySink& sink, Progress& progress) {
  find_experiment("attend").stream(params, inputs, sink, progress);
}

ParamSet params_with(const std::vector<std::pair<std::string, std::string>>& words) {
  ParamSet params(find_experiment("attend").info.params);
  for (const auto& [key, value] : words) params.set(key, value);
  return params;
}

/// Bytes that are allocated at present; 0 where the C library does not count them.
std::size_t allocated() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Keeps nothing, and looks at the memory whenever something comes.
class SinkMeter : public ArraySink {
 public:
  void begin(std::span<const Array> arrays) override {
    for (const Array& array : arrays) whole_ += value_bytes(array);
  }
  void append(std::size_t, std::string_view bytes) override {
    got_ += bytes.size();
    most_ = std::max<std::size_t>(most_, allocated());
  }
  std::size_t whole() const { return whole_; }
  std::size_t got() const { return got_; }
  std::size_t most() const { return most_; }

 private:
  std::size_t whole_{0}, got_{0}, most_{0};
};

/// Asks to stop after some steps.
class StopsAfter : public Progress {
 public:
  explicit StopsAfter(int steps) : left_(steps) {}
  void update(double, std::string_view) override { --left_; }
  bool stop_requested() const override { return left_ <= 0; }

 private:
  int left_;
};

}  // namespace

TEST_CASE("attend holds no map, whatever it gives") {
  const Inputs inputs = inputs_of({3000, 4});
  const std::size_t map = 3000UL * 3000 * sizeof(double);
  SilentProgress progress;
  for (const auto& [words, maps] :
       std::vector<std::pair<std::vector<std::pair<std::string, std::string>>, std::size_t>>{
           {{{"encoding", "deberta"}, {"precision", "exact"}}, 5},
           {{{"encoding", "rope"}, {"precision", "exact"}, {"arrays", ""}}, 0},
           {{{"encoding", "rope"},
             {"precision", "exact"},
             {"kernel", "linear"},
             {"linear.weights", "true"}},
            1}}) {
    INFO(words.front().second << " " << maps);
    SinkMeter meter;
    const std::size_t before = allocated();
    attend(params_with(words), inputs, meter, progress);
    CHECK(meter.got() == meter.whole());
    CHECK(meter.got() >= maps * map);
    CHECK(meter.most() <= before + map);
  }
}

TEST_CASE("An archive that is filled while attend computes is the one of its arrays") {
  const TempFolder temp;
  SilentProgress progress;
  const Inputs inputs = inputs_of({2, 2, 40, 6});
  for (const char* precision : {"exact", "exact_fp32"}) {
    const ParamSet params = params_with({{"encoding", "shaw"}, {"precision", precision}});
    test::HeldArrays held;
    attend(params, inputs, held, progress);
    std::vector<const Array*> arrays;
    for (const Array& array : held.arrays()) arrays.push_back(&array);
    ArchiveFile file(temp.path() / "a.npz", Existing::replaced);
    attend(params, inputs, file, progress);
    file.commit();
    CHECK(read_file(temp.path() / "a.npz", 1 << 20) == npz_bytes(arrays));
  }
}

TEST_CASE("attend that is stopped leaves no file") {
  const TempFolder temp;
  const ParamSet params = params_with({{"encoding", "rope"}});
  StopsAfter progress(2);
  {
    ArchiveFile file(temp.path() / "a.npz", Existing::replaced);
    CHECK_THROWS_AS(attend(params, inputs_of({2, 3, 40, 6}), file, progress), Stopped);
    CHECK_FALSE(std::filesystem::is_empty(temp.path()));
  }
  CHECK(std::filesystem::is_empty(temp.path()));
}
