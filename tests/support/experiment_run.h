#pragma once

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/model/experiment.h"

// Runs an experiment and looks up parts of its result by name; throws for unknown names.
namespace orrery::test {

/// An experiment's parameters with these settings, the others at their defaults.
inline ParamSet params_for(const Experiment& experiment, const Settings& settings) {
  ParamSet params(experiment.info.params);
  for (const auto& [key, value] : settings) params.set(key, value);
  return params;
}

/// The settings with contents that are drawn, where maps show a trained model's by default.
inline Settings with_random_contents(Settings settings) {
  settings.emplace(settings.begin(), "contents", "random");
  return settings;
}

/// Its parameters at their defaults; models are trained in fewer and smaller steps than by default,
/// which would take seconds.
inline ParamSet affordable_params(const Experiment& experiment) {
  if (experiment.info.name != "training") return ParamSet(experiment.info.params);
  return params_for(
      experiment, {{"steps", "3"}, {"batch", "2"}, {"tokens", "12"}, {"dim", "4"}, {"heads", "2"}});
}

inline Result run_experiment(const Experiment& experiment, const Settings& settings,
                             const Inputs& inputs = {}) {
  SilentProgress progress;
  return experiment.run(params_for(experiment, settings), inputs, progress);
}

inline Inputs text_input(const char* utf8) { return {{"text", Text{"test.txt", utf8}}}; }

inline Tensor tensor(std::vector<std::size_t> shape, std::vector<double> values) {
  return {"t.npy", std::move(shape), std::move(values)};
}

inline double scalar(const Result& result, const std::string& name) {
  for (const Scalar& s : result.scalars)
    if (s.name == name) return s.value;
  throw std::runtime_error("no scalar " + name);
}

inline const std::string& description(const Result& result, const std::string& name) {
  for (const Scalar& s : result.scalars)
    if (s.name == name) return s.description;
  throw std::runtime_error("no scalar " + name);
}

inline const Check& check(const Result& result, const std::string& name) {
  for (const Check& c : result.checks)
    if (c.name == name) return c;
  throw std::runtime_error("no check " + name);
}

inline const Table& table(const Result& result, const std::string& name) {
  for (const Table& t : result.tables)
    if (t.name == name) return t;
  throw std::runtime_error("no table " + name);
}

template <class T = double>
const std::vector<T>& column(const Table& table, const std::string& name) {
  for (const Column& c : table.columns)
    if (c.name == name) return std::get<std::vector<T>>(c.values);
  throw std::runtime_error("no column " + name);
}

/// A column of a result's first table, or of the table at this index.
inline const std::vector<double>& column(const Result& result, const std::string& name,
                                         std::size_t table = 0) {
  return column(result.tables.at(table), name);
}

inline const Array& array(const Result& result, const std::string& name) {
  for (const auto& a : result.arrays)
    if (a->name == name) return *a;
  throw std::runtime_error("no array " + name);
}

inline double at(const Array& a, std::size_t row, std::size_t column) {
  return a[row * a.shape.at(1) + column];
}

/// A figure's content of a given kind.
template <class Content>
const Content& content_of(const Result& result, const std::string& id) {
  for (const Figure& f : result.figures)
    if (f.id == id) return std::get<Content>(f.content);
  throw std::runtime_error("no figure " + id);
}

inline void check_all_hold(const Result& result) {
  for (const Check& check : result.checks) {
    INFO(check.name << " " << check.measured << " against " << check.bound);
    CHECK(check.holds());
  }
}

}  // namespace orrery::test
