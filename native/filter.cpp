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

const Adder* find_adder(Kernel kernel, const Layout& layout) {
  const Filter* filter = layout.columns <= kMostColumnsAdded ? find_filter(kernel, layout) : nullptr;
  if (!filter) return nullptr;
#ifdef DIMCO_X86
  return kernel == Kernel::kAvx512 ? avx512_adder(filter->width) : avx2_adder(filter->width);
#else
  return nullptr;
#endif
}

}  // namespace dimco
