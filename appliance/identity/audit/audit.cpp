#include "appliance/identity/audit/audit.h"

#include <algorithm>

#include "appliance/access/acting_as.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/reverse_paging.h"
#include "appliance/identity/audit/chain.h"
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
    co_await append(entry);
  } catch (const std::exception& error) {
    web::log::error("audit_entry_not_written", {{"act", entry.act}, {"reason", std::string(error.what())}});
  }
}

// One order for all: the end of the chain is a precondition of each change, and of two writers the later one starts
// again.
web::Task<> Audit::append(Entry& entry) {
  entry.salt = crypto::random_hex(16);
  for (;;) {
    const auto end = system_.get(chain_points, end_point);
    entry.id = end ? end->value.entry_id + 1 : co_await system_.next_id("audit");
    entry.previous = end ? end->value.hash : std::string(before_first);
    entry.at = store::now();
    seal(entry);
    auto change = system_.change();
    change.insert(entries, entry);
    const ChainPoint reached{.name = end_point, .entry_id = entry.id, .hash = entry.hash};
    if (end) {
      auto row = *end;
      row.value = reached;
      change.update(chain_points, row);
    } else {
      change.insert(chain_points, reached);
      change.insert(chain_points, ChainPoint{.name = start_point, .entry_id = entry.id, .hash = entry.previous});
    }
    const auto outcome = co_await change.commit(store::Durability::relaxed);
    if (outcome.ok()) co_return;
    const auto now = system_.get(chain_points, end_point);
    const bool is_moved = now && (!end || now->value.hash != end->value.hash);
    if (!is_moved) throw std::logic_error("an entry has the id " + std::to_string(entry.id) + " already");
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

std::vector<std::int64_t> Audit::concerning(store::UserId user, const std::vector<std::string>& subjects) const {
  std::vector<std::int64_t> found;
  system_.each(entries, [&](const Entry& entry) {
    const bool is_of_user = user != 0 && entry.user_id == user;
    const bool has_subject = !entry.subject.empty() && std::ranges::find(subjects, entry.subject) != subjects.end();
    if (is_of_user || has_subject) found.push_back(entry.id);
    return true;
  });
  return found;
}

web::Task<std::size_t> Audit::erase_personal_data(std::vector<std::int64_t> ids) {
  std::size_t erased = 0;
  for (const auto id : ids) {
    bool has_any = false;
    const auto edited = co_await system_.modify(entries, id, [&](Entry& entry) {
      has_any = entry.user_id != 0 || !entry.subject.empty() || !entry.address.empty() || !entry.acting_as.empty();
      entry.user_id = 0;
      for (auto* text : {&entry.subject, &entry.address, &entry.acting_as, &entry.salt}) text->clear();
    });
    if (edited && has_any) ++erased;
  }
  co_return erased;
}

Actor actor_of(const web::Request& request) {
  Actor actor{.caller = request.caller, .address = request.client_address, .by = {}, .acting_as = {}};
  const auto& credential = request.caller.credential;
  if (request.caller.user_id != 0 && request.caller.admin && request.route.starts_with("/api/admin/"))
    actor.by = std::string(agentbox::admin_caller) + std::to_string(request.caller.user_id);
  const bool is_of_backend =
      credential == agentbox::internal_caller || credential.starts_with(agentbox::operator_caller);
  if (request.caller.user_id != 0 || !is_of_backend) return actor;
  actor.by = credential;
  const auto name = request.header(agentbox::acting_as_header);
  actor.acting_as = agentbox::recordable(name.empty() ? request.header(agentbox::user_email_header) : name);
  return actor;
}

Entry entry_by(const Actor& actor, std::string act, std::string subject) {
  return {.act = std::move(act),
          .outcome = "ok",
          .user_id = actor.caller.user_id,
          .subject = std::move(subject),
          .address = actor.address,
          .by = actor.by,
          .acting_as = actor.acting_as};
}

Entry of_request(const web::Request& request, std::string act, std::string subject) {
  return entry_by(actor_of(request), std::move(act), std::move(subject));
}

}  // namespace audit
