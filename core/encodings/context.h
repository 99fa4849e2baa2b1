#pragma once

#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/settings.h"
#include "core/types.h"

namespace orrery {

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
