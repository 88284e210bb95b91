#include "bound.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace dimco {

namespace {

constexpr double kUnit = 0x1p-53;     // the relative error of one operation in float64
constexpr double kMargin = 0x1p-40;   // far more than the errors of the dozen operations it covers
constexpr double kStepsOfBudget = 254;

}  // namespace

Bound::Bound(const Layout& layout, const float* table, const Filter& filter)
    : layout_(layout), table_(table), filter_(&filter), best_(layout.d) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  double magnitude = 0, ranges = 0, squares = 0;
  for (int i = 0; i < layout.d; ++i) {
    const auto [best, worst] = filter.rows.range(table + static_cast<int64_t>(i) * layout.k, layout.k);
    exists_ = exists_ && best > -kInfinity;
    best_[i] = best;
    best_sum_ += best;
    magnitude += std::max(std::fabs(static_cast<double>(best)), std::fabs(static_cast<double>(worst)));
    const double range = static_cast<double>(best) - worst;
    ranges += range;
    squares += range * range;
  }
  slack_ = 4 * (2 * layout.d * kUnit) * magnitude;
  mean_range_ = ranges / layout.d;
  range_deviation_ = std::sqrt(std::max(0.0, squares / layout.d - mean_range_ * mean_range_));
}

double Bound::budget(double entry_score) const { return (best_sum_ - entry_score) + slack_; }

double Bound::choose_step(double budget, int group) const {
  const double positions = group * layout_.group;
  const double reach = positions * mean_range_ + 2 * std::sqrt(positions) * range_deviation_;
  const double step = std::min(reach / kMaxLoss, budget / kStepsOfBudget);
  return step > 0 ? step : 1;
}

double Bound::loss(int column, uint32_t joint) const {
  const int symbol_bits = layout_.group == 1 ? 16 : 4 / layout_.group;
  const uint32_t mask = (1u << symbol_bits) - 1;
  double sum = 0;
  for (int member = 0; member < layout_.group; ++member) {
    const int i = column * layout_.group + member;
    const uint32_t symbol = joint >> (member * symbol_bits) & mask;
    if (i >= layout_.d) break;
    if (symbol >= static_cast<uint32_t>(layout_.k)) return std::numeric_limits<double>::infinity();
    sum += static_cast<double>(best_[i]) - table_[static_cast<int64_t>(i) * layout_.k + symbol];
  }
  return sum;
}

void Bound::quantize(double step, uint8_t* losses) const {
  const double steps_per_loss = (1 - kMargin) / step;
  const int symbols = layout_.group == 1 ? layout_.k : 16;
  for (int column = 0; column < layout_.columns; ++column) {
    uint8_t* first = losses;
    if (layout_.group == 1) {
      const float* entries = table_ + static_cast<int64_t>(column) * layout_.k;
      filter_->rows.steps(entries, symbols, best_[column], steps_per_loss, first);
    } else {
      for (int joint = 0; joint < symbols; ++joint) {
        const double steps = loss(column, joint) * steps_per_loss;
        first[joint] = static_cast<uint8_t>(steps < kMaxLoss ? static_cast<int>(steps) : kMaxLoss);
      }
    }
    std::memset(first + symbols, kMaxLoss, filter_->width - symbols);
    for (int copy = 1; copy < filter_->copies; ++copy) std::memcpy(first + copy * filter_->width, first, filter_->width);
    losses += filter_->copies * filter_->width;
  }
}

uint32_t Bound::limit(double budget, double step) {
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  const double steps = budget / step * (1 + kMargin);
  return steps < kMost ? static_cast<uint32_t>(steps) : kMost;
}

}  // namespace dimco
