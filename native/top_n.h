// The n best items seen: higher scores first, equal scores by the smaller id.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace dimco {

struct Scored {
  double score;
  int64_t id;
};

inline bool better(const Scored& a, const Scored& b) {
  return a.score > b.score || (a.score == b.score && a.id < b.id);
}

// A heap whose root is the worst item kept.
class TopN {
 public:
  explicit TopN(int64_t n) : n_(static_cast<size_t>(n)) { items_.reserve(std::min<size_t>(n_, kReserved)); }

  // The score an item must reach to enter; those below it certainly do not.
  double entry_score() const {
    return items_.size() < n_ ? -std::numeric_limits<double>::infinity() : items_.front().score;
  }

  // True when the item entered.
  bool offer(Scored item) {
    if (items_.size() < n_) {
      items_.push_back(item);
      std::push_heap(items_.begin(), items_.end(), better);
      return true;
    }
    if (!better(item, items_.front())) return false;
    replace_worst(item);
    return true;
  }

  // Best first; the heap is no heap any more.
  const std::vector<Scored>& sort() {
    std::sort(items_.begin(), items_.end(), better);
    return items_;
  }

  const std::vector<Scored>& items() const { return items_; }

 private:
  void replace_worst(Scored item) {
    size_t hole = 0;
    for (size_t child = 1; child < items_.size(); child = 2 * hole + 1) {
      if (child + 1 < items_.size() && better(items_[child], items_[child + 1])) ++child;
      if (!better(item, items_[child])) break;
      items_[hole] = items_[child];
      hole = child;
    }
    items_[hole] = item;
  }

  static constexpr size_t kReserved = 64;

  size_t n_;
  std::vector<Scored> items_;
};

}  // namespace dimco
