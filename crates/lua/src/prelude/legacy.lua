-- The globals of sysbench 0.5, which 1.0 still gives to scripts: one connection per state, opened by its first use.
local host = ...

thread_id = sysbench.tid
test = sysbench.cmdline.script_path
-- Old options of the driver, which nobody declares any more.
mysql_table_engine, myisam_max_rows = "innodb", 1000000

DB_ERROR_NONE, DB_ERROR_RESTART_TRANSACTION, DB_ERROR_FAILED = 0, 1, 2

function sb_rnd() return sysbench.rand.uniform(0, 4294967295) end
sb_rand = function(first, last) return sysbench.rand.default(first, last) end
sb_rand_uniform = function(first, last) return sysbench.rand.uniform(first, last) end
sb_rand_gaussian = function(first, last) return sysbench.rand.gaussian(first, last) end
sb_rand_special = function(first, last) return sysbench.rand.special(first, last) end
sb_rand_str = function(format) return sysbench.rand.string(format) end
function sb_rand_uniq(first, last)
  first, last = first or 0, last or 4294967295
  local drawn
  repeat drawn = sysbench.rand.unique() until drawn >= first and drawn <= last
  return drawn
end

local con

function db_connect() con = sysbench.sql.driver():connect() end
function db_disconnect()
  if con then con:disconnect() end
  con = nil
end
local function connected()
  if not con then db_connect() end
  return con
end
-- Returns nothing: old scripts print what is true of it.
function db_query(query) connected():query(query) end
function db_bulk_insert_init(query) return connected():bulk_insert_init(query) end
function db_bulk_insert_next(values) return connected():bulk_insert_next(values) end
function db_bulk_insert_done() return connected():bulk_insert_done() end

local values_of = {}
function db_prepare(query) return connected():prepare(query) end
function db_bind_param(stmt, values)
  local params = {}
  for n, value in ipairs(values) do
    if type(value) == "number" then
      params[n] = stmt:bind_create(sysbench.sql.type.BIGINT)
    elseif type(value) == "string" then
      params[n] = stmt:bind_create(sysbench.sql.type.VARCHAR, 4096)
    else
      error("Unsupported variable type", 2)
    end
  end
  stmt:bind_param(unpack(params))
  values_of[tonumber(stmt.assay_number)] = { params, values }
end
function db_bind_result() end
function db_execute(stmt)
  local bound = values_of[tonumber(stmt.assay_number)]
  for n, param in ipairs(bound and bound[1] or {}) do param:set(bound[2][n]) end
  return stmt:execute()
end
function db_store_results() end
function db_free_results(rs) if rs ~= nil then rs:free() end end
function db_close(stmt) stmt:close() end

sysbench.db = {
  connect = db_connect, disconnect = db_disconnect, query = db_query, bulk_insert_init = db_bulk_insert_init,
  bulk_insert_next = db_bulk_insert_next, bulk_insert_done = db_bulk_insert_done, prepare = db_prepare,
  bind_param = db_bind_param, bind_result = db_bind_result, execute = db_execute, store_results = db_store_results,
  free_results = db_free_results, close = db_close,
}
