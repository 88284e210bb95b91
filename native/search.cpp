#include "search.h"

#include <algorithm>

namespace dimco {

namespace {

constexpr int64_t kTileBytes = 1 << 18;      // a tile stays in the second-level cache while all queries read it
constexpr int64_t kLookupsAStep = 1 << 25;   // some tens of milliseconds when every item is scored exactly
constexpr int64_t kSampleRows = 1024;        // scored first, to know early what score is worth looking for
constexpr int64_t kSampleTimesN = 4;
constexpr int64_t kSampleShare = 64;         // at most this part of the blocks
constexpr int64_t kSamplePiece = 16;         // blocks sampled in a unit of work
constexpr int kManyItems = 8;                // from here on scoring the whole block is quicker
constexpr int64_t kSparse = 16;              // fewer than one row in so many kept: score those alone
constexpr double kCoarse = 3;                // steps this much too large are worth a new table

// Few columns in a byte lose little to rounding, many are quick to add. The rounding of a sum grows with the columns,
// its spread with their root, so long codes need smaller groups. The filters know 8, 4, 2 and 1.
int choose_group(int columns) { return columns <= 32 ? 8 : columns <= 128 ? 4 : columns <= 1024 ? 2 : 1; }

}  // namespace

Search::Search(Kernel kernel, const Layout& layout, const float* tables, int64_t queries, int64_t n,
               const Segment* segments, int64_t segment_count, int64_t part, int64_t parts)
    : layout_(layout),
      filter_(find_filter(kernel, layout)),
      group_(choose_group(layout.columns)),
      tables_(tables),
      query_count_(queries),
      n_(n),
      segments_(segments, segments + segment_count) {
  const int64_t tile_blocks = std::max<int64_t>(kFilterBlocks, kTileBytes / layout.block_bytes);
  int64_t blocks = 0;
  for (const Segment& segment : segments_) {
    const int64_t all = segment.block_count(), begin = all * part / parts, end = all * (part + 1) / parts;
    for (int64_t b = begin; b < end; b += tile_blocks) tiles_.push_back({&segment, b, std::min(end, b + tile_blocks)});
    blocks += end - begin;
  }
  if (filter_) plan_sample(blocks);
  queries_.reserve(queries);
}

void Search::plan_sample(int64_t blocks) {
  const int64_t rows = std::max(kSampleRows, kSampleTimesN * n_);
  const int64_t count = std::min((rows + kBlock - 1) / kBlock, blocks / kSampleShare);
  if (count * kBlock < n_) return;
  int64_t seen = 0, taken = 0;
  for (const Tile& tile : tiles_) {
    for (; taken < count; ++taken) {
      const int64_t block = tile.begin + blocks * (2 * taken + 1) / (2 * count) - seen;
      if (block >= tile.end) break;
      sample_.push_back({tile.segment, block, block + 1});
    }
    seen += tile.end - tile.begin;
  }
}

bool Search::step() {
  for (int64_t lookups = 0; lookups < kLookupsAStep && phase_ != Phase::kDone;) {
    if (outer_ >= outer_end()) {
      phase_ = static_cast<Phase>(static_cast<int>(phase_) + 1);
      outer_ = inner_ = 0;
    } else if (inner_ >= inner_end()) {
      ++outer_;
      inner_ = 0;
    } else {
      lookups += do_unit();
      ++inner_;
    }
  }
  return phase_ != Phase::kDone;
}

int64_t Search::outer_end() const {
  return phase_ == Phase::kDone ? 0 : phase_ == Phase::kScan ? static_cast<int64_t>(tiles_.size()) : query_count_;
}

int64_t Search::inner_end() const {
  if (phase_ == Phase::kSample) return 1 + (static_cast<int64_t>(sample_.size()) + kSamplePiece - 1) / kSamplePiece;
  return phase_ == Phase::kScan ? query_count_ : 1;
}

// One unit of the phase; what it may have cost, in table lookups.
int64_t Search::do_unit() {
  switch (phase_) {
    case Phase::kSample:
      return sample(outer_, inner_);
    case Phase::kScan:
      return scan(tiles_[outer_], queries_[inner_]);
    default:
      return static_cast<int64_t>(queries_[outer_].best.sort().size()) * 16;
  }
}

// Piece 0 prepares the query, the others score the sampled blocks; the last one takes the floor from them.
int64_t Search::sample(int64_t query, int64_t piece) {
  if (piece == 0) {
    const float* table = tables_ + query * layout_.d * layout_.k;
    queries_.emplace_back(layout_, table, n_);
    if (filter_) queries_[query].bound.emplace_back(layout_, table, *filter_);
    return filter_ ? int64_t{layout_.d} * layout_.k : 1;
  }
  Query& current = queries_[query];
  const size_t begin = (piece - 1) * kSamplePiece, end = std::min<size_t>(sample_.size(), begin + kSamplePiece);
  for (size_t i = begin; i < end; ++i) scan_all(sample_[i], current);
  if (end == sample_.size()) {
    current.floor = current.best.entry_score();
    current.best = TopN(n_);
  }
  return static_cast<int64_t>(end - begin) * kBlock * layout_.d;
}

int64_t Search::scan(const Tile& tile, Query& query) {
  query.floor = std::max(query.floor, floor_);
  const int64_t items = (tile.end - tile.begin) * kBlock;
  const bool bounded = !query.bound.empty() && query.bound[0].exists();
  if (!bounded || (tile.segment->keep && kept(tile) * kSparse < items)) scan_all(tile, query);
  else scan_filtered(tile, query);
  return items * layout_.d;
}

void Search::scan_all(const Tile& tile, Query& query) {
  for (int64_t block = tile.begin; block < tile.end; ++block) consider(*tile.segment, block, ~uint64_t{0}, query);
}

void Search::scan_filtered(const Tile& tile, Query& query) {
  uint32_t limit = tighten(query);
  const FilterTask task = {tile.segment->blocks, layout_.block_bytes, layout_.columns, group_, query.losses[0].bytes,
                           inner_ == 0};
  uint64_t items[kFilterBlocks];
  for (int64_t place = tile.begin; place < tile.end; place += filter_->together) {
    place = filter_->run(task, place, tile.end, limit, items);
    if (place >= tile.end) return;
    bool entered = false;
    for (int b = 0; b < filter_->together; ++b) {
      if (items[b]) entered |= consider(*tile.segment, place + b, items[b], query);
    }
    if (entered) {
      const double score = std::max(query.floor, query.best.entry_score());
      limit = Bound::limit(query.bound[0].budget(score), query.step);
    }
  }
}

// The limit for the best score known; new losses first, when the steps have become too large for it.
uint32_t Search::tighten(Query& query) {
  const Bound& bound = query.bound[0];
  const double budget = bound.budget(std::max(query.floor, query.best.entry_score()));
  const double step = bound.choose_step(budget, group_);
  if (query.step == 0 || step * kCoarse < query.step) {
    const size_t bytes = static_cast<size_t>(layout_.columns) * filter_->width * filter_->copies;
    query.losses.resize((bytes + sizeof(CacheLine) - 1) / sizeof(CacheLine));
    bound.quantize(step, query.losses[0].bytes);
    query.step = step;
  }
  return Bound::limit(budget, query.step);
}

// Scores the items named that may be returned; true when one entered the best.
bool Search::consider(const Segment& segment, int64_t block, uint64_t items, Query& query) {
  items &= segment.kept_rows(block);
  const int count = __builtin_popcountll(items);
  scored_ += count;
  const uint8_t* codes = segment.blocks + block * layout_.block_bytes;
  bool entered = false;
  if (count >= kManyItems) {
    double scores[kBlock];
    query.scorer.block(codes, scores);
    while (items) {
      const int row = pop_lowest(items);
      entered |= offer(segment, block * kBlock + row, scores[row], query);
    }
  }
  while (items) {
    const int row = pop_lowest(items);
    entered |= offer(segment, block * kBlock + row, query.scorer.item(codes, row), query);
  }
  return entered;
}

bool Search::offer(const Segment& segment, int64_t row, double score, Query& query) {
  if (score < query.floor) return false;
  return query.best.offer({score, segment.id(row)});
}

int64_t Search::kept(const Tile& tile) const {
  int64_t rows = 0;
  for (int64_t block = tile.begin; block < tile.end; ++block) {
    rows += __builtin_popcountll(tile.segment->kept_rows(block));
  }
  return rows;
}

// All queries find the same number, but for tables with NaN, which are nobody's to search with.
int64_t Search::found() const {
  if (queries_.empty()) return 0;
  size_t fewest = queries_[0].best.items().size();
  for (const Query& query : queries_) fewest = std::min(fewest, query.best.items().size());
  return static_cast<int64_t>(fewest);
}

void Search::results(int64_t* ids, double* scores) const {
  const int64_t count = found();
  for (const Query& query : queries_) {
    for (int64_t i = 0; i < count; ++i) {
      *ids++ = query.best.items()[i].id;
      *scores++ = query.best.items()[i].score;
    }
  }
}

}  // namespace dimco
