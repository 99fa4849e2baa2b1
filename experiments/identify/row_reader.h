#pragma once

#include <cstddef>
#include <numbers>
#include <optional>
#include <vector>

#include "experiments/identify/structures.h"

namespace orrery {

/// Below this mean cosine between what pairs turned and what a position turns, it is not that one.
inline constexpr double least_agreement = 0.98;
inline constexpr Position farthest_near = 4096;  // which a row is looked for at first
inline constexpr double most_deviations = 5;     // of a sound angle, in standard errors

/// The angle from −π to π that is the same but for whole turns. [rad]
double wrapped(double angle);

/// Frequencies e^(−(fall + steepness·t)) with what is left open of both.
struct FrequencySeries {
  double fall{0}, steepness{0};
  double fall_variance{0}, covariance{0}, steepness_variance{0};

  /// Of ln of the frequency of pair t.
  double variance(double t) const {
    return fall_variance + 2 * t * covariance + t * t * steepness_variance;
  }
};

/// Frequencies that rows show, with the turns of the pairs in every row.
struct Reader {
  std::vector<double> theta{};  ///< counter-clockwise
  std::vector<double> error{};  ///< of theta
  const PairPhasors* phasors{};
  std::size_t in_series{0};  ///< so many pairs, the fastest, have the frequencies of the series
  FrequencySeries series{};

  /// 1 where the pairs of the row have turned by p·theta whose frequencies are known well enough to
  /// say so; 0 where these are few.
  double agreement(Index row, Position p) const;

  /// What the pairs of a row miss p·theta by, in standard errors.
  struct Miss {
    double sum_of_squares{0}, largest{0};
  };
  Miss miss(Index row, Position p) const;

  /// Whether no pair misses p·theta by more than is left open.
  bool fits(Index row, Position p) const { return miss(row, p).largest <= most_deviations; }

  /// Whether the row may lie at p as well as beside it, where pairs are known well enough to say so.
  bool may_lie_at(Index row, Position p) const;

  /// Whether angles tell p from its neighbours.
  bool tells(Position p) const;

  /// `expected` where the row agrees with it, and better than with its neighbours; else the best
  /// position from `first` to before `last`. Empty where the row agrees with none.
  std::optional<Position> near(Index row, Position expected, Position first, Position last) const;

  /// The position from `first` to before `last` with which the row agrees most.
  Position best_between(Index row, Position first, Position last) const;

  double mean_agreement(const std::vector<Position>& positions) const;
};

/// Rows that follow each other by known steps.
struct RowRun {
  Index first{};
  std::vector<Position> positions{};  ///< from 0 on
};

/// The turns of a run's rows, each turned back by those of its first.
PairPhasors of_run(const PairPhasors& phasors, const RowRun& run);

/// How far pairs turn from one row to the next: the medians, as most rows follow each other.
Reader turns_per_row(const PairPhasors& phasors);

/// Gives the reader the frequencies of a run, and their errors.
void read_run(const PairPhasors& run, const std::vector<Position>& positions, Reader& reader);

/// Frequencies by the run of rows that says most of them, found again with what it says.
Reader reader_of(const StructureFit& fit, RowRun& run);

}  // namespace orrery
