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

// The same for one item, in all of its columns.
template <int kBits>
class ItemColumns {
 public:
  ItemColumns() = default;
  ItemColumns(const uint8_t* block, int row)
      : first_(block + (kBits == 4 ? row & 31 : row * (kBits / 8))), shift_(row < 32 ? 0 : 4) {}

  uint32_t operator[](int64_t column) const {
    const uint8_t* symbol = first_ + column * (kBlock * kBits / 8);
    if constexpr (kBits == 4) return *symbol >> shift_ & 15;
    else if constexpr (kBits == 8) return *symbol;
    else return symbol[0] | static_cast<uint32_t>(symbol[1]) << 8;
  }

 private:
  const uint8_t* first_;
  int shift_;  // of nibbles
};

}  // namespace dimco
