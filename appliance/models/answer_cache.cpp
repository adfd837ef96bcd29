#include "appliance/models/answer_cache.h"

#include <boost/json/serialize.hpp>

#include "appliance/foundation/crypto/random.h"
#include "appliance/models/providers/openai_wire.h"
#include "store/transact.h"

namespace models {

namespace {

const std::string record_id = CacheSetting{}.id;

std::size_t size_of(const std::string& key, const ChatAnswer& answer) {
  auto bytes = key.size() + sizeof(ChatAnswer) + answer.id.size() + answer.model.size() + answer.message.content.size();
  for (const auto& call : answer.message.tool_calls)
    bytes += sizeof call + call.id.size() + call.name.size() + call.arguments.size() + call.signature.size();
  for (const auto& block : answer.message.reasoning)
    bytes += sizeof block + block.text.size() + block.signature.size() + block.sealed.size();
  for (const auto& part : answer.message.parts) bytes += sizeof part + part.text.size() + part.url.size();
  return bytes + boost::json::serialize(answer.message.annotations).size();
}

}  // namespace

std::chrono::minutes AnswerCache::lifetime(store::UserId user) const {
  const auto tenant = system_.tenant(user);
  const auto minutes = lifetimes_.get(user, tenant.version(cache_wishes), [&tenant] {
    const auto row = tenant.get(cache_wishes, record_id);
    return std::make_optional(row ? row->value.minutes : std::int64_t{0});
  });
  return std::chrono::minutes(*minutes);
}

web::Task<> AnswerCache::set_lifetime(store::UserId user, std::chrono::minutes lifetime) {
  const auto tenant = system_.tenant(user);
  const auto step = [&](store::Change& change) -> bool {
    if (auto row = tenant.get(cache_wishes, record_id)) {
      row->value.minutes = lifetime.count();
      change.update(cache_wishes, *row);
    } else {
      const CacheSetting setting{.user_id = user, .minutes = lifetime.count()};
      change.insert(cache_wishes, setting);
    }
    return true;
  };
  co_await store::transact(tenant, step);
}

std::string AnswerCache::key_of(store::UserId user, const ChatRequest& request, const ModelQuery& query) {
  std::string text = std::to_string(user) + "\n";
  text.append(query.provider).append("\n").append(query.model).append("\n").append(query.task).append("\n");
  text += boost::json::serialize(openai::to_wire(request));
  return std::to_string(user) + " " + crypto::sha256_hex(text);
}

std::optional<ChatAnswer> AnswerCache::find(const std::string& key, std::chrono::minutes lifetime,
                                            Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  if (now - found->second->at >= lifetime) {
    drop(found->second);
    return std::nullopt;
  }
  by_use_.splice(by_use_.begin(), by_use_, found->second);
  return found->second->answer;
}

void AnswerCache::add(const std::string& key, const ChatAnswer& answer, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) drop(found->second);
  by_use_.push_front({.key = key, .answer = answer, .at = now, .bytes = size_of(key, answer)});
  by_key_[key] = by_use_.begin();
  bytes_ += by_use_.front().bytes;
  while (bytes_ > max_bytes_) drop(std::prev(by_use_.end()));
}

void AnswerCache::drop(std::list<Entry>::iterator entry) {
  bytes_ -= entry->bytes;
  by_key_.erase(entry->key);
  by_use_.erase(entry);
}

}  // namespace models
