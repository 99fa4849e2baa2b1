#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/position.h"
#include "experiments/model/experiment.h"
#include "experiments/model/figure.h"

namespace orrery {

// The axes that several experiments share, made once each, so that what is pointed at in one
// figure can be found in another by its role; and what is laid over them.

Axis query_axis();     ///< "query m": indices of queries
Axis key_axis();       ///< "key n": indices of keys
Axis position_axis();  ///< "position m", in tokens
Axis channel_axis();   ///< "channel c"
/// "relative distance m − n", in tokens.
Axis distance_axis(AxisScale scale = AxisScale::linear);

/// The same axis in tokens, with cells from `first` to `last` instead of indices that count from 0.
Axis spanning(Axis axis, double first, double last);

/// 0, 1, … count − 1.
std::vector<double> count_from_0(std::size_t count);
std::vector<double> as_doubles(const Positions& positions);

/// Lines across a plot. `param` is the key of the parameter whose value the line shows, or empty.
Rule horizontal(double at, std::string label = "", std::string param = "");
Rule vertical(double at, std::string label, std::string param = "");

/// Lays arrows head to tail, from the origin to ends[0], from there to ends[1] and so on, and adds
/// their sum. numbers[i] is the value of arrow i; there are as many numbers as ends.
void lay_head_to_tail(VectorPlot& plot, std::span<const std::complex<double>> ends,
                      std::span<const double> numbers);

struct PositionPlan;
struct Welch;

// What the experiments that ask a model draw alike.

/// "base:500@3" as "base 500 in layer 3", marked.
std::string words_of_edit(const std::string& edit);
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
