// Reads lists of values and shards, as they are typed. The first byte chooses the parameter.
#include <fmt/format.h>

#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/sweep_spec.h"
#include "tests/fuzz/harness.h"

using namespace orrery;

namespace {

const std::vector<ParamSpec>& specs() {
  static const std::vector<ParamSpec> all{
      {.key = "dim",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{64},
       .min = 2,
       .max = 65536,
       .multiple_of = 2},
      {.key = "base", .kind = ParamKind::real, .default_value = 1e4, .min = 1},
      {.key = "causal", .kind = ParamKind::boolean, .default_value = true},
      {.key = "norm",
       .kind = ParamKind::choice,
       .default_value = std::string("l2"),
       .choices = {{"l1", ""}, {"l2", ""}}},
      {.key = "encoding",
       .kind = ParamKind::choice_list,
       .default_value = std::vector<std::string>{"rope"},
       .choices = {{"rope", ""}, {"alibi", ""}}},
      {.key = "q", .kind = ParamKind::file, .default_value = std::string(), .file_types = {"npy"}}};
  return all;
}

/// A value that its parameter accepts is written and read back.
void require_kept(const ParamSpec& spec, const std::string& value) {
  ParamSet params(specs());
  const auto set = fuzz::accepted<UsageError>([&] { return params.set(spec.key, value), true; });
  if (!set) return;
  ParamSet again(specs());
  again.set(spec.key, params.to_text(spec.key));
  fuzz::require(again == params, "a value is read as it was written");
}

void require_same_list(const ParamSpec& spec, const std::vector<std::string>& values) {
  const std::string joined = fmt::format("{}", fmt::join(values, ","));
  fuzz::require(value_list(spec, joined) == values, "a list is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  const ParamSpec& spec = specs()[data[0] % specs().size()];
  const auto values = fuzz::accepted<UsageError>([&] { return value_list(spec, text); });
  if (values) {
    fuzz::require(!values->empty() && values->size() <= 1'000'000, "a list has 1 to 10^6 values");
    require_kept(spec, values->front());
    require_kept(spec, values->back());
    const bool numbers = spec.kind == ParamKind::integer || spec.kind == ParamKind::real;
    if (numbers && values->size() <= 64) require_same_list(spec, *values);
  }
  const auto shard = fuzz::accepted<UsageError>([&] { return parse_shard(std::string(text)); });
  fuzz::require(!shard || (1 <= shard->index && shard->index <= shard->count),
                "a shard is one of its count");
  return 0;
}
