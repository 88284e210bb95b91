// What the filter and the adder with AVX2 share: sums in 16 bits, and the lookup of bytes in registers.
// Everything here is local to the files that include it, for they are compiled for machines that others are not.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace dimco {

namespace {

using Vector = __m256i;

constexpr int kPanelShift = 4;  // brings the sum of 4,096 losses below 2^16

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

}  // namespace

}  // namespace dimco
