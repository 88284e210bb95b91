// What Python sees, through ctypes. No exception leaves: running out of memory is a null pointer or -1.
#include <new>

#include "array.h"
#include "search.h"
#include "small_search.h"

#if defined(_WIN32)
#define DIMCO_API extern "C" __declspec(dllexport)
#else
#define DIMCO_API extern "C" __attribute__((visibility("default")))
#endif

using dimco::Kernel;
using dimco::Search;
using dimco::Segment;
using dimco::SmallSearch;

DIMCO_API int dimco_kernel_usable(int kernel) { return dimco::usable(static_cast<Kernel>(kernel)); }

DIMCO_API Search* dimco_search_new(int kernel, int k, int d, const float* tables, int64_t queries, int64_t n,
                                   const Segment* segments, int64_t segment_count, int64_t part, int64_t parts) {
  try {
    return new Search(static_cast<Kernel>(kernel), dimco::Layout(k, d), tables, queries, n, segments, segment_count,
                      part, parts);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Before the first step of a search of one query.
DIMCO_API void dimco_search_floor(Search* search, double floor) { search->set_floor(floor); }

// 1: there is more to do; 0: done; -1: out of memory.
DIMCO_API int dimco_search_step(Search* search) {
  try {
    return search->step();
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

DIMCO_API int64_t dimco_search_found(const Search* search) { return search->found(); }

DIMCO_API void dimco_search_results(const Search* search, int64_t* ids, double* scores) {
  search->results(ids, scores);
}

DIMCO_API int64_t dimco_search_scored(const Search* search) { return search->scored(); }

DIMCO_API void dimco_search_delete(Search* search) { delete search; }

// A small search in one call, for which the calls of the others would take longer than the work: what dimco_search_new
// to dimco_search_results do. How many were found, each query's first at ids + query * found; -1: out of memory.
DIMCO_API int64_t dimco_search_small(int kernel, int k, int d, const float* tables, int64_t queries, int64_t n,
                                     const Segment* segments, int64_t segment_count, int64_t* ids, double* scores,
                                     int64_t* scored) {
  try {
    const auto chosen = static_cast<Kernel>(kernel);
    const dimco::Layout layout(k, d);
    SmallSearch small(chosen, layout, n, segments, segment_count);
    if (small.possible()) {
      small.find_all(tables, queries, ids, scores);
      *scored = small.scored();
      return small.found();
    }
    Search search(chosen, layout, tables, queries, n, segments, segment_count, 0, 1);
    while (search.step()) {
    }
    search.results(ids, scores);
    *scored = search.scored();
    return search.found();
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

// Where small searches look.
struct Place {
  int kernel, k, d;
  const Segment* segments;
  int64_t segment_count;
};

static SmallSearch small_search(const Place& place, int64_t n) {
  return {static_cast<Kernel>(place.kernel), dimco::Layout(place.k, place.d), n, place.segments, place.segment_count};
}

// Whether dimco_search_table can search there; -1: out of memory.
DIMCO_API int dimco_place_usable(const Place* place) {
  try {
    return small_search(*place, 1).possible();
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

// A search, in a usable place, for one table as numpy holds it, which is checked here. How many were found; -1: out of
// memory; -2: no plain table of numbers to search with, which is for others to read and to say.
DIMCO_API int64_t dimco_search_table(const Place* place, const dimco::Array* table, int64_t n, int64_t* ids,
                                     double* scores) {
  constexpr int64_t kOthers = -2;
  if (!table->is_table(place->d, place->k)) return kOthers;
  try {
    SmallSearch search = small_search(*place, n);
    return search.find(static_cast<const float*>(table->data), ids, scores) ? search.found() : kOthers;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}
