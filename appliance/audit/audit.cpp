#include "appliance/audit/audit.h"

#include "web/log.h"

namespace audit {

namespace {

constexpr std::size_t longest_text = 300;

// At the beginning of a character, so that the text stays UTF-8.
void cut(std::string& text) {
  if (text.size() <= longest_text) return;
  std::size_t end = longest_text;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
}

}  // namespace

web::Task<> Audit::note(Entry entry) {
  cut(entry.subject);
  cut(entry.outcome);
  try {
    entry.id = co_await system_.next_id("audit");
    entry.at = store::now();
    auto change = system_.change();
    change.insert(entries, entry);
    co_await change.commit(store::Durability::relaxed);
  } catch (const std::exception& error) {
    web::log::error("audit entry not written", {{"act", entry.act}, {"reason", std::string(error.what())}});
  }
}

std::vector<Entry> Audit::list(std::int64_t after, std::size_t limit) const {
  std::vector<Entry> page;
  if (limit == 0) return page;
  system_.each<Entry, std::int64_t>(entries, [&](const Entry& entry) {
    if (entry.id > after) page.push_back(entry);
    return page.size() < limit;
  });
  return page;
}

web::Task<> Audit::sweep(store::Time now) {
  constexpr std::size_t page = 500;
  for (std::size_t found = page; found == page;) {
    const auto old = system_.find_range(entries, "at", store::Time{}, now - kept, page);
    found = old.size();
    auto change = system_.change();
    for (const Entry& entry : old)
      if (const auto row = system_.get(entries, entry.id)) change.erase(entries, *row);
    co_await change.commit();
  }
}

Entry of_request(const web::Request& request, std::string act, std::string subject) {
  return {.act = std::move(act),
          .outcome = "ok",
          .user_id = request.caller.user_id,
          .subject = std::move(subject),
          .address = request.client_address};
}

}  // namespace audit
