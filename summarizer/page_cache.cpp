#include "summarizer/page_cache.h"

namespace summarizer {
namespace {

std::size_t size_of(const std::string& url, const KnownPage& known) {
  return 2 * url.size() + known.page.bytes.size() + known.page.url.size() + known.page.content_type.size() +
         known.etag.size() + known.last_modified.size() + sizeof(KnownPage);
}

}  // namespace

std::shared_ptr<const KnownPage> PageCache::find(const std::string& url) {
  const std::lock_guard lock(mutex_);
  const auto found = by_url_.find(url);
  if (found == by_url_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->known;
}

void PageCache::keep(const std::string& url, KnownPage known) {
  const auto size = size_of(url, known);
  const std::lock_guard lock(mutex_);
  if (const auto found = by_url_.find(url); found != by_url_.end()) forget(found->second);
  if (size > max_bytes_ / 4) return;
  entries_.push_front({.url = url, .known = std::make_shared<const KnownPage>(std::move(known))});
  by_url_.emplace(url, entries_.begin());
  bytes_ += size;
  while (bytes_ > max_bytes_) forget(std::prev(entries_.end()));
}

void PageCache::forget(std::list<Entry>::iterator entry) {
  bytes_ -= size_of(entry->url, *entry->known);
  by_url_.erase(entry->url);
  entries_.erase(entry);
}

}  // namespace summarizer
