#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/payments/wallets/balances.h"
#include "appliance/payments/wallets/cdp.h"
#include "appliance/payments/wallets/wallets.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace wallets {

// What the rows depend on; all of it must outlive them.
struct Services {
  Wallets& wallets;
  ledger::Ledger& ledger;
  chains::Networks& networks;
  chains::Balances& balances;
  cdp::Cdp& cdp;
};

struct WalletView {
  std::optional<std::string> address;
  std::optional<std::string> balance = "0";  // null: not known, and `note` says why
  std::string network;
  bool hasWallet = false;
  std::optional<store::Time> createdAt;
  std::optional<std::string> native;  // balance of the chain's own coin; null on the box's ledger
  std::int64_t balanceAge = 0;        // seconds
  std::optional<std::string> note;
};
BOOST_DESCRIBE_STRUCT(WalletView, (), (address, balance, network, hasWallet, createdAt, native, balanceAge, note))

struct AgenticWalletAnswer {
  struct Project {
    std::string status = "configured", projectId;
    std::vector<std::string> features;
    BOOST_DESCRIBE_CLASS(Project, (), (status, projectId, features), (), ())
  };
  Project agenticWallet;
  std::string instructions;
};
BOOST_DESCRIBE_STRUCT(AgenticWalletAnswer, (), (agenticWallet, instructions))

struct ActionRequest {
  web::Text<1, 40> action;
};
BOOST_DESCRIBE_STRUCT(ActionRequest, (), (action))

struct Created {
  std::string address, network, message;
};
BOOST_DESCRIBE_STRUCT(Created, (), (address, network, message))

struct SeedView {
  std::string address, network;
  store::Time createdAt;
  std::string warning;
};
BOOST_DESCRIBE_STRUCT(SeedView, (), (address, network, createdAt, warning))

struct AddressView {
  bool authenticated = true;
  std::optional<std::string> address;
};
BOOST_DESCRIBE_STRUCT(AddressView, (), (authenticated, address))

struct AddressNeedsSession {
  bool authenticated = false, needsAuth = true;
  std::string message;
};
BOOST_DESCRIBE_STRUCT(AddressNeedsSession, (), (authenticated, needsAuth, message))

struct AddressNeedsSetup {
  bool authenticated = false, needsAuth = true;
  std::string error, setup;
};
BOOST_DESCRIBE_STRUCT(AddressNeedsSetup, (), (authenticated, needsAuth, error, setup))

struct CreateRequest {
  web::Text<1, 254> email;
};
BOOST_DESCRIBE_STRUCT(CreateRequest, (), (email))

struct CreateAnswer {
  bool success = true;
  std::string walletAddress, walletId;
  std::vector<std::string> networks;
};
BOOST_DESCRIBE_STRUCT(CreateAnswer, (), (success, walletAddress, walletId, networks))

struct ChainsView {
  std::string status = "ok", type = "evm_wallet";
  std::vector<std::int64_t> supportedChains;
};
BOOST_DESCRIBE_STRUCT(ChainsView, (), (status, type, supportedChains))

struct TestnetRequest {
  std::optional<web::Text<1, 100>> privateKey;
};
BOOST_DESCRIBE_STRUCT(TestnetRequest, (), (privateKey))

struct TestnetAnswer {
  bool success = true;
  std::string address, network;
};
BOOST_DESCRIBE_STRUCT(TestnetAnswer, (), (success, address, network))

// /api/wallet.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace wallets
