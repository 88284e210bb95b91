// The score itself: float64 sums in the order of positions, the same on every machine.
#pragma once

#include <cstdint>

#include "layout.h"

namespace dimco {

// Scores of a query's float32 table (d, k). A symbol that is not below k, which sound data
// never holds, counts as -inf and is never looked up.
constexpr int kTogether = 8;  // items summed side by side: enough to hide the latency of an addition

class ExactScorer {
 public:
  ExactScorer(const Layout& layout, const float* table);

  double item(const uint8_t* block, int row) const { return item_(*this, block, row); }
  void block(const uint8_t* block, double scores[kBlock]) const { block_(*this, block, scores); }
  // Of items anywhere: item rows[i] of blocks[i].
  void some(const uint8_t* const blocks[kTogether], const int rows[kTogether], double scores[kTogether]) const {
    some_(*this, blocks, rows, scores);
  }

 private:
  template <int kBits, int kGroup, int kItems, class Symbol>
  void sum(const Symbol& symbol, double* scores) const;
  template <int kBits, int kGroup>
  static double sum_item(const ExactScorer& scorer, const uint8_t* block, int row);
  template <int kBits, int kGroup>
  static void sum_block(const ExactScorer& scorer, const uint8_t* block, double* scores);
  template <int kBits, int kGroup>
  static void sum_some(const ExactScorer& scorer, const uint8_t* const* blocks, const int* rows, double* scores);
  template <int kBits, int kGroup>
  void use();

  const float* table_;
  uint32_t k_;
  int d_;
  double (*item_)(const ExactScorer&, const uint8_t*, int);
  void (*block_)(const ExactScorer&, const uint8_t*, double*);
  void (*some_)(const ExactScorer&, const uint8_t* const*, const int*, double*);
};

}  // namespace dimco
