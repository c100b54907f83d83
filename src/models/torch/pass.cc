#include "models/torch/pass.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace coterie::torch_models {
namespace {

// OpenBLAS has threads of its own, which OpenMP's settings do not reach. Other libraries have none.
bool calm_blas() {
  if (void* function = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(function)(1);
  return true;
}

}  // namespace

void use_one_thread() {
  static const bool calm = calm_blas();
  // OpenMP keeps its number of threads for each thread that begins a region.
  static thread_local const bool done = [] {
    at::set_num_threads(1);
    return true;
  }();
  static_cast<void>(calm && done);
}

}  // namespace coterie::torch_models
