#pragma once

#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/settings.h"
#include "core/types.h"

namespace orrery {

/// An encoding whose logits depend on tokens beside the query and the key: gates of the keys
/// between them, read from their contents. A logit is then no function of q, k and m − n, though a
/// common shift of all positions leaves it. A mask hides keys from the softmax, not their gates.
class ReadsContext {
 public:
  /// False for settings in which it reads the query and the key alone.
  virtual bool reads_other_keys() const { return true; }

 protected:
  ~ReadsContext() = default;
};

/// An encoding whose logits are no products of channels pair by pair, so that a mean over
/// directions takes all of them: see mean_logits.
class MixesChannels {
 public:
  /// A unit vector x, [1, d], for which the logits of x with x and of −x with −x have a mean that
  /// changes with distance as that over all directions does; empty where none is known.
  virtual Matrix<double> balanced_direction(Index) const { return {}; }

 protected:
  ~MixesChannels() = default;
};

/// An encoding that is relative among its first positions only.
class RelativeAtFirst {
 public:
  /// The last query at which its logits are functions of m − n.
  virtual Position relative_up_to() const = 0;

 protected:
  ~RelativeAtFirst() = default;
};

/// Whether the weights are relative at queries up to `last`.
bool has_relative_weights(const Encoding& encoding, Position last);

/// Whether the encoding is a ReadsContext that does read other keys.
bool reads_other_keys(const Encoding& encoding);

/// Keys with the same position, in the order of positions.
struct KeyGroup {
  Position position{};
  std::vector<Index> keys{};
};
/// Every key in its group. Keys of a group are ordered by contents, bit by bit, so that the order
/// in which they are given does not matter.
template <class T>
std::vector<KeyGroup> keys_in_order(PositionsIn n, const MatrixIn<T>& k);

/// What the gates of tokens are made of.
enum class GateSource {
  key,    ///< k_t [d_head]: known wherever there is a key
  input,  ///< x_t [d_model], the layer's input: the papers' choice, known before projections only
};

/// The choice `key`, read as GateSource; `gates` says in the plural what reads it.
ParamSpec gate_source_param(const std::string& key, const std::string& gates);
GateSource gate_source_of(const EncodingSettings& settings, const std::string& key);
/// d_head or d_model: how wide the tables are that multiply it.
Index gate_width(const EncodingSettings& settings, GateSource source);
/// k or x of every key. [N_k, width] Throws UsageError where x is asked for and not known.
template <class T>
Matrix<double> gate_contents(const ScoreInputs<T>& in, GateSource source);

/// How many of the groups lie at `position` or before it.
Index groups_up_to(const std::vector<KeyGroup>& groups, Position position);

}  // namespace orrery
