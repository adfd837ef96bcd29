#include "appliance/identity/audit/signed_heads.h"

#include <algorithm>

#include "appliance/foundation/crypto/random.h"
#include "web/log.h"

namespace audit {

namespace {

const std::string anchor_id = "anchor";

std::string head_id(std::int64_t entry) {
  const std::string digits = std::to_string(entry);
  return "head " + std::string(20 - digits.size(), '0') + digits;
}

template <class R>
std::optional<R> value_of(std::optional<store::Row<R>> row) {
  return row ? std::optional(std::move(row->value)) : std::nullopt;
}

}  // namespace

Head SignedHeads::statement(std::string id, std::string kind, std::int64_t entry_id, std::string entry_hash) const {
  const auto start = system_.get(chain_points, start_point);
  Head head{.id = std::move(id),
            .kind = std::move(kind),
            .at = store::now(),
            .entry_id = entry_id,
            .entry_hash = std::move(entry_hash),
            .first = start ? start->value.entry_id : 0,
            .signature = {}};
  head.signature = crypto::hex(key_.sign(signed_text(head)));
  return head;
}

web::Task<> SignedHeads::sign() {
  const auto end = system_.get(chain_points, end_point);
  if (!end) co_return;
  const auto id = head_id(end->value.entry_id);
  const auto anchor = system_.get(heads, anchor_id);
  if (system_.get(heads, id) || (anchor && anchor->value.entry_id >= end->value.entry_id)) co_return;
  const Head head = statement(id, "head", end->value.entry_id, end->value.hash);
  auto change = system_.change();
  change.insert(heads, head);
  if (const auto outcome = co_await change.commit(); !outcome.ok()) co_return;  // signed by somebody else meanwhile
  web::log::info("audit_head_signed",
                 {{"entry", head.entry_id}, {"hash", head.entry_hash}, {"signature", head.signature}});
}

web::Task<> SignedHeads::sweep(store::Time now) {
  constexpr std::size_t page = 500;
  for (;;) {
    std::vector<Entry> old;
    system_.each(entries, [&](const Entry& entry) {
      const bool is_old = entry.at < now - keep_;
      if (is_old) old.push_back(entry);
      return is_old && old.size() < page;
    });
    if (old.empty()) co_return;
    auto change = system_.change();
    for (const Entry& entry : old)
      if (const auto row = system_.get(entries, entry.id)) change.erase(entries, *row);
    if (const Entry& last = old.back(); !last.hash.empty()) {
      const Head anchor = statement(anchor_id, "anchor", last.id, last.hash);
      if (auto row = system_.get(heads, anchor_id)) {
        row->value = anchor;
        change.update(heads, *row);
      } else {
        change.insert(heads, anchor);
      }
      for (const Head& head : all_heads())
        if (head.entry_id <= last.id)
          if (const auto row = system_.get(heads, head.id)) change.erase(heads, *row);
    }
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) co_return;  // an entry is being changed: the next sweep removes it
    if (old.size() < page) co_return;
  }
}

std::vector<Head> SignedHeads::all_heads() const {
  std::vector<Head> all;
  system_.each(heads, [&](const Head& head) {
    if (head.id != anchor_id) all.push_back(head);
    return true;
  });
  std::ranges::stable_sort(all, {}, &Head::entry_id);
  return all;
}

ChainCheck::Given SignedHeads::read_given() const {
  return {.start = value_of(system_.get(chain_points, start_point)),
          .end = value_of(system_.get(chain_points, end_point)),
          .anchor = value_of(system_.get(heads, anchor_id)),
          .heads = all_heads(),
          .public_key = key_.public_key()};
}

ChainReport SignedHeads::verify() const {
  for (;;) {
    auto given = read_given();
    const auto signature_of = [](const std::optional<Head>& head) { return head ? head->signature : std::string(); };
    const auto before = signature_of(given.anchor);
    ChainCheck check(std::move(given));
    system_.each(entries, [&](const Entry& entry) { return check.add(entry); });
    auto report = check.finish();
    // Old entries may have been removed between the reads: then the report is about neither state.
    if (!report.problem || before == signature_of(value_of(system_.get(heads, anchor_id)))) return report;
  }
}

ExportPart SignedHeads::export_part(std::int64_t after, std::size_t limit) const {
  auto given = read_given();
  ExportPart part{.public_key = crypto::hex(given.public_key),
                  .start = given.start,
                  .anchor = given.anchor,
                  .entries = {},
                  .heads = {},
                  .next = {}};
  std::int64_t first = 0;
  system_.each(entries, [&](const Entry& entry) {
    first = entry.id;
    return false;
  });
  // Ids follow each other without gaps, but for entries of older versions.
  const std::int64_t begin = std::max(after + 1, first), end = given.end ? given.end->entry_id : 0;
  const std::int64_t last = std::min(end, begin + static_cast<std::int64_t>(limit) - 1);
  for (auto id = begin; id <= last; ++id)
    if (auto row = system_.get(entries, id)) part.entries.push_back(std::move(row->value));
  for (const Head& head : given.heads)
    if (head.entry_id >= begin && head.entry_id <= last) part.heads.push_back(head);
  if (last < end && last >= begin) part.next = last;
  return part;
}

}  // namespace audit
