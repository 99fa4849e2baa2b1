#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/params.h"
#include "core/random.h"
#include "core/training/network.h"
#include "experiments/model/inputs.h"

namespace orrery {

/// Sequences of one length, drawn for a task.
struct DrawnSequences {
  std::vector<std::int32_t> tokens{};
  std::vector<std::int32_t> targets{};
  Index length{};

  SequencesIn view() const { return {tokens, targets, length}; }
};

/// Which part of a text sequences are taken from: a model is judged by what it has not seen.
enum class TextPart { learned, held_out };

/// What a model learns to say.
class Task {
 public:
  virtual ~Task() = default;
  virtual Index vocabulary() const = 0;
  /// Which byte each token stands for; empty for symbols.
  virtual std::vector<int> bytes_of_tokens() const { return {}; }
  /// Whether a token may look at those behind it.
  virtual bool causal() const { return true; }
  /// One sequence more.
  virtual void draw(Random& random, Index length, TextPart part, DrawnSequences& to) const = 0;
};

/// The choices of the parameter "task".
std::vector<Choice> task_choices();
/// Tasks that draw symbols, and those that read a text.
std::vector<std::string> symbol_tasks();
std::vector<std::string> text_tasks();

/// The task that "task" names, with "symbols", "distance" and "text".
/// Throws DataError for a text that is too short to hold anything out.
std::unique_ptr<const Task> make_task(const ParamSet& params, const Inputs& inputs);

/// The shortest sequences that a task can be asked with.
Index shortest_sequence(const ParamSet& params);

DrawnSequences draw_sequences(const Task& task, Random& random, Index sequences, Index length,
                              TextPart part);

/// `half` symbols drawn at random, twice: what scores of heads are read from. [2·half]
std::vector<std::int32_t> repeated_block(std::int64_t seed, Index symbols, Index half);

}  // namespace orrery
