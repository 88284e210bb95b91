// What Python sees, through ctypes. No exception leaves: running out of memory is a null pointer or -1.
#include <new>

#include "search.h"

#if defined(_WIN32)
#define DIMCO_API extern "C" __declspec(dllexport)
#else
#define DIMCO_API extern "C" __attribute__((visibility("default")))
#endif

using dimco::Kernel;
using dimco::Search;
using dimco::Segment;

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
    Search search(static_cast<Kernel>(kernel), dimco::Layout(k, d), tables, queries, n, segments, segment_count, 0, 1);
    while (search.step()) {
    }
    search.results(ids, scores);
    *scored = search.scored();
    return search.found();
  } catch (const std::bad_alloc&) {
    return -1;
  }
}
