# Release builds: what makes errors in memory harder to exploit, and the same bytes wherever they are built.
# hardening_flags is what `agentbox version` reports; tests/packages/binary.test.mjs reads the result.
include_guard()

set(hardening_flags "")
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT AGENTBOX_SANITIZE)
  set(hardening_flags -fstack-protector-strong -fstack-clash-protection -fPIE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
                      -D_GLIBCXX_ASSERTIONS)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND hardening_flags -fcf-protection)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    list(APPEND hardening_flags -mbranch-protection=standard)
  endif()
  add_compile_options(${hardening_flags})
  add_link_options(-pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

  # No path of this machine. ccache makes paths relative to the build tree, a compiler alone leaves them absolute.
  file(RELATIVE_PATH upwards ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
  string(REGEX REPLACE "/$" "" upwards "${upwards}")  # else it would end in two slashes, which match nothing
  add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${upwards}/=)
endif()
