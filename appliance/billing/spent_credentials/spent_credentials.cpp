#include "appliance/billing/spent_credentials/spent_credentials.h"

#include <stdexcept>

namespace spent_credentials {

std::string of_authorization(std::string_view network, std::string_view token, std::string_view payer,
                             std::string_view nonce) {
  std::string id("authorization ");
  return id.append(network).append("/").append(token).append("/").append(payer).append("/").append(nonce);
}

std::string of_transaction(std::string_view network, std::string_view hash) {
  std::string id("transaction ");
  return id.append(network).append("/").append(hash);
}

SpentCredentials::Exclusive::Exclusive(SpentCredentials& all, std::string id)
    : all_(all), id_(std::move(id)), is_first_([this] {
        const std::lock_guard lock(all_.mutex_);
        return all_.in_use_.insert(id_).second;
      }()) {}

SpentCredentials::Exclusive::~Exclusive() {
  if (!is_first_) return;
  const std::lock_guard lock(all_.mutex_);
  all_.in_use_.erase(id_);
}

std::optional<Row> SpentCredentials::find(std::string_view id, std::string_view transaction) const {
  if (auto row = system_.get(credentials, std::string(id))) return row;
  if (transaction.empty()) return std::nullopt;
  return system_.find_unique(credentials, "transaction", std::string(transaction));
}

web::Task<std::optional<Row>> SpentCredentials::claim(Credential credential) {
  credential.created_at = credential.changed_at = store::now();
  auto change = system_.change();
  std::string stored = change.insert(credentials, credential);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) co_return std::nullopt;
  co_return Row{.value = std::move(credential), .stored = std::move(stored)};
}

web::Task<bool> SpentCredentials::move(Row& row, State to) {
  row.value.state = to;
  row.value.changed_at = store::now();
  auto change = system_.change();
  change.update(credentials, row);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) co_return false;
  auto stored = system_.get(credentials, row.value.id);
  if (!stored) throw std::logic_error("a stored payment credential is gone");
  row = std::move(*stored);
  co_return row.value.state == to;
}

web::Task<bool> SpentCredentials::release(const Row& row) {
  auto change = system_.change();
  change.erase(credentials, row);
  const auto outcome = co_await change.commit();
  co_return outcome.ok();
}

void SpentCredentials::spend(store::Change& change, Credential credential) {
  credential.state = State::spent;
  credential.created_at = credential.changed_at = store::now();
  change.insert(credentials, credential);
}

std::vector<Credential> SpentCredentials::unfinished_ones() const {
  constexpr std::size_t all = 1'000'000;
  return system_.find(credentials, "unfinished", std::string(unfinished), all);
}

std::size_t SpentCredentials::recover() {
  std::size_t count = 0;
  for (const auto& one : unfinished_ones()) {
    if (one.state != State::held && one.state != State::serving) continue;
    auto row = system_.get(credentials, one.id);
    if (!row) continue;
    auto change = system_.change();
    if (one.state == State::held) {
      change.erase(credentials, *row);
    } else {
      row->value.state = State::paid;
      change.update(credentials, *row);
    }
    if (change.commit_blocking().ok()) ++count;
  }
  return count;
}

}  // namespace spent_credentials
