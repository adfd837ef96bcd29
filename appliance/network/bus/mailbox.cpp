#include "appliance/network/bus/mailbox.h"

#include "appliance/network/bus/participant.h"

namespace bus {

namespace {

constexpr std::size_t page = 200;

web::Error no_such_letter() { return web::not_found("No such dead letter"); }

// The ids of an agent's messages begin with its id and a slash; a colon follows that.
bool is_of(const Message& message, std::string_view agent) {
  return message.id.starts_with(agent) && message.id.substr(agent.size()).starts_with('/');
}

std::vector<Message> first_messages(const store::Tenant& tenant, const std::string& agent) {
  auto found = tenant.list(messages, {.limit = page, .after = agent + "/"});
  std::erase_if(found, [&](const Message& message) { return !is_of(message, agent); });
  return found;
}

// Erases rows by their ids, as far as they are still there.
template <class R, class Rows>
web::Task<> erase_all(const store::System& system, const store::Owned<R>& table, Rows rows) {
  for (const R& one : rows) {
    const auto row = system.get(table, one.*table.owner, one.*table.id);
    if (!row) continue;
    auto change = system.change();
    change.erase(table, *row);
    co_await change.commit(store::Durability::relaxed);  // stale: changed meanwhile; the next sweep finds it
  }
}

template <class R>
web::Task<> erase_older(const store::System& system, const store::Owned<R>& table, std::string_view index,
                        store::Time limit) {
  for (std::size_t found = page; found == page;) {
    auto old = system.find_range(table, index, store::Time{}, limit, page);
    found = old.size();
    co_await erase_all(system, table, std::move(old));
  }
}

}  // namespace

web::Result<std::vector<Message>> Mailbox::list(store::UserId owner, const std::string& agent,
                                                const Slice& slice) const {
  if (!find_participant(system_, owner, agent)) return web::not_found("No such agent");
  const auto after = slice.before > 0 ? numbered(agent, slice.before) : agent + "0";
  auto found = system_.tenant(owner).list(messages, {.limit = slice.limit, .after = after, .newest_first = true});
  std::erase_if(found, [&](const Message& message) { return !is_of(message, agent); });
  return found;
}

std::vector<Message> Mailbox::unread(store::UserId owner, const std::string& agent, std::size_t limit) const {
  return system_.tenant(owner).find(messages, "unread", agent, limit);
}

web::Task<std::int64_t> Mailbox::mark_read(store::UserId owner, std::string agent, std::vector<std::int64_t> numbers) {
  const auto tenant = system_.tenant(owner);
  std::int64_t marked = 0;
  for (const auto number : numbers) {
    bool was_unread = false;
    const auto mark = [&](Message& message) {
      was_unread = message.unread.has_value();
      message.unread.reset();
    };
    auto id = numbered(agent, number);
    co_await tenant.modify(messages, std::move(id), mark);
    if (was_unread) ++marked;
  }
  co_return marked;
}

std::vector<DeadLetter> Mailbox::dead_letters(store::UserId owner, std::string before, std::size_t limit) const {
  const store::Page newest{.limit = limit, .after = std::move(before), .newest_first = true};
  return system_.tenant(owner).list(bus::dead_letters, newest);
}

web::Task<web::Result<void>> Mailbox::replay(store::UserId owner, std::string dead_letter) {
  const bool replayed = co_await worker_.replay(owner, std::move(dead_letter));
  if (!replayed) co_return no_such_letter();
  co_return web::Result<void>();
}

web::Task<web::Result<void>> Mailbox::drop(store::UserId owner, std::string dead_letter) {
  const auto tenant = system_.tenant(owner);
  const auto row = tenant.get(bus::dead_letters, dead_letter);
  if (!row) co_return no_such_letter();
  auto change = tenant.change();
  change.erase(bus::dead_letters, *row);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) co_return no_such_letter();
  co_return web::Result<void>();
}

web::Task<> Mailbox::forget(store::UserId owner, std::string agent) {
  const auto tenant = system_.tenant(owner);
  for (;;) {
    auto found = first_messages(tenant, agent);
    if (found.empty()) break;
    co_await erase_all(system_, messages, std::move(found));
  }
  auto waiting = tenant.list(deliveries, {.limit = std::size_t(-1)});
  std::erase_if(waiting, [&](const Delivery& delivery) { return delivery.to != agent; });
  co_await erase_all(system_, deliveries, std::move(waiting));
  auto dead = tenant.list(bus::dead_letters, {.limit = std::size_t(-1)});
  std::erase_if(dead, [&](const DeadLetter& letter) { return letter.to != agent; });
  co_await erase_all(system_, bus::dead_letters, std::move(dead));
}

web::Task<> Mailbox::sweep(store::Time now) {
  co_await erase_older(system_, messages, "accepted", now - kept);
  co_await erase_older(system_, sent, "accepted", now - kept);
  co_await erase_older(system_, bus::dead_letters, "died", now - kept);
}

}  // namespace bus
