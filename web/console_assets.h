// The browser console's files, built from web/console and embedded in the binary (cmake/console.cmake generates the
// definition in the build tree).
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace web {

// The same content in one coding. The tags of a file's variants differ.
struct AssetVariant {
  std::string_view coding;  // br or gzip; empty: as it is
  std::string_view body;
  std::string_view etag;  // strong, with its quotes; changes when the body does
};

struct Asset {
  std::string_view path;          // as requested: /index.html, /assets/<name>-<hash>.<ext>
  std::string_view content_type;  // with its charset
  // The best first; the last one is the file as it is.
  std::array<AssetVariant, 3> variants;
};

// Every file of the console, sorted by path; valid for the life of the process. Names under /assets/ contain a hash of
// the content, so these files can be cached indefinitely. /index.html is the page of every console address and
// must be revalidated.
std::span<const Asset> console_assets();

}  // namespace web
