# ccache (by dependencies: without a preprocessor's run of its own) and mold where present, warnings as errors, the sanitizers of the presets.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

find_program(MOLD mold)
if(MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_link_options(-fuse-ld=mold -Wl,-z,keep-text-section-prefix)  # what is hardly ever run apart from the rest
endif()

set(AGENTBOX_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined or thread")
if(AGENTBOX_SANITIZE)
  add_compile_options(-fsanitize=${AGENTBOX_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${AGENTBOX_SANITIZE})
  add_compile_definitions(AGENTBOX_SANITIZED=1 _GLIBCXX_ASSERTIONS)
  if(AGENTBOX_SANITIZE MATCHES "address")
    # A quarter of all compile time together, for what shows anyway: the address sanitizer reports whatever is reached
    # through a null pointer, and what reads bytes has these checks all the same: the store and the fuzzers' targets.
    add_compile_options(-fno-sanitize=null,alignment)
    # The check of dynamic types opens a pipe, and ends a process that has no descriptor left; some tests are about those.
    add_compile_options(-fno-sanitize=vptr)
    # At a fixed address: the undefined sanitizer's tables would be ten million relocations, half a second of every start.
    add_compile_options(-fno-pie)
    add_link_options(-no-pie)
  else()
    add_compile_options(-Wno-tsan)  # Asio's fences, which it cannot see; the mutexes beside them it can
  endif()
endif()

find_package(Threads REQUIRED)

# Every target of ours links this; dependencies do not.
add_library(agentbox_warnings INTERFACE)
target_compile_options(agentbox_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete -Wno-maybe-uninitialized -Wno-missing-field-initializers>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-field-initializers>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND (CMAKE_BUILD_TYPE STREQUAL "Release" OR AGENTBOX_SANITIZE))
  # False alarms of g++ 12 about std::string and std::vector once they are inlined (GCC bug 105651 and its kin).
  target_compile_options(agentbox_warnings INTERFACE
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endif()
target_include_directories(agentbox_warnings INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
