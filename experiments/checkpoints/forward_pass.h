#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/data/array_sink.h"
#include "experiments/model/figure.h"

namespace orrery {

class Checkpoint;

/// What a pass reads and keeps, but for the model. The choices of "arrays" are what it can hand out.
std::vector<ParamSpec> forward_params();

/// What a pass reads.
struct PassInputs {
  std::vector<std::int32_t> tokens{};
  std::vector<std::int32_t> segments{};        ///< or empty
  std::vector<std::int32_t> decoder_tokens{};  ///< of an encoder-decoder; empty: its encoder alone
};

struct PassRequest {
  std::vector<std::string> arrays{};   ///< choices of the parameter "arrays"
  std::vector<std::int64_t> layers{};  ///< of which arrays are written; empty for all
  std::vector<std::int64_t> heads{};   ///< query heads, and the kv heads that they read
  bool single{true};                   ///< computed in fp32, else in fp64
  int threads{1};                      ///< any number gives the same bytes
};

struct PassResult {
  std::vector<double> losses{};  ///< −ln p of each next token, nats; empty where there are none
  std::vector<Array> arrays{};   ///< what was written, without values
};

/// A model on the disk that passes run over.
class PassModel {
 public:
  /// Throws as Checkpoint::open does.
  /// @param length  tokens of the sequences, by which some scalings of RoPE choose
  PassModel(const std::filesystem::path& path, std::int64_t length);
  ~PassModel();
  PassModel(const PassModel&) = delete;
  PassModel& operator=(const PassModel&) = delete;

  std::string name() const;    ///< path of its weights
  std::string family() const;  ///< "Llama"
  int layers() const;          ///< of the stack that has the head
  const std::vector<std::string>& assumed()
      const;  ///< what no file says, or the code does otherwise

  /// Bytes that a pass holds at its largest, beside the mapped files.
  std::uint64_t bytes_of(const PassInputs& inputs, const PassRequest& request) const;

  /// Runs the model over the tokens and hands out the arrays as they are computed.
  /// @param sink  gets them; null for losses alone
  /// Throws UsageError: a layer, a head or an array that the model does not have, losses of a model
  /// that looks both ways, no tokens; as forward does.
  PassResult run(const PassInputs& inputs, const PassRequest& request, ArraySink* sink) const;

 private:
  std::unique_ptr<const Checkpoint> checkpoint_;
};

}  // namespace orrery
