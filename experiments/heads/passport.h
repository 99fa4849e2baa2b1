#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/heads/model_heads.h"
#include "experiments/heads/reach.h"
#include "experiments/heads/repeat.h"
#include "experiments/heads/settle.h"
#include "experiments/model_files/positions_text.h"

namespace orrery {

struct PassportRequest {
  std::vector<ModelText> texts{};         ///< four or more: even ones choose, odd ones test
  std::vector<std::string> questions{};   ///< of settle; empty for all
  std::int64_t targets{32};               ///< last tokens of a text, for the reach
  std::int64_t repeated{32}, repeats{8};  ///< of repeat
  std::size_t chosen{4};                  ///< heads that a score chooses
  std::int64_t seed{0};
  std::int32_t first{-1};  ///< token before random ones and contexts; −1 for none
};

/// The losses of tokens at some places of a text.
struct PlaceLoss {
  std::int64_t from{}, to{};  ///< of the predicted tokens, both within
  double loss{};              ///< mean over texts of their means
  double error{};             ///< its standard error over texts
};

/// A change of the model, and what it does to its losses.
struct Break {
  std::string name{};  ///< "the fastest quarter of RoPE's pairs stands still"
  std::vector<std::string> edits{};
  double loss{};       ///< mean over the odd texts
  Welch difference{};  ///< less the model's own, paired by texts
  /// Of no difference, Holm-corrected over all changes; NaN where all texts change alike.
  double p{};
  double copying{};  ///< loss of repeated random tokens, less the model's own
};

/// A model on one page: what it does with positions, and what holds up.
struct Passport {
  /// Layers of one kind, and what their files say of positions, each with its reason.
  struct Layers {
    std::string layers{};  ///< "layers 0 to 29"
    std::vector<PositionFact> facts{};
  };

  std::string model{};  ///< of its file or folder, without the way there
  std::string family{}, format{};
  int layers{}, heads{}, kv_heads{}, vocabulary{};
  bool single{};  ///< computed in fp32
  PassportRequest request{};
  std::vector<Layers> encodings{};
  std::vector<std::string> assumed{};  ///< what no file says
  HeadTable table{};
  // Of a model that predicts the next token:
  std::optional<Settlement> settlement{};
  std::vector<PlaceLoss> by_place{};
  std::optional<ContextReach> reach{};
  std::optional<Repeat> repeat{};
  std::vector<double> losses{};  ///< of the odd texts
  std::vector<Break> breaks{};
};

/// Asks a model everything that a passport has. Heads that are ablated are chosen by even texts; all
/// changes are judged by odd ones.
/// Throws as measure_heads, settle and repeat_tokens do; UsageError for fewer than four texts.
Passport passport_of(LiveModel& model, const PassportRequest& request, Progress& progress);

/// The passport as a document of at most max_passport_bytes: of a model of many heads it keeps what
/// is by layer and leaves single heads out.
nlohmann::ordered_json passport_document(const Passport& passport);
inline constexpr std::size_t max_passport_bytes = 50'000;
std::string passport_json(const nlohmann::ordered_json& document);

// What is made of one document, or of two that are compared: the second may be null.
std::string passport_text(const nlohmann::ordered_json& one, const nlohmann::ordered_json& other);
/// {"a", "b", "differences"}.
nlohmann::ordered_json passports_compared(const nlohmann::ordered_json& one,
                                          const nlohmann::ordered_json& other);

/// Throws DataError, naming the key: a document that has not all that a page and a text are made of.
void require_passport(const nlohmann::ordered_json& document, std::string_view name);
/// A document that passport_json has written. Throws DataError for any other text.
nlohmann::ordered_json read_passport(const std::string& text, const std::string& name);

}  // namespace orrery
