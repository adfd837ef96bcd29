// Fetches pages from untrusted addresses.
#pragma once

#include <string>

#include "summarizer/egress.h"
#include "summarizer/options.h"
#include "web/result.h"
#include "web/task.h"

namespace summarizer {

struct Page {
  std::string url;           // after redirects
  std::string content_type;  // as the server sent it; may be empty
  std::string bytes;         // decompressed, in the page's own encoding
};

class PageCache;

// GET within 10 s, at most 10 redirects and 10 MB, HTML or XHTML only (or no type at all). A cached page is requested
// with its validators and used if the server answers that it is unchanged. Every failure is Kind::internal with a
// sentence, since the contract requires 500.
// With a list of hosts each redirect is held against it too, and the cache is not used.
web::Task<web::Result<Page>> fetch_page(std::string url, Egress egress, std::string agent, const Options& options,
                                        PageCache& cache);

}  // namespace summarizer
