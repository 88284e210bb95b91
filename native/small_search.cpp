#include "small_search.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace dimco {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kSparse = 16;     // fewer than one row in so many kept: score those alone
constexpr int64_t kFew = 64;        // items that are scored sooner than a table is put in steps
constexpr int64_t kFewLowest = 24;  // so many of the lowest sums are rarely in the same place of two blocks
constexpr int64_t kManyItems = 32;  // more than one item in so many to score is worth adding again in finer steps
constexpr double kCoarse = 1.5;     // steps this much too large

// Smaller than where items are many: here the codes come from the second-level cache, no quicker than they are added.
int choose_group(int columns) { return columns <= 32 ? 4 : columns <= 128 ? 2 : 1; }

// The smallest limit that at least n of some sums, 64 a block, keep to; kNoItem when fewer are of items.
uint16_t nth_lowest(const Adder& adder, const uint16_t* sums, int64_t blocks, int64_t n) {
  uint16_t below = 0, limit = kNoItem;
  while (below < limit) {
    const auto middle = static_cast<uint16_t>((below + limit) / 2);
    if (adder.count(sums, blocks, middle) >= n) limit = middle;
    else below = middle + 1;
  }
  return limit;
}

}  // namespace

// Items that wait to be scored side by side.
class SmallSearch::Batch {
 public:
  Batch(SmallSearch& search, Query& query) : search_(search), query_(query) {}

  // True when an item entered the best.
  bool add(int64_t block, int row) {
    const Part& part = search_.part_of(block);
    blocks_[count_] = part.segment->blocks + (block - part.first) * search_.layout_.block_bytes;
    rows_[count_] = row;
    ids_[count_] = part.segment->id((block - part.first) * kBlock + row);
    return ++count_ == kScoredTogether && score();
  }

  bool score() {
    if (count_ == 0) return false;
    double scores[kScoredTogether];
    find(scores);
    bool entered = false;
    for (int i = 0; i < count_; ++i) entered |= query_.best.offer({scores[i], ids_[i]});
    search_.scored_ += count_;
    count_ = 0;
    return entered;
  }

 private:
  void find(double* scores) {
    if (search_.adder_->score) {
      const uint8_t* items[kScoredTogether];
      for (int i = 0; i < count_; ++i) items[i] = blocks_[i] + rows_[i];
      return search_.adder_->score(query_.table, search_.layout_.k, search_.layout_.d, items, count_, scores);
    }
    for (int i = count_; i % kTogether; ++i) blocks_[i] = blocks_[0], rows_[i] = rows_[0];
    for (int i = 0; i < count_; i += kTogether) query_.scorer.some(blocks_ + i, rows_ + i, scores + i);
  }

  SmallSearch& search_;
  Query& query_;
  const uint8_t* blocks_[kScoredTogether];
  int rows_[kScoredTogether];
  int64_t ids_[kScoredTogether];
  int count_ = 0;
};

SmallSearch::SmallSearch(Kernel kernel, const Layout& layout, int64_t n, const Segment* segments, int64_t segment_count)
    : layout_(layout),
      filter_(find_filter(kernel, layout)),
      adder_(find_adder(kernel, layout)),
      group_(choose_group(layout.columns)),
      n_(n) {
  int64_t kept = 0;
  parts_.reserve(segment_count);
  for (const Segment* segment = segments; segment < segments + segment_count; ++segment) {
    const int64_t count = segment->block_count();
    if (count == 0) continue;
    parts_.push_back({segment, blocks_, blocks_ + count});
    blocks_ += count;
    if (!segment->keep) kept += segment->rows;
    for (int64_t b = 0; segment->keep && b < count; ++b) kept += __builtin_popcountll(segment->kept_rows(b));
  }
  if (!possible()) return;
  found_ = std::min(n, kept);
  sparse_ = kept * kSparse < blocks_ * kBlock || kept <= kFew;
  losses_lines_ = (int64_t{layout.columns} * filter_->width * filter_->copies + 63) / 64;
  sums_lines_ = blocks_ * 2;
}

bool SmallSearch::find(const float* table, int64_t* ids, double* scores) {
  start(table, 1);
  if (!queries_[0].bound.sound()) return false;
  search_started();
  for (const Scored& item : queries_[0].best.sort()) *ids++ = item.id, *scores++ = item.score;
  return true;
}

void SmallSearch::find_all(const float* tables, int64_t queries, int64_t* ids, double* scores) {
  const int most = queries < kQueriesTogether ? 1 : kQueriesTogether;
  for (int64_t first = 0; first < queries;) {
    const int count = queries - first < most ? 1 : most;
    queries_.clear();
    for (int i = 0; i < count; ++i) start(tables + (first + i) * layout_.d * layout_.k, most);
    search_started();
    for (Query& query : queries_) {
      for (const Scored& item : query.best.sort()) *ids++ = item.id, *scores++ = item.score;
    }
    first += count;
  }
}

// One of at most so many queries.
void SmallSearch::start(const float* table, int together) {
  const int64_t lines = losses_lines_ + sums_lines_, place = queries_.size();
  if (!memory_) {
    memory_.reset(new CacheLine[lines * together]);
    queries_.reserve(together);
  }
  Query& query = queries_.emplace_back(layout_, table, *filter_, n_);
  CacheLine* memory = memory_.get() + place * lines;
  query.losses = memory->bytes;
  query.sums = reinterpret_cast<uint16_t*>(memory[losses_lines_].bytes);
  std::memset(memory + losses_lines_ - 1, 0, sizeof(CacheLine));  // behind the last column's table
  if (bounded(query)) set_step(query, query.bound.choose_step(kInfinity, group_));
}

void SmallSearch::set_step(Query& query, double step) const {
  query.step = step;
  query.bound.quantize(step, query.losses);
}

void SmallSearch::search_started() {
  const auto count = static_cast<int>(queries_.size());
  const bool together = count == kQueriesTogether && std::all_of(queries_.begin(), queries_.end(),
                                                                 [&](const Query& query) { return bounded(query); });
  if (together) add(queries_.data(), count);
  for (Query& query : queries_) {
    if (!bounded(query)) {
      score_all(query);
    } else {
      if (!together) add(&query, 1);
      scan(query);
    }
  }
}

// The sums of all items; kNoItem for those that may not be returned.
void SmallSearch::add(Query* queries, int count) const {
  for (const Part& part : parts_) {
    AdderTask task = {part.segment->blocks, layout_.block_bytes, layout_.columns, group_, {}, {}};
    for (int i = 0; i < count; ++i) {
      task.losses[i] = queries[i].losses;
      task.sums[i] = queries[i].sums + part.first * kBlock;
    }
    (count == 1 ? adder_->add_one : adder_->add_all)(task, part.end - part.first);
    for (int64_t b = part.segment->keep ? part.first : part.end - 1; b < part.end; ++b) {
      for (uint64_t gone = ~part.segment->kept_rows(b - part.first); gone;) {
        const int row = pop_lowest(gone);
        for (int i = 0; i < count; ++i) queries[i].sums[b * kBlock + row] = kNoItem;
      }
    }
  }
}

// First some n items of the lowest sums, whose scores give a budget; then all that are within it.
void SmallSearch::scan(Query& query) {
  score_those(promising(query), n_ + kFew, query);
  if (finer(query)) refine(query);
  score_those(kNoItem - 1, blocks_ * kBlock, query);
}

// A sum that at least n items, and not many more, do not exceed.
uint16_t SmallSearch::promising(const Query& query) const {
  uint16_t found = kNoItem;
  if (n_ <= kFewLowest) {
    alignas(64) uint16_t lowest[kBlock];
    adder_->lowest(query.sums, blocks_, lowest);
    found = nth_lowest(*adder_, lowest, 1, n_);
  }
  if (found == kNoItem) found = nth_lowest(*adder_, query.sums, blocks_, n_);
  return std::min<uint16_t>(found, kNoItem - 1);
}

// Whether finer steps, now that a budget is known, are worth adding again.
bool SmallSearch::finer(const Query& query) const {
  const double score = query.best.entry_score();
  if (score == -kInfinity || adder_->count(query.sums, blocks_, limit(query)) < kFew + blocks_ * kBlock / kManyItems) {
    return false;
  }
  return query.bound.choose_step(query.bound.budget(score), group_) * kCoarse < query.step;
}

// Adds again in finer steps.
void SmallSearch::refine(Query& query) const {
  std::vector<uint64_t> left(blocks_);
  uint64_t items;
  for (int64_t b = 0; (b = adder_->next(query.sums, b, blocks_, kNoItem - 1, &items)) < blocks_; ++b) left[b] = items;
  set_step(query, query.bound.choose_step(query.bound.budget(query.best.entry_score()), group_));
  add(&query, 1);
  for (int64_t b = 0; b < blocks_; ++b) {
    for (uint64_t done = ~left[b]; done;) query.sums[b * kBlock + pop_lowest(done)] = kNoItem;
  }
}

// The largest sum that an item worth scoring can have.
uint16_t SmallSearch::limit(const Query& query) const {
  const double budget = query.bound.budget(query.best.entry_score());
  return static_cast<uint16_t>(std::min<uint32_t>(Bound::limit(budget, query.step), kNoItem - 1));
}

// Items of sums up to `most`, or up to the limit where that is lower, and no more than `items` and a few of them.
void SmallSearch::score_those(uint16_t most, int64_t items, Query& query) {
  Batch batch(*this, query);
  uint16_t highest = std::min(most, limit(query));
  uint64_t found;
  for (int64_t b = 0; items > 0; ++b) {
    b = adder_->next(query.sums, b, blocks_, highest, &found);
    if (b >= blocks_) break;
    for (; found; --items) {
      uint16_t& sum = query.sums[b * kBlock + pop_lowest(found)];
      if (sum > highest) continue;
      const bool entered = batch.add(b, static_cast<int>(&sum - query.sums) % kBlock);
      sum = kNoItem;
      if (entered) highest = std::min(most, limit(query));
    }
  }
  batch.score();
}

void SmallSearch::score_all(Query& query) {
  Batch batch(*this, query);
  for (const Part& part : parts_) {
    for (int64_t b = part.first; b < part.end; ++b) {
      for (uint64_t items = part.segment->kept_rows(b - part.first); items;) batch.add(b, pop_lowest(items));
    }
  }
  batch.score();
}

// The segment that holds a block.
const SmallSearch::Part& SmallSearch::part_of(int64_t block) const {
  const auto ends_before = [](const Part& part, int64_t place) { return part.end <= place; };
  return *std::lower_bound(parts_.begin(), parts_.end(), block, ends_before);
}

}  // namespace dimco
