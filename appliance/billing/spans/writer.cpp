#include "appliance/billing/spans/writer.h"

#include <algorithm>
#include <set>

namespace spans {

namespace {

constexpr std::int64_t trimmed_at_once = 1'000;

store::Time end_of(const Span& span) {
  return span.started_at +
         std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::microseconds(span.duration_us.value_or(0)));
}

// A turn of an agent: a message that it answered. Agents elsewhere may call their turns otherwise.
bool is_turn(const Span& span) { return span.type == Type::plan || (span.is_foreign && span.parent_id.empty()); }

void take_root(Trace& trace, const Span& span) {
  trace.has_root = span.parent_id.empty();
  trace.name = span.name;
  trace.type = span.type;
  trace.agent = span.agent;
  trace.is_foreign = span.is_foreign;
}

Trace new_trace(const Span& span) {
  Trace trace;
  trace.owner = span.owner;
  trace.id = row_id(span.started_at, span.trace_id);
  trace.trace_id = span.trace_id;
  trace.started_at = span.started_at;
  trace.ended_at = end_of(span);
  take_root(trace, span);
  return trace;
}

Activity new_activity(const Span& span) {
  Activity activity;
  activity.owner = span.owner;
  activity.id = activity_id(span);
  activity.is_foreign = span.is_foreign;
  return activity;
}

}  // namespace

web::Task<> Writer::write(Batch batch) {
  for (;;) {
    const auto edits = edits_of(batch);
    if (edits.fresh.empty() && edits.links.empty()) co_return;
    const bool is_written = co_await commit(edits);
    if (!is_written) continue;  // an agent was deleted meanwhile
    for (const auto& [owner, added] : edits.counts) co_await trim(owner);
    co_return;
  }
}

Writer::Edits Writer::edits_of(const Batch& batch) const {
  Edits edits;
  std::set<Key> seen;
  for (const auto& [message, number] : batch.sent) add_to_link(edits, message, number);
  for (const auto& span : batch.spans) {
    if (!seen.emplace(span.owner, span.id).second || system_.get(table, span.owner, span.id)) continue;
    edits.fresh.push_back(&span);
    ++edits.counts[span.owner];
    add_to_trace(edits, span);
    if (!span.agent.empty()) add_to_activity(edits, span);
  }
  return edits;
}

void Writer::add_to_trace(Edits& edits, const Span& span) const {
  const Key key{span.owner, span.trace_id};
  auto found = edits.traces.find(key);
  if (found == edits.traces.end()) {
    const auto stored = system_.tenant(span.owner).find(traces, "trace", span.trace_id, 1);
    auto row = stored.empty() ? std::nullopt : system_.get(traces, span.owner, stored.front().id);
    Edited<Trace> edited{.row = row ? std::move(*row) : store::Row<Trace>{.value = new_trace(span), .stored = {}},
                         .is_new = !row};
    found = edits.traces.emplace(key, std::move(edited)).first;
  }
  auto& trace = found->second.row.value;
  if (!trace.has_root && (span.parent_id.empty() || span.started_at < trace.started_at)) take_root(trace, span);
  trace.started_at = std::min(trace.started_at, span.started_at);
  trace.ended_at = std::max(trace.ended_at, end_of(span));
  ++trace.spans;
  if (span.status == Status::error) ++trace.errors;
  trace.input_tokens += span.input_tokens.value_or(0);
  trace.output_tokens += span.output_tokens.value_or(0);
  trace.cost += span.cost;
}

void Writer::add_to_activity(Edits& edits, const Span& span) const {
  const Key key{span.owner, activity_id(span)};
  auto found = edits.activities.find(key);
  if (found == edits.activities.end()) {
    auto row = system_.get(activities, span.owner, key.second);
    if (!row && span.is_foreign) {
      auto& added = edits.foreign[span.owner];
      if (system_.counter(span.owner, foreign_count) + added >= limits_.max_foreign) return;
      ++added;
    }
    Edited<Activity> edited{
        .row = row ? std::move(*row) : store::Row<Activity>{.value = new_activity(span), .stored = {}}, .is_new = !row};
    found = edits.activities.emplace(key, std::move(edited)).first;
  }
  auto& activity = found->second.row.value;
  if (span.type != Type::monitor || span.is_foreign) activity.last_at = std::max(activity.last_at, end_of(span));
  if (!is_turn(span)) return;
  ++activity.turns;
  activity.recent.push_back(span.status == Status::error ? '0' : '1');
  if (activity.recent.size() > recent_turns) activity.recent.erase(0, activity.recent.size() - recent_turns);
  add(activity.messages, span.started_at);
}

void Writer::add_to_link(Edits& edits, const Sent& message, std::size_t number) const {
  const auto id = link_id(message.from, message.to);
  auto row = system_.get(links, message.owner, id);
  Edited<Link> edited{.is_new = !row};
  if (row)
    edited.row = std::move(*row);
  else
    edited.row.value = {.owner = message.owner, .id = id, .from = message.from, .to = message.to, .messages = {}};
  add(edited.row.value.messages, store::now(), static_cast<std::int64_t>(number));
  edits.links.push_back(std::move(edited));
}

web::Task<bool> Writer::commit(const Edits& edits) const {
  auto change = system_.change();
  const auto put = [&change](const auto& table_of, const auto& edited) {
    if (edited.is_new)
      change.insert(table_of, edited.row.value);
    else
      change.update(table_of, edited.row);
  };
  for (const auto* span : edits.fresh) change.insert_new(table, *span);
  for (const auto& [key, trace] : edits.traces) put(traces, trace);
  for (const auto& [key, activity] : edits.activities) put(activities, activity);
  for (const auto& link : edits.links) put(links, link);
  for (const auto& [owner, added] : edits.counts) change.add(owner, count, added);
  for (const auto& [owner, added] : edits.foreign)
    if (added > 0) change.add(owner, foreign_count, added);
  const auto outcome = co_await change.commit(store::Durability::relaxed);
  co_return outcome.ok();
}

web::Task<> Writer::trim(store::UserId owner) {
  const auto excess = system_.counter(owner, count) - limits_.max_kept;
  if (excess <= std::min(trimmed_at_once, limits_.max_kept / 10)) co_return;
  const auto tenant = system_.tenant(owner);
  auto& trimmed_to = trimmed_to_[owner];
  const store::Page page{.limit = static_cast<std::size_t>(std::min(excess, trimmed_at_once)), .after = trimmed_to};
  const auto oldest = tenant.list(table, page);
  if (oldest.empty()) co_return;
  auto change = system_.change();
  for (const auto& span : oldest)
    if (const auto row = tenant.get(table, span.id)) change.erase(table, *row);
  change.add(owner, count, -static_cast<std::int64_t>(oldest.size()));
  trimmed_to = oldest.back().id;
  for (const auto& trace : tenant.list(traces, {.limit = oldest.size()})) {
    if (trace.id > trimmed_to) break;
    if (const auto row = tenant.get(traces, trace.id)) change.erase(traces, *row);
  }
  const auto outcome = co_await change.commit(store::Durability::relaxed);
  if (!outcome.ok()) throw std::logic_error("the spans have another writer");
}

}  // namespace spans
