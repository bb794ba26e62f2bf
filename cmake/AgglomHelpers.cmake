# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Small functions that the CMakeLists.txt files share.

# Warnings of this project: none is tolerated.
function(agglom_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  if(AGGLOM_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# Sanitizers, where AGGLOM_SANITIZE asks for them.
function(agglom_sanitize target)
  if(AGGLOM_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${AGGLOM_SANITIZE} -fno-omit-frame-pointer
                           -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${AGGLOM_SANITIZE})
  endif()
endfunction()

# Shows the headers of a source folder in <build>/include, so that the build folder can be used like
# an installation, and installs them.
function(agglom_public_headers dir)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${dir}" "${dir}/*.h" "${dir}/agglom/*.h"
       "${dir}/agglom/*/*.h")
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH folder)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include/${folder}")
    file(CREATE_LINK "${dir}/${header}" "${PROJECT_BINARY_DIR}/include/${header}" SYMBOLIC)
    install(FILES "${dir}/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
  endforeach()
endfunction()
