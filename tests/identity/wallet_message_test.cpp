#include "appliance/identity/wallet_sign_in/message.h"

#include <gtest/gtest.h>

#include <random>

#include "appliance/foundation/timestamp.h"

namespace wallet_message_test {

using agentbox::parse_timestamp;
using wallet_sign_in::parse_message;

const std::string request_line = "example.com wants you to sign in with your Ethereum account:\n";
const std::string address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const std::string fields =
    "URI: https://example.com/login\nVersion: 1\nChain ID: 8453\nNonce: 32891756abc\n"
    "Issued At: 2026-09-30T16:25:24Z";
const std::string bare = request_line + address + "\n\n\n" + fields;
const std::string with_statement =
    request_line + address + "\n\nI accept the terms: https://example.com/tos\n\n" + fields;

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}
void refused(const std::string& text) { EXPECT_FALSE(parse_message(text)) << text; }

TEST(WalletMessage, WithoutAStatementThereAreTwoEmptyLines) {
  const auto message = parse_message(bare);
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(message->scheme, "");
  EXPECT_EQ(message->domain, "example.com");
  EXPECT_EQ(message->address.checksummed(), address);
  EXPECT_EQ(message->statement, "");
  EXPECT_EQ(message->uri, "https://example.com/login");
  EXPECT_EQ(message->chain_id, 8453u);
  EXPECT_EQ(message->nonce, "32891756abc");
  EXPECT_EQ(message->issued_at, parse_timestamp("2026-09-30T16:25:24Z"));
  EXPECT_FALSE(message->expires_at || message->not_before || message->request_id);
}

TEST(WalletMessage, AllFieldsAreParsed) {
  const auto message =
      parse_message("https://" + with_statement +
                    "\nExpiration Time: 2026-10-01T16:25:24Z\nNot Before: 2026-09-30T00:00:00+02:00\n"
                    "Request ID: some-id%20x\nResources:\n- ipfs://bafy/\n- https://example.com/my.json");
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(message->scheme, "https");
  EXPECT_EQ(message->statement, "I accept the terms: https://example.com/tos");
  EXPECT_EQ(message->expires_at, parse_timestamp("2026-10-01T16:25:24Z"));
  EXPECT_EQ(message->not_before, parse_timestamp("2026-09-29T22:00:00Z"));
  EXPECT_EQ(message->request_id, "some-id%20x");
  EXPECT_EQ(message->resources.size(), 2u);
}

TEST(WalletMessage, ADomainMayHaveAPortAndResourcesMayBeNone) {
  EXPECT_EQ(parse_message(replaced(bare, "example.com wants", "127.0.0.1:3000 wants"))->domain, "127.0.0.1:3000");
  EXPECT_TRUE(parse_message(bare + "\nResources:")->resources.empty());
  EXPECT_EQ(parse_message(bare + "\nRequest ID: ")->request_id, "");
}

TEST(WalletMessage, EveryFieldAppearsOnceAndInOrder) {
  for (const std::string line :
       {"URI: https://example.com/login\n", "Version: 1\n", "Chain ID: 8453\n", "Nonce: 32891756abc\n"}) {
    refused(replaced(bare, line, ""));
    refused(replaced(bare, line, line + line));
  }
  refused(replaced(bare, "\nIssued At: 2026-09-30T16:25:24Z", ""));
  refused(replaced(bare, "Version: 1\nChain ID: 8453\n", "Chain ID: 8453\nVersion: 1\n"));
  const std::string expires = "\nExpiration Time: 2026-10-01T16:25:24Z", starts = "\nNot Before: 2026-10-01T16:25:24Z";
  EXPECT_TRUE(parse_message(bare + expires + starts));
  refused(bare + starts + expires);
  refused(bare + expires + expires);
  refused(bare + "\nResources:\n- ipfs://bafy/" + expires);
}

TEST(WalletMessage, OtherLinesAreRefused) {
  refused("");
  refused(request_line);
  refused("\n" + bare);
  refused(" " + bare);
  refused(bare + "\n");
  refused(bare + "\nP.S.: one more thing");
  refused(bare + "\n" + bare);
  refused(replaced(bare, "\n\n\n", "\n\n"));
  refused(replaced(bare, "\n\n\n", "\n\n\n\n"));
  refused(replaced(with_statement, "I accept", "I\naccept"));
  refused(replaced(with_statement, "I accept", "I\taccept"));
  refused(replaced(with_statement, "I accept", "Ich stimme zu: Größe"));
  refused(replaced(bare, "\n", "\r\n"));
  refused(replaced(bare, "Version: 1", "Version:1"));
  refused(replaced(bare, "Version: 1", "Version: 2"));
  refused(replaced(bare, "Version: 1", "Version: 1 "));
  refused(replaced(bare, "Version: 1", "version: 1"));
  refused(bare + std::string(9000, 'a'));
  std::string nul = bare;
  nul[20] = '\0';
  refused(nul);
}

TEST(WalletMessage, MalformedFieldsAreRefused) {
  for (const std::string chain : {"", "-1", "+1", "0x1", "1.0", "1e3", "99999999999999999999", " 1"})
    refused(replaced(bare, "Chain ID: 8453", "Chain ID: " + chain));
  for (const std::string nonce : {"", "1234567", "12345678-", "12345678 ", "1234567ä"})
    refused(replaced(bare, "Nonce: 32891756abc", "Nonce: " + nonce));
  for (const std::string uri : {"", "example.com", "https://exa mple.com", "/login", "https://[::1"})
    refused(replaced(bare, "URI: https://example.com/login", "URI: " + uri));
  for (const std::string wrong : {"", "0x", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", "vitalik.eth"})
    refused(replaced(bare, address, wrong));
  for (const std::string domain : {"", "user@example.com", "a b", "https://", "example.com/path"})
    refused(replaced(bare, "example.com wants", domain + " wants"));
  for (const std::string id : {"", "a-1._~!$&'()*+,;=:@", "%7e%7E%00", "%zz"})
    EXPECT_EQ(parse_message(bare + "\nRequest ID: " + id).has_value(), id != "%zz") << id;
  for (const std::string id : {"a b", "%", "%2", "%2g", "%%41", "a/b", "a?b", "a#b", "a[b]", "a\"b", "ä"})
    refused(bare + "\nRequest ID: " + id);
  EXPECT_TRUE(parse_message(replaced(with_statement, "I accept", "It's (all) [fine]: #1/2 @home? ~$5;a=b&c_d*e+f!")));
  for (const std::string outside : {"\"", "%", "<", ">", "\\", "^", "`", "{", "|", "}"})
    refused(replaced(with_statement, "I accept", "I" + outside + "accept"));
  refused(bare + "\nResources: ");
  refused(bare + "\nResources:\n- not a uri");
  refused(bare + "\nResources:\n-https://example.com");
}

TEST(WalletMessage, AMutatedMessageIsParsedExactlyOrRefused) {
  std::mt19937 random(4361);
  const std::string whole = bare + "\nExpiration Time: 2026-10-01T16:25:24Z\nResources:\n- ipfs://bafy/";
  for (int round = 0; round < 20'000; ++round) {
    std::string text = whole;
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 128);
          break;
        case 1:
          text.erase(at, 1 + random() % 5);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 9));
      }
      if (text.empty()) text = "\n";
    }
    const auto message = parse_message(text);
    if (!message) continue;
    EXPECT_NE(text.find("Nonce: " + message->nonce + "\n"), std::string::npos);
    EXPECT_NE(text.find("URI: " + message->uri + "\n"), std::string::npos);
    EXPECT_TRUE(
        text.starts_with((message->scheme.empty() ? "" : message->scheme + "://") + message->domain + " wants"));
  }
}

TEST(Timestamp, ParsesEveryNotationOfAnInstant) {
  const auto noon = parse_timestamp("2026-01-31T12:00:00Z");
  ASSERT_TRUE(noon);
  for (const std::string_view same : {"2026-01-31T12:00:00.000Z", "2026-01-31t12:00:00z", "2026-01-31T13:30:00+01:30",
                                      "2026-01-30T12:01:00.0-23:59", "2026-01-31T12:00:00.00000000000000001Z"})
    EXPECT_EQ(parse_timestamp(same), noon) << same;
  EXPECT_EQ(*parse_timestamp("2026-01-31T12:00:00.1239Z") - *noon, std::chrono::milliseconds(123));
  EXPECT_EQ(*parse_timestamp("2026-01-31T12:00:60Z") - *noon, std::chrono::milliseconds(59'999));
  EXPECT_TRUE(parse_timestamp("2028-02-29T00:00:00Z"));
}

TEST(Timestamp, RefusesOtherTexts) {
  for (const std::string_view wrong : {"",
                                       "2026-01-31",
                                       "2026-01-31T12:00:00",
                                       "2026-01-31 12:00:00Z",
                                       "2026-02-29T00:00:00Z",
                                       "2026-13-01T00:00:00Z",
                                       "2026-00-01T00:00:00Z",
                                       "2026-01-32T00:00:00Z",
                                       "2026-01-31T24:00:00Z",
                                       "2026-01-31T12:60:00Z",
                                       "2026-01-31T12:00:61Z",
                                       "2026-01-31T12:00:00.Z",
                                       "2026-01-31T12:00Z",
                                       "26-01-31T12:00:00Z",
                                       "2026-1-31T12:00:00Z",
                                       "2026-01-31T12:00:00+0100",
                                       "2026-01-31T12:00:00+24:00",
                                       "2026-01-31T12:00:00Z ",
                                       " 2026-01-31T12:00:00Z",
                                       "+026-01-31T12:00:00Z",
                                       "2026-01-31T12:00:00ZZ"})
    EXPECT_FALSE(parse_timestamp(wrong)) << wrong;
}

}  // namespace wallet_message_test
