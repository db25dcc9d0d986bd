-- sysbench.sql: drivers, connections, statements, parameters and results as scripts know them. What a method needs of the
-- database is left in the exchange, and the method suspended until the host has the reply.
local host = ...
local x, ask, suspend = host.x, host.ask, host.suspend

local sql = {
  type = {
    NONE = 0, TINYINT = 1, SMALLINT = 2, INT = 3, BIGINT = 4, FLOAT = 5, DOUBLE = 6, TIME = 7, DATE = 8, DATETIME = 9,
    TIMESTAMP = 10, CHAR = 11, VARCHAR = 12,
  },
  error = { NONE = 0, IGNORABLE = 1, FATAL = 2 },
}
sysbench.sql = sql

-- An option of a script without declared ones may have the name of a library.
local getinfo = debug.getinfo
local QUERY, EXECUTE, DROP = host.QUERY, host.EXECUTE, host.DROP
local ROWS, FAILED = 1, 2
-- As sysbench counts.
local OTHER, READ, WRITE = 0, 1, 2

local NO_RESULT = ffi.cast("sql_result *", nil)
local drivers = {}
-- Structures lie here for as long as the state lives, by number: what a script holds are pointers to them.
local connections, results, statements = {}, {}, {}
-- The driver of each connection.
local drivers_of = {}
-- The pointer to each of the results.
local shown = {}
-- What a structure points to, by the number of its owner.
local bulks, troubles, anchored = {}, {}, {}
-- Connections that nobody holds any more, by number.
local dropped = {}

local driver, connection, statement, bind, result = {}, {}, {}, {}, {}

function sql.driver(name)
  name = name or sysbench.opt and sysbench.opt.db_driver or host.db_driver
  if name == nil or name == "" then name = "mysql" end
  local number = host.driver(name)
  if not number then
    host.log(0, "invalid database driver name: '" .. tostring(name) .. "'")
    error("failed to initialize the DB driver", 2)
  end
  if not drivers[name] then
    drivers[name] = ffi.new("sql_driver", number)
  end
  return drivers[name]
end

function driver:name() return host.driver_name(self.assay_number) end

-- A connection that nobody holds any more is closed before the next event and before the next connection is made: not here,
-- where the collector is at work.
function host.let_go()
  local numbers = dropped
  dropped, x.dropped = {}, 0
  for _, number in ipairs(numbers) do
    x.code = number
    ask(DROP)
  end
end
local function let_go(con)
  if con.assay_number ~= 0 then
    dropped[#dropped + 1] = con.assay_number
    con.assay_number = 0
    x.dropped = #dropped
  end
end

function driver:connect()
  if x.dropped ~= 0 then host.let_go() end
  x.code = self.assay_number
  if ask(host.CONNECT) == FAILED then error("connection creation failed", 2) end
  local number = x.count
  local structure = ffi.new("sql_connection")
  structure.assay_number = number
  connections[number], drivers_of[number] = structure, self.assay_number
  local own = ffi.new("sql_result")
  own.assay_connection, own.counter, own.assay_row = number, READ, -1
  results[number], shown[number] = own, ffi.cast("sql_result *", own)
  return ffi.gc(ffi.cast("sql_connection *", structure), let_go)
end

-- Raises it at the nearest place in the script, however the method was called.
local function refuse(message)
  local level = 2
  while true do
    local at = getinfo(level, "S")
    if not at or at.what ~= "C" and at.source ~= "=sql.lua" then break end
    level = level + 1
  end
  error(message, level)
end

local function number_of(con)
  local number = con.assay_number
  if number == 0 then
    host.log(1, "attempt to use an already closed connection")
    con.error = sql.error.FATAL
    refuse("SQL API error")
  end
  return number
end

-- Raises what the last request of that connection failed with, in the form that scripts and the event loop tell apart.
local function failed(con, query)
  local state, message = host.trouble()
  con.error = x.code
  if state == nil then refuse("SQL API error") end
  local kept = { state, message }
  troubles[con.assay_number] = kept
  con.sql_errno, con.sql_state, con.sql_errmsg = x.count, kept[1], kept[2]
  errdesc = {
    connection = con, query = query, sql_errno = x.count, sql_state = state, sql_errmsg = message,
  }
  local described, hook = errdesc, sysbench.hooks.sql_error_ignorable
  local ignorable = con.error == sql.error.IGNORABLE
  if not ignorable and type(hook) == "function" and hook(described) then
    con.error = sql.error.IGNORABLE
    ignorable = true
  end
  if ignorable then
    described.errcode = sysbench.error.RESTART_EVENT
    error(described, 0)
  end
  refuse(string.format("SQL error, errno = %d, state = '%s': %s", described.sql_errno, state, message))
end

local function result_of(number)
  local own = results[number]
  own.nrows, own.nfields, own.assay_row = x.rows, x.columns, 0
  return shown[number]
end

-- What was the result of that connection is none any more.
local function no_result_of(number)
  results[number].assay_row = -1
  return NO_RESULT
end

function connection:query(query)
  local number = number_of(self)
  x.text, x.length = query, #query
  local outcome = suspend(x, QUERY, self)
  if outcome == ROWS then
    local result = result_of(number)
    return result
  end
  if outcome == FAILED then
    local never = failed(self, query)
    return never
  end
  return no_result_of(number)
end

function connection:query_row(query)
  local number = number_of(self)
  x.text, x.length = query, #query
  local outcome = suspend(x, QUERY, self)
  if outcome == FAILED then
    local never = failed(self, query)
    return never
  end
  no_result_of(number)
  if outcome ~= ROWS or x.rows == 0 then return nil end
  return host.row(number, 0)
end

function connection:disconnect()
  local number = self.assay_number
  if number == 0 then
    host.log(1, "attempt to close an already closed connection")
    return true
  end
  ask(host.DISCONNECT, self)
  self.assay_number = 0
  bulks[number] = nil
  return true
end

function connection:reconnect()
  number_of(self)
  if host.compat == 10 and host.driver_name(drivers_of[self.assay_number]) == "pgsql" then
    host.log(1, "reconnect is not supported by the current driver")
    return false
  end
  assert(ask(host.RECONNECT, self) ~= FAILED)
  return true
end

function connection:check_error(rs, query)
  if self.error ~= sql.error.NONE and rs == nil then
    local never = failed(self, query)
    return never
  end
  return rs
end

function connection:prepare(query)
  number_of(self)
  x.text, x.length = query, #query
  if ask(host.PREPARE, self) == FAILED then error("SQL API error", 2) end
  local structure = ffi.new("sql_statement")
  structure.connection, structure.assay_number, structure.assay_count = self, x.count, -1
  local number = x.count
  statements[number] = { structure, self, x.rows }
  return ffi.cast("sql_statement *", structure)
end

-- As much as one packet of a server with the usual settings takes.
local BULK_BYTES = 512 * 1024

local function flush(con, bulk)
  local query = bulk.head .. table.concat(bulk.rows, ",")
  bulk.rows, bulk.bytes = {}, #bulk.head
  x.text, x.length = query, #query
  return ask(QUERY, con) ~= FAILED
end

function connection:bulk_insert_init(query)
  local number = number_of(self)
  if #query >= BULK_BYTES then error("db_bulk_insert_init() failed", 2) end
  bulks[number] = { head = query, rows = {}, bytes = #query }
  return true, "db_bulk_insert_init() failed"
end

function connection:bulk_insert_next(values)
  local bulk = bulks[number_of(self)]
  if not bulk then
    host.log(1, "attempt to call bulk_insert_next() before bulk_insert_init()")
    error("db_bulk_insert_next() failed", 2)
  end
  if #bulk.head + #values > BULK_BYTES then
    host.log(0, "Query length exceeds the maximum value (" .. BULK_BYTES .. "), aborting")
    error("db_bulk_insert_next() failed", 2)
  end
  if bulk.bytes + #values + 1 > BULK_BYTES and #bulk.rows > 0 and not flush(self, bulk) then
    error("db_bulk_insert_next() failed", 2)
  end
  bulk.rows[#bulk.rows + 1] = values
  bulk.bytes = bulk.bytes + #values + 1
  return true, "db_bulk_insert_next() failed"
end

function connection:bulk_insert_done()
  local number = number_of(self)
  local bulk = bulks[number]
  bulks[number] = nil
  if bulk and #bulk.rows > 0 and not flush(self, bulk) then
    error("db_bulk_insert_done() failed", 2)
  end
  return true, "db_bulk_insert_done() failed"
end

local whole = { [sql.type.TINYINT] = true, [sql.type.SMALLINT] = true, [sql.type.INT] = true, [sql.type.BIGINT] = true }
local real = { [sql.type.FLOAT] = true, [sql.type.DOUBLE] = true }
local text = { [sql.type.CHAR] = true, [sql.type.VARCHAR] = true }

function statement:bind_create(kind, max_len)
  local param = ffi.new("sql_bind")
  param.is_null = 1
  if whole[kind] then
    param.type, param.max_len = sql.type.BIGINT, 8
  elseif real[kind] then
    param.type, param.max_len = sql.type.DOUBLE, 8
  elseif text[kind] then
    param.type, param.max_len = sql.type.VARCHAR, assert(max_len, "max_len is required for this type")
    local buffer = ffi.new("char[?]", max_len + 1)
    param.buffer = buffer
    anchored[#anchored + 1] = buffer
  else
    error("Unsupported argument type: " .. tostring(kind), 2)
  end
  anchored[#anchored + 1] = param
  return ffi.cast("sql_bind *", param)
end

function statement:bind_param(...)
  local count = select("#", ...)
  if count == 0 then return nil end
  local entry = statements[self.assay_number]
  if not entry or entry[3] ~= count then
    host.log(1, string.format("wrong number of parameters to bind: %d", count))
    return 1
  end
  local list = ffi.new("sql_bind *[?]", count, ...)
  entry[4], entry[5] = list, { ... }
  self.assay_binds, self.assay_count = list, count
  return 0
end

function statement:execute()
  local outcome = suspend(x, EXECUTE, self)
  if outcome == ROWS then
    local result = result_of(self.connection.assay_number)
    return result
  end
  if outcome == FAILED then
    local never = failed(self.connection, "<prepared statement>")
    return never
  end
  return no_result_of(self.connection.assay_number)
end

function statement:close()
  local entry = statements[self.assay_number]
  if not entry then return 0 end
  ask(host.CLOSE, self)
  statements[self.assay_number] = nil
  self.assay_number = 0
  return 0
end

function bind:set(value)
  if value == nil then
    self.is_null = 1
    return
  end
  local kind = self.type
  if kind == 4 then
    self.assay_int = value
  elseif kind == 6 then
    self.assay_real = value
  else
    value = tostring(value)
    local length = math.min(#value, tonumber(self.max_len))
    ffi.copy(self.buffer, value, length)
    self.data_len = length
  end
  self.is_null = 0
end

function bind:set_rand_str(format)
  local length = math.min(#format, tonumber(self.max_len))
  host.fill_text(format, length, self.buffer)
  self.data_len, self.is_null = length, 0
end

function result:fetch_row()
  if self == nil or self.assay_row < 0 then
    host.log(1, "attempt to fetch row from an invalid result set")
    return nil
  end
  local row = self.assay_row
  if row >= self.nrows then return nil end
  self.assay_row = row + 1
  return { host.row(self.assay_connection, row) }
end

function result:free()
  if self == nil or self.assay_row < 0 then
    host.log(1, "attempt to free an invalid result set")
    error("db_free_results() failed", 2)
  end
  self.assay_row = -1
  return true
end

if host.compat ~= 10 then
  function connection:more_results()
    local number = self.assay_number
    if number == 0 then
      host.log(1, "attempt to use an already closed connection")
      return false
    end
    return results[number].assay_row >= 0 and host.more(number)
  end
  -- They are all here, and none of them failed. Each is counted when it is asked for, and so is the question behind the last.
  local function next_of(con)
    local number = number_of(con)
    if host.driver_name(drivers_of[number]) == "pgsql" then return no_result_of(number) end
    local rows, columns, affected = host.next(number)
    local is_read = rows and columns > 0
    local counter = is_read and READ or affected > 0 and WRITE or OTHER
    x.counters[counter] = x.counters[counter] + 1
    if not is_read then return no_result_of(number) end
    x.rows, x.columns = rows, columns
    return result_of(number)
  end
  function connection:next_result() return next_of(self) end
  function statement:next_result() return next_of(self.connection) end
end

local function class(name, methods, shown)
  ffi.metatype(name, { __index = methods, __tostring = function() return shown end })
end
class("sql_driver", driver, "<sql_driver>")
class("sql_connection", connection, "<sql_connection>")
class("sql_statement", statement, "<sql_statement>")
class("sql_bind", bind, "<sql_param>")
class("sql_result", result, "<sql_result>")
