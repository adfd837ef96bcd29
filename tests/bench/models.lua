-- wrk script: asks a model, the same BODY each time, with each of the API keys of a file (a key a line) in turn; prints the
-- same line as report.lua. Arguments: KEYS BODY
local requests, at = {}, 0
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "report.lua")

function init(args)
  for key in io.lines(args[1]) do
    local headers = { ["Authorization"] = "Bearer " .. key, ["Content-Type"] = "application/json" }
    requests[#requests + 1] = wrk.format("POST", nil, headers, args[2])
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
