#include "appliance/payments/wallets/networks.h"

#include <algorithm>
#include <array>

#include "appliance/hosting/cloning/payment_proof.h"

namespace chains {

namespace {

struct KnownChain {
  std::uint64_t id;
  const char *name, *usdc;
};

// Circle's contracts. The pathUSD of Tempo is the token that its payments are made in.
constexpr auto known_chains = std::to_array<KnownChain>({
    {1, "ethereum", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"},
    {10, "optimism", "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"},
    {137, "polygon", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"},
    {4217, "tempo", "0x20c0000000000000000000000000000000000000"},
    {8453, "base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"},
    {42161, "arbitrum", "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"},
    {42431, "tempo-testnet", "0x20c0000000000000000000000000000000000000"},
    {43114, "avalanche", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E"},
    {84532, "base-sepolia", "0x036CbD53842c5426634e7929541eC2318f3dCF7e"},
    {11155111, "ethereum-sepolia", "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238"},
});

const KnownChain* find(std::uint64_t id) {
  const auto* const found = std::ranges::find(known_chains, id, &KnownChain::id);
  return found == known_chains.end() ? nullptr : found;
}

std::optional<crypto::EthereumAddress> usdc_of(const std::string& set, std::uint64_t chain_id) {
  return set.empty() ? known_usdc(chain_id) : crypto::EthereumAddress::parse(set);
}

}  // namespace

std::optional<crypto::EthereumAddress> known_usdc(std::uint64_t chain_id) {
  const auto* known = find(chain_id);
  return known ? crypto::EthereumAddress::parse(known->usdc) : std::nullopt;
}

std::string network_name(std::uint64_t chain_id) {
  const auto* known = find(chain_id);
  return known ? known->name : "eip155:" + std::to_string(chain_id);
}

Networks::Networks(const agentbox::Settings& settings)
    : main{.rpc = {settings.l2_rpc_url, settings.l2_chain_id, "L2_RPC_URL"},
           .usdc = usdc_of(settings.usdc_address, settings.l2_chain_id)},
      testnet{.rpc = {settings.testnet_rpc_url, settings.testnet_chain_id, "TESTNET_RPC_URL"},
              .usdc = usdc_of(settings.testnet_usdc_address, settings.testnet_chain_id)},
      payment{.rpc = {settings.payment_rpc_url, cloning::chain_id, "PAYMENT_RPC_URL"},
              .usdc = usdc_of(settings.payment_token_address, cloning::chain_id)} {}

Network* Networks::with_id(std::uint64_t chain_id) {
  for (auto* network : all())
    if (network->rpc.is_configured() && network->rpc.chain_id() == chain_id) return network;
  return nullptr;
}

}  // namespace chains
