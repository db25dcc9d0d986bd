-- What a state runs: calls the function of the script that it is told to call, and says how it ended.
local host = ...

local function message_of(problem)
  if type(problem) == "string" then return problem end
  if type(problem) == "number" then return tostring(problem) end
  return "(not a string)"
end

local entries = {}

function entries.body()
  local path = host.script_path
  local chunk, message
  if host.script_text then
    chunk, message = loadstring(host.script_text, host.script_chunk)
  elseif host.script_is_file then
    host.read[#host.read + 1] = path
    chunk, message = loadfile(path)
  else
    return require(path)
  end
  if not chunk then error(message, 0) end
  return chunk()
end

function entries.command(name) return sysbench.cmdline.call_command(name) end
function entries.declared() return host.declared() end
function entries.options() return sysbench.cmdline.print_test_options() end
function entries.hook(name) return sysbench.hooks[name](host.stat) end
entries["function"] = function(name, ...) return _G[name](...) end

return function()
  local done, result = pcall(entries[host.entry], host.name, host.number)
  host.result = result
  host.failure = not done and message_of(result) or nil
end
