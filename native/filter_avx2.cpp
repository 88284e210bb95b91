// The filter with AVX2: shuffles of 16-byte tables, as many as a column's table has, joined by blends.
// Everything here is local to the file, for it is compiled for machines that others are not.
#include <immintrin.h>

#include "filter.h"

namespace dimco {

namespace {

using Vector = __m256i;

constexpr int kPanelGroups = 256;  // groups of at most 255 that 16 bits hold
constexpr int kPanelShift = 4;     // brings the sum of 4,096 losses below 2^16

inline Vector load(const uint8_t* from) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(from)); }

// Sums of 32 items in 16 bits: items 0, 2, .. 30 and items 1, 3, .. 31.
struct Sums {
  Vector even = _mm256_setzero_si256();
  Vector odd = _mm256_setzero_si256();

  void add_bytes(Vector bytes) {
    even = _mm256_add_epi16(even, _mm256_and_si256(bytes, _mm256_set1_epi16(255)));
    odd = _mm256_add_epi16(odd, _mm256_srli_epi16(bytes, 8));
  }
  void add_shifted(const Sums& panel) {
    even = _mm256_add_epi16(even, _mm256_srli_epi16(panel.even, kPanelShift));
    odd = _mm256_add_epi16(odd, _mm256_srli_epi16(panel.odd, kPanelShift));
  }
  uint64_t at_most(Vector limit) const {
    const Vector low = _mm256_cmpeq_epi16(_mm256_min_epu16(even, limit), even);
    const Vector high = _mm256_cmpeq_epi16(_mm256_min_epu16(odd, limit), odd);
    const Vector both = _mm256_blendv_epi8(low, high, _mm256_set1_epi16(static_cast<short>(0xff00)));
    return static_cast<uint32_t>(_mm256_movemask_epi8(both));
  }
};

template <int kWidth>
inline Vector look_up(const uint8_t* table, Vector symbols) {
  if constexpr (kWidth == 16) {
    const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), symbols);
  } else {
    constexpr int kHalf = kWidth / 2;
    constexpr int kToTop = kHalf == 16 ? 3 : kHalf == 32 ? 2 : kHalf == 64 ? 1 : 0;
    const Vector inner = kHalf == 128 ? _mm256_and_si256(symbols, _mm256_set1_epi8(127)) : symbols;
    return _mm256_blendv_epi8(look_up<kHalf>(table, inner), look_up<kHalf>(table + kHalf, inner),
                              _mm256_slli_epi16(symbols, kToTop));
  }
}

// The losses that the 64 items of a block have in one column of tables of kWidth bytes.
template <int kWidth>
inline void column_losses(const uint8_t* block, int column, const uint8_t* table, Vector* low, Vector* high) {
  if constexpr (kWidth == 16) {
    const Vector nibble = _mm256_set1_epi8(15), pairs = load(block + column * 32);
    *low = look_up<16>(table, _mm256_and_si256(pairs, nibble));
    *high = look_up<16>(table, _mm256_and_si256(_mm256_srli_epi16(pairs, 4), nibble));
  } else {
    *low = look_up<kWidth>(table, load(block + column * 64));
    *high = look_up<kWidth>(table, load(block + column * 64 + 32));
  }
}

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
