#pragma once

#include <cstddef>

#include "core/kernels/level.h"

namespace orrery::kernels {

/// y = x Wᵀ + b for some outputs of a linear layer. A sum over `inner` is one of sums over blocks of
/// it, each in order, whatever the rows and outputs beside it, so that an entry of y depends on its
/// row of x and its row of W alone.
template <class T>
struct DenseProduct {
  std::size_t rows{};     ///< of x and y
  std::size_t inner{};    ///< columns of x and W
  std::size_t outputs{};  ///< rows of W, columns of y
  const T* x{};           ///< as pack_rows leaves it
  const T* W{};           ///< the first of these rows; of packed weights the first of all
  std::ptrdiff_t W_stride{};
  std::size_t all{},
      first{};   ///< of packed weights: outputs of the layer, and before these; else 0
  const T* b{};  ///< [outputs], or null for none
  T* y{};
  std::ptrdiff_t y_stride{};
  T* room{};  ///< for DenseKernels::room(outputs) numbers, whatever they are
};

/// Of this many outputs all levels have whole panels.
inline constexpr std::size_t packed_outputs = 32;

/// Kernels of linear layers. With fused multiply-adds where the level has them, so that the last
/// bits differ between levels; at one level they do not depend on anything else.
template <class T>
struct DenseKernels {
  /// How many numbers `multiply` holds of so many rows of W.
  std::size_t (*room)(std::size_t outputs);
  std::size_t inner_block;  ///< columns of a block
  /// The numbers of x [rows, inner] in the order in which `multiply` reads them. Blocks of columns
  /// may be packed on their own, one behind the other.
  void (*pack_rows)(std::size_t rows, std::size_t inner, const T* x, std::ptrdiff_t x_stride,
                    T* packed);
  /// The numbers of W [outputs, inner] in the order in which `multiply` reads packed weights.
  /// @param outputs  a multiple of packed_outputs
  void (*pack_weights)(std::size_t outputs, std::size_t inner, const T* W, T* packed);
  void (*multiply)(const DenseProduct<T>& product);
};

/// Those of a level that the CPU has.
template <class T>
const DenseKernels<T>& dense_kernels(Level level = best_level());

}  // namespace orrery::kernels
