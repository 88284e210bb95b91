#include "exact.h"

#include <cfloat>
#include <limits>

static_assert(FLT_EVAL_METHOD == 0 && std::numeric_limits<double>::is_iec559, "scores are defined in plain float64");

namespace dimco {

namespace {

inline double entry(const float* position, uint32_t k, uint32_t symbol) {
  return symbol < k ? position[symbol] : -std::numeric_limits<double>::infinity();
}

}  // namespace

// Items of joint symbols symbol(item, column): each is summed from position 0 to d - 1.
template <int kBits, int kGroup, int kItems, class Symbol>
inline void ExactScorer::sum(const Symbol& symbol, double* scores) const {
  constexpr int kSymbolBits = kBits / kGroup;
  double sums[kItems] = {};
  const float* position = table_;
  for (int place = 0, column = 0; place < d_; ++column) {
    uint32_t joint[kItems];
    for (int i = 0; i < kItems; ++i) joint[i] = symbol(i, column);
    for (int member = 0; member < kGroup && place < d_; ++member, ++place, position += k_) {
      for (int i = 0; i < kItems; ++i) {
        const uint32_t own = kGroup == 1 ? joint[i] : joint[i] >> (member * kSymbolBits) & ((1u << kSymbolBits) - 1);
        sums[i] += entry(position, k_, own);
      }
    }
  }
  for (int i = 0; i < kItems; ++i) scores[i] = sums[i];
}

template <int kBits, int kGroup>
double ExactScorer::sum_item(const ExactScorer& scorer, const uint8_t* block, int row) {
  double score;
  const ItemColumns<kBits> columns(block, row);
  scorer.sum<kBits, kGroup, 1>([&](int, int column) { return columns[column]; }, &score);
  return score;
}

template <int kBits, int kGroup>
void ExactScorer::sum_block(const ExactScorer& scorer, const uint8_t* block, double* scores) {
  for (int row = 0; row < kBlock; row += kTogether) {
    const auto symbol = [=](int i, int column) { return column_symbol<kBits>(block, column, row + i); };
    scorer.sum<kBits, kGroup, kTogether>(symbol, scores + row);
  }
}

template <int kBits, int kGroup>
void ExactScorer::sum_some(const ExactScorer& scorer, const uint8_t* const* blocks, const int* rows, double* scores) {
  ItemColumns<kBits> items[kTogether];
  for (int i = 0; i < kTogether; ++i) items[i] = {blocks[i], rows[i]};
  scorer.sum<kBits, kGroup, kTogether>([&](int i, int column) { return items[i][column]; }, scores);
}

template <int kBits, int kGroup>
void ExactScorer::use() {
  item_ = sum_item<kBits, kGroup>;
  block_ = sum_block<kBits, kGroup>;
  some_ = sum_some<kBits, kGroup>;
}

ExactScorer::ExactScorer(const Layout& layout, const float* table)
    : table_(table), k_(static_cast<uint32_t>(layout.k)), d_(layout.d) {
  if (layout.group == 4) use<4, 4>();
  else if (layout.group == 2) use<4, 2>();
  else if (layout.bits == 4) use<4, 1>();
  else if (layout.bits == 8) use<8, 1>();
  else use<16, 1>();
}

}  // namespace dimco
