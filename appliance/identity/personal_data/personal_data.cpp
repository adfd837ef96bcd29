#include "appliance/identity/personal_data/personal_data.h"

namespace personal_data {

std::optional<web::Error> PersonalData::obstacle(store::UserId user) const {
  for (const auto& part : parts_) {
    if (!part.obstacle) continue;
    if (auto found = part.obstacle(user)) return found;
  }
  return std::nullopt;
}

web::Task<> PersonalData::write(store::UserId user, Archive& archive) const {
  for (const auto& part : parts_)
    if (part.write) co_await part.write(user, archive);
}

web::Task<> PersonalData::erase(store::UserId user) const {
  for (const auto& part : parts_)
    if (part.stop) co_await part.stop(user);
  for (int round = 0; round < 2; ++round) {
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part)
      if (part->erase) co_await part->erase(user);
  }
}

}  // namespace personal_data
