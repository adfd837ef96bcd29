// What talking to any provider over HTTP has in common: deadlines, size caps, and faults as one type.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "appliance/models/providers/provider.h"
#include "web/fetch.h"

namespace models {

struct UpstreamSettings {
  std::string name;      // as in answers and messages
  std::string base_url;  // without the path of any call
  std::string key;       // secret: kept out of what is quoted
  bool own_key = false;  // it is the user's own, who is told what to do when it is refused
  // For a whole answer; of a streamed one, for the first byte and then between any two.
  std::chrono::milliseconds timeout{30'000};
};

class Upstream {
 public:
  explicit Upstream(UpstreamSettings);

  const std::string& name() const { return settings_.name; }
  const std::string& key() const { return settings_.key; }

  // The body of a 200 answer.
  web::Task<Outcome<std::string>> ask(std::string method, std::string path, web::FetchHeaders, std::string body) const;
  // Posts, and hands over each event of the answer. True: it was a stream, and has ended or was ended by on_event.
  // The body instead, when the server has answered with JSON at once.
  using OnEvent = std::function<bool(std::string_view event, std::string_view data)>;
  struct Streamed {
    std::string whole;  // empty: there were events
  };
  web::Task<Outcome<Streamed>> stream(std::string path, web::FetchHeaders, std::string body, OnEvent) const;

  Failure fail(Fault, std::string_view what) const;
  // One that follows a 200: the provider has worked.
  Failure bad_answer(std::string_view what) const;
  // A failure the provider tells of inside a stream. The type is the vendor's word for it, or empty.
  Failure told(std::string_view type, std::string_view message) const;
  // One line of at most 300 bytes, cut between characters, without the key should an upstream echo it.
  std::string quotable(std::string text) const;

 private:
  web::FetchRequest request(std::string method, std::string path, web::FetchHeaders, std::string body) const;
  Failure failure_of(int status, std::string_view body, const std::string& retry_after) const;
  Failure failure_of(const web::Error&, bool was_asked) const;

  const UpstreamSettings settings_;
};

}  // namespace models
