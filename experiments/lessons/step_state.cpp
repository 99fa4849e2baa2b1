#include "experiments/lessons/step_state.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/model_names.h"
#include "experiments/text/parse_toml.h"
#include "experiments/text/printable.h"
#include "experiments/text/shell_quote.h"

namespace orrery::lessons {
namespace {

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

toml::table parsed(std::string_view text, const Guarded& guarded) {
  try {
    return parse_toml(text);
  } catch (const TomlFault& fault) {
    guarded(static_cast<int>(fault.place().line), [&] {
      throw UsageError("the state", fault.what(),
                       "write lines like dim = 128 below [params], or paste what Ctrl+C copied");
    });
    return {};
  }
}

std::string text_in(const toml::node& node, std::string_view key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  throw UsageError(key, "must be a text in quotes", fmt::format("write {} = \"…\"", key));
}

const toml::table& table_in(const toml::node& node, std::string_view key) {
  if (const toml::table* table = node.as_table()) return *table;
  throw UsageError(key, "must be a section", fmt::format("write [{}] on a line of its own", key));
}

std::string number_or_word(const toml::node& node, std::string_view key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto real = node.value_exact<double>()) return number_text(*real);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  throw UsageError(key, "is neither a text, a number, true nor false", "write one of these");
}

std::vector<std::string> words_in(const toml::node& node, std::string_view key) {
  const toml::array* array = node.as_array();
  if (!array) throw UsageError(key, "must be a list", fmt::format("write {} = [\"…\"]", key));
  std::vector<std::string> words;
  for (const toml::node& item : *array) words.push_back(text_in(item, key));
  return words;
}

std::optional<double> real_in(const toml::node& node) {
  if (const auto whole = node.value_exact<std::int64_t>()) return static_cast<double>(*whole);
  return node.value_exact<double>();
}

Range range_in(const toml::node& node, std::string_view key) {
  const toml::array* array = node.as_array();
  if (array && array->size() == 2) {
    const auto low = real_in(*array->get(0)), high = real_in(*array->get(1));
    if (low && high && *low < *high) return {*low, *high};
  }
  throw UsageError(key, "must be two numbers, the lower one first",
                   fmt::format("write {} = [0, 64]", key));
}

AxisScale scale_in(const toml::node& node, std::string_view key) {
  return value_named(axis_scale_names(), text_in(node, key), "an axis scale");
}

FigureView view_in(const toml::table& table) {
  FigureView view;
  for (const auto& [key_, node] : table) {
    const std::string key(key_.str());
    if (key == "x")
      view.x = range_in(node, key);
    else if (key == "y")
      view.y = range_in(node, key);
    else if (key == "color")
      view.color = range_in(node, key);
    else if (key == "x_scale")
      view.x_scale = scale_in(node, key);
    else if (key == "y_scale")
      view.y_scale = scale_in(node, key);
    else if (key == "hidden")
      for (const std::string& word : words_in(node, key)) view.hidden.insert(word);
    else
      throw_unknown_name(
          key, "a key of a view in a lesson",
          std::vector<std::string>{"x", "y", "color", "x_scale", "y_scale", "hidden"});
  }
  return view;
}

/// Parameters of encodings have a dot in their key, which TOML reads as a section within.
void set_params(ParamSet& params, const toml::table& table, const std::string& before,
                const Guarded& guarded) {
  for (const auto& [key_, node_] : table) {
    const std::string key = before + std::string(key_.str());
    const toml::node& node = node_;
    if (const toml::table* inner = node.as_table()) {
      set_params(params, *inner, key + ".", guarded);
      continue;
    }
    guarded(line_of(node), [&] {
      if (params.spec(key).kind == ParamKind::choice_list && node.is_array())
        params.set_value(key, words_in(node, key));
      else
        params.set(key, number_or_word(node, key));
    });
  }
}

void read_entry(StepState& state, const std::string& key, const toml::node& node,
                const Guarded& guarded) {
  if (key == "figure")
    state.figure = text_in(node, key);
  else if (key == "second_figure")
    state.second_figure = text_in(node, key);
  else if (key == "layout")
    state.layout = text_in(node, key);
  else if (key == "params")
    set_params(state.params, table_in(node, key), "", guarded);
  else if (key == "view")
    for (const auto& [figure, view] : table_in(node, key))
      state.views[std::string(figure.str())] = view_in(table_in(view, figure.str()));
  else if (key != "experiment")
    throw_unknown_name(key, "a key of a state",
                       std::vector<std::string>{"experiment", "figure", "second_figure", "layout",
                                                "params", "view"});
}

void check_layout(const StepState& state) {
  static const std::vector<std::string> layouts{"single", "side_by_side", "small_multiples"};
  for (const std::string& layout : layouts)
    if (state.layout.empty() || state.layout == layout) return;
  throw_unknown_name(state.layout, "a layout", layouts);
}

}  // namespace

StepState read_state(std::string_view text, const Guarded& guarded) {
  StepState state{.text = std::string(text)};
  const toml::table table = parsed(text, guarded);
  if (table.empty() && !text.empty()) return state;
  guarded(1, [&] {
    const toml::node* name = table.get("experiment");
    if (!name)
      throw UsageError("the state", "names no experiment", "begin with experiment = \"…\"");
    state.experiment = &find_experiment(text_in(*name, "experiment"));
    state.params = ParamSet(state.experiment->info.params);
  });
  if (!state.experiment) return state;
  for (const auto& [key, node_] : table) {
    const std::string name(key.str());
    const toml::node& node = node_;
    guarded(line_of(node), [&] { read_entry(state, name, node, guarded); });
  }
  guarded(1, [&] { check_layout(state); });
  guarded(1, [&] { state.params.require_all_set_are_used(); });
  return state;
}

StepState read_state(std::string_view text) {
  return read_state(text, [](int, const std::function<void()>& read) { read(); });
}

ParamSet with_words(const ParamSet& params, const std::vector<std::string>& words) {
  ParamSet changed = params;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw UsageError(in_quotes(word), "is not KEY=VALUE", "write for instance base=500000");
    changed.set(word.substr(0, equals), word.substr(equals + 1));
  }
  return changed;
}

std::string command_of(const StepState& state, const std::string& out) {
  if (!state.experiment) return "";
  std::vector<std::string> words{"orrery", "run", state.experiment->info.name};
  for (const std::string& word : state.params.overrides()) words.push_back(word);
  if (!out.empty()) words.insert(words.end(), {"--out", out});
  return shell_line(words);
}

}  // namespace orrery::lessons
