// Finding, in registers, the few items whose loss may be small: sums of 8-bit lower bounds.
#pragma once

#include <cstdint>

#include "adder.h"
#include "layout.h"
#include "rows.h"

namespace dimco {

constexpr int kFilterBlocks = 4;  // the most blocks a filter looks at together

// What a filter reads. `losses` has a table for every column, then zeros up to a multiple of 64 bytes.
struct FilterTask {
  const uint8_t* blocks;
  int64_t block_bytes;
  int columns;
  int group;  // columns that share a saturating byte
  const uint8_t* losses;
  bool stream;  // the blocks come from memory, and not from the cache
};

// Looks for items whose losses may add up to at most `limit`. It never sums to more than the losses do (step 3 of
// docs/search-exactness.md), so no such item is missed; it may name others. Returns the first place, `begin` and then
// every `together` blocks, where one of the `together` blocks before `end` has such items, and sets bit r of items[i]
// for item r of block i from there; or `end` when there are none.
using FilterRun = int64_t (*)(const FilterTask& task, int64_t begin, int64_t end, uint32_t limit,
                              uint64_t items[kFilterBlocks]);

struct Filter {
  FilterRun run;
  int width;     // bytes a column's table takes
  int copies;    // how often it is stored, one after another
  int together;  // blocks looked at together
  Rows rows;     // for its losses
};

enum class Kernel { kPortable = 0, kAvx2 = 1, kAvx512 = 2 };

// Whether this machine can run the kernel and the library was built with it.
bool usable(Kernel kernel);

// The kernel's filter, or none where every item is scored exactly.
const Filter* find_filter(Kernel kernel, const Layout& layout);

// The kernel's adder for the tables of its filter, or none.
const Adder* find_adder(Kernel kernel, const Layout& layout);

const Filter* avx2_filter(const Layout& layout);
const Filter* avx512_filter(const Layout& layout);

}  // namespace dimco
