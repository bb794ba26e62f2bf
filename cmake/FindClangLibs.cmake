# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds one LLVM under AGGLOM_LLVM_PREFIX and defines the target ClangLibs::ClangLibs: headers and the
# shared libclang-cpp and libLLVM. LLVM's own CMake package is not used, because it insists on the
# development files of everything LLVM was built with, none of which we need.

set(_llvm_include "${AGGLOM_LLVM_PREFIX}/include")
find_program(ClangLibs_CLANG NAMES clang PATHS "${AGGLOM_LLVM_PREFIX}/bin" NO_DEFAULT_PATH)
find_library(ClangLibs_CLANG_CPP NAMES clang-cpp PATHS "${AGGLOM_LLVM_PREFIX}/lib" NO_DEFAULT_PATH)
find_library(ClangLibs_LLVM NAMES LLVM LLVM-${AGGLOM_LLVM_VERSION} PATHS "${AGGLOM_LLVM_PREFIX}/lib"
             NO_DEFAULT_PATH)
find_path(ClangLibs_INCLUDE_DIR NAMES clang/AST/ASTContext.h PATHS "${_llvm_include}" NO_DEFAULT_PATH)

set(ClangLibs_VERSION "")
if(EXISTS "${_llvm_include}/llvm/Config/llvm-config.h")
  file(STRINGS "${_llvm_include}/llvm/Config/llvm-config.h" _line REGEX "define LLVM_VERSION_STRING ")
  string(REGEX REPLACE ".*\"([0-9.]+).*\".*" "\\1" ClangLibs_VERSION "${_line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ClangLibs
  REQUIRED_VARS ClangLibs_CLANG ClangLibs_CLANG_CPP ClangLibs_LLVM ClangLibs_INCLUDE_DIR
  VERSION_VAR ClangLibs_VERSION
  REASON_FAILURE_MESSAGE
    "looked for Clang ${AGGLOM_LLVM_VERSION} in ${AGGLOM_LLVM_PREFIX}. On Debian: apt install \
clang-${AGGLOM_LLVM_VERSION} libclang-${AGGLOM_LLVM_VERSION}-dev llvm-${AGGLOM_LLVM_VERSION}-dev \
(and libclang-cpp${AGGLOM_LLVM_VERSION}-dev where it exists), or run scripts/bootstrap. Elsewhere: set AGGLOM_LLVM_PREFIX.")

if(ClangLibs_FOUND AND NOT TARGET ClangLibs::ClangLibs)
  string(REGEX MATCH "^[0-9]+" _major "${ClangLibs_VERSION}")
  if(_major LESS 19 OR _major GREATER 22)
    message(FATAL_ERROR "Clang ${ClangLibs_VERSION} in ${AGGLOM_LLVM_PREFIX}: agglom is built with Clang 19 to 22; "
                        "choose another with -DAGGLOM_LLVM_VERSION=N or -DAGGLOM_LLVM_PREFIX=PATH")
  endif()
  if(NOT _major EQUAL AGGLOM_LLVM_VERSION)
    message(FATAL_ERROR "AGGLOM_LLVM_VERSION is ${AGGLOM_LLVM_VERSION}, but ${AGGLOM_LLVM_PREFIX} holds LLVM ${_major}. "
                        "If this build folder was made for another LLVM, use a new one.")
  endif()
  add_library(ClangLibs::ClangLibs INTERFACE IMPORTED)
  set_target_properties(ClangLibs::ClangLibs PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${ClangLibs_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "_GNU_SOURCE;__STDC_CONSTANT_MACROS;__STDC_FORMAT_MACROS;__STDC_LIMIT_MACROS"
    INTERFACE_LINK_LIBRARIES "${ClangLibs_CLANG_CPP};${ClangLibs_LLVM}")
endif()
mark_as_advanced(ClangLibs_CLANG ClangLibs_CLANG_CPP ClangLibs_LLVM ClangLibs_INCLUDE_DIR)
