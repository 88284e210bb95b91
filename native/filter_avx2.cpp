// The filter with AVX2: shuffles of 16-byte tables, as many as a column's table has, joined by blends.
// Everything here is local to the file, for it is compiled for machines that others are not.
#include "avx2.h"
#include "filter.h"

namespace dimco {

namespace {

constexpr int kPanelGroups = 256;  // groups of at most 255 that 16 bits hold

template <int kWidth>
inline void add(const FilterTask& task, const uint8_t* block, int begin, int end, Sums* sums) {
  for (int column = begin; column < end;) {
    const int stop = end - column < task.group ? end : column + task.group;
    Vector low_group = _mm256_setzero_si256(), high_group = low_group;
    for (; column < stop; ++column) {
      Vector low, high;
      column_losses<kWidth>(block, column, task.losses + column * kWidth, &low, &high);
      low_group = _mm256_adds_epu8(low_group, low);
      high_group = _mm256_adds_epu8(high_group, high);
    }
    sums[0].add_bytes(low_group);
    sums[1].add_bytes(high_group);
  }
}

template <int kWidth>
inline uint64_t look(const FilterTask& task, const uint8_t* block, uint32_t limit) {
  const int panel = kPanelGroups * task.group;
  Sums sums[2];
  if (task.columns <= panel) {
    add<kWidth>(task, block, 0, task.columns, sums);
  } else {
    limit >>= kPanelShift;
    for (int begin = 0; begin < task.columns; begin += panel) {
      Sums part[2];
      add<kWidth>(task, block, begin, task.columns - begin < panel ? task.columns : begin + panel, part);
      sums[0].add_shifted(part[0]);
      sums[1].add_shifted(part[1]);
    }
  }
  const Vector most = _mm256_set1_epi16(static_cast<short>(limit < 65535 ? limit : 65535));
  return sums[0].at_most(most) | sums[1].at_most(most) << 32;
}

template <int kWidth>
int64_t run(const FilterTask& task, int64_t begin, int64_t end, uint32_t limit, uint64_t* items) {
  for (int64_t place = begin; place < end; ++place) {
    items[0] = look<kWidth>(task, task.blocks + place * task.block_bytes, limit);
    if (items[0]) return place;
  }
  return end;
}

constexpr Filter kNibbles = {run<16>, 16, 1, 1, kRows}, kBytes32 = {run<32>, 32, 1, 1, kRows}, kBytes64 = {run<64>, 64, 1, 1, kRows},
                 kBytes128 = {run<128>, 128, 1, 1, kRows}, kBytes256 = {run<256>, 256, 1, 1, kRows};

}  // namespace

const Filter* avx2_filter(const Layout& layout) {
  if (layout.bits == 4) return &kNibbles;
  if (layout.k <= 64) return layout.k <= 32 ? &kBytes32 : &kBytes64;
  return layout.k <= 128 ? &kBytes128 : &kBytes256;
}

}  // namespace dimco
