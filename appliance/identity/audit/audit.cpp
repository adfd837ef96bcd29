#include "appliance/identity/audit/audit.h"

#include "appliance/foundation/reverse_paging.h"
#include "web/log.h"

namespace audit {

namespace {

constexpr std::size_t max_text = 300;

// At the beginning of a character: the text stays UTF-8.
void truncate(std::string& text) {
  if (text.size() <= max_text) return;
  std::size_t end = max_text;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
}

}  // namespace

web::Task<> Audit::note(Entry entry) {
  truncate(entry.subject);
  truncate(entry.outcome);
  try {
    entry.id = co_await system_.next_id("audit");
    entry.at = store::now();
    auto change = system_.change();
    change.insert(entries, entry);
    co_await change.commit(store::Durability::relaxed);
  } catch (const std::exception& error) {
    web::log::error("audit_entry_not_written", {{"act", entry.act}, {"reason", std::string(error.what())}});
  }
}

std::vector<Entry> Audit::list(std::int64_t after, std::size_t limit) const {
  const auto last = system_.get(entries, after);
  const store::Time from = last ? last->value.at : store::Time{};
  std::vector<Entry> page;
  for (std::size_t most = limit + 100;; most *= 2) {
    page = system_.find_range(entries, "at", from, store::Time::max(), most);
    const bool is_all = page.size() < most;
    std::erase_if(page, [&](const Entry& entry) { return (!last || entry.at == from) && entry.id <= after; });
    if (is_all || page.size() >= limit) break;
  }
  if (page.size() > limit) page.resize(limit);
  return page;
}

std::vector<Entry> Audit::newest(std::optional<std::int64_t> before, std::size_t limit) const {
  std::optional<Entry> from;
  if (before) {
    auto row = system_.get(entries, *before);
    if (!row) return {};
    from = std::move(row->value);
  }
  return agentbox::newest(system_, entries, "at", &Entry::at, from, limit);
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

Actor actor_of(const web::Request& request) { return {request.caller, request.client_address}; }

Entry entry_by(const Actor& actor, std::string act, std::string subject) {
  return {.act = std::move(act),
          .outcome = "ok",
          .user_id = actor.caller.user_id,
          .subject = std::move(subject),
          .address = actor.address};
}

Entry of_request(const web::Request& request, std::string act, std::string subject) {
  return entry_by(actor_of(request), std::move(act), std::move(subject));
}

}  // namespace audit
