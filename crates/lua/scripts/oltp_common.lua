-- What the oltp_* scripts share: their options and commands, the tables, and the statements that their events are made of.
-- Options, statements, and the names that scripts of others use (con, stmt, param, prepare_*, execute_*) are sysbench's; the
-- code is not. A script says in prepare_statements() what it needs, and in event() what it does.

if sysbench.cmdline.command == nil then
   error("a command is needed: prepare, prewarm, run, cleanup or help")
end

local INT, CHAR = sysbench.sql.type.INT, sysbench.sql.type.CHAR
local LATER = sysbench.version:find("^1%.0") == nil -- options that came after 1.0

sysbench.cmdline.options = {
   table_size = {"rows of a table", 10000},
   tables = {"tables, sbtest1 and on", 1},
   range_size = {"width of a range, in ids", 100},
   point_selects = {"rows read by id in a transaction", 10},
   simple_ranges = {"ranges read in a transaction", 1},
   sum_ranges = {"ranges summed in a transaction", 1},
   order_ranges = {"ranges read in order in a transaction", 1},
   distinct_ranges = {"ranges read without duplicates in a transaction", 1},
   index_updates = {"updates of the indexed column in a transaction", 1},
   non_index_updates = {"updates of a column without index in a transaction", 1},
   delete_inserts = {"rows deleted and inserted again in a transaction", 1},
   range_selects = {"read ranges at all", true},
   auto_inc = {"ids are given by the server", true},
   skip_trx = {"each statement is a transaction of its own", false},
   secondary = {"ids have a secondary index and no primary key", false},
   create_secondary = {"index column k", true},
   mysql_storage_engine = {"storage engine of MySQL's tables", "innodb"},
   pgsql_variant = {"'redshift' for that dialect: no index on k, no delete_inserts"},
}
if LATER then
   sysbench.cmdline.options.create_table_options = {"text behind CREATE TABLE", ""}
   sysbench.cmdline.options.reconnect = {"events after which a session is opened anew, 0 for never", 0}
end

-- ids and values

local function random_id()
   return sysbench.rand.default(1, sysbench.opt.table_size)
end

local function random_table()
   return sysbench.rand.uniform(1, sysbench.opt.tables)
end

-- Groups of eleven digits.
local C = string.rep("###########-", 10):sub(1, -2)
local PAD = string.rep("###########-", 5):sub(1, -2)

function get_c_value()
   return sysbench.rand.string(C)
end

function get_pad_value()
   return sysbench.rand.string(PAD)
end

-- tables

local function is_redshift()
   return sysbench.opt.pgsql_variant == "redshift"
end

local function id_column(name)
   if name == "pgsql" and sysbench.opt.auto_inc then
      return is_redshift() and "INTEGER IDENTITY(1,1)" or "SERIAL"
   end
   return sysbench.opt.auto_inc and "INTEGER NOT NULL AUTO_INCREMENT" or "INTEGER NOT NULL"
end

local CREATE = [[CREATE TABLE sbtest%d(
  id %s,
  k INTEGER DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL,
  %s (id)
) %s %s]]

function create_table(driver, connection, number)
   local name = driver:name()
   local engine = ""
   if name == "mysql" then
      engine = "/*! ENGINE = " .. sysbench.opt.mysql_storage_engine .. " */"
   elseif name ~= "pgsql" then
      error("there is no table for the driver " .. name)
   end
   local key = sysbench.opt.secondary and "KEY xid" or "PRIMARY KEY"
   print(string.format("Creating table 'sbtest%d'...", number))
   connection:query(CREATE:format(number, id_column(name), key, engine, sysbench.opt.create_table_options or ""))
   fill_table(connection, number)
   if sysbench.opt.create_secondary and not is_redshift() then
      print(string.format("Creating a secondary index on 'sbtest%d'...", number))
      connection:query(string.format("CREATE INDEX k_%d ON sbtest%d(k)", number, number))
   end
end

function fill_table(connection, number)
   local rows = sysbench.opt.table_size
   if rows > 0 then
      print(string.format("Inserting %d records into 'sbtest%d'", rows, number))
   end
   local columns = sysbench.opt.auto_inc and "k, c, pad" or "id, k, c, pad"
   connection:bulk_insert_init(string.format("INSERT INTO sbtest%d(%s) VALUES", number, columns))
   for id = 1, rows do
      local k, c, pad = random_id(), get_c_value(), get_pad_value()
      local row = string.format("(%d, '%s', '%s')", k, c, pad)
      if not sysbench.opt.auto_inc then
         row = string.format("(%d, %d, '%s', '%s')", id, k, c, pad)
      end
      connection:bulk_insert_next(row)
   end
   connection:bulk_insert_done()
end

-- The tables of one of the users that share them out.
local function my_tables()
   local number = sysbench.tid % sysbench.opt.threads + 1 - sysbench.opt.threads
   return function()
      number = number + sysbench.opt.threads
      return number <= sysbench.opt.tables and number or nil
   end
end

function cmd_prepare()
   local driver = sysbench.sql.driver()
   local connection = driver:connect()
   for number in my_tables() do
      create_table(driver, connection, number)
   end
end

local WARM = {
   "ANALYZE TABLE sbtest%d",
   "SELECT AVG(id) FROM (SELECT * FROM sbtest%d FORCE KEY (PRIMARY) LIMIT %u) t",
   "SELECT COUNT(*) FROM (SELECT * FROM sbtest%d WHERE k LIKE '%%0%%' LIMIT %u) t",
}

function cmd_warmup()
   local driver = sysbench.sql.driver()
   assert(driver:name() == "mysql", "warmup is currently MySQL only")
   local connection = driver:connect()
   -- The whole table is to be read, and not to be written to disk for it.
   connection:query("SET tmp_table_size=2*1024*1024*1024")
   connection:query("SET max_heap_table_size=2*1024*1024*1024")
   for number in my_tables() do
      print((LATER and "Preloading" or "Prewarming") .. " table sbtest" .. number)
      for _, sql in ipairs(WARM) do
         connection:query(sql:format(number, sysbench.opt.table_size))
      end
   end
end

sysbench.cmdline.commands = {
   prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND},
   warmup = {cmd_warmup, sysbench.cmdline.PARALLEL_COMMAND},
   prewarm = {cmd_warmup, sysbench.cmdline.PARALLEL_COMMAND},
}

function cleanup()
   local connection = sysbench.sql.driver():connect()
   for number = 1, sysbench.opt.tables do
      print(string.format("Dropping table 'sbtest%d'...", number))
      connection:query("DROP TABLE IF EXISTS sbtest" .. number)
   end
end

-- statements: what is asked of each table, and the types of what is asked with

local RANGE = "FROM sbtest%u WHERE id BETWEEN ? AND ?"
local SHAPES = {
   point_selects = {"SELECT c FROM sbtest%u WHERE id=?", INT},
   simple_ranges = {"SELECT c " .. RANGE, INT, INT},
   sum_ranges = {"SELECT SUM(k) " .. RANGE, INT, INT},
   order_ranges = {"SELECT c " .. RANGE .. " ORDER BY c", INT, INT},
   distinct_ranges = {"SELECT DISTINCT c " .. RANGE .. " ORDER BY c", INT, INT},
   index_updates = {"UPDATE sbtest%u SET k=k+1 WHERE id=?", INT},
   non_index_updates = {"UPDATE sbtest%u SET c=? WHERE id=?", {CHAR, 120}, INT},
   deletes = {"DELETE FROM sbtest%u WHERE id=?", INT},
   inserts = {"INSERT INTO sbtest%u (id, k, c, pad) VALUES (?, ?, ?, ?)", INT, INT, {CHAR, 120}, {CHAR, 60}},
}

function prepare_for_each_table(kind)
   local shape = SHAPES[kind]
   for number = 1, sysbench.opt.tables do
      local prepared, bound = con:prepare(shape[1]:format(number)), {}
      for at = 2, #shape do
         local of = shape[at]
         bound[at - 1] = type(of) == "table" and prepared:bind_create(of[1], of[2]) or prepared:bind_create(of)
      end
      prepared:bind_param(unpack(bound))
      stmt[number][kind], param[number][kind] = prepared, bound
   end
end

function prepare_begin()
   stmt.begin = con:prepare("BEGIN")
end

function prepare_commit()
   stmt.commit = con:prepare("COMMIT")
end

function prepare_delete_inserts()
   prepare_for_each_table("deletes")
   prepare_for_each_table("inserts")
end

for _, kind in ipairs{"point_selects", "simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges", "index_updates",
                      "non_index_updates"} do
   _G["prepare_" .. kind] = function()
      prepare_for_each_table(kind)
   end
end

-- a user's life

local function prepare_all()
   stmt, param = {}, {}
   for number = 1, sysbench.opt.tables do
      stmt[number], param[number] = {}, {}
   end
   prepare_statements()
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   if is_redshift() then
      sysbench.opt.delete_inserts = 0
   end
   prepare_all()
end

function close_statements()
   for key, of in pairs(stmt) do
      if type(key) == "number" then
         for _, prepared in pairs(of) do
            prepared:close()
         end
      else
         of:close()
      end
   end
end

function thread_done()
   close_statements()
   con:disconnect()
end

-- A session that was lost took its statements with it.
local LOST = {[2006] = true, [2011] = true, [2013] = true, [2055] = true}

function sysbench.hooks.before_restart_event(failure)
   if LOST[failure.sql_errno] then
      close_statements()
      prepare_all()
   end
end

local since_connect = 0

-- Opens the session anew after as many events as --reconnect says.
function check_reconnect()
   local every = sysbench.opt.reconnect or 0
   if every > 0 then
      since_connect = since_connect + 1
      if since_connect % every == 0 then
         close_statements()
         con:reconnect()
         prepare_all()
      end
   end
end

-- what events are made of; each group of a transaction is on one table

function begin()
   stmt.begin:execute()
end

function commit()
   stmt.commit:execute()
end

function execute_point_selects()
   local number = random_table()
   local prepared, bound = stmt[number].point_selects, param[number].point_selects
   for _ = 1, sysbench.opt.point_selects do
      bound[1]:set(random_id())
      prepared:execute()
   end
end

for _, kind in ipairs{"simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"} do
   _G["execute_" .. kind] = function()
      local number = random_table()
      local prepared, bound = stmt[number][kind], param[number][kind]
      for _ = 1, sysbench.opt[kind] do
         local id = random_id()
         bound[1]:set(id)
         bound[2]:set(id + sysbench.opt.range_size - 1)
         prepared:execute()
      end
   end
end

function execute_index_updates()
   local number = random_table()
   for _ = 1, sysbench.opt.index_updates do
      param[number].index_updates[1]:set(random_id())
      stmt[number].index_updates:execute()
   end
end

function execute_non_index_updates()
   local number = random_table()
   local bound = param[number].non_index_updates
   for _ = 1, sysbench.opt.non_index_updates do
      bound[1]:set_rand_str(C)
      bound[2]:set(random_id())
      stmt[number].non_index_updates:execute()
   end
end

function execute_delete_inserts()
   local number = random_table()
   local bound = param[number].inserts
   for _ = 1, sysbench.opt.delete_inserts do
      local id = random_id()
      param[number].deletes[1]:set(id)
      bound[1]:set(id)
      bound[2]:set(random_id())
      bound[3]:set_rand_str(C)
      bound[4]:set_rand_str(PAD)
      stmt[number].deletes:execute()
      stmt[number].inserts:execute()
   end
end
