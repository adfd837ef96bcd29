// The networks that the box can pay on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "appliance/foundation/chain/rpc.h"
#include "appliance/foundation/settings/settings.h"

namespace chains {

inline constexpr auto ledger_network = "ledger";

// The contract of USDC on a chain with this id; nothing if none is known.
std::optional<crypto::EthereumAddress> known_usdc(std::uint64_t chain_id);
// "base", "base-sepolia" and such for well-known chains, otherwise the CAIP-2 name: "eip155:1234".
std::string network_name(std::uint64_t chain_id);

// A chain with its USDC.
struct Network {
  chain::Rpc rpc;
  std::optional<crypto::EthereumAddress> usdc;

  std::string name() const { return network_name(rpc.chain_id()); }
  std::string caip2() const { return "eip155:" + std::to_string(rpc.chain_id()); }
};

// Those of the settings. Without a node, `main` is not configured, and the box's ledger is in its place.
struct Networks {
  explicit Networks(const agentbox::Settings&);

  bool has_chain() const { return main.rpc.is_configured(); }
  // Of the wallets of users and agents: the chain's name, or "ledger".
  std::string name() const { return has_chain() ? main.name() : ledger_network; }

  std::array<Network*, 3> all() { return {&main, &testnet, &payment}; }
  // Nothing for a chain that no node is configured for.
  Network* with_id(std::uint64_t chain_id);

  Network main, testnet;
  Network
      payment;  // of payments for clones and of payment wallets (PAYMENT_RPC_URL); its token is in the place of USDC
};

}  // namespace chains
