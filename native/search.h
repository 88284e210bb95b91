// A search of many queries through many segments, done in pieces of bounded work.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bound.h"
#include "exact.h"
#include "filter.h"
#include "layout.h"
#include "segment.h"
#include "top_n.h"

namespace dimco {

class Search {
 public:
  // Searches part number `part` of `parts` of every segment. The tables (queries, d, k) and what the segments point to
  // must outlive the search.
  Search(Kernel kernel, const Layout& layout, const float* tables, int64_t queries, int64_t n, const Segment* segments,
         int64_t segment_count, int64_t part, int64_t parts);

  // Before the first step: n items are known, from elsewhere, to score this or more. Lower ones are not found then.
  void set_floor(double floor) { floor_ = floor; }

  // Does some milliseconds of work; false when all is done.
  bool step();

  // After the last step: how many items each query found, and which, best first.
  int64_t found() const;
  void results(int64_t* ids, double* scores) const;

  // Items scored exactly so far, sampled ones included.
  int64_t scored() const { return scored_; }

 private:
  struct alignas(64) CacheLine {
    uint8_t bytes[64];
  };

  struct Query {
    Query(const Layout& layout, const float* table, int64_t n) : scorer(layout, table), best(n) {}

    ExactScorer scorer;
    TopN best;
    double floor = -std::numeric_limits<double>::infinity();  // n items are known to score this or more
    std::vector<Bound> bound;                                 // one, or none: then every item is scored
    double step = 0;                                          // of the losses; 0 before the first time
    std::vector<CacheLine> losses;
  };

  // A run of blocks that fits the cache.
  struct Tile {
    const Segment* segment;
    int64_t begin, end;
  };

  enum class Phase { kSample, kScan, kSort, kDone };

  int64_t outer_end() const;
  int64_t inner_end() const;
  int64_t do_unit();
  void plan_sample(int64_t blocks);
  int64_t sample(int64_t query, int64_t piece);
  int64_t scan(const Tile& tile, Query& query);
  void scan_all(const Tile& tile, Query& query);
  void scan_filtered(const Tile& tile, Query& query);
  uint32_t tighten(Query& query);
  bool consider(const Segment& segment, int64_t block, uint64_t items, Query& query);
  bool offer(const Segment& segment, int64_t row, double score, Query& query);
  int64_t kept(const Tile& tile) const;

  Layout layout_;
  const Filter* filter_;
  int group_;  // columns that share a saturating byte
  const float* tables_;
  int64_t query_count_, n_;
  std::vector<Segment> segments_;
  std::vector<Tile> tiles_;
  std::vector<Tile> sample_;  // single blocks, spread evenly
  std::vector<Query> queries_;

  double floor_ = -std::numeric_limits<double>::infinity();
  Phase phase_ = Phase::kSample;
  int64_t outer_ = 0, inner_ = 0;
  int64_t scored_ = 0;
};

}  // namespace dimco
