# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The runtime for programs under ThreadSanitizer and MemorySanitizer, which have to see all accesses to memory:
# libagglomrt-tsan and libagglomrt-msan, static and shared. agglomcc links them under -fsanitize=thread and =memory.
# They are compiled by the Clang that agglomcc has for its host compiler, whatever compiles the rest.
set(instrumented_flags -std=c11 -O2 -gline-tables-only -DNDEBUG -fPIC -fno-omit-frame-pointer -w
  -fdebug-compilation-dir=. "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
set(instrumented_includes "$<TARGET_PROPERTY:agglomrt_objects,INCLUDE_DIRECTORIES>")
set(instrumented_defines "$<TARGET_PROPERTY:agglomrt_objects,COMPILE_DEFINITIONS>")
set(instrumented_outputs)

function(agglom_instrumented suffix)
  # Clang has no such sanitizer for some machines.
  execute_process(COMMAND "${ClangLibs_CLANG}" ${ARGN} -fsyntax-only -x c /dev/null
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status)
    return()
  endif()
  set(objects)
  foreach(source IN LISTS runtime_sources policy_sources)
    file(RELATIVE_PATH name "${CMAKE_CURRENT_SOURCE_DIR}/src" "${source}")
    set(object "${CMAKE_CURRENT_BINARY_DIR}/instrumented${suffix}/${name}.o")
    cmake_path(GET object PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(OUTPUT "${object}"
      COMMAND ${CMAKE_C_COMPILER_LAUNCHER} "${ClangLibs_CLANG}" ${instrumented_flags} ${ARGN} "-D$<JOIN:${instrumented_defines},;-D>"
              "-I$<JOIN:${instrumented_includes},;-I>" -MD -MF "${object}.d" -c "${source}" -o "${object}"
      DEPENDS "${source}" DEPFILE "${object}.d" COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  set(dir "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}")
  set(archive "${dir}/libagglomrt${suffix}.a")
  set(shared "libagglomrt${suffix}.so")
  add_custom_command(OUTPUT "${archive}"
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${archive}"
    COMMAND "${CMAKE_AR}" qcs "${archive}" ${objects}
    DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM)
  # What the sanitizer itself offers comes from the program.
  add_custom_command(OUTPUT "${dir}/${shared}" "${dir}/${shared}.${agglom_abi}" "${dir}/${shared}.${agglom_abi}.${PROJECT_VERSION}"
    COMMAND "${ClangLibs_CLANG}" -shared "-Wl,-soname,${shared}.${agglom_abi}"
            "-Wl,--version-script,${CMAKE_CURRENT_SOURCE_DIR}/agglomrt.map"
            ${objects} -pthread -ldl -lm -o "${dir}/${shared}.${agglom_abi}.${PROJECT_VERSION}"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink "${shared}.${agglom_abi}.${PROJECT_VERSION}" "${dir}/${shared}.${agglom_abi}"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink "${shared}.${agglom_abi}" "${dir}/${shared}"
    DEPENDS ${objects} agglomrt.map COMMAND_EXPAND_LISTS VERBATIM)
  set(files "${archive}" "${dir}/${shared}" "${dir}/${shared}.${agglom_abi}" "${dir}/${shared}.${agglom_abi}.${PROJECT_VERSION}")
  install(FILES ${files} DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  set(instrumented_outputs ${instrumented_outputs} ${files} PARENT_SCOPE)
endfunction()

# gcc's runtime lacks Clang's names for memcpy() and its like; the plain ones are intercepted by both.
agglom_instrumented(-tsan -fsanitize=thread -mllvm -tsan-instrument-memintrinsics=0)
agglom_instrumented(-msan -fsanitize=memory "-fsanitize-ignorelist=${CMAKE_CURRENT_SOURCE_DIR}/msan.ignore")
add_custom_target(agglomrt_instrumented ALL DEPENDS ${instrumented_outputs})
