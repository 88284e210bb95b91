// What the filter and the adder with AVX-512 share: sums in 16 bits, and the lookup of bytes in registers.
// Everything here is local to the files that include it, for they are compiled for machines that others are not.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace dimco {

namespace {

using Vector = __m512i;

constexpr int kPanelShift = 4;  // brings the sum of 4,096 losses below 2^16
constexpr int kAhead = 4096;    // bytes between what is read and what is fetched for later

// Sums of 64 items in 16 bits: items 0, 2, .. 62 and items 1, 3, .. 63.
struct Sums {
  Vector even = _mm512_setzero_si512();
  Vector odd = _mm512_setzero_si512();

  void add_bytes(Vector bytes) {
    even = _mm512_add_epi16(even, _mm512_and_si512(bytes, _mm512_set1_epi16(255)));
    odd = _mm512_add_epi16(odd, _mm512_srli_epi16(bytes, 8));
  }
  void add_shifted(const Sums& panel) {
    even = _mm512_add_epi16(even, _mm512_srli_epi16(panel.even, kPanelShift));
    odd = _mm512_add_epi16(odd, _mm512_srli_epi16(panel.odd, kPanelShift));
  }
  uint64_t at_most(Vector limit) const {
    const __mmask32 low = _mm512_cmple_epu16_mask(even, limit), high = _mm512_cmple_epu16_mask(odd, limit);
    if ((low | high) == 0) return 0;
    const Vector even_bytes = _mm512_maskz_set1_epi16(low, 0x00ff);
    const Vector odd_bytes = _mm512_maskz_set1_epi16(high, static_cast<short>(0xff00));
    return _mm512_movepi8_mask(_mm512_or_si512(even_bytes, odd_bytes));
  }
};

template <bool kStream>
inline Vector load(const uint8_t* from) {
  if constexpr (kStream) _mm_prefetch(reinterpret_cast<const char*>(from) + kAhead, _MM_HINT_T0);
  return _mm512_loadu_si512(from);
}

template <int kWidth>
inline Vector look_up(const uint8_t* table, Vector symbols) {
  if constexpr (kWidth == 64) {
    return _mm512_permutexvar_epi8(symbols, _mm512_loadu_si512(table));
  } else if constexpr (kWidth == 128) {
    return _mm512_permutex2var_epi8(_mm512_loadu_si512(table), symbols, _mm512_loadu_si512(table + 64));
  } else {
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(symbols), look_up<128>(table, symbols),
                                  look_up<128>(table + 128, symbols));
  }
}

}  // namespace

}  // namespace dimco
