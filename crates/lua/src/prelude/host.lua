-- The ground under the API: types that scripts may name, the exchange with the host, and the places where Lua would block
-- its thread, rewritten so that they suspend the user instead. Suspending is a call by FFI, which a compiled trace goes through.
local host = ...

ffi = require("ffi")

ffi.cdef([[
typedef enum { SB_CNT_OTHER, SB_CNT_READ, SB_CNT_WRITE, SB_CNT_TRX, SB_CNT_ERROR, SB_CNT_RECONNECT,]]
  .. (host.compat == 10 and "SB_CNT_MAX" or "SB_CNT_BYTES_READ, SB_CNT_BYTES_WRITTEN, SB_CNT_MAX") .. [[
} sb_counter_type;
typedef enum { DB_ERROR_NONE, DB_ERROR_IGNORABLE, DB_ERROR_FATAL } sql_error_t;
typedef enum {
  SQL_TYPE_NONE, SQL_TYPE_TINYINT, SQL_TYPE_SMALLINT, SQL_TYPE_INT, SQL_TYPE_BIGINT, SQL_TYPE_FLOAT, SQL_TYPE_DOUBLE,
  SQL_TYPE_TIME, SQL_TYPE_DATE, SQL_TYPE_DATETIME, SQL_TYPE_TIMESTAMP, SQL_TYPE_CHAR, SQL_TYPE_VARCHAR
} sql_bind_type_t;
typedef enum {
  SB_ARG_TYPE_NULL, SB_ARG_TYPE_BOOL, SB_ARG_TYPE_INT, SB_ARG_TYPE_SIZE, SB_ARG_TYPE_DOUBLE, SB_ARG_TYPE_STRING,
  SB_ARG_TYPE_LIST, SB_ARG_TYPE_FILE, SB_ARG_TYPE_MAX
} sb_arg_type_t;
typedef struct { int32_t assay_number; } sql_driver;
typedef struct {
  sql_error_t error; int sql_errno; const char *sql_state; const char *sql_errmsg;
  int32_t assay_number;
} sql_connection;
typedef struct {
  int32_t type; int32_t is_null; uint64_t max_len; uint64_t data_len; char *buffer;
  int64_t assay_int; double assay_real;
} sql_bind;
typedef struct { sql_connection *connection; int32_t assay_number; int32_t assay_count; sql_bind **assay_binds; } sql_statement;
typedef struct { uint32_t nrows; uint32_t nfields; int counter; int32_t assay_connection; int32_t assay_row; } sql_result;
typedef struct { const char *ptr; uint32_t len; } sql_value;
typedef struct { sql_value *values; } sql_row;
typedef struct sb_opt_validate sb_opt_validate_t;
typedef struct sb_histogram sb_histogram_t;
typedef struct {
  int32_t ask; int32_t outcome; void *target; const char *text; uint64_t length; double number;
  uint32_t rows; uint32_t columns; int32_t count; int32_t code; int32_t ended; int32_t dropped;
  uint64_t code_at; uint64_t code_bytes;
  double counters[16];
} assay_exchange;
]])

local real = ffi.C
local C = setmetatable({}, { __index = real })
ffi.C = C

local x = ffi.cast("assay_exchange *", host.exchange)
host.x = x

-- Gives a request to the host, about the structure `target` where there is one, and comes back with what the reply amounts to;
-- the rest of it is in the exchange. Meanwhile other users go on.
local suspend = ffi.cast("int32_t (*)(assay_exchange *, int32_t, const void *)", host.suspend)
local function ask(kind, target)
  local outcome = suspend(x, kind, target)
  return outcome
end
host.ask, host.suspend = ask, suspend

-- Where the newest of the compiled code lies, which the host then fetches ahead of this user's turns. Later traces lie before earlier ones.
local MOST_CODE, MOST_TRACES = 4096, 100
function host.tell_code()
  local util = require("jit.util")
  local first, last = math.huge, 0
  for trace = 1, MOST_TRACES do
    local code, at = util.tracemc(trace)
    if code then
      first, last = math.min(first, at), math.max(last, at + #code)
    end
  end
  if last > 0 then x.code_at, x.code_bytes = first, math.min(last - first, MOST_CODE) end
end

-- Which files and modules are read is noted.
local read, dofile_of_lua, require_of_lua = {}, dofile, require
host.read = read
function dofile(path)
  read[#read + 1] = path
  return dofile_of_lua(path)
end
function require(name)
  if package.loaded[name] == nil then
    local file = package.searchpath(name, package.path)
    if file or host.bundled(name) then read[#read + 1] = file or "=" .. name end
  end
  return require_of_lua(name)
end

-- What is not installed is bundled.
table.insert(package.loaders, function(name)
  local text = host.bundled(name)
  if not text then return "\n\tno bundled module '" .. name .. "'" end
  local chunk, message = loadstring(text, "=" .. name .. ".lua")
  if not chunk then error(message, 0) end
  return chunk
end)
package.path, package.cpath = host.path, host.cpath

-- Sleeping suspends the user; its neighbours on the same thread go on.
local function sleep(seconds)
  x.number = seconds
  ask(host.SLEEP)
end
function C.usleep(micros)
  sleep(tonumber(micros) / 1e6)
  return 0
end
function C.sleep(seconds)
  sleep(tonumber(seconds))
  return 0
end
local execute = os.execute
function os.execute(command)
  local seconds = type(command) == "string" and tonumber(command:match("^%s*sleep%s+([%d%.]+)%s*$"))
  if seconds then
    sleep(seconds)
    return 0
  end
  return execute(command)
end

-- What scripts print by other ways stands between the lines that they print, as in sysbench.
io.stdout:setvbuf("no")
-- Threads write whole lines.
function print(...)
  local words = { ... }
  for n = 1, select("#", ...) do words[n] = tostring(words[n]) end
  host.print(table.concat(words, "\t"))
end

function C.sb_counter_add(_, counter, amount)
  local n = tonumber(ffi.cast("int", counter))
  x.counters[n] = x.counters[n] + tonumber(amount)
end
function C.sb_counter_inc(tid, counter) C.sb_counter_add(tid, counter, 1) end
function C.sb_counter_val(_, counter) return x.counters[tonumber(ffi.cast("int", counter))] end

arg = nil
