#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiments/model/experiment.h"

namespace orrery {

struct PositionPlan;
struct Welch;

// What the experiments that ask a model draw alike.

/// "Llama · WHAT · every setting".
std::string caption_of_model(const ParamSet& params, const std::string& family,
                             const std::string& what);
/// ", base:500, sign" behind a title; empty without edits.
std::string under(const std::vector<std::string>& edits);

Axis layer_axis();
Axis head_axis();
Axis token_axis();

std::shared_ptr<Array> array_of(std::string name, std::string description,
                                std::vector<std::size_t> shape, std::vector<std::string> axes,
                                std::vector<double> values);
/// Adds a figure of a map, and its numbers as an array.
void add_map_figure(Figure figure, Result& result);

/// No token is more than certain.
Check check_of_losses(const std::vector<double>& losses);

/// Adds the longest sequences that the model's file names, if it does, and says in every title where
/// more tokens were read.
void tell_longest(const PositionPlan& plan, std::int64_t read, Result& result);

/// Adds KEY_low, KEY_high and KEY_p of a mean in nats: its 95 % interval, and what p is of. Nothing
/// where there is no spread, as of one sequence.
void add_spread(const std::string& key, const Welch& of, const char* p_of, Result& result);

}  // namespace orrery
