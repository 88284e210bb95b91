// The rows of a table, as rows.h says, 16 entries at once.
#pragma once

#include <immintrin.h>

#include "rows.h"

namespace dimco {

namespace {

// Entries s .. s + 15 of a row, `instead` where there are none.
inline __m512 entries_at(const float* row, int s, int width, __m512 instead, __mmask16* real) {
  *real = width - s >= 16 ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1u << (width - s)) - 1);
  return _mm512_mask_loadu_ps(instead, *real, row + s);
}

inline bool find_ranges_16(const Table& table, Range* ranges) {
  const __m512 infinity = _mm512_set1_ps(std::numeric_limits<float>::infinity());
  const __m512 least = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  __mmask16 unsound = 0, real;
  const float* row = table.entries;
  for (int i = 0; i < table.count; ++i, row += table.width) {
    __m512 best = least, worst = infinity;
    for (int s = 0; s < table.width; s += 16) {
      const __m512 entries = entries_at(row, s, table.width, least, &real);
      unsound |= _mm512_cmp_ps_mask(entries, infinity, _CMP_NLT_UQ);
      best = _mm512_max_ps(best, entries);
      worst = _mm512_mask_min_ps(worst, _mm512_cmp_ps_mask(entries, least, _CMP_NEQ_UQ), worst, entries);
    }
    ranges[i] = {_mm512_reduce_max_ps(best), _mm512_reduce_min_ps(worst)};
  }
  return unsound == 0;
}

inline void count_float_steps_16(const Table& table, const Range* ranges, float steps_per_loss, uint8_t* steps,
                                 int stride) {
  const __m512 per_loss = _mm512_set1_ps(steps_per_loss), most = _mm512_set1_ps(kMaxLoss);
  const float* row = table.entries;
  __mmask16 real;
  for (int i = 0; i < table.count; ++i, row += table.width, steps += stride) {
    const __m512 best = _mm512_set1_ps(ranges[i].best);
    for (int s = 0; s < table.width; s += 16) {
      const __m512 entries = entries_at(row, s, table.width, best, &real);
      const __m512 all = _mm512_min_ps(_mm512_mul_ps(_mm512_sub_ps(best, entries), per_loss), most);
      _mm512_mask_cvtepi32_storeu_epi8(steps + s, real, _mm512_cvttps_epi32(all));
    }
  }
}

constexpr Rows kRows16 = {find_ranges_16, count_steps<double>, count_float_steps_16};

}  // namespace

}  // namespace dimco
