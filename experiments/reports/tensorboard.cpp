#include "experiments/reports/tensorboard.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>
#include <reports/tensorboard.pb.h>

#include <algorithm>
#include <bit>
#include <boost/crc.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/results/params_json.h"

namespace orrery::reports {
namespace {

constexpr const char* encoding_key = "encoding";

/// With the entries of maps in the order of their keys.
std::string serialized(const google::protobuf::MessageLite& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

template <class Unsigned>
std::string little_endian(Unsigned value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i)
    bytes += static_cast<char>((value >> (8 * i)) & 0xFF);
  return bytes;
}

/// CRC-32C, rotated and shifted as in TensorFlow's records: a CRC of bytes that contain their own
/// CRC would be weak.
std::string masked_crc(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return little_endian(std::rotr(static_cast<std::uint32_t>(crc.checksum()), 15) + 0xA282EAD8U);
}

/// Length, its CRC, data, its CRC.
std::string record(const events::Event& event) {
  const std::string data = serialized(event);
  const std::string length = little_endian(static_cast<std::uint64_t>(data.size()));
  return length + masked_crc(length) + data + masked_crc(data);
}

std::string version_record() {
  events::Event event;
  event.set_file_version("brain.Event:2");
  event.mutable_source_metadata()->set_writer("orrery");
  return record(event);
}

// ---- The plugin HParams
// ----------------------------------------------------------------------------

void add_plugin_data(events::Summary& summary, const char* tag,
                     const events::HParamsPluginData& data) {
  events::Summary::Value& value = *summary.add_value();
  value.set_tag(tag);
  auto& plugin = *value.mutable_metadata()->mutable_plugin_data();
  plugin.set_plugin_name("hparams");
  plugin.set_content(serialized(data));
  // An empty list of floats: readers expect a tensor of every value with metadata.
  constexpr int dtype_float = 1;
  value.mutable_tensor()->set_dtype(dtype_float);
  value.mutable_tensor()->mutable_tensor_shape()->add_dim();
}

events::HParam hparam(const nlohmann::ordered_json& setting) {
  events::HParam value;
  if (setting.is_boolean())
    value.set_bool_value(setting.get<bool>());
  else if (setting.is_number())
    value.set_number_value(setting.get<double>());
  else
    value.set_string_value(setting.get<std::string>());
  return value;
}

/// The label without its repeat. Empty, which is a group of its own, where there are no repeats.
std::string group_of(const PointRecord& point) {
  const std::string repeat = fmt::format("repeat={}", point.repeat);
  if (!point.label.ends_with(" " + repeat)) return point.label == repeat ? "repeats" : "";
  return point.label.substr(0, point.label.size() - repeat.size() - 1);
}

void add_start(events::Summary& summary, const PointRecord& point,
               const std::set<std::string>& keys, std::span<const ParamSpec> specs) {
  std::vector<std::pair<std::string, std::string>> settings;
  std::ranges::copy_if(point.params, std::back_inserter(settings),
                       [&](const auto& setting) { return keys.contains(setting.first); });
  events::HParamsPluginData data;
  events::SessionStartInfo& start = *data.mutable_session_start_info();
  start.set_group_name(group_of(point));
  const nlohmann::ordered_json json = params_json(settings, specs);
  for (const auto& [key, setting] : json.items()) (*start.mutable_hparams())[key] = hparam(setting);
  add_plugin_data(summary, "_hparams_/session_start_info", data);
}

void add_end(events::Summary& summary) {
  constexpr int success = 1;
  events::HParamsPluginData data;
  data.mutable_session_end_info()->set_status(success);
  add_plugin_data(summary, "_hparams_/session_end_info", data);
}

/// The settings that differ between points.
std::set<std::string> keys_of(const std::vector<PointRecord>& points, const TidyTable& tidy) {
  std::set<std::string> keys(tidy.keys.begin(), tidy.keys.end());
  if (std::ranges::any_of(points, [&](const PointRecord& point) {
        return point.param(encoding_key) != points.front().param(encoding_key);
      }))
    keys.insert(encoding_key);
  return keys;
}

// ---- Runs
// ------------------------------------------------------------------------------------------

bool compares_encodings(const TidyTable& tidy) {
  std::set<const PointRecord*> seen;
  return std::ranges::any_of(tidy.rows,
                             [&](const TidyRow& row) { return !seen.insert(row.point).second; });
}

void add_scalars(events::Summary& summary, const PointRecord& point, bool with_encoding) {
  for (const Scalar& scalar : point.scalars) {
    const MeasureName name = measure_name(scalar.name);
    events::Summary::Value& value = *summary.add_value();
    value.set_tag(with_encoding && !name.encoding.empty() ? name.encoding + "/" + name.measure
                                                          : name.measure);
    value.set_simple_value(static_cast<float>(scalar.value));
  }
}

/// "dim=64 base=10000" as a name of at most 100 characters that every file system accepts.
std::string safe_name(const std::string& label) {
  constexpr std::size_t longest = 100;
  constexpr std::string_view kept =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789=+-_.";
  std::string name;
  for (const char c : label.substr(0, longest))
    name += c == ' ' ? ',' : kept.find(c) != std::string_view::npos ? c : '_';
  return name;
}

/// One per point. Names that are not unique, that were cut, or that are hidden begin with the id.
std::vector<std::string> folder_names(const std::vector<PointRecord>& points) {
  std::map<std::string, int> uses;
  for (const PointRecord& point : points) ++uses[safe_name(point.label)];
  std::vector<std::string> names;
  for (const PointRecord& point : points) {
    std::string name = safe_name(point.label);
    if (name.empty())
      name = point.id;
    else if (name.starts_with('.') || name.size() < point.label.size() || uses.at(name) > 1)
      name = fmt::format("{},{}", point.id, name);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::vector<TensorBoardRun> tensorboard_runs(const std::vector<PointRecord>& points,
                                             const TidyTable& tidy,
                                             std::span<const ParamSpec> specs) {
  const bool with_encoding = compares_encodings(tidy);
  const std::set<std::string> keys = keys_of(points, tidy);
  const std::vector<std::string> names = folder_names(points);
  std::vector<TensorBoardRun> runs;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (!points[p].is_done()) continue;
    events::Event event;
    events::Summary& summary = *event.mutable_summary();
    add_start(summary, points[p], keys, specs);
    add_scalars(summary, points[p], with_encoding);
    add_end(summary);
    runs.push_back({.folder = names[p], .events = version_record() + record(event)});
  }
  return runs;
}

}  // namespace orrery::reports
