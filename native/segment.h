// Codes in blocks with their ids, as a search reads them.
#pragma once

#include <cstdint>

#include "layout.h"

namespace dimco {

// Part of the ABI. `ids` may be null: then they count up from `first_id`. `keep` may be null; else bit r of word b says
// whether row 64 b + r may be returned.
struct Segment {
  const uint8_t* blocks;
  int64_t rows;
  const int64_t* ids;
  int64_t first_id;
  const uint64_t* keep;

  int64_t block_count() const { return (rows + kBlock - 1) / kBlock; }
  int64_t id(int64_t row) const { return ids ? ids[row] : first_id + row; }

  // The rows of a block that exist and may be returned.
  uint64_t kept_rows(int64_t block) const {
    const int64_t left = rows - block * kBlock;
    const uint64_t real = left >= kBlock ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
    return keep ? real & keep[block] : real;
  }
};

inline int pop_lowest(uint64_t& items) {
  const int row = __builtin_ctzll(items);
  items &= items - 1;
  return row;
}

}  // namespace dimco
