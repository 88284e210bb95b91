// numpy's array interface, the C side: what `__array_struct__` points to.
#pragma once

#include <cstdint>

namespace dimco {

struct Array {
  int two;
  int dimensions;
  char kind;
  int item_bytes;
  int flags;
  const intptr_t* shape;
  const intptr_t* strides;
  const void* data;

  // Float32 numbers in the machine's own order, aligned and one behind another, of shape (rows, columns) or
  // (1, rows, columns).
  bool is_table(int rows, int columns) const {
    constexpr int kContiguous = 0x1, kAligned = 0x100, kNative = 0x200, kAll = kContiguous | kAligned | kNative;
    if (two != 2 || kind != 'f' || item_bytes != 4 || (flags & kAll) != kAll) return false;
    const intptr_t* last = shape + dimensions - 2;
    return (dimensions == 2 || (dimensions == 3 && shape[0] == 1)) && last[0] == rows && last[1] == columns;
  }
};

}  // namespace dimco
