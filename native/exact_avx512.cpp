// Exact scores, as exact.h says, of 16 items side by side where a position's entries fit four registers.
#include <immintrin.h>

#include <cstring>
#include <limits>

#include "adder.h"

namespace dimco {

namespace {

constexpr int kItems = kScoredTogether;

// The items' symbols, position after position; 0 for the items that are not.
inline void collect(const uint8_t* const* items, int count, int d, uint8_t* symbols) {
  std::memset(symbols, 0, d * kItems);
  for (int i = 0; i < count; ++i) {
    const uint8_t* item = items[i];
    int position = 0;
    for (; position + 4 <= d; position += 4) {  // the loads of some before their stores
      uint8_t some[4];
      for (int ahead = 0; ahead < 4; ++ahead) some[ahead] = item[(position + ahead) * 64];
      for (int ahead = 0; ahead < 4; ++ahead) symbols[(position + ahead) * kItems + i] = some[ahead];
    }
    for (; position < d; ++position) symbols[position * kItems + i] = item[position * 64];
  }
}

}  // namespace

void score_64(const float* table, int k, int d, const uint8_t* const* items, int count, double* scores) {
  alignas(64) uint8_t symbols[kMostColumnsAdded * kItems];
  collect(items, count, d, symbols);
  __mmask16 real[4];
  for (int part = 0; part < 4; ++part) {
    const int left = k - 16 * part;
    real[part] = static_cast<__mmask16>(left >= 16 ? 0xffff : left > 0 ? (1u << left) - 1 : 0);
  }
  const __m512 least = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  const __m512i width = _mm512_set1_epi32(k), upper = _mm512_set1_epi32(32);
  __m512d low = _mm512_setzero_pd(), high = low;
  for (int position = 0; position < d; ++position, table += k) {
    const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(symbols + position * kItems));
    const __m512i symbol = _mm512_cvtepu8_epi32(bytes);
    const __m512 first = _mm512_permutex2var_ps(_mm512_maskz_loadu_ps(real[0], table), symbol,
                                                _mm512_maskz_loadu_ps(real[1], table + 16));
    const __m512 second = _mm512_permutex2var_ps(_mm512_maskz_loadu_ps(real[2], table + 32), symbol,
                                                 _mm512_maskz_loadu_ps(real[3], table + 48));
    const __m512 either = _mm512_mask_mov_ps(first, _mm512_test_epi32_mask(symbol, upper), second);
    const __m512 entries = _mm512_mask_mov_ps(least, _mm512_cmplt_epu32_mask(symbol, width), either);
    low = _mm512_add_pd(low, _mm512_cvtps_pd(_mm512_castps512_ps256(entries)));
    const __m512d upper_half = _mm512_castps_pd(entries);
    high = _mm512_add_pd(high, _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(upper_half, 1))));
  }
  _mm512_storeu_pd(scores, low);
  _mm512_storeu_pd(scores + 8, high);
}

}  // namespace dimco
