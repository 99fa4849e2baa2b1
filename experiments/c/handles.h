#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/c/orrery.h"
#include "experiments/model/progress.h"
#include "experiments/model/result.h"
#include "experiments/studies/apply/applied_encoding.h"

struct orrery_result {
  std::string json{};
  std::vector<std::shared_ptr<const orrery::Array>> arrays{};
  std::optional<orrery::Result> found{};  ///< whose figures can be drawn
};

struct orrery_encoding {
  orrery::AppliedEncoding applied;
};

namespace orrery {

/// Passes a result to the caller. Throws UsageError where there is no place for it.
void give(orrery_result** place, orrery_result&& result);
void give(orrery_result** place, const nlohmann::ordered_json& json);

/// Throws UsageError for a null pointer.
void require(const void* pointer, const char* what);

/// The caller's callback, which may be none.
class CallerProgress : public Progress {
 public:
  /// Throws UsageError for another struct_size.
  explicit CallerProgress(const orrery_progress* progress);
  void update(double fraction, std::string_view stage) override;
  bool stop_requested() const override { return stopped_; }

 private:
  const orrery_progress* progress_;
  bool stopped_{false};
};

/// Runs the work of one call and turns what it throws into a status and a text.
orrery_status guarded(const std::function<void()>& work) noexcept;

/// The words "key=value" of a text: parted by white space, or the members of a JSON object, of which
/// a list is "a,b" as on the command line. Throws UsageError for JSON of another form.
std::vector<std::string> words_of(const char* settings);

}  // namespace orrery
