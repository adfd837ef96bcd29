#include "appliance/identity/audit/chain_check.h"

#include "appliance/foundation/crypto/ed25519.h"
#include "appliance/foundation/crypto/random.h"
#include "web/routes/reply.h"

namespace audit {

std::string signed_text(const Head& head) {
  return canonical({"agentbox audit head 1", head.kind, std::to_string(head.entry_id), head.entry_hash,
                    std::to_string(head.first), std::to_string(head.at.time_since_epoch().count())});
}

ChainCheck::ChainCheck(Given given) : given_(std::move(given)) {
  if (check_heads() && !given_.heads.empty()) report_.last_head = given_.heads.back();
}

bool ChainCheck::fail(std::int64_t entry_id, std::string what) {
  if (!report_.problem) report_.problem = ChainProblem{.entry_id = entry_id, .what = std::move(what)};
  return false;
}

bool ChainCheck::check_heads() {
  if (!given_.start && (given_.end || given_.anchor || !given_.heads.empty()))
    return fail(0, "The record of where the chain starts was removed");
  if (given_.start && !given_.end) return fail(0, "The record of where the chain ends was removed");
  if (given_.anchor && (given_.anchor->kind != "anchor" || !check_head(*given_.anchor)))
    return fail(given_.anchor->entry_id,
                "The statement of which entries were removed because of their age was changed");
  for (const Head& head : given_.heads)
    if (head.kind != "head" || !check_head(head))
      return fail(head.entry_id, "The signed head of " + web::iso8601(head.at) + " was changed");
  return true;
}

bool ChainCheck::check_head(const Head& head) {
  return head.first == given_.start->entry_id &&
         crypto::verify_ed25519(given_.public_key, signed_text(head), crypto::unhex(head.signature));
}

bool ChainCheck::add(const Entry& entry) {
  if (report_.problem) return false;
  if (entry.id <= last_id_) return fail(entry.id, "The entry is in the wrong place");
  last_id_ = entry.id;
  if (!given_.start || entry.id < given_.start->entry_id) {
    if (!entry.hash.empty()) return fail(entry.id, "The entry has a hash, but is older than the chain");
    ++report_.unprotected;
    return true;
  }
  if (!check_content(entry) || !check_link(entry) || !check_against_heads(entry)) return false;
  last_hash_ = entry.hash;
  ++report_.entries;
  return true;
}

bool ChainCheck::check_content(const Entry& entry) {
  if (entry.hash.empty()) return fail(entry.id, "The entry has no hash");
  const bool is_erased = entry.salt.empty();
  const bool is_as_hashed =
      is_erased ? entry.user_id == 0 && entry.subject.empty() && entry.address.empty() && entry.acting_as.empty()
                : entry.personal == personal_digest(entry);
  if (!is_as_hashed || entry.hash != hash_of(entry)) return fail(entry.id, "The entry was changed");
  if (is_erased) ++report_.erased;
  return true;
}

bool ChainCheck::check_link(const Entry& entry) {
  if (!last_hash_) {
    const auto& anchor = given_.anchor;
    const std::string expected(anchor ? std::string_view(anchor->entry_hash) : before_first);
    const bool is_next = anchor ? entry.id > anchor->entry_id : entry.id == given_.start->entry_id;
    if (is_next && entry.previous == expected) return true;
    return fail(entry.id, "The entries before this one were removed, changed or moved");
  }
  if (entry.previous == *last_hash_) return true;
  return fail(entry.id, "The entry does not follow the one before it: one was changed, removed or moved");
}

bool ChainCheck::check_against_heads(const Entry& entry) {
  const auto& signed_heads = given_.heads;
  for (; next_head_ < signed_heads.size() && signed_heads[next_head_].entry_id <= entry.id; ++next_head_) {
    const Head& head = signed_heads[next_head_];
    if (given_.anchor && head.entry_id <= given_.anchor->entry_id) continue;
    if (head.entry_id < entry.id)
      return fail(head.entry_id, "The entry was removed, which was the last one on " + web::iso8601(head.at));
    if (head.entry_hash != entry.hash)
      return fail(entry.id, "The entry is not the one that was signed on " + web::iso8601(head.at));
  }
  if (given_.end && entry.id == given_.end->entry_id && entry.hash != given_.end->hash)
    return fail(entry.id, "The entry is not the one with which the chain ended");
  if (!report_.last_head || entry.id > report_.last_head->entry_id) ++report_.not_signed;
  return true;
}

ChainReport ChainCheck::finish() {
  if (report_.problem) return report_;
  const std::int64_t removed = given_.anchor ? given_.anchor->entry_id : 0;
  const std::int64_t last = std::max(last_id_, removed);
  if (report_.last_head && report_.last_head->entry_id > last)
    fail(last + 1, "The entries from this one on were removed: entry " + std::to_string(report_.last_head->entry_id) +
                       " was the last one on " + web::iso8601(report_.last_head->at));
  else if (given_.end && given_.end->entry_id > last)
    fail(last + 1, "The entries from this one on were removed: the chain ended with entry " +
                       std::to_string(given_.end->entry_id));
  return report_;
}

}  // namespace audit
