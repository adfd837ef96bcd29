// Sign-ins of externally owned wallets as the box does them, without HTTP: the message parsed and judged, the signature
// recovered, the nonce spent, the user found, a session stored, durable. Prints {"per_second", "proofs"}; with a file
// the proofs are left there for others to verify, a JSON object {address, message, signature} a line.
//
// usage: wallet_sign_ins FOLDER SIGN_INS SIDE_BY_SIDE [FILE]
#include <secp256k1.h>
#include <secp256k1_recovery.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <thread>
#include <vector>

#include "appliance/box/open_store.h"
#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/wallet_sign_in/wallet_sign_in.h"

namespace {

constexpr std::size_t wallet_count = 1'000;
constexpr const char* origin = "https://box.example.org";

class Wallet {
 public:
  explicit Wallet(secp256k1_context* context) : context_(context), key_(crypto::random_bytes(32)) {
    secp256k1_pubkey point;
    if (secp256k1_ec_pubkey_create(context_, &point, bytes(key_)) != 1) throw std::runtime_error("an unlucky key");
    std::string serialized(65, '\0');
    std::size_t size = serialized.size();
    secp256k1_ec_pubkey_serialize(context_, reinterpret_cast<unsigned char*>(serialized.data()), &size, &point,
                                  SECP256K1_EC_UNCOMPRESSED);
    address_ = crypto::EthereumAddress::of_public_key(std::string_view(serialized).substr(1)).checksummed();
  }

  wallet_sign_in::Proof proof(const std::string& nonce) const {
    const std::string message = "box.example.org wants you to sign in with your Ethereum account:\n" + address_ +
                                "\n\n\nURI: " + origin + "/login\nVersion: 1\nChain ID: 8453\nNonce: " + nonce +
                                "\nIssued At: " + now();
    secp256k1_ecdsa_recoverable_signature made;
    if (secp256k1_ecdsa_sign_recoverable(context_, &made, bytes(crypto::personal_message_digest(message)), bytes(key_),
                                         nullptr, nullptr) != 1)
      throw std::runtime_error("signing failed");
    std::string signature(65, '\0');
    int parity = 0;
    secp256k1_ecdsa_recoverable_signature_serialize_compact(
        context_, reinterpret_cast<unsigned char*>(signature.data()), &parity, &made);
    signature[64] = static_cast<char>(27 + parity);
    return {.address = address_, .message = message, .signature = "0x" + crypto::hex(signature)};
  }

 private:
  static const unsigned char* bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  }
  static std::string now() {
    const std::time_t time = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
    return text;
  }

  secp256k1_context* context_;
  std::string key_, address_;
};

agentbox::Settings settings_at(const char* folder) {
  agentbox::Settings settings;
  settings.data = folder;
  return settings;
}

struct House {
  explicit House(const char* folder) : settings(settings_at(folder)) {}

  agentbox::Settings settings;
  std::unique_ptr<store::Store> store = agentbox::open_store(settings);
  store::System system = store->system();
  accounts::PasswordHasher hasher;
  agentbox::Events events;
  accounts::Sessions sessions{system, events};
  accounts::LoginLimit login_limit{{}, true};
  accounts::Accounts accounts{system, hasher, sessions, login_limit, events, {}};
  keys::Keys keys{system};
  identities::Identities identities{system, accounts, keys, events};
  security::ReplayGuard once{system};
  wallet_sign_in::Nonces nonces{"key", once};
  chain::Rpc rpc{"", 8453, "L2_RPC_URL"};
  agentbox::Site site{origin};
  wallet_sign_in::WalletSignIn wallets{nonces, rpc, identities, site};
};

// Takes proofs until there are none left.
web::Task<> sign_in(House& house, const std::vector<wallet_sign_in::Proof>& proofs, std::atomic<std::size_t>& next) {
  for (std::size_t at = next++; at < proofs.size(); at = next++) {
    auto user = co_await house.wallets.sign_in(proofs[at]);
    if (!user) throw std::runtime_error(user.error().message);
    const auto cookie = co_await house.sessions.start(std::move(*user), true);
    if (!cookie) throw std::runtime_error(cookie.error().message);
  }
}

double seconds_for(House& house, const std::vector<wallet_sign_in::Proof>& proofs, int side_by_side) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::jthread> threads;
  for (unsigned core = 0; core < cores; ++core)
    threads.emplace_back([&, core] {
      boost::asio::io_context io{1};
      for (int i = static_cast<int>(core); i < side_by_side; i += static_cast<int>(cores))
        boost::asio::co_spawn(io, sign_in(house, proofs, next), [](std::exception_ptr failure) {
          if (failure) std::rethrow_exception(failure);
        });
      io.run();
    });
  threads.clear();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

void measure(const char* folder, std::size_t count, int side_by_side, const char* file) {
  House house(folder);
  secp256k1_context* context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN);
  std::vector<Wallet> wallets;
  while (wallets.size() < wallet_count) wallets.emplace_back(context);
  const auto proofs_of = [&](std::size_t wanted) {
    std::vector<wallet_sign_in::Proof> proofs;
    while (proofs.size() < wanted) proofs.push_back(wallets[proofs.size() % wallet_count].proof(house.wallets.nonce()));
    return proofs;
  };
  seconds_for(house, proofs_of(wallet_count), side_by_side);  // everybody's first visit, which makes the user
  const auto proofs = proofs_of(count);
  const double seconds = seconds_for(house, proofs, side_by_side);
  if (file != nullptr) {
    std::ofstream out(file);
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 4'000); ++i) {
      const boost::json::object proof{
          {"address", proofs[i].address}, {"message", proofs[i].message}, {"signature", proofs[i].signature}};
      out << boost::json::serialize(proof) << '\n';
    }
  }
  std::printf("{\"per_second\": %.1f, \"proofs\": %zu}\n", static_cast<double>(count) / seconds, count);
  secp256k1_context_destroy(context);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: wallet_sign_ins FOLDER SIGN_INS SIDE_BY_SIDE [FILE]\n");
    return 2;
  }
  try {
    measure(argv[1], std::strtoul(argv[2], nullptr, 10), std::atoi(argv[3]), argc == 5 ? argv[4] : nullptr);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wallet_sign_ins: %s\n", error.what());
    return 1;
  }
}
