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

/// The vector that the gate of a token reads.
enum class GateSource {
  key,    ///< k_t [d_head]: known wherever there is a key
  input,  ///< x_t [d_model], the layer's input: the papers' choice, known before projections only
};

/// The choice `key`, read as GateSource; `gates` names its readers, in the plural.
ParamSpec gate_source_param(const std::string& key, const std::string& gates);
GateSource gate_source_of(const EncodingSettings& settings, const std::string& key);
/// The width of the tables that multiply it: d_head or d_model.
Index gate_width(const EncodingSettings& settings, GateSource source);
/// k or x of every key. [N_k, width]. Throws UsageError if x is needed and not known.
template <class T>
Matrix<double> gate_contents(const ScoreInputs<T>& in, GateSource source);

/// Its derivative: adds ∂loss by the contents that it gave [N_k, width] to that by k or x. Throws
/// UsageError if there is no place for that by x.
template <class T>
void add_gate_content_gradients(const Matrix<double>& d_contents, GateSource source,
                                const ScoreGradients<T>& d);

/// The number of groups whose position is at most `position`.
Index groups_up_to(const std::vector<KeyGroup>& groups, Position position);

}  // namespace orrery
