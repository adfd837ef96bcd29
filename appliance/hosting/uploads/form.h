// The multipart/form-data of an upload, read while it arrives.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/hosting/uploads/multipart.h"
#include "appliance/hosting/uploads/uploads.h"
#include "web/result.h"

namespace uploads {

// Takes the fields agentId and path, and every part with a filename. The agent is known before anything of a file is
// read: agentId is the first field, or was given before. Kind::invalid names the field at fault. Blocks.
class FormReader {
 public:
  // Checks the agent. Called once.
  using Open = std::function<web::Result<Incoming>(const std::string& agent)>;

  FormReader(std::string_view boundary, Open);
  FormReader(const FormReader&) = delete;
  FormReader& operator=(const FormReader&) = delete;

  // Those of the query, which the form must not contradict.
  web::Result<void> set_agent(std::string agent);
  void set_folder(std::string folder) { folder_ = std::move(folder); }

  bool has_agent() const { return incoming_.has_value(); }
  web::Result<void> take(std::string_view bytes) { return parser_.take(bytes); }
  // After the last piece. The paths of the files begin with the form's folder.
  web::Result<Incoming> finish();

 private:
  enum class Field { none, agent, folder, file };
  web::Result<void> begin_part(const PartHead&);
  web::Result<void> take_data(std::string_view bytes);
  web::Result<void> end_part();

  const Open open_;
  Multipart parser_;
  std::string agent_, folder_;
  std::optional<Incoming> incoming_;
  Field field_ = Field::none;  // the part being read
  std::string text_;           // of a field
  bool has_agent_field_ = false, has_folder_field_ = false;
};

}  // namespace uploads
