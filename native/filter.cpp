// The choice of a filter at run time.
#include "filter.h"

namespace dimco {

bool usable(Kernel kernel) {
  switch (kernel) {
    case Kernel::kPortable:
      return true;
#ifdef DIMCO_X86
    case Kernel::kAvx2:
      return __builtin_cpu_supports("avx2");
    case Kernel::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vbmi");
#endif
    default:
      return false;
  }
}

const Filter* find_filter(Kernel kernel, const Layout& layout) {
#ifdef DIMCO_X86
  if (layout.bits <= 8 && kernel == Kernel::kAvx2) return avx2_filter(layout);
  if (layout.bits <= 8 && kernel == Kernel::kAvx512) return avx512_filter(layout);
#endif
  static_cast<void>(kernel);
  static_cast<void>(layout);
  return nullptr;
}

}  // namespace dimco
