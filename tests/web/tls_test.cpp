// A listener under TLS, seen by OpenSSL's own client.
#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"
#include "tests/web/wire_fixture.h"

namespace web::tests {
namespace tls_test {

namespace ssl = boost::asio::ssl;
namespace fs = std::filesystem;

class Tls : public WireTest {
 protected:
  test_support::TemporaryFolder scratch;
  const fs::path& folder = scratch.path();

  Tls() {
    options.tls = TlsFiles{.certificate = folder / "box.crt", .key = folder / "box.key"};
    certify("first");
  }

  // A fresh key and a certificate with this common name.
  void certify(const std::string& common_name) {
    const auto command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=" + common_name +
        " -keyout " + (folder / "box.key").string() + " -out " + (folder / "box.crt").string() + " 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  struct Connection {
    boost::asio::io_context context;
    ssl::context tls{ssl::context::tls_client};
    std::optional<ssl::stream<boost::asio::ip::tcp::socket>> stream;
    boost::system::error_code error;  // of the handshake

    std::string exchange(std::string_view request) {
      boost::asio::write(*stream, boost::asio::buffer(request));
      std::string answer;
      boost::asio::read_until(*stream, boost::asio::dynamic_buffer(answer), "GET /ask");
      return answer;
    }
    std::string common_name() {
      X509* certificate = SSL_get1_peer_certificate(stream->native_handle());
      char name[64] = {};
      X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
      X509_free(certificate);
      return name;
    }
  };
  std::unique_ptr<Connection> connect(std::string_view alpn = {}, int newest = TLS1_3_VERSION) {
    auto made = std::make_unique<Connection>();
    SSL_CTX_set_max_proto_version(made->tls.native_handle(), newest);
    SSL_CTX_set_security_level(made->tls.native_handle(), 0);
    if (!alpn.empty())
      SSL_CTX_set_alpn_protos(made->tls.native_handle(), reinterpret_cast<const unsigned char*>(alpn.data()),
                              static_cast<unsigned>(alpn.size()));
    made->stream.emplace(made->context, made->tls);
    made->stream->lowest_layer().connect({boost::asio::ip::address_v4::loopback(), port});
    made->stream->handshake(ssl::stream_base::client, made->error);
    return made;
  }
};

TEST_F(Tls, ServesRequestsOverIt) {
  serve();
  EXPECT_EQ(server->url("test").substr(0, 8), "https://");
  const auto one = connect("\x08http/1.1");
  ASSERT_FALSE(one->error) << one->error.message();
  for (int turn = 0; turn < 2; ++turn) EXPECT_THAT(one->exchange(get("/ask")), ::testing::StartsWith("HTTP/1.1 200"));
}

TEST_F(Tls, SpeaksOnlyVersionsAndProtocolsThatAreSafe) {
  serve();
  EXPECT_FALSE(connect({}, TLS1_2_VERSION)->error);
  EXPECT_TRUE(connect({}, TLS1_1_VERSION)->error);
  EXPECT_TRUE(connect("\x02h2")->error);
}

TEST_F(Tls, ClosesOnAClientThatSpeaksInTheClear) {
  serve();
  auto one = client();
  one.send(get("/ask"));
  one.rest();
  EXPECT_TRUE(reached().empty());
  EXPECT_FALSE(connect()->error);
}

// Closing while the body still comes in would reset the connection and could take the answer with it.
TEST_F(Tls, ARefusalArrivesAlthoughTheClientIsStillSending) {
  serve();
  const auto one = connect();
  const std::string body(2u << 20, 'b');
  boost::system::error_code error;
  boost::asio::write(*one->stream, boost::asio::buffer(post(body)), error);
  EXPECT_FALSE(error) << error.message();
  std::string answer;
  boost::asio::read(*one->stream, boost::asio::dynamic_buffer(answer), error);
  EXPECT_THAT(answer, ::testing::StartsWith("HTTP/1.1 413"));
  EXPECT_EQ(error, boost::asio::error::eof);
}

TEST_F(Tls, UsesANewCertificateForNewConnections) {
  serve();
  const auto before = connect();
  certify("second");
  server->reload_tls();
  EXPECT_EQ(before->common_name(), "first");
  EXPECT_THAT(before->exchange(get("/ask")), ::testing::StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(connect()->common_name(), "second");
}

TEST_F(Tls, KeepsTheOldCertificateWhenTheNewOneIsBad) {
  serve();
  std::ofstream(folder / "box.key") << "not a key";
  server->reload_tls();
  EXPECT_EQ(connect()->common_name(), "first");
}

TEST_F(Tls, NamesTheFileThatCannotBeUsed) {
  const auto refusal = [this](const std::string& file, const std::string& content) {
    certify("fresh");
    std::ofstream(folder / file) << content;
    auto attempt = options;
    Server other(pool);
    try {
      other.listen(std::move(attempt));
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("box.key", "nonsense"), ::testing::HasSubstr("box.key"));
  EXPECT_THAT(refusal("box.crt", ""), ::testing::HasSubstr("box.crt"));
}

}  // namespace tls_test
}  // namespace web::tests
