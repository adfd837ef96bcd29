# One interface target for each library. Static archives wherever Debian ships them, so that the binary needs only
# libc, OpenSSL, libcurl and what libcurl itself brings (libgssapi, libidn2) from the system.
include_guard()

function(static_library target)
  cmake_parse_arguments(ARG "" "" "ARCHIVES;SHARED" ${ARGN})
  add_library(${target} INTERFACE)
  foreach(name IN LISTS ARG_ARCHIVES)
    find_library(${target}_${name} NAMES lib${name}.a REQUIRED)
    target_link_libraries(${target} INTERFACE ${${target}_${name}})
  endforeach()
  target_link_libraries(${target} INTERFACE ${ARG_SHARED})
endfunction()

find_package(OpenSSL 3 REQUIRED)
find_package(CURL REQUIRED)
find_library(IDN2 idn2 REQUIRED)
find_package(CLI11 REQUIRED)

set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.81 REQUIRED COMPONENTS json url)

add_library(dep_boost STATIC cmake/boost_sources.cpp)
target_link_libraries(dep_boost PUBLIC Boost::json Boost::url OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
target_compile_definitions(dep_boost PUBLIC
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_DISABLE_STD_ALIGNED_ALLOC BOOST_ASIO_DISABLE_BOOST_ALIGN  # operator new aligns as well, and is faster
  BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=8)   # a request's coroutines nest deeper than the usual 2 frames

# What nearly every unit of ours includes, precompiled once, with the very flags of those units.
target_link_libraries(dep_boost PRIVATE agentbox_warnings)
target_precompile_headers(dep_boost PRIVATE <cmake/precompiled.h>)  # no absolute path: see units.cmake
function(use_precompiled_headers)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM dep_boost)
    compile_in_units(${target})
  endforeach()
endfunction()

static_library(dep_rocksdb ARCHIVES rocksdb snappy lz4 zstd bz2 z SHARED Threads::Threads dl)
static_library(dep_git2 ARCHIVES git2 mbedtls mbedx509 mbedcrypto http_parser pcre2-8 pcre ssh2 z
               SHARED gssapi_krb5 OpenSSL::SSL OpenSSL::Crypto)
# See regexp.cpp, open.cpp and bounds.cpp of appliance/files/explorer/git.
foreach(mended git_regexp_match p_open p_mmap git_odb_read git_odb_read_prefix git_diff_find_similar)
  target_link_options(dep_git2 INTERFACE -Wl,--wrap=${mended},--undefined=__wrap_${mended})
endforeach()
static_library(dep_ssh ARCHIVES ssh z SHARED gssapi_krb5 OpenSSL::Crypto)
static_library(dep_zlib ARCHIVES z)
static_library(dep_brotli ARCHIVES brotlidec brotlicommon)
static_library(dep_gumbo ARCHIVES gumbo)
static_library(dep_re2 ARCHIVES re2 SHARED Threads::Threads)
static_library(dep_secp256k1 ARCHIVES secp256k1)
static_library(dep_nettle ARCHIVES nettle)   # Keccak: OpenSSL has it from 3.2 on
static_library(dep_argon2 ARCHIVES argon2 SHARED Threads::Threads)
static_library(dep_seccomp ARCHIVES seccomp)
static_library(dep_yaml ARCHIVES yaml)
static_library(dep_minizip ARCHIVES minizip z)
static_library(dep_expat ARCHIVES expat)
static_library(dep_archive ARCHIVES archive zstd)
# A model call takes 9 percent less processor time than with glibc's malloc, for some 3 MB of memory.
static_library(dep_jemalloc ARCHIVES jemalloc_pic SHARED Threads::Threads dl m)

add_library(dep_spdlog INTERFACE)   # header-only: Debian ships no static archive of it
target_compile_definitions(dep_spdlog INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)

add_link_options(-static-libgcc)
if(NOT AGENTBOX_SANITIZE)
  add_link_options(-static-libstdc++)
endif()
