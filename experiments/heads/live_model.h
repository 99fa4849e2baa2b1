#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/heads/model_texts.h"
#include "experiments/model/progress.h"

namespace orrery {

template <class T>
class ModelRun;

/// How a model is run.
struct RunSettings {
  bool single{true};  ///< computed in fp32, else in fp64
  int threads{1};     ///< any number gives the same bytes
  /// Bytes of decoded weights that are kept between passes; 0 for a third of the machine's memory.
  std::uint64_t kept_bytes{0};
  std::int64_t length{0};  ///< tokens of the sequences, by which some scalings of RoPE choose
};

/// A model that is asked one question after the other: its files are opened once, and what was
/// decoded is kept while there is room.
class LiveModel {
 public:
  /// Throws as Checkpoint::open does; UsageError for an encoder-decoder, whose two stacks read two
  /// texts.
  LiveModel(const std::filesystem::path& path, const RunSettings& settings);
  ~LiveModel();
  LiveModel(const LiveModel&) = delete;
  LiveModel& operator=(const LiveModel&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::string& name() const { return facts_.name; }      ///< path of its weights
  const std::string& family() const { return facts_.family; }  ///< "Llama"
  int layers() const { return facts_.layers; }
  int heads() const { return facts_.heads; }
  int vocabulary() const { return facts_.vocabulary; }
  /// It looks back and has a head, so that it has losses.
  bool predicts_next() const { return facts_.predicts_next; }
  const RunSettings& settings() const { return settings_; }
  std::uint64_t bytes_of_number() const;  ///< of its precision
  /// Bytes of so many states of the residual stream. [count, tokens, d_model]
  std::uint64_t bytes_of_states(std::size_t count, std::size_t tokens) const;
  /// Bytes of so many tokens' outputs of all heads of all layers.
  std::uint64_t bytes_of_head_outputs(std::size_t tokens) const;

  /// Calls use(run) with the ModelRun of its precision.
  template <class Use>
  decltype(auto) with_run(const Use& use) {
    if (settings_.single) return use(*single_);
    return use(*double_);
  }
  /// The same, whose passes throw Stopped between two layers once a stop is requested.
  template <class Use>
  void with_run(const Progress& progress, const Use& use) {
    with_run([&](auto& run) {
      const auto asked = run.ask(progress);
      use(run);
    });
  }

 private:
  struct Facts {
    std::string name, family;
    int layers, heads, vocabulary;
    bool predicts_next;
    std::ptrdiff_t d_model,
        head_channels;  ///< channels of a state, and of the outputs of all heads
  };

  std::filesystem::path path_;
  RunSettings settings_;
  std::unique_ptr<ModelRun<float>> single_;
  std::unique_ptr<ModelRun<double>> double_;
  Facts facts_{};
};

}  // namespace orrery
