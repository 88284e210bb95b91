// The filter with AVX-512 VBMI: a table of up to 256 bytes is looked up in registers, 64 items at once.
// Everything here is local to the file, for it is compiled for machines that others are not.
#include <immintrin.h>

#include "filter.h"

namespace dimco {

namespace {

using Vector = __m512i;

constexpr int kPanelGroups = 128;  // groups of at most 255 that 16 bits hold, even two lanes added
constexpr int kPanelShift = 4;   // brings the sum of 4,096 losses below 2^16
constexpr int kAhead = 4096;     // bytes between what is read and what is fetched for later

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

// A byte an item: one column a step; kGroup columns share a byte.
template <int kWidth, int kGroup>
struct Bytes {
  static constexpr int kTogether = kWidth <= 128 ? 1 : 4, kColumnsAByte = kGroup;
  static int steps(int columns) { return columns; }

  template <bool kStream, int kBlocks>
  static void add(const FilterTask& task, const uint8_t* block, int begin, int end, Sums* sums) {
    for (; begin + kGroup <= end; begin += kGroup) add_group<kStream, kBlocks>(task, block, begin, kGroup, sums);
    if (begin < end) add_group<kStream, kBlocks>(task, block, begin, end - begin, sums);
  }

  template <bool kStream, int kBlocks>
  static void add_group(const FilterTask& task, const uint8_t* block, int begin, int count, Sums* sums) {
    Vector group[kBlocks];
    for (int b = 0; b < kBlocks; ++b) group[b] = _mm512_setzero_si512();
    for (int i = 0; i < count; ++i) {
      const uint8_t* table = task.losses + (begin + i) * kWidth;
      for (int b = 0; b < kBlocks; ++b) {
        const Vector symbols = load<kStream>(block + b * task.block_bytes + (begin + i) * 64);
        group[b] = _mm512_adds_epu8(group[b], look_up<kWidth>(table, symbols));
      }
    }
    for (int b = 0; b < kBlocks; ++b) sums[b].add_bytes(group[b]);
  }
};

// A nibble an item: two columns a step, one in each half of a register; every table is stored twice.
template <int kGroup>
struct Nibbles {
  static constexpr int kTogether = 1, kColumnsAByte = kGroup;
  static int steps(int columns) { return (columns + 1) / 2; }

  template <bool kStream>
  static Vector pair(const FilterTask& task, const uint8_t* block, int step) {
    const bool whole = 2 * step + 1 < task.columns;
    return whole ? load<kStream>(block + step * 64) : _mm512_maskz_loadu_epi8(0xffffffff, block + step * 64);
  }

  // The sums of both halves of low (items 0 .. 31) and of high (items 32 .. 63), in the order of items.
  static Vector fold(Vector low, Vector high) {
    return _mm512_add_epi16(_mm512_shuffle_i64x2(low, high, 0x44), _mm512_shuffle_i64x2(low, high, 0xee));
  }

  template <bool kStream, int kBlocks>
  static void add(const FilterTask& task, const uint8_t* block, int begin, int end, Sums* sums) {
    static_assert(kBlocks == 1);
    Sums low, high;
    for (; begin + kGroup <= end; begin += kGroup) add_group<kStream>(task, block, begin, kGroup, &low, &high);
    if (begin < end) add_group<kStream>(task, block, begin, end - begin, &low, &high);
    sums->even = _mm512_add_epi16(sums->even, fold(low.even, high.even));
    sums->odd = _mm512_add_epi16(sums->odd, fold(low.odd, high.odd));
  }

  template <bool kStream>
  static void add_group(const FilterTask& task, const uint8_t* block, int begin, int count, Sums* low, Sums* high) {
    const Vector nibble = _mm512_set1_epi8(15);
    Vector low_group = _mm512_setzero_si512(), high_group = low_group;
    for (int step = begin; step < begin + count; ++step) {
      const Vector table = _mm512_loadu_si512(task.losses + step * 64), symbols = pair<kStream>(task, block, step);
      const Vector lower = _mm512_and_si512(symbols, nibble);
      const Vector upper = _mm512_and_si512(_mm512_srli_epi16(symbols, 4), nibble);
      low_group = _mm512_adds_epu8(low_group, _mm512_shuffle_epi8(table, lower));
      high_group = _mm512_adds_epu8(high_group, _mm512_shuffle_epi8(table, upper));
    }
    low->add_bytes(low_group);
    high->add_bytes(high_group);
  }
};

template <class Columns, bool kStream, int kBlocks>
inline uint64_t look(const FilterTask& task, int64_t place, uint32_t limit, uint64_t* items) {
  const uint8_t* block = task.blocks + place * task.block_bytes;
  const int steps = Columns::steps(task.columns), panel = kPanelGroups * Columns::kColumnsAByte;
  Sums sums[kBlocks];
  if (steps <= panel) {
    Columns::template add<kStream, kBlocks>(task, block, 0, steps, sums);
  } else {
    limit >>= kPanelShift;
    for (int begin = 0; begin < steps; begin += panel) {
      Sums part[kBlocks];
      Columns::template add<kStream, kBlocks>(task, block, begin, steps - begin < panel ? steps : begin + panel, part);
      for (int b = 0; b < kBlocks; ++b) sums[b].add_shifted(part[b]);
    }
  }
  const Vector most = _mm512_set1_epi16(static_cast<short>(limit < 65535 ? limit : 65535));
  uint64_t any = 0;
  for (int b = 0; b < kBlocks; ++b) any |= items[b] = sums[b].at_most(most);
  return any;
}

template <class Columns, bool kStream>
int64_t walk(const FilterTask& task, int64_t begin, int64_t end, uint32_t limit, uint64_t* items) {
  constexpr int kTogether = Columns::kTogether;
  int64_t place = begin;
  for (; place + kTogether <= end; place += kTogether) {
    if (look<Columns, kStream, kTogether>(task, place, limit, items)) return place;
  }
  uint64_t any = 0;
  for (int b = 0; b < kTogether; ++b) {
    items[b] = 0;
    if (place + b < end) any |= look<Columns, kStream, 1>(task, place + b, limit, items + b);
  }
  return any ? place : end;
}

template <class Columns>
int64_t run(const FilterTask& task, int64_t begin, int64_t end, uint32_t limit, uint64_t* items) {
  return task.stream ? walk<Columns, true>(task, begin, end, limit, items)
                     : walk<Columns, false>(task, begin, end, limit, items);
}

template <template <int> class Columns>
int64_t run_grouped(const FilterTask& task, int64_t begin, int64_t end, uint32_t limit, uint64_t* items) {
  switch (task.group) {
    case 8: return run<Columns<8>>(task, begin, end, limit, items);
    case 4: return run<Columns<4>>(task, begin, end, limit, items);
    case 2: return run<Columns<2>>(task, begin, end, limit, items);
    default: return run<Columns<1>>(task, begin, end, limit, items);
  }
}

template <int kGroup> using Bytes64 = Bytes<64, kGroup>;
template <int kGroup> using Bytes128 = Bytes<128, kGroup>;
template <int kGroup> using Bytes256 = Bytes<256, kGroup>;

template <template <int> class Columns>
constexpr Filter make(int width, int copies) {
  return {run_grouped<Columns>, width, copies, Columns<1>::kTogether, kRows};
}

constexpr Filter kNibbles = make<Nibbles>(16, 2), kBytes64 = make<Bytes64>(64, 1), kBytes128 = make<Bytes128>(128, 1),
                 kBytes256 = make<Bytes256>(256, 1);

}  // namespace

const Filter* avx512_filter(const Layout& layout) {
  if (layout.bits == 4) return &kNibbles;
  return layout.k <= 64 ? &kBytes64 : layout.k <= 128 ? &kBytes128 : &kBytes256;
}

}  // namespace dimco
