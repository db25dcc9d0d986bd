-- sysbench.cmdline: what the script declares of options and commands, and how it is asked about them.
local host = ...

local cmdline = {
  argv = host.argv, command = host.command, script_path = host.script_path,
  ARG_NULL = 0, ARG_BOOL = 1, ARG_INT = 2, ARG_SIZE = 3, ARG_DOUBLE = 4, ARG_STRING = 5, ARG_LIST = 6, ARG_FILE = 7,
  ARG_MAX = 8, PARALLEL_COMMAND = true,
}
sysbench.cmdline = cmdline

local inferred = { boolean = cmdline.ARG_BOOL, string = cmdline.ARG_STRING, number = cmdline.ARG_DOUBLE,
  table = cmdline.ARG_LIST, ["nil"] = cmdline.ARG_STRING }

local function text_of(default)
  if default == nil then return nil end
  if type(default) == "boolean" then return default and "on" or "off" end
  if type(default) == "table" then
    local words = {}
    for n, word in ipairs(default) do words[n] = tostring(word) end
    return table.concat(words, ",")
  end
  return tostring(default)
end

-- The declared options as a list in the order of their names, or nil where the script declares none.
local function declared()
  local options = cmdline.options
  if options == nil then return nil end
  if type(options) ~= "table" then error("wrong table structure in sysbench.cmdline.options") end
  local list = {}
  for name, option in pairs(options) do
    if type(name) ~= "string" or type(option) ~= "table" then
      error("wrong table structure in sysbench.cmdline.options")
    end
    local description, default, kind = option[1], option[2], option[3]
    if description == nil then error("nil description for option " .. name, 0) end
    list[#list + 1] = { name = name:gsub("-", "_"), shown = name, description = tostring(description),
      kind = kind or inferred[type(default)] or cmdline.ARG_STRING, default = text_of(default) }
  end
  table.sort(list, function(a, b) return a.shown < b.shown end)
  return list
end
host.declared = declared

function cmdline.read_cmdline_options()
  return (pcall(declared))
end

local formats = { [0] = "", "[=on|off]", "=N", "=SIZE", "=N", "=STRING", "=[LIST,...]", "=FILENAME" }
function cmdline.print_test_options()
  local lines, widest = {}, 0
  for n, option in ipairs(declared() or {}) do
    local left = "  --" .. option.shown .. (formats[option.kind] or "")
    widest = math.max(widest, #left)
    lines[n] = { left, option }
  end
  for _, line in ipairs(lines) do
    local left, option = line[1], line[2]
    local default = option.default ~= nil and " [" .. option.default .. "]" or ""
    print(left .. string.rep(" ", widest - #left + 1) .. option.description .. default)
  end
  print("")
end

local function command(name)
  local commands = cmdline.commands
  local entry = type(commands) == "table" and commands[name]
  if type(entry) == "table" and type(entry[1]) == "function" then return entry end
end
function cmdline.command_defined(name) return command(name) ~= nil end
function cmdline.command_parallel(name)
  local entry = command(name)
  return entry ~= nil and entry[2] == cmdline.PARALLEL_COMMAND
end
function cmdline.call_command(name)
  local result = command(name)[1]()
  return result == nil or result ~= false
end
