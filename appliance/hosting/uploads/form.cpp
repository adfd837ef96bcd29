#include "appliance/hosting/uploads/form.h"

namespace uploads {

namespace {

constexpr std::size_t longest_field = 4'096;

}  // namespace

FormReader::FormReader(std::string_view boundary, Open open)
    : open_(std::move(open)),
      parser_(boundary, {.begin = [this](const PartHead& head) { return begin_part(head); },
                         .data = [this](std::string_view bytes) { return take_data(bytes); },
                         .end = [this] { return end_part(); }}) {}

web::Result<void> FormReader::set_agent(std::string agent) {
  if (agent.empty()) return web::invalid("agentId is required");
  auto opened = open_(agent);
  if (!opened) return opened.error();
  incoming_.emplace(std::move(*opened));
  agent_ = std::move(agent);
  return {};
}

web::Result<void> FormReader::begin_part(const PartHead& head) {
  text_.clear();
  field_ = head.filename            ? Field::file
           : head.name == "agentId" ? Field::agent
           : head.name == "path"    ? Field::folder
                                    : Field::none;
  if (!has_agent() && field_ != Field::agent && field_ != Field::folder)
    return web::invalid("agentId is required before the files: in the query, or as the first field of the form");
  switch (field_) {
    case Field::file:
      if (head.filename->empty()) return web::invalid("file must have a name");
      incoming_->files.push_back({.path = *head.filename, .offset = incoming_->content.size()});
      break;
    case Field::agent:
      if (std::exchange(has_agent_field_, true)) return web::invalid("agentId must be given once");
      break;
    case Field::folder:
      if (std::exchange(has_folder_field_, true)) return web::invalid("path must be given once");
      break;
    case Field::none:
      break;
  }
  return {};
}

web::Result<void> FormReader::take_data(std::string_view bytes) {
  if (field_ == Field::none) return {};
  if (field_ == Field::file) {
    incoming_->files.back().size += bytes.size();
    return incoming_->content.append(bytes);
  }
  if (text_.size() + bytes.size() > longest_field)
    return web::invalid(std::string(field_ == Field::agent ? "agentId" : "path") + " is too long");
  text_.append(bytes);
  return {};
}

web::Result<void> FormReader::end_part() {
  if (field_ == Field::agent) {
    if (!has_agent()) return set_agent(std::exchange(text_, {}));
    if (text_ != agent_) return web::invalid("agentId must be the same in the query and in the form");
  } else if (field_ == Field::folder) {
    if (!folder_.empty() && text_ != folder_) return web::invalid("path must be the same in the query and in the form");
    folder_ = std::exchange(text_, {});
  }
  return {};
}

web::Result<Incoming> FormReader::finish() {
  if (auto finished = parser_.finish(); !finished) return finished.error();
  if (!has_agent()) return web::invalid("agentId is required");
  if (incoming_->files.empty()) return web::invalid("file is required: a part with a filename");
  for (auto& file : incoming_->files)
    if (!folder_.empty()) file.path = folder_ + (folder_.ends_with('/') ? "" : "/") + file.path;
  return std::move(*incoming_);
}

}  // namespace uploads
