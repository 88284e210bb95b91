// The adder with AVX2: 64 items as two halves, a block at a time, for one query or for four.
#include "adder.h"
#include "avx2.h"

namespace dimco {

namespace {

// Writes the sums of 32 items, in their order.
inline void store(const Sums& sums, uint16_t* to) {
  const Vector first = _mm256_unpacklo_epi16(sums.even, sums.odd), second = _mm256_unpackhi_epi16(sums.even, sums.odd);
  _mm256_storeu_si256(reinterpret_cast<Vector*>(to), _mm256_permute2x128_si256(first, second, 0x20));
  _mm256_storeu_si256(reinterpret_cast<Vector*>(to + 16), _mm256_permute2x128_si256(first, second, 0x31));
}

template <int kWidth>
inline void add_block(const AdderTask& task, const uint8_t* block, int query, uint16_t* to) {
  Sums sums[2];
  for (int column = 0; column < task.columns;) {
    const int stop = task.columns - column < task.group ? task.columns : column + task.group;
    Vector low_group = _mm256_setzero_si256(), high_group = low_group;
    for (; column < stop; ++column) {
      Vector low, high;
      column_losses<kWidth>(block, column, task.losses[query] + column * kWidth, &low, &high);
      low_group = _mm256_adds_epu8(low_group, low);
      high_group = _mm256_adds_epu8(high_group, high);
    }
    sums[0].add_bytes(low_group);
    sums[1].add_bytes(high_group);
  }
  store(sums[0], to);
  store(sums[1], to + 32);
}

template <int kWidth, int kQueries>
void add(const AdderTask& task, int64_t blocks) {
  for (int64_t place = 0; place < blocks; ++place) {
    const uint8_t* block = task.blocks + place * task.block_bytes;
    for (int q = 0; q < kQueries; ++q) add_block<kWidth>(task, block, q, task.sums[q] + place * 64);
  }
}

inline Vector sums_at(const uint16_t* from) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(from)); }

void lowest(const uint16_t* sums, int64_t blocks, uint16_t* lowest) {
  for (int part = 0; part < 64; part += 16) {
    Vector low = _mm256_set1_epi16(-1);
    for (int64_t block = 0; block < blocks; ++block) low = _mm256_min_epu16(low, sums_at(sums + block * 64 + part));
    _mm256_storeu_si256(reinterpret_cast<Vector*>(lowest + part), low);
  }
}

// All ones where a sum is at most the limit.
inline Vector reaches(const uint16_t* sums, Vector limit) {
  const Vector found = sums_at(sums);
  return _mm256_cmpeq_epi16(_mm256_min_epu16(found, limit), found);
}

inline uint64_t at_most(const uint16_t* sums, Vector limit) {
  uint64_t items = 0;
  for (int half = 0; half < 2; ++half) {
    const uint16_t* from = sums + 32 * half;
    const Vector bytes = _mm256_packs_epi16(reaches(from, limit), reaches(from + 16, limit));
    const auto mask = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xd8)));
    items |= static_cast<uint64_t>(mask) << (32 * half);
  }
  return items;
}

int64_t count(const uint16_t* sums, int64_t blocks, uint16_t limit) {
  const Vector most = _mm256_set1_epi16(static_cast<short>(limit));
  int64_t found = 0;
  for (int64_t block = 0; block < blocks; ++block) found += __builtin_popcountll(at_most(sums + block * 64, most));
  return found;
}

int64_t next(const uint16_t* sums, int64_t block, int64_t blocks, uint16_t limit, uint64_t* items) {
  const Vector most = _mm256_set1_epi16(static_cast<short>(limit));
  while (block < blocks && !(*items = at_most(sums + block * 64, most))) ++block;
  return block;
}

template <int kWidth>
constexpr Adder kAdder = {add<kWidth, 1>, add<kWidth, kQueriesTogether>, lowest, count, next, nullptr};

}  // namespace

const Adder* avx2_adder(int width) {
  switch (width) {
    case 16: return &kAdder<16>;
    case 32: return &kAdder<32>;
    case 64: return &kAdder<64>;
    case 128: return &kAdder<128>;
    default: return &kAdder<256>;
  }
}

}  // namespace dimco
