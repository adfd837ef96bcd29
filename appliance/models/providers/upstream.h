// Common to all providers over HTTP: deadlines, size limits, and failures as one type.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "appliance/models/providers/provider.h"
#include "web/client/fetch.h"

namespace models {

struct UpstreamSettings {
  std::string name;                           // as in answers and messages
  std::string base_url;                       // without the path of a call
  std::string key;                            // secret: removed from quoted texts
  bool own_key = false;                       // the user's own: the message of a refusal says how to replace it
  std::chrono::milliseconds timeout{30'000};  // for a whole answer; for a streamed one, between bytes
  std::optional<std::chrono::milliseconds> first_token;  // for a streamed answer, before its first event; else timeout
};

class Upstream {
 public:
  explicit Upstream(UpstreamSettings);

  const std::string& name() const { return settings_.name; }
  const std::string& key() const { return settings_.key; }

  // The body of a 200 answer.
  web::Task<Outcome<std::string>> ask(std::string method, std::string path, web::FetchHeaders, std::string body,
                                      web::CallOrigin) const;
  // Of no user.
  web::Task<Outcome<std::string>> ask(std::string method, std::string path, web::FetchHeaders headers,
                                      std::string body) const {
    return ask(std::move(method), std::move(path), std::move(headers), std::move(body), {.part = "models"});
  }
  // Posts a body of any type. Sound and images take longer than texts: ten times the time limit applies.
  web::Task<Outcome<PassedAnswer>> pass(PassedRequest, web::FetchHeaders, web::CallOrigin) const;
  // Posts, and passes each event of the answer to on_event, which returns false to end the stream. A server may send
  // the whole answer as JSON instead.
  using OnEvent = std::function<bool(std::string_view event, std::string_view data)>;
  struct Streamed {
    std::string whole;  // empty: there were events
  };
  web::Task<Outcome<Streamed>> stream(std::string path, web::FetchHeaders, std::string body, OnEvent,
                                      web::CallOrigin) const;

  Failure fail(Fault, std::string_view what) const;
  // A failure after a 200, for which the provider may charge.
  Failure bad_answer(std::string_view what) const;
  // A failure that the provider reported inside a stream. `type` is the vendor's name for it, or empty.
  Failure reported(std::string_view type, std::string_view message) const;
  // One printable line of at most 300 bytes, cut between characters, without the key if an upstream echoes it.
  std::string quoted(std::string text) const;

 private:
  web::FetchRequest request(std::string method, std::string path, web::FetchHeaders, std::string body) const;
  Failure failure_of(int status, std::string_view body, const std::string& retry_after) const;
  Failure failure_of(const web::Error&, bool was_sent) const;

  const UpstreamSettings settings_;
};

}  // namespace models
