// A cache of fetched pages, for conditional requests.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "summarizer/page.h"

namespace summarizer {

struct KnownPage {
  Page page;
  std::string etag, last_modified;  // as the server sent them; one of them is not empty
};

// The most recently used pages within a number of bytes. Callable from every thread.
class PageCache {
 public:
  explicit PageCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // The page last stored under this requested address; null if there is none.
  std::shared_ptr<const KnownPage> find(const std::string& url);
  // Replaces the entry of the address. A page larger than a quarter of the cache is not stored, and its entry is
  // removed.
  void keep(const std::string& url, KnownPage);
  bool is_on() const { return max_bytes_ > 0; }

 private:
  struct Entry {
    std::string url;
    std::shared_ptr<const KnownPage> known;
  };
  void forget(std::list<Entry>::iterator);

  const std::size_t max_bytes_;
  std::mutex mutex_;          // guards all below
  std::list<Entry> entries_;  // the most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_url_;
  std::size_t bytes_ = 0;
};

}  // namespace summarizer
