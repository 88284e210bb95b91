// The bound of docs/search-exactness.md: which items certainly score below the n-th best.
#pragma once

#include <cstdint>
#include <vector>

#include "filter.h"
#include "layout.h"

namespace dimco {

class Bound {
 public:
  Bound(const Layout& layout, const float* table, const Filter& filter);

  // False when an entry is NaN or +inf, with which nobody may search.
  bool sound() const { return sound_; }

  // False when some position has no finite entry: then every score is -inf, and nothing can be told apart.
  bool exists() const { return exists_; }

  // No item that scores `entry_score` or more loses more than this (step 4).
  double budget(double entry_score) const;

  // The size of the steps in which losses are counted, given the budget and the columns that share a byte: so large
  // that a byte rarely overflows below the budget. Any positive size is correct.
  double choose_step(double budget, int group) const;

  // Every column's losses in whole steps, rounded down, at most 255 (step 2).
  void quantize(double step, uint8_t* losses) const;

  // The most steps that an item within the budget can have lost (step 5).
  static uint32_t limit(double budget, double step);

 private:
  double loss(int column, uint32_t joint) const;
  void quantize_alone(double step, uint8_t* losses, int stride) const;
  void quantize_joint(double step, uint8_t* losses, int stride) const;

  Layout layout_;
  const float* table_;
  const Filter* filter_;
  std::vector<Range> ranges_;  // of every position
  bool sound_;
  bool exists_ = true;
  double best_sum_ = 0;      // what an item would score that is best at every position
  double magnitude_ = 0;     // of the largest finite entries of the positions, added
  double slack_ = 0;         // for the rounding of sums
  double mean_range_ = 0;    // of a position's finite entries
  double range_deviation_ = 0;
};

}  // namespace dimco
