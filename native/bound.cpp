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

// Losses are counted in float32 when they stay below 2^127, in steps between these.
constexpr double kFloatMost = 0x1p126, kFloatLeastStep = 0x1p-100, kFloatMostStep = 0x1p100;
constexpr double kFloatMargin = 0x1p-20;  // more than the errors of four operations in float32

}  // namespace

Bound::Bound(const Layout& layout, const float* table, const Filter& filter)
    : layout_(layout), table_(table), filter_(&filter), ranges_(layout.d) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  sound_ = filter.rows.ranges({table, layout.d, layout.k}, ranges_.data());
  double ranges = 0, squares = 0;
  for (const auto [best, worst] : ranges_) {
    exists_ = exists_ && best > -kInfinity;
    best_sum_ += best;
    const double up = std::fabs(static_cast<double>(best)), down = std::fabs(static_cast<double>(worst));
    magnitude_ += up > down ? up : down;
    const double range = static_cast<double>(best) - worst;
    ranges += range;
    squares += range * range;
  }
  slack_ = 4 * (2 * layout.d * kUnit) * magnitude_;
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
    sum += static_cast<double>(ranges_[i].best) - table_[static_cast<int64_t>(i) * layout_.k + symbol];
  }
  return sum;
}

void Bound::quantize(double step, uint8_t* losses) const {
  const int stride = filter_->copies * filter_->width, symbols = layout_.group == 1 ? layout_.k : 16;
  if (layout_.group == 1) quantize_alone(step, losses, stride);
  else quantize_joint(step, losses, stride);
  if (stride == symbols) return;
  for (int column = 0; column < layout_.columns; ++column, losses += stride) {
    std::memset(losses + symbols, kMaxLoss, filter_->width - symbols);
    for (uint8_t* copy = losses + filter_->width; copy < losses + stride; copy += filter_->width) {
      std::memcpy(copy, losses, filter_->width);
    }
  }
}

// Columns of one position each: in float32 where nothing can leave its range, and it is precise enough.
void Bound::quantize_alone(double step, uint8_t* losses, int stride) const {
  const Table table = {table_, layout_.d, layout_.k};
  if (magnitude_ < kFloatMost && step > kFloatLeastStep && step < kFloatMostStep) {
    const auto steps_per_loss = static_cast<float>((1 - kFloatMargin) / step);
    filter_->rows.float_steps(table, ranges_.data(), steps_per_loss, losses, stride);
  } else {
    filter_->rows.steps(table, ranges_.data(), (1 - kMargin) / step, losses, stride);
  }
}

void Bound::quantize_joint(double step, uint8_t* losses, int stride) const {
  const double steps_per_loss = (1 - kMargin) / step;
  for (int column = 0; column < layout_.columns; ++column, losses += stride) {
    for (int joint = 0; joint < 16; ++joint) {
      const double steps = loss(column, joint) * steps_per_loss;
      losses[joint] = static_cast<uint8_t>(steps < kMaxLoss ? static_cast<int>(steps) : kMaxLoss);
    }
  }
}

uint32_t Bound::limit(double budget, double step) {
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  const double steps = budget / step * (1 + kMargin);
  return steps < kMost ? static_cast<uint32_t>(steps) : kMost;
}

}  // namespace dimco
