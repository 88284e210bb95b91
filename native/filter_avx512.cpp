// The filter with AVX-512 VBMI: a table of up to 256 bytes is looked up in registers, 64 items at once.
// Everything here is local to the file, for it is compiled for machines that others are not.
#include "avx512.h"
#include "filter.h"
#include "rows_avx512.h"

namespace dimco {

namespace {

constexpr int kPanelGroups = 128;  // groups of at most 255 that 16 bits hold, even two lanes added

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
  return {run_grouped<Columns>, width, copies, Columns<1>::kTogether, kRows16};
}

constexpr Filter kNibbles = make<Nibbles>(16, 2), kBytes64 = make<Bytes64>(64, 1), kBytes128 = make<Bytes128>(128, 1),
                 kBytes256 = make<Bytes256>(256, 1);

}  // namespace

const Filter* avx512_filter(const Layout& layout) {
  if (layout.bits == 4) return &kNibbles;
  return layout.k <= 64 ? &kBytes64 : layout.k <= 128 ? &kBytes128 : &kBytes256;
}

}  // namespace dimco
