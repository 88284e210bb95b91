// A search among so few items that the sums of all of them are kept: which are worth scoring is then known at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "adder.h"
#include "bound.h"
#include "exact.h"
#include "filter.h"
#include "layout.h"
#include "segment.h"
#include "top_n.h"

namespace dimco {

class SmallSearch {
 public:
  // The segments, and what they point to, must outlive the search.
  SmallSearch(Kernel kernel, const Layout& layout, int64_t n, const Segment* segments, int64_t segment_count);

  // Whether the kernel adds such codes, and so few; else nothing can be found.
  bool possible() const { return adder_ != nullptr && blocks_ <= kMostBlocks; }

  // The items found, best first; false where the table (d, k) holds NaN or +inf, with which nobody may search.
  bool find(const float* table, int64_t* ids, double* scores);

  // The same for any number of tables, one behind another, and as many items for each.
  void find_all(const float* tables, int64_t queries, int64_t* ids, double* scores);

  // How many items each query finds.
  int64_t found() const { return found_; }

  // Items scored exactly so far.
  int64_t scored() const { return scored_; }

 private:
  static constexpr int64_t kMostBlocks = 1024;  // whose sums stay in the second-level cache

  struct alignas(64) CacheLine {
    uint8_t bytes[64];
  };

  // A segment, whose blocks are counted on from those of the segments before it.
  struct Part {
    const Segment* segment;
    int64_t first, end;
  };

  struct Query {
    Query(const Layout& layout, const float* table, const Filter& filter, int64_t n)
        : table(table), scorer(layout, table), bound(layout, table, filter), best(n) {}

    const float* table;
    ExactScorer scorer;
    Bound bound;
    TopN best;
    double step = 0;  // of the losses
    uint8_t* losses = nullptr;
    uint16_t* sums = nullptr;
  };

  class Batch;

  void start(const float* table, int together);
  void set_step(Query& query, double step) const;
  void search_started();
  bool bounded(const Query& query) const { return !sparse_ && query.bound.sound() && query.bound.exists(); }
  void add(Query* queries, int count) const;
  void scan(Query& query);
  bool finer(const Query& query) const;
  void refine(Query& query) const;
  uint16_t promising(const Query& query) const;
  uint16_t limit(const Query& query) const;
  void score_those(uint16_t most, int64_t items, Query& query);
  void score_all(Query& query);
  const Part& part_of(int64_t block) const;

  Layout layout_;
  const Filter* filter_;
  const Adder* adder_;
  int group_;  // columns that share a saturating byte
  int64_t n_;
  std::vector<Part> parts_;
  int64_t blocks_ = 0, found_ = 0, scored_ = 0;
  bool sparse_ = false;  // so few may be returned that those are scored at once
  std::vector<Query> queries_;
  int64_t losses_lines_ = 0, sums_lines_ = 0;  // of a query
  std::unique_ptr<CacheLine[]> memory_;
};

}  // namespace dimco
