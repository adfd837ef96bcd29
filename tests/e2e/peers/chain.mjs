// A real EVM chain on loopback, and the contracts that smart wallets are made of.
import assert from "node:assert/strict";
import { package_named } from "../support/packages.mjs";

const { createPublicClient, createWalletClient, encodeAbiParameters, encodeDeployData, encodeFunctionData, getContractAddress, http } =
  package_named("viem");
const { privateKeyToAccount } = package_named("viem/accounts");

const SOURCES = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

// Accepts what its owner signed, once it is ready.
contract Wallet {
  address immutable owner;
  bool public ready = true;
  constructor(address its_owner, bool starts_ready) { owner = its_owner; ready = starts_ready; }
  function prepare() external { ready = true; }
  function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
    if (!ready || signature.length != 65) return 0xffffffff;
    address signer = ecrecover(digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
    return signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
  }
}

contract Factory {
  function deploy(address owner, bytes32 salt) external returns (address) { return address(new Wallet{salt: salt}(owner, true)); }
  function prepare(Wallet wallet) external { wallet.prepare(); }
}

// Wallets that answer what no wallet should.
contract Reverts { fallback() external { assembly { mstore(0, shl(224, 0x1626ba7e)) revert(0, 32) } } }
contract AnswersShort { fallback() external { assembly { mstore(0, shl(224, 0x1626ba7e)) return(0, 4) } } }
contract AnswersPadded { fallback() external { assembly { mstore(0, or(shl(224, 0x1626ba7e), 1)) return(0, 32) } } }
contract AnswersTrue { fallback() external { assembly { mstore(0, 1) return(0, 32) } } }
contract AnswersNothing { fallback() external {} }
contract BurnsGas { fallback() external { assembly { mstore(0xffffffffff, 1) } } }
contract Echoes { fallback() external { assembly { calldatacopy(0, 0, calldatasize()) return(0, calldatasize()) } } }

contract Token {
  mapping(address => uint256) public balanceOf;
  uint8 public constant decimals = 6;
  event Transfer(address indexed from, address indexed to, uint256 value);
  function mint(address to, uint256 amount) external { balanceOf[to] += amount; }
  function transfer(address to, uint256 amount) external returns (bool) {
    require(balanceOf[msg.sender] >= amount);
    balanceOf[msg.sender] -= amount;
    balanceOf[to] += amount;
    emit Transfer(msg.sender, to, amount);
    return true;
  }
}

// USDC's transfers by authorization (EIP-3009), signed by a key or by a smart wallet.
contract Usdc is Token {
  struct Order { address from; address to; uint256 value; uint256 validAfter; uint256 validBefore; bytes32 nonce; }
  string public name;
  string public version;
  bytes32 public DOMAIN_SEPARATOR;
  mapping(address => mapping(bytes32 => bool)) public authorizationState;
  event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
  event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

  constructor(string memory its_name, string memory its_version) {
    name = its_name;
    version = its_version;
    bytes32 domain = keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    DOMAIN_SEPARATOR = keccak256(abi.encode(domain, keccak256(bytes(name)), keccak256(bytes(version)), block.chainid, address(this)));
  }
  function cancel(bytes32 nonce) external {
    authorizationState[msg.sender][nonce] = true;
    emit AuthorizationCanceled(msg.sender, nonce);
  }
  function transferWithAuthorization(
    address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s
  ) external {
    pay(Order(from, to, value, validAfter, validBefore, nonce), abi.encodePacked(r, s, v));
  }
  function transferWithAuthorization(
    address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes memory signature
  ) external {
    pay(Order(from, to, value, validAfter, validBefore, nonce), signature);
  }
  function pay(Order memory order, bytes memory signature) private {
    require(block.timestamp > order.validAfter && block.timestamp < order.validBefore, "window");
    require(!authorizationState[order.from][order.nonce], "authorization is used");
    bytes32 type_hash = 0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267;
    bytes32 digest = keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR, keccak256(abi.encode(type_hash, order))));
    require(is_signed(order.from, digest, signature), "invalid signature");
    require(balanceOf[order.from] >= order.value, "balance");
    authorizationState[order.from][order.nonce] = true;
    balanceOf[order.from] -= order.value;
    balanceOf[order.to] += order.value;
    emit AuthorizationUsed(order.from, order.nonce);
    emit Transfer(order.from, order.to, order.value);
  }
  function is_signed(address from, bytes32 digest, bytes memory signature) private view returns (bool) {
    if (from.code.length > 0) return Wallet(from).isValidSignature(digest, signature) == 0x1626ba7e;
    bytes32 r;
    bytes32 s;
    uint8 v;
    assembly { r := mload(add(signature, 32)) s := mload(add(signature, 64)) v := byte(0, mload(add(signature, 96))) }
    return signature.length == 65 && ecrecover(digest, v, r, s) == from;
  }
}

// A token of Tempo (TIP-20): transfers carry a memo.
contract MemoToken is Token {
  event TransferWithMemo(address indexed from, address indexed to, uint256 amount, bytes32 indexed memo);
  function transferWithMemo(address to, uint256 amount, bytes32 memo) external {
    require(balanceOf[msg.sender] >= amount);
    balanceOf[msg.sender] -= amount;
    balanceOf[to] += amount;
    emit Transfer(msg.sender, to, amount);
    emit TransferWithMemo(msg.sender, to, amount, memo);
  }
}
`;

const compiled = () => {
  const input = {
    language: "Solidity",
    sources: { "wallets.sol": { content: SOURCES } },
    settings: { evmVersion: "paris", outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const output = JSON.parse(package_named("solc").compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((problem) => problem.severity === "error");
  assert.deepEqual(errors, []);
  return output.contracts["wallets.sol"];
};

export const CHAIN_ID = 8453;

export class Chain {
  static async start(t, chain_id = CHAIN_ID) {
    const chain = new Chain();
    chain.server = package_named("ganache").server({
      chain: { chainId: chain_id, hardfork: "shanghai" },
      logging: { quiet: true },
      wallet: { seed: "the stories' chain" },
    });
    await chain.server.listen(0, "127.0.0.1");
    t.after(() => chain.stop());
    chain.url = `http://127.0.0.1:${chain.server.address().port}`;
    const accounts = Object.values(chain.server.provider.getInitialAccounts());
    const definition = {
      id: chain_id,
      name: "stories",
      rpcUrls: { default: { http: [chain.url] } },
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    };
    const options = { chain: definition, transport: http(chain.url), pollingInterval: 10 };
    chain.reader = createPublicClient(options);
    chain.payer = createWalletClient({ ...options, account: privateKeyToAccount(accounts[0].secretKey) });
    chain.contracts = compiled();
    return chain;
  }

  async stop() {
    if (this.server.status === 4) await this.server.close();
  }

  // The address of a new contract.
  async deploy(name, args = []) {
    const { abi, evm } = this.contracts[name];
    const hash = await this.payer.deployContract({ abi, bytecode: `0x${evm.bytecode.object}`, args });
    return (await this.reader.waitForTransactionReceipt({ hash })).contractAddress;
  }

  async send(name, address, functionName, args) {
    const { hash, status } = await this.try_to_send(name, address, functionName, args);
    assert.equal(status, "success", functionName);
    return hash;
  }

  // Also what the chain will revert, which an estimate of its gas would refuse to send.
  async try_to_send(name, address, functionName, args) {
    const hash = await this.payer.writeContract({ abi: this.contracts[name].abi, address, functionName, args, gas: 2_000_000n });
    return { hash, status: (await this.reader.waitForTransactionReceipt({ hash })).status };
  }

  // Ether for gas.
  async fund(to) {
    const hash = await this.payer.sendTransaction({ to, value: 10n ** 18n });
    await this.reader.waitForTransactionReceipt({ hash });
  }

  async balance(token, account) {
    return this.reader.readContract({ abi: this.contracts.Token.abi, address: token, functionName: "balanceOf", args: [account] });
  }

  encode(name, functionName, args) {
    return encodeFunctionData({ abi: this.contracts[name].abi, functionName, args });
  }

  // Where `factory` would put the wallet of `owner`.
  undeployed_wallet(factory, owner, salt) {
    const { abi, evm } = this.contracts.Wallet;
    const bytecode = encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}`, args: [owner, true] });
    return getContractAddress({ opcode: "CREATE2", from: factory, salt, bytecode });
  }

  has_code(address) {
    return this.reader.getCode({ address });
  }
}

// ERC-6492: a signature together with the call that makes its wallet ready for it.
export const wrapped = (factory, calldata, signature) =>
  encodeAbiParameters([{ type: "address" }, { type: "bytes" }, { type: "bytes" }], [factory, calldata, signature]) + "6492".repeat(16);
