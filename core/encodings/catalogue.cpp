#include "core/encodings/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

#include "core/encodings/alibi.h"
#include "core/encodings/axis_rope.h"
#include "core/encodings/cope.h"
#include "core/encodings/deberta.h"
#include "core/encodings/fire.h"
#include "core/encodings/fox.h"
#include "core/encodings/grape_additive.h"
#include "core/encodings/grape_multiplicative.h"
#include "core/encodings/inkling.h"
#include "core/encodings/kerple.h"
#include "core/encodings/learned.h"
#include "core/encodings/none.h"
#include "core/encodings/path.h"
#include "core/encodings/pope.h"
#include "core/encodings/rope.h"
#include "core/encodings/sandwich.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "core/encodings/xpos.h"
#include "core/errors.h"
#include "core/unknown_name.h"

namespace orrery {
namespace {

/// What register_encodings has been given, until the catalogue is read for the first time.
struct Registry {
  std::mutex mutex{};
  std::vector<EncodingEntry> registered{};
  bool is_read{false};
};

Registry& registry() {
  static Registry all;
  return all;
}

constexpr std::true_type by_making{};

std::vector<EncodingEntry> library_entries() {
  // clang-format off
  return {
      encoding_entry<NoEncoding>(),
      encoding_entry<Sinusoidal>(),
      encoding_entry<Rope>(by_making),
      encoding_entry<Alibi>(),
      encoding_entry<Learned>(),
      encoding_entry<Shaw>(),
      encoding_entry<TransformerXl>(),
      encoding_entry<T5>(),
      encoding_entry<Tupe>(),
      encoding_entry<Deberta>(),
      encoding_entry<Kerple>(by_making),
      encoding_entry<Xpos>(by_making),
      encoding_entry<Sandwich>(by_making),
      encoding_entry<Fire>(by_making),
      encoding_entry<Fox>(),
      encoding_entry<Cope>(),
      encoding_entry<Path>(),
      encoding_entry<Pope>(),
      encoding_entry<Inkling>(),
      encoding_entry<GrapeAdditive>(),
      encoding_entry<GrapeMultiplicative>(),
      encoding_entry<AxisRope>(by_making),
  };
  // clang-format on
}

bool is_taken(const std::string& name, const std::vector<EncodingEntry>& entries) {
  return std::ranges::any_of(entries,
                             [&](const EncodingEntry& entry) { return entry.info.name == name; });
}

/// The parameter that encodings with geometric frequencies share.
bool is_shared_base(const ParamSpec& spec) {
  const ParamSpec base = base_param();
  return spec.key == base.key && spec.kind == base.kind &&
         spec.default_value == base.default_value && spec.min == base.min && spec.max == base.max;
}

void check_entry(const EncodingEntry& entry) {
  const EncodingInfo& info = entry.info;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (info.name.empty() || info.name.find_first_not_of(letters) != std::string::npos)
    throw UsageError(fmt::format("the encoding \"{}\"", info.name),
                     "has a name of other characters than a-z, 0-9 and _",
                     "give EncodingInfo::name a name like log_bias");
  if (entry.doors.empty())
    throw UsageError(info.name, "acts on nothing",
                     "inherit InputTerm, QkTransform, ScoreTerms or ValueTerm");
  std::vector<std::string> keys;
  for (const ParamSpec& spec : info.params)
    if (!is_shared_base(spec)) keys.push_back(spec.key);
  for (const TableSpec& table : info.tables) keys.push_back(table.name);
  for (const std::string& key : keys)
    if (!key.starts_with(info.name + "."))
      throw UsageError(fmt::format("\"{}\" of {}", key, info.name),
                       "may be the key of something else",
                       fmt::format("name it {}.{}", info.name, key));
}

}  // namespace

void register_encodings(std::vector<EncodingEntry> entries) {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  std::vector<EncodingEntry> taken = library_entries();
  taken.insert(taken.end(), all.registered.begin(), all.registered.end());
  for (EncodingEntry& entry : entries) {
    check_entry(entry);
    if (all.is_read)
      throw UsageError(entry.info.name, "is registered after the catalogue was read",
                       "register encodings before anything else is asked of the library");
    if (is_taken(entry.info.name, taken))
      throw UsageError(entry.info.name, "is an encoding already", "give yours another name");
    entry.registered = true;
    taken.push_back(entry);
  }
  std::move(entries.begin(), entries.end(), std::back_inserter(all.registered));
}

const std::vector<EncodingEntry>& encoding_catalogue() {
  static const std::vector<EncodingEntry> entries = [] {
    Registry& all = registry();
    const std::scoped_lock lock(all.mutex);
    all.is_read = true;
    std::vector<EncodingEntry> both = library_entries();
    std::move(all.registered.begin(), all.registered.end(), std::back_inserter(both));
    return both;
  }();
  return entries;
}

const EncodingEntry& find_encoding(std::string_view name) {
  std::vector<std::string> names;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    if (entry.info.name == name) return entry;
    names.push_back(entry.info.name);
  }
  throw_unknown_name(name, "an encoding", names);
}

template <>
std::unique_ptr<Encoding> make_encoding<float>(std::string_view name,
                                               const EncodingSettings& settings) {
  return find_encoding(name).make_float(settings);
}

template <>
std::unique_ptr<Encoding> make_encoding<double>(std::string_view name,
                                                const EncodingSettings& settings) {
  return find_encoding(name).make_double(settings);
}

void check_encoding(std::string_view name, const EncodingSettings& settings) {
  find_encoding(name).check(settings);
}

std::vector<ParamSpec> encoding_params(const std::string& selector) {
  std::vector<ParamSpec> merged;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    for (ParamSpec spec : entry.info.params) {
      const auto same = std::ranges::find_if(
          merged, [&](const ParamSpec& other) { return other.key == spec.key; });
      // A condition of the encoding's own stays: it implies the encoding through its key.
      if (same != merged.end()) {
        if (same->used_when->key == selector) same->used_when->any_of.push_back(entry.info.name);
        continue;
      }
      if (!spec.used_when) spec.used_when = Condition{selector, {entry.info.name}};
      merged.push_back(std::move(spec));
    }
  }
  return merged;
}

std::vector<Choice> encoding_choices() {
  std::vector<Choice> choices;
  for (const EncodingEntry& entry : encoding_catalogue())
    choices.push_back({entry.info.name, entry.info.title});
  return choices;
}

}  // namespace orrery
