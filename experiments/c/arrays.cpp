#include "experiments/c/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/errors.h"
#include "core/precision.h"
#include "core/unknown_name.h"
#include "experiments/data/load_inputs.h"

namespace orrery {
namespace {

struct NamedType {
  orrery_type type;
  NumberType number;
};

const NumberType& number_type(const orrery_array& array, std::string_view name) {
  static const std::array<NamedType, 13> types{{
      {ORRERY_F64, {.kind = NumberKind::real, .bytes = 8, .name = "f64"}},
      {ORRERY_F32, {.kind = NumberKind::real, .bytes = 4, .name = "f32"}},
      {ORRERY_F16, {.kind = NumberKind::real, .bytes = 2, .name = "f16"}},
      {ORRERY_BF16, {.kind = NumberKind::brain_float, .bytes = 2, .name = "bf16"}},
      {ORRERY_I64, {.kind = NumberKind::signed_integer, .bytes = 8, .name = "i64"}},
      {ORRERY_I32, {.kind = NumberKind::signed_integer, .bytes = 4, .name = "i32"}},
      {ORRERY_I16, {.kind = NumberKind::signed_integer, .bytes = 2, .name = "i16"}},
      {ORRERY_I8, {.kind = NumberKind::signed_integer, .bytes = 1, .name = "i8"}},
      {ORRERY_U64, {.kind = NumberKind::unsigned_integer, .bytes = 8, .name = "u64"}},
      {ORRERY_U32, {.kind = NumberKind::unsigned_integer, .bytes = 4, .name = "u32"}},
      {ORRERY_U16, {.kind = NumberKind::unsigned_integer, .bytes = 2, .name = "u16"}},
      {ORRERY_U8, {.kind = NumberKind::unsigned_integer, .bytes = 1, .name = "u8"}},
      {ORRERY_BOOL, {.kind = NumberKind::boolean, .bytes = 1, .name = "bool"}},
  }};
  const auto found = std::ranges::find_if(types, [&](const NamedType& named) {
    return static_cast<std::int32_t>(named.type) == array.type;
  });
  if (found != types.end()) return found->number;
  throw UsageError(fmt::format("{} of type {}", name, array.type), "has no type of orrery_type",
                   "set type to ORRERY_F32, say");
}

void require_filled_in(const orrery_array& array, std::string_view name) {
  if (array.struct_size < sizeof(orrery_array))
    throw UsageError(fmt::format("{} with struct_size {}", name, array.struct_size),
                     fmt::format("must be at least {}", sizeof(orrery_array)),
                     "set it to sizeof(orrery_array)");
  if (array.rank < 1 || array.rank > ORRERY_MAX_RANK)
    throw DataError(fmt::format("{} of rank {}", name, array.rank), "must have 1 to 4 dimensions",
                    "reshape it");
  if (array.data == nullptr)
    throw UsageError(name, "has no data", "point data to its first element");
}

ArrayLayout layout_of(const orrery_array& array, std::string_view name) {
  require_filled_in(array, name);
  ArrayLayout layout{.type = number_type(array, name)};
  std::vector<std::uint64_t> shape;
  for (int axis = 0; axis < array.rank; ++axis) {
    if (array.shape[axis] < 0)
      throw DataError(fmt::format("{} with dimension {}", name, array.shape[axis]),
                      "must not be negative", "give the number of elements");
    shape.push_back(static_cast<std::uint64_t>(array.shape[axis]));
  }
  layout.shape.assign(shape.begin(), shape.end());
  layout.elements = checked_elements(shape, name);
  return layout;
}

/// Calls use(address of a row, its number) for every row along the last axis.
template <class Use>
void for_each_row(const orrery_array& array, Use&& use) {
  std::array<std::int64_t, ORRERY_MAX_RANK> index{};
  const int outer = array.rank - 1;
  std::size_t rows = 1;
  for (int axis = 0; axis < outer; ++axis) rows *= static_cast<std::size_t>(array.shape[axis]);
  for (std::size_t row = 0; row < rows; ++row) {
    std::int64_t offset = 0;
    for (int axis = 0; axis < outer; ++axis)
      offset += index[static_cast<std::size_t>(axis)] * array.strides[axis];
    use(static_cast<char*>(array.data) + offset, row);
    for (int axis = outer - 1; axis >= 0; --axis) {
      if (++index[static_cast<std::size_t>(axis)] < array.shape[axis]) break;
      index[static_cast<std::size_t>(axis)] = 0;
    }
  }
}

/// The elements one after another, the last index fastest.
std::string packed(const orrery_array& array, const ArrayLayout& layout) {
  const std::size_t size = layout.type.bytes;
  const auto columns = static_cast<std::size_t>(array.shape[array.rank - 1]);
  const std::int64_t step = array.strides[array.rank - 1];
  std::string bytes(layout.elements * size, '\0');
  for_each_row(array, [&](const char* from, std::size_t row) {
    char* to = bytes.data() + row * columns * size;
    if (step == static_cast<std::int64_t>(size)) {
      std::memcpy(to, from, columns * size);
      return;
    }
    for (std::size_t i = 0; i < columns; ++i)
      std::memcpy(to + i * size, from + static_cast<std::int64_t>(i) * step, size);
  });
  return bytes;
}

/// The bits of a number of the format.
std::uint16_t half_bits(double value) {
  const double number = round_to(Precision::fp16, value);
  const auto sign = static_cast<std::uint16_t>(std::signbit(number) ? 0x8000 : 0);
  if (std::isnan(number)) return static_cast<std::uint16_t>(sign | 0x7E00);
  if (std::isinf(number)) return static_cast<std::uint16_t>(sign | 0x7C00);
  const double size = std::abs(number);
  if (size < 0x1p-14) return static_cast<std::uint16_t>(sign | static_cast<int>(size * 0x1p24));
  const int exponent = std::ilogb(size);
  const int fraction = static_cast<int>(std::ldexp(size, 10 - exponent)) - 0x400;
  return static_cast<std::uint16_t>(sign | (exponent + 15) << 10 | fraction);
}

std::uint16_t brain_bits(double value) {
  const auto number = static_cast<float>(round_to(Precision::bf16, value));
  if (std::isnan(number)) return 0x7FC0;
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16);
}

template <class Stored, class Convert>
void store(const orrery_array& out, const Array& values, Convert convert) {
  const auto columns = static_cast<std::size_t>(out.shape[out.rank - 1]);
  const std::int64_t step = out.strides[out.rank - 1];
  for_each_row(out, [&](char* to, std::size_t row) {
    for (std::size_t i = 0; i < columns; ++i) {
      const Stored stored = convert(values[row * columns + i]);
      std::memcpy(to + static_cast<std::int64_t>(i) * step, &stored, sizeof(Stored));
    }
  });
}

}  // namespace

Tensor tensor_of(const orrery_array& array, std::string_view name, Values allowed) {
  const ArrayLayout layout = layout_of(array, name);
  return {.name = std::string(name),
          .shape = layout.shape,
          .values = decode_array(packed(array, layout), layout, name, allowed)};
}

Positions positions_of(const orrery_array& array, std::string_view name) {
  const ArrayLayout layout = layout_of(array, name);
  if (layout.shape.size() != 1)
    throw DataError(fmt::format("{} of rank {}", name, layout.shape.size()),
                    "positions are [N], one for each row", "give a list of them");
  if (layout.type.kind != NumberKind::signed_integer &&
      layout.type.kind != NumberKind::unsigned_integer)
    throw DataError(fmt::format("{} of type {}", name, layout.type.name),
                    "positions are whole numbers", "give them as int64");
  const std::vector<double> values = decode_array(packed(array, layout), layout, name);
  return {values.begin(), values.end()};
}

/// Elements of an array that is written to lie apart: each axis steps over all that the axes of smaller steps hold.
void require_apart(const orrery_array& out, const ArrayLayout& layout) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // step and count
  for (int axis = 0; axis < out.rank; ++axis)
    if (out.shape[axis] > 1) axes.emplace_back(std::abs(out.strides[axis]), out.shape[axis]);
  std::ranges::sort(axes);
  auto held = static_cast<std::int64_t>(layout.type.bytes);
  for (const auto& [step, count] : axes) {
    if (step < held)
      throw UsageError(fmt::format("out with a stride of {} bytes", step),
                       fmt::format("its elements overlap: {} bytes lie within it", held),
                       "give memory of its own to every element");
    held = step * count;
  }
}

void write_to(const orrery_array& out, const Array& values) {
  const ArrayLayout layout = layout_of(out, "out");
  require_apart(out, layout);
  if (layout.shape != values.shape)
    throw UsageError(fmt::format("out of shape [{}]", fmt::join(layout.shape, ", ")),
                     fmt::format("the result has [{}]", fmt::join(values.shape, ", ")),
                     "give an array of that shape");
  switch (out.type) {
    case ORRERY_F64:
      return store<double>(out, values, [](double value) { return value; });
    case ORRERY_F32:
      return store<float>(out, values, [](double value) { return static_cast<float>(value); });
    case ORRERY_F16:
      return store<std::uint16_t>(out, values, half_bits);
    case ORRERY_BF16:
      return store<std::uint16_t>(out, values, brain_bits);
    default:
      throw UsageError(fmt::format("out of type {}", layout.type.name),
                       "the result is of floating point numbers", "give f64, f32, f16 or bf16");
  }
}

orrery_array view_of(const Array& array) {
  check_invariant(array.shape.size() <= ORRERY_MAX_RANK, "arrays of results have 4 axes at most");
  const std::string_view bytes = array_bytes(array);
  orrery_array view{};
  view.struct_size = sizeof(orrery_array);
  view.name = array.name.c_str();
  // Results are read alone, which C cannot say of one member.
  view.data = const_cast<char*>(bytes.data());
  view.type = is_single(array) ? ORRERY_F32 : ORRERY_F64;
  view.rank = static_cast<std::int32_t>(array.shape.size());
  auto stride = static_cast<std::int64_t>(is_single(array) ? sizeof(float) : sizeof(double));
  for (std::size_t axis = array.shape.size(); axis-- > 0;) {
    view.shape[axis] = static_cast<std::int64_t>(array.shape[axis]);
    view.strides[axis] = stride;
    stride *= view.shape[axis];
  }
  return view;
}

Given::Given(const orrery_array* arrays, std::size_t count) {
  if (count > 0 && arrays == nullptr)
    throw UsageError(fmt::format("{} arrays at NULL", count), "there must be some",
                     "pass the first of them, or a count of 0");
  for (std::size_t i = 0; i < count; ++i) {
    // A later version may have longer structs.
    const auto* bytes = reinterpret_cast<const char*>(arrays) + i * arrays->struct_size;
    const auto* array = reinterpret_cast<const orrery_array*>(bytes);
    if (array->name == nullptr || *array->name == '\0')
      throw UsageError(fmt::format("array {}", i), "has no name", "set name to \"q\", say");
    require_filled_in(*array, array->name);
    const std::string name = array->name;
    if (std::ranges::any_of(arrays_, [&](const One& one) { return one.name == name; }))
      throw UsageError(name, "is given twice", "give each array once");
    arrays_.push_back({name, array});
  }
}

const orrery_array* Given::take(std::string_view name) {
  const auto found = std::ranges::find(arrays_, name, &One::name);
  if (found == arrays_.end()) return nullptr;
  const orrery_array* array = found->array;
  arrays_.erase(found);
  return array;
}

std::optional<Tensor> Given::take_tensor(std::string_view name, Values allowed) {
  const orrery_array* array = take(name);
  if (array == nullptr) return std::nullopt;
  return tensor_of(*array, name, allowed);
}

void Given::announce(ParamSet& params) const {
  for (const One& one : arrays_)
    if (params.has(one.name) && params.spec(one.name).kind == ParamKind::file)
      params.set(one.name, name_of_given);
}

Inputs Given::take_inputs(const ParamSet& params) {
  ParamSet files = params;
  Inputs taken;
  for (const ParamSpec& spec : params.specs()) {
    if (spec.kind != ParamKind::file) continue;
    auto tensor = take_tensor(spec.key, values_of(spec));
    if (!tensor) continue;
    if (std::ranges::find(spec.file_types, "npy") == spec.file_types.end())
      throw UsageError(fmt::format("{} as an array", spec.key), "is a file, and no array",
                       "give its path");
    if (params.text(spec.key) != name_of_given)
      throw UsageError(fmt::format("{}={} beside an array", spec.key, params.text(spec.key)),
                       "gives it twice", "leave one of them out");
    taken.emplace(spec.key, input_of(spec, std::move(*tensor)));
    files.reset(spec.key);
  }
  Inputs inputs = load_inputs(files).inputs;
  for (const ParamSpec& spec : params.specs())
    if (spec.kind == ParamKind::file && params.is_used(spec.key) && !files.is_used(spec.key) &&
        taken.count(spec.key) == 0 && !params.text(spec.key).empty())
      throw UsageError(fmt::format("{}={}", spec.key, params.text(spec.key)),
                       "is read beside an array, which must be one as well", "give it as an array");
  for (auto& [key, input] : taken) inputs.insert_or_assign(key, std::move(input));
  return inputs;
}

std::vector<std::string> Given::names() const {
  std::vector<std::string> names;
  for (const One& one : arrays_) names.push_back(one.name);
  return names;
}

void Given::require_all_taken(const ParamSet& params) const {
  std::vector<std::string> keys;
  for (const ParamSpec& spec : params.specs())
    if (spec.kind == ParamKind::file) keys.push_back(spec.key);
  require_all_taken(keys);
}

void Given::require_all_taken(const std::vector<std::string>& known) const {
  if (!arrays_.empty())
    throw_unknown_name(arrays_.front().name, "an array that is read here", known);
}

}  // namespace orrery
