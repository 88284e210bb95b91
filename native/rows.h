// What a query's table is asked row by row: the finite range of a position's entries, and their losses in whole steps.
// Included by the files that are compiled for one kind of machine each, so that each gets loops of its own width.
#pragma once

#include <cstdint>
#include <limits>

namespace dimco {

struct Range {
  float best, worst;  // worst of the finite ones
};

// A table (count, width) of float32 numbers.
struct Table {
  const float* entries;
  int count, width;
};

struct Rows {
  // The range of every row; false when an entry is NaN or +inf, and they mean nothing.
  bool (*ranges)(const Table& table, Range* ranges);
  // floor((best - entry) * steps_per_loss), at most 255, of every row's entries, each row's `stride` bytes behind the
  // one before (step 2 of docs/search-exactness.md): in float64, or in float32.
  void (*steps)(const Table& table, const Range* ranges, double steps_per_loss, uint8_t* steps, int stride);
  void (*float_steps)(const Table& table, const Range* ranges, float steps_per_loss, uint8_t* steps, int stride);
};

constexpr int kMaxLoss = 255;  // what a byte holds

namespace {

constexpr int kLanes = 16;

inline bool range_of(const float* entries, int count, Range* found) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float best[kLanes], worst[kLanes];
  int unsound[kLanes] = {};
  for (int lane = 0; lane < kLanes; ++lane) best[lane] = -kInfinity, worst[lane] = kInfinity;
  const auto take = [&](int lane, float entry) {
    unsound[lane] |= !(entry < kInfinity);
    best[lane] = entry > best[lane] ? entry : best[lane];
    const float finite = entry > -kInfinity ? entry : kInfinity;
    worst[lane] = finite < worst[lane] ? finite : worst[lane];
  };
  int s = 0;
  for (; s + kLanes <= count; s += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) take(lane, entries[s + lane]);
  }
  for (; s < count; ++s) take(0, entries[s]);
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) {
      best[lane] = best[lane + half] > best[lane] ? best[lane + half] : best[lane];
      worst[lane] = worst[lane + half] < worst[lane] ? worst[lane + half] : worst[lane];
      unsound[lane] |= unsound[lane + half];
    }
  }
  *found = {best[0], worst[0]};
  return !unsound[0];
}

inline bool find_ranges(const Table& table, Range* ranges) {
  bool sound = true;
  for (int row = 0; row < table.count; ++row) {
    sound &= range_of(table.entries + static_cast<int64_t>(row) * table.width, table.width, ranges + row);
  }
  return sound;
}

template <class Number>
inline void count_steps(const Table& table, const Range* ranges, Number steps_per_loss, uint8_t* steps, int stride) {
  const int width = table.width;  // for all the compiler knows, the bytes written could be these
  for (int row = 0; row < table.count; ++row) {
    const float* entries = table.entries + static_cast<int64_t>(row) * width;
    uint8_t* counted = steps + static_cast<int64_t>(row) * stride;
    const Number best = ranges[row].best;
    for (int s = 0; s < width; ++s) {
      const Number all = (best - static_cast<Number>(entries[s])) * steps_per_loss;
      counted[s] = static_cast<uint8_t>(static_cast<int>(all < kMaxLoss ? all : kMaxLoss));
    }
  }
}

constexpr Rows kRows = {find_ranges, count_steps<double>, count_steps<float>};

}  // namespace

}  // namespace dimco
