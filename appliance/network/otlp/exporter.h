// Sends the box's spans to OpenTelemetry's collector, or any other receiver of OTLP over HTTP, if the settings name
// one. Only the box's own: what came from outside is not sent on.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "appliance/billing/spans/records.h"
#include "appliance/foundation/periodic.h"
#include "web/client/fetch.h"
#include "web/task.h"

namespace otlp {

class Exporter {
 public:
  // `endpoint`: spans are posted to <endpoint>/v1/traces.
  Exporter(std::string endpoint, web::FetchHeaders, boost::asio::io_context& home);
  ~Exporter();  // after stop(), or with `home` stopped

  // Takes spans on any thread, also after the exporter is gone. The oldest are dropped while the receiver is away.
  std::function<void(const spans::Span&)> sink() const;
  void start() { rounds_.start(); }
  // Sends what is left, once.
  web::Task<> stop();

 private:
  struct Queue;
  static web::Task<> send(std::shared_ptr<Queue>);

  std::shared_ptr<Queue> queue_;
  agentbox::Periodic rounds_;
};

}  // namespace otlp
