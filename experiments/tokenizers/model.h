#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/tokenizers/vocabulary.h"

namespace orrery {

/// A token, and how many bytes of its piece it stands for.
struct Subword {
  std::int32_t id{};
  std::size_t length{};
};

/// What turns a piece of a text into tokens.
class Model {
 public:
  explicit Model(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~Model() = default;

  /// Appends the tokens of a piece that is not empty. Their lengths add up to its own, at most.
  /// Throws DataError: no token stands for a part of it.
  virtual void tokenize(std::string_view piece, std::vector<Subword>& tokens) const = 0;

  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
};

}  // namespace orrery
