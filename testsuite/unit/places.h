// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the build has put what tests load. Constants of a file that CMake writes, not macros: a test's object
// is then the same in each clone, and ccache has it.
#ifndef AGGLOM_UNIT_PLACES_H
#define AGGLOM_UNIT_PLACES_H

extern const char gpu_in_software_path[]; // its libcuda.so.1
extern const char old_cuda_path[];        // a libcuda.so.1 that is too old
extern const char fake_nvml_path[];
extern const char fake_profiler_path[];

#endif
