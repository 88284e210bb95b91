// The sums themselves of 8-bit lower bounds, for a search among so few items that it can keep all of them, and what is
// asked of them.
#pragma once

#include <cstdint>

namespace dimco {

constexpr int kQueriesTogether = 4;
constexpr int kMostColumnsAdded = 256;  // of bytes: 16 bits hold their sum
constexpr uint16_t kNoItem = 65535;     // more than any sum
constexpr int kScoredTogether = 16;

// What an adder reads, and where it writes. `losses` are those of a FilterTask, of up to kQueriesTogether queries.
struct AdderTask {
  const uint8_t* blocks;
  int64_t block_bytes;
  int columns;
  int group;  // columns that share a saturating byte: 1, 2 or 4
  const uint8_t* losses[kQueriesTogether];
  uint16_t* sums[kQueriesTogether];
};

struct Adder {
  // The sums of all items in so many blocks, for the first query or for all of them: never more than the losses add up
  // to (step 3 of docs/search-exactness.md).
  void (*add_one)(const AdderTask& task, int64_t blocks);
  void (*add_all)(const AdderTask& task, int64_t blocks);
  // For each place in a block the lowest sum that an item of that place has in any of the blocks.
  void (*lowest)(const uint16_t* sums, int64_t blocks, uint16_t lowest[64]);
  // How many of the sums are at most the limit.
  int64_t (*count)(const uint16_t* sums, int64_t blocks, uint16_t limit);
  // The first block from `block` on that has sums of at most the limit, and which: bit r of `items` for item r; or
  // `blocks` when there are none.
  int64_t (*next)(const uint16_t* sums, int64_t block, int64_t blocks, uint16_t limit, uint64_t* items);
  // Or none: the exact scores of at most kScoredTogether items, each given by where its symbol at position 0 lies, with
  // a table (d, k); room for kScoredTogether scores.
  void (*score)(const float* table, int k, int d, const uint8_t* const* items, int count, double* scores);
};

const Adder* avx2_adder(int width);
const Adder* avx512_adder(int width);

// A `score` for symbols of a byte and k up to 64.
void score_64(const float* table, int k, int d, const uint8_t* const* items, int count, double* scores);

}  // namespace dimco
