// The adder with AVX-512 VBMI: 64 items at once, a block at a time, for one query or for four.
#include <type_traits>

#include "adder.h"
#include "avx512.h"

namespace dimco {

namespace {

// Writes the sums of 64 items, in their order.
inline void store(const Sums& sums, uint16_t* to) {
  const Vector low = _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6, 37, 5,
                                      36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
  const Vector high = _mm512_add_epi16(low, _mm512_set1_epi16(16));
  _mm512_storeu_si512(to, _mm512_permutex2var_epi16(sums.even, low, sums.odd));
  _mm512_storeu_si512(to + 32, _mm512_permutex2var_epi16(sums.even, high, sums.odd));
}

// A byte an item: a column a step.
template <int kWidth>
struct Bytes {
  static int steps(int columns) { return columns; }

  template <int kQueries>
  static void add(const AdderTask& task, const uint8_t* block, int begin, int count, Sums* sums) {
    Vector group[kQueries];
    for (int q = 0; q < kQueries; ++q) group[q] = _mm512_setzero_si512();
    for (int column = begin; column < begin + count; ++column) {
      const Vector symbols = load<false>(block + column * 64);
      for (int q = 0; q < kQueries; ++q) {
        group[q] = _mm512_adds_epu8(group[q], look_up<kWidth>(task.losses[q] + column * kWidth, symbols));
      }
    }
    for (int q = 0; q < kQueries; ++q) sums[q].add_bytes(group[q]);
  }

  template <int kQueries>
  static void store_all(const Sums* sums, const AdderTask& task, int64_t place) {
    for (int q = 0; q < kQueries; ++q) store(sums[q], task.sums[q] + place * 64);
  }

  template <int kQueries>
  static constexpr int kSums = kQueries;
};

// A nibble an item: two columns a step, one in each half of a register; every table is stored twice.
struct Nibbles {
  static int steps(int columns) { return (columns + 1) / 2; }

  template <int kQueries>
  static void add(const AdderTask& task, const uint8_t* block, int begin, int count, Sums* sums) {
    const Vector nibble = _mm512_set1_epi8(15);
    Vector low[kQueries], high[kQueries];
    for (int q = 0; q < kQueries; ++q) low[q] = high[q] = _mm512_setzero_si512();
    for (int step = begin; step < begin + count; ++step) {
      const bool whole = 2 * step + 1 < task.columns;
      const Vector symbols = whole ? load<false>(block + step * 64)
                                   : _mm512_maskz_loadu_epi8(0xffffffff, block + step * 64);
      const Vector lower = _mm512_and_si512(symbols, nibble);
      const Vector upper = _mm512_and_si512(_mm512_srli_epi16(symbols, 4), nibble);
      for (int q = 0; q < kQueries; ++q) {
        const Vector table = load<false>(task.losses[q] + step * 64);
        low[q] = _mm512_adds_epu8(low[q], _mm512_shuffle_epi8(table, lower));
        high[q] = _mm512_adds_epu8(high[q], _mm512_shuffle_epi8(table, upper));
      }
    }
    for (int q = 0; q < kQueries; ++q) sums[2 * q].add_bytes(low[q]), sums[2 * q + 1].add_bytes(high[q]);
  }

  // The sums of both halves of low (items 0 .. 31) and of high (items 32 .. 63), in the order of items.
  static Vector fold(Vector low, Vector high) {
    return _mm512_add_epi16(_mm512_shuffle_i64x2(low, high, 0x44), _mm512_shuffle_i64x2(low, high, 0xee));
  }

  template <int kQueries>
  static void store_all(const Sums* sums, const AdderTask& task, int64_t place) {
    for (int q = 0; q < kQueries; ++q) {
      const Sums &low = sums[2 * q], &high = sums[2 * q + 1];
      store({fold(low.even, high.even), fold(low.odd, high.odd)}, task.sums[q] + place * 64);
    }
  }

  template <int kQueries>
  static constexpr int kSums = 2 * kQueries;
};

template <class Columns, int kQueries, int kGroup>
void walk(const AdderTask& task, int64_t blocks) {
  const int steps = Columns::steps(task.columns);
  for (int64_t place = 0; place < blocks; ++place) {
    const uint8_t* block = task.blocks + place * task.block_bytes;
    Sums sums[Columns::template kSums<kQueries>];
    int step = 0;
#pragma GCC unroll 8
    for (; step + kGroup <= steps; step += kGroup) Columns::template add<kQueries>(task, block, step, kGroup, sums);
    if (step < steps) Columns::template add<kQueries>(task, block, step, steps - step, sums);
    Columns::template store_all<kQueries>(sums, task, place);
  }
}

template <class Columns, int kQueries>
void add(const AdderTask& task, int64_t blocks) {
  switch (task.group) {
    case 4: return walk<Columns, kQueries, 4>(task, blocks);
    case 2: return walk<Columns, kQueries, 2>(task, blocks);
    default: return walk<Columns, kQueries, 1>(task, blocks);
  }
}

void lowest(const uint16_t* sums, int64_t blocks, uint16_t* lowest) {
  Vector low = _mm512_set1_epi16(-1), high = low;
  for (int64_t block = 0; block < blocks; ++block) {
    low = _mm512_min_epu16(low, _mm512_loadu_si512(sums + block * 64));
    high = _mm512_min_epu16(high, _mm512_loadu_si512(sums + block * 64 + 32));
  }
  _mm512_storeu_si512(lowest, low);
  _mm512_storeu_si512(lowest + 32, high);
}

inline uint64_t at_most(const uint16_t* sums, Vector limit) {
  const uint64_t low = _mm512_cmple_epu16_mask(_mm512_loadu_si512(sums), limit);
  const uint64_t high = _mm512_cmple_epu16_mask(_mm512_loadu_si512(sums + 32), limit);
  return low | high << 32;
}

int64_t count(const uint16_t* sums, int64_t blocks, uint16_t limit) {
  const Vector most = _mm512_set1_epi16(static_cast<short>(limit));
  int64_t found = 0;
  for (int64_t block = 0; block < blocks; ++block) found += __builtin_popcountll(at_most(sums + block * 64, most));
  return found;
}

int64_t next(const uint16_t* sums, int64_t block, int64_t blocks, uint16_t limit, uint64_t* items) {
  const Vector most = _mm512_set1_epi16(static_cast<short>(limit));
  while (block < blocks && !(*items = at_most(sums + block * 64, most))) ++block;
  return block;
}

template <class Columns>
constexpr Adder kAdder = {add<Columns, 1>, add<Columns, kQueriesTogether>, lowest, count, next,
                          std::is_same_v<Columns, Bytes<64>> ? score_64 : nullptr};

}  // namespace

const Adder* avx512_adder(int width) {
  switch (width) {
    case 16: return &kAdder<Nibbles>;
    case 64: return &kAdder<Bytes<64>>;
    case 128: return &kAdder<Bytes<128>>;
    default: return &kAdder<Bytes<256>>;
  }
}

}  // namespace dimco
