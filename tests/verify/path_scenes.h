#pragma once

#include <vector>

#include "core/attention/multi_head.h"
#include "tests/verify/path_subjects.h"

namespace orrery::test {

/// Where queries and keys stand, and what hides keys.
struct PathScene {
  Positions m, n;
  MaskSpec visible{};
  double size{1};         ///< of the queries: from about 8 on no product is near
  Scoring scoring{};      ///< with a scale or rule, of encodings whose terms are products alone
  double rising{0};       ///< what each key's first channel gains, times its place
  bool equal{false};      ///< whether the channels of a token are, and lengths far from their sums
  Index rows_at_once{7};  ///< of the map
  int threads{1};
  bool own_keys{false};  ///< whether each head has keys and values of its own
  bool narrow{false};    ///< whether bf16 holds the contents, so that rounding q, k, v leaves them

  bool sees(Index i, Index j) const {
    const Position r = m[static_cast<std::size_t>(i)] - n[static_cast<std::size_t>(j)];
    if (visible.causal && r < 0) return false;
    if (visible.window > 0 && (r >= visible.window || -r >= visible.window)) return false;
    return visible.key_is_real.empty() || visible.key_is_real[static_cast<std::size_t>(j)];
  }
};

/// A tile has 48 queries and 512 keys; factors of terms are made of 4096 keys at a time where there
/// are more than 8192.
std::vector<PathScene> scenes();
/// Queries among 8300 keys, in the last of the parts that factors are made of.
std::vector<PathScene> long_scenes();
/// Few tokens at every distance around those from which on Shaw's and DeBERTa's tables have one
/// row.
std::vector<PathScene> edge_scenes();
/// With the scale of Scoring in place of the paper's and a factor of each query; and with a factor
/// of the keys that a query sees, all or those of a window.
std::vector<PathScene> ruled_scenes();

/// Contents that fp32 holds, so that one literal evaluation serves both precisions.
struct SceneContents {
  LayerInputs<float> in;

  SceneContents(Random& random, const PathScene& scene);
  literal::Head head(Index h) const;
  template <class T>
  LayerInputs<T> as() const;
};

/// What a scene must give, head by head.
struct Expected {
  std::vector<Rows> logits, weights, output;
};
Expected expected_of(const PathSubject& subject, const PathScene& scene,
                     const SceneContents& contents);

}  // namespace orrery::test
