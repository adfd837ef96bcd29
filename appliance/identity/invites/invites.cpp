#include "appliance/identity/invites/invites.h"

#include <algorithm>

#include "appliance/foundation/crypto/random.h"
#include "store/transact.h"
#include "web/ascii.h"

namespace invites {

namespace {

constexpr std::size_t id_length = 8, secret_length = 16;  // 16 of [a-z0-9]: 82 random bits
constexpr std::chrono::hours pass_lifetime{1};
constexpr std::chrono::days kept_after_expiry{30};  // for the administrator's list

struct NewCode {
  std::string id = crypto::random_id(id_length), secret = crypto::random_id(secret_length);
  std::string text() const { return id + "-" + secret; }
};

Invite invite_of(const NewCode& code, store::Time now) {
  return {.id = code.id, .secret_hash = crypto::sha256_hex(code.secret), .created_at = now};
}

}  // namespace

web::Task<web::Result<Generated>> Invites::generate(NewInvites given) {
  if (given.plan) {
    const auto known = plans_.check(*given.plan);
    if (!known) co_return known.error();
  }
  if (given.group && !groups_.find(*given.group)) co_return web::invalid("group is not one of this box");
  const auto now = store::now();
  Generated generated{.codes = {}, .expires_at = now + given.lifetime};
  auto change = system_.change();
  for (std::int64_t made = 0; made < given.count; ++made) {
    const NewCode code;
    auto invite = invite_of(code, now);
    invite.uses = given.uses;
    invite.plan = given.plan;
    invite.group = given.group;
    invite.note = given.note;
    invite.expires_at = generated.expires_at;
    change.insert(table, invite);
    generated.codes.push_back(code.text());
  }
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("invites: a random id was taken");
  co_return generated;
}

std::optional<store::Row<Invite>> Invites::find(std::string_view code) const {
  std::string text;
  for (const char c : code)
    if (c != ' ') text += web::to_lower(c);
  if (text.size() != id_length + 1 + secret_length || text[id_length] != '-') return std::nullopt;
  auto row = system_.get(table, text.substr(0, id_length));
  if (!row || !crypto::constant_time_equal(row->value.secret_hash, crypto::sha256_hex(text.substr(id_length + 1))))
    return std::nullopt;
  if (row->value.used >= row->value.uses || row->value.expires_at <= store::now()) return std::nullopt;
  return row;
}

// Concurrent uses write the same row: all but one are stale and look again.
web::Task<web::Result<Pass>> Invites::consume(std::string code) {
  const auto step = [&](store::Change& change) -> web::Result<Pass> {
    auto invite = find(code);
    if (!invite || invite->value.kind != Kind::invite) return web::not_found("This invite code is not valid");
    ++invite->value.used;
    const NewCode pass_code;
    const auto now = store::now();
    auto pass = invite_of(pass_code, now);
    pass.kind = Kind::pass;
    pass.plan = invite->value.plan;
    pass.group = invite->value.group;
    pass.expires_at = now + pass_lifetime;
    change.update(table, *invite);
    change.insert(table, pass);
    return Pass{pass_code.text(), pass.plan, pass.group, pass.expires_at};
  };
  co_return co_await store::transact(system_, step);
}

web::Result<bool> Invites::redeem(const std::string& code, store::UserId newcomer, store::Change& change) {
  auto invite = find(code);
  if (!invite) return accounts::invalid_invitation();
  auto plan = invite->value.plan;
  if (invite->value.group) {
    auto of_group = groups_.welcome(*invite->value.group, newcomer, groups::Source::invitation, change);
    if (!plan) plan = std::move(of_group);
  }
  if (plan) plans_.give(newcomer, *plan, change);
  ++invite->value.used;
  if (invite->value.kind == Kind::pass)
    change.erase(table, *invite);
  else
    change.update(table, *invite);
  return plan.has_value();
}

std::vector<Invite> Invites::list(std::string_view after, std::size_t limit) const {
  std::vector<Invite> found;
  system_.each<Invite, std::string>(table, [&](const Invite& invite) {
    if (invite.kind == Kind::invite && invite.id > after) found.push_back(invite);
    return found.size() < limit;
  });
  return found;
}

web::Task<web::Result<void>> Invites::revoke(std::string id) {
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = system_.get(table, id);
    if (!row || row->value.kind != Kind::invite) return web::not_found("No such invite");
    change.erase(table, *row);
    return web::Result<void>();
  };
  co_return co_await store::transact(system_, step);
}

web::Task<> Invites::sweep(store::Time now) {
  for (const auto& invite : system_.find_range(table, "expires", store::Time(), now)) {
    if (invite.kind == Kind::invite && invite.expires_at > now - kept_after_expiry) continue;
    const auto row = system_.get(table, invite.id);
    if (!row) continue;
    auto change = system_.change();
    change.erase(table, *row);
    co_await change.commit(store::Durability::relaxed);
  }
}

}  // namespace invites
