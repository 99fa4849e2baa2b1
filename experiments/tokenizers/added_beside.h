#pragma once

#include <string>

namespace orrery {

/// Tokens that the files beside a vocabulary add to it: a list in JSON such as tokenizer.json's
/// added_tokens, where an id may be missing; empty: none.
struct AddedBeside {
  std::string list{};
  std::string file{};  ///< in messages
};

}  // namespace orrery
