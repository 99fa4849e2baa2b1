#include "experiments/setup/token_positions.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/errors.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"

namespace orrery::setup {
namespace {

constexpr const char* positions_key = "positions";

Position whole_position(double number) {
  if (number == std::trunc(number) && std::abs(number) <= static_cast<double>(max_position))
    return static_cast<Position>(number);
  throw DataError(fmt::format("{} with {}", positions_key, number_text(number)),
                  "must be whole numbers within ±2^53",
                  "multiply them by s, and divide RoPE's by rope.scaling=linear rope.factor=s");
}

}  // namespace

ParamSpec token_positions_param() {
  ParamSpec spec = array_file_param(
      positions_key,
      "Your own positions, [N] whole numbers, of a .npy, .npz or .safetensors file.");
  spec.symbol.clear();
  return spec;
}

Positions token_positions(const ParamSet& params, const Inputs& inputs, std::ptrdiff_t tokens) {
  const Tensor* given = tensor_of(inputs, positions_key);
  if (!given) {
    const bool from_first = params.is_used("first_position");
    return consecutive_positions(tokens, from_first ? params.integer("first_position") : 0);
  }
  if (given->shape.size() != 1)
    throw DataError(shape_text(*given), "must be one number per token, [N]",
                    "positions of several axes are the table axis_rope.positions of attend");
  if (given->values.size() < static_cast<std::size_t>(tokens))
    throw DataError(shape_text(*given), fmt::format("is fewer than the {} tokens", tokens),
                    fmt::format("lower max_tokens to {}", given->values.size()));
  Positions positions(static_cast<std::size_t>(tokens));
  for (std::size_t i = 0; i < positions.size(); ++i)
    positions[i] = whole_position(given->values[i]);
  return positions;
}

Position last_position_of(PositionsIn positions) {
  Position last = positions.front();
  for (const Position position : positions)
    if (position > last) last = position;
  return last;
}

}  // namespace orrery::setup
