// The browser console's files, built from web/console and embedded in the binary (cmake/console.cmake generates the
// definition in the build tree).
#pragma once

#include <span>
#include <string_view>

namespace web {

struct Asset {
  std::string_view path;          // as requested: /index.html, /assets/<name>-<hash>.<ext>
  std::string_view content_type;  // with its charset
  std::string_view body;
  std::string_view etag;  // strong, with its quotes; changes when the body does
};

// Every file of the console, sorted by path; valid for the life of the process. Names under /assets/ contain a hash of
// the content, so these files can be cached indefinitely. /index.html is the page of every console address (/, /login,
// /dashboard) and must be revalidated.
std::span<const Asset> console_assets();

}  // namespace web
