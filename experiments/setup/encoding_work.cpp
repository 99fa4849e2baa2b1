#include "experiments/setup/encoding_work.h"

#include <map>
#include <string_view>

#include "experiments/setup/check_settings.h"

namespace orrery::setup {
namespace {

using PerChannel = std::map<std::string_view, double>;

double found_or(const PerChannel& table, const std::string& encoding, double other) {
  const auto found = table.find(encoding);
  return found == table.end() ? other : found->second;
}

}  // namespace

double operations_per_mean_logit(const std::string& encoding, double d) {
  // Planes across all channels turn each of them.
  if (encoding == "grape_multiplicative") return 7 * d * d;
  static const PerChannel of_one{
      {"xpos", 400}, {"grape_additive", 2300}, {"axis_rope", 100}, {"pope", 1900}};
  return d * found_or(of_one, encoding, 8);
}

double operations_per_content(const std::string& encoding, double d) {
  static const PerChannel table{{"pope", 10000}};
  return d * found_or(table, encoding, operations_per_rotated_channel);
}

}  // namespace orrery::setup
