#include "appliance/identity/accounts/password_hasher.h"

#include <argon2.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <optional>
#include <stdexcept>

#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/accounts/breached_passwords.h"
#include "web/admission/overload.h"

namespace accounts {

namespace {

constexpr std::uint32_t lanes = 1, salt_bytes = 16, hash_bytes = 32;

std::string argon2id(std::string_view password, PasswordHasher::Cost cost) {
  const std::string salt = crypto::random_bytes(salt_bytes);
  std::string encoded(argon2_encodedlen(cost.passes, cost.memory_kib, lanes, salt_bytes, hash_bytes, Argon2_id), '\0');
  const int error = argon2id_hash_encoded(cost.passes, cost.memory_kib, lanes, password.data(), password.size(),
                                          salt.data(), salt.size(), hash_bytes, encoded.data(), encoded.size());
  if (error != ARGON2_OK) throw std::runtime_error(std::string("Argon2: ") + argon2_error_message(error));
  encoded.resize(encoded.find('\0'));
  return encoded;
}

bool verify(std::string_view password, const std::string& encoded) {
  const int error = argon2id_verify(encoded.c_str(), password.data(), password.size());
  if (error == ARGON2_OK) return true;
  if (error == ARGON2_VERIFY_MISMATCH) return false;
  throw std::runtime_error(std::string("Argon2: ") + argon2_error_message(error));
}

// A well-formed hash of no password: as much work to verify as a real one.
std::string decoy_of(PasswordHasher::Cost cost) {
  return "$argon2id$v=19$m=" + std::to_string(cost.memory_kib) + ",t=" + std::to_string(cost.passes) +
         ",p=" + std::to_string(lanes) + "$" + std::string(22, 'A') + "$" + std::string(43, 'A');
}

// Nice values: an agent's is 10 (agent_confinement.cpp), that of network threads 0. On a contended core sign-in has a
// third of a network thread's weight and three times an agent's. Registrations have an agent's.
constexpr int verifying_niceness = 5, making_niceness = 10;

// Once per thread: a session check must not wait for a hash to use up its time slice. A batch job of lower priority
// gives way to threads that wake up.
void yield_to_network_threads(int niceness) {
  thread_local const bool lowered = [niceness] {
    const sched_param none{};
    const auto self = static_cast<id_t>(gettid());
    return sched_setscheduler(0, SCHED_BATCH, &none) == 0 && setpriority(PRIO_PROCESS, self, niceness) == 0;
  }();
  static_cast<void>(lowered);
}

}  // namespace

PasswordHasher::Lane::Lane(Room room, unsigned threads, int niceness)
    : room_(room), threads_(threads), niceness_(niceness), pool_(threads) {}

PasswordHasher::Lane::~Lane() {
  pool_.stop();
  pool_.join();
}

bool PasswordHasher::Lane::is_full(std::size_t before) const {
  if (before >= threads_ + room_.queue) return true;
  if (before < threads_ + room_.short_queue) return false;
  const std::chrono::microseconds one(queue_->microseconds.load(std::memory_order_relaxed));
  return one * (before / threads_) > room_.wait;
}

template <class Work>
auto PasswordHasher::Lane::run(Work work) -> web::Task<web::Result<std::invoke_result_t<Work>>> {
  struct Place {
    std::shared_ptr<Queue> queue;
    ~Place() { queue->inside.fetch_sub(1, std::memory_order_relaxed); }
  };
  const bool full = is_full(queue_->inside.fetch_add(1, std::memory_order_relaxed));
  const Place place{queue_};
  if (full) co_return web::overloaded("Too many people are signing in right now. Try again in a moment.");
  auto timed = [work = std::move(work), queue = queue_, niceness = niceness_] {
    yield_to_network_threads(niceness);
    const auto began = std::chrono::steady_clock::now();
    auto result = work();
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began).count();
    const auto average = queue->microseconds.load(std::memory_order_relaxed);
    queue->microseconds.store(average == 0 ? took : average + (took - average) / 8, std::memory_order_relaxed);
    return result;
  };
  co_return co_await web::offload(pool_, std::move(timed));
}

PasswordHasher::PasswordHasher() : PasswordHasher(Cost{}, Room{}) {}

PasswordHasher::PasswordHasher(Cost cost, Room room)
    : cost_(cost),
      decoy_(decoy_of(cost)),
      verifying_(room, room.threads, verifying_niceness),
      making_(room, 1, making_niceness) {}

web::Task<web::Result<std::string>> PasswordHasher::hash(std::string password) {
  auto work = [password = std::move(password), cost = cost_, breached = breached_]() -> std::optional<std::string> {
    if (breached && breached->contains(password)) return std::nullopt;
    return argon2id(password, cost);
  };
  auto hashed = co_await making_.run(std::move(work));
  if (!hashed) co_return hashed.error();
  if (!*hashed) co_return web::invalid("password is in a list of passwords known from breaches, please choose another");
  co_return std::move(**hashed);
}

web::Task<web::Result<bool>> PasswordHasher::matches(std::string password, std::string encoded) {
  const bool real = !encoded.empty();
  if (!real) encoded = decoy_;
  auto work = [password = std::move(password), encoded = std::move(encoded), real] {
    return verify(password, encoded) && real;
  };
  co_return co_await verifying_.run(std::move(work));
}

std::string PasswordHasher::hash_blocking(std::string_view password) const { return argon2id(password, cost_); }

}  // namespace accounts
