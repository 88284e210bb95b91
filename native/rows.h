// What a query's table is asked row by row: the finite range of a position's entries, and their losses in whole steps.
// Included by the files that are compiled for one kind of machine each, so that each gets loops of its own width.
#pragma once

#include <cstdint>
#include <limits>

namespace dimco {

struct Range {
  float best, worst;  // worst of the finite ones
};

struct Rows {
  Range (*range)(const float* entries, int count);
  // floor((best - entry) * steps_per_loss), at most 255 (step 2 of docs/search-exactness.md).
  void (*steps)(const float* entries, int count, float best, double steps_per_loss, uint8_t* steps);
};

constexpr int kMaxLoss = 255;  // what a byte holds

namespace {

constexpr int kLanes = 16;

inline Range range_of(const float* entries, int count) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float best[kLanes], worst[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) best[lane] = -kInfinity, worst[lane] = kInfinity;
  const auto take = [&](int lane, float entry) {
    best[lane] = entry > best[lane] ? entry : best[lane];
    const float finite = entry > -kInfinity ? entry : kInfinity;
    worst[lane] = finite < worst[lane] ? finite : worst[lane];
  };
  int s = 0;
  for (; s + kLanes <= count; s += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) take(lane, entries[s + lane]);
  }
  for (; s < count; ++s) take(0, entries[s]);
  Range found = {best[0], worst[0]};
  for (int lane = 1; lane < kLanes; ++lane) {
    found.best = best[lane] > found.best ? best[lane] : found.best;
    found.worst = worst[lane] < found.worst ? worst[lane] : found.worst;
  }
  return found;
}

inline void count_steps(const float* entries, int count, float best, double steps_per_loss, uint8_t* steps) {
  for (int s = 0; s < count; ++s) {
    const double all = (static_cast<double>(best) - entries[s]) * steps_per_loss;
    steps[s] = static_cast<uint8_t>(static_cast<int>(all < kMaxLoss ? all : kMaxLoss));
  }
}

constexpr Rows kRows = {range_of, count_steps};

}  // namespace

}  // namespace dimco
