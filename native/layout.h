// How codes lie in memory: blocks of 64 items, column after column.
#pragma once

#include <cstdint>

namespace dimco {

constexpr int kBlock = 64;

struct Layout {
  int k;             // symbols
  int d;             // positions
  int bits;          // what a column takes an item: 4, 8 or 16
  int group;         // positions that share a column: 4 for k = 2, 2 for k = 3 and 4, else 1
  int columns;       // of a block
  int64_t block_bytes;

  Layout(int k, int d)
      : k(k),
        d(d),
        bits(k <= 16 ? 4 : k <= 256 ? 8 : 16),
        group(k == 2 ? 4 : k <= 4 ? 2 : 1),
        columns((d + group - 1) / group),
        block_bytes(static_cast<int64_t>(columns) * kBlock * bits / 8) {}
};

// The joint symbol that item `row` of a block has in a column of kBits bits an item.
template <int kBits>
inline uint32_t column_symbol(const uint8_t* block, int64_t column, int row) {
  if constexpr (kBits == 4) {
    const uint8_t pair = block[column * 32 + (row & 31)];
    return row < 32 ? pair & 15 : pair >> 4;
  } else if constexpr (kBits == 8) {
    return block[column * kBlock + row];
  } else {
    const uint8_t* symbol = block + (column * kBlock + row) * 2;
    return symbol[0] | static_cast<uint32_t>(symbol[1]) << 8;
  }
}

}  // namespace dimco
