#pragma once

#include <utility>

#include "core/kernels/vectors.h"

namespace orrery::kernels {
namespace {

/// Lanes of two vectors for one step of a transposition, which swaps the off-diagonal squares of
/// `step` rows and columns. `upper` of the two results.
template <std::size_t step, bool upper, class V, std::size_t... l>
inline V swapped(V a, V b, std::index_sequence<l...>) {
  constexpr std::size_t n = sizeof...(l);
  if constexpr (upper)
    return __builtin_shufflevector(a, b, (l & step ? n + l : l + step)...);
  else
    return __builtin_shufflevector(a, b, (l & step ? n + l - step : l)...);
}

template <class T, std::size_t step = 1>
inline void transpose_square(Vector<T> (&rows)[lanes<T>]) {
  if constexpr (step < lanes<T>) {
    constexpr auto all = std::make_index_sequence<lanes<T>>();
    for (std::size_t i = 0; i < lanes<T>; ++i) {
      if (i & step) continue;
      const Vector<T> a = rows[i], b = rows[i + step];
      rows[i] = swapped<step, false>(a, b, all);
      rows[i + step] = swapped<step, true>(a, b, all);
    }
    transpose_square<T, 2 * step>(rows);
  }
}

/// b [columns, rows] = aᵀ, a [rows, columns].
template <class T>
void transpose(std::size_t rows, std::size_t columns, const T* a, std::ptrdiff_t a_stride, T* b,
               std::ptrdiff_t b_stride) {
  const auto from = [&](std::size_t i, std::size_t j) {
    return a + static_cast<std::ptrdiff_t>(i) * a_stride + j;
  };
  const auto to = [&](std::size_t i, std::size_t j) {
    return b + static_cast<std::ptrdiff_t>(j) * b_stride + i;
  };
  const std::size_t whole_rows = rows / lanes<T> * lanes<T>;
  const std::size_t whole_columns = columns / lanes<T> * lanes<T>;
  for (std::size_t i = 0; i < whole_rows; i += lanes<T>) {
    for (std::size_t j = 0; j < whole_columns; j += lanes<T>) {
      Vector<T> square[lanes<T>];
      for (std::size_t l = 0; l < lanes<T>; ++l) square[l] = load(from(i + l, j));
      transpose_square<T>(square);
      for (std::size_t l = 0; l < lanes<T>; ++l) store(to(i, j + l), square[l]);
    }
    for (std::size_t j = whole_columns; j < columns; ++j)
      for (std::size_t l = 0; l < lanes<T>; ++l) *to(i + l, j) = *from(i + l, j);
  }
  for (std::size_t i = whole_rows; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) *to(i, j) = *from(i, j);
}

}  // namespace
}  // namespace orrery::kernels
